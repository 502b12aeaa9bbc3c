//! T1, T3 and state 4: how a link finds out what arrived.

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

/// A link with two frames under way whose T1 has expired.
fn asking(settings: Settings) -> Lone {
    let mut lone = Lone::connected(settings);
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    lone
}

#[test]
fn the_answer_tells_what_is_missing_and_it_goes_again() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.hear(finals(rr(1))), ["has 1 acknowledged", "I 1,0"]);
    assert_eq!(lone.state(), LinkState::Connected);
    assert_eq!(lone.hear(response(rr(2))), ["has 1 acknowledged"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn an_answer_that_acknowledges_all_sends_nothing_again() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.hear(finals(rr(2))), ["has 2 acknowledged"]);
    assert_eq!(lone.counted(Counter::InformationResent), 0);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn without_f_an_acknowledgement_counts_and_the_question_stands() {
    let mut lone = asking(v2_0());
    let expires = lone.next_wakeup();
    lone.pass(Duration::from_secs(1));
    assert_eq!(lone.hear(response(rr(1))), ["has 1 acknowledged"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    assert_eq!(lone.next_wakeup(), expires, "T1 runs on");
    assert_eq!(lone.hear(command(rr(2))), ["has 1 acknowledged"]);
    assert_eq!(lone.hear(polls(rr(2))), ["RR 0 F"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
}

#[test]
fn new_information_waits_until_the_answer_is_there() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.send("c"), NOTHING);
    assert_eq!(lone.hear(finals(rr(2))), ["has 2 acknowledged", "I 2,0"]);
}

#[test]
fn information_is_taken_and_answered_while_a_question_is_open() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.hear(command(i(0, 1, "x"))), ["has 1 acknowledged", "delivers x", "RR 1"]);
    assert_eq!(lone.hear(command(i(2, 1, "z"))), ["REJ 1"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
}

#[test]
fn rej_with_f_is_an_answer_too() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.hear(finals(rej(0))), ["I 0,0", "I 1,0"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn after_n2_questions_v2_0_tries_to_begin_anew_and_then_gives_up() {
    let mut lone = asking(Settings { n2: 2, ..v2_0() });
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!([lone.wait(), lone.wait()], [["SABM P"], ["SABM P"]]);
    assert_eq!(lone.wait(), ["disconnected (NoAnswer), 2 lost"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn after_n2_questions_v2_2_says_dm_and_ends_the_link() {
    let mut lone = Lone::connected_extended(Settings { n2: 2, ..v2_2() });
    lone.send("a");
    assert_eq!([lone.wait(), lone.wait()], [["RR 0 P"], ["RR 0 P"]]);
    assert_eq!(lone.wait(), ["disconnected (NoAnswer), 1 lost", "DM"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn an_answer_gives_n2_tries_again() {
    let mut lone = asking(Settings { n2: 2, ..v2_0() });
    lone.wait();
    lone.hear(finals(rr(0)));
    assert_eq!([lone.wait(), lone.wait()], [["RR 0 P"], ["RR 0 P"]]);
}

#[test]
fn a_silent_link_is_asked_for_every_t3() {
    let mut lone = Lone::connected(Settings { t3: Some(Duration::from_secs(60)), ..v2_0() });
    let start = lone.now;
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.now - start, Duration::from_secs(60));
    assert_eq!(lone.hear(finals(rr(0))), NOTHING);
    assert_eq!(lone.state(), LinkState::Connected);
    lone.pass(Duration::from_secs(30));
    assert_eq!(lone.hear(polls(rr(0))), ["RR 0 F"]);
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.now - start, Duration::from_secs(150), "whatever is heard starts T3 anew");
}

#[test]
fn a_peer_that_is_busy_is_asked_every_t1_as_long_as_information_waits() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    lone.hear(response(rnr(1)));
    assert_eq!(lone.wait(), ["no timer runs"], "nothing waits");
    lone.send("b");
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.hear(finals(rnr(1))), NOTHING);
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.hear(finals(rr(1))), ["is let go", "I 1,0"]);
}

#[test]
fn rnr_in_answer_holds_what_must_go_again() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.hear(finals(rnr(1))), ["is held", "has 1 acknowledged"]);
    assert_eq!(lone.hear(response(rr(1))), ["is let go", "I 1,0"]);
}

#[test]
fn before_v2_0_the_oldest_frame_polled_instead_of_rr() {
    let mut lone = Lone::connected(Settings { recovery: Recovery::OldestFrame, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.wait(), ["I 0,0 P"]);
    assert_eq!(lone.hear(finals(rr(2))), ["has 2 acknowledged"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn a_poll_of_the_oldest_frame_finds_a_receiver_that_has_it() {
    let mut lone = Lone::connected(v2_0());
    lone.hear(command(i(0, 0, "a")));
    assert_eq!(lone.hear(polls(i(0, 0, "a"))), ["REJ 1 F"]);
}
