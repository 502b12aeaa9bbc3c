//! Applications: messages are sent when their source is due, and completed at the sender.

use sojourn_core::Time;

use super::event::{Event, Events};
use super::latency_budget::{Component, LatencyBudget};
use super::message::Message;
use super::site::{Generator, MessageKind};
use super::slab::NONE;
use super::sources::Source;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// Creates the sources of all flows and schedules their first messages.
    pub(super) fn start_sources(&mut self, events: &mut Events) {
        let site = self.site;
        let mut firsts = Vec::new();
        for (number, flow) in site.flows.iter().enumerate() {
            for (place, &station) in flow.from.iter().enumerate() {
                let name = site.stations[station].name();
                let stream = self.streams.stream(&format!("flow/{}/{name}/arrivals", flow.name));
                let recipients = self.nodes.installation.recipients(flow, place);
                let mut source = Source::new(number as u16, flow, place, recipients, stream);
                let first = source.first(flow);
                self.sources.push(source);
                firsts.extend(first.map(|first| (first, self.sources.len() as u32 - 1)));
            }
        }
        self.start_timeline(events);
        firsts.into_iter().for_each(|(first, source)| self.schedule_fire(first, source, events));
    }

    /// A source's next message is due.
    #[inline(never)]
    pub(super) fn fire(&mut self, now: Time, place: u32, events: &mut Events) {
        if self.changes.as_mut().is_some_and(|changes| !changes.sources.fires(now, place)) {
            return;
        }
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        let closed_loop = source.is_closed_loop();
        let size = source.size(flow);
        let at_once = match flow.generator {
            Generator::Open => u32::MAX,
            Generator::Buffered => self.nodes[source.station].class.buffers.open_messages(flow.service, flow.priority),
            Generator::Queued | Generator::Closed => 1,
        };
        let waits = source.open >= at_once;
        if waits && !closed_loop {
            match flow.generator {
                Generator::Queued => source.queue(size),
                _ => self.metrics.missed(source.flow),
            }
        }
        if !closed_loop && let Some(next) = source.next(now) {
            self.schedule_fire(next, place, events);
        }
        if !waits {
            self.begin(now, place, size, events);
        }
    }

    /// An application sends a message.
    pub(super) fn begin(&mut self, now: Time, place: u32, data: u16, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        source.open += 1;
        source.number = source.number.wrapping_add(1);
        let (station, number, point) = (source.station, source.number, source.point(now));
        let recipient = &source.recipients[point as usize];
        let receivers = self.nodes.installation.receivers(recipient, station);
        let counted = self.metrics.offered(source.flow);
        let costs = &self.nodes[station].class.costs;
        let copied = if flow.message == MessageKind::Explicit { u64::from(data) } else { 0 };
        let cost = costs.send_call + costs.application_copy.times(copied);
        let budget = if flow.probe { self.in_flight.start_budget(LatencyBudget::new(now)) } else { NONE };
        if flow.probe && self.changes.is_some() {
            self.probe_sent(now, receivers);
        }
        self.nodes.activate(station, &mut self.access);
        let (start, done) = self.nodes.active(station).application.serve(now, cost);
        self.in_flight.account(budget, Component::Queues, start);
        self.in_flight.account(budget, Component::SenderApplication, done);
        let message = self.in_flight.messages.insert(Message {
            source: place,
            started: now,
            data,
            copies: 0,
            handled: 0,
            receivers,
            budget,
            closed: false,
            failed: false,
            counted,
            number,
            point,
            behind: NONE,
        });
        events.at(done, Event::Built(message));
    }

    /// Whether a message was sent by `station`.
    pub(super) fn is_sender(&self, station: u32, message: u32) -> bool {
        message != NONE && self.sources[self.in_flight.messages[message].source as usize].station == station
    }

    /// A message is complete at its sender.
    pub(super) fn close(&mut self, now: Time, place: u32, success: bool, retries: u8, events: &mut Events) {
        let message = &mut self.in_flight.messages[place];
        let from = message.source;
        message.closed = true;
        if !success && message.handled == 0 {
            message.failed = true;
        }
        let message = *message;
        let source = &mut self.sources[from as usize];
        source.open -= 1;
        let (flow_number, station) = (source.flow, source.station);
        let flow = &self.site.flows[usize::from(flow_number)];
        if let Some(begun) = source.end_round() {
            self.metrics.round_ended(now, flow_number, begun);
        }
        if message.counted {
            self.metrics.ended(flow_number, now - message.started, success, retries);
        }
        self.in_flight.remove_if_done(place, &self.sources, &mut self.metrics);
        let source = &mut self.sources[from as usize];
        if let Some(size) = source.take_queued() {
            self.begin(now, from, size, events);
        } else if source.is_closed_loop()
            && source.open == 0
            && let Some(next) = source.next(now)
        {
            self.schedule_fire(next.max(now), from, events);
        }
        self.send_waiting(now, station, usize::from(flow.priority), events);
    }
}
