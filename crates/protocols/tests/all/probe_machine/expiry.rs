//! Ends of sessions.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::probe::server::{Event, Input, Output, Summary};
use sojourn_protocols::probe::wire::{Congestion, Direction, Limits, Pdu, Reason, Stream};

use crate::probe_machine::bench::{Bench, control, peer, probe, reason, rules, token};

fn closed(bench: &Bench) -> Vec<&Summary> {
    bench
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Closed(summary) => Some(summary),
            _ => None,
        })
        .collect()
}

#[test]
fn the_idle_timeout_ends_a_session_and_replayed_packets_do_not_extend_it() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    bench.pass(Duration::from_secs(8));
    bench.give(peer(1), probe(&session, 1), 64);
    bench.pass(Duration::from_secs(8));
    assert_eq!(bench.server.open_sessions(), 1, "its last packet was 8 s ago");
    bench.give(peer(1), probe(&session, 1), 64);
    let sent = bench.pass(Duration::from_secs(2));
    assert_eq!(reason(sent[0].1.pdu), Reason::Idle, "a replayed packet does not count");
    let summary = closed(&bench)[0];
    assert_eq!((summary.report.probes, summary.lasted), (1, Duration::from_secs(8)));
}

#[test]
fn a_busy_session_ends_when_its_duration_has_elapsed() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let mut last = Vec::new();
    for sequence in 0..61 {
        bench.give(peer(1), probe(&session, sequence), 64);
        last = bench.pass(Duration::from_secs(1));
        if !last.is_empty() {
            assert_eq!(sequence, 59);
            break;
        }
    }
    assert_eq!(reason(last[0].1.pdu), Reason::TimeLimit);
}

#[test]
fn a_shutdown_closes_all_sessions_and_their_streams() {
    let mut bench = Bench::new(rules());
    let sessions = [1, 2].map(|host| bench.open(peer(host), Limits::NONE).unwrap());
    bench.server.handle(bench.now, Input::ShutDown);
    let (mut messages, mut ended) = (Vec::new(), Vec::new());
    while let Some(output) = bench.server.poll_output() {
        match output {
            Output::Transmit { path, packet, .. } => messages.push((path.peer, reason(packet.pdu))),
            Output::EndStreams { token } => ended.push(token),
            _ => {}
        }
    }
    messages.sort();
    assert_eq!(messages, [(peer(1), Reason::ShuttingDown), (peer(2), Reason::ShuttingDown)]);
    let mut tokens: Vec<_> = sessions.iter().map(token).collect();
    tokens.sort();
    ended.sort();
    assert_eq!(ended, tokens);
}

#[test]
fn stream_octets_count_towards_the_volume_and_keep_the_session_open() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits { octets: 1000, ..Limits::NONE }).unwrap();
    let stream = Stream {
        direction: Direction::Up,
        congestion: Congestion::SYSTEM,
        bit_rate: 0,
        octets: 0,
        duration_ns: 0,
        dscp: 0,
    };
    let packet = control(&session, 1, Pdu::Stream(stream));
    bench.server.handle(bench.now, Input::StreamRequested { connection: 7, from: peer(1), packet });
    bench.drain();
    let token = token(&session);
    for _ in 0..3 {
        bench.pass(Duration::from_secs(8));
        bench.server.handle(bench.now, Input::StreamProgress { token, octets_in: 300, octets_out: 0 });
        assert_eq!(bench.drain(), []);
    }
    bench.server.handle(bench.now, Input::StreamProgress { token, octets_in: 0, octets_out: 100 });
    assert_eq!(reason(bench.drain()[0].1.pdu), Reason::VolumeLimit);
    assert_eq!((closed(&bench)[0].stream_octets_in, closed(&bench)[0].stream_octets_out), (900, 100));
}

#[test]
fn an_ended_session_is_eventually_discarded_and_its_place_reused() {
    let mut bench = Bench::new(rules());
    for round in 0..200u64 {
        let session = bench.open(peer(1), Limits::NONE).unwrap();
        bench.respond(peer(1), control(&session, 1, Pdu::Close));
        assert_eq!(bench.server.ended_sessions(), round + 1);
        bench.pass(Duration::from_secs(4));
    }
    assert_eq!(bench.server.open_sessions(), 0);
}
