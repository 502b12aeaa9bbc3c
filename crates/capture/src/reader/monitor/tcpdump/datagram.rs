//! Payloads of IP other than TCP: UDP (RFC 768), the header of DNS (RFC 1035, 4.1.1), echoes of ICMP (RFC 792, RFC 4443).

use super::internet::{Ends, Payload, digits, icmp};
use crate::reader::text::shown;

pub(super) const TCP: u8 = 6;
const UDP: u8 = 17;
const UDP_HEADER: u32 = 8;
/// Ports of DNS and of DNS by multicast.
const DNS: [u16; 3] = [53, 5353, 5355];
/// Codes of responses of DNS by their names.
const CODES: [(&str, u8); 6] =
    [("FormErr", 1), ("ServFail", 2), ("NXDomain", 3), ("NotImp", 4), ("Refused", 5), ("YXDomain", 6)];
/// Types of ICMP and of ICMP for IPv6 by words that they are printed with.
const TYPES: [(&str, u8, u8); 8] = [
    ("unreachable", 3, 1),
    ("time exceeded", 11, 3),
    ("redirect", 5, 137),
    ("packet too big", 3, 2),
    ("router solicitation", 10, 133),
    ("router advertisement", 9, 134),
    ("neighbor solicitation", 255, 135),
    ("neighbor advertisement", 255, 136),
];
/// Other protocols by the words that they are printed with.
const PROTOCOLS: [(&str, u8); 8] =
    [("igmp", 2), ("IGMP", 2), ("GRE", 47), ("ESP", 50), ("AH", 51), ("OSPF", 89), ("PIM", 103), ("VRRP", 112)];

/// What is behind the addresses of a packet; `None` of protocols that are not read.
pub(super) fn payload(ends: &Ends, line: &str) -> Result<Option<Payload>, String> {
    if let Some(line) = line.strip_prefix("ICMP ").or_else(|| line.strip_prefix("ICMP6, ")) {
        return Ok(Some(control_message(ends, line)));
    }
    if line.starts_with("tcp ") {
        return Err("has no flags of TCP: print without tcpdump -q".to_owned());
    }
    if let Some(ports) = ends.ports {
        return Ok(Some(datagram(ports, line)));
    }
    // of a protocol that is read elsewhere it is a later fragment, whose place is printed with -v alone
    let number = line.strip_prefix("ip-proto-").and_then(digits).and_then(|number| u8::try_from(number).ok());
    let number = number.filter(|number| ![TCP, UDP, icmp(ends)].contains(number));
    let named = || PROTOCOLS.iter().find(|(name, _)| line.starts_with(name)).map(|(_, number)| *number);
    let length = number_behind(line, "length ");
    Ok(number.or_else(named).map(|protocol| Payload { protocol, octets: Vec::new(), length }))
}

fn datagram((from, to): (u16, u16), line: &str) -> Payload {
    let (data, in_parentheses) = if DNS.contains(&from) || DNS.contains(&to) { dns(line) } else { (None, None) };
    let data_length = in_parentheses.or_else(|| number_behind(line, "length "));
    let length = data_length.and_then(|length| length.checked_add(UDP_HEADER));
    let data = data.unwrap_or_default();
    let field = length.unwrap_or(UDP_HEADER + data.len() as u32);
    let mut octets = Vec::with_capacity(16);
    for word in [from, to, u16::try_from(field).unwrap_or(0), 0] {
        octets.extend(word.to_be_bytes());
    }
    octets.extend(data.iter().take(data_length.map_or(usize::MAX, |length| length as usize)));
    Payload { protocol: UDP, octets, length }
}

/// Identifier and flags of `22836+ A? name. (33)` or `22836*- 2/2/5 A 10.0.0.1 (224)`, and the length of the message.
fn dns(line: &str) -> (Option<Vec<u8>>, Option<u32>) {
    let length = line.trim_end().strip_suffix(')').and_then(|line| line.rsplit_once('(')?.1.parse().ok());
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let Some(id) = digits(first).and_then(|id| u16::try_from(id).ok()) else { return (None, length) };
    let is_counts =
        |word: &str| word.split('/').count() == 3 && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'/'));
    let is_response = words.clone().take(8).any(is_counts);
    let code = line.split_whitespace().take(8).find_map(|word| {
        CODES
            .iter()
            .find(|(name, _)| word.trim_end_matches(['*', '-', '|', '$']).ends_with(name))
            .map(|(_, code)| *code)
    });
    let desired = u8::from(!is_response && first.contains('+'));
    let [high, low] = id.to_be_bytes();
    let flags = [u8::from(is_response) << 7 | desired, code.filter(|_| is_response).unwrap_or_default()];
    (Some(vec![high, low, flags[0], flags[1]]), length)
}

/// `echo request, id 5, seq 1, length 64`, or another message, of which the type alone is read.
fn control_message(ends: &Ends, line: &str) -> Payload {
    let (protocol, is_v6) = (icmp(ends), ends.from.is_ipv6());
    let length = number_behind(line, "length ");
    let echo = match (line.starts_with("echo request"), line.starts_with("echo reply")) {
        (true, _) => Some(if is_v6 { 128 } else { 8 }),
        (_, true) => Some(if is_v6 { 129 } else { 0 }),
        _ => None,
    };
    let octets = if let Some(kind) = echo {
        let field = |name| (number_behind(line, name).unwrap_or_default() as u16).to_be_bytes();
        [&[kind, 0, 0, 0][..], &field("id "), &field("seq ")].concat()
    } else {
        let known = TYPES.iter().find(|(words, ..)| line.contains(words));
        known.map_or_else(Vec::new, |&(_, v4, v6)| vec![if is_v6 { v6 } else { v4 }, 0, 0, 0, 0, 0, 0, 0])
    };
    Payload { protocol, octets, length }
}

/// The number behind the last of these words.
fn number_behind(line: &str, words: &str) -> Option<u32> {
    digits(&line[line.rfind(words)? + words.len()..])
}

/// A reason that names what a line has.
pub(super) fn lacks(what: &str, line: &str) -> String {
    format!("has no {what}: {}", shown(line))
}
