//! A peer older than v2.0, whose frames do not tell commands from responses.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn a_link_to_an_old_station_comes_up_carries_information_and_ends() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!(lone.hear(old(false, Body::Ua)), ["connected"]);
    assert_eq!(lone.send("a"), ["I 0,0"]);
    assert_eq!(lone.hear(old(false, rr(1))), ["has 1 acknowledged"]);
    assert_eq!(lone.hear(old(false, i(0, 1, "x"))), ["delivers x", "RR 1"]);
    assert_eq!(lone.hear(old(false, Body::Disc)), ["disconnected (ByPeer), 0 lost", "UA"]);
}

#[test]
fn its_poll_bit_answers_if_an_answer_is_awaited_and_polls_otherwise() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(old(true, rr(0))), ["RR 0 F"]);
    lone.send("a");
    assert_eq!(lone.wait(), ["RR 0 P"]);
    assert_eq!(lone.hear(old(true, rr(1))), ["has 1 acknowledged"]);
    assert_eq!(lone.state(), LinkState::Connected);
}
