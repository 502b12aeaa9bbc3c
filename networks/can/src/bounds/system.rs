//! The streams of frames of all flows on all buses, and their worst cases, which depend on each other: through processors, gateways and
//! FIFOs what is late here is late there. They are computed over and over until none grows.

use std::collections::BTreeMap;

use sojourn_bounds::fixed_priority::{Bus, Faults, Response, Stream, busy_period};
use sojourn_core::Duration;
use sojourn_engine::arrivals::Arrivals as Process;
use sojourn_model::traffic::Arrivals;
use sojourn_protocols::can::controller::Discipline;
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, ERROR_OVERHEAD, Id, Length, fd_length};

use crate::datagram;
use crate::site::{IpLink, Service, Site, StationSettings};

/// Bits of a frame without data and stuff bits, the intermission included.
const SHORTEST_FRAME: u16 = 47;
/// Rounds after which worst cases that still grow are given up.
const ROUNDS: usize = 200;

/// Frames of one identifier on one bus.
#[derive(Clone, Debug)]
pub struct FrameStream {
    /// The flow.
    pub flow: usize,
    /// The bus.
    pub medium: usize,
    /// The port that sends them.
    pub port: u32,
    /// Their identifier.
    pub id: Id,
    /// Their arbitration field.
    pub priority: u32,
    /// The longest time of one, the intermission included.
    pub cost: Duration,
    /// The shortest time between two; none where there is none.
    pub period: Option<Duration>,
    /// How late the application may send.
    pub released: Duration,
    /// The stream on the bus before; none of a sender.
    pub before: Option<usize>,
    /// Who takes them here.
    pub stations: Vec<usize>,
}

/// The streams of a site.
#[derive(Clone, Debug)]
pub struct System<'s> {
    site: &'s Site,
    /// All of them.
    pub streams: Vec<FrameStream>,
    /// Periods and intervals are multiplied by this.
    pub scale: f64,
}

/// Worst cases.
#[derive(Clone, Debug)]
pub struct Found {
    /// By stream, from the event that causes a message to the end of the frame on this bus.
    pub bus: Vec<Result<Response, String>>,
    /// By station, how long its processor takes; none where that has no bound.
    pub cpu: Vec<Option<Duration>>,
}

impl Found {
    /// Until a station has acted on the frames of a stream.
    pub fn end(&self, stream: usize, station: usize) -> Result<Duration, String> {
        let worst = self.bus[stream].as_ref().map_err(String::clone)?.worst;
        let cpu = self.cpu[station].ok_or_else(|| {
            "the processor of a receiver is asked for more than its time, or without a limit".to_owned()
        })?;
        Ok(worst + cpu)
    }
}

impl<'s> System<'s> {
    /// The streams of a site.
    pub fn of(site: &'s Site) -> Self {
        let mut system = System { site, streams: Vec::new(), scale: 1.0 };
        for (number, flow) in site.flows.iter().enumerate() {
            let (period, released) = limit(&flow.arrivals);
            // what answers and timers send has no shortest interval
            let period = period.filter(|_| flow.service == Service::Broadcast);
            for sender in &flow.senders {
                for &hop in sender.forth.iter().chain(&sender.back) {
                    system.add(number, hop, None, (period, released));
                }
            }
        }
        system
    }

    fn add(&mut self, flow: usize, hop: u32, before: Option<usize>, pace: (Option<Duration>, Duration)) {
        let (site, settings) = (self.site, &self.site.flows[flow]);
        let declared = &site.hops[hop as usize];
        let medium = usize::from(site.ports[declared.port as usize].medium);
        let bytes = match (settings.service, settings.brs) {
            (Service::Broadcast | Service::Remote(_), None) => settings.data.into(),
            (Service::Broadcast, Some(_)) => fd_length(settings.data.into()),
            (_, Some(_)) => 64,
            (_, None) => CLASSIC_LIMIT,
        };
        let cost = match site.media[medium].link {
            Some(link) => datagram::alone(link, bytes as u64, settings.brs.is_some()),
            None => site.media[medium].bits.whole(Length::worst(declared.id, bytes, settings.brs)),
        };
        let number = self.streams.len();
        self.streams.push(FrameStream {
            flow,
            medium,
            port: declared.port,
            id: declared.id,
            priority: declared.id.arbitration(false),
            cost,
            period: pace.0,
            released: pace.1,
            before,
            stations: declared.receivers.iter().map(|receiving| receiving.station as usize).collect(),
        });
        for &next in &declared.next {
            self.add(flow, next, Some(number), pace);
        }
    }

    /// The streams of a flow.
    pub fn of_flow(&self, flow: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.streams.len()).filter(move |&stream| self.streams[stream].flow == flow)
    }

    /// The stations that take the frames of a stream.
    pub fn deliveries(&self, stream: usize) -> impl Iterator<Item = usize> + '_ {
        self.streams[stream].stations.iter().copied()
    }

    /// The station that sends the frames of a stream on this bus.
    pub fn sender(&self, stream: usize) -> usize {
        self.site.ports[self.streams[stream].port as usize].station as usize
    }

    fn station(&self, stream: usize) -> &StationSettings {
        &self.site.stations[self.sender(stream)]
    }

    /// The shortest time between two frames of a stream.
    pub fn period(&self, stream: usize) -> Option<Duration> {
        let period = self.streams[stream].period?;
        Duration::from_seconds(period.seconds() * self.scale).filter(|_| self.scale != 1.0).or(Some(period))
    }

    /// Streams that share a port with this one.
    fn at_port(&self, stream: usize) -> impl Iterator<Item = usize> + '_ {
        let port = self.streams[stream].port;
        (0..self.streams.len()).filter(move |&other| other != stream && self.streams[other].port == port)
    }

    /// Whether frames of a stream wait in a FIFO, behind others.
    pub fn is_fifo(&self, stream: usize) -> bool {
        self.station(stream).class.discipline == Discipline::Fifo && self.at_port(stream).next().is_some()
    }

    /// The worst cases, or why there are none.
    pub fn solve(&self) -> Found {
        let mut inputs = (Vec::new(), Vec::new());
        let mut found = Found { bus: Vec::new(), cpu: vec![Some(Duration::ZERO); self.site.stations.len()] };
        for _ in 0..ROUNDS {
            let all = || 0..self.streams.len();
            let jitter: Vec<Option<Duration>> = all().map(|stream| self.jitter(stream, &found)).collect();
            // of a FIFO what waits in it is late for those who wait for it
            let late: Vec<Duration> = all().map(|stream| self.held_up(stream, &found, &jitter)).collect();
            if !found.bus.is_empty() && (&jitter, &late) == (&inputs.0, &inputs.1) {
                return found;
            }
            found.bus = all().map(|stream| self.response(stream, &jitter, &late)).collect();
            found.cpu = (0..found.cpu.len()).map(|station| self.processor(station, &found.bus)).collect();
            inputs = (jitter, late);
        }
        let why = "worst cases of buses, gateways and processors raise each other without a limit";
        Found { bus: self.streams.iter().map(|_| Err(why.to_owned())).collect(), cpu: vec![None; found.cpu.len()] }
    }

    /// How late a frame may be queued; none where that has no limit.
    fn jitter(&self, stream: usize, found: &Found) -> Option<Duration> {
        let station = self.sender(stream);
        let before = match self.streams[stream].before {
            None => self.streams[stream].released,
            Some(before) => match found.bus.get(before) {
                Some(found) => found.as_ref().ok()?.worst,
                None => Duration::ZERO,
            },
        };
        Some(before + found.cpu[station]?)
    }

    /// How long a frame may be held up in a FIFO after it is queued.
    fn held_up(&self, stream: usize, found: &Found, jitter: &[Option<Duration>]) -> Duration {
        if !self.is_fifo(stream) {
            return Duration::ZERO;
        }
        let queued = jitter[stream].unwrap_or_default();
        match found.bus.get(stream) {
            Some(Ok(response)) => response.worst.saturating_sub(queued + self.streams[stream].cost),
            _ => Duration::ZERO,
        }
    }

    /// The worst case of a stream on its bus.
    fn response(&self, stream: usize, jitter: &[Option<Duration>], late: &[Duration]) -> Result<Response, String> {
        let own = &self.streams[stream];
        if let Some(link) = self.site.media[own.medium].link {
            return self.over_ip(stream, link, jitter);
        }
        self.bounded(stream)?;
        let name = |other: usize| &self.site.flows[self.streams[other].flow].name;
        let queue = self.queue(stream)?;
        let level = match queue {
            Queue::Priority => own.priority,
            Queue::Fifo => self.at_port(stream).map(|other| self.streams[other].priority).fold(own.priority, u32::max),
        };
        let stream_of = |other: usize, late: Duration| -> Result<Stream, String> {
            let unlimited = || format!("{} has no shortest interval, and comes before it", name(other));
            let period = self.period(other).ok_or_else(unlimited)?;
            let queued = jitter[other].ok_or_else(|| format!("{} may be queued late without a limit", name(other)))?;
            Ok(Stream { cost: self.streams[other].cost, period, jitter: queued + late })
        };
        let (mut higher, mut fifo, mut blocking) = (Vec::new(), Vec::new(), Duration::ZERO);
        for other in
            (0..self.streams.len()).filter(|&other| other != stream && self.streams[other].medium == own.medium)
        {
            let found = &self.streams[other];
            if queue == Queue::Fifo && found.port == own.port {
                fifo.push(stream_of(other, Duration::ZERO)?);
            } else if found.priority <= level {
                higher.push(stream_of(other, late[other])?);
            } else {
                blocking = blocking.max(found.cost);
            }
        }
        let mine = stream_of(stream, Duration::ZERO)?;
        let found = match queue {
            Queue::Priority => self.bus(own.medium).response(mine, &higher, blocking),
            Queue::Fifo => self.bus(own.medium).in_fifo(mine, &fifo, &higher, blocking).map(|worst| Response {
                worst,
                instances: vec![worst],
                busy_period: worst,
            }),
        };
        let response = found.ok_or_else(|| {
            format!(
                "{} and what comes before it ask for all of the time of {}",
                name(stream),
                self.site.media[own.medium].name
            )
        })?;
        self.one_at_a_time(stream, queue, response)
    }

    /// The worst case of a stream that passes an IP network, in datagrams of its own or with others of its port.
    fn over_ip(&self, stream: usize, link: IpLink, jitter: &[Option<Duration>]) -> Result<Response, String> {
        let mut jobs = Vec::new();
        for other in self.at_port(stream).chain([stream]) {
            let name = &self.site.flows[self.streams[other].flow].name;
            let unlimited = || format!("{name} has no shortest interval, and comes before it");
            let period = self.period(other).ok_or_else(unlimited)?;
            let queued = jitter[other].ok_or_else(|| format!("{name} may be queued late without a limit"))?;
            jobs.push(Stream { cost: self.streams[other].cost, period, jitter: queued + link.collect });
        }
        let own = jobs.last().map_or(Duration::ZERO, |own| own.jitter);
        let busy = busy_period(&jobs).ok_or("datagrams ask for all of the time of a link")?;
        let worst = own + busy + link.delay;
        Ok(Response { worst, instances: vec![worst], busy_period: busy })
    }

    /// What makes every bound of a bus void.
    pub fn bounded(&self, stream: usize) -> Result<(), String> {
        let own = &self.streams[stream];
        let medium = &self.site.media[own.medium];
        let [first, count] = medium.ports.map(|number| number as usize);
        let ports = &self.site.ports[first..first + count];
        let acknowledges = |station: u32| self.site.stations[station as usize].class.acknowledges;
        if medium.bit_error_rate > 0.0 {
            return Err(format!(
                "bit errors of {} are random, and any number of them may follow each other",
                medium.name
            ));
        }
        if ports.iter().filter(|port| acknowledges(port.station)).count() < 2 {
            return Err(format!("a node of {} is not acknowledged, and repeats its frames for ever", medium.name));
        }
        let twin = self
            .streams
            .iter()
            .any(|other| other.medium == own.medium && other.priority == own.priority && other.port != own.port);
        match twin {
            true => Err(format!("two nodes of {} send its identifier, and destroy each other's frames", medium.name)),
            false => Ok(()),
        }
    }

    /// Whether a frame is sent by its priority as soon as it is queued.
    pub fn is_by_priority(&self, stream: usize) -> bool {
        self.queue(stream) == Ok(Queue::Priority)
    }

    /// How a stream waits at its port; or why that has no bound.
    fn queue(&self, stream: usize) -> Result<Queue, String> {
        match self.station(stream).class.discipline {
            Discipline::Priority | Discipline::Latest | Discipline::AbortingMailboxes(_) => Ok(Queue::Priority),
            Discipline::Fifo if self.is_fifo(stream) => Ok(Queue::Fifo),
            Discipline::Fifo => Ok(Queue::Priority),
            Discipline::Mailboxes(count) if self.at_port(stream).count() < count as usize => Ok(Queue::Priority),
            Discipline::Mailboxes(count) => Err(format!(
                "{} sends more than its {count} mailboxes hold, without abort: later frames overtake those that wait",
                self.station(stream).name
            )),
        }
    }

    /// Queues other than those by priority are bounded where each stream has one frame in them at a time.
    fn one_at_a_time(&self, stream: usize, queue: Queue, response: Response) -> Result<Response, String> {
        let shared = matches!(self.station(stream).class.discipline, Discipline::Mailboxes(_)) || queue == Queue::Fifo;
        let shortest = std::iter::once(stream).chain(self.at_port(stream)).filter_map(|other| self.period(other)).min();
        match shortest.filter(|shortest| shared && response.worst > *shortest) {
            Some(_) => Err(format!("two frames of one message may wait in the queue of {}", self.station(stream).name)),
            None => Ok(response),
        }
    }

    /// What holds for all frames of a bus.
    pub fn bus(&self, medium: usize) -> Bus {
        let settings = &self.site.media[medium];
        let overhead = settings.bits.nominal(ERROR_OVERHEAD);
        let faults = settings.fault_interval.map(|interval| Faults { interval, overhead });
        Bus { bit: settings.bits.nominal(1), faults }
    }

    /// How long processors take at least in the worst case, whatever the priorities: no frame takes less on a bus than its own time.
    pub fn least(&self) -> Vec<Option<Duration>> {
        let alone = |stream: &FrameStream| {
            let worst = stream.released + stream.cost;
            Ok(Response { worst, instances: vec![worst], busy_period: stream.cost })
        };
        let bus: Vec<Result<Response, String>> = self.streams.iter().map(alone).collect();
        (0..self.site.stations.len()).map(|station| self.processor(station, &bus)).collect()
    }

    /// How long the processor of a station takes at most for what it is asked for; none where that has no bound.
    fn processor(&self, station: usize, bus: &[Result<Response, String>]) -> Option<Duration> {
        let class = &self.site.stations[station].class;
        let mut jobs = Vec::new();
        // frames whose worst case is not known come no faster than the bus carries them
        let mut carried: BTreeMap<usize, Duration> = BTreeMap::new();
        let mut receive =
            |stream: usize, cost: Duration, jobs: &mut Vec<Stream>| match (self.period(stream), &bus[stream]) {
                (Some(period), Ok(found)) => jobs.push(Stream { cost, period, jitter: found.worst }),
                _ => {
                    let most = carried.entry(self.streams[stream].medium).or_default();
                    *most = (*most).max(cost);
                }
            };
        for (number, stream) in self.streams.iter().enumerate() {
            let sends = self.sender(number) == station;
            match stream.before.filter(|_| sends) {
                Some(before) => receive(before, class.forward.most()?, &mut jobs),
                None if sends && class.send.most()? > Duration::ZERO => {
                    let (cost, period) = (class.send.most()?, self.period(number)?);
                    jobs.push(Stream { cost, period, jitter: stream.released });
                }
                None => {}
            }
            if stream.stations.contains(&station) {
                receive(number, class.receive.most()?, &mut jobs);
            }
        }
        let of_bus = |(medium, cost): (usize, Duration)| {
            let period = self.site.media[medium].bits.nominal(SHORTEST_FRAME);
            Stream { cost, period, jitter: Duration::ZERO }
        };
        jobs.extend(carried.into_iter().map(of_bus));
        busy_period(&jobs)
    }
}

/// How frames wait at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    Priority,
    Fifo,
}

/// The shortest time between two messages and the largest jitter.
fn limit(arrivals: &Arrivals) -> (Option<Duration>, Duration) {
    match arrivals {
        Arrivals::Process(Process::Periodic { period, jitter }) => (Some(*period), *jitter),
        Arrivals::Heartbeat { min_interval, max_interval, .. } => {
            (Some((*min_interval).min(*max_interval)).filter(|least| *least > Duration::ZERO), Duration::ZERO)
        }
        Arrivals::Process(_) | Arrivals::Poll { .. } | Arrivals::Trace(_) => (None, Duration::ZERO),
    }
}
