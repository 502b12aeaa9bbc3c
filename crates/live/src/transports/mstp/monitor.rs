//! Listens to a trunk without transmitting: tokens, rotation, polls for masters, errors, and the times of each station.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::mstp::wire::{FrameType, Received, Receiver};
use sojourn_protocols::mstp_trunk::Trunk;

use crate::io::clock::Clock;
use crate::io::line::{Line, Reading};
use crate::progress::report::Report;
use crate::progress::survey::{Survey, TrunkStation, TrunkStats};
use crate::progress::watch::Watch;
use crate::transport::{Experiment, Listening, Measured};
use crate::transports::serial_url::SerialLine;

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Interval of updates for the watcher.
const INTERVAL: Duration = Duration::from_millis(500);
/// Octets without a frame that show that the speed may be another.
const UNREAD: u64 = 200;

/// A trunk that is listened to.
struct Heard {
    trunk: Trunk,
    settings: sojourn_core::serial::Format,
    receiver: Receiver,
    rotations: Distribution,
    octets: u64,
    tokens: u64,
    token_retries: u64,
    polls: u64,
}

/// Listens until the count of frames or the duration is reached, or until it is cancelled.
pub fn listen(
    line: &SerialLine,
    file: OwnedFd,
    listening: &Listening,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    watch.begin("listening", "1", 0);
    watch.report(Report::of_listener(line.name()));
    let (clock, mut shown) = (Clock::start(), Time::ZERO);
    let mut heard = Heard::new(line);
    let mut input = Line::new(line.place(), file);
    let mut buffer = vec![0; 4096];
    while !listening.is_over(watch, clock.now(), heard.trunk.frames()) {
        match input.read(&mut buffer) {
            Reading::Bytes(length) => heard.take(clock.now(), &buffer[..length], frames),
            Reading::Nothing => {
                heard.silence(clock.now());
                input.wait(LONGEST_WAIT);
            }
            Reading::Lost(loss) => watch.report(Report::note(format!("{} is lost: {loss}", line.name()))),
            Reading::Restored => watch.report(Report::note(format!("{} is open again", line.name()))),
        }
        watch.set_done(heard.trunk.frames());
        let now = clock.now();
        if now >= shown + INTERVAL {
            shown = now;
            watch.show(Survey::Trunk(heard.stats(now)));
        }
    }
    heard.report(clock.now(), line, watch)
}

impl Heard {
    fn new(line: &SerialLine) -> Heard {
        Heard {
            trunk: Trunk::default(),
            settings: line.settings,
            receiver: Receiver::new(None),
            rotations: Distribution::new(),
            octets: 0,
            tokens: 0,
            token_retries: 0,
            polls: 0,
        }
    }

    fn take(&mut self, now: Time, octets: &[u8], frames: &mut dyn FrameSink) {
        let Heard { trunk, receiver, rotations, .. } = self;
        self.octets += octets.len() as u64;
        for octet in octets {
            match receiver.push(now, *octet) {
                Some(Received::Frame(frame)) => {
                    let written = frame.to_bytes().unwrap_or_default();
                    frames.frame(now, &written);
                    let seen = trunk.frame(now, &frame, written.len());
                    seen.rotation.into_iter().for_each(|(_, rotation)| rotations.record(rotation));
                    self.token_retries += u64::from(seen.token_retry);
                    self.tokens += u64::from(frame.kind == FrameType::Token);
                    self.polls += u64::from(frame.kind == FrameType::PollForMaster);
                }
                Some(Received::Invalid(_)) => trunk.invalid(),
                Some(Received::NotForUs(_)) | None => {}
            }
        }
    }

    fn silence(&mut self, now: Time) {
        if self.receiver.wake(now).is_some() {
            self.trunk.invalid();
        }
    }

    fn utilisation(&self, octets: u64, now: Time) -> f64 {
        let seconds = now.seconds();
        let busy = self.settings.characters(1).seconds() * octets as f64;
        if seconds > 0.0 { busy / seconds } else { 0.0 }
    }

    /// The statistics for a watcher.
    fn stats(&self, now: Time) -> TrunkStats {
        let trunk = &self.trunk;
        TrunkStats {
            seconds: now.seconds(),
            frames: trunk.frames(),
            invalid: trunk.invalid_frames(),
            utilisation: self.utilisation(trunk.octets(), now),
            tokens: self.tokens,
            tokens_lost: trunk.lost_tokens(),
            token_retries: self.token_retries,
            polls_for_master: self.polls,
            rotation_mean_s: self.rotations.mean(),
            rotation_max_s: self.rotations.max().map(Duration::seconds),
            devices: trunk
                .stations()
                .map(|(mac, station)| TrunkStation::of(mac, station, self.utilisation(station.octets, now)))
                .collect(),
        }
    }

    /// The metrics in total, and of each station.
    fn record(&self, now: Time) -> Record {
        let mut record = Record::default();
        record.scalar("utilisation", self.utilisation(self.trunk.octets(), now));
        record.scalar("packets", self.trunk.frames() as f64);
        record.scalar("tokens", self.tokens as f64);
        record.count("tokens_lost", self.trunk.lost_tokens());
        record.count("token_retries", self.token_retries);
        record.scalar("polls_for_master", self.polls as f64);
        let (frames, invalid) = (self.trunk.frames() as f64, self.trunk.invalid_frames() as f64);
        record.scalar("malformed", if invalid > 0.0 { invalid / (frames + invalid) } else { 0.0 });
        if self.rotations.count() > 0 {
            record.observe("token_rotation", Observation::Distribution(self.rotations.clone()));
        }
        let postponed: u64 = self.trunk.stations().map(|(_, station)| station.postponed).sum();
        record.count("reply_postponed", postponed);
        for (mac, station) in self.trunk.stations() {
            record.scalar(format!("utilisation/MAC-{mac}"), self.utilisation(station.octets, now));
            record.scalar(format!("packets/MAC-{mac}"), station.frames as f64);
        }
        record
    }

    fn report(&self, now: Time, line: &SerialLine, watch: &Watch) -> Measured {
        watch.show(Survey::Trunk(self.stats(now)));
        let mut warnings: Vec<String> = line.latency_note().into_iter().collect();
        warnings.push(
            "times are to the end of a frame as this host read it, at most as exact as its adapter passes octets on"
                .to_owned(),
        );
        if self.trunk.frames() == 0 && self.octets > UNREAD {
            let rate = self.settings.bit_rate;
            warnings.push(format!(
                "{} octets and no frame: the trunk may have another speed than {rate} bit/s; 9600, 19200, 38400 and 76800 are common",
                self.octets
            ));
        }
        let experiment = Experiment {
            name: "listening",
            set: BTreeMap::new(),
            records: vec![self.record(now)],
            duration: now.since(Time::ZERO),
            failure: None,
            outages: Vec::new(),
        };
        Measured { experiments: vec![experiment], warnings, circumstances: None, path: None }
    }
}
