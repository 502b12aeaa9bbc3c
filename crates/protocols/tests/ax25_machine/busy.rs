//! Own busy: RNR, and how its end is told.

use sojourn_protocols::ax25::machine::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

fn busy(busy_clear: BusyClear) -> Lone {
    let mut lone = Lone::connected(Settings { busy_clear, ..v2_0() });
    assert_eq!(lone.set_busy(true), ["RNR 0"]);
    lone
}

#[test]
fn information_is_dropped_and_polls_are_answered_with_rnr() {
    let mut lone = busy(BusyClear::ReceiveReady);
    assert_eq!(lone.hear(command(i(0, 0, "a"))), NOTHING);
    assert_eq!(lone.hear(polls(i(0, 0, "a"))), ["RNR 0 F"]);
    assert_eq!(lone.hear(polls(rr(0))), ["RNR 0 F"]);
    assert_eq!(lone.counted(Counter::InformationDropped), 2);
}

#[test]
fn the_end_is_told_as_the_station_is_set() {
    assert_eq!(busy(BusyClear::Silent).set_busy(false), NOTHING);
    assert_eq!(busy(BusyClear::ReceiveReady).set_busy(false), ["RR 0"]);
    let mut lone = busy(BusyClear::Poll);
    assert_eq!(lone.set_busy(false), ["RR 0 P"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    assert_eq!(lone.wait(), ["RR 0 P"], "its loss is noticed");
    assert_eq!(lone.hear(finals(rr(0))), NOTHING);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn a_busy_station_sends_and_asks_with_rnr() {
    let mut lone = busy(BusyClear::ReceiveReady);
    assert_eq!(lone.send("out"), ["I 0,0"]);
    assert_eq!(lone.wait(), ["RNR 0 P"]);
}

#[test]
fn a_link_that_begins_anew_hears_that_the_user_is_still_busy() {
    let mut lone = busy(BusyClear::ReceiveReady);
    let sabm = sojourn_protocols::ax25::wire::Body::Sabm;
    assert_eq!(lone.hear(polls(sabm)), ["UA F", "RNR 0"]);
}
