//! Streams of speech over RTP, as the analysis of a capture finds them: what each sent, what became of it, and which are calls.

mod timeline;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use sojourn_capture::Service;
use sojourn_capture::ip::endpoints::{Endpoint, Pair};
use sojourn_capture::ip::media::{Header, MediaStream, Sample};
use sojourn_core::{Duration, Time};
use sojourn_metrics::codec::Codec;

pub(super) use timeline::Timeline;

/// Packets kept; streams with further ones are left out.
const PACKETS: usize = 2_000_000;
/// Shortest and longest speech in a packet of the kind.
const SHORTEST: Duration = Duration::from_micros(125);
const LONGEST: Duration = Duration::from_millis(200);
/// Octets of the headers of RTP, UDP and IPv4.
const HEADERS: u64 = 40;

/// Who sends a stream, to whom, and its synchronization source.
type Key = (Endpoint, Endpoint, u32);

/// The packets of a capture that may be of streams, and the streams found.
#[derive(Debug, Default)]
pub(super) struct Voice {
    packets: BTreeMap<Key, Vec<Sample>>,
    kept: usize,
    /// In the order in which they begin.
    pub streams: Vec<Stream>,
    /// Streams that the kind has not.
    pub others: Vec<MediaStream>,
    /// Streams that none goes back to, by their ends, and the number of calls.
    alone: BTreeMap<(IpAddr, IpAddr), Vec<usize>>,
    calls: usize,
    /// The ports between which media and reports of their receivers go.
    pub media: BTreeSet<Pair>,
    pub reports: BTreeSet<Pair>,
}

/// A stream of speech.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub media: MediaStream,
    pub codec: Codec,
    pub packet_time: Duration,
    pub timeline: Timeline,
    /// The number of its call, from 1, and whether it is the one that goes back.
    pub call: usize,
    pub is_back: bool,
}

impl Stream {
    /// Its name, and that of its link.
    pub fn name(&self) -> String {
        format!("call-{}{}", self.call, if self.is_back { "-back" } else { "" })
    }
}

impl Voice {
    /// Takes a datagram.
    pub fn datagram(&mut self, from: Endpoint, to: Endpoint, (time, data, octets): (Time, &[u8], u32)) {
        if self.kept >= PACKETS {
            return;
        }
        if let Some(header) = Header::parse(data, octets) {
            self.kept += 1;
            self.packets.entry((from, to, header.source)).or_default().push((time, header));
        }
    }

    /// The capture ends, and the analysis has found these streams.
    pub fn finish(&mut self, found: &[MediaStream]) {
        let mut found: Vec<&MediaStream> = found.iter().collect();
        found.sort_by_key(|stream| (stream.begin, stream.from, stream.to, stream.source));
        for media in found {
            self.media.insert(Pair::of(media.from, media.to));
            self.reports.insert(Pair::of(next(media.from), next(media.to)));
            match self.speech(media) {
                Some((codec, packet_time, timeline)) => {
                    let (call, is_back) = self.call_of(media);
                    self.streams.push(Stream { media: media.clone(), codec, packet_time, timeline, call, is_back });
                }
                None => self.others.push(media.clone()),
            }
        }
        self.packets.clear();
    }

    /// A stream as the kind has it; `None` of media that it does not have.
    fn speech(&self, media: &MediaStream) -> Option<(Codec, Duration, Timeline)> {
        let samples = self.packets.get(&(media.from, media.to, media.source))?;
        if media.clock == 0 || self.kept >= PACKETS {
            return None;
        }
        let timeline = Timeline::of(samples, media.payload_type?, media.clock)?;
        let packet_time = Duration::from_units(u64::from(timeline.ticks), u64::from(media.clock));
        let packets = media.packets.saturating_sub(media.copies).max(1);
        let codec = media.format.as_ref()?.codec(packet_time, media.octets as f64 / packets as f64)?;
        let frames = packet_time.whole(codec.frame());
        let is_whole = frames > 0 && codec.frame().times(frames) == packet_time;
        let is_possible = is_whole && (SHORTEST..=LONGEST).contains(&packet_time);
        is_possible.then_some((codec, packet_time, timeline))
    }

    /// The call of the next stream: that of one before in the other direction at the same time, which has none, between the same ports
    /// if there is one; else the next.
    fn call_of(&mut self, media: &MediaStream) -> (usize, bool) {
        let Voice { streams, alone, calls, .. } = self;
        let others = alone.entry((media.to.address, media.from.address)).or_default();
        others.retain(|at| streams[*at].media.end >= media.begin);
        let has_other_ports = |place: &usize| {
            let other = &streams[others[*place]].media;
            (other.from, other.to) != (media.to, media.from)
        };
        if let Some(place) = (0..others.len()).min_by_key(has_other_ports) {
            return (streams[others.remove(place)].call, true);
        }
        *calls += 1;
        alone.entry((media.from.address, media.to.address)).or_default().push(streams.len());
        (*calls, false)
    }

    /// One-way delay of the network that reports of receivers show, at the least, s.
    pub fn delay(&self) -> Option<f64> {
        let known = |of: &Stream| Some(of.media.reported?.round_trip()?.seconds());
        let delay = |of: &Stream| {
            let back = self.streams.iter().find(|other| other.call == of.call && other.is_back != of.is_back);
            let both = [known(of), back.and_then(known)];
            both.into_iter().flatten().reduce(|one, other| one + other).map(|whole| 0.5 * whole)
        };
        self.streams.iter().filter_map(delay).reduce(f64::min)
    }
}

/// The service, the ends and the octets of IP of a stream, as what is left out is named.
pub(super) fn named(media: &MediaStream) -> (Service, (IpAddr, IpAddr), u64) {
    let ends = (media.from.address, media.to.address);
    (Service::Udp(media.to.port), ends, media.octets + HEADERS * media.packets)
}

/// The port of reports (RFC 3550, 11).
fn next(end: Endpoint) -> Endpoint {
    Endpoint { port: end.port.wrapping_add(1), ..end }
}
