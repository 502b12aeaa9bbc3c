//! The behaviour of a captured network that a simulation of its twin must reproduce.

mod buses;
mod differing;

pub use self::buses::{BusLikeness, BusTraffic};
pub use self::differing::Differing;

use sojourn_capture::ip::media::{Format, MediaStream};
use sojourn_core::Duration;
use sojourn_metrics::distribution::Distribution;

/// Percentiles of the response time that are compared, with the differences that count as one: those of the first and the last are
/// what tests allow.
const PERCENTILES: [(f64, f64); 3] = [(0.5, 0.05), (0.9, 0.1), (0.99, 0.15)];
/// The same of rates, and of the share of losses.
const RATE: f64 = 0.1;
const LOST: f64 = 0.3;
/// Differences of two stamps in microseconds of captures, s.
const RESOLUTION: f64 = 1e-6;
/// A share of losses that is hardly more than none.
const FEW_LOST: f64 = 1e-3;
/// The tolerances of calls: packets as a share, losses in hundredths of the packets or as a share of the captured ones, jitter as a share or
/// in seconds, and the mean opinion score.
const PACKETS: f64 = 0.05;
const LOST_PACKETS: [f64; 2] = [0.005, 0.05];
const JITTER: [f64; 2] = [1e-4, 0.15];
const OPINION: f64 = 0.1;
/// A difference is clipped at this many tolerances, so that no quantity decides alone.
const WORST: f64 = 10.0;

/// How a network behaved.
#[derive(Clone, Debug, Default)]
pub struct Behaviour {
    /// Response times.
    pub responses: Distribution,
    /// Duration of the observation, s.
    pub seconds: f64,
    /// What its transfers over TCP carried.
    pub transfers: Transfers,
    /// What listeners get of its streams of speech, in the order of the scenario.
    pub calls: Vec<Speech>,
    /// What its buses of CAN carried.
    pub buses: BusTraffic,
}

/// What a listener gets of a stream of speech over RTP, summed over runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speech {
    runs: u64,
    packets: u64,
    sent: u64,
    lost: u64,
    jitter: f64,
    opinion: f64,
}

/// What transfers over TCP carried, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transfers {
    /// User data, octets.
    pub octets: u64,
    /// Segments that arrived.
    pub segments: u64,
    /// Segments that were lost.
    pub lost: u64,
    /// From the first data to the last of each, s.
    pub seconds: f64,
}

/// A behaviour beside the one that it shall be like, as multiples of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Median, 90th and 99th percentile of the response times of what was answered; 1 if neither has any.
    pub percentiles: [f64; 3],
    /// Responses per second.
    pub response_rate: f64,
    /// User data per second of transfers; 1 if neither has any.
    pub goodput: f64,
    /// The time that its transfers take; 1 if neither has any.
    pub transfer_time: f64,
    /// What of its calls differs most; `None` without one.
    pub calls: Option<CallLikeness>,
    /// Its buses of CAN; `None` without one.
    pub buses: Option<BusLikeness>,
    /// Sum of the differences in tolerances, from 0.
    pub distance: f64,
}

/// Streams of speech beside those that they shall be like: by each measure that which differs most, captured and simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallLikeness {
    /// Packets received.
    pub packets: Differing,
    /// Share of packets lost.
    pub lost: Differing,
    /// Mean interarrival jitter (RFC 3550), s.
    pub jitter: Differing,
    /// Mean opinion score; of streams that are rated.
    pub opinion: Differing,
}

impl Speech {
    /// What is heard of a stream of this format, over a network without a delay of its own.
    pub fn of(stream: &MediaStream, format: Option<&Format>) -> Speech {
        let heard = MediaStream { format: format.cloned(), ..stream.clone() };
        Speech {
            runs: 1,
            packets: stream.packets - stream.copies.min(stream.packets),
            sent: stream.delivery.sent,
            lost: stream.delivery.lost,
            jitter: stream.jitter.map_or(0.0, |jitter| jitter.mean_s),
            opinion: heard.rating(Duration::ZERO).map_or(0.0, |rating| rating.mos),
        }
    }

    /// Nothing is heard of it in a run.
    pub fn silent() -> Speech {
        Speech { runs: 1, ..Speech::default() }
    }

    fn merge(&mut self, other: &Speech) {
        self.runs += other.runs;
        self.packets += other.packets;
        self.sent += other.sent;
        self.lost += other.lost;
        self.jitter += other.jitter;
        self.opinion += other.opinion;
    }

    fn likeness(&self, observed: &Speech) -> CallLikeness {
        let mean = |of: &Speech, sum: f64| sum / of.runs.max(1) as f64;
        let lost = |of: &Speech| of.lost as f64 / of.sent.max(1) as f64;
        let [packets, jitter, opinion] =
            [|of: &Speech| of.packets as f64, |of: &Speech| of.jitter, |of: &Speech| of.opinion]
                .map(|sum| [observed, self].map(|of| mean(of, sum(of))));
        let most = |[absolute, share]: [f64; 2], of: f64| absolute.max(share * of);
        CallLikeness {
            packets: Differing::of(packets[0], packets[1], PACKETS * packets[0]),
            lost: Differing::of(lost(observed), lost(self), most(LOST_PACKETS, lost(observed))),
            jitter: Differing::of(jitter[0], jitter[1], most(JITTER, jitter[0])),
            opinion: Differing::of(opinion[0], opinion[1], OPINION),
        }
    }
}

impl CallLikeness {
    /// Of streams one by one; one that is missing is not heard.
    fn of(simulated: &[Speech], observed: &[Speech]) -> Option<CallLikeness> {
        let silent = Speech::silent();
        let pairs = observed.iter().enumerate().map(|(at, of)| simulated.get(at).unwrap_or(&silent).likeness(of));
        pairs.reduce(|one, other| CallLikeness {
            packets: one.packets.larger(other.packets),
            lost: one.lost.larger(other.lost),
            jitter: one.jitter.larger(other.jitter),
            opinion: one.opinion.larger(other.opinion),
        })
    }

    fn tolerances(&self) -> [f64; 4] {
        [self.packets, self.lost, self.jitter, self.opinion].map(|of| of.tolerances)
    }
}

impl Behaviour {
    /// Adds what another run of the same network was like.
    pub fn merge(&mut self, other: &Behaviour) {
        self.responses.merge(&other.responses);
        self.seconds += other.seconds;
        self.buses.merge(&other.buses);
        self.transfers.octets += other.transfers.octets;
        self.transfers.segments += other.transfers.segments;
        self.transfers.lost += other.transfers.lost;
        self.transfers.seconds += other.transfers.seconds;
        self.calls.resize(self.calls.len().max(other.calls.len()), Speech::default());
        self.calls.iter_mut().zip(&other.calls).for_each(|(of, other)| of.merge(other));
    }

    /// How like `observed` it is.
    pub fn likeness(&self, observed: &Behaviour) -> Likeness {
        // of what was answered: losses of just over one percent do not make the 99th percentile infinite
        let answered = |of: &Behaviour| of.responses.count() as f64 / of.responses.sent().max(1) as f64;
        let value = |of: &Behaviour, share| of.responses.quantile(share * answered(of)).map_or(0.0, Duration::seconds);
        let percentiles = PERCENTILES.map(|(share, _)| ratio_of_times(value(self, share), value(observed, share)));
        let per_second = |of: &Behaviour, count: u64| count as f64 / of.seconds.max(f64::MIN_POSITIVE);
        let rate =
            |count: fn(&Behaviour) -> u64| ratio(per_second(self, count(self)), per_second(observed, count(observed)));
        let response_rate = rate(|of| of.responses.count());
        let goodput = rate(|of| of.transfers.octets);
        let lasted = |of: &Behaviour| of.transfers.seconds / of.seconds.max(f64::MIN_POSITIVE);
        let transfer_time = ratio_of_times(lasted(self), lasted(observed));
        let lost = (self.transfers.share_lost() + FEW_LOST) / (observed.transfers.share_lost() + FEW_LOST);
        let differences = percentiles.iter().zip(PERCENTILES).map(|(ratio, (_, tolerance))| (*ratio, tolerance));
        let differences = differences.chain([(response_rate, RATE), (goodput, RATE), (lost, LOST)]);
        let distance = differences.map(|(ratio, tolerance)| (libm::fabs(libm::log(ratio)) / tolerance).min(WORST));
        let calls = CallLikeness::of(&self.calls, &observed.calls);
        let of_calls = calls.iter().flat_map(CallLikeness::tolerances).map(|tolerances| tolerances.min(WORST));
        let buses = self.buses.likeness(&observed.buses);
        let of_buses = buses.iter().flat_map(BusLikeness::tolerances).map(|tolerances| tolerances.min(WORST));
        let distance = distance.chain(of_calls).chain(of_buses).sum();
        Likeness { percentiles, response_rate, goodput, transfer_time, calls, buses, distance }
    }
}

impl Transfers {
    fn share_lost(&self) -> f64 {
        self.lost as f64 / (self.segments + self.lost).max(1) as f64
    }
}

/// The ratio of two times; 1 of times that stamps do not distinguish, as of answers in the same microsecond.
fn ratio_of_times(one: f64, other: f64) -> f64 {
    if libm::fabs(one - other) <= RESOLUTION { 1.0 } else { ratio(one, other) }
}

/// A ratio; 1 of two equal numbers, which may be 0.
fn ratio(one: f64, other: f64) -> f64 {
    if one == other { 1.0 } else { one / other }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Responses of 1 to `most` ms in a second, and transfers that lost a share.
    fn behaviour(most: u64, transfers: Transfers) -> Behaviour {
        let mut responses = Distribution::new();
        (1..=most).for_each(|milliseconds| responses.record(Duration::from_millis(milliseconds)));
        Behaviour { responses, seconds: 1.0, transfers, ..Behaviour::default() }
    }

    /// A stream of 1000 packets of which `lost` were lost, with a jitter and an opinion.
    fn speech(lost: u64, jitter: f64, opinion: f64) -> Speech {
        Speech { runs: 1, packets: 1000 - lost, sent: 1000, lost, jitter, opinion }
    }

    fn of_calls(calls: &[Speech]) -> Behaviour {
        Behaviour { seconds: 1.0, calls: calls.to_vec(), ..Behaviour::default() }
    }

    #[test]
    fn calls_are_as_far_as_the_stream_that_differs_most_by_each_measure() {
        let captured = of_calls(&[speech(20, 1e-3, 4.0), speech(0, 0.0, 4.4)]);
        let mut twin = of_calls(&[speech(22, 1.1e-3, 3.9), speech(0, 0.0, 4.4)]);
        // a run more of the same changes nothing
        twin.merge(&twin.clone());
        let found = twin.likeness(&captured).calls.unwrap();
        let tolerances = found.tolerances();
        // 978 packets for 980; 0.2 points of 0.5; 0.1 ms of 0.15; 0.1 of 0.1
        let expected = [2.0 / 49.0, 0.4, 2.0 / 3.0, 1.0];
        assert!(tolerances.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-6), "{tolerances:?}");
        assert!(found.opinion.is_alike() && (found.jitter.captured - 1e-3).abs() < 1e-12);
    }

    #[test]
    fn a_stream_that_the_twin_has_not_is_not_heard() {
        let captured = of_calls(&[speech(0, 0.0, 4.4), speech(0, 0.0, 4.4)]);
        let found = of_calls(&[speech(0, 0.0, 4.4)]).likeness(&captured).calls.unwrap();
        assert_eq!((found.packets.captured, found.packets.simulated, found.packets.is_alike()), (1000.0, 0.0, false));
        assert_eq!(Behaviour::default().likeness(&Behaviour::default()).calls, None);
    }

    #[test]
    fn a_network_is_like_itself_and_runs_add_up_without_a_difference() {
        let one = behaviour(100, Transfers { octets: 1000, segments: 10, lost: 1, seconds: 0.5 });
        let mut two = one.clone();
        two.merge(&one);
        let likeness = two.likeness(&one);
        assert!(likeness.distance < 0.1, "{likeness:?}");
        assert!((likeness.response_rate - 1.0).abs() < 1e-9 && (likeness.goodput - 1.0).abs() < 1e-9);
    }

    #[test]
    fn responses_that_take_twice_as_long_are_as_far_as_their_tolerances_say() {
        let likeness = behaviour(200, Transfers::default()).likeness(&behaviour(100, Transfers::default()));
        assert!(likeness.percentiles.iter().all(|ratio| (ratio - 2.0).abs() < 0.05));
        // 10 at most for the median, ln 2 in tenths for the two others and twice as many responses
        let expected = 10.0 + std::f64::consts::LN_2 * (1.0 / 0.1 + 1.0 / 0.15 + 1.0 / 0.1);
        assert!((likeness.distance - expected).abs() < 1.0, "{likeness:?}");
    }

    #[test]
    fn a_few_lost_requests_more_do_not_change_the_percentiles_of_those_answered() {
        let (mut few, mut more) = (behaviour(1000, Transfers::default()), behaviour(1000, Transfers::default()));
        few.responses.censor(8);
        more.responses.censor(12);
        let likeness = more.likeness(&few);
        assert!(likeness.percentiles.iter().all(|ratio| (ratio - 1.0).abs() < 0.01), "{likeness:?}");
        assert!(likeness.distance < 0.5, "{likeness:?}");
    }

    #[test]
    fn answers_in_the_same_microsecond_are_alike_however_small_the_ratio() {
        let of = |nanoseconds| {
            let mut responses = Distribution::new();
            (0..10).for_each(|_| responses.record(Duration::from_nanos(nanoseconds)));
            Behaviour { responses, seconds: 1.0, ..Behaviour::default() }
        };
        assert_eq!(of(24).likeness(&of(0)).percentiles, [1.0; 3]);
        assert!(of(3000).likeness(&of(1000)).percentiles[0] > 2.9);
    }

    #[test]
    fn without_responses_there_is_no_difference_between_them() {
        let [one, other] = [1000, 2000].map(|octets| Behaviour {
            seconds: 1.0,
            transfers: Transfers { octets, segments: 10, lost: 0, seconds: 0.5 },
            ..Behaviour::default()
        });
        let likeness = other.likeness(&one);
        assert_eq!((likeness.percentiles, likeness.response_rate, likeness.goodput), ([1.0; 3], 1.0, 2.0));
        assert!((likeness.distance - std::f64::consts::LN_2 / 0.1).abs() < 1e-9);
    }
}
