//! Playout of speech, in talkspurts or without pauses, through a fixed or an adaptive jitter buffer.
//!
//! The adaptive buffer is algorithm 1 of Ramjee, Kurose, Towsley and Schulzrinne (INFOCOM 1994): delay and deviation
//! of the packets are averaged exponentially, and a talkspurt is played out at the mean delay plus four deviations.
//! It starts like the fixed buffer, with the delay of the first packet and a deviation of a quarter of the playout
//! delay.
//!
//! Speech without pauses is stretched and shortened, packet by packet, as Liang, Färber and Girod do (IEEE Trans. Multimedia 5,
//! 2003), to twice its length or half of it at most (assumed): the pitch stays as it is, and their listeners do not hear it, so
//! that it costs nothing in a rating. The delay wanted is an order statistic of the last 35 packets: behind the largest, where a
//! packet more would be the largest of all, lie two standard deviations, of which the share that leaves 1 % of loss.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::{JitterBuffer, Played, in_order, in_picoseconds};

/// The weight of the past in mean delay and deviation.
const WEIGHT: f64 = 0.998_002;
/// Deviations between mean delay and playout.
const DEVIATIONS: f64 = 4.0;

/// Packets whose delays an order statistic is of.
const WINDOW: usize = 35;
/// Late packets that it allows (assumed).
const LOSS: f64 = 0.01;

/// What became of a packet time of a talker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Nothing was said: no packet.
    Pause,
    /// Its packet has not arrived yet.
    InFlight,
    /// Its packet was lost.
    Lost,
    /// Its packet arrived then.
    Arrived(Time),
}

impl Slot {
    /// When its packet arrived, if it did.
    const fn arrival(self) -> Option<Time> {
        match self {
            Slot::Arrived(at) => Some(at),
            _ => None,
        }
    }
}

/// How the delay of a jitter buffer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Playout {
    /// Not at all: a fixed buffer.
    Fixed,
    /// Between talkspurts.
    AdaptsInPauses,
    /// At any time: the speech of a packet is stretched or shortened.
    AdaptsInSpeech,
}

impl Playout {
    /// Of a buffer that adapts or does not, behind a talker with pauses or without.
    pub const fn new(adaptive: bool, has_pauses: bool) -> Self {
        match (adaptive, has_pauses) {
            (false, _) => Playout::Fixed,
            (true, true) => Playout::AdaptsInPauses,
            (true, false) => Playout::AdaptsInSpeech,
        }
    }
}

/// What a listener heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// Packets by outcome.
    pub played: Played,
    /// Mean time from a packet's departure to its playout; `None` if none was played.
    pub delay: Option<Duration>,
}

impl JitterBuffer {
    /// Plays a talker's slots, the first of which had its packet at `begin`, as far as they are due by `until`.
    pub fn listen(&self, begin: Time, slots: &[Slot], until: Time, playout: Playout) -> Heard {
        let spoken_at = |slot: usize| begin + self.packet_time.times(slot as u64);
        let delays = match playout {
            Playout::Fixed => vec![self.fixed(slots, spoken_at); slots.len()],
            Playout::AdaptsInPauses => self.adaptive(slots, spoken_at, false),
            Playout::AdaptsInSpeech => self.adaptive(slots, spoken_at, true),
        };
        let due = (0..slots.len()).take_while(|&slot| spoken_at(slot) + delays[slot] <= until).count();
        let slots = &slots[..due];
        let order = in_order(slots.iter().map(|slot| slot.arrival()));
        let spoken = |slot: usize| slots[slot] != Slot::Pause;
        let instant = |slot: usize| in_picoseconds(spoken_at(slot) + delays[slot]);
        let (mut played, held) = self.run(&order, due, spoken, instant);
        let count = |what: Slot| slots.iter().filter(|slot| **slot == what).count() as u64;
        (played.lost, played.first) = (count(Slot::Lost), order.first().map(|(_, slot)| *slot));
        // what is due and has not come is late, however long it takes
        played.late += count(Slot::InFlight);
        let sum: u128 =
            delays.iter().zip(&held).filter(|(_, held)| **held).map(|(delay, _)| u128::from(delay.picoseconds())).sum();
        let mean = sum.checked_div(played.played.into());
        Heard { played, delay: mean.map(|mean| Duration::from_picoseconds(mean as u64)) }
    }

    /// The delay of all packets behind a fixed buffer.
    fn fixed(&self, slots: &[Slot], spoken_at: impl Fn(usize) -> Time) -> Duration {
        let arrivals = slots.iter().enumerate().filter_map(|(slot, found)| Some((found.arrival()?, slot)));
        arrivals.min().map_or(Duration::ZERO, |(at, slot)| at.since(spoken_at(slot))) + self.delay
    }

    /// The delay of each packet behind an adaptive buffer, that changes where a talkspurt begins, or by stretching speech too. It is
    /// decided when the packet before is played, of a talkspurt when its first packet comes, by what has arrived until then.
    fn adaptive(&self, slots: &[Slot], spoken_at: impl Fn(usize) -> Time, stretches: bool) -> Vec<Duration> {
        let order = in_order(slots.iter().map(|slot| slot.arrival()));
        let (mut coming, mut estimate) = (order.into_iter().peekable(), None::<Estimate>);
        let mut recent = VecDeque::with_capacity(WINDOW);
        let (mut delay, mut last_spoken) = (self.delay, None);
        let mut delays = Vec::with_capacity(slots.len());
        for (slot, found) in slots.iter().enumerate() {
            if *found == Slot::Pause {
                delays.push(delay);
                continue;
            }
            let begun = estimate.is_some();
            let pause = last_spoken.map(|last: usize| slot - last - 1).filter(|_| begun);
            let decided = match (pause, found) {
                (Some(0), _) => spoken_at(slot - 1) + delay,
                (_, Slot::Arrived(at)) => *at,
                _ => spoken_at(slot) + delay,
            };
            while let Some((at, of)) = coming.next_if(|(at, _)| *at <= decided) {
                let took = at.since(spoken_at(of)).picoseconds() as f64;
                estimate = Some(estimate.map_or_else(|| Estimate::first(took, self.delay), |past| past.and(took)));
                recent.truncate(WINDOW - 1);
                recent.push_front(took);
            }
            delay = match (estimate.map(Estimate::playout), pause) {
                (None, _) => delay,
                (Some(wanted), None) => wanted,
                // a talkspurt is played after the one before
                (Some(wanted), Some(pause @ 1..)) => {
                    wanted.max(delay.saturating_sub(self.packet_time.times(pause as u64)))
                }
                (Some(_), Some(0)) if stretches && recent.len() == WINDOW => {
                    let least = delay.saturating_sub(self.packet_time.divided(2));
                    order_statistic(&recent).clamp(least, delay + self.packet_time)
                }
                (Some(_), Some(0)) => delay,
            };
            last_spoken = Some(slot);
            delays.push(delay);
        }
        delays
    }
}

/// The delay that all but a share of [`LOSS`] of the packets keep within, by those of the last ones, in picoseconds.
fn order_statistic(recent: &VecDeque<f64>) -> Duration {
    let count = recent.len() as f64;
    let largest = recent.iter().copied().fold(0.0, f64::max);
    let mean = recent.iter().sum::<f64>() / count;
    let variance = recent.iter().map(|took| (took - mean) * (took - mean)).sum::<f64>() / count;
    // of `count` + 1 equally likely places of the next packet the last one is behind all of them
    let beyond = ((1.0 - LOSS) * (count + 1.0) - count).max(0.0);
    Duration::from_picoseconds((largest + beyond * 2.0 * variance.sqrt() + 0.5) as u64)
}

/// Delay of packets as an adaptive buffer has it, in picoseconds.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    mean: f64,
    deviation: f64,
}

impl Estimate {
    /// After the first packet, behind a buffer of this playout delay.
    fn first(took: f64, playout_delay: Duration) -> Self {
        Estimate { mean: took, deviation: playout_delay.picoseconds() as f64 / DEVIATIONS }
    }

    /// After one more packet.
    fn and(self, took: f64) -> Self {
        let mean = WEIGHT * self.mean + (1.0 - WEIGHT) * took;
        Estimate { mean, deviation: WEIGHT * self.deviation + (1.0 - WEIGHT) * (mean - took).abs() }
    }

    /// The delay of the next packet to be played.
    fn playout(self) -> Duration {
        Duration::from_picoseconds((self.mean + DEVIATIONS * self.deviation + 0.5) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET_MS: u64 = 20;

    fn buffer(delay_ms: u64) -> JitterBuffer {
        let [packet_time, delay] = [PACKET_MS, delay_ms].map(Duration::from_millis);
        JitterBuffer { packet_time, delay, capacity: 50 }
    }

    fn ms(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    /// Talkspurts of 50 packets and pauses of 50, whose packets take so long; `None` for lost ones.
    fn spurts(delay_ms: impl Fn(u64) -> Option<u64>, count: u64) -> Vec<Slot> {
        let slot = |n: u64| match n / 50 % 2 {
            1 => Slot::Pause,
            _ => delay_ms(n).map_or(Slot::Lost, |delay| Slot::Arrived(ms(n * PACKET_MS + delay))),
        };
        (0..count).map(slot).collect()
    }

    #[test]
    fn a_fixed_buffer_plays_continuous_speech_as_without_slots() {
        let delays = (0..200).map(|n| (n % 17 != 5).then_some(5 + n * 13 % 60));
        let arrivals: Vec<Option<Time>> =
            delays.enumerate().map(|(n, delay)| delay.map(|delay| ms(n as u64 * PACKET_MS + delay))).collect();
        let slots: Vec<Slot> = arrivals.iter().map(|at| at.map_or(Slot::Lost, Slot::Arrived)).collect();
        let heard = buffer(30).listen(Time::ZERO, &slots, Time::NEVER, Playout::Fixed);
        assert_eq!(heard.played, buffer(30).play(&arrivals));
        assert!(heard.played.late > 10 && heard.played.lost > 10);
        assert_eq!(heard.delay, Some(Duration::from_millis(35)), "5 ms and the playout delay");
    }

    #[test]
    fn pauses_are_neither_lost_nor_underruns() {
        let heard = buffer(30).listen(Time::ZERO, &spurts(|n| Some(10 + n % 20), 1000), Time::NEVER, Playout::Fixed);
        assert_eq!((heard.played.played, heard.played.spoken(), heard.played.underflows), (500, 500, 0));
    }

    #[test]
    fn an_adaptive_buffer_follows_a_delay_that_grows_and_a_fixed_one_does_not() {
        // after 500 packet times the path is 60 ms longer
        let slots = spurts(|n| Some(if n < 500 { 10 } else { 70 }), 10_000);
        let of = |playout| buffer(40).listen(Time::ZERO, &slots, Time::NEVER, playout);
        let (fixed, adaptive) = (of(Playout::Fixed), of(Playout::AdaptsInPauses));
        assert_eq!(fixed.played.late, 4750, "all after the change");
        assert_eq!(adaptive.played.late, 100, "the two talkspurts until it has adapted");
        assert!(adaptive.delay.unwrap() > Duration::from_millis(70));
    }

    #[test]
    fn an_adaptive_buffer_gives_up_a_delay_that_it_does_not_need() {
        let slots = spurts(|_| Some(10), 20_000);
        let of = |playout| buffer(200).listen(Time::ZERO, &slots, Time::NEVER, playout);
        assert_eq!(of(Playout::Fixed).delay, Some(Duration::from_millis(210)));
        // the deviation falls from 50 ms by 0.998002 each packet: its mean over 10 000 packets is about 2.5 ms
        let adaptive = of(Playout::AdaptsInPauses);
        assert_eq!(adaptive.played.loss(), 0.0);
        assert!((20..24).contains(&(adaptive.delay.unwrap().picoseconds() / 1_000_000_000)), "{adaptive:?}");
    }

    /// Packets without pauses, that take so long.
    fn continuous(delay_ms: impl Fn(u64) -> u64, count: u64) -> Vec<Slot> {
        (0..count).map(|n| Slot::Arrived(ms(n * PACKET_MS + delay_ms(n)))).collect()
    }

    #[test]
    fn an_adaptive_buffer_stretches_speech_without_pauses_to_a_delay_that_grows() {
        // a queue that fills for 10 s: the delay grows from 15 to 200 ms by 0.37 ms a packet
        let delay_ms = |n: u64| 15 + 185 * n.min(500) / 500;
        let slots = continuous(delay_ms, 1500);
        let of = |playout| buffer(40).listen(Time::ZERO, &slots, Time::NEVER, playout);
        let (fixed, adaptive) = (of(Playout::Fixed), of(Playout::AdaptsInSpeech));
        let beyond = (0..1500).filter(|n| delay_ms(*n) > delay_ms(0) + 40).count();
        assert_eq!((fixed.played.late, beyond), (beyond as u64, 1389), "all but those within 40 ms of the first");
        assert_eq!(adaptive.played.loss(), 0.0);
        assert!(adaptive.delay.unwrap() < Duration::from_millis(350), "{adaptive:?}");
        let in_pauses = of(Playout::AdaptsInPauses);
        assert_eq!(in_pauses, fixed, "there is no pause to adapt in");
    }

    #[test]
    fn an_adaptive_buffer_shortens_speech_without_pauses_until_no_delay_is_left_that_it_does_not_need() {
        let heard = buffer(200).listen(Time::ZERO, &continuous(|_| 10, 1000), Time::NEVER, Playout::AdaptsInSpeech);
        // 210 ms until 35 packets are known, of which ten wait in the buffer, and 10 ms less for each packet then
        let mean_s = heard.delay.unwrap().seconds();
        assert!((16e-3..18.5e-3).contains(&mean_s), "{heard:?}");
        assert_eq!(heard.played.loss(), 0.0);
    }

    #[test]
    fn speech_is_stretched_to_twice_its_length_and_shortened_to_half_of_it_at_most() {
        // one packet takes 15 s, and is the largest of 35 when it has come
        let slots = continuous(|n| if n == 10 { 15_000 } else { 10 }, 1000);
        let delays = buffer(40).adaptive(&slots, |slot| ms(slot as u64 * PACKET_MS), true);
        let steps =
            |from: usize, to: usize| delays.windows(2).map(|pair| pair[to].saturating_sub(pair[from])).max().unwrap();
        assert_eq!(steps(0, 1), Duration::from_millis(PACKET_MS));
        assert_eq!(steps(1, 0), Duration::from_millis(PACKET_MS / 2));
        assert!(*delays.iter().max().unwrap() > Duration::from_millis(300), "two come for each that is played");
        assert_eq!(delays.last(), Some(&Duration::from_millis(10)), "which is over");
    }

    #[test]
    fn a_delay_that_jumps_is_followed_by_what_has_arrived_and_not_by_what_will() {
        // from packet 100 on all take 1 s longer: the first is heard of a second later, and no buffer plays any before
        let slots = continuous(|n| if n < 100 { 10 } else { 1010 }, 150);
        let heard = buffer(40).listen(Time::ZERO, &slots, Time::NEVER, Playout::AdaptsInSpeech);
        assert_eq!((heard.played.played, heard.played.late), (100, 50));
        assert!(heard.delay.unwrap() < Duration::from_millis(50), "no packet has waited for those: {heard:?}");
    }

    #[test]
    fn what_is_not_yet_due_at_the_end_counts_for_nothing_and_what_is_due_is_late() {
        let mut slots = spurts(|_| Some(10), 20);
        slots[10] = Slot::InFlight;
        slots[19] = Slot::InFlight;
        // instants are 40 ms after departure: by 370 ms those of slots 0 to 16
        let heard = buffer(30).listen(Time::ZERO, &slots, ms(370), Playout::Fixed);
        assert_eq!((heard.played.spoken(), heard.played.played, heard.played.late), (17, 16, 1));
    }

    #[test]
    fn a_talker_of_whom_nothing_arrives_is_lost() {
        let heard = buffer(30).listen(ms(5), &[Slot::Lost; 5], ms(1000), Playout::AdaptsInPauses);
        assert_eq!((heard.played.lost, heard.played.loss(), heard.delay), (5, 1.0, None));
    }
}
