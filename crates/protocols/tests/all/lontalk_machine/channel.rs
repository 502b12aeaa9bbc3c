use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::lontalk::machine::*;
use sojourn_protocols::lontalk::timer::{ReceiveTimer, TransactionTimer};
use sojourn_protocols::lontalk::wire::{Apdu, Body, Packet, SubnetNode};

pub type Bytes = Vec<u8>;

/// Transmission time of every packet.
pub const FLIGHT: Duration = Duration::from_millis(1);

/// Nodes 1, 2, 3 ... of subnet 1, called A, B, C ..., on one channel.
pub struct Channel {
    pub now: Time,
    pub nodes: Vec<Node<Bytes>>,
    /// Packets sent and events, as "A message" or "B delivers".
    pub log: Vec<String>,
    /// Every packet sent, lost ones too, with its time and sender.
    pub sent: Vec<(Time, usize, Packet<Bytes>)>,
    /// The packets to lose, by their index in `sent`.
    pub lose: Vec<usize>,
    /// The index in `sent` of a packet to delay, and the delay.
    pub delay: Option<(usize, Duration)>,
    /// Nodes whose application has no buffer free.
    pub without_buffer: Vec<usize>,
    /// Whether applications respond to requests at once.
    pub responds: bool,
    /// Requests delivered so far, for responses by the test.
    pub requests: Vec<(usize, RequestHandle)>,
    /// Whether the end of a packet is reported to its sender.
    pub reports: bool,
    air: BTreeMap<(Time, usize), usize>,
    challenges: u8,
}

/// Settings for tests: a key, few receive records.
pub fn settings() -> Settings {
    Settings { key: [1, 2, 3, 4, 5, 6], ..Settings::default() }
}

/// Node `index` with these settings, member `index` of group 7.
pub fn configuration(index: usize, settings: &Arc<Settings>) -> NodeConfiguration {
    NodeConfiguration {
        unique_id: [9, 9, 9, 9, 9, index as u8],
        groups: [Membership {
            group: 7,
            member: index as u8,
            receive_timer: ReceiveTimer::from_duration(Duration::from_millis(512)).unwrap(),
        }]
        .into(),
        ..NodeConfiguration::new(SubnetNode::new(1, index as u8 + 1), Arc::clone(settings))
    }
}

impl Channel {
    /// `count` nodes with the same settings.
    pub fn of(count: usize) -> Self {
        Channel::with(count, settings())
    }

    pub fn with(count: usize, settings: Settings) -> Self {
        let settings = Arc::new(settings);
        Channel::of_nodes((0..count).map(|index| configuration(index, &settings)))
    }

    pub fn of_nodes(configurations: impl Iterator<Item = NodeConfiguration>) -> Self {
        Channel {
            now: Time::ZERO,
            nodes: configurations.map(Node::new).collect(),
            log: Vec::new(),
            sent: Vec::new(),
            lose: Vec::new(),
            delay: None,
            without_buffer: Vec::new(),
            responds: true,
            requests: Vec::new(),
            reports: true,
            air: BTreeMap::new(),
            challenges: 0,
        }
    }

    /// Node A sends a message, and time advances until no event is left.
    pub fn run(&mut self, message: Message<Bytes>) -> &[String] {
        self.send(0, message);
        self.settle();
        &self.log
    }

    pub fn send(&mut self, node: usize, message: Message<Bytes>) {
        self.give(node, Input::Send { reference: 1, message });
    }

    pub fn give(&mut self, node: usize, input: Input<Bytes>) {
        self.nodes[node].handle(self.now, input);
        self.drain(node);
    }

    /// Advances time from event to event until none is left.
    pub fn settle(&mut self) {
        while self.step(Time::NEVER) {}
    }

    /// Advances time to `end`.
    pub fn settle_until(&mut self, end: Time) {
        while self.step(end) {}
        self.now = end;
    }

    fn step(&mut self, end: Time) -> bool {
        let arrival = self.air.first_key_value().map(|((at, _), _)| *at);
        let wakeup = self.nodes.iter().filter_map(Node::next_wakeup).min();
        match (arrival, wakeup) {
            (Some(at), other) if at <= end && other.is_none_or(|wakeup| at <= wakeup) => self.arrive(at),
            (_, Some(at)) if at <= end => {
                self.now = at;
                for node in 0..self.nodes.len() {
                    self.nodes[node].wake(at);
                    self.drain(node);
                }
            }
            _ => return false,
        }
        true
    }

    fn arrive(&mut self, at: Time) {
        self.now = at;
        let Some((_, place)) = self.air.pop_first() else { return };
        let (_, from, packet) = self.sent[place].clone();
        for node in (0..self.nodes.len()).filter(|node| *node != from) {
            self.challenges = self.challenges.wrapping_add(1);
            self.give(
                node,
                Input::Receive {
                    packet: packet.clone(),
                    application_buffer: !self.without_buffer.contains(&node),
                    challenge: [self.challenges; 8],
                },
            );
        }
    }

    fn drain(&mut self, node: usize) {
        while let Some(output) = self.nodes[node].poll_output() {
            match output {
                Output::Transmit { ticket, packet, purpose, .. } => self.transmit(node, ticket, packet, purpose),
                Output::Withdraw { .. } => self.note(node, "withdraws"),
                Output::Deliver(delivery) => self.deliver(node, delivery),
                Output::Response { source, .. } => self.note(node, &format!("response from {}", name_of(source))),
                Output::Finished { outcome: Outcome::Success, .. } => self.note(node, "success"),
                Output::Finished { outcome: Outcome::Failure, .. } => self.note(node, "failure"),
                Output::Finished { outcome: Outcome::Refused(refusal), .. } => {
                    self.note(node, &format!("refused: {refusal}"));
                }
            }
        }
    }

    fn transmit(&mut self, node: usize, ticket: Ticket, packet: Packet<Bytes>, purpose: Purpose) {
        let index = self.sent.len();
        let bytes = packet.to_bytes().expect("every packet sent can be encoded");
        assert_eq!(Packet::parse(&bytes).map(|read| read.map(<[u8]>::to_vec)), Ok(packet.clone()));
        self.sent.push((self.now, node, packet));
        let lost = self.lose.contains(&index);
        self.note(node, &format!("{}{}", transcript(purpose), if lost { ", lost" } else { "" }));
        if !lost {
            let late = self.delay.filter(|(which, _)| *which == index).map_or(Duration::ZERO, |(_, by)| by);
            self.air.insert((self.now + FLIGHT + late, index), index);
        }
        if self.reports {
            self.nodes[node].handle(self.now, Input::Transmitted { ticket });
        }
    }

    fn deliver(&mut self, node: usize, delivery: Delivery<Bytes>) {
        let authenticated = if delivery.authenticated { " authenticated" } else { "" };
        self.note(node, &format!("delivers{authenticated}"));
        let Some(request) = delivery.request else { return };
        self.requests.push((node, request));
        if self.responds {
            self.give(node, Input::Respond { request, apdu: Apdu::explicit(0, vec![node as u8]) });
        }
    }

    fn note(&mut self, node: usize, what: &str) {
        self.log.push(format!("{} {what}", name(node)));
    }

    /// How often node `node` delivered a message.
    pub fn deliveries(&self, node: usize) -> usize {
        let line = format!("{} delivers", name(node));
        self.log.iter().filter(|entry| entry.starts_with(&line)).count()
    }

    /// How often the log contains this line.
    pub fn count(&self, line: &str) -> usize {
        self.log.iter().filter(|entry| *entry == line).count()
    }

    pub fn counted(&self, node: usize, counter: Counter) -> u32 {
        self.nodes[node].counters().get(counter)
    }

    /// The bodies of the packets that node `node` sent.
    pub fn bodies(&self, node: usize) -> Vec<&Body<Bytes>> {
        self.sent.iter().filter(|(_, from, _)| *from == node).map(|(.., packet)| &packet.body).collect()
    }
}

fn name(node: usize) -> char {
    char::from(b'A' + node as u8)
}

fn name_of(address: SubnetNode) -> char {
    name(usize::from(address.node) - 1)
}

fn transcript(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Message => "message",
        Purpose::Retry => "retry",
        Purpose::Repetition => "repetition",
        Purpose::Reminder => "reminder",
        Purpose::Acknowledgement => "acknowledgement",
        Purpose::Response => "response",
        Purpose::Challenge => "challenge",
        Purpose::Reply => "reply",
    }
}

/// A message from A with this service and recipient, two retries and a timer of 128 ms.
pub fn message(service: Service, recipient: Recipient) -> Message<Bytes> {
    Message {
        service,
        recipient,
        priority: false,
        authenticated: false,
        retries: 2,
        timer: TransactionTimer::from_duration(Duration::from_millis(128)).unwrap(),
        apdu: Apdu::update(1, vec![0x55]),
    }
}

/// Node B.
pub fn to_b() -> Recipient {
    Recipient::Node(SubnetNode::new(1, 2))
}

/// Group 7 of `size` nodes.
pub fn to_group(size: u16) -> Recipient {
    Recipient::Group { group: 7, size }
}

/// Milliseconds from the start.
pub fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}
