//! Both ends of a link take the same channel.

use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::Body;

use super::lone::*;

#[test]
fn the_end_that_takes_the_lowest_moves_its_own_call_and_takes_the_other() {
    let mut lone = Lone::ready(Settings { highest_channel: 2, ..settings() }, InterfaceRole::Dce);
    lone.call("201256");
    let said = lone.hear(1, pong_calls_ping("3100908001", 7));
    assert_eq!(said, ["calls PING for PONG at 201256", "2: CALL REQUEST"]);
    let called = lone.users[1];
    assert_eq!(lone.give(Input::UserConnected { user: called }), ["1: CALL ACCEPTED"]);
    assert_eq!(lone.hear(2, Body::CallAccepted), ["completes the call"]);
    assert_eq!(lone.say("moved"), ["2: DATA 0 0 moved"]);
    assert_eq!(lone.switch.counters().collisions, 1);
}

#[test]
fn the_end_that_takes_the_highest_goes_on_as_if_nothing_had_come() {
    let mut lone = Lone::ready(Settings { highest_channel: 1, ..settings() }, InterfaceRole::Dte);
    lone.call("201256");
    assert_eq!(lone.hear(1, pong_calls_ping("3100908001", 7)), [""; 0]);
    assert_eq!(lone.hear(1, Body::CallAccepted), ["completes the call"]);
}

#[test]
fn a_call_that_has_nowhere_to_move_is_refused_and_the_other_is_taken() {
    let mut lone = Lone::ready(Settings { highest_channel: 1, ..settings() }, InterfaceRole::Dce);
    lone.call("201256");
    let said = lone.hear(1, pong_calls_ping("3100908001", 7));
    assert_eq!(said, ["calls PING for PONG at 201256", "ends the call: network congestion, 71 at 3100908001"]);
}
