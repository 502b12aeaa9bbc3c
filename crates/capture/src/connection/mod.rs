//! Sequence-numbered information in both directions: what AX.25 links, NET/ROM circuits and ROSE calls have in
//! common.
//!
//! [`Window`] tracks the sequence numbers of one direction: which packets are new, which are retransmissions, which
//! are copies forwarded by a digipeater or a node, and when each is acknowledged. [`Exchange`] matches requests and
//! answers by the turns of the two sides. [`Connection`] reports both.
//!
//! A capture shows who sent, not why: information of the initiator after information of the responder is taken for
//! the next request. Two independent one-way flows over one connection look like requests and answers.

mod exchange;
mod information;
mod window;

use sojourn_core::Time;

use self::exchange::Exchange;
pub use self::information::Information;
pub use self::window::{Numbers, Sending, Window};
use crate::{FlowId, Outcome, Sent, Sink, Transaction};

/// One end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Who set the connection up; where that is not known, who first sent information.
    Initiator,
    /// The other one.
    Responder,
}

impl Side {
    const fn index(self) -> usize {
        self as usize
    }

    /// The opposite end.
    pub const fn other(self) -> Side {
        match self {
            Side::Initiator => Side::Responder,
            Side::Responder => Side::Initiator,
        }
    }
}

/// A connection with numbered information in both directions.
#[derive(Debug)]
pub struct Connection {
    flow: FlowId,
    windows: [Window; 2],
    exchange: Exchange,
}

impl Connection {
    /// A connection of `flow` whose sequence numbers count like this; with `from_start` they begin at 0.
    pub fn new(flow: FlowId, numbers: Numbers, from_start: bool) -> Self {
        let window = || Window::new(numbers, from_start);
        Connection { flow, windows: [window(), window()], exchange: Exchange::default() }
    }

    /// The flow of the connection.
    pub const fn flow(&self) -> FlowId {
        self.flow
    }

    /// `side` sent information. Returns whether it is new: neither sent again nor forwarded.
    pub fn information(&mut self, side: Side, information: Information, out: &mut Sink) -> bool {
        let Connection { flow, windows, exchange } = self;
        let Information { time, l3_bytes, l4_bytes, .. } = information;
        let acknowledged = |begin: Time, end: Time, out: &mut Sink| {
            out.sample(*flow, "transaction_time", end, end.since(begin));
        };
        let sending = windows[side.index()].information(&information, |begin, end| acknowledged(begin, end, out));
        let forward = side == Side::Initiator;
        let sent = |repeated| Sent { flow: *flow, time, forward, l3_bytes, l4_bytes, repeated };
        match sending {
            Sending::New => {
                out.sent(sent(false));
                if let Some(exchange) = exchange.information(forward, out.moment(time), l4_bytes) {
                    exchange.answered(*flow, out);
                }
                true
            }
            Sending::Repeated { acknowledged } => {
                out.sent(sent(true));
                if !exchange.repeated(forward, time, acknowledged) {
                    out.count(*flow, "retries", 1);
                }
                false
            }
            Sending::Forwarded { acknowledged } => {
                exchange.forwarded(forward, time, acknowledged);
                false
            }
        }
    }

    /// `side` expects `number` next: it has received all information before.
    pub fn acknowledged(&mut self, side: Side, number: u8, time: Time, hops_left: u8) {
        self.windows[side.other().index()].acknowledged(number, time, hops_left);
    }

    /// The connection ends, or begins anew: everything open is reported.
    pub fn finish(&mut self, out: &mut Sink) {
        let flow = self.flow;
        let complete = self.windows.iter().all(Window::is_acknowledged);
        for window in &mut self.windows {
            window.finish(|begin, end| out.sample(flow, "transaction_time", end, end.since(begin)));
        }
        let Some(last) = self.exchange.finish() else { return };
        match (last.is_answered(), complete) {
            (true, true) => last.answered(flow, out),
            (_, false) => out.transaction(last.transaction(flow, Outcome::Open)),
            // information that nothing answered and that was delivered: a one-way flow
            (false, true) => out.count(flow, "retries", u64::from(last.repeats())),
        }
    }
}

impl exchange::Turns {
    fn answered(&self, flow: FlowId, out: &mut Sink) {
        if let Some(last) = self.completed() {
            out.complete(flow, self.begin().time, last);
        }
        out.transaction(self.transaction(flow, Outcome::Answered));
    }

    fn transaction(&self, flow: FlowId, outcome: Outcome) -> Transaction {
        let end = self.end().filter(|_| outcome == Outcome::Answered);
        Transaction {
            attempts: 1 + self.repeats(),
            request_bytes: self.request_bytes(),
            answer_bytes: self.answer_bytes(),
            ..Transaction::of(flow, self.begin(), end, outcome)
        }
    }
}

#[cfg(test)]
mod tests;
