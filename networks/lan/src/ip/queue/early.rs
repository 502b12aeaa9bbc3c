//! Random early detection (Floyd and Jacobson, 1993) with thresholds per drop precedence: the average queue length
//! counts all packets, and an arriving packet is dropped earlier the higher its precedence (RFC 2597, section 4); or as
//! Linux's RED has it (tc-red(8)), by octets and of any packet.

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use super::super::packet::{List, Packet};
use super::super::settings::{EarlyDetection, Measure};

/// The state of one queue.
#[derive(Clone, Debug)]
pub struct Early {
    settings: EarlyDetection,
    /// How long a packet of mean size takes; nothing where the link has no rate.
    transmission: Duration,
    average: f64,
    /// Since when the queue is empty.
    idle: Option<Time>,
    /// By drop precedence: packets since the last one that was dropped or marked.
    since: [u32; 3],
    draws: Stream,
}

impl Early {
    /// That of an empty queue before a link on which `transmission` is the time of a packet of mean size.
    pub fn new(settings: EarlyDetection, transmission: Duration, draws: Stream) -> Self {
        Early { settings, transmission, average: 0.0, idle: Some(Time::ZERO), since: [0; 3], draws }
    }

    /// Whether a packet that arrives at this queue joins it; it may be marked in place of a drop.
    pub fn admits(&mut self, queue: &List, packet: &mut Packet) -> bool {
        let (length, precedence) = match self.settings.measure {
            Measure::Packets => (u64::from(queue.packets), packet.precedence),
            Measure::Octets => (queue.octets, 1),
        };
        let signals = self.signals(packet.queued, length, precedence);
        let may_mark = self.settings.ecn && !(self.settings.hard_drop && self.is_above(precedence));
        !signals || may_mark && packet.mark()
    }

    /// Whether all packets of a precedence are dropped or marked.
    fn is_above(&self, precedence: u8) -> bool {
        self.average >= f64::from(self.settings.thresholds[usize::from(precedence) - 1][1])
    }

    /// Whether an arriving packet is one to drop or to mark.
    fn signals(&mut self, now: Time, length: u64, precedence: u8) -> bool {
        self.update(now, length);
        let Some(place) = usize::from(precedence).checked_sub(1) else { return false };
        let [min, max] = self.settings.thresholds[place].map(f64::from);
        let since = &mut self.since[place];
        if self.average < min {
            *since = 0;
            return false;
        }
        *since += 1;
        let share = self.settings.probability * (self.average - min) / (max - min);
        // the gaps between drops are uniform, not geometric: the n-th packet is dropped with p / (1 - n p)
        let before = f64::from(*since - 1) * share;
        let signals = self.average >= max || before >= 1.0 || self.draws.unit() < share / (1.0 - before);
        if signals {
            *since = 0;
            // a packet that is dropped does not end the idle time of an empty queue
            self.idle = (length == 0).then_some(now);
        }
        signals
    }

    /// The last packet has left the queue.
    pub fn idles(&mut self, now: Time) {
        self.idle = Some(now);
    }

    fn update(&mut self, now: Time, length: u64) {
        let weight = self.settings.weight;
        match self.idle.take() {
            None => self.average += weight * (length as f64 - self.average),
            // as if packets of mean size had gone while the queue was empty
            Some(since) => {
                self.average = match self.transmission {
                    Duration::ZERO => 0.0,
                    transmission => {
                        let packets = now.since(since).seconds() / transmission.seconds();
                        self.average * libm::pow(1.0 - weight, packets)
                    }
                };
            }
        }
    }
}

rekey_fields!(Early { draws });

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    fn early(weight: f64, thresholds: [[u32; 2]; 3]) -> Early {
        let settings = EarlyDetection {
            weight,
            mean_packet: 1000,
            measure: Measure::Packets,
            thresholds,
            probability: 0.1,
            ecn: false,
            hard_drop: false,
        };
        Early::new(settings, Duration::from_millis(1), Streams::new(1, 0).stream("early"))
    }

    /// The number of arrivals between drops, of packets that all find `length` packets queued.
    fn gaps(early: &mut Early, length: u64, precedence: u8) -> Vec<f64> {
        let now = Time::ZERO + Duration::from_secs(1);
        early.signals(now, length, 0);
        let mut gaps = vec![0.0];
        for _ in 0..200_000 {
            *gaps.last_mut().expect("never empty") += 1.0;
            if early.signals(now, length, precedence) {
                gaps.push(0.0);
            }
        }
        gaps.pop();
        gaps
    }

    #[test]
    fn drops_are_as_far_apart_as_a_uniform_number_up_to_the_inverse_of_the_probability() {
        // midway between the thresholds: 0.05, so that gaps are uniform on 1 to 20
        let mut queue = early(1.0, [[20, 40]; 3]);
        let gaps = gaps(&mut queue, 30, 1);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((mean - 10.5).abs() < 0.15, "{mean}");
        assert!(gaps.iter().all(|gap| (1.0..=20.0).contains(gap)));
        assert!(gaps.contains(&1.0) && gaps.contains(&20.0));
    }

    #[test]
    fn below_the_lower_threshold_nothing_is_dropped_and_from_the_upper_one_on_everything() {
        let mut queue = early(1.0, [[30, 40], [20, 30], [10, 20]]);
        let lost = |queue: &mut Early, length, precedence| gaps(queue, length, precedence).len();
        assert_eq!([1, 2, 3].map(|precedence| lost(&mut queue, 9, precedence)), [0, 0, 0]);
        assert_eq!(lost(&mut queue, 20, 1), 0);
        assert_eq!(lost(&mut queue, 20, 3), 200_000);
        assert_eq!([1, 2].map(|precedence| lost(&mut queue, 40, precedence)), [200_000; 2]);
        assert_eq!(lost(&mut queue, 100, 0), 0, "without a precedence the limit alone counts");
    }

    #[test]
    fn the_average_follows_arrivals_and_decays_while_the_queue_is_empty() {
        let mut queue = early(0.002, [[20, 40]; 3]);
        let second = Time::ZERO + Duration::from_secs(1);
        queue.signals(second, 100, 0);
        assert!(!(0..1000).any(|_| queue.signals(second, 100, 0)));
        let expected = 100.0 * (1.0 - 0.998_f64.powi(1000));
        assert!((queue.average - expected).abs() < 1e-9, "{}", queue.average);
        queue.idles(second);
        // 500 ms of packets of 1 ms each
        queue.signals(second + Duration::from_millis(500), 0, 0);
        assert!((queue.average - expected * 0.998_f64.powi(500)).abs() < 1e-9, "{}", queue.average);
    }
}
