//! The loop that lets a protocol machine live: datagrams in, datagrams out, timers by the monotonic clock.
//!
//! It is the real-time sister of the engine's loop: the machine is the same, only what calls it differs.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::frames::FrameSink;

use crate::io::clock::Clock;
use crate::io::injected_loss::InjectedLoss;
use crate::io::link::Link;
use crate::io::packet_io::{Direction, LARGEST_DATAGRAM, PacketIo, Received};

/// The longest wait, so that a wish to stop is heard.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Datagrams taken in before timers and the application have their turn again.
const BATCH: usize = 64;

/// What stands between a machine, its datagrams and the application: it gives bytes their meaning.
pub trait Speaker<M: Machine, C: PacketIo = Link> {
    /// What a datagram means to the machine; `None` when it is no PDU of the protocol.
    fn hear(&mut self, now: Time, from: C::End, datagram: &[u8]) -> Option<M::Input>;

    /// Takes an output of the machine: a PDU is written to `datagram` and its receiver returned, all else concerns the
    /// application.
    fn speak(&mut self, now: Time, output: M::Output, datagram: &mut Vec<u8>) -> Option<C::End>;

    /// The carrier said something: of most, that it refused a datagram. What that means to the machine.
    fn notice(&mut self, now: Time, notice: C::Notice) -> Option<M::Input>;

    /// Lets the application act on the machine, after every batch of datagrams and whenever a wait is over.
    fn turn(&mut self, now: Time, machine: &mut M) -> Turn;
}

/// What the application wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Its next turn no later than this, [`Time::NEVER`] if only datagrams and timers matter.
    Wait(Time),
    /// To end.
    Done,
}

/// Everything a machine needs to live.
pub struct Driver<'a, C = Link> {
    /// Where datagrams come and go.
    pub link: C,
    /// Loss added on purpose.
    pub loss: InjectedLoss,
    /// The time.
    pub clock: Clock,
    frames: &'a mut dyn FrameSink,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
    record: Vec<u8>,
}

impl<'a, C: PacketIo> Driver<'a, C> {
    /// A driver whose time begins now; what it carries goes to `frames`, too.
    pub fn new(link: C, loss: InjectedLoss, frames: &'a mut dyn FrameSink) -> Driver<'a, C> {
        let (incoming, outgoing) = (vec![0; LARGEST_DATAGRAM], Vec::with_capacity(LARGEST_DATAGRAM));
        Driver { link, loss, clock: Clock::start(), frames, incoming, outgoing, record: Vec::new() }
    }

    /// Lets the machine live until the application is done.
    pub fn run<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M, C>) {
        loop {
            let now = self.clock.now();
            if machine.next_wakeup().is_some_and(|due| due <= now) {
                machine.wake(now);
                self.send_all(machine, speaker);
            }
            let turn = speaker.turn(now, machine);
            self.send_all(machine, speaker);
            let Turn::Wait(until) = turn else { return };
            if !self.receive_batch(machine, speaker) {
                let until = machine.next_wakeup().unwrap_or(Time::NEVER).min(until);
                let now = self.clock.now();
                let limit = until.since(now).min(LONGEST_WAIT);
                // whoever sent what ended the wait takes the time
                if self.receive(Some(limit), machine, speaker) {
                    self.receive_batch(machine, speaker);
                }
            }
        }
    }

    /// Hands the machine what has come; whether anything had.
    fn receive_batch<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M, C>) -> bool {
        let taken = (0..BATCH).take_while(|_| self.receive(None, machine, speaker)).count();
        taken > 0
    }

    /// Hands the machine one thing that has come, or comes within `patience`; whether there was one.
    fn receive<M: Machine>(
        &mut self,
        patience: Option<Duration>,
        machine: &mut M,
        speaker: &mut impl Speaker<M, C>,
    ) -> bool {
        let received = match patience {
            Some(limit) => self.link.wait_and_receive(limit, &mut self.incoming),
            None => self.link.receive(&mut self.incoming),
        };
        let now = self.clock.now();
        let input = match received {
            Received::Datagram(from, datagram) => {
                if self.link.record(Direction::In, from, datagram, &mut self.record) {
                    self.frames.frame(now, &self.record);
                }
                speaker.hear(now, from, datagram)
            }
            Received::Notice(notice) => speaker.notice(now, notice),
            Received::Nothing => return false,
        };
        if let Some(input) = input {
            machine.handle(now, input);
            self.send_all(machine, speaker);
        }
        true
    }

    fn send_all<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M, C>) {
        while let Some(output) = machine.poll_output() {
            let now = self.clock.now();
            self.outgoing.clear();
            let Some(to) = speaker.speak(now, output, &mut self.outgoing) else { continue };
            if self.link.may_lose(to) && self.loss.drops() {
                continue;
            }
            if self.link.record(Direction::Out, to, &self.outgoing, &mut self.record) {
                self.frames.frame(now, &self.record);
            }
            if let Err(notice) = self.link.send(to, &self.outgoing)
                && let Some(input) = speaker.notice(now, notice)
            {
                machine.handle(now, input);
            }
        }
    }
}

#[cfg(test)]
mod tests;
