//! Every metric: what it is called, its unit and shape, what it means and between which points it is taken.
//!
//! A name may carry a member: `"response_time/alarm"` is `response_time` of the flow `alarm`,
//! `"queue_length/switch/port-1"` that of one port. The documentation's table is made from this one.

use serde::Serialize;

/// The four shapes of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Samples: `count min min_mean mean max max_mean p50 p90 p99 p999 sd ci95 p50_ci95 p99_ci95`.
    Distribution,
    /// One number: `value ci95`. A count's value is the total over replications.
    Scalar,
    /// A level: `mean max ci95`.
    TimeWeighted,
    /// A component of the response time: `mean share slowest_mean slowest_share`.
    Budget,
}

/// What is known of a metric.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MetricInformation {
    /// Its name in results, figures and expectations.
    pub name: &'static str,
    /// SI unit; `"1"` for counts and fractions.
    pub unit: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// What it means, in a sentence.
    pub definition: &'static str,
    /// Between which points, or on what, it is taken.
    pub measured_at: &'static str,
}

/// All metrics, by name.
pub fn all() -> &'static [MetricInformation] {
    METRICS
}

/// The metric of a name, with or without a member.
pub fn find(name: &str) -> Option<&'static MetricInformation> {
    let base = name.split('/').next()?;
    METRICS.binary_search_by_key(&base, |information| information.name).ok().map(|index| &METRICS[index])
}

const fn row(
    name: &'static str,
    unit: &'static str,
    shape: Shape,
    definition: &'static str,
    measured_at: &'static str,
) -> MetricInformation {
    MetricInformation { name, unit, shape, definition, measured_at }
}

use Shape::{Budget, Distribution, Scalar, TimeWeighted};

/// In order of name.
#[rustfmt::skip]
const METRICS: &[MetricInformation] = &[
    row("airtime", "s", Scalar, "Time that a station transmitted, its transmit delays and tails included, by the octets of its frames.", "the station that measures"),
    row("allowed_cell_rate", "cells/s", TimeWeighted, "Rate at which a source under rate control may send cells.", "the probed source's end system"),
    row("answers", "1", Scalar, "Share of correct packets that answer others: acknowledgements, responses, challenges, replies.", "the medium"),
    row("backlog", "1", TimeWeighted, "Estimated number of packets waiting on the medium, as the nodes' medium access holds it.", "mean over the nodes of the probed medium"),
    row("buffer_overflows", "1", Scalar, "Messages refused because a buffer of the station was full.", "all stations, transmit and receive buffers"),
    row("bus_wait", "s", Distribution, "Time between a transaction asking for the bus and being granted it.", "the bus: the adapter's transactions, and as a member those of other nodes"),
    row("claims", "1", Scalar, "Times that stations have bid for the token anew, the start of a ring included after no warm-up.", "all rings"),
    row("clock_error", "s", Scalar, "What the offset of the clocks may be wrong by: half of the least round trip, for all of which one direction could be to blame, and the scatter of the estimate.", "both ends of the probe"),
    row("clock_offset", "s", Scalar, "How far the other end's clock is ahead of this host's, of ends whose clock tells the time of day (STAMP).", "both ends of the probe"),
    row("clock_skew", "1", Scalar, "What the other end's clock gains on this end's, as a share of the time.", "both ends of the probe"),
    row("collision_rate", "1", Scalar, "Frames lost to overlap as a share of all frames ended on the medium: CRC errors / (CRC errors + correct packets).", "the medium, as a protocol analyser sees it"),
    row("collisions", "1", Scalar, "Overlaps of transmissions.", "all media"),
    row("connect_time", "s", Distribution, "Time between the wish for a link and its being up.", "the station that asks"),
    row("delay_budget", "s", Budget, "Where the time of the probed transactions went; the components add up to the response time.", "as response_time, one component each"),
    row("disconnect_time", "s", Distribution, "Time between the wish to end a link and the other station's answer to it.", "the station that asks"),
    row("drops", "1", Scalar, "Frames, packets or cells dropped.", "all buffers; each place where they are dropped is a member"),
    row("duplicates", "1", Scalar, "Messages delivered to an application more than once.", "receiving applications"),
    row("failures", "1", Scalar, "Tests that ended without delivery.", "the probe"),
    row("fifo_overflow", "1", Scalar, "Voice samples or frames lost because a voice buffer was full.", "voice buffers, sending and receiving"),
    row("fifo_underflow", "1", Scalar, "Times that a receiving voice buffer ran empty.", "receiving voice buffers"),
    row("frames_per_token", "1", Scalar, "Frames sent on each token captured.", "the probe's sender"),
    row("handshakes", "1", Scalar, "Synchronising handshakes: requests for status that were not answered in time.", "all hosts"),
    row("host_time", "s", Distribution, "The hosts' share of the response time: what path_time leaves of it.", "the probe: from the application to the kernel, from the kernel to the application, and what the other host takes"),
    row("interference", "1", Scalar, "Share of the bus's cycles that nodes beside the adapter drive.", "the bus"),
    row("ipdv", "s", Distribution, "Difference of the delays of consecutive packets of a stream, absolute (RFC 3393).", "consecutive packets of the probe"),
    row("jitter_p95_p50", "s", Scalar, "95 % quantile less median of the response time.", "the probe"),
    row("jitter_rfc3550", "s", Scalar, "Smoothed interarrival jitter (RFC 3550, section 6.4.1) at the end of the run; of a measurement that of the response time, as members forward and return that of each way.", "the probe's receiver"),
    row("late_acknowledgements", "1", Scalar, "Acknowledgements that came after their transaction had ended.", "all stations"),
    row("lateness", "s", Distribution, "How much later than intended a request was handed over.", "the probe's sender"),
    row("loss", "1", Scalar, "Share of units offered that were not delivered, in flight at the end not counted.", "the probe, or the buffers of the network"),
    row("marks", "1", Scalar, "Cells or packets marked to tell of congestion (EFCI, ECN); in a measurement answers that came so marked, there or back, to requests that were ECN-capable.", "all outputs, each a member; in a measurement the probe"),
    row("missed", "1", Scalar, "Samples of a closed-loop probe not taken because the one before was still waiting.", "the probe"),
    row("mos", "1", Scalar, "Mean opinion score of a voice stream, from 1 (bad) to 4.5, that r_factor stands for (ITU-T G.107, Annex B).", "between speaker and listener, behind the play-out buffer"),
    row("noise_floor", "s", Scalar, "Median round trip between two sleeping threads of the host that measures, over its loopback: what a response time below it says is said of the hosts.", "the host that measures, before the measurement"),
    row("one_way_delay", "s", Distribution, "Time on the way in one direction, as members forward and return, by an estimate of the other end's clock; its error is clock_error (RFC 7679).", "kernel to kernel where both stamp, the probe"),
    row("packet_length", "B", Scalar, "Mean length of correct packets, from the link header to the CRC.", "the medium"),
    row("packet_rate", "1/s", Scalar, "Packets delivered per second.", "receiving stations"),
    row("packet_rate_limit", "1/s", Scalar, "Packets per second at which the medium saturates with packets of this run's mean length: 80 % of its peak rate.", "the medium"),
    row("packets", "1", Scalar, "Correct packets carried.", "all media"),
    row("path_time", "s", Distribution, "The round trip less the time in the hosts: from the sending kernel to the receiving kernel and back, less the time that the other host takes where that tells it.", "kernel to kernel, the probe"),
    row("pdv", "s", Distribution, "Delay of each packet less the least delay of the run (RFC 5481).", "the probe"),
    row("play_out_delay", "s", Scalar, "Time between a sound being spoken and its being played: the packet's, the delay of the first packet, and the wait of the play-out buffer.", "between speaker and listener, behind the play-out buffer"),
    row("play_out_loss", "1", Scalar, "Share of voice packets that were not played: lost, late, or without room in the play-out buffer, each a member.", "receiving voice buffers"),
    row("polls", "1", Scalar, "Enquiries: times that a link asked the other station how things stand.", "all links"),
    row("processor_utilisation", "1", Scalar, "Share of time that a host's processor is busy.", "each host"),
    row("queue_length", "cells", TimeWeighted, "Units waiting or in transmission; the mean after the warm-up, the maximum from time 0.", "a buffer, port or station"),
    row("r_factor", "1", Scalar, "Rating of a voice stream, 0 to 93.2, by the simplified E-model (ITU-T G.107): 93.2 less what its delay, its coding and what was not played cost.", "between speaker and listener, behind the play-out buffer"),
    row("reordering", "1", Scalar, "Share of requests whose answers came after that of a later request (RFC 4737).", "the probe"),
    row("response_time", "s", Distribution, "Time between an application handing a message over and another application (or, for a request, the same one with the answer) acting on it.", "application to application, the probe's flow"),
    row("response_time_intended", "s", Distribution, "As response_time, from the instant that the schedule has the request leave: a late sender cannot hide it.", "the probe"),
    row("retransmissions", "1", Scalar, "Segments that TCP sent again; in a measurement those that this end sent again on the connection of the requests, in the phase.", "senders of bulk transfers; in a measurement the probe"),
    row("retries", "1", Scalar, "Transmissions of a message after its first.", "the probe"),
    row("smoothed_round_trip_time", "s", Scalar, "Round-trip time as the TCP that carries the requests estimates it from their acknowledgements (SRTT of RFC 6298), at the end of the phase.", "kernel to kernel, the probe"),
    row("throughput", "bit/s", Scalar, "User data delivered per second.", "receiving applications"),
    row("throughput_l3", "1/s", Scalar, "Correct packets per second.", "the medium"),
    row("throughput_l4", "1/s", Scalar, "Packets per second of the messages that were started, as many as each takes when nothing is lost: acknowledgements count, retries do not. Where what is lost is repaired, that is throughput_l3 less the retries; where it is not, it counts what was sent, carried or not.", "the senders"),
    row("token_rotation", "s", Distribution, "Time between two arrivals of the token.", "one station of the ring"),
    row("tokens_lost", "1", Scalar, "Tokens lost.", "all rings"),
    row("transaction_failures", "1", Scalar, "Transactions that the protocol gave up, delivered or not.", "the probe"),
    row("transaction_rate", "1/s", Scalar, "Transactions completed per second.", "the probe, or the sinks of the network"),
    row("transaction_time", "s", Distribution, "Time between an application handing a message over and its transaction ending: the last acknowledgement or response processed.", "the sender of the probe"),
    row("utilisation", "1", Scalar, "Share of time that the medium or server is busy.", "the medium or server"),
    row("voice_channels", "1", Scalar, "Voice channels that the stream carries without loss.", "the probe's stream"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_of_name_without_repeats() {
        assert!(METRICS.is_sorted_by(|a, b| a.name < b.name));
    }

    #[test]
    fn a_member_of_a_metric_is_found_under_its_name() {
        assert_eq!(find("response_time/alarm").unwrap().name, "response_time");
        assert_eq!(find("queue_length/switch/port-1").unwrap().unit, "cells");
        assert!(find("jitter").is_none(), "there is no unnamed jitter");
    }

    #[test]
    fn every_metric_of_the_contract_is_here_with_its_unit_and_shape() {
        let text = include_str!("../../../tests/contract/contract.json");
        let contract: serde_json::Value = serde_json::from_str(text).unwrap();
        let studies = contract["studies"].as_object().unwrap().values();
        let experiments = studies.flat_map(|study| study["experiments"].as_object().unwrap().values());
        for (name, shape) in experiments.flat_map(|experiment| experiment["metrics"].as_object().unwrap()) {
            let found = find(name).unwrap_or_else(|| panic!("{name} is not registered"));
            assert_eq!(contract["units"][name], found.unit, "{name}");
            assert_eq!(*shape, serde_json::to_value(found.shape).unwrap(), "{name}");
        }
    }
}
