//! What is asked of a unit again and again.

use sojourn_capture::arrivals::{Reservoir, SendTimes};
use sojourn_core::Time;
use sojourn_protocols::modbus::{Function, Request, rtu};

/// Values kept as a sample of all.
const SAMPLE: usize = 1024;

/// What is asked: functions, counts and addresses that differ are polls of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PollKey {
    pub function: u8,
    pub count: u16,
    pub unit: u8,
    pub address: u16,
}

/// The requests of a poll.
#[derive(Debug)]
pub(super) struct Poll {
    pub times: SendTimes,
    /// From the end of a request to that of its answer, s.
    pub responses: Reservoir,
    /// From the answer before to the end of a request, s.
    pub turnarounds: Reservoir,
    /// From the end of an attempt to that of the next, s.
    pub repeats: Reservoir,
    /// From the end of the last attempt to that of the next request, with its octets: the shortest, s.
    pub given_up: Option<(f64, usize)>,
    pub unanswered: u64,
    /// Most attempts of a request, and of one without an answer.
    pub attempts: u32,
    pub attempts_unanswered: u32,
}

impl Default for Poll {
    fn default() -> Self {
        let [responses, turnarounds, repeats] = std::array::from_fn(|_| Reservoir::new(SAMPLE));
        let (times, given_up) = (SendTimes::default(), None);
        Poll { times, responses, turnarounds, repeats, given_up, unanswered: 0, attempts: 1, attempts_unanswered: 0 }
    }
}

impl Poll {
    /// When it was asked first.
    pub fn first(&self) -> Time {
        self.times.in_order().first().copied().unwrap_or_default()
    }
}

/// The form of requests and answers of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The function, as a scenario names it.
    pub word: &'static str,
    /// Octets on the line.
    pub request: usize,
    pub response: usize,
}

impl PollKey {
    /// What a request asks of a unit.
    pub fn of(unit: u8, request: &Request) -> PollKey {
        let (address, count) = match request {
            Request::Read { address, count, .. } => (*address, *count),
            Request::ReadWrite { read_address, read_count, .. } => (*read_address, *read_count),
            Request::WriteCoils { address, values } => (*address, values.len() as u16),
            Request::WriteRegisters { address, values } => (*address, values.len() as u16),
            Request::WriteCoil { address, .. }
            | Request::WriteRegister { address, .. }
            | Request::MaskWrite { address, .. } => (*address, 1),
        };
        PollKey { function: request.function().code(), count, unit, address }
    }

    /// The form that it has on a line.
    pub fn shape(&self) -> Option<Shape> {
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
        Some(Shape { word, request, response: rtu::length(function.response_length(self.count)) })
    }

    /// Whether a flow of a scenario can have as many registers or bits.
    pub fn is_within_limits(&self) -> bool {
        let most = match Function::of(self.function) {
            Some(Function::ReadWriteMultipleRegisters) => Function::MOST_READ_WRITTEN,
            Some(function) => function.most(),
            None => 0,
        };
        (1..=most).contains(&self.count)
    }
}
