//! Serial lines: a client and its servers, one frame after the other.

use std::hint::cold_path;

use sojourn_core::{Duration, Machine, Time};
use sojourn_model::slab::NONE;
use sojourn_model::uart::{self, Damage};
use sojourn_protocols::modbus::machine::{ClientInput, Indication, Reply};

use super::bus::{Bus, Content, Frame, State};
use super::event::{Event, Events};
use super::latency_budget::Component;
use super::poll::{Answer, Poll};
use super::site::ConnectionSettings;
use super::world::Simulation;

impl Simulation<'_, '_> {
    fn bus(&mut self, medium: usize) -> &mut Bus {
        self.buses[medium].as_mut().expect("a line")
    }

    /// A client sends the request that waits, once its line is silent for long enough.
    pub(super) fn start(&mut self, now: Time, connection: u32, events: &mut Events) {
        let ConnectionSettings { station, medium, .. } = self.site.connections[connection as usize];
        let Some((poll, again)) = self.connections[connection as usize].waiting else { return };
        match self.bus(medium).free() {
            // the end of the frame on the line starts it
            None => {}
            Some(free) if free > now => events.at(free, Event::Start(connection)),
            Some(_) => {
                self.connections[connection as usize].waiting = None;
                self.begin_try(now, connection, &poll, again);
                self.send_frame(now, connection, station as u32, Content::Request(poll), events);
            }
        }
    }

    /// A server sends its response.
    pub(super) fn respond(&mut self, now: Time, reply: Reply<Answer>, server: u32, events: &mut Events) {
        self.send_frame(now, reply.connection, server, Content::Response(reply.response), events);
    }

    fn send_frame(&mut self, now: Time, connection: u32, sender: u32, content: Content, events: &mut Events) {
        let medium = self.site.connections[connection as usize].medium;
        let settings = self.site.line(medium).expect("a line");
        let characters = settings.characters(content.pdu());
        let frame = Frame { medium: medium as u16, connection, content, state: State::Sound, ended: false };
        let tag = self.frames.insert(frame);
        let bus = self.bus(medium);
        let was_silent = bus.busy_since.is_none();
        if was_silent {
            bus.busy_since = Some(now);
        }
        let end = bus.line.send(now, uart::Frame { sender, tag, characters, gap: Duration::ZERO });
        events.at(end, Event::LineEnd(medium as u16, sender));
        if was_silent && self.changes.is_some() {
            self.line_is_busy(now, true);
        }
    }

    /// The frame of a station has ended.
    pub(super) fn line_end(&mut self, now: Time, medium: u16, sender: u32, events: &mut Events) {
        let bus = self.bus(medium.into());
        let received = bus.line.end(now, sender);
        let (silence, client) = (bus.silence, bus.client);
        let is_silent = bus.line.silent_since().is_some();
        if is_silent {
            bus.settle(now);
            bus.busy_since = None;
        }
        let frame = &mut self.frames[received.tag];
        frame.ended = true;
        let was_cut = frame.state == State::Cut;
        frame.state = match received.damage {
            Some(Damage::Interrupted { first: 0 }) => State::Lost,
            Some(_) => State::Damaged,
            None if was_cut => State::Damaged,
            None => State::Sound,
        };
        let frame = *frame;
        let bus = self.bus(medium.into());
        match frame.state {
            State::Sound => bus.counters.correct += 1,
            _ => bus.counters.damaged += 1,
        }
        if let (State::Sound, Some(capture)) = (frame.state, self.capture.as_mut()) {
            frame.content.capture(capture, now, medium.into());
        }
        if is_silent && self.changes.is_some() {
            self.line_is_busy(now, false);
        }
        let with_receivers = match frame.content {
            Content::Request(poll) => {
                self.account(&poll, Component::Request, now);
                if !was_cut {
                    self.connections[frame.connection as usize].client.handle(now, ClientInput::Sent);
                    self.drive(now, frame.connection, false, events);
                }
                now + silence
            }
            Content::Response(answer) => {
                self.account(&answer.poll, Component::Response, now + silence);
                self.connections[frame.connection as usize].has_frame(now, silence)
            }
        };
        events.at(with_receivers, Event::Received(received.tag));
        if client != NONE && self.connections[client as usize].waiting.is_some() {
            cold_path();
            events.at(now + silence, Event::Start(client));
        }
    }

    /// A frame is with its receivers.
    pub(super) fn received(&mut self, now: Time, tag: u32, events: &mut Events) {
        let Frame { medium, connection, content, state, .. } = self.frames.remove(tag);
        match (content, state) {
            (Content::Request(poll), State::Sound) if poll.unit == sojourn_protocols::modbus::BROADCAST => {
                let servers = std::mem::take(&mut self.bus(medium.into()).servers);
                servers.iter().for_each(|&server| self.ask(now, server, connection, poll, events));
                self.bus(medium.into()).servers = servers;
            }
            (Content::Request(poll), State::Sound) => {
                let bus = self.buses[usize::from(medium)].as_ref().expect("a line");
                let stations = &self.site.stations;
                let server = bus.servers.iter().find(|&&server| stations[server as usize].unit == poll.unit);
                if let Some(&server) = server {
                    self.ask(now, server, connection, poll, events);
                }
            }
            (Content::Request(_), _) | (Content::Response(_), State::Lost) => {}
            (Content::Response(answer), state) => {
                if !self.is_off(self.site.connections[connection as usize].station) {
                    self.account(&answer.poll, Component::Host, now);
                    let answer = (state == State::Sound).then_some((0, answer));
                    self.receive(now, connection, answer, events);
                }
            }
        }
    }

    /// A server receives a request by a line or a connection.
    pub(super) fn ask(&mut self, now: Time, server: u32, connection: u32, poll: Poll, events: &mut Events) {
        if self.is_off(server as usize) {
            return;
        }
        let Poll { transaction, unit, .. } = poll;
        if self.servers[server as usize].as_ref().and_then(Machine::next_wakeup) == Some(now) {
            self.serve(now, server, false, events);
        }
        let machine = self.servers[server as usize].as_mut().expect("a server");
        let was_busy = machine.is_busy();
        machine.handle(now, Indication { connection, transaction, unit, request: poll });
        self.serve(now, server, !was_busy, events);
    }

    /// Sends what a server has answered; schedules the end of what it carries out, if that is `new`.
    pub(super) fn serve(&mut self, now: Time, server: u32, mut new: bool, events: &mut Events) {
        loop {
            let machine = self.servers[server as usize].as_mut().expect("a server");
            if machine.next_wakeup() == Some(now) {
                let begun = machine.device().begun;
                new = true;
                let reply = machine.reply().copied();
                machine.wake(now);
                if let Some(reply) = reply {
                    self.account(&reply.response.poll, Component::ServerWait, begun);
                    self.account(&reply.response.poll, Component::Server, now);
                }
            }
            let machine = self.servers[server as usize].as_mut().expect("a server");
            let Some(reply) = machine.poll_output() else { break };
            match self.site.connections[reply.connection as usize].host {
                None => self.respond(now, reply, server, events),
                Some(_) => self.send_answer(now, server as usize, reply.connection, reply.response, events),
            }
        }
        let machine = self.servers[server as usize].as_ref().expect("a server");
        if let Some(ready) = machine.next_wakeup().filter(|_| new) {
            events.at(ready, Event::Serve(server));
        }
    }

    /// What a station has on its lines is cut off: it has lost power.
    pub(super) fn cut_frames(&mut self, station: u32) {
        let of_station = |frame: &Frame| match frame.content {
            Content::Request(_) => self.site.connections[frame.connection as usize].station == station as usize,
            Content::Response(answer) => {
                let medium = usize::from(frame.medium);
                let on = &self.site.stations[station as usize];
                on.unit == answer.poll.unit && on.on.contains(&medium)
            }
        };
        let frames = self.frames.entries().filter(|(_, frame)| !frame.ended && of_station(frame));
        let cut: Vec<u32> = frames.map(|(tag, _)| tag).collect();
        cut.into_iter().for_each(|tag| self.frames[tag].state = State::Cut);
    }
}
