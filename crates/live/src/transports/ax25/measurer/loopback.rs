//! Frames without a link that come back: TEST frames from a station, UI frames from a digipeater.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::{self, LinkKey};
use sojourn_protocols::ax25::wire::{Body, Frame, Pid};

use crate::io::drive::AppPoll;
use crate::transports::ax25::block::block;
use crate::transports::ax25::handler::{PortHandler, StationApp};
use crate::transports::ax25::transceiver::{Input, StationOutput, Transceiver};

/// What comes back, and from whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A TEST frame, from the other station.
    Test,
    /// An own UI frame, once the last digipeater on its way has repeated it.
    Digipeated,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// What comes back.
    pub kind: Kind,
    /// Whom it goes to, and by which way.
    pub key: LinkKey,
    /// How many frames.
    pub frames: u32,
    /// Octets of information in each.
    pub size: u32,
    /// How long one is waited for.
    pub time_out: Duration,
    /// From the end of one to the start of the next.
    pub pause: Duration,
}

/// Sends one frame after the other.
pub struct LoopbackProbe<'c, 'a> {
    wanted: Wanted,
    port_handler: &'c mut PortHandler<'a>,
    /// From handing a frame over to having it back.
    pub times: Distribution,
    /// Frames that did not come back in time.
    pub failures: u32,
    number: u64,
    in_flight: Option<(Time, Vec<u8>)>,
    next: Time,
}

impl<'c, 'a> LoopbackProbe<'c, 'a> {
    /// Frames of which the first has this number.
    pub fn new(wanted: Wanted, first: u64, port_handler: &'c mut PortHandler<'a>) -> LoopbackProbe<'c, 'a> {
        let (times, next) = (Distribution::new(), Time::ZERO);
        LoopbackProbe { wanted, port_handler, times, failures: 0, number: first, in_flight: None, next }
    }

    fn attempted(&self) -> u64 {
        self.times.count() + u64::from(self.failures)
    }

    fn came_back(&mut self, now: Time, data: &[u8]) {
        if let Some((since, _)) = self.in_flight.take_if(|(_, sent)| sent == data) {
            self.times.record(now.since(since));
            self.next = now + self.wanted.pause;
        }
    }

    fn send(&mut self, now: Time, transceiver: &mut Transceiver) {
        let Wanted { kind, key, size, .. } = self.wanted;
        let data = block(self.number, size);
        self.number += 1;
        self.in_flight = Some((now, data.clone()));
        transceiver.handle(
            now,
            Input::Station(match kind {
                Kind::Test => machine::Input::SendTest { key, data },
                Kind::Digipeated => machine::Input::SendUnnumbered { key, pid: Pid::NONE, data },
            }),
        );
    }
}

impl<'a> StationApp<'a> for LoopbackProbe<'_, 'a> {
    fn port_handler(&mut self) -> &mut PortHandler<'a> {
        self.port_handler
    }

    fn indicate(&mut self, now: Time, output: StationOutput) {
        if let (machine::Output::TestResponse { data, .. }, Kind::Test) = (output, self.wanted.kind) {
            self.came_back(now, &data);
        }
    }

    fn repeated(&mut self, now: Time, frame: Frame<Vec<u8>>) {
        let by_all = frame.addressing.digipeaters.next().is_none();
        if let (Body::Ui { data, .. }, Kind::Digipeated, true) = (frame.body, self.wanted.kind, by_all) {
            self.came_back(now, &data);
        }
    }

    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll {
        if self.in_flight.as_ref().is_some_and(|(since, _)| now >= *since + self.wanted.time_out) {
            self.in_flight = None;
            self.failures += 1;
            self.next = now + self.wanted.pause;
        }
        self.port_handler.watch().set_done(self.attempted());
        if self.port_handler.watch().is_cancelled() || self.attempted() >= u64::from(self.wanted.frames) {
            return AppPoll::Done;
        }
        if self.in_flight.is_none() && now >= self.next {
            self.send(now, transceiver);
        }
        AppPoll::Wait(self.in_flight.as_ref().map_or(self.next, |(since, _)| *since + self.wanted.time_out))
    }
}
