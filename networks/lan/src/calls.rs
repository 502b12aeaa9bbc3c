//! Converts the keys of voice to a call.

use sojourn_core::Duration;
use sojourn_metrics::codec::Codec;
use sojourn_metrics::jitter_buffer::JitterBuffer;
use sojourn_metrics::jitter_buffer::talkspurts::Playout;
use sojourn_model::laws::RandomTime;
use sojourn_scenario::{Problem, Scenario, Table};

use super::rtp::{self, RtpFormat};
use super::site::Call;

/// The call that `voice` of a flow describes, if its packets hold whole frames and its buffer at least one packet.
pub fn call(scenario: &Scenario, table: &Table) -> Result<Call, Problem> {
    let codec: Codec = table.word("codec").parse().expect("a checked codec");
    let [packet_time, buffer] = ["packet_time", "buffer"].map(|key| table.duration(key));
    let frames = packet_time.whole(codec.frame());
    if frames == 0 || codec.frame().times(frames) != packet_time {
        let frame_us = codec.frame().picoseconds() / 1_000_000;
        let message = format!("a packet of {} holds whole frames of {frame_us} µs", codec.name());
        return Err(scenario.problem(table, "packet_time", message, None));
    }
    if buffer < packet_time {
        let message = "a jitter buffer holds at least one packet".to_owned();
        return Err(scenario.problem(table, "buffer", message, None));
    }
    let talkspurts = table.word_is("speech", "talkspurts");
    let capacity = buffer.whole(packet_time);
    Ok(Call {
        codec,
        format: RtpFormat::of(codec, packet_time),
        octets: rtp::HEADER + codec.octets_in(packet_time),
        buffer: JitterBuffer { packet_time, delay: table.duration("playout_delay"), capacity },
        talkspurts: talkspurts.then(|| ["talkspurt", "pause"].map(|key| RandomTime::exponential(table, key))),
        is_two_way: table.word_is("direction", "both"),
        packet_times: table.optional_duration("duration").map_or(u32::MAX, |whole| packets_in(whole, packet_time)),
        playout: Playout::new(table.word_is("jitter_buffer", "adaptive"), talkspurts),
    })
}

/// Packets that begin within a time.
fn packets_in(whole: Duration, packet_time: Duration) -> u32 {
    whole.picoseconds().div_ceil(packet_time.picoseconds()).try_into().unwrap_or(u32::MAX)
}
