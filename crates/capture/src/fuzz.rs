//! Entry points of fuzzing: any bytes as a capture file, and as LonTalk packets of a capture.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::crc;

use crate::lontalk::LonTalkTracker;
use crate::reader::{Reader, Source};
use crate::{Analysis, Event, LinkType, Outcome, Packet, Sink, Tracker};

/// Takes bytes as a file: what is a capture is analysed, and its stamps never go back.
pub fn file(bytes: &[u8]) {
    let source = Source::Stream("input".to_owned(), Box::new(std::io::Cursor::new(bytes.to_vec())));
    let Ok(reader) = Reader::open(vec![source]) else { return };
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

    proptest! {
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
