//! Targets of measurements and addresses of listeners: `scheme://host:port`, with mistakes shown under a caret.

pub mod interface;
pub mod options;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4, SocketAddrV6, ToSocketAddrs};
use std::ops::Range;

use sojourn_scenario::redaction::{is_without_secret, shown, shown_part};
use sojourn_scenario::{Problem, Problems, hint};

/// The scheme of agents.
pub const AGENT_SCHEME: &str = "sojourn";
/// What is wrong with a URL, or a header field, that was kept beside results.
pub const LEFT_OUT: &str = "this is a copy whose secrets were left out";

/// A URL whose scheme is known, not yet resolved; or an address without one, as `127.0.0.1:7000`.
///
/// Printed it has no secrets: [`with_secrets`](Target::with_secrets) is for what is sent alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    text: String,
    scheme: Range<usize>,
    /// Where the host begins.
    host: usize,
}

/// Byte ranges of the parts of a URL after its scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    host: Range<usize>,
    port: Option<Range<usize>>,
    /// Path and query.
    rest: Range<usize>,
}

impl Target {
    /// Finds the scheme of a URL. Mistakes: none, or one that is not known.
    pub fn parse(text: &str, schemes: &[&str]) -> Result<Target, Problems> {
        let Some(end) = text.find("://") else {
            let problem =
                Problem::argument(text, 0..text.len(), "a URL begins with a scheme, as in xtp+udp://HOST:PORT");
            return Err(problem.help(format!("known: {}", schemes.join(", "))).into());
        };
        if !schemes.contains(&&text[..end]) {
            let problem =
                Problem::argument(text, 0..end, format!("there is no transport `{}`", shown_part(text, 0..end)));
            return Err(problem.maybe_help(hint::suggestion(&text[..end], schemes.iter().copied())).into());
        }
        if is_without_secret(text) {
            let problem = Problem::argument(text, 0..text.len(), LEFT_OUT);
            return Err(problem.help("write them in again, or measure the document that was asked for").into());
        }
        Ok(Target { text: text.to_owned(), scheme: 0..end, host: end + "://".len() })
    }

    /// A host and a port alone, whatever is spoken there.
    pub fn of_address(text: &str) -> Target {
        Target { text: text.to_owned(), scheme: 0..0, host: 0 }
    }

    /// The scheme, as `xtp+udp`; empty of an address alone.
    pub fn scheme(&self) -> &str {
        &self.text[self.scheme.clone()]
    }

    /// The whole, as written, with the secrets of its query, for what reads or sends it.
    pub fn with_secrets(&self) -> &str {
        &self.text
    }

    /// A part of it for a message; nothing of a secret.
    pub fn part(&self, span: Range<usize>) -> &str {
        shown_part(&self.text, span)
    }

    /// Byte range of what follows `://`.
    pub fn after_scheme(&self) -> Range<usize> {
        self.host..self.text.len()
    }

    /// The host's address and the port, and nothing after them. Without a default the port must be there.
    ///
    /// An IPv6 address stands in brackets, as `[2001:db8::1]:862`, or `[fe80::1%eth0]:862` with the interface that it is
    /// at; a name that has both has its IPv4 address taken.
    pub fn socket_address(&self, default_port: Option<u16>) -> Result<SocketAddr, Problems> {
        let parts = self.parts_alone()?;
        self.resolve_with_port(&parts, default_port)
    }

    /// The same, and the byte range of path and query.
    pub fn socket_address_and_rest(&self, default_port: Option<u16>) -> Result<(SocketAddr, Range<usize>), Problems> {
        let parts = self.parts()?;
        Ok((self.resolve_with_port(&parts, default_port)?, parts.rest))
    }

    /// The host as written, without the brackets of an IPv6 address.
    pub fn host(&self) -> Result<&str, Problems> {
        let host = &self.text[self.parts()?.host];
        Ok(host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(host))
    }

    /// The host's address with port 0, where a port has no meaning.
    pub fn host_address(&self) -> Result<SocketAddr, Problems> {
        let parts = self.parts_alone()?;
        self.refuse_port(&parts)?;
        self.resolve_with_port(&parts, Some(0))
    }

    /// The host's IPv4 address and the port, which must be there, for what IPv6 cannot carry.
    pub fn ipv4_address_and_port(&self) -> Result<SocketAddrV4, Problems> {
        let parts = self.parts_alone()?;
        let address = self.resolve_version_4(&parts)?;
        Ok(SocketAddrV4::new(address, self.port_of(&parts, None)?))
    }

    /// The host's IPv4 address, where a port has no meaning.
    pub fn address_alone(&self) -> Result<Ipv4Addr, Problems> {
        let parts = self.parts_alone()?;
        self.refuse_port(&parts)?;
        self.resolve_version_4(&parts)
    }

    /// Whether it names a device or a bus rather than a host, as `modbus-rtu:///dev/ttyUSB0` and `can://can0`.
    pub fn is_device(&self) -> bool {
        self.text[self.host..].starts_with('/') || matches!(self.scheme(), "can" | "can-udp")
    }

    /// Whether the host is a name, which may have other addresses tomorrow.
    pub fn is_name(&self) -> bool {
        let host = self.host().unwrap_or_default();
        !self.is_device() && !host.is_empty() && host.parse::<IpAddr>().is_err() && !host.contains('%')
    }

    /// The addresses of the host now, in the order in which they are tried: IPv4 first.
    pub fn addresses(&self) -> Result<Vec<IpAddr>, Problems> {
        let parts = self.parts()?;
        let mut found = self.resolve(&parts)?;
        found.sort_by_key(SocketAddr::is_ipv6);
        let mut addresses: Vec<IpAddr> = Vec::new();
        for address in found {
            if !addresses.contains(&address.ip()) {
                addresses.push(address.ip());
            }
        }
        if addresses.is_empty() {
            return Err(self.without_address(&parts, "").into());
        }
        Ok(addresses)
    }

    /// The same at an address in place of the host.
    pub fn at(&self, address: IpAddr) -> Target {
        let Ok(parts) = self.parts() else { return self.clone() };
        let host = match address {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        let mut text = self.text.clone();
        text.replace_range(parts.host, &host);
        Target { text, ..self.clone() }
    }

    /// Refuses a URL without a host, or whose port is not one; whether the host has an address is not asked.
    pub fn check_form(&self) -> Result<(), Problems> {
        if !self.is_device() {
            self.port_of(&self.parts()?, Some(0))?;
        }
        Ok(())
    }

    /// A mistake at a place in the URL.
    pub fn problem(&self, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem::argument(&self.text, span, message)
    }

    /// A mistake of the URL as a whole.
    pub fn whole_problem(&self, message: impl Into<String>) -> Problem {
        self.problem(0..self.text.len(), message)
    }

    fn parts(&self) -> Result<Parts, Problems> {
        let Range { start: begin, end } = self.after_scheme();
        let rest = begin + self.text[begin..].find(['/', '?', '#']).unwrap_or(end - begin);
        let authority = &self.text[begin..rest];
        if let Some(at) = authority.rfind('@') {
            let problem = self.problem(begin..begin + at + 1, "a URL has no user and no password here");
            return Err(problem.help("for HTTP: --header 'Authorization: Basic ...'").into());
        }
        // the colons within brackets are the address's own
        let bracket = if authority.starts_with('[') { authority.find(']').unwrap_or(authority.len()) } else { 0 };
        let colon = authority[bracket..].rfind(':').map(|index| begin + bracket + index);
        let host = begin..colon.unwrap_or(rest);
        if host.is_empty() {
            return Err(self.problem(begin..end, "the host is missing").into());
        }
        Ok(Parts { host, port: colon.map(|colon| colon + 1..rest), rest: rest..end })
    }

    /// The same where nothing may follow host and port.
    fn parts_alone(&self) -> Result<Parts, Problems> {
        let parts = self.parts()?;
        if !matches!(&self.text[parts.rest.clone()], "" | "/") {
            let who = if self.scheme.is_empty() { "an address" } else { self.scheme() };
            let message = format!("{who} takes a host and a port, nothing after them");
            return Err(self.problem(parts.rest, message).into());
        }
        Ok(parts)
    }

    fn refuse_port(&self, parts: &Parts) -> Result<(), Problem> {
        let Some(port) = &parts.port else { return Ok(()) };
        let message = format!("{} has no ports: leave `:{}` out", self.scheme(), self.part(port.clone()));
        Err(self.problem(port.start - 1..port.end, message))
    }

    fn resolve_with_port(&self, parts: &Parts, default: Option<u16>) -> Result<SocketAddr, Problems> {
        let port = self.port_of(parts, default)?;
        let mut found = self.resolve(parts)?;
        // what stands without brackets and has both versions is taken for version 4, which every network carries
        found.sort_by_key(SocketAddr::is_ipv6);
        let mut address = found.first().copied().ok_or_else(|| self.without_address(parts, ""))?;
        address.set_port(port);
        Ok(address)
    }

    fn port_of(&self, parts: &Parts, default: Option<u16>) -> Result<u16, Problem> {
        let Some(span) = parts.port.clone() else {
            let message = "the port is missing, as in HOST:36000";
            return default.ok_or_else(|| self.problem(parts.host.start..self.text.len(), message));
        };
        self.text[span.clone()].parse().map_err(|_| {
            let message = format!("`{}` is not a port: a whole number from 0 to 65535", self.part(span.clone()));
            self.problem(span, message)
        })
    }

    fn resolve_version_4(&self, parts: &Parts) -> Result<Ipv4Addr, Problems> {
        if self.text[parts.host.clone()].starts_with('[') {
            let message = format!("{} carries IPv4 addresses; give one, or a name that has one", self.scheme());
            return Err(self.problem(parts.host.clone(), message).into());
        }
        let version_4 = self.resolve(parts)?.into_iter().find_map(|address| match address.ip() {
            IpAddr::V4(address) => Some(address),
            IpAddr::V6(_) => None,
        });
        version_4.ok_or_else(|| self.without_address(parts, " IPv4").into())
    }

    /// Every address of the host, with port 0.
    fn resolve(&self, parts: &Parts) -> Result<Vec<SocketAddr>, Problems> {
        let span = parts.host.clone();
        let host = &self.text[span.clone()];
        let (name, version_6) = match host.strip_prefix('[') {
            Some(inner) => match inner.strip_suffix(']') {
                Some(address) => (address, true),
                None => return Err(self.problem(span, "the bracket around the IPv6 address is not closed").into()),
            },
            None => (host, false),
        };
        if let Some((address, zone)) = name.split_once('%').filter(|_| version_6) {
            return self
                .zoned(span.start + 1, address, zone)
                .map(|address| vec![address.into()])
                .map_err(Problems::from);
        }
        let found = (name, 0).to_socket_addrs().map_err(|fault| {
            let message = format!("cannot find the address of `{}`: {fault}", self.part(span.clone()));
            self.problem(span, message)
        })?;
        Ok(found.filter(|address| !version_6 || address.is_ipv6()).collect())
    }

    /// An IPv6 address and the interface that it is at, as `fe80::1%eth0` (RFC 4007, section 11); it stands at `start`.
    fn zoned(&self, start: usize, address: &str, zone: &str) -> Result<SocketAddrV6, Problem> {
        let behind = start + address.len() + "%".len();
        let ip = address
            .parse()
            .map_err(|_| self.problem(start..start + address.len(), format!("`{address}` is not an IPv6 address")))?;
        let interface = interface::named(zone).ok_or_else(|| {
            let problem = self.problem(behind..behind + zone.len(), format!("this host has no interface `{zone}`"));
            problem.help("ip -brief link lists them")
        })?;
        Ok(SocketAddrV6::new(ip, 0, 0, interface))
    }

    fn without_address(&self, parts: &Parts, version: &str) -> Problem {
        let message = format!("`{}` has no{version} address", self.part(parts.host.clone()));
        self.problem(parts.host.clone(), message)
    }
}

/// Without its secrets: every message, line, record and label that names a peer is made with this.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shown(&self.text))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Target({self})")
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
        assert_eq!(target.socket_address(None).unwrap(), "127.0.0.1:36000".parse().unwrap());
        assert_eq!(Target::parse("xtp+ip://127.0.0.1", SCHEMES).unwrap().address_alone(), Ok(Ipv4Addr::LOCALHOST));
    }

    #[test]
    fn a_name_is_replaced_by_one_of_its_addresses() {
        let target = Target::parse("xtp+udp://localhost:36000", SCHEMES).unwrap();
        assert!(target.is_name() && !Target::parse("xtp+ip://[::1]", SCHEMES).unwrap().is_name());
        assert!(!Target::parse("xtp+udp://[fe80::1%lo]:1", SCHEMES).unwrap().is_name());
        let addresses = target.addresses().unwrap();
        assert_eq!(addresses[0], IpAddr::V4(Ipv4Addr::LOCALHOST), "IPv4 first");
        let there = [addresses[0], "::1".parse().unwrap()].map(|address| target.at(address).to_string());
        assert_eq!(there, ["xtp+udp://127.0.0.1:36000", "xtp+udp://[::1]:36000"]);
    }

    #[test]
    fn an_address_needs_no_scheme() {
        let of = |text| Target::of_address(text).socket_address(None);
        assert_eq!(of("127.0.0.1:7000"), Ok("127.0.0.1:7000".parse().unwrap()));
        assert_eq!(of("[::1]:7000"), Ok("[::1]:7000".parse().unwrap()));
        let beyond = of("127.0.0.1:7000/x").unwrap_err().0.remove(0);
        assert_eq!(beyond.message, "an address takes a host and a port, nothing after them");
        assert_eq!(beyond.place.unwrap().span, 14..16);
    }

    #[test]
    fn an_ipv6_address_stands_in_brackets() {
        let address = |text, default| Target::parse(text, SCHEMES).unwrap().socket_address(default);
        assert_eq!(address("xtp+udp://[::1]:36000", None), Ok("[::1]:36000".parse().unwrap()));
        assert_eq!(address("xtp+udp://[2001:db8::7]", Some(862)), Ok("[2001:db8::7]:862".parse().unwrap()));
        let loopback = interface::named("lo").unwrap();
        let zoned = format!("[ff02::7%{loopback}]:862").parse().unwrap();
        assert_eq!(address("xtp+udp://[ff02::7%lo]:862", None), Ok(zoned));
        assert_eq!(address(&format!("xtp+udp://[ff02::7%{loopback}]"), Some(862)), Ok(zoned));
    }

    #[test]
    fn a_default_port_stands_in_for_one_that_is_not_there() {
        let address = |text| Target::parse(text, SCHEMES).unwrap().socket_address(Some(862));
        assert_eq!(address("xtp+udp://127.0.0.1"), Ok("127.0.0.1:862".parse().unwrap()));
        assert_eq!(address("xtp+udp://127.0.0.1:7"), Ok("127.0.0.1:7".parse().unwrap()));
    }

    #[test]
    fn a_url_is_printed_without_its_secrets_and_so_are_its_mistakes() {
        let target = Target::parse("xtp+udp://127.0.0.1:1/x?api_key=hunter2", SCHEMES).unwrap();
        assert_eq!(format!("{target} {target:?}"), {
            let shown = "xtp+udp://127.0.0.1:1/x?api_key=***";
            format!("{shown} Target({shown})")
        });
        assert!(target.with_secrets().contains("hunter2"));
        for url in ["xtp+udp://me:hunter2@h:1", "xtp+udp://me:hunter2/x@h:1", "xtq://me:hunter2@h", "me:hunter2@h"] {
            let text = Problems::from(problem(url, |target| target.socket_address(None).err())).render(false, 100);
            assert!(!text.contains("hunter2") && text.contains("me"), "{text}");
        }
        let user = problem("xtp+udp://me:hunter2@h:1", |target| target.socket_address(None).err());
        assert_eq!(user.message, "a URL has no user and no password here");
        assert_eq!(user.place.unwrap().span, 10..21);
    }

    #[test]
    fn a_url_whose_secrets_were_left_out_is_refused() {
        let kept = Target::parse("xtp+udp://127.0.0.1:1/x?api_key=hunter2", SCHEMES).unwrap().to_string();
        assert_eq!(problem(&kept, |_| None).message, LEFT_OUT);
    }

    #[test]
    fn an_unknown_scheme_names_the_nearest() {
        let found = problem("xtp+upd://h:1", |_| None);
        assert_eq!(found.help.as_deref(), Some("did you mean `xtp+udp`?"));
        assert_eq!(found.place.unwrap().span, 0..7);
    }

    #[test]
    fn every_mistake_stands_where_it_is() {
        let port = |target: &Target| target.socket_address(None).err();
        let place = |text, of| problem(text, of).place.unwrap().span;
        assert_eq!(place("127.0.0.1:36000", port), 0..15);
        assert_eq!(place("xtp+udp://127.0.0.1", port), 10..19);
        assert_eq!(place("xtp+udp://127.0.0.1:99999", port), 20..25);
        assert_eq!(place("xtp+udp://[::1:36000", port), 10..20);
        assert_eq!(place("xtp+udp://[127.0.0.1]:1", port), 10..21);
        assert_eq!(place("xtp+udp://127.0.0.1:1/path", port), 21..26);
        assert_eq!(place("xtp+udp://[fe80::1%nowhere]:1", port), 19..26);
        assert_eq!(place("xtp+udp://[fe80:1%lo]:1", port), 11..17);
        assert_eq!(place("xtp+udp://:1", port), 10..12);
        assert_eq!(place("xtp+udp://[::1]:1", |target| target.ipv4_address_and_port().err()), 10..15);
        assert_eq!(place("xtp+ip://[::1]", |target| target.address_alone().err()), 9..14);
        assert_eq!(place("xtp+ip://127.0.0.1:1", |target| target.address_alone().err()), 18..20);
    }
}
