//! An echo with nothing beside it.

use crate::support::{metrics, value};
use crate::switched_lan::{ideal, template};

const PICOSECOND: f64 = 1e-12;
/// A cell of an OC-3c link: 1325/468 µs.
const CELL: f64 = 1325e-6 / 468.0;
/// UDP data and the cells of its datagram (RFC 2684 LLC headers and AAL5's trailer counted).
const CELLS: [(u32, u32); 6] = [(64, 3), (128, 4), (256, 7), (512, 12), (1024, 23), (2048, 44)];

/// The template without bulk transfers, and `size` bytes in a datagram.
fn quiet(size: u32) -> [(&'static str, String); 3] {
    [("background.streams", "0".to_owned()), ("probe.size", format!("{size} B")), ("run.duration", "100 ms".to_owned())]
}

fn edits<'e>(list: &'e [(&'static str, String)]) -> Vec<(&'static str, &'e str)> {
    list.iter().map(|(key, value)| (*key, value.as_str())).collect()
}

#[test]
fn a_datagram_of_cells_passes_two_switches_in_the_time_of_its_cells_and_two_more() {
    let text = ideal();
    for (size, cells) in CELLS {
        let found = metrics(&text, &edits(&quiet(size)));
        let expected = 2.0 * (f64::from(cells + 2) * CELL + 24e-6);
        // a part of a picosecond is cut off on each of six links
        for field in ["min", "max"] {
            let response_time = value(&found, "response_time", field);
            let short = expected - response_time;
            assert!((-0.5..6.5).contains(&(short / PICOSECOND)), "{size}: {response_time} against {expected}");
        }
        assert!(value(&found, "response_time", "count") > 300.0);
    }
}

#[test]
fn a_packet_of_ethernet_is_sent_anew_by_each_switch() {
    let text = ideal();
    for size in [64, 1024] {
        let mut list = quiet(size).to_vec();
        list.push(("lan.framing", "packets".to_owned()));
        let found = metrics(&text, &edits(&list));
        let frame = f64::from(size + 28 + 38) * 8.0 / 149.76e6;
        let expected = 2.0 * (3.0 * frame + 24e-6);
        let response_time = value(&found, "response_time", "mean");
        assert!((expected - response_time).abs() < 10.0 * PICOSECOND, "{size}: {response_time} against {expected}");
    }
}

#[test]
fn hosts_add_what_they_cost_and_the_budget_says_where() {
    for (size, cells) in CELLS {
        let found = metrics(&template(), &edits(&quiet(size)));
        let octets = f64::from(size);
        let component = |name: &str| value(&found, &format!("delay_budget/{name}"), "mean");
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 20.0 * PICOSECOND, "{found} {expected}");
        // sending and receiving: once at the client, once at the server
        close(component("client"), 280e-6 + 0.09e-6 * octets);
        close(component("server"), 280e-6 + 0.09e-6 * octets);
        close(component("receive-delay"), 20e-6);
        close(component("switching"), 48e-6);
        // 10 m of three links in each direction
        close(component("propagation"), 6.0 * 50e-9);
        close(component("transmission"), 2.0 * f64::from(cells + 2) * CELL);
        for idle in ["processor-queue", "adapter", "pacing", "queueing"] {
            close(component(idle), 0.0);
        }
        let all = ["client", "server", "receive-delay", "switching", "propagation", "transmission", "queueing"];
        let sum: f64 = all.iter().map(|name| component(name)).sum();
        close(sum, value(&found, "response_time", "mean"));
    }
}

#[test]
fn an_adapter_that_stores_packets_adds_their_time_on_its_bus_on_each_side() {
    let stores = |size| {
        let mut list = quiet(size).to_vec();
        list.push(("station.costs.adapter", "store-and-forward".to_owned()));
        list
    };
    for size in [64, 2048] {
        let [cut, stored] = [quiet(size).to_vec(), stores(size)]
            .map(|list| value(&metrics(&template(), &edits(&list)), "response_time", "mean"));
        // out and in at both hosts, at 800 Mbit/s, with the headers of IP and UDP
        let expected = 4.0 * f64::from(size + 28) * 8.0 / 800e6;
        assert!((stored - cut - expected).abs() < 10.0 * PICOSECOND, "{size}: {}", stored - cut);
    }
}

#[test]
fn a_client_thinks_between_two_exchanges() {
    let mut list = quiet(64).to_vec();
    list.extend([("probe.think", "1 ms".to_owned()), ("probe.think_spread", "2 ms".to_owned())]);
    list[2].1 = "10 s".to_owned();
    let found = metrics(&template(), &edits(&list));
    let cycle = value(&found, "response_time", "mean") + 2e-3;
    let expected = 10.0 / cycle;
    let count = value(&found, "response_time", "count");
    // uniform thinking of 2 ms has a deviation of 0.577 ms
    let deviation = 0.577e-3 / cycle * expected.sqrt();
    assert!((count - expected).abs() < 3.0 * deviation + 1.0, "{count} against {expected}");
}

#[test]
fn without_encapsulation_a_datagram_may_take_one_cell_less() {
    // 20 octets of UDP data: 56 with LLC headers and trailer, 48 without
    let text = ideal();
    let times = ["llc", "null"].map(|encapsulation| {
        let mut list = quiet(12).to_vec();
        list.push(("lan.encapsulation", encapsulation.to_owned()));
        value(&metrics(&text, &edits(&list)), "response_time", "mean")
    });
    assert!((times[0] - times[1] - 2.0 * CELL).abs() < 10.0 * PICOSECOND, "{times:?}");
}
