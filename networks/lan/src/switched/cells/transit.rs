//! Datagrams in flight, and the state of each connection.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_metrics::TimeWeighted;
use sojourn_metrics::trace::LevelTrace;
use sojourn_protocols::atm::aal5;
use sojourn_protocols::atm::abr::{Destination, RmCell};

use crate::fabric::{Delivered, FabricEvent};
use crate::frame::Frame;
use sojourn_model::slab::Slab;

use super::cell::{Cell, Step};

/// What all lines have in common: what cells carry, where they go, and what has come of it.
#[derive(Clone, Debug)]
pub struct Transit {
    /// The paths of all connections, one after the other.
    pub steps: Vec<Step>,
    /// Contents of resource management cells in flight.
    pub contents: Slab<RmCell>,
    /// State of each connection.
    pub connections: Vec<Connection>,
    /// Events not yet reported to the hosts.
    pub pending_events: VecDeque<FabricEvent>,
    datagrams: Slab<Datagram>,
}

/// One direction of a connection.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Octets before each packet.
    pub header: u32,
    /// Data cells of the packet that the receiving host assembles.
    pub assembled: u32,
    /// When the packet delivered last began to leave its host.
    pub delivered: Time,
    /// Its end, where it has the available bit rate.
    pub destination: Option<Destination>,
    /// Whether rates are carried in 16 bits.
    pub coded_rates: bool,
    /// What its source may send, cells a second, over time.
    pub allowed: Option<TimeWeighted>,
    /// The same for a figure.
    pub allowed_trace: Option<Box<LevelTrace>>,
    /// Cells of all kinds.
    pub cells: CellCounts,
    /// Datagrams, and their cells, lost since the tally began.
    pub lost: u64,
    /// Cells lost since then.
    pub lost_cells: u64,
}

/// What has become of a connection's cells of all kinds since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellCounts {
    /// They left the sending adapter.
    pub sent: u64,
    /// They reached the receiving adapter.
    pub arrived: u64,
    /// They were lost in the network.
    pub lost: u64,
    /// They were marked with EFCI.
    pub marked: u64,
}

/// A datagram in cells.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    frame: Frame,
    cells: u32,
    /// Cells that have neither arrived nor been lost.
    outstanding: u32,
    first_departure: Time,
    last_departure: Time,
    /// Whether the hosts know that it is lost.
    lost: bool,
}

impl Transit {
    /// Nothing in flight yet.
    pub fn new(steps: Vec<Step>, connections: Vec<Connection>) -> Self {
        let (contents, datagrams) = (Slab::new(), Slab::new());
        Transit { steps, contents, connections, pending_events: VecDeque::new(), datagrams }
    }

    /// Takes a datagram in: its number, and how many cells it fills.
    pub fn begin(&mut self, frame: Frame) -> (u32, u32) {
        let header = self.connections[frame.connection as usize].header;
        let cells = aal5::cells((frame.octets + header) as usize) as u32;
        let (first_departure, last_departure) = (Time::ZERO, Time::ZERO);
        let datagram = Datagram { frame, cells, outstanding: cells, first_departure, last_departure, lost: false };
        (self.datagrams.insert(datagram), cells)
    }

    /// The first cell of a datagram leaves its adapter.
    pub fn first_leaves(&mut self, datagram: u32, start: Time) {
        self.datagrams[datagram].first_departure = start;
    }

    /// The last cell of a datagram leaves its adapter.
    pub fn last_leaves(&mut self, datagram: u32, start: Time) {
        self.datagrams[datagram].last_departure = start;
    }

    /// How many cells a datagram fills.
    #[inline]
    pub fn cells(&self, datagram: u32) -> u32 {
        self.datagrams[datagram].cells
    }

    /// The connection's new allowed rate.
    pub fn allow(&mut self, connection: u32, now: Time, rate: f64) {
        let connection = &mut self.connections[connection as usize];
        if let Some(allowed) = &mut connection.allowed {
            allowed.set(now, rate);
        }
        if let Some(trace) = &mut connection.allowed_trace {
            trace.set(now, rate);
        }
    }

    /// A data cell is at its host. The cells since the last packet's end are a packet if they are just its own: one whose
    /// last cell was lost is taken for the beginning of the next, which length and CRC then show.
    #[inline]
    pub fn data(&mut self, now: Time, cell: Cell, port: u32) {
        let step = self.steps[cell.step()];
        let connection = &mut self.connections[step.connection as usize];
        connection.cells.arrived += 1;
        connection.assembled += 1;
        if let Some(destination) = &mut connection.destination {
            destination.receive_data(cell.is(Cell::CONGESTION));
        }
        let datagram = &mut self.datagrams[cell.carries];
        datagram.outstanding -= 1;
        if cell.is(Cell::LAST) {
            let assembled = std::mem::take(&mut connection.assembled);
            self.packet(now, cell.carries, assembled, port);
        }
        self.forget(cell.carries);
    }

    /// The last cell of a packet is there, the last of `assembled`.
    fn packet(&mut self, now: Time, number: u32, assembled: u32, port: u32) {
        let datagram = self.datagrams[number];
        if assembled != datagram.cells {
            self.lose(now, number, port);
        } else if !datagram.lost {
            let Datagram { frame, first_departure, last_departure, outstanding, .. } = datagram;
            let connection = &mut self.connections[frame.connection as usize];
            debug_assert!(outstanding == 0, "a packet is delivered whole");
            debug_assert!(first_departure >= connection.delivered, "a connection keeps the order of its packets");
            connection.delivered = first_departure;
            self.pending_events.push_back(FabricEvent::Delivered(Delivered {
                access: Duration::ZERO,
                collided: Duration::ZERO,
                at: now,
                frame,
                first_departure,
                last_departure,
                precedence: 0,
            }));
        }
    }

    /// A cell is lost at a port.
    pub fn cell_lost(&mut self, now: Time, cell: Cell, port: u32) {
        let connection = self.steps[cell.step()].connection;
        let connection = &mut self.connections[connection as usize];
        connection.cells.lost += 1;
        connection.lost_cells += 1;
        if !cell.is_data() {
            self.contents.remove(cell.carries);
            return;
        }
        self.datagrams[cell.carries].outstanding -= 1;
        self.lose(now, cell.carries, port);
        self.forget(cell.carries);
    }

    /// Reports the loss of a datagram to the hosts once.
    fn lose(&mut self, now: Time, number: u32, port: u32) {
        let datagram = &mut self.datagrams[number];
        if datagram.lost {
            return;
        }
        datagram.lost = true;
        let frame = datagram.frame;
        self.connections[frame.connection as usize].lost += 1;
        self.pending_events.push_back(FabricEvent::Lost { at: now, frame, port });
    }

    /// Frees a datagram's place once nothing of it is left.
    #[inline]
    fn forget(&mut self, number: u32) {
        if self.datagrams[number].outstanding == 0 {
            self.datagrams.remove(number);
        }
    }

    /// Datagrams of which cells are in flight or wait.
    pub fn in_flight(&self) -> usize {
        self.datagrams.len()
    }
}
