//! What an acknowledgement brings.

use sojourn_core::{Duration, Time};

use super::connection::{Connection, State};
use super::numbering::{FIRST, Position};
use super::output::Output;
use super::timers::Timer;
use crate::tcp::wire::Header;

impl Connection {
    /// Takes the acknowledgement and window of a segment at `position` with `length` positions.
    pub(super) fn acknowledgement(&mut self, now: Time, header: &Header, position: Position, length: u64) {
        let oldest = self.sending.unacknowledged;
        let number = header.ack.and_then(|number| self.sending.numbering.position(oldest, number));
        let Some(acknowledged) = number else { return };
        if acknowledged > self.sending.furthest {
            self.receiving.owed = true;
            return;
        }
        if acknowledged < oldest {
            return;
        }
        let news = self.take_blocks(header, acknowledged);
        let moved = self.take_window(header, position, acknowledged);
        if acknowledged > oldest {
            self.progress(now, header, acknowledged);
        } else if self.timers.runs(Timer::Retransmission) && length == 0 && (!moved || news) {
            self.duplicate(now);
        }
    }

    /// New data are acknowledged.
    fn progress(&mut self, now: Time, header: &Header, acknowledged: Position) {
        let octets = acknowledged - self.sending.unacknowledged;
        let was_limit = 2 * self.flight_size() >= self.congestion.octets();
        self.measure(now, header, acknowledged);
        self.tries = 0;
        self.sending.unacknowledged = acknowledged;
        self.sending.next = self.sending.next.max(acknowledged);
        self.sending.sack.remove_below(acknowledged);
        if self.recovery.active {
            self.recovered(acknowledged, octets);
        } else {
            let round_trip = self.round_trip.smoothed().unwrap_or(Duration::ZERO);
            self.congestion.acknowledged(now, octets, round_trip, was_limit);
        }
        self.recovery.duplicates = 0;
        self.timers.stop(Timer::Retransmission);
        if acknowledged < self.sending.furthest {
            self.start_retransmission_timer(now);
        }
        if self.sending.full && self.state == State::Synchronized && self.send_space() > 0 {
            self.sending.full = false;
            self.tell(Output::Writable);
        }
    }

    /// Measures the round trip, by timestamps or by the one segment that is timed; never by one that was sent again
    /// (Karn).
    fn measure(&mut self, now: Time, header: &Header, acknowledged: Position) {
        let timed = self.sending.timed.filter(|&(end, _)| acknowledged >= end);
        if timed.is_some() {
            self.sending.timed = None;
        }
        let clock = self.settings.clock;
        match (header.options.timestamps, timed) {
            // the echo has the clock's resolution: where the timed segment is known, it is finer
            (_, Some((_, sent))) => self.round_trip.sample(clock.elapsed(sent, now)),
            (Some(timestamps), None) if self.agreed.timestamps && acknowledged > FIRST => {
                let ticks = clock.timestamp(now).wrapping_sub(timestamps.ts_ecr);
                self.round_trip.sample(clock.timestamp_unit().times(ticks.into()));
            }
            _ => self.round_trip.progress(),
        }
    }

    /// Takes the room that the other end tells of, unless an older segment tells it; whether it differs.
    fn take_window(&mut self, header: &Header, position: Position, acknowledged: Position) -> bool {
        let (by, sending) = ((position, acknowledged), &mut self.sending);
        if by < sending.told_by && acknowledged <= sending.told_by.1 {
            return false;
        }
        let shift = if header.flags.syn { 0 } else { self.agreed.shifts.0 };
        let window = u64::from(header.window) << shift;
        let before = sending.limit.saturating_sub(sending.told_by.1);
        sending.told_by = by;
        sending.limit = acknowledged + window;
        sending.largest_window = sending.largest_window.max(window);
        window != before
    }

    /// Takes what the other end has beyond `acknowledged`; whether any of it is new.
    fn take_blocks(&mut self, header: &Header, acknowledged: Position) -> bool {
        if !self.agreed.sack {
            return false;
        }
        let (numbering, furthest) = (self.sending.numbering, self.sending.furthest);
        let before = self.sending.sack.total();
        for &(first, end) in header.options.sack.as_slice() {
            let range = numbering.position(acknowledged, first).zip(numbering.position(acknowledged, end));
            if let Some((first, end)) =
                range.filter(|&(first, end)| acknowledged < first && first < end && end <= furthest)
            {
                self.sending.sack.insert(first, end);
            }
        }
        self.sending.sack.total() > before
    }
}
