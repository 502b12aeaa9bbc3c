//! Events of sessions: flows that stop, start and burst, and stations that lose power.

use sojourn_core::Time;

use super::{PEER, State, USER};
use crate::event::Events;
use crate::world::Simulation;
use sojourn_model::muted::OFF;

impl Simulation<'_, '_> {
    /// The users of a flow.
    pub(crate) fn sessions_of_flow(&self, flow: u32) -> Vec<u32> {
        (0..).zip(&self.site.sessions).filter(|(_, session)| session.number == flow).map(|(number, _)| number).collect()
    }

    /// The users at a station.
    pub(crate) fn sessions_at(&self, station: u32) -> Vec<u32> {
        self.sessions_with(station, USER)
    }

    fn sessions_with(&self, station: u32, end: usize) -> Vec<u32> {
        let with =
            |(number, settings): (u32, &super::SessionSettings)| (settings.ends[end] == station).then_some(number);
        (0..).zip(&self.site.sessions).filter_map(with).collect()
    }

    /// A user wants no more sessions, for one more reason; one that is open goes on.
    pub(crate) fn mute_session(&mut self, number: u32, reason: u8) {
        let session = &mut self.sessions.all[number as usize];
        session.silent |= reason;
        (session.pending, session.due) = (false, Time::NEVER);
    }

    /// A reason to want no sessions is gone: without another the user begins anew, at `at`.
    pub(crate) fn unmute_session(&mut self, at: Time, number: u32, reason: u8, events: &mut Events) {
        let settings = &self.site.sessions[number as usize];
        let session = &mut self.sessions.all[number as usize];
        let was_silent = session.silent != 0;
        session.silent &= !reason;
        // a closed loop goes on when its session is over
        let waits = settings.arrivals.is_closed() && session.state != State::Idle;
        if was_silent && session.silent == 0 && !waits {
            session.process = settings.process.0.begun_anew();
            self.next_session(at, number, events);
        }
    }

    /// A user wants this many sessions at once.
    pub(crate) fn want_sessions(&mut self, now: Time, number: u32, size: u32, events: &mut Events) {
        if self.sessions.all[number as usize].silent & OFF == 0 {
            (0..size).for_each(|_| self.want_session(now, number, events));
        }
    }

    /// A station has lost its links, and with them the sessions of its users, or its ends of others.
    pub(crate) fn lose_sessions(&mut self, now: Time, station: u32, reason: u8) {
        for number in self.sessions_at(station) {
            let session = &self.sessions.all[number as usize];
            if !matches!(session.state, State::Idle | State::Pausing | State::Closing) {
                self.count_failure(number);
            }
            let session = &mut self.sessions.all[number as usize];
            session.enter(State::Idle, Time::NEVER);
            (session.links[USER], session.waiting, session.begun) = (None, 0, now);
            self.mute_session(number, reason);
        }
        for number in self.sessions_with(station, PEER) {
            let session = &mut self.sessions.all[number as usize];
            (session.links[PEER], session.reply) = (None, Time::NEVER);
        }
        if let Some(ends) = self.sessions.ends.get_mut(station as usize) {
            ends.clear();
        }
    }
}
