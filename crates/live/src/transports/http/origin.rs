//! The server and path of a URL: `https://HOST[:port]/path?query`; the query is passed on unchanged.

use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper::http::uri::{PathAndQuery, Scheme};
use hyper::{Method, Request, Uri};
use sojourn_scenario::Problems;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::io::network_error::ServiceError;
use crate::prober::plan::Http;
use crate::target::Target;

/// Names that are resolved at a time: getaddrinfo(3) cannot be interrupted, so that requests that time out while a name server
/// is away would leave ever more of its calls behind.
const LOOKUPS: usize = 64;

/// The body of a request, empty or not.
pub type Body = Full<Bytes>;

/// Where requests go, and what they ask for.
#[derive(Clone)]
pub struct Origin {
    /// The server's name, or its address without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Its address when the measurement began.
    pub address: SocketAddr,
    /// Whether the URL names an address, so that there is nothing to resolve.
    pub is_address: bool,
    /// Whether a connection begins with TLS.
    pub is_secure: bool,
    uri: Uri,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
    lookups: Arc<Semaphore>,
}

impl Origin {
    /// Parses a URL; mistakes stand under a caret.
    pub fn of(target: &Target) -> Result<Origin, Problems> {
        let is_secure = target.scheme() == "https";
        let (scheme, default) = if is_secure { (Scheme::HTTPS, 443) } else { (Scheme::HTTP, 80) };
        let (address, rest) = target.socket_address_and_rest(Some(default))?;
        let text = &target.with_secrets()[rest.clone()];
        if let Some(mark) = text.find('#') {
            let message = "a fragment is not part of a request: leave it out";
            return Err(target.problem(rest.start + mark..rest.end, message).into());
        }
        let path = if text.starts_with('/') { text.to_owned() } else { format!("/{text}") };
        let path: PathAndQuery =
            path.parse().map_err(|fault| target.problem(rest, format!("not a path of HTTP: {fault}")))?;
        let host = target.host()?.to_owned();
        // an interface means something to this host alone (RFC 6874, section 3)
        let (name, port) = (host.split('%').next().unwrap_or_default(), address.port());
        let name = if name.contains(':') { format!("[{name}]") } else { name.to_owned() };
        let authority = if port == default { name } else { format!("{name}:{port}") };
        let uri = Uri::builder().scheme(scheme).authority(authority).path_and_query(path).build();
        let uri = uri.map_err(|fault| target.whole_problem(format!("not a URL of HTTP: {fault}")))?;
        let is_address = host.parse::<IpAddr>().is_ok() || host.contains('%');
        let lookups = Arc::new(Semaphore::new(LOOKUPS));
        let (method, headers, body) = (Method::GET, HeaderMap::new(), Bytes::new());
        Ok(Origin { host, port, address, is_address, is_secure, uri, method, headers, body, lookups })
    }

    /// The same with the method, header fields and body of a plan.
    pub fn asking(mut self, http: &Http, target: &Target) -> Result<Origin, Problems> {
        let refused = |name: &str| target.whole_problem(format!("`{name}` is not a header field of HTTP"));
        for (name, value) in &http.headers {
            let field: HeaderName = name.parse().map_err(|_| refused(name))?;
            let mut value: HeaderValue = value.revealed().parse().map_err(|_| refused(name))?;
            value.set_sensitive(true);
            self.headers.append(field, value);
        }
        self.method = if http.is_post || http.body.is_some() { Method::POST } else { Method::GET };
        self.body = http.body.as_ref().map(|body| body.revealed().to_owned()).unwrap_or_default().into();
        Ok(self)
    }

    /// The request, of HTTP/2 or HTTP/1.1.
    pub fn request(&self, is_version_2: bool) -> Request<Body> {
        let path = || Uri::from(self.uri.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/")));
        let mut request = Request::new(Body::new(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = if is_version_2 { self.uri.clone() } else { path() };
        let headers = request.headers_mut();
        let authority = self.uri.authority().and_then(|authority| authority.as_str().parse().ok());
        // in HTTP/2 it is a pseudo-header field, made of the URI (RFC 9113, section 8.3.1)
        if let Some(authority) = authority.filter(|_| !is_version_2) {
            headers.insert(HOST, authority);
        }
        headers.insert(USER_AGENT, const { HeaderValue::from_static("sojourn") });
        headers.insert(ACCEPT, const { HeaderValue::from_static("*/*") });
        for name in self.headers.keys() {
            headers.remove(name);
            for value in self.headers.get_all(name) {
                headers.append(name, value.clone());
            }
        }
        request
    }

    /// The server's address now, by the system's resolver: of the version of `bind`, else IPv4 if there is one.
    pub async fn resolve(&self, bind: Option<IpAddr>) -> Result<SocketAddr, ServiceError> {
        let lookup = self.lookups.clone().acquire_owned().await.map_err(|_| ServiceError::Resolve)?;
        let (host, port) = (self.host.clone(), self.port);
        let found = spawn_blocking(move || {
            // held until the call returns, also where nothing waits for it any more
            let _lookup = lookup;
            (host.as_str(), port).to_socket_addrs()
        });
        let found = found.await.map_err(|_| ServiceError::Resolve)?.map_err(|_| ServiceError::Resolve)?;
        let mut found: Vec<SocketAddr> =
            found.filter(|it| bind.is_none_or(|own| own.is_ipv4() == it.is_ipv4())).collect();
        found.sort_by_key(SocketAddr::is_ipv6);
        found.first().copied().ok_or(ServiceError::Resolve)
    }
}

/// The path, the header fields and the body may have secrets.
impl fmt::Debug for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Origin").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_scenario::Secret;

    fn origin(text: &str) -> Result<Origin, Problems> {
        Origin::of(&Target::parse(text, &["http", "https"]).unwrap())
    }

    #[test]
    fn names_are_resolved_a_few_at_a_time() {
        let named = origin("http://localhost:8080").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let resolve = || tokio::time::timeout(std::time::Duration::from_secs(10), named.resolve(None));
        assert_eq!(runtime.block_on(async { resolve().await.unwrap().unwrap().port() }), 8080);
        assert_eq!(named.lookups.available_permits(), LOOKUPS, "it has ended");
        let busy = named.lookups.clone().try_acquire_many_owned(LOOKUPS as u32).unwrap();
        let soon = std::time::Duration::from_millis(20);
        assert!(runtime.block_on(async { tokio::time::timeout(soon, named.resolve(None)).await }).is_err());
        drop(busy);
    }

    #[test]
    fn a_url_gives_its_server_and_its_request() {
        let plain = origin("http://127.0.0.1").unwrap();
        assert_eq!((plain.address, plain.is_address, plain.is_secure), ("127.0.0.1:80".parse().unwrap(), true, false));
        let request = plain.request(false);
        assert_eq!(
            (request.uri().to_string(), &request.headers()[HOST]),
            ("/".to_owned(), &"127.0.0.1".parse().unwrap())
        );
        let named = origin("https://localhost:8443/a/b?type=x&y=1").unwrap();
        assert_eq!((named.host.as_str(), named.is_address), ("localhost", false));
        assert_eq!(named.request(false).uri(), "/a/b?type=x&y=1");
        assert_eq!(named.request(false).headers()[HOST], "localhost:8443");
        assert_eq!(named.request(true).uri(), "https://localhost:8443/a/b?type=x&y=1");
        assert!(!named.request(true).headers().contains_key(HOST));
        assert_eq!(origin("http://[::1]:80?q").unwrap().request(true).uri(), "http://[::1]/?q");
    }

    #[test]
    fn a_request_has_the_fields_and_the_body_that_are_asked_for() {
        let target = Target::parse("http://127.0.0.1/a", &["http"]).unwrap();
        let headers =
            [("Accept", "text/plain"), ("X-Probe", "1")].map(|(name, value)| (name.into(), Secret::new(value)));
        let http = Http { headers: headers.to_vec(), body: Some(Secret::new("{}")), ..Http::default() };
        let request = Origin::of(&target).unwrap().asking(&http, &target).unwrap().request(false);
        assert_eq!(request.method(), Method::POST, "a body makes it so");
        assert_eq!(["accept", "x-probe"].map(|name| &request.headers()[name]), ["text/plain", "1"]);
        assert!(format!("{http:?}").contains("[(\"Accept\", [secret]), (\"X-Probe\", [secret])]"), "{http:?}");
        assert!(format!("{:?}", request.headers()).contains("\"x-probe\": Sensitive"));
        let wrong = Http { headers: vec![("a b".to_owned(), Secret::new("1"))], ..Http::default() };
        assert!(Origin::of(&target).unwrap().asking(&wrong, &target).is_err());
    }

    #[test]
    fn mistakes_stand_where_they_are() {
        let place = |text| origin(text).unwrap_err().0[0].place.clone().unwrap().span;
        assert_eq!(place("http://127.0.0.1/a#b"), 18..20);
        assert_eq!(place("http://127.0.0.1/a b"), 16..20);
        assert_eq!(place("https://127.0.0.1:https/"), 18..23);
    }
}
