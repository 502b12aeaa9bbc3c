//! An echo beside bulk transfers.

use sojourn_metrics::record::Observation;

use crate::support::{metrics, record, value};
use crate::switched_lan::template;

#[test]
fn a_fifo_lets_an_echo_wait_behind_all_that_bulk_transfers_have_in_it() {
    let found = metrics(&template(), &[("run.duration", "1 s"), ("probe.size", "64 B")]);
    let queue = value(&found, "queue_length", "mean");
    let queueing = value(&found, "delay_budget/queueing", "mean");
    // the reverse path is all but idle; arrivals of a closed loop see about the mean
    assert!(queue > 1000.0 && (queueing / (queue * 1325e-6 / 468.0) - 1.0).abs() < 0.05, "{queue} {queueing}");
    assert_eq!(value(&found, "loss", "value"), 0.0);
    assert!(value(&found, "utilisation", "value") > 0.99);
}

#[test]
fn a_queue_for_each_circuit_lets_an_echo_wait_for_one_cell_of_each_other() {
    for architecture in ["output-per-connection", "input-per-connection"] {
        let edits = [("run.duration", "1 s"), ("probe.size", "64 B"), ("station.switch.architecture", architecture)];
        let found = metrics(&template(), &edits);
        // three cells, each behind one of the three others at most, there; hardly anything on the reverse path
        let most = 3.0 * 4.0 * 1325e-6 / 468.0;
        let queueing = value(&found, "delay_budget/queueing", "mean");
        assert!(queueing > 0.0 && queueing < 1.5 * most, "{architecture}: {queueing} against {most}");
    }
}

#[test]
fn transfers_alike_share_the_trunk_alike_and_fill_it() {
    for streams in ["1", "2", "3"] {
        let found = metrics(&template(), &[("run.duration", "2 s"), ("background.streams", streams)]);
        let rates: Vec<f64> = (1..=streams.parse().unwrap())
            .map(|number| value(&found, &format!("throughput/background-{number}"), "value"))
            .collect();
        let sum: f64 = rates.iter().sum();
        assert!((sum - value(&found, "throughput", "value")).abs() < 1.0);
        let largest = rates.iter().copied().fold(0.0, f64::max);
        assert!(rates.iter().all(|rate| largest - rate < 0.02 * largest), "{rates:?}");
        // segments of 9148 octets in 192 cells
        let most = 9148.0 * 8.0 / (192.0 * 1325e-6 / 468.0);
        let least = if streams == "1" { 0.8 } else { 0.97 };
        assert!(sum > least * most && sum <= 1.0001 * most, "{streams}: {sum} of {most}");
    }
}

#[test]
fn rates_stay_between_the_least_and_the_peak_and_cells_wait_at_the_source() {
    let edits = [
        ("run.duration", "1 s"),
        ("lan.service", "abr"),
        ("station.switch.architecture", "output-fifo-efci"),
        ("probe.size", "2048 B"),
    ];
    let record = record(&template(), &edits);
    let (least, peak) = (0.5e6 / 424.0, 155e6 / 424.0);
    let trace = &record.traces["allowed_cell_rate"];
    assert!(trace.iter().all(|&(_, rate)| (least - 1e-6..=peak + 1e-6).contains(&rate)));
    assert!(trace.windows(2).all(|pair| pair[0].0 <= pair[1].0), "a trace goes on in time");
    for name in ["allowed_cell_rate", "allowed_cell_rate/probe/back", "allowed_cell_rate/background-3"] {
        let Observation::TimeWeighted { mean, max } = record.metrics[name] else { panic!("{name}") };
        assert!(least <= mean && mean <= max && max <= peak + 1e-6, "{name}: {mean} {max}");
    }
    let found = metrics(&template(), &edits);
    assert!(value(&found, "delay_budget/pacing", "mean") > 100e-6);
    assert!(value(&found, "marks/s1/s2", "value") > 0.0);
}

#[test]
fn hosts_that_do_both_share_their_processors() {
    let pairs = [("run.duration", "1 s"), ("background.streams", "1")];
    let one = [&pairs[..], &[("background.from", "client"), ("background.to", "server")]].concat();
    let [apart, together] = [&pairs[..], &one[..]].map(|edits| metrics(&template(), edits));
    assert_eq!(value(&apart, "delay_budget/processor-queue", "mean"), 0.0);
    assert!(value(&together, "delay_budget/processor-queue", "mean") > 100e-6);
    assert!(value(&together, "processor_utilisation/server", "value") > 0.95);
}

#[test]
fn the_other_direction_leaves_the_path_to_the_server_free() {
    let backward = [("run.duration", "1 s"), ("background.direction", "backward")];
    let found = metrics(&template(), &backward);
    assert!(value(&found, "queue_length/s1/s2", "max") < 200.0);
    assert!(value(&found, "queue_length/s2/s1", "mean") > 1000.0);
    assert_eq!(value(&found, "queue_length", "max"), value(&found, "queue_length/s1/s2", "max"));
}

#[test]
fn a_lost_datagram_costs_its_client_the_time_out() {
    // of the ten links that an exchange crosses at the template's ends, six have this loss: three in each direction
    let text = template()
        .replace("name = \"right\"\n", "name = \"right\"\nloss = \"10 %\"\n")
        .replace("framing = \"cells\"", "framing = \"packets\"");
    let edits = [("background.streams", "0"), ("probe.timeout", "10 ms"), ("run.duration", "20 s")];
    let found = metrics(&text, &edits);
    // the link between s2 and the server, once in each direction
    let expected = 1.0 - 0.9 * 0.9;
    let (loss, count) = (value(&found, "loss", "value"), value(&found, "response_time", "count"));
    let offered = count / (1.0 - loss);
    let deviation = (expected * (1.0 - expected) / offered).sqrt();
    assert!((loss - expected).abs() < 3.0 * deviation, "{loss} against {expected} of {offered}");
    // a lost exchange takes 10 ms, another one its response time
    let busy = count * value(&found, "response_time", "mean") + (offered - count) * 10e-3;
    assert!((busy / 20.0 - 1.0).abs() < 0.01, "{busy}");
}

#[test]
fn flows_of_several_hosts_are_pooled_under_their_name() {
    let text = template()
        + "[[flow]]\nname = \"others\"\nfrom = \"sender\"\nto = \"receiver\"\nservice = \"echo\"\nprobe = true\n";
    let found = metrics(&text, &[("background.streams", "0"), ("run.duration", "1 s")]);
    let [all, probe, others] =
        ["response_time", "response_time/probe", "response_time/others"].map(|name| value(&found, name, "count"));
    assert_eq!(all, probe + others);
    assert!((others / probe - 3.0).abs() < 0.1, "three hosts against one: {others} and {probe}");
}
