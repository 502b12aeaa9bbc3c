//! The loop that lets a protocol machine live: datagrams in, datagrams out, timers by the monotonic clock.
//!
//! It is the real-time sister of the engine's loop: the machine is the same, only what calls it differs.

use sojourn_core::{Duration, Machine, Time};

use crate::clock::Clock;
use crate::impairment::InjectedLoss;
use crate::link::{LARGEST_DATAGRAM, Link, Peer, Received, Refusal};

/// The longest wait, so that a wish to stop is heard.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Datagrams taken in before timers and the application have their turn again.
const BATCH: usize = 64;

/// What stands between a machine, its datagrams and the application: it gives bytes their meaning.
pub trait Speaker<M: Machine> {
    /// What a datagram means to the machine; `None` when it is no PDU of the protocol.
    fn hear(&mut self, now: Time, from: Peer, datagram: &[u8]) -> Option<M::Input>;

    /// Takes an output of the machine: a PDU is written to `datagram` and its receiver returned, all else concerns the
    /// application.
    fn speak(&mut self, now: Time, output: M::Output, datagram: &mut Vec<u8>) -> Option<Peer>;

    /// The network refused a datagram.
    fn refused(&mut self, now: Time, refusal: Refusal);

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
#[derive(Debug)]
pub struct Driver {
    /// Where datagrams come and go.
    pub link: Link,
    /// Loss added on purpose.
    pub loss: InjectedLoss,
    /// The time.
    pub clock: Clock,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

impl Driver {
    /// A driver whose time begins now.
    pub fn new(link: Link, loss: InjectedLoss) -> Driver {
        let incoming = vec![0; LARGEST_DATAGRAM];
        Driver { link, loss, clock: Clock::start(), incoming, outgoing: Vec::with_capacity(LARGEST_DATAGRAM) }
    }

    /// Lets the machine live until the application is done.
    pub fn run<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M>) {
        loop {
            let now = self.clock.now();
            if machine.next_wakeup().is_some_and(|due| due <= now) {
                machine.wake(now);
            }
            let turn = speaker.turn(now, machine);
            self.send_all(machine, speaker);
            let Turn::Wait(until) = turn else { return };
            if !self.receive_batch(machine, speaker) {
                let until = machine.next_wakeup().unwrap_or(Time::NEVER).min(until);
                let now = self.clock.now();
                self.link.wait(until.since(now).min(LONGEST_WAIT));
            }
        }
    }

    /// Hands the machine what has come; whether anything had.
    fn receive_batch<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M>) -> bool {
        for taken in 0..BATCH {
            let received = self.link.receive(&mut self.incoming);
            let now = self.clock.now();
            match received {
                Received::Datagram(from, datagram) => {
                    if let Some(input) = speaker.hear(now, from, datagram) {
                        machine.handle(now, input);
                        self.send_all(machine, speaker);
                    }
                }
                Received::Refused(refusal) => speaker.refused(now, refusal),
                Received::Nothing => return taken > 0,
            }
        }
        true
    }

    fn send_all<M: Machine>(&mut self, machine: &mut M, speaker: &mut impl Speaker<M>) {
        while let Some(output) = machine.poll_output() {
            let now = self.clock.now();
            self.outgoing.clear();
            let Some(to) = speaker.speak(now, output, &mut self.outgoing) else { continue };
            if self.loss.drops() {
                continue;
            }
            if let Err(refusal) = self.link.send(to, &self.outgoing) {
                speaker.refused(now, refusal);
            }
        }
    }
}

#[cfg(test)]
mod tests;
