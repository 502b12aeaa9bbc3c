//! Every key that takes a distribution of times draws the mean that it is given, whatever the distribution.

use crate::support::{event, record, scenario};
use sojourn_metrics::record::{Observation, Record};

/// Every law at the ends of its range, as its keys beside the mean, with its coefficient of variation.
const LAWS: [(&str, f64); 12] = [
    ("kind = \"deterministic\"", 0.0),
    ("kind = \"exponential\"", 1.0),
    ("kind = \"normal\", deviation = 0", 0.0),
    ("kind = \"normal\", deviation = 0.3", 0.3),
    ("kind = \"gamma\", shape = 0.05", 4.47),
    ("kind = \"gamma\", shape = 1", 1.0),
    ("kind = \"gamma\", shape = 10000", 0.01),
    ("kind = \"lognormal\", deviation = 0", 0.0),
    ("kind = \"lognormal\", deviation = 5", 5.0),
    ("kind = \"weibull\", shape = 0.3", 5.41),
    ("kind = \"weibull\", shape = 100", 0.013),
    ("kind = \"empirical\", values = [\"1 ms\", \"2 ms\", \"27 ms\"]", 1.2),
];

/// Their mean, seconds.
const MEAN: f64 = 10e-3;

fn law(keys: &str) -> String {
    if keys.contains("values") { format!("{{ {keys} }}") } else { format!("{{ {keys}, mean = \"10 ms\" }}") }
}

/// Asserts of each law that this mean and number of draws, found with it, is the one asked for: to 0.5 %, or where that many
/// draws do not show it, to three and a half of their standard errors.
fn assert_mean_of_each_law(found: impl Fn(&str) -> (f64, f64)) {
    for (keys, variation) in LAWS {
        let (mean, draws) = found(&law(keys));
        let tolerance = (3.5 * variation / draws.sqrt()).max(0.005);
        let off = mean / MEAN - 1.0;
        println!("{keys}: {mean} s of {draws} draws, {off:+.4} of {tolerance:.4}");
        assert!(off.abs() < tolerance, "{keys}: {mean} s, off by {off} of {tolerance}");
    }
}

fn count(record: &Record, name: &str) -> f64 {
    let Observation::Distribution(found) = &record.metrics[name] else { panic!("{name} is not a distribution") };
    found.count() as f64
}

/// Machines that work, and are repaired in a millisecond as soon as they fail: they do not wait for each other.
const MACHINES: &str = r#"
    [network]
    kind = "queue"
    [[station]]
    name = "repair"
    servers = 20
    service = { kind = "deterministic", mean = "1 ms" }
    [[flow]]
    name = "machines"
    path = ["repair"]
    arrivals = { kind = "closed", population = 20 }
    [run]
    duration = "260 s"
    warm_up = "2 s"
"#;

#[test]
fn a_closed_population_thinks_for_the_mean_of_each_law() {
    assert_mean_of_each_law(|law| {
        let record = record(MACHINES, &[("flow.machines.arrivals.think", law)]);
        let rounds = count(&record, "response_time");
        (20.0 * 260.0 / rounds - 1e-3, rounds)
    });
}

#[test]
fn a_closed_population_thinks_for_the_mean_beside_an_event_as_well() {
    let event = event("action = \"set\"\nset = { \"station.repair.service.mean\" = \"1 ms\" }\nat = \"10 s\"");
    let constant = law("kind = \"gamma\", shape = 10000");
    let edits = [("flow.machines.arrivals.think", constant.as_str()), ("run.duration", "20 s")];
    let record = record(&format!("{MACHINES}{event}"), &edits);
    let thinks = 20.0 * 20.0 / count(&record, "response_time") - 1e-3;
    assert!((thinks / MEAN - 1.0).abs() < 0.01, "{thinks}");
}

/// A client and a server on a wire of their own, whose hosts take no time.
const ECHO: &str = r#"
    [network]
    kind = "ip"
    [[medium]]
    name = "wire"
    rate = "1 Gbit/s"
    length = "0 m"
    delay = "1 ms"
    [[station]]
    name = "client"
    costs = { packet = "0 s" }
    [[station]]
    name = "server"
    costs = { packet = "0 s" }
    [run]
    duration = "500 s"
    warm_up = "1 s"
"#;
const ECHO_FLOW: &str = r#"
    [[flow]]
    name = "echo"
    from = "client"
    to = "server"
    service = "echo"
    timeout = "1 h"
    probe = true
"#;

/// A stream of datagrams every 10 ms, whose one-way delays are observed.
const STREAM: &str = r#"
    [[flow]]
    name = "stream"
    from = "client"
    to = "server"
    service = "stream"
    arrivals = { kind = "periodic", interval = "10 ms" }
    probe = true
"#;

/// The mean of a distribution.
fn mean(record: &Record, name: &str) -> f64 {
    let Observation::Distribution(found) = &record.metrics[name] else { panic!("{name} is not a distribution") };
    found.mean().expect("there are samples")
}

#[test]
fn a_client_thinks_for_the_mean_of_each_law() {
    let text = format!("{ECHO}{ECHO_FLOW}");
    let round_trip = mean(&record(&text, &[]), "response_time");
    assert_mean_of_each_law(|law| {
        let requests = count(&record(&text, &[("flow.echo.think", law)]), "response_time");
        (500.0 / requests - round_trip, requests)
    });
}

#[test]
fn a_server_takes_the_mean_of_each_law() {
    let text = format!("{ECHO}{ECHO_FLOW}");
    let round_trip = mean(&record(&text, &[]), "response_time");
    assert_mean_of_each_law(|law| {
        let record = record(&text, &[("flow.echo.server_time", law)]);
        (mean(&record, "response_time") - round_trip, count(&record, "response_time"))
    });
}

#[test]
fn requests_over_tcp_take_the_mean_of_both_laws() {
    let text = format!("{ECHO}{ECHO_FLOW}").replace("\"echo\"\n    timeout = \"1 h\"", "\"request\"");
    let constant = law("kind = \"gamma\", shape = 10000");
    let alone = record(&text, &[("run.duration", "20 s")]);
    let both = record(
        &text,
        &[("run.duration", "20 s"), ("flow.echo.think", &constant), ("flow.echo.server_time", &constant)],
    );
    let (round_trip, with_server) = (mean(&alone, "response_time"), mean(&both, "response_time"));
    assert!(((with_server - round_trip) / MEAN - 1.0).abs() < 0.005, "{with_server} {round_trip}");
    let thinks = 20.0 / count(&both, "response_time") - with_server;
    assert!((thinks / MEAN - 1.0).abs() < 0.005, "{thinks}");
}

#[test]
fn jitter_adds_the_mean_of_each_law() {
    let text = format!("{ECHO}{STREAM}");
    let alone = mean(&record(&text, &[]), "one_way_delay");
    assert_mean_of_each_law(|law| {
        let record = record(&text, &[("medium.wire.jitter", law), ("medium.wire.reordering", "true")]);
        (mean(&record, "one_way_delay") - alone, count(&record, "one_way_delay"))
    });
}

#[test]
fn an_event_sets_another_jitter_and_the_distribution_comes_back() {
    let set = event("action = \"set\"\nset = { \"medium.wire.jitter\" = \"0 s\" }\nat = \"10 s\"\nduration = \"45 s\"");
    let text = format!("{ECHO}{STREAM}{set}");
    let alone = mean(&record(&format!("{ECHO}{STREAM}"), &[]), "one_way_delay");
    let constant = law("kind = \"deterministic\"");
    let record = record(&text, &[("medium.wire.jitter", &constant), ("run.duration", "90 s")]);
    // half of the time
    let added = mean(&record, "one_way_delay") - alone;
    assert!((added / (MEAN / 2.0) - 1.0).abs() < 0.03, "{added}");
}

#[test]
fn an_event_cannot_set_a_distribution_or_a_key_of_one() {
    for (set, says) in [
        ("\"medium.wire.jitter\" = { kind = \"exponential\", mean = \"1 ms\" }", "and events set values"),
        ("\"medium.wire.jitter.mean\" = \"1 ms\"", "cannot change during a run"),
    ] {
        let event = event(&format!("action = \"set\"\nset = {{ {set} }}\nat = \"10 s\""));
        let refused = scenario(&format!("{ECHO}{STREAM}{event}"), &[]).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
}

/// A user whose session never ends, and a mailbox on a fast wire.
const SESSION: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "line"
    type = "wire"
    bit_rate = "1 Mbit/s"
    txtail = "0 s"
    [[station]]
    name = "user"
    on = ["line"]
    costs = { receive_frame = "0 s" }
    [[station]]
    name = "mailbox"
    on = ["line"]
    costs = { receive_frame = "0 s" }
    [[flow]]
    name = "mail"
    from = "user"
    to = "mailbox"
    service = "session"
    arrivals = { kind = "periodic", interval = "1 s" }
    exchanges = 1000000
    request = "1 B"
    response = "1 B"
    [run]
    duration = "100 s"
    warm_up = "10 s"
"#;

#[test]
fn a_user_of_a_session_thinks_for_the_mean_of_each_law() {
    assert_mean_of_each_law(|law| {
        let record = record(SESSION, &[("flow.mail.think_time", law)]);
        let exchanges = count(&record, "response_time/mail");
        (100.0 / exchanges - mean(&record, "response_time/mail"), exchanges)
    });
}

/// A node on an IP-852 channel that sends the next message after the last one.
const CHANNEL: &str = r#"
    [network]
    kind = "lontalk"
    [[medium]]
    name = "ip"
    channel = "IP-852"
    delay = "1 ms"
    escrow_time = "0 s"
    [[station]]
    name = "sender"
    costs = { send_call = "0 s", form_packet = "0 s", form_packet_per_byte = "0 s", deliver = "0 s", deliver_per_byte = "0 s", application_latency = "0 s", application_jitter = "0 %" }
    [[station]]
    name = "receiver"
    costs = { send_call = "0 s", form_packet = "0 s", form_packet_per_byte = "0 s", deliver = "0 s", deliver_per_byte = "0 s", application_latency = "0 s", application_jitter = "0 %" }
    [[flow]]
    name = "updates"
    from = "sender"
    to = "receiver"
    service = "request"
    transaction_timer = "3072 ms"
    message = "explicit-without-copy"
    data = "1 B"
    probe = true
    arrivals = { kind = "saturating", think = "10 ms" }
    [run]
    duration = "100 s"
    warm_up = "1 s"
"#;

#[test]
fn a_sender_that_always_has_more_thinks_for_the_mean_of_each_law() {
    let constant = record(CHANNEL, &[]);
    // what passes beside the think time, between the end of one message and the next
    let beside = 100.0 / count(&constant, "response_time") - MEAN;
    assert_mean_of_each_law(|law| {
        let messages = count(&record(CHANNEL, &[("flow.updates.arrivals.think", law)]), "response_time");
        (100.0 / messages - beside, messages)
    });
}

#[test]
fn jitter_of_an_ip_852_channel_adds_the_mean_of_each_law_in_both_directions() {
    let periodic = ("flow.updates.arrivals", "{ kind = \"saturating\", think = \"0 s\" }");
    let alone = mean(&record(CHANNEL, &[periodic]), "response_time");
    assert_mean_of_each_law(|law| {
        let record = record(CHANNEL, &[periodic, ("medium.ip.jitter", law)]);
        let requests = count(&record, "response_time");
        ((mean(&record, "response_time") - alone) / 2.0, 2.0 * requests)
    });
}
