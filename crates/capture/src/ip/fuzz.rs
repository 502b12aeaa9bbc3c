//! Fuzzing entry points: arbitrary octets as a capture, and as what two hosts say to each other.

use std::sync::LazyLock;

use sojourn_core::{Duration, Time};

use super::application::Application;
use super::{IpTracker, link};
use crate::{Event, LinkType, Outcome, Packet, Sink, Tracker};

const LINKS: [LinkType; 16] = [
    LinkType::ETHERNET,
    LinkType::RAW_IP,
    LinkType::IPV4,
    LinkType::LINUX_SLL,
    LinkType::LINUX_SLL2,
    LinkType::NULL,
    LinkType::LOOP,
    LinkType::BSD_RAW_IP,
    LinkType::PPP,
    LinkType::PPP_HDLC,
    LinkType::PPPOE,
    LinkType::CISCO_HDLC,
    LinkType::FRAME_RELAY,
    LinkType::IEEE_802_11,
    LinkType::RADIOTAP,
    LinkType::AVS,
];

/// Takes octets as frames, each behind an octet with its link type and the milliseconds since the one before, one whose bits
/// say how much was cut, and one with its length. Every transaction that is reported began before it ended; returns their
/// number.
pub fn frames(octets: &[u8]) -> usize {
    assert!(LINKS.into_iter().all(link::is_read));
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (octets, Time::ZERO, 0);
    while let Some((&[link, cut, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (link >> 4));
        number += 1;
        let link_type = LINKS[usize::from(link & 0x0f)];
        let original_length = data.len() as u32 + u32::from(cut).pow(2);
        let packet = Packet { number, time, interface: 0, link_type, data, original_length };
        tracker.packet(&packet, &mut out);
        rest = behind;
    }
    ended(tracker, time, out)
}

/// Takes octets as the messages of an application between a client and its server, so that every input meets the tracker of
/// one: the first octet is the application, whose port the server has, and whether it uses TCP. Behind it each message has an
/// octet with its direction, the milliseconds since the one before and whether it is sent again, comes behind a missing octet
/// or is cut, and one with its length. Returns the number of transactions as [`frames`].
pub fn messages(octets: &[u8]) -> usize {
    let Some((&first, mut rest)) = octets.split_first() else { return 0 };
    let is_tcp = first & 0x80 != 0;
    let ports = &PORTS[usize::from(is_tcp)];
    let server = ports[usize::from(first & 0x7f) % ports.len()];
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    let (mut time, mut number, mut next) = (Time::ZERO, 0, [1_u32; 2]);
    while let Some((&[control, length], behind)) = rest.split_first_chunk() {
        let (payload, behind) = behind.split_at(behind.len().min(length.into()));
        let (from, kind) = (usize::from(control & 1), control >> 1 & 3);
        time += Duration::from_millis(1 << (control >> 4));
        number += 1;
        next[from] = next[from].wrapping_add(u32::from(kind == 1));
        let seq = if kind == 2 { next[from].wrapping_sub(payload.len() as u32) } else { next[from] };
        let data = packet(server, from == 1, is_tcp.then_some([seq, next[1 - from]]), payload);
        let kept = data.len() - usize::from(kind == 3) * (payload.len() / 2);
        let original_length = data.len() as u32;
        let data = &data[..kept];
        tracker.packet(
            &Packet { number, time, interface: 0, link_type: LinkType::RAW_IP, data, original_length },
            &mut out,
        );
        next[from] = seq.wrapping_add(payload.len() as u32);
        rest = behind;
    }
    ended(tracker, time, out)
}

/// The ports that show the applications over UDP and TCP; 80 of one that has none.
static PORTS: LazyLock<[[u16; Application::ALL.len()]; 2]> = LazyLock::new(|| {
    [Application::of_udp_port, Application::of_tcp_port].map(|of_port| {
        Application::ALL.map(|one| (0..=u16::MAX).find(|&port| of_port(port) == Some(one)).unwrap_or(80))
    })
});

/// An IPv4 packet with TCP, whose sequence and acknowledgement numbers are given, or UDP.
fn packet(server: u16, from_server: bool, numbers: Option<[u32; 2]>, payload: &[u8]) -> Vec<u8> {
    let (client, hosts) = (40_000_u16, [[10, 0, 0, 1], [10, 0, 0, 2]]);
    let ports = if from_server { [server, client] } else { [client, server] };
    let header = if numbers.is_some() { 20 } else { 8 };
    let total = (20 + header + payload.len()) as u16;
    let mut data = vec![0x45, 0];
    data.extend(total.to_be_bytes());
    data.extend([0, 0, 0x40, 0, 64, if numbers.is_some() { 6 } else { 17 }, 0, 0]);
    data.extend(hosts[usize::from(from_server)]);
    data.extend(hosts[usize::from(!from_server)]);
    data.extend(ports.into_iter().flat_map(u16::to_be_bytes));
    match numbers {
        Some(numbers) => {
            data.extend(numbers.into_iter().flat_map(u32::to_be_bytes));
            data.extend([0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0]);
        }
        None => {
            data.extend(((8 + payload.len()) as u16).to_be_bytes());
            data.extend([0, 0]);
        }
    }
    data.extend(payload);
    data
}

/// Ends a capture and checks that every transaction that is reported began before it ended; their number.
fn ended(mut tracker: IpTracker, time: Time, mut out: Sink) -> usize {
    tracker.finish(time, &mut out);
    let reported = out.log().len();
    tracker.finish(time, &mut out);
    assert_eq!(out.log().len(), reported, "nothing is open after the end");
    let mut transactions = 0;
    for event in out.log() {
        let Event::Transaction(transaction) = event else { continue };
        transactions += 1;
        assert!(
            transaction.attempts > 0 && transaction.end.is_none_or(|end| end >= transaction.begin),
            "{transaction:?}"
        );
        let has_ended = matches!(transaction.outcome, Outcome::Answered | Outcome::Refused);
        assert_eq!(transaction.end.is_some(), has_ended, "{transaction:?}");
    }
    transactions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message with its octet of control.
    fn message(control: u8, payload: &[u8]) -> Vec<u8> {
        [&[control, payload.len() as u8], payload].concat()
    }

    #[test]
    fn a_query_of_dns_and_its_response_are_one_transaction_over_udp_and_over_tcp() {
        let header = |flags: [u8; 2]| [&[0x12, 0x34][..], &flags, &[0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1]].concat();
        let said = [header([1, 0]), header([0x81, 0x80])];
        let dns = Application::ALL.iter().position(|&one| one == Application::Dns).unwrap() as u8;
        let over_udp = [vec![dns], message(0, &said[0]), message(1, &said[1])].concat();
        assert_eq!(messages(&over_udp), 1);
        let framed = said.map(|octets| [&[0, octets.len() as u8], &octets[..]].concat());
        let over_tcp = [vec![dns | 0x80], message(0, &framed[0]), message(1, &framed[1])].concat();
        assert_eq!(messages(&over_tcp), 1);
    }
}
