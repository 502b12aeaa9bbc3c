//! The server: carries out one request after the other (Modbus over Serial Line V1.02, figure 8).

use std::collections::VecDeque;
use std::fmt::Debug;

use sojourn_core::{CopyKey, Machine, Rekey, Time};

use super::Carrier;

/// What carries out the requests to a server.
pub trait Device {
    /// A request.
    type Request: Clone + Debug;
    /// What answers it.
    type Response: Clone + Debug;

    /// Carries out a request that begins at `now`; returns the response and when it is ready, not before `now`. `None`:
    /// the unit is not one of the device, which says nothing.
    fn carry_out(&mut self, now: Time, unit: u8, request: &Self::Request) -> Option<(Self::Response, Time)>;

    /// The answer to a request that finds too many waiting (exception 6).
    fn busy(&self, request: &Self::Request) -> Self::Response;
}

/// A valid frame with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indication<R> {
    /// The connection of TCP that it came by; 0 on a serial line.
    pub connection: u32,
    /// Its transaction identifier on TCP; 0 on a serial line.
    pub transaction: u16,
    /// The unit that it is for.
    pub unit: u8,
    /// Its PDU.
    pub request: R,
}

/// A frame to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply<A> {
    /// The connection of TCP that the request came by.
    pub connection: u32,
    /// The transaction identifier of the request.
    pub transaction: u16,
    /// The unit of the request.
    pub unit: u8,
    /// Its PDU.
    pub response: A,
}

/// A server on a serial line, or for the connections of a host.
///
/// On a serial line it does not receive while it carries out a request; on TCP requests of all connections wait in one queue.
#[derive(Clone, Debug)]
pub struct Server<D: Device> {
    carrier: Carrier,
    device: D,
    queue: VecDeque<Indication<D::Request>>,
    /// When the request that is being carried out is done; [`Time::NEVER`] without one.
    ready: Time,
    /// Its reply; none for a broadcast.
    reply: Option<Reply<D::Response>>,
    missed: u64,
    outputs: VecDeque<Reply<D::Response>>,
}

impl<D: Device> Server<D> {
    /// A server without requests.
    pub fn new(carrier: Carrier, device: D) -> Server<D> {
        let (queue, outputs) = (VecDeque::new(), VecDeque::new());
        Server { carrier, device, queue, ready: Time::NEVER, reply: None, missed: 0, outputs }
    }

    /// The device.
    pub const fn device(&self) -> &D {
        &self.device
    }

    /// The device, to change it.
    pub const fn device_mut(&mut self) -> &mut D {
        &mut self.device
    }

    /// Requests that came while one was carried out, and found no place to wait.
    pub const fn missed(&self) -> u64 {
        self.missed
    }

    /// Whether a request is being carried out.
    pub fn is_busy(&self) -> bool {
        self.ready != Time::NEVER
    }

    /// The reply to the request that is being carried out; none without one, and of a broadcast.
    pub const fn reply(&self) -> Option<&Reply<D::Response>> {
        self.reply.as_ref()
    }

    /// Requests that wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Drops all requests, as after a loss of power.
    pub fn reset(&mut self) {
        self.queue.clear();
        self.ready = Time::NEVER;
        self.reply = None;
    }

    fn begin(&mut self, now: Time, indication: Indication<D::Request>) {
        let Indication { connection, transaction, unit, request } = indication;
        let Some((response, ready)) = self.device.carry_out(now, unit, &request) else { return };
        self.ready = ready;
        let is_silent = self.carrier.is_broadcast(unit);
        self.reply = (!is_silent).then_some(Reply { connection, transaction, unit, response });
    }

    fn wait(&mut self, indication: Indication<D::Request>) {
        let places = match self.carrier {
            Carrier::Serial => 0,
            Carrier::Tcp { outstanding } => usize::from(outstanding),
        };
        if self.queue.len() < places {
            return self.queue.push_back(indication);
        }
        self.missed += 1;
        if self.carrier != Carrier::Serial {
            let Indication { connection, transaction, unit, request } = indication;
            self.outputs.push_back(Reply { connection, transaction, unit, response: self.device.busy(&request) });
        }
    }
}

impl<D: Device> Machine for Server<D> {
    type Input = Indication<D::Request>;
    type Output = Reply<D::Response>;

    fn handle(&mut self, now: Time, indication: Self::Input) {
        self.wake(now);
        if self.is_busy() { self.wait(indication) } else { self.begin(now, indication) }
    }

    fn wake(&mut self, now: Time) {
        while self.ready <= now {
            self.ready = Time::NEVER;
            self.outputs.extend(self.reply.take());
            while !self.is_busy()
                && let Some(next) = self.queue.pop_front()
            {
                self.begin(now, next);
            }
        }
    }

    fn poll_output(&mut self) -> Option<Self::Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.is_busy().then_some(self.ready)
    }
}

impl<D: Device + Rekey> Rekey for Server<D> {
    fn rekey(&mut self, copy: CopyKey) {
        self.device.rekey(copy);
    }
}
