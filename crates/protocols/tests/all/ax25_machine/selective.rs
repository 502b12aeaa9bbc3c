//! SREJ, single and multi-selective, received and sent.

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

fn information(lone: &mut Lone, n_s: u8, text: &str) -> Vec<String> {
    lone.receive(extended(command(i(n_s, 0, text))))
}

/// A link modulo 128 on which XID has agreed on multi-selective SREJ.
fn multi() -> Lone {
    let mut lone = Lone::connected_extended(Settings { reject_mode: RejectMode::MultiSelective, ..v2_2() });
    let functions = Functions::ALWAYS.with(Functions::SELECTIVE_REJECT).with(Functions::MULTI_SELECTIVE_REJECT);
    lone.receive(command_p(Body::Xid(Xid { functions: Some(functions), ..Xid::default() })));
    lone
}

#[test]
fn a_missing_frame_is_requested_and_buffered_frames_follow_it() {
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(information(&mut lone, 0, "a"), ["delivers a", "RR 1"]);
    assert_eq!(information(&mut lone, 2, "c"), ["SREJ 1"]);
    assert_eq!(information(&mut lone, 3, "d"), NOTHING);
    assert_eq!(information(&mut lone, 1, "b"), ["delivers b", "delivers c", "delivers d", "RR 4"]);
}

#[test]
fn each_missing_frame_is_requested_once() {
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(information(&mut lone, 2, "c"), ["SREJ 0", "SREJ 1"]);
    assert_eq!(information(&mut lone, 4, "e"), ["SREJ 3"]);
    assert_eq!(information(&mut lone, 1, "b"), NOTHING);
    assert_eq!(information(&mut lone, 0, "a"), ["delivers a", "delivers b", "delivers c", "RR 3"]);
    assert_eq!(information(&mut lone, 3, "d"), ["delivers d", "delivers e", "RR 5"]);
}

#[test]
fn a_multi_selective_srej_requests_several_frames() {
    let mut lone = multi();
    assert_eq!(information(&mut lone, 3, "d"), ["SREJ 0+1+2"]);
}

#[test]
fn a_poll_makes_the_receiver_request_all_missing_frames_again() {
    let mut lone = Lone::connected_extended(v2_2());
    information(&mut lone, 2, "c");
    assert_eq!(lone.receive(extended(command_p(rr(0)))), ["SREJ 0 F", "SREJ 1"]);
    let mut lone = multi();
    information(&mut lone, 3, "d");
    assert_eq!(lone.receive(extended(command_p(rr(0)))), ["SREJ 0+1+2 F"]);
}

#[test]
fn a_duplicate_is_acknowledged_again_and_not_delivered() {
    let mut lone = Lone::connected_extended(v2_2());
    information(&mut lone, 0, "a");
    assert_eq!(information(&mut lone, 0, "a"), ["RR 1"]);
    information(&mut lone, 2, "c");
    assert_eq!(lone.receive(extended(command_p(i(2, 0, "c")))), ["SREJ 1 F"]);
    assert_eq!(information(&mut lone, 1, "b"), ["delivers b", "delivers c", "RR 3"]);
}

#[test]
fn srej_retransmits_exactly_the_frames_it_lists() {
    let mut lone = Lone::connected_extended(v2_2());
    (0..5).for_each(|_| _ = lone.send("x"));
    assert_eq!(lone.receive(response(srej(&[1]))), ["I 1,0"]);
    assert_eq!(lone.receive(response(srej(&[0, 3]))), ["I 0,0", "I 3,0"]);
    assert_eq!(lone.station.backlog(lone.link()), 5, "without F it acknowledges nothing");
    assert_eq!(lone.receive(extended(response(rr(5)))), ["5 acknowledged"]);
}

#[test]
fn srej_restarts_t1_for_the_frame_that_is_sent_again() {
    let mut lone = Lone::connected_extended(v2_2());
    lone.send("x");
    let first = lone.next_wakeup().expect("T1 runs");
    lone.advance(Duration::from_millis(2900));
    assert_eq!(lone.receive(response(srej(&[0]))), ["I 0,0"]);
    let again = lone.next_wakeup().expect("T1 runs");
    assert_eq!(again.since(first), Duration::from_millis(2900), "a resend near T1's end draws no poll");
}

#[test]
fn srej_with_f_acknowledges_the_frames_before_it_and_ends_recovery() {
    let mut lone = Lone::connected_extended(v2_2());
    (0..4).for_each(|_| _ = lone.send("x"));
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.receive(response(srej(&[1]))), ["I 1,0"], "in state 4 as well");
    assert_eq!(lone.receive(response_f(srej(&[2]))), ["2 acknowledged", "I 2,0"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn with_srej_k_is_at_most_half_the_modulus() {
    let mut lone = Lone::connected_extended(Settings { k_extended: 127, ..v2_2() });
    let sent = (0..100).filter(|_| !lone.send("x").is_empty()).count();
    assert_eq!(sent, 64);
    let go_back = Settings { k_extended: 127, reject_mode: RejectMode::GoBack, ..v2_2() };
    let mut lone = Lone::connected_extended(go_back);
    let sent = (0..200).filter(|_| !lone.send("x").is_empty()).count();
    assert_eq!(sent, 127);
}
