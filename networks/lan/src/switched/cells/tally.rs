//! Counters, and the check that no loss goes uncounted.

use sojourn_core::{Duration, Time};
use sojourn_metrics::trace::LevelTrace;

use crate::fabric::{ConnectionTally, PortTally, Tally, Watch};

use super::cell::Cell;
use super::line::Line;
use super::transit::CellCounts;
use super::{Cells, Feeder};

impl Cells {
    /// Begins levels and traces.
    pub(super) fn begin_tally(&mut self, watch: &Watch) {
        for (port, line) in (0..).zip(&mut self.lines) {
            let trace = (watch.queue_trace == Some(port)).then(|| LevelTrace::new(0.0));
            line.queue.watch(watch.mean_from, trace);
        }
        for (number, connection) in (0..).zip(&mut self.transit.connections) {
            let Some(allowed) = &mut connection.allowed else { continue };
            allowed.start_mean_at(watch.mean_from);
            let traced = watch.rate_trace == Some(number);
            connection.allowed_trace = traced.then(|| Box::new(LevelTrace::new(allowed.value())));
        }
    }

    /// Counts begin again.
    pub(super) fn reset_counts(&mut self, now: Time) {
        self.settle_all(now);
        for line in &mut self.lines {
            line.reset_counts(now);
        }
        for connection in &mut self.transit.connections {
            (connection.lost, connection.lost_cells) = (0, 0);
        }
    }

    /// What was counted until `now`.
    pub(super) fn count(&mut self, now: Time) -> Tally {
        self.settle_all(now);
        self.check();
        let mut tally = Tally::default();
        for line in &mut self.lines {
            let (port, trace) = port(line, now);
            tally.ports.push(port);
            tally.queue_trace.extend(trace);
        }
        for connection in &mut self.transit.connections {
            tally.connections.push(ConnectionTally {
                lost: connection.lost,
                lost_cells: connection.lost_cells,
                allowed_cell_rate: connection.allowed.clone().map(|allowed| allowed.finish(now)),
            });
            let trace = connection.allowed_trace.take();
            tally.rate_trace.extend(trace.into_iter().flat_map(|trace| trace.finish(now)));
        }
        tally
    }

    /// What has become of a connection's cells since the start until `now`, an instant that has been reached.
    pub fn cell_counts(&mut self, connection: u32, now: Time) -> CellCounts {
        self.settle_all(now);
        self.transit.connections[connection as usize].cells
    }

    /// Datagrams of which something waits or is in flight at `now`, an instant that has been reached.
    pub fn datagrams(&mut self, now: Time) -> usize {
        self.settle_all(now);
        self.transit.in_flight()
    }

    /// Cells sent on all links since the start of the tally, as far as they are settled.
    pub fn transmissions(&self) -> u64 {
        self.lines.iter().map(|line| line.sent).sum()
    }

    /// Cells that wait for a port, until `now`.
    pub fn queue_length(&mut self, port: u32, now: Time) -> u32 {
        self.settle(port as usize, now);
        self.lines[port as usize].queue.length()
    }

    /// Cells in the network, by connection.
    fn stored(&self) -> Vec<u64> {
        let mut stored = vec![0; self.transit.connections.len()];
        let mut add = |cell: Cell| stored[self.transit.steps[cell.step()].connection as usize] += 1;
        self.lines.iter().flat_map(Line::in_flight).for_each(&mut add);
        self.crossbars.iter().flat_map(|crossbar| crossbar.waiting()).for_each(&mut add);
        for feeder in &self.feeders {
            if let Feeder::Output(output) = feeder {
                output.waiting.iter().for_each(&mut add);
            }
        }
        stored
    }

    /// Finds out all that has happened until `now`.
    fn settle_all(&mut self, now: Time) {
        for port in 0..self.lines.len() {
            self.settle(port, now);
            self.receive(port, now);
        }
    }

    /// Of each connection as many cells came in as went out, were lost, or are still there.
    fn check(&self) {
        if cfg!(debug_assertions) {
            for (connection, stored) in self.transit.connections.iter().zip(self.stored()) {
                let CellCounts { sent, arrived, lost, .. } = connection.cells;
                assert_eq!(sent, arrived + lost + stored, "cells are conserved");
            }
        }
    }
}

fn port(line: &mut Line, now: Time) -> (PortTally, Vec<(u64, f64)>) {
    let more_waiting = f64::from(line.queue.length()) - f64::from(line.waited);
    let (queue, trace) = line.queue.finish(now);
    let (busy, sent, dropped, marked) = (line.busy(now), line.sent, line.drops, line.marked);
    (PortTally { busy, paced: Duration::ZERO, sent, more_waiting, queue, dropped, marked }, trace)
}
