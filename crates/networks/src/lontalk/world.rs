//! The simulation: media, stations and sources, and the handling of events.
//!
//! | file | concern |
//! |---|---|
//! | `sources` | when applications send |
//! | `send` | from an application to the queue of a port |
//! | `access` | media access: transmissions begin and end |
//! | `receivers` | the receivers of a packet; discarding by others |
//! | `receive` | from a medium to an application |
//! | `metrics` | metrics of a replication |
//! | `prefetch` | memory prefetch of upcoming events |
//!
//! The code of a packet exceeds the instruction cache. Rare paths are therefore marked cold, or are functions of their own,
//! here and in the protocol machine, so that the common path is contiguous.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::World;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Node, Output};

use super::capture::Capture;
use super::event::{Event, Events};
use super::installation::Installation;
use super::latency_budget::{Component, LatencyBudget};
use super::medium::{Medium, Parameters, PortSettings};
use super::metrics::Metrics;
use super::receivers::{Listeners, ReceiveQueue};
use super::site::{MediumSettings, Role, Site};
use super::slab::{NONE, Slab};
use super::sources::Source;
use super::station::{ActiveState, Frame, Message, PortQueues, Station};

/// A medium, its stations, and its scheduled event.
#[derive(Debug)]
pub struct Segment {
    /// Medium access.
    pub medium: Medium,
    /// Ports of the simulation on the medium.
    pub ports: Vec<u32>,
    /// Idle stations.
    pub listeners: Listeners,
    /// Stations on several media.
    pub routers: Vec<u32>,
    /// Whether any of them is a repeater.
    pub repeated: bool,
    /// Correct acknowledgements, responses, challenges and replies since the warm-up.
    pub answers: u64,
    /// When its next event is scheduled.
    pub scheduled: Time,
}

/// State of a replication.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) installation: &'a Installation,
    pub(super) segments: Vec<Segment>,
    pub(super) stations: Vec<Station<'a>>,
    pub(super) ports: Vec<PortQueues>,
    pub(super) sources: Vec<Source>,
    pub(super) frames: Slab<Frame>,
    pub(super) messages: Slab<Message>,
    pub(super) budgets: Slab<LatencyBudget>,
    pub(super) metrics: Metrics,
    pub(super) capture: Option<Capture<'c>>,
    pub(super) streams: Streams,
    pub(super) mark: u32,
    /// Scratch: receivers found.
    pub(super) receivers: Vec<u32>,
    /// Scratch: outputs of the running protocol machine.
    pub(super) outputs: VecDeque<Output<StreamRange>>,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// The initial state of a site, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        installation: &'a Installation,
        streams: Streams,
        metrics: Metrics,
        events: &mut Events,
    ) -> Self {
        let mut kinds: Vec<Arc<Parameters>> = Vec::new();
        let segments = site.media.iter().map(|settings| {
            let noise = streams.stream(&format!("medium/{}/noise", settings.name));
            Segment {
                medium: Medium::new(parameters(settings, &mut kinds), noise),
                ports: Vec::new(),
                listeners: Listeners::default(),
                routers: Vec::new(),
                answers: 0,
                repeated: false,
                scheduled: Time::NEVER,
            }
        });
        let mut simulation = Simulation {
            site,
            installation,
            segments: segments.collect(),
            stations: Vec::with_capacity(site.stations.len()),
            ports: Vec::with_capacity(site.stations.len()),
            sources: Vec::new(),
            frames: Slab::new(),
            messages: Slab::new(),
            budgets: Slab::new(),
            metrics,
            capture: None,
            streams,
            mark: 0,
            receivers: Vec::new(),
            outputs: VecDeque::new(),
        };
        simulation.place_stations();
        simulation.start_sources(events);
        simulation
    }

    /// Sends every correct packet to `sink`.
    pub fn capture_to(&mut self, sink: Option<&'c mut dyn FrameSink>) {
        let streams = self.streams;
        self.capture = sink.map(|sink| Capture::new(sink, &streams));
    }

    fn place_stations(&mut self) {
        for (index, settings) in self.site.stations.iter().enumerate() {
            let first_port = self.ports.len() as u32;
            for &medium in settings.on() {
                let segment = &mut self.segments[usize::from(medium)];
                segment.medium.enter();
                segment.ports.push(self.ports.len() as u32);
                self.ports.push(PortQueues { station: index as u32, medium, port: NONE, head: NONE, queues: None });
                if settings.on().len() > 1 {
                    segment.routers.push(index as u32);
                    segment.repeated |= settings.class.role == Role::Repeater;
                }
            }
            let home = &mut self.segments[usize::from(settings.on()[0])];
            let admitted = settings.on().len() == 1 && home.listeners.admit(settings.class.costs.discard);
            let ports = settings.on().len() as u8;
            let receive_queue = ReceiveQueue::new(&settings.class, admitted);
            self.stations.push(Station { class: &settings.class, active: None, receive_queue, first_port, ports });
            if !admitted {
                self.add_exclusive(index as u32);
            }
        }
    }

    /// The state of `station`, which must be active.
    #[inline]
    pub(super) fn active(&mut self, station: u32) -> &mut ActiveState {
        let Some(active) = &mut self.stations[station as usize].active else { unreachable!("an inactive station") };
        active
    }

    /// Activates `station` if it is not active.
    #[inline]
    pub(super) fn activate(&mut self, station: u32) {
        if self.stations[station as usize].active.is_none() {
            self.activate_station(station);
        }
    }

    #[cold]
    fn activate_station(&mut self, station: u32) {
        let name = self.site.stations[station as usize].name();
        let node = Node::new(self.installation.nodes[station as usize].clone());
        let jitter = self.streams.stream(&format!("station/{name}/application"));
        let state = &mut self.stations[station as usize];
        state.active = Some(Box::new(ActiveState::new(node, jitter)));
        let ports = state.first_port..state.first_port + u32::from(state.ports);
        let (class, alone) = (state.class, ports.len() == 1);
        for port in ports {
            let segment = usize::from(self.ports[port as usize].medium);
            let settings = &self.site.media[segment];
            let stream = if alone {
                format!("station/{name}/backoff")
            } else {
                format!("station/{name}/{}/backoff", settings.name)
            };
            self.ports[port as usize].port = self.segments[segment].medium.attach(PortSettings {
                owner: port,
                priority_slot: class.priority_slot,
                collision_detection: class.collision_detection,
                stream: self.streams.stream(&stream),
                skew: skew(settings.channel.skew, &self.streams, &name),
            });
        }
    }

    /// Schedules the next event of `segment`, unless it is scheduled.
    #[inline]
    pub(super) fn schedule_medium(&mut self, segment: usize, events: &mut Events) {
        let Segment { medium, scheduled, .. } = &mut self.segments[segment];
        let due = medium.next_event();
        if due != *scheduled {
            *scheduled = due;
            if due != Time::NEVER {
                events.at(due, Event::Medium(segment as u16));
            }
        }
    }

    /// Removes a frame and its budget, and its message if nothing else of it is left.
    pub(super) fn release(&mut self, frame: u32) {
        let Frame { message, budget, .. } = self.frames.remove(frame);
        self.remove_budget(budget);
        if message != NONE {
            self.messages[message].copies -= 1;
            self.remove_if_done(message);
        }
    }

    /// Stores a frame as a copy of its message.
    pub(super) fn insert_frame(&mut self, frame: Frame) -> u32 {
        if frame.message != NONE {
            self.messages[frame.message].copies += 1;
        }
        self.frames.insert(frame)
    }

    /// Copies a budget, if there is one.
    #[inline]
    pub(super) fn clone_budget(&mut self, budget: u32) -> u32 {
        if budget == NONE { NONE } else { self.start_budget(self.budgets[budget]) }
    }

    /// Stores the budget of a probe or of a copy of it.
    #[cold]
    #[inline(never)]
    pub(super) fn start_budget(&mut self, budget: LatencyBudget) -> u32 {
        self.budgets.insert(budget)
    }

    /// Removes a budget, if there is one.
    #[inline]
    pub(super) fn remove_budget(&mut self, budget: u32) {
        if budget != NONE {
            self.remove_probe_budget(budget);
        }
    }

    #[cold]
    #[inline(never)]
    fn remove_probe_budget(&mut self, budget: u32) {
        self.budgets.remove(budget);
    }

    /// Accounts time to a budget, if there is one.
    #[inline]
    pub(super) fn account(&mut self, budget: u32, component: Component, until: Time) {
        if budget != NONE {
            self.account_probe(budget, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn account_probe(&mut self, budget: u32, component: Component, until: Time) {
        self.budgets[budget].account(component, until);
    }

    /// The record of a replication that ended at `end`.
    pub fn finish(mut self, end: Time) -> sojourn_metrics::record::Record {
        self.segments.iter_mut().for_each(|segment| segment.medium.settle_all(end));
        self.check_conservation();
        super::metrics::record(&self, end)
    }

    #[cold]
    fn warmed_up(&mut self, now: Time) {
        for segment in &mut self.segments {
            segment.medium.reset_counters(now);
            segment.answers = 0;
        }
        self.metrics.end_warm_up();
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn prefetch(&self, event: Event) {
        self.prefetch_for(event);
    }

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Medium(segment) => self.medium_due(now, usize::from(segment), events),
            Event::Fire(source) => self.fire(now, source, events),
            Event::Built(message) => self.built(now, message, events),
            Event::Formed(frame) => self.formed(now, frame, events),
            Event::Processed(frame) => self.processed(now, frame, events),
            Event::Handled(frame) => self.handled(now, frame, events),
            Event::Wake(station) => self.wake(now, station, events),
            Event::WarmedUp => self.warmed_up(now),
        }
    }
}

/// Parameters of a medium, shared with earlier media of the same type.
fn parameters(settings: &MediumSettings, kinds: &mut Vec<Arc<Parameters>>) -> Arc<Parameters> {
    let same = |kind: &&Arc<Parameters>| kind.channel == settings.channel && kind.rule == settings.backlog_rule;
    if let Some(kind) = kinds.iter().find(same) {
        return Arc::clone(kind);
    }
    let kind = Arc::new(Parameters::new(settings.channel.clone(), settings.backlog_rule));
    kinds.push(Arc::clone(&kind));
    kind
}

fn skew(largest: Duration, streams: &Streams, station: &str) -> Duration {
    if largest == Duration::ZERO {
        return Duration::ZERO;
    }
    let share = streams.stream(&format!("station/{station}/skew")).unit();
    Duration::from_picoseconds((largest.picoseconds() as f64 * share) as u64)
}
