//! XID negotiation.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

fn negotiating() -> Lone {
    let mut lone = Lone::new(Settings { xid_negotiation: true, reject_mode: RejectMode::MultiSelective, ..v2_2() });
    lone.connect();
    assert_eq!(lone.receive(response_f(Body::Ua)), ["connected, v2.2", "XID P"]);
    lone
}

fn xid(functions: Functions, k: u8, n1: u16) -> Body<Vec<u8>> {
    Body::Xid(Xid { functions: Some(functions), k: Some(k), n1: Some(n1), ..Xid::default() })
}

#[test]
fn each_station_observes_the_n1_and_k_of_the_other() {
    let mut lone = negotiating();
    assert_eq!(lone.receive(response_f(xid(Functions::ALWAYS.with(Functions::SELECTIVE_REJECT), 3, 64))), NOTHING);
    assert_eq!(lone.expire(), ["no timer runs"]);
    assert_eq!(lone.station.n1(lone.link()), 64);
    let sent = (0..9).filter(|_| !lone.send("x").is_empty()).count();
    assert_eq!(sent, 3);
}

#[test]
fn the_lesser_reject_mode_holds() {
    let gap = |lone: &mut Lone| lone.receive(extended(command(i(2, 0, "c"))));
    let all = Functions::ALWAYS.with(Functions::REJECT);
    for (functions, expected) in [
        (all, vec!["REJ 0"]),
        (all.with(Functions::SELECTIVE_REJECT), vec!["SREJ 0", "SREJ 1"]),
        (all.with(Functions::SELECTIVE_REJECT).with(Functions::MULTI_SELECTIVE_REJECT), vec!["SREJ 0+1"]),
    ] {
        let mut lone = negotiating();
        lone.receive(response_f(xid(functions, 32, 256)));
        assert_eq!(gap(&mut lone), expected);
    }
}

#[test]
fn the_greater_t1_and_n2_hold() {
    let mut lone = negotiating();
    let slower = Xid { t1_ms: Some(7000), n2: Some(12), ..Xid::default() };
    lone.receive(response_f(Body::Xid(slower)));
    let start = lone.now;
    lone.send("x");
    let questions = std::iter::from_fn(|| Some(lone.expire())).take_while(|words| words == &["RR 0 P"]).count();
    assert_eq!(questions, 12);
    assert_eq!((lone.now - start).picoseconds(), 13 * 7_000_000_000_000);
}

#[test]
fn xid_is_sent_n2_times_and_then_the_defaults_hold() {
    let mut lone = negotiating();
    let asked = std::iter::from_fn(|| Some(lone.expire())).take_while(|words| words == &["XID P"]).count();
    assert_eq!(asked, 9, "ten with the first");
    assert_eq!(lone.state(), LinkState::Connected);
    assert_eq!(lone.receive(extended(command(i(1, 0, "b")))), ["SREJ 0"]);
}

#[test]
fn frmr_in_response_to_xid_means_v2_0() {
    let mut lone = negotiating();
    assert_eq!(lone.receive(response_f(Body::Frmr(None))), ["SABM P"]);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["reset, 0 lost"]);
    assert_eq!(lone.send("x"), ["I 0,0"]);
    assert_eq!(lone.expire(), ["RR 0 P"], "XID is not sent again");
}

#[test]
fn xid_gets_a_response_in_any_state() {
    let mut lone = Lone::new(v2_2());
    assert_eq!(lone.receive(command_p(Body::Xid(Xid::default()))), ["XID F"]);
    lone.receive(command_p(Body::Sabme));
    assert_eq!(lone.receive(command_p(Body::Xid(Xid::default()))), ["XID F"]);
    assert_eq!(lone.receive(response_f(Body::Xid(Xid::default()))), NOTHING, "an unexpected response is ignored");
}
