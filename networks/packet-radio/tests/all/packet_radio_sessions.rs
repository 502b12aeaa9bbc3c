//! Users who connect through nodes and switches, and mailboxes that forward.

use crate::support::{Metrics, metrics, record, replication, scenario, value};
use sojourn_metrics::merge::merge;
use sojourn_metrics::record::Observation;
use sojourn_model::{Network, Warning};
use sojourn_packet_radio::PacketRadioNetwork;
use sojourn_protocols::ax25::hdlc::air_time::mean_time;

/// A user and a mailbox on a wire, without costs in CPUs.
const WIRE: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "line"
    type = "wire"
    bit_rate = "9600 bit/s"
    txtail = "0 s"
    [[station]]
    name = "user"
    on = ["line"]
    costs = { receive_frame = "0 s" }
    paclen = "128 B"
    [[station]]
    name = "mailbox"
    on = ["line"]
    costs = { receive_frame = "0 s" }
    paclen = "128 B"
    [[flow]]
    name = "mail"
    from = "user"
    to = "mailbox"
    service = "session"
    arrivals = { kind = "periodic", interval = "10 min" }
    request = "100 B"
    response = "100 B"
    turnaround = "2 s"
    [run]
    duration = "6 h"
    warm_up = "0 s"
"#;

/// Users on the channels of two nodes, a mailbox behind the far one.
const NODES: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "valley"
    bit_rate = "1200 bit/s"
    capture = true
    [[medium]]
    name = "backbone"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    [[medium]]
    name = "town"
    bit_rate = "1200 bit/s"
    [[station]]
    name = "user"
    count = 3
    on = ["valley"]
    paclen = "128 B"
    [[station]]
    name = "hill"
    type = "node"
    on = ["valley", "backbone"]
    [[station]]
    name = "tower"
    type = "node"
    on = ["backbone", "town"]
    [[station]]
    name = "mailbox"
    on = ["town"]
    paclen = "128 B"
    [[flow]]
    name = "mail"
    from = "user"
    to = "mailbox"
    path = ["hill", "tower"]
    service = "session"
    arrivals = { kind = "poisson", interval = "20 min" }
    exchanges = 3
    request = "20 B"
    response = "400 B"
    think_time = "20 s"
    [run]
    duration = "6 h"
    warm_up = "0 s"
"#;

fn failed(metrics: &Metrics, flow: &str) -> f64 {
    value(metrics, &format!("failures/{flow}"), "value")
}

/// The mean time of the exchanges at each hop.
fn hops(metrics: &Metrics) -> Vec<(String, f64)> {
    let hops = metrics.keys().filter_map(|name| name.strip_prefix("hop_delay/mail/"));
    hops.map(|hop| (hop.to_owned(), value(metrics, &format!("hop_delay/mail/{hop}"), "value"))).collect()
}

#[test]
fn an_exchange_on_an_idle_wire_takes_the_air_time_of_two_frames_and_the_turnaround() {
    let found = metrics(WIRE, &[]);
    // 14 octets of addresses, control, PID
    let frame = mean_time(1, 100 + 16, 9600).seconds();
    let expected = 2.0 * frame + 2.0;
    for field in ["min", "mean", "max"] {
        let got = value(&found, "response_time/mail", field);
        assert!((got - expected).abs() < 1e-9, "{field}: {got}, expected {expected}");
    }
    assert_eq!(value(&found, "sessions/mail", "value"), 36.0);
    assert_eq!(failed(&found, "mail"), 0.0);
}

#[test]
fn a_session_lasts_from_the_request_of_its_link_to_the_end_of_the_disconnection() {
    let found = metrics(WIRE, &[]);
    // SABM and UA, the exchange, DISC and UA; addresses and control
    let [unnumbered, frame] = [15, 116].map(|octets| mean_time(1, octets, 9600).seconds());
    let setup = value(&found, "session_setup_time/mail", "mean");
    assert!((setup - 2.0 * unnumbered).abs() < 1e-9, "{setup}");
    let session = value(&found, "session_time/mail", "mean");
    assert!((session - (4.0 * unnumbered + 2.0 * frame + 2.0)).abs() < 1e-9, "{session}");
}

#[test]
fn compressed_mail_takes_its_share_of_the_octets() {
    let compressed = metrics(WIRE, &[("flow.mail.compression", "50 %")]);
    let expected = 2.0 * mean_time(1, 50 + 16, 9600).seconds() + 2.0;
    assert!((value(&compressed, "response_time/mail", "mean") - expected).abs() < 1e-9);
    let both = 36.0 * 2.0 * 50.0 * 8.0 / (6.0 * 3600.0);
    assert!((value(&compressed, "throughput", "value") - both).abs() < 1e-9);
}

#[test]
fn long_mail_goes_in_packets_of_paclen_in_both_directions() {
    let record = record(WIRE, &[("flow.mail.request", "3000 B"), ("flow.mail.response", "70001 B")]);
    let found: Metrics = merge(&[record]).into_iter().collect();
    assert_eq!(failed(&found, "mail"), 0.0);
    let octets = 36.0 * (3000.0 + 70001.0);
    assert!((value(&found, "throughput", "value") - octets * 8.0 / 21600.0).abs() < 1e-6);
    let payload = (3000.0 + 70001.0) * 8.0 / 9600.0;
    let mean = value(&found, "response_time/mail", "mean");
    assert!((payload..1.3 * payload).contains(&mean), "{mean} for {payload}");
}

#[test]
fn users_reach_the_mailbox_through_nodes_and_leave_it() {
    let records: Vec<_> = (0..10).map(|index| replication(NODES, &[], index)).collect();
    let found: Metrics = merge(&records).into_iter().collect();
    // three users, three sessions an hour each, six hours, ten times: 540, within three standard deviations
    let sessions = value(&found, "sessions/mail", "value");
    assert!((540.0 - sessions).abs() < 70.0, "{sessions}");
    assert_eq!(failed(&found, "mail"), 0.0);
    let exchanges = value(&found, "response_time/mail", "count");
    assert!((0.0..90.0).contains(&(exchanges - 3.0 * sessions)), "{exchanges} in {sessions} sessions, the last open");
    assert!(value(&found, "session_setup_time/mail", "mean") > 2.0, "two commands over 1200 bit/s");
    let (all, mail) = (value(&found, "response_time", "mean"), value(&found, "response_time/mail", "mean"));
    assert_eq!(all, mail, "the only flow");
}

#[test]
fn the_hops_of_an_exchange_add_up_to_its_response_time() {
    let found = metrics(NODES, &[("flow.mail.turnaround", "3 s")]);
    let hops = hops(&found);
    let names: Vec<&str> = hops.iter().map(|(name, _)| name.as_str()).collect();
    let between = ["hill-to-tower", "hill-to-user", "mailbox", "mailbox-to-tower", "tower-to-hill"];
    assert_eq!(names, [&between[..], &["tower-to-mailbox", "user-to-hill"]].concat());
    let sum: f64 = hops.iter().map(|(_, seconds)| seconds).sum();
    assert!((sum - value(&found, "response_time/mail", "mean")).abs() < 1e-6, "{sum}");
    assert!(hops.iter().any(|(name, seconds)| name == "mailbox" && (*seconds - 3.0).abs() < 1e-9));
}

#[test]
fn the_delay_budget_of_exchanges_adds_up_to_their_response_time() {
    let found = metrics(NODES, &[]);
    let components = found.keys().filter(|name| name.starts_with("delay_budget/"));
    let sum: f64 = components.map(|name| value(&found, name, "mean")).sum();
    assert!((sum - value(&found, "response_time", "mean")).abs() < 1e-6, "{sum}");
}

#[test]
fn circuits_compete_for_the_backbone() {
    let few = metrics(NODES, &[("medium.backbone.bit_rate", "300 bit/s")]);
    let many = metrics(NODES, &[("medium.backbone.bit_rate", "300 bit/s"), ("station.user.count", "9")]);
    let backbone = |found: &Metrics| value(found, "hop_delay/mail/tower-to-hill", "value");
    assert!(backbone(&many) > 1.3 * backbone(&few), "{} and {}", backbone(&many), backbone(&few));
    assert!(value(&many, "utilisation/backbone", "value") > 2.0 * value(&few, "utilisation/backbone", "value"));
}

#[test]
fn users_reach_the_mailbox_through_switches() {
    let switches = NODES.replace("type = \"node\"", "type = \"switch\"");
    let switches = switches.replace("name = \"hill\"", "name = \"hill\"\n    rose = { address = \"3300787001\" }");
    let switches = switches.replace("name = \"tower\"", "name = \"tower\"\n    rose = { address = \"3300787002\" }");
    let found = metrics(&switches, &[]);
    assert_eq!(failed(&found, "mail"), 0.0);
    assert!(value(&found, "sessions/mail", "value") > 30.0);
    assert!(value(&found, "hop_delay/mail/hill-to-tower", "value") > 0.0);
}

#[test]
fn a_path_without_a_route_fails_and_says_why() {
    // the ridge between them is known at a quality of 100, and what lies behind it at 39
    let chain = NODES.replace(
        "on = [\"backbone\", \"town\"]",
        "on = [\"backbone\", \"town\"]\n    hears = [\"ridge\", \"mailbox\"]",
    );
    let chain = chain.replace(
        "on = [\"valley\", \"backbone\"]",
        "on = [\"valley\", \"backbone\"]\n    hears = [\"ridge\", \"user\"]",
    );
    let ridge = "    [[station]]\n    name = \"ridge\"\n    type = \"node\"\n    on = [\"backbone\"]\n    [[flow]]";
    let chain = chain.replace("    [[flow]]", ridge);
    let through = metrics(&chain, &[("station.netrom.radio_quality", "200")]);
    assert!(value(&through, "sessions/mail", "value") > 30.0 && failed(&through, "mail") == 0.0);
    let record = record(&chain, &[("station.netrom.radio_quality", "100"), ("station.netrom.min_quality", "50")]);
    assert!(record.metrics["failures/mail"] != Observation::Count(0));
    assert_eq!(record.metrics["sessions/mail"], Observation::Count(0));
    assert!(record.notes[0].contains("no route from hill to tower"), "{:?}", record.notes);
}

#[test]
fn a_user_who_gets_no_answer_in_time_gives_up() {
    let edits = [("flow.mail.timeout", "30 s"), ("flow.mail.turnaround", "31 s")];
    let found = metrics(WIRE, &edits);
    assert_eq!(failed(&found, "mail"), 36.0);
    assert_eq!(value(&found, "failures", "value"), 36.0);
    assert_eq!(value(&found, "sessions/mail", "value"), 0.0);
    assert_eq!(value(&found, "response_time/mail", "count"), 0.0);
}

#[test]
fn sessions_beside_a_probe_leave_its_response_time_to_it() {
    let probe = "[probe]\nfrom = \"me\"\nto = \"mailbox\"\npath = [\"hill\", \"tower\"]\nround_trips = 200\n    [run]";
    let with = NODES.replace("[run]", probe);
    let with = with.replace("    [[flow]]", "    [[station]]\n    name = \"me\"\n    on = [\"valley\"]\n    [[flow]]");
    let found = metrics(&with, &[]);
    assert_eq!(value(&found, "response_time", "count"), 200.0);
    assert!(value(&found, "response_time/mail", "count") > 0.0);
}

#[test]
fn keys_of_sessions_and_of_messages_are_not_mixed() {
    let message = |text: &str| {
        let found = scenario(text, &[]).map(|_| ()).expect_err("it is refused");
        found.render(false, 100)
    };
    let data = message(&WIRE.replace("request = \"100 B\"", "data = \"100 B\""));
    assert!(data.contains("sessions have no `data`") && data.contains("`request` and `response`"), "{data}");
    let think = message(&WIRE.replace("service = \"session\"", "service = \"connected\""));
    assert!(think.contains("is a key of sessions"), "{think}");
    let node = message(&NODES.replace("to = \"mailbox\"", "to = \"tower\""));
    assert!(node.contains("`tower` is not a terminal") && node.contains("belong in `path`"), "{node}");
    let all = message(&WIRE.replace("to = \"mailbox\"", "to = \"broadcast\""));
    assert!(all.contains("a session needs a peer"), "{all}");
}

#[test]
fn a_user_has_one_link_to_a_node() {
    let (before, flow) = NODES.split_once("    [[flow]]").unwrap();
    let (flow, run) = flow.split_once("    [run]").unwrap();
    let more = flow.replace("\"mail\"", "\"more\"");
    let twice = format!("{before}    [[flow]]{flow}    [[flow]]{more}    [run]{run}");
    let scenario = scenario(&twice, &[]).unwrap();
    let problems = crate::support::model(&scenario).map(|_| ()).expect_err("it is refused").render(false, 100);
    assert!(problems.contains("already have a link"), "{problems}");
}

#[test]
fn a_scenario_without_sessions_has_none_of_their_keys_and_the_hash_that_it_had() {
    let messages = "service = \"connected\"\n    data = \"100 B\"\n    arrivals";
    let (head, tail) = WIRE.split_once("service = \"session\"\n    arrivals").unwrap();
    let without = tail.replace("    request = \"100 B\"\n    response = \"100 B\"\n    turnaround = \"2 s\"\n", "");
    let canonical = scenario(&format!("{head}{messages}{without}"), &[]).unwrap().canonical_json();
    for key in ["exchanges", "request", "response", "compression", "think_time", "turnaround\":2", "event"] {
        assert!(!canonical.contains(&format!("\"{key}")), "{key} in {canonical}");
    }
}

/// A mailbox that answers with 32 packets of 512 octets over a half-duplex channel, version 2.2 and a window of 16.
fn window_of_16(send_buffer: &str) -> String {
    let ends = format!("paclen = \"512 B\"\nversion = \"v2.2\"\nwindow = 16\nsend_buffer = {send_buffer}");
    let radio = WIRE.replace("type = \"wire\"", "type = \"radio\"");
    radio.replace("paclen = \"128 B\"", &ends).replace("response = \"100 B\"", "response = \"16 KiB\"")
}

#[test]
fn a_session_fills_its_window_where_no_tnc_buffers_less() {
    let time = |buffer: &str| {
        let text = window_of_16(buffer);
        value(&metrics(&text, &[]), "response_time/mail", "mean")
    };
    let [two, sixteen, unlimited] = ["\"1 KiB\"", "\"8 KiB\"", "\"unlimited\""].map(time);
    // 16 bursts of two packets and their acknowledgements, against two of 16: 28 key-ups of 300 ms
    assert!(two > sixteen + 8.0, "{two} against {sixteen}");
    assert!((unlimited - sixteen).abs() < 1.0, "{unlimited} against {sixteen}");
}

#[test]
fn a_tnc_that_buffers_less_than_a_window_is_pointed_out() {
    let warnings = |buffer: &str| {
        let scenario =
            scenario(&window_of_16(buffer), &[]).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
        PacketRadioNetwork.warnings(&scenario).iter().map(Warning::in_words).collect::<Vec<_>>()
    };
    let found = warnings("\"4 KiB\"");
    assert_eq!(found.len(), 1, "the user sends one packet: {found:?}");
    assert!(found[0].contains("`mailbox` buffers 8 packets of 512 bytes, fewer than its window of 16"), "{found:?}");
    assert_eq!(warnings("\"8 KiB\""), Vec::<String>::new());
    assert_eq!(warnings("\"unlimited\""), Vec::<String>::new());
}
