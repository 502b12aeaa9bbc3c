//! Requests within tunnels are found as those without.

use sojourn_capture::ip::IpTracker;
use sojourn_capture::{LinkType, Outcome, Packet, Sink, Tracker};

use super::script::{Report, Script, at};

/// What puts a packet into a tunnel.
type Around = fn(&[u8]) -> Vec<u8>;

/// A query of DNS and its response 7 ms later, as packets of IP.
fn query() -> Script {
    let mut script = Script::default();
    let message = |flags: u8| [0, 9, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'a', 0, 0, 1, 0, 1];
    script.datagram(0, true, 53, &message(1));
    script.datagram(7, false, 53, &message(0x81));
    script
}

/// The same packets, each behind these octets.
fn report(link_type: LinkType, around: impl Fn(&[u8]) -> Vec<u8>) -> Report {
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    for (number, (time, packet)) in (1..).zip(&query().packets) {
        let data = around(packet);
        tracker.packet(&Packet::whole(number, *time, link_type, &data), &mut out);
    }
    tracker.finish(at(10), &mut out);
    Report(out)
}

/// An IPv4 header from 192.0.2.1 to 192.0.2.2 in front of a payload.
fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = (20 + payload.len() as u16).to_be_bytes();
    [&[0x45, 0, high, low, 0, 9, 0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2][..], payload].concat()
}

fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let words = [50_000, port, 8 + payload.len() as u16, 0];
    [&words.map(u16::to_be_bytes).concat()[..], payload].concat()
}

fn ethernet(packet: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0][..], packet].concat()
}

#[test]
fn a_request_within_any_tunnel_is_answered_in_the_same_time() {
    let plain = report(LinkType::RAW_IP, <[u8]>::to_vec).transactions();
    assert_eq!(plain, [(Outcome::Answered, 1, Some(7), [19, 19])]);
    let tunnels: [(&str, Around); 12] = [
        ("IPv4 in IP", |packet| ipv4(4, packet)),
        ("GRE", |packet| ipv4(47, &[&[0, 0, 8, 0][..], packet].concat())),
        ("ERSPAN", |packet| {
            let header = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 1, 0x10, 1, 2, 3, 0, 0, 0, 0];
            ipv4(47, &[&header[..], &ethernet(packet)].concat())
        }),
        ("VXLAN", |packet| ipv4(17, &udp(4789, &[&[8, 0, 0, 0, 0, 0, 7, 0][..], &ethernet(packet)].concat()))),
        ("GENEVE", |packet| ipv4(17, &udp(6081, &[&[0, 0, 0x65, 0x58, 0, 0, 7, 0][..], &ethernet(packet)].concat()))),
        ("GTP-U", |packet| ipv4(17, &udp(2152, &[&[0x30, 255, 0, 40, 0, 0, 0, 1][..], packet].concat()))),
        ("MPLS in IP", |packet| ipv4(137, &[&[0, 0, 0x11, 64][..], packet].concat())),
        ("GRE in UDP", |packet| ipv4(17, &udp(4754, &[&[0, 0, 8, 0][..], packet].concat()))),
        ("MPLS in UDP", |packet| ipv4(17, &udp(6635, &[&[0, 0, 0x11, 64][..], packet].concat()))),
        ("Cisco metadata in GRE", |packet| ipv4(47, &[&[0, 0, 0x89, 9, 8, 0, 1, 1, 0, 1, 0, 7][..], packet].concat())),
        ("AH", |packet| {
            // the header of AH is put behind that of IP: next header, length, reserved, SPI, sequence number, check value
            let (header, payload) = packet.split_at(20);
            let mut header = header.to_vec();
            let ah = [&[header[9], 4, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1][..], &[7; 12]].concat();
            (header[3], header[9]) = (header[3] + 24, 51);
            [&header[..], &ah, payload].concat()
        }),
        ("PPP in GRE", |packet| {
            ipv4(47, &[&[0x30, 1, 0x88, 0x0b, 0, 5, 0, 1, 0, 0, 0, 1, 0xff, 3, 0, 0x21][..], packet].concat())
        }),
    ];
    for (name, around) in tunnels {
        let report = report(LinkType::RAW_IP, around);
        assert_eq!(report.transactions(), plain, "{name}");
        assert_eq!(report.0.encapsulations().get(name), Some(&2), "{name}");
        assert!(report.0.malformed_packets().is_empty(), "{name}");
    }
}

#[test]
fn packets_within_too_many_tunnels_are_counted_and_not_followed() {
    let nested = |packet: &[u8]| (0..40).fold(packet.to_vec(), |packet, _| ipv4(4, &packet));
    let report = report(LinkType::RAW_IP, nested);
    assert_eq!((report.transactions(), report.packets()[0]), (vec![], 2));
}

#[test]
fn a_request_behind_metadata_of_cisco_is_answered_in_the_same_time() {
    let around = |packet: &[u8]| [&ethernet(&[])[..12], &[0x89, 9, 1, 1, 0, 1, 0, 7, 8, 0], packet].concat();
    let report = report(LinkType::ETHERNET, around);
    assert_eq!(report.transactions(), [(Outcome::Answered, 1, Some(7), [19, 19])]);
    assert_eq!(report.0.encapsulations().get("Cisco metadata"), Some(&2));
}
