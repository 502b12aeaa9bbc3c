//! LonTalk scenarios as users write them: each runs, is reproducible, and conserves messages.

use std::path::Path;

use sojourn_core::Duration;
use sojourn_lontalk::LonTalkNetwork;
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::{Network, Replication};
use sojourn_scenario::{Document, check};

use crate::support::{metrics, value};

fn run(text: &str, seconds: u64) -> Record {
    run_document(&sojourn_lontalk::NETWORKS.kinds().parse("test.toml", text).expect("a document"), seconds)
}

fn run_document(document: &Document, seconds: u64) -> Record {
    let scenario = check(document).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let model = LonTalkNetwork.model(&scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    model.replicate(Replication {
        seed: scenario.run().seed,
        warm_up: Duration::from_secs(2),
        ..Replication::alone(Duration::from_secs(seconds))
    })
}

fn refusal(text: &str) -> String {
    let document = sojourn_lontalk::NETWORKS.kinds().parse("test.toml", text).expect("a document");
    let outcome = check(&document).and_then(|scenario| LonTalkNetwork.model(&scenario).map(|_| ()));
    outcome.expect_err("the scenario is wrong").render(false, 100)
}

#[test]
fn every_scenario_of_the_examples_and_the_study_runs_reproducibly() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["examples", "studies/lontalk-response-time"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder").flatten() {
            let path = entry.path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if path.extension().is_some_and(|kind| kind == "toml") && text.contains("kind = \"lontalk\"") {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(files.len() >= 10, "{files:?}");
    for file in files {
        let document = sojourn_lontalk::NETWORKS
            .kinds()
            .read(&file)
            .unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
        let (first, second) = (run_document(&document, 20), run_document(&document, 20));
        assert_eq!(first, second, "{}", file.display());
        assert!(first.value("throughput_l3") > 0.0, "{}", file.display());
    }
}

const HEAD: &str = "[network]\nkind = \"lontalk\"\n";

#[test]
fn frames_lost_to_bit_errors_are_crc_errors_and_not_collisions() {
    let one_sender = |channel: &str| {
        format!(
            "{HEAD}[channel]\nchannel = \"TP/FT-10\"\n{channel}\n[[station]]\nname = \"sensor\"\n\
             [[station]]\nname = \"controller\"\n[[flow]]\nname = \"updates\"\nfrom = \"sensor\"\n\
             to = \"controller\"\nservice = \"unacknowledged\"\nprobe = true\n\
             arrivals = {{ kind = \"periodic\", interval = \"50 ms\" }}\n"
        )
    };
    let noisy = run(&one_sender("bit_error_rate = 0.001"), 60);
    assert_eq!(noisy.value("collision_rate"), 0.0, "one station alone does not collide");
    assert!((0.05..0.3).contains(&noisy.value("crc_error_rate")), "{}", noisy.value("crc_error_rate"));
    let clean = run(&one_sender(""), 60);
    assert!(!clean.metrics.contains_key("crc_error_rate"), "a channel without bit errors has collisions alone");
}

#[test]
fn an_overlap_of_two_frames_is_one_collision_that_loses_two() {
    let saturated = |edit: &str| {
        let text = format!(
            "{HEAD}[channel]\nchannel = \"TP/FT-10\"\npriority_slots = 0\n{edit}\n[[station]]\nname = \"node\"\n\
             count = 2\n[[station]]\nname = \"sink\"\n[[flow]]\nname = \"load\"\nfrom = \"node\"\nto = \"sink\"\n\
             service = \"unacknowledged\"\nprobe = true\narrivals = {{ kind = \"saturating\" }}\n"
        );
        let found = run(&text, 60);
        (found.value("collision_rate"), found.value("collision_loss"))
    };
    let (rate, loss) = saturated("");
    assert!(rate > 0.02, "{rate}");
    // c collisions and s frames received: c / (c + s) is the rate, and 2 c / (2 c + s) are lost
    assert!((loss - 2.0 * rate / (1.0 + rate)).abs() < 1e-12, "{loss} at {rate}");
    let (rate, captured) = saturated("capture = true\nskew = \"50 µs\"");
    assert!(rate > 0.0 && captured < loss, "one frame of an overlap survives where the first captures the receiver");
}

#[test]
fn copies_of_unacknowledged_repeated_service_are_no_retries() {
    let with = |service: &str| {
        let text = format!(
            "{HEAD}[channel]\nchannel = \"TP/FT-10\"\nbit_error_rate = 0.002\n[[station]]\nname = \"switch\"\n\
             [[station]]\nname = \"lamp\"\n[[flow]]\nname = \"command\"\nfrom = \"switch\"\nto = \"lamp\"\n\
             {service}\nprobe = true\narrivals = {{ kind = \"periodic\", interval = \"1 s\" }}\n"
        );
        run(&text, 60)
    };
    let repeated = with("service = \"unacknowledged-repeated\"\nrepeats = 3");
    assert_eq!(repeated.metrics["retries"], Observation::NotApplicable);
    let packets = repeated.total("packets/switch");
    assert!(packets > 4 * 50, "each message is sent four times: {packets} packets");
    let acknowledged = with("service = \"acknowledged\"\nretries = 3");
    let (retries, packets) = (acknowledged.total("retries"), acknowledged.total("packets/switch"));
    assert!(retries > 5 && packets < 2 * 60, "an acknowledged one when an answer is missing: {retries}");
}

#[test]
fn a_configured_router_forwards_selectively_and_a_repeater_everything() {
    let site = |router: &str| {
        format!(
            "{HEAD}
[[medium]]
name = \"a\"
channel = \"TP/FT-10\"
[[medium]]
name = \"b\"
channel = \"TP/XF-1250\"
[[medium]]
name = \"c\"
channel = \"TP/FT-10\"
[[station]]
name = \"left\"
on = [\"a\"]
[[station]]
name = \"near\"
on = [\"a\"]
[[station]]
name = \"right\"
on = [\"c\"]
[[station]]
name = \"first\"
router = \"{router}\"
on = [\"a\", \"b\"]
[[station]]
name = \"second\"
router = \"{router}\"
on = [\"b\", \"c\"]
[[flow]]
name = \"far\"
from = \"left\"
to = \"right\"
probe = true
arrivals = {{ kind = \"periodic\", interval = \"500 ms\" }}
[[flow]]
name = \"local\"
from = \"near\"
to = \"left\"
arrivals = {{ kind = \"periodic\", interval = \"100 ms\" }}
"
        )
    };
    let configured = run(&site("configured"), 100);
    assert!((195..=205).contains(&configured.distribution("response_time/far").count()));
    assert_eq!(configured.total("failures"), 0);
    // 2 packets per exchange: 4/s of the far flow on all media, 20/s of the local one on its own
    let rate = |record: &Record, medium: &str| record.value(&format!("throughput_l3/{medium}"));
    assert!((rate(&configured, "a") - 24.0).abs() < 1.0);
    assert!((rate(&configured, "b") - 4.0).abs() < 0.5);
    assert!((rate(&configured, "c") - 4.0).abs() < 0.5);
    let repeated = run(&site("repeater"), 100);
    assert!((rate(&repeated, "c") - 24.0).abs() < 1.0);
}

#[test]
fn unreachable_receivers_are_refused_at_their_place() {
    let media = "
[[medium]]
name = \"a\"
[[medium]]
name = \"b\"
[[station]]
name = \"left\"
on = [\"a\"]
[[station]]
name = \"right\"
on = [\"b\"]
[[flow]]
name = \"far\"
from = \"left\"
to = \"right\"
arrivals = { kind = \"periodic\", interval = \"500 ms\" }
";
    let text = refusal(&format!("{HEAD}{media}"));
    assert!(text.contains("no route to right") && text.contains("to = \"right\""), "{text}");
}

#[test]
fn a_poll_requests_each_point_in_turn_and_measures_the_response_at_the_supervisor() {
    let record = run(
        &format!(
            "{HEAD}
[[medium]]
name = \"m\"
channel = \"TP/XF-78\"
[[station]]
name = \"supervisor\"
[[station]]
name = \"point\"
count = 10
[[flow]]
name = \"poll\"
from = \"supervisor\"
to = \"point\"
service = \"request\"
response_data = \"4 B\"
probe = true
arrivals = {{ kind = \"poll\", interval = \"100 ms\", cycle = \"2 s\" }}
"
        ),
        60,
    );
    // ten points every 2 s
    assert!((295..=305).contains(&record.distribution("response_time/poll").count()));
    assert!((1..=10).all(|number| record.total(&format!("packets/point-{number}")) >= 29));
}

#[test]
fn a_heartbeat_respects_max_send_time_and_throttle() {
    let updates = |change: &str| {
        let record = run(
            &format!(
                "{HEAD}
[[medium]]
name = \"m\"
[[station]]
name = \"sensor\"
[[station]]
name = \"controller\"
[[flow]]
name = \"temperature\"
from = \"sensor\"
to = \"controller\"
service = \"unacknowledged\"
probe = true
arrivals = {{ kind = \"heartbeat\", max_interval = \"10 s\", min_interval = \"1 s\"{change} }}
"
            ),
            600,
        );
        record.distribution("response_time").count()
    };
    assert!((59..=61).contains(&updates("")));
    // a value that changes continuously is throttled to one update a second
    assert!((590..=601).contains(&updates(", change_interval = \"10 ms\"")));
    let between = updates(", change_interval = \"5 s\"");
    // mean of an exponential span of 5 s that is at least 1 s and at most 10 s: 1 s + 5 s (e^-1/5 - e^-2) = 4.417 s
    assert!((115..=157).contains(&between), "{between} updates, 136 expected");
}

#[test]
fn devices_that_start_together_collide_more_than_spread_ones() {
    let collisions = |start: &str| {
        let record = run(
            &format!(
                "{HEAD}
[[medium]]
name = \"m\"
[[station]]
name = \"sensor\"
count = 40
[[station]]
name = \"controller\"
buffers = {{ network_input = 63, application_input = 63 }}
[[flow]]
name = \"value\"
from = \"sensor\"
to = \"controller\"
service = \"unacknowledged\"
arrivals = {{ kind = \"periodic\", interval = \"10 s\", start = \"{start}\" }}
"
            ),
            60,
        );
        record.total("collisions")
    };
    assert!(collisions("at-once") > 5 * collisions("spread").max(1));
}

#[test]
fn every_service_reaches_a_node_a_group_and_the_domain() {
    for service in ["unacknowledged", "unacknowledged-repeated", "acknowledged", "request", "authenticated"] {
        for to in ["\"device-1\"", "[\"device\"]", "\"everyone\""] {
            if service == "authenticated" && to == "\"everyone\"" {
                continue; // broadcasts are not authenticated
            }
            let record = run(
                &format!(
                    "{HEAD}
[[medium]]
name = \"m\"
channel = \"TP/XF-78\"
[[station]]
name = \"master\"
buffers = {{ network_input = 15, application_input = 15 }}
[[station]]
name = \"device\"
count = 5
[[flow]]
name = \"command\"
from = \"master\"
to = {to}
service = \"{service}\"
probe = true
arrivals = {{ kind = \"periodic\", interval = \"1 s\" }}
"
                ),
                60,
            );
            let delivered = record.distribution("response_time").count();
            assert!(delivered >= 59, "{service} to {to}: {delivered}");
            assert_eq!(record.total("failures"), 0, "{service} to {to}");
        }
    }
}

#[test]
fn a_long_queue_of_acknowledgements_sustains_congestion_collapse_and_a_short_one_does_not() {
    let late_acknowledgements = |waiting: u16| {
        let record = run(
            &format!(
                "{HEAD}
[[medium]]
name = \"floor\"
channel = \"TP/FT-10\"
[[station]]
name = \"device\"
count = 90
[[station]]
name = \"controller\"
input_clock = \"40 MHz\"
receive_records = 255
buffers = {{ network_input = 31, application_input = 31, network_output_answers = {waiting} }}
[[flow]]
name = \"command\"
from = \"device\"
to = \"controller\"
service = \"acknowledged\"
arrivals = {{ kind = \"poisson\", interval = \"1.5 s\" }}
"
            ),
            60,
        );
        record.total("late_acknowledgements")
    };
    assert!(late_acknowledgements(31) > 20 * late_acknowledgements(7).max(1));
}

#[test]
fn each_further_output_buffer_of_a_saturated_buffered_generator_adds_one_message_time() {
    let run = |service: &str, priority: bool, buffers: &str| {
        let text = format!(
            "{HEAD}[channel]\nchannel = \"TP/XF-78\"\n[[station]]\nname = \"sensor\"\nbuffers = {{ {buffers} }}\n\
             [[station]]\nname = \"controller\"\n[[flow]]\nname = \"updates\"\nfrom = \"sensor\"\nto = \"controller\"\n\
             service = \"{service}\"\nprobe = true\ngenerator = \"buffered\"\npriority = {priority}\n\
             arrivals = {{ kind = \"poisson\", interval = \"500 us\" }}\n"
        );
        let found = metrics(&text, &[("run.duration", "20 s")]);
        (value(&found, "response_time", "mean"), value(&found, "throughput_l4", "value"))
    };
    let cases = [("unacknowledged", "network_output", 3, 11, 1.0), ("acknowledged", "application_output", 2, 5, 2.0)];
    for (service, buffers, few, many, packets) in cases {
        for (priority, buffers) in [(false, buffers.to_owned()), (true, format!("{buffers}_priority"))] {
            let [(short, _), (long, rate)] =
                [few, many].map(|count| run(service, priority, &format!("{buffers} = {count}")));
            let each = (long - short) / f64::from(many - few);
            assert!(
                (each * rate / packets - 1.0).abs() < 0.05,
                "{service}, {buffers}: {each} s each, {rate} packets/s"
            );
        }
    }
}
