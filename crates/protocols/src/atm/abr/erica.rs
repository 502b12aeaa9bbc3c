//! Explicit rate computation in a switch: ERICA and ERICA+ (R. Jain, S. Kalyanaraman, R. Goyal, S. Fahmy, R.
//! Viswanathan, The Ohio State University, 1996; Kalyanaraman's thesis, appendix).

use sojourn_core::Duration;

use super::rm_cell::RmCell;

/// Delta: a load factor up to 1 + delta is not an overload.
const DELTA: f64 = 0.1;

/// Parameters of the switch algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EricaSettings {
    /// Rate of the output link, cells/s, above 0.
    pub link_rate: f64,
    /// Target utilization: share of the link rate that is allocated, 0 to 1; 0.9 to 0.95 without `target_delay`.
    pub target_utilization: f64,
    /// ERICA+: target queuing delay (T0); the allocated share then depends on the queue.
    pub target_delay: Option<Duration>,
}

/// State of one output port.
#[derive(Clone, Debug, PartialEq)]
pub struct Erica {
    settings: EricaSettings,
    connections: Vec<Connection>,
    /// Number of the averaging interval.
    interval: u64,
    /// Connections that sent in this interval.
    active: u32,
    cells: u64,
    other_cells: u64,
    /// Target ABR rate, cells/s.
    target_rate: f64,
    /// ABR input rate over target rate (z).
    load_factor: f64,
    fair_share: f64,
    max_alloc_current: f64,
    max_alloc_previous: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Connection {
    ccr: f64,
    er: f64,
    /// Interval of its last cell.
    seen: Option<u64>,
    /// Interval in which `er` was computed.
    computed: Option<u64>,
}

impl Erica {
    /// An output port that `connections` connections share.
    pub fn new(settings: EricaSettings, connections: usize) -> Self {
        let target_rate = settings.link_rate * settings.target_utilization;
        Erica {
            settings,
            connections: vec![Connection::default(); connections],
            interval: 0,
            active: 0,
            cells: 0,
            other_cells: 0,
            target_rate,
            load_factor: 1.0,
            fair_share: target_rate,
            max_alloc_current: target_rate,
            max_alloc_previous: target_rate,
        }
    }

    /// Counts an ABR cell of a connection for this port.
    pub fn cell(&mut self, connection: usize) {
        self.cells += 1;
        let seen = self.connections[connection].seen.replace(self.interval);
        self.active += u32::from(seen != Some(self.interval));
    }

    /// Counts a cell of another service category for this port.
    pub fn other_cell(&mut self) {
        self.other_cells += 1;
    }

    /// Processes an FRM cell of a connection.
    pub fn forward(&mut self, connection: usize, cell: &RmCell) {
        self.connections[connection].ccr = cell.ccr;
    }

    /// Processes a BRM cell of a connection: ER is computed once per connection and interval.
    pub fn backward(&mut self, connection: usize, cell: &mut RmCell) {
        let computed = self.connections[connection].computed.replace(self.interval);
        if computed != Some(self.interval) {
            self.connections[connection].er = self.explicit_rate(self.connections[connection].ccr);
        }
        cell.er = cell.er.min(self.connections[connection].er);
    }

    /// Ends an averaging interval of `length`; the queuing delay of the port is now `queue_delay`.
    pub fn end_interval(&mut self, length: Duration, queue_delay: Duration) {
        let seconds = length.seconds();
        let available = self.settings.link_rate - self.other_cells as f64 / seconds;
        self.target_rate = (available * self.target_share(queue_delay)).max(0.0);
        self.load_factor = self.cells as f64 / seconds / self.target_rate;
        self.fair_share = self.target_rate / f64::from(self.active.max(1));
        self.max_alloc_previous = self.max_alloc_current;
        self.max_alloc_current = self.fair_share;
        self.interval += 1;
        (self.active, self.cells, self.other_cells) = (0, 0, 0);
    }

    fn explicit_rate(&mut self, ccr: f64) -> f64 {
        let vc_share = if self.load_factor > 0.0 { ccr / self.load_factor } else { self.target_rate };
        let min_alloc = self.fair_share.max(vc_share);
        let overloaded = self.load_factor > 1.0 + DELTA;
        let mut er = if overloaded { min_alloc } else { min_alloc.max(self.max_alloc_previous) };
        self.max_alloc_current = self.max_alloc_current.max(er);
        // a connection below the fair share rises to it first
        if er > self.fair_share && ccr < self.fair_share {
            er = self.fair_share;
        }
        er.min(self.target_rate)
    }

    /// The share of the available rate to allocate (f(Tq) of ERICA+): above 1 below the target delay, below 1 above it.
    fn target_share(&self, queue_delay: Duration) -> f64 {
        /// Queue drain limit factor (QDLF).
        const QDLF: f64 = 0.5;
        const A: f64 = 1.15;
        const B: f64 = 1.05;
        let Some(target) = self.settings.target_delay else { return self.settings.target_utilization };
        let (queue, target) = (queue_delay.seconds(), target.seconds());
        let hyperbola = |factor: f64| factor * target / ((factor - 1.0) * queue + target);
        if queue <= target { hyperbola(B) } else { hyperbola(A).max(QDLF) }
    }
}
