//! Requests and their retransmission.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{LoadRequest, Request, RequestError};
use sojourn_protocols::probe::wire::{Limits, Pdu, Reason, Report};

use crate::probe_machine::bench::{Bench, QUERY, control, peer, probe, rules};

/// Carries a request to the agent and back, losing the first `lost` packets of both directions.
fn carry(bench: &mut Bench, request: &mut Request, lost: usize) -> Result<Report, RequestError> {
    let mut packets = 0;
    loop {
        if let Some(outcome) = request.outcome() {
            return outcome;
        }
        let due = request.next_wakeup().expect("it has no outcome yet");
        bench.pass(due.since(bench.now));
        request.wake(bench.now);
        while let Some(packet) = request.poll_output() {
            packets += 1;
            if packets <= lost {
                continue;
            }
            for (_, answer, _) in bench.give(peer(1), packet, 128) {
                packets += 1;
                if packets > lost {
                    request.handle(bench.now, answer);
                }
            }
        }
    }
}

#[test]
fn a_request_succeeds_despite_loss_and_takes_effect_once() {
    for lost in 0..5 {
        let mut bench = Bench::new(rules());
        let mut session = bench.open(peer(1), Limits::NONE).unwrap();
        let began = bench.now;
        let mut query = session.query(bench.now);
        query.wake(bench.now);
        let query = query.poll_output().unwrap();
        session.received(&bench.give(peer(1), query, 128)[0].1);
        let load = LoadRequest { bit_rate: 80_000, octets: 100, duration_ns: 1_000_000_000, dscp: 0 };
        let mut request = session.start(load, bench.now);
        carry(&mut bench, &mut request, lost).unwrap();
        let mut sent = bench.pass(Duration::from_secs(1)).len();
        let Pdu::Report { report, .. } = bench.respond(peer(1), control(&session, 3, QUERY)) else {
            panic!("no report")
        };
        sent = sent.max(report.sent_packets as usize);
        assert_eq!(sent, 100, "load starts once despite retransmissions");
        assert!(bench.now.since(began) < Duration::from_secs(4));
    }
}

#[test]
fn a_response_to_an_earlier_request_is_ignored() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    let first = session.query(bench.now);
    let mut second = session.query(bench.now);
    let _ = first;
    let early = bench.give(peer(1), control(&session, 1, QUERY), 128)[0].1;
    second.handle(bench.now, early);
    assert_eq!(second.outcome(), None);
    assert!(carry(&mut bench, &mut second, 0).is_ok());
}

#[test]
fn a_request_to_an_unresponsive_agent_fails() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    let mut request = session.query(bench.now);
    assert_eq!(carry(&mut bench, &mut request, usize::MAX), Err(RequestError::NoResponse));
}

#[test]
fn close_returns_the_counters_even_if_its_response_was_lost() {
    for lost in [0, 1, 2, 3] {
        let mut bench = Bench::new(rules());
        let mut session = bench.open(peer(1), Limits::NONE).unwrap();
        bench.give(peer(1), probe(&session, 0), 64);
        let mut close = session.close(bench.now);
        assert_eq!(carry(&mut bench, &mut close, lost).unwrap().probes, 1, "{lost} lost");
        assert_eq!(bench.server.open_sessions(), 0);
    }
}

#[test]
fn a_request_after_the_end_of_a_session_returns_the_reason() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    bench.give(peer(1), probe(&session, 0), 64);
    bench.pass(Duration::from_secs(11));
    let mut request = session.query(bench.now);
    let Err(RequestError::Ended { reason, report }) = carry(&mut bench, &mut request, 0) else { panic!("not ended") };
    assert_eq!((reason, report.probes), (Reason::Idle, 1));
    bench.pass(Duration::from_secs(30));
    bench.server.wake(bench.now);
    let mut request = session.query(bench.now);
    assert_eq!(carry(&mut bench, &mut request, 0), Err(RequestError::Refused(Reason::NoSession)));
    assert!(bench.now > Time::ZERO);
}
