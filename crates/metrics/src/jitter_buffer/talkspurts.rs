//! Speech in talkspurts through a fixed or an adaptive jitter buffer.
//!
//! The adaptive buffer is algorithm 1 of Ramjee, Kurose, Towsley and Schulzrinne (INFOCOM 1994): delay and deviation of the
//! packets are averaged exponentially, and a talkspurt is played at mean delay and four deviations. It begins as the fixed
//! one: with the delay of the first packet, and a deviation of a fourth of the playout delay.

use sojourn_core::{Duration, Time};

use super::{JitterBuffer, Played, in_order, in_picoseconds};

/// The weight of the past in mean delay and deviation.
const WEIGHT: f64 = 0.998_002;
/// Deviations between mean delay and playout.
const DEVIATIONS: f64 = 4.0;

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
    pub fn listen(&self, begin: Time, slots: &[Slot], until: Time, adaptive: bool) -> Heard {
        let spoken_at = |slot: usize| begin + self.packet_time.times(slot as u64);
        let delays = match adaptive {
            true => self.adaptive(slots, spoken_at),
            false => vec![self.fixed(slots, spoken_at); slots.len()],
        };
        let due = (0..slots.len()).take_while(|&slot| spoken_at(slot) + delays[slot] <= until).count();
        let slots = &slots[..due];
        let order = in_order(slots.iter().map(|slot| match slot {
            Slot::Arrived(at) => Some(*at),
            _ => None,
        }));
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
        let first = slots.iter().enumerate().filter_map(|(slot, found)| match found {
            Slot::Arrived(at) => Some((*at, slot)),
            _ => None,
        });
        first.min().map_or(Duration::ZERO, |(at, slot)| at.since(spoken_at(slot))) + self.delay
    }

    /// The delay of each packet behind an adaptive buffer.
    fn adaptive(&self, slots: &[Slot], spoken_at: impl Fn(usize) -> Time) -> Vec<Duration> {
        let mut estimate: Option<(f64, f64)> = None;
        let (mut delay, mut last_spoken) = (self.delay, None);
        let mut delays = Vec::with_capacity(slots.len());
        for (slot, found) in slots.iter().enumerate() {
            if let Slot::Arrived(at) = found {
                let took = at.since(spoken_at(slot)).picoseconds() as f64;
                estimate = Some(match estimate {
                    None => (took, self.delay.picoseconds() as f64 / DEVIATIONS),
                    Some((mean, deviation)) => {
                        let mean = WEIGHT * mean + (1.0 - WEIGHT) * took;
                        (mean, WEIGHT * deviation + (1.0 - WEIGHT) * (mean - took).abs())
                    }
                });
            }
            if *found != Slot::Pause {
                let pause = last_spoken.map(|last: usize| slot - last - 1);
                if pause.is_none_or(|pause| pause > 0)
                    && let Some((mean, deviation)) = estimate
                {
                    let wanted = Duration::from_picoseconds((mean + DEVIATIONS * deviation + 0.5) as u64);
                    // a talkspurt is played after the one before
                    let least = delay.saturating_sub(self.packet_time.times(pause.unwrap_or_default() as u64));
                    delay = if pause.is_some() { wanted.max(least) } else { wanted };
                }
                last_spoken = Some(slot);
            }
            delays.push(delay);
        }
        delays
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
        let heard = buffer(30).listen(Time::ZERO, &slots, Time::NEVER, false);
        assert_eq!(heard.played, buffer(30).play(&arrivals));
        assert!(heard.played.late > 10 && heard.played.lost > 10);
        assert_eq!(heard.delay, Some(Duration::from_millis(35)), "5 ms and the playout delay");
    }

    #[test]
    fn pauses_are_neither_lost_nor_underruns() {
        let heard = buffer(30).listen(Time::ZERO, &spurts(|n| Some(10 + n % 20), 1000), Time::NEVER, false);
        assert_eq!((heard.played.played, heard.played.spoken(), heard.played.underflows), (500, 500, 0));
    }

    #[test]
    fn an_adaptive_buffer_follows_a_delay_that_grows_and_a_fixed_one_does_not() {
        // after 500 packet times the path is 60 ms longer
        let slots = spurts(|n| Some(if n < 500 { 10 } else { 70 }), 10_000);
        let of = |adaptive| buffer(40).listen(Time::ZERO, &slots, Time::NEVER, adaptive);
        let (fixed, adaptive) = (of(false), of(true));
        assert_eq!(fixed.played.late, 4750, "all after the change");
        assert_eq!(adaptive.played.late, 100, "the two talkspurts until it has adapted");
        assert!(adaptive.delay.unwrap() > Duration::from_millis(70));
    }

    #[test]
    fn an_adaptive_buffer_gives_up_a_delay_that_it_does_not_need() {
        let slots = spurts(|_| Some(10), 20_000);
        let of = |adaptive| buffer(200).listen(Time::ZERO, &slots, Time::NEVER, adaptive);
        assert_eq!(of(false).delay, Some(Duration::from_millis(210)));
        // the deviation falls from 50 ms by 0.998002 each packet: its mean over 10 000 packets is about 2.5 ms
        let adaptive = of(true);
        assert_eq!(adaptive.played.loss(), 0.0);
        assert!((20..24).contains(&(adaptive.delay.unwrap().picoseconds() / 1_000_000_000)), "{adaptive:?}");
    }

    #[test]
    fn what_is_not_yet_due_at_the_end_counts_for_nothing_and_what_is_due_is_late() {
        let mut slots = spurts(|_| Some(10), 20);
        slots[10] = Slot::InFlight;
        slots[19] = Slot::InFlight;
        // instants are 40 ms after departure: by 370 ms those of slots 0 to 16
        let heard = buffer(30).listen(Time::ZERO, &slots, ms(370), false);
        assert_eq!((heard.played.spoken(), heard.played.played, heard.played.late), (17, 16, 1));
    }

    #[test]
    fn a_talker_of_whom_nothing_arrives_is_lost() {
        let heard = buffer(30).listen(ms(5), &[Slot::Lost; 5], ms(1000), true);
        assert_eq!((heard.played.lost, heard.played.loss(), heard.delay), (5, 1.0, None));
    }
}
