//! The links of a session: connection, commands to nodes, failure and disconnection.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::{LinkId, Output};

use super::{PortLink, State, USER};
use crate::context::Context;
use crate::event::Events;
use crate::information::{Information, Payload, session_of};
use crate::world::Simulation;

/// What nodes and switches reply when a connection is not made.
const REFUSALS: [&str; 4] = ["Failure", "Busy", "Disconnected", "Invalid"];

impl Simulation<'_, '_> {
    /// What an end of a session works with.
    pub(super) fn end_of(&mut self, now: Time, number: u32, end: usize) -> Context<'_> {
        let station = self.site.sessions[number as usize].ends[end] as usize;
        self.stations[station].parts(now, &mut self.round_trips).1
    }

    /// The user connects to the first station of the path.
    pub(super) fn request_link(&mut self, now: Time, number: u32, events: &mut Events) {
        let settings = &self.site.sessions[number as usize];
        let begun = self.sessions.all[number as usize].begun;
        let port = settings.path.port;
        match self.end_of(now, number, USER).connect(port as usize, settings.path.key) {
            Some(link) => {
                self.attach(number, USER, (port, link));
                self.sessions.all[number as usize].enter(State::Connecting, begun + settings.timeout);
            }
            None if now < begun + settings.timeout => self.postpone_link(now, number),
            None => {
                self.count_failure(number);
                self.end_session(now, number, events);
            }
        }
    }

    /// A link belongs to an end of a session from now on.
    pub(super) fn attach(&mut self, number: u32, end: usize, link: PortLink) {
        self.detach(number, end);
        let station = self.site.sessions[number as usize].ends[end] as usize;
        self.sessions.ends[station].insert(link, (number, end));
        self.sessions.all[number as usize].links[end] = Some(link);
    }

    fn detach(&mut self, number: u32, end: usize) {
        let station = self.site.sessions[number as usize].ends[end] as usize;
        if let Some(link) = self.sessions.all[number as usize].links[end].take() {
            self.sessions.ends[station].remove(&link);
        }
    }

    /// Handles an output of a link if it belongs to a session; else returns `false`.
    pub(crate) fn on_session_output(
        &mut self,
        now: Time,
        station: u32,
        port: usize,
        output: &Output<Information>,
        events: &mut Events,
    ) -> bool {
        if self.sessions.all.is_empty() {
            return false;
        }
        let number = match output {
            Output::Deliver { link, data: Information::User(payload), .. } => {
                self.take(now, station, (port as u32, *link), payload)
            }
            Output::Connected { link, .. }
            | Output::Acknowledged { link, .. }
            | Output::Reset { link, .. }
            | Output::Disconnected { link, .. } => self.on_link(now, station, (port as u32, *link), output, events),
            _ => None,
        };
        match number {
            Some(number) => {
                self.schedule_session(number, events);
                true
            }
            None => false,
        }
    }

    /// Takes data of a session at either of its ends; returns the session.
    fn take(&mut self, now: Time, station: u32, link: PortLink, payload: &Payload) -> Option<u32> {
        match payload {
            Payload::Stream(range) => {
                let (number, direction) = session_of(range.stream)?;
                if self.site.sessions[number as usize].ends[1 - direction] != station {
                    return None;
                }
                self.receive_data(now, number, direction, link, range);
                Some(number)
            }
            Payload::Text(_) => {
                let (number, _) = *self.sessions.ends[station as usize].get(&link)?;
                self.receive_text(now, number, payload.as_text().unwrap_or_default());
                Some(number)
            }
        }
    }

    /// Handles a change of a session's link; returns the session.
    fn on_link(
        &mut self,
        now: Time,
        station: u32,
        link: PortLink,
        output: &Output<Information>,
        events: &mut Events,
    ) -> Option<u32> {
        let (number, end) = *self.sessions.ends[station as usize].get(&link)?;
        match output {
            Output::Connected { .. } if self.sessions.all[number as usize].state == State::Connecting => {
                self.command(now, number, 0);
            }
            Output::Acknowledged { .. } => self.pass_on(now, number, end),
            Output::Reset { .. } if end == USER => self.fail_session(now, number, events),
            Output::Disconnected { .. } => {
                self.detach(number, end);
                if end == USER {
                    self.link_down(now, number, events);
                }
            }
            _ => {}
        }
        Some(number)
    }

    /// The user's link is down: the session has ended, or failed.
    fn link_down(&mut self, now: Time, number: u32, events: &mut Events) {
        let settings = &self.site.sessions[number as usize];
        let session = &self.sessions.all[number as usize];
        match session.state {
            State::Closing if session.exchanges == settings.exchanges => {
                let (begun, tally) = (session.begun, &mut self.sessions.tallies[settings.number as usize]);
                if begun >= self.metrics.from() {
                    tally.sessions.record(now - begun);
                }
            }
            State::Closing => {}
            _ => self.count_failure(number),
        }
        self.end_session(now, number, events);
    }

    /// A session has failed: what is left of it is disconnected.
    pub(super) fn fail_session(&mut self, now: Time, number: u32, events: &mut Events) {
        if self.sessions.all[number as usize].state != State::Closing {
            self.count_failure(number);
        }
        match self.sessions.all[number as usize].links[USER] {
            Some(link) => self.disconnect(now, number, link),
            None => self.end_session(now, number, events),
        }
    }

    /// Disconnects the user's link, and with it what nodes and switches have set up.
    pub(super) fn disconnect(&mut self, now: Time, number: u32, (port, link): (u32, LinkId)) {
        self.sessions.all[number as usize].enter(State::Closing, Time::NEVER);
        self.end_of(now, number, USER).disconnect(port as usize, link);
    }

    pub(super) fn count_failure(&mut self, number: u32) {
        let settings = &self.site.sessions[number as usize];
        let session = &mut self.sessions.all[number as usize];
        session.reply = Time::NEVER;
        let begun = match session.is_exchanging() {
            true => self.round_trips.session(number).begun.take(),
            false => None,
        };
        self.round_trips.session(number).end();
        let sent = begun.unwrap_or(session.begun);
        if sent >= self.metrics.from() {
            self.sessions.tallies[settings.number as usize].failed();
            if self.site.probe.is_none() {
                self.round_trips.session_failed((settings.number, settings.ends[USER]), sent, begun.is_none());
            }
        }
    }

    /// Sends the next command; the path is up when none is left.
    fn command(&mut self, now: Time, number: u32, step: usize) {
        let settings = &self.site.sessions[number as usize];
        let session = &mut self.sessions.all[number as usize];
        session.text.clear();
        let Some(command) = settings.path.commands.get(step) else {
            if session.begun >= self.metrics.from() {
                self.sessions.tallies[settings.number as usize].setups.record(now - session.begun);
            }
            return self.request(now, number);
        };
        session.enter(State::Commanding(step), session.begun + settings.timeout);
        if let (Some((port, link)), false) = (session.links[USER], command.is_empty()) {
            let line = Information::User(Payload::text(&format!("{command}\r")));
            self.end_of(now, number, USER).send(port as usize, link, line);
        }
    }

    /// A node or switch has sent the user a text: the reply to a command once its line is complete.
    fn receive_text(&mut self, now: Time, number: u32, text: &str) {
        self.sessions.all[number as usize].text.push_str(text);
        while let Some(end) = self.sessions.all[number as usize].text.find('\r') {
            let session = &mut self.sessions.all[number as usize];
            let line: String = session.text.drain(..=end).collect();
            let State::Commanding(step) = session.state else { continue };
            if line.contains("Connected to") {
                self.command(now, number, step + 1);
            } else if REFUSALS.iter().any(|word| line.contains(word))
                && let Some(link) = session.links[USER]
            {
                self.count_failure(number);
                self.disconnect(now, number, link);
            }
        }
    }
}
