//! Questions that are asked until they are answered.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{Request, RequestFailure};
use sojourn_protocols::probe::wire::{Limits, Pdu, Reason, Report};

use crate::bench::{Bench, control, peer, probe, rules};

/// Carries a request to the agent and back, losing the first `lost` packets of either way.
fn carry(bench: &mut Bench, request: &mut Request, lost: usize) -> Result<Report, RequestFailure> {
    let mut packets = 0;
    loop {
        if let Some(outcome) = request.outcome() {
            return outcome;
        }
        let due = request.next_wakeup().expect("it has no outcome yet");
        bench.pass(due.since(bench.now));
        request.wake(bench.now);
        while let Some(question) = request.poll_output() {
            packets += 1;
            if packets <= lost {
                continue;
            }
            for (_, answer, _) in bench.give(peer(1), question, 128) {
                packets += 1;
                if packets > lost {
                    request.handle(bench.now, answer);
                }
            }
        }
    }
}

#[test]
fn a_request_is_answered_in_spite_of_loss_and_acts_once() {
    for lost in 0..5 {
        let mut bench = Bench::new(rules());
        let mut session = bench.open(peer(1), Limits::NONE).unwrap();
        let began = bench.now;
        let mut request = session.start(80_000, 100, 1_000_000_000, bench.now);
        carry(&mut bench, &mut request, lost).unwrap();
        let mut sent = bench.pass(Duration::from_secs(1)).len();
        let Pdu::Report(report) = bench.answer(peer(1), control(&session, 2, Pdu::Ask)) else { panic!("no report") };
        sent = sent.max(report.sent_packets as usize);
        assert_eq!(sent, 100, "load began once, though it was asked for more often");
        assert!(bench.now.since(began) < Duration::from_secs(4));
    }
}

#[test]
fn an_answer_to_an_earlier_question_is_no_answer() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    let first = session.ask(bench.now);
    let mut second = session.ask(bench.now);
    let _ = first;
    let early = bench.give(peer(1), control(&session, 1, Pdu::Ask), 128)[0].1;
    second.handle(bench.now, early);
    assert_eq!(second.outcome(), None);
    assert!(carry(&mut bench, &mut second, 0).is_ok());
}

#[test]
fn a_request_to_an_agent_that_has_gone_ends_as_unanswered() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    let mut request = session.ask(bench.now);
    assert_eq!(carry(&mut bench, &mut request, usize::MAX), Err(RequestFailure::NoAnswer));
}

#[test]
fn closing_gives_what_was_counted_even_when_its_answer_was_lost() {
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
fn a_question_after_the_end_is_told_why_it_ended() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    bench.give(peer(1), probe(&session, 0), 64);
    bench.pass(Duration::from_secs(11));
    let mut request = session.ask(bench.now);
    let Err(RequestFailure::Ended { reason, report }) = carry(&mut bench, &mut request, 0) else { panic!("not ended") };
    assert_eq!((reason, report.probes), (Reason::Idle, 1));
    bench.pass(Duration::from_secs(30));
    bench.server.wake(bench.now);
    let mut request = session.ask(bench.now);
    assert_eq!(carry(&mut bench, &mut request, 0), Err(RequestFailure::Refused(Reason::NoSession)));
    assert!(bench.now > Time::ZERO);
}
