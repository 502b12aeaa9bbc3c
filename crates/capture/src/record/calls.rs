//! Metrics of streams of media: loss, jitter and rating, each stream a member by its SSRC.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::record::{Observation, Record, share};

use super::MEMBERS;
use crate::Findings;
use crate::ip::endpoints::Endpoint;
use crate::ip::media::{Delivery, MediaStream, Rating};

/// A stream with what its reverse direction shows of it.
#[derive(Clone, Debug)]
pub struct Heard<'a> {
    /// The stream.
    pub stream: &'a MediaStream,
    /// The stream as a member of metrics' names: its SSRC, `0x17d90134`, with a number behind it where others have the same.
    pub member: String,
    /// One-way delay of the network: half of the round trips that reports of both ends show, or of the one that is known.
    pub network: Option<Duration>,
    /// The rating by the E-model, of codecs whose impairments are published.
    pub rating: Option<Rating>,
}

impl Findings {
    /// Streams of media, those with the most packets first.
    pub fn streams(&self) -> Vec<Heard<'_>> {
        let mut streams: Vec<&MediaStream> = self.sink.streams().iter().collect();
        streams.sort_by_key(|stream| (std::cmp::Reverse(stream.packets), stream.begin, stream.source, stream.from));
        let round_trip = |stream: &MediaStream| stream.reported.and_then(|reported| reported.round_trip());
        let ends = |stream: &MediaStream| (stream.from, stream.to);
        let known: BTreeMap<(Endpoint, Endpoint), Duration> =
            streams.iter().filter_map(|stream| Some((ends(stream), round_trip(stream)?))).collect();
        let mut members = BTreeMap::<u32, u32>::new();
        let heard = streams.into_iter().map(|stream| {
            let both = [round_trip(stream), known.get(&(stream.to, stream.from)).copied()];
            let network = both.into_iter().flatten().reduce(|one, other| one + other).map(|whole| whole.divided(2));
            let count = members.entry(stream.source).or_default();
            *count += 1;
            let member = match count {
                1 => format!("{:#010x}", stream.source),
                count => format!("{:#010x}-{count}", stream.source),
            };
            Heard { stream, member, network, rating: stream.rating(network.unwrap_or(Duration::ZERO)) }
        });
        heard.collect()
    }

    pub(super) fn record_streams(&self, record: &mut Record) {
        let streams = self.streams();
        if streams.is_empty() {
            return;
        }
        for heard in streams.iter().take(MEMBERS) {
            record_loss(&format!("/{}", heard.member), std::slice::from_ref(heard), record);
            record_rating(&format!("/{}", heard.member), heard, record);
            if let Some(round_trip) = heard.stream.reported.and_then(|reported| reported.round_trip()) {
                record.scalar(format!("rtcp_rtt/{}", heard.member), round_trip.seconds());
            }
        }
        record_loss("", &streams, record);
        let rated = streams.iter().filter(|heard| heard.rating.is_some());
        let poorest = rated.min_by(|one, other| opinion(one).total_cmp(&opinion(other)));
        if let Some(poorest) = poorest {
            record_rating("", poorest, record);
        }
        note(&streams, record);
    }
}

fn opinion(heard: &Heard<'_>) -> f64 {
    heard.rating.map_or(f64::INFINITY, |rating| rating.mos)
}

/// Loss, order and jitter of streams together.
fn record_loss(member: &str, streams: &[Heard<'_>], record: &mut Record) {
    let sum = |of: fn(&MediaStream) -> u64| streams.iter().map(|heard| of(heard.stream)).sum::<u64>();
    let (sent, lost) = (sum(|stream| stream.delivery.sent), sum(|stream| stream.delivery.lost));
    record.share(format!("loss{member}"), lost, sent);
    record.count(format!("loss_bursts{member}"), sum(|stream| stream.delivery.loss_bursts));
    let longest = streams.iter().map(|heard| heard.stream.delivery.longest_loss_burst).max().unwrap_or(0);
    record.scalar(format!("longest_loss_burst{member}"), longest as f64);
    record.scalar(format!("reordering{member}"), share(sum(|stream| stream.overtaken), sent - lost));
    record.count(format!("duplicates{member}"), sum(|stream| stream.copies));
    let jitter = || streams.iter().filter_map(|heard| Some((heard.stream.jitter?, heard.stream.packets as f64)));
    let packets: f64 = jitter().map(|(_, packets)| packets).sum();
    if packets > 0.0 {
        let mean = jitter().map(|(jitter, packets)| jitter.mean_s * packets).sum::<f64>() / packets;
        record.scalar(format!("jitter_rfc3550{member}"), mean);
        let largest = jitter().map(|(jitter, _)| jitter.max_s).fold(0.0, f64::max);
        record.scalar(format!("jitter_rfc3550_max{member}"), largest);
    }
}

/// What listeners hear of a stream.
fn record_rating(member: &str, heard: &Heard<'_>, record: &mut Record) {
    let applies = |value: Option<f64>| value.map_or(Observation::NotApplicable, Observation::Scalar);
    let Some(codec) = heard.stream.codec() else { return };
    record.observe(format!("r_factor{member}"), applies(heard.rating.map(|rating| rating.r_factor)));
    record.observe(format!("mos{member}"), applies(heard.rating.map(|rating| rating.mos)));
    if let Some(rating) = heard.rating {
        record.scalar(format!("play_out_delay{member}"), rating.delay.seconds());
    } else {
        record.note(format!("no rating of {} under loss: its robustness (Bpl) is not published", codec.name()));
    }
    let Delivery { sent, lost, late, .. } = heard.stream.delivery;
    record.scalar(format!("play_out_loss{member}"), heard.stream.played().loss());
    for (cause, packets) in [("lost", lost), ("late", late)] {
        record.scalar(format!("play_out_loss{member}/{cause}"), share(packets, sent));
    }
}

/// What the ratings rest on.
fn note(streams: &[Heard<'_>], record: &mut Record) {
    let count = |which: fn(&Heard<'_>) -> bool| streams.iter().filter(|heard| which(heard)).count();
    let (rated, without_delay) =
        (count(|heard| heard.rating.is_some()), count(|heard| heard.rating.is_some() && heard.network.is_none()));
    if rated > 0 {
        record.note(
            "Streams are rated (mos, r_factor) by the E-model behind a jitter buffer that waits 40 ms for the fastest packet of \
             the last 20 s; G.711 is taken to conceal losses.",
        );
    }
    if without_delay > 0 {
        record.note(format!(
            "The ratings of {without_delay} of {rated} streams leave out the delay of the network: no report over RTCP shows \
             it."
        ));
    }
    let unknown = count(|heard| heard.stream.codec().is_none());
    if unknown > 0 {
        record.note(format!(
            "{unknown} of {} streams are not rated: no session description and no number of the payload names a codec whose \
             impairments are published.",
            streams.len()
        ));
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use sojourn_core::Time;

    use super::*;
    use crate::ip::media::{Format, Jitter, Reported};
    use crate::{Analysis, Network};

    fn end(host: u8) -> Endpoint {
        Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port: 4000 }
    }

    fn stream(from: u8, to: u8, lost: u64, round_trip: Option<u64>) -> MediaStream {
        let reported = round_trip.map(|milliseconds| Reported {
            round_trips: 1,
            round_trip_sum: Duration::from_millis(milliseconds),
            ..Reported::default()
        });
        MediaStream {
            from: end(from),
            to: end(to),
            source: 0x17d9_0134,
            payload_type: Some(8),
            format: Format::of_number(8),
            clock: 8000,
            packet_time: Some(Duration::from_millis(20)),
            begin: Time::ZERO,
            end: Time::ZERO,
            packets: 100 - lost,
            octets: 160 * (100 - lost),
            copies: 0,
            overtaken: 1,
            delivery: Delivery {
                sent: 100,
                lost,
                gaps: lost,
                loss_bursts: lost,
                longest_loss_burst: 1,
                ..Delivery::default()
            },
            jitter: Some(Jitter { mean_s: 1e-3 * f64::from(from), max_s: 5e-3 }),
            largest_gap: Duration::ZERO,
            reported,
        }
    }

    fn found(streams: impl IntoIterator<Item = MediaStream>) -> Findings {
        let reader = crate::testing::open(vec![crate::testing::pcap(101, &[])]).unwrap();
        let mut found = Analysis::new(reader, Some(Network::Ip)).finish();
        streams.into_iter().for_each(|stream| found.sink.stream(stream));
        found
    }

    #[test]
    fn streams_are_members_by_their_source_and_the_poorest_stands_for_all() {
        let found = found([stream(1, 2, 10, None), stream(2, 1, 0, None)]);
        let mut record = Record::default();
        found.record_streams(&mut record);
        let value = |name: &str| record.value(name);
        assert!((value("loss") - 0.05).abs() < 1e-12);
        assert_eq!((value("loss/0x17d90134"), value("loss/0x17d90134-2")), (0.0, 0.1));
        assert!((value("jitter_rfc3550") - (2e-3 * 100.0 + 1e-3 * 90.0) / 190.0).abs() < 1e-12);
        assert!(value("mos") < 3.5 && value("mos/0x17d90134") > 4.3, "{} {}", value("mos"), value("mos/0x17d90134"));
        assert_eq!(value("mos"), value("mos/0x17d90134-2"));
    }

    #[test]
    fn the_delay_is_half_of_the_round_trips_that_both_ends_report() {
        let both = found([stream(1, 2, 0, Some(60)), stream(2, 1, 0, Some(40))]);
        assert!(both.streams().iter().all(|heard| heard.network == Some(Duration::from_millis(50))));
        let one = found([stream(1, 2, 0, Some(60)), stream(2, 3, 0, None)]);
        assert_eq!(one.streams()[0].network, Some(Duration::from_millis(30)));
        assert_eq!(one.streams()[1].network, None);
        let mut record = Record::default();
        one.record_streams(&mut record);
        assert!(record.notes.iter().any(|note| note.contains("1 of 2 streams leave out the delay")));
    }
}
