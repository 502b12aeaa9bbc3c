//! Own receiver busy: RNR, and how its end is signalled.

use sojourn_core::Machine;
use sojourn_protocols::ax25::machine::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

fn busy(busy_clear: BusyClear) -> Lone {
    let mut lone = Lone::connected(Settings { busy_clear, ..v2_0() });
    assert_eq!(lone.set_busy(true), ["RNR 0"]);
    lone
}

#[test]
fn information_is_dropped_and_polls_get_rnr() {
    let mut lone = busy(BusyClear::ReceiveReady);
    assert_eq!(lone.receive(command(i(0, 0, "a"))), NOTHING);
    assert_eq!(lone.receive(command_p(i(0, 0, "a"))), ["RNR 0 F"]);
    assert_eq!(lone.receive(command_p(rr(0))), ["RNR 0 F"]);
    assert_eq!(lone.counted(Counter::InformationDropped), 2);
}

#[test]
fn the_end_of_busy_is_signalled_as_configured() {
    assert_eq!(busy(BusyClear::Silent).set_busy(false), NOTHING);
    assert_eq!(busy(BusyClear::ReceiveReady).set_busy(false), ["RR 0"]);
    let mut lone = busy(BusyClear::Poll);
    assert_eq!(lone.set_busy(false), ["RR 0 P"]);
    assert_eq!(lone.state(), LinkState::TimerRecovery);
    assert_eq!(lone.expire(), ["RR 0 P"], "its loss is noticed");
    assert_eq!(lone.receive(response_f(rr(0))), NOTHING);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn a_busy_station_sends_information_and_enquires_with_rnr() {
    let mut lone = busy(BusyClear::ReceiveReady);
    assert_eq!(lone.send("out"), ["I 0,0"]);
    assert_eq!(lone.expire(), ["RNR 0 P"]);
}

#[test]
fn rnr_leaves_before_information_that_is_sent_at_the_same_time() {
    let mut lone = Lone::connected(v2_0());
    lone.station.handle(lone.now, Input::SetBusy { link: lone.link(), busy: true });
    assert_eq!(lone.send("out"), ["RNR 0", "I 0,0"]);
    assert_eq!(lone.send("more"), ["I 1,0"], "the peer knows");
}

#[test]
fn a_reestablished_link_reports_that_the_receiver_is_still_busy() {
    let mut lone = busy(BusyClear::ReceiveReady);
    let sabm = sojourn_protocols::ax25::wire::Body::Sabm;
    assert_eq!(lone.receive(command_p(sabm)), ["UA F", "RNR 0"]);
}
