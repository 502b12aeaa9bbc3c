//! Finite buffers: which cells are dropped, and that each datagram is delivered or lost whole, and reported once.

use std::collections::BTreeSet;

use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::fabric::{Fabric, FabricEvent, Tally};
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;

use crate::switched_lan_cells::site::*;

/// Two hosts that send to two others over one switch, on links so fast that a burst is there before a cell has left.
/// The connections 0 and 2 go to the first of the others, 4 to the second.
fn bursts(settings: SwitchSettings) -> Cells {
    let mut site = Site::new();
    let hub = site.switch(SwitchSettings { latency: Duration::ZERO, ..settings });
    let sinks = [site.host(), site.host()];
    sinks.iter().for_each(|sink| {
        site.link(hub, *sink);
    });
    let hosts = [site.host(), site.host()];
    for host in hosts {
        let port = site.link(host, hub) as usize;
        site.topology.ports[port].rate = 10_000 * RATE;
    }
    site.plain(hosts[0], sinks[0]);
    site.plain(hosts[1], sinks[0]);
    site.plain(hosts[0], sinks[1]);
    site.build()
}

fn small(architecture: Architecture, buffer: u32) -> SwitchSettings {
    SwitchSettings { buffer: Some(buffer), ..switch(architecture) }
}

/// Packets delivered, and lost, once nothing moves any more.
fn outcome(network: &mut Cells) -> (Vec<u32>, Vec<u32>) {
    let (mut delivered, mut lost) = (Vec::new(), Vec::new());
    for event in run(network, Time::NEVER) {
        match event {
            FabricEvent::Delivered(ours) => delivered.push(ours.frame.packet),
            FabricEvent::Lost { frame, .. } => lost.push(frame.packet),
            FabricEvent::RmCell { .. } => {}
        }
    }
    lost.sort_unstable();
    (delivered, lost)
}

/// Sends frames of this many cells at once; what became of them, and how many cells were dropped.
fn burst(settings: SwitchSettings, frames: &[(u32, u32)]) -> (Vec<u32>, Vec<u32>, u64) {
    let mut network = bursts(settings);
    for (packet, (connection, cells)) in (0..).zip(frames) {
        network.send(Time::ZERO, frame(packet, *connection, *cells));
    }
    let (delivered, lost) = outcome(&mut network);
    let Tally { ports, connections, .. } = network.tally(at(Duration::from_secs(1)));
    assert_eq!(network.datagrams(at(Duration::from_secs(1))), 0, "nothing of a lost datagram is left");
    assert_eq!(connections.iter().map(|connection| connection.lost).sum::<u64>(), lost.len() as u64);
    (delivered, lost, ports.iter().map(|port| port.dropped).sum())
}

#[test]
fn a_buffer_of_ten_cells_holds_ten_beside_the_one_that_leaves() {
    // eleven datagrams of a cell pass, of which one leaves at once
    for architecture in [FIFO, PER_CONNECTION] {
        let (delivered, lost, dropped) = burst(small(architecture, 10), &[(0, 1); 13]);
        assert_eq!((delivered.len(), lost, dropped), (11, vec![11, 12], 2));
    }
}

#[test]
fn outputs_of_a_module_share_their_buffer_unless_each_has_its_part() {
    // the first output has taken all when the second wants some
    let frames = [[(0, 1); 11].as_slice(), &[(4, 1); 5]].concat();
    let (delivered, ..) = burst(small(FIFO, 10), &frames);
    assert_eq!(delivered.len(), 12);
    let (delivered, ..) = burst(small(Architecture::OutputFifo(Pool { ports: 1, share: None }), 10), &frames);
    assert_eq!(delivered.len(), 16);
    // with a share of one an output holds no more than is free
    let (delivered, ..) = burst(small(Architecture::OutputFifo(Pool { ports: 4, share: Some(1.0) }), 10), &frames);
    assert_eq!(delivered.len(), 5 + 4, "four wait for the first output, and three for the second");
}

#[test]
fn a_packet_whose_last_cell_is_lost_takes_the_next_one_with_it() {
    // five wait and one leaves; of the first packet's seven cells the last is dropped
    let mut network = bursts(small(FIFO, 5));
    network.send(Time::ZERO, frame(0, 0, 7));
    while network.advance(at(cells(6))).is_some() {}
    network.send(at(cells(6)), frame(1, 0, 2));
    network.send(at(cells(6)), frame(2, 0, 2));
    let (delivered, lost) = outcome(&mut network);
    assert_eq!((delivered, lost), (vec![2], vec![1]), "the first was reported lost before");
}

#[test]
fn partial_discard_keeps_the_end_of_a_packet_so_that_the_next_is_whole() {
    // the buffer overflows within the first packet, and has room again when its last cell comes
    let discard = |discard| {
        let mut network = bursts(SwitchSettings { discard, ..small(FIFO, 5) });
        network.send(Time::ZERO, frame(0, 0, 9));
        while network.advance(at(cells(6))).is_some() {}
        network.send(at(cells(6)), frame(1, 0, 2));
        let (delivered, _) = outcome(&mut network);
        (delivered, network.tally(at(cells(100))).connections[0].lost_cells)
    };
    assert_eq!(discard(Discard::Tail), (vec![], 3));
    assert_eq!(discard(Discard::PartialPacket), (vec![], 3), "no room for the last cell either");
    // two senders: the second one's cells are dropped while the first one's wait
    let frames = [(0, 6), (2, 4)];
    let (_, lost, tail) = burst(small(FIFO, 7), &frames);
    let (_, also_lost, partial) = burst(SwitchSettings { discard: Discard::PartialPacket, ..small(FIFO, 7) }, &frames);
    assert!(!lost.is_empty() && lost == also_lost && partial >= tail);
}

#[test]
fn early_discard_refuses_whole_packets_where_tail_drop_spoils_all() {
    // two hosts together send twice what the link takes
    let overloaded = |discard| {
        let mut network = bursts(SwitchSettings { discard, ..small(FIFO, 60) });
        let mut delivered = 0;
        for packet in 0..300 {
            let now = at(cells(10 * u64::from(packet)));
            delivered += run(&mut network, now).into_iter().filter(|h| matches!(h, FabricEvent::Delivered(_))).count();
            [0, 2].into_iter().for_each(|connection| network.send(now, frame(packet, connection, 10)));
        }
        let lost = network.tally(at(cells(3000))).connections.iter().map(|connection| connection.lost_cells).sum();
        (delivered, lost)
    };
    let (tail, _): (_, u64) = overloaded(Discard::Tail);
    let (partial, _): (_, u64) = overloaded(Discard::PartialPacket);
    let (early, lost): (_, u64) = overloaded(Discard::EarlyPacket(40));
    assert!(tail <= partial && partial < early, "{tail}, {partial}, {early}");
    assert!(early > 270 && lost % 10 == 0, "the link is filled by whole packets: {early}, {lost} cells lost");
}

#[test]
fn a_full_buffer_drops_from_the_longest_queue_where_that_is_the_rule() {
    // one connection fills the buffer, and then another one comes with a cell
    let lost = |victim| {
        let mut network = bursts(small(Architecture::OutputPerConnection(POOL, victim), 10));
        (0..11).for_each(|packet| network.send(Time::ZERO, frame(packet, 0, 1)));
        network.send(at(Duration::from_micros(1)), frame(11, 2, 1));
        outcome(&mut network).1
    };
    assert_eq!(lost(Victim::Arriving), [11]);
    assert_eq!(lost(Victim::TailOfLongest), [10]);
    assert_eq!(lost(Victim::HeadOfLongest), [1], "the first that waits: one has left");
}

#[test]
fn an_input_holds_its_own_cells_only() {
    let (delivered, lost, dropped) = burst(small(INPUT, 10), &[[(0, 1); 12].as_slice(), &[(2, 1); 12]].concat());
    // each input: ten wait; the first slot takes one of them before the burst is over
    assert_eq!((delivered.len(), dropped), (21, 3));
    assert_eq!(lost.len(), 3);
}

#[test]
fn every_datagram_is_delivered_or_lost_once_in_the_order_of_its_connection_whatever_is_dropped() {
    let discards = [Discard::Tail, Discard::PartialPacket, Discard::EarlyPacket(20)];
    let pushing = [Victim::HeadOfLongest, Victim::TailOfLongest];
    let pushing = pushing.map(|victim| Architecture::OutputPerConnection(POOL, victim));
    for architecture in ARCHITECTURES.into_iter().chain(pushing) {
        for discard in discards {
            let mut network = bursts(SwitchSettings { discard, ..small(architecture, 30) });
            let mut random = Streams::new(4, 0).stream("traffic");
            let (mut now, mut events) = (Time::ZERO, Vec::new());
            for packet in 0..2000 {
                now += Duration::from_nanos(u64::from(random.below(60_000)));
                events.extend(run(&mut network, now));
                network.send(now, frame(packet, 2 * random.below(3), 1 + random.below(25)));
            }
            events.extend(run(&mut network, Time::NEVER));
            let mut seen = BTreeSet::new();
            let mut latest = [None; 6];
            for event in &events {
                let frame = match event {
                    FabricEvent::Delivered(delivered) => {
                        let latest = &mut latest[delivered.frame.connection as usize];
                        assert!(latest.replace(delivered.frame.packet) < Some(delivered.frame.packet));
                        delivered.frame
                    }
                    FabricEvent::Lost { frame, .. } => *frame,
                    FabricEvent::RmCell { .. } => panic!("no watch is set"),
                };
                assert!(seen.insert(frame.packet), "reported once");
            }
            now += Duration::from_secs(1);
            assert_eq!((seen.len(), network.datagrams(now)), (2000, 0), "{architecture:?} {discard:?}");
            // the tally holds that cells are conserved
            let lost = network.tally(now).connections.iter().map(|connection| connection.lost).sum::<u64>();
            assert!(lost > 100 && lost < 1900, "{architecture:?} {discard:?}: {lost}");
        }
    }
}

#[test]
fn a_link_that_loses_cells_loses_datagrams() {
    let mut site = Site::new();
    let hosts = [site.host(), site.host()];
    let port = site.link(hosts[0], hosts[1]) as usize;
    let connection = site.plain(hosts[0], hosts[1]);
    site.settings().ports[port].loss = 0.01;
    let mut network = site.build();
    (0..20_000).for_each(|packet| network.send(Time::ZERO, frame(packet, connection, 10)));
    let (delivered, lost) = outcome(&mut network);
    assert_eq!(delivered.len() + lost.len(), 20_000);
    // ten of its own cells get through, and the last one of its predecessor's, without which the two are one
    let share = 0.99_f64.powi(11);
    let deviation = (20_000.0 * share * (1.0 - share)).sqrt();
    assert!((delivered.len() as f64 - 20_000.0 * share).abs() < 3.0 * deviation, "{}", delivered.len());
}
