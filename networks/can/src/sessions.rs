//! Messages of several frames: remote frames, service data objects, ISO-TP, J1939. A source has one session, for one message at a time.

use sojourn_core::{Duration, Machine, Time};
use sojourn_model::slab::NONE;
use sojourn_protocols::StreamRange;
use sojourn_protocols::can::canopen::{BlockInput, ClientInput, Object};
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, fd_length};
use sojourn_protocols::can::isotp;
use sojourn_protocols::can::j1939;

use crate::event::{Event, Events};
use crate::in_flight::{Act, Carried, Frame, Message};
use crate::latency_budget::{Component, LatencyBudget};
use crate::session::Ends;
use crate::site::Service;
use crate::world::Simulation;

/// The object that is read or written: the first of the manufacturer's.
const OBJECT: Object = Object { index: 0x2000, subindex: 0 };

impl Simulation<'_, '_> {
    /// A message is to be carried by the session of its source, after those that wait for it.
    pub(super) fn open(&mut self, now: Time, number: u32, message: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        let is_busy = source.session.as_ref().is_some_and(|session| session.message != NONE);
        match is_busy {
            true => source.waiting.push_back(message),
            false => self.start_session(now, number, message, events),
        }
    }

    fn start_session(&mut self, now: Time, number: u32, message: u32, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        let flow = &self.site.flows[source.flow as usize];
        let Message { started, size, .. } = self.in_flight.messages[message];
        let point = flow.is_poll().then(|| source.point(now, flow));
        let budget = match flow.probe {
            true => {
                let mut budget = LatencyBudget::new(started);
                budget.account(Component::OwnQueue, now);
                self.in_flight.budgets.insert(budget)
            }
            false => NONE,
        };
        let session = source.session.as_mut().expect("its messages are carried by a session");
        (session.message, session.budget, session.tries, session.handled) = (message, budget, flow.retries, 0);
        (session.point, session.data) = (point, size);
        self.attempt(now, number, events);
    }

    /// A message is begun.
    fn attempt(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = self.site;
        let source = &mut self.sources[number as usize];
        let flow = &site.flows[source.flow as usize];
        let session = source.session.as_mut().expect("its messages are carried by a session");
        session.reset();
        let mut asks = None;
        match (&mut session.ends, flow.service) {
            (Ends::Remote(until), Service::Remote(timeout)) => {
                (*until, asks) = (now + timeout, Some(Carried::Request));
            }
            (Ends::Remote(until), Service::Request(timeout, _)) => {
                (*until, asks) = (now + timeout, Some(Carried::Data));
            }
            (Ends::Uds(exchange), _) => {
                exchange.begin(now, StreamRange { stream: number, offset: 0, length: session.data });
            }
            (Ends::Sdo(client, _), _) => client.handle(now, ClientInput::Upload(OBJECT)),
            (Ends::Block(client, _), _) => client.handle(now, BlockInput::Write(OBJECT, session.data.into())),
            (Ends::IsoTp(sender, _), _) => {
                let message = StreamRange { stream: number, offset: 0, length: session.data };
                sender.handle(now, isotp::Input::Send(message));
            }
            (Ends::J1939(sender, _), service) => {
                let to_all = matches!(service, Service::J1939(_, true));
                sender.handle(now, j1939::Input::Send { size: session.data, pgn: flow.pgn, to_all });
            }
            (Ends::Remote(_), _) => unreachable!("the ends are of the service"),
        }
        if let Some(request) = asks {
            self.transmit(now, number, None, request, events);
        }
        self.pump(now, number, NONE, events);
    }

    /// Carries out what the ends of a session do; `budget` is that of the frame that made them do it.
    fn pump(&mut self, now: Time, number: u32, budget: u32, events: &mut Events) {
        loop {
            let Some(session) = &mut self.sources[number as usize].session else { return };
            let Some(act) = session.ends.next() else { break };
            if session.message == NONE {
                continue;
            }
            match act {
                Act::Forth(carried) => self.transmit(now, number, None, carried, events),
                Act::Back(receiver, carried) => self.transmit(now, number, Some(receiver), carried, events),
                Act::Complete => self.completed(now, number, budget, events),
                Act::Failed => return self.fail(now, number, events),
            }
        }
        self.schedule_wake(now, number, events);
    }

    fn schedule_wake(&mut self, now: Time, number: u32, events: &mut Events) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        let Some(next) = session.ends.next_wakeup().filter(|_| session.message != NONE) else { return };
        let next = next.max(now);
        if next < session.due || session.due <= now {
            session.due = next;
            events.at(next, Event::Wake(number));
        }
    }

    /// An end of a session transmits a frame: the sender, or the receiver of this number.
    fn transmit(&mut self, now: Time, number: u32, from: Option<u16>, carried: Carried, events: &mut Events) {
        let site = self.site;
        let source = &self.sources[number as usize];
        let flow = &site.flows[source.flow as usize];
        let sender = &flow.senders[source.place as usize];
        let Some(session) = &source.session else { return };
        let (turn, budget, point) = (session.turn, session.budget, session.point);
        self.in_flight.account(budget, Component::Pacing, now);
        let bytes = match carried {
            Carried::Sdo(_) | Carried::Block(_) | Carried::Control(_) | Carried::Packet(_) => CLASSIC_LIMIT,
            Carried::IsoTp(pdu) if flow.brs.is_some() => fd_length(pdu.length()),
            Carried::IsoTp(_) => CLASSIC_LIMIT,
            Carried::Data | Carried::Request => match (flow.service, from) {
                (Service::Request(_, response), Some(_)) => response.into(),
                _ => session.data.into(),
            },
        };
        let confirms = from.is_none() || matches!(flow.service, Service::Uds(..));
        let hops = match (from, point) {
            (None, None) => &sender.forth[..],
            (None, Some(point)) => std::slice::from_ref(&sender.forth[point]),
            (Some(receiver), point) => std::slice::from_ref(&sender.back[point.unwrap_or(receiver.into())]),
        };
        for (place, &hop) in hops.iter().enumerate() {
            let budget = self.in_flight.copy_budget(budget);
            let frame = Frame {
                source: number,
                message: NONE,
                turn,
                hop,
                budget,
                bytes: bytes as u8,
                carried,
                receiver: from.unwrap_or(0),
                is_back: from.is_some(),
                confirms: confirms && place == 0,
                ..Frame::default()
            };
            match from.is_some() && carried.begins_answer() {
                true => self.answer_frame(now, frame, events),
                false => self.send_frame(now, frame, events),
            }
        }
    }

    /// A receiver's application begins to answer, which takes its time.
    fn answer_frame(&mut self, now: Time, frame: Frame, events: &mut Events) {
        let station = self.site.ports[self.site.hops[frame.hop as usize].port as usize].station as usize;
        let latency = self.site.stations[station].class.answer.draw(&mut self.nodes[station].stream);
        if latency == Duration::ZERO {
            return self.send_frame(now, frame, events);
        }
        let number = self.in_flight.frames.insert(frame);
        events.at(now + latency, Event::Answer(number));
    }

    /// The answer that an application was working on is ready.
    pub(super) fn answered(&mut self, now: Time, number: u32, events: &mut Events) {
        let frame = self.in_flight.frames.remove(number);
        let station = self.site.ports[self.site.hops[frame.hop as usize].port as usize].station;
        self.in_flight.account(frame.budget, Component::Pacing, now);
        if self.changes.as_ref().is_some_and(|changes| changes.off[station as usize]) {
            if frame.budget != NONE {
                self.in_flight.budgets.remove(frame.budget);
            }
            return;
        }
        self.send_frame(now, frame, events);
    }

    /// A frame of the sender has been sent.
    #[cold]
    pub(super) fn transmitted(&mut self, now: Time, frame: &Frame, events: &mut Events) {
        self.adopt(frame);
        let Some(session) = &mut self.sources[frame.source as usize].session else { return };
        if session.turn != frame.turn {
            return;
        }
        match &mut session.ends {
            Ends::Remote(_) | Ends::Sdo(..) => return,
            Ends::Block(client, _) => client.handle(now, BlockInput::Transmitted),
            Ends::IsoTp(sender, _) => sender.handle(now, isotp::Input::Transmitted),
            Ends::Uds(exchange) => exchange.transmitted(now, frame.is_back),
            Ends::J1939(sender, _) => sender.handle(now, j1939::Input::Transmitted),
        }
        self.pump(now, frame.source, NONE, events);
    }

    /// The time that a frame took is that of the message.
    fn adopt(&mut self, frame: &Frame) {
        let Some(session) = &self.sources[frame.source as usize].session else { return };
        if session.turn == frame.turn && session.budget != NONE && frame.budget != NONE {
            let of_frame = self.in_flight.budgets[frame.budget];
            let own = &mut self.in_flight.budgets[session.budget];
            if own.accounted_until < of_frame.accounted_until {
                *own = of_frame;
            }
        }
    }

    /// An end has received a frame.
    pub(super) fn answer(&mut self, now: Time, frame: &Frame, events: &mut Events) {
        let number = frame.source;
        self.adopt(frame);
        let Some(session) = &mut self.sources[number as usize].session else { return };
        if session.turn != frame.turn || session.message == NONE {
            return;
        }
        match (&mut session.ends, frame.carried, frame.is_back) {
            (Ends::Remote(_), Carried::Request | Carried::Data, false) => {
                return self.transmit(now, number, Some(frame.receiver), Carried::Data, events);
            }
            (Ends::Remote(_), Carried::Data, true) => return self.completed(now, number, frame.budget, events),
            (Ends::Sdo(client, _), Carried::Sdo(sdo), true) => client.handle(now, ClientInput::Received(sdo)),
            (Ends::Sdo(_, server), Carried::Sdo(sdo), false) => server.handle(now, sdo),
            (Ends::Block(client, _), Carried::Block(block), true) => client.handle(now, BlockInput::Received(block)),
            (Ends::Block(_, server), Carried::Block(block), false) => server.received(block),
            (Ends::IsoTp(sender, _), Carried::IsoTp(pdu), true) => sender.handle(now, isotp::Input::Received(pdu)),
            (Ends::IsoTp(_, receiver), Carried::IsoTp(pdu), false) => {
                receiver.handle(now, isotp::Input::Received(pdu));
            }
            (Ends::Uds(exchange), Carried::IsoTp(pdu), by_client) => exchange.received(now, pdu, by_client),
            (Ends::J1939(sender, _), Carried::Control(control), true) => {
                sender.handle(now, j1939::Input::Control(control));
            }
            (Ends::J1939(_, receivers), carried, false) => {
                let receiver = &mut receivers[usize::from(frame.receiver)];
                match carried {
                    Carried::Control(control) => receiver.handle(now, j1939::Input::Control(control)),
                    Carried::Packet(sequence) => receiver.handle(now, j1939::Input::Packet(sequence)),
                    _ => {}
                }
            }
            _ => {}
        }
        self.pump(now, number, frame.budget, events);
    }

    /// A receiver has the message; with the last the session is over.
    fn completed(&mut self, now: Time, number: u32, budget: u32, events: &mut Events) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        session.handled += 1;
        let (message, is_last) = (session.message, session.handled as usize == session.receivers);
        self.handled(now, message, budget, events);
        if is_last {
            self.close(now, number, events);
        }
    }

    /// An attempt has failed: the message is begun again, or lost.
    fn fail(&mut self, now: Time, number: u32, events: &mut Events) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        if session.message == NONE {
            return;
        }
        if session.tries > 0 && session.handled == 0 {
            session.tries -= 1;
            self.metrics.retried(self.sources[number as usize].flow);
            return self.attempt(now, number, events);
        }
        self.give_up(now, number, events);
        self.next_session(now, number, events);
    }

    /// The receivers that do not have the message of a session will not.
    pub(super) fn give_up(&mut self, now: Time, number: u32, events: &mut Events) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        let message = session.message;
        if message != NONE {
            let left = self.in_flight.messages[message].left;
            self.end_session(number);
            self.lose(now, message, left, events);
        }
    }

    fn close(&mut self, now: Time, number: u32, events: &mut Events) {
        self.end_session(number);
        self.next_session(now, number, events);
    }

    fn end_session(&mut self, number: u32) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        session.reset();
        session.message = NONE;
        if session.budget != NONE {
            self.in_flight.budgets.remove(session.budget);
            session.budget = NONE;
        }
    }

    fn next_session(&mut self, now: Time, number: u32, events: &mut Events) {
        if let Some(message) = self.sources[number as usize].waiting.pop_front() {
            self.start_session(now, number, message, events);
        }
    }

    /// A timer of a session is due.
    pub(super) fn wake(&mut self, now: Time, number: u32, events: &mut Events) {
        let Some(session) = &mut self.sources[number as usize].session else { return };
        if session.due != now {
            return;
        }
        session.due = Time::NEVER;
        match session.ends.wake(now) {
            true => self.fail(now, number, events),
            false => self.pump(now, number, NONE, events),
        }
    }
}
