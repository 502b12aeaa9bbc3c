//! Digipeaters, hidden stations, background traffic, and captures.

use crate::support::{metrics, scenario, value};
use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_model::{Network, Replication, Warning};
use sojourn_packet_radio::PacketRadioNetwork;
use sojourn_protocols::ax25::wire::{Body, Frame, Modulo};

/// Two terminals hidden from each other, and a digipeater that both hear.
const DIGIPEATER: &str = r#"
    [network]
    kind = "packet-radio"
    [channel]
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    persistence = "100 %"
    [[station]]
    name = "ping"
    callsign = "PING-1"
    hears = ["hill"]
    [[station]]
    name = "pong"
    callsign = "PONG-2"
    hears = ["hill"]
    [[station]]
    name = "hill"
    type = "digipeater"
    callsign = "HILL"
    [probe]
    from = "ping"
    to = "pong"
    path = ["hill"]
    size = "64 B"
    [run]
    duration = "4 h"
"#;

/// Ten saturated stations in pairs.
const SATURATED: &str = r#"
    [network]
    kind = "packet-radio"
    [channel]
    bit_rate = "9600 bit/s"
    txdelay = "50 ms"
    persistence = "10 %"
    slottime = "20 ms"
    [[station]]
    name = "talker"
    count = 10
    [[flow]]
    name = "chatter"
    from = "talker"
    to = "partner"
    arrivals = { kind = "saturating" }
    data = "128 B"
    queue = 1
    [run]
    duration = "10 min"
"#;

/// A talker on the first of two media, and a digipeater between them.
const TWO_MEDIA: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "busy"
    [[medium]]
    name = "idle"
    [[station]]
    name = "talker"
    on = ["busy"]
    [[station]]
    name = "hill"
    type = "digipeater"
    on = ["busy", "idle"]
    [[flow]]
    name = "beacons"
    from = "talker"
    to = "broadcast"
    arrivals = { kind = "periodic", interval = "4 s" }
    [run]
    duration = "10 min"
"#;

#[test]
fn a_digipeater_repeats_blocks_between_hidden_stations() {
    let through = metrics(DIGIPEATER, &[]);
    assert_eq!(value(&through, "response_time", "count"), 20.0);
    assert_eq!(value(&through, "failures", "value"), 0.0);
    let keyed = value(&through, "delay_budget/transmit-delay", "mean");
    assert!((keyed - 0.4).abs() < 1e-9, "four key-ups per round trip: {keyed}");
    assert!(value(&through, "processor_utilisation/hill", "value") > 0.0);
}

/// A tracker whose frames each of two digipeaters in sight of each other repeats, and a gate that hears these alone.
const WIDE: &str = r#"
    [network]
    kind = "packet-radio"
    [channel]
    bit_rate = "1200 bit/s"
    [[station]]
    name = "tracker"
    hears = ["digi"]
    [[station]]
    name = "digi"
    count = 2
    type = "digipeater"
    aliases = ["WIDE1-1"]
    [[station]]
    name = "gate"
    hears = ["digi"]
    [[flow]]
    name = "beacons"
    from = "tracker"
    to = "gate"
    path = ["WIDE1-1"]
    data = "60 B"
    arrivals = { kind = "periodic", interval = "10 s" }
    [run]
    duration = "12 h"
    warm_up = "0 s"
"#;

#[test]
fn two_digipeaters_that_repeat_a_frame_at_once_collide_and_those_with_random_waits_only_in_one_slot() {
    let at_once = metrics(WIDE, &[("channel.persistence", "100 %")]);
    assert_eq!(value(&at_once, "loss", "value"), 1.0);
    // two stations that decide slot by slot with p decide alike first with p^2 / (1 - (1 - p)^2) = p / (2 - p)
    for (persistence, p) in [("25 %", 0.25), ("50 %", 0.5)] {
        let random = metrics(WIDE, &[("channel.persistence", persistence)]);
        let (loss, expected) = (value(&random, "loss", "value"), p / (2.0 - p));
        let sd = (expected * (1.0 - expected) / 4320.0_f64).sqrt();
        assert!((loss - expected).abs() < 4.0 * sd, "{persistence}: {loss}, expected {expected}");
    }
    let alone = metrics(WIDE, &[("station.digi.count", "1"), ("channel.persistence", "100 %")]);
    assert_eq!(value(&alone, "loss", "value"), 0.0);
}

#[test]
fn a_message_that_two_digipeaters_repeat_is_delivered_once() {
    let found = metrics(WIDE, &[("channel.persistence", "25 %")]);
    let rate = value(&found, "packet_rate", "value");
    assert!((0.08..0.09).contains(&rate), "{rate} of 0.1 /s, two of three of them twice");
    let frames = value(&found, "utilisation", "value");
    assert!(frames > 0.1, "three frames for each message: {frames}");
}

#[test]
fn beacons_to_all_are_repeated_along_their_path() {
    let utilisation = |path: &str| {
        let edits = [("flow.to", "broadcast"), ("flow.path", path), ("station.digi.count", "1")];
        value(&metrics(WIDE, &edits), "utilisation", "value")
    };
    let (direct, repeated) = (utilisation("direct"), utilisation("WIDE1-1"));
    assert!(repeated > 1.9 * direct, "{repeated} against {direct}");
}

#[test]
fn an_alias_is_of_stations_that_repeat_and_of_messages_without_a_link() {
    let refused = |from: &str, to: &str| {
        let text = WIDE.replace(from, to);
        assert_ne!(text, WIDE);
        match scenario(&text, &[]) {
            Err(problems) => problems.render(false, 200),
            Ok(scenario) => match PacketRadioNetwork.model(&scenario) {
                Err(problems) => problems.render(false, 200),
                Ok(_) => panic!("{to} is accepted"),
            },
        }
    };
    let found = refused("data = \"60 B\"", "service = \"session\"");
    assert!(found.contains("the frames of a link take one path"), "{found}");
    let found = refused("path = [\"WIDE1-1\"]", "path = [\"WIDE2-1\"]");
    assert!(found.contains("there is no station `WIDE2-1`"), "{found}");
    let found = refused("type = \"digipeater\"", "type = \"digipeater\"\n    digipeat = false");
    assert!(found.contains("`digi` repeats no frames"), "{found}");
    let found = refused("aliases = [\"WIDE1-1\"]", "aliases = [\"WIDE1-1\", \"ST0001\"]");
    assert!(found.contains("ST0001 is the callsign of a station"), "{found}");
    let found = refused("name = \"tracker\"\n    hears = [\"digi\"]", "name = \"tracker\"\n    hears = [\"gate\"]");
    assert!(found.contains("no digipeater `WIDE1-1` hears the station before it"), "{found}");
}

#[test]
fn a_lost_frame_costs_three_times_as_much_through_a_digipeater() {
    let with = |edits: &[(&str, &str)]| {
        let noisy = [("channel.bit_error_rate", "1e-4"), ("probe.round_trips", "300"), ("probe.size", "200 B")];
        let metrics = metrics(DIGIPEATER, &[&noisy[..], edits].concat());
        value(&metrics, "delay_budget/retransmission", "mean") / value(&metrics, "retries", "value")
    };
    let (short, long) = (with(&[("station.frack", "2 s")]), with(&[("station.frack", "4 s")]));
    assert!(long > 1.5 * short, "T1 counts threefold: {long} against {short}");
}

#[test]
fn on_a_saturated_channel_a_frame_is_received_if_no_other_station_takes_its_slot() {
    let metrics = metrics(SATURATED, &[]);
    let (utilisation, collisions) =
        (value(&metrics, "utilisation", "value"), value(&metrics, "collision_rate", "value"));
    assert!((0.6..1.0).contains(&utilisation), "{utilisation}");
    // nine others, each with probability 1/10
    assert!((collisions - (1.0 - 0.9f64.powi(9))).abs() < 0.03, "{collisions}");
    assert!((value(&metrics, "loss", "value") - collisions).abs() < 0.01, "a frame is a message");
    let delivered = value(&metrics, "throughput", "value") / (128.0 * 8.0);
    assert!((delivered / value(&metrics, "packet_rate", "value") - 1.0).abs() < 1e-9);
}

#[test]
fn lower_persistence_makes_fewer_collisions() {
    let collisions =
        |persistence| value(&metrics(SATURATED, &[("channel.persistence", persistence)]), "collision_rate", "value");
    assert!(collisions("5 %") < 0.7 * collisions("25 %"));
}

#[test]
fn hidden_stations_collide_more() {
    let text = r#"
        [network]
        kind = "packet-radio"
        [channel]
        bit_rate = "1200 bit/s"
        [[station]]
        name = "west"
        [[station]]
        name = "east"
        [[station]]
        name = "middle"
        [[flow]]
        name = "beacons"
        from = ["west", "east"]
        to = "middle"
        arrivals = { kind = "poisson", interval = "4 s" }
        data = "100 B"
        [run]
        duration = "2 h"
    "#;
    let collisions = |edits: &[(&str, &str)]| value(&metrics(text, edits), "collision_rate", "value");
    let in_sight = collisions(&[]);
    let hidden_text = text.replace("name = \"west\"", "name = \"west\"\nhears = [\"middle\"]");
    let hidden_text = hidden_text.replace("name = \"east\"", "name = \"east\"\nhears = [\"middle\"]");
    let hidden = value(&metrics(&hidden_text, &[]), "collision_rate", "value");
    assert!(hidden > 0.3 && hidden > 4.0 * in_sight, "{hidden} against {in_sight}");
}

#[test]
fn a_broadcast_has_no_receiver_that_could_miss_it() {
    let beacons = [("flow.to", "broadcast"), ("flow.queue", "8")];
    let found = metrics(SATURATED, &beacons);
    assert!(!found["loss"].applies());
    assert!(value(&found, "utilisation", "value") > 0.5);
}

#[test]
fn a_profile_of_a_medium_that_its_stations_do_not_have_is_pointed_out() {
    let warnings = |station: &str| {
        let text = format!(
            "[network]\nkind = \"packet-radio\"\n[[medium]]\nname = \"air\"\nprofile = \"afsk-1200\"\n\
             [[station]]\nname = \"u\"\ncount = 3\n{station}\
             [[flow]]\nname = \"beacons\"\nfrom = \"u\"\nto = \"broadcast\"\n[run]\nduration = \"1 s\"\n"
        );
        let scenario = scenario(&text, &[]).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
        PacketRadioNetwork.warnings(&scenario).iter().map(Warning::in_words).collect::<Vec<_>>()
    };
    let found = warnings("");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("test.toml:5: `u-1` and 2 more on `air` without the values that its profile"),
        "{found:?}"
    );
    assert!(found[0].contains("frack") && found[0].ends_with("or once in [network]"), "{found:?}");
    assert_eq!(warnings("profile = \"afsk-1200\"\n"), Vec::<String>::new());
    assert_eq!(warnings("frack = \"4 s\"\n"), Vec::<String>::new());
}

#[test]
fn messages_over_a_link_arrive_complete_despite_losses() {
    let connected = [
        ("flow.service", "connected"),
        ("channel.bit_error_rate", "1e-4"),
        ("flow.from", "talker-1"),
        ("flow.to", "talker-2"),
        ("flow.queue", "8"),
        ("station.frack", "1 s"),
    ];
    let linked = metrics(SATURATED, &connected);
    assert!(value(&linked, "retries", "value") > 10.0);
    assert!(value(&linked, "loss", "value") < 0.05, "the rest is in flight");
    assert!(value(&linked, "throughput", "value") > 1000.0);
}

/// One station's messages to another, of a length, every four seconds for a day.
fn one_way(octets: &str, station: &str) -> String {
    format!(
        "[network]\nkind = \"packet-radio\"\n[channel]\nbit_rate = \"1200 bit/s\"\n[[station]]\nname = \"u\"\n{station}\
         [[station]]\nname = \"v\"\n[[flow]]\nname = \"m\"\nfrom = \"u\"\nto = \"v\"\ndata = \"{octets}\"\n\
         arrivals = {{ kind = \"periodic\", interval = \"4 s\" }}\n[run]\nduration = \"24 h\"\nwarm_up = \"0 s\"\n"
    )
}

#[test]
fn a_station_s_frame_error_rate_loses_short_and_long_frames_alike_and_those_of_others_not() {
    for octets in ["1 B", "256 B"] {
        let loss = |text: &str| value(&metrics(text, &[]), "loss", "value");
        let lost = loss(&one_way(octets, "frame_error_rate = \"10 %\"\n"));
        // four standard deviations of 21 600 messages
        assert!((lost - 0.1).abs() < 0.008, "{octets}: {lost}");
        let of_the_other = one_way(octets, "").replace("name = \"v\"\n", "name = \"v\"\nframe_error_rate = \"10 %\"\n");
        assert!(loss(&of_the_other) < 0.001);
    }
}

#[test]
fn an_acknowledged_transfer_waits_for_the_first_slot_and_the_held_carrier_at_each_turn() {
    let time = |keys: &str| {
        let text = format!(
            "[network]\nkind = \"packet-radio\"\n[channel]\npersistence = \"100 %\"\nslottime = \"100 ms\"\n{keys}\
             [[station]]\nname = \"u\"\n[[station]]\nname = \"v\"\n[[flow]]\nname = \"m\"\nfrom = \"u\"\nto = \"v\"\n\
             service = \"session\"\nrequest = \"1 B\"\nresponse = \"100 B\"\narrivals = {{ kind = \"periodic\", interval = \"1 min\" }}\n\
             [run]\nduration = \"1 h\"\nwarm_up = \"0 s\"\n"
        );
        value(&metrics(&text, &[]), "response_time/m", "mean")
    };
    let plain = time("");
    let slot = time("first_slot = \"after-slottime\"\n") - plain;
    let held = time("dcd_hold = { kind = \"bits\", bits = 120 }\n") - plain;
    let drawn = time("dcd_hold = { kind = \"ones\", run = 8 }\n") - plain;
    // the request waits behind the UA, the response, which carries the acknowledgement, behind the request
    assert!((slot - 0.2).abs() < 1e-9, "{slot}");
    assert!((held - 0.2).abs() < 1e-9, "twice 120 bits at 1200 bit/s: {held}");
    assert!((0.6..1.1).contains(&drawn), "twice 510 bits at 1200 bit/s on average, 60 times: {drawn}");
}

#[test]
fn messages_dropped_at_a_full_queue_are_counted() {
    let edits = [("flow.arrivals", r#"{ kind = "poisson", interval = "100 ms" }"#), ("flow.queue", "2")];
    let metrics = metrics(SATURATED, &edits);
    assert!(value(&metrics, "buffer_overflows", "value") > 100.0);
}

#[derive(Default)]
struct Frames(Vec<(Time, Vec<u8>)>);

impl FrameSink for Frames {
    fn frame(&mut self, at: Time, bytes: &[u8]) {
        self.0.push((at, bytes.to_vec()));
    }
}

#[test]
fn a_capture_holds_every_frame_in_kiss_format() {
    let scenario = scenario(DIGIPEATER, &[]).expect("a valid scenario");
    let model = crate::support::model(&scenario).expect("a model");
    let mut sink = Frames::default();
    model.replicate(Replication { capture: Some(&mut sink), ..Replication::alone(Duration::from_secs(600)) });
    assert!(sink.0.is_sorted_by_key(|(at, _)| *at));
    let frames: Vec<Frame<&[u8]>> = sink
        .0
        .iter()
        .map(|(_, bytes)| {
            let (command, frame) = bytes.split_first().expect("a command octet");
            assert_eq!(*command, 0);
            Frame::parse(frame, Modulo::Eight).unwrap_or_else(|error| panic!("{error}"))
        })
        .collect();
    let repeated = |frame: &&Frame<&[u8]>| frame.addressing.digipeaters.next().is_none();
    assert!(matches!(frames[0].body, Body::Sabm) && frames[0].addressing.source.to_string() == "PING-1");
    let from_hill = frames.iter().filter(repeated).count();
    // the digipeater repeats each that it received
    assert!(from_hill * 2 <= frames.len() && from_hill * 5 > frames.len() * 2, "{from_hill} of {}", frames.len());
    let blocks = frames.iter().filter(|frame| matches!(frame.body, Body::I { data, .. } if data.len() == 64)).count();
    assert!(blocks >= 20 * 2 * 2, "{blocks}");
}

#[test]
fn the_kiss_port_of_a_captured_frame_is_the_number_of_its_medium() {
    for (medium, command) in [("busy", 0x00), ("idle", 0x10)] {
        let scenario =
            scenario(TWO_MEDIA, &[("station.talker.on", &format!("[\"{medium}\"]"))]).expect("a valid scenario");
        let model = PacketRadioNetwork.model(&scenario).expect("a model");
        let mut sink = Frames::default();
        model.replicate(Replication { capture: Some(&mut sink), ..Replication::alone(Duration::from_secs(60)) });
        assert!(sink.0.len() > 5 && sink.0.iter().all(|(_, bytes)| bytes[0] == command), "{medium}");
    }
}

/// Edits of a scenario, and texts that its problems contain.
type Mistake = (&'static [(&'static str, &'static str)], &'static [&'static str]);

/// The problems of a scenario as the user sees them, from its reader or the network.
fn mistake(text: &str, edits: &[(&str, &str)]) -> String {
    let problems = match scenario(text, edits) {
        Err(problems) => problems,
        Ok(scenario) => match crate::support::model(&scenario) {
            Err(problems) => problems,
            Ok(_) => panic!("{edits:?} were accepted"),
        },
    };
    problems.render(false, 120)
}

#[test]
fn mistakes_are_shown_at_their_place_with_a_hint() {
    let cases: [Mistake; 12] = [
        (&[("station.ping.callsign", "PINGPONG-1")], &["callsign", "longer than 6", "NJ7P-4"]),
        (&[("station.ping.callsign", "PING-16")], &["0 to 15", "callsign=PING-16"]),
        (&[("station.ping.callsign", "P*NG")], &["not a letter or digit"]),
        (&[("station.pong.callsign", "PING-1")], &["`pong` and `ping` have the callsign PING-1"]),
        (&[("station.pong.receive_limit", "128 B")], &["paclen 256 of `ping`", "receive_limit"]),
        (&[("station.window", "8")], &["modulo 8", "version = \"v2.2\""]),
        (&[("probe.path", "direct")], &["`ping` and `pong` do not hear each other", "route `path`"]),
        (&[("probe.path", "[\"hill\", \"pong\"]")], &["`pong` is a terminal"]),
        (&[("probe.path", "hil")], &["no station `hil`", "hill"]),
        (&[("probe.to", "hill")], &["`hill` is not a terminal"]),
        (&[("probe.to", "ping")], &["another station than `from`"]),
        (&[("station.ping.hears", "pong")], &["`ping` and `hill` do not hear each other"]),
    ];
    for (edits, expected) in cases {
        let shown = mistake(DIGIPEATER, edits);
        for part in expected {
            assert!(shown.contains(part), "{edits:?} should contain {part}:\n{shown}");
        }
        assert!(shown.contains('─') || shown.contains('^'), "{edits:?} has no caret:\n{shown}");
    }
}

#[test]
fn mistakes_of_flows_are_shown_at_their_place() {
    let cases: [Mistake; 4] = [
        (&[("flow.to", "broadcast"), ("flow.service", "connected")], &["a link needs a receiver"]),
        (&[("flow.service", "connected"), ("flow.data", "300 B")], &["exceeds paclen", "paclen is 256"]),
        (&[("flow.to", "talker")], &["several receivers"]),
        (&[("channel.type", "wire")], &["a wire connects two stations"]),
    ];
    for (edits, expected) in cases {
        let shown = mistake(SATURATED, edits);
        for part in expected {
            assert!(shown.contains(part), "{edits:?} should contain {part}:\n{shown}");
        }
    }
}
