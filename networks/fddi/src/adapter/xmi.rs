//! The XMI and everything attached to it: memory, other nodes, and the adapter's host interface.

use sojourn_core::{Stream, Streams, Time, rekey_fields};

use super::bus::{
    ANSWER_CYCLES, Bus, Granted, Interference, InterferenceSettings, Memory, Operation, Others, cycle_from, cycles,
    edge,
};
use super::event::{Event, Events};
use super::interface::{FIRST_NODE, HostInterface, RECEIVE, TRANSMIT, Work};
use super::metrics::Metrics;
use super::settings::Settings;

/// Whose read memory works on.
#[derive(Clone, Copy, Debug)]
enum Reader {
    /// The adapter's.
    Adapter(Work),
    /// The adapter's, before it lost its state.
    Abandoned,
    /// Another node's.
    Node(u32),
}

/// Bus, memory, and the requests of all nodes.
#[derive(Clone, Debug)]
pub struct Xmi {
    bus: Bus,
    memory: Memory<Reader>,
    interference: Option<Interference>,
    others: Others,
    interface: HostInterface,
}

impl Xmi {
    /// An idle bus, observed between two instants.
    pub fn new(settings: &Settings, from: Time, to: Time, streams: &Streams) -> Self {
        let bus = &settings.bus;
        Xmi {
            bus: Bus::new(from, to),
            memory: Memory::new(bus.interleave, bus.access, bus.memory_queue),
            interference: Interference::new(bus.interference, streams.stream("bus/interference")),
            others: Others::new(bus.commanders, bus.operation),
            interface: HostInterface::new(settings.stages.priority),
        }
    }

    /// The other nodes begin.
    pub fn start(&mut self, events: &mut Events) {
        if let Some(interference) = &mut self.interference {
            events.at(interference.next(Time::ZERO), Event::Interference);
        }
        (0..self.others.commanders).for_each(|node| self.command_again(Time::ZERO, node, events));
    }

    /// Whether a transaction of the adapter waits for the bus.
    #[inline]
    pub fn wants(&self, work: Work) -> bool {
        self.interface.wants(work)
    }

    /// A transaction of the adapter asks for the bus.
    #[inline]
    pub fn want(&mut self, now: Time, work: Work, events: &mut Events) {
        self.interface.want(work, cycle_from(now));
        self.bus.command(work.line(), true);
        self.schedule(now, events);
    }

    /// Schedules the arbitration that requests call for.
    #[inline]
    pub fn schedule(&mut self, now: Time, events: &mut Events) {
        if let Some(at) = self.bus.schedule(now) {
            events.at(at, Event::Arbitrate);
        }
    }

    /// One arbitration. Returns the transaction that the adapter drives, if it is granted the bus: its channel may
    /// raise the next request before [`Xmi::granted`].
    #[inline]
    pub fn arbitrate(&mut self, now: Time, metrics: &mut Metrics, events: &mut Events) -> Option<Work> {
        match self.bus.arbitrate(now)? {
            Granted::Responder(bank) => self.answer(now, bank, events),
            Granted::Commander(line) if line < FIRST_NODE => {
                return Some(self.adapter_drives(now, line, metrics, events));
            }
            Granted::Commander(line) => self.node_drives(now, line - FIRST_NODE, metrics, events),
        }
        None
    }

    /// The adapter was granted the bus and has raised its next request.
    #[inline]
    pub fn granted(&mut self) {
        for line in [RECEIVE, TRANSMIT] {
            self.bus.command(line, self.interface.asks(line));
        }
    }

    fn adapter_drives(&mut self, now: Time, line: u32, metrics: &mut Metrics, events: &mut Events) -> Work {
        let (work, since) = self.interface.choose(line);
        metrics.bus_wait(cycles(cycle_from(now) - since));
        let over = self.bus.drive(now, work.cycles());
        if work.is_read() {
            self.read(over, Reader::Adapter(work), events);
        } else {
            events.at(edge(over), Event::Done(work));
        }
        work
    }

    fn node_drives(&mut self, now: Time, node: u32, metrics: &mut Metrics, events: &mut Events) {
        let (since, length, more) = self.others.granted(node);
        let (operation, commander) = (self.others.operation, node < self.others.commanders);
        let bytes = if commander { operation.bytes() } else { 0 };
        metrics.node_drives(cycles(cycle_from(now) - since), length, bytes);
        let over = self.bus.drive(now, length);
        if commander && operation == Operation::Read {
            self.read(over, Reader::Node(node), events);
        } else if commander {
            self.command_again(now + cycles(1), node, events);
        }
        if more {
            self.bus.command(FIRST_NODE + node, true);
        }
    }

    fn read(&mut self, over: u64, reader: Reader, events: &mut Events) {
        let (bank, ready) = self.memory.read(over, reader);
        events.at(edge(ready), Event::Answer(bank));
        self.bus.suppress(self.memory.is_full());
    }

    fn answer(&mut self, now: Time, bank: u32, events: &mut Events) {
        let (reader, more) = self.memory.answer(bank);
        if more {
            self.bus.respond(bank);
        }
        self.bus.suppress(self.memory.is_full());
        let over = edge(self.bus.drive(now, ANSWER_CYCLES));
        match reader {
            Reader::Adapter(work) => events.at(over, Event::Done(work)),
            Reader::Node(node) => events.at(over, Event::NodeAnswered(node)),
            Reader::Abandoned => {}
        }
    }

    /// A memory bank has data and requests the bus.
    pub fn respond(&mut self, now: Time, bank: u32, events: &mut Events) {
        self.memory.ready(bank);
        self.bus.respond(bank);
        self.schedule(now, events);
    }

    /// A commander that always has a transaction asks for the bus.
    pub fn command_again(&mut self, now: Time, node: u32, events: &mut Events) {
        self.others.want(node, cycle_from(now), self.others.operation.cycles());
        self.bus.command(FIRST_NODE + node, true);
        self.schedule(now, events);
    }

    /// Several other nodes ask for the bus at once.
    pub fn interfere(&mut self, now: Time, events: &mut Events) {
        let Some(interference) = &mut self.interference else { return };
        for node in interference.nodes() {
            let length = interference.length();
            self.others.want(node, cycle_from(now), length);
            self.bus.command(FIRST_NODE + node, true);
        }
        events.at(interference.next(now), Event::Interference);
        self.schedule(now, events);
    }

    /// The adapter has nothing more to do on the bus; what memory reads for it is abandoned.
    pub fn reset_adapter(&mut self) {
        self.interface.clear();
        self.granted();
        self.memory.each_reader(|reader| {
            if matches!(reader, Reader::Adapter(_)) {
                *reader = Reader::Abandoned;
            }
        });
    }

    /// The interference of other nodes begins anew, with other settings.
    pub fn interfere_anew(&mut self, now: Time, settings: InterferenceSettings, stream: Stream, events: &mut Events) {
        self.interference = Interference::new(settings, stream);
        if let Some(interference) = &mut self.interference {
            events.at(interference.next(now), Event::Interference);
        }
    }

    /// The bus.
    pub fn bus(&mut self) -> &mut Bus {
        &mut self.bus
    }

    /// Share of the observed cycles in which a node drove the bus.
    pub fn utilisation(&self) -> f64 {
        self.bus.utilisation()
    }
}

rekey_fields!(Xmi { interference });
