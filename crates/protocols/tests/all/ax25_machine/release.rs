//! Awaiting release (state 2), and release by the peer.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn a_disconnect_request_drops_queued_frames_and_sends_disc() {
    let mut lone = Lone::connected(Settings { k: 1, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.disconnect(), ["DISC P"]);
    assert_eq!(lone.state(), LinkState::AwaitingRelease);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["disconnected (Requested), 2 lost"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn dm_confirms_disc_too() {
    let mut lone = Lone::connected(v2_0());
    lone.disconnect();
    assert_eq!(lone.receive(response_f(Body::Dm)), ["disconnected (Requested), 0 lost"]);
}

#[test]
fn disc_is_sent_n2_times_and_then_the_link_is_down_without_a_response() {
    let mut lone = Lone::connected(Settings { n2: 2, ..v2_0() });
    assert_eq!(lone.disconnect(), ["DISC P"]);
    assert_eq!(lone.expire(), ["DISC P"]);
    assert_eq!(lone.expire(), ["disconnected (RequestedNoResponse), 0 lost"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn awaiting_release_sabm_and_polls_get_dm_and_disc_gets_ua() {
    let mut lone = Lone::connected(v2_0());
    lone.disconnect();
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["DM F"]);
    assert_eq!(lone.receive(command_p(Body::Disc)), ["UA F"]);
    assert_eq!(lone.receive(command_p(rr(0))), ["DM F"]);
    assert_eq!(lone.receive(command(i(0, 0, "late"))), Vec::<String>::new());
    assert_eq!(lone.state(), LinkState::AwaitingRelease);
}

#[test]
fn disc_gets_ua_and_ends_the_link() {
    let mut lone = Lone::connected(v2_0());
    lone.send("unanswered");
    assert_eq!(lone.receive(command_p(Body::Disc)), ["disconnected (ByPeer), 1 lost", "UA F"]);
    assert_eq!(lone.state(), LinkState::Disconnected);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn dm_ends_a_connected_link_and_one_in_timer_recovery() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(response(Body::Dm)), ["disconnected (ByPeer), 0 lost"]);
    let mut asking = Lone::connected(v2_0());
    asking.send("a");
    asking.expire();
    assert_eq!(asking.state(), LinkState::TimerRecovery);
    assert_eq!(asking.receive(response_f(Body::Dm)), ["disconnected (ByPeer), 1 lost"]);
}

#[test]
fn a_link_that_ended_can_be_set_up_again_under_a_new_id() {
    let mut lone = Lone::connected(v2_0());
    let first = lone.link();
    lone.receive(command_p(Body::Disc));
    lone.receive(command_p(Body::Sabm));
    assert_ne!(lone.link(), first);
    assert_eq!(lone.station.state(first), LinkState::Disconnected);
    assert_eq!(lone.station.key(first), None);
}
