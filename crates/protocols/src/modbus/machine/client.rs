//! The client: one transaction after the other, or several at a time on TCP (Modbus over Serial Line V1.02, figure 7).
//!
//! ```text
//!            submitted                 sent                    answered, timed out, damaged
//!  queued  ------------>  sending  ----------->  waiting  ---------------------------------->  ended, or sending again
//!                                     broadcast: turnaround ------------------------------->  ended
//! ```

use std::collections::VecDeque;
use std::fmt::Debug;

use sojourn_core::{Duration, Machine, Time};

use super::Carrier;
use crate::modbus::BROADCAST;

/// The response timeout that is usual at 9600 bit/s (Modbus over Serial Line V1.02, section 2.4.1).
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);
/// The shortest of the usual turnaround delays, 100 to 200 ms (the same section).
pub const TURNAROUND: Duration = Duration::from_millis(100);

/// A request whose response a client recognises.
pub trait Asked: Clone + Debug {
    /// What answers it.
    type Response: Clone + Debug;

    /// Whether a response from its unit may be the one to it.
    fn accepts(&self, response: &Self::Response) -> bool;
}

impl Asked for crate::modbus::Request {
    type Response = crate::modbus::Response;

    fn accepts(&self, response: &Self::Response) -> bool {
        self.accepts(response)
    }
}

/// A request to a unit, and how long and often to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order<R> {
    /// The server; 0 on a serial line is a broadcast.
    pub unit: u8,
    /// What is asked.
    pub request: R,
    /// Response timeout, from the end of the request to the end of the response; of a broadcast the turnaround delay, from
    /// its end to the next request.
    pub timeout: Duration,
    /// Tries beside the first.
    pub retries: u8,
    /// From the end of the transaction to the next one.
    pub pause: Duration,
}

impl<R> Order<R> {
    /// A request that is tried once, with the usual timeout and turnaround delay and without a pause.
    pub const fn new(unit: u8, request: R) -> Order<R> {
        let timeout = if unit == BROADCAST { TURNAROUND } else { RESPONSE_TIMEOUT };
        Order { unit, request, timeout, retries: 0, pause: Duration::ZERO }
    }
}

/// What a driver passes to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientInput<R: Asked> {
    /// The user has a request; it waits for those before it.
    Submit(Order<R>),
    /// On a serial line: the last stop bit of the request has left.
    Sent,
    /// A valid frame was received. A driver of RTU passes it on once the line has been silent for t3.5, so that the next
    /// request keeps the distance.
    Received {
        /// The unit in the frame.
        unit: u8,
        /// The transaction identifier of a frame on TCP; ignored on a serial line.
        transaction: u16,
        /// Its PDU.
        response: R::Response,
    },
    /// On a serial line: a frame with a wrong check was received.
    Damaged,
    /// The connection is lost: all requests end.
    Closed,
}

/// What a client asks of its driver, and reports to its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientOutput<R: Asked> {
    /// Send a request.
    Transmit {
        /// The transaction identifier of a frame on TCP.
        transaction: u16,
        /// The unit of the frame.
        unit: u8,
        /// Its PDU.
        request: R,
        /// Number of the try, from 0.
        attempt: u8,
    },
    /// A request has ended.
    Ended {
        /// The unit that it was for.
        unit: u8,
        /// What was asked.
        request: R,
        /// Number of the last try, from 0.
        attempt: u8,
        /// How it ended.
        outcome: Outcome<R::Response>,
    },
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<A> {
    /// With a response, which may be an exception.
    Answered(A),
    /// A broadcast's turnaround delay has passed.
    Broadcast,
    /// No response within the timeout of the last try.
    TimedOut,
    /// The response to the last try was damaged.
    Damaged,
    /// The connection was lost.
    Closed,
}

#[derive(Clone, Debug)]
struct Open<R> {
    order: Order<R>,
    transaction: u16,
    attempt: u8,
    /// Response timeout or turnaround; [`Time::NEVER`] until the request has left a serial line.
    expires: Time,
}

/// A client on one serial line or connection.
#[derive(Clone, Debug)]
pub struct Client<R: Asked> {
    carrier: Carrier,
    queue: VecDeque<Order<R>>,
    open: Vec<Open<R>>,
    /// When the next request may be sent.
    free: Time,
    next_transaction: u16,
    ignored: u64,
    outputs: VecDeque<ClientOutput<R>>,
}

impl<R: Asked> Client<R> {
    /// A client without requests.
    pub fn new(carrier: Carrier) -> Client<R> {
        Client {
            carrier,
            queue: VecDeque::new(),
            open: Vec::new(),
            free: Time::ZERO,
            next_transaction: 0,
            ignored: 0,
            outputs: VecDeque::new(),
        }
    }

    /// Requests that wait for those before them.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Requests that are being sent or wait for a response.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// Frames that answered no open request: late, or from another unit.
    pub const fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Requests that may be open and are not.
    fn has_room(&self) -> bool {
        self.open.len() < self.carrier.outstanding()
    }

    /// Sends what may be sent.
    fn send_queued(&mut self, now: Time) {
        while now >= self.free && self.has_room() {
            let Some(order) = self.queue.pop_front() else { return };
            let open = Open { order, transaction: 0, attempt: 0, expires: Time::NEVER };
            self.open.push(open);
            self.transmit(now, self.open.len() - 1);
        }
    }

    /// Sends an open request, under a transaction identifier of its own.
    fn transmit(&mut self, now: Time, index: usize) {
        let mut transaction = self.next_transaction;
        let others = || self.open.iter().enumerate().filter(|(other, _)| *other != index);
        while others().any(|(_, open)| open.transaction == transaction) {
            transaction = transaction.wrapping_add(1);
        }
        self.next_transaction = transaction.wrapping_add(1);
        let open = &mut self.open[index];
        open.transaction = transaction;
        open.expires = match self.carrier {
            Carrier::Serial => Time::NEVER,
            Carrier::Tcp { .. } => now + open.order.timeout,
        };
        let (unit, request) = (open.order.unit, open.order.request.clone());
        self.outputs.push_back(ClientOutput::Transmit { transaction, unit, request, attempt: open.attempt });
    }

    fn end(&mut self, now: Time, index: usize, outcome: Outcome<R::Response>) {
        let Open { order: Order { unit, request, pause, .. }, attempt, .. } = self.open.remove(index);
        self.outputs.push_back(ClientOutput::Ended { unit, request, attempt, outcome });
        self.free = self.free.max(now + pause);
        self.send_queued(now);
    }

    /// Tries again, or gives up.
    fn fail(&mut self, now: Time, index: usize, outcome: Outcome<R::Response>) {
        let open = &mut self.open[index];
        if open.attempt < open.order.retries {
            open.attempt += 1;
            self.transmit(now, index);
        } else {
            self.end(now, index, outcome);
        }
    }

    /// The last stop bit of the request has left a serial line.
    fn sent(&mut self, now: Time) {
        if let (Carrier::Serial, Some(open)) = (self.carrier, self.open.first_mut()) {
            open.expires = now + open.order.timeout;
        }
    }

    /// The open request that a frame answers.
    fn answered(&self, unit: u8, transaction: u16, response: &R::Response) -> Option<usize> {
        let carrier = self.carrier;
        self.open.iter().position(|open| {
            let is_named = match carrier {
                Carrier::Serial => open.expires != Time::NEVER && !carrier.is_broadcast(unit),
                Carrier::Tcp { .. } => open.transaction == transaction,
            };
            is_named && open.order.unit == unit && open.order.request.accepts(response)
        })
    }

    fn close(&mut self) {
        let queued = self.queue.drain(..).map(|order| (order, 0));
        for (Order { unit, request, .. }, attempt) in
            self.open.drain(..).map(|open| (open.order, open.attempt)).chain(queued)
        {
            self.outputs.push_back(ClientOutput::Ended { unit, request, attempt, outcome: Outcome::Closed });
        }
    }
}

impl<R: Asked> Machine for Client<R> {
    type Input = ClientInput<R>;
    type Output = ClientOutput<R>;

    fn handle(&mut self, now: Time, input: ClientInput<R>) {
        match input {
            ClientInput::Submit(order) => {
                self.queue.push_back(order);
                self.send_queued(now);
            }
            ClientInput::Sent => self.sent(now),
            ClientInput::Received { unit, transaction, response } => {
                match self.answered(unit, transaction, &response) {
                    Some(index) => self.end(now, index, Outcome::Answered(response)),
                    None => self.ignored += 1,
                }
            }
            ClientInput::Damaged => {
                let carrier = self.carrier;
                let waits = |open: &Open<R>| open.expires != Time::NEVER && !carrier.is_broadcast(open.order.unit);
                if carrier == Carrier::Serial && self.open.first().is_some_and(waits) {
                    self.fail(now, 0, Outcome::Damaged);
                }
            }
            ClientInput::Closed => self.close(),
        }
    }

    fn wake(&mut self, now: Time) {
        while let Some(index) = self.open.iter().position(|open| open.expires <= now) {
            if self.carrier.is_broadcast(self.open[index].order.unit) {
                self.end(now, index, Outcome::Broadcast);
            } else {
                self.fail(now, index, Outcome::TimedOut);
            }
        }
        self.send_queued(now);
    }

    fn poll_output(&mut self) -> Option<ClientOutput<R>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let expiry = self.open.iter().map(|open| open.expires).min().unwrap_or(Time::NEVER);
        let sends = !self.queue.is_empty() && self.has_room();
        let next = if sends { expiry.min(self.free) } else { expiry };
        (next != Time::NEVER).then_some(next)
    }
}
