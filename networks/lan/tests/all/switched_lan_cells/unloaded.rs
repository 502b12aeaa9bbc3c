//! One datagram in an empty network.

use sojourn_core::{Duration, Time};
use sojourn_lan::fabric::Fabric;
use sojourn_lan::frame::Frame;
use sojourn_lan::switched::cells::settings::*;
use sojourn_protocols::ip::Ecn;

use crate::switched_lan_cells::site::*;

/// Two hosts with this many switches between them; the connection.
fn chain(switches: &[SwitchSettings]) -> (Site, u32) {
    let mut site = Site::new();
    let first = site.host();
    let mut last = first;
    for settings in switches {
        let next = site.switch(settings.clone());
        site.link(last, next);
        last = next;
    }
    let end = site.host();
    site.link(last, end);
    let connection = site.plain(first, end);
    (site, connection)
}

/// How long a datagram takes from host to host.
fn one_way(switches: &[SwitchSettings], octets: u32) -> Duration {
    let (mut site, connection) = chain(switches);
    let mut network = site.build();
    let begin = at(Duration::from_micros(7));
    network.send(begin, Frame { packet: 0, octets, connection, ecn: Ecn::NotEct });
    let all = deliveries(&mut network, Time::NEVER);
    assert_eq!((all.len(), all[0].first_departure, network.datagrams(all[0].at)), (1, begin, 0));
    all[0].at - begin
}

#[test]
fn the_round_trip_over_two_switches_is_that_of_the_table_in_every_architecture() {
    // 2 [(N + 2) cell times + 24 µs], UDP payload and microseconds
    let table = [(64, 76.312), (128, 81.974), (256, 98.962), (512, 127.274), (1024, 189.560), (2048, 308.470)];
    for architecture in ARCHITECTURES {
        for (payload, microseconds) in table {
            let both_directions = one_way(&[switch(architecture), switch(architecture)], payload + 28).times(2);
            let difference = both_directions.seconds() * 1e6 - microseconds;
            assert!(difference.abs() < 0.0005, "{architecture:?} {payload}: {both_directions}");
        }
    }
}

#[test]
fn a_datagram_of_n_cells_over_k_switches_takes_n_and_k_cell_times_to_a_picosecond_a_link() {
    for architecture in ARCHITECTURES {
        for switches in 0..5_u64 {
            for n in [1, 2, 3, 44, 192_u64] {
                let switch = switch(architecture);
                let took = one_way(&vec![switch; switches as usize], n as u32 * 48 - 16);
                let expected = cells(n + switches) + Duration::from_micros(12).times(switches);
                let short = expected.picoseconds().abs_diff(took.picoseconds());
                assert!(short <= switches, "{architecture:?}, {n} cells over {switches}: {took} for {expected}");
            }
        }
    }
}

#[test]
fn cells_are_sent_on_as_they_come_and_not_once_the_packet_is_whole() {
    let whole = cells(2 * 192);
    assert!(one_way(&[switch(FIFO)], 192 * 48 - 16) < whole);
}

#[test]
fn latency_counted_from_the_first_bit_saves_a_cell_time_a_switch() {
    let from_first = SwitchSettings { latency_from: LatencyFrom::FirstBit, ..switch(FIFO) };
    let (slow, fast) = (one_way(&[switch(FIFO)], 92), one_way(&[from_first], 92));
    assert!((slow - fast).picoseconds().abs_diff(cells(1).picoseconds()) <= 1);
    // a cell cannot go on before it is there
    let at_once = SwitchSettings { latency: Duration::ZERO, latency_from: LatencyFrom::FirstBit, ..switch(FIFO) };
    let none = SwitchSettings { latency: Duration::ZERO, ..switch(FIFO) };
    assert_eq!(one_way(&[at_once], 92), one_way(&[none], 92));
}

#[test]
fn the_computed_time_of_an_unloaded_path_is_what_a_datagram_takes_there() {
    let settings = SwitchSettings { latency_from: LatencyFrom::FirstBit, ..switch(FIFO) };
    let (mut site, connection) = chain(&[switch(FIFO), settings, switch(PER_CONNECTION)]);
    for (link, rate) in [(0, RATE), (1, RATE / 3), (2, RATE / 7), (3, 2 * RATE)] {
        for port in [2 * link, 2 * link + 1] {
            site.topology.ports[port].rate = rate;
            site.topology.ports[port].propagation = Duration::from_nanos(50);
        }
    }
    for n in [1, 2, 44] {
        let mut network = site.build();
        network.send(Time::ZERO, frame(0, connection, n));
        let delivered = deliveries(&mut network, Time::NEVER)[0];
        let took = delivered.at - Time::ZERO;
        let unloaded = network.unloaded(connection, n * 48 - 16);
        let sum = unloaded.transmission + unloaded.switching + unloaded.propagation;
        assert_eq!(unloaded.leaving, delivered.last_departure - delivered.first_departure);
        assert_eq!(unloaded.propagation, Duration::from_nanos(200));
        assert!(took >= sum && (took - sum).picoseconds() <= 4, "{n} cells: {took} for {sum}");
    }
}

#[test]
fn a_slotted_link_makes_a_cell_wait_for_its_slot() {
    let (mut site, connection) = chain(&[]);
    site.settings().ports[0].slotted = true;
    let mut network = site.build();
    // the 1000th slot has just begun
    let begin = at(cells(1000) + Duration::from_picoseconds(1));
    network.send(begin, frame(0, connection, 3));
    let delivered = deliveries(&mut network, Time::NEVER)[0];
    assert_eq!(delivered.first_departure, at(cells(1001)));
    assert_eq!(delivered.last_departure, at(cells(1003)));
    assert_eq!(delivered.at, at(cells(1004)));
}

#[test]
fn a_link_that_never_rests_is_busy_all_the_time_whenever_counting_begins_and_ends() {
    let (mut site, connection) = chain(&[switch(FIFO)]);
    let mut network = site.build();
    (0..10).for_each(|packet| network.send(Time::ZERO, frame(packet, connection, 192)));
    let (begin, end) = (at(Duration::from_nanos(1_234_567)), at(Duration::from_nanos(3_333_333)));
    while network.advance(begin).is_some() {}
    network.reset_tally(begin);
    while network.advance(end).is_some() {}
    let ports = network.tally(end).ports;
    assert!(ports[0].busy.picoseconds().abs_diff((end - begin).picoseconds()) <= 1, "{}", ports[0].busy);
    assert_eq!((ports[1].busy, ports[1].sent), (Duration::ZERO, 0));
    assert_eq!(ports[0].sent, cells_begun(end) - cells_begun(begin));
}

/// Cells that a busy link has begun since the start.
fn cells_begun(now: Time) -> u64 {
    (now - Time::ZERO).whole(cells(1)) + 1
}
