//! Windows, acknowledgements, RNR, resets, interrupts.

use sojourn_core::Duration;
use sojourn_protocols::rose::machine::*;
use sojourn_protocols::rose::wire::*;

use super::chain::Chain;
use super::lone::*;

fn acknowledge(lone: &mut Lone, frames: u16) -> Vec<String> {
    let user = lone.users[0];
    lone.give(Input::UserAcknowledged { user, frames })
}

#[test]
fn a_window_of_two_allows_two_packets_and_the_rest_after_an_acknowledgement() {
    let mut lone = Lone::open(Settings { window: 2, ..settings() });
    assert_eq!(lone.send("a"), ["1: DATA 0 0 a"]);
    assert_eq!(lone.send("b"), ["1: DATA 1 0 b"]);
    assert_eq!(lone.send("c"), [""; 0]);
    assert_eq!(lone.receive(1, Body::ReceiveReady { p_r: 1 }), ["1: DATA 2 0 c"]);
}

#[test]
fn numbers_count_modulo_8() {
    let mut lone = Lone::open(settings());
    let mut outputs = Vec::new();
    for number in 0..9 {
        outputs.extend(lone.send("x"));
        lone.receive(1, Body::ReceiveReady { p_r: (number + 1) % 8 });
    }
    assert_eq!(outputs[7..], ["1: DATA 7 0 x", "1: DATA 0 0 x"]);
}

#[test]
fn an_acknowledgement_waits_to_be_carried_by_data() {
    let mut lone = Lone::open(settings());
    lone.receive(1, data(0, 0, "a"));
    lone.receive(1, data(1, 0, "b"));
    assert_eq!(lone.send("back"), ["1: DATA 0 2 back"]);
    assert_eq!(lone.expire().0, Duration::from_secs(200), "only the window's own timer is left");
}

#[test]
fn an_acknowledgement_without_data_is_sent_alone_after_its_delay() {
    let mut lone = Lone::open(settings());
    lone.receive(1, data(0, 0, "a"));
    assert_eq!(lone.expire(), (Duration::from_secs(5), vec!["1: RR 1".to_string()]));
}

#[test]
fn a_full_window_is_acknowledged_at_once() {
    let mut lone = Lone::open(Settings { window: 2, ..settings() });
    assert_eq!(lone.receive(1, data(0, 0, "a")), ["delivers a"]);
    assert_eq!(lone.receive(1, data(1, 0, "b")), ["1: RR 2", "delivers b"]);
}

#[test]
fn nothing_is_sent_after_rnr_until_rr() {
    let mut lone = Lone::open(settings());
    lone.receive(1, Body::ReceiveNotReady { p_r: 0 });
    assert_eq!(lone.send("a"), [""; 0]);
    assert_eq!(lone.receive(1, Body::ReceiveReady { p_r: 0 }), ["1: DATA 0 0 a"]);
}

#[test]
fn a_reject_retransmits_from_its_p_r() {
    let mut lone = Lone::open(settings());
    for text in ["a", "b", "c"] {
        lone.send(text);
    }
    assert_eq!(lone.receive(1, Body::Reject { p_r: 1 }), ["1: DATA 1 0 b", "1: DATA 2 0 c"]);
    assert_eq!(lone.switch.counters().resent, 2);
}

#[test]
fn a_user_that_does_not_acknowledge_stops_the_neighbour_until_half_the_queue_has_left() {
    let mut lone = Lone::open(Settings { queue_limit: 4, ..settings() });
    let outputs: Vec<_> = (0..4).flat_map(|send| lone.receive(1, data(send, 0, "x"))).collect();
    assert_eq!(outputs.last().unwrap(), "1: RNR 4");
    assert_eq!(lone.receive(1, data(4, 0, "already in flight")), ["delivers already in flight"], "nothing is dropped");
    assert_eq!(acknowledge(&mut lone, 2), [""; 0]);
    assert_eq!(acknowledge(&mut lone, 1), ["1: RR 5"]);
    assert_eq!((lone.switch.counters().rnr_sent, lone.switch.counters().lost), (1, 0));
}

#[test]
fn a_user_is_stopped_while_the_queue_to_the_neighbour_is_full() {
    let mut lone = Lone::open(Settings { window: 1, queue_limit: 2, ..settings() });
    lone.send("sent");
    lone.send("waits");
    assert_eq!(lone.send("waits too"), ["stops the user"]);
    let outputs = lone.receive(1, Body::ReceiveReady { p_r: 1 });
    assert_eq!(outputs, ["1: DATA 1 0 waits", "releases the user"]);
}

#[test]
fn a_long_frame_is_fragmented_with_the_m_bit_and_a_short_one_is_not() {
    let mut lone = Lone::open(Settings { packet_size: 4, ..settings() });
    assert_eq!(lone.send("whole"[..4].as_ref()), ["1: DATA 0 0 whol"]);
    assert_eq!(lone.send("tenletters"), ["1: DATA 1 0 M tenl", "1: DATA 2 0 M ette", "1: DATA 3 0 rs"]);
    let more = Body::Data { p_s: 0, p_r: 4, more: true, data: b"part".to_vec() };
    assert_eq!(lone.receive(1, more), ["delivers part M"]);
}

#[test]
fn with_the_d_bit_data_are_acknowledged_once_the_user_has_acknowledged_them() {
    let mut lone = Lone::open(settings());
    let body = data(0, 0, "important");
    let packet = Packet { d_bit: true, ..Packet::new(1, body) };
    lone.give(Input::Receive { trunk: LINK, packet });
    assert_eq!(lone.send("no acknowledgement yet"), ["1: DATA 0 0 no acknowledgement yet"]);
    acknowledge(&mut lone, 1);
    assert_eq!(lone.send("now"), ["1: DATA 1 1 now"]);
}

#[test]
fn with_end_to_end_significance_the_window_waits_for_the_far_user() {
    let run = |significance| {
        let mut chain = Chain::new(3, |settings| Settings { window: 2, significance, ..settings });
        chain.users_acknowledge = false;
        chain.start();
        chain.settle();
        chain.call(0, 2);
        (0..6).for_each(|_| chain.send(0, "x"));
        chain.settle();
        (chain.delivered[2].len(), chain.ended[0])
    };
    assert_eq!(run(Significance::Local), (6, 0));
    assert_eq!(run(Significance::EndToEnd), (2, 1), "and the circuit does not wait for ever");
}

#[test]
fn an_unexpected_p_s_resets_the_circuit_which_clears_the_user_s_call() {
    let mut lone = Lone::open(settings());
    let outputs = lone.receive(1, data(1, 0, "one too far"));
    assert_eq!(
        outputs,
        [
            "1: RESET REQUEST (local procedure error, 1)",
            "1: CLEAR REQUEST (local procedure error, 1)",
            "disconnects the user: remote procedure error, 1 at 3100908001"
        ]
    );
    assert_eq!(lone.switch.counters().lost, 1);
}

#[test]
fn an_invalid_p_r_resets_the_circuit() {
    let mut lone = Lone::open(settings());
    assert_eq!(lone.receive(1, Body::ReceiveReady { p_r: 1 })[0], "1: RESET REQUEST (local procedure error, 2)");
}

#[test]
fn t25_resets_the_circuit_unless_the_neighbour_is_busy() {
    let mut lone = Lone::open(settings());
    lone.send("a");
    let (waited, outputs) = lone.expire();
    assert_eq!((waited, &outputs[0][..]), (Duration::from_secs(200), "1: RESET REQUEST (local procedure error, 48)"));
    let mut lone = Lone::open(settings());
    lone.send("a");
    lone.receive(1, Body::ReceiveNotReady { p_r: 0 });
    assert_eq!(sojourn_core::Machine::next_wakeup(&lone.switch), None);
}

#[test]
fn a_transit_switch_propagates_a_reset_and_data_flow_resumes() {
    let routes = vec![
        Route { prefix: "3100201".parse().unwrap(), trunk: TrunkId(0) },
        Route { prefix: "3100300".parse().unwrap(), trunk: TrunkId(1) },
    ];
    let mut transit = Transit::new(Settings { routes, ..settings() });
    transit.receive(0, 1, pong_calls_ping("3100300000", 7));
    transit.receive(1, 1, Body::CallAccepted);
    assert_eq!(transit.receive(0, 1, data(0, 0, "before")), ["link 1 1: DATA 0 0 before"]);
    let reset = Body::ResetRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic(9) };
    assert_eq!(
        transit.receive(0, 1, reset),
        ["link 0 1: RESET CONFIRMATION", "link 1 1: RESET REQUEST (user disconnected, 9)"]
    );
    assert_eq!(transit.receive(0, 1, data(0, 0, "after")), [""; 0], "the other half is not ready yet");
    assert_eq!(transit.receive(1, 1, data(3, 3, "late")), [""; 0], "from before the reset");
    assert_eq!(transit.receive(1, 1, Body::ResetConfirmation), ["link 1 1: DATA 0 0 after"]);
}

#[test]
fn an_unconfirmed_reset_is_repeated_and_then_clears_the_circuit() {
    let routes = vec![Route { prefix: "3100300".parse().unwrap(), trunk: TrunkId(1) }];
    let mut transit = Transit::new(Settings { routes, ..settings() });
    transit.receive(0, 1, pong_calls_ping("3100300000", 7));
    transit.receive(1, 1, Body::CallAccepted);
    transit.receive(0, 1, Body::ResetRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE });
    assert_eq!(transit.expire(), ["link 1 1: RESET REQUEST (local procedure error, 51)"]);
    assert_eq!(
        transit.expire(),
        ["link 1 1: CLEAR REQUEST (local procedure error, 51)", "link 0 1: CLEAR REQUEST (remote procedure error, 51)"]
    );
}

#[test]
fn an_interrupt_bypasses_a_full_window_and_is_confirmed() {
    let routes = vec![Route { prefix: "3100300".parse().unwrap(), trunk: TrunkId(1) }];
    let mut transit = Transit::new(Settings { routes, window: 1, ..settings() });
    transit.receive(0, 1, pong_calls_ping("3100300000", 7));
    transit.receive(1, 1, Body::CallAccepted);
    transit.receive(0, 1, data(0, 0, "a"));
    transit.receive(0, 1, data(1, 0, "waits"));
    assert_eq!(transit.receive(0, 1, Body::Interrupt(b"!".to_vec())), ["link 1 1: INTERRUPT !"]);
    assert_eq!(transit.receive(1, 1, Body::InterruptConfirmation), ["link 0 1: INTERRUPT CONFIRMATION"]);
}

#[test]
fn an_interrupt_for_a_user_is_confirmed_by_the_switch() {
    let mut lone = Lone::open(settings());
    assert_eq!(lone.receive(1, Body::Interrupt(b"!".to_vec())), ["1: INTERRUPT CONFIRMATION"]);
}
