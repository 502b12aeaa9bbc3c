//! Packet radio over time: stations that lose power, media that are down, flows that start and stop.

use sojourn_metrics::record::{Observation, Record};

use crate::support::{event, mean_level, record, replication, requests, scenario, timeline};

/// A user of a mailbox behind two nodes, who asks every 20 s, and a station that sends beacons through a digipeater.
const SITE: &str = r#"
    [network]
    kind = "packet-radio"
    [[medium]]
    name = "valley"
    [[medium]]
    name = "backbone"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    [[medium]]
    name = "town"
    [[medium]]
    name = "beach"
    [[station]]
    name = "user"
    on = ["valley"]
    [[station]]
    name = "hill"
    type = "node"
    on = ["valley", "backbone"]
    netrom = { nodes_interval = "60 s" }
    [[station]]
    name = "tower"
    type = "node"
    on = ["backbone", "town"]
    netrom = { nodes_interval = "60 s" }
    [[station]]
    name = "mailbox"
    on = ["town"]
    [[station]]
    name = "beacon"
    on = ["beach"]
    [[station]]
    name = "relay"
    type = "digipeater"
    on = ["beach"]
    [[station]]
    name = "listener"
    on = ["beach"]
    [[flow]]
    name = "mail"
    from = "user"
    to = "mailbox"
    path = ["hill", "tower"]
    service = "session"
    arrivals = { kind = "saturating", think = "10 s" }
    exchanges = 3
    request = "20 B"
    response = "100 B"
    think_time = "10 s"
    timeout = "2 min"
    [[flow]]
    name = "beacons"
    from = "beacon"
    to = "listener"
    path = ["relay"]
    data = "40 B"
    arrivals = { kind = "periodic", interval = "10 s" }
    [run]
    duration = "2 h"
    warm_up = "0 s"
"#;

fn site_with(keys: &str) -> Record {
    record(&format!("{SITE}{}", event(keys)), &[])
}

fn answered(record: &Record, from: f64, to: f64) -> u64 {
    requests(record, from, to)[1]
}

#[test]
fn a_node_without_power_ends_its_sessions_and_with_power_again_learns_its_routes() {
    let record = site_with("at = \"40 min\"\nduration = \"10 min\"\nstations = \"hill\"\naction = \"power-down\"");
    assert!(answered(&record, 0.0, 2400.0) > 60, "{}", answered(&record, 0.0, 2400.0));
    assert_eq!(answered(&record, 2460.0, 3000.0), 0, "none is sent and answered while the node is off");
    assert!(answered(&record, 3300.0, 7200.0) > 90, "after the first broadcast it is as before");
    assert!(record.total("failures/mail") > 1);
    let recovery = record.distribution("recovery_time/it").max().expect("it recovers").seconds();
    assert!((600.0..1000.0).contains(&recovery), "{recovery}");
}

#[test]
fn a_node_that_resets_loses_its_circuits_and_its_peers_find_out() {
    let record = site_with("at = \"40 min\"\nstations = \"tower\"\naction = \"restart\"");
    // the link between the nodes is gone, and with it every circuit, although both are on
    assert!(record.total("failures/mail") >= 1);
    assert!(answered(&record, 2700.0, 7200.0) > 100, "{}", answered(&record, 2700.0, 7200.0));
}

#[test]
fn a_medium_that_is_down_carries_frames_that_no_station_receives() {
    let record = site_with("at = \"40 min\"\nduration = \"10 min\"\nmedia = \"backbone\"\naction = \"down\"");
    assert_eq!(answered(&record, 2430.0, 3000.0), 0);
    assert!(answered(&record, 3300.0, 7200.0) > 90);
    assert!(mean_level(&record, "utilisation/timeline", 2430.0, 3000.0) > 0.0, "beacons and polls are sent");
}

#[test]
fn a_digipeater_without_power_repeats_nothing() {
    let record = site_with("at = \"1 h\"\nduration = \"30 min\"\nstations = \"relay\"\naction = \"power-down\"");
    let Observation::Share { part, of } = record.metrics["loss"] else { panic!("a share") };
    // 180 of 720 beacons, beside what is lost with a session
    assert!((180..=183).contains(&part), "{part} of {of}");
}

#[test]
fn a_bit_error_rate_loses_frames_until_it_is_set_back() {
    let keys =
        "at = \"30 min\"\nduration = \"30 min\"\naction = \"set\"\nset = { \"medium.beach.bit_error_rate\" = 1e-3 }";
    let record = site_with(keys);
    let Observation::Share { part, .. } = record.metrics["loss"] else { panic!("a share") };
    // a frame of 65 octets, twice: 1 - (1 - 1e-3)^(2 * 65 * 8 * 63/62) of 180 beacons are lost, 117
    assert!((95..140).contains(&part), "{part}");
}

#[test]
fn a_flow_that_starts_at_night_sends_then_and_at_no_other_time() {
    let record = site_with("at = \"1 h\"\nuntil = \"90 min\"\nflows = \"mail\"\naction = \"start\"");
    assert_eq!(requests(&record, 0.0, 3600.0), [0, 0]);
    assert!(answered(&record, 3600.0, 5400.0) > 40);
    // what is open goes on
    assert_eq!(answered(&record, 5520.0, 7200.0), 0);
    assert!(timeline(&record, "response_time/timeline").edges.contains(&3_600_000_000_000_000));
}

#[test]
fn a_burst_of_beacons_is_sent_at_once() {
    let plain = record(SITE, &[]);
    let burst = site_with("at = \"1 h\"\nflows = \"beacons\"\naction = \"burst\"\nsize = 10");
    let Observation::Scalar(before) = plain.metrics["packet_rate"] else { panic!("a rate") };
    let Observation::Scalar(after) = burst.metrics["packet_rate"] else { panic!("a rate") };
    let more = (after - before) * 7200.0;
    assert!((8.0..12.0).contains(&more), "{more}");
}

#[test]
fn a_station_that_loses_power_while_it_transmits_is_off_the_air_at_once() {
    // the channel is busy all the time while the beacon sends 1000 octets every second at 1200 bit/s
    let edits = [("flow.beacons.data", "250 B"), ("flow.beacons.arrivals", "{ kind = \"saturating\" }")];
    let keys = "at = \"1 h\"\nduration = \"30 min\"\nstations = \"beacon\"\naction = \"power-down\"";
    let alone = SITE.replace(
        "arrivals = { kind = \"saturating\", think = \"10 s\" }",
        "arrivals = { kind = \"poisson\", interval = \"100 day\" }",
    );
    let record = record(&format!("{alone}{}", event(keys)), &edits);
    let busy = |from, to| mean_level(&record, "utilisation/timeline", from, to);
    assert!(busy(0.0, 3600.0) > 0.15, "a channel of four: {}", busy(0.0, 3600.0));
    assert!(busy(3600.0, 5400.0) < 0.02, "{}", busy(3600.0, 5400.0));
    assert!(busy(5400.0, 7200.0) > 0.15);
}

#[test]
fn random_failures_are_the_same_in_every_run_and_differ_between_replications() {
    let keys = "mean_time_between = \"20 min\"\nmean_time_to_repair = \"2 min\"\nstations = [\"hill\", \"tower\", \"relay\"]\naction = \"power-down\"";
    let (first, again) = (site_with(keys), site_with(keys));
    assert_eq!(first, again);
    assert!(first.total("failures/mail") > 0);
}

#[test]
fn keys_that_cannot_change_are_refused() {
    let keys = "at = \"1 h\"\naction = \"set\"\nset = { \"medium.beach.bit_rate\" = \"300 bit/s\" }";
    let found = scenario(&format!("{SITE}{}", event(keys)), &[]).map(|_| ()).expect_err("it is refused");
    let text = found.render(false, 100);
    assert!(text.contains("cannot change during a run") && text.contains("bit_error_rate"), "{text}");
}

/// Four nodes of which one on either of two hills joins the others; the eastern one, with the better link, is off from 4 h to 5 h.
const HILLS: &str = include_str!("../../../../examples/packet-radio-outage.toml");

/// Requests sent and answered in the hour of the outage, and recovery times in seconds, of six runs.
fn night_on_the_hills(stations: &str) -> ([u64; 2], Vec<f64>) {
    let (mut both, mut recoveries) = ([0, 0], Vec::new());
    for index in 0..6 {
        let record = replication(HILLS, &[("event.mains.stations", stations)], index);
        let [sent, answered] = requests(&record, 4.0 * 3600.0, 5.0 * 3600.0);
        both = [both[0] + sent, both[1] + answered];
        let recovery = record.distribution("recovery_time/mains");
        recoveries.extend(recovery.max().map(|span| span.seconds()));
    }
    (both, recoveries)
}

#[test]
fn nodes_find_another_path_when_one_loses_power_and_without_one_wait_for_its_return_and_the_next_broadcasts() {
    let ([sent, answered], recoveries) = night_on_the_hills("[\"hill-east\"]");
    assert!(sent > 300 && answered as f64 > 0.98 * sent as f64, "{answered} of {sent}");
    assert_eq!(recoveries.len(), 6, "all recover");
    let ([sent, answered], recoveries) = night_on_the_hills("[\"hill-east\", \"hill-west\"]");
    assert!(sent > 30 && answered <= 6, "{answered} of {sent}");
    // the hour of the outage, and at most one between the nodes' broadcasts, after which users call again within minutes
    let (hour, calls) = (3600.0, 900.0);
    assert_eq!(recoveries.len(), 6, "all recover");
    assert!(recoveries.iter().all(|&span| span > hour && span < 2.0 * hour + calls), "{recoveries:?}");
}
