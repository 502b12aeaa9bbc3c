//! How circuits are opened and closed.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::netrom::machine::*;
use sojourn_protocols::netrom::wire::*;

use super::network::*;

fn linux() -> Settings {
    Settings::linux()
}

fn with(change: impl FnOnce(&mut Transport)) -> Settings {
    let mut settings = linux();
    change(&mut settings.transport);
    settings
}

#[test]
fn a_circuit_is_opened_used_and_closed() {
    let mut network = Network::pair(linux());
    let circuit = network.connect(0, 1);
    network.send(0, circuit, "hello");
    network.give(0, Input::Finish { circuit });
    network.settle();
    assert_eq!(
        network.log,
        [
            "A connect request",
            "B connect acknowledge",
            "B connected by A for PING-15, window 4",
            "A connected to B for PING-15, window 4",
            "A information 0,0",
            "B delivers hello",
            "B information acknowledge 1",
            "A 1 acknowledged",
            "A disconnect request",
            "B disconnect acknowledge",
            "B disconnected (ByPeer), 0 lost",
            "A disconnected (Requested), 0 lost",
        ]
    );
}

#[test]
fn the_smaller_window_holds() {
    let mut network = Network::new([with(|t| t.window = 7), with(|t| t.window = 3)], &[(0, 1)]);
    network.lock(0, 1, 1, 255);
    network.lock(1, 0, 0, 255);
    network.connect(0, 1);
    network.settle_until(at(5000));
    assert_eq!(network.count("A connected to B for PING-15, window 3"), 1);
    assert_eq!(network.count("B connected by A for PING-15, window 3"), 1);
}

#[test]
fn a_node_that_accepts_no_circuits_refuses() {
    let mut network = Network::pair(with(|t| t.accepts_connections = false));
    network.connect(0, 1);
    network.settle();
    assert_eq!(network.log, ["A connect request", "B connect refusal", "A disconnected (Refused), 0 lost"]);
}

#[test]
fn a_node_refuses_circuits_beyond_its_maximum() {
    let mut network = Network::pair(with(|t| t.max_circuits = 2));
    for _ in 0..2 {
        network.connect(0, 1);
    }
    network.settle();
    network.give(1, Input::Connect { user: call(1), destination: call(0) });
    assert_eq!(network.log.last().unwrap(), "B refused: the node has its maximum of 2 circuits");
    assert_eq!(network.nodes[1].opened(), None);
}

#[test]
fn a_circuit_without_a_route_is_refused_at_once() {
    let mut network = Network::pair(linux());
    network.give(0, Input::Connect { user: call(0), destination: "NOWHER-3".parse().unwrap() });
    assert_eq!(network.log, ["A refused: no route to NOWHER-3"]);
}

#[test]
fn an_unacknowledged_connect_request_is_retried_and_given_up() {
    let mut network = Network::pair(linux());
    network.lose = (0..9).collect();
    network.connect(0, 1);
    network.settle();
    assert_eq!(network.count("A connect request"), 4, "once and three times again");
    assert_eq!(network.log.last().unwrap(), "A disconnected (NoResponse), 0 lost");
    assert_eq!(network.now, Time::ZERO + Duration::from_secs(4 * 120));
}

#[test]
fn a_lost_disconnect_acknowledge_is_sent_again() {
    let mut network = Network::pair(linux());
    let circuit = network.connect(0, 1);
    network.settle();
    network.lose = vec![network.sent + 1];
    network.give(0, Input::Disconnect { circuit });
    network.settle();
    assert_eq!(network.count("B disconnect acknowledge"), 2);
    assert_eq!(network.log.last().unwrap(), "A disconnected (Requested), 0 lost");
}

#[test]
fn a_user_that_disconnects_before_the_response_leaves_no_circuit_behind() {
    let mut network = Network::pair(linux());
    let circuit = network.connect(0, 1);
    network.give(0, Input::Disconnect { circuit });
    network.settle();
    assert_eq!(network.count("A disconnected (Requested)"), 1);
    assert_eq!(network.count("B disconnected (ByPeer)"), 1);
}

#[test]
fn a_circuit_without_data_closes_after_the_no_activity_timeout() {
    let mut network = Network::pair(Settings::x1j4());
    network.connect(0, 1);
    network.settle();
    assert_eq!(network.count("A disconnected"), 1);
    assert_eq!(network.count("B disconnected"), 1);
    assert_eq!(network.log.iter().filter(|line| line.contains("NoActivity")).count(), 1, "{:#?}", network.log);
    let seconds = network.now.since(Time::ZERO).whole(Duration::from_secs(1));
    assert!((899..=901).contains(&seconds), "after {seconds} s");
}

#[test]
fn bpqs_extension_is_used_in_response_to_an_extended_request() {
    let mut node = Network::pair(with(|t| t.bpq_extension = false)).nodes.remove(1);
    for (timeout_s, time_to_live) in [(None, None), (Some(300), Some(16))] {
        let body = Body::ConnectRequest {
            circuit: CircuitNumber { index: 9, id: if timeout_s.is_some() { 1 } else { 2 } },
            window: 4,
            user: call(5),
            node: call(0),
            timeout_s,
        };
        let packet = Packet { origin: call(0), destination: call(1), ttl: 25, body };
        node.handle(Time::ZERO, Input::Receive { from: neighbour(0), packet });
        let Some(Output::Send { packet, .. }) = node.poll_output() else { panic!("an answer") };
        assert!(matches!(packet.body, Body::ConnectAcknowledge { ttl: answered, .. } if answered == time_to_live));
        while node.poll_output().is_some() {}
    }
}

#[test]
fn a_packet_for_an_unknown_circuit_causes_a_reset_only_if_set() {
    for (resets, ends) in [(false, "A disconnected (NoResponse), 1 lost"), (true, "A disconnected (Reset), 1 lost")] {
        let mut network = Network::pair(with(|t| t.resets = resets));
        let circuit = network.connect(0, 1);
        network.settle();
        // B forgets
        let known = network.circuits[1][0];
        network.lose = (network.sent..network.sent + 4).collect();
        network.give(1, Input::Disconnect { circuit: known });
        network.settle();
        network.lose.clear();
        network.send(0, circuit, "anyone there?");
        network.settle();
        assert_eq!(network.log.last().unwrap(), ends);
        assert_eq!(network.count("B reset"), usize::from(resets));
    }
}

#[test]
fn a_reset_causes_no_reset() {
    let mut network = Network::pair(with(|t| t.resets = true));
    let body = Body::Reset { circuit: CircuitNumber { index: 3, id: 3 }, own: CircuitNumber { index: 4, id: 4 } };
    let packet = Packet { origin: call(0), destination: call(1), ttl: 3, body };
    network.give(1, Input::Receive { from: neighbour(0), packet });
    assert_eq!(network.log, Vec::<String>::new());
}

#[test]
fn a_packet_outside_any_circuit_is_passed_to_the_driver() {
    let mut network = Network::pair(linux());
    let body = Body::Other { header: [0x0c, 0x0c, 0, 0], operation: 0, data: vec![0x45] };
    let packet = Packet { origin: call(0), destination: call(1), ttl: 3, body };
    network.give(1, Input::Receive { from: neighbour(0), packet });
    assert_eq!(network.log, ["B delivers other"]);
}

#[test]
fn a_setting_out_of_range_is_refused() {
    let settings = with(|t| t.window = 128);
    let refused = settings.check().unwrap_err();
    assert_eq!(refused.to_string(), "the window is 128 and must be 1 to 127");
    for preset in [Settings::x1j4(), Settings::thenetnode(), Settings::linux(), Settings::nos(), Settings::bpq()] {
        assert_eq!(preset.check(), Ok(()));
    }
}
