//! What a URL says of a bus: `can://can0?service=uds&request=7E0&response=7E8&data=22F190`.

use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::ops::Range;

use sojourn_protocols::can::canopen::{self, function};
use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::isotp::LIMIT;
use sojourn_scenario::{Problem, Problems};

use super::uds;
use crate::io::can::{Bus, GROUP, Group, PORT};
use crate::target::options::Options;
use crate::target::{Target, interface};

/// Bits per second of most buses of vehicles and machines.
pub const BIT_RATE: u32 = 500_000;
/// The padding that ISO 15765-2 recommends.
const PADDING: u8 = 0xcc;

/// A request and the identifiers of both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The identifier of what this node sends.
    pub request: Id,
    /// The identifier of the answers.
    pub response: Id,
    /// What is asked.
    pub service: Service,
}

/// What is asked of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Service {
    /// A request of UDS, and the octet that fills frames, if any.
    Uds(Vec<u8>, Option<u8>),
    /// An SDO upload of CANopen.
    Sdo(canopen::Object),
}

/// The URL of a measurement.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The bus.
    pub bus: Bus,
    /// What is asked.
    pub question: Question,
    /// Bits per second.
    pub bit_rate: u32,
}

/// The URL of a node that answers.
#[derive(Clone, Debug)]
pub struct Served {
    /// The bus.
    pub bus: Bus,
    /// What it answers.
    pub answers: Answers,
}

/// What a node answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The identifier of requests of UDS.
    pub request: Id,
    /// The identifier of their answers.
    pub response: Id,
    /// The node of CANopen.
    pub node: u8,
    /// Bytes of what is read, where not what each usually has.
    pub length: Option<u16>,
    /// Milliseconds before an answer.
    pub delay: u32,
}

/// The URL of a listener.
#[derive(Clone, Debug)]
pub struct Monitored {
    /// The bus.
    pub bus: Bus,
    /// Bits per second, if known.
    pub bit_rate: Option<u32>,
    /// Bits per second of the data phase of CAN FD.
    pub data_bit_rate: Option<u32>,
}

/// The services by name.
const SERVICES: [(&str, bool); 2] = [("uds", true), ("sdo", false)];
/// Bit rates that a bus may have; CAN FD has 8 Mbit/s in its data phase.
const BIT_RATES: std::ops::RangeInclusive<u32> = 1000..=20_000_000;

impl Asked {
    /// Parses the URL of a measurement; mistakes stand under a caret.
    pub fn of(target: &Target) -> Result<Asked, Problems> {
        let (bus, mut options) = bus(target)?;
        let service = options.word("service", &SERVICES)?.ok_or_else(|| {
            target.whole_problem("the URL states no request").help(
                "service=uds&request=7E0&data=22F190 reads a VIN, service=sdo&node=5&index=1018&sub=1 a vendor of CANopen",
            )
        })?;
        let question = if service { uds_question(target, &mut options)? } else { sdo_question(target, &mut options)? };
        let bit_rate = options.number("bit-rate", BIT_RATES)?.unwrap_or(BIT_RATE);
        options.finish()?;
        Ok(Asked { bus, question, bit_rate })
    }
}

impl Served {
    /// Parses the URL of a node.
    pub fn of(target: &Target) -> Result<Served, Problems> {
        let (bus, mut options) = bus(target)?;
        let request = identifier(target, &mut options, "request")?.unwrap_or(Id::Base(0x7e0));
        let response = response(target, &mut options, request)?;
        let node = options.number("node", 1..=127)?.unwrap_or(1) as u8;
        let length = options.number("length", 1..=4000)?.map(|length| length as u16);
        let delay = options.number("delay", 0..=60_000)?.unwrap_or(0);
        options.finish()?;
        Ok(Served { bus, answers: Answers { request, response, node, length, delay } })
    }
}

impl Monitored {
    /// Parses the URL of a listener.
    pub fn of(target: &Target) -> Result<Monitored, Problems> {
        let (bus, mut options) = bus(target)?;
        let bit_rate = options.number("bit-rate", BIT_RATES)?;
        let data_bit_rate = options.number("data-bit-rate", BIT_RATES)?;
        options.finish()?;
        Ok(Monitored { bus, bit_rate, data_bit_rate })
    }
}

fn uds_question(target: &Target, options: &mut Options<'_>) -> Result<Question, Problem> {
    let request = identifier(target, options, "request")?
        .ok_or_else(|| target.whole_problem("the identifier of requests is missing").help("request=7E0"))?;
    let response = response(target, options, request)?;
    let allows_writes = options.word("allow", &[("read", false), ("write", true)])?.unwrap_or(false);
    let padding = match options.take("padding") {
        None => Some(PADDING),
        Some(("none", _)) => None,
        Some((text, place)) => Some(
            octets(text)
                .filter(|octets| octets.len() == 1)
                .map(|octets| octets[0])
                .ok_or_else(|| target.problem(place, "`padding` is an octet of two hexadecimal digits, or none"))?,
        ),
    };
    let (text, place) = options
        .take("data")
        .ok_or_else(|| target.whole_problem("the request is missing").help("data=22F190 reads identifier F190"))?;
    let data = octets(text).filter(|data| (1..=LIMIT).contains(&data.len())).ok_or_else(|| {
        target.problem(place.clone(), format!("`data` is pairs of hexadecimal digits, up to {LIMIT} octets"))
    })?;
    uds::check(&data, allows_writes)
        .map_err(|refused| target.problem(place, refused.message).maybe_help(refused.help))?;
    Ok(Question { request, response, service: Service::Uds(data, padding) })
}

fn sdo_question(target: &Target, options: &mut Options<'_>) -> Result<Question, Problem> {
    let node = options
        .number("node", 1..=127)?
        .ok_or_else(|| target.whole_problem("the node to ask is missing").help("node=5"))? as u16;
    let index = hexadecimal(target, options, "index", 0xffff)?
        .ok_or_else(|| target.whole_problem("the object to read is missing").help("index=1018&sub=1"))?;
    let subindex = hexadecimal(target, options, "sub", 0xff)?.unwrap_or(0) as u8;
    let object = canopen::Object { index: index as u16, subindex };
    let (request, response) = (Id::Base(function::SDO_REQUEST + node), Id::Base(function::SDO_ANSWER + node));
    Ok(Question { request, response, service: Service::Sdo(object) })
}

/// The identifier of answers, which of 7E0h to 7E7h is 8 higher, and of 18DAxxyyh has both addresses exchanged (ISO 15765-4).
fn response(target: &Target, options: &mut Options<'_>, request: Id) -> Result<Id, Problem> {
    if let Some(found) = identifier(target, options, "response")? {
        return Ok(found);
    }
    match request {
        Id::Base(id @ 0x7e0..=0x7e7) => Ok(Id::Base(id + 8)),
        Id::Extended(id) if id >> 16 == 0x18da => Ok(Id::Extended(0x18da_0000 | (id & 0xff) << 8 | id >> 8 & 0xff)),
        request => {
            let problem = target.whole_problem(format!("the identifier of answers to {request}h is missing"));
            Err(problem.help("response=7E8"))
        }
    }
}

/// An identifier of three hexadecimal digits, or of eight.
fn identifier(target: &Target, options: &mut Options<'_>, name: &'static str) -> Result<Option<Id>, Problem> {
    let Some((text, place)) = options.take(name) else { return Ok(None) };
    let value = || u32::from_str_radix(text, 16).ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let found = match text.len() {
        3 => value().and_then(|value| Id::base(value).ok()),
        8 => value().and_then(|value| Id::extended(value).ok()),
        _ => None,
    };
    let expected = || {
        let message = format!("`{name}` is an identifier of 3 hexadecimal digits up to 7FF, or of 8 up to 1FFFFFFF");
        target.problem(place, message)
    };
    found.map(Some).ok_or_else(expected)
}

fn hexadecimal(
    target: &Target,
    options: &mut Options<'_>,
    name: &'static str,
    most: u32,
) -> Result<Option<u32>, Problem> {
    let Some((text, place)) = options.take(name) else { return Ok(None) };
    let is_number = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let found = u32::from_str_radix(text, 16).ok().filter(|value| is_number && *value <= most);
    found.map(Some).ok_or_else(|| target.problem(place, format!("`{name}` is a hexadecimal number from 0 to {most:X}")))
}

/// Pairs of hexadecimal digits.
fn octets(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The bus of a URL, and the options that are left.
fn bus(target: &Target) -> Result<(Bus, Options<'_>), Problems> {
    let after = target.after_scheme();
    let text = &target.with_secrets()[after.clone()];
    let query = after.start + text.find('?').unwrap_or(text.len());
    if target.scheme() == "can" {
        let name = &target.with_secrets()[after.start..query];
        let name = name.strip_suffix('/').unwrap_or(name);
        // IFNAMSIZ, with the octet that ends it
        if name.is_empty() || name.len() > 15 || name.contains(['/', ' ', '#']) {
            let problem = target.problem(after.start..query, "a bus is the name of an interface");
            return Err(problem.help("can://can0").into());
        }
        return Ok((Bus::Interface(name.to_owned()), Options::of(target, query..after.end)));
    }
    let mut options = Options::of(target, query..after.end);
    let address = if query == after.start {
        SocketAddr::from((GROUP, PORT))
    } else {
        let (address, rest) = target.socket_address_and_rest(Some(PORT))?;
        if rest.start < query && &target.with_secrets()[rest.start..query] != "/" {
            let message = "can-udp takes a group, a port and options, no path";
            return Err(target.problem(rest.start..query, message).into());
        }
        address
    };
    if !address.ip().is_multicast() {
        let message = format!("{} is not a multicast address", address.ip());
        let problem = target.problem(after.start..query, message);
        return Err(problem.help(format!("can-udp://239.74.163.2:{PORT}")).into());
    }
    let own = options.take("interface");
    Ok((Bus::Group(group(target, address, own)?), options))
}

/// The group with its interface, and this host's address there.
fn group(target: &Target, address: SocketAddr, own: Option<(&str, Range<usize>)>) -> Result<Group, Problems> {
    let own: Option<IpAddr> = match own {
        None => None,
        Some((text, place)) => {
            let found: Option<IpAddr> = text.parse().ok();
            let found = found.filter(|own| own.is_ipv4() == address.is_ipv4());
            Some(found.ok_or_else(|| {
                let version = if address.is_ipv4() { "IPv4" } else { "IPv6" };
                target.problem(place, format!("`interface` is an {version} address of this host"))
            })?)
        }
    };
    let address = match address {
        SocketAddr::V4(_) => address,
        SocketAddr::V6(group) => {
            let own = if let Some(IpAddr::V6(own)) = own { Some(own) } else { None };
            interface::of_group(group, own).map_err(|missing| target.whole_problem(missing.to_string()))?.into()
        }
    };
    let own = own.map_or_else(|| towards(target, address), Ok)?;
    Ok(Group { address, own })
}

/// This host's source address for packets to a group.
fn towards(target: &Target, group: SocketAddr) -> Result<IpAddr, Problem> {
    let any: SocketAddr = if group.is_ipv4() { ([0; 4], 0).into() } else { ([0_u16; 8], 0).into() };
    let asked = UdpSocket::bind(any).and_then(|socket| {
        socket.connect(group)?;
        socket.local_addr()
    });
    asked.map(|own| own.ip()).map_err(|_| {
        let problem = target.whole_problem(format!("this host has no route to the group {}", group.ip()));
        problem.help("give this host's address at the interface: ?interface=127.0.0.1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Target {
        Target::parse(url, &["can", "can-udp"]).unwrap()
    }

    fn asked(query: &str) -> Result<Question, Problem> {
        let target = parsed(&format!("can://can0?{query}"));
        Asked::of(&target).map(|asked| asked.question).map_err(|problems| problems.0[0].clone())
    }

    #[test]
    fn a_url_names_bus_identifiers_and_request_of_uds() {
        let question = asked("service=uds&request=7E0&data=22f190").unwrap();
        assert_eq!((question.request, question.response), (Id::Base(0x7e0), Id::Base(0x7e8)));
        assert_eq!(question.service, Service::Uds(vec![0x22, 0xf1, 0x90], Some(0xcc)));
        let normal_fixed = asked("service=uds&request=18DA10F1&data=3E00&padding=none").unwrap();
        assert_eq!(normal_fixed.response, Id::Extended(0x18da_f110));
        assert_eq!(normal_fixed.service, Service::Uds(vec![0x3e, 0], None));
        let named = asked("service=uds&request=123&response=456&data=19020F&padding=55").unwrap();
        assert_eq!((named.response, named.service), (Id::Base(0x456), Service::Uds(vec![0x19, 2, 0xf], Some(0x55))));
    }

    #[test]
    fn a_url_names_node_and_object_of_canopen() {
        let question = asked("service=sdo&node=5&index=1018&sub=1").unwrap();
        assert_eq!((question.request, question.response), (Id::Base(0x605), Id::Base(0x585)));
        assert_eq!(question.service, Service::Sdo(canopen::Object { index: 0x1018, subindex: 1 }));
    }

    #[test]
    fn without_a_group_the_one_of_python_can_is_taken() {
        let own = "can-udp://?interface=::1";
        let Bus::Group(group) = Monitored::of(&parsed(own)).unwrap().bus else { panic!("a group") };
        assert_eq!((group.address.ip(), group.address.port()), (GROUP.into(), 43_113));
        let Bus::Group(group) = Monitored::of(&parsed("can-udp://239.74.163.2?interface=127.0.0.1")).unwrap().bus
        else {
            panic!("a group")
        };
        assert_eq!(group.address, "239.74.163.2:43113".parse().unwrap());
    }

    #[test]
    fn a_service_that_writes_is_refused_unless_the_url_allows_it() {
        let refused = asked("service=uds&request=7E0&data=2EF19000").unwrap_err();
        assert_eq!(refused.message, "WriteDataByIdentifier (2Eh) changes the node");
        assert!(refused.help.unwrap().contains("allow=write"));
        asked("service=uds&request=7E0&data=2EF19000&allow=write").unwrap();
    }

    #[test]
    fn every_mistake_says_what_is_expected() {
        let mistake = |query: &str| asked(query).unwrap_err().message;
        assert_eq!(mistake(""), "the URL states no request");
        assert_eq!(mistake("service=udds"), "`service` has no value `udds`");
        assert_eq!(mistake("service=uds&data=22F190"), "the identifier of requests is missing");
        assert_eq!(mistake("service=uds&request=7E0"), "the request is missing");
        assert_eq!(mistake("service=uds&request=100&data=22F190"), "the identifier of answers to 100h is missing");
        let identifier = "`request` is an identifier of 3 hexadecimal digits up to 7FF, or of 8 up to 1FFFFFFF";
        assert_eq!([mistake("service=uds&request=800"), mistake("service=uds&request=7E")], [identifier; 2]);
        assert_eq!(
            mistake("service=uds&request=7E0&data=2"),
            "`data` is pairs of hexadecimal digits, up to 4095 octets"
        );
        assert_eq!(mistake("service=sdo&index=1018"), "the node to ask is missing");
        assert_eq!(mistake("service=sdo&node=128"), "`node` is a whole number from 1 to 127");
        assert_eq!(mistake("service=sdo&node=5&index=10180"), "`index` is a hexadecimal number from 0 to FFFF");
        assert_eq!(mistake("service=sdo&node=5&index=1018&subindex=1"), "there is no option `subindex`");
        let help = asked("service=sdo&node=5&index=1018&subs=1").unwrap_err().help;
        assert_eq!(help.as_deref(), Some("did you mean `sub`?"));
    }

    #[test]
    fn a_bus_is_an_interface_or_a_group() {
        let mistake = |url: &str| Monitored::of(&parsed(url)).unwrap_err().0[0].message.clone();
        assert_eq!(mistake("can://"), "a bus is the name of an interface");
        assert_eq!(mistake("can-udp://127.0.0.1"), "127.0.0.1 is not a multicast address");
        assert_eq!(mistake("can-udp://239.1.2.3:1/x"), "can-udp takes a group, a port and options, no path");
        assert_eq!(mistake("can-udp://239.1.2.3:1?interface=lo"), "`interface` is an IPv4 address of this host");
        assert_eq!(mistake("can://can0?bitrate=500000"), "there is no option `bitrate`");
    }
}
