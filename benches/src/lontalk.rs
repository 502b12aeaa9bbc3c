//! LonTalk sites as scenario texts, from a channel of 34 nodes to a full domain.

use std::fmt::Write;

/// Subnets of a domain, and nodes of a subnet.
const SUBNETS: usize = 255;
const NODES: usize = 127;

/// Experiment D of the study, at 500 packets/s.
pub fn heavy_load() -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../studies/lontalk-response-time/d.toml");
    std::fs::read_to_string(folder).unwrap_or_else(|error| panic!("{folder}: {error}"))
}

/// One channel of an even number of nodes in pairs that send 20 acknowledged messages a second in all.
pub fn channel(nodes: usize) -> String {
    let mut text = header();
    floor(&mut text, "floor", nodes);
    text
}

/// One channel of `nodes` nodes of which only two send.
pub fn idle(nodes: usize) -> String {
    let mut text = header();
    medium(&mut text, "floor");
    station(&mut text, "device", nodes, &["floor"]);
    flow(&mut text, "some", "device-1", "device-2", "10 s");
    text
}

/// 32 385 nodes: 255 channels of 126 nodes and a router each, the routers on a backbone. On every channel the nodes
/// send as in [`channel`], 20 messages a second in all, and one sends a message to the next channel every 2 s: six
/// packets on three channels, 7 % of all. The cost per packet is that of the same traffic with each node sending rarely.
pub fn domain() -> String {
    let mut text = header();
    medium_of(&mut text, "backbone", "TP/XF-1250");
    for subnet in 1..=SUBNETS {
        let name = format!("floor-{subnet}");
        floor(&mut text, &name, NODES - 1);
        let _ = write!(
            text,
            "[[station]]\nname = \"router-{subnet}\"\non = [\"{name}\", \"backbone\"]\nrouter = \"configured\"\n\
             input_clock = \"40 MHz\"\n"
        );
        let next = subnet % SUBNETS + 1;
        flow(
            &mut text,
            &format!("report-{subnet}"),
            &format!("{name}-device-1"),
            &format!("floor-{next}-device-1"),
            "2 s",
        );
    }
    text
}

fn header() -> String {
    "[network]\nkind = \"lontalk\"\n".to_owned()
}

/// A channel whose nodes send 20 messages a second in all to their partners.
fn floor(text: &mut String, name: &str, nodes: usize) {
    medium(text, name);
    let device = format!("{name}-device");
    station(text, &device, nodes, &[name]);
    let interval = format!("{} ms", nodes * 50);
    flow(text, &format!("{name}-talk"), &device, "partner", &interval);
}

fn medium(text: &mut String, name: &str) {
    medium_of(text, name, "TP/FT-10");
}

fn medium_of(text: &mut String, name: &str, channel: &str) {
    let _ = write!(text, "[[medium]]\nname = \"{name}\"\nchannel = \"{channel}\"\n");
}

fn station(text: &mut String, name: &str, count: usize, on: &[&str]) {
    let _ = write!(text, "[[station]]\nname = \"{name}\"\ncount = {count}\non = {on:?}\n");
}

fn flow(text: &mut String, name: &str, from: &str, to: &str, interval: &str) {
    let _ = write!(
        text,
        "[[flow]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\nservice = \"acknowledged\"\ndata = \"1 B\"\n\
         arrivals = {{ kind = \"poisson\", interval = \"{interval}\" }}\n"
    );
}
