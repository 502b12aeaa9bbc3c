//! Opening of sessions.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::probe::client::{OpenError, Opening};
use sojourn_protocols::probe::server::{Event, Input, Rules};
use sojourn_protocols::probe::wire::{
    Congestion, Direction, Limits, NO_TOKEN, Packet, ParseError, Pdu, Reason, Stream,
};

use std::net::SocketAddr;

use crate::probe_machine::bench::{Bench, LIMITS, NO_KEY, control, key, path, peer, probe, reason, rules, token};

#[test]
fn the_limits_granted_are_the_minimum_of_both() {
    let mut bench = Bench::new(rules());
    let wanted = Limits { packet_rate: 50, idle_seconds: 900, ..Limits::NONE };
    let session = bench.open(peer(1), wanted).unwrap();
    assert_eq!(session.granted(), Limits { packet_rate: 50, ..LIMITS });
}

#[test]
fn an_opening_survives_the_loss_of_any_one_of_its_packets() {
    for lost in 0..4 {
        let mut bench = Bench::new(rules());
        let session = bench.open_through(peer(1), Limits::NONE, |packet| packet != lost).unwrap();
        assert_eq!(bench.server.open_sessions(), 1, "packet {lost} was lost");
        assert_eq!(bench.give(peer(1), probe(&session, 0), 64).len(), 1);
        assert_eq!(bench.now, Time::ZERO + Duration::from_millis(250), "one retransmission");
    }
}

#[test]
fn without_a_response_an_opening_gives_up_after_five_transmissions() {
    let mut bench = Bench::new(rules());
    let mut asked = 0;
    let outcome = bench.open_through(peer(1), Limits::NONE, |_| {
        asked += 1;
        false
    });
    assert_eq!(outcome.unwrap_err(), OpenError::NoResponse { after_cookie: false, unauthenticated: 0 });
    assert_eq!((asked, bench.now), (5, Time::ZERO + Duration::from_millis(3750)));
}

#[test]
fn silence_after_the_cookie_is_distinguished_from_no_response_at_all() {
    let mut bench = Bench::new(rules());
    let outcome = bench.open_through(peer(1), Limits::NONE, |packet| packet < 2);
    assert_eq!(outcome.unwrap_err(), OpenError::NoResponse { after_cookie: true, unauthenticated: 0 });
}

#[test]
fn responses_with_another_key_are_counted_and_another_version_is_reported() {
    let mut opening = Opening::new(key(), [1; 16], Limits::NONE);
    opening.wake(Time::ZERO);
    opening.handle(Time::ZERO, NO_KEY);
    opening.handle(Time::ZERO, NO_KEY);
    while let (None, Some(due)) = (opening.outcome(), opening.next_wakeup()) {
        opening.wake(due);
    }
    let failure = opening.outcome().unwrap().unwrap_err();
    assert_eq!(failure, OpenError::NoResponse { after_cookie: false, unauthenticated: 2 });

    let mut opening = Opening::new(key(), [1; 16], Limits::NONE);
    opening.handle(Time::ZERO, Err(ParseError::Version(7)));
    assert_eq!(opening.outcome().unwrap().unwrap_err(), OpenError::Version(7));
}

#[test]
fn a_cookie_of_another_client_is_rejected() {
    let mut opening = Opening::new(key(), [1; 16], Limits::NONE);
    opening.wake(Time::ZERO);
    assert!(opening.poll_output().is_some());
    let cookie = Pdu::Cookie { nonce: [2; 16], cookie: [3; 16] };
    opening.handle(Time::ZERO, Ok(Packet { token: NO_TOKEN, sequence: 0, pdu: cookie }));
    assert_eq!(opening.poll_output(), None);
}

#[test]
fn the_total_and_per_address_session_limits_are_refused_with_their_own_reasons() {
    let mut bench = Bench::new(rules());
    let mut port = 1;
    let mut open = |bench: &mut Bench, host| {
        port += 1;
        let mut address = peer(host);
        address.set_port(port);
        bench.open(address, Limits::NONE).map(drop)
    };
    assert!(open(&mut bench, 1).is_ok() && open(&mut bench, 1).is_ok());
    assert_eq!(open(&mut bench, 1), Err(OpenError::Refused(Reason::AddressBusy)));
    assert!(open(&mut bench, 2).is_ok() && open(&mut bench, 2).is_ok());
    assert_eq!(open(&mut bench, 3), Err(OpenError::Refused(Reason::Busy)));
}

/// Everything a client ever sent, replayed by an observer.
#[test]
fn a_replayed_opening_is_rejected_after_its_session_has_ended() {
    let mut bench = Bench::new(rules());
    let hello = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce: [9; 16] } };
    let Pdu::Cookie { nonce, cookie } = bench.respond(peer(1), hello) else { panic!("no cookie") };
    let open = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Open { nonce, cookie, wanted: Limits::NONE } };
    let opened = bench.give(peer(1), open, 128)[0].1;
    let again = bench.give(peer(1), open, 128)[0].1;
    assert_eq!((again.token, bench.server.open_sessions()), (opened.token, 1), "retransmitted, opened once");
    bench.respond(peer(1), Packet { token: opened.token, sequence: 1, pdu: Pdu::Close });
    assert_eq!(bench.give(peer(1), open, 128), []);
    bench.pass(Duration::from_secs(20));
    assert_eq!(bench.give(peer(1), open, 128), [], "its cookie has expired");
    assert_eq!(bench.server.open_sessions(), 0);
}

#[test]
fn tokens_of_two_sessions_of_one_socket_differ() {
    let mut bench = Bench::new(rules());
    let first = bench.open(peer(1), Limits::NONE).unwrap();
    let second = bench.open(peer(1), Limits::NONE).unwrap();
    assert_ne!(token(&first), token(&second));
}

#[test]
fn at_most_a_thousand_hellos_per_second_are_answered() {
    let mut bench = Bench::new(rules());
    let mut answered = 0;
    for step in 0..10_000u32 {
        let from = peer((step % 250) as u8);
        let nonce = u128::from(step).to_be_bytes();
        let hello = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce } };
        answered += bench.give(from, hello, 128).len();
        bench.pass(Duration::from_micros(100));
    }
    assert!((1000..=1101).contains(&answered), "{answered} in a second");
    assert_eq!(bench.server.open_sessions(), 0);
}

#[test]
fn another_version_is_refused_unless_the_response_were_longer_than_the_packet() {
    let mut bench = Bench::new(rules());
    let foreign = |octets, number| Input::ForeignVersion { path: path(1), octets, tag: [number; 16] };
    bench.server.handle(bench.now, foreign(127, 0));
    assert_eq!(bench.drain(), []);
    bench.server.handle(bench.now, foreign(128, 1));
    assert_eq!(reason(bench.drain()[0].1.pdu), Reason::Version);
    assert!(matches!(bench.events[..], [Event::Refused { reason: Reason::Version, .. }]));
}

#[test]
fn a_captured_packet_of_another_version_is_answered_a_few_times() {
    let mut bench = Bench::new(rules());
    let answers = (0..100).map(|_| {
        bench.server.handle(bench.now, Input::ForeignVersion { path: path(1), octets: 128, tag: [1; 16] });
        bench.drain().len()
    });
    assert_eq!(answers.sum::<usize>(), 8);
}

#[test]
fn measuring_others_is_granted_only_by_the_rules_within_a_session_and_once() {
    let direction = Direction::Measure;
    let stream = Stream { direction, congestion: Congestion::SYSTEM, bit_rate: 0, octets: 0, duration_ns: 0, dscp: 0 };
    let ask = |measures, is_session, copies| {
        let mut bench = Bench::new(Rules { measures, ..rules() });
        let session = bench.open(peer(1), Limits::NONE).unwrap();
        let asked = control(&session, 1, Pdu::Stream(stream));
        let packet = if is_session { asked } else { Packet { token: [9; 16], ..asked } };
        for connection in 0..copies {
            bench.server.handle(bench.now, Input::StreamRequested { connection, from: peer(1), packet });
            bench.drain();
        }
        let answers = std::mem::take(&mut bench.of_streams).into_iter().flatten();
        answers.map(|answer| answer.pdu).collect::<Vec<Pdu>>()
    };
    let refused = |reason| Pdu::Refused { nonce: [0; 16], reason };
    assert_eq!(ask(false, true, 1), [refused(Reason::MayNotMeasure)]);
    assert_eq!(ask(true, false, 1), [refused(Reason::NoSession)]);
    let twice = ask(true, true, 2);
    assert!(matches!(twice[0], Pdu::Granted { .. }), "{twice:?}");
    assert_eq!(twice[1], refused(Reason::NoSession), "a copy of the request");
}

/// How many of 100 copies of a first frame, each over another connection, are answered.
fn answered(bench: &mut Bench, frame: impl Fn(SocketAddr) -> Input, host: u8) -> usize {
    for port in 6000..6100 {
        let from = SocketAddr::new(peer(host).ip(), port);
        bench.server.handle(bench.now, frame(from));
        bench.drain();
    }
    std::mem::take(&mut bench.of_streams).into_iter().flatten().count()
}

#[test]
fn a_captured_first_frame_of_a_connection_is_answered_a_few_times_and_to_no_other_address() {
    let mut bench = Bench::new(rules());
    let session = bench.open(peer(1), Limits::NONE).unwrap();
    let stream = Stream {
        direction: Direction::Echo,
        congestion: Congestion::SYSTEM,
        bit_rate: 0,
        octets: 0,
        duration_ns: 0,
        dscp: 0,
    };
    let of_session = control(&session, 1, Pdu::Stream(stream));
    let hello = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce: [7; 16] } };
    let unfit = Packet { token: [9; 16], sequence: 0, pdu: Pdu::Stop };
    // the first copy of the session's frame is its client's own, which is granted
    for (packet, most) in [(of_session, 9), (hello, 8), (unfit, 8)] {
        let requested = |from| Input::StreamRequested { connection: 1, from, packet };
        assert_eq!(answered(&mut bench, requested, 1), most, "{packet:?}");
        assert_eq!(answered(&mut bench, requested, 2), 0, "{packet:?}");
    }
    let foreign = |from| Input::StreamOfForeignVersion { connection: 1, from, tag: [5; 16] };
    assert_eq!((answered(&mut bench, foreign, 1), answered(&mut bench, foreign, 2)), (8, 0));
    assert!(bench.events.iter().any(|event| matches!(event, Event::Replayed { .. })));
}

#[test]
fn a_captured_hello_that_is_replayed_is_answered_a_few_times_and_to_no_other_address() {
    let mut bench = Bench::new(rules());
    let hello = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce: [7; 16] } };
    let mut answers = 0;
    for second in 0..1000 {
        bench.pass(Duration::from_secs(1));
        let from = peer(1 + (second % 3) as u8);
        let sent = bench.give(from, hello, 128);
        assert!(sent.iter().all(|(to, ..)| *to == peer(1)), "to the address that sent it first");
        answers += sent.len();
    }
    assert_eq!(answers, 8);
    assert!(bench.events.iter().any(|event| matches!(event, Event::Replayed { .. })));
}

#[test]
fn a_captured_request_of_a_session_is_answered_a_few_times_outside_it() {
    let mut bench = Bench::new(rules());
    let mut session = bench.open(peer(1), Limits::NONE).unwrap();
    let mut query = session.query(bench.now);
    query.wake(bench.now);
    let query = query.poll_output().unwrap();
    let answers: usize = (0..100).map(|_| bench.give(peer(2), query, 128).len()).sum();
    assert_eq!(answers, 8);
    assert_eq!(bench.give(peer(1), query, 128).len(), 1, "its own client is answered");
}
