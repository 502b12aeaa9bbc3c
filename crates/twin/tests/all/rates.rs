//! Rates of captured flows: a hundred stations send at rates of their own, and the mean time between their messages lies within
//! the interval that the capture gives.

use std::net::IpAddr;

use sojourn_capture::{Address, FlowKey};
use sojourn_metrics::merge::merge;
use sojourn_metrics::one_run;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::Metric;

use crate::simulated::{Captured, NANOSECOND};

/// Stations that send, and those of them whose interval holds the rate, at least.
const SENDERS: usize = 100;
const WITHIN: usize = 95;

/// Stations `s1` to `s100` with flows to `to`. `station` and `flow` are the further keys of the tables.
fn senders(network: &str, to: &str, station: impl Fn(usize) -> String, flow: &str) -> String {
    let mut text = network.to_owned();
    for number in 1..=SENDERS {
        text += &format!(
            "[[station]]\nname = \"s{number}\"\n{}\n[[flow]]\nname = \"f{number}\"\nfrom = \"s{number}\"\nto = \"{to}\"\n{flow}\n\
             arrivals = {{ kind = \"poisson\", interval = \"{} s\" }}\n",
            station(number),
            interval(number),
        );
    }
    text
}

/// Mean time between the messages of a station, s.
fn interval(number: usize) -> f64 {
    10.0 + 0.5 * number as f64
}

/// Keeps the rates of most flows within their intervals; `number` is that of the station that sends a flow.
fn assert_most_are_within(scenario: &str, number: impl Fn(&FlowKey) -> usize) {
    let captured = Captured::of(scenario, 1, NANOSECOND);
    let (mut record, mut intervals) = (Record::default(), Vec::new());
    for (flow, key) in captured.out.flows().iter() {
        let Some(found) = captured.out.flow_tally(flow) else { continue };
        let gaps = found.tally.interarrival.distribution.clone().expect("few gaps");
        record.observe(key.member(), Observation::Distribution(gaps));
        intervals.push((key.member(), interval(number(key))));
    }
    assert_eq!(intervals.len(), SENDERS);
    let mut metrics = merge(std::slice::from_ref(&record));
    one_run::add_intervals(&mut metrics, &record);
    let is_within = |(member, interval): &&(String, f64)| {
        let Metric::Distribution(gaps) = &metrics[member] else { panic!("a distribution") };
        gaps.ci95.is_some_and(|[low, high]| (low..=high).contains(interval))
    };
    let within = intervals.iter().filter(is_within).count();
    assert!(within >= WITHIN, "{within} of {SENDERS}\n{scenario}");
}

/// The number of the station that sends, from its address: the first address is that of the receiver or of the router.
fn after_the_first(key: &FlowKey) -> usize {
    let last: usize = match key.from {
        Address::Ip(IpAddr::V4(address)) => address.octets()[3].into(),
        _ => key.from.to_string().rsplit('/').next().and_then(|number| number.parse().ok()).expect("a number"),
    };
    last - 1
}

#[test]
fn the_rates_of_95_of_100_flows_of_packet_radio_are_within_the_intervals_of_their_capture() {
    let network = "[network]\nkind = \"packet-radio\"\n[channel]\nbit_rate = \"1 Mbit/s\"\ntxdelay = \"1 ms\"\npersistence = \"100 %\"\n\
                   [run]\nduration = \"144 min\"\nwarm_up = \"0 s\"\n";
    let station = |number| format!("callsign = \"S{number}\"");
    let scenario = senders(network, "broadcast", station, "data = \"20 B\"");
    assert_most_are_within(&scenario, |key| {
        key.from.to_string().trim_start_matches('S').parse().expect("a number in a callsign")
    });
}

#[test]
fn the_rates_of_95_of_100_flows_of_lontalk_are_within_the_intervals_of_their_capture() {
    let network = "[network]\nkind = \"lontalk\"\n[channel]\nchannel = \"TP/XF-1250\"\n[run]\nduration = \"144 min\"\nwarm_up = \"0 s\"\n\
                   [[station]]\nname = \"sink\"\n";
    let scenario = senders(network, "sink", |_| String::new(), "service = \"unacknowledged\"\ndata = \"2 B\"");
    assert_most_are_within(&scenario, after_the_first);
}

#[test]
fn the_rates_of_95_of_100_flows_of_ip_are_within_the_intervals_of_their_capture() {
    let network = "[network]\nkind = \"ip\"\n[run]\nduration = \"144 min\"\nwarm_up = \"0 s\"\n[[medium]]\nname = \"near\"\n\
                   [[medium]]\nname = \"far\"\n[[station]]\nname = \"router\"\ntype = \"router\"\non = [\"near\", \"far\"]\n\
                   [[station]]\nname = \"server\"\non = \"far\"\n";
    let station = |_| "on = \"near\"".to_owned();
    let scenario = senders(network, "server", station, "service = \"stream\"\nprobe = true\nsize = \"120 B\"");
    assert_most_are_within(&scenario, after_the_first);
}

#[test]
fn the_rates_of_95_of_100_flows_of_a_switched_lan_are_within_the_intervals_of_their_capture() {
    let mut network = "[network]\nkind = \"switched-lan\"\n[lan]\ncapture = \"frames\"\n[run]\nduration = \"144 min\"\nwarm_up = \"0 s\"\n\
                       [[medium]]\nname = \"server\"\n[[station]]\nname = \"server\"\non = \"server\"\n"
        .to_owned();
    let names: Vec<String> = (1..=SENDERS).map(|number| format!("\"m{number}\"")).collect();
    (1..=SENDERS).for_each(|number| network += &format!("[[medium]]\nname = \"m{number}\"\n"));
    network += &format!("[[station]]\nname = \"switch\"\ntype = \"switch\"\non = [\"server\", {}]\n", names.join(", "));
    let station = |number| format!("on = \"m{number}\"");
    let scenario = senders(&network, "server", station, "service = \"stream\"\nprobe = true\nsize = \"120 B\"");
    assert_most_are_within(&scenario, after_the_first);
}

#[test]
fn the_rates_of_95_of_100_flows_of_fddi_are_within_the_intervals_of_their_capture() {
    let network = "[network]\nkind = \"fddi\"\ndecodable_capture = true\n[run]\nduration = \"144 min\"\nwarm_up = \"0 s\"\n\
                   [[medium]]\nname = \"ring\"\n[[station]]\nname = \"server\"\non = [\"ring\"]\n";
    let station = |_| "on = [\"ring\"]".to_owned();
    let flow = "traffic = \"messages\"\nprobe = true\nclass = \"asynchronous\"\ndata = \"200 B\"";
    let scenario = senders(network, "server", station, flow);
    assert_most_are_within(&scenario, after_the_first);
}
