//! Tables of calls and of streams of media.

use std::net::SocketAddr;

use serde::Serialize;
use sojourn_capture::ip::calls::Call;
use sojourn_capture::ip::endpoints::Endpoint;
use sojourn_capture::ip::media::Delivery;
use sojourn_capture::{Findings, Heard};
use sojourn_core::{Duration, Time};

/// A call that SIP sets up.
#[derive(Clone, Debug, Serialize)]
pub struct CallRow {
    /// Who calls, with the port.
    pub from: String,
    /// Who is called, or a server between.
    pub to: String,
    /// When the INVITE was captured.
    pub begin_s: f64,
    /// What became of it: answered, cancelled, busy, failed or open.
    pub outcome: &'static str,
    /// The status of the final response.
    pub status: Option<u16>,
    /// From the INVITE to any response, of a server between (100) as well.
    pub first_response_s: Option<f64>,
    /// From the INVITE to the first response that says what becomes of the call.
    pub post_dial_delay_s: Option<f64>,
    /// From the first 180 to the final response.
    pub ring_time_s: Option<f64>,
    /// From the INVITE to the final response.
    pub setup_s: Option<f64>,
    /// From the final response to BYE.
    pub call_time_s: Option<f64>,
}

/// A stream of RTP.
#[derive(Clone, Debug, Serialize)]
pub struct StreamRow {
    /// Who sends, with the port.
    pub from: String,
    /// Who receives.
    pub to: String,
    /// The stream as a member of metrics' names: its SSRC, with a number where others have the same.
    pub member: String,
    /// Payload type.
    pub payload_type: Option<u8>,
    /// The encoding, as a session description or the payload type says.
    pub encoding: Option<String>,
    /// Ticks of the timestamps per second.
    pub clock: u32,
    /// The codec by which it is rated.
    pub codec: Option<&'static str>,
    /// Media in a packet.
    pub packet_time_s: Option<f64>,
    /// When it began.
    pub begin_s: f64,
    /// When its last packet was captured.
    pub end_s: f64,
    /// Packets captured, copies included.
    pub packets: u64,
    /// Octets of payload.
    pub octets: u64,
    /// Packets sent, by their numbers.
    pub sent: u64,
    /// Packets that did not reach the capture.
    pub lost: u64,
    /// Their share of those sent.
    pub loss: f64,
    /// Runs of lost packets.
    pub loss_bursts: u64,
    /// Packets of the longest run.
    pub longest_loss_burst: u64,
    /// Bursts (RFC 3611, 4.7.2): packets lost or late with fewer than 16 others between them.
    pub bursts: u64,
    /// Share of the packets of bursts that were not played; none without a burst.
    pub burst_density: Option<f64>,
    /// Share of the other packets that were not played.
    pub gap_density: f64,
    /// Mean length of a burst.
    pub burst_s: Option<f64>,
    /// Packets that came again.
    pub duplicates: u64,
    /// Packets that came behind later ones.
    pub reordered: u64,
    /// Packets that came too late for the jitter buffer.
    pub late: u64,
    /// Mean of the interarrival jitter (RFC 3550, A.8).
    pub jitter_s: Option<f64>,
    /// Its maximum.
    pub jitter_max_s: Option<f64>,
    /// The longest time between two packets.
    pub largest_gap_s: f64,
    /// Packets lost on the whole path, as the receiver reports.
    pub reported_lost: Option<i32>,
    /// Jitter at the receiver, as it reports.
    pub reported_jitter_s: Option<f64>,
    /// Mean round trip between capture and receiver, by reports.
    pub rtcp_rtt_s: Option<f64>,
    /// One-way delay of the network, half of the round trips of both ends.
    pub network_delay_s: Option<f64>,
    /// R factor.
    pub r_factor: Option<f64>,
    /// Mean opinion score.
    pub mos: Option<f64>,
}

/// Calls in order of their beginning.
pub fn calls(found: &Findings) -> Vec<CallRow> {
    let mut calls: Vec<&Call> = found.sink.calls().iter().collect();
    calls.sort_by_key(|call| (call.begin, call.from, call.to));
    calls.into_iter().map(call_row).collect()
}

fn call_row(call: &Call) -> CallRow {
    let since = |begin: Time, end: Option<Time>| end.map(|end| end.since(begin).seconds());
    let ended = call.ended_setup.map(|(time, _)| time);
    let outcome = call.outcome();
    CallRow {
        from: end(call.from),
        to: end(call.to),
        begin_s: call.begin.seconds(),
        outcome: outcome.member(),
        status: call.ended_setup.map(|(_, status)| status),
        first_response_s: since(call.begin, call.responded),
        post_dial_delay_s: since(call.begin, call.informed),
        ring_time_s: call.ringing.and_then(|ringing| since(ringing, ended)),
        setup_s: since(call.begin, ended),
        call_time_s: ended.filter(|_| outcome.is_answered()).and_then(|answered| since(answered, call.hung_up)),
    }
}

/// Streams, those with the most packets first.
pub fn streams(found: &Findings) -> Vec<StreamRow> {
    found.streams().iter().map(stream_row).collect()
}

fn stream_row(heard: &Heard<'_>) -> StreamRow {
    let stream = heard.stream;
    let Delivery { sent, lost, loss_bursts, longest_loss_burst, late, bursts, burst_packets, burst_losses, .. } =
        stream.delivery;
    let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
    let packet_time_s = stream.packet_time.map(Duration::seconds);
    StreamRow {
        from: end(stream.from),
        to: end(stream.to),
        member: heard.member.clone(),
        payload_type: stream.payload_type,
        encoding: stream.format.as_ref().map(|format| format.encoding.clone()),
        clock: stream.clock,
        codec: stream.codec().map(|codec| codec.name()),
        packet_time_s,
        begin_s: stream.begin.seconds(),
        end_s: stream.end.seconds(),
        packets: stream.packets,
        octets: stream.octets,
        sent,
        lost,
        loss: share(lost, sent),
        loss_bursts,
        longest_loss_burst,
        bursts,
        burst_density: (bursts > 0).then(|| share(burst_losses, burst_packets)),
        gap_density: share(lost + late - burst_losses, sent - burst_packets),
        burst_s: packet_time_s.filter(|_| bursts > 0).map(|time| time * share(burst_packets, bursts)),
        duplicates: stream.copies,
        reordered: stream.overtaken,
        late,
        jitter_s: stream.jitter.map(|jitter| jitter.mean_s),
        jitter_max_s: stream.jitter.map(|jitter| jitter.max_s),
        largest_gap_s: stream.largest_gap.seconds(),
        reported_lost: stream.reported.map(|reported| reported.lost),
        reported_jitter_s: stream.reported.map(|reported| f64::from(reported.jitter) / f64::from(stream.clock)),
        rtcp_rtt_s: stream.reported.and_then(|reported| Some(reported.round_trip()?.seconds())),
        network_delay_s: heard.network.map(Duration::seconds),
        r_factor: heard.rating.map(|rating| rating.r_factor),
        mos: heard.rating.map(|rating| rating.mos),
    }
}

fn end(end: Endpoint) -> String {
    SocketAddr::new(end.address, end.port).to_string()
}
