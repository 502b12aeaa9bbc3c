//! Routing loops.

use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::Body;

use super::chain::Chain;
use super::lone::*;
use super::transcript::number;

#[test]
fn a_call_between_two_switches_in_a_routing_loop_is_refused_at_once() {
    let astray = number("3100999999");
    let mut chain = Chain::new(2, |settings| {
        let trunk = TrunkId(u16::from(settings.address == super::chain::address(0)));
        Settings { routes: vec![Route { prefix: astray, trunk }], ..settings }
    });
    chain.start();
    chain.settle();
    let user = chain.switches[0].reserve_user();
    chain.users[0] = Some(user);
    chain.give(0, Input::UserCallRequest { user, call: super::transcript::ping_calls_pong("999999") });
    chain.settle();
    assert_eq!(chain.log.iter().filter(|line| line.ends_with("CALL REQUEST")).count(), 2, "{:#?}", chain.log);
    assert_eq!(chain.count("A disconnects the user: not obtainable, 120 at 3100000001"), 1, "{:#?}", chain.log);
    assert_eq!(chain.switches.iter().map(Switch::channels).sum::<usize>(), 0);
    assert_eq!(chain.switches[0].counters().loops, 1);
}

#[test]
fn two_calls_of_the_same_stations_with_different_random_numbers_are_not_a_loop() {
    let mut lone = Lone::ready(settings(), InterfaceRole::Dce);
    assert_eq!(lone.receive(50, pong_calls_ping("3100908001", 7)), ["calls PING for PONG at 201256"]);
    assert_eq!(lone.receive(49, pong_calls_ping("3100908001", 8)), ["calls PING for PONG at 201256"]);
    assert_eq!(lone.receive(48, pong_calls_ping("3100908001", 8)), ["48: CLEAR REQUEST (not obtainable, 120)"]);
    assert_eq!(lone.receive(48, Body::ClearConfirmation), [""; 0]);
}
