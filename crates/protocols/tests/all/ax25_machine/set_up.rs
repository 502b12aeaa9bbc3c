//! Connection establishment: states 0, 1 and 5.

use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::lone::*;

#[test]
fn a_connect_request_sends_sabm_and_ua_brings_the_link_up() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["connected"]);
    assert_eq!(lone.state(), LinkState::Connected);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn a_v2_2_station_sends_sabme() {
    let mut lone = Lone::new(v2_2());
    assert_eq!(lone.connect(), ["SABME P"]);
    assert_eq!(lone.state(), LinkState::AwaitingV22Connection);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["connected, v2.2"]);
}

#[test]
fn ua_carries_the_pf_bit_of_sabm() {
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["connected, incoming", "UA F"]);
    let mut lone = Lone::new(v2_0());
    assert_eq!(lone.receive(command(Body::Sabm)), ["connected, incoming", "UA"]);
}

#[test]
fn a_v2_2_station_accepts_sabme() {
    let mut lone = Lone::new(v2_2());
    assert_eq!(lone.receive(command_p(Body::Sabme)), ["connected, incoming, v2.2", "UA F"]);
}

#[test]
fn a_v2_0_station_refuses_sabme_as_configured() {
    for (refuses_extended, expected) in [
        (SabmeResponse::FrameReject, vec!["FRMR W F"]),
        (SabmeResponse::DisconnectedMode, vec!["DM F"]),
        (SabmeResponse::Silent, vec![]),
    ] {
        let mut lone = Lone::new(Settings { sabme_response: refuses_extended, ..v2_0() });
        assert_eq!(lone.receive(command_p(Body::Sabme)), expected);
        assert_eq!(lone.state(), LinkState::Disconnected);
    }
}

#[test]
fn a_station_that_accepts_no_connections_sends_dm() {
    let mut lone = Lone::new(Settings { accepts_connections: false, ..v2_0() });
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["DM F"]);
    assert_eq!(lone.state(), LinkState::Disconnected);
}

#[test]
fn without_a_link_commands_get_dm_whose_f_is_their_p_and_responses_are_ignored() {
    let mut lone = Lone::new(v2_0());
    for body in [Body::Disc, i(0, 0, "x"), rr(0), rnr(1), rej(2)] {
        assert_eq!(lone.receive(command_p(body.clone())), ["DM F"], "{body:?}");
        assert_eq!(lone.receive(command(body.clone())), ["DM"], "{body:?}");
    }
    for frame in [response_f(rr(0)), response(rej(0)), response_f(Body::Ua), response_f(Body::Dm)] {
        assert_eq!(lone.receive(frame.clone()), Vec::<String>::new(), "{frame:?}");
    }
    assert_eq!(lone.receive(response(Body::Frmr(None))), Vec::<String>::new());
}

#[test]
fn dm_with_f_ends_an_attempt() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.receive(response(Body::Dm)), Vec::<String>::new());
    assert_eq!(lone.receive(response_f(Body::Dm)), ["disconnected (Refused), 0 lost"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn ua_without_f_is_ignored() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.receive(response(Body::Ua)), Vec::<String>::new());
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
}

#[test]
fn sabm_is_sent_n2_times_and_then_the_attempt_fails() {
    let mut lone = Lone::new(Settings { n2: 3, ..v2_0() });
    assert_eq!(lone.connect(), ["SABM P"]);
    assert_eq!([lone.expire(), lone.expire()], [["SABM P"], ["SABM P"]]);
    assert_eq!(lone.expire(), ["disconnected (NoResponse), 0 lost"]);
    assert_eq!(lone.expire(), ["no timer runs"]);
}

#[test]
fn dm_and_frmr_to_sabme_both_mean_v2_0() {
    for answer in [Body::Dm, Body::Frmr(None)] {
        let mut lone = Lone::new(v2_2());
        lone.connect();
        assert_eq!(lone.receive(response_f(answer)), ["SABM P"]);
        assert_eq!(lone.state(), LinkState::AwaitingConnection);
        assert_eq!(lone.receive(response_f(Body::Ua)), ["connected"]);
        assert_eq!(lone.counted(Counter::FallBacks), 1);
    }
}

#[test]
fn a_third_of_n2_unanswered_sabmes_means_v2_0_too() {
    let mut lone = Lone::new(Settings { n2: 6, ..v2_2() });
    let mut sent = vec![lone.connect()];
    sent.extend((0..6).map(|_| lone.expire()));
    let words: Vec<&str> = sent.iter().map(|each| each[0].as_str()).collect();
    let expected = ["SABME P", "SABME P", "SABM P", "SABM P", "SABM P", "SABM P", "disconnected (NoResponse), 0 lost"];
    assert_eq!(words, expected);
}

#[test]
fn when_sabms_collide_each_station_sends_ua_and_waits_for_the_others() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.receive(command_p(Body::Sabm)), ["UA F"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.receive(command_p(Body::Disc)), ["DM F"]);
    assert_eq!(lone.state(), LinkState::AwaitingConnection);
    assert_eq!(lone.receive(response_f(Body::Ua)), ["connected"]);
}

#[test]
fn sabm_prevails_over_sabme_when_they_collide() {
    let mut extended = Lone::new(v2_2());
    extended.connect();
    assert_eq!(extended.receive(command_p(Body::Sabm)), ["UA F"]);
    assert_eq!(extended.state(), LinkState::AwaitingConnection);
    assert_eq!(extended.receive(response_f(Body::Ua)), ["connected"]);
    let mut both = Lone::new(v2_2());
    both.connect();
    assert_eq!(both.receive(command_p(Body::Sabme)), ["UA F"]);
    assert_eq!(both.receive(response_f(Body::Ua)), ["connected, v2.2"]);
}

#[test]
fn information_queued_before_the_link_is_up_is_sent_when_it_is() {
    let mut lone = Lone::new(v2_0());
    lone.connect();
    assert_eq!(lone.send("early"), Vec::<String>::new());
    assert_eq!(lone.receive(response_f(Body::Ua)), ["connected", "I 0,0"]);
}

#[test]
fn an_invalid_request_is_refused_with_its_reason() {
    let mut lone = Lone::connected(Settings { n1: 4, ..v2_0() });
    let link = lone.link();
    let key = lone.key;
    assert_eq!(lone.send("short"), ["refused: 5 octets of information exceed the link's N1 of 4"]);
    assert_eq!(lone.give(Input::Connect { key }), ["refused: a link to PEER over this path already exists"]);
    let foreign = LinkKey::direct(key.peer, key.own);
    assert_eq!(lone.give(Input::Connect { key: foreign }), ["refused: PEER is not an address of this station"]);
    lone.receive(command_p(Body::Disc));
    for input in [
        Input::Send { link, pid: Pid::NONE, data: vec![] },
        Input::Disconnect { link },
        Input::SetBusy { link, busy: true },
    ] {
        assert_eq!(lone.give(input), ["refused: the link is not up"]);
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |settings: Settings| settings.check().unwrap_err().to_string();
    assert_eq!(refused(Settings { k: 8, ..v2_0() }), "k modulo 8 is 8 and must be 1 to 7");
    assert_eq!(refused(Settings { k_extended: 0, ..v2_0() }), "k modulo 128 is 0 and must be 1 to 127");
    assert_eq!(refused(Settings { n2: 0, ..v2_0() }), "N2 is 0 and must be 1 to 255");
    assert_eq!(v2_0().check(), Ok(()));
}
