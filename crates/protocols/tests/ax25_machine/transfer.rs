//! State 3: information both ways, acknowledgements, REJ.

use sojourn_core::Duration;
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

const NOTHING: Vec<String> = Vec::new();

#[test]
fn information_goes_as_the_window_allows() {
    let mut lone = Lone::connected(Settings { k: 2, ..v2_0() });
    assert_eq!([lone.send("a"), lone.send("b"), lone.send("c")], [vec!["I 0,0"], vec!["I 1,0"], vec![]]);
    assert_eq!(lone.hear(response(rr(1))), ["has 1 acknowledged", "I 2,0"]);
    assert_eq!(lone.hear(response(rr(3))), ["has 2 acknowledged"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn sequence_numbers_go_round_modulo_8_and_modulo_128() {
    let mut lone = Lone::connected(v2_0());
    for number in 0..20u8 {
        assert_eq!(lone.send("x"), [format!("I {},0", number % 8)]);
        lone.hear(response(rr((number + 1) % 8)));
    }
    let mut lone = Lone::connected_extended(v2_2());
    for number in 0..300u16 {
        assert_eq!(lone.send("x"), [format!("I {},0", number % 128)]);
        lone.hear(extended(response(rr(((number + 1) % 128) as u8))));
    }
}

#[test]
fn information_in_sequence_is_delivered_and_acknowledged() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(command(i(0, 0, "a"))), ["delivers a", "RR 1"]);
    assert_eq!(lone.hear(command(i(1, 0, "b"))), ["delivers b", "RR 2"]);
}

#[test]
fn a_poll_is_answered_at_once_whatever_t2_is() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(2), ..v2_0() });
    assert_eq!(lone.hear(command(i(0, 0, "a"))), ["delivers a"]);
    assert_eq!(lone.hear(polls(i(1, 0, "b"))), ["delivers b", "RR 2 F"]);
    assert_eq!(lone.wait(), ["no timer runs"], "the answer acknowledged both");
}

#[test]
fn t2_runs_from_the_first_frame_and_one_rr_acknowledges_all() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(1), ..v2_0() });
    let start = lone.now;
    assert_eq!(lone.hear(command(i(0, 0, "a"))), ["delivers a"]);
    lone.pass(Duration::from_millis(900));
    assert_eq!(lone.hear(command(i(1, 0, "b"))), ["delivers b"]);
    assert_eq!(lone.wait(), ["RR 2"]);
    assert_eq!(lone.now - start, Duration::from_secs(1));
}

#[test]
fn an_i_frame_carries_the_acknowledgement_and_t2_is_forgotten() {
    let mut lone = Lone::connected(Settings { t2: Duration::from_secs(1), ..v2_0() });
    lone.hear(command(i(0, 0, "a")));
    assert_eq!(lone.send("reply"), ["I 0,1"]);
    assert_eq!(lone.hear(response(rr(1))), ["has 1 acknowledged"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn a_polled_i_frame_is_answered_by_rr_before_own_information() {
    let mut lone = Lone::connected(Settings { k: 1, ..v2_0() });
    lone.send("a");
    lone.send("b");
    assert_eq!(lone.hear(polls(i(0, 1, "x"))), ["has 1 acknowledged", "delivers x", "RR 1 F", "I 1,1"]);
}

#[test]
fn a_frame_out_of_sequence_is_rejected_once_until_the_missing_one_comes() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(command(i(1, 0, "b"))), ["REJ 0"]);
    assert_eq!(lone.hear(command(i(2, 0, "c"))), NOTHING);
    assert_eq!(lone.hear(polls(i(3, 0, "d"))), ["RR 0 F"]);
    assert_eq!(lone.hear(command(i(0, 0, "a"))), ["delivers a", "RR 1"]);
    assert_eq!(lone.hear(polls(i(2, 0, "c"))), ["REJ 1 F"]);
    assert_eq!(lone.counted(Counter::InformationDropped), 4);
}

#[test]
fn rej_acknowledges_what_came_before_and_brings_the_rest_again() {
    let mut lone = Lone::connected(v2_0());
    (0..4).for_each(|_| _ = lone.send("x"));
    assert_eq!(lone.hear(response(rej(2))), ["has 2 acknowledged", "I 2,0", "I 3,0"]);
    assert_eq!(lone.hear(response(rr(4))), ["has 2 acknowledged"]);
    assert_eq!(lone.counted(Counter::InformationResent), 2);
}

#[test]
fn a_command_that_polls_is_answered_and_clears_the_busy_condition() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    assert_eq!(lone.hear(response(rnr(1))), ["is held", "has 1 acknowledged"]);
    assert_eq!(lone.send("b"), NOTHING);
    assert_eq!(lone.hear(polls(rr(1))), ["is let go", "RR 0 F", "I 1,0"]);
}

#[test]
fn an_n_r_of_what_was_never_sent_makes_v2_0_say_frmr_and_v2_2_begin_anew() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    assert_eq!(lone.hear(command(rr(3))), ["FRMR Z"]);
    assert_eq!(lone.state(), LinkState::FrameReject);
    assert_eq!(lone.hear(polls(rr(0))), ["FRMR Z F"]);
    assert_eq!(lone.hear(polls(Body::Sabm)), ["is reset, 1 lost", "UA F"]);
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(lone.hear(extended(response(rr(3)))), ["SABME P"]);
    assert_eq!(lone.hear(finals(Body::Ua)), ["is reset, 0 lost"]);
    assert_eq!(lone.counted(Counter::FrameRejectsSent), 0);
}

#[test]
fn information_beyond_the_limit_is_rejected() {
    let mut lone = Lone::connected(Settings { n1_receive: 3, ..v2_0() });
    assert_eq!(lone.hear(command(i(0, 0, "abc"))), ["delivers abc", "RR 1"]);
    assert_eq!(lone.hear(polls(i(1, 0, "abcd"))), ["FRMR Y F"]);
}

#[test]
fn a_station_that_said_frmr_repeats_it_and_begins_anew_itself_in_the_end() {
    let mut lone = Lone::connected(Settings { n2: 2, ..v2_0() });
    lone.send("a");
    lone.hear(command(rr(5)));
    assert_eq!([lone.wait(), lone.wait()], [["FRMR Z"], ["SABM P"]]);
    assert_eq!(lone.hear(finals(Body::Ua)), ["is reset, 1 lost"]);
}

#[test]
fn disc_and_dm_end_a_link_whose_frame_was_rejected() {
    for (frame, expected) in [
        (polls(Body::Disc), vec!["disconnected (ByPeer), 1 lost", "UA F"]),
        (response(Body::Dm), vec!["disconnected (ByPeer), 1 lost"]),
    ] {
        let mut lone = Lone::connected(v2_0());
        lone.send("a");
        lone.hear(command(rr(5)));
        assert_eq!(lone.hear(frame), expected);
        assert_eq!(lone.wait(), ["no timer runs"]);
    }
}

#[test]
fn frmr_and_an_unexpected_ua_make_the_link_begin_anew() {
    for body in [Body::Frmr(None), Body::Ua] {
        let mut lone = Lone::connected(v2_0());
        lone.send("a");
        assert_eq!(lone.hear(finals(body)), ["SABM P"]);
        assert_eq!(lone.state(), LinkState::AwaitingConnection);
        assert_eq!(lone.hear(finals(Body::Ua)), ["is reset, 1 lost"]);
        assert_eq!(lone.send("b"), ["I 0,0"]);
    }
}

#[test]
fn frmr_on_a_link_modulo_128_means_that_the_other_speaks_v2_0() {
    let mut lone = Lone::connected_extended(v2_2());
    assert_eq!(lone.hear(finals(Body::Frmr(None))), ["SABM P"]);
    assert_eq!(lone.counted(Counter::FallBacks), 1);
}

#[test]
fn sabm_on_a_link_that_is_up_begins_it_anew_and_tells_what_is_lost() {
    let mut lone = Lone::connected(v2_0());
    lone.send("a");
    lone.hear(command(i(0, 0, "x")));
    assert_eq!(lone.hear(polls(Body::Sabm)), ["is reset, 1 lost", "UA F"]);
    assert_eq!(lone.hear(command(i(0, 0, "y"))), ["delivers y", "RR 1"]);
}

#[test]
fn sabm_again_because_ua_was_lost_is_no_reset() {
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(polls(Body::Sabm)), ["UA F"]);
    assert_eq!(lone.counted(Counter::Resets), 0);
}

#[test]
fn ui_frames_are_delivered_in_any_state_and_change_none() {
    let ui = || Body::Ui { pid: Pid::NONE, data: b"news".to_vec() };
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.hear(command(ui())), ["hears news"]);
    assert_eq!(lone.hear(polls(ui())), ["hears news", "DM F"]);
    let mut lone = Lone::connected(v2_0());
    assert_eq!(lone.hear(polls(ui())), ["hears news", "RR 0 F"]);
    assert_eq!(lone.state(), LinkState::Connected);
}

#[test]
fn test_frames_come_back_and_their_answers_are_told() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.hear(polls(Body::Test(b"echo".to_vec()))), ["TEST F"]);
    assert_eq!(lone.hear(finals(Body::Test(b"mine".to_vec()))), ["gets mine back"]);
    let key = lone.key;
    assert_eq!(lone.give(Input::SendTest { key, data: b"out".to_vec() }), ["TEST P"]);
    assert_eq!(lone.give(Input::SendUnnumbered { key, pid: Pid::NONE, data: b"out".to_vec() }), ["UI"]);
}
