//! Call collisions: both ends of a trunk select the same channel.

use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::Body;

use super::lone::*;

#[test]
fn the_dce_moves_its_own_call_and_accepts_the_dte_s() {
    let mut lone = Lone::ready(Settings { highest_channel: 2, ..settings() }, InterfaceRole::Dce);
    lone.call("201256");
    let outputs = lone.receive(1, pong_calls_ping("3100908001", 7));
    assert_eq!(outputs, ["calls PING for PONG at 201256", "2: CALL REQUEST"]);
    let called = lone.users[1];
    assert_eq!(lone.give(Input::UserConnected { user: called }), ["1: CALL ACCEPTED"]);
    assert_eq!(lone.receive(2, Body::CallAccepted), ["call connected"]);
    assert_eq!(lone.send("moved"), ["2: DATA 0 0 moved"]);
    assert_eq!(lone.switch.counters().collisions, 1);
}

#[test]
fn the_dte_ignores_the_call_of_the_dce() {
    let mut lone = Lone::ready(Settings { highest_channel: 1, ..settings() }, InterfaceRole::Dte);
    lone.call("201256");
    assert_eq!(lone.receive(1, pong_calls_ping("3100908001", 7)), [""; 0]);
    assert_eq!(lone.receive(1, Body::CallAccepted), ["call connected"]);
}

#[test]
fn a_call_without_another_channel_is_refused_and_the_other_is_accepted() {
    let mut lone = Lone::ready(Settings { highest_channel: 1, ..settings() }, InterfaceRole::Dce);
    lone.call("201256");
    let outputs = lone.receive(1, pong_calls_ping("3100908001", 7));
    assert_eq!(
        outputs,
        ["calls PING for PONG at 201256", "disconnects the user: network congestion, 71 at 3100908001"]
    );
}
