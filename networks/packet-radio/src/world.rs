//! The simulation: media, stations and sources, and the handling of events.

use sojourn_core::{Machine, Streams, Time, rekey_fields};
use sojourn_engine::World;
use sojourn_protocols::ax25::machine::Output;

use super::capture::Capture;
use super::changes::Changes;
use super::convergence::converge;
use super::event::{Event, Events};
use super::information::Information;
use super::latency_budget::Component;
use super::media::{FrameInFlight, MediumState, schedule};
use super::medium::{AirFrame, ChannelEvent};
use super::metrics::Metrics;
use super::port_settings::PortPlace;
use super::processor::{Job, run_job};
use super::round_trip::RoundTrips;
use super::sessions::Sessions;
use super::site::Site;
use super::sources::Source;
use super::station::Station;
use sojourn_model::not_copied::NotCopied;
use sojourn_model::slab::Slab;

/// State of a replication.
#[derive(Clone)]
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) media: Vec<MediumState>,
    pub(super) stations: Vec<Station>,
    pub(super) sources: Vec<Source>,
    /// The sources of each station.
    pub(super) sources_of: Vec<Vec<u32>>,
    pub(super) sessions: Sessions,
    /// What the scenario's events have changed; none without events.
    pub(super) changes: Option<Box<Changes<'a>>>,
    pub(super) frames_in_flight: Slab<FrameInFlight>,
    pub(super) round_trips: RoundTrips,
    pub(super) metrics: Metrics,
    pub(super) capture: NotCopied<Capture<'c>>,
    /// The frames of the burst that is being loaded.
    pub(super) burst: Vec<AirFrame>,
    /// Scratch: members that a carrier change is signalled to.
    pub(super) watchers: Vec<u32>,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// The initial state of a site.
    pub fn new(
        site: &'a Site,
        streams: &Streams,
        round_trips: RoundTrips,
        metrics: Metrics,
        capture: Option<Capture<'c>>,
    ) -> Self {
        let stations = (0..site.stations.len())
            .map(|index| Station::new(site, index, [Time::ZERO, metrics.from()], streams))
            .collect();
        let mut sources_of = vec![Vec::new(); site.stations.len()];
        for (number, source) in (0..).zip(&site.sources) {
            sources_of[source.station as usize].push(number);
        }
        Simulation {
            site,
            media: (0..site.media.len()).map(|index| MediumState::new(site, index, streams)).collect(),
            stations,
            sources: (0..site.sources.len()).map(|index| Source::new(site, index, streams)).collect(),
            sources_of,
            sessions: Sessions::new(site, streams),
            changes: None,
            frames_in_flight: Slab::new(),
            round_trips: round_trips.with_sessions(site.sessions.len()),
            metrics,
            capture: NotCopied::new(capture),
            burst: Vec::new(),
            watchers: Vec::new(),
        }
    }

    /// Starts all stations and sources.
    pub fn start(&mut self, events: &mut Events) {
        converge(self.site, &mut self.stations);
        for station in 0..self.stations.len() as u32 {
            if self.is_off(station) {
                continue;
            }
            let (kind, mut context) = self.stations[station as usize].parts(Time::ZERO, &mut self.round_trips);
            kind.start(&mut context);
            self.process_outputs(Time::ZERO, station, events);
        }
        self.start_sources(events);
        self.start_sessions(events);
    }

    fn wake(&mut self, now: Time, station: u32, events: &mut Events) {
        let state = &mut self.stations[station as usize];
        if state.scheduled == now {
            state.scheduled = Time::NEVER;
        }
        while let Some((job, began)) = self.stations[station as usize].cpu.complete(now) {
            account_job(&mut self.round_trips, &job, began, now);
            let place = PortPlace { station, port: job.port() };
            if run_job(now, job, &mut self.stations[station as usize].ports) {
                self.request_channel(now, place, events);
            }
        }
        let state = &mut self.stations[station as usize];
        for port in &mut state.ports {
            if port.links.next_wakeup().is_some_and(|due| due <= now) {
                port.links.wake(now);
            }
        }
        let (kind, mut context) = state.parts(now, &mut self.round_trips);
        kind.wake(&mut context);
        self.process_outputs(now, station, events);
    }

    /// Processes the outputs of a station's links until there are none, and schedules its next wake-up.
    pub(super) fn process_outputs(&mut self, now: Time, station: u32, events: &mut Events) {
        loop {
            let mut progressed = false;
            for port in 0..self.stations[station as usize].ports.len() {
                while let Some(output) = self.stations[station as usize].ports[port].links.poll_output() {
                    progressed = true;
                    self.on_output(now, station, port, output, events);
                }
            }
            if !progressed {
                break;
            }
        }
        let state = &mut self.stations[station as usize];
        let next = state.next_wakeup();
        if next < state.scheduled {
            state.scheduled = next;
            events.at(next, Event::Wake(station));
        }
    }

    fn on_output(&mut self, now: Time, station: u32, port: usize, output: Output<Information>, events: &mut Events) {
        match output {
            Output::SeizeRequest => {
                self.stations[station as usize].ports[port].asked = now;
                self.request_channel(now, PortPlace { station, port: port as u32 }, events);
            }
            Output::Transmit { frame, purpose, .. } => {
                let frame = self.stations[station as usize].ports[port].outgoing(frame);
                self.add_to_burst(now, station, port, frame, Some(purpose));
            }
            output => {
                if let Output::Deliver { data, .. } = &output {
                    self.round_trips.delivered(now, station, data);
                }
                let taken = self.on_source_output(now, station, port, &output, events)
                    || self.on_session_output(now, station, port, &output, events);
                if !taken {
                    let (kind, mut context) = self.stations[station as usize].parts(now, &mut self.round_trips);
                    kind.on_link_output(&mut context, port, output);
                }
            }
        }
    }

    /// Handles all events of a medium that are due.
    fn medium_due(&mut self, now: Time, medium: u32, events: &mut Events) {
        let medium_state = &mut self.media[medium as usize];
        if medium_state.scheduled == now {
            medium_state.scheduled = Time::NEVER;
        }
        while self.media[medium as usize].channel.next_event() == now {
            let Some(event) = self.media[medium as usize].channel.handle(now) else { continue };
            match event {
                ChannelEvent::Load { member } => self.load_burst(now, medium, member, events),
                ChannelEvent::Keyed { member } => self.keyed(now, medium, member, events),
                ChannelEvent::Ended { member, tag, start } => self.frame_ended(now, medium, member, tag, start, events),
                ChannelEvent::Unkeyed { member } => self.unkeyed(now, medium, member, events),
                ChannelEvent::Carrier { group, detected } => self.carrier(now, medium, group, detected, events),
            }
        }
        if let Some(changes) = &mut self.changes {
            changes.busy(now, medium, self.media[medium as usize].channel.is_on_air());
        }
        schedule(&mut self.media[medium as usize], medium, events);
    }

    /// A port requests its medium.
    pub(super) fn request_channel(&mut self, now: Time, place: PortPlace, events: &mut Events) {
        let site = self.stations[place.station as usize].ports[place.port as usize].site;
        let medium_state = &mut self.media[site.medium as usize];
        medium_state.channel.request(now, site.member);
        schedule(medium_state, site.medium, events);
    }

    /// The port of a member.
    pub(super) fn place(&self, medium: u32, member: u32) -> PortPlace {
        self.site.media[medium as usize].members[member as usize]
    }
}

/// Accounts the CPU time of a job, and its wait in the queue.
fn account_job(round_trips: &mut RoundTrips, job: &Job, began: Time, now: Time) {
    if let Some(information) = job.information() {
        round_trips.account_if(Component::Queues, information, began);
        round_trips.account_if(Component::Processors, information, now);
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn is_finished(&self) -> bool {
        self.round_trips.is_finished()
    }

    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Medium(medium) => self.medium_due(now, medium, events),
            Event::Wake(station) => self.wake(now, station, events),
            Event::Connect(source) => self.connect(now, source, events),
            Event::Arrival(source) => self.arrival(now, source, events),
            Event::SessionArrival(session) => self.session_arrival(now, session, events),
            Event::Session(session) => self.wake_session(now, session, events),
            Event::Step(step) => self.step(now, step, events),
        }
        if self.changes.is_some() {
            self.observe_round_trips();
        }
    }

    fn end_warm_up(&mut self, now: Time, _events: &mut Events) {
        self.metrics.end_warm_up();
        self.media.iter_mut().for_each(|medium| medium.channel.reset_tally(now));
        self.stations.iter_mut().for_each(|station| station.cpu.end_warm_up(now));
    }
}

rekey_fields!(Simulation<'_, '_> { media, sources, sessions });
