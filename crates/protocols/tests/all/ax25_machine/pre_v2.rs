//! A peer before v2.0, whose frames do not distinguish commands from responses.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn a_link_to_a_pre_v2_station_comes_up_carries_information_and_ends() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!(lone.receive(pre_v2(false, Body::Ua)), ["connected"]);
    assert_eq!(lone.send("a"), ["I 0,0"]);
    assert_eq!(lone.receive(pre_v2(false, rr(1))), ["1 acknowledged"]);
    assert_eq!(lone.receive(pre_v2(false, i(0, 1, "x"))), ["delivers x", "RR 1"]);
    assert_eq!(lone.receive(pre_v2(false, Body::Disc)), ["disconnected (ByPeer), 0 lost", "UA"]);
}

#[test]
fn its_pf_bit_is_f_during_timer_recovery_and_p_otherwise() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(pre_v2(true, rr(0))), ["RR 0 F"]);
    lone.send("a");
    assert_eq!(lone.expire(), ["RR 0 P"]);
    assert_eq!(lone.receive(pre_v2(true, rr(1))), ["1 acknowledged"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn without_a_link_only_its_polls_get_dm_since_any_other_frame_may_be_a_response() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.receive(pre_v2(true, rr(0))), ["DM F"]);
    for body in [rr(0), rej(0), i(0, 0, "x")] {
        assert_eq!(lone.receive(pre_v2(false, body.clone())), Vec::<String>::new(), "{body:?}");
    }
}
