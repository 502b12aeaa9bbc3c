//! Links and headers of IP (RFC 791, RFC 8200) from what tcpdump prints of them.

use std::net::IpAddr;

use crate::LinkType;
use crate::reader::text::shown;

const ICMP: u8 = 1;
const ICMPV6: u8 = 58;
const DIRECTIONS: [&str; 6] = ["In", "Out", "B", "M", "P", "?"];

/// The name of the interface that `-i any` prints before its packets, and what is behind it.
pub(super) fn behind_interface(line: &str) -> (&str, &str) {
    let Some((name, behind)) = line.split_once(' ') else { return ("", line) };
    let (direction, rest) = behind.trim_start().split_once(' ').unwrap_or_default();
    if DIRECTIONS.contains(&direction) && !name.contains('.') { (name, rest.trim_start()) } else { ("", line) }
}

/// What stands before the header of IP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Nothing that is read.
    Raw,
    /// A header of Ethernet, with its tags, and the length of the frame.
    Ethernet(Vec<u8>, usize),
}

impl Link {
    /// The link, the version of IP and what is behind the names of both; `None` of other protocols.
    pub fn of(line: &str) -> Option<(Link, Network, &str)> {
        if let Some(rest) = line.strip_prefix("IP ") {
            return Some((Link::Raw, Network::version(false), rest));
        }
        if let Some(rest) = line.strip_prefix("IP6 ") {
            return Some((Link::Raw, Network::version(true), rest));
        }
        let (before, at) =
            ["ethertype IPv4", "ethertype IPv6"].iter().find_map(|name| Some((*name, line.find(name)?)))?;
        let is_v6 = before.ends_with('6');
        // the length of the frame is behind its first type, perhaps before tags
        let (_, behind) = line[at..].split_once(", ")?;
        let length = line.split_once("length ").and_then(|(_, rest)| digits(rest));
        let rest = match behind.strip_prefix("length ") {
            Some(rest) => rest.split_once(": ")?.1,
            None => behind,
        };
        let link = ethernet(line, &line[..at], is_v6).zip(length);
        let link = link.map_or(Link::Raw, |(header, length)| Link::Ethernet(header, length as usize));
        Some((link, Network::version(is_v6), rest))
    }

    pub fn link_type(&self) -> LinkType {
        match self {
            Link::Raw => LinkType::RAW_IP,
            Link::Ethernet(..) => LinkType::ETHERNET,
        }
    }

    /// The octets of a frame that carries a packet.
    pub fn before(&self, packet: Vec<u8>) -> Vec<u8> {
        match self {
            Link::Raw => packet,
            Link::Ethernet(header, _) => [header.as_slice(), &packet].concat(),
        }
    }

    /// The length of a frame that carries a packet of this length.
    pub fn length(&self, packet: usize) -> usize {
        match self {
            Link::Raw => packet,
            Link::Ethernet(header, length) => (header.len() + packet).max(*length),
        }
    }

    /// The octets of a frame whose octets are printed from its link or from its header of IP on; `None` if they are of another packet.
    pub fn with_dump(&self, octets: &[u8], dump: &[u8], ends: &Ends) -> Option<Vec<u8>> {
        let link = match self {
            Link::Raw => 0,
            Link::Ethernet(header, _) => header.len(),
        };
        if ends.are_of(dump) {
            return Some([&octets[..link], dump].concat());
        }
        let behind_link = [link, 14, 18, 16, 20, 4]
            .into_iter()
            .find(|length| dump.get(*length..).is_some_and(|of| ends.are_of(of)))?;
        // without -e the type of the link is not printed: what is before the header of IP is left out
        Some(if link == behind_link { dump.to_vec() } else { [&octets[..link], &dump[behind_link..]].concat() })
    }
}

/// The header of an Ethernet frame: `MAC > MAC, ethertype 802.1Q (0x8100), length 78: vlan 5, p 0, `.
fn ethernet(line: &str, before: &str, is_v6: bool) -> Option<Vec<u8>> {
    let (from, rest) = line.split_once(" > ")?;
    let (to, _) = rest.split_once(',')?;
    let mut header = [mac(to)?, mac(from)?].concat();
    let mut rest = before;
    while let Some((_, tag)) = rest.split_once("vlan ") {
        let id = digits(tag).filter(|id| *id < 4096)?;
        let priority = tag.split_once("p ").and_then(|(_, priority)| digits(priority)).unwrap_or(0);
        header.extend([0x81, 0x00, ((priority & 7) << 5 | id >> 8) as u8, id as u8]);
        rest = tag;
        if header.len() > 30 {
            return None;
        }
    }
    header.extend(if is_v6 { [0x86, 0xdd] } else { [0x08, 0x00] });
    Some(header)
}

fn mac(text: &str) -> Option<[u8; 6]> {
    let mut octets = [0; 6];
    let mut parts = text.split(':');
    for octet in &mut octets {
        *octet = u8::from_str_radix(parts.next().filter(|part| part.len() == 2)?, 16).ok()?;
    }
    parts.next().is_none().then_some(octets)
}

/// The number that a text begins with.
pub(super) fn digits(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Addresses and ports of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ends {
    pub from: IpAddr,
    pub to: IpAddr,
    /// Ports of source and destination where the protocol has some.
    pub ports: Option<(u16, u16)>,
}

impl Ends {
    /// The ends in `10.0.0.1.33779 > 10.0.0.2.80: `, and what is behind them.
    pub fn of(line: &str, is_v6: bool) -> Result<(Ends, &str), String> {
        let (from, rest) = line.split_once(" > ").ok_or_else(|| format!("has no addresses: {}", shown(line)))?;
        // a colon with a space behind it, or at the end, is none of an address
        let end = rest.find(": ").or_else(|| rest.strip_suffix(':').map(str::len));
        let end = end.ok_or_else(|| format!("has no colon behind its addresses: {}", shown(line)))?;
        let (to, rest) = (&rest[..end], rest[end + 1..].trim_start());
        let ((from, source), (to, destination)) = (endpoint(from)?, endpoint(to)?);
        if from.is_ipv6() != is_v6 || to.is_ipv6() != is_v6 {
            return Err(format!("has addresses of another version of IP: {}", shown(line)));
        }
        Ok((Ends { from, to, ports: source.zip(destination) }, rest))
    }

    /// Whether octets begin with a header of IP that has these addresses.
    fn are_of(&self, octets: &[u8]) -> bool {
        let at = |from: usize, address: &IpAddr| match address {
            IpAddr::V4(address) => octets.get(from..from + 4) == Some(&address.octets()),
            IpAddr::V6(address) => octets.get(from..from + 16) == Some(&address.octets()),
        };
        match octets.first().map(|first| first >> 4) {
            Some(4) if self.from.is_ipv4() => at(12, &self.from) && at(16, &self.to),
            Some(6) if self.from.is_ipv6() => at(8, &self.from) && at(24, &self.to),
            _ => false,
        }
    }
}

/// `10.0.0.1.80`, `10.0.0.1`, `fe80::1.80`, `fe80::1`.
fn endpoint(text: &str) -> Result<(IpAddr, Option<u16>), String> {
    if let Ok(address) = text.parse() {
        return Ok((address, None));
    }
    let (address, port) = text.rsplit_once('.').unwrap_or((text, ""));
    match (address.parse(), port.parse()) {
        (Ok(address), Ok(port)) => Ok((address, Some(port))),
        _ => Err(format!("has a name for an address or a port, {}: print with tcpdump -n", shown(text))),
    }
}

/// What is known of a header of IP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Network {
    pub is_v6: bool,
    pub protocol: Option<u8>,
    /// Length of the packet, header included.
    pub length: Option<u32>,
    hop_limit: u8,
    /// Type of service or traffic class.
    class: u8,
    identification: u16,
    /// Offset of a fragment in octets.
    offset: u16,
    /// Flags of fragments, in place.
    flags: u16,
}

impl Network {
    const fn version(is_v6: bool) -> Self {
        Network { is_v6, protocol: None, length: None, hop_limit: 0, class: 0, identification: 0, offset: 0, flags: 0 }
    }

    pub fn is_later_fragment(&self) -> bool {
        self.offset > 0
    }

    /// With the fields of `(tos 0x0, ttl 64, id 39720, offset 0, flags [DF], proto TCP (6), length 60)`, and what is
    /// behind them.
    pub fn verbose(mut self, line: &str) -> (Self, &str) {
        let Some(fields) = line.strip_prefix('(') else { return (self, line) };
        // the numbers of protocols are in parentheses of their own
        let mut depth = 1;
        let end = fields.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let end = end.unwrap_or(fields.len());
        for field in fields[..end].split(", ") {
            let (key, value) = field.split_once(' ').unwrap_or((field, ""));
            let number = digits(value);
            match key {
                "tos" | "class" => self.class = hexadecimal(value).unwrap_or_default(),
                "ttl" | "hlim" => self.hop_limit = number.unwrap_or_default() as u8,
                "id" => self.identification = number.unwrap_or_default() as u16,
                "offset" => self.offset = number.unwrap_or_default() as u16,
                "flags" => self.flags = u16::from(value.contains("DF")) << 14 | u16::from(value.contains('+')) << 13,
                "proto" | "next-header" => {
                    let number = value.rsplit_once('(').and_then(|(_, number)| digits(number));
                    self.protocol = number.and_then(|number| u8::try_from(number).ok());
                }
                "length" => self.length = number,
                "payload" => {
                    self.length = value.rsplit_once(' ').and_then(|(_, length)| digits(length)?.checked_add(40))
                }
                _ => {}
            }
        }
        (self, fields.get(end + 1..).unwrap_or_default().trim_start())
    }

    /// The octets of a packet as far as they are known, and its length.
    pub fn octets(&self, ends: &Ends, payload: &Payload) -> (Vec<u8>, usize) {
        let header = if self.is_v6 { 40 } else { 20 };
        let known = header + payload.octets.len() as u64;
        let by_payload = payload.length.map(|length| header + u64::from(length));
        let length = self.length.map(u64::from).or(by_payload).unwrap_or(known).max(known);
        let mut octets = match (ends.from, ends.to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                self.version_4(length, payload.protocol, [from.octets(), to.octets()])
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                self.version_6(length - header, payload.protocol, [from.octets(), to.octets()])
            }
            _ => Vec::new(),
        };
        octets.extend(&payload.octets);
        (octets, length as usize)
    }

    fn version_4(&self, length: u64, protocol: u8, [from, to]: [[u8; 4]; 2]) -> Vec<u8> {
        let mut octets = vec![0x45, self.class];
        // the length of what an adapter cuts into packets is that of the frame
        octets.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
        octets.extend(self.identification.to_be_bytes());
        octets.extend((self.flags | self.offset >> 3).to_be_bytes());
        octets.extend([self.hop_limit, protocol, 0, 0]);
        octets.extend([from, to].concat());
        octets
    }

    fn version_6(&self, payload: u64, protocol: u8, [from, to]: [[u8; 16]; 2]) -> Vec<u8> {
        let mut octets = vec![0x60 | self.class >> 4, self.class << 4, 0, 0];
        octets.extend(u16::try_from(payload).unwrap_or(0).to_be_bytes());
        octets.extend([protocol, self.hop_limit]);
        octets.extend([from, to].concat());
        octets
    }
}

/// What a packet of IP carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Payload {
    pub protocol: u8,
    /// What is printed of it.
    pub octets: Vec<u8>,
    /// Its length, if the text has it.
    pub length: Option<u32>,
}

impl Payload {
    /// One that is not printed.
    pub fn unread(protocol: u8) -> Self {
        Payload { protocol, octets: Vec::new(), length: None }
    }
}

/// The protocol of ICMP of this version.
pub(super) fn icmp(ends: &Ends) -> u8 {
    if ends.from.is_ipv6() { ICMPV6 } else { ICMP }
}

fn hexadecimal(text: &str) -> Option<u8> {
    let hex = text.strip_prefix("0x")?;
    let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
    u8::from_str_radix(&hex[..end], 16).ok()
}
