//! Information transfer (state 3): I frames in both directions, acknowledgements, REJ, FRMR.

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

#[test]
fn at_most_k_i_frames_are_in_flight() {
    let mut lone = Lone::connected(Settings { k: 2, ..v2_0() });
    assert_eq!([lone.send("a"), lone.send("b"), lone.send("c")], [vec!["I 0,0"], vec!["I 1,0"], vec![]]);
    assert_eq!(lone.receive(response(rr(1))), ["1 acknowledged", "I 2,0"]);
    assert_eq!(lone.receive(response(rr(3))), ["2 acknowledged"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn sequence_numbers_wrap_modulo_8_and_modulo_128() {
    let mut lone = Lone::connected(v2_0());
    for number in 0..20u8 {
        assert_eq!(lone.send("x"), [format!("I {},0", number % 8)]);
        lone.receive(response(rr((number + 1) % 8)));
    }
    let mut lone = Lone::connected_extended(v2_2());
    for number in 0..300u16 {
        assert_eq!(lone.send("x"), [format!("I {},0", number % 128)]);
        lone.receive(extended(response(rr(((number + 1) % 128) as u8))));
    }
}

#[test]
fn information_in_sequence_is_delivered_and_acknowledged() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(command(i(0, 0, "a"))), ["delivers a", "RR 1"]);
    assert_eq!(lone.receive(command(i(1, 0, "b"))), ["delivers b", "RR 2"]);
}

#[test]
fn a_poll_gets_its_response_at_once_regardless_of_t2() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(2), ..v2_0() });
    assert_eq!(lone.receive(command(i(0, 0, "a"))), ["delivers a"]);
    assert_eq!(lone.receive(command_p(i(1, 0, "b"))), ["delivers b", "RR 2 F"]);
    assert_eq!(lone.expire(), ["no timer runs"], "the answer acknowledged both");
}

#[test]
fn t2_runs_from_the_first_frame_and_one_rr_acknowledges_all() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(1), ..v2_0() });
    let start = lone.now;
    assert_eq!(lone.receive(command(i(0, 0, "a"))), ["delivers a"]);
    lone.advance(Duration::from_millis(900));
    assert_eq!(lone.receive(command(i(1, 0, "b"))), ["delivers b"]);
    assert_eq!(lone.expire(), ["RR 2"]);
    assert_eq!(lone.now - start, Duration::from_secs(1));
}

#[test]
fn an_i_frame_carries_the_acknowledgement_and_stops_t2() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(1), ..v2_0() });
    lone.receive(command(i(0, 0, "a")));
    assert_eq!(lone.send("reply"), ["I 0,1"]);
    assert_eq!(lone.receive(response(rr(1))), ["1 acknowledged"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn an_i_frame_with_p_gets_rr_before_own_information() {
    let mut lone = Lone::connected(Settings { k: 1, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.receive(command_p(i(0, 1, "x"))), ["1 acknowledged", "delivers x", "RR 1 F", "I 1,1"]);
}

#[test]
fn a_frame_out_of_sequence_is_rejected_once_until_the_missing_one_arrives() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(command(i(1, 0, "b"))), ["REJ 0"]);
    assert_eq!(lone.receive(command(i(2, 0, "c"))), NOTHING);
    assert_eq!(lone.receive(command_p(i(3, 0, "d"))), ["RR 0 F"]);
    assert_eq!(lone.receive(command(i(0, 0, "a"))), ["delivers a", "RR 1"]);
    assert_eq!(lone.receive(command_p(i(2, 0, "c"))), ["REJ 1 F"]);
    assert_eq!(lone.counted(Counter::InformationDropped), 4);
}

#[test]
fn rej_acknowledges_frames_before_n_r_and_retransmits_the_rest() {
    let mut lone = Lone::connected(v2_0());
    (0..4).for_each(|_| _ = lone.send("x"));
    assert_eq!(lone.receive(response(rej(2))), ["2 acknowledged", "I 2,0", "I 3,0"]);
    assert_eq!(lone.receive(response(rr(4))), ["2 acknowledged"]);
    assert_eq!(lone.counted(Counter::InformationResent), 2);
}

#[test]
fn an_rr_command_with_p_gets_a_response_and_clears_peer_busy() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    assert_eq!(lone.receive(response(rnr(1))), ["peer busy", "1 acknowledged"]);
    assert_eq!(lone.send("b"), NOTHING);
    assert_eq!(lone.receive(command_p(rr(1))), ["peer ready", "RR 0 F", "I 1,0"]);
}

#[test]
fn an_invalid_n_r_makes_v2_0_send_frmr_and_v2_2_reset_the_link() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    assert_eq!(lone.receive(command(rr(3))), ["FRMR Z"]);
    assert_eq!(lone.state(), LinkState::FrameReject);
    assert_eq!(lone.receive(command_p(rr(0))), ["FRMR Z F"]);
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["reset, 1 lost", "UA F"]);
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(lone.receive(extended(response(rr(3)))), ["SABME P"]);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["reset, 0 lost"]);
    assert_eq!(lone.counted(Counter::FrameRejectsSent), 0);
}

#[test]
fn information_longer_than_n1_is_rejected() {
    let mut lone = Lone::connected(Settings { n1_receive: 3, ..v2_0() });
    assert_eq!(lone.receive(command(i(0, 0, "abc"))), ["delivers abc", "RR 1"]);
    assert_eq!(lone.receive(command_p(i(1, 0, "abcd"))), ["FRMR Y F"]);
}

#[test]
fn a_station_repeats_frmr_and_finally_resets_the_link_itself() {
    let mut lone = Lone::connected(Settings { n2: 2, ..v2_0() });
    lone.send("a");
    lone.receive(command(rr(5)));
    assert_eq!([lone.expire(), lone.expire()], [["FRMR Z"], ["SABM P"]]);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["reset, 1 lost"]);
}

#[test]
fn disc_and_dm_end_a_link_in_frame_reject() {
    for (frame, expected) in [
        (command_p(Body::Disc), vec!["disconnected (ByPeer), 1 lost", "UA F"]),
        (response(Body::Dm), vec!["disconnected (ByPeer), 1 lost"]),
    ] {
        let mut lone = Lone::connected(v2_0());
        lone.send("a");
        lone.receive(command(rr(5)));
        assert_eq!(lone.receive(frame), expected);
        assert_eq!(lone.expire(), ["no timer runs"]);
    }
}

#[test]
fn frmr_and_an_unexpected_ua_reset_the_link() {
    for body in [Body::Frmr(None), Body::Ua] {
        let mut lone = Lone::connected(v2_0());
        lone.send("a");
        assert_eq!(lone.receive(response_f(body)), ["SABM P"]);
        assert_eq!(lone.state(), LinkState::AwaitingConnection);
        assert_eq!(lone.receive(response_f(Body::Ua)), ["reset, 1 lost"]);
        assert_eq!(lone.send("b"), ["I 0,0"]);
    }
}

#[test]
fn frmr_on_a_link_modulo_128_means_that_the_peer_implements_v2_0() {
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(lone.receive(response_f(Body::Frmr(None))), ["SABM P"]);
    assert_eq!(lone.counted(Counter::FallBacks), 1);
}

#[test]
fn sabm_on_a_connected_link_resets_it_and_reports_what_is_lost() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    lone.receive(command(i(0, 0, "x")));
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["reset, 1 lost", "UA F"]);
    assert_eq!(lone.receive(command(i(0, 0, "y"))), ["delivers y", "RR 1"]);
}

#[test]
fn a_repeated_sabm_after_a_lost_ua_is_not_a_reset() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["UA F"]);
    assert_eq!(lone.counted(Counter::Resets), 0);
}

#[test]
fn ui_frames_are_delivered_in_any_state_without_changing_it() {
    let ui = || Body::Ui { pid: Pid::NONE, data: b"news".to_vec() };
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.receive(command(ui())), ["UI news"]);
    assert_eq!(lone.receive(command_p(ui())), ["UI news", "DM F"]);
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.receive(command_p(ui())), ["UI news", "RR 0 F"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn test_commands_are_returned_and_test_responses_reported() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.receive(command_p(Body::Test(b"echo".to_vec()))), ["TEST F"]);
    assert_eq!(lone.receive(response_f(Body::Test(b"mine".to_vec()))), ["TEST response mine"]);
    let key = lone.key;
    assert_eq!(lone.give(Input::SendTest { key, data: b"out".to_vec() }), ["TEST P"]);
    assert_eq!(lone.give(Input::SendUnnumbered { key, pid: Pid::NONE, data: b"out".to_vec() }), ["UI"]);
}
