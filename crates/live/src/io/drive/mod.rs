//! The real-time event loop of a protocol machine: datagrams in and out, timers by the monotonic clock.
//!
//! It is the counterpart of the engine's loop in virtual time: the machine is the same, only the driver differs.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::frames::FrameSink;

use crate::io::clock::Clock;
use crate::io::injected_loss::InjectedLoss;
use crate::io::link::Link;
use crate::io::packet_io::{Direction, LARGEST_DATAGRAM, PacketIo, Received};

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Datagrams received before timers and the application are polled again.
const BATCH: usize = 64;

/// Connects a machine with its datagrams and the application: it decodes and encodes PDUs.
pub trait Handler<M: Machine, C: PacketIo = Link> {
    /// Decodes a datagram to an input of the machine; `None` if it is not a PDU of the protocol.
    fn decode(&mut self, now: Time, from: C::End, datagram: &[u8]) -> Option<M::Input>;

    /// Takes an output of the machine: a PDU is encoded to `datagram` and its destination returned; other outputs concern
    /// the application.
    fn encode(&mut self, now: Time, output: M::Output, datagram: &mut Vec<u8>) -> Option<C::End>;

    /// Decodes a notice of the packet I/O, in most cases a network error, to an input of the machine.
    fn notice(&mut self, now: Time, notice: C::Notice) -> Option<M::Input>;

    /// Lets the application act on the machine, after every batch of datagrams and after every wait.
    fn poll_app(&mut self, now: Time, machine: &mut M) -> AppPoll;
}

/// What the application asks the driver to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppPoll {
    /// Poll it again no later than this, [`Time::NEVER`] if only datagrams and timers matter.
    Wait(Time),
    /// The application is done: end the loop.
    Done,
}

/// Drives a machine in real time.
pub struct Driver<'a, C = Link> {
    /// What sends and receives its datagrams.
    pub link: C,
    /// Injected loss of outgoing datagrams.
    pub loss: InjectedLoss,
    /// The clock of the machine's times.
    pub clock: Clock,
    frames: &'a mut dyn FrameSink,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    record: Vec<u8>,
}

impl<'a, C: PacketIo> Driver<'a, C> {
    /// A driver whose clock starts now; datagrams sent and received also go to `frames`.
    pub fn new(link: C, loss: InjectedLoss, frames: &'a mut dyn FrameSink) -> Driver<'a, C> {
        let (incoming, outgoing) = (vec![0; LARGEST_DATAGRAM], Vec::with_capacity(LARGEST_DATAGRAM));
        Driver { link, loss, clock: Clock::start(), frames, incoming, outgoing, record: Vec::new() }
    }

    /// Runs the machine until the application is done.
    pub fn run<M: Machine>(&mut self, machine: &mut M, handler: &mut impl Handler<M, C>) {
        loop {
            let now = self.clock.now();
            if machine.next_wakeup().is_some_and(|due| due <= now) {
                machine.wake(now);
                self.send_all(machine, handler);
            }
            let poll_app = handler.poll_app(now, machine);
            self.send_all(machine, handler);
            let AppPoll::Wait(until) = poll_app else { return };
            if !self.receive_batch(machine, handler) {
                let until = machine.next_wakeup().unwrap_or(Time::NEVER).min(until);
                let now = self.clock.now();
                let limit = until.since(now).min(LONGEST_WAIT);
                // the datagram that ended the wait sets the time
                if self.receive(Some(limit), machine, handler) {
                    self.receive_batch(machine, handler);
                }
            }
        }
    }

    /// Passes a batch of queued datagrams to the machine; false if there were none.
    fn receive_batch<M: Machine>(&mut self, machine: &mut M, handler: &mut impl Handler<M, C>) -> bool {
        let taken = (0..BATCH).take_while(|_| self.receive(None, machine, handler)).count();
        taken > 0
    }

    /// Passes one datagram or notice to the machine, received within `timeout`; false if there was none.
    fn receive<M: Machine>(
        &mut self,
        timeout: Option<Duration>,
        machine: &mut M,
        handler: &mut impl Handler<M, C>,
    ) -> bool {
        let received = match timeout {
            Some(limit) => self.link.wait_and_receive(limit, &mut self.incoming),
            None => self.link.receive(&mut self.incoming),
        };
        let now = self.clock.now();
        let input = match received {
            Received::Datagram(from, datagram) => {
                if self.link.record(Direction::In, from, datagram, &mut self.record) {
                    self.frames.frame(now, &self.record);
                }
                handler.decode(now, from, datagram)
            }
            Received::Notice(notice) => handler.notice(now, notice),
            Received::Nothing => return false,
        };
        if let Some(input) = input {
            machine.handle(now, input);
            self.send_all(machine, handler);
        }
        true
    }

    fn send_all<M: Machine>(&mut self, machine: &mut M, handler: &mut impl Handler<M, C>) {
        while let Some(output) = machine.poll_output() {
            let now = self.clock.now();
            self.outgoing.clear();
            let Some(to) = handler.encode(now, output, &mut self.outgoing) else { continue };
            if self.link.may_lose(to) && self.loss.drops() {
                continue;
            }
            if self.link.record(Direction::Out, to, &self.outgoing, &mut self.record) {
                self.frames.frame(now, &self.record);
            }
            if let Err(notice) = self.link.send(to, &self.outgoing)
                && let Some(input) = handler.notice(now, notice)
            {
                machine.handle(now, input);
            }
        }
    }
}

#[cfg(test)]
mod tests;
