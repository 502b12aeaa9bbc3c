//! When the packets of a stream of RTP were sent, which were lost, and how much later than the fastest each came.

use std::collections::BTreeMap;

use sojourn_capture::ip::media::Sample;
use sojourn_core::Time;

/// A timestamp that differs by more than this from what has passed is of a clock that began anew, s.
const ANEW: f64 = 1.0;
/// Numbers of packets, as a multiple of those captured, beyond which they are not those of one stream.
const SPARSE: u64 = 64;
/// Packets of a stream, at least.
const FEWEST: usize = 3;

/// A stream as its sender sent it.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Timeline {
    /// Ticks in a packet.
    pub ticks: u32,
    /// When the first packet would have come as fast as the fastest, s since the zero of the stamps.
    pub begin: f64,
    /// The packets sent, in order: how much later than the fastest each came, s, and whether it was lost.
    pub packets: Vec<(f64, bool)>,
    /// Packet times of each talkspurt and of the pause behind it, which the last one has not.
    pub talkspurts: Vec<[u64; 2]>,
}

/// A packet that was captured.
#[derive(Clone, Copy, Debug)]
struct Captured {
    time: f64,
    timestamp: i64,
    is_media: bool,
}

/// Where the packets go.
#[derive(Debug)]
struct Placing {
    ticks: i64,
    clock: f64,
    /// The timestamp of packet time 0, and the last packet of media.
    origin: Option<(i64, Captured)>,
    /// The last packet time, and how much later than by the timestamps its packet came.
    slot: i64,
    late: f64,
}

impl Timeline {
    /// That of the captured packets of a stream with this payload type and clock; `None` where they do not show the time in a packet.
    pub fn of(samples: &[Sample], payload_type: u8, clock: u32) -> Option<Timeline> {
        let captured = by_number(samples, payload_type);
        let (first, last) = (*captured.keys().next()?, *captured.keys().next_back()?);
        let sent = (last - first) as u64 + 1;
        if captured.len() < FEWEST || sent > SPARSE * captured.len() as u64 {
            return None;
        }
        let ticks = ticks(&captured, clock)?;
        let mut placing =
            Placing { ticks: ticks.into(), clock: f64::from(clock), origin: None, slot: -1, late: f64::NAN };
        let mut packets: Vec<(f64, bool)> = Vec::new();
        let mut talkspurts: Vec<[u64; 2]> = Vec::new();
        for number in first..=last {
            let before = placing.slot;
            match captured.get(&number) {
                Some(packet) => packets.push((placing.place(*packet), false)),
                None => packets.push((placing.skip(), true)),
            }
            match (talkspurts.last_mut(), (placing.slot - before - 1) as u64) {
                (Some(talkspurt), 0) => talkspurt[0] += 1,
                (Some(talkspurt), pause) => {
                    talkspurt[1] = pause;
                    talkspurts.push([1, 0]);
                }
                (None, _) => talkspurts.push([1, 0]),
            }
        }
        let came = packets.iter().filter(|(late, is_lost)| !is_lost && late.is_finite());
        let begin = came.map(|(late, _)| *late).reduce(f64::min)?;
        for (late, is_lost) in &mut packets {
            *late = if *is_lost || !late.is_finite() { 0.0 } else { *late - begin };
        }
        Some(Timeline { ticks, begin, packets, talkspurts })
    }

    /// Packet times from the first packet to the last, pauses included.
    pub fn packet_times(&self) -> u64 {
        self.talkspurts.iter().flatten().sum()
    }

    /// Runs of lost packets.
    pub fn loss_bursts(&self) -> usize {
        self.packets.chunk_by(|(_, one), (_, other)| one == other).filter(|run| run[0].1).count()
    }
}

impl Placing {
    /// A packet that came; how much later than by its timestamp, s.
    fn place(&mut self, packet: Captured) -> f64 {
        let next = self.slot + 1;
        let Some((origin, before)) = self.origin.filter(|_| packet.is_media) else {
            self.slot = next;
            if packet.is_media {
                self.origin = Some((packet.timestamp - next * self.ticks, packet));
                self.late = self.lateness(packet);
            }
            return self.late;
        };
        let (stepped, passed) = (packet.timestamp - before.timestamp, packet.time - before.time);
        if (stepped as f64 / self.clock - passed).abs() > ANEW {
            // it is where its time of arrival says, as late as the one before
            let along = libm::round(passed * self.clock / self.ticks as f64) as i64;
            self.slot = next.max(self.slot_of(origin, before.timestamp) + along);
            self.origin = Some((packet.timestamp - self.slot * self.ticks, packet));
        } else {
            self.slot = next.max(self.slot_of(origin, packet.timestamp));
            self.origin = Some((origin, packet));
        }
        self.late = self.lateness(packet);
        self.late
    }

    /// A packet that did not come.
    fn skip(&mut self) -> f64 {
        self.slot += 1;
        0.0
    }

    fn slot_of(&self, origin: i64, timestamp: i64) -> i64 {
        libm::round((timestamp - origin) as f64 / self.ticks as f64) as i64
    }

    fn lateness(&self, packet: Captured) -> f64 {
        let (origin, _) = self.origin.expect("it was just placed");
        packet.time - (packet.timestamp - origin) as f64 / self.clock
    }
}

/// The packets by their numbers, without copies.
fn by_number(samples: &[Sample], payload_type: u8) -> BTreeMap<i64, Captured> {
    let mut captured = BTreeMap::new();
    let (mut number, mut timestamp) = (0_i64, 0_i64);
    for (place, (time, header)) in samples.iter().enumerate() {
        if place == 0 {
            (number, timestamp) = (header.sequence.into(), header.timestamp.into());
        }
        let of_number = number + i64::from(header.sequence.wrapping_sub(number as u16).cast_signed());
        let of_time = timestamp + i64::from(header.timestamp.wrapping_sub(timestamp as u32).cast_signed());
        let is_media = header.payload_type == payload_type;
        let packet = Captured { time: time.since(Time::ZERO).seconds(), timestamp: of_time, is_media };
        captured.entry(of_number).or_insert(packet);
        (number, timestamp) = (number.max(of_number), of_time);
    }
    captured
}

/// Ticks from a packet to the next one, of most of those that follow each other.
fn ticks(captured: &BTreeMap<i64, Captured>, clock: u32) -> Option<u32> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for ((one, before), (other, packet)) in captured.iter().zip(captured.iter().skip(1)) {
        let step = packet.timestamp - before.timestamp;
        if one + 1 == *other && before.is_media && packet.is_media && (1..i64::from(clock)).contains(&step) {
            *counts.entry(step as u32).or_default() += 1;
        }
    }
    counts.into_iter().max_by_key(|(ticks, count)| (*count, std::cmp::Reverse(*ticks))).map(|(ticks, _)| ticks)
}

#[cfg(test)]
mod tests {
    use sojourn_capture::ip::media::Header;
    use sojourn_core::Duration;

    use super::*;

    /// Packets of payload type 8 by stamp in milliseconds, number and timestamp.
    fn timeline(packets: &[(u64, u16, u32)]) -> Timeline {
        let sample = |&(at, sequence, timestamp): &(u64, u16, u32)| {
            let header = Header { payload_type: 8, marker: false, sequence, timestamp, source: 1, payload: 160 };
            (Time::ZERO + Duration::from_millis(at), header)
        };
        Timeline::of(&packets.iter().map(sample).collect::<Vec<_>>(), 8, 8_000).unwrap()
    }

    fn in_ms(packets: &[(f64, bool)]) -> Vec<(i64, bool)> {
        packets.iter().map(|(late, is_lost)| (libm::round(late * 1e3) as i64, *is_lost)).collect()
    }

    #[test]
    fn each_packet_is_as_late_as_beyond_the_fastest_and_those_missing_are_lost() {
        // 20 ms each: the second comes 5 ms late, the third and the fourth are missing, the fifth is the fastest, by 2 ms
        let of = timeline(&[(100, 65_534, 0), (125, 65_535, 160), (178, 2, 640), (200, 3, 800)]);
        assert_eq!((of.ticks, of.packet_times(), of.loss_bursts()), (160, 6, 1));
        assert_eq!(in_ms(&of.packets), [(2, false), (7, false), (0, true), (0, true), (0, false), (2, false)]);
        assert!((of.begin - 0.098).abs() < 1e-9, "{}", of.begin);
        assert_eq!(of.talkspurts, [[6, 0]]);
    }

    #[test]
    fn timestamps_that_go_on_while_numbers_do_not_are_a_pause() {
        let of = timeline(&[(0, 1, 0), (20, 2, 160), (120, 3, 960), (140, 4, 1120), (160, 5, 1280)]);
        assert_eq!((of.talkspurts.clone(), of.packet_times()), (vec![[2, 4], [3, 0]], 9));
        assert_eq!(in_ms(&of.packets), [(0, false); 5]);
    }

    #[test]
    fn a_clock_that_begins_anew_goes_on_where_the_packet_came() {
        let of = timeline(&[(0, 1, 0), (20, 2, 160), (60, 3, 900_000), (81, 4, 900_160)]);
        // a pause of one packet time; the last one came 1 ms late
        assert_eq!(of.talkspurts, [[2, 1], [2, 0]]);
        assert_eq!(in_ms(&of.packets), [(0, false), (0, false), (0, false), (1, false)]);
    }

    #[test]
    fn overtaken_packets_are_in_the_order_in_which_they_were_sent_and_copies_count_once() {
        let of = timeline(&[(0, 1, 0), (20, 2, 160), (61, 4, 480), (63, 3, 320), (64, 3, 320), (80, 5, 640)]);
        assert_eq!(in_ms(&of.packets), [(0, false), (0, false), (23, false), (1, false), (0, false)]);
    }
}
