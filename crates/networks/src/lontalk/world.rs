//! The simulation: media, stations and sources, and what each event does to them.
//!
//! | file | concern |
//! |---|---|
//! | `sending` | from an application to the queue of a medium |
//! | `access` | the media: transmissions begin and end |
//! | `hearing` | who hears a packet, and what that costs |
//! | `receiving` | from a medium to an application |
//! | `traffic` | when applications send |
//! | `measure` | what is observed |
//! | `foresight` | what the next events will need |
//!
//! A packet runs through more code than a processor's nearest memory holds. What few packets meet is therefore marked
//! cold, or is a function of its own, here and in the machine: so the code that all run through lies together.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::{Queue, World};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Node, Output};

use super::budget::{Component, LatencyBudget};
use super::capture::Tap;
use super::installation::Plan;
use super::medium::{Conditions, Medium, PortSettings};
use super::metrics::Measure;
use super::receivers::{Intake, Listeners};
use super::site::{MediumSettings, Role, Site};
use super::slab::{NONE, Slab};
use super::sources::Source;
use super::station::{Frame, Message, PortQueues, Station, Work};

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A medium is due: a transmission begins, or the channel falls silent.
    Medium(u16),
    /// A source may begin a message.
    Fire(u32),
    /// The application has built a message.
    Built(u32),
    /// The network processor has formed a packet.
    Formed(u32),
    /// The network processor has dealt with a packet received.
    Processed(u32),
    /// The application has acted on a message.
    Acted(u32),
    /// A machine's timer is due.
    Wake(u32),
    /// The warm-up is over.
    WarmedUp,
}

/// What the simulation schedules on.
pub type Events = Queue<Event>;

/// A medium, who is on it, and when it is due.
#[derive(Debug)]
pub struct Segment {
    /// Its access.
    pub medium: Medium,
    /// Ports of the simulation on the medium.
    pub ports: Vec<u32>,
    /// Stations that only listen.
    pub listeners: Listeners,
    /// Stations on several media.
    pub routers: Vec<u32>,
    /// Whether any of them passes everything on.
    pub repeated: bool,
    /// Correct packets since the warm-up that answer others.
    pub answers: u64,
    /// The instant its last event was scheduled for.
    pub scheduled: Time,
}

/// A LonTalk site as it runs.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) plan: &'a Plan,
    pub(super) segments: Vec<Segment>,
    pub(super) stations: Vec<Station<'a>>,
    pub(super) ports: Vec<PortQueues>,
    pub(super) sources: Vec<Source>,
    pub(super) frames: Slab<Frame>,
    pub(super) messages: Slab<Message>,
    pub(super) trips: Slab<LatencyBudget>,
    pub(super) measure: Measure,
    pub(super) capture: Option<Tap<'c>>,
    pub(super) streams: Streams,
    pub(super) mark: u32,
    /// Scratch: receivers found.
    pub(super) receivers: Vec<u32>,
    /// What the machine that speaks has asked for and has not been given yet.
    pub(super) outputs: VecDeque<Output<StreamRange>>,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// A site at rest, with its first events scheduled.
    pub fn new(site: &'a Site, plan: &'a Plan, streams: Streams, measure: Measure, events: &mut Events) -> Self {
        let mut kinds: Vec<Arc<Conditions>> = Vec::new();
        let segments = site.media.iter().map(|settings| {
            let noise = streams.stream(&format!("medium/{}/noise", settings.name));
            Segment {
                medium: Medium::new(conditions(settings, &mut kinds), noise),
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
            plan,
            segments: segments.collect(),
            stations: Vec::with_capacity(site.stations.len()),
            ports: Vec::with_capacity(site.stations.len()),
            sources: Vec::new(),
            frames: Slab::new(),
            messages: Slab::new(),
            trips: Slab::new(),
            measure,
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
        self.capture = sink.map(|sink| Tap::new(sink, &streams));
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
            let intake = Intake::new(&settings.class, admitted);
            self.stations.push(Station { class: &settings.class, work: None, intake, first_port, ports });
            if !admitted {
                self.enter_alone(index as u32);
            }
        }
    }

    /// What `station` holds, which has had something to do.
    #[inline]
    pub(super) fn work(&mut self, station: u32) -> &mut Work {
        let Some(work) = &mut self.stations[station as usize].work else { unreachable!("it has had nothing to do") };
        work
    }

    /// Sees to it that `station` holds what it needs to do something.
    #[inline]
    pub(super) fn set_to_work(&mut self, station: u32) {
        if self.stations[station as usize].work.is_none() {
            self.equip(station);
        }
    }

    #[cold]
    fn equip(&mut self, station: u32) {
        let name = self.site.stations[station as usize].name();
        let node = Node::new(self.plan.nodes[station as usize].clone());
        let jitter = self.streams.stream(&format!("station/{name}/application"));
        let state = &mut self.stations[station as usize];
        state.work = Some(Box::new(Work::new(node, jitter)));
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

    /// Schedules `segment` for when its medium is due, unless that is done.
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

    /// Frees a frame and its trip; its message too, if nothing else of it is left.
    pub(super) fn release(&mut self, frame: u32) {
        let Frame { message, trip, .. } = self.frames.remove(frame);
        self.forget_trip(trip);
        if message != NONE {
            self.messages[message].copies -= 1;
            self.settle_message(message);
        }
    }

    /// Stores a frame as one more copy of its message.
    pub(super) fn insert_frame(&mut self, frame: Frame) -> u32 {
        if frame.message != NONE {
            self.messages[frame.message].copies += 1;
        }
        self.frames.insert(frame)
    }

    /// A copy of a trip; none of none.
    #[inline]
    pub(super) fn clone_trip(&mut self, trip: u32) -> u32 {
        if trip == NONE { NONE } else { self.start_trip(self.trips[trip]) }
    }

    /// A trip of a probe, as few messages are, or of one copy more of it.
    #[cold]
    #[inline(never)]
    pub(super) fn start_trip(&mut self, trip: LatencyBudget) -> u32 {
        self.trips.insert(trip)
    }

    /// Forgets a trip, if there is one.
    #[inline]
    pub(super) fn forget_trip(&mut self, trip: u32) {
        if trip != NONE {
            self.end_trip(trip);
        }
    }

    #[cold]
    #[inline(never)]
    fn end_trip(&mut self, trip: u32) {
        self.trips.remove(trip);
    }

    /// Charges a trip, if there is one.
    #[inline]
    pub(super) fn account(&mut self, trip: u32, component: Component, until: Time) {
        if trip != NONE {
            self.charge_trip(trip, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn charge_trip(&mut self, trip: u32, component: Component, until: Time) {
        self.trips[trip].account(component, until);
    }

    /// The observations up to `end`.
    pub fn finish(mut self, end: Time) -> sojourn_metrics::record::Record {
        self.segments.iter_mut().for_each(|segment| segment.medium.settle_all(end));
        self.check_conservation();
        super::metrics::record(&self, end)
    }

    #[cold]
    fn warmed_up(&mut self, now: Time) {
        for segment in &mut self.segments {
            segment.medium.reset_tally(now);
            segment.answers = 0;
        }
        self.measure.begin(now);
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
            Event::Acted(frame) => self.acted(now, frame, events),
            Event::Wake(station) => self.wake(now, station, events),
            Event::WarmedUp => self.warmed_up(now),
        }
    }
}

/// What holds on a medium, shared with those of its kind before it.
fn conditions(settings: &MediumSettings, kinds: &mut Vec<Arc<Conditions>>) -> Arc<Conditions> {
    let same = |kind: &&Arc<Conditions>| kind.channel == settings.channel && kind.rule == settings.backlog_rule;
    if let Some(kind) = kinds.iter().find(same) {
        return Arc::clone(kind);
    }
    let kind = Arc::new(Conditions::new(settings.channel.clone(), settings.backlog_rule));
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
