//! Packets of every kind, for tests and the fuzz corpus.

use std::net::SocketAddr;

use super::{
    Congestion, Direction, Limits, NO_TOKEN, Packet, Pdu, PhaseReport, Reason, Report, Residence, Stream, WallClock,
};

/// One packet of every kind, and replies with and without a residence time.
pub fn examples() -> Vec<Packet> {
    let (nonce, cookie, token) = ([1; 16], [2; 16], [3; 16]);
    let limits = Limits { packet_rate: 1000, bit_rate: 20_000_000, seconds: 600, sends: false, ..Limits::NONE };
    let report =
        Report { probes: 10, load_packets: 3, load_octets: 3000, first_ns: 5, last_ns: 9, ..Report::default() };
    let wall = WallClock { clock_ns: 7, wall_ns: 1_767_225_600_250_000_000, error_ns: Some(20_000_000) };
    let phase = PhaseReport { phase: 2, received: 9, replayed: 1, reordered: 3, socket_drops: 4, wall };
    let congestion = Congestion::new("cubic").expect("a name of letters");
    let stream = Stream { direction: Direction::Down, congestion, bit_rate: 1, octets: 2, duration_ns: 3, dscp: 8 };
    let residence = Some(Residence { earlier: 1, ns: 30_000, by_kernel: true });
    let before = [
        Pdu::Hello { nonce },
        Pdu::Cookie { nonce, cookie },
        Pdu::Open { nonce, cookie, wanted: Limits::NONE },
        Pdu::Refused { nonce, reason: Reason::Busy },
    ];
    let within = [
        Pdu::Opened { nonce, granted: limits, proof: 8, seen_at: None },
        Pdu::Probe { sent_ns: 1_000_000, phase: 2 },
        Pdu::Reply { receive_ns: 2_000_000, receive_by_kernel: false, class: None, residence: None },
        Pdu::Reply { receive_ns: 2_000_000, receive_by_kernel: true, class: Some(46 << 2 | 3), residence },
        Pdu::Load { sent_ns: 3_000_000, proof: 4 },
        Pdu::Start { bit_rate: 1_000_000, octets: 1000, duration_ns: 1_000_000_000, dscp: 46, proof: 5 },
        Pdu::Query { proof: 6 },
        Pdu::Stop,
        Pdu::Report { report, proof: 7 },
        Pdu::Close,
        Pdu::Closed { reason: Reason::ClientClosed, report },
        Pdu::Stream(stream),
        Pdu::Granted { limits },
        Pdu::StreamReport { octets: 1 << 30, elapsed_ns: 1_000_000_000 },
        Pdu::PhaseQuery { phase: 2 },
        Pdu::PhaseReport(PhaseReport { wall: WallClock::UNSYNCHRONIZED, ..phase }),
        Pdu::PhaseReport(phase),
        Pdu::Opened { nonce, granted: limits, proof: 8, seen_at: Some(SocketAddr::from(([192, 0, 2, 7], 40_000))) },
    ];
    let of = |token| move |(sequence, pdu)| Packet { token, sequence, pdu };
    (0..).zip(before).map(of(NO_TOKEN)).chain((1..).zip(within).map(of(token))).collect()
}
