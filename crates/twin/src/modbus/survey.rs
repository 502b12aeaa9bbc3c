//! What a capture shows of a line: polls by unit, function and count, with their response times.

use std::collections::{BTreeMap, VecDeque};

use sojourn_capture::arrivals::{Reservoir, SendTimes};
use sojourn_capture::modbus_rtu::ModbusRtu;
use sojourn_capture::{Event, LinkType, Outcome, Packet, Sink, Tracker, Transaction};
use sojourn_core::Time;
use sojourn_protocols::modbus::{BROADCAST, Function, Request, rtu};

use super::write;
use crate::scenario::{Options, Twin};

/// Requests remembered until their transactions end.
const RECENT: usize = 64;
/// Polls that are kept apart; further ones are left out.
const POLL_LIMIT: usize = 4096;
/// Response times kept as a sample of all.
const SAMPLE: usize = 1024;

/// A line.
#[derive(Debug)]
pub struct Modbus {
    tracker: ModbusRtu,
    out: Sink,
    /// Frames by number: unit, and the request if it can be one.
    recent: VecDeque<(u64, u8, Request)>,
    packets: u64,
    /// Requests that no poll of a scenario stands for.
    pub(super) left_out: u64,
    pub(super) polls: BTreeMap<PollKey, Poll>,
    pub(super) begin: Time,
    pub(super) end: Time,
}

/// What is asked of whom: functions and counts that differ are polls of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PollKey {
    pub function: u8,
    pub count: u16,
    pub unit: u8,
}

/// The requests of a poll.
#[derive(Debug)]
pub(super) struct Poll {
    pub times: SendTimes,
    /// Response times in seconds, from the end of a request to that of its answer.
    pub responses: Reservoir,
    /// From one attempt to the next, in seconds.
    pub repeats: Reservoir,
    pub unanswered: u64,
    /// Most attempts of a request.
    pub attempts: u32,
}

impl Default for Poll {
    fn default() -> Self {
        let sample = || Reservoir::new(SAMPLE);
        Poll { times: SendTimes::default(), responses: sample(), repeats: sample(), unanswered: 0, attempts: 1 }
    }
}

impl Default for Modbus {
    fn default() -> Self {
        Modbus {
            tracker: ModbusRtu::default(),
            out: Sink::with_log(),
            recent: VecDeque::new(),
            packets: 0,
            left_out: 0,
            polls: BTreeMap::new(),
            begin: Time::ZERO,
            end: Time::ZERO,
        }
    }
}

impl Modbus {
    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        if packet.link_type != LinkType::USER0 {
            return;
        }
        let Ok(frame) = rtu::parse(packet.data) else { return };
        if self.packets == 0 {
            self.begin = packet.time;
        }
        self.packets += 1;
        self.end = packet.time;
        if let Ok(request) = Request::parse(frame.pdu) {
            if self.recent.len() == RECENT {
                self.recent.pop_front();
            }
            self.recent.push_back((packet.number, frame.unit, request));
        }
        self.out.take(packet.number, packet.time);
        self.tracker.packet(packet, &mut self.out);
        self.take_log();
    }

    /// Number of frames.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// The scenario.
    pub fn twin(&mut self, options: &Options) -> Twin {
        self.tracker.finish(self.end, &mut self.out);
        self.take_log();
        write::twin(self, options)
    }

    fn take_log(&mut self) {
        let events: Vec<Event> = self.out.drain_log().collect();
        for event in events {
            if let Event::Transaction(transaction) = event {
                self.transaction(&transaction);
            }
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        let Transaction { begin, end, outcome, attempts, .. } = *transaction;
        let asked = self.recent.iter().find(|(number, ..)| Some(*number) == transaction.frames[0]);
        let Some((_, unit, request)) = asked.filter(|(_, unit, _)| *unit != BROADCAST) else {
            self.left_out += 1;
            return;
        };
        let key = PollKey { function: request.function().code(), count: counted(request), unit: *unit };
        if self.polls.len() >= POLL_LIMIT && !self.polls.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let poll = self.polls.entry(key).or_default();
        poll.times.sent(begin);
        poll.attempts = poll.attempts.max(attempts);
        match (outcome, end) {
            (Outcome::Answered, Some(end)) if attempts == 1 => poll.responses.push(end.since(begin).seconds()),
            (Outcome::Unanswered, _) => poll.unanswered += 1,
            _ => {}
        }
        if let (Outcome::Answered, Some(end)) = (outcome, end)
            && attempts > 1
        {
            poll.repeats.push(end.since(begin).seconds() / f64::from(attempts - 1));
        }
    }
}

/// Registers or bits that a request is for.
fn counted(request: &Request) -> u16 {
    match request {
        Request::Read { count, .. } => *count,
        Request::ReadWrite { read_count, .. } => *read_count,
        Request::WriteCoils { values, .. } => values.len() as u16,
        Request::WriteRegisters { values, .. } => values.len() as u16,
        Request::WriteCoil { .. } | Request::WriteRegister { .. } | Request::MaskWrite { .. } => 1,
    }
}

impl PollKey {
    /// The word of its function in a scenario, and octets of its request and of its response on the line.
    pub fn shape(&self) -> Option<(&'static str, usize, usize)> {
        let function = Function::of(self.function)?;
        let word = match function {
            Function::ReadCoils => "read-coils",
            Function::ReadDiscreteInputs => "read-discrete-inputs",
            Function::ReadHoldingRegisters => "read-holding-registers",
            Function::ReadInputRegisters => "read-input-registers",
            Function::WriteSingleCoil => "write-coil",
            Function::WriteSingleRegister => "write-register",
            Function::WriteMultipleCoils => "write-coils",
            Function::WriteMultipleRegisters => "write-registers",
            Function::MaskWriteRegister => "mask-write",
            Function::ReadWriteMultipleRegisters => "read-write",
        };
        let written = self.count.min(Function::MOST_READ_WRITTEN);
        let request = rtu::length(function.request_length(self.count, written));
        Some((word, request, rtu::length(function.response_length(self.count))))
    }
}
