//! Any input at any time: nothing panics, every packet sent can be encoded, and every timer ends.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::netrom::machine::*;
use sojourn_protocols::netrom::wire::*;

use super::network::{Bytes, call, neighbour};

#[derive(Clone, Debug)]
enum Step {
    Connect(usize),
    Send(usize, usize),
    Consumed(usize, u16),
    Finish(usize),
    Disconnect(usize),
    Buffers(u16),
    Receive(usize, Packet<Bytes>),
    Nodes(usize, Nodes),
    Link(usize, bool),
    Broadcast,
    Pass(u64),
    Wake,
}

fn some_body() -> impl Strategy<Value = Body<Bytes>> {
    // numbers that a node with few circuits assigns
    let number = || (0u8..4, 0u8..4).prop_map(|(index, id)| CircuitNumber { index, id });
    let flow = || (any::<bool>(), any::<bool>()).prop_map(|(choke, nak)| Flow { choke, nak });
    let sequence = || prop_oneof![4 => 0u8..6, 1 => any::<u8>()];
    prop_oneof![
        3 => (number(), any::<u8>(), any::<Option<u16>>()).prop_map(|(circuit, window, timeout_s)| {
            Body::ConnectRequest { circuit, window, user: call(20), node: call(1), timeout_s }
        }),
        4 => (number(), number(), any::<u8>()).prop_map(|(circuit, own, window)| {
            Body::ConnectAcknowledge { circuit, own, window, ttl: None }
        }),
        1 => number().prop_map(|circuit| Body::ConnectRefusal { circuit }),
        1 => number().prop_map(|circuit| Body::DisconnectRequest { circuit }),
        1 => number().prop_map(|circuit| Body::DisconnectAcknowledge { circuit }),
        9 => (number(), sequence(), sequence(), flow(), any::<bool>(), 0usize..300).prop_map(
            |(circuit, send, receive, flow, more, length)| {
                Body::Information { circuit, tx_sequence: send, rx_sequence: receive, flow, more, data: vec![0; length] }
            }
        ),
        6 => (number(), sequence(), flow())
            .prop_map(|(circuit, receive, flow)| Body::InformationAcknowledge { circuit, rx_sequence: receive, flow }),
        1 => (number(), number()).prop_map(|(circuit, own)| Body::Reset { circuit, own }),
        1 => any::<u8>().prop_map(|operation| Body::Other { header: [0; 4], operation: operation & 0xf8, data: vec![] }),
    ]
}

fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    let node = || 0usize..4;
    let packet = (1usize..4, node(), any::<u8>(), some_body()).prop_map(|(origin, destination, time_to_live, body)| {
        // mostly for this node
        let destination = if destination == 3 { call(2) } else { call(0) };
        Packet { origin: call(origin), destination, ttl: time_to_live, body }
    });
    let entry = (0usize..9, 0usize..4, any::<u8>()).prop_map(|(to, by, quality)| Entry {
        destination: call(to),
        alias: Alias::NONE,
        best_neighbour: call(by),
        quality,
    });
    let nodes = prop::collection::vec(entry, 0..6).prop_map(|entries| Nodes { alias: Alias::NONE, entries });
    let step = prop_oneof![
        3 => node().prop_map(Step::Connect),
        6 => (node(), 0usize..600).prop_map(|(circuit, length)| Step::Send(circuit, length)),
        4 => (node(), 0u16..4).prop_map(|(circuit, packets)| Step::Consumed(circuit, packets)),
        1 => node().prop_map(Step::Finish),
        1 => node().prop_map(Step::Disconnect),
        1 => (0u16..80).prop_map(Step::Buffers),
        20 => (1usize..4, packet).prop_map(|(from, packet)| Step::Receive(from, packet)),
        2 => (1usize..4, nodes).prop_map(|(from, nodes)| Step::Nodes(from, nodes)),
        1 => (1usize..4, any::<bool>()).prop_map(|(to, up)| Step::Link(to, up)),
        1 => Just(Step::Broadcast),
        3 => (0u64..5000).prop_map(Step::Pass),
        3 => Just(Step::Wake),
    ];
    prop::collection::vec(step, 1..150)
}

fn some_settings() -> impl Strategy<Value = Settings> {
    let preset = prop::sample::select(vec![
        Settings::x1j4(),
        Settings::thenetnode(),
        Settings::linux(),
        Settings::nos(),
        Settings::bpq(),
    ]);
    (preset, any::<bool>(), 1u8..5, 1u8..4).prop_map(|(mut settings, resets, window, circuit_limit)| {
        settings.transport.resets = resets;
        settings.transport.window = window;
        settings.transport.max_circuits = circuit_limit;
        settings
    })
}

struct Driver {
    node: Node<Bytes>,
    now: Time,
    circuits: Vec<CircuitId>,
}

impl Driver {
    fn apply(&mut self, step: Step) {
        let circuits = &self.circuits;
        let named = |place: usize| circuits.len().checked_sub(place + 1).map(|index| circuits[index]);
        let input = match step {
            Step::Connect(to) => Some(Input::Connect { user: call(21), destination: call(to) }),
            Step::Send(place, length) => named(place).map(|circuit| Input::Send { circuit, data: vec![7; length] }),
            Step::Consumed(place, packets) => named(place).map(|circuit| Input::Consumed { circuit, packets }),
            Step::Finish(place) => named(place).map(|circuit| Input::Finish { circuit }),
            Step::Disconnect(place) => named(place).map(|circuit| Input::Disconnect { circuit }),
            Step::Buffers(buffers) => Some(Input::FreeBuffers { buffers }),
            Step::Receive(from, packet) => Some(Input::Receive { from: neighbour(from), packet }),
            Step::Nodes(from, nodes) => Some(Input::NodesReceived { from: neighbour(from), nodes: nodes.into() }),
            Step::Link(to, true) => Some(Input::LinkUp { neighbour: neighbour(to) }),
            Step::Link(to, false) => Some(Input::LinkFailed { neighbour: neighbour(to) }),
            Step::Broadcast => Some(Input::Broadcast),
            Step::Pass(milliseconds) => {
                self.now += Duration::from_millis(milliseconds);
                None
            }
            Step::Wake => {
                self.now = self.node.next_wakeup().map_or(self.now, |at| self.now.max(at));
                None
            }
        };
        let opens = matches!(input, Some(Input::Connect { .. }));
        if let Some(input) = input {
            self.node.handle(self.now, input);
        }
        if opens {
            self.circuits.extend(self.node.opened());
        }
        self.drain();
        self.node.wake(self.now);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.node.poll_output() {
            match output {
                Output::Send { packet, .. } => {
                    assert!(packet.length() <= 256 || packet.origin != call(0));
                    let written = packet.to_bytes();
                    assert_eq!(Packet::parse(&written).map(|read| read.map(<[u8]>::to_vec)), Ok(packet));
                }
                Output::Connected { circuit, incoming: true, .. } => self.circuits.push(circuit),
                _ => {}
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_without_responses_all_timers_end(settings in some_settings(), steps in some_steps()) {
        let mut settings = settings;
        settings.routing.broadcast_interval = Duration::ZERO;
        let node = Node::new(call(0), Alias::NONE, [192], Arc::new(settings), Time::ZERO).unwrap();
        let mut driver = Driver { node, now: Time::ZERO, circuits: Vec::new() };
        steps.into_iter().for_each(|step| driver.apply(step));
// no peer responds any more, and users consume their backlog
        let mut rounds = 0;
        while driver.node.next_wakeup().is_some() {
            for circuit in driver.circuits.clone() {
                let packets = driver.node.backlog(circuit) as u16;
                driver.node.handle(driver.now, Input::Consumed { circuit, packets });
            }
            driver.node.handle(driver.now, Input::FreeBuffers { buffers: 1000 });
            driver.apply(Step::Wake);
            rounds += 1;
            prop_assert!(rounds < 300, "a timer runs for ever");
        }
        for circuit in driver.circuits {
            prop_assert_eq!(driver.node.outstanding(circuit), 0, "what waits is given up");
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_outputs(settings in some_settings(), steps in some_steps()) {
        let run = || {
            let mut node = Node::new(call(0), Alias::NONE, [192], Arc::new(settings.clone()), Time::ZERO).unwrap();
            let mut outputs = Vec::new();
            for step in &steps {
                match step {
                    Step::Receive(from, packet) => {
                        node.handle(Time::ZERO, Input::Receive { from: neighbour(*from), packet: packet.clone() });
                    }
                    Step::Nodes(from, nodes) => {
                        node.handle(Time::ZERO, Input::NodesReceived { from: neighbour(*from), nodes: nodes.clone().into() });
                    }
                    _ => {}
                }
                outputs.extend(std::iter::from_fn(|| node.poll_output()));
            }
            outputs
        };
        prop_assert_eq!(run(), run());
    }
}
