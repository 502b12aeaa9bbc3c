//! Links that come up, fail and begin anew.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::lone::*;

fn restart() -> Body<Vec<u8>> {
    Body::RestartRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE }
}

#[test]
fn a_link_that_comes_up_is_ready_once_its_restart_is_confirmed() {
    let mut lone = Lone::new(settings());
    let up = Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce };
    assert_eq!(lone.give(up), ["0: RESTART REQUEST (user disconnected, 0)"]);
    assert!(!lone.switch.is_ready(LINK));
    assert_eq!(lone.hear(0, Body::RestartConfirmation), ["is ready"]);
    assert!(lone.switch.is_ready(LINK));
}

#[test]
fn two_restarts_at_once_confirm_each_other() {
    let mut lone = Lone::new(settings());
    lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    assert_eq!(lone.hear(0, restart()), ["0: RESTART CONFIRMATION", "is ready"]);
    assert_eq!(lone.hear(0, Body::RestartConfirmation), [""; 0]);
}

#[test]
fn a_restart_is_repeated_once_and_then_the_link_is_given_up() {
    let mut lone = Lone::new(settings());
    lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    let again = vec!["0: RESTART REQUEST (user disconnected, 0)".to_string()];
    assert_eq!(lone.expire(), (Duration::from_secs(180), again));
    assert_eq!(lone.expire(), (Duration::from_secs(180), vec!["gives the link up".to_string()]));
    assert_eq!(lone.switch.next_wakeup(), None);
}

#[test]
fn a_restart_of_the_neighbour_ends_all_calls_of_the_link() {
    let mut lone = Lone::open(settings());
    lone.say("under way");
    assert_eq!(lone.hear(0, restart()), ["0: RESTART CONFIRMATION", "ends the call: out of order, 0 at 3100908001"]);
    assert_eq!((lone.switch.channels(), lone.switch.users(), lone.switch.counters().lost), (0, 0, 1));
}

#[test]
fn a_link_that_goes_down_ends_its_calls_and_packets_on_it_mean_nothing_until_it_is_ready() {
    let mut lone = Lone::open(settings());
    assert_eq!(lone.give(Input::TrunkDown { trunk: LINK }), ["ends the call: out of order, 0 at 3100908001"]);
    assert_eq!(lone.hear(1, data(0, 0, "late")), [""; 0]);
    assert_eq!(lone.hear(0, restart()), [""; 0]);
}

#[test]
fn a_link_that_comes_up_again_without_having_gone_down_begins_anew() {
    let mut lone = Lone::open(settings());
    let said = lone.give(Input::TrunkUp { trunk: LINK, role: InterfaceRole::Dce });
    let expected = ["ends the call: out of order, 0 at 3100908001", "0: RESTART REQUEST (user disconnected, 0)"];
    assert_eq!(said, expected);
}
