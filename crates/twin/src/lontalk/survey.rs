//! Surveys a LonTalk capture: stations, flows, timers and channels.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::{
    Apdu, ApduKind, Body, Destination, Link, Numbering, Packet, Spdu, SubnetNode, Tpdu,
};

use super::channel::Spacing;
use super::copies::{Copies, Seen};
use sojourn_capture::arrivals::{Polls, Reservoir, SendTimes};

/// The longest transaction timer (ISO/IEC 14908-1, 8): a packet later than that is not a retry.
const LONGEST_TIMER: Duration = Duration::from_millis(3_200);
/// Flows surveyed; messages of further ones are counted.
const FLOW_LIMIT: usize = 20_000;
/// Values kept of each quantity.
const SAMPLE: usize = 512;

/// The service of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Unacknowledged,
    Repeated,
    Acknowledged,
    Request,
}

/// The receiver of messages, in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum To {
    Node(SubnetNode),
    Group(u8),
    Broadcast(u8),
    UniqueId([u8; 6]),
}

/// What identifies a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub from: SubnetNode,
    pub to: To,
    pub kind: Kind,
    pub authenticated: bool,
    pub priority: bool,
    /// Whether messages are network variables, not explicit messages.
    pub variable: bool,
    /// Selector of the network variable, code of the explicit message.
    pub selector: u16,
}

/// What was seen of a flow.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub times: SendTimes,
    /// Data bytes of messages and of responses.
    pub data: Reservoir,
    pub response_data: Reservoir,
    /// Gaps between a try and the next, s.
    pub retry_gaps: Reservoir,
    /// Tries of messages that nothing answered, and messages by whether they were answered.
    pub tries_unanswered: u32,
    pub answered: u64,
    pub unanswered: u64,
    /// Tries in all.
    pub tries: u64,
    /// Members of the group that answered.
    pub members: Vec<SubnetNode>,
}

impl Default for Flow {
    fn default() -> Self {
        let sample = || Reservoir::new(SAMPLE);
        Flow {
            times: SendTimes::default(),
            data: sample(),
            response_data: sample(),
            retry_gaps: sample(),
            tries_unanswered: 0,
            answered: 0,
            unanswered: 0,
            tries: 0,
            members: Vec::new(),
        }
    }
}

/// Channels kept apart; packets of further ones count for the last.
const CHANNEL_LIMIT: usize = 256;
/// Receivers of a supervisor's requests, and members of a group.
const RECEIVER_LIMIT: usize = 1024;

/// What was seen of a channel.
#[derive(Debug, Default)]
pub(super) struct Channel {
    pub spacing: Spacing,
    last: Option<Time>,
}

/// What was seen of a node.
#[derive(Debug)]
pub(super) struct Node {
    /// Packets it sent, by channel; and messages that reached it there.
    sent_on: BTreeMap<usize, u64>,
    reached_on: BTreeMap<usize, u64>,
    /// Messages addressed to it.
    pub received: u64,
    /// From the end of a message to the end of its acknowledgement, and of a request to its response, on its own
    /// channel, s.
    pub acknowledged_after: Reservoir,
    pub responded_after: Reservoir,
}

impl Default for Node {
    fn default() -> Self {
        let sample = || Reservoir::new(SAMPLE);
        Node {
            sent_on: BTreeMap::new(),
            reached_on: BTreeMap::new(),
            received: 0,
            acknowledged_after: sample(),
            responded_after: sample(),
        }
    }
}

impl Node {
    /// The channel it is on: where it sends, or where packets for it end; 0 if nothing shows it.
    pub fn home(&self, channels: usize) -> usize {
        let most = |counts: &BTreeMap<usize, u64>| counts.iter().max_by_key(|&(_, count)| *count).map(|(&on, _)| on);
        most(&self.sent_on).or_else(|| most(&self.reached_on)).filter(|&home| home < channels).unwrap_or(0)
    }

    /// Packets it sent.
    pub fn sent(&self) -> u64 {
        self.sent_on.values().sum()
    }
}

/// A transaction whose answer or next try may come.
#[derive(Debug)]
struct Open {
    flow: FlowKey,
    number: u8,
    last_try: Time,
    /// The last copy of the last try: when it reached the receiver's channel.
    arrived: Time,
    tries: u32,
    answered: bool,
}

/// A sender, a receiver, and whether the session layer numbers the message.
type Conversation = (SubnetNode, To, bool, bool);

/// Everything a LonTalk capture shows.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub packets: u64,
    pub first: Option<Time>,
    pub last: Time,
    pub domains: BTreeMap<usize, u64>,
    pub nodes: BTreeMap<SubnetNode, Node>,
    pub flows: BTreeMap<FlowKey, Flow>,
    pub polls: BTreeMap<SubnetNode, (Polls, Vec<To>)>,
    pub channels: Vec<Channel>,
    /// Times that forwarding took, by the channels before and after.
    pub forwarding: BTreeMap<(usize, usize), Spacing>,
    numbers: BTreeMap<(u32, u32), usize>,
    copies: Copies,
    open: BTreeMap<Conversation, Open>,
}

impl Survey {
    /// Takes a packet of a channel (interface and LON/IP session) with the bytes that it was parsed from.
    pub fn packet(&mut self, packet: &Packet<&[u8]>, bytes: &[u8], channel: (u32, u32), time: Time) {
        let Packet { link, domain, source, destination, body } = *packet;
        self.packets += 1;
        self.first.get_or_insert(time);
        self.last = self.last.max(time);
        let channel = self.channel(channel);
        self.spaced(channel, bytes.len(), time);
        let copy = self.copies.packet(hash(bytes), channel, time);
        if let Destination::Node(node) = destination {
            let reached = &mut self.nodes.entry(node).or_default().reached_on;
            *reached.entry(channel).or_default() += 1;
            if let Seen::Copy { from, .. } = copy
                && let Some(before) = reached.get_mut(&from)
            {
                *before = before.saturating_sub(1);
            }
        }
        if let Seen::Copy { from, after } = copy {
            self.forwarding.entry((from, channel)).or_default().push(bytes.len(), after);
            return self.forwarded(source, &destination, &body, link, time);
        }
        *self.domains.entry(domain.length()).or_default() += 1;
        *self.nodes.entry(source).or_default().sent_on.entry(channel).or_default() += 1;
        let to = To::of(&destination);
        match body {
            Body::Application(apdu) => self.unnumbered(source, to, link, &apdu, time),
            Body::Transport(number, Tpdu::Acknowledgement) => {
                self.answered(source, &destination, false, number.transaction, None, time);
            }
            Body::Session(number, Spdu::Response(apdu)) => {
                self.answered(source, &destination, true, number.transaction, Some(apdu.data.len()), time);
            }
            Body::Transport(number, pdu) => {
                let kind = if matches!(pdu, Tpdu::Repeated(_)) { Kind::Repeated } else { Kind::Acknowledged };
                self.message((source, to, kind), number, link, pdu.apdu(), time);
            }
            Body::Session(number, pdu) => {
                self.message((source, to, Kind::Request), number, link, pdu.apdu(), time);
            }
            Body::Authentication(_) => {}
        }
    }

    /// Ends the capture.
    pub fn finish(&mut self) {
        let open: Vec<Conversation> = self.open.keys().copied().collect();
        for conversation in open {
            self.close(conversation);
        }
    }

    fn channel(&mut self, channel: (u32, u32)) -> usize {
        if let Some(&number) = self.numbers.get(&channel) {
            return number;
        }
        if self.channels.len() >= CHANNEL_LIMIT {
            return CHANNEL_LIMIT - 1;
        }
        let number = self.channels.len();
        self.channels.push(Channel::default());
        self.numbers.insert(channel, number);
        number
    }

    /// Packets of one channel cannot end closer than the interval before a slot and the length of the later one.
    fn spaced(&mut self, channel: usize, length: usize, time: Time) {
        let channel = &mut self.channels[channel];
        if let Some(last) = channel.last.replace(time) {
            channel.spacing.push(length, time.since(last));
        }
    }

    fn unnumbered(&mut self, from: SubnetNode, to: To, link: Link, apdu: &Apdu<&[u8]>, time: Time) {
        let key = key(from, to, Kind::Unacknowledged, false, link, apdu);
        self.new_message(key, apdu.data.len(), time);
    }

    /// A message with a transaction number: new, or tried again.
    fn message(
        &mut self,
        (from, to, kind): (SubnetNode, To, Kind),
        number: Numbering,
        link: Link,
        apdu: Option<&Apdu<&[u8]>>,
        time: Time,
    ) {
        let conversation = (from, to, kind == Kind::Request, link.priority);
        if let Some(open) = self.open.get_mut(&conversation)
            && open.number == number.transaction
            && time.since(open.last_try) < LONGEST_TIMER
        {
            let gap = time.since(open.last_try).seconds();
            (open.last_try, open.arrived) = (time, time);
            open.tries += 1;
            if let Some(flow) = self.flows.get_mut(&open.flow) {
                flow.retry_gaps.push(gap);
                flow.tries += 1;
            }
            return;
        }
        self.close(conversation);
        // a reminder whose message was not captured begins nothing
        let Some(apdu) = apdu else { return };
        let flow = key(from, to, kind, number.authenticated, link, apdu);
        if !self.new_message(flow, apdu.data.len(), time) {
            return;
        }
        if kind == Kind::Request {
            let (polls, receivers) = self.polls.entry(from).or_default();
            let known = receivers.iter().position(|known| *known == to);
            if let Some(number) = known.or((receivers.len() < RECEIVER_LIMIT).then_some(receivers.len())) {
                if number == receivers.len() {
                    receivers.push(to);
                }
                polls.sent(number as u32, time);
            }
        }
        let open = Open { flow, number: number.transaction, last_try: time, arrived: time, tries: 1, answered: false };
        self.open.insert(conversation, open);
    }

    /// Counts a message of a flow; `false` beyond the limit of flows.
    fn new_message(&mut self, key: FlowKey, bytes: usize, time: Time) -> bool {
        if self.flows.len() >= FLOW_LIMIT && !self.flows.contains_key(&key) {
            return false;
        }
        let flow = self.flows.entry(key).or_default();
        flow.times.sent(time);
        flow.tries += 1;
        flow.data.push(bytes as f64);
        if let To::Node(node) = key.to {
            self.nodes.entry(node).or_default().received += 1;
        }
        true
    }

    /// An acknowledgement or response.
    fn answered(
        &mut self,
        source: SubnetNode,
        destination: &Destination,
        session: bool,
        number: u8,
        response: Option<usize>,
        time: Time,
    ) {
        let (sender, to) = match *destination {
            Destination::Node(node) => (node, To::Node(source)),
            Destination::GroupAcknowledgement { node, group, .. } => (node, To::Group(group)),
            _ => return,
        };
        for priority in [false, true] {
            let Some(open) = self.open.get_mut(&(sender, to, session, priority)).filter(|open| open.number == number)
            else {
                continue;
            };
            let first = !open.answered;
            open.answered = true;
            let after = time.since(open.arrived).seconds();
            let once = open.tries == 1;
            let Some(flow) = self.flows.get_mut(&open.flow) else { continue };
            if first {
                flow.answered += 1;
            }
            flow.times.completed(time);
            if let Some(bytes) = response {
                flow.response_data.push(bytes as f64);
            }
            if matches!(to, To::Group(_)) && !flow.members.contains(&source) && flow.members.len() < RECEIVER_LIMIT {
                flow.members.push(source);
            }
            let node = self.nodes.entry(source).or_default();
            // an answer after a retry may be that to the first try
            if once && first {
                let times = if session { &mut node.responded_after } else { &mut node.acknowledged_after };
                times.push(after);
            }
        }
    }

    /// A router forwarded a packet: a message arrives with its last copy, an answer completes its message then.
    fn forwarded(&mut self, source: SubnetNode, destination: &Destination, body: &Body<&[u8]>, link: Link, time: Time) {
        let (session, number) = match body {
            Body::Transport(number, Tpdu::Acknowledgement) | Body::Session(number, Spdu::Response(_)) => {
                let session = matches!(body, Body::Session(..));
                if let Destination::Node(sender) = *destination {
                    let conversation = (sender, To::Node(source), session, link.priority);
                    let open = self.open.get(&conversation).filter(|open| open.number == number.transaction);
                    if let Some(flow) = open.and_then(|open| self.flows.get_mut(&open.flow)) {
                        flow.times.completed(time);
                    }
                }
                return;
            }
            Body::Transport(number, _) => (false, number.transaction),
            Body::Session(number, _) => (true, number.transaction),
            Body::Authentication(_) | Body::Application(_) => return,
        };
        let conversation = (source, To::of(destination), session, link.priority);
        if let Some(open) = self.open.get_mut(&conversation).filter(|open| open.number == number) {
            open.arrived = time;
        }
    }

    fn close(&mut self, conversation: Conversation) {
        let Some(open) = self.open.remove(&conversation) else { return };
        if open.answered || matches!(open.flow.kind, Kind::Repeated) {
            return;
        }
        if let Some(flow) = self.flows.get_mut(&open.flow) {
            flow.unanswered += 1;
            flow.tries_unanswered = flow.tries_unanswered.max(open.tries);
        }
    }
}

impl To {
    fn of(destination: &Destination) -> To {
        match *destination {
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => To::Node(node),
            Destination::Group { group } => To::Group(group),
            Destination::Broadcast { subnet } => To::Broadcast(subnet),
            Destination::UniqueId { id, .. } => To::UniqueId(id),
        }
    }
}

fn key(from: SubnetNode, to: To, kind: Kind, authenticated: bool, link: Link, apdu: &Apdu<&[u8]>) -> FlowKey {
    let (variable, selector) = match apdu.kind {
        ApduKind::NetworkVariable { selector, .. } => (true, selector),
        ApduKind::Application(code) | ApduKind::Foreign(code) => (false, u16::from(code)),
        ApduKind::Diagnostic(code) => (false, u16::from(code.code())),
        ApduKind::Management(code) => (false, u16::from(code.code())),
    };
    FlowKey { from, to, kind, authenticated, priority: link.priority, variable, selector }
}

/// FNV-1a over the bytes.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
