//! What buses of CAN carried: their load, and how often and how evenly the messages of each identifier came.

use std::collections::BTreeMap;

use sojourn_capture::can::CanBus;
use sojourn_protocols::can::frame::Id;

use super::differing::Differing;

/// The tolerances: of the load and of rates as a share; of jitter as a share, in seconds, or as a share of the interval.
const LOAD: f64 = 0.05;
const RATE: f64 = 0.05;
const JITTER: [f64; 3] = [0.15, 1e-4, 0.01];
/// Random variation that is tolerated in addition: in standard deviations of the number of messages, and of the jitter in its value
/// over the square root of that number.
const NUMBER_BY_CHANCE: f64 = 3.5;
const JITTER_BY_CHANCE: f64 = 4.0;

/// What buses carried, summed over runs.
#[derive(Clone, Debug, Default)]
pub struct BusTraffic {
    seconds: f64,
    bits: f64,
    messages: BTreeMap<Id, Messages>,
}

/// The messages of an identifier.
#[derive(Clone, Copy, Debug, Default)]
struct Messages {
    frames: f64,
    /// Sum of the jitters of runs, and how many had one.
    jitter: f64,
    runs: f64,
}

/// How close the traffic of a twin comes to the captured one: the load, and the message rate and jitter of the identifiers that differ
/// most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusLikeness {
    /// Bits per second.
    pub load: Differing,
    /// Messages per second.
    pub rate: Differing,
    /// Standard deviation of intervals, s.
    pub jitter: Differing,
}

impl BusTraffic {
    /// That of buses which were observed for so long.
    pub fn of(buses: &[CanBus], seconds: f64) -> BusTraffic {
        let mut traffic = BusTraffic { seconds, ..BusTraffic::default() };
        for identifier in buses.iter().flat_map(|bus| &bus.identifiers) {
            traffic.bits += (identifier.bits.nominal + identifier.bits.data) as f64;
            let is_on_another = traffic.messages.contains_key(&identifier.id);
            let messages = traffic.messages.entry(identifier.id).or_default();
            messages.frames += (identifier.frames + identifier.remote_frames) as f64;
            match identifier.intervals.jitter() {
                Some(jitter) if !is_on_another => (messages.jitter, messages.runs) = (jitter, 1.0),
                // intervals of two buses are not those of either
                _ => (messages.jitter, messages.runs) = (0.0, 0.0),
            }
        }
        traffic
    }

    /// Adds another run.
    pub fn merge(&mut self, other: &BusTraffic) {
        self.seconds += other.seconds;
        self.bits += other.bits;
        for (id, other) in &other.messages {
            let own = self.messages.entry(*id).or_default();
            own.frames += other.frames;
            own.jitter += other.jitter;
            own.runs += other.runs;
        }
    }

    /// How like `observed` it is; `None` where nothing was observed.
    pub fn likeness(&self, observed: &BusTraffic) -> Option<BusLikeness> {
        if observed.messages.is_empty() || observed.seconds <= 0.0 {
            return None;
        }
        let load = |of: &BusTraffic| of.bits / of.seconds.max(f64::MIN_POSITIVE);
        let mut likeness = BusLikeness {
            load: Differing::of(load(observed), load(self), LOAD * load(observed)),
            ..BusLikeness::default()
        };
        for (id, messages) in &observed.messages {
            let own = self.messages.get(id).copied().unwrap_or_default();
            likeness.rate = likeness.rate.larger(self.rate(own, *messages, observed.seconds));
            likeness.jitter = likeness.jitter.larger(jitter(own, *messages, observed.seconds));
        }
        Some(likeness)
    }

    fn rate(&self, own: Messages, observed: Messages, seconds: f64) -> Differing {
        let frames = observed.frames;
        // messages at random vary in number as their intervals do
        let variation = observed.jitter * frames / seconds;
        let by_chance = NUMBER_BY_CHANCE * variation * frames.sqrt() + 1.5;
        let rate = own.frames / self.seconds.max(f64::MIN_POSITIVE);
        Differing::of(frames / seconds, rate, (RATE * frames).max(by_chance) / seconds)
    }
}

fn jitter(own: Messages, observed: Messages, seconds: f64) -> Differing {
    if observed.runs == 0.0 || own.runs == 0.0 {
        return Differing::default();
    }
    let [own, captured] = [own, observed].map(|of| of.jitter / of.runs);
    let by_chance = JITTER_BY_CHANCE * captured / observed.frames.sqrt();
    let [share, least, of_interval] = JITTER;
    let interval = seconds / observed.frames;
    Differing::of(captured, own, (share * captured).max(least).max(of_interval * interval).max(by_chance))
}

impl BusLikeness {
    pub(super) fn tolerances(&self) -> [f64; 3] {
        [self.load, self.rate, self.jitter].map(|of| of.tolerances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One second of traffic in messages of 100 bits. One identifier has `frames` messages with this jitter.
    fn traffic(frames: f64, jitter: f64) -> BusTraffic {
        let other = (Id::Base(1), Messages { frames: 500.0, jitter: 0.0, runs: 1.0 });
        let one = (Id::Base(2), Messages { frames, jitter, runs: 1.0 });
        BusTraffic { seconds: 1.0, bits: 100.0 * (500.0 + frames), messages: [other, one].into() }
    }

    #[test]
    fn the_identifier_that_differs_most_decides_and_runs_add_up() {
        let captured = traffic(100.0, 0.0);
        let mut twin = traffic(110.0, 0.0);
        twin.merge(&twin.clone());
        let likeness = twin.likeness(&captured).unwrap();
        // 10 messages of 5, and 61 000 bits for 60 000 within 3000
        assert!((likeness.rate.tolerances - 2.0).abs() < 1e-9, "{likeness:?}");
        assert!((likeness.load.tolerances - 1.0 / 3.0).abs() < 1e-9 && likeness.jitter.is_alike(), "{likeness:?}");
    }

    #[test]
    fn jitter_is_alike_within_its_share_and_what_chance_makes_of_it() {
        let jitter = |own: f64| traffic(10_000.0, own).likeness(&traffic(10_000.0, 2e-3)).unwrap().jitter.tolerances;
        // 15 % are more than four hundredths
        assert!((jitter(2.3e-3) - 1.0).abs() < 1e-9 && (jitter(2.6e-3) - 2.0).abs() < 1e-9);
        assert!(BusTraffic::default().likeness(&BusTraffic::default()).is_none());
    }

    #[test]
    fn an_identifier_that_the_twin_has_not_differs() {
        let mut twin = traffic(100.0, 0.0);
        twin.messages.remove(&Id::Base(1));
        assert!(!twin.likeness(&traffic(100.0, 0.0)).unwrap().rate.is_alike());
    }
}
