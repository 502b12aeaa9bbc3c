//! Probes, load and their limits.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::probe::server::{Event, Input, Output};
use sojourn_protocols::probe::wire::{Limits, Packet, Pdu, Proof, Reason, Residence};

use crate::probe_machine::bench::{Bench, CLASS, QUERY, control, peer, probe, proof, reason, rules, token};

const FIRST: u64 = 1;

#[test]
fn a_reply_carries_its_receive_timestamp_and_an_earlier_residence_time() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    bench.pass(Duration::from_millis(5));
    let sent = bench.give(peer(1), probe(&session, 40), 700);
    let Pdu::Reply { receive_ns, receive_by_kernel, class, residence } = sent[0].1.pdu else { panic!("{sent:?}") };
    assert_eq!((sent[0].1.sequence, sent[0].2, receive_ns, receive_by_kernel), (40, 700, 5_000_000, true));
    assert_eq!(class, Some(CLASS), "as the probe arrived");
    assert_eq!(residence, None);
    let left = Input::ReplySent { token: token(&session), sequence: 40, residence_ns: 1234, by_kernel: true };
    bench.server.handle(bench.now, left);
    let sent = bench.give(peer(1), probe(&session, 43), 64);
    let Pdu::Reply { residence, .. } = sent[0].1.pdu else { panic!("{sent:?}") };
    assert_eq!(residence, Some(Residence { earlier: 3, ns: 1234, by_kernel: true }));
}

#[test]
fn a_probe_from_another_address_or_port_is_not_answered() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let mut elsewhere = peer(1);
    elsewhere.set_port(5001);
    assert_eq!(bench.give(elsewhere, probe(&session, 0), 64), []);
    assert_eq!(bench.give(peer(2), probe(&session, 0), 64), []);
    assert_eq!(bench.give(peer(1), probe(&session, 0), 64).len(), 1);
}

#[test]
fn probes_and_load_share_sequence_numbers_and_each_is_accepted_once_in_any_order() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let load = |sequence| Packet { pdu: Pdu::Load { sent_ns: 0, proof: 0 }, ..probe(&session, sequence) };
    for sequence in [5, 2, 9] {
        bench.give(peer(1), load(sequence), 1000);
        bench.pass(Duration::from_millis(1));
    }
    assert_eq!(bench.give(peer(1), probe(&session, 9), 64), []);
    assert_eq!(bench.give(peer(1), probe(&session, 3), 64).len(), 1);
    let Pdu::Report { report, .. } = bench.respond(peer(1), control(&session, FIRST, QUERY)) else {
        panic!("no report")
    };
    assert_eq!((report.load_packets, report.load_octets, report.probes, report.replayed), (3, 3000, 1, 1));
    assert_eq!((report.first_ns, report.last_ns), (0, 2_000_000));
}

#[test]
fn packet_rate_and_bit_rate_of_a_client_are_limited() {
    for (octets, allowed) in [(64, 1000), (10_000, 100)] {
        let mut bench = Bench::new(rules());
        let wanted = Limits { octets: u64::MAX, ..Limits::NONE };
        let rules = sojourn_protocols::probe::server::Rules {
            limits: Limits { octets: u64::MAX, ..rules().limits },
            ..rules()
        };
        bench.server = Bench::new(rules).server;
        let session = bench.open(peer(1), wanted).unwrap();
        let mut replies = 0;
        for sequence in 0..20_000 {
            replies += bench.give(peer(1), probe(&session, sequence), octets).len();
            bench.pass(Duration::from_micros(50));
        }
        let burst = allowed / 10 + 1;
        assert!((allowed..=allowed + burst).contains(&replies), "{replies} replies of {octets} octets in a second");
        let Pdu::Report { report, .. } = bench.respond(peer(1), control(&session, FIRST, QUERY)) else {
            panic!("no report")
        };
        assert_eq!(report.probes + report.over_limit, 20_000);
    }
}

#[test]
fn the_volume_counts_both_directions_and_its_limit_ends_the_session() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits { octets: 5000, ..Limits::NONE }).unwrap();
    assert_eq!(bench.give(peer(1), probe(&session, 0), 1000).len(), 1);
    let load = Packet { pdu: Pdu::Load { sent_ns: 0, proof: 0 }, ..probe(&session, 1) };
    assert_eq!(bench.give(peer(1), load, 1000).len(), 0);
    let last = bench.give(peer(1), probe(&session, 2), 1000);
    assert_eq!(last.len(), 2, "the reply, and Closed");
    assert_eq!(reason(last[1].1.pdu), Reason::VolumeLimit);
    assert_eq!(bench.server.open_sessions(), 0);
}

fn start(bit_rate: u64, octets: u16, duration_ns: u64, proof: Proof) -> Pdu {
    Pdu::Start { bit_rate, octets, duration_ns, dscp: 0, proof }
}

#[test]
fn load_to_the_client_is_sent_at_the_requested_rate_for_the_requested_time() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let proof = proof(&mut bench, peer(1), &session, FIRST);
    let answer = bench.respond(peer(1), control(&session, FIRST + 1, start(800_000, 1000, 500_000_000, proof)));
    assert!(matches!(answer, Pdu::Report { .. }));
    let sent = bench.pass(Duration::from_secs(1));
    assert_eq!(sent.len(), 50, "100 packets a second for half a second");
    assert!(
        sent.iter()
            .enumerate()
            .all(|(index, (to, packet, octets))| { (*to, packet.sequence, *octets) == (peer(1), index as u64, 1000) })
    );
    let times: Vec<u64> = sent.iter().map(|(_, packet, _)| sent_ns(packet)).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 10_000_000), "{times:?}");
}

fn sent_ns(packet: &Packet) -> u64 {
    match packet.pdu {
        Pdu::Load { sent_ns, .. } => sent_ns,
        other => panic!("{other:?}"),
    }
}

#[test]
fn load_to_the_client_ends_when_it_no_longer_confirms_or_requests_stop() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let first = proof(&mut bench, peer(1), &session, FIRST);
    bench.respond(peer(1), control(&session, FIRST + 1, start(80_000, 100, 9_000_000_000, first)));
    let sent = bench.pass(Duration::from_secs(5));
    assert_eq!(sent.len(), 201, "100 packets a second for the two seconds of the lease");
    assert!(bench.events.iter().any(|event| matches!(event, Event::LeaseOver { .. })));

    let second = proof(&mut bench, peer(1), &session, FIRST + 2);
    bench.respond(peer(1), control(&session, FIRST + 3, start(80_000, 100, 9_000_000_000, second)));
    assert_eq!(bench.pass(Duration::from_secs(1)).len(), 101);
    bench.respond(peer(1), control(&session, FIRST + 4, Pdu::Stop));
    assert_eq!(bench.pass(Duration::from_secs(1)).len(), 0);
}

#[test]
fn load_is_not_started_towards_an_address_that_does_not_confirm_it() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let seen = proof(&mut bench, peer(1), &session, FIRST);
    // the holder of the key sends from the address of the session, and receives nothing there
    for (number, guess) in (2..).zip([0, 1, seen.wrapping_add(1), u64::MAX]) {
        let answer = bench.respond(peer(1), control(&session, number, start(80_000, 100, 9_000_000_000, guess)));
        assert_eq!(reason(answer), Reason::Unconfirmed);
    }
    bench.pass(Duration::from_secs(9));
    bench.give(peer(1), probe(&session, 0), 64);
    bench.pass(Duration::from_secs(2));
    let answer = bench.respond(peer(1), control(&session, 9, start(80_000, 100, 9_000_000_000, seen)));
    assert_eq!(reason(answer), Reason::Unconfirmed, "what it received there long ago");
    assert_eq!(bench.pass(Duration::from_secs(1)), []);
}

#[test]
fn load_goes_on_while_its_numbers_return_and_no_other_packet_extends_it() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let first = proof(&mut bench, peer(1), &session, FIRST);
    let begin = start(8000, 100, 60_000_000_000, first);
    bench.respond(peer(1), control(&session, FIRST + 1, begin));
    let mut number = FIRST + 2;
    for half_second in 0..30 {
        let sent = bench.pass(Duration::from_millis(500));
        let Some((_, Packet { pdu: Pdu::Load { proof, .. }, .. }, _)) = sent.last() else { panic!("{sent:?}") };
        assert!((5..=6).contains(&sent.len()), "{} after {half_second} half seconds", sent.len());
        bench.respond(peer(1), control(&session, number, Pdu::Query { proof: *proof }));
        number += 1;
    }
    // from here on who sends from there receives nothing
    let mut sent = 0;
    for sequence in 0..10 {
        sent += bench.pass(Duration::from_millis(500)).len();
        bench.respond(peer(1), control(&session, number, Pdu::Query { proof: 7 }));
        number += 1;
        assert_eq!(bench.give(peer(1), probe(&session, sequence), 64).len(), 1, "its session lives");
    }
    assert!((20..=21).contains(&sent), "{sent}");
}

#[test]
fn load_has_the_code_point_that_the_client_requests() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let proof = proof(&mut bench, peer(1), &session, FIRST);
    let begin = Pdu::Start { bit_rate: 80_000, octets: 100, duration_ns: 1_000_000_000, dscp: 46, proof };
    bench.respond(peer(1), control(&session, FIRST + 1, begin));
    bench.server.wake(bench.now);
    let Some(Output::Transmit { dscp, .. }) = bench.server.poll_output() else { panic!("no load") };
    assert_eq!(dscp, 46);
}

#[test]
fn load_beyond_the_limits_or_from_an_agent_without_load_is_refused_also_when_retransmitted() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    for (number, beyond) in
        [start(8_000_001, 1000, 1, 0), start(0, 1000, 1, 0), start(800, 63, 1, 0), start(8_000_000, 64, 1, 0)]
            .into_iter()
            .enumerate()
    {
        let request = control(&session, FIRST + number as u64, beyond);
        assert_eq!(reason(bench.respond(peer(1), request)), Reason::ExceedsLimits, "{beyond:?}");
        assert_eq!(reason(bench.respond(peer(1), request)), Reason::ExceedsLimits, "retransmitted");
    }
    let session = bench.open(peer(2), Limits { sends: false, ..Limits::NONE }).unwrap();
    let answer = bench.respond(peer(2), control(&session, FIRST, start(800, 100, 1, 0)));
    assert_eq!(reason(answer), Reason::LoadDisabled);
    assert_eq!(bench.pass(Duration::from_secs(1)), []);
}
