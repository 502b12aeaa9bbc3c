//! Simulated LonTalk packets per second of CPU time, with complete node models.
//!
//! `cargo run --release --example lontalk_speed -- bulletin|light|domain|channel [seconds]`
//!
//! `bulletin` and `light`: 34 nodes at 500 and 200 packets/s (experiment D); `domain`: 255 channels of 127 nodes joined by routers;
//! `channel`: 32 385 nodes on one channel. Prints packets, processor seconds, packets a second, and bytes per node.

use sojourn_core::Duration;
use sojourn_metrics::record::Observation;
use sojourn_networks::{Network, Replication, lontalk::LonTalkNetwork};
use sojourn_scenario::{Document, check};

const BULLETIN: &str = include_str!("../../../studies/lontalk-response-time/d.toml");

fn text(case: &str) -> String {
    match case {
        "domain" => domain(),
        "channel" => load("channel", 32_385, 200),
        "light" => BULLETIN.replace("300 /s", "200 /s"),
        _ => BULLETIN.replace("300 /s", "500 /s"),
    }
}

/// One channel with `stations`, of which every other sends to its neighbour at a low rate.
fn load(name: &str, stations: usize, rate: usize) -> String {
    format!(
        "[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"{name}\"\nchannel = \"TP/XF-78\"\n[[station]]\nname = \"node\"\ncount = {stations}\n
[[flow]]\nname = \"value\"\nfrom = \"node\"\nto = \"partner\"\ngenerator = \"closed\"\naddressing = \"unicast\"
arrivals = {{ kind = \"poisson\", rate = \"{} /s\" }}\n",
        rate as f64 / 2.0 / stations as f64
    )
    .replace(&format!("count = {stations}"), &format!("count = {}", stations - stations % 2))
}

fn domain() -> String {
    let mut text =
        String::from("[network]\nkind = \"lontalk\"\n[[medium]]\nname = \"backbone\"\nchannel = \"TP/XF-1250\"\n");
    for channel in 1..=254 {
        text.push_str(&format!(
            "[[medium]]\nname = \"m{channel}\"\nchannel = \"TP/XF-78\"\n[[station]]\nname = \"n{channel}\"\ncount = 126\non = [\"m{channel}\"]
[[station]]\nname = \"r{channel}\"\nrouter = \"configured\"\non = [\"m{channel}\", \"backbone\"]
[[flow]]\nname = \"f{channel}\"\nfrom = \"n{channel}\"\nto = \"partner\"\ngenerator = \"closed\"\naddressing = \"unicast\"
arrivals = {{ kind = \"poisson\", rate = \"0.8 /s\" }}\n"
        ));
    }
    text
}

/// CPU time used so far, in nanoseconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("a Linux machine");
    text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number")
}

/// Resident memory in bytes.
fn memory() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("a Linux machine");
    text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).expect("a number") * 4096.0
}

fn main() {
    let case = std::env::args().nth(1).unwrap_or_else(|| "bulletin".into());
    let seconds = std::env::args().nth(2).map_or(600, |text| text.parse().expect("seconds"));
    let document = Document::parse(&case, &text(&case)).expect("a document");
    let scenario = check(&document).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let before = memory();
    let model = LonTalkNetwork.model(&scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let begun = processor_time();
    let record = model.replicate(Replication::alone(Duration::from_secs(seconds)));
    let spent = (processor_time() - begun) * 1e-9;
    let Observation::Count(packets) = record.metrics["packets"] else { panic!("a count") };
    let stations = scenario.members().len() as f64;
    println!(
        "{case}: {packets} packets in {spent:.3} s of processor time, {:.2} million a second; {:.0} bytes a node",
        packets as f64 / spent / 1e6,
        (memory() - before) / stations
    );
}
