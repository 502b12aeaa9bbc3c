//! A station with an event for each departure: an outage moves it, and a copy of the world draws it again.
//!
//! A service is drawn when it begins, by the same stream and in the same order as by `recursion`.

use std::collections::VecDeque;

use sojourn_core::{Stream, Time, clone_fields, rekey_fields};
use sojourn_engine::Queue;
use sojourn_engine::law::Law;

use super::customer::Customer;
use super::event::Event;
use super::levels::{Levels, Seen};
use super::scenario::StationSettings;
use sojourn_model::slab::{NONE, Slab};

/// A station in a replication.
pub(super) struct Station {
    pub service: Law,
    pub stream: Stream,
    capacity: u64,
    /// Customers, by number.
    waiting: VecDeque<u32>,
    pub servers: Vec<Server>,
    /// Servers without a customer.
    idle: Vec<u32>,
    /// Since when an outage has stopped the servers.
    stopped: Option<Time>,
    /// What is observed for a record, if one is made.
    levels: Option<Levels>,
}

/// A server.
#[derive(Clone, Copy)]
pub(super) struct Server {
    /// [`NONE`] while it is idle.
    customer: u32,
    /// When its service ends.
    pub due: Time,
}

// copies of a world reuse the memory of those that have ended
clone_fields!([] Station { service, stream, capacity, waiting, servers, idle, stopped, levels });
rekey_fields!(Station { stream });

impl Station {
    /// An empty station.
    pub fn new(settings: &StationSettings, stream: Stream, levels: Option<Levels>) -> Self {
        Station {
            service: settings.service.clone(),
            stream,
            capacity: settings.capacity.unwrap_or(u64::MAX),
            waiting: VecDeque::new(),
            servers: vec![Server { customer: NONE, due: Time::NEVER }; settings.servers],
            idle: (0..settings.servers as u32).rev().collect(),
            stopped: None,
            levels,
        }
    }

    /// Customers that wait or are served.
    #[inline]
    pub fn present(&self) -> u64 {
        (self.waiting.len() + self.servers.len() - self.idle.len()) as u64
    }

    /// Whether one more finds room.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.present() < self.capacity
    }

    /// A customer that has found room arrives.
    #[inline]
    pub fn arrive(&mut self, now: Time, customer: u32, customers: &mut Slab<Customer>, queue: &mut Queue<Event>) {
        self.waiting.push_back(customer);
        self.serve_next(now, customers, queue);
        self.observe(now);
    }

    /// A departure is due: whether the customer departs, since no outage has moved the end of its service.
    #[inline]
    pub fn depart(&mut self, now: Time, key: u32, customers: &mut Slab<Customer>, queue: &mut Queue<Event>) -> bool {
        let number = customers[key].server;
        let server = &mut self.servers[number as usize];
        if self.stopped.is_some() || server.due != now {
            return false;
        }
        server.customer = NONE;
        self.idle.push(number);
        self.serve_next(now, customers, queue);
        self.observe(now);
        true
    }

    /// Serves who is next, if a server is free; whether it is.
    #[inline]
    fn serve_next(&mut self, now: Time, customers: &mut Slab<Customer>, queue: &mut Queue<Event>) -> bool {
        if self.stopped.is_some() || self.idle.is_empty() {
            return false;
        }
        let Some(customer) = self.waiting.pop_front() else { return false };
        let server = self.idle.pop().expect("a server is idle");
        let service = self.service.draw(&mut self.stream);
        customers[customer].server = server;
        customers[customer].served += service;
        self.servers[server as usize] = Server { customer, due: now + service };
        queue.at(now + service, Event::Departure { customer });
        true
    }

    /// The servers stop; what they did is kept.
    pub fn stop(&mut self, now: Time) {
        if self.stopped.is_none() {
            self.stopped = Some(now);
            self.observe(now);
        }
    }

    /// The servers continue with what was interrupted, then serve who waits.
    pub fn resume(&mut self, now: Time, customers: &mut Slab<Customer>, queue: &mut Queue<Event>) {
        let Some(stopped) = self.stopped.take() else { return };
        // an outage without length moves nothing, so that a departure that was moved is due while its customer is still served
        let interrupted = self.servers.iter_mut().filter(|server| server.customer != NONE && stopped < now);
        for Server { customer, due } in interrupted {
            *due = now + due.since(stopped);
            queue.at(*due, Event::Departure { customer: *customer });
        }
        while self.serve_next(now, customers, queue) {}
        self.observe(now);
    }

    /// What was observed for a record.
    pub fn finish(self) -> Seen {
        self.levels.expect("a record is made").finish(self.servers.len())
    }

    /// The levels may have changed.
    #[inline]
    fn observe(&mut self, now: Time) {
        let present = self.present();
        if let Some(levels) = &mut self.levels {
            let busy = if self.stopped.is_none() { self.servers.len() - self.idle.len() } else { 0 };
            levels.set(now, present, busy as u64, self.servers.len());
        }
    }
}
