//! Gateways: a queue of requests from TCP, one at a time on the line.

use sojourn_core::Time;
use sojourn_model::slab::NONE;

use super::event::Events;
use super::latency_budget::Component;
use super::poll::{Answer, Poll};
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// The connection to a line over which a request goes on, if its host is a gateway.
    pub(super) fn gateway_of(&self, poll: &Poll) -> Option<u32> {
        let host = self.site.connections[poll.connection as usize].host?;
        let lines = &self.gateway_lines[host];
        let found = lines.iter().find(|(units, _)| units[usize::from(poll.unit)]);
        found.map(|(_, connection)| *connection).filter(|connection| *connection != NONE)
    }

    /// A gateway returns what it got from the line.
    pub(super) fn forward_answer(&mut self, now: Time, line: u32, answer: Answer, events: &mut Events) {
        let station = self.site.connections[line as usize].station;
        let delay = self.site.stations[station].class.gateway.delay;
        self.send_answer(now + delay, station, answer.poll.connection, answer, events);
    }

    /// A client or gateway sends a request for the first time, or again.
    pub(super) fn begin_try(&mut self, now: Time, connection: u32, poll: &Poll, again: bool) {
        if !self.is_in_flight(poll) {
            return;
        }
        let is_gateway = poll.connection != connection;
        let state = &mut self.polls[poll.key];
        let before = &mut state.before[usize::from(is_gateway)];
        if again {
            state.budget = *before;
            state.budget.account(Component::Retries, now);
        } else {
            let queue = if is_gateway { Component::GatewayQueue } else { Component::ClientQueue };
            state.budget.account(queue, now);
            *before = state.budget;
        }
    }

    /// Whether the client that asked has not ended it.
    pub(super) fn is_in_flight(&self, poll: &Poll) -> bool {
        self.polls.slots().get(poll.key as usize).is_some_and(|state| state.number == poll.number)
    }

    /// Accounts the time of a request up to `until`, unless its client has ended it.
    #[inline]
    pub(super) fn account(&mut self, poll: &Poll, component: Component, until: Time) {
        if self.is_in_flight(poll) {
            self.polls[poll.key].budget.account(component, until);
        }
    }
}
