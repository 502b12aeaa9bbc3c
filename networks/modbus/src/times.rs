//! How long parts of a transaction take without a queue: the least, the mean, and the most.

use std::ops::Add;

use sojourn_core::Duration;
use sojourn_engine::law::Law;
use sojourn_protocols::modbus::Function;

use super::site::{Arrivals, Class, ConnectionSettings, Flow, Item, Site, SourceSettings};
use super::tcp;

/// A random time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The shortest, or one below it.
    pub least: Duration,
    /// Its mean.
    pub mean: Duration,
    /// The longest; none without an upper end.
    pub most: Option<Duration>,
}

impl Span {
    /// A time that does not vary.
    pub const fn constant(time: Duration) -> Span {
        Span { least: time, mean: time, most: Some(time) }
    }

    fn of(law: &Law) -> Span {
        Span { least: law.least(), mean: law.mean, most: law.most() }
    }

    /// Uniform from zero.
    const fn up_to(most: Duration) -> Span {
        Span { least: Duration::ZERO, mean: most.divided(2), most: Some(most) }
    }
}

impl Add for Span {
    type Output = Span;

    fn add(self, other: Span) -> Span {
        let most = self.most.zip(other.most).map(|(one, other)| one + other);
        Span { least: self.least + other.least, mean: self.mean + other.mean, most }
    }
}

/// A transaction of a client on its line or connection.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Until its response timeout begins: the request on a line.
    pub request: Duration,
    /// From there until the client's program has the response.
    pub response: Span,
}

impl Transaction {
    /// All of it.
    pub fn whole(&self) -> Span {
        Span::constant(self.request) + self.response
    }
}

/// What a server needs for a request, without a queue.
pub fn server(site: &Site, item: &Item) -> Span {
    let Class { delay, per_register, scan, .. } = &*site.stations[item.server].class;
    let registers = match item.function {
        Function::ReadCoils | Function::ReadDiscreteInputs | Function::WriteMultipleCoils => item.count.div_ceil(16),
        _ => item.count,
    };
    Span::of(delay) + Span::up_to(*scan) + Span::constant(per_register.times(registers.into()))
}

/// From the last character of a response on a line until the program has it.
fn host(class: &Class, silence: Duration) -> Span {
    let timer = class.latency_timer;
    let received = if timer <= silence {
        Span::constant(silence)
    } else {
        // the mean of the larger of the silence and a time uniform up to that of the timer
        let (silence_s, timer_s) = (silence.seconds(), timer.seconds());
        let mean = Duration::from_seconds((timer_s * timer_s + silence_s * silence_s) / (2.0 * timer_s));
        Span { least: silence, mean: mean.unwrap_or(timer), most: Some(timer) }
    };
    received + Span::of(&class.host_delay)
}

/// A transaction on a line: of its client, or of a gateway.
pub fn on_line(site: &Site, connection: &ConnectionSettings, item: &Item) -> Transaction {
    let line = site.line(connection.medium).expect("a line");
    let silence = Span::constant(line.silence());
    let class = &site.stations[connection.station].class;
    let response =
        silence + server(site, item) + Span::constant(line.frame(item.response)) + host(class, line.silence());
    Transaction { request: line.frame(item.request), response }
}

/// From a server of a line having read its values until the client of the line has them.
pub fn after_reading(site: &Site, connection: &ConnectionSettings, item: &Item) -> Span {
    let line = site.line(connection.medium).expect("a line");
    Span::constant(line.frame(item.response)) + host(&site.stations[connection.station].class, line.silence())
}

/// What TCP adds to a transaction: both directions, the gateway's forwarding, the program of the client.
pub fn on_links(site: &Site, connection: &ConnectionSettings, item: &Item) -> Span {
    let links = site.links(connection.medium).expect("links");
    let wires = tcp::sending(links, item.request) + tcp::sending(links, item.response) + links.delay.times(2);
    let gateway = item.via.map(|via| site.stations[site.connections[via].station].class.gateway.delay);
    let host = Span::of(&site.stations[connection.station].class.host_delay);
    Span::constant(wires + gateway.unwrap_or_default()) + host
}

/// A transaction of a client without any queue.
pub fn transaction(site: &Site, item: &Item) -> Transaction {
    let connection = &site.connections[item.connection];
    if connection.host.is_none() {
        return on_line(site, connection, item);
    }
    let behind = match item.via {
        Some(via) => on_line(site, &site.connections[via], item).whole(),
        None => server(site, item),
    };
    Transaction { request: Duration::ZERO, response: on_links(site, connection, item) + behind }
}

/// The mean time of a round of a client without any other, with its pauses; what `cycle` is compared with before a run.
pub fn round(site: &Site, source: &SourceSettings) -> Duration {
    let (flow, interval) = (&site.flows[source.flow], interval(&site.flows[source.flow]));
    let times = source.items.iter().map(|item| (transaction(site, item).whole().mean + flow.pause).max(interval));
    times.sum()
}

fn interval(flow: &Flow) -> Duration {
    match flow.arrivals {
        Arrivals::Poll { interval, .. } => interval,
        Arrivals::Process(_) => Duration::ZERO,
    }
}
