//! A stream of RTP from one source to one receiver, in constant memory: losses, jitter, and what a jitter buffer plays.

use sojourn_core::{Duration, Time};

use super::formats::{CLOCKS, Format};
use super::recognition::Sample;
use super::window::{Place, Window};
use crate::ip::endpoints::Endpoint;
use crate::ip::media::report::{Jitter, MediaStream, PLAYOUT_DELAY};
use crate::ip::media::sdp::Description;

/// The fastest packet is one of the last so long, or of twice that: clocks of senders drift.
const FASTEST_OF: Duration = Duration::from_secs(10);

/// Payload types from here on have no numbers of their own (RFC 3551, 6).
const DYNAMIC: u8 = 96;

/// Packets from which the clock of an unknown payload is found, at least and at most, and the time that they last.
const OPENING: usize = 64;
const LONGEST_OPENING: usize = 256;
const OPENING_TIME: Duration = Duration::from_millis(500);

/// A stream that goes on.
#[derive(Debug)]
pub struct Stream {
    from: Endpoint,
    to: Endpoint,
    source: u32,
    begin: Time,
    last: Time,
    packets: u64,
    octets: u64,
    copies: u64,
    overtaken: u64,
    payload_type: Option<u8>,
    format: Option<Format>,
    packet_time: Option<Duration>,
    /// Payload types that are described as media; the others are those with numbers of their own.
    described: u128,
    /// Payload types that are described as events, whose timestamps stand still.
    events: u128,
    clock: Clock,
    window: Window,
    timing: Timing,
    /// Least ticks from one packet to the next.
    packet_ticks: Option<u32>,
    /// The packet before, by its number and timestamp.
    previous: Option<(u16, u32)>,
    largest_gap: Duration,
}

/// The clock of timestamps.
#[derive(Debug)]
enum Clock {
    /// Ticks per second.
    Known(u32),
    /// Not known yet: the packets so far.
    Unknown(Vec<Sample>),
}

/// Times of packets, in seconds since the first.
#[derive(Clone, Copy, Debug, Default)]
struct Timing {
    begin: Option<(Time, u32)>,
    /// Ticks of the packet before, since the first.
    ticks: i64,
    timestamp: u32,
    transit: Option<f64>,
    jitter: f64,
    sum: f64,
    largest: f64,
    samples: u64,
    /// The fastest of this while and of the one before, and when this one began.
    fastest: [f64; 2],
    while_began: f64,
}

impl Stream {
    /// A stream that begins with this packet; `description` names its payload.
    pub fn new(from: Endpoint, to: Endpoint, (time, header): Sample, description: Option<&Description>) -> Stream {
        let formats = description.map_or(&[][..], |description| &description.formats);
        let numbers = |wanted: bool| {
            let of = formats.iter().filter(move |(_, format)| format.is_event() == wanted);
            of.fold(0, |bits, (number, _)| bits | bit(*number))
        };
        let (described, events) = (numbers(false), numbers(true));
        Stream {
            from,
            to,
            source: header.source,
            begin: time,
            last: time,
            packets: 0,
            octets: 0,
            copies: 0,
            overtaken: 0,
            payload_type: None,
            format: None,
            packet_time: description.and_then(|description| description.packet_time),
            described,
            events,
            clock: Clock::Unknown(Vec::new()),
            window: Window::default(),
            timing: Timing::default(),
            packet_ticks: None,
            previous: None,
            largest_gap: Duration::ZERO,
        }
    }

    /// Takes the next packet; `description` names its payload.
    pub fn packet(&mut self, (time, header): Sample, description: Option<&Description>) {
        if self.payload_type.is_none() && self.events & bit(header.payload_type) == 0 {
            self.begin_payload(header.payload_type, description);
        }
        self.packets += 1;
        self.largest_gap = self.largest_gap.max(time.since(self.last));
        self.last = time;
        match &mut self.clock {
            Clock::Known(clock) => {
                let clock = *clock;
                self.take((time, header), clock);
            }
            Clock::Unknown(opening) => {
                opening.push((time, header));
                let is_long = opening.len() >= OPENING && time.since(self.begin) >= OPENING_TIME;
                if is_long || opening.len() >= LONGEST_OPENING {
                    self.settle();
                }
            }
        }
    }

    /// The stream ends.
    pub fn finish(mut self) -> MediaStream {
        self.settle();
        let Stream { from, to, source, payload_type, begin, packets, octets, copies, overtaken, .. } = self;
        let Timing { sum, largest, samples, .. } = self.timing;
        let clock = self.clock_rate();
        let of_ticks = |ticks: u32| Duration::from_units(u64::from(ticks), u64::from(clock));
        MediaStream {
            from,
            to,
            source,
            payload_type,
            format: self.format,
            clock,
            packet_time: self.packet_time.or(self.packet_ticks.map(of_ticks)),
            begin,
            end: self.last,
            packets,
            octets,
            copies,
            overtaken,
            delivery: self.window.finish(),
            jitter: (samples > 0).then(|| Jitter { mean_s: sum / samples as f64, max_s: largest }),
            largest_gap: self.largest_gap,
            reported: None,
        }
    }

    fn begin_payload(&mut self, payload_type: u8, description: Option<&Description>) {
        self.payload_type = Some(payload_type);
        let described = description.and_then(|description| {
            description.formats.iter().find(|(number, _)| *number == payload_type).map(|(_, format)| format.clone())
        });
        self.format = described.or_else(|| Format::of_number(payload_type));
        if let (Some(format), Clock::Unknown(opening)) = (&self.format, &mut self.clock) {
            let (clock, opening) = (format.clock, std::mem::take(opening));
            self.clock = Clock::Known(clock);
            opening.into_iter().for_each(|sample| self.take(sample, clock));
        }
    }

    /// Whether a payload type carries events: the session description says so, or it is another dynamic type than that of the
    /// media and has no description.
    fn is_event(&self, payload_type: u8) -> bool {
        let is_dynamic = payload_type >= DYNAMIC && self.payload_type != Some(payload_type);
        self.events & bit(payload_type) != 0 || (is_dynamic && self.described & bit(payload_type) == 0)
    }

    fn clock_rate(&self) -> u32 {
        match self.clock {
            Clock::Known(clock) => clock,
            Clock::Unknown(_) => CLOCKS[0],
        }
    }

    /// Finds the clock from the packets so far, if it is not known yet.
    fn settle(&mut self) {
        let Clock::Unknown(opening) = &mut self.clock else { return };
        let opening = std::mem::take(opening);
        let clock = clock_of(&opening);
        self.clock = Clock::Known(clock);
        opening.into_iter().for_each(|sample| self.take(sample, clock));
    }

    fn take(&mut self, (time, header): Sample, clock: u32) {
        let place = self.window.take(header.sequence);
        match place {
            Place::Copy => self.copies += 1,
            Place::Overtaken => self.overtaken += 1,
            Place::Next | Place::Strange => {}
        }
        if matches!(place, Place::Copy | Place::Strange) {
            return;
        }
        self.octets += u64::from(header.payload);
        if self.is_event(header.payload_type) {
            self.previous = None;
            return;
        }
        let previous = self.previous.replace((header.sequence, header.timestamp));
        if let Some((sequence, timestamp)) = previous.filter(|_| place == Place::Next)
            && sequence.wrapping_add(1) == header.sequence
        {
            let ticks = header.timestamp.wrapping_sub(timestamp);
            if ticks > 0 && ticks < clock {
                self.packet_ticks = Some(self.packet_ticks.map_or(ticks, |least| least.min(ticks)));
            }
        }
        if self.timing.take(time, header.timestamp, clock) {
            self.window.late(header.sequence);
        }
    }
}

/// The bit of a payload type in a set of all 128.
fn bit(payload_type: u8) -> u128 {
    1_u128.checked_shl(payload_type.into()).unwrap_or(0)
}

/// The usual clock that is closest to the ticks per second of packets.
fn clock_of(packets: &[Sample]) -> u32 {
    let (Some((begin, first)), Some((end, last))) = (packets.first(), packets.last()) else { return CLOCKS[0] };
    let ticks = f64::from(last.timestamp.wrapping_sub(first.timestamp).cast_signed().max(1));
    let rate = ticks / end.since(*begin).seconds().max(1e-6);
    let off = |clock: &u32| (libm::log(f64::from(*clock) / rate)).abs();
    CLOCKS.into_iter().min_by(|one, other| off(one).total_cmp(&off(other))).unwrap_or(CLOCKS[0])
}

impl Timing {
    /// Takes a packet, in order of arrival; whether it is too late for the jitter buffer.
    fn take(&mut self, time: Time, timestamp: u32, clock: u32) -> bool {
        let (begin, first) = *self.begin.get_or_insert((time, timestamp));
        if self.samples == 0 && self.transit.is_none() {
            self.timestamp = first;
        }
        let step = i64::from(timestamp.wrapping_sub(self.timestamp).cast_signed());
        if step < -i64::from(clock) {
            self.restart(time, timestamp);
            return false;
        }
        self.ticks += step;
        self.timestamp = timestamp;
        let arrival = time.since(begin).seconds();
        let transit = arrival - self.ticks as f64 / f64::from(clock);
        if let Some(last) = self.transit {
            self.jitter += ((transit - last).abs() - self.jitter) / 16.0;
            self.sum += self.jitter;
            self.largest = self.largest.max(self.jitter);
        }
        self.samples += 1;
        let is_first = self.transit.replace(transit).is_none();
        self.is_late(arrival, transit, is_first)
    }

    /// The clock of timestamps begins anew, as after a fax or a transfer: what is before says nothing of what is behind. Timestamps
    /// of video go back by a few frames; those that go back by more than a second are of another clock.
    fn restart(&mut self, time: Time, timestamp: u32) {
        (self.begin, self.ticks, self.timestamp) = (Some((time, timestamp)), 0, timestamp);
        (self.transit, self.fastest, self.while_began) = (Some(0.0), [0.0; 2], 0.0);
    }

    /// Whether a packet comes later than the jitter buffer waits behind the fastest of the last while.
    fn is_late(&mut self, arrival: f64, transit: f64, is_first: bool) -> bool {
        if is_first {
            self.fastest = [transit; 2];
        } else if arrival - self.while_began >= FASTEST_OF.seconds() {
            self.fastest = [transit, self.fastest[0]];
            self.while_began = arrival;
        }
        self.fastest[0] = self.fastest[0].min(transit);
        transit - self.fastest[0].min(self.fastest[1]) > PLAYOUT_DELAY.seconds()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::super::rtp::Header;
    use super::*;

    fn end(port: u16) -> Endpoint {
        Endpoint { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port }
    }

    fn packet(payload_type: u8, sequence: u16, timestamp: u32) -> Header {
        Header { payload_type, marker: false, sequence, timestamp, source: 1, payload: 160 }
    }

    /// A stream of packets, each with its arrival in microseconds, number and timestamp.
    fn stream(payload_type: u8, packets: impl IntoIterator<Item = (u64, u16, u32)>) -> MediaStream {
        let mut stream = None;
        for (arrival, sequence, timestamp) in packets {
            let time = Time::ZERO + Duration::from_micros(arrival);
            let header = packet(payload_type, sequence, timestamp);
            let of = stream.get_or_insert_with(|| Stream::new(end(1), end(2), (time, header), None));
            of.packet((time, header), None);
        }
        stream.expect("packets").finish()
    }

    #[test]
    fn jitter_is_the_smoothed_difference_of_transit_times() {
        // 20 ms apart by their timestamps; the third is 16 ms late, the fourth in time
        let arrivals = [0, 20_000, 56_000, 60_000];
        let packets = (0..4).map(|place: u16| (arrivals[usize::from(place)], place, 160 * u32::from(place)));
        let Jitter { mean_s, max_s } = stream(8, packets).jitter.unwrap();
        // by hand: 0, 0, 1 ms, 1 + (16 - 1) / 16 ms
        assert!((max_s - 1.9375e-3).abs() < 1e-12, "{max_s}");
        assert!((mean_s - 2.9375e-3 / 4.0).abs() < 1e-12, "{mean_s}");
    }

    #[test]
    fn a_packet_is_late_if_the_jitter_buffer_waits_no_longer_and_the_clock_of_the_sender_may_drift() {
        let delay = |number: u16| if number == 100 { 44_999 } else { 5_000 };
        let packets =
            (0..200).map(|number| (u64::from(number) * 20_000 + delay(number), number, 160 * u32::from(number)));
        assert_eq!(
            (stream(0, packets).delivery.late, stream(0, [(0, 1, 0)]).delivery.late),
            (0, 0),
            "40 ms behind the fastest"
        );
        let delay = |number: u16| if number == 100 { 45_001 } else { 5_000 };
        let packets =
            (0..200).map(|number| (u64::from(number) * 20_000 + delay(number), number, 160 * u32::from(number)));
        assert_eq!(stream(0, packets).delivery.late, 1);
        // a clock that is slow by 100 ppm: 120 ms in 20 minutes
        let drifting = (0..60_000).map(|number| (u64::from(number) * 20_002, number, 160 * u32::from(number)));
        assert_eq!(stream(0, drifting).delivery.late, 0);
    }

    #[test]
    fn the_clock_of_an_unknown_payload_is_found_from_its_packets() {
        let of = |ticks: u32, milliseconds: u64| {
            let packets = (0..100).map(|number| {
                let jitter = 3_000 * u64::from(number % 2);
                (
                    u64::from(number) * 1_000 * milliseconds + jitter,
                    number,
                    (u32::MAX - 500).wrapping_add(ticks * u32::from(number)),
                )
            });
            let found = stream(96, packets);
            (found.clock, found.packet_time.map(|time| time.picoseconds() / 1_000_000_000))
        };
        assert_eq!((of(960, 20), of(320, 20)), ((48_000, Some(20)), (16_000, Some(20))));
        assert_eq!(stream(96, [(0, 1, 0), (30_000, 2, 240)]).clock, 8_000, "few packets");
    }

    #[test]
    fn digits_that_nothing_describes_are_not_timed() {
        let mut stream = Stream::new(end(1), end(2), (Time::ZERO, packet(8, 0, 0)), None);
        for number in 0..60_u16 {
            let time = Time::ZERO + Duration::from_millis(20 * u64::from(number));
            let (kind, timestamp) =
                if (20..30).contains(&number) { (100, 3_200) } else { (8, 160 * u32::from(number)) };
            stream.packet((time, packet(kind, number, timestamp)), None);
        }
        let found = stream.finish();
        assert_eq!((found.jitter.unwrap().max_s, found.delivery.late, found.delivery.sent), (0.0, 0, 60));
    }

    #[test]
    fn a_clock_that_begins_anew_is_no_jitter() {
        let packets = (0..60_u16).map(|number| {
            let ticks = if number < 30 { 500_000 } else { 0 } + 160 * u32::from(number);
            (20_000 * u64::from(number), number, ticks)
        });
        let found = stream(8, packets);
        assert_eq!((found.jitter.unwrap().max_s, found.delivery.late, found.delivery.lost), (0.0, 0, 0));
    }

    #[test]
    fn copies_and_overtaken_packets_are_counted_and_only_the_first_of_copies_is_timed() {
        let packets = [(0, 1, 0), (20_000, 2, 160), (41_000, 4, 480), (42_000, 3, 320), (43_000, 3, 320)];
        let found = stream(8, packets);
        assert_eq!((found.packets, found.copies, found.overtaken, found.delivery.sent), (5, 1, 1, 4));
        assert_eq!((found.octets, found.largest_gap), (640, Duration::from_millis(21)));
    }
}
