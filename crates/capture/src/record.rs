//! Converts the findings of a capture to metrics with the names that simulations use.

mod calls;
mod can;

use std::borrow::Cow;

use sojourn_core::Time;
use sojourn_metrics::interval::Interval;
use sojourn_metrics::one_run::interval_of_parts;
use sojourn_metrics::record::{Observation, Record, share};

pub use calls::Heard;

use crate::analysis::Findings;
use crate::ip::roles::Evidence;
use crate::series::Bin;
use crate::tally::{Durations, Tally};
use crate::{FlowId, Network, Service, fddi};

/// Flows and stations that have metrics of their own, those with the most transactions and packets.
const MEMBERS: usize = 512;

/// The metric of attempts after the first.
const RETRIES: &str = "retries";

/// What a capture holds, beside its packets: a number without an interval, which events such as failures have as estimates of
/// what the network does.
const ENUMERATED: [&str; 8] =
    ["calls", "captured_twice", "connections", "evicted", "fragments", "polls_for_master", "remote_frames", "tokens"];

/// Bit rate of a LonTalk channel where none is stated: that of TP/FT-10.
const LONTALK_BIT_RATE: u64 = 78_125;

/// Times of requests; none where they cannot be distinguished.
struct Times<'a> {
    response: Option<Cow<'a, Durations>>,
    complete: Option<Cow<'a, Durations>>,
}

fn times_of(tally: &Tally, is_separable: bool) -> Times<'_> {
    let known = |times| is_separable.then_some(Cow::Borrowed(times));
    Times { response: known(&tally.response), complete: known(&tally.complete) }
}

impl Findings {
    /// The metrics of the capture. Utilization is of a medium of `bit_rate` bit/s, or of what the capture states.
    pub fn record(&self, bit_rate: Option<u64>) -> Record {
        let mut record = Record::default();
        self.record_transactions(&mut record);
        self.record_flows(&mut record);
        self.record_streams(&mut record);
        self.record_packets(&mut record);
        self.record_media(bit_rate, &mut record);
        self.note(bit_rate, &mut record);
        record
    }

    fn record_transactions(&self, record: &mut Record) {
        let whole = self.sink.whole();
        if whole.transactions > 0 {
            self.record_tally("", whole, &self.separable(), record);
            self.rate("transaction_rate", |bin| (bin.transactions - bin.unanswered) as f64, record);
        }
        if whole.transactions > 0 && self.network == Some(Network::LonTalk) {
            record.count("transaction_failures", whole.unanswered + whole.refused);
            durations("transaction_time".to_owned(), &whole.response, record);
        }
        for (service, tally) in self.sink.services() {
            self.record_tally(&format!("/{}", service.member()), tally, &times_of(tally, tally.is_separable()), record);
            for (metric, samples) in &tally.samples {
                durations(format!("{metric}/{}", service.member()), samples, record);
            }
        }
        // those of protocols add to the retries of transactions
        for (metric, count) in whole.counts.iter().filter(|(metric, _)| *metric != RETRIES) {
            match metric.split('/').next().is_some_and(|metric| ENUMERATED.contains(&metric)) {
                true => record.scalar(*metric, *count as f64),
                false => record.count(*metric, *count),
            }
        }
        for (metric, samples) in &whole.samples {
            durations((*metric).to_owned(), samples, record);
        }
    }

    /// Response times, retries and failures, where a service has answers.
    fn record_tally(&self, member: &str, tally: &Tally, times: &Times<'_>, record: &mut Record) {
        if tally.transactions == tally.sent {
            return;
        }
        if tally.response.count > 0 {
            times_or_none(format!("response_time{member}"), times.response.as_deref(), record);
        }
        if tally.complete.count > 0 {
            times_or_none(format!("answer_complete{member}"), times.complete.as_deref(), record);
        }
        record.count(format!("{RETRIES}{member}"), tally.retries + tally.counted(RETRIES));
        record.count(format!("failures{member}"), tally.unanswered + tally.refused);
    }

    /// Services whose response times cannot be distinguished, because their requests overlap and have no identifiers.
    pub fn not_separable(&self) -> Vec<&Service> {
        self.sink.services().filter(|(_, tally)| !tally.is_separable()).map(|(service, _)| service).collect()
    }

    /// The times of all services that can be distinguished.
    fn separable(&self) -> Times<'_> {
        let whole = self.sink.whole();
        if self.not_separable().is_empty() {
            return times_of(whole, whole.is_separable());
        }
        let (mut response, mut complete) = (Durations::default(), Durations::default());
        for (_, tally) in self.sink.services().filter(|(_, tally)| tally.is_separable()) {
            response.merge(&tally.response);
            complete.merge(&tally.complete);
        }
        let known = |times: Durations| (times.count > 0).then_some(Cow::Owned(times));
        Times { response: known(response), complete: known(complete) }
    }

    fn record_flows(&self, record: &mut Record) {
        for flow in self.busiest_flows().into_iter().take(MEMBERS) {
            let (Some(key), Some(found)) = (self.sink.flows().key(flow), self.sink.flow_tally(flow)) else { continue };
            let member = format!("/{}", key.member());
            let times = times_of(&found.tally, self.sink.is_separable(flow));
            self.record_tally(&member, &found.tally, &times, record);
            if found.tally.interarrival.count > 0 {
                durations(format!("interarrival_time{member}"), &found.tally.interarrival, record);
            }
        }
    }

    /// Flows with transactions, those with the most first.
    pub fn busiest_flows(&self) -> Vec<FlowId> {
        let transactions = |flow: FlowId| {
            self.sink.flow_tally(flow).map_or(0, |found| found.tally.transactions + found.tally.began_before)
        };
        let mut flows: Vec<FlowId> = self.sink.flows().iter().map(|(flow, _)| flow).collect();
        flows.retain(|&flow| transactions(flow) > 0);
        flows.sort_by_key(|&flow| (std::cmp::Reverse(transactions(flow)), flow));
        flows
    }

    fn record_packets(&self, record: &mut Record) {
        let whole = self.sink.whole();
        let packets: u64 = whole.packets.iter().sum();
        record.scalar("packets", packets as f64);
        record.scalar("malformed", share(self.malformed(), self.packets));
        if packets == 0 {
            return;
        }
        record.scalar("packet_length", whole.l3_bytes.iter().sum::<u64>() as f64 / packets as f64);
        self.rate("throughput_l3", |bin| bin.packets as f64, record);
        self.rate("throughput", |bin| bin.new_bytes as f64 * 8.0, record);
        for (address, station) in self.stations().into_iter().take(MEMBERS) {
            record.scalar(format!("packets/{}", address.member()), station.packets as f64);
        }
    }

    fn record_media(&self, bit_rate: Option<u64>, record: &mut Record) {
        let Some(rate) = self.bit_rate(bit_rate) else { return };
        let media = self.sink.bits().len().max(1) as f64;
        let scale = 1.0 / (rate as f64 * media);
        self.rate("utilisation", |bin| bin.bits as f64 * scale, record);
        if self.sink.bits().len() > 1 && self.seconds() > 0.0 {
            for (medium, bits) in self.sink.bits() {
                let share = *bits as f64 / rate as f64 / self.seconds();
                record.scalar(format!("utilisation/medium-{medium}"), share);
            }
        }
        self.record_stuffing(rate, record);
    }

    /// The bit rate of the media: as given, as the capture states it, or as is usual.
    pub fn bit_rate(&self, given: Option<u64>) -> Option<u64> {
        let speeds = self.interfaces.iter().filter_map(|interface| interface.speed);
        let usual = match self.network {
            Some(Network::LonTalk) => Some(LONTALK_BIT_RATE),
            Some(Network::Fddi) => Some(fddi::BIT_RATE),
            _ => None,
        };
        given.or(speeds.max()).or(usual).filter(|_| !self.sink.bits().is_empty())
    }

    /// A rate over the whole capture, with its interval from batches of time.
    fn rate(&self, metric: &str, value: impl Fn(&Bin) -> f64, record: &mut Record) {
        if self.end == Time::ZERO {
            return record.observe(metric, Observation::NotApplicable);
        }
        let series = self.sink.series();
        let total: f64 = series.bins().iter().map(&value).sum();
        let rate = total / self.seconds();
        let parts: Option<Interval> = interval_of_parts(rate, |parts| series.parts(self.end, parts, &value));
        record.observe(
            metric,
            match parts {
                Some(interval) => Observation::Estimate { value: rate, interval },
                None => Observation::Scalar(rate),
            },
        );
    }

    /// What a capture cannot show, and what was wrong with this one.
    fn note(&self, bit_rate: Option<u64>, record: &mut Record) {
        record.note(
            "A capture shows packets, not applications: response_time is from the first packet of a request to the first of \
             its answer, answer_complete to the last, without the time before the one and after the other.",
        );
        record.note(
            "What was lost before it reached the point of capture is not seen: a request that only a retry shows counts \
             from that retry.",
        );
        if self.network == Some(Network::LonTalk) {
            record.note(
                "Collisions are not seen: packets that collide are not captured, or only as packets that do not parse.",
            );
            if bit_rate.is_none() && !self.sink.bits().is_empty() {
                record.note("Utilization is that of a channel of 78.125 kbit/s (TP/FT-10); --bit-rate states another.");
            }
        }
        if matches!(self.network, Some(Network::Modbus | Network::Mstp)) {
            record.note("A frame of a serial line is stamped at its end: response_time is from the end of a request to the end of its answer.");
        }
        if self.network == Some(Network::Can) {
            self.note_buses(bit_rate, record);
        }
        if self.networks.len() > 1 {
            let packets: Vec<String> =
                self.networks.iter().map(|(network, packets)| format!("{} {packets}", network.kind())).collect();
            record.note(format!(
                "Packets of several networks are counted together ({}); --network restricts them to one.",
                packets.join(", ")
            ));
        }
        self.note_roles(record);
        self.note_overlaps(record);
        self.sink.notes().for_each(|note| record.note(note));
        self.note_faults(record);
    }

    /// How the server was found where nothing shows it for certain.
    fn note_roles(&self, record: &mut Record) {
        let evidence = self.sink.evidence();
        let guesses: Vec<(&Evidence, &u64)> = evidence.iter().filter(|(evidence, _)| evidence.is_guess()).collect();
        let (guessed, all): (u64, u64) = (guesses.iter().map(|(_, count)| *count).sum(), evidence.values().sum());
        if guessed == 0 {
            return;
        }
        let of =
            if all == 1 { "the only conversation".to_owned() } else { format!("{guessed} of {all} conversations") };
        let by = match guesses[..] {
            [(evidence, _)] => format!(" by {}", evidence.words()),
            _ => {
                let by = guesses.iter().map(|(evidence, count)| format!("{count} by {}", evidence.words()));
                format!(": {}", by.collect::<Vec<_>>().join(", "))
            }
        };
        record.note(format!("The server of {of} is guessed{by}; --server PORT states it."));
    }

    /// Which response times are not known because requests overlap.
    fn note_overlaps(&self, record: &mut Record) {
        for (service, tally) in self.sink.services().filter(|(_, tally)| tally.overlapped > 0) {
            let (overlapped, transactions) = (tally.overlapped, tally.transactions);
            record.note(match tally.is_separable() {
                false => format!(
                    "Response times of {service} are not separable: requests overlap, {overlapped} of {transactions}, and have no \
                     identifier that is read."
                ),
                true => format!(
                    "{overlapped} of {transactions} requests of {service} overlap with another: their response times are not \
                     known and left out."
                ),
            });
        }
        if !self.not_separable().is_empty() {
            record.note("response_time and answer_complete of all are of the services that are separable.");
        }
    }

    fn note_faults(&self, record: &mut Record) {
        for fault in &self.faults {
            record.note(format!(
                "{}: at byte {}, after {} packets, {}.",
                fault.file, fault.at_byte, fault.after_packets, fault.reason
            ));
        }
        for (reason, found) in self.sink.malformed_packets() {
            record.note(format!(
                "{} of {} packets do not parse, the first is {}: {reason}.",
                found.count, self.packets, found.first
            ));
        }
        let within: Vec<String> =
            self.sink.encapsulations().iter().map(|(what, packets)| format!("{what} {packets}")).collect();
        if !within.is_empty() {
            record.note(format!("Packets within others are analysed in their place: {}.", within.join(", ")));
        }
        for (link_type, packets) in &self.unread {
            record.note(format!("{packets} packets of link type {link_type} belong to no network that is analysed."));
        }
        let whole = self.sink.whole();
        let found = whole.transactions + whole.began_before + self.sink.streams().len() as u64;
        if found == 0 && self.packets > 0 {
            let mut types: Vec<String> =
                self.interfaces.iter().map(|interface| interface.link_type.to_string()).collect();
            types.sort_unstable();
            types.dedup();
            record.note(format!(
                "No transaction was found: perhaps the capture names a wrong link type, it has {}, or its protocols are not \
                 followed.",
                types.join(", ")
            ));
        }
        let cut: u64 = self.interfaces.iter().map(|interface| interface.cut).sum();
        if cut > 0 {
            record.note(format!("{cut} packets were captured in part only (snap length)."));
        }
        if self.clock.out_of_order > 0 {
            let count = self.clock.out_of_order;
            record.note(format!("{count} packets are stamped before their predecessors and taken at their instants."));
        }
        if self.clock.steps > 0 {
            record.note(format!("The clock was set {} times; time goes on from there.", self.clock.steps));
        }
        if self.clock.beyond > 0 {
            let count = self.clock.beyond;
            record.note(format!("{count} packets are beyond 210 days, the longest capture, and count at its end."));
        }
    }
}

fn times_or_none(name: String, found: Option<&Durations>, record: &mut Record) {
    match found {
        Some(found) => durations(name, found, record),
        None => record.observe(name, Observation::NotApplicable),
    }
}

fn durations(name: String, found: &Durations, record: &mut Record) {
    match &found.distribution {
        Some(distribution) => record.observe(name, Observation::Distribution(distribution.clone())),
        None => record.observe(name, Observation::NotApplicable),
    }
}
