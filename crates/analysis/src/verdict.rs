//! Whether a twin agrees with its capture: the yardstick, and what is said of a twin beyond it.

use serde::Serialize;
use sojourn_twin::behaviour::{BusLikeness, CallLikeness, Differing, Likeness};
use sojourn_twin::trial::{RUNS, Tried};

/// The yardstick: differences of the median response time, of its 99th percentile, and of the throughput, up to which a twin agrees.
const P50: f64 = 0.05;
const P99: f64 = 0.15;
const THROUGHPUT: f64 = 0.05;

/// Why a twin could not be compared.
const NO_PLACE: &str =
    "transfers were captured between the hosts, where a simulation cannot be captured: capture beside the clients";

/// Why a twin was not simulated to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It sends many times the packets of the capture.
    FarMore,
    /// Its scenario is not valid, or has a warm-up that it finds itself: a fault of the inference.
    Invalid,
    /// The analysis was stopped.
    Stopped,
}

impl Refusal {
    const fn why(self) -> &'static str {
        match self {
            Refusal::FarMore => "simulated, it sends far more packets than the capture has",
            Refusal::Invalid => "it cannot be simulated: `sojourn check` says why",
            Refusal::Stopped => "the analysis was stopped before",
        }
    }
}

/// What the comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All differences are within the yardstick.
    Agrees,
    /// One is beyond it.
    Deviates,
    /// There was no comparison.
    NotCompared,
}

/// How close a twin comes to its capture when it is simulated; ratios of the twin's values and the capture's.
#[derive(Clone, Debug, Serialize)]
pub struct TwinSummary {
    /// The scenario's file.
    pub scenario: String,
    /// Whether it agrees with the capture.
    pub verdict: Verdict,
    /// Why it does not, or why there was no comparison; empty where it agrees.
    pub why: String,
    /// Scenarios that the capture allows, which were simulated.
    pub readings: usize,
    /// Runs of each.
    pub runs: u64,
    /// How close it comes, in words.
    pub sentence: String,
    /// Median of the response times; `None` of all ratios if it could not be simulated.
    pub p50: Option<f64>,
    /// The 90th percentile.
    pub p90: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// Responses per second.
    pub response_rate: Option<f64>,
    /// User data per second of transfers over TCP; `None` without one.
    pub goodput: Option<f64>,
    /// Time from the first data of transfers to their last; `None` where it is not compared.
    pub transfer_time: Option<f64>,
    /// What of calls differs most; `None` without one.
    pub calls: Option<CallsSummary>,
    /// Buses of CAN; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buses: Option<BusesSummary>,
    /// Why it was not simulated to its end.
    #[serde(skip)]
    refusal: Option<Refusal>,
}

/// Streams of speech of a twin and of its capture: by each measure those of the stream that differs most, captured and simulated.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CallsSummary {
    /// Packets received.
    pub packets: [f64; 2],
    /// Share of packets lost.
    pub loss: [f64; 2],
    /// Mean interarrival jitter.
    pub jitter_s: [f64; 2],
    /// Mean opinion score.
    pub mos: [f64; 2],
}

/// Buses of CAN of a twin and of its capture, captured and simulated: of rate and jitter those of the identifier that differs most.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BusesSummary {
    /// Bits per second.
    pub load_bit_rate: [f64; 2],
    /// Messages per second.
    pub message_rate: [f64; 2],
    /// Standard deviation of the intervals of messages.
    pub jitter_s: [f64; 2],
}

impl TwinSummary {
    /// That of the scenario that came closest.
    pub(crate) fn of(tried: &Tried, has: Has, refusal: Refusal, scenario: &str) -> TwinSummary {
        let Some(likeness) = &tried.likeness else {
            return TwinSummary { refusal: Some(refusal), ..TwinSummary::unknown(refusal.why(), tried.of, scenario) };
        };
        let (beyond, has_transfers) = (beyond(likeness, has), has.transfers);
        let verdict = if beyond.is_empty() { Verdict::Agrees } else { Verdict::Deviates };
        let [p50, p90, p99] = likeness.percentiles.map(Some);
        TwinSummary {
            scenario: scenario.to_owned(),
            verdict,
            why: if beyond.is_empty() { String::new() } else { why(beyond, &tried.twin.doubts) },
            readings: tried.of,
            runs: RUNS,
            sentence: sentence(likeness, has, tried.of),
            p50,
            p90,
            p99,
            response_rate: Some(likeness.response_rate),
            goodput: Some(likeness.goodput).filter(|_| has_transfers),
            transfer_time: Some(likeness.transfer_time).filter(|_| has.transfer_times),
            calls: likeness.calls.map(|calls| CallsSummary::of(&calls)),
            buses: likeness.buses.map(|buses| BusesSummary::of(&buses)),
            refusal: None,
        }
    }

    /// That of a scenario whose simulation cannot be captured where the network was.
    pub(crate) fn not_compared(scenario: &str) -> TwinSummary {
        TwinSummary::unknown(NO_PLACE, 0, scenario)
    }

    fn unknown(why: &str, readings: usize, scenario: &str) -> TwinSummary {
        TwinSummary {
            scenario: scenario.to_owned(),
            verdict: Verdict::NotCompared,
            why: why.to_owned(),
            readings,
            runs: if readings > 0 { RUNS } else { 0 },
            sentence: "How close it comes to the capture is not known.".to_owned(),
            p50: None,
            p90: None,
            p99: None,
            response_rate: None,
            goodput: None,
            transfer_time: None,
            calls: None,
            buses: None,
            refusal: None,
        }
    }

    /// Whether its transfers carry more than those of the capture, or so much that the simulation was stopped.
    pub(crate) fn carries_more(&self) -> bool {
        match self.goodput {
            Some(ratio) => ratio > 1.0 + THROUGHPUT,
            None => self.refusal == Some(Refusal::FarMore),
        }
    }

    /// What stands at the head of the scenario.
    pub(crate) fn head(&self) -> String {
        match self.verdict {
            Verdict::Agrees => format!("AGREES with its capture. {}", self.sentence),
            Verdict::Deviates => {
                format!("DEVIATES from its capture, do not rely on it: {}. {}", self.why, self.sentence)
            }
            Verdict::NotCompared => format!("NOT COMPARED with its capture, do not rely on it: {}.", self.why),
        }
    }
}

/// What a capture has that is compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Has {
    pub responses: bool,
    pub transfers: bool,
    /// Buses of CAN.
    pub buses: bool,
    /// Whether the twin has each transfer as long as it took.
    pub transfer_times: bool,
}

impl CallsSummary {
    fn of(calls: &CallLikeness) -> CallsSummary {
        let both = |of: Differing| [of.captured, of.simulated];
        CallsSummary {
            packets: both(calls.packets),
            loss: both(calls.lost),
            jitter_s: both(calls.jitter),
            mos: both(calls.opinion),
        }
    }
}

impl BusesSummary {
    fn of(buses: &BusLikeness) -> BusesSummary {
        let both = |of: Differing| [of.captured, of.simulated];
        BusesSummary { load_bit_rate: both(buses.load), message_rate: both(buses.rate), jitter_s: both(buses.jitter) }
    }
}

/// What is beyond the yardstick, in words.
fn beyond(likeness: &Likeness, has: Has) -> Vec<String> {
    let Likeness { percentiles: [p50, _, p99], response_rate, goodput, transfer_time, calls, buses, .. } = *likeness;
    let measured = [
        ("the median response time", p50, P50),
        ("the 99th percentile", p99, P99),
        ("the number of responses", response_rate, THROUGHPUT),
        ("the throughput of transfers", goodput, THROUGHPUT),
        ("the time that transfers take", transfer_time, THROUGHPUT),
    ];
    let compared = 3 + usize::from(has.transfers) + usize::from(has.transfer_times);
    // a ratio of 1.05 is within 5 %, whatever its last bit
    let is_beyond = |ratio: f64, within: f64| ratio.is_nan() || (ratio - 1.0).abs() > within + 1e-9;
    let rows = measured[..compared].iter().filter(|(_, ratio, within)| is_beyond(*ratio, *within));
    rows.map(|(what, ratio, within)| {
        format!("{what} is {} times the captured one (within {:.0} % agrees)", times(*ratio), 100.0 * within)
    })
    .chain(calls.iter().flat_map(beyond_of_calls))
    .chain(buses.iter().flat_map(beyond_of_buses))
    .collect()
}

/// The same of calls, of the stream that differs most.
fn beyond_of_calls(calls: &CallLikeness) -> Vec<String> {
    let measured = [
        ("packets", calls.packets, 1.0, "", "within 5 %"),
        ("lost packets", calls.lost, 100.0, " %", "within 0.5 points or 5 %"),
        ("jitter", calls.jitter, 1e3, " ms", "within 15 % or 0.1 ms"),
        ("MOS", calls.opinion, 1.0, "", "within 0.1"),
    ];
    let rows = measured.into_iter().filter(|(_, of, ..)| !of.is_alike());
    rows.map(|(what, of, factor, unit, within)| {
        let [simulated, captured] = both(of, factor);
        format!("a stream of its calls has {what} of {simulated}{unit}, and {captured}{unit} in the capture ({within} agrees)")
    })
    .collect()
}

/// The simulated value and the captured one, times a factor.
fn both(of: Differing, factor: f64) -> [String; 2] {
    [of.simulated, of.captured].map(|value| {
        let text = format!("{:.4}", factor * value);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    })
}

/// The same of buses of CAN, of the identifier that differs most.
fn beyond_of_buses(buses: &BusLikeness) -> Vec<String> {
    let measured = [
        ("the bus carries", buses.load, 1e-3, "kbit/s", "within 5 %"),
        ("an identifier has", buses.rate, 1.0, "messages/s", "within 5 %, or by chance,"),
        (
            "an identifier has",
            buses.jitter,
            1e3,
            "ms of jitter",
            "within 15 %, 0.1 ms, 1 % of the interval, or by chance,",
        ),
    ];
    let rows = measured.into_iter().filter(|(_, of, ..)| !of.is_alike());
    rows.map(|(what, of, factor, unit, within)| {
        let [simulated, captured] = both(of, factor);
        format!("{what} {simulated} {unit}, and {captured} in the capture ({within} agrees)")
    })
    .collect()
}

fn why(beyond: Vec<String>, doubts: &[String]) -> String {
    let known = match doubts {
        [] => String::new(),
        several => format!("; it has not all of the capture: {}", several.join("; ")),
    };
    format!("{}{known}", beyond.join(", "))
}

/// A ratio in three digits.
fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("{ratio:.0}"),
        ratio => format!("{ratio:.2}"),
    }
}

/// How close the best of this many scenarios comes.
fn sentence(likeness: &Likeness, has: Has, readings: usize) -> String {
    let Likeness { percentiles: [p50, _, p99], response_rate: rate, goodput, transfer_time, calls, buses, .. } =
        likeness;
    let responses = has.responses || calls.is_none() && !has.transfers && !has.buses;
    let of_responses = responses.then(|| {
        format!(
            "its median response time is {p50:.2} times that of the capture, its 99th percentile {p99:.2} times; it has \
             {rate:.2} times as many responses"
        )
    });
    let lasting = if has.transfer_times { format!(" in {transfer_time:.2} times the time") } else { String::new() };
    let of_transfers = has.transfers.then(|| format!("transfers over TCP carry {goodput:.2} times as much{lasting}"));
    let of_calls = calls.map(|calls| of_calls(&calls));
    let of_buses = buses.map(|buses| of_buses(&buses));
    let parts: Vec<String> = [of_responses, of_transfers, of_calls, of_buses].into_iter().flatten().collect();
    let chosen = match readings {
        1 => String::new(),
        several => format!(" Of {several} scenarios that the capture allows it came closest."),
    };
    format!("In {RUNS} simulated runs {}.{chosen}", parts.join(", and "))
}

/// How close the streams come that differ most.
fn of_calls(calls: &CallLikeness) -> String {
    let CallLikeness { packets, lost, jitter, opinion } = calls;
    let ratio = packets.simulated / packets.captured.max(f64::MIN_POSITIVE);
    format!(
        "the streams of its calls that differ most receive {ratio:.2} times the packets, lose {:.2} % ({:.2} % in the capture), \
         have a jitter of {:.2} ms ({:.2} ms) and a MOS of {:.2} ({:.2})",
        100.0 * lost.simulated,
        100.0 * lost.captured,
        1e3 * jitter.simulated,
        1e3 * jitter.captured,
        opinion.simulated,
        opinion.captured
    )
}

/// How close buses come.
fn of_buses(buses: &BusLikeness) -> String {
    let BusLikeness { load, rate, jitter } = buses;
    format!(
        "the load of its bus is {:.2} times that of the capture; the identifiers that differ most have {:.2} messages/s ({:.2} in \
         the capture) and a jitter of {:.3} ms ({:.3} ms)",
        load.simulated / load.captured.max(f64::MIN_POSITIVE),
        rate.simulated,
        rate.captured,
        1e3 * jitter.simulated,
        1e3 * jitter.captured
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Has = Has { responses: true, transfers: true, buses: false, transfer_times: true };
    const REQUESTS: Has = Has { responses: true, transfers: false, buses: false, transfer_times: false };

    fn likeness(percentiles: [f64; 3], response_rate: f64, goodput: f64) -> Likeness {
        Likeness {
            percentiles,
            response_rate,
            goodput,
            transfer_time: goodput,
            calls: None,
            buses: None,
            distance: 0.0,
        }
    }

    #[test]
    fn calls_beyond_the_yardstick_say_what_their_streams_have() {
        let alike = Differing { captured: 0.5, simulated: 0.5, tolerances: 0.0 };
        let lost = Differing { captured: 0.02, simulated: 0.027, tolerances: 1.4 };
        let calls =
            CallLikeness { packets: alike, lost, jitter: alike, opinion: Differing { tolerances: 1.0, ..alike } };
        let of = Likeness { calls: Some(calls), ..likeness([1.0; 3], 1.0, 1.0) };
        let has = Has { responses: false, transfers: false, buses: false, transfer_times: false };
        let expected =
            "a stream of its calls has lost packets of 2.7 %, and 2 % in the capture (within 0.5 points or 5 % agrees)";
        assert_eq!(beyond(&of, has), [expected]);
        assert!(sentence(&of, has, 1).starts_with("In 3 simulated runs the streams of its calls that differ most"));
    }

    #[test]
    fn buses_beyond_the_yardstick_say_what_they_carry() {
        let alike = Differing { captured: 1.0, simulated: 1.0, tolerances: 0.0 };
        let load = Differing { captured: 1e5, simulated: 1.2e5, tolerances: 4.0 };
        let of =
            Likeness { buses: Some(BusLikeness { load, rate: alike, jitter: alike }), ..likeness([1.0; 3], 1.0, 1.0) };
        let has = Has { responses: false, transfers: false, buses: true, transfer_times: false };
        assert_eq!(beyond(&of, has), ["the bus carries 120 kbit/s, and 100 in the capture (within 5 % agrees)"]);
        assert!(sentence(&of, has, 1).starts_with("In 3 simulated runs the load of its bus is 1.20 times"));
    }

    #[test]
    fn a_twin_within_the_yardstick_agrees_and_one_beyond_it_says_by_how_much() {
        assert!(beyond(&likeness([1.05, 2.0, 0.86], 0.96, 1.04), ALL).is_empty());
        let found = beyond(&likeness([1.06, 1.0, 0.84], 1.0, 0.5), ALL);
        assert_eq!(found.len(), 4);
        assert_eq!(found[3], "the time that transfers take is 0.50 times the captured one (within 5 % agrees)");
        assert_eq!(found[0], "the median response time is 1.06 times the captured one (within 5 % agrees)");
        assert_eq!(found[2], "the throughput of transfers is 0.50 times the captured one (within 5 % agrees)");
        assert!(beyond(&likeness([1.0; 3], 1.0, 0.5), REQUESTS).is_empty(), "there are no transfers");
    }

    #[test]
    fn a_ratio_that_is_no_number_is_beyond_any_yardstick() {
        assert_eq!(beyond(&likeness([f64::NAN, 1.0, f64::INFINITY], 0.0, 1.0), REQUESTS).len(), 3);
    }
}
