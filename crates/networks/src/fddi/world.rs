//! The simulation: rings, hosts and streams, and what each event does to them.
//!
//! | file | concern |
//! |---|---|
//! | `users` | what the users of streams do: exchanges, streams, voice, messages |
//! | `sending` | from a write to the queue of a ring |
//! | `media` | the rings: frames begin and end, routers pass them on |
//! | `receiving` | from a ring to a user |
//! | `transport` | the XTP machine of a host |
//! | `measure` | what is observed |

use std::collections::BTreeMap;

use sojourn_core::{Duration, Stream as Random, Streams, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::{World, sample};
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::{ContextId, Endpoint, Limits};

use super::capture::Tap;
use super::event::{Event, Events};
use super::frame::{Destination, Frame};
use super::job::Job;
use super::metrics::Metrics;
use super::receiving::Delivery;
use super::ring::Ring;
use super::routes::Routes;
use super::site::{Flow, Host, Probe, Site};
use super::stream::Stream;
use crate::common::cpu::{Cpu, TimerInterrupts};
use crate::common::slab::Slab;

/// Which of a replication's runs this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The probed voice writes, and writes again when the answer is there.
    Exchange,
    /// The probed voice writes as much as goes.
    Stream,
    /// All channels of the probed voice run in real time.
    Paced,
    /// No voice is probed.
    Steady,
}

/// A ring as it runs.
pub struct RingState {
    /// Its medium access.
    pub ring: Ring,
    /// The instant its last event was scheduled for.
    pub scheduled: Time,
    /// When the last frame of each MAC ended.
    pub last_end: Vec<Time>,
    /// Draws which frames are corrupted.
    pub noise: Random,
    /// Draws when the token is lost.
    pub losses: Random,
}

/// A host as it runs.
pub struct HostState<'a> {
    /// What it is.
    pub settings: &'a Host,
    /// Its processor.
    pub cpu: Cpu<Job>,
    /// When its adapter is free to copy out of the host.
    pub copying_out: Time,
    /// When its adapter is free to copy into the host.
    pub copying_in: Time,
    /// When it may forward the next packet.
    pub forwards: Time,
    /// Its XTP.
    pub endpoint: Endpoint<StreamRange, Destination>,
    /// The instant its XTP was scheduled to wake.
    pub scheduled: Time,
    /// The streams it writes, by context.
    pub contexts: BTreeMap<ContextId, u32>,
}

/// A probed exchange.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The stream that asks; the next one answers.
    pub stream: u32,
    /// How many have begun.
    pub number: u64,
    /// When this one began.
    pub started: Time,
    /// Latency budget of the forward direction, once delivered.
    pub there: Option<super::latency_budget::Components>,
    /// Number of the answer among those of the answering stream.
    pub answer: Option<u64>,
}

/// An FDDI site as it runs.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) routes: &'a Routes,
    pub(super) mode: Mode,
    pub(super) rings: Vec<RingState>,
    pub(super) hosts: Vec<HostState<'a>>,
    pub(super) streams: Vec<Stream>,
    /// Streams that write after each write of a flow's.
    pub(super) followers: Vec<(u16, u32)>,
    pub(super) loads: Vec<(Process, Random)>,
    pub(super) frames: Slab<Frame>,
    /// Data that waits for its acknowledgement to be sent.
    pub(super) late: Slab<Delivery>,
    pub(super) exchange: Option<Exchange>,
    pub(super) metrics: Metrics,
    pub(super) capture: Option<Tap<'c>>,
    /// Draws which packets are not acknowledged.
    pub(super) impair: Random,
    pub(super) finished: bool,
    pub(super) scratch: super::transport::Scratch,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// A site at rest, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        routes: &'a Routes,
        mode: Mode,
        streams: &Streams,
        metrics: Metrics,
        capture: Option<Tap<'c>>,
        events: &mut Events,
    ) -> Self {
        let observed = site.probe.map(|probe| site.flows[usize::from(probe.flow)].from);
        let rings = site.rings.iter().enumerate().map(|(index, settings)| {
            let mut ring = Ring::new(settings.settings.clone());
            // the rotation is observed where probed voice is sent, or at the first station
            let port = observed.map(|host| site.hosts[host as usize].ports[0]);
            ring.observe(port.filter(|port| usize::from(port.ring) == index).map_or(0, |port| port.mac));
            RingState {
                ring,
                scheduled: Time::NEVER,
                last_end: vec![Time::ZERO; settings.owners.len()],
                noise: streams.stream(&format!("ring/{}/noise", settings.name)),
                losses: streams.stream(&format!("ring/{}/token-loss", settings.name)),
            }
        });
        let hosts = site.hosts.iter().map(|settings| HostState {
            settings,
            cpu: Cpu::new(interrupts(settings, streams)),
            copying_out: Time::ZERO,
            copying_in: Time::ZERO,
            forwards: Time::ZERO,
            endpoint: Endpoint::new(Limits {
                contexts: u32::MAX,
                packets_in_flight: settings.hands_over_singly.then_some(1),
                ..Limits::default()
            }),
            scheduled: Time::NEVER,
            contexts: BTreeMap::new(),
        });
        let mut simulation = Simulation {
            site,
            routes,
            mode,
            rings: rings.collect(),
            hosts: hosts.collect(),
            streams: Vec::new(),
            followers: Vec::new(),
            loads: Vec::new(),
            frames: Slab::new(),
            late: Slab::new(),
            exchange: None,
            metrics,
            capture,
            impair: streams.stream("impairment/unacknowledged"),
            finished: false,
            scratch: super::transport::Scratch::default(),
        };
        simulation.start_rings(events);
        simulation.start_loads(streams, events);
        simulation.start_streams(streams, events);
        simulation
    }

    /// The probe, where voice is probed.
    pub(super) fn probe(&self) -> Option<&'a Probe> {
        self.site.probe.as_ref()
    }

    pub(super) fn flow(&self, stream: u32) -> &'a Flow {
        &self.site.flows[usize::from(self.streams[stream as usize].flow)]
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn is_finished(&self) -> bool {
        self.finished
    }

    fn end_warm_up(&mut self, now: Time, events: &mut Events) {
        self.rings.iter_mut().for_each(|state| state.ring.reset(now));
        self.hosts.iter_mut().for_each(|host| host.cpu.end_warm_up(now));
        self.metrics.end_warm_up();
        self.start_probe(now, events);
    }

    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Ring(ring) => self.ring_due(now, ring, events),
            Event::LoseToken(ring) => self.lose_token(now, ring, events),
            Event::Processor(host) => self.processor_done(now, host, events),
            Event::Offer(frame) => self.offer(now, frame, events),
            Event::Received(frame) => self.received(now, frame, events),
            Event::Forward(frame) => self.forward(now, frame, events),
            Event::Wake(host) => self.wake(now, host, events),
            Event::Load(load) => self.load(now, load, events),
            Event::Arrival(stream) => self.arrival(now, stream, events),
            Event::Filled(stream) => self.filled(now, stream, events),
            Event::Overdue(number) => self.overdue(now, number, events),
        }
    }
}

/// A host's timer, at a random moment of its interval.
fn interrupts(host: &Host, streams: &Streams) -> TimerInterrupts {
    let mut phase = streams.stream(&format!("station/{}/timer", host.name));
    let first = Time::ZERO + sample::uniform(&mut phase, host.timer_interval);
    TimerInterrupts { first, interval: host.timer_interval, cost: host.costs.timer_interrupt }
}

/// How long an exchange may take.
pub(super) const EXCHANGE_LIMIT: Duration = Duration::from_secs(5);
