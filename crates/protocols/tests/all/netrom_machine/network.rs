use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::*;
use sojourn_protocols::netrom::wire::*;

pub type Bytes = Vec<u8>;

/// Delay of a link per packet.
pub const HOP: Duration = Duration::from_millis(500);
/// Quality of every port.
const PORT_QUALITY: u8 = 192;

/// Nodes A, B, C ... and the links between some of them.
pub struct Network {
    pub now: Time,
    pub nodes: Vec<Node<Bytes>>,
    /// Packets sent and events, as "A information 0,0" or "B delivers x".
    pub log: Vec<String>,
    /// Packets sent so far, lost ones too.
    pub sent: usize,
    /// Packets to lose, by their index among those sent.
    pub lose: Vec<usize>,
    /// The complete messages delivered to each node's user.
    pub delivered: Vec<Vec<Bytes>>,
    /// Time of each node's user per delivered packet; `None`: it consumes nothing.
    pub pace: Vec<Option<Duration>>,
    /// The circuits that each node has reported, newest last.
    pub circuits: Vec<Vec<CircuitId>>,
    links: Vec<(usize, usize)>,
    down: Vec<(usize, usize)>,
    events: BTreeMap<(Time, usize), Event>,
    serial: usize,
    /// The fragments of an incomplete message.
    begun: Vec<Bytes>,
    /// When each node's user has consumed its packets.
    busy_until: Vec<Time>,
}

enum Event {
    Arrive(usize, usize, Packet<Bytes>),
    Broadcast(usize, usize, Arc<Nodes>),
    Consume(usize, CircuitId),
}

/// The address of node `index`.
pub fn call(index: usize) -> Address {
    Address::new(&char::from(b'A' + index as u8).to_string(), 0).unwrap()
}

pub fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

impl Network {
    /// Nodes with these settings and links, whose users consume everything at once.
    pub fn new(settings: impl IntoIterator<Item = Settings>, links: &[(usize, usize)]) -> Self {
        let node = |(index, settings): (usize, Settings)| {
            let alias = format!("NODE{}", call(index)).parse().unwrap();
            Node::new(call(index), alias, [PORT_QUALITY], Arc::new(settings), Time::ZERO).unwrap()
        };
        let nodes: Vec<_> = settings.into_iter().enumerate().map(node).collect();
        let count = nodes.len();
        Network {
            now: Time::ZERO,
            nodes,
            log: Vec::new(),
            sent: 0,
            lose: Vec::new(),
            delivered: vec![Vec::new(); count],
            pace: vec![Some(Duration::ZERO); count],
            circuits: vec![Vec::new(); count],
            links: links.iter().flat_map(|&(one, other)| [(one, other), (other, one)]).collect(),
            down: Vec::new(),
            events: BTreeMap::new(),
            serial: 0,
            begun: vec![Bytes::new(); count],
            busy_until: vec![Time::ZERO; count],
        }
    }

    /// A and B with routes to each other only.
    pub fn pair(settings: Settings) -> Self {
        let settings =
            Settings { routing: Routing { broadcast_interval: Duration::ZERO, ..settings.routing }, ..settings };
        let mut network = Network::new([settings.clone(), settings], &[(0, 1)]);
        network.lock(0, 1, 1, 255);
        network.lock(1, 0, 0, 255);
        network
    }

    /// Node `at` has a locked route to `to` by `by`.
    pub fn lock(&mut self, at: usize, to: usize, by: usize, quality: u8) {
        let alias = self.nodes[to].alias();
        self.nodes[at].lock_route(call(to), alias, neighbour(by), quality);
    }

    /// The link between two nodes fails.
    pub fn cut(&mut self, one: usize, other: usize) {
        self.down.extend([(one, other), (other, one)]);
    }

    pub fn give(&mut self, node: usize, input: Input<Bytes>) {
        self.nodes[node].handle(self.now, input);
        self.drain(node);
    }

    /// A user at `from` opens a circuit to `to`.
    pub fn connect(&mut self, from: usize, to: usize) -> CircuitId {
        self.give(from, Input::Connect { user: "PING-15".parse().unwrap(), destination: call(to) });
        self.nodes[from].opened().expect("a circuit")
    }

    pub fn send(&mut self, node: usize, circuit: CircuitId, text: &str) {
        self.give(node, Input::Send { circuit, data: text.as_bytes().to_vec() });
    }

    /// Advances time from event to event until none is left, or to `end`.
    pub fn settle_until(&mut self, end: Time) {
        loop {
            let event = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let wakeup = self.nodes.iter().filter_map(Node::next_wakeup).min().unwrap_or(Time::NEVER);
            let next = event.min(wakeup);
            if next > end || next == Time::NEVER {
                return;
            }
            self.now = next;
            if event <= wakeup {
                let event = self.events.pop_first().expect("the event just seen").1;
                self.happen(event);
            } else {
                for node in 0..self.nodes.len() {
                    self.nodes[node].wake(next);
                    self.drain(node);
                }
            }
        }
    }

    /// Advances time from event to event until none is left.
    pub fn settle(&mut self) {
        self.settle_until(Time::NEVER);
    }

    /// The number of log lines that begin with `start`.
    pub fn count(&self, start: &str) -> usize {
        self.log.iter().filter(|line| line.starts_with(start)).count()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive(from, to, packet) => self.give(to, Input::Receive { from: neighbour(from), packet }),
            Event::Broadcast(from, to, nodes) => self.give(to, Input::NodesReceived { from: neighbour(from), nodes }),
            Event::Consume(node, circuit) => {
                if self.nodes[node].backlog(circuit) > 0 {
                    self.give(node, Input::Consumed { circuit, packets: 1 });
                }
            }
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.serial += 1;
        self.events.insert((at, self.serial), event);
    }

    fn drain(&mut self, node: usize) {
        while let Some(output) = self.nodes[node].poll_output() {
            match output {
                Output::Send { neighbour, packet, .. } => self.transmit(node, neighbour, packet),
                Output::Broadcast { nodes } => self.broadcast(node, &nodes),
                Output::Deliver { circuit, data, more } => self.deliver(node, circuit, &data, more),
                other => self.note_event(node, &other),
            }
        }
    }

    fn transmit(&mut self, from: usize, to: Neighbour, packet: Packet<Bytes>) {
        let to = (0..self.nodes.len()).find(|index| call(*index) == to.address).expect("a neighbour that exists");
        assert!(self.links.contains(&(from, to)), "{from} sends to {to} without a link");
        if self.down.contains(&(from, to)) {
            return self.give(from, Input::LinkFailed { neighbour: neighbour(to) });
        }
        let written = packet.to_bytes();
        assert_eq!(Packet::parse(&written).map(|read| read.map(<[u8]>::to_vec)), Ok(packet.clone()));
        let lost = self.lose.contains(&self.sent);
        self.sent += 1;
        let relayed = if packet.origin == call(from) { "" } else { ", forwarded" };
        self.note(from, &format!("{}{relayed}{}", transcript(&packet.body), if lost { ", lost" } else { "" }));
        if !lost {
            self.schedule(self.now + HOP, Event::Arrive(from, to, packet));
        }
    }

    fn broadcast(&mut self, from: usize, nodes: &Arc<Nodes>) {
        assert_eq!(Nodes::parse(&nodes.to_bytes()).as_ref(), Ok(&**nodes));
        let works = |link: &&(usize, usize)| link.0 == from && !self.down.contains(link);
        let listeners: Vec<usize> = self.links.iter().filter(works).map(|link| link.1).collect();
        for to in listeners {
            self.schedule(self.now + HOP, Event::Broadcast(from, to, Arc::clone(nodes)));
        }
    }

    fn deliver(&mut self, node: usize, circuit: CircuitId, data: &[u8], more: bool) {
        self.begun[node].extend(data);
        if !more {
            let message = std::mem::take(&mut self.begun[node]);
            self.note(node, &format!("delivers {}", String::from_utf8_lossy(&message)));
            self.delivered[node].push(message);
        }
        if let Some(pace) = self.pace[node] {
            self.busy_until[node] = self.busy_until[node].max(self.now) + pace;
            self.schedule(self.busy_until[node], Event::Consume(node, circuit));
        }
    }

    fn note_event(&mut self, node: usize, output: &Output<Bytes>) {
        let words = match output {
            Output::Connected { circuit, incoming, user, node: other, window } => {
                self.circuits[node].push(*circuit);
                let how = if *incoming { "connected by" } else { "connected to" };
                format!("{how} {other} for {user}, window {window}")
            }
            Output::Acknowledged { packets, .. } => format!("{packets} acknowledged"),
            Output::HasRoom { .. } => "has room".into(),
            Output::Choked { choked, .. } => if *choked { "choked" } else { "released" }.into(),
            Output::Disconnected { cause, lost, .. } => format!("disconnected ({cause:?}), {lost} lost"),
            Output::Other { packet } => format!("delivers {}", packet.body.name()),
            Output::Dropped { reason } => format!("drops ({reason:?})"),
            Output::Refused { refusal } => format!("refused: {refusal}"),
            Output::Send { .. } | Output::Broadcast { .. } | Output::Deliver { .. } => unreachable!(),
        };
        self.note(node, &words);
    }

    fn note(&mut self, node: usize, what: &str) {
        self.log.push(format!("{} {what}", call(node)));
    }
}

pub fn neighbour(index: usize) -> Neighbour {
    Neighbour { address: call(index), port: 0 }
}

/// A packet as text: `information 3,0 choke more`.
fn transcript(body: &Body<Bytes>) -> String {
    let flags = |flow: Flow, more| {
        let flags = [(flow.choke, " choke"), (flow.nak, " nak"), (more, " more")];
        flags.iter().filter(|(set, _)| *set).map(|(_, word)| *word).collect::<String>()
    };
    match body {
        Body::Information { tx_sequence, rx_sequence, flow, more, .. } => {
            format!("information {tx_sequence},{rx_sequence}{}", flags(*flow, *more))
        }
        Body::InformationAcknowledge { rx_sequence, flow, .. } => {
            format!("information acknowledge {rx_sequence}{}", flags(*flow, false))
        }
        other => other.name().into(),
    }
}
