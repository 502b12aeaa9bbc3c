//! Trunks that come up, fail and restart.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::lone::*;

fn restart() -> Body<Vec<u8>> {
    Body::RestartRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE }
}

#[test]
fn a_trunk_that_comes_up_is_ready_once_its_restart_is_confirmed() {
    let mut lone = Lone::new(settings());
    let up = Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce };
    assert_eq!(lone.give(up), ["0: RESTART REQUEST (user disconnected, 0)"]);
    assert!(!lone.switch.is_ready(LINK));
    assert_eq!(lone.receive(0, Body::RestartConfirmation), ["trunk ready"]);
    assert!(lone.switch.is_ready(LINK));
}

#[test]
fn colliding_restarts_confirm_each_other() {
    let mut lone = Lone::new(settings());
    lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    assert_eq!(lone.receive(0, restart()), ["0: RESTART CONFIRMATION", "trunk ready"]);
    assert_eq!(lone.receive(0, Body::RestartConfirmation), [""; 0]);
}

#[test]
fn a_restart_is_sent_twice_and_then_the_trunk_fails() {
    let mut lone = Lone::new(settings());
    lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    let again = vec!["0: RESTART REQUEST (user disconnected, 0)".to_string()];
    assert_eq!(lone.expire(), (Duration::from_secs(180), again));
    assert_eq!(lone.expire(), (Duration::from_secs(180), vec!["trunk failed".to_string()]));
    assert_eq!(lone.switch.next_wakeup(), None);
}

#[test]
fn a_restart_by_the_neighbour_clears_all_calls_of_the_trunk() {
    let mut lone = Lone::open(settings());
    lone.send("in flight");
    assert_eq!(
        lone.receive(0, restart()),
        ["0: RESTART CONFIRMATION", "disconnects the user: out of order, 0 at 3100908001"]
    );
    assert_eq!((lone.switch.channels(), lone.switch.users(), lone.switch.counters().lost), (0, 0, 1));
}

#[test]
fn a_trunk_that_goes_down_clears_its_calls_and_ignores_packets_until_it_is_ready() {
    let mut lone = Lone::open(settings());
    assert_eq!(lone.give(Input::TrunkDown { trunk: LINK }), ["disconnects the user: out of order, 0 at 3100908001"]);
    assert_eq!(lone.receive(1, data(0, 0, "late")), [""; 0]);
    assert_eq!(lone.receive(0, restart()), [""; 0]);
}

#[test]
fn a_trunk_that_comes_up_again_without_having_gone_down_restarts() {
    let mut lone = Lone::open(settings());
    let outputs = lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    let expected = ["disconnects the user: out of order, 0 at 3100908001", "0: RESTART REQUEST (user disconnected, 0)"];
    assert_eq!(outputs, expected);
}
