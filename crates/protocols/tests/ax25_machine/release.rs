//! State 2, and ends from the other side.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn the_user_s_wish_drops_what_waits_and_sends_disc() {
    let mut lone = Lone::connected(Settings { k: 1, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.disconnect(), ["DISC P"]);
    assert_eq!(lone.state(), LinkState::AwaitingRelease);
    assert_eq!(lone.hear(finals(Body::Ua)), ["disconnected (Requested), 2 lost"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn dm_answers_disc_as_well() {
    let mut lone = Lone::connected(v2_0());
    lone.disconnect();
    assert_eq!(lone.hear(finals(Body::Dm)), ["disconnected (Requested), 0 lost"]);
}

#[test]
fn disc_is_sent_n2_times_and_then_the_link_is_down_without_an_answer() {
    let mut lone = Lone::connected(Settings { n2: 2, ..v2_0() });
    assert_eq!(lone.disconnect(), ["DISC P"]);
    assert_eq!(lone.wait(), ["DISC P"]);
    assert_eq!(lone.wait(), ["disconnected (RequestedNoResponse), 0 lost"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn while_a_link_ends_sabm_is_declined_disc_agreed_to_and_polls_told_so() {
    let mut lone = Lone::connected(v2_0());
    lone.disconnect();
    assert_eq!(lone.hear(polls(Body::Sabm)), ["DM F"]);
    assert_eq!(lone.hear(polls(Body::Disc)), ["UA F"]);
    assert_eq!(lone.hear(polls(rr(0))), ["DM F"]);
    assert_eq!(lone.hear(command(i(0, 0, "late"))), Vec::<String>::new());
    assert_eq!(lone.state(), LinkState::AwaitingRelease);
}

#[test]
fn disc_is_agreed_to_and_ends_the_link() {
    let mut lone = Lone::connected(v2_0());
    lone.send("unanswered");
    assert_eq!(lone.hear(polls(Body::Disc)), ["disconnected (ByPeer), 1 lost", "UA F"]);
    assert_eq!(lone.state(), LinkState::Disconnected);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn dm_ends_the_link_in_either_state_of_it() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(response(Body::Dm)), ["disconnected (ByPeer), 0 lost"]);
    let mut asking = Lone::connected(v2_0());
    asking.send("a");
    asking.wait();
    assert_eq!(asking.state(), LinkState::TimerRecovery);
    assert_eq!(asking.hear(finals(Body::Dm)), ["disconnected (ByPeer), 1 lost"]);
}

#[test]
fn a_link_that_ended_may_be_set_up_again_and_has_another_name() {
    let mut lone = Lone::connected(v2_0());
    let first = lone.link();
    lone.hear(polls(Body::Disc));
    lone.hear(polls(Body::Sabm));
    assert_ne!(lone.link(), first);
    assert_eq!(lone.station.state(first), LinkState::Disconnected);
    assert_eq!(lone.station.key(first), None);
}
