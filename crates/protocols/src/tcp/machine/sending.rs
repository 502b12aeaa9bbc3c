//! Which segment is next.

use sojourn_core::Time;

use super::connection::{Connection, State};
use super::numbering::{FIRST, Numbering, Position};
use super::output::{Output, Purpose};
use super::ranges::Ranges;
use super::timers::Timer;
use crate::tcp::wire::{Flags, Header, Options, Timestamps};

/// The direction from here.
#[derive(Clone, Debug, Default)]
pub(super) struct Sending {
    pub numbering: Numbering,
    /// The oldest position that is not acknowledged.
    pub unacknowledged: Position,
    /// The next position to send; behind `furthest` while data are sent again.
    pub next: Position,
    /// The position after the last that was ever sent.
    pub furthest: Position,
    /// The position after the last octet that the user has written.
    pub written: Position,
    /// Whether the user writes no more: FIN is at `written`.
    pub finishes: bool,
    /// Up to where the other end has room.
    pub limit: Position,
    /// The segment that last told of room: its position and acknowledgement, so that older ones are not believed.
    pub told_by: (Position, Position),
    /// The largest room the other end has ever told of.
    pub largest_window: u64,
    /// Octets of the largest segment.
    pub segment: u64,
    /// A position whose segment is to be sent again at once.
    pub again: Option<Position>,
    /// A segment is due though it is short, or beyond the window by an octet.
    pub forced: bool,
    /// The segment that is timed: the position after it, and when it was sent.
    pub timed: Option<(Position, Time)>,
    /// When something was last sent.
    pub last: Time,
    /// What is taken out of sequence by the other end, of that not acknowledged.
    pub sack: Ranges,
    /// Whether the user was refused room.
    pub full: bool,
}

/// A stretch of positions that goes out in one segment.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: Position,
    octets: u64,
    finishes: bool,
    purpose: Purpose,
}

impl Sending {
    /// Octets written and not sent, or to be sent again.
    fn waiting(&self) -> u64 {
        self.written.saturating_sub(self.next)
    }

    /// The segment from `from` on with up to `octets`, and with FIN if it is next.
    fn stretch(&self, from: Position, octets: u64, purpose: Purpose) -> Stretch {
        Stretch { from, octets, finishes: self.finishes && from + octets == self.written, purpose }
    }
}

impl Connection {
    /// Sends all that may be sent now.
    pub(super) fn transmit(&mut self, now: Time) {
        match self.state {
            State::SynSent | State::SynReceived if self.sending.next < FIRST => self.send_syn(now),
            State::Synchronized => {
                self.restart_after_silence(now);
                while let Some(stretch) = self.next_stretch() {
                    self.send(now, stretch);
                }
                self.watch_the_window(now);
            }
            _ => {}
        }
        if self.receiving.owed {
            self.acknowledge(now);
        }
    }

    /// The next segment, if one may go.
    fn next_stretch(&mut self) -> Option<Stretch> {
        if let Some(from) = self.sending.again.take() {
            let octets = self.sending.segment.min(self.sending.written - from);
            return Some(self.sending.stretch(from, octets, Purpose::Retransmission));
        }
        if let Some((from, end)) = self.next_hole() {
            let octets = self.sending.segment.min(end - from);
            self.recovery.resent = from + octets;
            return Some(self.sending.stretch(from, octets, Purpose::Retransmission));
        }
        self.next_in_order()
    }

    /// The segment at `next`.
    fn next_in_order(&self) -> Option<Stretch> {
        let sending = &self.sending;
        if sending.next > sending.written {
            return None;
        }
        let usable = self.may_send().min(sending.limit.saturating_sub(sending.next));
        let octets = sending.waiting().min(usable).min(sending.segment);
        let again = sending.next < sending.furthest;
        let purpose = if again { Purpose::Retransmission } else { Purpose::Data };
        let stretch = sending.stretch(sending.next, octets, purpose);
        if octets == 0 && !stretch.finishes {
            let probes = sending.forced && sending.waiting() > 0;
            return probes.then(|| sending.stretch(sending.next, 1, Purpose::WindowProbe));
        }
        let idle = self.flight_size() == 0 || !self.settings.nagle;
        let goes = octets == sending.segment
            || stretch.finishes
            || again
            || sending.forced
            || idle && octets == sending.waiting()
            || 2 * octets >= sending.largest_window;
        goes.then_some(stretch)
    }

    /// Octets that the network takes more.
    fn may_send(&self) -> u64 {
        if self.recovers_by_selection() {
            return self.congestion.octets().saturating_sub(self.in_network());
        }
        (self.sending.unacknowledged + self.congestion.octets()).saturating_sub(self.sending.next)
    }

    /// Whether a segment is within the other end's window and, unless that counts what is lost, the congestion window.
    fn keeps_to_windows(&self, stretch: &Stretch) -> bool {
        let (sending, end) = (&self.sending, stretch.from + stretch.octets);
        let taken = end <= sending.limit;
        let carried = self.recovers_by_selection() || end <= sending.unacknowledged + self.congestion.octets();
        stretch.purpose != Purpose::Data || stretch.octets == 0 || taken && carried
    }

    fn send(&mut self, now: Time, stretch: Stretch) {
        let Stretch { from, octets, finishes, purpose } = stretch;
        let flags =
            Flags { psh: octets > 0 && from + octets == self.sending.written, fin: finishes, ..Flags::default() };
        let header = self.header(now, from, flags);
        let (end, new) = (from + octets + u64::from(finishes), from >= self.sending.furthest);
        debug_assert!(self.keeps_to_windows(&stretch), "new data keep to what both ends and the network take");
        // a probe is sent again with what follows it
        if from == self.sending.next && purpose != Purpose::WindowProbe {
            self.sending.next = end;
        }
        if new && self.sending.timed.is_none() && purpose == Purpose::Data {
            self.sending.timed = Some((end, now));
        }
        self.sending.furthest = self.sending.furthest.max(end);
        self.sending.last = now;
        self.retransmissions += u64::from(purpose == Purpose::Retransmission);
        if finishes && !self.receiving.has_finished() {
            self.receiving.finishes_second = true;
        }
        self.sending.forced = false;
        self.timers.stop(Timer::Persist);
        if purpose != Purpose::WindowProbe && !self.timers.runs(Timer::Retransmission) {
            self.start_retransmission_timer(now);
        }
        self.tell(Output::Transmit { header, offset: from - FIRST, length: octets as u32, purpose });
    }

    /// Sends SYN, with an acknowledgement once the other end's is known.
    fn send_syn(&mut self, now: Time) {
        let answers = self.state == State::SynReceived;
        let offers = |offered: bool, agreed: bool| offered && (!answers || agreed);
        let settings = &self.settings;
        let options = Options {
            mss: Some(settings.mss),
            window_scale: offers(settings.window_scaling, self.agreed.scaling).then(|| settings.window_shift()),
            sack_permitted: offers(settings.sack, self.agreed.sack),
            timestamps: offers(settings.timestamps, self.agreed.timestamps).then(|| self.timestamps(now)),
            ..Options::default()
        };
        let acknowledgement = answers.then(|| self.receiving.numbering.number(self.receiving.next));
        let header = Header {
            seq: self.sending.numbering.number(0),
            ack: acknowledgement,
            flags: Flags { syn: true, ..Flags::default() },
            window: self.settings.receive_buffer.min(u16::MAX.into()) as u16,
            options,
        };
        self.sending.timed = (self.sending.furthest == 0).then_some((FIRST, now));
        self.sending.next = FIRST;
        self.sending.furthest = FIRST;
        self.sending.last = now;
        self.receiving.told = FIRST + u64::from(header.window);
        self.receiving.owed = false;
        self.start_retransmission_timer(now);
        self.tell(Output::Transmit { header, offset: 0, length: 0, purpose: Purpose::Control });
    }

    /// Sends an acknowledgement alone.
    fn acknowledge(&mut self, now: Time) {
        let header = self.header(now, self.sending.next, Flags::default());
        self.tell(Output::Transmit { header, offset: 0, length: 0, purpose: Purpose::Acknowledgement });
    }

    /// The header of a segment from `from` on. Whatever is sent acknowledges all that came.
    pub(super) fn header(&mut self, now: Time, from: Position, flags: Flags) -> Header {
        let timestamps = self.agreed.timestamps.then(|| self.timestamps(now));
        let sack = if self.agreed.sack { self.receiving.blocks(timestamps.is_some()) } else { Default::default() };
        let window = self.window_to_tell();
        self.timers.stop(Timer::Acknowledgement);
        self.receiving.acknowledged();
        Header {
            seq: self.sending.numbering.number(from),
            ack: Some(self.receiving.numbering.number(self.receiving.next)),
            flags,
            window,
            options: Options { timestamps, sack, ..Options::default() },
        }
    }

    fn timestamps(&self, now: Time) -> Timestamps {
        Timestamps { ts_val: self.settings.clock.timestamp(now), ts_ecr: self.receiving.recent_timestamp }
    }

    pub(super) fn start_retransmission_timer(&mut self, now: Time) {
        self.timers.set(Timer::Retransmission, self.settings.clock.expiry(now, self.round_trip.timeout()));
    }

    /// What waits for the other end's window needs a timer, or a lost window update would stop it for ever.
    fn watch_the_window(&mut self, now: Time) {
        let waits = self.sending.waiting() > 0 && !self.timers.runs(Timer::Retransmission);
        if waits && !self.timers.runs(Timer::Persist) {
            self.timers.set(Timer::Persist, self.settings.clock.expiry(now, self.round_trip.timeout()));
        }
    }

    /// After a silence the path may have changed (RFC 5681, 4.1).
    fn restart_after_silence(&mut self, now: Time) {
        if self.flight_size() == 0
            && self.sending.waiting() > 0
            && now.since(self.sending.last) > self.round_trip.timeout()
        {
            self.congestion.restart();
        }
    }
}
