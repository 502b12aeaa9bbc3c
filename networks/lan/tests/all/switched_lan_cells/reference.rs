//! The same network step by step: every departure and every arrival is an event of one queue of events, nothing is found
//! out later. Deliveries and losses must be the same, to the picosecond.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use sojourn_core::time::UnitTime;
use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::fabric::{Fabric, FabricEvent};
use sojourn_lan::frame::Frame;
use sojourn_lan::switched::cells::settings::*;

use crate::switched_lan_cells::site::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    connection: u32,
    packet: u32,
    first: bool,
    last: bool,
    hop: usize,
}

/// What happens at one instant, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Departure { port: usize },
    Arrival { port: usize, cell: Cell },
}

/// Who is next before a line.
#[derive(Clone, Copy, PartialEq)]
enum Turns {
    /// Who came first.
    Fifo,
    /// The connections in turn; one that begins to wait is last.
    Joining,
    /// The connections in turn, in the order of their numbers.
    Numbered,
}

/// What waits before a line.
#[derive(Default)]
struct Line {
    fifo: VecDeque<Cell>,
    by_connection: BTreeMap<u32, VecDeque<Cell>>,
    turns: VecDeque<u32>,
    last_served: u32,
    free: Time,
    starts: bool,
}

struct Reference<'a> {
    site: &'a Site,
    settings: &'a Settings,
    lines: Vec<Line>,
    cell_times: Vec<UnitTime>,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// Cells of each packet that are at its host.
    arrived: BTreeMap<u32, u32>,
    lengths: BTreeMap<u32, u32>,
    delivered: Vec<(u64, u32)>,
    dropped: Vec<u32>,
}

impl<'a> Reference<'a> {
    fn new(site: &'a Site) -> Self {
        let ports = &site.topology.ports;
        Reference {
            site,
            settings: site.settings.as_ref().unwrap(),
            lines: ports.iter().map(|_| Line::default()).collect(),
            cell_times: ports.iter().map(|port| UnitTime::of_bits(424, port.rate)).collect(),
            events: BinaryHeap::new(),
            arrived: BTreeMap::new(),
            lengths: BTreeMap::new(),
            delivered: Vec::new(),
            dropped: Vec::new(),
        }
    }

    fn send(&mut self, now: Time, frame: Frame, cells: u32) {
        self.lengths.insert(frame.packet, cells);
        let port = self.site.topology.routes[frame.connection as usize][0] as usize;
        for index in 0..cells {
            let (connection, packet) = (frame.connection, frame.packet);
            self.join(now, port, Cell { connection, packet, first: index == 0, last: index + 1 == cells, hop: 0 });
        }
    }

    fn run(&mut self, until: Time) {
        while let Some(Reverse((now, event))) = self.events.pop() {
            if now > until {
                self.events.push(Reverse((now, event)));
                return;
            }
            match event {
                Event::Departure { port } => self.depart(now, port),
                Event::Arrival { port, cell } => self.arrive(now, port, cell),
            }
        }
    }

    fn turns(&self, port: usize) -> Turns {
        let from = self.site.topology.ports[port].from as usize;
        match self.settings.switches[from].as_ref().map(|switch| switch.architecture) {
            None => Turns::Numbered,
            Some(Architecture::OutputPerConnection(..)) => Turns::Joining,
            Some(_) => Turns::Fifo,
        }
    }

    fn join(&mut self, now: Time, port: usize, cell: Cell) {
        let turns = self.turns(port);
        let line = &mut self.lines[port];
        if turns != Turns::Fifo {
            let cells = line.by_connection.entry(cell.connection).or_default();
            if cells.is_empty() {
                line.turns.push_back(cell.connection);
            }
            cells.push_back(cell);
        } else {
            line.fifo.push_back(cell);
        }
        if !line.starts {
            line.starts = true;
            self.events.push(Reverse((now.max(line.free), Event::Departure { port })));
        }
    }

    fn depart(&mut self, now: Time, port: usize) {
        let turns = self.turns(port);
        let line = &mut self.lines[port];
        let cell = if turns != Turns::Fifo {
            if turns == Turns::Numbered {
                let last = line.last_served;
                line.turns.make_contiguous().sort_by_key(|number| (*number <= last, *number));
            }
            let turn = line.turns.pop_front().unwrap();
            line.last_served = turn;
            let cells = line.by_connection.get_mut(&turn).unwrap();
            let cell = cells.pop_front().unwrap();
            if !cells.is_empty() {
                line.turns.push_back(turn);
            }
            cell
        } else {
            line.fifo.pop_front().unwrap()
        };
        if now != line.free {
            self.cell_times[port].restart();
        }
        line.free = now + self.cell_times[port].next_unit();
        let to = &self.site.topology.ports[port];
        let latency = self.settings.switches[to.to as usize].as_ref().map_or(Duration::ZERO, |switch| switch.latency);
        let arrival = Event::Arrival { port, cell: Cell { hop: cell.hop + 1, ..cell } };
        self.events.push(Reverse((line.free + to.propagation + latency, arrival)));
        line.starts = !line.fifo.is_empty() || !line.turns.is_empty();
        if line.starts {
            self.events.push(Reverse((line.free, Event::Departure { port })));
        }
    }

    fn arrive(&mut self, now: Time, port: usize, cell: Cell) {
        let route = &self.site.topology.routes[cell.connection as usize];
        let Some(next) = route.get(cell.hop).map(|next| *next as usize) else {
            let arrived = self.arrived.entry(cell.packet).or_default();
            *arrived += 1;
            if cell.last && *arrived == self.lengths[&cell.packet] {
                self.delivered.push((now.picoseconds(), cell.packet));
            }
            return;
        };
        let switch = self.settings.switches[self.site.topology.ports[port].to as usize].as_ref().unwrap();
        let pool = |other: &usize| self.site.topology.ports[*other].from == self.site.topology.ports[next].from;
        let held = |line: &Line| line.fifo.len() + line.by_connection.values().map(VecDeque::len).sum::<usize>();
        let occupied: usize = (0..self.lines.len()).filter(pool).map(|other| held(&self.lines[other])).sum();
        if switch.buffer.is_some_and(|buffer| occupied >= buffer as usize) {
            self.dropped.push(cell.packet);
        } else {
            self.join(now, next, cell);
        }
    }
}

/// Three hosts on each of two switches, of links of different rates and lengths.
fn site(architecture: Architecture, buffer: Option<u32>) -> (Site, Vec<u32>) {
    let mut site = Site::new();
    let pool = |architecture| match architecture {
        Architecture::OutputFifo(_) => Architecture::OutputFifo(Pool { ports: 64, share: None }),
        Architecture::OutputPerConnection(_, victim) => {
            Architecture::OutputPerConnection(Pool { ports: 64, share: None }, victim)
        }
        other => other,
    };
    let settings = SwitchSettings { buffer, ..switch(pool(architecture)) };
    let switches = [site.switch(settings.clone()), site.switch(settings)];
    site.link(switches[0], switches[1]);
    let hosts: Vec<u32> = (0..6).map(|_| site.host()).collect();
    for (index, host) in hosts.iter().enumerate() {
        let port = site.link(*host, switches[index % 2]) as usize;
        for port in [port, port + 1] {
            site.topology.ports[port].rate = RATE * (1 + index as u64) / 3;
            site.topology.ports[port].propagation = Duration::from_nanos(50 * index as u64);
        }
    }
    let pairs = [(0, 1), (2, 3), (4, 5), (0, 3), (2, 4), (1, 3)];
    let connections = pairs.iter().map(|(one, other)| site.plain(hosts[*one], hosts[*other]));
    let connections = connections.flat_map(|connection| [connection, connection + 1]).collect();
    (site, connections)
}

#[test]
fn a_network_run_by_arrivals_alone_is_one_run_event_by_event_to_the_picosecond() {
    for (architecture, buffer) in [(FIFO, None), (FIFO, Some(40)), (PER_CONNECTION, None), (PER_CONNECTION, Some(40))] {
        for seed in 0..5 {
            let (mut site, connections) = site(architecture, buffer);
            let mut network = site.build();
            let mut reference = Reference::new(&site);
            let mut random = Streams::new(seed, 0).stream("traffic");
            let (mut now, mut delivered, mut lost) = (Time::ZERO, Vec::new(), Vec::new());
            let mut keep = |event| match event {
                FabricEvent::Delivered(ours) => delivered.push((ours.at.picoseconds(), ours.frame.packet)),
                FabricEvent::Lost { frame, .. } => lost.push(frame.packet),
                FabricEvent::RmCell { .. } => {}
            };
            for packet in 0..3000 {
                now += Duration::from_nanos(u64::from(random.below(50_000)));
                let length = if random.below(10) == 0 { 40 + random.below(20) } else { 1 + random.below(5) };
                let frame = frame(packet, connections[random.below(12) as usize], length);
                run(&mut network, now).into_iter().for_each(&mut keep);
                reference.run(now);
                network.send(now, frame);
                reference.send(now, frame, length);
            }
            run(&mut network, Time::NEVER).into_iter().for_each(&mut keep);
            reference.run(Time::NEVER);
            delivered.sort_unstable();
            reference.delivered.sort_unstable();
            // a packet that follows one without its end is lost as well
            let merged = |packet: &u32| !reference.dropped.contains(packet);
            let also: Vec<u32> = lost.iter().copied().filter(merged).collect();
            let expected: Vec<(u64, u32)> =
                reference.delivered.iter().copied().filter(|(_, packet)| !also.contains(packet)).collect();
            let differs = delivered.iter().zip(&expected).find(|(ours, expected)| ours != expected);
            assert_eq!(differs, None, "{architecture:?} {buffer:?} {seed}");
            assert_eq!(delivered.len(), expected.len());
            assert_eq!(delivered.len() + lost.len(), 3000);
            assert_eq!(lost.is_empty(), buffer.is_none(), "the buffer is small enough to be tried");
        }
    }
}
