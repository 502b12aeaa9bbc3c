//! Send sequence space, send buffer and the peer's window (RFC 9293, 3.3.1).

use sojourn_core::Time;

use super::output::Purpose;
use super::sequence::{FIRST, Position, SequenceNumbers};

/// The sending direction of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Sender {
    pub sequence: SequenceNumbers,
    /// SND.UNA: oldest unacknowledged position.
    pub snd_una: Position,
    /// SND.NXT: next position to send; below `snd_max` after a retransmission timeout.
    pub snd_nxt: Position,
    /// Position after the last one ever sent.
    pub snd_max: Position,
    /// Position after the last octet in the send buffer.
    pub buffer_end: Position,
    /// Whether the user has closed: FIN is at `buffer_end`.
    pub fin_queued: bool,
    /// Whether a write was not accepted in full since the user was last informed of space.
    pub blocked: bool,
    /// Whether the persist timer has expired: a short segment or a window probe is due.
    pub probe_due: bool,
    /// Sender maximum segment size (SMSS), octets of data.
    pub smss: u64,
    /// When a segment with data, SYN or FIN was last sent.
    pub last_sent: Time,
    /// SND.UNA + SND.WND: first position beyond the peer's window.
    window_end: Position,
    /// SND.WL1 and SND.WL2: position and acknowledgement of the segment of the last window update.
    last_update: (Position, Position),
    /// Maximum SND.WND so far.
    max_window: u64,
}

/// Positions that are sent in one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub from: Position,
    pub octets: u64,
    pub fin: bool,
    pub purpose: Purpose,
}

impl Range {
    /// Position after the range, FIN included.
    pub fn end(&self) -> Position {
        self.from + self.octets + u64::from(self.fin)
    }
}

impl Sender {
    pub fn new(iss: u32, smss: u64) -> Self {
        Sender { sequence: SequenceNumbers { initial: iss }, buffer_end: FIRST, smss, ..Sender::default() }
    }

    /// The handshake is complete, with this initial window of the peer.
    pub fn establish(&mut self, window: u64) {
        (self.snd_una, self.snd_nxt, self.snd_max) = (FIRST, FIRST, FIRST);
        self.window_end = FIRST + window;
        self.max_window = window;
        self.last_update = (FIRST, FIRST);
    }

    /// Octets sent and not acknowledged (FlightSize; RFC 5681, 2).
    pub fn flight_size(&self) -> u64 {
        self.snd_max - self.snd_una
    }

    /// Octets that a send buffer of `capacity` octets still accepts.
    pub fn space(&self, capacity: u64) -> u64 {
        let held = self.buffer_end - self.snd_una.clamp(FIRST, self.buffer_end);
        if self.fin_queued { 0 } else { capacity.saturating_sub(held) }
    }

    /// Appends `octets` to the buffer, as far as it has space.
    pub fn write(&mut self, octets: u64, capacity: u64) {
        let accepted = octets.min(self.space(capacity));
        self.blocked = accepted < octets || self.space(capacity) == accepted;
        self.buffer_end += accepted;
    }

    /// Whether data that were never sent wait, and the peer's window permits some.
    pub fn has_new_data(&self) -> bool {
        self.buffer_end > self.snd_max && self.window_end > self.snd_max
    }

    /// Octets in the buffer from SND.NXT on.
    pub fn unsent(&self) -> u64 {
        self.buffer_end.saturating_sub(self.snd_nxt)
    }

    /// SND.WND, octets.
    pub fn window(&self) -> u64 {
        self.window_end.saturating_sub(self.snd_una)
    }

    /// Whether FIN was sent and acknowledged.
    pub fn fin_acked(&self) -> bool {
        self.fin_queued && self.snd_una > self.buffer_end
    }

    /// SYN was sent at `now`.
    pub fn syn_sent(&mut self, now: Time) {
        (self.snd_nxt, self.snd_max) = (FIRST, FIRST);
        self.last_sent = now;
    }

    /// SYN was acknowledged: the segment that acknowledges it updates the window.
    pub fn expect_first_window(&mut self) {
        self.last_update = (0, 0);
    }

    /// Takes the window of the segment at `position` unless an older segment carries it (RFC 9293, 3.10.7.4); returns
    /// whether it changes.
    pub fn update_window(&mut self, position: Position, acked: Position, window: u64) -> bool {
        let update = (position, acked);
        if update < self.last_update && acked <= self.last_update.1 {
            return false;
        }
        let before = self.window_end.saturating_sub(self.last_update.1);
        self.last_update = update;
        self.window_end = acked + window;
        self.max_window = self.max_window.max(window);
        window != before
    }

    /// Advances SND.UNA to `acked`.
    pub fn acknowledge(&mut self, acked: Position) {
        self.snd_una = acked;
        self.snd_nxt = self.snd_nxt.max(acked);
    }

    /// `octets` from `from` on, and FIN if it follows.
    pub fn range(&self, from: Position, octets: u64, purpose: Purpose) -> Range {
        Range { from, octets, fin: self.fin_queued && from + octets == self.buffer_end, purpose }
    }

    /// The segment at SND.NXT, if the windows and the silly window avoidance of RFC 9293, 3.8.6.2.1 permit one;
    /// `usable_cwnd` is what congestion control permits.
    #[inline]
    pub fn next_in_order(&self, usable_cwnd: u64, nagle: bool) -> Option<Range> {
        if self.snd_nxt > self.buffer_end {
            return None;
        }
        let usable = usable_cwnd.min(self.window_end.saturating_sub(self.snd_nxt));
        let octets = self.unsent().min(usable).min(self.smss);
        let retransmission = self.snd_nxt < self.snd_max;
        let purpose = if retransmission { Purpose::Retransmission } else { Purpose::Data };
        let range = self.range(self.snd_nxt, octets, purpose);
        if octets == 0 && !range.fin {
            let probes = self.probe_due && self.unsent() > 0;
            return probes.then(|| self.range(self.snd_nxt, 1, Purpose::WindowProbe));
        }
        let may_be_short = self.flight_size() == 0 || !nagle;
        let permitted = octets == self.smss
            || range.fin
            || retransmission
            || self.probe_due
            || may_be_short && octets == self.unsent()
            || 2 * octets >= self.max_window;
        permitted.then_some(range)
    }

    /// The range is sent at `now`.
    pub fn sent(&mut self, now: Time, range: &Range) {
        // a probe is sent again together with the data that follow it
        if range.from == self.snd_nxt && range.purpose != Purpose::WindowProbe {
            self.snd_nxt = range.end();
        }
        self.snd_max = self.snd_max.max(range.end());
        self.last_sent = now;
        self.probe_due = false;
    }

    /// Whether new data are within the peer's window.
    pub fn is_within_window(&self, range: &Range) -> bool {
        range.from + range.octets <= self.window_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn established(window: u64, written: u64) -> Sender {
        let mut sender = Sender::new(0, 1000);
        sender.establish(window);
        sender.write(written, u64::MAX);
        sender
    }

    #[test]
    fn a_full_segment_is_sent_as_far_as_both_windows_permit() {
        let sender = established(5000, 3000);
        assert_eq!(sender.next_in_order(u64::MAX, true).map(|range| range.octets), Some(1000));
        assert_eq!(sender.next_in_order(0, true), None, "cwnd is used up");
    }

    #[test]
    fn nagle_delays_a_short_segment_while_data_are_in_flight() {
        let mut sender = established(100_000, 100);
        let first = sender.next_in_order(u64::MAX, true).expect("nothing is in flight");
        sender.sent(Time::ZERO, &first);
        sender.write(100, u64::MAX);
        assert_eq!(sender.next_in_order(u64::MAX, true), None);
        assert!(sender.next_in_order(u64::MAX, false).is_some());
        sender.acknowledge(first.end());
        assert!(sender.next_in_order(u64::MAX, true).is_some());
    }

    #[test]
    fn a_window_of_an_older_segment_is_ignored() {
        let mut sender = established(1000, 0);
        assert!(sender.update_window(10, FIRST, 4000));
        assert!(!sender.update_window(5, FIRST, 9000));
        assert_eq!(sender.window(), 4000);
    }
}
