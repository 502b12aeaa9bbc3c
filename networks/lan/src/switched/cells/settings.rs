//! Settings of a cell network, in its own units: cells, cells per second, picoseconds.

use sojourn_core::Duration;
use sojourn_protocols::atm::abr::{MarkingSettings, Parameters};

/// Octets of an LLC/SNAP header before each packet (RFC 2684).
pub const LLC_HEADER: u32 = 8;

/// All of a network's cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// By station; nothing for hosts.
    pub switches: Vec<Option<SwitchSettings>>,
    /// Parameters of each port.
    pub ports: Vec<PortSettings>,
    /// Parameters of each connection.
    pub connections: Vec<ConnectionSettings>,
}

/// One direction of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PortSettings {
    /// Names its random numbers.
    pub name: String,
    /// Whether cells begin only on whole multiples of a cell's time since the start, as where idle cells fill the gaps.
    pub slotted: bool,
    /// Chance that a cell is lost on the link, 0 to 1.
    pub loss: f64,
    /// Whether events may change that, or take the link down.
    pub changes: bool,
}

/// One direction of a virtual channel connection.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionSettings {
    /// Octets before each packet: [`LLC_HEADER`], or 0 where the connection itself says what it carries.
    pub header: u32,
    /// Which service it has.
    pub service: Service,
}

/// A service category (ATM Forum, Traffic Management 4.0).
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// Unspecified bit rate: as fast as the link.
    Unspecified,
    /// Available bit rate (ABR), with its parameters.
    Available(Available),
}

/// A connection of the available bit rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Available {
    /// What its source keeps to.
    pub parameters: Parameters,
    /// Whether a destination's indication of congestion stands until a data cell without EFCI comes, rather than until
    /// it has been signalled once.
    pub keeps_indication: bool,
    /// Whether backward cells leave at once, whatever the rate of the source they pass.
    pub backward_bypasses: bool,
    /// Whether rates are carried in 16 bits, as the cells' bytes have them.
    pub coded_rates: bool,
}

/// Parameters of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchSettings {
    /// Names its random numbers.
    pub name: String,
    /// How long a cell takes to become eligible at its output.
    pub latency: Duration,
    /// From when that counts.
    pub latency_from: LatencyFrom,
    /// Where cells wait, and who goes next.
    pub architecture: Architecture,
    /// Cells that a buffer holds; `None`: any number.
    pub buffer: Option<u32>,
    /// What is done beyond it.
    pub discard: Discard,
    /// Cells that are marked with EFCI.
    pub marking: Option<EfciSettings>,
    /// What the switch signals to sources by resource management cells.
    pub rate_control: RateControl,
}

/// From when a switch's latency counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LatencyFrom {
    /// The cell's last bit.
    #[default]
    LastBit,
    /// Its first bit; a cell is never eligible before its last bit is there.
    FirstBit,
}

/// Where cells wait, and who goes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Architecture {
    /// One queue per output; the outputs of a module share one buffer.
    OutputFifo(Pool),
    /// A queue per connection and output, served round robin; the outputs of a module share one buffer.
    OutputPerConnection(Pool, Victim),
    /// One queue per input, of which only the head can move; a buffer per input.
    InputFifo(Matching),
    /// A queue per connection at each input; a buffer per input.
    InputPerConnection(Matching),
}

/// How outputs share buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    /// Outputs of a module, in the order of the switch's ports.
    pub ports: u32,
    /// An output may hold at most this multiple of the free cells of the buffer (dynamic thresholds; Choudhury and
    /// Hahne, 1998).
    pub share: Option<f64>,
}

/// Which cell is dropped when a buffer of queues per connection is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Victim {
    /// The one that arrives.
    #[default]
    Arriving,
    /// The first one of the longest queue.
    HeadOfLongest,
    /// The last one of the longest queue.
    TailOfLongest,
}

/// How inputs and outputs of a crossbar are matched in each cell's time: parallel iterative matching (Anderson, Owicki,
/// Saxe and Thacker, 1993).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matching {
    /// Rounds of request, grant and accept.
    pub iterations: u32,
    /// Whom an output grants.
    pub grants: Choice,
    /// Which grant an input accepts.
    pub accepts: Choice,
    /// Whether the crossbar's slots run free, rather than begin anew with the first cell after a silence.
    pub free_running: bool,
}

/// How one of several inputs is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Any, with equal chance.
    #[default]
    Random,
    /// The next after the last.
    Rotating,
}

/// What is done with cells that find no room (Romanow and Floyd, 1995).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discard {
    /// They are dropped, each on its own.
    #[default]
    Tail,
    /// With them the rest of their packet, but for its last cell.
    PartialPacket,
    /// Early packet discard: also drops a whole packet if its first cell finds this many cells or more.
    EarlyPacket(u32),
}

/// When data cells are marked with explicit forward congestion indication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EfciSettings {
    /// The output is congested once more cells than this wait for it.
    pub above: u32,
    /// And until no more than this do; at most `above`.
    pub until: u32,
    /// Whose marking it is.
    pub at: MarkAt,
}

/// Which cell is marked because of the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkAt {
    /// The one that leaves it, of the cells it leaves behind.
    #[default]
    Departure,
    /// The one that joins it, of the cells it finds.
    Arrival,
}

/// What a switch signals to sources by resource management cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateControl {
    /// No rates: sources adapt to EFCI alone.
    None,
    /// Rates below an average, when a queue is long (EPRCA).
    IntelligentMarking(MarkingSettings),
    /// A fair share (ERICA).
    Explicit {
        /// How often it is worked out.
        interval: Duration,
        /// The share of the link that is given away.
        utilisation: f64,
        /// ERICA+: the delay in the queue that is aimed at.
        queue_target: Option<Duration>,
    },
}
