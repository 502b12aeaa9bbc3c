//! A serial line and its open request.

use sojourn_core::Time;
use sojourn_protocols::modbus::{BROADCAST, Function, Request, Response};

use crate::ip::requests::RESPONSE_TIMEOUT;
use crate::{Address, FlowId, FlowKey, Moment, Outcome, Sent, Service, Sink, Transaction};

/// Set in the function of an exception.
const EXCEPTION: u8 = 0x80;

/// A line with one client.
#[derive(Debug, Default)]
pub(super) struct Line {
    open: Option<Open>,
    /// Whether a frame was taken.
    has_begun: bool,
}

/// A frame on the line.
pub(super) struct OnLine<'a> {
    pub time: Time,
    /// Octets of the frame.
    pub length: u32,
    pub unit: u8,
    pub pdu: &'a [u8],
}

/// The request that waits for its answer.
#[derive(Debug)]
struct Open {
    flow: FlowId,
    begin: Moment,
    last: Time,
    attempts: u32,
    unit: u8,
    pdu: Vec<u8>,
    /// What it asks for; `None` of a function that is not known.
    request: Option<Request>,
}

impl Open {
    fn transaction(&self, end: Option<Moment>, outcome: Outcome, answer_bytes: u32) -> Transaction {
        Transaction {
            attempts: self.attempts,
            request_bytes: self.pdu.len() as u32,
            answer_bytes,
            ..Transaction::of(self.flow, self.begin, end, outcome)
        }
    }

    fn function(&self) -> u8 {
        self.pdu.first().copied().unwrap_or_default()
    }

    /// Whether a frame repeats the request. A function that writes one value is answered by its echo.
    fn is_repeated_by(&self, frame: &OnLine<'_>) -> bool {
        let is_echoed = matches!(
            self.request,
            Some(Request::WriteCoil { .. } | Request::WriteRegister { .. } | Request::MaskWrite { .. })
        );
        !is_echoed && self.unit == frame.unit && self.pdu == frame.pdu
    }

    /// How a frame answers the request, if it does.
    fn answered_by(&self, frame: &OnLine<'_>) -> Option<Outcome> {
        let code = *frame.pdu.first().filter(|code| **code & !EXCEPTION == self.function() & !EXCEPTION)?;
        if self.unit != frame.unit {
            return None;
        }
        let is_exception = code & EXCEPTION != 0;
        let is_answer = match (Response::parse(frame.pdu), &self.request) {
            (Ok(Response::Exception { .. }), _) => true,
            (Ok(response), Some(request)) => request.accepts(&response) && !is_echo_of_another(request, &response),
            // a function that is not known has any answer
            (_, None) => !is_exception || frame.pdu.len() == 2,
            (Err(_), Some(_)) => false,
        };
        is_answer.then_some(if is_exception { Outcome::Refused } else { Outcome::Answered })
    }
}

/// Whether a response that repeats fields of its request repeats those of another one.
fn is_echo_of_another(request: &Request, response: &Response) -> bool {
    match (request, response) {
        (Request::WriteCoil { address, on }, Response::WroteCoil { address: of, on: is }) => (address, on) != (of, is),
        (Request::WriteRegister { address, value }, Response::WroteRegister { address: of, value: is }) => {
            (address, value) != (of, is)
        }
        (Request::WriteCoils { address, .. }, Response::WroteCoils { address: of, .. })
        | (Request::WriteRegisters { address, .. }, Response::WroteRegisters { address: of, .. })
        | (Request::MaskWrite { address, .. }, Response::MaskWrote { address: of, .. }) => address != of,
        _ => false,
    }
}

impl Line {
    /// Takes the next frame.
    pub fn frame(&mut self, frame: &OnLine<'_>, out: &mut Sink) {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if let Some(open) = self.open.take_if(|open| frame.time.since(open.last) >= RESPONSE_TIMEOUT) {
            out.transaction(open.transaction(None, Outcome::Unanswered, 0));
        }
        if let Some(open) = self.open.as_mut().filter(|open| open.is_repeated_by(frame)) {
            open.attempts = open.attempts.saturating_add(1);
            open.last = frame.time;
            let flow = open.flow;
            return sent(flow, frame, true, true, out);
        }
        let outcome = self.open.as_ref().and_then(|open| open.answered_by(frame));
        if let (Some(outcome), Some(open)) = (outcome, self.open.take_if(|_| outcome.is_some())) {
            sent(open.flow, frame, false, false, out);
            let answer = out.moment(frame.time);
            out.transaction(open.transaction(Some(answer), outcome, frame.pdu.len() as u32));
            if outcome == Outcome::Answered {
                out.complete(open.flow, open.begin.time, frame.time);
            }
            return;
        }
        self.request(frame, is_first, out);
    }

    /// A frame that answers nothing is a request, if it can be one.
    fn request(&mut self, frame: &OnLine<'_>, is_first: bool, out: &mut Sink) {
        if let Some(open) = self.open.take() {
            out.transaction(open.transaction(None, Outcome::Unanswered, 0));
        }
        let function = frame.pdu.first().copied().unwrap_or_default();
        let flow = out.flow(flow_key(frame.unit, function & !EXCEPTION));
        let request = Request::parse(frame.pdu);
        let is_known = Function::of(function & !EXCEPTION).is_some();
        if function & EXCEPTION != 0 || is_known && request.is_err() {
            // the answer to what was not captured, or to a request that was given up
            sent(flow, frame, false, false, out);
            if is_first {
                out.transaction(Transaction::of(flow, out.moment(frame.time), None, Outcome::BeganBefore));
            } else {
                out.note("Frames of Modbus that answer no request are counted as packets alone: their requests were not captured, or given up.");
            }
            return;
        }
        sent(flow, frame, true, false, out);
        let begin = out.moment(frame.time);
        let open = Open {
            flow,
            begin,
            last: frame.time,
            attempts: 1,
            unit: frame.unit,
            pdu: frame.pdu.to_vec(),
            request: request.ok(),
        };
        if frame.unit == BROADCAST {
            out.transaction(open.transaction(None, Outcome::Sent, 0));
        } else {
            self.open = Some(open);
        }
    }

    /// Ends the capture.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        if let Some(open) = self.open.take() {
            let has_expired = end.since(open.last) >= RESPONSE_TIMEOUT;
            let outcome = if has_expired { Outcome::Unanswered } else { Outcome::Open };
            out.transaction(open.transaction(None, outcome, 0));
        }
    }
}

/// From the client of the line to a unit.
fn flow_key(unit: u8, function: u8) -> FlowKey {
    FlowKey { from: Address::Client, to: Address::Unit(unit), service: Service::Modbus(function) }
}

fn sent(flow: FlowId, frame: &OnLine<'_>, forward: bool, repeated: bool, out: &mut Sink) {
    let l4_bytes = frame.pdu.len() as u32;
    out.sent(Sent { flow, time: frame.time, forward, l3_bytes: frame.length, l4_bytes, repeated });
}
