//! The URL of a DNS measurement: `dns://SERVER[:53]/NAME?type=AAAA&over=udp`.

use std::net::SocketAddr;
use std::ops::Range;
use std::str::FromStr;

use hickory_proto::rr::{Name, RecordType};
use sojourn_scenario::{Problem, Problems};

use super::question::Question;
use crate::target::Target;
use crate::target::options::Options;

/// The port of DNS servers.
pub const PORT: u16 = 53;

/// The query of a URL.
#[derive(Debug)]
pub struct Query {
    /// The server's address.
    pub server: SocketAddr,
    /// Name and type asked for.
    pub question: Question,
    /// Transport protocol.
    pub over: Over,
}

/// Transport protocol of queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// A datagram each.
    #[default]
    Udp,
    /// A connection each.
    Tcp,
}

impl Query {
    /// Parses a URL; mistakes stand under a caret.
    pub fn of(target: &Target) -> Result<Query, Problems> {
        let (server, rest) = target.socket_address_and_rest(Some(PORT))?;
        let text = target.with_secrets();
        let path = rest.start..text[rest.clone()].find('?').map_or(rest.end, |mark| rest.start + mark);
        let named = path.start + 1..path.end;
        if named.is_empty() {
            let problem = target.problem(rest, "the name to ask for is missing");
            return Err(problem.help("dns://192.0.2.53/www.example.org").into());
        }
        let name = Name::from_ascii(&text[named.clone()])
            .map_err(|fault| target.problem(named.clone(), format!("not a domain name: {fault}")))?;
        let mut options = Options::of(target, path.end..rest.end);
        let named_type = options.take("type");
        let record_type = named_type.map(|(name, place)| type_of(name).ok_or_else(|| unknown_type(target, place)));
        let record_type = record_type.transpose()?.unwrap_or(RecordType::A);
        let over = options.word("over", &[("udp", Over::Udp), ("tcp", Over::Tcp)])?.unwrap_or_default();
        options.finish()?;
        let question = Question::new(name, record_type)
            .ok_or_else(|| target.problem(named, "the name is too long for a query"))?;
        Ok(Query { server, question, over })
    }
}

/// A record type by its name, in any case, or as `TYPE65` (RFC 3597, section 5).
fn type_of(name: &str) -> Option<RecordType> {
    let upper = name.to_ascii_uppercase();
    let number = upper.strip_prefix("TYPE").and_then(|number| number.parse::<u16>().ok());
    number.map(RecordType::from).or_else(|| RecordType::from_str(&upper).ok())
}

fn unknown_type(target: &Target, at: Range<usize>) -> Problem {
    target.problem(at, "not a record type").help("A, AAAA, MX, NS, TXT, SOA, SRV, HTTPS, ..., or TYPE65")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> Result<Query, Problem> {
        let target = Target::parse(text, &["dns"]).unwrap();
        Query::of(&target).map_err(|problems| problems.0[0].clone())
    }

    #[test]
    fn a_url_names_server_name_type_and_transport() {
        let plain = query("dns://127.0.0.1/example.org").unwrap();
        assert_eq!((plain.server, plain.over), ("127.0.0.1:53".parse().unwrap(), Over::Udp));
        let full = query("dns://[::1]:5353/_sip._udp.example.org.?type=srv&over=tcp").unwrap();
        assert_eq!((full.server, full.over), ("[::1]:5353".parse().unwrap(), Over::Tcp));
        assert!(query("dns://127.0.0.1/example.org?type=TYPE65").is_ok());
    }

    #[test]
    fn every_mistake_stands_where_it_is() {
        let place = |text| query(text).unwrap_err().place.unwrap().span;
        assert_eq!(place("dns://127.0.0.1/"), 15..16);
        assert_eq!(place("dns://127.0.0.1/a..b"), 16..20);
        assert_eq!(place("dns://127.0.0.1/a?type=XYZ"), 23..26);
        assert_eq!(place("dns://127.0.0.1/a?over=sctp"), 23..27);
        assert_eq!(place("dns://127.0.0.1/a?over=tcp&class=CH"), 27..35);
    }
}
