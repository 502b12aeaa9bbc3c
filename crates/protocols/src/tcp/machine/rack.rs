//! Loss recovery by times (RACK-TLP, RFC 8985): what an acknowledgement or the reordering timer shows to be lost, and the probe of
//! the tail.

use sojourn_core::{Duration, Time};

use super::congestion::Sending;
use super::connection::{Connection, Timer};
use super::output::Purpose;
use super::recovery::TailProbe;
use super::sequence::{FIRST, Position};
use crate::tcp::wire::Header;

/// TLP.max_ack_delay: how long the peer may hold back the acknowledgement of a single segment (RFC 8985, 7.2).
const DELAYED_ACK: Duration = Duration::from_millis(200);

impl Connection {
    /// Takes an acknowledgement up to `acked` into the times of segments, and starts recovery from what it shows to be lost.
    pub(super) fn take_times(&mut self, now: Time, header: &Header, acked: Position, is_duplicate: bool) {
        let sequence = self.sender.sequence;
        let Some(sent) = &mut self.recovery.sent else { return };
        sent.on_ack(now, acked, &header.options.sack, sequence);
        self.judge_probe(acked, is_duplicate);
        self.detect_losses(now, acked);
    }

    /// Congestion control takes the sample that the last acknowledgement, up to `acked`, gives of the rate.
    pub(super) fn take_sample(&mut self, now: Time, acked: Position) {
        let in_recovery = self.recovery.is_in_progress_at(acked);
        let Some(sent) = &mut self.recovery.sent else { return };
        let (pipe, delivered, cwnd_limited) = (sent.pipe(), sent.delivered(), self.cwnd_limited);
        self.congestion.on_sample(sent.sample(), &Sending { now, pipe, delivered, cwnd_limited, in_recovery });
        if self.congestion.is_probing_rtt() {
            // rates of so little in flight say nothing of the path (draft-ietf-ccwg-bbr-04, 5.3.4.3)
            sent.limited_by_application();
        }
        self.cwnd_limited = false;
    }

    /// The reordering timer has expired (RFC 8985, 6.2, step 5).
    pub(super) fn reordering_timeout(&mut self, now: Time) {
        let snd_una = self.sender.snd_una;
        if let Some(sent) = &mut self.recovery.sent {
            sent.on_timer();
        }
        self.detect_losses(now, snd_una);
        if self.congestion.is_rate_based() {
            self.take_sample(now, snd_una);
        }
    }

    /// Detects losses at an acknowledgement or at the reordering timer.
    fn detect_losses(&mut self, now: Time, acked: Position) {
        if !self.recovery.is_rack() {
            return;
        }
        let srtt = self.rtt.srtt().unwrap_or(Duration::MAX);
        let in_recovery = self.recovery.is_active();
        let Some(sent) = &mut self.recovery.sent else { return };
        let due = sent.detect_losses(now, srtt, in_recovery);
        self.timers.set(Timer::Reordering, due.unwrap_or(Time::NEVER));
        if sent.sample().newly_lost > 0 && self.recovery.starts_by_times(acked, &self.sender, &mut self.congestion) {
            self.tail_probe = None;
            self.timers.stop(Timer::TailProbe);
            self.ecn.on_reduction();
            self.start_retransmission_timer(now);
        }
    }

    /// Starts the timer of the tail loss probe (RFC 8985, 7.2).
    pub(super) fn start_probe_timer(&mut self, now: Time) {
        self.timers.stop(Timer::TailProbe);
        let is_clear = self.recovery.sent.as_ref().is_some_and(|sent| !sent.has_sacked());
        let flight = self.sender.flight_size();
        if !is_clear || flight == 0 || self.tail_probe.is_some() || self.recovery.is_in_progress(&self.sender) {
            return;
        }
        let Some(srtt) = self.rtt.srtt() else { return };
        let is_alone = flight <= self.sender.smss;
        let timeout = srtt.times(2) + if is_alone { DELAYED_ACK } else { Duration::ZERO };
        self.timers.set(Timer::TailProbe, (now + timeout).min(self.timers.expiry(Timer::Retransmission)));
    }

    /// The timer of the tail loss probe has expired: sends new data, or the last segment again (RFC 8985, 7.3).
    pub(super) fn send_probe(&mut self, now: Time) {
        if self.recovery.is_in_progress(&self.sender) || self.sender.snd_una < FIRST {
            return;
        }
        let new_data =
            self.sender.next_in_order(self.sender.smss, false).filter(|range| range.purpose == Purpose::Data);
        let last = self.recovery.sent.as_ref().and_then(|sent| sent.last());
        let range = new_data.or_else(|| {
            let (from, end) = last?;
            let octets = end.min(self.sender.buffer_end).saturating_sub(from);
            Some(self.sender.range(from, octets, Purpose::Retransmission))
        });
        let Some(range) = range else { return };
        let is_retransmission = range.purpose == Purpose::Retransmission;
        self.tail_probe = Some(TailProbe { end: self.sender.snd_max.max(range.end()), is_retransmission });
        self.send(now, range);
        self.start_retransmission_timer(now);
    }

    /// Whether the probe repaired a loss, which counts for congestion control (RFC 8985, 7.4.2).
    fn judge_probe(&mut self, acked: Position, is_duplicate: bool) {
        let Some(TailProbe { end, is_retransmission }) = self.tail_probe.filter(|probe| acked >= probe.end) else {
            return;
        };
        if !is_retransmission || acked == end && is_duplicate {
            self.tail_probe = None;
        } else if acked > end {
            self.tail_probe = None;
            self.recovery.on_repaired_loss(&self.sender, &mut self.congestion);
            self.ecn.on_reduction();
        }
    }
}
