//! Routes: learned, kept, aged, used.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::netrom::machine::*;
use sojourn_protocols::netrom::wire::*;

use super::network::*;

const INTERVAL: Duration = Duration::from_secs(1800);

/// Settings of X-1J4 that accept routes of any quality.
fn settings() -> Settings {
    let mut settings = Settings::x1j4();
    settings.routing.min_quality = 1;
    settings
}

fn chain(count: usize) -> Network {
    let links: Vec<_> = (1..count).map(|index| (index - 1, index)).collect();
    Network::new(vec![settings(); count], &links)
}

/// The routes of a node to another, as "B 192 9".
fn routes(node: &Node<Bytes>, to: usize) -> Vec<String> {
    let found = node.destinations().find(|(address, ..)| *address == call(to));
    let words = |route: Route| format!("{} {} {}", route.neighbour.address, route.quality, route.obsolescence);
    found.map(|(_, _, routes)| routes.map(words).collect()).unwrap_or_default()
}

fn after(network: &mut Network, intervals: u64) {
    network.settle_until(Time::ZERO + INTERVAL.times(intervals) + Duration::from_secs(10));
}

#[test]
fn a_neighbours_quality_is_its_ports_and_further_qualities_are_products() {
    let mut network = chain(4);
    after(&mut network, 3);
    // 192 * 192 + 128 over 256 is 144, and once more 108
    assert_eq!(routes(&network.nodes[0], 1), ["B 192 9"]);
    assert_eq!(routes(&network.nodes[0], 2), ["B 144 9"]);
    assert_eq!(routes(&network.nodes[0], 3), ["B 108 9"]);
    assert_eq!(network.nodes[0].find("noded"), Some(call(3)));
    assert_eq!(network.nodes[0].find("D"), Some(call(3)));
    assert_eq!(network.nodes[0].find("unknown"), None);
}

#[test]
fn a_route_back_through_the_receiver_is_not_learned() {
    let mut network = chain(3);
    after(&mut network, 5);
    // B advertises only C to A, and A, whose route to C is by B, advertises nothing that B learns
    assert_eq!(routes(&network.nodes[1], 0), ["A 192 9"]);
    assert_eq!(routes(&network.nodes[1], 2), ["C 192 9"]);
}

#[test]
fn a_route_that_turns_back_is_removed_at_once() {
    let mut node = Network::new([settings()], &[]).nodes.remove(0);
    let nodes = |best| Nodes {
        alias: Alias::NONE,
        entries: vec![Entry { destination: call(9), alias: Alias::NONE, best_neighbour: best, quality: 200 }],
    };
    let mut learned = |best| {
        node.handle(Time::ZERO, Input::NodesReceived { from: neighbour(1), nodes: nodes(best).into() });
        routes(&node, 9)
    };
    assert_eq!(learned(call(5)), ["B 150 9"]);
    assert_eq!(learned(call(0)), Vec::<String>::new());
}

#[test]
fn three_best_routes_are_kept() {
    let mut node = Network::new([settings()], &[]).nodes.remove(0);
    for (from, quality) in [(1, 100), (2, 160), (3, 120), (4, 140), (5, 10)] {
        let entry = Entry { destination: call(9), alias: Alias::NONE, best_neighbour: call(9), quality };
        let nodes = Nodes { alias: Alias::NONE, entries: vec![entry] };
        node.handle(Time::ZERO, Input::NodesReceived { from: neighbour(from), nodes: nodes.into() });
    }
    assert_eq!(routes(&node, 9), ["C 120 9", "E 105 9", "D 90 9"]);
    assert_eq!(node.next_hop(call(9)), Some(neighbour(2)));
}

#[test]
fn a_route_below_the_minimum_quality_is_not_learned() {
    let mut settings = settings();
    settings.routing.min_quality = 145;
    let mut network = Network::new(vec![settings; 3], &[(0, 1), (1, 2)]);
    after(&mut network, 3);
    assert_eq!(routes(&network.nodes[0], 1), ["B 192 9"]);
    assert_eq!(routes(&network.nodes[0], 2), Vec::<String>::new());
}

#[test]
fn a_route_not_received_again_expires_and_a_locked_one_stays() {
    let mut network = chain(2);
    network.nodes[0].lock_route(call(7), Alias::NONE, neighbour(1), 80);
    after(&mut network, 1);
    assert_eq!(routes(&network.nodes[0], 1), ["B 192 9"]);
    network.cut(0, 1);
    after(&mut network, 9);
    assert_eq!(routes(&network.nodes[0], 1), ["B 192 1"]);
    after(&mut network, 10);
    assert_eq!(routes(&network.nodes[0], 1), Vec::<String>::new());
    assert_eq!(routes(&network.nodes[0], 7), ["B 80 0"]);
}

#[test]
fn an_obsolete_route_is_not_broadcast() {
    let mut network = chain(3);
    after(&mut network, 2);
    assert_eq!(routes(&network.nodes[0], 2), ["B 144 9"]);
    network.cut(1, 2);
    // B's route to C falls below 5 with the fifth interval; A's route ages from the last broadcast
    after(&mut network, 6);
    assert_eq!(routes(&network.nodes[1], 2), ["C 192 5"]);
    after(&mut network, 8);
    assert_eq!(routes(&network.nodes[1], 2), ["C 192 3"]);
    assert_eq!(routes(&network.nodes[0], 2), ["B 144 7"]);
}

#[test]
fn more_than_eleven_destinations_take_more_than_one_frame() {
    let mut network = Network::new([settings()], &[]);
    for number in 0..13u8 {
        let destination: Alias = Alias::NONE;
        let address = sojourn_protocols::ax25::wire::Address::new("N", number).unwrap();
        network.nodes[0].lock_route(address, destination, neighbour(1), 100);
    }
    network.nodes[0].handle(Time::ZERO, Input::Broadcast);
    let mut frames = Vec::new();
    while let Some(Output::Broadcast { nodes }) = network.nodes[0].poll_output() {
        frames.push(nodes.entries.len());
    }
    assert_eq!(frames, [11, 2]);
}

#[test]
fn a_full_table_learns_no_further_destination() {
    let mut settings = settings();
    settings.routing.max_destinations = 2;
    let mut network = Network::new(vec![settings; 4], &[(0, 1), (1, 2), (2, 3)]);
    after(&mut network, 4);
    assert_eq!(network.nodes[0].destinations().count(), 2);
}

#[test]
fn intermediate_nodes_forward_a_packet() {
    let mut network = chain(4);
    after(&mut network, 3);
    let circuit = network.connect(0, 3);
    network.send(0, circuit, "far");
    network.settle_until(network.now + Duration::from_secs(20));
    assert_eq!(network.delivered[3], [b"far"]);
    assert_eq!(network.count("B connect request, forwarded"), 1);
    assert_eq!(network.count("C connect acknowledge, forwarded"), 1);
}

#[test]
fn a_packet_whose_time_to_live_expires_is_dropped() {
    let mut settings = settings();
    settings.routing.ttl = 2;
    let mut network = Network::new(vec![settings; 4], &[(0, 1), (1, 2), (2, 3)]);
    after(&mut network, 3);
    network.connect(0, 3);
    network.settle_until(network.now + Duration::from_secs(20));
    assert_eq!(network.count("C drops (TimeToLive)"), 1);
    assert_eq!(network.count("D "), 0);
}

#[test]
fn a_packet_in_a_routing_loop_is_dropped() {
    let mut network = Network::new(vec![settings(); 3], &[(0, 1), (1, 2), (2, 0)]);
    // each has the next as its route to D
    for (at, by) in [(0, 1), (1, 2), (2, 0)] {
        network.nodes[at].lock_route(call(3), Alias::NONE, neighbour(by), 200);
    }
    network.give(0, Input::Connect { user: call(0), destination: call(3) });
    network.settle_until(Time::ZERO + Duration::from_secs(60));
    assert_eq!(network.log.iter().filter(|line| line.contains("connect request")).count(), 16);
    assert_eq!(network.log.iter().filter(|line| line.contains("drops (TimeToLive)")).count(), 1);
}

#[test]
fn an_unreachable_neighbour_is_avoided_until_it_is_received_again() {
    let mut network = Network::new(vec![settings(); 2], &[]);
    network.nodes[0].lock_route(call(9), Alias::NONE, neighbour(1), 200);
    network.nodes[0].lock_route(call(9), Alias::NONE, neighbour(2), 100);
    let mut then = |input| {
        network.give(0, input);
        network.nodes[0].next_hop(call(9)).unwrap()
    };
    assert_eq!(then(Input::LinkFailed { neighbour: neighbour(1) }), neighbour(2));
    assert_eq!(
        then(Input::LinkFailed { neighbour: neighbour(2) }),
        neighbour(1),
        "the best is tried when none is left"
    );
    assert_eq!(then(Input::LinkUp { neighbour: neighbour(2) }), neighbour(2));
    let nodes = Nodes { alias: Alias::NONE, entries: vec![] };
    assert_eq!(then(Input::NodesReceived { from: neighbour(1), nodes: nodes.into() }), neighbour(1));
}

#[test]
fn a_packet_teaches_the_reverse_route_to_an_unknown_node() {
    let mut network = Network::new(vec![settings(); 2], &[(0, 1)]);
    network.lock(0, 1, 1, 192);
    network.connect(0, 1);
    network.settle_until(at(5000));
    assert_eq!(routes(&network.nodes[1], 0), ["A 0 9"]);
    assert_eq!(network.count("A connected to B"), 1);
}

#[test]
fn a_neighbours_quality_can_be_locked() {
    let mut network = chain(2);
    network.nodes[0].lock_neighbour(neighbour(1), 50);
    after(&mut network, 1);
    assert_eq!(routes(&network.nodes[0], 1), ["B 50 9"]);
}

#[test]
fn a_node_that_ignores_broadcasts_learns_nothing() {
    let mut settings = settings();
    settings.routing.learns_from_broadcasts = false;
    let mut network = Network::new(vec![settings; 2], &[(0, 1)]);
    after(&mut network, 3);
    assert_eq!(network.nodes[0].destinations().count(), 0);
}
