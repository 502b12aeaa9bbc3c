//! Monitors a channel without transmitting.

mod census;
mod repetition;

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;

use self::census::Census;
use super::airtime::Air;
use super::handler::PortHandler;
use super::port::{End, Port};
use crate::io::clock::Clock;
use crate::io::packet_io::Direction;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::progress::report::Report;
use crate::progress::survey::Survey;
use crate::progress::watch::Watch;
use crate::transport::{Experiment, Listening, Measured};

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Interval of updates for the watcher.
const INTERVAL: Duration = Duration::from_millis(500);

/// Monitors until the count of frames or the duration is reached, or until it is cancelled.
pub fn listen<P: Port>(
    mut port: P,
    air: Air,
    listening: &Listening,
    watch: &Watch,
    frames: &mut dyn FrameSink,
) -> Measured {
    let mut port_handler = PortHandler::new(port.name(), watch);
    watch.begin("listening", "1", 0);
    watch.report(Report::of_listener(port.name()));
    let (clock, mut census, mut shown) = (Clock::start(), Census::new(air), Time::ZERO);
    let (mut buffer, mut record) = (vec![0; LARGEST_DATAGRAM], Vec::new());
    loop {
        let now = clock.now();
        let late = listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        let enough = listening.count.is_some_and(|count| census.frames() >= count);
        if watch.is_cancelled() || late || enough {
            break;
        }
        match port.receive(&mut buffer) {
            Received::Datagram(End::Channel, octets) => {
                if port.record(Direction::In, End::Channel, octets, &mut record) {
                    frames.frame(now, &record);
                }
                census.decode(now, octets);
                watch.set_done(census.frames());
            }
            Received::Datagram(End::Tnc, _) => {}
            Received::Notice(notice) => {
                port_handler.notice(notice);
            }
            Received::Nothing => port.wait(LONGEST_WAIT),
        }
        if now >= shown + INTERVAL {
            shown = now;
            watch.show(Survey::Channel(census.survey(now)));
        }
    }
    report(&census, &port_handler, clock.now(), watch)
}

fn report(census: &Census, port_handler: &PortHandler<'_>, now: Time, watch: &Watch) -> Measured {
    watch.show(Survey::Channel(census.survey(now)));
    let garbage = port_handler.counts.garbage + census.unreadable();
    let mut warnings = vec![
        "utilisation counts received frames only, by their octets and the bit rate: keying and undecodable frames are in addition"
            .to_owned(),
    ];
    if garbage > 0 {
        warnings.push(format!("{garbage} inputs were not frames"));
    }
    let experiment = Experiment {
        name: "listening",
        set: std::collections::BTreeMap::new(),
        records: vec![census.record(now)],
        duration: now.since(Time::ZERO),
        failure: None,
        outages: Vec::new(),
    };
    Measured { experiments: vec![experiment], warnings, circumstances: None, path: None }
}
