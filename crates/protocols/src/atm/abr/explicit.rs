//! A switch that works out a fair share: ERICA and ERICA+ (R. Jain, S. Kalyanaraman, R. Goyal, S. Fahmy, R. Viswanathan,
//! The Ohio State University, 1996; Kalyanaraman's thesis, appendix).

use sojourn_core::Duration;

use super::rate_cell::RateCell;

/// A load within this of the target counts as met.
const TOLERANCE: f64 = 0.1;

/// What an operator sets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EricaSettings {
    /// What the link carries, cells a second.
    pub link_rate: f64,
    /// The share of it that is given away, 0 to 1; 0.9 to 0.95 without `queue_target`.
    pub utilisation: f64,
    /// ERICA+: the delay in the queue that is aimed at; the share given away then follows the queue.
    pub queue_target: Option<Duration>,
}

/// The state of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Erica {
    settings: EricaSettings,
    connections: Vec<Connection>,
    /// Which interval it is.
    interval: u64,
    active: u32,
    cells: u64,
    other_cells: u64,
    target: f64,
    overload: f64,
    fair_share: f64,
    largest: f64,
    largest_before: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Connection {
    current_rate: f64,
    explicit_rate: f64,
    /// The interval in which it last sent, and in which it was last answered.
    seen: Option<u64>,
    answered: Option<u64>,
}

impl Erica {
    /// An output that `connections` connections share.
    pub fn new(settings: EricaSettings, connections: usize) -> Self {
        let target = settings.link_rate * settings.utilisation;
        Erica {
            settings,
            connections: vec![Connection::default(); connections],
            interval: 0,
            active: 0,
            cells: 0,
            other_cells: 0,
            target,
            overload: 1.0,
            fair_share: target,
            largest: target,
            largest_before: target,
        }
    }

    /// A cell of a connection came for this output.
    pub fn cell(&mut self, connection: usize) {
        self.cells += 1;
        let seen = self.connections[connection].seen.replace(self.interval);
        self.active += u32::from(seen != Some(self.interval));
    }

    /// A cell of another service came for this output.
    pub fn other_cell(&mut self) {
        self.other_cells += 1;
    }

    /// A forward resource management cell of a connection passes.
    pub fn forward(&mut self, connection: usize, cell: &RateCell) {
        self.connections[connection].current_rate = cell.current_rate;
    }

    /// A resource management cell of a connection goes back.
    pub fn backward(&mut self, connection: usize, cell: &mut RateCell) {
        let answered = self.connections[connection].answered.replace(self.interval);
        if answered != Some(self.interval) {
            self.connections[connection].explicit_rate = self.explicit_rate(self.connections[connection].current_rate);
        }
        cell.explicit_rate = cell.explicit_rate.min(self.connections[connection].explicit_rate);
    }

    /// An interval of `length` is over; cells now wait as long as `queue_delay` in the output's queue.
    pub fn end_interval(&mut self, length: Duration, queue_delay: Duration) {
        let seconds = length.seconds();
        let left = self.settings.link_rate - self.other_cells as f64 / seconds;
        self.target = (left * self.share_given_away(queue_delay)).max(0.0);
        self.overload = self.cells as f64 / seconds / self.target;
        self.fair_share = self.target / f64::from(self.active.max(1));
        self.largest_before = self.largest;
        self.largest = self.fair_share;
        self.interval += 1;
        (self.active, self.cells, self.other_cells) = (0, 0, 0);
    }

    fn explicit_rate(&mut self, current_rate: f64) -> f64 {
        let share = if self.overload > 0.0 { current_rate / self.overload } else { self.target };
        let least = self.fair_share.max(share);
        let overloaded = self.overload > 1.0 + TOLERANCE;
        let mut rate = if overloaded { least } else { least.max(self.largest_before) };
        self.largest = self.largest.max(rate);
        // a connection that was below its share is led there first
        if rate > self.fair_share && current_rate < self.fair_share {
            rate = self.fair_share;
        }
        rate.min(self.target)
    }

    /// The share of the link for this queue: below the target delay a little more than all, above it less.
    fn share_given_away(&self, queue_delay: Duration) -> f64 {
        const LEAST: f64 = 0.5;
        const ABOVE: f64 = 1.15;
        const BELOW: f64 = 1.05;
        let Some(target) = self.settings.queue_target else { return self.settings.utilisation };
        let (queue, target) = (queue_delay.seconds(), target.seconds());
        let hyperbola = |factor: f64| factor * target / ((factor - 1.0) * queue + target);
        if queue <= target { hyperbola(BELOW) } else { hyperbola(ABOVE).max(LEAST) }
    }
}
