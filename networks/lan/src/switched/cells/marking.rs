//! EFCI (explicit forward congestion indication): marks data cells while an output is congested.

use super::cell::Cell;
use super::line::Line;
use super::settings::{EfciSettings, MarkAt};
use super::transit::Transit;

/// The marking of one output.
#[derive(Clone, Copy, Debug)]
pub struct Marker {
    settings: EfciSettings,
    congested: bool,
}

impl Marker {
    /// An output that is not congested yet.
    pub fn new(settings: EfciSettings) -> Self {
        Marker { settings, congested: false }
    }

    /// Marks a data cell that joins the queue or leaves it, if it is its turn and the queue is long. A mark that a cell
    /// brings is never taken away.
    #[inline]
    pub fn mark(&mut self, at: MarkAt, cell: &mut Cell, line: &mut Line, transit: &mut Transit) {
        if at != self.settings.at {
            return;
        }
        // hysteresis, or marks would alternate cell by cell around a single threshold
        let limit = if self.congested { self.settings.until } else { self.settings.above };
        self.congested = line.queue.length() > limit;
        if self.congested && cell.is_data() && !cell.is(Cell::CONGESTION) {
            cell.set(Cell::CONGESTION);
            line.marked += 1;
            let connection = transit.steps[cell.step()].connection;
            transit.connections[connection as usize].cells.marked += 1;
        }
    }
}
