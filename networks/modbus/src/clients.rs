//! The machines of clients: what they want is carried out.

use sojourn_core::{Machine, Time};
use sojourn_protocols::modbus::ExceptionCode;
use sojourn_protocols::modbus::machine::{ClientInput, ClientOutput, Order, Outcome};

use super::event::{Event, Events};
use super::poll::{Answer, Poll};
use super::site::ConnectionSettings;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A client has a request for its machine.
    pub(super) fn submit(&mut self, now: Time, connection: u32, order: Order<Poll>, events: &mut Events) {
        self.connections[connection as usize].client.handle(now, ClientInput::Submit(order));
        self.drive(now, connection, false, events);
    }

    /// A client has received a valid frame, or a damaged one.
    pub(super) fn receive(&mut self, now: Time, connection: u32, answer: Option<(u16, Answer)>, events: &mut Events) {
        let input = match answer {
            Some((transaction, response)) => ClientInput::Received { unit: response.poll.unit, transaction, response },
            None => ClientInput::Damaged,
        };
        self.connections[connection as usize].client.handle(now, input);
        self.drive(now, connection, false, events);
    }

    /// A timer of a client is due.
    #[inline(never)]
    pub(super) fn wake(&mut self, now: Time, connection: u32, events: &mut Events) {
        let state = &mut self.connections[connection as usize];
        if state.wake == now {
            state.wake = Time::NEVER;
        }
        state.client.wake(now);
        self.drive(now, connection, true, events);
    }

    /// Carries out what a client's machine wants; `expired` where a timer of it has.
    pub(super) fn drive(&mut self, now: Time, connection: u32, expired: bool, events: &mut Events) {
        while let Some(output) = self.connections[connection as usize].client.poll_output() {
            match output {
                ClientOutput::Transmit { transaction, request, attempt, .. } => {
                    if expired && attempt > 0 {
                        self.timed_out(&request);
                    }
                    self.transmit(now, connection, Poll { transaction, ..request }, attempt > 0, events);
                }
                ClientOutput::Ended { request, attempt, outcome, .. } => {
                    if matches!(outcome, Outcome::TimedOut) {
                        self.timed_out(&request);
                    }
                    self.ended(now, connection, request, attempt, outcome, events);
                }
            }
        }
        let state = &mut self.connections[connection as usize];
        if let Some(due) = state.client.next_wakeup().filter(|due| *due < state.wake) {
            state.wake = due;
            events.at(due, Event::Wake(connection));
        }
    }

    /// A client's machine sends a request.
    fn transmit(&mut self, now: Time, connection: u32, poll: Poll, again: bool, events: &mut Events) {
        let ConnectionSettings { station, medium, host } = self.site.connections[connection as usize];
        match host {
            None => {
                self.connections[connection as usize].waiting = Some((poll, again));
                self.start(now, connection, events);
            }
            Some(host) => {
                self.begin_try(now, connection, &poll, again);
                self.send_request(now, (medium, station, host), poll, events);
            }
        }
    }

    /// A request that a machine had has ended.
    fn ended(
        &mut self,
        now: Time,
        connection: u32,
        poll: Poll,
        attempt: u8,
        outcome: Outcome<Answer>,
        events: &mut Events,
    ) {
        if poll.connection == connection {
            return self.finish(now, poll, attempt, outcome, events);
        }
        let answer = match outcome {
            Outcome::Answered(answer) => Answer { poll, ..answer },
            Outcome::Closed => return,
            _ => Answer { poll, exception: ExceptionCode::GATEWAY_TARGET_FAILED.0, read: Time::ZERO },
        };
        self.forward_answer(now, connection, answer, events);
    }
}
