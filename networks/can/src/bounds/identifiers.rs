//! Which order of identifiers meets all deadlines, and how much delay it tolerates: Audsley's assignment of priorities (Information Processing
//! Letters 79, 2001), the robust one of Davis and Burns (Real-Time Systems 41, 2009).
//!
//! What processors take depends a little on the order: the search takes what they need at least, so that where it finds none there is
//! none; an order that it finds is judged by the whole analysis.

use sojourn_bounds::fixed_priority::Stream;
use sojourn_bounds::priority_assignment::{Message, Set};
use sojourn_core::Duration;
use sojourn_metrics::results::PriorityRow;
use sojourn_protocols::can::frame::Id;

use super::schedulable::{limit, missing};
use super::system::{Found, System};
use crate::site::{Service, Site};

/// Messages for which an order is looked for.
const MOST_STREAMS: usize = 150;

/// Flows that are named where no order is found.
const MOST_NAMES: usize = 6;

/// Searches with what processors take in the order that was found last.
const ROUNDS: usize = 3;

/// Times of processors, by station.
type Processors = Vec<Option<Duration>>;

/// What there is to say, and the messages in an order that meets all deadlines, where that is better than the order that is written.
pub fn assigned(site: &Site, system: &System<'_>, found: &Found) -> (Vec<String>, Vec<PriorityRow>) {
    let search = Search { site, system };
    if system.streams.len() < 2 {
        return (Vec::new(), Vec::new());
    }
    if let Some(why) = search.inapplicable() {
        return (vec![format!("no other order of identifiers is looked for: {why}")], Vec::new());
    }
    let is_met = missing(site, system, found).is_none();
    let own = if is_met { search.slack(system, &found.cpu) } else { None };
    match (search.best(), own) {
        (Best::Found(ordered, solved), own) => {
            let slack = search.slack(&ordered, &solved.cpu).unwrap_or_default();
            match own {
                Some(own) if own >= slack => {
                    // where processors take longer than they must, another order might
                    let least = system.least();
                    let is_most = found.cpu == least && solved.cpu == least;
                    let more = if is_most { ", and no other order of identifiers tolerates more" } else { "" };
                    (vec![format!("{}{more}", tolerates(own))], Vec::new())
                }
                Some(own) => {
                    let line = format!("{}; another order of identifiers tolerates {slack}", tolerates(own));
                    (vec![line], search.rows(&ordered, &solved))
                }
                None => {
                    let line = format!("another order of identifiers meets every deadline: {}", tolerates(slack));
                    (vec![line], search.rows(&ordered, &solved))
                }
            }
        }
        (_, Some(own)) => (vec![tolerates(own)], Vec::new()),
        (Best::None(late), None) => (vec![none(&late)], Vec::new()),
        (Best::Undecided, None) => {
            let line = "whether another order of identifiers meets every deadline is not decided: processors take longer in those that were tried";
            (vec![line.to_owned()], Vec::new())
        }
    }
}

/// No order meets all deadlines: the flows of messages of which the lowest misses its own, whichever it is.
fn none(late: &[&str]) -> String {
    let mut names = late.to_vec();
    names.dedup();
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let names = names.join(", ");
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    match late.len() {
        1 => format!("no order of identifiers meets every deadline: {names} misses it even with the highest priority"),
        _ => format!("no order of identifiers meets every deadline: of {names}{more} each misses it below the others"),
    }
}

fn tolerates(slack: Duration) -> String {
    format!("deadlines are met even if a bus is blocked for another {slack} in a busy period")
}

/// What a search ends with.
enum Best<'s> {
    /// Priorities that meet all deadlines, and their worst cases.
    Found(System<'s>, Found),
    /// None does: the flows of messages of which the lowest misses its deadline, whichever it is.
    None(Vec<&'s str>),
    /// Neither is known.
    Undecided,
}

struct Search<'s, 'm> {
    site: &'s Site,
    system: &'m System<'s>,
}

impl<'s> Search<'s, '_> {
    /// Why the assignment does not hold here.
    fn inapplicable(&self) -> Option<String> {
        let Search { site, system } = self;
        if let Some(flow) = site.flows.iter().find(|flow| flow.service != Service::Broadcast) {
            return Some(format!("answers and timers decide when frames of {} are sent", flow.name));
        }
        if system.streams.len() > MOST_STREAMS {
            return Some(format!("there are more than {MOST_STREAMS} messages"));
        }
        (0..system.streams.len()).find_map(|stream| {
            let flow = &site.flows[system.streams[stream].flow].name;
            let station = &site.stations[system.sender(stream)].name;
            let medium = &site.media[system.streams[stream].medium];
            if medium.link.is_some() {
                Some(format!("{flow} passes the IP network {}", medium.name))
            } else if system.streams[stream].before.is_some() {
                Some(format!("{flow} passes the gateway {station}, and is late behind it by what it takes before"))
            } else if !system.is_by_priority(stream) {
                Some(format!("frames of {station} do not wait by their priorities"))
            } else if system.period(stream).is_none() {
                Some(format!("{flow} has no shortest interval"))
            } else {
                system.bounded(stream).err()
            }
        })
    }

    /// The order that tolerates most, by what processors take at least, then by what they take in the order that was found.
    fn best(&self) -> Best<'s> {
        let mut processors = self.system.least();
        for round in 0..ROUNDS {
            let mut ordered = self.system.clone();
            for medium in 0..self.site.media.len() {
                let (streams, messages) = self.messages(self.system, medium, &processors);
                let set = Set { bus: self.system.bus(medium), messages: &messages };
                match set.assign() {
                    Ok(order) => {
                        for (priority, place) in (0..).zip(order) {
                            ordered.streams[streams[place]].priority = priority;
                        }
                    }
                    Err(late) if round == 0 => {
                        let name = |place: usize| &*self.site.flows[self.system.streams[streams[place]].flow].name;
                        return Best::None(late.into_iter().map(name).collect());
                    }
                    Err(_) => return Best::Undecided,
                }
            }
            let solved = ordered.solve();
            if missing(self.site, &ordered, &solved).is_none() {
                return Best::Found(ordered, solved);
            }
            processors = solved.cpu;
        }
        Best::Undecided
    }

    /// The streams of a bus as messages that a search takes.
    fn messages(&self, system: &System<'_>, medium: usize, processors: &Processors) -> (Vec<usize>, Vec<Message>) {
        let streams: Vec<usize> =
            (0..system.streams.len()).filter(|&number| system.streams[number].medium == medium).collect();
        // a processor without a bound is late for ever
        let time = |station: usize| processors[station].unwrap_or(Duration::from_secs(1_000_000));
        let message = |&number: &usize| {
            let stream = &system.streams[number];
            let behind = system.deliveries(number).map(time).max().unwrap_or_default();
            Message {
                stream: Stream {
                    cost: stream.cost,
                    period: system.period(number).unwrap_or_default(),
                    jitter: stream.released + time(system.sender(number)),
                },
                deadline: limit(self.site, system, number).unwrap_or_default().saturating_sub(behind),
            }
        };
        let messages = streams.iter().map(message).collect();
        (streams, messages)
    }

    /// The longest additional blocking with which this order still meets all deadlines: the least of all buses.
    fn slack(&self, system: &System<'_>, processors: &Processors) -> Option<Duration> {
        let of_bus = |medium: usize| {
            let (streams, messages) = self.messages(system, medium, processors);
            let mut order: Vec<usize> = (0..streams.len()).collect();
            order.sort_by_key(|&place| system.streams[streams[place]].priority);
            let bus = system.bus(medium);
            let bits = Set { bus, messages: &messages }.slack(&order)?;
            Some((!order.is_empty()).then(|| bus.bit.times(bits)))
        };
        let all = (0..self.site.media.len()).map(of_bus).collect::<Option<Vec<_>>>()?;
        all.into_iter().flatten().min()
    }

    /// The messages in an order, bus by bus, the highest first.
    fn rows(&self, ordered: &System<'_>, solved: &Found) -> Vec<PriorityRow> {
        let mut rows = Vec::new();
        for (medium, settings) in self.site.media.iter().enumerate() {
            let (mut streams, _) = self.messages(ordered, medium, &solved.cpu);
            let mut ids: Vec<Id> = streams.iter().map(|&stream| ordered.streams[stream].id).collect();
            ids.sort_by_key(|id| id.arbitration(false));
            let is_extended = |id: &Id| matches!(id, Id::Extended(_));
            let is_of_one_format = ids.iter().all(is_extended) || !ids.iter().any(is_extended);
            streams.sort_by_key(|&stream| ordered.streams[stream].priority);
            for (&stream, id) in streams.iter().zip(ids) {
                let ends = ordered.deliveries(stream).filter_map(|station| solved.end(stream, station).ok());
                rows.push(PriorityRow {
                    medium: settings.name.clone(),
                    flow: self.site.flows[ordered.streams[stream].flow].name.clone(),
                    station: self.site.stations[ordered.sender(stream)].name.clone(),
                    identifier: format!("{}h", ordered.streams[stream].id),
                    assigned: is_of_one_format.then(|| format!("{id}h")),
                    deadline: limit(self.site, ordered, stream).unwrap_or_default().seconds(),
                    delay: ends.max().unwrap_or_default().seconds(),
                });
            }
        }
        rows
    }
}
