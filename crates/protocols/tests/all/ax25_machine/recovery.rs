//! T1, T3 and timer recovery (state 4).

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

/// A link with two I frames in flight whose T1 has expired.
fn asking(settings: Settings) -> Lone {
    let mut lone = Lone::connected(settings);
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    lone
}

#[test]
fn the_enquiry_response_shows_what_is_missing_and_it_is_retransmitted() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(response_f(rr(1))), ["1 acknowledged", "I 1,0"]);
    assert_eq!(lone.state(), LinkState::Connected);
    assert_eq!(lone.receive(response(rr(2))), ["1 acknowledged"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn a_response_that_acknowledges_all_causes_no_retransmission() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(response_f(rr(2))), ["2 acknowledged"]);
    assert_eq!(lone.counted(Counter::InformationResent), 0);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn an_acknowledgement_without_f_counts_and_recovery_continues() {
    let mut lone = asking(v2_0());
    let expires = lone.next_wakeup();
    lone.advance(Duration::from_secs(1));
    assert_eq!(lone.receive(response(rr(1))), ["1 acknowledged"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    assert_eq!(lone.next_wakeup(), expires, "T1 runs on");
    assert_eq!(lone.receive(command(rr(2))), ["1 acknowledged"]);
    assert_eq!(lone.receive(command_p(rr(2))), ["RR 0 F"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
}

#[test]
fn new_information_waits_for_the_enquiry_response() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.send("c"), NOTHING);
    assert_eq!(lone.receive(response_f(rr(2))), ["2 acknowledged", "I 2,0"]);
}

#[test]
fn information_is_accepted_and_acknowledged_during_recovery() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(command(i(0, 1, "x"))), ["1 acknowledged", "delivers x", "RR 1"]);
    assert_eq!(lone.receive(command(i(2, 1, "z"))), ["REJ 1"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
}

#[test]
fn rej_without_f_is_acted_on_while_the_enquiry_is_outstanding() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(response(rej(1))), ["1 acknowledged", "I 1,0"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    assert_eq!(lone.receive(response_f(rr(2))), ["1 acknowledged"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn rej_with_f_is_an_enquiry_response_too() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(response_f(rej(0))), ["I 0,0", "I 1,0"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn after_n2_enquiries_v2_0_tries_to_reestablish_the_link_and_then_gives_up() {
    let mut lone = asking(Settings { n2: 2, ..v2_0() });
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!([lone.expire(), lone.expire()], [["SABM P"], ["SABM P"]]);
    assert_eq!(lone.expire(), ["disconnected (NoResponse), 2 lost"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn after_n2_enquiries_v2_2_sends_dm_and_ends_the_link() {
    let mut lone = Lone::connected_extended(Settings { n2: 2, ..v2_2() });
    lone.send("a");
    assert_eq!([lone.expire(), lone.expire()], [["RR 0 P"], ["RR 0 P"]]);
    assert_eq!(lone.expire(), ["disconnected (NoResponse), 1 lost", "DM"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn an_enquiry_response_resets_rc() {
    let mut lone = asking(Settings { n2: 2, ..v2_0() });
    lone.expire();
    lone.receive(response_f(rr(0)));
    assert_eq!([lone.expire(), lone.expire()], [["RR 0 P"], ["RR 0 P"]]);
}

#[test]
fn an_idle_link_is_polled_every_t3() {
    let mut lone = Lone::connected(Settings { t3: Some(Duration::from_secs(60)), ..v2_0() });
    let start = lone.now;
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.now - start, Duration::from_secs(60));
    assert_eq!(lone.receive(response_f(rr(0))), NOTHING);
    assert_eq!(lone.state(), LinkState::Connected);
    lone.advance(Duration::from_secs(30));
    assert_eq!(lone.receive(command_p(rr(0))), ["RR 0 F"]);
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.now - start, Duration::from_secs(150), "any received frame restarts T3");
}

#[test]
fn a_busy_peer_is_polled_every_t1_while_information_waits() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    lone.receive(response(rnr(1)));
    assert_eq!(lone.expire(), ["no timer runs"], "nothing waits");
    lone.send("b");
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.receive(response_f(rnr(1))), NOTHING);
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.receive(response_f(rr(1))), ["peer ready", "I 1,0"]);
}

#[test]
fn an_rnr_response_delays_the_retransmission() {
    let mut lone = asking(v2_0());
    assert_eq!(lone.receive(response_f(rnr(1))), ["peer busy", "1 acknowledged"]);
    assert_eq!(lone.receive(response(rr(1))), ["peer ready", "I 1,0"]);
}

#[test]
fn before_v2_0_the_oldest_i_frame_polls_instead_of_rr() {
    let mut lone = Lone::connected(Settings { recovery: Recovery::OldestFrame, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.expire(), ["I 0,0 P"]);
    assert_eq!(lone.receive(response_f(rr(2))), ["2 acknowledged"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn a_receiver_that_has_the_oldest_frame_acknowledges_its_poll() {
    let mut lone = Lone::connected(v2_0());
    lone.receive(command(i(0, 0, "a")));
    assert_eq!(lone.receive(command_p(i(0, 0, "a"))), ["REJ 1 F"]);
}
