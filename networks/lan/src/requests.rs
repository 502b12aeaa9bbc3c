//! Requests over TCP: how clients and servers use their connections.
//!
//! A message is complete when the segment that fills its last gap has been taken. Time until that segment was sent is
//! charged to TCP; time after it, to the components of the segment.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::tcp::machine::{End, Input, Output};

use super::capture::ECHO_PORT;
use super::event::{Event, Events};
use super::fabric::Fabric;
use super::hosts::Program;
use super::latency_budget::Component;
use super::site::Opened;
use super::world::Lan;
use sojourn_model::slab::NONE;

/// Ports of clients: the range of Linux for outgoing connections (`ip_local_port_range`).
const EPHEMERAL: (u32, u32) = (32_768, 60_999);

impl<F: Fabric> Lan<'_, '_, F> {
    /// A client makes its next request, over a new connection where it has none.
    pub(super) fn ask_over_tcp(&mut self, now: Time, number: u32, events: &mut Events) {
        let requester = &mut self.requesters[number as usize];
        if !requester.sends {
            requester.is_held = true;
            return;
        }
        requester.ask(now);
        let (flow, probed) = (requester.flow, requester.request.cycle.probed);
        self.metrics.requested(flow);
        if let Some(observed) = self.timed.as_mut().filter(|_| probed) {
            observed.events.sent(now);
        }
        match self.requesters[number as usize].transfer() {
            Some(transfer) => self.write_message(now, 2 * transfer, number, events),
            None => self.connect(now, number, events),
        }
    }

    fn connect(&mut self, now: Time, number: u32, events: &mut Events) {
        let (first, last) = EPHEMERAL;
        let port = first + self.opened % (last - first + 1);
        self.opened = self.opened.wrapping_add(1);
        let (mut transfer, is_open) = self.requesters[number as usize].connect(number, [port as u16, ECHO_PORT]);
        if !is_open {
            transfer.connect(now);
        }
        let place = match self.vacant.pop() {
            Some(place) => {
                self.transfers[place as usize] = transfer;
                place
            }
            None => {
                self.transfers.push(transfer);
                self.transfers.len() as u32 - 1
            }
        };
        self.requesters[number as usize].set_transfer(Some(place));
        match is_open {
            true => self.write_message(now, 2 * place, number, events),
            false => self.settle(now, 2 * place, events),
        }
    }

    /// Writes what is left of the request, at an even `end`, or of the response.
    fn write_message(&mut self, now: Time, end: u32, number: u32, events: &mut Events) {
        let Some(exchange) = &mut self.requesters[number as usize].exchange else { return };
        let (left, tcp) = (
            &mut exchange.unwritten[end as usize % 2],
            &mut self.transfers[end as usize / 2].ends[end as usize % 2].tcp,
        );
        if *left == 0 || !tcp.is_established() {
            return;
        }
        let taken = tcp.send_space().min(*left);
        tcp.handle(now, Input::Write { octets: *left });
        *left -= taken;
        self.settle(now, end, events);
    }

    /// The account of a segment of `length` octets of data that an end sends now: until now the message waited for TCP.
    #[inline]
    pub(super) fn begin_budget(&mut self, now: Time, end: u32, length: u32) -> u32 {
        let transfer = &self.transfers[end as usize / 2];
        let Program::Requests(requester) = transfer.program else { return NONE };
        match &self.requesters[requester as usize].exchange {
            Some(exchange) if length > 0 => {
                let mut latency = exchange.latency;
                latency.account(Component::Tcp, now);
                self.budgets.insert(latency)
            }
            _ => NONE,
        }
    }

    /// What the TCP of an `end` reports to the programs of a client.
    pub(super) fn of_requests(&mut self, now: Time, end: u32, number: u32, output: Output, events: &mut Events) {
        let is_current = self.requesters[number as usize].transfer() == Some(end / 2);
        match output {
            Output::Established | Output::Writable if is_current => self.write_message(now, end, number, events),
            Output::Deliver { octets } if is_current => self.arrived(now, end, number, octets, events),
            Output::EndOfStream => {
                self.transfers[end as usize / 2].ends[end as usize % 2].tcp.handle(now, Input::Close);
            }
            Output::Closed { end: End::TimedOut | End::Reset } if is_current => self.give_up(now, number, events),
            _ => {}
        }
        self.end_connection(end / 2);
    }

    /// Data of the request, or of the response, have arrived.
    fn arrived(&mut self, now: Time, end: u32, number: u32, octets: u64, events: &mut Events) {
        let requester = &mut self.requesters[number as usize];
        let Some(exchange) = &mut requester.exchange else { return };
        // the request arrives at the server's end, which has an odd number
        let missing = &mut exchange.missing[1 - end as usize % 2];
        *missing = missing.saturating_sub(octets);
        if *missing > 0 {
            return;
        }
        if let Some(carried) = self.carried {
            exchange.latency = carried;
        }
        if end.is_multiple_of(2) {
            return self.responded(now, number, events);
        }
        let time = requester.server_time();
        if time > Duration::ZERO {
            events.at(now + time, Event::Respond(number));
        } else {
            self.respond(now, number, events);
        }
    }

    /// A server has its response, unless the exchange has failed meanwhile.
    pub(super) fn respond(&mut self, now: Time, number: u32, events: &mut Events) {
        let requester = &mut self.requesters[number as usize];
        let transfer = requester.transfer();
        let (Some(exchange), Some(transfer)) = (&mut requester.exchange, transfer) else { return };
        if exchange.missing[0] > 0 {
            return;
        }
        exchange.latency.account(Component::Server, now);
        exchange.unwritten[1] = requester.request.sizes[1];
        self.write_message(now, 2 * transfer + 1, number, events);
    }

    /// A client has the whole response.
    fn responded(&mut self, now: Time, number: u32, events: &mut Events) {
        let requester = &mut self.requesters[number as usize];
        let Some(exchange) = requester.exchange.take() else { return };
        let program = requester.program();
        self.metrics.responded(now, program, exchange.began, &exchange.latency);
        if let Some(observed) = self.timed.as_mut().filter(|_| program.probed) {
            observed.events.ended(exchange.began, Some(now - exchange.began));
        }
        let requester = &mut self.requesters[number as usize];
        events.at(requester.next(now), Event::Ask(number));
        if requester.request.opened == Opened::PerRequest
            && let Some(transfer) = requester.transfer()
        {
            requester.set_transfer(None);
            self.transfers[transfer as usize].ends[0].tcp.handle(now, Input::Close);
        }
    }

    /// TCP has given up a client's connection: the next request goes over another one.
    fn give_up(&mut self, now: Time, number: u32, events: &mut Events) {
        self.metrics.aborted.add(1);
        let requester = &mut self.requesters[number as usize];
        let transfer = requester.transfer();
        requester.set_transfer(None);
        let (exchange, program) = (requester.exchange.take(), requester.program());
        if let Some(exchange) = exchange {
            events.at(requester.next(now), Event::Ask(number));
            self.metrics.failed(now, program, exchange.began);
            if let Some(observed) = self.timed.as_mut().filter(|_| program.probed) {
                observed.events.ended(exchange.began, None);
            }
        }
        for end in transfer.into_iter().flat_map(|transfer| [2 * transfer, 2 * transfer + 1]) {
            self.transfers[end as usize / 2].ends[end as usize % 2].tcp.handle(now, Input::Abort);
            self.settle(now, end, events);
        }
    }

    /// Frees the place of a connection on which nothing more happens.
    fn end_connection(&mut self, number: u32) {
        let transfer = &mut self.transfers[number as usize];
        if !transfer.is_over && transfer.ends.iter().all(|end| end.tcp.is_closed()) {
            transfer.is_over = true;
            self.vacant.push(number);
        }
    }
}
