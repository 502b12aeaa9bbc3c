//! Where to measure, or to listen: `scheme://host:port`, with mistakes shown under a caret.

use std::net::{Ipv4Addr, SocketAddrV4, ToSocketAddrs};
use std::ops::Range;

use sojourn_scenario::{Problem, Problems, hint};

/// A URL taken apart, not yet resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    text: String,
    scheme: Range<usize>,
    host: Range<usize>,
    port: Option<Range<usize>>,
}

impl Target {
    /// Takes `scheme://host[:port]` apart. Mistakes: no scheme, no host, something after the port.
    pub fn parse(text: &str, schemes: &[&str]) -> Result<Target, Problems> {
        let Some(end) = text.find("://") else {
            let problem =
                Problem::argument(text, 0..text.len(), "a URL begins with a scheme, as in xtp+udp://HOST:PORT");
            return Err(problem.help(format!("known: {}", schemes.join(", "))).into());
        };
        if !schemes.contains(&&text[..end]) {
            let problem = Problem::argument(text, 0..end, format!("there is no transport `{}`", &text[..end]));
            return Err(problem.maybe_help(hint::suggestion(&text[..end], schemes.iter().copied())).into());
        }
        let begin = end + "://".len();
        let authority = begin + text[begin..].find(['/', '?', '#']).unwrap_or(text.len() - begin);
        if authority < text.len() && &text[authority..] != "/" {
            let message = format!("{} takes a host and a port, nothing after them", &text[..end]);
            return Err(Problem::argument(text, authority..text.len(), message).into());
        }
        let colon = text[begin..authority].rfind(':').map(|index| begin + index);
        let host = begin..colon.unwrap_or(authority);
        let port = colon.map(|colon| colon + 1..authority);
        if host.is_empty() {
            return Err(Problem::argument(text, begin..text.len(), "the host is missing").into());
        }
        Ok(Target { text: text.to_owned(), scheme: 0..end, host, port })
    }

    /// The scheme, as `xtp+udp`.
    pub fn scheme(&self) -> &str {
        &self.text[self.scheme.clone()]
    }

    /// The whole, as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The host's IPv4 address and the port, which must be there.
    pub fn address_and_port(&self) -> Result<SocketAddrV4, Problems> {
        let Some(span) = self.port.clone() else {
            let end = self.text.len();
            return Err(self.problem(self.host.start..end, "the port is missing, as in HOST:36000").into());
        };
        let port = self.text[span.clone()].parse::<u16>();
        let Ok(port) = port else {
            let message = format!("`{}` is no port: a whole number from 0 to 65535", &self.text[span.clone()]);
            return Err(self.problem(span, message).into());
        };
        Ok(SocketAddrV4::new(self.address()?, port))
    }

    /// The host's IPv4 address, where a port has no meaning.
    pub fn address_alone(&self) -> Result<Ipv4Addr, Problems> {
        match &self.port {
            Some(port) => {
                let message = format!("{} has no ports: leave `:{}` out", self.scheme(), &self.text[port.clone()]);
                Err(self.problem(port.start - 1..port.end, message).into())
            }
            None => self.address(),
        }
    }

    /// A mistake that stands somewhere in the URL.
    pub fn problem(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem::argument(&self.text, span, message)
    }

    /// A mistake of the whole URL.
    pub fn whole_problem(&self, message: impl Into<String>) -> Problem {
        self.problem(0..self.text.len(), message)
    }

    fn address(&self) -> Result<Ipv4Addr, Problems> {
        let host = &self.text[self.host.clone()];
        if host.starts_with('[') {
            let message = format!("{} carries IPv4 addresses; give one, or a name that has one", self.scheme());
            return Err(self.problem(self.host.clone(), message).into());
        }
        let found = (host, 0).to_socket_addrs().map_err(|fault| {
            self.problem(self.host.clone(), format!("cannot find the address of `{host}`: {fault}"))
        })?;
        let mut addresses = found.filter_map(|address| match address {
            std::net::SocketAddr::V4(address) => Some(*address.ip()),
            std::net::SocketAddr::V6(_) => None,
        });
        addresses.next().ok_or_else(|| self.problem(self.host.clone(), format!("`{host}` has no IPv4 address")).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMES: &[&str] = &["xtp+udp", "xtp+ip"];

    fn problem(text: &str, of: fn(&Target) -> Option<Problems>) -> Problem {
        let problems = match Target::parse(text, SCHEMES) {
            Ok(target) => of(&target).unwrap_or_else(|| panic!("{text} has no mistake")),
            Err(problems) => problems,
        };
        problems.0[0].clone()
    }

    #[test]
    fn a_url_gives_address_and_port() {
        let target = Target::parse("xtp+udp://127.0.0.1:36000", SCHEMES).unwrap();
        assert_eq!(target.scheme(), "xtp+udp");
        assert_eq!(target.address_and_port().unwrap(), "127.0.0.1:36000".parse().unwrap());
        assert_eq!(Target::parse("xtp+ip://127.0.0.1", SCHEMES).unwrap().address_alone(), Ok(Ipv4Addr::LOCALHOST));
    }

    #[test]
    fn an_unknown_scheme_names_the_nearest() {
        let found = problem("xtp+upd://h:1", |_| None);
        assert_eq!(found.help.as_deref(), Some("did you mean `xtp+udp`?"));
        assert_eq!(found.place.unwrap().span, 0..7);
    }

    #[test]
    fn every_mistake_stands_where_it_is() {
        let port = |target: &Target| target.address_and_port().err();
        let place = |text, of| problem(text, of).place.unwrap().span;
        assert_eq!(place("127.0.0.1:36000", port), 0..15);
        assert_eq!(place("xtp+udp://127.0.0.1", port), 10..19);
        assert_eq!(place("xtp+udp://127.0.0.1:99999", port), 20..25);
        assert_eq!(place("xtp+udp://[::1]:36000", port), 10..15);
        assert_eq!(place("xtp+udp://127.0.0.1:1/path", port), 21..26);
        assert_eq!(place("xtp+udp://:1", port), 10..12);
        assert_eq!(place("xtp+ip://127.0.0.1:1", |target| target.address_alone().err()), 18..20);
    }
}
