//! The ATM network between hosts: adapters that segment packets into cells, links, and switches of five kinds.
//!
//! | file | concern |
//! |---|---|
//! | `settings.rs` | what links, switches and connections are set to |
//! | `scenario.rs` | those settings from a scenario's keys |
//! | `build.rs` | from settings to lines, queues and paths |
//! | `cell.rs`, `transit.rs` | cells, the datagrams they carry, reassembly |
//! | `line.rs`, `losses.rs` | one direction of a link: its cell times, and cells in flight |
//! | `adapter.rs` | segmentation; connections served in turn or paced by their sources |
//! | `output.rs`, `waiting.rs` | queues at a switch's outputs, with a shared buffer |
//! | `crossbar.rs`, `matching.rs` | queues at its inputs |
//! | `discard.rs` | tail drop, partial and early packet discard |
//! | `marking.rs`, `control.rs` | EFCI; what switches signal to sources |
//! | `schedule.rs` | which line is due first |
//! | `tally.rs` | what was counted |
//!
//! A cell costs one event for each link: its arrival. The time at which it left its queue is computed on demand (when
//! the queue gets another cell, or the line runs dry), in time order, since no later arrival changes it. Simultaneous
//! events: departures before arrivals, then in port order.

mod adapter;
mod build;
mod cell;
mod control;
mod crossbar;
mod discard;
mod line;
mod losses;
mod marking;
mod matching;
mod output;
pub mod scenario;
mod schedule;
pub mod settings;
mod tally;
mod transit;
mod waiting;

use sojourn_core::{Streams, Time, rekey_fields};
use sojourn_protocols::atm::Direction;
use sojourn_protocols::atm::abr::RmCell;

use crate::fabric::{Fabric, FabricEvent, FabricSettings, LinkChange, Tally, Unloaded, Watch};
use crate::frame::Frame;
use crate::topology::Topology;
use adapter::Adapter;
use cell::Cell;
use control::Control;
use crossbar::Crossbar;
use discard::PacketState;
use line::Line;
use output::{Output, Pool};
use schedule::Schedule;
use settings::{Discard, Settings, Victim};
pub use transit::CellCounts;
use transit::Transit;
use waiting::Waiting;

/// The network between hosts as cells.
#[derive(Clone, Debug)]
pub struct Cells {
    /// By port.
    lines: Vec<Line>,
    /// By port: where cells wait for the line.
    feeders: Vec<Feeder>,
    /// By port: what it signals to sources.
    controls: Vec<Option<Control>>,
    /// By port: what is done with cells that find no room.
    discards: Vec<Discard>,
    /// By step: where its connection's packet stands.
    packets: Vec<PacketState>,
    pools: Vec<Pool>,
    crossbars: Vec<Crossbar>,
    /// By connection: the port of its adapter, and its number there.
    origins: Vec<(u32, u32)>,
    /// When each line is due; never later than something comes out of it.
    schedule: Schedule,
    transit: Transit,
    reports_rm_cells: bool,
    loads: Vec<build::Load>,
}

/// Where cells wait for a line.
#[derive(Clone, Debug)]
enum Feeder {
    Adapter(Adapter),
    Output(Output),
    /// A crossbar, and which of its outputs.
    Crossbar(u32, u32),
}

impl FabricSettings for Settings {
    type Fabric = Cells;

    fn fabric(&self, topology: &Topology, streams: &Streams) -> Cells {
        Cells::new(topology, self, streams)
    }
}

impl Fabric for Cells {
    fn watch(&mut self, watch: &Watch) {
        self.begin_tally(watch);
        self.reports_rm_cells = watch.rm_cells;
    }

    fn send(&mut self, now: Time, frame: Frame) {
        let (port, channel) = self.origins[frame.connection as usize];
        let (datagram, cells) = self.transit.begin(frame);
        self.at_adapter(now, port, |adapter, line, _| adapter.hand_over(now, channel, datagram, cells, line));
    }

    fn advance(&mut self, limit: Time) -> Option<FabricEvent> {
        loop {
            if let Some(event) = self.transit.pending_events.pop_front() {
                return Some(event);
            }
            let (now, port) = self.schedule.first();
            if now > limit || now == Time::NEVER {
                return None;
            }
            self.happen(port, now);
        }
    }

    fn change(&mut self, now: Time, port: u32, change: LinkChange) {
        let port = port as usize;
        self.settle(port, now);
        self.lines[port].change(change);
        self.schedule.set(port, self.due(port));
    }

    fn unloaded(&self, connection: u32, octets: u32) -> Unloaded {
        self.loads[connection as usize].unloaded(octets)
    }

    fn reset_tally(&mut self, now: Time) {
        self.reset_counts(now);
    }

    fn tally(&mut self, now: Time) -> Tally {
        self.count(now)
    }
}

impl Cells {
    /// Lets happen what is due at a line.
    #[inline]
    fn happen(&mut self, port: usize, now: Time) {
        if self.lines[port].is_empty() {
            self.settle(port, now);
        }
        self.receive(port, now);
        if self.lines[port].is_empty() {
            self.settle(port, now);
        }
        self.schedule.set(port, self.due(port));
    }

    /// Takes what is through a line.
    #[inline]
    fn receive(&mut self, port: usize, now: Time) {
        while let Some(cell) = self.lines[port].arrived(now) {
            self.arrive(port, cell, now);
        }
    }

    /// When a line is due.
    #[inline]
    fn due(&self, port: usize) -> Time {
        let line = &self.lines[port];
        let next_start = match &self.feeders[port] {
            Feeder::Crossbar(..) if line.queue.length() == 0 => Time::NEVER,
            Feeder::Crossbar(crossbar, _) => self.crossbars[*crossbar as usize].next_slot(),
            _ => line.next_start,
        };
        line.due(next_start)
    }

    /// Lets leave what begins until `now`.
    #[inline]
    fn settle(&mut self, port: usize, now: Time) {
        let line = &mut self.lines[port];
        match &mut self.feeders[port] {
            &mut Feeder::Crossbar(crossbar, _) => {
                let crossbar = &mut self.crossbars[crossbar as usize];
                if crossbar.next_slot() <= now {
                    crossbar.settle(now, &mut self.lines, &mut self.transit);
                }
            }
            _ if line.next_start > now => {}
            Feeder::Adapter(adapter) => adapter.settle(now, line, &mut self.transit),
            Feeder::Output(output) => output.settle(now, line, &mut self.pools[output.pool], &mut self.transit),
        }
    }

    /// A cell is through a line: at its host, or eligible at a switch's output.
    #[inline]
    fn arrive(&mut self, port: usize, cell: Cell, now: Time) {
        if cell.is(Cell::LOST) {
            self.lose(port, cell, now);
        } else if !self.transit.steps[cell.step()].is_last {
            self.forward(port, cell.onward(), now);
        } else if cell.is_data() {
            self.transit.data(now, cell, port as u32);
        } else {
            self.management(cell, now);
        }
    }

    /// A cell is eligible at the output that comes next on its path.
    #[inline]
    fn forward(&mut self, from: usize, cell: Cell, now: Time) {
        let to = self.transit.steps[cell.step()].port as usize;
        self.settle(to, now);
        if self.controls[to].is_some() || cell.is(Cell::BACKWARD) {
            self.rate_control(from, to, cell, now);
        }
        if !self.admits(from, to, cell, now) {
            let at = if matches!(self.feeders[to], Feeder::Crossbar(..)) { from } else { to };
            return self.lose(at, cell, now);
        }
        let line = &mut self.lines[to];
        match &mut self.feeders[to] {
            Feeder::Output(output) => {
                output.take(now, cell, line, &mut self.pools[output.pool], &mut self.transit);
            }
            &mut Feeder::Crossbar(crossbar, output) => {
                let pair = (input(&self.feeders, from), output);
                self.crossbars[crossbar as usize].take(now, cell, pair, line, &mut self.transit);
            }
            Feeder::Adapter(_) => unreachable!("a path continues at switches only"),
        }
        self.joined(to, now);
    }

    /// Something has come to wait for a line: it may begin at once, and the line may be due sooner.
    #[inline]
    fn joined(&mut self, port: usize, now: Time) {
        self.settle(port, now);
        self.lines[port].queue.note();
        let due = self.due(port);
        if due < self.schedule.due(port) {
            self.schedule.set(port, due);
        }
    }

    /// Whether the switch has room for a cell that is eligible at `to`.
    #[inline]
    fn admits(&mut self, from: usize, to: usize, cell: Cell, now: Time) -> bool {
        let state = cell.step();
        match &self.feeders[to] {
            Feeder::Output(output) => {
                let (pool, victim) = (output.pool, output.victim);
                if self.pools[pool].occupied < self.pools[pool].carefree {
                    let occupied = self.pools[pool].occupied;
                    return self.packets[state].admits(self.discards[to], cell, occupied, false);
                }
                self.settle_pool(pool, now);
                let full = self.pools[pool].is_full_for(self.lines[to].queue.length());
                let pushes_out = full && victim != Victim::Arriving;
                let occupied = self.pools[pool].occupied;
                let admitted = self.packets[state].admits(self.discards[to], cell, occupied, full && !pushes_out);
                if admitted && pushes_out {
                    self.push_out(pool, now);
                }
                admitted
            }
            Feeder::Crossbar(crossbar, _) => {
                let crossbar = &self.crossbars[*crossbar as usize];
                let occupied = crossbar.occupied(input(&self.feeders, from));
                self.packets[state].admits(self.discards[to], cell, occupied, occupied >= crossbar.limit)
            }
            Feeder::Adapter(_) => true,
        }
    }

    /// Makes the count of a buffer that outputs share exact.
    fn settle_pool(&mut self, pool: usize, now: Time) {
        for index in 0..self.pools[pool].ports.len() {
            self.settle(self.pools[pool].ports[index] as usize, now);
        }
    }

    /// Drops a cell of the longest of the queues that share a full buffer.
    fn push_out(&mut self, pool: usize, now: Time) {
        let mut longest = (0, 0, 0);
        for port in &self.pools[pool].ports {
            let Feeder::Output(Output { waiting: Waiting::PerConnection(queues), .. }) = &self.feeders[*port as usize]
            else {
                continue;
            };
            let (queue, length) = queues.longest();
            longest = if length > longest.0 { (length, *port as usize, queue) } else { longest };
        }
        let (_, port, queue) = longest;
        let Feeder::Output(output) = &mut self.feeders[port] else { return };
        let (line, pool) = (&mut self.lines[port], &mut self.pools[pool]);
        if let Some(cell) = output.push_out(now, queue, line, pool) {
            self.lose(port, cell, now);
        }
    }

    fn lose(&mut self, port: usize, cell: Cell, now: Time) {
        self.lines[port].drops += 1;
        self.transit.cell_lost(now, cell, port as u32);
    }

    /// A switch's part in rate control, for a cell from one port to another.
    fn rate_control(&mut self, from: usize, to: usize, cell: Cell, now: Time) {
        let connection = self.transit.steps[cell.step()].connection;
        let available = self.transit.connections[connection as usize].destination.is_some();
        self.look(to, now);
        if let Some(control) = &mut self.controls[to] {
            control.cell(connection, available);
            if cell.is(Cell::FORWARD) {
                control.forward(connection, &self.transit.contents[cell.carries]);
            }
        }
        // the data that a backward cell speaks of leave by the port it came from
        let data = from ^ 1;
        if cell.is(Cell::BACKWARD) && self.controls[data].is_some() {
            self.look(data, now);
            self.settle(data, now);
            let queued = self.lines[data].queue.length();
            if let Some(control) = &mut self.controls[data] {
                control.backward(connection ^ 1, queued, &mut self.transit.contents[cell.carries]);
            }
        }
    }

    /// Lets an output's rate control look at its queue as often as it should have until `now`.
    fn look(&mut self, port: usize, now: Time) {
        while let Some(at) = self.controls[port].as_ref().map(Control::next_look).filter(|at| *at <= now) {
            self.settle(port, at);
            let line = &self.lines[port];
            let delay = line.delay();
            if let Some(control) = &mut self.controls[port] {
                control.look(delay);
            }
        }
    }

    /// A resource management cell is at its host: one that came forward turns around, one that came back is an answer.
    fn management(&mut self, cell: Cell, now: Time) {
        let connection = self.transit.steps[cell.step()].connection;
        let content = self.transit.contents.remove(cell.carries);
        let forward = cell.is(Cell::FORWARD);
        self.report_rm_cell(connection, content, forward, now);
        let arrived = &mut self.transit.connections[connection as usize];
        arrived.cells.arrived += 1;
        let turned = arrived.destination.as_mut().filter(|_| forward).map(|end| end.turn_around(content));
        // the backward path is that of the reverse connection, which begins at this host
        let (port, channel) = self.origins[(connection ^ 1) as usize];
        self.at_adapter(now, port, |adapter, line, transit| match turned {
            Some(turned) => adapter.give_back(now, channel, turned, line),
            None => adapter.answer(now, channel, content, line, transit),
        });
    }

    /// Reports a resource management cell, if they are watched.
    fn report_rm_cell(&mut self, connection: u32, content: RmCell, forward: bool, now: Time) {
        if self.reports_rm_cells {
            let direction = if forward { Direction::Forward } else { Direction::Backward };
            let cell = content.encode(direction);
            self.transit.pending_events.push_back(FabricEvent::RmCell { at: now, connection, cell });
        }
    }

    /// Does something at a host's adapter, all before `now` being settled.
    fn at_adapter(&mut self, now: Time, port: u32, work: impl FnOnce(&mut Adapter, &mut Line, &mut Transit)) {
        let port = port as usize;
        self.settle(port, now);
        if let Feeder::Adapter(adapter) = &mut self.feeders[port] {
            work(adapter, &mut self.lines[port], &mut self.transit);
        }
        self.settle(port, now);
        self.lines[port].queue.note();
        self.schedule.set(port, self.due(port));
    }
}

/// Which input of its crossbar a port leads to: its other direction is the output of that number.
#[inline]
fn input(feeders: &[Feeder], from: usize) -> u32 {
    match feeders[from ^ 1] {
        Feeder::Crossbar(_, output) => output,
        _ => unreachable!("both directions of a link end at the same crossbar"),
    }
}

rekey_fields!(Cells { lines, crossbars });
