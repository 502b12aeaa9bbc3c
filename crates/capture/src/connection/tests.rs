//! Windows that wrap, lose packets and see acknowledgements twice.

use sojourn_core::Duration;

use super::*;
use crate::{Address, Event, FlowKey, Service};

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn packet(number: u8, seconds: u64) -> Information {
    Information { number, time: at(seconds), hops_left: 0, l3_bytes: 20, l4_bytes: 10 }
}

fn connection(out: &mut Sink, numbers: Numbers) -> Connection {
    let flow = out.flow(FlowKey { from: Address::Unknown, to: Address::Unknown, service: Service::Ax25 });
    Connection::new(flow, numbers, false)
}

fn repeats(out: &Sink) -> usize {
    out.log().iter().filter(|event| matches!(event, Event::Sent(sent) if sent.repeated)).count()
}

#[test]
fn a_number_used_anew_is_new_information() {
    let mut out = Sink::with_log();
    let mut connection = connection(&mut out, Numbers::Modulo8);
    for n in 0..100_u8 {
        assert!(connection.information(Side::Initiator, packet(n % 8, u64::from(n)), &mut out), "{n}");
        connection.acknowledged(Side::Responder, (n + 1) % 8, at(u64::from(n)), 0);
    }
    assert_eq!(repeats(&out), 0);
}

#[test]
fn a_window_sent_again_from_its_first_number_on_is_repeated() {
    let mut out = Sink::with_log();
    let mut connection = connection(&mut out, Numbers::Modulo8);
    for n in 0..7 {
        assert!(connection.information(Side::Initiator, packet(n, 1), &mut out));
    }
    for n in 0..7 {
        assert!(!connection.information(Side::Initiator, packet(n, 2), &mut out));
    }
    assert_eq!(repeats(&out), 7);
}

#[test]
fn packets_that_the_capture_missed_do_not_make_the_rest_repeated() {
    let mut out = Sink::with_log();
    let mut connection = connection(&mut out, Numbers::Modulo128);
    for n in [0, 1, 2, 5, 6, 20, 21] {
        assert!(connection.information(Side::Initiator, packet(n, u64::from(n)), &mut out), "{n}");
    }
}

#[test]
fn an_old_acknowledgement_acknowledges_nothing_more() {
    let mut out = Sink::with_log();
    let mut connection = connection(&mut out, Numbers::Modulo8);
    (0..4).for_each(|n| {
        connection.information(Side::Initiator, packet(n, 1), &mut out);
    });
    connection.acknowledged(Side::Responder, 2, at(2), 0);
    connection.acknowledged(Side::Responder, 1, at(3), 0);
    connection.finish(&mut out);
    let acknowledged = out.log().iter().filter(|event| matches!(event, Event::Sample(..))).count();
    assert_eq!(acknowledged, 2);
}
