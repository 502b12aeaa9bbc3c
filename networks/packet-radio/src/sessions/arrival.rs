//! Arrivals of session requests, and begin and end of sessions.

use sojourn_core::{Duration, Time};

use super::{State, USER};
use crate::event::{Event, Events};
use crate::world::Simulation;

/// How long a user waits after a session, or after a failed request for its link, before the next.
const PAUSE: Duration = Duration::from_secs(10);

impl Simulation<'_, '_> {
    /// Starts all users.
    pub(crate) fn start_sessions(&mut self, events: &mut Events) {
        for (number, settings) in (0..).zip(&self.site.sessions) {
            self.next_session(Time::ZERO + settings.process.1, number, events);
        }
    }

    pub(super) fn next_session(&mut self, after: Time, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        if session.silent != 0 {
            return;
        }
        if let Some(at) = session.process.next(after, &mut session.draws) {
            (session.pending, session.due) = (true, at);
            events.at(at, Event::SessionArrival(number));
        }
    }

    /// A user wants a session; it waits while one is open.
    pub(crate) fn session_arrival(&mut self, now: Time, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        if session.due != now {
            return;
        }
        (session.pending, session.due) = (false, Time::NEVER);
        if !self.site.sessions[number as usize].arrivals.is_closed() {
            self.next_session(now, number, events);
        }
        self.want_session(now, number, events);
    }

    /// A session more is wanted.
    pub(super) fn want_session(&mut self, now: Time, number: u32, events: &mut Events) {
        let settings = &self.site.sessions[number as usize];
        let session = &mut self.sessions.all[number as usize];
        if session.waiting < settings.queue {
            session.waiting += 1;
        } else {
            self.metrics.offered(settings.number, false);
        }
        if self.sessions.all[number as usize].state == State::Idle {
            self.begin_session(now, number, events);
        }
        self.settle_session(now, number, events);
    }

    /// The session that waits begins.
    fn begin_session(&mut self, now: Time, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        if session.waiting > 0 {
            session.waiting -= 1;
            (session.begun, session.exchanges) = (now, 0);
            self.request_link(now, number, events);
        } else {
            session.enter(State::Idle, Time::NEVER);
        }
    }

    /// A timer of a session may be due.
    pub(crate) fn wake_session(&mut self, now: Time, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        if session.scheduled == now {
            session.scheduled = Time::NEVER;
        }
        if session.reply <= now {
            self.respond(now, number);
        }
        let session = &self.sessions.all[number as usize];
        if session.until <= now {
            match session.state {
                State::Idle => {}
                State::Pausing => self.begin_session(now, number, events),
                State::Thinking => self.request(now, number),
                // the link was not free
                State::Connecting if session.links[USER].is_none() => self.request_link(now, number, events),
                _ => self.fail_session(now, number, events),
            }
        }
        self.settle_session(now, number, events);
    }

    /// Processes what a session has caused at both ends, and schedules its next event.
    fn settle_session(&mut self, now: Time, number: u32, events: &mut Events) {
        for station in self.site.sessions[number as usize].ends {
            self.process_outputs(now, station, events);
        }
        self.schedule_session(number, events);
    }

    /// Schedules the next event of a session if it is earlier than the scheduled one.
    pub(super) fn schedule_session(&mut self, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        let next = session.until.min(session.reply);
        if next < session.scheduled {
            session.scheduled = next;
            events.at(next, Event::Session(number));
        }
    }

    /// The user's link is down, and with it the session.
    pub(super) fn end_session(&mut self, now: Time, number: u32, events: &mut Events) {
        let session = &mut self.sessions.all[number as usize];
        session.enter(State::Pausing, now + PAUSE);
        if self.site.sessions[number as usize].arrivals.is_closed() && !session.pending {
            self.next_session(now, number, events);
        }
    }

    /// The user asks for the link again later.
    pub(super) fn postpone_link(&mut self, now: Time, number: u32) {
        self.sessions.all[number as usize].enter(State::Connecting, now + PAUSE);
    }
}
