//! Loss recovery: fast retransmit and fast recovery (RFC 5681), NewReno (RFC 6582) and SACK (RFC 6675).

use sojourn_core::Time;

use super::congestion::CongestionControl;
use super::prr::Prr;
use super::sender::Sender;
use super::sent::SentSegments;
use super::sequence::{Position, Ranges, SequenceNumbers};
use super::settings::{Congestion, Recovery, Settings};
use crate::tcp::wire::SackBlocks;

/// DupThresh: duplicate ACKs, or SACKed segments above it, after which a segment counts as lost.
const DUP_THRESH: u32 = 3;

/// Duplicate ACKs, the SACK scoreboard and the state of fast recovery.
#[derive(Clone, Debug)]
pub(super) struct LossRecovery {
    algorithm: Congestion,
    /// Whether SACK was negotiated.
    sack: bool,
    /// Whether fast recovery is in progress.
    active: bool,
    /// RecoveryPoint: `snd_max` when the loss was detected.
    recover: Position,
    /// Duplicate ACKs since the last acknowledgement of new data.
    dup_acks: u32,
    /// HighRxt: position up to which gaps were retransmitted.
    high_rxt: Position,
    /// Whether a retransmission timeout is being recovered from: everything before `recover` is sent again in order, except
    /// what was SACKed.
    timed_out: bool,
    /// The same, whatever is sent again.
    after_timeout: bool,
    /// Positions above SND.UNA that the peer has received.
    scoreboard: Ranges,
    /// Position of a segment to retransmit at once.
    fast_retransmit: Option<Position>,
    /// Times of the segments in flight, where something needs them.
    pub sent: Option<Box<SentSegments>>,
    /// Whether losses are detected by them, if SACK was negotiated.
    wants_rack: bool,
    prr: Prr,
    /// Position up to which what is acknowledged reduces cwnd after marks (Linux's state CWR).
    reduced_until: Position,
}

/// A tail loss probe that was sent (RFC 8985, 7.1).
#[derive(Clone, Copy, Debug)]
pub(super) struct TailProbe {
    /// TLP.end_seq: SND.NXT when it was sent.
    pub end: Position,
    /// Whether it was a retransmission.
    pub is_retransmission: bool,
}

impl LossRecovery {
    pub fn new(settings: &Settings) -> Self {
        let wants_rack = settings.recovery == Recovery::Rack || settings.congestion == Congestion::Bbr;
        LossRecovery {
            algorithm: settings.congestion,
            sent: wants_rack.then(|| Box::new(SentSegments::new())),
            wants_rack,
            prr: Prr::default(),
            reduced_until: 0,
            sack: false,
            active: false,
            recover: 0,
            dup_acks: 0,
            high_rxt: 0,
            timed_out: false,
            after_timeout: false,
            scoreboard: Ranges::default(),
            fast_retransmit: None,
        }
    }

    /// Whether losses are detected by times.
    #[inline]
    pub fn is_rack(&self) -> bool {
        self.wants_rack && self.sack
    }

    /// Whether fast recovery is in progress.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// The same once all up to `acked` are acknowledged.
    pub fn is_active_at(&self, acked: Position) -> bool {
        self.active && acked < self.recover
    }

    /// The same, or whether a timeout is recovered from.
    pub fn is_in_progress_at(&self, acked: Position) -> bool {
        self.is_active_at(acked) || self.after_timeout && acked < self.recover
    }

    /// A range from `from` to before `end` is sent.
    #[inline]
    pub fn on_transmission(&mut self, now: Time, from: Position, end: Position) {
        if let Some(sent) = &mut self.sent {
            sent.on_transmission(now, from, end);
            self.prr.sent(end - from);
        }
    }

    /// Times show losses at an acknowledgement up to `acked`; returns whether fast recovery starts.
    pub fn starts_by_times(&mut self, acked: Position, sender: &Sender, congestion: &mut CongestionControl) -> bool {
        if self.active || acked < self.recover {
            return false;
        }
        if !congestion.is_held(sender.snd_una) {
            congestion.on_loss(sender.flight_size());
        }
        (self.active, self.recover, self.reduced_until) = (true, sender.snd_max, 0);
        // without what was SACKed before (RFC 9937, 4)
        let before = |sent: &SentSegments| sent.pipe() + sent.sample().newly_lost + sent.sample().newly_acked;
        self.prr = Prr::new(self.sent.as_deref().map_or(sender.flight_size(), before));
        true
    }

    /// Marks reduce cwnd in proportion to what is delivered, until all up to `snd_max` is.
    pub fn reduce_until(&mut self, snd_max: Position, flight_size: u64) {
        self.reduced_until = snd_max;
        self.prr = Prr::new(flight_size);
    }

    /// An acknowledgement from SND.UNA to `acked` in fast recovery, or after marks: how much may be in flight (PRR).
    pub fn reduce_in_proportion(
        &mut self,
        [snd_una, acked]: [Position; 2],
        smss: u64,
        congestion: &mut CongestionControl,
    ) {
        let is_reducing = self.active || snd_una < self.reduced_until;
        if !is_reducing || !self.is_rack() || congestion.is_rate_based() {
            return;
        }
        if !self.active && acked >= self.reduced_until {
            congestion.set_cwnd(congestion.ssthresh());
            return;
        }
        let advances = acked > snd_una;
        let Some(sent) = &self.sent else { return };
        let (sample, pipe) = (sent.sample(), sent.pipe());
        if sample.newly_acked == 0 {
            return; // nothing was delivered that something may be sent for (RFC 9937, 6.2)
        }
        let is_safe = advances && sample.newly_lost == 0;
        congestion.set_cwnd(self.prr.cwnd(sample.newly_acked, pipe, congestion.ssthresh(), smss, is_safe));
    }

    /// A tail loss probe has repaired a loss.
    pub fn on_repaired_loss(&mut self, sender: &Sender, congestion: &mut CongestionControl) {
        congestion.on_loss(sender.flight_size());
        congestion.limit_cwnd(congestion.ssthresh());
    }

    /// Whether SACK was negotiated.
    pub fn set_sack(&mut self, sack: bool) {
        self.sack = sack;
    }

    /// Adds the SACK blocks of a segment that acknowledges up to `acked`; returns whether any position is new.
    pub fn update_scoreboard(
        &mut self,
        blocks: &SackBlocks,
        sequence: SequenceNumbers,
        acked: Position,
        snd_max: Position,
    ) -> bool {
        if !self.sack {
            return false;
        }
        let before = self.scoreboard.total();
        for &(left, right) in blocks.as_slice() {
            let range = sequence.position(acked, left).zip(sequence.position(acked, right));
            if let Some((left, right)) = range.filter(|&(left, right)| acked < left && left < right && right <= snd_max)
            {
                self.scoreboard.insert(left, right);
            }
        }
        self.scoreboard.total() > before
    }

    /// Octets and SYN that the peer has where it has acknowledged up to `acked`, SACKed ones included.
    #[inline]
    pub fn delivered(&self, acked: Position) -> u64 {
        if self.scoreboard.is_empty() {
            return acked;
        }
        acked + self.scoreboard.total() - self.scoreboard.within(0, acked)
    }

    /// A duplicate ACK; returns whether fast recovery starts.
    pub fn on_duplicate_ack(&mut self, sender: &Sender, congestion: &mut CongestionControl) -> bool {
        if self.is_rack() {
            return false;
        }
        self.dup_acks += 1;
        if self.active {
            if !self.sack {
                congestion.inflate();
            }
            return false;
        }
        let lost = self.dup_acks >= DUP_THRESH || self.sack && self.is_lost(sender.snd_una, sender.smss);
        // duplicate ACKs of data retransmitted after a timeout indicate no new loss (RFC 6582, 4)
        let new = self.algorithm == Congestion::Reno || sender.snd_una > self.recover;
        if lost && new {
            self.start(sender, congestion);
        }
        lost && new
    }

    fn start(&mut self, sender: &Sender, congestion: &mut CongestionControl) {
        // a reduction by marks of the same window counts for the loss as well, as in Linux
        if !congestion.is_held(sender.snd_una) {
            congestion.on_loss(self.loss_flight_size(sender, congestion));
        }
        congestion.set_cwnd_to_ssthresh_plus(if self.sack { 0 } else { DUP_THRESH.into() });
        self.active = true;
        self.recover = sender.snd_max;
        let first_segment = sender.smss.min(sender.buffer_end - sender.snd_una);
        self.high_rxt = sender.snd_una + if self.sack { first_segment } else { 0 };
        self.fast_retransmit = Some(sender.snd_una);
    }

    /// New data up to `acked` were acknowledged, `octets` of them; returns whether congestion control may grow cwnd, which it
    /// may outside fast recovery.
    pub fn on_new_ack(&mut self, acked: Position, octets: u64, congestion: &mut CongestionControl) -> bool {
        self.scoreboard.remove_below(acked);
        self.dup_acks = 0;
        self.timed_out &= acked < self.recover;
        self.after_timeout &= acked < self.recover;
        if !self.active {
            return true;
        }
        if self.algorithm == Congestion::Reno && !self.sack {
            self.active = false;
            congestion.limit_cwnd(congestion.ssthresh());
        } else if acked >= self.recover {
            self.active = false;
            // whatever is in flight, as Linux does: after a recovery in which the send buffer was full, that is next to
            // nothing (RFC 6582, 3.2, step 3, option 2)
            congestion.set_cwnd_to_ssthresh_plus(0);
        } else if !self.sack {
            congestion.deflate(octets);
            self.fast_retransmit = Some(acked);
        }
        false
    }

    /// The retransmission timer has expired, for the `expiries`-th time without new data acknowledged.
    pub fn on_rto(&mut self, expiries: u8, sender: &Sender, congestion: &mut CongestionControl) {
        // ssthresh is not lowered again for the same segment (RFC 5681, 3.1), nor, in Linux, for losses that fast recovery
        // has lowered it for; 4.4BSD does both
        if expiries == 1 && !self.active || self.algorithm == Congestion::Reno {
            congestion.on_loss(self.loss_flight_size(sender, congestion));
        }
        congestion.on_rto();
        (self.active, self.dup_acks, self.high_rxt) = (false, 0, 0);
        self.recover = sender.snd_max;
        if let Some(sent) = &mut self.sent {
            sent.on_rto();
        }
        (self.timed_out, self.after_timeout) = (self.sack && !self.is_rack(), true);
        self.reduced_until = 0;
        // what was SACKed is not sent again (RFC 6675, 5.1), unless the peer has discarded it: then SND.UNA itself is SACKed
        if self.scoreboard.absent(sender.snd_una).0 > sender.snd_una {
            self.scoreboard.clear();
        }
    }

    /// Whether a loss is being recovered from: data in flight when it was detected are not all acknowledged.
    pub fn is_in_progress(&self, sender: &Sender) -> bool {
        self.active || sender.snd_una < self.recover
    }

    /// Octets in flight at the last timeout or loss that are neither acknowledged nor SACKed; all before `acked` are.
    pub fn outstanding(&self, acked: Position) -> u64 {
        self.recover.saturating_sub(acked) - self.scoreboard.within(acked, self.recover.max(acked))
    }

    /// The new data sent after a timeout are sent again with the rest, unless they are SACKed.
    pub fn include_new_data(&mut self, sender: &Sender) {
        self.recover = sender.snd_max;
    }

    /// The last timeout was spurious: what was in flight still is.
    pub fn on_spurious_timeout(&mut self, sender: &Sender) {
        (self.timed_out, self.after_timeout, self.dup_acks) = (false, false, 0);
        self.recover = sender.snd_una - 1;
    }

    /// After a timeout, the first position at or after `position` that the peer is not known to have; elsewhere `position`.
    pub fn next_unsacked(&self, position: Position) -> Position {
        if self.timed_out { self.scoreboard.absent(position).0 } else { position }
    }

    /// Octets from `position` up to those that were SACKed, after a timeout.
    fn unsacked_octets(&self, position: Position) -> u64 {
        if !self.timed_out {
            return u64::MAX;
        }
        self.scoreboard.absent(position).1.map_or(u64::MAX, |end| end - position)
    }

    /// The next range to retransmit, its first position and octets, if cwnd permits it.
    #[inline]
    pub fn next_retransmission(&mut self, sender: &Sender, cwnd: u64) -> Option<(Position, u64)> {
        if self.is_rack() {
            let sent = self.sent.as_mut()?;
            let (from, end) = sent.next_lost()?;
            let octets = end.min(sender.buffer_end).saturating_sub(from);
            return (sent.pipe() + octets <= cwnd).then_some((from, octets));
        }
        if let Some(from) = self.fast_retransmit.take() {
            return Some((from, sender.smss.min(sender.buffer_end - from)));
        }
        let (from, end) = self.next_gap(sender, cwnd)?;
        let octets = sender.smss.min(end - from);
        self.high_rxt = from + octets;
        Some((from, octets))
    }

    /// No retransmission is due any more.
    pub fn cancel_retransmission(&mut self) {
        self.fast_retransmit = None;
    }

    /// Octets from SND.NXT on that `cwnd` permits.
    #[inline]
    pub fn usable_cwnd(&self, sender: &Sender, cwnd: u64) -> u64 {
        if let Some(sent) = self.sent.as_ref().filter(|_| self.is_rack()) {
            return cwnd.saturating_sub(sent.pipe());
        }
        if self.in_sack_recovery() {
            return cwnd.saturating_sub(self.pipe(sender));
        }
        // after a timeout what was SACKed has left the network
        let sacked = if self.timed_out { self.scoreboard.within(sender.snd_una, sender.snd_nxt) } else { 0 };
        let usable = (sender.snd_una + cwnd + sacked).saturating_sub(sender.snd_nxt);
        usable.min(self.unsacked_octets(sender.snd_nxt))
    }

    /// Whether gaps in the scoreboard are retransmitted one by one.
    pub fn in_sack_recovery(&self) -> bool {
        self.active && self.sack
    }

    /// FlightSize of which ssthresh becomes a share; 4.4BSD uses the smaller of cwnd and SND.WND.
    fn loss_flight_size(&self, sender: &Sender, congestion: &CongestionControl) -> u64 {
        match self.algorithm {
            Congestion::Reno => congestion.cwnd().min(sender.window()),
            _ => sender.flight_size(),
        }
    }

    /// IsLost() (RFC 6675, 4).
    fn is_lost(&self, position: Position, smss: u64) -> bool {
        position < self.lost_below(smss)
    }

    /// The position below which everything not SACKed counts as lost: DupThresh ranges, or more than DupThresh - 1
    /// segments, are SACKed from there on. Only the last ranges are inspected, however many there are.
    fn lost_below(&self, smss: u64) -> Position {
        let (mut ranges, mut octets) = (0, 0);
        for (first, end) in self.scoreboard.iter().rev() {
            (ranges, octets) = (ranges + 1, octets + end - first);
            if ranges >= DUP_THRESH || octets > u64::from(DUP_THRESH - 1) * smss {
                return first;
            }
        }
        0
    }

    /// Position from which gaps were not retransmitted.
    fn retransmitted_up_to(&self, sender: &Sender) -> Position {
        self.high_rxt.max(sender.snd_una)
    }

    /// Octets estimated to be in the network (SetPipe(); RFC 6675, 4).
    fn pipe(&self, sender: &Sender) -> u64 {
        let from = self.retransmitted_up_to(sender);
        let below = self.lost_below(sender.smss).max(from);
        let lost = below - from - self.scoreboard.within(from, below);
        sender.flight_size().saturating_sub(self.scoreboard.total() + lost)
    }

    /// The next gap to retransmit, if cwnd permits a segment (NextSeg(), rule 1; RFC 6675, 4).
    #[inline]
    fn next_gap(&self, sender: &Sender, cwnd: u64) -> Option<(Position, Position)> {
        if !self.in_sack_recovery() || self.pipe(sender) + sender.smss > cwnd {
            return None;
        }
        let (from, end) = self.scoreboard.gap(self.retransmitted_up_to(sender))?;
        let end = end.min(sender.buffer_end);
        (from < end && self.is_lost(from, sender.smss)).then_some((from, end))
    }
}

#[cfg(test)]
mod tests {
    use super::super::output::Purpose;
    use super::*;

    /// A sender with ten segments of 1000 octets in flight.
    fn ten_segments_in_flight() -> Sender {
        let mut sender = Sender::new(0, 1000);
        sender.establish(100_000);
        sender.write(10_000, u64::MAX);
        for segment in 0..10 {
            let range = sender.range(1 + 1000 * segment, 1000, Purpose::Data);
            sender.sent(Time::ZERO, &range);
        }
        sender
    }

    fn newreno() -> Settings {
        Settings { congestion: Congestion::NewReno, ..Settings::modern(1000) }
    }

    fn blocks(of: &[(u32, u32)]) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        of.iter().for_each(|&(left, right)| assert!(blocks.push(left, right)));
        blocks
    }

    #[test]
    fn pipe_excludes_what_was_sacked_and_what_is_lost() {
        let sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        recovery.set_sack(true);
        assert!(recovery.update_scoreboard(&blocks(&[(2001, 5001)]), sender.sequence, 1, sender.snd_max));
        // three segments are SACKed, two before them are lost
        assert_eq!(recovery.pipe(&sender), 5000);
        assert!(recovery.is_lost(1001, 1000) && !recovery.is_lost(5001, 1000));
    }

    #[test]
    fn after_a_timeout_only_what_was_not_sacked_is_sent_again() {
        let mut sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        recovery.set_sack(true);
        recovery.update_scoreboard(&blocks(&[(2001, 5001), (7001, 10_001)]), sender.sequence, 1, sender.snd_max);
        let settings = Settings { initial_cwnd: 10_000, ..Settings::bsd95(1000, Time::ZERO, Time::ZERO) };
        let mut congestion = CongestionControl::new(&Settings { congestion: Congestion::NewReno, ..settings });
        recovery.on_rto(1, &sender, &mut congestion);
        sender.snd_nxt = sender.snd_una;
        let mut sent = Vec::new();
        loop {
            sender.snd_nxt = recovery.next_unsacked(sender.snd_nxt);
            let usable = recovery.usable_cwnd(&sender, 4000);
            let Some(range) = sender.next_in_order(usable, true) else { break };
            sent.push(range.from);
            sender.sent(Time::ZERO, &range);
        }
        assert_eq!(sent, [1, 1001, 5001, 6001], "a window of four segments, none of them SACKed");
    }

    #[test]
    fn a_peer_that_discarded_what_it_sacked_is_sent_all_of_it() {
        let sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        recovery.set_sack(true);
        recovery.update_scoreboard(&blocks(&[(1001, 5001)]), sender.sequence, 1, sender.snd_max);
        let mut later = sender.clone();
        later.acknowledge(1001);
        let mut congestion = CongestionControl::new(&Settings::modern(1000));
        recovery.on_rto(1, &later, &mut congestion);
        assert_eq!(recovery.next_unsacked(1001), 1001);
    }

    #[test]
    fn the_third_duplicate_ack_halves_cwnd_and_retransmits_the_first_segment() {
        let sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        let settings = Settings { initial_cwnd: 10_000, ..Settings::bsd95(1000, Time::ZERO, Time::ZERO) };
        let mut congestion = CongestionControl::new(&Settings { congestion: Congestion::NewReno, ..settings });
        let starts = [1, 2, 3, 4].map(|_| recovery.on_duplicate_ack(&sender, &mut congestion));
        assert_eq!(starts, [false, false, true, false]);
        // ssthresh, three segments for the first duplicates and one for the fourth
        assert_eq!(congestion.cwnd(), 5000 + 4000);
        assert_eq!(recovery.next_retransmission(&sender, congestion.cwnd()), Some((1, 1000)));
        assert_eq!(recovery.next_retransmission(&sender, congestion.cwnd()), None);
    }

    #[test]
    fn the_end_of_fast_recovery_leaves_cwnd_at_ssthresh_with_nothing_in_flight() {
        let mut sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        let settings = Settings { initial_cwnd: 10_000, ..Settings::bsd95(1000, Time::ZERO, Time::ZERO) };
        let mut congestion = CongestionControl::new(&Settings { congestion: Congestion::NewReno, ..settings });
        for _ in 0..3 {
            recovery.on_duplicate_ack(&sender, &mut congestion);
        }
        // all but one hole is filled, then all of it
        for acked in [9001, 10_001] {
            let octets = acked - sender.snd_una;
            sender.acknowledge(acked);
            assert!(!recovery.on_new_ack(acked, octets, &mut congestion), "the window does not grow yet");
        }
        assert_eq!((sender.flight_size(), congestion.cwnd()), (0, 5000));
    }

    #[test]
    fn a_timeout_in_fast_recovery_does_not_lower_ssthresh_again() {
        let sender = ten_segments_in_flight();
        let mut recovery = LossRecovery::new(&newreno());
        let settings = Settings { initial_cwnd: 10_000, ..Settings::bsd95(1000, Time::ZERO, Time::ZERO) };
        let mut congestion = CongestionControl::new(&Settings { congestion: Congestion::NewReno, ..settings });
        for _ in 0..20 {
            recovery.on_duplicate_ack(&sender, &mut congestion);
        }
        assert_eq!(congestion.cwnd(), 5000 + 20_000, "every duplicate ACK inflates cwnd");
        recovery.on_rto(1, &sender, &mut congestion);
        assert_eq!((congestion.ssthresh(), congestion.cwnd()), (5000, 1000));
    }
}
