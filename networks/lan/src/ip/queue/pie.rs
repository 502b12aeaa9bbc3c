//! PIE (RFC 8033): arriving packets are dropped, or marked, with a probability that a proportional integral controller
//! updates by the queueing delay. As Linux has it today, the delay is that of the last packet that left (its timestamp),
//! not an estimate by the departure rate, and sizes of packets do not count (`bytemode` off).

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use super::super::packet::Store;
use super::super::settings::{Limit, PieSettings};
use super::fifo::Fifo;
use super::updates::Updates;

/// Above this probability packets are dropped even where they could be marked (RFC 8033, section 5.1).
const MOST_MARKED: f64 = 0.1;
/// The least and the most sum of probabilities between two drops (RFC 8033, section 5.4).
const SUMS: [f64; 2] = [0.85, 8.5];
/// Below these probabilities weights are divided by so much, the first that holds (RFC 8033, section 4.2).
const TUNING: [(f64, f64); 6] =
    [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
/// From a probability of a tenth on it rises by so much at most in an update (RFC 8033, section 5.5).
const MOST_RISE: f64 = 0.02;
/// Beyond this delay the probability rises by as much in addition (Linux).
const VERY_LATE: Duration = Duration::from_millis(250);
/// What remains of the probability after an update of an idle queue (RFC 8033, section 4.2, and Linux: 63 of 64 parts).
const DECAY: f64 = 63.0 / 64.0;

/// One queue under PIE.
#[derive(Clone, Debug)]
pub struct Pie {
    fifo: Fifo,
    control: Control,
    updates: Updates,
    draws: Stream,
    /// Below this many octets nothing is dropped early: two of the longest packets.
    shortest: u64,
}

/// What the controller keeps of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    settings: PieSettings,
    probability: f64,
    /// Probabilities of the packets since the last one dropped or marked.
    sum: f64,
    /// Delay of the last packet that left, now and at the update before.
    delay: Duration,
    old_delay: Duration,
    /// For how long nothing is dropped yet.
    burst: Duration,
    /// When the last packet left.
    left: Option<Time>,
}

impl Pie {
    /// An empty queue; `longest` are the octets of the longest packet.
    pub fn new(limit: Limit, settings: PieSettings, longest: u32, draws: Stream) -> Self {
        let updates = Updates::new(settings.update);
        Pie {
            fifo: Fifo::new(limit),
            control: Control::new(settings),
            updates,
            draws,
            shortest: 2 * u64::from(longest),
        }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        self.update(store[number].queued);
        if !self.fifo.has_room(store[number].counted) {
            self.control.sum = 0.0;
            return dropped.push(number);
        }
        let is_long = self.fifo.list.octets >= self.shortest;
        if self.control.signals(is_long, &mut self.draws) {
            let may_mark = self.control.settings.ecn && self.control.probability <= MOST_MARKED;
            if !(may_mark && store[number].mark()) {
                return dropped.push(number);
            }
        }
        self.fifo.list.push(number, store);
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time, store: &Store) -> Option<u32> {
        self.update(now);
        let number = self.fifo.dequeue(store)?;
        self.control.leaves(now, now.since(store[number].queued), self.fifo.list.is_empty());
        Some(number)
    }

    #[inline]
    fn update(&mut self, now: Time) {
        let (control, is_empty) = (&mut self.control, self.fifo.list.is_empty());
        self.updates.catch_up(now, |_| control.update(is_empty));
    }
}

impl Control {
    fn new(settings: PieSettings) -> Self {
        Control {
            settings,
            probability: 0.0,
            sum: 0.0,
            delay: Duration::ZERO,
            old_delay: Duration::ZERO,
            burst: settings.burst,
            left: None,
        }
    }

    /// Whether an arriving packet is one to drop or to mark; `is_long` says whether two of the longest packets wait.
    #[inline]
    fn signals(&mut self, is_long: bool, draws: &mut Stream) -> bool {
        let is_light = self.delay < self.settings.target.divided(2) && self.probability < 0.2;
        if self.burst > Duration::ZERO || is_light || !is_long {
            return false;
        }
        self.sum = if self.probability == 0.0 { 0.0 } else { self.sum + self.probability };
        let [least, most] = SUMS;
        let signals = self.sum >= least && (self.sum >= most || draws.unit() < self.probability);
        if signals {
            self.sum = 0.0;
        }
        signals
    }

    /// A packet leaves after so long, the last one or not.
    #[inline]
    fn leaves(&mut self, now: Time, delay: Duration, is_last: bool) {
        self.delay = if is_last { Duration::ZERO } else { delay };
        let since = self.left.map_or(Duration::ZERO, |left| now.since(left));
        self.left = Some(now);
        self.burst = self.burst.saturating_sub(since);
    }

    /// A new probability; whether another update would change anything.
    fn update(&mut self, is_empty: bool) -> bool {
        let before = *self;
        let settings = &self.settings;
        let divisor = TUNING.iter().find(|(below, _)| self.probability < *below).map_or(1.0, |(_, divisor)| *divisor);
        let delay = self.delay.seconds();
        let beyond = settings.alpha * (delay - settings.target.seconds());
        let growth = settings.beta * (delay - self.old_delay.seconds());
        let mut change = (beyond + growth) / divisor;
        if self.probability >= 0.1 {
            change = change.min(MOST_RISE);
        }
        if self.delay > VERY_LATE {
            change += MOST_RISE;
        }
        self.probability = (self.probability + change).clamp(0.0, 1.0);
        // of a queue whose only packets have just come the delay is not known
        if is_empty && self.delay == Duration::ZERO && self.old_delay == Duration::ZERO {
            self.probability *= DECAY;
        }
        let half = settings.target.divided(2);
        if self.delay < half && self.old_delay < half && self.probability == 0.0 {
            // the delays stay, lest the next one look like growth (pie_vars_init() of Linux)
            *self = Control { delay: self.delay, ..Control::new(self.settings) };
        }
        self.old_delay = self.delay;
        *self != before
    }
}

rekey_fields!(Pie { draws });

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    const SETTINGS: PieSettings = PieSettings {
        target: Duration::from_millis(15),
        update: Duration::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Duration::from_millis(150),
        ecn: false,
    };

    fn control(probability: f64, delays: [u64; 2]) -> Control {
        let [old_delay, delay] = delays.map(Duration::from_millis);
        Control { probability, delay, old_delay, burst: Duration::ZERO, ..Control::new(SETTINGS) }
    }

    fn updated(mut control: Control) -> f64 {
        control.update(false);
        control.probability
    }

    fn draws() -> Stream {
        Streams::new(1, 0).stream("pie")
    }

    #[test]
    fn the_probability_changes_by_weighted_excess_and_growth_as_the_tuning_table_scales_them() {
        // 0.125 (35 ms - 15 ms) + 1.25 (35 ms - 25 ms) = 0.015
        for (probability, divisor) in [(0.3, 1.0), (0.05, 2.0), (0.005, 8.0), (0.000_5, 32.0), (0.000_05, 128.0)] {
            let change = updated(control(probability, [25, 35])) - probability;
            assert!((change - 0.015 / divisor).abs() < 1e-12, "{probability}: {change}");
        }
        for (probability, divisor) in [(0.000_005, 512.0), (0.0, 2048.0)] {
            let change = updated(control(probability, [25, 35])) - probability;
            assert!((change - 0.015 / divisor).abs() < 1e-12, "{probability}: {change}");
        }
    }

    #[test]
    fn a_large_probability_rises_by_two_percent_at_most_unless_the_delay_is_beyond_250_ms() {
        // 0.125 * 0.085 + 1.25 * 0.1 = 0.1356
        assert!((updated(control(0.2, [0, 100])) - 0.22).abs() < 1e-12);
        // 0.125 * 0.285 + 1.25 * 0.3 = 0.4106, cut to 0.02, and 0.02 more
        assert!((updated(control(0.2, [0, 300])) - 0.24).abs() < 1e-12);
        assert_eq!(updated(control(0.99, [0, 300])), 1.0);
    }

    #[test]
    fn an_idle_queue_loses_a_64th_of_its_probability_beside_the_weighted_shortfall() {
        let mut idle = control(0.5, [0, 0]);
        assert!(idle.update(true));
        assert!((idle.probability - (0.5 - 0.125 * 0.015) * 63.0 / 64.0).abs() < 1e-12);
        // at rest it has its burst allowance again
        let updates = (0..2000).take_while(|_| idle.update(true)).count();
        assert!(updates < 2000, "it comes to rest");
        assert_eq!(idle, Control::new(SETTINGS));
    }

    #[test]
    fn departures_use_up_the_burst_allowance() {
        let mut control = Control::new(SETTINGS);
        let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
        control.leaves(at(10), Duration::from_millis(5), false);
        assert_eq!(control.burst, Duration::from_millis(150), "the first departure begins the count");
        control.leaves(at(110), Duration::from_millis(40), false);
        assert_eq!((control.burst, control.delay), (Duration::from_millis(50), Duration::from_millis(40)));
        control.leaves(at(200), Duration::from_millis(40), true);
        assert_eq!((control.burst, control.delay), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn drops_are_neither_close_nor_far_apart() {
        // with 5 %: after 17 packets (0.85) at the earliest, after 170 (8.5) at the latest, 16 + 20 in the mean
        let (mut control, mut draws) = (control(0.05, [30, 30]), draws());
        let mut gaps = vec![0_u32];
        for _ in 0..400_000 {
            *gaps.last_mut().expect("never empty") += 1;
            if control.signals(true, &mut draws) {
                gaps.push(0);
            }
        }
        gaps.pop();
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| (17..=171).contains(gap)));
        assert!((mean - 36.0).abs() < 1.0, "{mean}");
    }

    #[test]
    fn nothing_is_dropped_within_the_burst_allowance_below_half_the_target_or_of_a_short_queue() {
        let mut draws = draws();
        let mut signals = |mut control: Control, is_long| (0..1000).any(|_| control.signals(is_long, &mut draws));
        assert!(signals(control(0.1, [30, 30]), true));
        assert!(!signals(Control { burst: Duration::from_millis(1), ..control(0.1, [30, 30]) }, true));
        assert!(!signals(control(0.19, [30, 7]), true));
        assert!(signals(control(0.2, [30, 7]), true), "a large probability drops all the same");
        assert!(!signals(control(0.1, [30, 30]), false));
    }
}
