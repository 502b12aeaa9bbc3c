//! Segment transmission: selects the next segment and builds its header.

use sojourn_core::Time;

use super::connection::{Connection, State, Timer};
use super::output::{Output, Purpose};
use super::sender::Range;
use super::sequence::{FIRST, Position};
use crate::tcp::wire::{Flags, Header, Options, Timestamps};

impl Connection {
    /// Sends all segments that may be sent now, and an acknowledgement if one is due.
    pub(super) fn transmit(&mut self, now: Time) {
        match self.state {
            State::SynSent | State::SynReceived if self.sender.snd_nxt < FIRST => self.send_syn(now),
            State::Synchronized => {
                self.restart_after_idle(now);
                self.send_permitted(now);
                self.start_persist_timer(now);
                if std::mem::take(&mut self.probe_is_stale) {
                    self.start_probe_timer(now);
                }
            }
            _ => {}
        }
        if self.receiver.ack_now {
            self.acknowledge(now);
        }
    }

    /// Sends an acknowledgement without data.
    pub(super) fn acknowledge(&mut self, now: Time) {
        let mut header = self.header(now, self.sender.snd_nxt, Flags::default());
        let purpose = Purpose::Acknowledgement;
        let ecn = self.ecn.on_transmission(purpose, 0, &mut header.flags);
        self.output(Output::Transmit { header, offset: 0, length: 0, purpose, ecn });
    }

    /// Sends what windows and pacing permit.
    fn send_permitted(&mut self, now: Time) {
        while self.pacer.permits(now) {
            let Some(range) = self.next_range() else {
                self.note_limit();
                return;
            };
            self.send(now, range);
            if self.pacer.is_on() {
                let rate = self.congestion.pacing_rate(self.sender.flight_size(), self.rtt.srtt());
                self.pacer.sent(now, range.octets, rate);
            }
        }
        self.timers.set(Timer::Pacing, self.pacer.next);
    }

    /// Nothing more may be sent: samples of the rate need to know whether for want of data or of cwnd.
    fn note_limit(&mut self) {
        let (usable, unsent) = (self.usable_cwnd(), self.sender.unsent());
        if let Some(sent) = &mut self.recovery.sent {
            if usable < self.sender.smss {
                self.cwnd_limited = true;
            } else if unsent < self.sender.smss {
                sent.limited_by_application();
            }
        }
    }

    /// Starts the retransmission timer with the current RTO.
    pub(super) fn start_retransmission_timer(&mut self, now: Time) {
        self.timers.set(Timer::Retransmission, self.rtt.rto_expiry(now));
    }

    /// The header of a segment at `from`. Every segment acknowledges all data received.
    pub(super) fn header(&mut self, now: Time, from: Position, flags: Flags) -> Header {
        let timestamps = self.negotiated.timestamps.then(|| self.timestamps(now));
        let sack =
            if self.negotiated.sack { self.receiver.sack_blocks(timestamps.is_some()) } else { Default::default() };
        let window = self.advertise_window();
        self.receiver.ack_sent();
        Header {
            seq: self.sender.sequence.number(from),
            ack: Some(self.receiver.sequence.number(self.receiver.rcv_nxt)),
            flags: self.ecn.echo(flags),
            window,
            options: Options { timestamps, sack, ..Options::default() },
        }
    }

    /// Chooses the window field of the next segment.
    pub(super) fn advertise_window(&mut self) -> u16 {
        self.receiver.advertise_window(&self.settings, self.sender.smss, self.negotiated.rcv_wind_shift)
    }

    /// The next segment: retransmissions first, then the one at SND.NXT.
    fn next_range(&mut self) -> Option<Range> {
        let cwnd = self.congestion.cwnd();
        if let Some((from, octets)) = self.recovery.next_retransmission(&self.sender, cwnd) {
            return Some(self.sender.range(from, octets, Purpose::Retransmission));
        }
        self.sender.snd_nxt = self.recovery.next_unsacked(self.sender.snd_nxt);
        self.sender.next_in_order(self.usable_cwnd(), self.settings.nagle)
    }

    /// Octets from SND.NXT on that congestion control permits.
    fn usable_cwnd(&self) -> u64 {
        match self.spurious.new_data_up_to() {
            Some(up_to) => up_to.saturating_sub(self.sender.snd_nxt),
            None => self.recovery.usable_cwnd(&self.sender, self.congestion.cwnd()),
        }
    }

    pub(super) fn send(&mut self, now: Time, range: Range) {
        let Range { from, octets, fin, purpose } = range;
        let flags = Flags { psh: octets > 0 && from + octets == self.sender.buffer_end, fin, ..Flags::default() };
        let mut header = self.header(now, from, flags);
        let ecn = self.ecn.on_transmission(purpose, octets, &mut header.flags);
        debug_assert!(self.is_permitted(&range), "new data are within the peer's window and cwnd");
        if from >= self.sender.snd_max && purpose == Purpose::Data {
            self.rtt.time_segment(range.end(), now);
        }
        self.sender.sent(now, &range);
        self.recovery.on_transmission(now, from, range.end());
        self.probe_is_stale |= purpose == Purpose::Data && self.recovery.is_rack();
        if purpose == Purpose::Retransmission {
            self.rtt.on_retransmission(range.end());
            self.retransmissions += 1;
        }
        self.active_close |= fin && !self.receiver.is_finished();
        self.timers.stop(Timer::Persist);
        if purpose != Purpose::WindowProbe && !self.timers.runs(Timer::Retransmission) {
            self.start_retransmission_timer(now);
        }
        self.output(Output::Transmit { header, offset: from - FIRST, length: octets as u32, purpose, ecn });
    }

    /// Whether new data are within the peer's window and, except in SACK recovery, which uses pipe, within cwnd.
    fn is_permitted(&self, range: &Range) -> bool {
        let within_cwnd = range.octets <= self.usable_cwnd();
        range.purpose != Purpose::Data
            || range.octets == 0
            || self.tail_probe.is_some()
            || self.sender.is_within_window(range) && (within_cwnd || self.recovery.in_sack_recovery())
    }

    /// Sends SYN, or SYN-ACK in reply to the peer's SYN.
    fn send_syn(&mut self, now: Time) {
        let reply = (self.state == State::SynReceived).then_some(&self.negotiated);
        let header = Header {
            seq: self.sender.sequence.number(0),
            ack: reply.map(|_| self.receiver.sequence.number(self.receiver.rcv_nxt)),
            flags: self.ecn.syn_flags(&self.settings, reply.is_some()),
            window: self.settings.receive_buffer.min(u16::MAX.into()) as u16,
            options: self.settings.syn_options(self.timestamps(now), reply),
        };
        self.rtt.cancel_timing();
        if self.sender.snd_max == 0 {
            self.rtt.time_segment(FIRST, now);
        }
        self.sender.syn_sent(now);
        self.receiver.window_end = FIRST + u64::from(header.window);
        self.receiver.ack_now = false;
        self.start_retransmission_timer(now);
        self.output_control(header);
    }

    fn timestamps(&self, now: Time) -> Timestamps {
        Timestamps { ts_val: self.settings.clock.timestamp(now), ts_ecr: self.receiver.ts_recent }
    }

    /// Data that wait for the peer's window need a timer, since a window update may be lost.
    fn start_persist_timer(&mut self, now: Time) {
        let waits = self.sender.unsent() > 0 && !self.timers.runs(Timer::Retransmission);
        if waits && !self.timers.runs(Timer::Persist) {
            self.timers.set(Timer::Persist, self.rtt.rto_expiry(now));
        }
    }

    /// Limits cwnd after an idle period of more than one RTO (RFC 5681, 4.1); BBR goes on after any (draft-ietf-ccwg-bbr-04, 5.4.1).
    fn restart_after_idle(&mut self, now: Time) {
        if self.sender.flight_size() == 0
            && self.sender.unsent() > 0
            && (self.congestion.is_rate_based() || now.since(self.sender.last_sent) > self.rtt.rto())
        {
            self.congestion.restart_after_idle(now);
        }
    }
}
