//! A wire as signals between nodes: each node's machines hear the others after the propagation between them.
//!
//! Events of one instant: signals end, then MACs are woken, then PLCA, then signals begin. So a frame that comes with the begin of an opportunity
//! is sent in it, and a commit that comes with the end of an opportunity is one of the next.

use sojourn_core::{CopyKey, Machine, Rekey, Streams, Time};
use sojourn_engine::Queue;
use sojourn_protocols::ethernet_bus::mac::{self, Output as MacOutput, Reason};
use sojourn_protocols::ethernet_bus::plca::{Input as PlcaInput, Output as PlcaOutput, Signal};

use super::node::{Heard, Held, Node};
use super::settings::SegmentSettings;
use super::tally::SegmentTally;
use super::{Offered, Passage, SegmentEvent};

/// A wire and its nodes.
#[derive(Clone, Debug)]
pub struct Bus {
    settings: SegmentSettings,
    nodes: Vec<Node>,
    steps: Queue<Step>,
    /// Nodes that transmit; and whether that collision has been counted.
    sending: u32,
    collides: bool,
    pub(super) tally: SegmentTally,
}

/// A step at a node.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The signal of another node changes here: to this one, or to silence.
    Signal { at: u32, from: u32, signal: Option<(Signal, Option<Held>)> },
    /// The node's MAC is due.
    Mac(u32),
    /// Its PLCA is.
    Plca(u32),
}

impl Step {
    fn class(&self) -> u8 {
        match self {
            Step::Signal { signal: None, .. } => 0,
            Step::Mac(_) => 1,
            Step::Plca(_) => 2,
            Step::Signal { .. } => 3,
        }
    }
}

impl Bus {
    pub(super) fn new(settings: &SegmentSettings, streams: &Streams) -> Bus {
        let node = |of: &super::settings::NodeSettings| {
            let random = streams.stream(&format!("segment/{}/{}/backoff", settings.name, of.name));
            Node::new(of, settings.mac, random, Time::ZERO)
        };
        let mut bus = Bus {
            nodes: settings.nodes.iter().map(node).collect(),
            steps: Queue::new(),
            sending: 0,
            collides: false,
            tally: SegmentTally::new(settings),
            settings: settings.clone(),
        };
        let mut events = Vec::new();
        (0..bus.nodes.len() as u32).for_each(|node| bus.settle(Time::ZERO, node, &mut events));
        bus
    }

    pub(super) fn next_time(&self) -> Time {
        self.steps.next_time()
    }

    pub(super) fn advance(&mut self, limit: Time, events: &mut Vec<SegmentEvent>) -> Option<Time> {
        let (now, step) = self.steps.pop_until(limit, Step::class)?;
        let place = match step {
            Step::Signal { at, from, signal } => {
                self.hear(now, at, from, signal, events);
                at
            }
            Step::Mac(at) => {
                let node = &mut self.nodes[at as usize];
                if node.on && node.wakes[0] == now {
                    node.wakes[0] = Time::NEVER;
                    node.mac.wake(now);
                }
                at
            }
            Step::Plca(at) => {
                let node = &mut self.nodes[at as usize];
                if node.on && node.wakes[1] == now {
                    node.wakes[1] = Time::NEVER;
                    node.plca.as_mut().expect("it was due").wake(now);
                }
                at
            }
        };
        self.settle(now, place, events);
        Some(now)
    }

    pub(super) fn offer(&mut self, now: Time, node: u32, offered: Offered, events: &mut Vec<SegmentEvent>) {
        if self.steps.next_time() > now {
            self.steps.advance_to(now);
        }
        self.tally.nodes[node as usize].sends = true;
        let contended = self.others_wait(node);
        let place = &mut self.nodes[node as usize];
        place.held = Some(Held {
            offered,
            taken: now,
            first: now,
            started: now,
            on_wire: now,
            collided: Default::default(),
            attempts: 0,
            contended,
        });
        place.mac.handle(now, mac::Input::Frame(offered.bits));
        if place.mac.defers(now) {
            self.tally.nodes[node as usize].deferrals += 1;
        }
        self.settle(now, node, events);
    }

    fn others_wait(&self, node: u32) -> bool {
        (0..).zip(&self.nodes).any(|(other, place)| other != node && place.held.is_some())
    }

    pub(super) fn power(&mut self, now: Time, node: u32, on: bool, events: &mut Vec<SegmentEvent>) {
        if self.steps.next_time() > now {
            self.steps.advance_to(now);
        }
        let place = &mut self.nodes[node as usize];
        if place.on == on {
            return;
        }
        if on {
            place.begin(now, &self.settings.nodes[node as usize], self.settings.mac);
            place.sense(now);
            events.push(SegmentEvent::Free(node));
        } else {
            place.on = false;
            let on_wire = place.sending.and_then(|(_, frame)| frame).map(|frame| frame.offered.packet);
            // what is on the wire is lost where it was to arrive
            if let Some(held) = place.held.take().filter(|held| Some(held.offered.packet) != on_wire) {
                events.push(SegmentEvent::Lost { node, packet: held.offered.packet });
            }
            self.transmit(now, node, None);
        }
        self.settle(now, node, events);
    }

    /// Does all that a node's machines ask for.
    fn settle(&mut self, now: Time, node: u32, events: &mut Vec<SegmentEvent>) {
        if !self.nodes[node as usize].on {
            return;
        }
        loop {
            let place = &mut self.nodes[node as usize];
            if let Some(output) = place.mac.poll_output() {
                self.of_mac(now, node, output, events);
            } else if let Some(output) = place.plca.as_mut().and_then(Machine::poll_output) {
                self.of_plca(now, node, output);
            } else {
                break;
            }
        }
        let place = &mut self.nodes[node as usize];
        let steps = [Step::Mac(node), Step::Plca(node)];
        for ((wakeup, known), step) in place.wakeups().into_iter().zip(&mut place.wakes).zip(steps) {
            match wakeup.map(|at| at.max(now)) {
                Some(at) if at != *known => {
                    *known = at;
                    self.steps.at(at, step);
                }
                Some(_) => {}
                None => *known = Time::NEVER,
            }
        }
    }

    fn of_mac(&mut self, now: Time, node: u32, output: MacOutput, events: &mut Vec<SegmentEvent>) {
        let place = &mut self.nodes[node as usize];
        match output {
            MacOutput::Start => {
                let held = place.held.as_mut().expect("a MAC starts the frame that it has");
                if held.attempts == 0 {
                    held.first = now;
                }
                (held.started, held.attempts) = (now, held.attempts + 1);
                let bits = held.offered.bits;
                match &mut place.plca {
                    Some(plca) => plca.handle(now, PlcaInput::Start(bits)),
                    None => self.transmit(now, node, Some(Signal::Data)),
                }
            }
            MacOutput::Jam(_) => {
                match &mut place.sending {
                    // the frame on the wire is damaged: jam replaces it
                    Some((Signal::Data, frame)) => {
                        *frame = None;
                        let late = now
                            >= place.held.map_or(now, |held| held.started)
                                + self.settings.time(self.settings.mac.slot_time);
                        self.tally.nodes[node as usize].late += u64::from(late);
                        self.announce(now, node);
                    }
                    _ => self.tally.nodes[node as usize].logical += 1,
                }
            }
            MacOutput::Stop => match &mut place.plca {
                Some(plca) => plca.handle(now, PlcaInput::Jammed),
                None => self.transmit(now, node, None),
            },
            MacOutput::Sent => {
                place.held = None;
                if place.plca.is_none() {
                    self.transmit(now, node, None);
                }
                events.push(SegmentEvent::Free(node));
            }
            MacOutput::BackOff(below) => {
                let slots = place.random.below(below);
                let held = place.held.as_mut().expect("it has collided");
                let ends = now + self.settings.time(self.settings.mac.slot_time).times(slots.into());
                held.collided += ends - held.started;
                place.mac.handle(now, mac::Input::Slots(slots));
            }
            MacOutput::Dropped(reason) => {
                let held = place.held.take().expect("it has collided");
                let tally = &mut self.tally.nodes[node as usize];
                tally.excessive += u64::from(reason == Reason::ExcessiveCollisions);
                self.tally.attempts[(held.attempts as usize).min(super::tally::ATTEMPTS)] += 1;
                events.push(SegmentEvent::Lost { node, packet: held.offered.packet });
                events.push(SegmentEvent::Free(node));
            }
        }
    }

    fn of_plca(&mut self, now: Time, node: u32, output: PlcaOutput) {
        match output {
            PlcaOutput::Transmit(signal) => self.transmit(now, node, Some(signal)),
            PlcaOutput::Silence => self.transmit(now, node, None),
            PlcaOutput::MacCarrier(on) => self.nodes[node as usize].mac.handle(now, mac::Input::Carrier(on)),
            PlcaOutput::MacCollision => self.nodes[node as usize].mac.handle(now, mac::Input::Collision),
            PlcaOutput::Cycle => self.tally.cycle(now),
            PlcaOutput::Opportunity(used) => {
                self.tally.opportunities[0] += u64::from(used);
                self.tally.opportunities[1] += 1;
            }
            PlcaOutput::Status(_) => self.tally.fallbacks += 1,
        }
    }

    /// A node transmits another signal than before.
    fn transmit(&mut self, now: Time, node: u32, signal: Option<Signal>) {
        let contended = self.others_wait(node);
        let place = &mut self.nodes[node as usize];
        let before = place.sending.is_some();
        if signal.is_none() && !before {
            return;
        }
        if signal == Some(Signal::Data)
            && let Some(held) = &mut place.held
        {
            held.on_wire = now;
            held.contended |= contended;
        }
        place.sending = signal.map(|signal| (signal, place.held.filter(|_| signal == Signal::Data)));
        self.sending = self.sending + u32::from(signal.is_some()) - u32::from(before);
        if self.sending == 0 {
            self.collides = false;
        }
        self.announce(now, node);
        self.nodes[node as usize].sense(now);
    }

    /// The others will hear what a node transmits now.
    fn announce(&mut self, now: Time, node: u32) {
        let signal = self.nodes[node as usize].sending;
        for other in (0..self.nodes.len() as u32).filter(|other| *other != node) {
            let signal = signal.map(|(signal, frame)| (signal, frame.filter(|held| held.offered.to == other)));
            self.steps.at(now + self.settings.between(node, other), Step::Signal { at: other, from: node, signal });
        }
    }

    /// The signal of another node changes at a node.
    fn hear(
        &mut self,
        now: Time,
        at: u32,
        from: u32,
        signal: Option<(Signal, Option<Held>)>,
        events: &mut Vec<SegmentEvent>,
    ) {
        let place = &mut self.nodes[at as usize];
        let known = place.heard.iter().position(|heard| heard.from == from);
        match (known, signal) {
            (Some(known), Some((signal, frame))) => {
                let before = place.heard[known];
                let still = before.signal == Signal::Data && signal == Signal::Data;
                let alone = place.heard.len() == 1 && place.sending.is_none();
                place.heard[known] = Heard { from, signal, frame, damaged: before.damaged && still || !alone };
                if !still {
                    self.passed(now, at, before, events);
                }
            }
            (None, Some((signal, frame))) => {
                let overlaps = !place.heard.is_empty() || place.sending.is_some();
                if overlaps {
                    place.heard.iter_mut().for_each(|heard| heard.damaged = true);
                    if !std::mem::replace(&mut self.collides, true) {
                        self.tally.collisions += 1;
                    }
                }
                place.heard.push(Heard { from, signal, frame, damaged: overlaps });
            }
            (Some(known), None) => {
                let before = place.heard.remove(known);
                self.passed(now, at, before, events);
            }
            (None, None) => {}
        }
        if self.nodes[at as usize].on {
            self.nodes[at as usize].sense(now);
        }
    }

    /// A signal has passed the node `at`: if it was a frame for it, that has arrived or is lost.
    fn passed(&mut self, now: Time, at: u32, heard: Heard, events: &mut Vec<SegmentEvent>) {
        let Some(held) = heard.frame else { return };
        let (packet, bits) = (held.offered.packet, held.offered.bits);
        let whole = now >= held.on_wire + self.settings.between(heard.from, at) + self.settings.time(bits);
        if heard.damaged || !whole || !self.nodes[at as usize].on {
            // what the sender's MAC still has it will send again, or give up
            if self.nodes[heard.from as usize].held.is_none_or(|own| own.offered.packet != packet) {
                events.push(SegmentEvent::Lost { node: heard.from, packet });
            }
            return;
        }
        let access = (held.on_wire - held.taken).saturating_sub(held.collided);
        let Held { offered, taken, first, collided, .. } = held;
        let passage = Passage { packet, node: heard.from, queued: offered.queued, taken, first, access, collided };
        self.tally.sent(&passage, bits, self.settings.time(bits), held.attempts, held.contended);
        events.push(SegmentEvent::Arrived(passage));
    }
}

impl Rekey for Bus {
    fn rekey(&mut self, copy: CopyKey) {
        self.nodes.iter_mut().for_each(|node| node.random.rekey(copy));
    }
}
