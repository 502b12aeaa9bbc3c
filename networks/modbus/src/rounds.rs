//! Rounds: a client asks for one thing after the other, and begins anew.

use sojourn_core::Time;
use sojourn_protocols::modbus::BROADCAST;
use sojourn_protocols::modbus::machine::{Order, Outcome};

use super::event::{Event, Events};
use super::latency_budget::{Component, LatencyBudget};
use super::poll::{Answer, InFlight, Poll};
use super::sources::Source;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// Schedules the first round of every source.
    pub(super) fn start_sources(&mut self, events: &mut Events) {
        let site = self.site;
        let mut firsts = Vec::new();
        for (number, settings) in (0..).zip(&site.sources) {
            let flow = &site.flows[settings.flow];
            let name = format!("flow/{}/{}/arrivals", flow.name, site.stations[settings.station].name);
            let mut source = Source::new(flow, settings.items.len(), self.streams.stream(&name));
            firsts.extend(source.first(flow, flow.begins()).map(|first| (first, number)));
            self.sources.push(source);
        }
        self.start_timeline(events);
        firsts.into_iter().for_each(|(first, source)| self.schedule_fire(first, source, events));
    }

    /// A source's next round, or the next request of its round, is due.
    pub(super) fn fire(&mut self, now: Time, number: u32, events: &mut Events) {
        if self.changes.as_mut().is_some_and(|changes| !changes.sources.fires(now, number)) {
            return;
        }
        let source = &mut self.sources[number as usize];
        if std::mem::take(&mut source.resumes) {
            return self.ask_next(now, now, number, events);
        }
        let is_in_round = source.is_in_round() || source.open > 0;
        let next = if source.is_closed_loop() { None } else { source.following(now) };
        if is_in_round {
            source.waiting.push_back(now);
        }
        if let Some(next) = next {
            self.schedule_fire(next, number, events);
        }
        if !is_in_round {
            self.begin_round(now, now, number, events);
        }
    }

    /// A source begins a round that was due at `due`.
    pub(super) fn begin_round(&mut self, now: Time, due: Time, number: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        (source.next, source.begun) = (0, now);
        self.ask_next(now, due, number, events);
    }

    /// A source asks for as much of its round as it may.
    fn ask_next(&mut self, now: Time, due: Time, number: u32, events: &mut Events) {
        let site = self.site;
        let settings = &site.sources[number as usize];
        let mut due = due;
        loop {
            let source = &mut self.sources[number as usize];
            if source.resumes || source.open >= settings.window || source.next as usize >= settings.items.len() {
                return;
            }
            let earliest = source.asked + source.interval();
            if source.next > 0 && earliest > now {
                source.resumes = true;
                return self.schedule_fire(earliest, number, events);
            }
            let item = source.next;
            (source.next, source.asked) = (item + 1, now);
            source.open += 1;
            self.request(now, due, (number, item), events);
            due = now;
        }
    }

    /// A source asks for one thing.
    fn request(&mut self, now: Time, due: Time, (number, item): (u32, u32), events: &mut Events) {
        let site = self.site;
        let settings = &site.sources[number as usize];
        let (flow, asked) = (&site.flows[settings.flow], &settings.items[item as usize]);
        self.requests = self.requests.wrapping_add(1);
        let counted = self.metrics.offered(settings.flow, due);
        let budget = LatencyBudget::new(due);
        let number_of_all = self.requests;
        let state = InFlight { source: number, item, number: number_of_all, due, counted, budget, before: [budget; 2] };
        let key = self.polls.insert(state);
        let poll = Poll {
            key,
            number: number_of_all,
            connection: asked.connection as u32,
            transaction: 0,
            unit: asked.unit,
            function: asked.function,
            address: asked.address,
            count: asked.count,
            request: asked.request,
            response: asked.response,
        };
        if counted && flow.probe && self.changes.is_some() {
            self.probe_sent(now);
        }
        let order =
            Order { unit: asked.unit, request: poll, timeout: flow.timeout, retries: flow.retries, pause: flow.pause };
        self.submit(now, asked.connection as u32, order, events);
    }

    /// A client has ended a request.
    pub(super) fn finish(&mut self, now: Time, poll: Poll, attempt: u8, outcome: Outcome<Answer>, events: &mut Events) {
        let mut state = self.polls[poll.key];
        // the place is free: what still comes for the request finds another number there
        self.polls[poll.key].number = 0;
        self.polls.remove(poll.key);
        let settings = &self.site.sources[state.source as usize];
        let is_broadcast = poll.unit == BROADCAST && self.site.flows[settings.flow].broadcast;
        state.budget.account(if is_broadcast { Component::Turnaround } else { Component::Host }, now);
        let is_answered = match outcome {
            Outcome::Answered(answer) => answer.exception == 0,
            Outcome::Broadcast => true,
            Outcome::TimedOut | Outcome::Damaged | Outcome::Closed => false,
        };
        if let Outcome::Answered(Answer { read, exception: 0, .. }) = outcome
            && poll.function.is_read()
        {
            let before = std::mem::replace(&mut self.sources[state.source as usize].read[state.item as usize], read);
            self.metrics.value(now, settings.flow, before);
        }
        self.metrics.ended(now, settings, &state, attempt, is_answered);
        self.request_ended(now, state.source, events);
    }

    /// A request of a source has ended: the next of its round follows, or the next round.
    fn request_ended(&mut self, now: Time, number: u32, events: &mut Events) {
        let settings = &self.site.sources[number as usize];
        let source = &mut self.sources[number as usize];
        source.open -= 1;
        if (source.next as usize) < settings.items.len() {
            return self.ask_next(now, now, number, events);
        }
        if source.open > 0 {
            return;
        }
        let begun = std::mem::replace(&mut source.begun, Time::NEVER);
        if begun != Time::NEVER {
            self.metrics.round_ended(now, settings.flow, begun);
        }
        if let Some(due) = source.waiting.pop_front() {
            return self.begin_round(now, due, number, events);
        }
        if source.is_closed_loop()
            && let Some(next) = source.following(now)
        {
            self.schedule_fire(next, number, events);
        }
    }

    /// A source's next round or request is due at `at`.
    pub(super) fn schedule_fire(&mut self, at: Time, source: u32, events: &mut Events) {
        if let Some(changes) = &mut self.changes
            && !changes.sources.schedule(at, source)
        {
            return;
        }
        events.at(at, Event::Fire(source));
    }

    /// Requests of a flow time out, at its client or at a gateway.
    pub(super) fn timed_out(&mut self, poll: &Poll) {
        if self.is_in_flight(poll) {
            let state = &self.polls[poll.key];
            let flow = self.site.sources[state.source as usize].flow;
            self.metrics.timed_out(flow, state.counted);
        }
    }
}
