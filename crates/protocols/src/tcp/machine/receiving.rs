//! Data that come, in order or not; what is told of them.

use sojourn_core::Time;

use super::connection::Connection;
use super::numbering::{Numbering, Position};
use super::output::Output;
use super::ranges::Ranges;
use super::settings::Consumption;
use super::timers::Timer;
use crate::tcp::wire::{Header, SackBlocks};

/// The direction to here.
#[derive(Clone, Debug, Default)]
pub(super) struct Receiving {
    pub numbering: Numbering,
    /// The next position that is expected.
    pub next: Position,
    /// Up to where the other end was told that there is room.
    pub told: Position,
    /// Octets delivered and not read.
    unread: u64,
    out_of_order: Ranges,
    /// Where the data came last that are out of order.
    latest: Position,
    /// Where FIN is, once it came.
    finish: Option<Position>,
    /// Octets in order that are not acknowledged.
    pending: u64,
    /// Whether an acknowledgement is due at once.
    pub owed: bool,
    /// The other end's clock, as of the last segment that moved on.
    pub recent_timestamp: u32,
    /// Whether this end finished first, and so waits at the end.
    pub finishes_second: bool,
}

impl Receiving {
    /// Whether all has come, FIN included.
    pub fn has_finished(&self) -> bool {
        self.finish.is_some_and(|finish| self.next > finish)
    }

    /// All that has come is acknowledged.
    pub fn acknowledged(&mut self) {
        self.owed = false;
        self.pending = 0;
    }

    /// What is here beyond the next position: first where data came last (RFC 2018, 4).
    pub fn blocks(&self, beside_timestamps: bool) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        let latest = self.out_of_order.holding(self.latest);
        let others = self.out_of_order.iter().filter(|&range| Some(range) != latest);
        let most = SackBlocks::MAX - usize::from(beside_timestamps);
        for (first, end) in latest.into_iter().chain(others).take(most) {
            blocks.push(self.numbering.number(first), self.numbering.number(end));
        }
        blocks
    }
}

impl Connection {
    /// Takes `length` octets of data at `position`, and FIN behind them.
    pub(super) fn data(&mut self, now: Time, header: &Header, position: Position, length: u64) {
        let end = (position + length).min(self.receiving.told.max(self.receiving.next));
        if position <= self.receiving.next
            && let Some(timestamps) = header.options.timestamps
        {
            self.receiving.recent_timestamp = timestamps.ts_val;
        }
        if header.flags.fin && self.receiving.finish.is_none() && end == position + length {
            self.receiving.finish = Some(end);
        }
        if length > 0 && !self.receiving.has_finished() {
            self.place(now, position, end);
        }
        if self.receiving.finish == Some(self.receiving.next) {
            self.receiving.next += 1;
            self.receiving.owed = true;
            self.tell(Output::EndOfStream);
        } else if header.flags.fin {
            self.receiving.owed = true;
        }
    }

    /// Places data where they belong.
    fn place(&mut self, now: Time, position: Position, end: Position) {
        let receiving = &mut self.receiving;
        if end <= receiving.next {
            receiving.owed = true;
            return;
        }
        if position > receiving.next {
            receiving.out_of_order.insert(position, end);
            receiving.latest = position;
            receiving.owed = true;
            return;
        }
        let before = receiving.next;
        let had_holes = !receiving.out_of_order.is_empty();
        receiving.next = end;
        receiving.out_of_order.remove_below(end);
        if let Some(end) = receiving.out_of_order.take_from(end) {
            receiving.next = end;
        }
        self.deliver(now, self.receiving.next - before, had_holes);
    }

    /// Hands on data in order. The second of two full segments (or as set) is acknowledged at once, as is what fills a hole.
    fn deliver(&mut self, now: Time, octets: u64, at_once: bool) {
        self.receiving.pending += octets;
        if self.settings.consumption == Consumption::Reported {
            self.receiving.unread += octets;
        }
        self.tell(Output::Deliver { octets });
        if at_once || self.receiving.pending >= self.settings.ack_every * self.sending.segment {
            self.receiving.owed = true;
        } else if !self.timers.runs(Timer::Acknowledgement) {
            self.timers.set(Timer::Acknowledgement, self.settings.clock.acknowledgement(now));
        }
    }

    /// The user has read `octets`. The other end is told when that opens the window by much.
    pub(super) fn read(&mut self, octets: u64) {
        self.receiving.unread = self.receiving.unread.saturating_sub(octets);
        let opened = self.edge().saturating_sub(self.receiving.told);
        if self.is_established() && opened >= u64::min(2 * self.sending.segment, self.settings.receive_buffer / 2) {
            self.receiving.owed = true;
        }
    }

    /// Up to where there is room.
    fn edge(&self) -> Position {
        self.receiving.next + self.settings.receive_buffer.saturating_sub(self.receiving.unread)
    }

    /// The window field of the next segment. The window never shrinks, and opens by a full segment or half the buffer
    /// at least (RFC 1122, 4.2.3.3).
    pub(super) fn window_to_tell(&mut self) -> u16 {
        let (edge, told, next) = (self.edge(), self.receiving.told, self.receiving.next);
        let enough = u64::min(self.sending.segment, self.settings.receive_buffer / 2);
        let edge = if edge >= told + enough { edge } else { told.max(next) };
        let shift = self.agreed.shifts.1;
        let field = ((edge - next) >> shift).min(u16::MAX.into());
        self.receiving.told = told.max(next + (field << shift));
        field as u16
    }
}
