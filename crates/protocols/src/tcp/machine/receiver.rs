//! Receive sequence space: reassembly, acknowledgements and the own window (RFC 9293, 3.3.1 and 3.8.6).

use sojourn_core::Time;

use super::sequence::{FIRST, Position, Ranges, SequenceNumbers};
use super::settings::{Consumption, Settings};
use crate::tcp::wire::{Header, SackBlocks};

/// The receiving direction of a connection.
#[derive(Clone, Debug)]
pub(super) struct Receiver {
    pub sequence: SequenceNumbers,
    /// RCV.NXT: next position expected.
    pub rcv_nxt: Position,
    /// RCV.NXT + RCV.WND as last advertised: first position beyond the window.
    pub window_end: Position,
    /// Whether an acknowledgement is due at once.
    pub ack_now: bool,
    /// When a delayed acknowledgement is due.
    pub delayed_ack: Time,
    /// TS.Recent (RFC 7323, 4.3).
    pub ts_recent: u32,
    /// Octets delivered and not read.
    unread: u64,
    /// Data received out of order.
    out_of_order: Ranges,
    /// Position of the last data received out of order.
    latest: Position,
    /// Position of FIN, once received.
    fin: Option<Position>,
    /// Octets received in order and not acknowledged.
    unacked: u64,
}

/// What a segment delivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Delivery {
    /// Octets in order.
    pub octets: u64,
    pub end_of_stream: bool,
}

impl Receiver {
    pub fn new() -> Self {
        Receiver {
            sequence: SequenceNumbers::default(),
            rcv_nxt: 0,
            window_end: 0,
            ack_now: false,
            delayed_ack: Time::NEVER,
            ts_recent: 0,
            unread: 0,
            out_of_order: Ranges::default(),
            latest: 0,
            fin: None,
            unacked: 0,
        }
    }

    /// The peer's SYN, with sequence number `irs`, was received.
    pub fn synchronize(&mut self, irs: u32) {
        self.sequence = SequenceNumbers { initial: irs };
        self.rcv_nxt = FIRST;
    }

    /// Whether FIN and all data before it were received.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.rcv_nxt > fin)
    }

    /// Whether a segment overlaps the window (RFC 9293, 3.10.7.4, first step).
    pub fn is_acceptable(&self, position: Position, occupied: u64) -> bool {
        let (next, window_end) = (self.rcv_nxt, self.window_end.max(self.rcv_nxt));
        let end = position + occupied;
        if occupied == 0 {
            next <= position && position <= window_end
        } else {
            position < window_end.max(next + 1) && end > next
        }
    }

    /// Receives `length` octets of data at `position`, and FIN after them.
    pub fn receive(
        &mut self,
        now: Time,
        header: &Header,
        (position, length): (Position, u64),
        settings: &Settings,
        smss: u64,
    ) -> Delivery {
        let end = (position + length).min(self.window_end.max(self.rcv_nxt));
        if position <= self.rcv_nxt
            && let Some(timestamps) = header.options.timestamps
        {
            self.ts_recent = timestamps.ts_val;
        }
        if header.flags.fin && self.fin.is_none() && end == position + length {
            self.fin = Some(end);
        }
        let mut delivery = Delivery::default();
        if length > 0 && !self.is_finished() {
            delivery.octets = self.reassemble(now, position, end, settings, smss);
        }
        if self.fin == Some(self.rcv_nxt) {
            self.rcv_nxt += 1;
            self.ack_now = true;
            delivery.end_of_stream = true;
        } else if header.flags.fin {
            self.ack_now = true;
        }
        delivery
    }

    /// Inserts data; returns the octets that are now in order.
    fn reassemble(&mut self, now: Time, position: Position, end: Position, settings: &Settings, smss: u64) -> u64 {
        if end <= self.rcv_nxt {
            self.ack_now = true;
            return 0;
        }
        if position > self.rcv_nxt {
            self.out_of_order.insert(position, end);
            self.latest = position;
            self.ack_now = true;
            return 0;
        }
        let before = self.rcv_nxt;
        let had_gaps = !self.out_of_order.is_empty();
        self.rcv_nxt = end;
        self.out_of_order.remove_below(end);
        if let Some(end) = self.out_of_order.take_from(end) {
            self.rcv_nxt = end;
        }
        let octets = self.rcv_nxt - before;
        self.unacked += octets;
        if settings.consumption == Consumption::Reported {
            self.unread += octets;
        }
        // every second full segment (or as set) is acknowledged at once, and so is what fills a gap (RFC 5681, 4.2); what is read
        // at delivery has freed as much
        let at_once = match settings.consumption {
            Consumption::AtDelivery => u64::min(settings.ack_every * smss, worth_an_update(settings, smss)),
            Consumption::Reported => settings.ack_every * smss,
        };
        if had_gaps || self.unacked >= at_once {
            self.ack_now = true;
        } else if self.delayed_ack == Time::NEVER {
            self.delayed_ack = settings.clock.delayed_ack_expiry(now);
        }
        octets
    }

    /// The user has read `octets`; returns whether the window opens enough for a window update.
    pub fn read(&mut self, octets: u64, settings: &Settings, smss: u64, shift: u8) -> bool {
        self.unread = self.unread.saturating_sub(octets);
        let opens = self.largest_window_end(settings, shift).saturating_sub(self.window_end);
        opens >= worth_an_update(settings, smss)
    }

    /// Chooses the window field of the next segment, right-shifted by `shift`. The window never shrinks, and opens by at
    /// least one full segment or half of the buffer (RFC 9293, 3.8.6.2.2).
    pub fn advertise_window(&mut self, settings: &Settings, smss: u64, shift: u8) -> u16 {
        let (buffer_end, window_end, next) = (self.largest_window_end(settings, shift), self.window_end, self.rcv_nxt);
        let enough = u64::min(smss, settings.receive_buffer / 2);
        let end = if buffer_end >= window_end + enough { buffer_end } else { window_end.max(next) };
        let field = (end - next) >> shift;
        self.window_end = window_end.max(next + (field << shift));
        field as u16
    }

    /// SACK blocks of the data out of order, the latest first (RFC 2018, 4).
    pub fn sack_blocks(&self, with_timestamps: bool) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        if self.out_of_order.is_empty() {
            return blocks;
        }
        let latest = self.out_of_order.range_of(self.latest);
        let others = self.out_of_order.iter().filter(|&range| Some(range) != latest);
        let max = SackBlocks::MAX - usize::from(with_timestamps);
        for (first, end) in latest.into_iter().chain(others).take(max) {
            blocks.push(self.sequence.number(first), self.sequence.number(end));
        }
        blocks
    }

    /// Whether data wait for a delayed acknowledgement.
    pub fn has_unacked(&self) -> bool {
        self.unacked > 0
    }

    /// A segment with ACK is sent: no acknowledgement is due.
    pub fn ack_sent(&mut self) {
        self.ack_now = false;
        self.delayed_ack = Time::NEVER;
        self.unacked = 0;
    }

    /// The connection is closed: no acknowledgement is due any more.
    pub fn stop(&mut self) {
        self.ack_now = false;
        self.delayed_ack = Time::NEVER;
    }

    /// Position after the free space of the receive buffer, as far as a window field that is right-shifted by `shift` can say.
    fn largest_window_end(&self, settings: &Settings, shift: u8) -> Position {
        let free = settings.receive_buffer.saturating_sub(self.unread);
        self.rcv_nxt + ((free >> shift).min(u16::MAX.into()) << shift)
    }
}

/// Octets that a reader frees before it says so: two full segments or half of the buffer (`tcp_output()` of 4.4BSD, which a
/// read calls; RFC 1122, 4.2.3.3 asks for one segment).
fn worth_an_update(settings: &Settings, smss: u64) -> u64 {
    u64::min(2 * smss, settings.receive_buffer.div_ceil(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver(settings: &Settings) -> Receiver {
        let mut receiver = Receiver::new();
        receiver.synchronize(0);
        receiver.window_end = FIRST;
        receiver.advertise_window(settings, 1000, 0);
        receiver
    }

    #[test]
    fn a_filled_gap_delivers_all_data_behind_it_and_is_acknowledged_at_once() {
        let settings = Settings::bsd95(1000, Time::ZERO, Time::ZERO);
        let mut receiver = receiver(&settings);
        let mut receive = |position, length| {
            let delivery =
                receiver.receive(Time::ZERO, &Header::default(), (FIRST + position, length), &settings, 1000);
            (delivery.octets, receiver.ack_now)
        };
        assert_eq!(receive(1000, 1000), (0, true));
        assert_eq!(receive(3000, 500), (0, true));
        assert_eq!(receive(0, 1000), (2000, true));
        assert_eq!(receive(2000, 1000), (1500, true));
    }

    #[test]
    fn the_window_opens_by_full_segments_only() {
        let settings = Settings { consumption: Consumption::Reported, ..Settings::bsd95(1000, Time::ZERO, Time::ZERO) };
        let mut receiver = receiver(&settings);
        receiver.receive(Time::ZERO, &Header::default(), (FIRST, 10_000), &settings, 1000);
        assert_eq!(receiver.advertise_window(&settings, 1000, 0), 55_535);
        assert!(!receiver.read(999, &settings, 1000, 0), "silly window");
        assert_eq!(receiver.advertise_window(&settings, 1000, 0), 55_535);
        assert!(receiver.read(1001, &settings, 1000, 0));
        assert_eq!(receiver.advertise_window(&settings, 1000, 0), 57_535);
    }

    #[test]
    fn a_buffer_beyond_what_the_window_field_can_say_opens_no_window() {
        let bsd95 = Settings::bsd95(1000, Time::ZERO, Time::ZERO);
        let settings = Settings { consumption: Consumption::Reported, receive_buffer: 4 << 20, ..bsd95 };
        let mut receiver = receiver(&settings);
        receiver.receive(Time::ZERO, &Header::default(), (FIRST, 1000), &settings, 1000);
        assert!(!receiver.read(1000, &settings, 1000, 0), "65 535 octets are advertised, of which one segment came");
        receiver.receive(Time::ZERO, &Header::default(), (FIRST + 1000, 1000), &settings, 1000);
        assert!(
            receiver.read(0, &settings, 1000, 0),
            "two came, and what has no room in the window is as good as read"
        );
    }
}
