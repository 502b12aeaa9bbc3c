//! When the peer is choked and released, and what it does meanwhile.

use sojourn_core::Duration;
use sojourn_protocols::netrom::machine::*;

use super::network::*;

/// A circuit with a window of 8 whose receiver chokes above 4 packets and releases below 2, as changed by `change`.
fn open(change: impl Fn(&mut Transport)) -> (Network, CircuitId) {
    let mut settings = Settings { tick: Duration::ZERO, ..Settings::x1j4() };
    settings.transport.window = 8;
    settings.transport.send_queue_limit = 100;
    settings.transport.no_activity_timeout = None;
    change(&mut settings.transport);
    let mut network = Network::pair(settings);
    let circuit = network.connect(0, 1);
    network.settle();
    network.log.clear();
    (network, circuit)
}

fn send(network: &mut Network, circuit: CircuitId, count: usize) {
    for number in 0..count {
        network.send(0, circuit, &number.to_string());
    }
}

fn texts(count: usize) -> Vec<Bytes> {
    (0..count).map(|number| number.to_string().into_bytes()).collect()
}

#[test]
fn a_backlog_above_the_threshold_chokes_and_one_below_releases() {
    let (mut network, circuit) = open(|_| {});
    network.pace[1] = Some(Duration::from_secs(1));
    send(&mut network, circuit, 5);
    network.settle_until(network.now + Duration::from_secs(2));
    network.send(0, circuit, "5");
    network.settle();
    assert_eq!(network.count("B information acknowledge 5 choke"), 1, "{:#?}", network.log);
    assert_eq!(network.count("A choked"), 1);
    assert_eq!(network.count("A released"), 1);
    assert_eq!(network.delivered[1], texts(6));
}

#[test]
fn a_choking_receiver_drops_further_packets_or_keeps_them() {
    for (drops, dropped, resent) in [(true, 3, 3), (false, 0, 0)] {
        let (mut network, circuit) = open(|t| {
            t.choke.drops = drops;
            t.rewinds_when_choked = drops;
        });
        network.pace[1] = Some(Duration::from_secs(1));
        send(&mut network, circuit, 8);
        network.settle();
        assert_eq!(network.nodes[1].counters().get(Counter::InformationDropped), dropped);
        assert_eq!(network.nodes[0].counters().get(Counter::InformationResent), resent);
        assert_eq!(network.delivered[1], texts(8));
    }
}

#[test]
fn a_release_allows_a_whole_window() {
    let (mut network, circuit) = open(|t| t.window = 4);
    network.pace[1] = Some(Duration::from_secs(2));
    send(&mut network, circuit, 20);
    network.settle();
    let released = network.log.iter().position(|line| line == "A released").unwrap();
    let sent = network.log[released + 1..].iter().take_while(|line| line.starts_with("A information")).count();
    assert_eq!(sent, 4, "{:#?}", network.log);
    assert_eq!(network.delivered[1], texts(20));
}

#[test]
fn a_packet_dropped_while_choking_repeats_the_choke() {
    let (mut network, circuit) = open(|_| {});
    network.pace[1] = None;
    send(&mut network, circuit, 8);
    network.settle_until(at(10_000));
    // once when it chokes, once the acknowledgement delay after the last packet it dropped
    assert_eq!(network.count("B information acknowledge 5 choke"), 2);
}

#[test]
fn a_sender_whose_release_is_lost_resumes_after_the_choke_timeout() {
    let (mut network, circuit) = open(|t| t.choke.drops = false);
    network.pace[1] = Some(Duration::from_secs(1));
    send(&mut network, circuit, 12);
    network.settle_until(at(3600));
    assert_eq!(network.count("A choked"), 1);
    network.lose = (network.sent..network.sent + 3).collect();
    let choked = network.now;
    network.settle();
    assert_eq!(network.delivered[1], texts(12));
    assert_eq!(network.nodes[0].counters().get(Counter::ChokeTimeouts), 1, "{:#?}", network.log);
    assert!(network.now.since(choked) >= Duration::from_secs(55));
}

#[test]
fn no_nak_is_sent_while_choking() {
    let (mut network, circuit) = open(|t| t.choke.drops = false);
    network.pace[1] = None;
    // the seventh is lost after the fifth has choked
    network.lose = vec![network.sent + 6];
    send(&mut network, circuit, 8);
    network.settle_until(at(60_000));
    assert_eq!(network.log.iter().filter(|line| line.contains("nak")).count(), 0, "{:#?}", network.log);
}

#[test]
fn a_choke_may_be_decided_only_when_a_full_window_awaits_its_acknowledgement() {
    let (mut network, circuit) = open(|t| {
        t.window = 4;
        t.choke.signalled = ChokeSignal::AtFullWindow;
        t.choke.above = 2;
    });
    network.pace[1] = None;
    send(&mut network, circuit, 3);
    network.settle_until(network.now + Duration::from_secs(10));
    assert_eq!(network.count("B information acknowledge 3 choke"), 0, "three are less than a window");
    send(&mut network, circuit, 4);
    network.settle_until(network.now + Duration::from_secs(10));
    assert_eq!(network.count("B information acknowledge 7 choke"), 1, "{:#?}", network.log);
}

#[test]
fn a_choke_may_wait_for_the_next_acknowledgement() {
    let (mut network, circuit) = open(|t| {
        t.choke.signalled = ChokeSignal::WithAcknowledgement;
        t.choke.drops = false;
    });
    network.pace[1] = None;
    send(&mut network, circuit, 8);
    network.settle_until(network.now + Duration::from_secs(1));
    assert_eq!(network.count("B information acknowledge"), 0);
    network.settle_until(network.now + Duration::from_secs(3));
    assert_eq!(network.count("B information acknowledge 8 choke"), 1);
}

#[test]
fn a_release_may_wait_for_an_acknowledgement_or_for_a_poll() {
    for (released, least, most) in [
        (ChokeRelease::Immediate, 0, 0),
        (ChokeRelease::WithAcknowledgement, 2000, 2000),
        (ChokeRelease::Poll(Duration::from_secs(7)), 1, 7000),
    ] {
        let (mut network, circuit) = open(|t| t.choke.release = released);
        network.pace[1] = None;
        send(&mut network, circuit, 5);
        let sent = network.now;
        network.settle_until(sent + Duration::from_secs(9));
        network.now = sent + Duration::from_secs(9);
        let emptied = network.now;
        let back = network.circuits[1][0];
        network.give(1, Input::Consumed { circuit: back, packets: 5 });
        while network.count("B information acknowledge 5") == network.count("B information acknowledge 5 choke") {
            network.settle_until(network.now + Duration::from_millis(1));
            network.now += Duration::from_millis(1);
        }
        let waited = network.now.since(emptied).picoseconds() / 1_000_000_000;
        assert!((least..=most + 1).contains(&waited), "{released:?}: {waited} ms");
    }
}

#[test]
fn few_buffers_choke_at_once_and_more_release() {
    let (mut network, circuit) = open(|t| {
        t.choke.min_free_buffers = 30;
        t.choke.release_free_buffers = 62;
    });
    network.give(1, Input::FreeBuffers { buffers: 29 });
    send(&mut network, circuit, 1);
    network.settle_until(network.now + HOP);
    assert_eq!(network.count("B information acknowledge 1 choke"), 1, "{:#?}", network.log);
    network.give(1, Input::FreeBuffers { buffers: 62 });
    assert_eq!(network.count("B information acknowledge 1"), 1, "62 are not more than 62");
    network.give(1, Input::FreeBuffers { buffers: 63 });
    assert_eq!(network.count("B information acknowledge 1"), 2);
    assert_eq!(network.log.last().unwrap(), "B information acknowledge 1");
}

#[test]
fn a_backlog_may_be_counted_in_octets() {
    let (mut network, circuit) = open(|t| {
        t.choke.unit = BacklogUnit::Octets;
        t.choke.above = 300;
        t.choke.below = 300;
    });
    network.pace[1] = None;
    network.send(0, circuit, &"x".repeat(200));
    network.settle_until(network.now + HOP);
    assert_eq!(network.count("B information acknowledge"), 0);
    network.send(0, circuit, &"x".repeat(101));
    network.settle_until(network.now + HOP);
    assert_eq!(network.count("B information acknowledge 2 choke"), 1);
}

#[test]
fn more_cannot_be_consumed_than_was_delivered() {
    let (mut network, circuit) = open(|_| {});
    network.give(0, Input::Consumed { circuit, packets: 1 });
    assert_eq!(network.log, ["A refused: 1 packets consumed of 0 delivered"]);
}
