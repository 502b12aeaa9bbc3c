//! Background traffic: messages of sources, passed to their stations' links as frames, without a serial line.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::ax25::machine::{Input, Output};
use sojourn_protocols::ax25::wire::{Body, Frame, Pid};

use super::event::{Event, Events};
use super::information::Information;
use super::port_settings::PortPlace;
use super::sources::source_of;
use super::world::Simulation;

/// How long a source waits before it requests its link again.
const RETRY: Duration = Duration::from_secs(10);

impl Simulation<'_, '_> {
    /// Starts all sources.
    pub(super) fn start_sources(&mut self, events: &mut Events) {
        for number in 0..self.sources.len() as u32 {
            let site = &self.site.sources[number as usize];
            let begin = Time::ZERO + site.process.1;
            if site.connected {
                events.at(begin, Event::Connect(number));
            } else {
                self.next_arrival(begin, number, events);
            }
        }
    }

    /// A source sends a message; it is dropped if the queue is full or there is no link.
    pub(super) fn arrival(&mut self, now: Time, number: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        if source.due != now {
            return;
        }
        source.due = Time::NEVER;
        source.pending = false;
        self.offer(now, number, events);
    }

    /// A message of a source is offered.
    pub(super) fn offer(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.sources[number as usize];
        let source = &mut self.sources[number as usize];
        let accepted = source.waiting < site.queue && (source.up || !site.connected);
        self.metrics.offered(site.number, accepted);
        if accepted {
            source.waiting += 1;
            let data = source.message(site.length);
            self.enqueue(now, number, data);
        }
        self.schedule_next(now, number, events);
        self.process_outputs(now, site.station, events);
    }

    /// Schedules the next arrival; in a closed loop, once there is room in the queue and a link.
    pub(super) fn schedule_next(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.sources[number as usize];
        let source = &self.sources[number as usize];
        let ready = source.waiting < site.queue && (source.up || !site.connected);
        if !source.pending && (ready || !site.arrivals.is_closed()) {
            self.next_arrival(now, number, events);
        }
    }

    fn enqueue(&mut self, now: Time, number: u32, data: Information) {
        let site = &self.site.sources[number as usize];
        let links = &mut self.stations[site.station as usize].ports[site.port as usize].links;
        match self.sources[number as usize].link {
            Some(link) => links.handle(now, Input::Send { link, pid: Pid::NONE, data }),
            None => links.handle(now, Input::SendUnnumbered { key: site.key, pid: Pid::NONE, data }),
        }
    }

    fn next_arrival(&mut self, after: Time, number: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        if source.silent != 0 {
            return;
        }
        if let Some(at) = source.process.next(after, &mut source.draws) {
            (source.pending, source.due) = (true, at);
            events.at(at, Event::Arrival(number));
        }
    }

    /// Requests a source's link.
    pub(super) fn connect(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.sources[number as usize];
        if self.sources[number as usize].link.is_some() || self.is_off(site.station) {
            return;
        }
        let links = &mut self.stations[site.station as usize].ports[site.port as usize].links;
        if links.link(&site.key).is_some() {
            events.at(now + RETRY, Event::Connect(number));
            return;
        }
        links.handle(now, Input::Connect { key: site.key });
        self.sources[number as usize].link = links.link(&site.key);
        self.process_outputs(now, site.station, events);
    }

    /// A frame has been transmitted: if a UI frame of a source, its message has left the queue.
    pub(super) fn ui_frame_sent(
        &mut self,
        now: Time,
        from: PortPlace,
        frame: &Frame<Information>,
        events: &mut Events,
    ) {
        let Body::Ui { data, .. } = &frame.body else { return };
        let Some(number) = source_of(data) else { return };
        let site = &self.site.sources[number as usize];
        if site.station == from.station {
            self.messages_done(now, number, 1, events);
        }
    }

    /// Messages of a source have left the queue.
    fn messages_done(&mut self, now: Time, number: u32, messages: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        source.waiting = source.waiting.saturating_sub(messages);
        self.schedule_next(now, number, events);
    }

    /// Handles an output of a link if it belongs to a source or delivers a source's message; else returns `false`.
    pub(super) fn on_source_output(
        &mut self,
        now: Time,
        station: u32,
        port: usize,
        output: &Output<Information>,
        events: &mut Events,
    ) -> bool {
        if self.sources.is_empty() {
            return false;
        }
        let link = match output {
            Output::Deliver { data, .. } | Output::Unnumbered { data, .. } => {
                let Some(number) = source_of(data) else { return false };
                let site = &self.site.sources[number as usize];
                if !(site.has_copies && self.sources[number as usize].is_copy(data)) {
                    self.metrics.delivered(site.number, data.length());
                }
                return true;
            }
            Output::Connected { link, .. }
            | Output::Acknowledged { link, .. }
            | Output::Reset { link, .. }
            | Output::Disconnected { link, .. } => *link,
            _ => return false,
        };
        let of_link = |number: &&u32| {
            let source = &self.sources[**number as usize];
            source.link == Some(link) && self.site.sources[**number as usize].port as usize == port
        };
        let Some(&number) = self.sources_of[station as usize].iter().find(of_link) else { return false };
        self.on_source_link(now, number, output, events);
        true
    }

    fn on_source_link(&mut self, now: Time, number: u32, output: &Output<Information>, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        match output {
            Output::Connected { .. } => {
                source.up = true;
                self.schedule_next(now, number, events);
            }
            Output::Acknowledged { frames, .. } => self.messages_done(now, number, u32::from(*frames), events),
            Output::Reset { lost, .. } => self.messages_done(now, number, *lost, events),
            Output::Disconnected { .. } => {
                (source.link, source.up, source.waiting) = (None, false, 0);
                events.at(now + RETRY, Event::Connect(number));
            }
            _ => {}
        }
    }
}
