//! Requests and responses of a session.

use sojourn_core::{Duration, Time};
use sojourn_protocols::StreamRange;

use super::{PEER, PortLink, State, Transfer, USER};
use crate::information::{Information, Payload, session_stream};
use crate::latency_budget::Component;
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// The user sends a request.
    pub(super) fn request(&mut self, now: Time, number: u32) {
        let settings = &self.site.sessions[number as usize];
        self.sessions.all[number as usize].enter(State::Requesting, now + settings.timeout);
        let track = self.round_trips.session(number);
        track.begin_at(now, settings.ends[USER]);
        track.turn(now);
        if self.site.probe.is_none() {
            self.round_trips.session_sent(now);
        }
        self.begin_transfer(now, number, USER);
    }

    /// The peer sends the response.
    pub(super) fn respond(&mut self, now: Time, number: u32) {
        let session = &mut self.sessions.all[number as usize];
        session.reply = Time::NEVER;
        session.state = State::Responding;
        let track = self.round_trips.session(number);
        track.budget.account(Component::Application, now);
        track.turn(now);
        self.begin_transfer(now, number, PEER);
    }

    fn begin_transfer(&mut self, now: Time, number: u32, end: usize) {
        let settings = &self.site.sessions[number as usize];
        let transfer = &mut self.sessions.all[number as usize].transfers[end];
        let start = transfer.start;
        (transfer.sent, transfer.received) = (0, 0);
        self.round_trips.follow(session_stream(number, end), start.wrapping_add(settings.sizes[end] - 1));
        self.metrics.offered(settings.number, true);
        self.pass_on(now, number, end);
    }

    /// Passes packets to an end's link while its TNC buffers them.
    pub(super) fn pass_on(&mut self, now: Time, number: u32, end: usize) {
        let settings = &self.site.sessions[number as usize];
        let sends = [State::Requesting, State::Responding][end];
        let (size, paclen) = (settings.sizes[end], u32::from(settings.paclen[end]));
        loop {
            let session = &mut self.sessions.all[number as usize];
            let Some((port, link)) = session.links[end].filter(|_| session.state == sends) else { return };
            let Transfer { start, sent, .. } = session.transfers[end];
            let length = paclen.min(size - sent);
            let context = self.end_of(now, number, end);
            let is_full = |limit: u32| context.backlog(port as usize, link) >= limit as usize;
            if length == 0 || settings.buffers[end].is_some_and(is_full) {
                return;
            }
            self.sessions.all[number as usize].transfers[end].sent += length;
            let offset = start.wrapping_add(sent);
            let range = StreamRange { stream: session_stream(number, end), offset, length: length as u16 };
            let information = Information::User(Payload::Stream(range));
            self.round_trips.account_if(Component::WaitingForWindow, &information, now);
            self.end_of(now, number, end).send(port as usize, link, information);
        }
    }

    /// Data of a session have reached the other end; of an earlier exchange they are dropped.
    pub(super) fn receive_data(
        &mut self,
        now: Time,
        number: u32,
        direction: usize,
        link: PortLink,
        range: &StreamRange,
    ) {
        let size = self.site.sessions[number as usize].sizes[direction];
        let session = &mut self.sessions.all[number as usize];
        let expected = [State::Requesting, State::Responding][direction];
        let transfer = &mut session.transfers[direction];
        if session.state != expected || range.offset != transfer.start.wrapping_add(transfer.received) {
            return;
        }
        transfer.received += u32::from(range.length);
        let complete = transfer.received == size;
        if complete {
            transfer.start = transfer.start.wrapping_add(size);
        }
        if direction == USER && session.links[PEER] != Some(link) {
            self.attach(number, PEER, link);
        }
        match (complete, direction) {
            (false, _) => {}
            (true, USER) => self.requested(now, number),
            (true, _) => self.responded(now, number),
        }
    }

    /// The peer has the request.
    fn requested(&mut self, now: Time, number: u32) {
        let settings = &self.site.sessions[number as usize];
        self.metrics.delivered(settings.number, settings.sizes[USER] as usize);
        self.round_trips.session(number).budget.account(Component::Retransmission, now);
        match settings.turnaround {
            Duration::ZERO => self.respond(now, number),
            turnaround => self.sessions.all[number as usize].reply = now + turnaround,
        }
    }

    /// The user has the response: thinks, or disconnects after the last.
    fn responded(&mut self, now: Time, number: u32) {
        let settings = &self.site.sessions[number as usize];
        self.metrics.delivered(settings.number, settings.sizes[PEER] as usize);
        self.count_response(now, number);
        let session = &mut self.sessions.all[number as usize];
        session.exchanges += 1;
        match session.links[USER] {
            Some(link) if session.exchanges == settings.exchanges => self.disconnect(now, number, link),
            _ => {
                let think = match settings.think_time.mean {
                    Duration::ZERO => Duration::ZERO,
                    _ => settings.think_time.draw(&mut session.draws),
                };
                session.enter(State::Thinking, now + think);
                if think == Duration::ZERO {
                    self.request(now, number);
                }
            }
        }
    }

    fn count_response(&mut self, now: Time, number: u32) {
        let settings = &self.site.sessions[number as usize];
        let track = self.round_trips.session(number);
        track.budget.account(Component::Retransmission, now);
        let spent = track.end();
        let Some(begun) = track.begun.take().filter(|begun| *begun >= self.metrics.from()) else { return };
        let stations = &self.site.stations;
        let group = |station: u32| stations[station as usize].group;
        self.sessions.tallies[settings.number as usize].exchanged(now - begun, track.legs(), group);
        if self.site.probe.is_none() {
            self.round_trips.session_responded(now, (settings.number, settings.ends[USER]), begun, &spent);
        }
    }
}
