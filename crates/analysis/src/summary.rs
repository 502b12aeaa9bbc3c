//! Tables of a capture: flows, stations, conversations, time, interfaces.

use serde::{Serialize, Serializer};
use sojourn_capture::ip::roles::Evidence;
use sojourn_capture::{Findings, FlowId, Notable, Slowest};
use sojourn_metrics::results::{NotableTransaction, Role};
use sojourn_protocols::mstp_trunk::TrunkStation;

use super::buses::{IdentifierRow, identifiers};
use super::calls::{CallRow, StreamRow, calls, streams};
use super::slowest::rows;
use super::undecidable::Undecidable;
use super::verdict::TwinSummary;

/// Rows of each table that are serialised.
const ROWS: usize = 1_000;
/// Steps of time in the table over time.
const STEPS: usize = 256;

/// The tables of a capture. Times are in seconds from its first packet.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Packets read.
    pub packets: u64,
    /// From the first packet to the last.
    pub seconds: f64,
    /// Packets that do not parse.
    pub malformed: u64,
    /// Number of flows.
    pub flow_count: usize,
    /// Flows with transactions, those with the most first.
    #[serde(serialize_with = "first_rows")]
    pub flows: Vec<FlowRow>,
    /// What stations sent, those with the most bytes first.
    #[serde(serialize_with = "first_rows")]
    pub stations: Vec<StationRow>,
    /// What stations sent to each other, the pairs with the most bytes first.
    #[serde(serialize_with = "first_rows")]
    pub conversations: Vec<ConversationRow>,
    /// Calls that SIP sets up, in order of their beginning.
    #[serde(serialize_with = "first_rows")]
    pub calls: Vec<CallRow>,
    /// The slowest transactions, the slowest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Vec<NotableTransaction>>,
    /// The first transactions that were not answered or refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<Vec<NotableTransaction>>,
    /// Those that were sent again most often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retried: Option<Vec<NotableTransaction>>,
    /// Streams of RTP, those with the most packets first.
    #[serde(serialize_with = "first_rows")]
    pub streams: Vec<StreamRow>,
    /// Stations of trunks of MS/TP.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trunk_stations: Vec<TrunkStationRow>,
    /// Identifiers of buses of CAN, by priority.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "first_rows")]
    pub identifiers: Vec<IdentifierRow>,
    /// What happened over time.
    pub steps: Vec<StepRow>,
    /// The interfaces.
    pub interfaces: Vec<InterfaceRow>,
    /// What a capture cannot show, and what was wrong with this one.
    pub notes: Vec<String>,
    /// Conditions that it cannot decide.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecidable: Vec<Undecidable>,
    /// How close its twin comes, if one was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin: Option<TwinSummary>,
}

/// A flow.
#[derive(Clone, Debug, Serialize)]
pub struct FlowRow {
    /// Who sends the requests.
    pub from: String,
    /// Who answers them.
    pub to: String,
    /// What they are.
    pub service: String,
    /// The flow as a member of metrics' names.
    pub member: String,
    /// Transactions that began in the capture.
    pub transactions: u64,
    /// Transactions that were answered.
    pub answered: u64,
    /// Transactions whose initiator gave up.
    pub unanswered: u64,
    /// Transactions that were refused.
    pub refused: u64,
    /// Transactions that were open at the end.
    pub open: u64,
    /// Transactions whose first packet is not in the capture.
    pub began_before: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Packets of both sides.
    pub packets: u64,
    /// Their bytes from layer 3 on.
    pub l3_bytes: u64,
    /// Mean response time.
    pub mean_s: Option<f64>,
    /// Median of the response times.
    pub p50_s: Option<f64>,
    /// 99 % quantile of the response times.
    pub p99_s: Option<f64>,
    /// Largest response time.
    pub max_s: Option<f64>,
    /// Mean time between transactions.
    pub interarrival_s: Option<f64>,
    /// Transactions that were answered while others were open, whose response times are not known.
    pub overlapped: u64,
    /// What shows who answers: the SYN, its port, what messages say, or a guess; none where only one side sends.
    pub server_by: Option<&'static str>,
}

/// A station.
#[derive(Clone, Debug, Serialize)]
pub struct StationRow {
    /// Its address.
    pub address: String,
    /// Packets sent.
    pub packets: u64,
    /// Their bytes from layer 3 on.
    pub l3_bytes: u64,
    /// Their share of all bytes.
    pub share: f64,
}

/// What one station sent to another.
#[derive(Clone, Debug, Serialize)]
pub struct ConversationRow {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Packets sent.
    pub packets: u64,
    /// Their bytes from layer 3 on.
    pub l3_bytes: u64,
}

/// A step of time.
#[derive(Clone, Debug, Serialize)]
pub struct StepRow {
    /// Its beginning.
    pub begin_s: f64,
    /// Packets per second.
    pub packet_rate: f64,
    /// Bits per second from layer 3 on.
    pub bit_rate: f64,
    /// Share of time that the media are busy, where their rate is known.
    pub utilisation: Option<f64>,
    /// Transactions that began, per second.
    pub transaction_rate: f64,
    /// Retries of those.
    pub retries: u64,
    /// Those without an answer.
    pub unanswered: u64,
    /// Mean response time of those that were answered.
    pub mean_s: Option<f64>,
}

/// A station of a trunk of MS/TP.
#[derive(Clone, Debug, Serialize)]
pub struct TrunkStationRow {
    /// The interface that the trunk was captured on.
    pub interface: u32,
    /// The station; its utilisation is 0 where the bit rate is not known.
    #[serde(flatten)]
    pub station: TrunkStation,
}

/// An interface.
#[derive(Clone, Debug, Serialize)]
pub struct InterfaceRow {
    /// Its name, if the capture states it.
    pub name: Option<String>,
    /// Its link type's number.
    pub link_type: u32,
    /// Packets captured.
    pub packets: u64,
    /// Packets captured in part only.
    pub cut: u64,
}

impl Summary {
    /// The tables of what was found, with the `notes` of its metrics. Utilization is of media of `bit_rate` bit/s, if that
    /// is known.
    pub fn of(found: &Findings, bit_rate: Option<u64>, notes: &[String]) -> Summary {
        let of = |which: fn(&Slowest) -> &[Notable]| Some(rows(found, which(found.sink.slowest()?)));
        Summary {
            packets: found.packets,
            seconds: found.seconds(),
            malformed: found.malformed(),
            flow_count: found.busiest_flows().len(),
            flows: flows(found),
            stations: stations(found),
            conversations: conversations(found),
            calls: calls(found),
            slowest: of(Slowest::slow),
            lost: of(Slowest::lost),
            retried: of(Slowest::retried),
            streams: streams(found),
            trunk_stations: trunk_stations(found, found.bit_rate(bit_rate)),
            identifiers: identifiers(found, found.bit_rate(bit_rate)),
            steps: steps(found, found.bit_rate(bit_rate)),
            interfaces: interfaces(found),
            notes: notes.to_vec(),
            undecidable: Vec::new(),
            twin: None,
        }
    }
}

/// Stations of trunks, by trunk and address.
fn trunk_stations(found: &Findings, bit_rate: Option<u64>) -> Vec<TrunkStationRow> {
    let share = |octets: u64| bit_rate.map(|rate| octets as f64 * 10.0 / (rate as f64 * found.seconds()));
    let trunks = found.sink.trunks().iter();
    let rows = trunks.flat_map(|trunk| {
        trunk.stations.iter().map(move |(mac, station)| {
            let utilisation = share(station.octets).filter(|share| share.is_finite()).unwrap_or_default();
            TrunkStationRow { interface: trunk.interface, station: TrunkStation::of(*mac, station, utilisation) }
        })
    });
    rows.collect()
}

/// As many rows as a reader looks at.
fn first_rows<T: Serialize, S: Serializer>(rows: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    rows[..rows.len().min(ROWS)].serialize(serializer)
}

fn flows(found: &Findings) -> Vec<FlowRow> {
    found.busiest_flows().into_iter().filter_map(|flow| flow_row(found, flow)).collect()
}

fn flow_row(found: &Findings, flow: FlowId) -> Option<FlowRow> {
    let (key, flow_tally) = (found.sink.flows().key(flow)?, found.sink.flow_tally(flow)?);
    let (tally, is_separable) = (&flow_tally.tally, found.sink.is_separable(flow));
    let distribution = tally.response.distribution.as_ref().filter(|_| is_separable);
    let quantiles = distribution.and_then(|known| known.quantiles(&[0.5, 0.99])).unwrap_or_else(|| vec![None; 2]);
    let quantile = |place: usize| quantiles[place].map(|span| span.seconds());
    Some(FlowRow {
        from: key.from.to_string(),
        to: key.to.to_string(),
        service: key.service.to_string(),
        member: key.member(),
        transactions: tally.transactions,
        answered: tally.answered,
        unanswered: tally.unanswered,
        refused: tally.refused,
        open: tally.open,
        began_before: tally.began_before,
        retries: tally.retries,
        packets: tally.packets.iter().sum(),
        l3_bytes: tally.l3_bytes.iter().sum(),
        mean_s: tally.response.mean().filter(|_| is_separable),
        p50_s: quantile(0),
        p99_s: quantile(1),
        max_s: distribution.and_then(|known| Some(known.max()?.seconds())),
        interarrival_s: tally.interarrival.mean(),
        overlapped: tally.overlapped,
        server_by: flow_tally.evidence.map(Evidence::words),
    })
}

/// Who serves in the busiest flows, with what shows it; none where a network has no servers.
pub(crate) fn roles(found: &Findings) -> Option<Vec<Role>> {
    let role = |flow: FlowId| {
        let (key, by) = (found.sink.flows().key(flow)?, found.sink.flow_tally(flow)?.evidence?);
        Some(Role { flow: key.member(), server: key.to.to_string(), by: by.words().to_owned() })
    };
    let roles: Vec<Role> = found.busiest_flows().into_iter().filter_map(role).take(ROWS).collect();
    (!roles.is_empty()).then_some(roles)
}

fn stations(found: &Findings) -> Vec<StationRow> {
    let all: u64 = found.sink.whole().l3_bytes.iter().sum();
    let row = |(address, station): (sojourn_capture::Address, sojourn_capture::stations::Station)| StationRow {
        address: address.to_string(),
        packets: station.packets,
        l3_bytes: station.l3_bytes,
        share: station.l3_bytes as f64 / all.max(1) as f64,
    };
    found.stations().into_iter().map(row).collect()
}

fn conversations(found: &Findings) -> Vec<ConversationRow> {
    let pairs = found.conversations().into_iter();
    let rows = pairs.map(|((from, to), sent)| ConversationRow {
        from: from.to_string(),
        to: to.to_string(),
        packets: sent.packets,
        l3_bytes: sent.l3_bytes,
    });
    rows.collect()
}

fn steps(found: &Findings, bit_rate: Option<u64>) -> Vec<StepRow> {
    let series = found.sink.series();
    let together = series.bins().len().div_ceil(STEPS).max(1);
    let media = found.sink.bits().len().max(1) as f64;
    let are_separable = found.not_separable().is_empty();
    let rows = series.bins().chunks(together).enumerate().map(|(step, bins)| {
        let begin_s = (step * together) as f64 * series.width().seconds();
        let end_s = (begin_s + together as f64 * series.width().seconds()).min(found.seconds());
        let seconds = (end_s - begin_s).max(series.width().seconds() * 1e-3);
        let sum = |value: fn(&sojourn_capture::series::Bin) -> u64| bins.iter().map(value).sum::<u64>();
        let response: u128 = bins.iter().map(|bin| bin.response).sum();
        let answered = sum(|bin| bin.answered);
        StepRow {
            begin_s,
            packet_rate: sum(|bin| bin.packets) as f64 / seconds,
            bit_rate: sum(|bin| bin.l3_bytes) as f64 * 8.0 / seconds,
            utilisation: bit_rate.map(|rate| sum(|bin| bin.bits) as f64 / (rate as f64 * media * seconds)),
            transaction_rate: sum(|bin| bin.transactions) as f64 / seconds,
            retries: sum(|bin| bin.retries),
            unanswered: sum(|bin| bin.unanswered),
            mean_s: (answered > 0 && are_separable).then(|| response as f64 / answered as f64 * 1e-12),
        }
    });
    rows.collect()
}

fn interfaces(found: &Findings) -> Vec<InterfaceRow> {
    let rows = found.interfaces.iter().map(|interface| InterfaceRow {
        name: interface.name.clone(),
        link_type: interface.link_type.0,
        packets: interface.packets,
        cut: interface.cut,
    });
    rows.collect()
}
