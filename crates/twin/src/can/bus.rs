//! What a capture shows of a bus: its messages, its requests, and the gaps between its frames.

use std::collections::BTreeMap;

use sojourn_capture::can::{Can, RECORD, Recorded, read};
use sojourn_capture::{Address, Event, FlowId, FlowKey, Outcome, Packet, Service, Sink, Tracker, Transaction};
use sojourn_core::Time;
use sojourn_protocols::can::frame::{Id, Length};
use sojourn_protocols::can::log::Logged;

use super::bit_rate::Gaps;
use super::exchange::{Asked, pair};
use super::seen::{Contents, Seen, bounds, shape};
use super::transport::Transports;

/// Identifiers, and pairs of client and server, that are kept apart; further ones are left out.
const IDENTIFIERS: usize = 2048;
const PAIRS: usize = 1024;
/// Frames that are kept of each identifier, and of all.
const FRAMES: usize = 65_536;
const ALL_FRAMES: usize = 1 << 20;
/// Identifiers of requests for service data objects (CiA 301), to which the node is added.
const CLIENTS: u16 = 0x600;

/// The frames of an identifier that nothing answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    pub frames: Vec<Seen>,
    pub count: u64,
    /// Fewest and most bytes, and their sum.
    pub octets: [u16; 2],
    pub sum: u64,
    pub contents: Contents,
    /// Of CAN FD, whether the bit rate switches.
    pub brs: Option<bool>,
}

impl Messages {
    /// Whether all frames are kept.
    pub fn is_whole(&self) -> bool {
        self.frames.len() as u64 == self.count
    }
}

/// A bus.
#[derive(Debug)]
pub(super) struct Bus {
    tracker: Can,
    sink: Sink,
    pub messages: BTreeMap<Id, Messages>,
    pub asked: BTreeMap<FlowKey, Asked>,
    pub transports: Transports,
    pub gaps: Gaps,
    pub frames: u64,
    /// Bits of all frames.
    pub bits: u64,
    /// The longest frame.
    pub longest: Length,
    /// Messages of the driver that report an error on the bus, and a controller that is bus off.
    pub errors: u64,
    pub bus_offs: u64,
    /// Frames that no flow stands for.
    pub left_out: u64,
    kept: usize,
    last: Option<(Time, Length)>,
}

impl Default for Bus {
    fn default() -> Self {
        Bus {
            tracker: Can::default(),
            sink: Sink::with_log(),
            messages: BTreeMap::new(),
            asked: BTreeMap::new(),
            transports: Transports::default(),
            gaps: Gaps::default(),
            frames: 0,
            bits: 0,
            longest: Length::default(),
            errors: 0,
            bus_offs: 0,
            left_out: 0,
            kept: 0,
            last: None,
        }
    }
}

impl Bus {
    /// Takes a packet; whether it is a frame.
    pub fn packet(&mut self, packet: &Packet<'_>) -> bool {
        let mut record = [0; RECORD];
        let frame = match read(packet, &mut record) {
            Ok(Recorded::Frame(frame)) => frame,
            Ok(Recorded::Error(_)) => {
                self.tracker.packet(packet, &mut self.sink);
                self.errors_reported();
                return false;
            }
            Err(_) => return false,
        };
        let seen = self.seen(packet.time, &frame);
        let in_packets = self.transports.frame(frame.id, shape(&frame.content).0, seen);
        self.sink.take(packet.number, packet.time);
        self.tracker.packet(packet, &mut self.sink);
        self.follow(&frame, seen, in_packets);
        true
    }

    fn seen(&mut self, end: Time, frame: &Logged<&[u8]>) -> Seen {
        let length = Length::exact(frame.id, frame.content);
        let last = self.last.replace((end, length));
        let gap = last.map_or(f64::INFINITY, |(last, _)| end.since(last).seconds());
        let before = last.map_or(length, |(_, before)| before);
        self.gaps.add(frame.id.is_extended(), bounds(frame.id, &frame.content), length, gap);
        self.frames += 1;
        self.bits += u64::from(length.bits());
        if length.bits() > self.longest.bits() {
            self.longest = length;
        }
        Seen { end, gap, length, before, octets: shape(&frame.content).0.len() as u16 }
    }

    /// What the tracker of requests says of a frame.
    fn follow(&mut self, frame: &Logged<&[u8]>, seen: Seen, in_packets: bool) {
        let mut is_message = false;
        let events: Vec<Event> = self.sink.drain_log().collect();
        for event in events {
            match event {
                Event::Transaction(found) => is_message |= self.transaction(&found, seen.end),
                Event::Complete(flow, time, _) => {
                    if let Some(asked) = self.pair(flow).and_then(|key| self.asked.get_mut(&key)) {
                        asked.completed(time);
                    }
                }
                Event::Sent(sent) => match self.pair(sent.flow) {
                    Some(FlowKey { service: Service::Can, .. }) => is_message = true,
                    Some(key) if !is_message && !sent.repeated => self.exchanged(key, sent.forward, frame, seen),
                    _ => {}
                },
                _ => {}
            }
        }
        if is_message && !in_packets {
            self.message(frame, seen);
        }
    }

    fn pair(&self, flow: FlowId) -> Option<FlowKey> {
        self.sink.flows().key(flow).map(pair)
    }

    /// A request has ended; whether it is a message that wants no answer, and the frame that is being taken.
    fn transaction(&mut self, found: &Transaction, now: Time) -> bool {
        let Some(key) = self.pair(found.flow).filter(|key| key.service != Service::Can) else { return false };
        if found.outcome == Outcome::Sent {
            return found.begin == now;
        }
        if let Some(asked) = self.asked.get_mut(&key) {
            asked.ended(found.begin, found.outcome);
        }
        false
    }

    /// A frame of a request or of its answer.
    fn exchanged(&mut self, key: FlowKey, forward: bool, frame: &Logged<&[u8]>, seen: Seen) {
        if let (Service::Sdo, Address::Node(node), false) = (key.service, key.to, self.asked.contains_key(&key)) {
            self.was_request(key, node);
        }
        if self.asked.len() >= PAIRS && !self.asked.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        match forward {
            true => {
                let asked = self.asked.entry(key).or_insert_with(|| Asked::new(frame.id));
                asked.asks(frame, key.service, seen);
            }
            false => {
                if let Some(asked) = self.asked.get_mut(&key) {
                    asked.answers(frame, key.service, seen);
                }
            }
        }
    }

    /// What looked like a message was the first request for a service data object.
    fn was_request(&mut self, key: FlowKey, node: u8) {
        let id = Id::Base(CLIENTS + u16::from(node));
        let Some(messages) = self.messages.get_mut(&id).filter(|messages| messages.is_whole()) else { return };
        let Some(request) = messages.frames.pop() else { return };
        messages.count -= 1;
        if messages.count == 0 {
            self.messages.remove(&id);
        }
        self.asked.entry(key).or_insert_with(|| Asked::begun(id, request));
    }

    /// A frame that nothing answers.
    fn message(&mut self, frame: &Logged<&[u8]>, seen: Seen) {
        if self.messages.len() >= IDENTIFIERS && !self.messages.contains_key(&frame.id) {
            self.left_out += 1;
            return;
        }
        let (data, brs) = shape(&frame.content);
        let messages = self.messages.entry(frame.id).or_default();
        let octets = data.len() as u16;
        messages.octets = match messages.count {
            0 => [octets; 2],
            _ => [messages.octets[0].min(octets), messages.octets[1].max(octets)],
        };
        messages.count += 1;
        messages.sum += u64::from(octets);
        messages.brs = brs;
        messages.contents.add(seen.length, data);
        if messages.frames.len() < FRAMES && self.kept < ALL_FRAMES {
            self.kept += 1;
            messages.frames.push(seen);
        }
    }

    /// The capture ends: requests that are open have no answer.
    pub fn finish(&mut self, end: Time) {
        self.tracker.finish(end, &mut self.sink);
        let events: Vec<Event> = self.sink.drain_log().collect();
        for event in events {
            if let Event::Transaction(found) = event {
                self.transaction(&found, end);
            }
        }
    }

    /// What messages of the driver report.
    fn errors_reported(&mut self) {
        let counts: Vec<(&str, u64)> = self
            .sink
            .drain_log()
            .filter_map(|event| match event {
                Event::Count(_, metric, more) => Some((metric, more)),
                _ => None,
            })
            .collect();
        for (metric, more) in counts {
            match metric {
                "error_frames" => self.errors += more,
                "bus_offs" => self.bus_offs += more,
                _ => {}
            }
        }
    }

    /// Whether all identifiers have 29 bits, as those of J1939.
    pub fn is_extended(&self) -> bool {
        let of_messages = self.messages.keys().all(|id| id.is_extended());
        of_messages && self.asked.values().all(|asked| asked.id.is_extended())
    }

    /// Whether objects of CANopen were asked for.
    pub fn is_canopen(&self) -> bool {
        self.asked.keys().any(|key| key.service == Service::Sdo)
    }
}
