//! One station: when a customer that arrives now will leave.
//!
//! First come, first served means that a customer's departure is known when it arrives: with one server by
//! Lindley's recursion, with several by that of Kiefer and Wolfowitz (the server that is free first takes the
//! customer). So a departure costs no event; a test holds this against stations with an event for each.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::Server;

use super::settings::{Service, StationSettings};

/// A station in a replication.
pub(super) struct Station {
    service: Service,
    capacity: u64,
    stream: Stream,
    servers: Servers,
    present: Present,
    window: Window,
    /// Picoseconds that customers were present inside the window, and that servers worked.
    presence: u128,
    work: u128,
    present_max: usize,
    /// The number present after each change from time 0, when it was asked for.
    trace: Option<Vec<(u64, f64)>>,
}

/// What is observed: from the end of the warm-up to the end of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub from: Time,
    pub to: Time,
}

/// A visit of a customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visit {
    /// When service begins.
    pub begin: Time,
    /// When it ends and the customer leaves.
    pub departure: Time,
}

/// What a station has seen inside the window.
pub(super) struct Seen {
    /// Mean number of customers present.
    pub mean: f64,
    /// Most customers present from time 0 on.
    pub max: f64,
    /// Share of the servers' time that they worked.
    pub utilisation: f64,
    /// The number present over time.
    pub trace: Option<Vec<(u64, f64)>>,
}

impl Station {
    /// An empty station.
    pub fn new(settings: &StationSettings, stream: Stream, window: Window, traced: bool) -> Station {
        Station {
            service: settings.service,
            capacity: settings.capacity.unwrap_or(u64::MAX),
            stream,
            servers: Servers::new(settings.servers),
            present: Present::new(settings.servers),
            window,
            presence: 0,
            work: 0,
            present_max: 0,
            trace: traced.then(|| vec![(0, 0.0)]),
        }
    }

    /// Takes a customer that arrives at `now`; `None` when there is no room for it.
    #[inline]
    pub fn visit(&mut self, now: Time) -> Option<Visit> {
        self.dismiss(now);
        if self.present.len() as u64 >= self.capacity {
            return None;
        }
        let visit = self.servers.admit(now, self.service.draw(&mut self.stream));
        self.present.add(visit.departure);
        self.presence += self.window.inside(now, visit.departure);
        self.work += self.window.inside(visit.begin, visit.departure);
        self.present_max = self.present_max.max(self.present.len());
        if let Some(trace) = &mut self.trace {
            trace.push((now.picoseconds(), self.present.len() as f64));
        }
        Some(visit)
    }

    /// What was seen up to the window's end.
    pub fn finish(mut self) -> Seen {
        self.dismiss(self.window.to);
        let span = self.window.to.since(self.window.from).picoseconds() as f64;
        let share = |total: u128| if span > 0.0 { total as f64 / span } else { 0.0 };
        Seen {
            mean: share(self.presence),
            max: self.present_max as f64,
            utilisation: share(self.work) / self.servers.count() as f64,
            trace: self.trace,
        }
    }

    /// Lets those go whose departure has come.
    #[inline]
    fn dismiss(&mut self, now: Time) {
        while let Some(departure) = self.present.next_departure().filter(|&departure| departure <= now) {
            self.present.remove_next();
            if let Some(trace) = &mut self.trace {
                trace.push((departure.picoseconds(), self.present.len() as f64));
            }
        }
    }
}

impl Window {
    /// How much of a span lies inside, in picoseconds.
    #[inline]
    fn inside(self, from: Time, to: Time) -> u128 {
        u128::from(to.min(self.to).since(from.max(self.from)).picoseconds())
    }

    /// Whether something that happens at `time` is observed.
    #[inline]
    pub fn holds(self, time: Time) -> bool {
        self.from <= time && time <= self.to
    }
}

/// The servers, by when each will be free.
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
            Servers::One(server) => Visit { begin: server.free_at().max(now), departure: server.serve(now, service) },
            Servers::Several(free_at) => {
                let mut soonest = free_at.peek_mut().expect("a station has a server");
                let begin = soonest.0.max(now);
                soonest.0 = begin + service;
                Visit { begin, departure: begin + service }
            }
        }
    }
}

/// The departures of the customers present: in order from one server, in any order from several.
enum Present {
    Ordered(VecDeque<Time>),
    Heaped(BinaryHeap<Reverse<Time>>),
}

impl Present {
    fn new(servers: usize) -> Present {
        if servers == 1 { Present::Ordered(VecDeque::new()) } else { Present::Heaped(BinaryHeap::new()) }
    }

    #[inline]
    fn len(&self) -> usize {
        match self {
            Present::Ordered(departures) => departures.len(),
            Present::Heaped(departures) => departures.len(),
        }
    }

    #[inline]
    fn next_departure(&self) -> Option<Time> {
        match self {
            Present::Ordered(departures) => departures.front().copied(),
            Present::Heaped(departures) => departures.peek().map(|departure| departure.0),
        }
    }

    #[inline]
    fn add(&mut self, departure: Time) {
        match self {
            Present::Ordered(departures) => departures.push_back(departure),
            Present::Heaped(departures) => departures.push(Reverse(departure)),
        }
    }

    #[inline]
    fn remove_next(&mut self) {
        match self {
            Present::Ordered(departures) => drop(departures.pop_front()),
            Present::Heaped(departures) => drop(departures.pop()),
        }
    }
}
