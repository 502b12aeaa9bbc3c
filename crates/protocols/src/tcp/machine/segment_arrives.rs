//! Processing of arriving segments, by state (RFC 9293, 3.10.7).

use sojourn_core::{Duration, Time};

use super::connection::{Connection, State, Timer};
use super::ecn::Echo;
use super::hystart::Ack;
use super::output::{End, Output};
use super::sequence::{FIRST, Position};
use super::spurious::{Evidence, Verdict};
use crate::ip::Ecn;
use crate::tcp::wire::{Flags, Header};

impl Connection {
    /// Processes a segment with `length` octets of data.
    pub(super) fn segment_arrives(&mut self, now: Time, header: &Header, length: u32, ecn: Ecn) {
        match self.state {
            State::Closed => self.refuse(header, length),
            State::Listen => self.segment_in_listen(header, length, ecn),
            State::SynSent => self.segment_in_syn_sent(now, header, length, ecn),
            State::SynReceived | State::Synchronized | State::TimeWait => {
                self.segment_in_synchronized(now, header, length, ecn);
            }
        }
    }

    fn segment_in_listen(&mut self, header: &Header, length: u32, ecn: Ecn) {
        if header.flags.rst {
        } else if header.ack.is_some() {
            self.refuse(header, length);
        } else if header.flags.syn {
            self.receive_syn(header, ecn);
            self.state = State::SynReceived;
        }
    }

    fn segment_in_syn_sent(&mut self, now: Time, header: &Header, length: u32, ecn: Ecn) {
        let expected = self.sender.sequence.number(FIRST);
        match header.ack {
            Some(ack) if ack != expected => self.refuse(header, length),
            Some(_) if header.flags.rst => self.end(End::Reset),
            Some(_) if header.flags.syn => {
                self.receive_syn(header, ecn);
                self.receiver.ack_now = true;
                self.establish(now, header, 0);
            }
            None if header.flags.syn && !header.flags.rst => {
                // simultaneous open
                self.receive_syn(header, ecn);
                self.state = State::SynReceived;
                self.sender.snd_nxt = 0;
            }
            _ => {}
        }
    }

    fn segment_in_synchronized(&mut self, now: Time, header: &Header, length: u32, ecn: Ecn) {
        let next = self.receiver.rcv_nxt;
        let Some(position) = self.receiver.sequence.position(next, header.seq) else { return };
        let occupied = u64::from(length) + u64::from(header.flags.fin);
        if !self.receiver.is_acceptable(position, occupied) {
            self.receiver.ack_now |= !header.flags.rst;
            return;
        }
        if header.flags.rst {
            // an RST other than at RCV.NXT may be forged (RFC 5961, 3.2)
            if position == next {
                self.end(End::Reset)
            } else {
                self.receiver.ack_now = true
            }
            return;
        }
        if header.flags.syn {
            self.receiver.ack_now = true;
            return;
        }
        self.take_mark(now, header, length, ecn);
        if self.state == State::SynReceived {
            if header.ack != Some(self.sender.sequence.number(FIRST)) {
                self.refuse(header, length);
                return;
            }
            self.establish(now, header, position);
        } else {
            self.process_ack(now, header, position, occupied);
        }
        self.receive_data(now, header, position, length.into());
        self.finish(now);
    }

    /// Takes the peer's ISS and options from its SYN.
    fn receive_syn(&mut self, header: &Header, ecn: Ecn) {
        self.receiver.synchronize(header.seq);
        self.receiver.ts_recent = header.options.timestamps.map_or(0, |timestamps| timestamps.ts_val);
        self.negotiate(&header.options);
        self.ecn.on_syn(&self.settings, &header.flags, header.ack.is_some(), ecn);
    }

    /// A segment has come with a mark or without one: acknowledges at once what the echo of marks asks for.
    fn take_mark(&mut self, now: Time, header: &Header, length: u32, ecn: Ecn) {
        let arrival = self.ecn.on_arrival(ecn, &header.flags, length);
        if arrival.flush {
            if self.receiver.has_unacked() {
                self.acknowledge(now);
            }
            self.ecn.flushed();
        }
        self.receiver.ack_now |= arrival.ack_now;
    }

    /// The own SYN is acknowledged by a segment at `position`.
    fn establish(&mut self, now: Time, header: &Header, position: Position) {
        self.state = State::Synchronized;
        self.timers.stop(Timer::Retransmission);
        self.sender.expect_first_window();
        self.output(Output::Established);
        self.process_ack(now, header, position, 1);
    }

    /// Processes the acknowledgement, SACK blocks and window of a segment that occupies `occupied` positions.
    fn process_ack(&mut self, now: Time, header: &Header, position: Position, occupied: u64) {
        let snd_una = self.sender.snd_una;
        let Some(acked) = header.ack.and_then(|ack| self.sender.sequence.position(snd_una, ack)) else { return };
        if acked > self.sender.snd_max {
            self.receiver.ack_now = true;
            return;
        }
        if acked < snd_una {
            return;
        }
        let (sequence, snd_max) = (self.sender.sequence, self.sender.snd_max);
        let had = self.recovery.delivered(snd_una);
        // of interest only until the timeout is judged
        let outstanding = if self.spurious.is_open() { self.recovery.outstanding(acked) } else { 0 };
        let sacked = self.recovery.update_scoreboard(&header.options.sack, sequence, acked, snd_max);
        let sacks_original = self.spurious.is_open() && self.recovery.outstanding(acked) < outstanding;
        let shift = if header.flags.syn { 0 } else { self.negotiated.snd_wind_shift };
        let window_changed = self.sender.update_window(position, acked, u64::from(header.window) << shift);
        let delivered = self.recovery.delivered(acked).saturating_sub(had);
        let marked = if self.ecn.is_off() { 0 } else { self.process_echo(now, header, acked, delivered) };
        if self.recovery.sent.is_some() {
            self.probe_is_stale |= acked > snd_una;
            self.take_times(now, header, acked, acked == snd_una && occupied == 0 && !window_changed);
            self.recovery.reduce_in_proportion([snd_una, acked], self.sender.smss, &mut self.congestion);
            if self.congestion.is_rate_based() {
                self.take_sample(now, acked);
            }
        }
        if acked > snd_una {
            self.new_ack(now, header, [acked, delivered, marked], sacks_original);
        } else if self.timers.runs(Timer::Retransmission) && occupied == 0 && (!window_changed || sacked) {
            self.duplicate_ack(now, sacks_original);
        }
    }

    /// Processes the echo of marks in an acknowledgement; returns the octets that were marked.
    fn process_echo(&mut self, now: Time, header: &Header, acked: Position, delivered: u64) -> u64 {
        let echo = self.ecn.on_ack(&header.flags, delivered, self.sender.smss);
        let (octets, snd_max) = (acked - self.sender.snd_una, self.sender.snd_max);
        let srtt = self.rtt.srtt().unwrap_or(Duration::ZERO);
        let Echo { marked, is_congested } = echo;
        let ack = Ack { now, octets, delivered, marked, position: acked, snd_max, rtt: None, srtt, cwnd_limited: true };
        self.congestion.on_delivery(&ack);
        // a loss that is being recovered from has reduced cwnd already
        if is_congested && !self.recovery.is_in_progress(&self.sender) {
            let flight_size = self.sender.flight_size();
            let in_proportion = self.recovery.is_rack() && !self.congestion.is_scalable();
            if self.congestion.on_marks(&ack, flight_size, in_proportion) {
                self.ecn.on_reduction();
                if in_proportion {
                    self.recovery.reduce_until(snd_max, flight_size);
                }
            }
        }
        marked
    }

    fn new_ack(&mut self, now: Time, header: &Header, [acked, delivered, marked]: [u64; 3], sacks_original: bool) {
        let octets = acked - self.sender.snd_una;
        let cwnd_limited = 2 * self.sender.flight_size() >= self.congestion.cwnd();
        let timestamps = header.options.timestamps.filter(|_| self.negotiated.timestamps && acked > FIRST);
        let ts_ecr = timestamps.map(|timestamps| timestamps.ts_ecr);
        let snd_max = self.sender.snd_max;
        let rtt = self.rtt.on_ack(now, acked, ts_ecr, snd_max);
        self.rto_expiries = 0;
        self.sender.acknowledge(acked);
        let held = self.congestion.is_held(acked);
        let grows = self.recovery.on_new_ack(acked, octets, &mut self.congestion) && !held;
        if grows && self.judge_timeout(true, sacks_original, ts_ecr) != Verdict::Spurious {
            let srtt = self.rtt.srtt().unwrap_or(Duration::ZERO);
            let position = acked;
            let ack = Ack { now, octets, delivered, marked, position, snd_max, rtt, srtt, cwnd_limited };
            self.congestion.on_ack(&ack);
        }
        self.timers.stop(Timer::Retransmission);
        if acked < self.sender.snd_max {
            self.start_retransmission_timer(now);
        }
        if self.sender.blocked && self.state == State::Synchronized && self.send_space() > 0 {
            self.sender.blocked = false;
            self.output(Output::Writable);
        }
    }

    fn duplicate_ack(&mut self, now: Time, sacks_original: bool) {
        self.judge_timeout(false, sacks_original, None);
        if self.recovery.on_duplicate_ack(&self.sender, &mut self.congestion) {
            self.rtt.on_loss();
            self.ecn.on_reduction();
            self.start_retransmission_timer(now);
        }
    }

    /// Judges by an acknowledgement whether the last timeout was spurious, and goes on accordingly.
    fn judge_timeout(&mut self, advances: bool, sacks_original: bool, ts_ecr: Option<u32>) -> Verdict {
        if !self.spurious.is_open() {
            return Verdict::Open;
        }
        let complete = !self.recovery.is_in_progress(&self.sender);
        let has_new_data = self.sender.has_new_data();
        let evidence = Evidence { advances, sacks_original, complete, ts_ecr, has_new_data };
        let verdict = self.spurious.judge(&evidence, self.sender.snd_max + 2 * self.sender.smss);
        match verdict {
            Verdict::Open => {}
            Verdict::SendNew => self.sender.snd_nxt = self.sender.snd_max,
            Verdict::Lost => {
                // the slow start goes on with the loss window and the two new segments (RFC 5682, 3.1, step 3a)
                self.congestion.limit_cwnd(3 * self.sender.smss);
                self.recovery.include_new_data(&self.sender);
                self.sender.snd_nxt = self.sender.snd_una;
            }
            Verdict::Spurious => {
                self.congestion = self.spurious.restored().unwrap_or(self.congestion.clone());
                self.recovery.on_spurious_timeout(&self.sender);
                self.sender.snd_nxt = self.sender.snd_max;
            }
        }
        verdict
    }

    fn receive_data(&mut self, now: Time, header: &Header, position: Position, length: u64) {
        let delivery = self.receiver.receive(now, header, (position, length), &self.settings, self.sender.smss);
        if delivery.octets > 0 {
            self.output(Output::Deliver { octets: delivery.octets });
        }
        if delivery.end_of_stream {
            self.output(Output::EndOfStream);
        }
    }

    /// Enters TIME-WAIT or closes once both ends have closed and all is acknowledged.
    fn finish(&mut self, now: Time) {
        if !self.sender.fin_acked() || !self.receiver.is_finished() {
            return;
        }
        if self.active_close {
            self.state = State::TimeWait;
            self.timers.stop(Timer::Retransmission);
            self.timers.set(Timer::TimeWait, now + self.settings.time_wait);
        } else {
            self.end(End::Finished);
        }
    }

    /// Answers a segment that belongs to no connection with RST (RFC 9293, 3.5.2).
    fn refuse(&mut self, header: &Header, length: u32) {
        if header.flags.rst {
            return;
        }
        let Flags { syn, fin, .. } = header.flags;
        let after = header.seq.wrapping_add(length).wrapping_add(u32::from(syn) + u32::from(fin));
        self.output_control(Header {
            seq: header.ack.unwrap_or(0),
            ack: header.ack.is_none().then_some(after),
            flags: Flags { rst: true, ..Flags::default() },
            ..Header::default()
        });
    }
}
