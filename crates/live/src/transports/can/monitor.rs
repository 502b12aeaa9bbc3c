//! Listens to a bus without sending: identifiers, their rates and intervals, and with a bit rate the load.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::can::frame::{Content, Id, Length};

use super::attached::{Attached, Received};
use crate::io::can::Frame;
use crate::io::clock::Clock;
use crate::progress::report::Report;
use crate::progress::survey::{BusIdentifier, BusStats, Survey};
use crate::progress::watch::Watch;
use crate::transport::{Experiment, Listening, Measured};

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Interval of updates for the watcher.
const INTERVAL: Duration = Duration::from_millis(500);
/// Identifiers that are kept apart; the frames of further ones count in total alone.
const MOST_IDENTIFIERS: usize = 1024;

/// The bit rates of a bus, if known.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Bits per second.
    pub nominal: Option<u32>,
    /// Of the data phase of CAN FD.
    pub data: Option<u32>,
}

/// A bus that is listened to.
#[derive(Debug)]
struct Heard {
    rates: Rates,
    frames: u64,
    busy_s: f64,
    identifiers: BTreeMap<Id, Seen>,
}

/// What was seen of an identifier.
#[derive(Debug)]
struct Seen {
    frames: u64,
    octets: u8,
    busy_s: f64,
    last: Time,
    intervals: Distribution,
}

/// Listens until the count of frames or the duration is reached, or until it is cancelled.
pub fn listen(
    bus: &mut Attached,
    rates: Rates,
    listening: &Listening,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    watch.begin("listening", "1", 0);
    watch.report(Report::of_listener(bus.name()));
    let (clock, mut shown, mut record) = (Clock::start(), Time::ZERO, Vec::new());
    let mut heard = Heard::new(rates);
    while !listening.is_over(watch, clock.now(), heard.frames) {
        match bus.receive() {
            Received::Frame(frame) => {
                let now = clock.now();
                frame.emit(&mut record);
                frames.frame(now, &record);
                heard.frame(now, &frame);
            }
            Received::Nothing => bus.wait(LONGEST_WAIT),
            Received::Lost(fault) => watch.report(Report::note(format!("{} is lost: {fault}", bus.name()))),
            Received::Restored => watch.report(Report::note(format!("{} is open again", bus.name()))),
        }
        watch.set_done(heard.frames);
        let now = clock.now();
        if now >= shown + INTERVAL {
            shown = now;
            watch.show(Survey::Bus(heard.stats(now, bus.malformed())));
        }
    }
    heard.report(clock.now(), bus.malformed(), watch)
}

impl Heard {
    fn new(rates: Rates) -> Heard {
        Heard { rates, frames: 0, busy_s: 0.0, identifiers: BTreeMap::new() }
    }

    fn frame(&mut self, now: Time, frame: &Frame) {
        let busy_s = self.rates.span(frame);
        self.frames += 1;
        self.busy_s += busy_s;
        let octets = match &frame.content {
            Content::Data(data) | Content::Fd { data, .. } => data.len() as u8,
            Content::Remote(code) => *code,
        };
        if let Some(seen) = self.identifiers.get_mut(&frame.id) {
            seen.frames += 1;
            seen.octets = octets;
            seen.busy_s += busy_s;
            seen.intervals.record(now.since(seen.last));
            seen.last = now;
        } else if self.identifiers.len() < MOST_IDENTIFIERS {
            let intervals = Distribution::new();
            self.identifiers.insert(frame.id, Seen { frames: 1, octets, busy_s, last: now, intervals });
        }
    }

    fn load(&self, busy_s: f64, now: Time) -> Option<f64> {
        let seconds = now.seconds();
        (self.rates.nominal.is_some() && seconds > 0.0).then(|| busy_s / seconds)
    }

    /// The statistics for a watcher.
    fn stats(&self, now: Time, malformed: u64) -> BusStats {
        let seconds = now.seconds();
        let identifier = |(id, seen): (&Id, &Seen)| BusIdentifier {
            id: id.to_string(),
            frames: seen.frames,
            octets: seen.octets,
            frames_per_s: seen.intervals.mean().filter(|mean| *mean > 0.0).map(f64::recip),
            interval_mean_s: seen.intervals.mean(),
            interval_min_s: seen.intervals.min().map(Duration::seconds),
            interval_max_s: seen.intervals.max().map(Duration::seconds),
            load: self.load(seen.busy_s, now),
        };
        let mut identifiers: Vec<(&Id, &Seen)> = self.identifiers.iter().collect();
        identifiers.sort_by_key(|(id, _)| id.arbitration(false));
        BusStats {
            seconds,
            frames: self.frames,
            malformed,
            load: self.load(self.busy_s, now),
            identifiers: identifiers.into_iter().map(identifier).collect(),
        }
    }

    /// The metrics in total, and of each identifier.
    fn record(&self, now: Time, malformed: u64) -> Record {
        let mut record = Record::default();
        record.scalar("packets", self.frames as f64);
        let all = self.frames + malformed;
        record.scalar("malformed", if all > 0 { malformed as f64 / all as f64 } else { 0.0 });
        if let Some(load) = self.load(self.busy_s, now) {
            record.scalar("utilisation", load);
        }
        for (id, seen) in &self.identifiers {
            record.scalar(format!("packets/{id}"), seen.frames as f64);
            if let Some(load) = self.load(seen.busy_s, now) {
                record.scalar(format!("utilisation/{id}"), load);
            }
            if seen.intervals.count() > 0 {
                record.observe(format!("interarrival_time/{id}"), Observation::Distribution(seen.intervals.clone()));
            }
        }
        record
    }

    fn report(&self, now: Time, malformed: u64, watch: &Watch) -> Measured {
        watch.show(Survey::Bus(self.stats(now, malformed)));
        let mut warnings = vec!["times are those at which this host read the frames".to_owned()];
        if self.rates.nominal.is_none() {
            warnings.push("without bit-rate=500000 in the URL the load of the bus is not known".to_owned());
        }
        if self.identifiers.len() == MOST_IDENTIFIERS {
            warnings.push(format!(
                "more than {MOST_IDENTIFIERS} identifiers: the frames of further ones count in total alone"
            ));
        }
        let experiment = Experiment {
            name: "listening",
            set: BTreeMap::new(),
            records: vec![self.record(now, malformed)],
            duration: now.since(Time::ZERO),
            failure: None,
            outages: Vec::new(),
        };
        Measured { experiments: vec![experiment], warnings, circumstances: None, path: None }
    }
}

impl Rates {
    /// Seconds that a frame with its stuff bits and the intermission takes; 0 where the bit rate is not known.
    fn span(self, frame: &Frame) -> f64 {
        let Some(nominal) = self.nominal else { return 0.0 };
        let content = match &frame.content {
            Content::Data(data) => Content::Data(&data[..]),
            Content::Remote(code) => Content::Remote(*code),
            Content::Fd { data, brs, esi } => Content::Fd { data: &data[..], brs: *brs, esi: *esi },
        };
        let length = Length::exact(frame.id, content);
        f64::from(length.nominal) / f64::from(nominal)
            + f64::from(length.data) / f64::from(self.data.unwrap_or(nominal))
    }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::can::log::Logged;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn a_message_has_its_rate_its_intervals_and_its_share_of_the_bus() {
        let mut heard = Heard::new(Rates { nominal: Some(500_000), data: None });
        // 119 bits by the table of crates/protocols: 64EFh as CRC, 8 stuff bits, intermission
        let content = Content::Data(vec![1, 2, 3, 4, 5, 6, 7, 8]);
        let frame = Logged { id: Id::Base(0x123), content };
        for ms in [0, 10, 18, 30] {
            heard.frame(at(ms), &frame);
        }
        heard.frame(at(30), &Logged { id: Id::Extended(0x18fe_f100), content: Content::Remote(3) });
        let stats = heard.stats(at(40), 2);
        assert_eq!((stats.frames, stats.malformed, stats.identifiers.len()), (5, 2, 2));
        let message = &stats.identifiers[0];
        assert_eq!((message.id.as_str(), message.frames, message.octets), ("123", 4, 8));
        assert_eq!(message.interval_mean_s, Some(0.010));
        assert_eq!((message.interval_min_s, message.interval_max_s), (Some(0.008), Some(0.012)));
        assert_eq!(message.frames_per_s, Some(100.0));
        // 4 frames of 238 us in 40 ms
        assert!((message.load.unwrap() - 0.0238).abs() < 1e-12, "{:?}", message.load);
        let other = &stats.identifiers[1];
        assert_eq!((other.id.as_str(), other.octets, other.frames_per_s), ("18FEF100", 3, None));
        let record = heard.record(at(40), 2);
        assert_eq!((record.value("packets"), record.value("packets/123")), (5.0, 4.0));
        assert!((record.value("malformed") - 2.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn without_a_bit_rate_there_is_no_load_and_a_data_rate_is_for_the_data_phase() {
        let fd = |brs| Content::Fd { data: vec![0x55; 64], brs, esi: false };
        let frame = |brs| Logged { id: Id::Base(0x2aa), content: fd(brs) };
        let unknown = Rates { nominal: None, data: None };
        let mut heard = Heard::new(unknown);
        heard.frame(at(0), &frame(true));
        assert_eq!(heard.stats(at(10), 0).load, None);
        let known = Rates { nominal: Some(500_000), data: Some(2_000_000) };
        let [switched, not] = [true, false].map(|brs| known.span(&frame(brs)) * 1e6);
        // 29 nominal and 550 data bits of 64 bytes, and few stuff bits of alternating octets: 333 us and more
        assert!((333.0..345.0).contains(&switched), "{switched}");
        assert!(not > 1100.0, "{not}");
    }

    #[test]
    fn a_flood_of_identifiers_is_counted_and_not_kept() {
        let mut heard = Heard::new(Rates { nominal: None, data: None });
        for id in 0..3000 {
            heard.frame(at(1), &Logged { id: Id::Extended(id), content: Content::Remote(0) });
        }
        assert_eq!((heard.frames, heard.identifiers.len()), (3000, MOST_IDENTIFIERS));
    }
}
