//! Fuzzing entry points: arbitrary bytes as a capture file, as the text of a monitor, and as captured LonTalk, FDDI, ATM, CAN and
//! XTP packets.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::crc;
use sojourn_protocols::modbus::rtu;
use sojourn_protocols::mstp::wire::{Frame, FrameType};

use crate::lontalk::LonTalkTracker;
use crate::reader::{Reader, Source};
use crate::xtp::{Associations, Captured, Host, is_packet};
use crate::{Address, Analysis, Event, LinkType, Outcome, Packet, Sink, Tracker, Trackers};

/// A packet of each program whose text is read, behind which any lines are its text.
pub(crate) const TEXTS: [&str; 6] = [
    "ax0: fm N0CALL to KP4DJT via WIDE1* ctl I00^ pid=F0(Text) len 99 10:11:12.5\n",
    "[0.3 10:11:12] N0CALL>KP4DJT,WIDE1-1*:(I cmd, n(s)=0, n(r)=0, p=0, pid=0xf0)text\n",
    "chan,utime,isotime,source,heard,level,error,dti,name\n0,1645889817,,N0CALL,WIDE1,50,0,!,N0CALL\n",
    "10:11:12R N0CALL>KP4DJT Port=1 <I C S0 R0>:\n",
    "10:11:12.5 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 7, win 9, length 0\n",
    "(1645889817.000000) can0 123#DEADBEEF\n",
];

/// Takes bytes as the text of the program that the first names, by a digit; of none with `6`. Returns the packets read.
pub fn monitor_text(bytes: &[u8]) -> u64 {
    let Some((kind, text)) = bytes.split_first() else { return 0 };
    let first = TEXTS.get(usize::from(kind.wrapping_sub(b'0')) % (TEXTS.len() + 1)).unwrap_or(&"");
    analysed(&[first.as_bytes(), text].concat())
}

/// Takes bytes as a file: what is a capture is analysed, and its stamps never go back.
pub fn file(bytes: &[u8]) {
    analysed(bytes);
}

fn analysed(bytes: &[u8]) -> u64 {
    let source = Source::Stream("input".to_owned(), Box::new(std::io::Cursor::new(bytes.to_vec())));
    let Ok(reader) = Reader::open(vec![source]) else { return 0 };
    let mut analysis = Analysis::with_sink(reader, None, Sink::with_log());
    let mut last = Time::ZERO;
    while analysis.step() {
        let now = analysis.standing().time;
        assert!(now >= last, "{now} after {last}");
        last = now;
    }
    let found = analysis.finish();
    check(&found.sink);
    let _ = found.record(None);
    let _ = (found.stations(), found.conversations());
    found.packets
}

/// Takes bytes as LPDUs without their CRC, each behind one with its session and the milliseconds since the one before, and
/// one with its length.
pub fn lontalk(bytes: &[u8]) {
    let (mut tracker, mut out) = (LonTalkTracker::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (bytes, Time::ZERO, 0);
    while let Some((&[control, length], behind)) = rest.split_first_chunk() {
        let (lpdu, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (control >> 4));
        number += 1;
        let data = datagram(control & 3, lpdu);
        tracker.packet(&Packet::whole(number, time, LinkType::RAW_IP, &data), &mut out);
        rest = behind;
    }
    tracker.finish(time, &mut out);
    check(&out);
}

/// Links whose frames are taken by [`frames`].
const LINKS: [LinkType; 3] = [LinkType::FDDI, LinkType::SUNATM, LinkType::ERF];
/// Serial lines whose frames are taken by [`serial_lines`].
const LINES: [LinkType; 3] = [LinkType::BACNET_MS_TP, LinkType::USER0, LinkType::RTAC_SERIAL];

/// Takes bytes as frames of FDDI and ATM, each behind one with its link type and the milliseconds since the one before, one
/// whose bits say how much was cut, and one with its length.
pub fn frames(bytes: &[u8]) {
    of_links(bytes, &LINKS, |_, data| data.to_vec());
}

/// The same of frames on serial lines, whose check is made right so that it does not hide what is behind it.
pub fn serial_lines(bytes: &[u8]) {
    of_links(bytes, &LINES, |link_type, data| match link_type {
        LinkType::BACNET_MS_TP => {
            let [kind, destination, source] = [0, 1, 2].map(|at| data.get(at).copied().unwrap_or_default() & 0x8f);
            let kind = FrameType::of(kind & 0x87);
            let data = data.get(3..).filter(|_| !kind.is_bare()).unwrap_or_default();
            Frame { kind, destination, source, data }.to_bytes().unwrap_or_default()
        }
        link_type => {
            let mut octets = if link_type == LinkType::RTAC_SERIAL { vec![0; 12] } else { Vec::new() };
            let (unit, pdu) = data.split_first().unwrap_or((&0, &[]));
            rtu::emit(unit & 3, pdu, &mut octets);
            octets
        }
    });
}

/// Links whose frames are taken by [`can`].
const BUSES: [LinkType; 3] = [LinkType::CAN_SOCKETCAN, LinkType::LINUX_SLL, LinkType::LINUX_SLL2];
/// Identifiers with flags of requests and answers, of any other message, and of a message of the driver.
const IDENTIFIERS: [u32; 16] = [
    0x123,
    0x4000_0123,
    0x7df,
    0x7e0,
    0x7e8,
    0x601,
    0x581,
    0x98da_00f1,
    0x98da_f100,
    0x98db_33f1,
    0x98ea_00f9,
    0x98ee_ff00,
    0x98e8_ff00,
    0x98ec_f900,
    0x98eb_f900,
    0x2000_0088,
];

/// The same of frames of CAN: the first octet names the identifier, and whether the frame is of CAN FD. Returns the
/// transactions.
pub fn can(bytes: &[u8]) -> usize {
    of_links(bytes, &BUSES, |link_type, data| {
        let (first, data) = data.split_first().unwrap_or((&0, &[]));
        let id = IDENTIFIERS[usize::from(first & 15)];
        let (id, header) = match link_type {
            LinkType::LINUX_SLL => (id.to_le_bytes(), &[0, 0, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0c][..]),
            LinkType::LINUX_SLL2 => {
                (id.to_le_bytes(), &[0, 0x0d, 0, 0, 0, 0, 0, 0, 1, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..])
            }
            _ => (id.to_be_bytes(), &[][..]),
        };
        [header, &id, &[data.len().min(64) as u8, first >> 4, 0, 0], data].concat()
    })
}

fn of_links(bytes: &[u8], links: &[LinkType], frame: fn(LinkType, &[u8]) -> Vec<u8>) -> usize {
    let (mut trackers, mut out) = (Trackers::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (bytes, Time::ZERO, 0);
    while let Some((&[control, cut, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (control >> 4));
        number += 1;
        let link_type = links[usize::from(control % 3)];
        let data = &frame(link_type, data)[..];
        let original_length = data.len() as u32 + u32::from(cut).pow(2);
        let packet = Packet { number, time, interface: u32::from(control >> 2 & 1), link_type, data, original_length };
        trackers.packet(&packet, &mut out);
        rest = behind;
    }
    trackers.finish(time, &mut out);
    let reported = out.log().len();
    trackers.finish(time, &mut out);
    assert_eq!(out.log().len(), reported, "nothing is open after the end");
    check(&out);
    out.log().iter().filter(|event| matches!(event, Event::Transaction(_))).count()
}

/// Takes bytes as packets of XTP between three hosts, each behind one with its sender, receiver and the milliseconds since
/// the one before, and one with its length. Version, length and unassigned bits are made right, and the last octet is taken
/// for cut, so that the checksum does not hide what is behind it.
pub fn xtp(bytes: &[u8]) {
    let (mut associations, mut out) = (Associations::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (bytes, Time::ZERO, 0);
    while let Some((&[control, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (control >> 4));
        number += 1;
        let mut data = data.to_vec();
        data.resize(data.len().max(32), 0);
        let length = data.len() as u32 + 1;
        (data[8], data[10], data[11]) = (data[8] & 0x7f, 0, 0x20 | data[11] & 0x0f);
        data[12..16].copy_from_slice(&(length - 32).to_be_bytes());
        assert!(is_packet(&data, length));
        let host = |number: u8| Host { address: Address::Circuit(0, number.into()), port: 0 };
        let (from, to) = (host(control & 1), host(1 - (control & 1) + (control & 2)));
        let captured = Captured { from, to, bytes: &data, length, l3_bytes: length, number, time };
        associations.packet(&captured, &mut out);
        rest = behind;
    }
    associations.finish(time, &mut out);
    let reported = out.log().len();
    associations.finish(time, &mut out);
    assert_eq!(out.log().len(), reported, "nothing is open after the end");
    check(&out);
}

fn check(sink: &Sink) {
    for event in sink.log() {
        let Event::Transaction(transaction) = event else { continue };
        assert!(transaction.attempts > 0 && transaction.end.is_none_or(|end| end >= transaction.begin));
        let has_ended = matches!(transaction.outcome, Outcome::Answered | Outcome::Refused);
        assert_eq!(transaction.end.is_some(), has_ended, "{transaction:?}");
    }
}

/// IPv4, UDP and LON/IP around an LPDU and its CRC.
fn datagram(session: u8, lpdu: &[u8]) -> Vec<u8> {
    let mut data = vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 1, 1, 10, 0, 1, 2];
    let payload = (20 + lpdu.len() + 2) as u16;
    for word in [1628, 1628, 8 + payload, 0, payload] {
        data.extend_from_slice(&word.to_be_bytes());
    }
    data.extend_from_slice(&[1, 1, 0, 0, 0, 0, 0, 0, 0, 1 + session, 0, 0, 0, 0, 0, 0, 0, 0]);
    data.extend_from_slice(lpdu);
    data.extend_from_slice(&crc(lpdu).to_be_bytes());
    data
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sojourn_protocols::lontalk::wire::examples;

    use super::*;

    /// Examples of every PDU, in any order and at any time.
    fn exchanges() -> impl Strategy<Value = Vec<u8>> {
        let known: Vec<Vec<u8>> = examples().iter().map(|(_, packet)| packet.to_bytes().expect("an example")).collect();
        let step = (any::<u8>(), prop::sample::select(known), any::<u8>(), any::<u8>(), any::<bool>());
        let step = step.prop_map(|(control, mut packet, at, to, changed)| {
            packet.truncate(packet.len() - 2);
            let at = usize::from(at) % packet.len();
            packet[at] = if changed { to } else { packet[at] };
            [vec![control, packet.len() as u8], packet].concat()
        });
        prop::collection::vec(step, 0..40).prop_map(|steps| steps.concat())
    }

    /// XTP examples between three hosts, in any order and at any time, of few keys and sync numbers.
    fn associations() -> impl Strategy<Value = Vec<u8>> {
        let known = sojourn_protocols::xtp::wire::examples();
        let known: Vec<Vec<u8>> = known.iter().map(|(_, packet)| packet.to_bytes().expect("an example")).collect();
        let step = (any::<u8>(), prop::sample::select(known), 0..3_u8, 0..4_u8, 0..8_u8, any::<bool>());
        let step = step.prop_map(|(control, mut packet, key, sync, seq, returned)| {
            packet.truncate(255);
            packet[..8].copy_from_slice(&[u8::from(returned) << 7, 0, 0, 0, 0, 0, 0, key]);
            (packet[23], packet[31]) = (sync, 4 * seq);
            packet[24..31].fill(0);
            [vec![control, packet.len() as u8], packet].concat()
        });
        prop::collection::vec(step, 0..60).prop_map(|steps| steps.concat())
    }

    proptest! {
        #[test]
        fn any_packets_of_any_associations_are_followed(bytes in associations()) {
            xtp(&bytes);
        }

        #[test]
        fn any_frames_of_rings_and_circuits_are_followed(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            frames(&bytes);
            xtp(&bytes);
        }

        #[test]
        fn any_frames_of_serial_lines_are_followed(bytes in prop::collection::vec(prop_oneof![0_u8..8, any::<u8>()], 0..600)) {
            serial_lines(&bytes);
        }

        #[test]
        fn any_frames_of_buses_are_followed(
            frames in prop::collection::vec((any::<[u8; 2]>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..12)), 0..40),
        ) {
            let frame = |(control, first, data): ([u8; 2], u8, Vec<u8>)| {
                [&control[..1], &[control[1] & 1, 1 + data.len() as u8, first], &data].concat()
            };
            can(&frames.into_iter().map(frame).collect::<Vec<_>>().concat());
        }

        #[test]
        fn any_packets_of_any_nodes_are_followed(bytes in exchanges()) {
            lontalk(&bytes);
        }

        #[test]
        fn any_bytes_are_a_file_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0..3usize) {
            let head = [Vec::new(), crate::testing::pcap(101, &[]), crate::testing::section()][kind].clone();
            file(&[head, bytes].concat());
        }
    }
}
