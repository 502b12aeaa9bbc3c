//! Segments of a connection that is up, and how it ends.

use sojourn_core::Time;

use super::connection::{Connection, State};
use super::numbering::{FIRST, Position};
use super::output::{End, Output, Purpose};
use super::timers::Timer;
use crate::tcp::wire::{Flags, Header};

impl Connection {
    /// Takes a segment, in the order of RFC 9293, 3.10.7.4.
    pub(super) fn in_sequence(&mut self, now: Time, header: &Header, length: u32) {
        let next = self.receiving.next;
        let Some(position) = self.receiving.numbering.position(next, header.seq) else { return };
        let occupied = u64::from(length) + u64::from(header.flags.fin);
        if !self.is_acceptable(position, occupied) {
            self.receiving.owed |= !header.flags.rst;
            return;
        }
        if header.flags.rst {
            // a reset out of sequence may be forged (RFC 5961, 3.2)
            if position == next {
                self.end(End::Reset)
            } else {
                self.receiving.owed = true
            }
            return;
        }
        if header.flags.syn {
            self.receiving.owed = true;
            return;
        }
        if self.state == State::SynReceived {
            if header.ack != Some(self.sending.numbering.number(FIRST)) {
                self.refuse(header, length);
                return;
            }
            self.synchronized(now, header, position);
        } else {
            self.acknowledgement(now, header, position, occupied);
        }
        self.data(now, header, position, length.into());
        self.settle(now);
    }

    /// Whether a segment touches the window.
    fn is_acceptable(&self, position: Position, occupied: u64) -> bool {
        let (next, told) = (self.receiving.next, self.receiving.told.max(self.receiving.next));
        let end = position + occupied;
        if occupied == 0 { next <= position && position <= told } else { position < told.max(next + 1) && end > next }
    }

    /// Sees whether both ends have finished.
    fn settle(&mut self, now: Time) {
        let finished = self.sending.finishes && self.sending.unacknowledged > self.sending.written;
        if !finished || !self.receiving.has_finished() {
            return;
        }
        if self.receiving.finishes_second {
            self.state = State::TimeWait;
            self.timers.stop(Timer::Retransmission);
            self.timers.set(Timer::TimeWait, now + self.settings.time_wait);
        } else {
            self.end(End::Finished);
        }
    }

    pub(super) fn close(&mut self) {
        match self.state {
            State::Closed | State::TimeWait => {}
            State::Listen | State::SynSent => self.end(End::Aborted),
            State::SynReceived | State::Synchronized => self.sending.finishes = true,
        }
    }

    pub(super) fn abort(&mut self, now: Time) {
        if matches!(self.state, State::SynReceived | State::Synchronized) {
            let header = self.header(now, self.sending.next, Flags { rst: true, ..Flags::default() });
            self.tell(Output::Transmit { header, offset: 0, length: 0, purpose: Purpose::Control });
        }
        self.end(End::Aborted);
    }

    /// Answers a segment of no connection (RFC 9293, 3.5.2).
    pub(super) fn refuse(&mut self, header: &Header, length: u32) {
        if header.flags.rst {
            return;
        }
        let Flags { syn, fin, .. } = header.flags;
        let after = header.seq.wrapping_add(length).wrapping_add(u32::from(syn) + u32::from(fin));
        let answer = Header {
            seq: header.ack.unwrap_or(0),
            ack: header.ack.is_none().then_some(after),
            flags: Flags { rst: true, ..Flags::default() },
            ..Header::default()
        };
        self.tell(Output::Transmit { header: answer, offset: 0, length: 0, purpose: Purpose::Control });
    }
}
