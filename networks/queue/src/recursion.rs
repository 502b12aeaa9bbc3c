//! A station without an event for each departure: when a customer that arrives now will leave.
//!
//! First come, first served means that a customer's departure is known when it arrives: with one server by
//! Lindley's recursion, with several by that of Kiefer and Wolfowitz (the server that is free first takes the
//! customer). So a departure costs no event; a test holds this against stations with an event for each.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::Server;
use sojourn_engine::law::Law;

use super::levels::{Seen, Window};
use super::scenario::StationSettings;

/// Customers that pass a station together, one after the other: what each step needs stays in registers.
pub(super) const BLOCK: usize = 64;

/// A station in a replication.
#[derive(Clone)]
pub(super) struct Recursion {
    service: Law,
    capacity: u64,
    stream: Stream,
    servers: Servers,
    present: Present,
    window: Window,
    /// Picoseconds that customers were present inside the window, and that servers worked.
    presence: u128,
    work: u128,
    /// Arrivals (+1) and departures (-1) from time 0, when they were asked for.
    changes: Option<Vec<(Time, i8)>>,
}

/// A visit of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    /// When service begins.
    pub begin: Time,
    /// When it ends and the customer leaves.
    pub departure: Time,
}

impl Visit {
    /// Of a customer that arrives at `now` and that one server serves after all before it.
    #[inline]
    fn of(server: &mut Server, now: Time, service: Duration) -> Visit {
        Visit { begin: server.free_at().max(now), departure: server.serve(now, service) }
    }
}

impl Recursion {
    /// An empty station.
    pub fn new(settings: &StationSettings, stream: Stream, window: Window, traced: bool) -> Self {
        Recursion {
            service: settings.service.clone(),
            capacity: settings.capacity.unwrap_or(u64::MAX),
            stream,
            servers: Servers::new(settings.servers),
            present: Present::new(settings.servers),
            window,
            presence: 0,
            work: 0,
            changes: traced.then(Vec::new),
        }
    }

    /// Takes a customer that arrives at `now`; `None` when there is no room for it.
    #[inline]
    pub fn visit(&mut self, now: Time) -> Option<Visit> {
        if !self.present.has_room(now, self.capacity) {
            return None;
        }
        let visit = self.servers.admit(now, self.service.draw(&mut self.stream));
        self.present.add(now, visit.departure);
        self.presence += self.window.inside(now, visit.departure);
        self.work += self.window.inside(visit.begin, visit.departure);
        // a visit of no time at all changes nothing
        if let Some(changes) = self.changes.as_mut().filter(|_| visit.departure > now) {
            changes.extend([(now, 1), (visit.departure, -1)]);
        }
        Some(visit)
    }

    /// Takes customers that arrive at the times `now` in this order, until one finds no room: puts there when they leave, and adds to
    /// `waited`; returns how many it has taken.
    pub fn visit_all(&mut self, now: &mut [Time], waited: &mut [Duration]) -> usize {
        if self.capacity == u64::MAX && self.changes.is_none() && matches!(self.servers, Servers::One(_)) {
            self.serve_all(now, waited);
            return now.len();
        }
        for (number, (now, waited)) in now.iter_mut().zip(waited).enumerate() {
            let Some(visit) = self.visit(*now) else { return number };
            *waited += visit.begin.since(*now);
            *now = visit.departure;
        }
        now.len()
    }

    /// [`Recursion::visit_all`] where all find room and are served in order, and nothing is traced: one step after the other for all of them, so that what a
    /// step needs stays in registers.
    fn serve_all(&mut self, now: &mut [Time], waited: &mut [Duration]) {
        let (mut services, mut departures) = ([Duration::ZERO; BLOCK], [Time::ZERO; BLOCK]);
        let (services, departures) = (&mut services[..now.len()], &mut departures[..now.len()]);
        self.service.draw_all(&mut self.stream, services);
        let Servers::One(server) = &mut self.servers else { unreachable!("one server serves in order") };
        let (mut one, window, mut presence, mut work) = (*server, self.window, 0, 0);
        for (((&now, waited), departure), &service) in now.iter().zip(waited).zip(&mut *departures).zip(&*services) {
            let visit = Visit::of(&mut one, now, service);
            *departure = visit.departure;
            *waited += visit.begin.since(now);
            presence += window.inside(now, visit.departure);
            work += window.inside(visit.begin, visit.departure);
        }
        *server = one;
        self.presence += presence;
        self.work += work;
        self.present.add_all(now, departures);
        now.copy_from_slice(departures);
    }

    /// What was seen up to the window's end.
    pub fn finish(self) -> Seen {
        Seen {
            mean: self.window.mean(self.presence),
            max: self.present.most() as f64,
            utilisation: self.window.mean(self.work) / self.servers.count() as f64,
            trace: self.changes.map(|changes| levels(changes, self.window.to)),
            timelines: None,
        }
    }
}

/// The level after each change up to `end`, departures before arrivals.
fn levels(mut changes: Vec<(Time, i8)>, end: Time) -> Vec<(u64, f64)> {
    changes.retain(|&(at, _)| at <= end);
    changes.sort();
    let mut level = 0.0;
    let after = changes.into_iter().map(|(at, change)| {
        level += f64::from(change);
        (at.picoseconds(), level)
    });
    std::iter::once((0, 0.0)).chain(after).collect()
}

/// The servers, by when each will be free.
#[derive(Clone)]
enum Servers {
    One(Server),
    Several(BinaryHeap<Reverse<Time>>),
}

impl Servers {
    fn new(count: usize) -> Servers {
        match count {
            1 => Servers::One(Server::default()),
            _ => Servers::Several(vec![Reverse(Time::ZERO); count].into()),
        }
    }

    fn count(&self) -> usize {
        match self {
            Servers::One(_) => 1,
            Servers::Several(free_at) => free_at.len(),
        }
    }

    #[inline]
    fn admit(&mut self, now: Time, service: Duration) -> Visit {
        match self {
            Servers::One(server) => Visit::of(server, now, service),
            Servers::Several(free_at) => {
                let mut soonest = free_at.peek_mut().expect("a station has a server");
                let begin = soonest.0.max(now);
                soonest.0 = begin + service;
                Visit { begin, departure: begin + service }
            }
        }
    }
}

/// Who is present, by when they will leave, and the most there have been.
#[derive(Clone)]
enum Present {
    /// From one server customers leave in order, so the departures of the last so many show whether more than
    /// that are present: as many are kept as there have been at most.
    Ordered(VecDeque<Time>),
    /// From several they leave in any order: those present, and the most there have been.
    Heaped(BinaryHeap<Reverse<Time>>, usize),
}

impl Present {
    fn new(servers: usize) -> Present {
        if servers == 1 { Present::Ordered(VecDeque::new()) } else { Present::Heaped(BinaryHeap::new(), 0) }
    }

    /// Whether fewer than `capacity` are present at `now`, those who leave just then not counted.
    #[inline]
    fn has_room(&mut self, now: Time, capacity: u64) -> bool {
        match self {
            Present::Ordered(last) => (last.len() as u64) < capacity || last.front().is_none_or(|&first| first <= now),
            Present::Heaped(departures, _) => {
                while departures.peek().is_some_and(|departure| departure.0 <= now) {
                    departures.pop();
                }
                (departures.len() as u64) < capacity
            }
        }
    }

    /// Adds one that arrives at `now`, after [`Present::has_room`].
    #[inline]
    fn add(&mut self, now: Time, departure: Time) {
        match self {
            Present::Ordered(last) => {
                if last.front().is_some_and(|&first| first <= now) {
                    last.pop_front();
                }
                last.push_back(departure);
            }
            Present::Heaped(departures, most) => {
                departures.push(Reverse(departure));
                *most = departures.len().max(*most);
            }
        }
    }

    /// Adds those that arrive at the instants `now`, as [`Present::add`] does one after the other, without [`Present::has_room`].
    fn add_all(&mut self, now: &[Time], departures: &[Time]) {
        let Present::Ordered(last) = self else { unreachable!("departures are in order from one server") };
        let before = last.len();
        last.extend(departures);
        // mostly there are no more than there have been: each takes the place of one who has left
        let mut left = now.len();
        if before == 0 || last.iter().zip(now).any(|(first, now)| first > now) {
            left = 0;
            for (number, now) in now.iter().enumerate() {
                left += usize::from(left < before + number && last[left] <= *now);
            }
        }
        last.drain(..left);
    }

    fn most(&self) -> usize {
        match self {
            Present::Ordered(last) => last.len(),
            Present::Heaped(_, most) => *most,
        }
    }
}
