//! RTT estimation and the RTO (RFC 6298), with individual timers as in Linux, or with the ticks of 4.4BSD.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::clock::{Clock, SLOW};
use super::sequence::Position;

/// SRTT and RTTVAR, the backoff of the RTO, and the segments being timed.
#[derive(Clone, Debug)]
pub(super) struct RttEstimator {
    clock: Clock,
    max_rto: Duration,
    estimate: Option<Estimate>,
    backoff: u32,
    /// The segments being timed: the position after each, and when it was sent. With ticks it is one at a time.
    timed: VecDeque<(Position, Time)>,
    /// Position up to which data are acknowledged.
    acked: Position,
    /// Position after the last one that was retransmitted.
    retransmitted: Position,
}

#[derive(Clone, Copy, Debug)]
enum Estimate {
    /// RFC 6298, section 2, as Linux's `tcp_rtt_estimator()` has it for a sample with every acknowledgement.
    Fine(FineEstimate),
    /// Integers in units of 1/8 and 1/4 slow tick (TCP/IP Illustrated, volume 2, section 25.10).
    Ticks { srtt: i64, rttvar: i64 },
}

impl RttEstimator {
    pub fn new(clock: Clock, max_rto: Duration) -> Self {
        RttEstimator { clock, max_rto, estimate: None, backoff: 0, timed: VecDeque::new(), acked: 0, retransmitted: 0 }
    }

    /// Smoothed round-trip time, if one was measured.
    pub fn srtt(&self) -> Option<Duration> {
        self.estimate.map(|estimate| match estimate {
            Estimate::Fine(estimate) => estimate.srtt,
            Estimate::Ticks { srtt, .. } => SLOW.times(srtt.unsigned_abs()).divided(8),
        })
    }

    /// Retransmission timeout, backoff included.
    pub fn rto(&self) -> Duration {
        let rto = match (self.clock, self.estimate) {
            (_, Some(Estimate::Fine(FineEstimate { srtt, margin, .. }))) => srtt + margin,
            (_, Some(Estimate::Ticks { srtt, rttvar })) => SLOW.times((srtt / 8 + rttvar).max(2).unsigned_abs()),
            (Clock::Fine { initial_rto, .. }, _) => initial_rto,
            // 4.4BSD starts with six seconds
            (Clock::Ticks { .. }, _) => SLOW.times(12),
        };
        rto.times(1 << self.backoff).min(self.max_rto)
    }

    /// Expiry of a timer of one RTO started at `now`.
    pub fn rto_expiry(&self, now: Time) -> Time {
        self.clock.expiry(now, self.rto())
    }

    /// The timer has expired: doubles the RTO, up to its maximum (RFC 6298, 5.5). Linux sets no other limit; 4.4BSD stops at 64
    /// times, with which an RTO of a second or more is at its maximum.
    pub fn back_off(&mut self) {
        if self.rto() < self.max_rto {
            self.backoff += 1;
        }
    }

    /// Times the segment that ends before position `end`; with ticks, unless one is being timed.
    pub fn time_segment(&mut self, end: Position, now: Time) {
        if self.clock.is_fine() || self.timed.is_empty() {
            self.timed.push_back((end, now));
        }
    }

    /// The SYN is retransmitted: it gives no valid sample.
    pub fn cancel_timing(&mut self) {
        self.timed.clear();
    }

    /// A loss was detected: 4.4BSD stops timing.
    pub fn on_loss(&mut self) {
        if !self.clock.is_fine() {
            self.timed.clear();
        }
    }

    /// Positions up to before `end` are retransmitted, and give no valid sample (Karn's algorithm; RFC 6298, 3). 4.4BSD has
    /// stopped timing before.
    pub fn on_retransmission(&mut self, end: Position) {
        if self.clock.is_fine() {
            self.retransmitted = self.retransmitted.max(end);
        }
    }

    /// New data up to `acked` were acknowledged, with this TSecr if timestamps are in use; `snd_max` is the position after the
    /// last one sent. Returns the RTT of the last timed segment among them, except with ticks.
    ///
    /// Where some of them were retransmitted, the others have waited at the peer for those: only TSecr gives the RTT.
    pub fn on_ack(&mut self, now: Time, acked: Position, ts_ecr: Option<u32>, snd_max: Position) -> Option<Duration> {
        let timed = self.take_timed(acked);
        let (first, last) = if self.acked < self.retransmitted { (None, None) } else { timed };
        self.acked = acked;
        match (ts_ecr, first) {
            // timed segments have a finer resolution than the timestamp clock
            (_, Some(sent)) => self.sample(self.clock.elapsed(sent, now), acked, snd_max),
            (Some(ts_ecr), None) => {
                let ticks = self.clock.timestamp(now).wrapping_sub(ts_ecr);
                self.sample(self.clock.timestamp_unit().times(ticks.into()), acked, snd_max);
            }
            (None, None) => self.backoff = 0,
        }
        last.filter(|_| self.clock.is_fine()).map(|sent| now - sent)
    }

    /// Ends the timing of the segments up to `acked`; returns when the first and the last of them were sent.
    fn take_timed(&mut self, acked: Position) -> (Option<Time>, Option<Time>) {
        let (mut first, mut last) = (None, None);
        while let Some(&(_, sent)) = self.timed.front().filter(|&&(end, _)| end <= acked) {
            self.timed.pop_front();
            first = first.or(Some(sent));
            last = Some(sent);
        }
        (first, last)
    }

    fn sample(&mut self, rtt: Duration, acked: Position, snd_max: Position) {
        self.backoff = 0;
        self.estimate = Some(match (self.estimate, self.clock) {
            (Some(Estimate::Fine(estimate)), Clock::Fine { granularity, min_rto, .. }) => {
                Estimate::Fine(estimate.with(rtt, granularity.max(min_rto), acked, snd_max))
            }
            (None, Clock::Fine { granularity, min_rto, .. }) => {
                Estimate::Fine(FineEstimate::first(rtt, granularity.max(min_rto), snd_max))
            }
            (Some(Estimate::Ticks { srtt, rttvar }), _) => {
                let difference = rtt.whole(SLOW) as i64 - srtt / 8;
                Estimate::Ticks {
                    srtt: (srtt + difference).max(1),
                    rttvar: (rttvar + difference.abs() - rttvar / 4).max(1),
                }
            }
            _ => {
                // an RTT within a tick counts as one
                let ticks = rtt.whole(SLOW) as i64 + 1;
                Estimate::Ticks { srtt: 8 * ticks, rttvar: 2 * ticks }
            }
        });
    }
}

/// SRTT and what the RTO adds to it, as Linux's `tcp_rtt_estimator()` has them. SRTT follows every acknowledgement; the
/// margin, 4 RTTVAR, rises with the deviation at once and falls a quarter of the difference once in a round trip, so that
/// the many samples of a flight do not make it forget (the purpose of RFC 7323, appendix G); it is never below the floor.
#[derive(Clone, Copy, Debug)]
struct FineEstimate {
    srtt: Duration,
    /// Four times the smoothed deviation of the samples.
    deviation: Duration,
    /// Its maximum in this round trip, or the floor.
    maximum: Duration,
    /// 4 RTTVAR.
    margin: Duration,
    /// Position whose acknowledgement ends this round trip.
    round_end: Position,
}

impl FineEstimate {
    /// From the first sample; `floor` is the least margin.
    fn first(rtt: Duration, floor: Duration, round_end: Position) -> Self {
        let deviation = rtt.times(2);
        let margin = deviation.max(floor);
        FineEstimate { srtt: rtt, deviation, maximum: margin, margin, round_end }
    }

    fn with(self, rtt: Duration, floor: Duration, acked: Position, snd_max: Position) -> Self {
        let (above, below) = (rtt.saturating_sub(self.srtt), self.srtt.saturating_sub(rtt));
        let srtt = self.srtt + above.divided(8) - below.divided(8);
        let difference = above + below;
        // a falling RTT must not lengthen the timeout: its deviation counts for an eighth
        let grown = difference.saturating_sub(self.deviation.divided(4));
        let grown = if below > Duration::ZERO { grown.divided(8) } else { grown };
        let deviation = self.deviation + grown - self.deviation.divided(4).saturating_sub(difference);
        let maximum = self.maximum.max(deviation);
        let margin = self.margin.max(maximum);
        if acked <= self.round_end {
            return FineEstimate { srtt, deviation, maximum, margin, ..self };
        }
        let margin = margin - margin.saturating_sub(maximum).divided(4);
        FineEstimate { srtt, deviation, maximum: floor, margin, round_end: snd_max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn estimator() -> RttEstimator {
        let clock = Clock::Fine {
            granularity: Duration::from_millis(1),
            min_rto: Duration::from_millis(200),
            initial_rto: Duration::from_secs(1),
            delayed_ack: Duration::from_millis(40),
        };
        RttEstimator::new(clock, Duration::from_secs(60))
    }

    #[test]
    fn the_first_sample_sets_srtt_and_half_of_it_as_rttvar() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.on_ack(at(120), 100, None, 100);
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(120)));
        assert_eq!(rtt.rto(), Duration::from_millis(120 + 4 * 60));
    }

    /// An estimator whose peer acknowledges one segment after the other, with timestamps, `flight` of them in flight.
    struct Flow {
        rtt: RttEstimator,
        flight: u64,
        acked: u64,
    }

    impl Flow {
        fn new(flight: u64) -> Flow {
            Flow { rtt: estimator(), flight, acked: 0 }
        }

        fn acknowledge(&mut self, rtt_ms: u32, count: u64) {
            for _ in 0..count {
                self.acked += 1;
                let now = at(100_000 + self.acked);
                let sent = self.rtt.clock.timestamp(now).wrapping_sub(rtt_ms);
                self.rtt.on_ack(now, self.acked, Some(sent), self.acked + self.flight);
            }
        }

        /// What the RTO adds to SRTT, in milliseconds.
        fn margin_ms(&self) -> f64 {
            (self.rtt.rto() - self.rtt.srtt().unwrap()).seconds() * 1e3
        }
    }

    #[test]
    fn the_rto_stays_200_ms_above_a_steady_rtt_as_in_linux() {
        let mut flow = Flow::new(100);
        flow.acknowledge(1200, 20_000);
        assert_eq!(flow.rtt.srtt(), Some(Duration::from_millis(1200)));
        assert!((flow.margin_ms() - 200.0).abs() < 1e-6, "{}", flow.margin_ms());
    }

    #[test]
    fn the_margin_rises_at_once_and_falls_a_quarter_in_a_round_trip_however_many_acknowledgements_it_has() {
        for flight in [40, 400] {
            let mut flow = Flow::new(flight);
            flow.acknowledge(100, 100 * flight);
            flow.acknowledge(900, 1);
            assert!((flow.margin_ms() - 800.0).abs() < 1e-6, "{}: the first deviation", flow.margin_ms());
            flow.acknowledge(900, flight);
            let risen = flow.margin_ms();
            flow.acknowledge(900, 4 * (flight + 1));
            let left = flow.margin_ms() / risen;
            assert!((0.31..0.57).contains(&left), "{left} after two to four round trips of {flight}");
        }
    }

    #[test]
    fn a_falling_rtt_does_not_lengthen_the_timeout() {
        let mut flow = Flow::new(100);
        flow.acknowledge(1200, 20_000);
        flow.acknowledge(10, 1);
        assert!(flow.rtt.rto() < Duration::from_millis(1400), "{}", flow.rtt.rto());
    }

    #[test]
    fn a_retransmitted_segment_gives_no_sample_and_new_data_end_the_backoff() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.back_off();
        rtt.on_retransmission(100);
        assert_eq!(rtt.rto(), Duration::from_secs(2));
        rtt.on_ack(at(1500), 100, None, 100);
        assert_eq!((rtt.srtt(), rtt.rto()), (None, Duration::from_secs(1)));
    }

    #[test]
    fn no_segment_that_was_retransmitted_gives_a_sample_and_the_first_after_them_does() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.time_segment(200, at(1));
        rtt.on_retransmission(100);
        rtt.on_retransmission(200);
        rtt.time_segment(300, at(500));
        assert_eq!(rtt.on_ack(at(550), 100, None, 300), None);
        assert_eq!(rtt.on_ack(at(560), 200, None, 300), None, "the last that was retransmitted");
        assert_eq!((rtt.srtt(), rtt.on_ack(at(640), 300, None, 300)), (None, Some(Duration::from_millis(140))));
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(140)));
    }

    /// The RTO in milliseconds, and after each of nine expiries.
    fn timeouts(mut rtt: RttEstimator) -> Vec<u64> {
        let milliseconds = |rtt: &RttEstimator| rtt.rto().whole(Duration::from_millis(1));
        let mut found = vec![milliseconds(&rtt)];
        for _ in 0..9 {
            rtt.back_off();
            found.push(milliseconds(&rtt));
        }
        found
    }

    #[test]
    fn the_timeout_doubles_up_to_its_maximum_two_minutes_in_linux_and_64_s_in_4_4bsd() {
        let mut linux = estimator();
        linux.max_rto = Duration::from_secs(120);
        linux.time_segment(100, at(0));
        linux.on_ack(at(1), 100, None, 100);
        // 1 ms and the floor of 200 ms
        let doubled = [201, 402, 804, 1608, 3216, 6432, 12_864, 25_728, 51_456, 102_912];
        assert_eq!(timeouts(linux.clone()), doubled);
        (0..11).for_each(|_| linux.back_off());
        assert_eq!(linux.rto(), Duration::from_secs(120));
        // a round trip within a tick of half a second: SRTT 1 tick and 4 times half of it, three ticks
        let mut bsd = RttEstimator::new(Clock::Ticks { slow: Time::ZERO, fast: Time::ZERO }, Duration::from_secs(64));
        bsd.time_segment(100, at(0));
        bsd.on_ack(at(1), 100, None, 100);
        assert_eq!(timeouts(bsd), [1500, 3000, 6000, 12_000, 24_000, 48_000, 64_000, 64_000, 64_000, 64_000]);
    }

    #[test]
    fn segments_that_waited_for_a_retransmitted_one_give_no_sample_but_the_timestamp_does() {
        let mut rtt = estimator();
        rtt.time_segment(100, at(0));
        rtt.time_segment(200, at(1));
        rtt.on_retransmission(100);
        assert_eq!(rtt.on_ack(at(900), 200, Some(860), 200), None);
        assert_eq!(rtt.srtt(), Some(Duration::from_millis(40)), "the second segment waited at the peer");
        rtt.time_segment(300, at(1000));
        assert_eq!(rtt.on_ack(at(1050), 300, None, 300), Some(Duration::from_millis(50)));
    }
}
