//! Loopback probes without a link: TEST frames returned by a station, UI frames repeated by a digipeater.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::{self, LinkKey};
use sojourn_protocols::ax25::wire::{Body, Frame, Pid};

use crate::io::drive::AppPoll;
use crate::transports::ax25::block::block;
use crate::transports::ax25::handler::{PortHandler, StationApp};
use crate::transports::ax25::transceiver::{Input, StationOutput, Transceiver};

/// The kind of loopback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A TEST frame, returned by the far station.
    Test,
    /// A UI frame, once the last digipeater of its path has repeated it.
    Digipeated,
}

/// Settings of the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The kind of loopback.
    pub kind: Kind,
    /// Far station and digipeaters.
    pub key: LinkKey,
    /// Number of frames to send.
    pub frames: u32,
    /// Octets of information in each.
    pub size: u32,
    /// Timeout of a frame.
    pub time_out: Duration,
    /// Pause between two probes.
    pub pause: Duration,
}

/// Sends one frame at a time.
pub struct LoopbackProbe<'c, 'a> {
    wanted: Wanted,
    port_handler: &'c mut PortHandler<'a>,
    /// From sending a frame to receiving it back.
    pub times: Distribution,
    /// Frames that timed out.
    pub failures: u32,
    number: u64,
    in_flight: Option<(Time, Vec<u8>)>,
    next: Time,
    /// Since when the next frame has been waiting for the airtime budget.
    pause: Option<Time>,
    /// How long frames waited for it.
    pub waited: Duration,
}

impl<'c, 'a> LoopbackProbe<'c, 'a> {
    /// A probe whose first frame has this number.
    pub fn new(wanted: Wanted, first: u64, port_handler: &'c mut PortHandler<'a>) -> LoopbackProbe<'c, 'a> {
        LoopbackProbe {
            wanted,
            port_handler,
            times: Distribution::new(),
            failures: 0,
            number: first,
            in_flight: None,
            next: Time::ZERO,
            pause: None,
            waited: Duration::ZERO,
        }
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
            let at = transceiver.affords(now, transceiver.airtime_of(self.wanted.size.into()));
            if at > now {
                self.pause.get_or_insert(now);
                return AppPoll::Wait(at);
            }
            self.waited += self.pause.take().map_or(Duration::ZERO, |since| now.since(since));
            self.send(now, transceiver);
        }
        AppPoll::Wait(self.in_flight.as_ref().map_or(self.next, |(since, _)| *since + self.wanted.time_out))
    }
}
