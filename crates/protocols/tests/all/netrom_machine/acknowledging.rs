//! When acknowledgements are sent.

use sojourn_core::Duration;
use sojourn_protocols::netrom::machine::*;

use super::network::*;

/// A circuit with a window of 4 and an acknowledgement delay of 3 s, as changed by `change`, at 10 s.
fn open(change: impl Fn(&mut Settings)) -> (Network, CircuitId) {
    let mut settings = Settings::linux();
    settings.transport.acknowledge_delay = Duration::from_secs(3);
    settings.transport.early_acknowledge = EarlyAcknowledge::None;
    change(&mut settings);
    let mut network = Network::pair(settings);
    let circuit = network.connect(0, 1);
    network.settle_until(at(10_000));
    network.now = at(10_000);
    network.log.clear();
    (network, circuit)
}

/// Sends `count` packets, one every 2 s; returns when B acknowledged, in ms after the first was sent.
fn acknowledged(mut network: Network, circuit: CircuitId, count: u64) -> Vec<u64> {
    let mut found = Vec::new();
    let mut step = 0;
    while network.now < at(40_000) {
        if step % 2000 == 0 && step / 2000 < count {
            network.send(0, circuit, "x");
        }
        step += 250;
        let before = network.count("B information acknowledge");
        network.settle_until(at(10_000 + step));
        network.now = at(10_000 + step);
        if network.count("B information acknowledge") > before {
            found.push(step);
        }
    }
    found
}

#[test]
fn the_acknowledgement_delay_starts_at_the_first_packet_or_at_the_last() {
    for (start, expected) in [(AcknowledgeStart::First, [3500].as_slice()), (AcknowledgeStart::Restart, &[7500])] {
        let (network, circuit) = open(|s| s.transport.acknowledge_start = start);
        let found = acknowledged(network, circuit, if start == AcknowledgeStart::First { 2 } else { 3 });
        assert_eq!(found, expected, "{start:?}");
    }
}

#[test]
fn an_acknowledgement_may_be_early_at_half_a_window_or_a_full_one() {
    for (early, expected) in [
        (EarlyAcknowledge::None, [9500].as_slice()),
        (EarlyAcknowledge::Half, &[2500, 6500]),
        (EarlyAcknowledge::Full, &[6500]),
    ] {
        let (network, circuit) = open(|s| {
            s.transport.early_acknowledge = early;
            s.transport.acknowledge_start = AcknowledgeStart::Restart;
        });
        assert_eq!(acknowledged(network, circuit, 4), expected, "{early:?}");
    }
}

#[test]
fn a_delay_of_2_s_in_ticks_of_a_second_is_between_1_and_2_s() {
    let delays = |offset: u64| {
        let (mut network, circuit) = open(|s| {
            s.tick = Duration::from_secs(1);
            s.transport.acknowledge_delay = Duration::from_secs(2);
        });
        network.now = at(10_000 + offset);
        network.send(0, circuit, "x");
        let arrived = network.now + HOP;
        while network.count("B information acknowledge") == 0 {
            let next = network.now + Duration::from_millis(10);
            network.settle_until(next);
            network.now = next;
        }
        network.now.since(arrived).picoseconds() / 1_000_000_000
    };
    assert_eq!([0, 400, 490, 500, 900].map(delays), [1500, 1100, 1010, 2000, 1600]);
}

#[test]
fn information_in_the_other_direction_acknowledges() {
    let (mut network, circuit) = open(|_| {});
    network.send(0, circuit, "ping");
    network.settle_until(network.now + HOP);
    let back = network.circuits[1][0];
    network.send(1, back, "pong");
    network.settle();
    assert_eq!(network.count("B information 0,1"), 1);
    assert_eq!(network.count("B information acknowledge"), 0);
}

#[test]
fn the_acknowledgement_delay_grows_with_the_backlog_if_set() {
    // four packets at once: the last finds a backlog of four, two beyond half a window
    for (grows, expected) in [(false, 3500), (true, 6500)] {
        let (mut network, circuit) = open(|s| {
            s.transport.delay_grows_with_backlog = grows;
            s.transport.acknowledge_start = AcknowledgeStart::Restart;
        });
        network.pace[1] = None;
        for _ in 0..4 {
            network.send(0, circuit, "x");
        }
        network.settle_until(at(10_000 + expected - 1));
        assert_eq!(network.count("B information acknowledge"), 0, "{grows}");
        network.settle_until(at(10_000 + expected));
        assert_eq!(network.count("B information acknowledge 4"), 1, "{grows}");
    }
}

#[test]
fn without_early_acknowledgements_each_window_costs_a_delay() {
    // the reason that a block of more than a window is slow: each further window waits for the delay
    let taken = |packets: usize| {
        let (mut network, circuit) = open(|s| {
            s.transport.acknowledge_start = AcknowledgeStart::Restart;
            s.transport.send_queue_limit = 100;
        });
        for _ in 0..packets {
            network.send(0, circuit, "x");
        }
        let start = at(10_000);
        while network.delivered[1].len() < packets {
            let next = network.now + Duration::from_millis(50);
            network.settle_until(next);
            network.now = next;
        }
        network.now.since(start)
    };
    let stall = Duration::from_secs(3) + HOP + HOP;
    assert_eq!(taken(4), HOP);
    assert_eq!(taken(5), HOP + stall);
    assert_eq!(taken(16), HOP + stall.times(3));
}
