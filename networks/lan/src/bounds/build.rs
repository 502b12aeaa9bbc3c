//! Converts hosts, links and activities to the servers and flows of network calculus.

use std::collections::{BTreeMap, BTreeSet};

use crate::hosts::Costs;
use crate::ip::{Discipline, Settings, fragments};
use crate::packet::UDP_HEADERS;
use crate::site::{Activity, Bulk, Call, Echo, Service, Site, Stream};
use sojourn_core::Duration;
use sojourn_engine::arrivals::Arrivals;

use super::port::{Message, Output, Share, lasts, unordered};
use super::tcp;
use super::theorems;
use super::turns;
use crate::segment::SegmentSettings;
use sojourn_bounds::network::{Analysis, Envelope, Flow, Limit, Server, Visit, analyse};
use sojourn_bounds::report::Theorem;

/// A processor, an adapter's bus or an output.
#[derive(Clone, Debug)]
pub struct Station {
    /// Its name in the rows.
    pub name: String,
    /// How it serves.
    pub server: Server,
    /// What bounds the time that packets are there.
    pub theorem: Theorem,
    /// The output, if it is one.
    pub port: Option<usize>,
}

/// A flow, and what its bound must keep to.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Its own name.
    pub name: String,
    /// The flow under which it is reported.
    pub number: u32,
    /// Whether its response times are samples.
    pub probed: bool,
    /// Whether its one-way delays are.
    pub one_way: bool,
    /// Whether it is one direction of a call.
    pub is_call: bool,
    /// Its limit and path.
    pub flow: Flow,
    /// Packets of a message, and what it counts in the queue of each port on its path.
    fragments: u64,
    octets: BTreeMap<usize, u64>,
    kind: Kind,
    /// Why its window is not certain.
    pub reason: Option<String>,
}

impl Carried {
    /// Whether it goes back to the one that began.
    pub fn is_back(&self) -> bool {
        matches!(self.kind, Kind::Acknowledgements)
    }
}

#[derive(Clone, Debug)]
enum Kind {
    /// A closed loop.
    Echo(Echo),
    /// One direction of a call, whose other direction is the next flow, or of a stream.
    Voice,
    /// Segments with data; their acknowledgements are the next flow.
    Data(tcp::InFlight),
    /// The reverse direction: acknowledgements, or voice.
    Acknowledgements,
}

/// Servers and flows of a LAN.
pub struct Network<'a> {
    /// Hosts, links and activities.
    pub site: &'a Site,
    settings: &'a Settings,
    /// Processors, buses and outputs.
    pub servers: Vec<Station>,
    /// By host its processor and bus.
    hosts: Vec<Option<(usize, Option<usize>)>>,
    /// By port its server, or by port and the connection or class that has one of its own.
    ports: BTreeMap<(usize, Option<u32>), usize>,
    /// By conditioner its server.
    shapers: BTreeMap<usize, usize>,
    /// By connection what it sends in one piece.
    messages: BTreeMap<u32, Message>,
    /// Echoes, and both directions of bulk transfers.
    pub flows: Vec<Carried>,
}

impl<'a> Network<'a> {
    /// The servers and flows of a site.
    pub fn of(site: &'a Site, settings: &'a Settings) -> Network<'a> {
        let mut network = Network {
            site,
            settings,
            servers: Vec::new(),
            hosts: Vec::new(),
            ports: BTreeMap::new(),
            shapers: BTreeMap::new(),
            messages: BTreeMap::new(),
            flows: Vec::new(),
        };
        network.add_hosts();
        for activity in &site.activities {
            network.add_messages(activity);
        }
        for activity in &site.activities {
            match &activity.service {
                Service::Echo(echo) => network.add_echo(activity, echo),
                Service::Request(_) => network.add_requests(activity),
                Service::Stream(stream) => network.add_stream(activity, stream),
                Service::Bulk(bulk) => network.add_bulk(activity, bulk),
                Service::Voice(call) => network.add_call(activity, call),
            }
        }
        network.rank_classes();
        network
    }

    /// The bounds of all servers.
    pub fn analyse(&self) -> Analysis {
        let servers: Vec<Server> = self.servers.iter().map(|station| station.server.clone()).collect();
        let flows: Vec<Flow> = self.flows.iter().map(|carried| carried.flow.clone()).collect();
        analyse(&servers, &flows)
    }

    fn add_hosts(&mut self) {
        for (name, costs) in self.site.stations.iter().zip(&self.site.costs) {
            let place = costs.as_ref().map(|costs| {
                let processor = self.add(format!("processor of {name}"), Server::default(), None);
                let bus = costs.bus_rate.map(|_| self.add(format!("bus of {name}"), Server::default(), None));
                (processor, bus)
            });
            self.hosts.push(place);
        }
    }

    fn add(&mut self, name: String, server: Server, port: Option<usize>) -> usize {
        self.servers.push(Station { name, server, theorem: theorems::FIFO, port });
        self.servers.len() - 1
    }

    fn add_messages(&mut self, activity: &Activity) {
        let mtu = self.mtu(activity.connection);
        let [forth, back] = match &activity.service {
            Service::Echo(echo) => echo.sizes.map(|octets| datagram(octets, mtu)),
            Service::Stream(stream) => [datagram(stream.size, mtu), datagram(stream.size, mtu)],
            Service::Voice(call) => [datagram(call.octets, mtu), datagram(call.octets, mtu)],
            Service::Request(_) => [mtu, mtu].map(|octets| Message { packets: vec![octets], shorter: true }),
            Service::Bulk(bulk) => {
                let (packet, acknowledgement) = match tcp::in_flight(bulk) {
                    Ok(in_flight) => (in_flight.packet, in_flight.acknowledgement),
                    Err(_) => (mtu, mtu),
                };
                [packet, acknowledgement].map(|octets| Message { packets: vec![octets], shorter: true })
            }
        };
        self.messages.insert(activity.connection, forth);
        self.messages.insert(activity.connection ^ 1, back);
    }

    fn mtu(&self, connection: u32) -> u32 {
        let route = &self.site.topology.routes[connection as usize];
        route.iter().map(|&port| self.settings.ports[port as usize].link.mtu).min().expect("a path has a port")
    }

    fn add_echo(&mut self, activity: &Activity, echo: &Echo) {
        let [request, response] = echo.sizes;
        let mut path = self.path_of(activity.connection, request);
        let server = &echo.cycle.server;
        let most = server.most().expect("without a longest server time there are no bounds");
        let taken = path.last_mut().expect("a path ends at a host");
        taken.onward += most;
        taken.onward_jitter += most.saturating_sub(server.least());
        path.extend(self.path_of(activity.connection ^ 1, response));
        self.carry(activity, activity.name.clone(), Kind::Echo(echo.clone()), Limit::Window(1), path);
    }

    /// Requests over TCP: what TCP has in the network of them has no bound here.
    fn add_requests(&mut self, activity: &Activity) {
        let mtu = self.mtu(activity.connection);
        let names = [activity.name.clone(), format!("{} (responses)", activity.name)];
        for (connection, (name, kind)) in [activity.connection, activity.connection ^ 1]
            .into_iter()
            .zip(names.into_iter().zip([Kind::Voice, Kind::Acknowledgements]))
        {
            let path = self.path_of(connection, mtu);
            self.carry(activity, name, kind, Limit::None, path);
        }
        self.flows.last_mut().expect("it was just added").reason =
            Some(format!("{}: requests over TCP have no bound here", activity.name));
    }

    fn add_stream(&mut self, activity: &Activity, stream: &Stream) {
        let path = self.path_of(activity.connection, stream.size);
        let burst = self.burst(activity.connection);
        let limit = match stream.arrivals.0.arrivals() {
            &Arrivals::Periodic { period: interval, jitter } => Limit::Envelope(Envelope { burst, interval, jitter }),
            _ => Limit::None,
        };
        self.carry(activity, activity.name.clone(), Kind::Voice, limit, path);
        if matches!(limit, Limit::None) {
            self.flows.last_mut().expect("it was just added").reason =
                Some(format!("{}: only periodic arrivals have a bound", activity.name));
        }
    }

    fn add_bulk(&mut self, activity: &Activity, bulk: &Bulk) {
        let found = tcp::in_flight(bulk);
        let (data, windows) = match &found {
            Ok(in_flight) => (in_flight.data, [in_flight.segments, in_flight.acknowledgements].map(Limit::Window)),
            Err(_) => (u32::from(bulk.sender.mss), [Limit::None; 2]),
        };
        let kinds = [found.map_or(Kind::Acknowledgements, Kind::Data), Kind::Acknowledgements];
        let names = [activity.name.clone(), format!("{} (ACKs)", activity.name)];
        let directions = [(activity.connection, data), (activity.connection ^ 1, 0)];
        for (((connection, data), limit), (kind, name)) in
            directions.into_iter().zip(windows).zip(kinds.into_iter().zip(names))
        {
            let path = self.path_of(connection, data);
            self.carry(activity, name, kind, limit, path);
            if let Err(why) = found {
                self.flows.last_mut().expect("it was just added").reason = Some(format!("{}: {why}", activity.name));
            }
        }
    }

    fn add_call(&mut self, activity: &Activity, call: &Call) {
        let burst = self.burst(activity.connection);
        let envelope = Envelope { burst, interval: call.packet_time(), jitter: Duration::ZERO };
        let back = format!("{} (back)", activity.name);
        let directions = [
            (activity.connection, Kind::Voice, activity.name.clone()),
            (activity.connection ^ 1, Kind::Acknowledgements, back),
        ];
        for (connection, kind, name) in directions {
            let path = self.path_of(connection, call.octets);
            self.carry(activity, name, kind, Limit::Envelope(envelope), path);
        }
    }

    /// Messages of a source that may come together: one in fragments may be partly here before it counts as come.
    fn burst(&self, connection: u32) -> u64 {
        if self.messages[&connection].packets.len() > 1 { 2 } else { 1 }
    }

    fn carry(&mut self, activity: &Activity, name: String, kind: Kind, limit: Limit, path: Vec<Visit>) {
        let connection = match kind {
            Kind::Acknowledgements => activity.connection ^ 1,
            _ => activity.connection,
        };
        let message = &self.messages[&connection];
        let (mut octets, mut ports) = (BTreeMap::new(), self.site.topology.routes[connection as usize].clone());
        if matches!(kind, Kind::Echo(_)) {
            ports.extend(&self.site.topology.routes[connection as usize ^ 1]);
        }
        for port in ports {
            octets.insert(port as usize, self.output(port as usize).octets(message));
        }
        let returns = match &kind {
            Kind::Echo(echo) => {
                let back = &self.messages[&(connection ^ 1)];
                returns(&path, echo, message.packets.len().max(back.packets.len()))
            }
            _ => None,
        };
        self.flows.push(Carried {
            name,
            number: activity.flow,
            probed: matches!(&kind, Kind::Echo(echo) if echo.cycle.probed),
            one_way: activity.service.is_probed_one_way(),
            is_call: matches!(activity.service, Service::Voice(_)),
            flow: Flow { limit, returns, path },
            fragments: message.packets.len() as u64,
            octets,
            kind,
            reason: None,
        });
    }

    fn output(&self, port: usize) -> Output<'a> {
        Output { link: &self.site.topology.ports[port], settings: &self.settings.ports[port] }
    }

    /// The path of a connection's messages of `data` octets from program to program.
    fn path_of(&mut self, connection: u32, data: u32) -> Vec<Visit> {
        let topology = &self.site.topology;
        let [from, to] = [topology.source(connection), topology.destination(connection)].map(|host| host as usize);
        let message = self.messages[&connection].clone();
        let octets: u64 = message.packets.iter().map(|&packet| u64::from(packet)).sum();
        let costs = |host: usize| self.site.costs[host].expect("flows are between hosts");
        let mut path = self.host(from, costs(from).send.of(data), octets, &costs(from));
        path.extend(self.at_shaper(connection, &message));
        let route = self.site.topology.routes[connection as usize].clone();
        for (at, &port) in route.iter().enumerate() {
            if topology.is_input(port) {
                continue;
            }
            let next = route.get(at + 1).filter(|_| !topology.is_shared(port)).map(|&next| next as usize);
            path.push(self.at_port(port as usize, next, connection, &message));
        }
        let mut received = self.host(to, costs(to).receive.of(data), octets, &costs(to));
        received.reverse();
        // the interrupt comes a while after the last bit is in memory
        let before = if received.len() > 1 { received.first_mut() } else { path.last_mut() };
        before.expect("a path has a port").onward += costs(to).receive_delay;
        path.extend(received);
        path
    }

    /// A sending host: its processor, then its bus, if the adapter stores packets.
    fn host(&self, host: usize, work: Duration, octets: u64, costs: &Costs) -> Vec<Visit> {
        let (processor, bus) = self.hosts[host].expect("flows are between hosts");
        let visit = |server, cost, least| Visit { server, cost, least, ..Visit::default() };
        let moved = bus.zip(costs.bus_rate).map(|(bus, rate)| {
            let [up, down] = lasts(octets, rate);
            visit(bus, up, down)
        });
        std::iter::once(visit(processor, work, work)).chain(moved).collect()
    }

    /// The token bucket before the first port, in debt by the longest packet at most.
    fn at_shaper(&mut self, connection: u32, message: &Message) -> Option<Visit> {
        let mut conditioners = self.settings.conditioners.iter().enumerate();
        let (number, conditioner) = conditioners.find(|(_, found)| found.connections.contains(&connection))?;
        let (bucket, limit) = conditioner.shaper?;
        let lasts_at_most = |octets: u32| lasts(octets.into(), bucket.rate)[0];
        let longest = conditioner.connections.iter().map(|other| self.messages[other].longest()).max();
        let latency = lasts_at_most(longest.unwrap_or_default());
        let server = self.shapers.get(&number).copied().unwrap_or_else(|| {
            let server = Server { latency, room: Some(limit.into()), ..Server::default() };
            let server = self.add(format!("shaper of {}", conditioner.name), server, None);
            self.shapers.insert(number, server);
            server
        });
        let cost = message.packets.iter().map(|&octets| lasts_at_most(octets)).sum();
        Some(Visit { server, cost, ..Visit::default() })
    }

    fn at_port(&mut self, port: usize, next: Option<usize>, connection: u32, message: &Message) -> Visit {
        let output = self.output(port);
        let (server, cost) = self.port_server(port, connection, message);
        let link = &output.settings.link;
        // without a largest jitter there are no bounds
        let most = link.jitter.most().unwrap_or_default();
        let to = output.link.to as usize;
        let spacing = next.map(|next| self.output(next)).filter(|next| output.is_like(next)).map(|next| {
            // packets that take equally long on both links follow each other without a gap
            if next.link.rate == output.link.rate { next.work(message) } else { output.transmission(message) }
        });
        Visit {
            server,
            cost,
            least: output.least(message),
            spacing: spacing.filter(|_| output.settings.queue.shaping.is_none()).unwrap_or_default(),
            onward: output.link.propagation
                + self.along(port, connection)
                + most
                + self.latency_at(to, port, connection),
            onward_jitter: most.saturating_sub(link.jitter.least()),
        }
    }

    /// Propagation along a shared wire.
    fn along(&self, port: usize, connection: u32) -> Duration {
        let found = turns::node(self.settings, port as u32);
        let Some((segment, from)) = found else { return Duration::ZERO };
        segment.between(from, turns::receiver(segment, &self.site.topology.routes[connection as usize], port as u32))
    }

    /// The latency of the station that a packet reaches.
    fn latency_at(&self, to: usize, port: usize, connection: u32) -> Duration {
        let Some((segment, _)) = turns::node(self.settings, port as u32) else { return self.settings.latencies[to] };
        let to = turns::receiver(segment, &self.site.topology.routes[connection as usize], port as u32);
        self.settings.latencies[segment.nodes[to as usize].station as usize]
    }

    /// The server that an output is for a connection, and what a message costs there.
    fn port_server(&mut self, port: usize, connection: u32, message: &Message) -> (usize, Duration) {
        let output = self.output(port);
        let passing: Vec<u32> = self.passing(port).collect();
        let messages = || passing.iter().map(|other| &self.messages[other]);
        let shortest = messages().flat_map(|message| message.packets.iter().copied()).min().unwrap_or_default();
        let latency = output.latency(messages());
        let others = passing.iter().filter(|other| **other != connection).map(|other| &self.messages[other]);
        let share = match turns::node(self.settings, port as u32) {
            Some((segment, node)) => Some(turns::share(segment, node, message, &self.longest_on(segment))),
            None => output.share(latency, message, others),
        };
        let Share { latency, cost } = share.unwrap_or_else(|| Share { latency, cost: output.work(message) });
        let (own, theorem) = match &output.settings.queue.discipline {
            Discipline::Fifo | Discipline::Codel(_) | Discipline::Pie(_) | Discipline::DualPi2(_) => {
                (None, theorems::FIFO)
            }
            Discipline::Cake(_) => (Some(connection), theorems::FLOW_QUEUING),
            Discipline::Drr { .. } => (Some(connection), theorems::ROUND_ROBIN),
            Discipline::FqCodel { .. } => (Some(connection), theorems::FLOW_QUEUING),
            Discipline::Htb { .. } => (Some(connection), theorems::GUARANTEED_RATE),
            Discipline::Priority { classes } => (Some(classes[connection as usize].into()), theorems::STRICT_PRIORITY),
        };
        let known = self.ports.get(&(port, own)).copied();
        let server = known.unwrap_or_else(|| {
            let unknown = unordered(self.settings, port, passing.len()).is_some();
            let room = output.room(shortest).filter(|_| !unknown);
            let server = self.add(
                self.site.ports[port].clone(),
                Server { latency, room, unknown, ..Server::default() },
                Some(port),
            );
            let shares = turns::node(self.settings, port as u32).is_some();
            self.servers[server].theorem = if shares { theorems::TURNS } else { theorem };
            self.ports.insert((port, own), server);
            server
        });
        (server, cost)
    }

    /// By node of a wire the longest packet that it sends; none of one that sends nothing.
    fn longest_on(&self, segment: &SegmentSettings) -> Vec<Option<u32>> {
        let longest =
            |port: u32| self.passing(port as usize).map(|connection| self.messages[&connection].longest()).max();
        segment.nodes.iter().map(|node| longest(node.port)).collect()
    }

    /// Which classes of an output with strict priority go before which, and whose packets they wait for all the same.
    fn rank_classes(&mut self) {
        for port in 0..self.site.ports.len() {
            let output = self.output(port);
            let Discipline::Priority { classes } = &output.settings.queue.discipline else { continue };
            let servers: Vec<(u32, usize)> = self
                .ports
                .range((port, None)..(port + 1, None))
                .map(|((_, class), server)| (class.unwrap_or_default(), *server))
                .collect();
            for &(class, server) in &servers {
                let above = servers.iter().filter(|(other, _)| *other > class).map(|(_, server)| *server).collect();
                let below = self.passing(port).filter(|other| u32::from(classes[*other as usize]) < class);
                let blocking = below.map(|other| output.longest(&self.messages[&other])).max().unwrap_or_default();
                self.servers[server].server.above = above;
                self.servers[server].server.blocking = blocking;
            }
        }
    }

    /// The connections that pass a port.
    fn passing(&self, port: usize) -> impl Iterator<Item = u32> + '_ {
        let routes = (0..).zip(&self.site.topology.routes);
        routes.filter(move |(_, route)| route.contains(&(port as u32))).map(|(connection, _)| connection)
    }

    /// Takes the windows of flows whose bounds do not show that nothing times out; whether there were any.
    pub fn give_up_windows(&mut self, analysis: &Analysis) -> bool {
        let mut given_up = Vec::new();
        for (at, carried) in self.flows.iter().enumerate() {
            if !matches!(carried.flow.limit, Limit::Window(_)) {
                continue;
            }
            match &carried.kind {
                Kind::Echo(echo) => {
                    let bound = analysis.end_to_end(&carried.flow);
                    if bound.is_none_or(|bound| bound >= echo.timeout) {
                        given_up.push((
                            at,
                            self.paced(carried, echo),
                            format!(
                                "{}: a request may time out, so that more than one is in the network",
                                carried.name
                            ),
                        ));
                    }
                }
                Kind::Data(in_flight) => {
                    if let Some(why) = self.may_repeat(analysis, at, in_flight) {
                        let reason = format!("{}: {why}; what TCP then repeats has no bound", carried.name);
                        given_up.extend([(at, Limit::None, reason.clone()), (at + 1, Limit::None, reason)]);
                    }
                }
                Kind::Voice | Kind::Acknowledgements => {}
            }
        }
        for (at, limit, reason) in &given_up {
            self.flows[*at].flow.limit = *limit;
            self.flows[*at].reason = Some(reason.clone());
        }
        !given_up.is_empty()
    }

    /// An echo whose requests may overlap: they are at least a think time and a round trip, or a timeout, apart.
    fn paced(&self, carried: &Carried, echo: &Echo) -> Limit {
        let least: Duration = carried
            .flow
            .path
            .iter()
            .map(|visit| visit.least + (visit.onward.saturating_sub(visit.onward_jitter)))
            .sum();
        let interval = apart(echo, least.min(echo.timeout));
        match interval > Duration::ZERO {
            true => Limit::Envelope(Envelope { burst: 1, interval, jitter: Duration::ZERO }),
            false => Limit::None,
        }
    }

    /// Why a connection may send a segment again.
    fn may_repeat(&self, analysis: &Analysis, data: usize, in_flight: &tcp::InFlight) -> Option<String> {
        let both = [&self.flows[data], &self.flows[data + 1]];
        for visit in both.iter().flat_map(|carried| &carried.flow.path) {
            if let Some(why) = self.servers[visit.server].port.and_then(|port| self.may_lose(analysis, port)) {
                return Some(why);
            }
        }
        let [forth, back] = both.map(|carried| analysis.end_to_end(&carried.flow));
        match forth.zip(back) {
            Some((forth, back)) if forth + back + in_flight.delayed_ack < in_flight.min_rto => None,
            Some(_) => Some("a round trip may last longer than the smallest retransmission timeout".to_owned()),
            None => Some("a round trip has no bound".to_owned()),
        }
    }

    /// Why a port may lose or overtake a packet.
    fn may_lose(&self, analysis: &Analysis, port: usize) -> Option<String> {
        let (name, settings) = (&self.site.ports[port], &self.settings.ports[port]);
        let (link, queue) = (&settings.link, &settings.queue);
        let (packets, octets) = self.in_queue(analysis, port).unwrap_or((u64::MAX, u64::MAX));
        let room = match queue.discipline {
            Discipline::Drr { flow_limit, .. } => queue.limit.packets.min(flow_limit.packets),
            _ => queue.limit.packets,
        };
        let delays = self.servers.iter().zip(&analysis.delays).filter(|(station, _)| station.port == Some(port));
        let longest = delays.map(|(_, delay)| *delay).max().flatten();
        let dequeues_late = match queue.discipline {
            Discipline::Codel(delay) | Discipline::FqCodel { delay, .. } => {
                longest.is_none_or(|longest| longest >= delay.target)
            }
            _ => false,
        };
        let limited = room != u32::MAX && packets > u64::from(room);
        if link.loss > 0.0 || link.lost.contains(&true) {
            Some(format!("the link {name} loses packets"))
        } else if link.reorders && link.jitter.most() != Some(link.jitter.least()) {
            Some(format!("packets overtake each other on {name}"))
        } else if limited || queue.limit.octets != u64::MAX && octets > queue.limit.octets {
            Some(format!("the queue {name} may overflow"))
        } else {
            dequeues_late.then(|| format!("CoDel may drop at {name}"))
        }
    }

    /// Packets and octets that all flows may have in a port's queue; `None` where one has no bound.
    fn in_queue(&self, analysis: &Analysis, port: usize) -> Option<(u64, u64)> {
        let mut sum = (0_u64, 0_u64);
        for (carried, present) in self.flows.iter().zip(&analysis.present) {
            let Some(octets) = carried.octets.get(&port) else { continue };
            let messages = match carried.flow.limit {
                // a window's packets are at one place at a time
                Limit::Window(window) => window,
                _ => {
                    let here = carried.flow.path.iter().zip(present);
                    let here = here.filter(|(visit, _)| self.servers[visit.server].port == Some(port));
                    here.map(|(_, messages)| *messages).sum::<Option<u64>>()?
                }
            };
            sum = (sum.0 + messages * carried.fragments, sum.1 + messages * octets);
        }
        Some(sum)
    }

    /// The most packets in a port's queue, or why that has no bound.
    pub fn most_queued(&self, analysis: &Analysis, port: usize) -> Result<u64, String> {
        let limit = u64::from(self.settings.ports[port].queue.limit.packets);
        let limited = limit != u64::from(u32::MAX);
        let limit = limited.then(|| limit * self.limits(port));
        let present = self.in_queue(analysis, port).map(|(packets, _)| packets);
        [limit, present].into_iter().flatten().min().ok_or_else(|| self.unlimited(port))
    }

    /// How many parts of a queue have its limit for themselves.
    fn limits(&self, port: usize) -> u64 {
        match &self.settings.ports[port].queue.discipline {
            Discipline::Htb { .. } => self.passing(port).count() as u64,
            Discipline::Priority { classes } => {
                self.passing(port).map(|connection| classes[connection as usize]).collect::<BTreeSet<u8>>().len() as u64
            }
            _ => 1,
        }
    }

    /// Which flow without a window passes a port.
    fn unlimited(&self, port: usize) -> String {
        let unlimited =
            |carried: &&Carried| carried.octets.contains_key(&port) && !matches!(carried.flow.limit, Limit::Window(_));
        let reason = self.flows.iter().find(unlimited).and_then(|carried| carried.reason.clone());
        reason.unwrap_or_else(|| "more arrives than is served".to_owned())
    }

    /// Why a server has no bound; `None` where it has one.
    pub fn why_unbounded(&self, analysis: &Analysis, server: usize) -> Option<String> {
        if analysis.delays[server].is_some() {
            return None;
        }
        let station = &self.servers[server];
        let here = |carried: &&Carried| carried.flow.path.iter().any(|visit| visit.server == server);
        let reason = || self.flows.iter().filter(here).find_map(|carried| carried.reason.clone());
        let outranked = || {
            let above = station.server.above.iter();
            let taken = above.filter(|above| analysis.delays[**above].is_none() || self.returns_at_once(**above));
            (taken.count() > 0).then(|| format!("{}: a higher class may take all of the link", station.name))
        };
        Some(match self.unordered(server) {
            Some(why) => why,
            None => reason()
                .or_else(outranked)
                .unwrap_or_else(|| format!("{}: more may arrive than it serves", station.name)),
        })
    }

    /// Why a server's order has no bound.
    pub fn unordered(&self, server: usize) -> Option<String> {
        let station = &self.servers[server];
        let port = station.port?;
        unordered(self.settings, port, self.passing(port).count()).map(|why| format!("{}: {why}", station.name))
    }

    /// Whether a flow of a server comes back as often as it likes.
    fn returns_at_once(&self, server: usize) -> bool {
        let here = |carried: &&Carried| carried.flow.path.iter().any(|visit| visit.server == server);
        self.flows
            .iter()
            .filter(here)
            .any(|carried| carried.flow.returns.is_none() && matches!(carried.flow.limit, Limit::Window(_)))
    }
}

/// How far the requests of an echo are apart at least, which wait `least` for their ends.
fn apart(echo: &Echo, least: Duration) -> Duration {
    match &echo.cycle.interval {
        Some(interval) => least.max(interval.least()),
        None => echo.cycle.think.least() + least,
    }
}

/// How often an echo's messages come to one place at most: each after a think time and the shortest round trip.
fn returns(path: &[Visit], echo: &Echo, fragments: usize) -> Option<Envelope> {
    let least: Duration = path.iter().map(|visit| visit.least + visit.onward.saturating_sub(visit.onward_jitter)).sum();
    let interval = apart(echo, least);
    // of a message in fragments the last and of the next the first may come together
    let burst = if fragments > 1 { 2 } else { 1 };
    (interval > Duration::ZERO).then_some(Envelope { burst, interval, jitter: Duration::ZERO })
}

/// A datagram with this many octets of user data.
fn datagram(octets: u32, mtu: u32) -> Message {
    Message { packets: fragments(octets + UDP_HEADERS, mtu).collect(), shorter: false }
}
