//! Analysis of capture files: reads every packet, passes it to its tracker and tallies the result.

use std::collections::BTreeMap;

use sojourn_core::Time;

use crate::can::DataPhase;
use crate::ip::roles::Servers;
use crate::reader::{ClockFaults, Fault, Interface, Reader};
use crate::trackers::Trackers;
use crate::{LinkType, Network, Packet, Sink};

/// A capture being analysed.
pub struct Analysis {
    reader: Reader,
    trackers: Trackers,
    sink: Sink,
    only: Option<Network>,
    networks: BTreeMap<Network, u64>,
    unread: BTreeMap<LinkType, u64>,
    data_phase: DataPhase,
    end: Time,
}

/// What was found in a capture.
#[derive(Debug)]
pub struct Findings {
    /// All tallies.
    pub sink: Sink,
    /// The network that most packets are of; `None` if none is known.
    pub network: Option<Network>,
    /// Packets of each network.
    pub networks: BTreeMap<Network, u64>,
    /// Packets read.
    pub packets: u64,
    /// Stamp of the last packet.
    pub end: Time,
    /// The interfaces that packets were captured on.
    pub interfaces: Vec<Interface>,
    /// Packets of no network that is analysed, by their link type.
    pub unread: BTreeMap<LinkType, u64>,
    /// What could not be read.
    pub faults: Vec<Fault>,
    /// How bits of the data phase of CAN FD count.
    pub data_phase: DataPhase,
    /// What was found of the clock.
    pub clock: ClockFaults,
    /// Whether a simulation wrote the capture.
    pub is_simulated: bool,
}

/// How far an analysis is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Packets read.
    pub packets: u64,
    /// Stamp of the last packet.
    pub time: Time,
    /// Transactions found.
    pub transactions: u64,
    /// Transactions without an answer.
    pub unanswered: u64,
    /// Retries of all transactions.
    pub retries: u64,
    /// Mean response time in seconds.
    pub response_time_s: Option<f64>,
    /// Packets that do not parse.
    pub malformed: u64,
}

impl Analysis {
    /// An analysis of what `reader` reads, of one network only if `only` names it.
    pub fn new(reader: Reader, only: Option<Network>) -> Self {
        Analysis::with_sink(reader, only, Sink::default())
    }

    /// An analysis that reports to `sink`, which may keep a log.
    pub fn with_sink(reader: Reader, only: Option<Network>, sink: Sink) -> Self {
        Analysis {
            reader,
            trackers: Trackers::of(only),
            sink,
            only,
            networks: BTreeMap::new(),
            unread: BTreeMap::new(),
            data_phase: DataPhase::default(),
            end: Time::ZERO,
        }
    }

    /// The same analysis, where `servers` finds who serves over IP; before the first packet.
    pub fn with_servers(mut self, servers: &Servers) -> Self {
        self.trackers = Trackers::with_servers(self.only, servers).with_data_phase(self.data_phase);
        self
    }

    /// The same analysis, where the data phase of CAN FD has a bit rate of its own; before the first packet.
    pub fn with_data_phase(mut self, data_phase: DataPhase) -> Self {
        self.data_phase = data_phase;
        self.trackers = std::mem::take(&mut self.trackers).with_data_phase(data_phase);
        self
    }

    /// The same analysis, which keeps `limit` of the slowest transactions; before the first packet.
    pub fn with_slowest(mut self, limit: usize) -> Self {
        self.sink = self.sink.keeping_slowest(limit);
        self
    }

    /// Analyses the next packet; false at the end of the capture, and where it [awaits](Analysis::awaits) more of it.
    #[inline]
    pub fn step(&mut self) -> bool {
        self.step_seen(|_| ())
    }

    /// The same, and `see` sees the packet.
    #[inline]
    pub fn step_seen(&mut self, see: impl FnOnce(&Packet<'_>)) -> bool {
        let Some(packet) = self.reader.next_packet() else { return false };
        self.end = packet.time;
        see(&packet);
        match self.trackers.packet(&packet, &mut self.sink) {
            Some(network) => *self.networks.entry(network).or_default() += 1,
            None => *self.unread.entry(packet.link_type).or_default() += 1,
        }
        true
    }

    /// Whether the next packet has not arrived yet.
    pub fn awaits(&self) -> bool {
        self.reader.awaits()
    }

    /// How far it is.
    pub fn standing(&self) -> Standing {
        let whole = self.sink.whole();
        Standing {
            packets: self.reader.packets(),
            time: self.end,
            transactions: whole.transactions,
            unanswered: whole.unanswered + whole.refused,
            retries: whole.retries,
            response_time_s: whole.response.mean(),
            malformed: self.sink.malformed_packets().values().map(|reason| reason.count).sum(),
        }
    }

    /// What trackers have reported so far.
    pub fn sink(&self) -> &Sink {
        &self.sink
    }

    /// Calls `look` with what was found so far, without the transactions that are open.
    pub fn so_far<T>(&mut self, look: impl FnOnce(&Findings) -> T) -> T {
        let found = self.findings();
        let seen = look(&found);
        self.sink = found.sink;
        seen
    }

    /// Ends the capture here and returns what was found.
    pub fn finish(mut self) -> Findings {
        self.trackers.finish(self.end, &mut self.sink);
        self.findings()
    }

    /// What was found, with the sink, whose place is empty then.
    fn findings(&mut self) -> Findings {
        let most = self.networks.iter().max_by_key(|(network, packets)| (**packets, std::cmp::Reverse(**network)));
        Findings {
            network: self.only.or(most.map(|(network, _)| *network)),
            networks: self.networks.clone(),
            packets: self.reader.packets(),
            end: self.end,
            interfaces: self.reader.interfaces().to_vec(),
            unread: self.unread.clone(),
            faults: self.reader.faults().to_vec(),
            data_phase: self.data_phase,
            clock: self.reader.clock_faults(),
            is_simulated: self.reader.is_simulated(),
            sink: std::mem::take(&mut self.sink),
        }
    }
}

impl Findings {
    /// Packets that do not parse.
    pub fn malformed(&self) -> u64 {
        self.sink.malformed_packets().values().map(|reason| reason.count).sum()
    }

    /// Seconds from the first packet to the last.
    pub fn seconds(&self) -> f64 {
        self.end.seconds()
    }
}
