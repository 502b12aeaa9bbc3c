//! The OpenMetrics endpoint: HTTP on a port of its own, within limits that no client can exceed.
//!
//! Each connection serves one request on its own thread, and the number of threads is small. Whatever a client does,
//! it occupies one of them for a few seconds and never affects the measuring threads.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::exposition::Exposition;

/// Connections at a time, at most; further ones are closed.
const MOST: usize = 8;
/// Octets of the head of a request, at most.
const LONGEST: usize = 8192;
/// Header fields of a request, at most.
const FIELDS: usize = 64;
/// How long a client may take to send its request, and to take the response.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long a client may take to close its connection after the response.
const LINGER: Duration = Duration::from_secs(1);
const PATH: &str = "/metrics";
const OPEN_METRICS: &str = "application/openmetrics-text";
const OPEN_METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
const PLAIN_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The endpoint; it ends when dropped.
#[derive(Debug)]
pub struct Endpoint {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Listens at `address`, as `127.0.0.1:18621`.
pub fn listen(address: &str) -> io::Result<TcpListener> {
    let addresses: Vec<SocketAddr> = address.to_socket_addrs()?.collect();
    TcpListener::bind(addresses.as_slice())
}

impl Endpoint {
    /// Serves at a listening socket.
    pub fn serve(listener: TcpListener, exposition: Exposition) -> io::Result<Endpoint> {
        let (address, over) = (listener.local_addr()?, Arc::new(AtomicBool::new(false)));
        let is_over = over.clone();
        let serve = move || accept(&listener, &Arc::new(exposition), &is_over);
        let thread = std::thread::Builder::new().name("sojourn-metrics".to_owned()).spawn(serve)?;
        Ok(Endpoint { address, over, thread: Some(thread) })
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // a connection wakes the thread that accepts
        let mut own = self.address;
        if own.ip().is_unspecified() {
            own.set_ip(if own.is_ipv4() { [127, 0, 0, 1].into() } else { [0, 0, 0, 0, 0, 0, 0, 1].into() });
        }
        if TcpStream::connect_timeout(&own, TIMEOUT).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, exposition: &Arc<Exposition>, over: &AtomicBool) {
    let open = Arc::new(AtomicUsize::new(0));
    loop {
        let accepted = listener.accept();
        if over.load(Ordering::Relaxed) {
            return;
        }
        let Ok((connection, _)) = accepted else {
            // as without file descriptors: there may be some later
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        if open.load(Ordering::Relaxed) >= MOST {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (exposition, mine) = (exposition.clone(), open.clone());
        let answer = move || {
            // a client that went away gets nothing
            let _ = answer(connection, &exposition);
            mine.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("sojourn-scrape".to_owned()).spawn(answer).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// What a client asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Query {
    Metrics { open_metrics: bool, body: bool },
    Other(&'static str),
}

fn answer(mut connection: TcpStream, exposition: &Exposition) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let asked = request(&mut connection)?;
    let (status, kind, body, sent) = match asked {
        Query::Metrics { open_metrics: true, body } => ("200 OK", OPEN_METRICS_TYPE, exposition.text(), body),
        Query::Metrics { open_metrics: false, body } => ("200 OK", PLAIN_TYPE, exposition.plain_text(), body),
        Query::Other(status) => (status, PLAIN_TYPE, format!("{status}: the metrics are at {PATH}\n"), true),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let text = if sent { head + &body } else { head };
    write(&mut connection, text.as_bytes())?;
    linger(&mut connection)
}

/// Closes a connection once the client has: closed with octets unread, it would be reset before the client has read the
/// response.
fn linger(connection: &mut TcpStream) -> io::Result<()> {
    connection.shutdown(Shutdown::Write)?;
    let until = Instant::now() + LINGER;
    let mut block = [0; 1024];
    loop {
        connection.set_read_timeout(Some(left(until)?))?;
        if connection.read(&mut block)? == 0 {
            return Ok(());
        }
    }
}

/// Reads the head of a request, before the timeout.
fn request(connection: &mut TcpStream) -> io::Result<Query> {
    let until = Instant::now() + TIMEOUT;
    let (mut octets, mut block) = (Vec::new(), [0; 1024]);
    loop {
        let mut fields = [httparse::EMPTY_HEADER; FIELDS];
        let mut head = httparse::Request::new(&mut fields);
        match head.parse(&octets) {
            Ok(httparse::Status::Complete(_)) => return Ok(asked(&head)),
            Ok(httparse::Status::Partial) if octets.len() < LONGEST => {}
            Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                return Ok(Query::Other("431 Request Header Fields Too Large"));
            }
            Err(_) => return Ok(Query::Other("400 Bad Request")),
        }
        connection.set_read_timeout(Some(left(until)?))?;
        let length = connection.read(&mut block)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        octets.extend(&block[..length]);
    }
}

fn asked(head: &httparse::Request<'_, '_>) -> Query {
    let is_get = head.method == Some("GET");
    if !is_get && head.method != Some("HEAD") {
        return Query::Other("405 Method Not Allowed");
    }
    if head.path.and_then(|path| path.split('?').next()) != Some(PATH) {
        return Query::Other("404 Not Found");
    }
    let accepts = |field: &httparse::Header<'_>| {
        field.name.eq_ignore_ascii_case("accept") && String::from_utf8_lossy(field.value).contains(OPEN_METRICS)
    };
    Query::Metrics { open_metrics: head.headers.iter().any(accepts), body: is_get }
}

/// Writes all before the timeout.
fn write(connection: &mut TcpStream, mut octets: &[u8]) -> io::Result<()> {
    let until = Instant::now() + TIMEOUT;
    while !octets.is_empty() {
        connection.set_write_timeout(Some(left(until)?))?;
        let written = connection.write(octets)?;
        octets = &octets[written..];
    }
    Ok(())
}

fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use super::super::exposition::Collected;
    use super::*;

    fn served() -> Endpoint {
        Endpoint::serve(listen("127.0.0.1:0").unwrap(), Collected::new("0.1.0", "abc").finish()).unwrap()
    }

    fn response(endpoint: &Endpoint, request: &str) -> String {
        let mut connection = TcpStream::connect(endpoint.address).unwrap();
        connection.write_all(request.as_bytes()).unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_metrics_come_in_the_format_that_a_client_accepts() {
        let endpoint = served();
        let found =
            response(&endpoint, &format!("GET /metrics HTTP/1.1\r\nAccept: {OPEN_METRICS};version=1.0.0\r\n\r\n"));
        assert!(found.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text"), "{found}");
        assert!(found.ends_with("# EOF\n"));
        let found = response(&endpoint, "GET /metrics?x=1 HTTP/1.1\r\n\r\n");
        assert!(found.contains("text/plain; version=0.0.4") && !found.contains("# EOF"), "{found}");
        let found = response(&endpoint, "HEAD /metrics HTTP/1.1\r\n\r\n");
        assert!(found.contains("Content-Length: ") && found.ends_with("\r\n\r\n"), "{found}");
    }

    #[test]
    fn everything_else_is_refused_with_its_status() {
        let endpoint = served();
        let long = format!("GET /metrics HTTP/1.1\r\nX: {}", "x".repeat(LONGEST));
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("\0\0\0\0", "400"),
            (long.as_str(), "431"),
        ] {
            let found = response(&endpoint, request);
            assert!(found.starts_with(&format!("HTTP/1.1 {status}")), "{found}");
        }
    }

    #[test]
    fn clients_that_send_nothing_are_few_and_the_rest_of_them_is_closed() {
        let endpoint = served();
        let silent: Vec<TcpStream> = (0..MOST).map(|_| TcpStream::connect(endpoint.address).unwrap()).collect();
        let mut further = TcpStream::connect(endpoint.address).unwrap();
        assert_eq!(further.read(&mut [0]).unwrap_or(0), 0, "it was closed");
        drop(silent);
        let until = Instant::now() + TIMEOUT;
        while Instant::now() < until {
            let mut connection = TcpStream::connect(endpoint.address).unwrap();
            let mut text = String::new();
            let asks = connection.write_all(b"GET /metrics HTTP/1.0\r\n\r\n");
            if asks.and_then(|()| connection.read_to_string(&mut text)).is_ok() && text.contains("200 OK") {
                return;
            }
        }
        panic!("a client is served once others have gone");
    }
}
