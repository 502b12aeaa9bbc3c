//! Queues per connection: what each connection gets, whatever the others do.

use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::fabric::Fabric;
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;

use crate::switched_lan_cells::site::*;

/// This many hosts that send to one over a switch; the network and the connections.
fn funnel(sources: u32, architecture: Architecture) -> (Cells, Vec<u32>) {
    let mut site = Site::new();
    let hub = site.switch(switch(architecture));
    let sink = site.host();
    site.link(hub, sink);
    let hosts: Vec<u32> = (0..sources).map(|_| site.host()).collect();
    hosts.iter().for_each(|host| {
        site.link(*host, hub);
    });
    let connections = hosts.iter().map(|host| site.plain(*host, sink)).collect();
    (site.build(), connections)
}

/// Cell times from when a frame's first cell is eligible to its last bit at the host, beside three connections that
/// always have something waiting.
fn beside_three(architecture: Architecture, n: u32, begin: Time) -> f64 {
    let (mut network, connections) = funnel(4, architecture);
    for backlogged in &connections[1..] {
        (0..20).for_each(|packet| network.send(Time::ZERO, frame(packet, *backlogged, 192)));
    }
    while network.advance(begin).is_some() {}
    network.send(begin, frame(1000, connections[0], n));
    let all = deliveries(&mut network, Time::NEVER);
    let ours = all.iter().find(|delivered| delivered.frame.connection == connections[0]).unwrap();
    let eligible = begin + cells(1) + Duration::from_micros(12);
    (ours.at - eligible).seconds() / cells(1).seconds()
}

#[test]
fn a_frame_beside_three_backlogged_connections_takes_four_cell_times_for_each_of_its_cells() {
    let rotating = Matching { grants: Choice::Rotating, accepts: Choice::Rotating, ..RANDOM };
    for architecture in [PER_CONNECTION, Architecture::InputPerConnection(rotating)] {
        for n in [1, 3, 12, 44] {
            for phase in 0..40 {
                let begin = at(Duration::from_millis(2) + Duration::from_nanos(71 * phase));
                let took = beside_three(architecture, n, begin);
                let (least, most) = (f64::from(4 * (n - 1) + 1), f64::from(4 * n + 1));
                assert!(took > least - 1e-5 && took < most + 1e-5, "{architecture:?}, {n} cells: {took}");
            }
        }
    }
}

#[test]
fn behind_one_queue_a_frame_takes_as_long_as_what_waits() {
    let took = beside_three(FIFO, 3, at(Duration::from_millis(2)));
    // three links came in and one went out for 2 ms
    assert!(took > 1300.0, "{took}");
}

#[test]
fn backlogged_connections_share_an_output_evenly_to_a_cell() {
    let (mut network, connections) = funnel(4, PER_CONNECTION);
    for connection in &connections {
        (0..50).for_each(|packet| network.send(Time::ZERO, frame(packet, *connection, 192)));
    }
    for turn in 1..20 {
        while network.advance(at(Duration::from_millis(turn))).is_some() {}
        let arrived: Vec<u64> = connections
            .iter()
            .map(|connection| network.cell_counts(*connection, at(Duration::from_millis(turn))).arrived)
            .collect();
        let (least, most) = (arrived.iter().min().unwrap(), arrived.iter().max().unwrap());
        assert!(*least > 70 * turn && most - least <= 1, "{arrived:?}");
    }
}

#[test]
fn a_random_crossbar_shares_an_output_evenly_on_average() {
    let (mut network, connections) = funnel(4, INPUT);
    for connection in &connections {
        (0..100).for_each(|packet| network.send(Time::ZERO, frame(packet, *connection, 192)));
    }
    let end = at(Duration::from_millis(100));
    while network.advance(end).is_some() {}
    let cells: Vec<f64> = connections.iter().map(|c| network.cell_counts(*c, end).arrived as f64).collect();
    let all: f64 = cells.iter().sum();
    let deviation = (all * 0.25 * 0.75).sqrt();
    assert!(all > 35_000.0 && cells.iter().all(|cells| (cells - all / 4.0).abs() < 3.0 * deviation), "{cells:?}");
}

#[test]
fn any_discipline_that_never_idles_has_the_same_cells_waiting_at_any_time() {
    let (mut fifo, connections) = funnel(4, FIFO);
    let (mut fair, _) = funnel(4, PER_CONNECTION);
    let mut random = Streams::new(9, 0).stream("traffic");
    let (mut now, mut longest) = (Time::ZERO, 0);
    for packet in 0..20_000 {
        now += Duration::from_nanos(u64::from(random.below(40_000)));
        let ours = frame(packet, connections[random.below(4) as usize], 1 + random.below(12));
        for network in [&mut fifo, &mut fair] {
            while network.advance(now).is_some() {}
        }
        // port 0 leads to the sink
        let waiting = fifo.queue_length(0, now);
        assert_eq!(waiting, fair.queue_length(0, now));
        longest = longest.max(waiting);
        fifo.send(now, ours);
        fair.send(now, ours);
    }
    assert!(longest > 50, "{longest}");
}
