//! ROSE switches between two terminals.

use crate::support::{metrics, scenario, value};
use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_model::Replication;
use sojourn_protocols::ax25::hdlc::air_time::mean_time;
use sojourn_protocols::ax25::wire::{Body, Frame, Modulo, Pid, Supervisory};
use sojourn_protocols::rose::wire;

/// A terminal on a wire, two switches on a faster channel, a terminal on a radio channel: KP4DJT's benchmark with the
/// parameters of its table, without bit errors.
const BENCHMARK: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "wire"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    txtail = "0 s"
    persistence = "100 %"
    [[medium]]
    name = "coaxlan"
    bit_rate = "38400 bit/s"
    txdelay = "20 ms"
    txtail = "0 s"
    persistence = "100 %"
    [[medium]]
    name = "radio"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    txtail = "0 s"
    persistence = "100 %"
    [[station]]
    name = "ping"
    callsign = "PING-1"
    on = ["wire"]
    paclen = "256 B"
    frack = "1 s"
    character_interval = "2.15 ms"
    turnaround = "250 ms"
    [[station]]
    name = "switch-a"
    type = "switch"
    callsign = "SWA-3"
    on = ["wire", "coaxlan"]
    frack = "1 s"
    resptime = "1 s"
    rose = { address = "3300787001" }
    [[station]]
    name = "switch-b"
    type = "switch"
    callsign = "SWB-3"
    on = ["coaxlan", "radio"]
    frack = "1 s"
    resptime = "1 s"
    rose = { address = "3300787002" }
    [[station]]
    name = "pong"
    callsign = "PONG-1"
    on = ["radio"]
    paclen = "256 B"
    frack = "1 s"
    character_interval = "2.15 ms"
    turnaround = "250 ms"
    [probe]
    from = "ping"
    to = "pong"
    path = ["switch-a", "switch-b"]
    size = "256 B"
    round_trips = 20
    [run]
    duration = "3 h"
"#;

/// Digipeater fields of two addresses.
const DIGIPEATERS: usize = 14;
/// Address, control and PID of a frame without digipeaters.
const HEAD: usize = 16;

/// All frames in order: end of transmission, and the frame with its information as bytes.
#[derive(Default)]
struct Frames(Vec<(Time, Frame<Vec<u8>>)>);

impl FrameSink for Frames {
    fn frame(&mut self, at: Time, record: &[u8]) {
        let frame = Frame::parse(&record[1..], Modulo::Eight).expect("a station's frames are frames");
        self.0.push((at, frame.map(<[u8]>::to_vec)));
    }
}

/// The frames of a replication.
fn frames(edits: &[(&str, &str)]) -> Vec<(Time, Frame<Vec<u8>>)> {
    let scenario = scenario(BENCHMARK, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let model = crate::support::model(&scenario);
    let mut frames = Frames::default();
    model
        .unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)))
        .replicate(Replication { capture: Some(&mut frames), ..Replication::alone(scenario.run().duration) });
    frames.0
}

/// The packet of an I frame between switches.
fn packet(frame: &Frame<Vec<u8>>) -> Option<wire::Packet<&[u8]>> {
    match &frame.body {
        Body::I { pid: Pid::X25, data, .. } => Some(wire::Packet::parse(data).expect("a switch's packets are packets")),
        _ => None,
    }
}

#[test]
fn without_loss_a_round_trip_is_the_sum_of_its_parts() {
    let metrics = metrics(BENCHMARK, &[("probe.size", "64 B")]);
    let of = |component: &str| value(&metrics, &format!("delay_budget/{component}"), "mean");
    let air = |octets: usize, bit_rate| mean_time(1, octets as u64, bit_rate).seconds();
    let user = air(HEAD + DIGIPEATERS + 64, 9600);
    let trunk = air(HEAD + wire::HEADER + 64, 38_400);
    let near = |name: &str, expected: f64| {
        assert!((of(name) - expected).abs() < 1e-6, "{name}: {} instead of {expected}", of(name));
    };
    near("transmission", 2.0 * (user + trunk + user));
    near("transmit-delay", 2.0 * (0.1 + 0.02 + 0.1));
    near("processors", 2.0 * (0.03 + 0.03 + 0.02));
    near("retransmission", 0.0);
    near("network-layers", 0.0);
    assert_eq!(value(&metrics, "failures", "value"), 0.0);
    assert_eq!(value(&metrics, "response_time", "count"), 20.0);
}

#[test]
fn a_user_s_frame_has_14_octets_more_and_a_packet_between_switches_3() {
    let frames = frames(&[("probe.size", "256 B"), ("probe.round_trips", "1")]);
    let whole = |frame: &&Frame<Vec<u8>>| matches!(&frame.body, Body::I { data, .. } if data.len() >= 256);
    let lengths: Vec<usize> = frames.iter().map(|(_, frame)| frame).filter(whole).map(Frame::length).collect();
    let (user, trunk) = (HEAD + DIGIPEATERS + 256, HEAD + 3 + 256);
    assert_eq!(lengths, [user, trunk, user, user, trunk, user], "both directions, never segmented");
}

#[test]
fn the_switch_acknowledges_under_the_far_station_s_callsign_before_that_has_anything() {
    let frames = frames(&[("probe.round_trips", "1"), ("probe.size", "64 B")]);
    let block = |frame: &Frame<Vec<u8>>| matches!(&frame.body, Body::I { data, .. } if data.len() == 64);
    let addresses = |frame: &Frame<Vec<u8>>| {
        let addressing = frame.addressing;
        format!("{}>{} via {:?}", addressing.source, addressing.destination, addressing.digipeaters)
    };
    let (sent, first) = frames.iter().find(|(_, frame)| block(frame)).unwrap();
    assert_eq!(addresses(first), "PING-1>PONG-1 via SWA-3,787002");
    let (arrived, last) =
        frames.iter().rfind(|(_, frame)| block(frame) && frame.addressing.source == first.addressing.source).unwrap();
    assert_eq!(addresses(last), "PING-1>PONG-1 via 787001*,SWB-3*");
    let acknowledges = |(at, frame): &&(Time, Frame<Vec<u8>>)| {
        at > sent
            && matches!(frame.body, Body::S { kind: Supervisory::Rr, .. })
            && addresses(frame) == "PONG-1>PING-1 via 787002*,SWA-3*"
    };
    let (acknowledged, _) = frames.iter().find(acknowledges).expect("the switch acknowledges by itself");
    assert!(*acknowledged > *arrived, "after RESPTIME, which the far station's answer does not await");
    assert_eq!(acknowledged.since(*sent).seconds().floor(), 1.0);
}

#[test]
fn trunks_begin_with_a_restart_and_each_call_names_both_stations() {
    let frames = frames(&[("probe.round_trips", "1")]);
    let names: Vec<&str> = frames.iter().filter_map(|(_, frame)| Some(packet(frame)?.body.name())).collect();
    assert_eq!(names[0], "RESTART REQUEST");
    assert!(names.contains(&"RESTART CONFIRMATION") && names.contains(&"CALL ACCEPTED"), "{names:?}");
    let call = frames.iter().filter_map(|(_, frame)| packet(frame)).find_map(|packet| match packet.body {
        wire::Body::CallRequest(call) => Some(call),
        _ => None,
    });
    let call = call.expect("a call between the switches");
    assert_eq!((call.called.to_string(), call.calling.to_string()), ("3300787002".into(), "3300787001".into()));
    let station = |subscriber: Option<wire::Subscriber>| subscriber.unwrap().station.to_string();
    assert_eq!(
        (station(call.facilities.source), station(call.facilities.destination)),
        ("PING-1".into(), "PONG-1".into())
    );
}

#[test]
fn a_lost_frame_of_a_user_costs_five_times_what_one_of_a_switch_does() {
    // one frame per block, and errors on the user's wire only
    let slowest = |edits: &[(&str, &str)]| {
        let noisy = [("medium.wire.bit_error_rate", "3e-5"), ("probe.size", "200 B"), ("probe.round_trips", "200")];
        let metrics = metrics(BENCHMARK, &[&noisy[..], edits].concat());
        value(&metrics, "delay_budget/retransmission", "mean") * 200.0 / value(&metrics, "retries", "value")
    };
    // frames of both directions are lost equally: a lost frame of the user costs 5 s of T1, one of the switch 1 s
    let five_to_one = slowest(&[]);
    let one_to_one = slowest(&[("station.ping.frack", "200 ms")]);
    assert!((2.5..4.5).contains(&five_to_one), "about 3 s and the poll's own time: {five_to_one}");
    assert!(one_to_one < five_to_one - 1.0, "{one_to_one}");
}

#[test]
fn a_call_is_routed_through_an_intermediate_switch() {
    let text = BENCHMARK.replace(
        "[[station]]\n    name = \"switch-b\"",
        r#"[[medium]]
        name = "backbone"
        bit_rate = "38400 bit/s"
        persistence = "100 %"
        [[station]]
        name = "switch-c"
        type = "switch"
        callsign = "SWC-3"
        on = ["coaxlan", "backbone"]
        rose = { address = "3300787003" }
        [[station]]
        name = "switch-b""#,
    );
    let text = text.replace(r#"on = ["coaxlan", "radio"]"#, r#"on = ["backbone", "radio"]"#);
    let metrics = metrics(&text, &[("probe.size", "512 B")]);
    assert_eq!(value(&metrics, "response_time", "count"), 20.0);
    assert_eq!(value(&metrics, "failures", "value"), 0.0);
    assert!(value(&metrics, "processor_utilisation/switch-c", "value") > 0.0);
}

#[test]
fn a_switch_with_full_buffers_stops_its_user_and_loses_nothing() {
    let slow = [
        ("medium.radio.bit_rate", "300 bit/s"),
        ("station.switch-b.frack", "30 s"),
        ("station.pong.frack", "30 s"),
        ("station.switch-a.rose", r#"{ address = "3300787001", buffers = 4, window = 2 }"#),
        ("station.switch-b.rose", r#"{ address = "3300787002", backlog_limit = 2 }"#),
        ("probe.size", "8 KiB"),
        ("probe.round_trips", "1"),
    ];
    let metrics = metrics(BENCHMARK, &slow);
    assert_eq!((value(&metrics, "response_time", "count"), value(&metrics, "failures", "value")), (1.0, 0.0));
    let frames = frames(&slow);
    let ping = |frame: &Frame<Vec<u8>>| frame.addressing.destination.callsign() == "PING";
    let holds = |frame: &Frame<Vec<u8>>| matches!(frame.body, Body::S { kind: Supervisory::Rnr, .. });
    assert!(frames.iter().any(|(_, frame)| ping(frame) && holds(frame)), "the user is stopped (RNR)");
    let not_ready = |frame: &Frame<Vec<u8>>| packet(frame).is_some_and(|packet| packet.body.name() == "RNR");
    assert!(frames.iter().any(|(_, frame)| not_ready(frame)), "and so is the switch before");
}

#[test]
fn without_a_route_between_switches_the_user_gets_a_call_progress_text_and_every_round_trip_fails() {
    let edits = [("medium.coaxlan.bit_error_rate", "0.02"), ("probe.timeout", "1 min"), ("probe.round_trips", "3")];
    let metrics = metrics(BENCHMARK, &edits);
    assert_eq!((value(&metrics, "response_time", "count"), value(&metrics, "failures", "value")), (0.0, 3.0));
    let words = frames(&edits).into_iter().find_map(|(_, frame)| match frame.body {
        Body::I { pid: Pid::NONE, data, .. } => String::from_utf8(data).ok(),
        _ => None,
    });
    assert_eq!(words.as_deref(), Some("*** Disconnected: out of order at 3300787001\r"));
}

#[test]
fn a_wrong_or_duplicate_network_address_and_a_limit_below_a_packet_are_refused() {
    let refused = |edit: (&str, &str)| {
        let checked = scenario(BENCHMARK, &[edit]);
        let problems = match checked {
            Err(problems) => problems,
            Ok(scenario) => crate::support::model(&scenario).err().expect("it is refused"),
        };
        problems.render(false, 100)
    };
    let short = refused(("station.switch-b.rose", r#"{ address = "787002" }"#));
    assert!(short.contains("10 digits"), "{short}");
    let twice = refused(("station.switch-b.rose", r#"{ address = "3300787001" }"#));
    assert!(twice.contains("is also that of `switch-b`"), "{twice}");
    let letter = refused(("station.switch-b.rose", r#"{ address = "33007870O2" }"#));
    assert!(letter.contains("is not a digit"), "{letter}");
    let narrow = refused(("station.switch-b.receive_limit", "256 B"));
    assert!(narrow.contains("receive_limit"), "{narrow}");
}
