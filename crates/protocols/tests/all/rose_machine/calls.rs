//! Calls: set up, refused, cleared.

use sojourn_core::Duration;
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::chain::Chain;
use super::lone::*;

#[test]
fn a_dce_selects_the_lowest_channel_and_call_accepted_connects_the_call() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    assert_eq!(lone.call("201256"), ["1: CALL REQUEST"]);
    assert_eq!(lone.receive(1, Body::CallAccepted), ["call connected"]);
    assert_eq!(lone.send("ping"), ["1: DATA 0 0 ping"]);
}

#[test]
fn a_dte_selects_the_highest_channel() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dte);
    assert_eq!(lone.call("201256"), ["50: CALL REQUEST"]);
}

#[test]
fn a_call_for_its_own_address_calls_the_user_and_is_accepted_when_it_connects() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    assert_eq!(lone.receive(50, pong_calls_ping("3100908001", 7)), ["calls PING for PONG at 201256"]);
    let user = lone.users[0];
    assert_eq!(lone.give(Input::UserConnected { user }), ["50: CALL ACCEPTED"]);
    assert_eq!(lone.receive(50, data(0, 0, "hello")), ["delivers hello"]);
}

#[test]
fn data_of_a_user_wait_until_the_call_is_connected() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    lone.call("201256");
    assert_eq!(lone.send("early"), [""; 0]);
    assert_eq!(lone.receive(1, Body::CallAccepted), ["1: DATA 0 0 early", "call connected"]);
}

#[test]
fn two_users_of_one_switch_are_connected_without_a_packet() {
    let mut lone = Lone::new(settings());
    assert_eq!(lone.call("908001"), ["calls PONG for PING at 908001"]);
    assert_eq!(lone.send("early"), [""; 0]);
    let called = lone.users[1];
    assert_eq!(lone.give(Input::UserConnected { user: called }), ["delivers early", "call connected"]);
    assert_eq!(lone.give(Input::UserData { user: called, data: b"back".to_vec() }), ["delivers back"]);
}

#[test]
fn a_call_without_a_route_is_refused_with_the_switch_s_address() {
    let mut lone = Lone::ready(Settings { routes: vec![], ..settings() }, InterfaceRole::Dce);
    assert_eq!(lone.call("201256"), ["disconnects the user: not obtainable, 67 at 3100908001"]);
}

#[test]
fn a_call_over_a_trunk_that_is_down_is_refused_as_out_of_order() {
    let mut lone = Lone::new(settings());
    assert_eq!(lone.call("201256"), ["disconnects the user: out of order, 0 at 3100908001"]);
}

#[test]
fn a_call_without_a_free_channel_is_refused_as_congested() {
    let mut lone = Lone::ready(Settings { highest_channel: 1, ..settings() }, InterfaceRole::Dce);
    lone.call("201256");
    assert_eq!(lone.call("201257"), ["disconnects the user: network congestion, 71 at 3100908001"]);
}

#[test]
fn a_call_without_callsigns_is_refused() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    let Body::CallRequest(call) = pong_calls_ping("3100908001", 7) else { unreachable!() };
    let call = Call { facilities: Facilities::default(), ..(*call).clone() };
    let outputs = lone.receive(50, Body::CallRequest(call.into()));
    assert_eq!(outputs, ["50: CLEAR REQUEST (invalid facility, 76)"]);
    assert_eq!(lone.switch.counters().refused, 1);
}

#[test]
fn a_user_that_does_not_respond_is_reported_to_the_caller() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    lone.receive(50, pong_calls_ping("3100908001", 7));
    let user = lone.users[0];
    let outputs = lone.give(Input::UserDisconnected { user, cause: Cause::SHIP_ABSENT });
    assert_eq!(outputs, ["50: CLEAR REQUEST (ship absent, 0)"]);
    assert_eq!(lone.receive(50, Body::ClearConfirmation), [""; 0]);
    assert_eq!(lone.switch.channels(), 0);
}

#[test]
fn an_unaccepted_call_is_cleared_after_t21() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    lone.call("201256");
    let (waited, outputs) = lone.expire();
    assert_eq!(waited, Duration::from_secs(200));
    assert_eq!(
        outputs,
        [
            "1: CLEAR REQUEST (local procedure error, 49)",
            "disconnects the user: remote procedure error, 49 at 3100908001"
        ]
    );
}

#[test]
fn a_clear_request_is_sent_twice_and_then_the_channel_is_free() {
    let mut lone = Lone::open(settings());
    let user = lone.users[0];
    assert_eq!(
        lone.give(Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED }),
        ["1: CLEAR REQUEST (user disconnected, 0)"]
    );
    let again = (Duration::from_secs(180), vec!["1: CLEAR REQUEST (local procedure error, 50)".to_string()]);
    assert_eq!(lone.expire(), again);
    assert_eq!(lone.switch.channels(), 1);
    assert_eq!(lone.expire(), (Duration::from_secs(180), vec![]));
    assert_eq!((lone.switch.channels(), lone.switch.next_wakeup_is_never()), (0, true));
}

#[test]
fn data_sent_before_the_clear_arrive_before_it() {
    let mut lone = Lone::open(Settings { window: 1, ..settings() });
    let user = lone.users[0];
    lone.send("one");
    lone.send("two");
    assert_eq!(lone.give(Input::UserDisconnected { user, cause: Cause::DTE_ORIGINATED }), [""; 0]);
    let outputs = lone.receive(1, Body::ReceiveReady { p_r: 1 });
    assert_eq!(outputs, ["1: DATA 1 0 two", "1: CLEAR REQUEST (user disconnected, 0)"]);
}

#[test]
fn a_user_keeps_its_link_until_it_has_acknowledged_the_data_before_the_clear() {
    let mut lone = Lone::open(settings());
    let user = lone.users[0];
    lone.receive(1, data(0, 0, "last words"));
    let clear = Body::ClearRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE, facilities: None };
    assert_eq!(lone.receive(1, clear), ["1: CLEAR CONFIRMATION"]);
    assert_eq!(lone.give(Input::UserAcknowledged { user, frames: 1 }), ["disconnects the user: user disconnected, 0"]);
}

#[test]
fn packets_on_a_free_channel_get_the_response_of_x_25() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    let clear = Body::ClearRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE, facilities: None };
    assert_eq!(lone.receive(9, clear), ["9: CLEAR CONFIRMATION"]);
    assert_eq!(lone.receive(9, Body::ClearConfirmation), [""; 0]);
    assert_eq!(lone.receive(9, data(0, 0, "?")), ["9: CLEAR REQUEST (local procedure error, 20)"]);
    assert_eq!(lone.receive(51, data(0, 0, "?")), ["0: DIAGNOSTIC 36"]);
    let header = Some([0x10, 1, 0x2b]);
    let outputs = lone.give(Input::Unreadable { trunk: LINK, code: Diagnostic(33), header });
    assert_eq!(outputs, ["0: DIAGNOSTIC 33"]);
}

#[test]
fn a_packet_invalid_on_an_open_channel_clears_the_call_at_both_ends() {
    let mut lone = Lone::open(settings());
    assert_eq!(
        lone.receive(1, Body::CallAccepted),
        [
            "1: CLEAR REQUEST (local procedure error, 23)",
            "disconnects the user: remote procedure error, 23 at 3100908001"
        ]
    );
}

#[test]
fn the_longest_matching_prefix_is_the_route_and_a_ready_trunk_is_preferred() {
    let prefix = |text: &str, trunk| Route { prefix: text.parse().unwrap(), trunk: TrunkId(trunk) };
    let routes = vec![prefix("3100", 0), prefix("3100201", 1), prefix("3100201", 2), prefix("3100300", 1)];
    let mut switch = Switch::<Vec<u8>>::new(std::sync::Arc::new(Settings { routes, ..settings() }), 3, 0).unwrap();
    let now = sojourn_core::Time::ZERO;
    use sojourn_core::Machine;
    for trunk in [0, 2] {
        let packet = Packet::new(0, Body::RestartConfirmation);
        switch.handle(now, Input::TrunkUp { trunk: TrunkId(trunk), role: InterfaceRole::Dce });
        switch.handle(now, Input::Receive { trunk: TrunkId(trunk), packet });
    }
    let mut route = |address: &str| {
        let user = switch.reserve_user();
        while switch.poll_output().is_some() {}
        switch.handle(now, Input::UserCallRequest { user, call: super::transcript::ping_calls_pong(address) });
        match switch.poll_output().unwrap() {
            Output::Transmit { trunk, .. } => Ok(trunk.0),
            Output::DisconnectUser { reason, .. } => Err(reason.cause),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(route("201256"), Ok(2));
    assert_eq!(route("555000"), Ok(0));
    assert_eq!(route("300000"), Err(Cause::OUT_OF_ORDER));
}

#[test]
fn through_three_switches_both_users_exchange_data_and_the_clear_reaches_both() {
    let mut chain = Chain::new(3, |settings| settings);
    chain.start();
    chain.settle();
    assert_eq!(chain.log.iter().filter(|line| line.ends_with("trunk ready")).count(), 4);
    chain.call(0, 2);
    chain.send(0, "ping");
    chain.settle();
    chain.send(2, "pong");
    chain.settle();
    assert_eq!(chain.delivered, [vec![b"pong".to_vec()], vec![], vec![b"ping".to_vec()]]);
    assert_eq!(chain.count("C calls PONG for PING at 000001"), 1);
    chain.hang_up(0);
    chain.settle();
    assert_eq!(chain.count("C disconnects the user: user disconnected, 0"), 1);
    assert_eq!(chain.switches.iter().map(Switch::channels).sum::<usize>(), 0, "{:#?}", chain.log);
}

/// Whether no timer runs, for use in an assertion.
trait Quiet {
    fn next_wakeup_is_never(&self) -> bool;
}

impl Quiet for Switch<Vec<u8>> {
    fn next_wakeup_is_never(&self) -> bool {
        sojourn_core::Machine::next_wakeup(self).is_none()
    }
}
