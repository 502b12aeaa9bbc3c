//! Clients: requests and notifications are sent when their source is due, retried, and completed.

use sojourn_core::Time;

use super::event::{Event, Events};
use super::latency_budget::{Component, LatencyBudget};
use super::npdu::{ALL, Npdu, Role, number_of};
use super::request::Request;
use super::site::Service;
use super::sources::Source;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// Creates the sources of all flows and schedules their first messages.
    pub(super) fn start_sources(&mut self, events: &mut Events) {
        let site = self.site;
        let mut firsts = Vec::new();
        for (number, flow) in site.flows.iter().enumerate() {
            for (place, &station) in flow.from.iter().enumerate().filter(|(place, _)| !flow.to[*place].is_empty()) {
                let name = &site.stations[station as usize].name;
                let to = &site.stations[flow.to[place][0] as usize].name;
                let stream = self.streams.stream(&format!("flow/{}/{name}/{to}/arrivals", flow.name));
                let mut source = Source::new(number as u16, flow, place, stream);
                let first = source.first(flow);
                self.sources.push(source);
                firsts.extend(first.map(|first| (first, self.sources.len() as u32 - 1)));
            }
        }
        self.start_timeline(events);
        firsts.into_iter().for_each(|(first, source)| self.schedule_fire(first, source, events));
    }

    /// A source's next message is due.
    pub(super) fn fire(&mut self, now: Time, place: u32, events: &mut Events) {
        if self.changes.as_mut().is_some_and(|changes| !changes.sources.fires(now, place)) {
            return;
        }
        let source = &mut self.sources[place as usize];
        let size = source.size(&self.site.flows[usize::from(source.flow)]);
        if !source.is_closed_loop()
            && let Some(next) = source.next(now)
        {
            self.schedule_fire(next, place, events);
        }
        self.offer(now, place, size, events);
    }

    /// An application offers a message.
    pub(super) fn offer(&mut self, now: Time, place: u32, size: u16, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        if flow.service == Service::WhoIs {
            return self.ask_all(now, place, size, events);
        }
        self.metrics.offered(now, source.flow, 1);
        if flow.service.is_confirmed() && source.open >= flow.outstanding {
            source.waiting.push_back((now, size));
        } else {
            self.begin(now, place, now, size, events);
        }
    }

    /// A message is sent that was offered at `started`.
    fn begin(&mut self, now: Time, place: u32, started: Time, size: u16, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        let to = flow.to[source.place as usize][source.point(now, flow)];
        source.open += 1;
        let number = self.new_request(now, place, (to, 0), (started, size));
        self.send_request(now, number, events);
        if flow.service.is_confirmed() {
            let serial = self.requests[number].serial;
            events.at(now + flow.apdu_timeout, Event::Expire(number, serial));
        }
    }

    fn new_request(
        &mut self,
        now: Time,
        source: u32,
        (to, broadcast): (u32, u32),
        (started, size): (Time, u16),
    ) -> u32 {
        let mut budget = LatencyBudget::new(started);
        budget.account(Component::ClientQueue, now);
        let serial = self.next_serial();
        let (attempt, is_postponed) = (0, false);
        self.requests.insert(Request {
            source,
            to,
            serial,
            broadcast,
            started,
            sent: now,
            size,
            attempt,
            is_postponed,
            budget,
        })
    }

    /// The number of a request or broadcast among all; never 0.
    fn next_serial(&mut self) -> u32 {
        self.serial = self.serial.wrapping_add(1).max(1);
        self.serial
    }

    fn send_request(&mut self, now: Time, number: u32, events: &mut Events) {
        let Request { source, to, serial, size, attempt, .. } = self.requests[number];
        let source = &self.sources[source as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        let role = if flow.service.is_confirmed() { Role::Request } else { Role::Unconfirmed };
        let (from, service, flow) = (source.station, number_of(flow.service), source.flow);
        let (octets, length, far) = (size, size, [0; 2]);
        let npdu = Npdu { number, serial, from, to, octets, length, far, role, attempt, service, flow };
        self.send(now, from, npdu, events);
    }

    /// Who-Is: a request to each receiver, and one broadcast for all.
    fn ask_all(&mut self, now: Time, place: u32, size: u16, events: &mut Events) {
        let source = &self.sources[place as usize];
        let (flow_number, from) = (source.flow, source.station);
        let flow = &self.site.flows[usize::from(flow_number)];
        let receivers = &flow.to[source.place as usize];
        self.metrics.offered(now, flow_number, receivers.len() as u64);
        let serial = self.next_serial();
        for &to in receivers {
            self.sources[place as usize].open += 1;
            let number = self.new_request(now, place, (to, serial), (now, size));
            let serial = self.requests[number].serial;
            events.at(now + flow.apdu_timeout, Event::Expire(number, serial));
        }
        let (role, service, flow) = (Role::Unconfirmed, number_of(flow.service), flow_number);
        let npdu = Npdu {
            number: 0,
            serial,
            from,
            to: ALL,
            octets: size,
            length: size,
            far: [0; 2],
            role,
            attempt: 0,
            service,
            flow,
        };
        self.broadcast(now, from, None, npdu, events);
    }

    /// The request that an NPDU belongs to, if it has not ended.
    #[inline]
    pub(super) fn request_of(&mut self, npdu: &Npdu) -> Option<&mut Request> {
        let is_open = self.requests.slots().get(npdu.number as usize).is_some_and(|open| open.serial == npdu.serial);
        is_open.then(|| &mut self.requests[npdu.number])
    }

    /// Accounts the time of a request up to `until`.
    #[inline]
    pub(super) fn account(&mut self, npdu: &Npdu, component: Component, until: Time) {
        if let Some(request) = self.request_of(npdu) {
            request.budget.account(component, until);
        }
    }

    /// A reply, or a notification, has come at the end of its frame, at `at`.
    pub(super) fn complete(&mut self, now: Time, npdu: &Npdu, at: Time, events: &mut Events) {
        let Some(request) = self.request_of(npdu) else { return };
        let component = if npdu.role == Role::Reply { Component::Reply } else { Component::Request };
        request.budget.account(component, at);
        let ended = self.end_request(npdu.number);
        let source = &self.sources[ended.source as usize];
        let data = match self.site.flows[usize::from(source.flow)].service.is_confirmed() {
            true => ended.size + self.site.flows[usize::from(source.flow)].response_data,
            false => ended.size,
        };
        let at = at.max(ended.started);
        self.metrics.delivered(at, (source.flow, source.station), &ended, data);
        self.go_on(now, ended.source, events);
    }

    /// Takes a request out; its number may be given again.
    fn end_request(&mut self, number: u32) -> Request {
        let ended = self.requests[number];
        self.requests[number].serial = 0;
        self.requests.remove(number);
        ended
    }

    /// A request has ended: its source goes on.
    fn go_on(&mut self, now: Time, place: u32, events: &mut Events) {
        let source = &mut self.sources[place as usize];
        source.open -= 1;
        let flow = source.flow;
        if let Some(begun) = source.end_round() {
            self.metrics.round_ended(now, flow, begun);
        }
        let source = &mut self.sources[place as usize];
        if let Some((started, size)) = source.waiting.pop_front() {
            self.begin(now, place, started, size, events);
        } else if source.is_closed_loop()
            && source.open == 0
            && let Some(next) = source.next(now)
        {
            self.schedule_fire(next.max(now), place, events);
        }
    }

    /// A request is lost: its source goes on.
    fn fail(&mut self, now: Time, number: u32, events: &mut Events) {
        let ended = self.end_request(number);
        let source = &self.sources[ended.source as usize];
        self.metrics.lost((source.flow, source.station), ended.started);
        self.go_on(now, ended.source, events);
    }

    /// `APDU_Timeout`: the request is sent again, or given up.
    pub(super) fn expire(&mut self, now: Time, number: u32, serial: u32, events: &mut Events) {
        let is_open = self.requests.slots().get(number as usize).is_some_and(|open| open.serial == serial);
        if !is_open {
            return;
        }
        let request = &mut self.requests[number];
        let source = &self.sources[request.source as usize];
        let flow = &self.site.flows[usize::from(source.flow)];
        if request.attempt >= flow.retries || request.broadcast != 0 {
            return self.fail(now, number, events);
        }
        request.attempt += 1;
        request.is_postponed = false;
        request.budget = LatencyBudget::new(request.started);
        request.budget.account(Component::ClientQueue, request.sent);
        request.budget.account(Component::Retries, now);
        self.metrics.retried(source.flow, request.started);
        self.send_request(now, number, events);
        events.at(now + flow.apdu_timeout, Event::Expire(number, serial));
    }

    /// An NPDU is lost: a notification is then lost for good, others are missed by their client.
    pub(super) fn lose(&mut self, now: Time, npdu: &Npdu, events: &mut Events) {
        if npdu.role == Role::Unconfirmed && npdu.to != ALL && self.request_of(npdu).is_some() {
            self.fail(now, npdu.number, events);
        }
    }

    /// All requests of a station are lost with it.
    pub(super) fn abandon(&mut self, station: u32) {
        let sources = &self.sources;
        let of_station = self.requests.entries().filter(|(_, open)| sources[open.source as usize].station == station);
        let numbers: Vec<u32> = of_station.map(|(number, _)| number).collect();
        for number in numbers {
            let ended = self.end_request(number);
            let source = &mut self.sources[ended.source as usize];
            source.open -= 1;
            self.metrics.lost((source.flow, source.station), ended.started);
        }
        for source in self.sources.iter_mut().filter(|source| source.station == station) {
            for (started, _) in source.waiting.drain(..) {
                self.metrics.lost((source.flow, station), started);
            }
        }
    }

    /// Messages that are neither delivered nor lost.
    pub(super) fn in_flight(&self) -> u64 {
        let waiting = self.sources.iter().map(|source| source.waiting.len()).sum::<usize>();
        (self.requests.len() + waiting) as u64
    }
}
