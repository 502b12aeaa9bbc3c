//! The longest times of a client's requests: see `bounds` for the argument.

use sojourn_core::Duration;
use sojourn_engine::arrivals;
use sojourn_protocols::modbus::{BROADCAST, LONGEST_PDU};

use super::site::{Arrivals, ConnectionSettings, Flow, Item, Site, SourceSettings};
use super::{tcp, times};

/// A bound, or why there is none.
pub type Bound = Result<Duration, String>;

/// A site of which one server may not answer.
pub struct Case<'a> {
    /// The site.
    pub site: &'a Site,
    /// The server that does not answer.
    pub dead: Option<usize>,
}

impl Case<'_> {
    fn flow(&self, source: &SourceSettings) -> &Flow {
        &self.site.flows[source.flow]
    }

    /// How long a transaction holds a line, without the pause after it, with these settings of its client.
    fn holds_line(&self, line: usize, item: &Item, (timeout, retries): (Duration, u8)) -> Bound {
        let connection = &self.site.connections[line];
        let transaction = times::on_line(self.site, connection, item);
        let all_tries = (transaction.request + timeout).times(u64::from(retries) + 1);
        if item.unit == BROADCAST {
            return Ok(transaction.request + timeout);
        }
        if self.dead == Some(item.server) {
            return Ok(all_tries);
        }
        let server = &self.site.stations[item.server].name;
        let most = transaction
            .response
            .most
            .ok_or_else(|| format!("the delay of {server} or of its client has no upper end"))?;
        if most > timeout {
            return Err(format!("a response of {server} may take {most}, longer than its timeout of {timeout}"));
        }
        self.hears(line, item)?;
        let settings = self.site.line(connection.medium).expect("a line");
        Ok(if settings.bit_error_rate > 0.0 { all_tries } else { transaction.request + most })
    }

    /// Refuses a server that may still carry out a broadcast when it is asked, and then does not hear that.
    fn hears(&self, line: usize, item: &Item) -> Result<(), String> {
        let medium = self.site.connections[line].medium;
        let silence = self.site.line(medium).expect("a line").silence();
        for source in &self.site.sources {
            let broadcasts = source.items.iter().filter(|other| other.connection == line && other.unit == BROADCAST);
            for broadcast in broadcasts {
                let turnaround = self.flow(source).timeout;
                let busy = times::server(self.site, &Item { server: item.server, ..*broadcast }).most;
                if busy.is_none_or(|busy| silence + busy > turnaround) {
                    let name = &self.site.stations[item.server].name;
                    return Err(format!(
                        "{name} may carry out a broadcast for longer than its turnaround of {turnaround}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Who asks on a line, each with the most requests that are there at a time and how long one holds it, its pause included.
    fn askers(&self, line: usize) -> Result<Vec<(usize, u64, Duration)>, String> {
        let mut askers: Vec<(usize, u64, Duration)> = Vec::new();
        let gateway = &self.site.stations[self.site.connections[line].station].class.gateway;
        for (number, source) in self.site.sources.iter().enumerate() {
            let flow = self.flow(source);
            for item in &source.items {
                // flows of the client itself ask one by one, others by connection
                let (asker, open, held) = if item.connection == line {
                    (number, 1, self.holds_line(line, item, (flow.timeout, flow.retries))? + flow.pause)
                } else if item.via == Some(line) {
                    let client = &self.site.stations[source.station].class;
                    let held = self.holds_line(line, item, (gateway.timeout, gateway.retries))? + gateway.pause;
                    (self.site.sources.len() + item.connection, client.outstanding.into(), held)
                } else {
                    continue;
                };
                match askers.iter_mut().find(|(known, ..)| *known == asker) {
                    Some((_, _, most)) => *most = held.max(*most),
                    None => askers.push((asker, open, held)),
                }
            }
        }
        Ok(askers)
    }

    /// What may be ahead of a request on a line.
    fn ahead(&self, line: usize, own: usize) -> Bound {
        let others = self
            .askers(line)?
            .into_iter()
            .map(|(asker, open, held)| held.times(if asker == own { open - 1 } else { open }));
        Ok(others.sum())
    }

    /// The longest time of each request of a client's round, from when it is due until its response is there.
    pub fn responses(&self, source: &SourceSettings) -> Result<Vec<Duration>, String> {
        let flow = self.flow(source);
        let number = self.site.sources.iter().position(|other| std::ptr::eq(other, source)).expect("one of the site");
        let over = |item: &Item| match self.site.connections[item.connection].host {
            None => {
                let own = self.holds_line(item.connection, item, (flow.timeout, flow.retries))?;
                Ok(flow.pause + self.ahead(item.connection, number)? + own)
            }
            Some(host) => self.over_tcp(source, item, host),
        };
        let times: Result<Vec<Duration>, String> = source.items.iter().map(over).collect();
        self.rounds_do_not_meet(source, times?)
    }

    /// The same, where a round is over before the next one is due.
    fn rounds_do_not_meet(&self, source: &SourceSettings, times: Vec<Duration>) -> Result<Vec<Duration>, String> {
        let flow = self.flow(source);
        let round: Duration = times.iter().copied().sum();
        match &flow.arrivals {
            Arrivals::Process(arrivals::Arrivals::Periodic { period, jitter }) if round + *jitter > *period => {
                Err(format!("a round may take {round}, longer than the period, and the next one then waits for it"))
            }
            Arrivals::Process(process)
                if !process.is_closed() && !matches!(process, arrivals::Arrivals::Periodic { .. }) =>
            {
                Err("any number of rounds may be due at a time".to_owned())
            }
            _ => Ok(times),
        }
    }

    /// The shortest time between the begins of two requests of a round.
    fn interval(&self, source: &SourceSettings) -> Duration {
        match self.flow(source).arrivals {
            Arrivals::Poll { interval, .. } => interval,
            Arrivals::Process(_) => Duration::ZERO,
        }
    }

    /// The longest round of a client.
    pub fn round(&self, source: &SourceSettings) -> Bound {
        let interval = self.interval(source);
        Ok(self.responses(source)?.into_iter().map(|time| time.max(interval)).sum())
    }

    /// The greatest age of a value of a client's round when the next one replaces it.
    ///
    /// Two rounds begin at most a `cycle`, or the longest round, apart. A value comes at the earliest when all requests before
    /// it have taken their shortest time, and at the latest when they have taken their longest; it was read as long before as
    /// its response takes.
    pub fn age(&self, source: &SourceSettings, cycle: Duration) -> Bound {
        let interval = self.interval(source);
        let apart = self.round(source)?.max(cycle);
        let (mut earliest, mut latest, mut oldest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        for (item, longest) in source.items.iter().zip(self.responses(source)?) {
            latest += longest;
            let shortest = times::transaction(self.site, item).whole().least;
            // several that are open at a time may overtake each other
            let comes = if source.window == 1 { earliest + shortest } else { shortest };
            oldest = oldest.max(latest.saturating_sub(comes) + self.after_reading(source, item)?);
            earliest += shortest.max(interval);
            latest += interval.saturating_sub(longest);
        }
        Ok(apart + oldest)
    }

    /// From a server having read its values until the client has them.
    fn after_reading(&self, source: &SourceSettings, item: &Item) -> Bound {
        let connection = &self.site.connections[item.connection];
        let unbounded = || format!("the delay of {} has no upper end", self.site.stations[source.station].name);
        let Some(host) = connection.host else {
            return times::after_reading(self.site, connection, item).most.ok_or_else(unbounded);
        };
        let links = times::on_links(self.site, connection, item).most.ok_or_else(unbounded)?;
        let line = item.via.map(|line| times::after_reading(self.site, &self.site.connections[line], item).most);
        let line = line.unwrap_or(Some(Duration::ZERO)).ok_or_else(unbounded)?;
        Ok(links + self.port(host, connection) + line)
    }

    /// A request over TCP: behind those that the client has for the same host, then as [`Case::on_host`].
    fn over_tcp(&self, source: &SourceSettings, item: &Item, host: usize) -> Bound {
        let flow = self.flow(source);
        let mut ahead = flow.pause;
        for other in &self.site.sources {
            let same = other.items.iter().filter(|of| of.connection == item.connection);
            let longest = same.map(|of| Ok(self.on_host(other, of, host)? + self.flow(other).pause));
            let longest = longest.collect::<Result<Vec<Duration>, String>>()?.into_iter().max();
            let open = u64::from(other.window) - u64::from(std::ptr::eq(other, source));
            ahead += longest.unwrap_or_default().times(open);
        }
        Ok(ahead + self.on_host(source, item, host)?)
    }

    /// A request from when its client sends it: links, and what a server or a gateway has before it.
    fn on_host(&self, source: &SourceSettings, item: &Item, host: usize) -> Bound {
        let connection = &self.site.connections[item.connection];
        let flow = self.flow(source);
        let unbounded = || format!("the delay of {} has no upper end", self.site.stations[source.station].name);
        let links = times::on_links(self.site, connection, item).most.ok_or_else(unbounded)?;
        let ports = self.port(source.station, connection) + self.port(host, connection);
        let behind = match item.via {
            Some(line) => {
                let gateway = &self.site.stations[host].class.gateway;
                self.fits(line, gateway.queue as u64 + 1, host)?;
                let own = self.holds_line(line, item, (gateway.timeout, gateway.retries))?;
                gateway.pause + self.ahead(line, self.site.sources.len() + item.connection)? + own
            }
            None => self.in_server(item, host)?,
        };
        let whole = links + ports + behind;
        match whole > flow.timeout {
            true => Err(format!(
                "a response to `{}` may take {whole}, longer than its timeout of {}",
                flow.name, flow.timeout
            )),
            false => Ok(whole),
        }
    }

    /// Refuses a queue of a gateway that may be full.
    fn fits(&self, line: usize, places: u64, host: usize) -> Result<(), String> {
        let open: u64 = self.askers(line)?.iter().map(|(_, open, _)| open).sum();
        let name = &self.site.stations[host].name;
        if open > places {
            Err(format!("the queue of {name} may be full: {open} requests may come at a time"))
        } else {
            Ok(())
        }
    }

    /// A request in a server on TCP: behind as many of each connection as that may have open.
    fn in_server(&self, item: &Item, host: usize) -> Bound {
        if self.dead == Some(host) {
            return Err("a server on TCP that does not answer is asked until the client's timeout".to_owned());
        }
        let name = &self.site.stations[host].name;
        let (mut sum, mut requests) = (Duration::ZERO, 0);
        for (number, connection) in
            self.site.connections.iter().enumerate().filter(|(_, other)| other.host == Some(host))
        {
            let here = self.site.sources.iter().flat_map(|source| &source.items);
            let here = here.filter(|other| other.connection == number && other.via.is_none());
            let longest = here.map(|other| {
                times::server(self.site, other).most.ok_or_else(|| format!("the delay of {name} has no upper end"))
            });
            let longest = longest.collect::<Result<Vec<Duration>, String>>()?.into_iter().max().unwrap_or_default();
            let open = u64::from(self.site.stations[connection.station].class.outstanding);
            requests += open;
            sum += longest.times(if number == item.connection { open - 1 } else { open });
        }
        if requests > u64::from(self.site.stations[host].class.queue) + 1 {
            return Err(format!("the queue of {name} may be full: {requests} requests may come at a time"));
        }
        let own = times::server(self.site, item).most.ok_or_else(|| format!("the delay of {name} has no upper end"))?;
        Ok(sum + own)
    }

    /// What may be ahead of a frame on the link of a station: one of each request that it may have sent or is to answer.
    fn port(&self, station: usize, connection: &ConnectionSettings) -> Duration {
        let links = self.site.links(connection.medium).expect("links");
        let here = |other: &&ConnectionSettings| {
            other.host.is_some() && (other.station == station || other.host == Some(station))
        };
        let of = |other: &ConnectionSettings| u64::from(self.site.stations[other.station].class.outstanding);
        let frames: u64 = self.site.connections.iter().filter(here).map(of).sum();
        tcp::sending(links, LONGEST_PDU as u16).times(frames.saturating_sub(1))
    }
}
