//! Media over RTP: streams and what their receivers report.
//!
//! | part | concern |
//! |---|---|
//! | `rtp.rs`, `rtcp.rs`, `sdp.rs` | packets, reports, session descriptions |
//! | `formats.rs` | payload types, and the codecs that rate them |
//! | `recognition.rs` | streams that no description announces |
//! | `window.rs`, `stream.rs` | what became of the packets of a stream |
//! | `report.rs` | what is known of one that has ended, and its rating |

mod formats;
mod recognition;
mod report;
mod rtcp;
mod rtp;
mod sdp;
mod stream;
mod window;

use std::net::IpAddr;

use sojourn_core::{Duration, Time};

pub use formats::Format;
pub use recognition::{Likeness, Recognition, Sample};
pub use report::{Jitter, MediaStream, PLAYOUT_DELAY, Rating, Reported};
pub use rtp::Header;
pub use window::Delivery;

use super::datagram::Captured;
use super::endpoints::Endpoint;
use crate::Sink;
use crate::open_table::OpenTable;
use rtcp::{Block, Item};
use sdp::Description;
use stream::Stream;

/// Streams followed at the same time; beyond it the one that was silent longest has ended.
pub const STREAMS: usize = 16_384;
/// Places where media are received that session descriptions announce, at most.
const ANNOUNCED: usize = 16_384;
/// Reports of a sender that are remembered.
const SENDER_REPORTS: usize = 4;
/// Units of a report's delay in a second (RFC 3550, 6.4.1).
const DELAY_UNITS: u64 = 65_536;

/// The last reports of a sender.
#[derive(Debug, Default)]
struct SenderReports {
    /// The middle of a report's timestamp, and when it was captured.
    known: [Option<(u32, Time)>; SENDER_REPORTS],
    /// The place of the next one, which goes round.
    next: usize,
}

/// What identifies a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct StreamKey {
    from: Endpoint,
    to: Endpoint,
    source: u32,
}

/// Streams of RTP, and what session descriptions and reports say of them.
#[derive(Debug)]
pub struct Media {
    streams: OpenTable<StreamKey, Stream>,
    /// By where they are received.
    announced: OpenTable<Endpoint, Description>,
    /// By source.
    sender_reports: OpenTable<u32, SenderReports>,
    /// By the address of the receiver that reports, and the source.
    reported: OpenTable<(IpAddr, u32), Reported>,
}

impl Default for Media {
    fn default() -> Self {
        Media {
            streams: OpenTable::new(STREAMS),
            announced: OpenTable::new(ANNOUNCED),
            sender_reports: OpenTable::new(STREAMS),
            reported: OpenTable::new(STREAMS),
        }
    }
}

impl Media {
    /// A message describes a session, perhaps: its media are known by where they are received.
    pub fn describe(&mut self, message: &[u8]) {
        let Some(body) = sdp::body(message) else { return };
        for description in sdp::descriptions(body) {
            let to = description.to;
            self.announced.remove(&to);
            self.announced.insert(to, description);
        }
    }

    /// Whether a description announces the media between two ends.
    pub fn is_announced(&mut self, one: Endpoint, other: Endpoint) -> bool {
        self.announced.get_mut(&one).is_some() || self.announced.get_mut(&other).is_some()
    }

    /// Whether a datagram is a report over RTCP.
    pub fn is_report(captured: &Captured<'_>) -> bool {
        rtcp::is_compound(captured.datagram.data, captured.octets)
    }

    /// Takes a datagram of a conversation of media. One that is neither a packet nor a report, as of STUN, says nothing.
    pub fn datagram(&mut self, captured: &Captured<'_>, out: &mut Sink) {
        let Captured { from, to, datagram, octets, time, .. } = *captured;
        if let Some(header) = Header::parse(datagram.data, octets) {
            self.packet(from, to, (time, header), out);
        } else if Media::is_report(captured) {
            rtcp::items(datagram.data, |item| self.item(item, from, time));
        }
    }

    /// Takes a packet of a stream.
    pub fn packet(&mut self, from: Endpoint, to: Endpoint, sample: Sample, out: &mut Sink) {
        let key = StreamKey { from, to, source: sample.1.source };
        let Media { streams, announced, .. } = self;
        if let Some(stream) = streams.use_entry(&key) {
            // once the payload is known its description is not needed
            return stream.packet(sample, None);
        }
        let description = announced.get_mut(&to);
        let mut stream = Stream::new(from, to, sample, description.as_deref());
        stream.packet(sample, description.as_deref());
        if let Some((key, ended)) = streams.insert(key, stream) {
            self.end(&key, ended, out);
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, out: &mut Sink) {
        while let Some((key, stream)) = self.streams.remove_oldest() {
            self.end(&key, stream, out);
        }
    }

    fn end(&mut self, key: &StreamKey, stream: Stream, out: &mut Sink) {
        let reported = self.reported.remove(&(key.to.address, key.source));
        out.stream(MediaStream { reported, ..stream.finish() });
    }

    fn item(&mut self, item: Item, from: Endpoint, now: Time) {
        match item {
            Item::Sender { source, middle } => {
                if self.sender_reports.use_entry(&source).is_none() {
                    self.sender_reports.insert(source, Default::default());
                }
                if let Some(SenderReports { known, next }) = self.sender_reports.get_mut(&source) {
                    known[*next] = Some((middle, now));
                    *next = (*next + 1) % SENDER_REPORTS;
                }
            }
            Item::Received(block) => {
                let round_trip = self.round_trip(&block, now);
                let key = (from.address, block.source);
                if self.reported.use_entry(&key).is_none() {
                    self.reported.insert(key, Reported::default());
                }
                if let Some(reported) = self.reported.get_mut(&key) {
                    (reported.lost, reported.jitter) = (block.lost, block.jitter);
                    if let Some(round_trip) = round_trip {
                        reported.round_trips += 1;
                        reported.round_trip_sum += round_trip;
                    }
                }
            }
        }
    }

    /// From the report of a sender to that of its receiver, without the time that the receiver held it (RFC 3550, 6.4.1).
    fn round_trip(&mut self, block: &Block, now: Time) -> Option<Duration> {
        let SenderReports { known, .. } =
            self.sender_reports.get_mut(&block.source).filter(|_| block.last_report != 0)?;
        let sent = known.iter().flatten().find(|(middle, _)| *middle == block.last_report)?.1;
        let held = Duration::from_units(u64::from(block.delay), DELAY_UNITS);
        let passed = now.since(sent);
        // clocks of capture and receiver differ by parts in a million, and the receiver rounds; it cannot have held it for longer
        let latest = passed + passed.divided(1000) + Duration::from_millis(1);
        (held <= latest).then(|| passed.saturating_sub(held))
    }
}

#[cfg(test)]
mod tests;
