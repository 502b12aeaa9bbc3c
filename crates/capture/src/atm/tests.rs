//! Frames in cells, whole and damaged, and records of both link types.

use sojourn_core::{Duration, Time};
use sojourn_protocols::atm::{aal5, capture};

use super::*;
use crate::{Event, Network, Outcome, Trackers};

/// LLC and SNAP, then IPv4 and UDP with this many octets of data between ports 20 000 and 7.
fn datagram(octets: usize, asks: bool) -> Vec<u8> {
    let length = (28 + octets) as u16;
    let mut packet = vec![0xaa, 0xaa, 3, 0, 0, 0, 8, 0, 0x45, 0];
    packet.extend_from_slice(&length.to_be_bytes());
    packet.extend_from_slice(&[0, 0, 0, 0, 64, 17, 0, 0]);
    let [client, server] = [[10, 0, 0, 1], [10, 0, 0, 2]];
    let (addresses, ports) = if asks { ([client, server], [20_000, 7]) } else { ([server, client], [7, 20_000]) };
    packet.extend_from_slice(&addresses.concat());
    for word in [ports[0], ports[1], length - 20, 0_u16] {
        packet.extend_from_slice(&word.to_be_bytes());
    }
    packet.resize(36 + octets, b'x');
    packet
}

struct Trial {
    trackers: Trackers,
    out: Sink,
    number: u64,
}

impl Trial {
    fn new() -> Trial {
        Trial { trackers: Trackers::default(), out: Sink::with_log(), number: 0 }
    }

    fn record(&mut self, link_type: LinkType, data: &[u8]) {
        self.number += 1;
        let time = Time::ZERO + Duration::from_millis(self.number);
        let packet = Packet::whole(self.number, time, link_type, data);
        assert_eq!(self.trackers.packet(&packet, &mut self.out), Some(Network::SwitchedLan));
    }

    /// The cells of a packet, without the one of this number.
    fn cells(&mut self, packet: &[u8], vci: u16, lost: Option<usize>) {
        let frame = aal5::to_bytes(packet).unwrap();
        let count = frame.len() / 48;
        for (number, payload) in frame.chunks_exact(48).enumerate().filter(|(number, _)| Some(*number) != lost) {
            let header = CellHeader::new(0, vci, PayloadType::user(number + 1 == count));
            let cell = Cell { header, payload: payload.try_into().unwrap() };
            let mut record = Vec::new();
            capture::erf_cell_record(&cell, Interface::Uni, 0, &mut record).unwrap();
            self.record(LinkType::ERF, &record);
        }
    }

    fn finish(mut self) -> (Vec<Outcome>, Vec<String>) {
        self.trackers.finish(Time::ZERO + Duration::from_secs(1), &mut self.out);
        let outcomes = self.out.log().iter().filter_map(|event| match event {
            Event::Transaction(transaction) => Some(transaction.outcome),
            _ => None,
        });
        (outcomes.collect(), self.out.malformed_packets().keys().cloned().collect())
    }
}

#[test]
fn packets_of_several_circuits_are_put_together_from_their_cells() {
    let mut trial = Trial::new();
    trial.cells(&datagram(100, true), 100, None);
    trial.cells(&datagram(100, false), 101, None);
    let bits: u64 = trial.out.bits().values().sum();
    assert_eq!(bits, 2 * 3 * 53 * 8);
    assert_eq!(trial.finish(), (vec![Outcome::Answered], vec![]));
}

#[test]
fn a_lost_cell_shows_as_a_frame_whose_crc_or_length_is_wrong() {
    let mut trial = Trial::new();
    trial.cells(&datagram(100, true), 100, None);
    trial.cells(&datagram(100, false), 100, Some(1));
    // its last cell is lost: the next frame is part of it
    trial.cells(&datagram(100, true), 100, Some(2));
    trial.cells(&datagram(100, false), 100, None);
    trial.cells(&datagram(100, false), 100, None);
    let expected = vec!["AAL5: CRC-32 mismatch: cells were lost or damaged".to_owned()];
    assert_eq!(trial.finish(), (vec![Outcome::Answered], expected));
}

#[test]
fn a_frame_that_began_before_the_capture_is_not_counted_as_damaged() {
    let mut trial = Trial::new();
    trial.cells(&datagram(100, true), 100, Some(0));
    trial.cells(&datagram(100, true), 100, None);
    assert_eq!(trial.finish(), (vec![Outcome::Open], vec![]));
}

#[test]
fn records_of_whole_frames_and_of_sun_atm_give_their_packets() {
    let (mut trial, mut record) = (Trial::new(), Vec::new());
    capture::erf_aal5_record(&datagram(5, true), 0, 100, 0, &mut record).unwrap();
    trial.record(LinkType::ERF, &record);
    capture::sun_atm_record(&datagram(5, false), 0, 100, false, &mut record);
    trial.record(LinkType::SUNATM, &record);
    assert_eq!(trial.finish(), (vec![Outcome::Answered], vec![]));
}

#[test]
fn a_damaged_frame_and_a_short_record_are_counted_by_reason() {
    let (mut trial, mut record) = (Trial::new(), Vec::new());
    capture::erf_aal5_record(&datagram(5, true), 0, 100, 0, &mut record).unwrap();
    trial.record(LinkType::ERF, &record[..19]);
    record[30] ^= 1;
    trial.record(LinkType::ERF, &record);
    record[8] = 5;
    trial.record(LinkType::ERF, &record);
    trial.record(LinkType::SUNATM, &[2, 0]);
    let (_, reasons) = trial.finish();
    assert_eq!(
        reasons,
        [
            "AAL5: CRC-32 mismatch: cells were lost or damaged",
            "ATM: truncated in the circuit",
            "ERF: record type 5",
            "ERF: truncated in the cell header",
        ]
    );
}

#[test]
fn circuits_without_llc_encapsulation_and_cells_of_rate_control_are_counted_between_stations() {
    let (mut trial, mut record) = (Trial::new(), Vec::new());
    trial.record(LinkType::SUNATM, &[1, 0, 0, 100, 9, 9]);
    let header = CellHeader::new(0, 100, PayloadType::ResourceManagement);
    capture::erf_cell_record(&Cell { header, payload: [0; 48] }, Interface::Uni, 0, &mut record).unwrap();
    trial.record(LinkType::ERF, &record);
    assert_eq!(trial.out.flows().iter().count(), 2);
    assert_eq!(trial.finish(), (vec![], vec![]));
}

#[test]
fn an_ethernet_frame_in_an_extensible_record_is_of_network_ip() {
    let mut record = vec![0; 18];
    record[8] = 2;
    record.extend_from_slice(&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0]);
    record.extend_from_slice(&datagram(5, true)[8..]);
    let packet = Packet::whole(1, Time::ZERO, LinkType::ERF, &record);
    let mut out = Sink::default();
    let mut network_of = |only| Trackers::of(only).packet(&packet, &mut out);
    assert_eq!(network_of(Some(Network::SwitchedLan)), None);
    assert_eq!(network_of(None), Some(Network::Ip));
    assert!(out.malformed_packets().is_empty());
}
