//! DualPI2 (RFC 9332 and its appendix A; tc-dualpi2(8)): packets with ECT(1) or CE have a queue of low latency (L), all
//! others the classic queue (C). One proportional integral controller of the delay has a probability p': C drops or marks
//! with its square, L marks with p' times the coupling factor, and whatever has waited longer than a step.

use sojourn_core::{Stream, Time, rekey_fields};
use sojourn_protocols::ip::Ecn;

use super::super::packet::{List, Packet, Store};
use super::super::settings::{DualPi2Settings, Limit, Overload};
use super::updates::Updates;

/// The two weights of the scheduler together, percent.
const WEIGHTS: i64 = 100;

/// Two queues under one controller.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    settings: DualPi2Settings,
    limit: Limit,
    low: List,
    classic: List,
    control: Control,
    updates: Updates,
    draws: Stream,
    /// Octets of the longest packet.
    longest: u64,
    /// Whose turn it is while both have packets: L's up to zero, C's above.
    credit: i64,
}

/// The controller: p' (RFC 9332, A.1).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    probability: f64,
    /// Seconds, at the last update.
    delay: f64,
}

impl DualPi2 {
    /// Empty queues; `longest` are the octets of the longest packet.
    pub fn new(limit: Limit, settings: DualPi2Settings, longest: u32, draws: Stream) -> Self {
        let mut queues = DualPi2 {
            settings,
            limit,
            low: List::new(),
            classic: List::new(),
            control: Control { probability: 0.0, delay: 0.0 },
            updates: Updates::new(settings.update),
            draws,
            longest: longest.into(),
            credit: 0,
        };
        queues.rests();
        queues
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        self.update(store[number].queued, store);
        let packet = &mut store[number];
        let octets = self.octets() + u64::from(packet.counted);
        let is_full = self.low.packets + self.classic.packets >= self.limit.packets || octets > self.limit.octets;
        if is_full || self.settings.at_enqueue && self.drops(packet) {
            return dropped.push(number);
        }
        let is_low = self.is_low(packet);
        packet.steps = self.low.packets >= self.settings.step_length;
        let queue = if is_low { &mut self.low } else { &mut self.classic };
        queue.push(number, store);
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        self.update(now, store);
        while let Some((number, is_low)) = self.take(store) {
            let rival = if is_low { &self.classic } else { &self.low };
            let is_contended = !rival.is_empty();
            let packet = &mut store[number];
            if !self.settings.at_enqueue && self.drops(packet) {
                dropped.push(number);
                continue;
            }
            if is_low && packet.steps && now.since(packet.queued) > self.settings.step {
                packet.mark();
            }
            if is_contended {
                let protection = i64::from(self.settings.protection);
                let weight = if is_low { protection } else { protection - WEIGHTS };
                self.credit += weight * i64::from(packet.counted);
            }
            if self.low.is_empty() && self.classic.is_empty() {
                self.rests();
            }
            return Some(number);
        }
        self.rests();
        None
    }

    fn octets(&self) -> u64 {
        self.low.octets + self.classic.octets
    }

    /// Whether a packet belongs to the queue of low latency.
    #[inline]
    fn is_low(&self, packet: &Packet) -> bool {
        match packet.frame.ecn {
            Ecn::Ect1 | Ecn::Ce => true,
            Ecn::Ect0 => self.settings.any_ect,
            Ecn::NotEct => false,
        }
    }

    /// The packet whose turn it is, and whether it is of the queue of low latency.
    #[inline]
    fn take(&mut self, store: &Store) -> Option<(u32, bool)> {
        let is_low = !self.low.is_empty() && (self.classic.is_empty() || self.credit <= 0);
        let queue = if is_low { &mut self.low } else { &mut self.classic };
        queue.pop(store).map(|number| (number, is_low))
    }

    /// Nothing waits: the credit is as at first, in favour of the queue with more weight.
    fn rests(&mut self) {
        self.credit = self.longest as i64 * (2 * i64::from(self.settings.protection) - WEIGHTS);
    }

    /// Whether a packet is dropped for the controller's sake; it may be marked in place of that.
    #[inline]
    fn drops(&mut self, packet: &mut Packet) -> bool {
        // a drop or mark of the only packets would leave the link idle
        if self.octets() < 2 * self.longest {
            return false;
        }
        let base = self.control.probability;
        let coupled = base * f64::from(self.settings.coupling);
        let is_overload = coupled > 1.0;
        if !self.is_low(packet) {
            return self.rolls(base) && self.rolls(base) && (is_overload || !packet.mark());
        }
        if is_overload && self.settings.overload == Overload::Drop && self.rolls(base) && self.rolls(base) {
            return true;
        }
        (is_overload || self.rolls(coupled)) && !packet.mark()
    }

    #[inline]
    fn rolls(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.draws.unit() < probability
    }

    #[inline]
    fn update(&mut self, now: Time, store: &Store) {
        let DualPi2 { settings, low, classic, control, updates, .. } = self;
        updates.catch_up(now, |at| {
            let heads = [low.front(store), classic.front(store)];
            let longest = heads.into_iter().flatten().map(|head| at.since(head.queued)).max();
            control.update(settings, longest.map_or(0.0, |delay| delay.seconds()))
        });
    }
}

impl Control {
    /// A new probability by the delay of the packet that has waited longest; whether another update would change anything.
    fn update(&mut self, settings: &DualPi2Settings, delay: f64) -> bool {
        let before = *self;
        let change = settings.alpha * (delay - settings.target.seconds()) + settings.beta * (delay - self.delay);
        // without drops on overload the mark probability of L stays one at most, and so the two in balance
        let most = match settings.overload {
            Overload::Drop => 1.0,
            Overload::Overflow => 1.0 / f64::from(settings.coupling),
        };
        *self = Control { probability: (self.probability + change).clamp(0.0, most), delay };
        delay > 0.0 || *self != before
    }
}

rekey_fields!(DualPi2 { draws });

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Streams};

    use super::*;
    use crate::frame::Frame;
    use sojourn_model::slab::NONE;

    const SETTINGS: DualPi2Settings = DualPi2Settings {
        target: Duration::from_millis(15),
        update: Duration::from_millis(16),
        alpha: 0.16,
        beta: 3.2,
        coupling: 2,
        step: Duration::from_millis(1),
        step_length: 0,
        protection: 10,
        overload: Overload::Drop,
        at_enqueue: false,
        any_ect: false,
    };

    fn queues(settings: DualPi2Settings) -> DualPi2 {
        DualPi2::new(Limit::NONE, settings, 1500, Streams::new(1, 0).stream("dualpi2"))
    }

    fn ms(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    /// A packet of 1500 octets comes.
    fn comes(queues: &mut DualPi2, store: &mut Store, now: Time, ecn: Ecn) -> Option<u32> {
        let mut packet = Packet::new(Frame { packet: 0, octets: 1500, connection: 0, ecn }, 1500, NONE, 0);
        (packet.counted, packet.queued) = (1500, now);
        let (number, mut dropped) = (store.insert(packet), Vec::new());
        queues.enqueue(number, store, &mut dropped);
        dropped.is_empty().then_some(number)
    }

    /// The code points of those that leave at an instant, and how many are dropped meanwhile.
    fn leave(queues: &mut DualPi2, store: &mut Store, now: Time, count: usize) -> (Vec<Ecn>, usize) {
        let mut dropped = Vec::new();
        let taken = (0..count).map_while(|_| queues.dequeue(now, store, &mut dropped)).collect::<Vec<u32>>();
        (taken.iter().map(|number| store[*number].frame.ecn).collect(), dropped.len())
    }

    #[test]
    fn the_base_probability_is_that_of_the_pseudocode() {
        // RFC 9332, A.1: p' += alpha (q - target) + beta (q - last q)
        let mut control = Control { probability: 0.0, delay: 0.0 };
        let mut updated = |delay| {
            control.update(&SETTINGS, delay);
            control.probability
        };
        // 0.16 * 0.005 + 3.2 * 0.020
        assert!((updated(0.020) - 0.0648).abs() < 1e-12);
        // 0.0648 + 0.16 * 0.010 + 3.2 * 0.005
        assert!((updated(0.025) - 0.0824).abs() < 1e-12);
        // 0.0824 - 0.16 * 0.005 - 3.2 * 0.015
        assert!((updated(0.010) - 0.0336).abs() < 1e-12);
        assert_eq!(updated(0.0), 0.0, "never below zero");
    }

    #[test]
    fn updates_see_the_delay_of_the_packet_that_has_waited_longest_in_either_queue() {
        let (mut queues, mut store) = (queues(SETTINGS), Store::new());
        comes(&mut queues, &mut store, ms(0), Ecn::Ect1);
        comes(&mut queues, &mut store, ms(4), Ecn::NotEct);
        queues.update(ms(31), &store);
        // at 16 ms: 0.16 * 1 ms + 3.2 * 16 ms
        assert!((queues.control.probability - 0.05136).abs() < 1e-12, "{:?}", queues.control);
        leave(&mut queues, &mut store, ms(31), 1);
        // at 32 ms the other one has waited for 28 ms: 0.16 * 13 ms + 3.2 * 12 ms
        queues.update(ms(32), &store);
        assert!((queues.control.probability - 0.05136 - 0.04048).abs() < 1e-12, "{:?}", queues.control);
    }

    #[test]
    fn classic_packets_are_signalled_with_the_square_and_those_of_low_latency_with_the_coupled_probability() {
        let signalled = |ecn, at_most: Overload| {
            let mut queues = queues(DualPi2Settings { overload: at_most, ..SETTINGS });
            queues.low.octets = 100_000;
            queues.control.probability = 0.3;
            let mut counts = [0_u32; 2];
            for _ in 0..100_000 {
                let frame = Frame { packet: 0, octets: 1500, connection: 0, ecn };
                let mut packet = Packet::new(frame, 1500, NONE, 0);
                let drops = queues.drops(&mut packet);
                counts[0] += u32::from(drops);
                counts[1] += u32::from(packet.marked);
            }
            counts.map(|count| f64::from(count) / 100_000.0)
        };
        let is_near = |share: f64, expected: f64| (share - expected).abs() < 0.005;
        let [drops, marks] = signalled(Ecn::NotEct, Overload::Drop);
        assert!(is_near(drops, 0.09) && marks == 0.0, "{drops} {marks}");
        let [drops, marks] = signalled(Ecn::Ect0, Overload::Drop);
        assert!(is_near(marks, 0.09) && drops == 0.0, "{drops} {marks}");
        let [drops, marks] = signalled(Ecn::Ect1, Overload::Drop);
        assert!(is_near(marks, 0.6) && drops == 0.0, "{drops} {marks}");
    }

    #[test]
    fn on_overload_both_queues_drop_with_the_square_and_all_else_of_low_latency_is_marked() {
        let signalled = |ecn| {
            let mut queues = queues(SETTINGS);
            queues.low.octets = 100_000;
            queues.control.probability = 0.7;
            let mut counts = [0_u32; 2];
            for _ in 0..100_000 {
                let frame = Frame { packet: 0, octets: 1500, connection: 0, ecn };
                let mut packet = Packet::new(frame, 1500, NONE, 0);
                let drops = queues.drops(&mut packet);
                counts[0] += u32::from(drops);
                counts[1] += u32::from(packet.marked);
            }
            counts.map(|count| f64::from(count) / 100_000.0)
        };
        let [drops, marks] = signalled(Ecn::Ect1);
        assert!((drops - 0.49).abs() < 0.005 && (drops + marks - 1.0).abs() < 1e-9, "{drops} {marks}");
        let [drops, marks] = signalled(Ecn::Ect0);
        assert!((drops - 0.49).abs() < 0.005 && marks == 0.0, "{drops} {marks}");
    }

    #[test]
    fn a_wait_longer_than_the_step_marks_unless_the_queue_was_shorter_than_asked() {
        for (step_length, marked) in [(0, [true, true]), (1, [false, true])] {
            let (mut queues, mut store) = (queues(DualPi2Settings { step_length, ..SETTINGS }), Store::new());
            comes(&mut queues, &mut store, ms(0), Ecn::Ect1);
            comes(&mut queues, &mut store, ms(0), Ecn::Ect1);
            let (left, _) = leave(&mut queues, &mut store, ms(2), 2);
            assert_eq!(left.iter().map(|ecn| *ecn == Ecn::Ce).collect::<Vec<_>>(), marked, "{step_length}");
        }
        let (mut queues, mut store) = (queues(SETTINGS), Store::new());
        comes(&mut queues, &mut store, ms(0), Ecn::Ect1);
        assert_eq!(leave(&mut queues, &mut store, ms(1), 1), (vec![Ecn::Ect1], 0), "1 ms is not longer");
    }

    #[test]
    fn while_both_wait_the_classic_queue_has_its_share_of_the_octets() {
        let (mut queues, mut store) = (queues(SETTINGS), Store::new());
        for _ in 0..1000 {
            comes(&mut queues, &mut store, ms(0), Ecn::Ect1);
            comes(&mut queues, &mut store, ms(0), Ecn::NotEct);
        }
        let (left, _) = leave(&mut queues, &mut store, ms(0), 500);
        let classic = left.iter().filter(|ecn| **ecn == Ecn::NotEct).count();
        assert!((49..=51).contains(&classic), "10 %: {classic}");
        // L goes first: the credit begins at (10 - 90) packets' octets, and each adds 10
        assert!(left[..9].iter().all(|ecn| *ecn == Ecn::Ect1));
        assert_eq!(left.iter().position(|ecn| *ecn == Ecn::NotEct), Some(9));
    }
}
