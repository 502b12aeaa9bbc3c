//! States 0, 1 and 5: how a link comes about, or does not.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn the_user_s_wish_sends_sabm_and_ua_brings_the_link_up() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.hear(finals(Body::Ua)), ["connected"]);
    assert_eq!(lone.state(), LinkState::Connected);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn a_v2_2_station_sends_sabme() {
    let mut lone = Lone::new(v2_2());
    assert_eq!(lone.connect(), ["SABME P"]);
    assert_eq!(lone.state(), LinkState::AwaitingV22Connection);
    assert_eq!(lone.hear(finals(Body::Ua)), ["connected, v2.2"]);
}

#[test]
fn sabm_is_agreed_to_with_the_poll_bit_it_bore() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.hear(polls(Body::Sabm)), ["connected by the other", "UA F"]);
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.hear(command(Body::Sabm)), ["connected by the other", "UA"]);
}

#[test]
fn sabme_is_agreed_to_by_a_v2_2_station() {
    let mut lone = Lone::new(v2_2());
    assert_eq!(lone.hear(polls(Body::Sabme)), ["connected by the other, v2.2", "UA F"]);
}

#[test]
fn a_v2_0_station_refuses_sabme_as_it_is_told() {
    for (refuses_extended, expected) in [
        (SabmeResponse::FrameReject, vec!["FRMR W F"]),
        (SabmeResponse::DisconnectedMode, vec!["DM F"]),
        (SabmeResponse::Silent, vec![]),
    ] {
        let mut lone = Lone::new(Settings { sabme_response: refuses_extended, ..v2_0() });
        assert_eq!(lone.hear(polls(Body::Sabme)), expected);
        assert_eq!(lone.state(), LinkState::Disconnected);
    }
}

#[test]
fn a_station_that_accepts_nobody_says_dm() {
    let mut lone = Lone::new(Settings { accepts_connections: false, ..v2_0() });
    assert_eq!(lone.hear(polls(Body::Sabm)), ["DM F"]);
    assert_eq!(lone.state(), LinkState::Disconnected);
}

#[test]
fn without_a_link_polls_are_answered_with_dm_and_responses_with_nothing() {
    let mut lone = Lone::new(v2_0());
    for body in [Body::Disc, i(0, 0, "x"), rr(0), rnr(1), rej(2)] {
        assert_eq!(lone.hear(polls(body.clone())), ["DM F"], "{body:?}");
    }
    for frame in [command(i(0, 0, "x")), command(rr(0)), finals(rr(0)), finals(Body::Ua), finals(Body::Dm)] {
        assert_eq!(lone.hear(frame.clone()), Vec::<String>::new(), "{frame:?}");
    }
    assert_eq!(lone.hear(command(Body::Disc)), ["DM"]);
    assert_eq!(lone.hear(response(Body::Frmr(None))), Vec::<String>::new());
}

#[test]
fn dm_ends_an_attempt_if_it_is_final() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.hear(response(Body::Dm)), Vec::<String>::new());
    assert_eq!(lone.hear(finals(Body::Dm)), ["disconnected (Refused), 0 lost"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn ua_without_f_is_no_agreement() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.hear(response(Body::Ua)), Vec::<String>::new());
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
}

#[test]
fn sabm_is_sent_n2_times_and_then_the_attempt_fails() {
    let mut lone = Lone::new(Settings { n2: 3, ..v2_0() });
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!([lone.wait(), lone.wait()], [["SABM P"], ["SABM P"]]);
    assert_eq!(lone.wait(), ["disconnected (NoAnswer), 0 lost"]);
    assert_eq!(lone.wait(), ["no timer runs"]);
}

#[test]
fn dm_and_frmr_to_sabme_both_mean_v2_0() {
    for answer in [Body::Dm, Body::Frmr(None)] {
        let mut lone = Lone::new(v2_2());
        lone.connect();
        assert_eq!(lone.hear(finals(answer)), ["SABM P"]);
        assert_eq!(lone.state(), LinkState::AwaitingConnection);
        assert_eq!(lone.hear(finals(Body::Ua)), ["connected"]);
        assert_eq!(lone.counted(Counter::FallBacks), 1);
    }
}

#[test]
fn a_third_of_n2_sabme_in_vain_means_v2_0_too() {
    let mut lone = Lone::new(Settings { n2: 6, ..v2_2() });
    let mut sent = vec![lone.connect()];
    sent.extend((0..6).map(|_| lone.wait()));
    let words: Vec<&str> = sent.iter().map(|each| each[0].as_str()).collect();
    let expected = ["SABME P", "SABME P", "SABM P", "SABM P", "SABM P", "SABM P", "disconnected (NoAnswer), 0 lost"];
    assert_eq!(words, expected);
}

#[test]
fn when_both_ask_at_once_each_agrees_and_waits_for_the_other() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.hear(polls(Body::Sabm)), ["UA F"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.hear(polls(Body::Disc)), ["DM F"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.hear(finals(Body::Ua)), ["connected"]);
}

#[test]
fn sabm_wins_over_sabme_when_both_ask_at_once() {
    let mut extended = Lone::new(v2_2());
    extended.connect();
    assert_eq!(extended.hear(polls(Body::Sabm)), ["UA F"]);
    assert_eq!(extended.state(), LinkState::AwaitingConnection);
    assert_eq!(extended.hear(finals(Body::Ua)), ["connected"]);
    let mut both = Lone::new(v2_2());
    both.connect();
    assert_eq!(both.hear(polls(Body::Sabme)), ["UA F"]);
    assert_eq!(both.hear(finals(Body::Ua)), ["connected, v2.2"]);
}

#[test]
fn information_given_before_the_link_is_up_goes_when_it_is() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.send("early"), Vec::<String>::new());
    assert_eq!(lone.hear(finals(Body::Ua)), ["connected", "I 0,0"]);
}

#[test]
fn a_request_that_makes_no_sense_is_refused_by_name() {
    let mut lone = Lone::connected(Settings { n1: 4, ..v2_0() });
    let link = lone.link();
    let key = lone.key;
    assert_eq!(lone.send("short"), ["refused: 5 octets of information are beyond the link's 4"]);
    assert_eq!(lone.give(Input::Connect { key }), ["refused: there is a link to PEER by this way already"]);
    let foreign = LinkKey::direct(key.peer, key.own);
    assert_eq!(lone.give(Input::Connect { key: foreign }), ["refused: PEER is none of the station's addresses"]);
    lone.hear(polls(Body::Disc));
    for input in [
        Input::Send { link, pid: Pid::NONE, data: vec![] },
        Input::Disconnect { link },
        Input::SetBusy { link, busy: true },
    ] {
        assert_eq!(lone.give(input), ["refused: the link is not up"]);
    }
}

#[test]
fn settings_beyond_their_range_are_refused_by_name() {
    let refused = |settings: Settings| settings.check().unwrap_err().to_string();
    assert_eq!(refused(Settings { k: 8, ..v2_0() }), "the window modulo 8 is 8 and must be 1 to 7");
    assert_eq!(refused(Settings { k_extended: 0, ..v2_0() }), "the window modulo 128 is 0 and must be 1 to 127");
    assert_eq!(refused(Settings { n2: 0, ..v2_0() }), "the number of tries is 0 and must be 1 to 255");
    assert_eq!(v2_0().check(), Ok(()));
}
