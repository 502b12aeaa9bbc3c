//! The adapter on its bus as it runs: dispatches events to the stages.

use sojourn_core::{Streams, Time};
use sojourn_engine::{Server, World};

use super::bus::{ANSWER_CYCLES, Bus, Granted, Interference, Memory, Operation, Others, cycle_from, cycles, edge};
use super::control::Control;
use super::deliver::Staging;
use super::event::{Event, Events};
use super::fetch::Transmitting;
use super::interface::{FIRST_NODE, HostInterface, RECEIVE, TRANSMIT, Work};
use super::meter::Busy;
use super::metrics::Measures;
use super::receive::Receiving;
use super::ring::Ring;
use super::settings::{Pace, Settings, StageSelection};
use super::source::Source;
use crate::Replication;

/// Whose read memory works on.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// The adapter's.
    Adapter(Work),
    /// Another node's.
    Node(u32),
}

/// The adapter, its bus and its ring.
#[derive(Clone, Debug)]
pub struct Adapter<'a> {
    pub settings: &'a Settings,
    pub bus: Bus,
    pub memory: Memory<Reader>,
    pub interference: Option<Interference>,
    pub others: Others,
    pub interface: HostInterface,
    pub control: Control,
    /// The ring memory controller's bus to packet memory.
    pub ring_memory: Server,
    /// The host interface's port to packet memory.
    pub staging_port: Server,
    pub parser: Server,
    pub staging: Staging,
    pub ring: Ring,
    pub receive: Receiving,
    pub transmit: Transmitting,
    pub measures: Measures,
}

impl<'a> Adapter<'a> {
    /// An adapter at rest.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let to = from + replication.duration;
        let (bus, traffic) = (&settings.bus, &settings.traffic);
        Adapter {
            settings,
            bus: Bus::new(from, to),
            memory: Memory::new(bus.interleave, bus.access, bus.memory_queue),
            interference: Interference::new(bus.interference, streams.stream("bus/interference")),
            others: Others::new(bus.commanders, bus.operation),
            interface: HostInterface::new(settings.stages.priority),
            control: Control::new(Busy::new(from, to)),
            ring_memory: Server::new(from),
            staging_port: Server::new(from),
            parser: Server::new(from),
            staging: Staging::default(),
            ring: Ring::new(settings.ring, from),
            receive: Receiving::new(settings, Source::new(traffic, "receive", &streams), Busy::new(from, to)),
            transmit: Transmitting::new(settings, Source::new(traffic, "transmit", &streams), Busy::new(from, to)),
            measures: Measures::new(from, to, settings.ring.overhead, replication.traces),
        }
    }

    /// Lets others ask for the bus and the first frames come.
    pub fn begin(&mut self, events: &mut Events) {
        if let Some(interference) = &mut self.interference {
            events.at(interference.next(Time::ZERO), Event::Interference);
        }
        (0..self.others.commanders).for_each(|node| self.command_again(Time::ZERO, node, events));
        self.schedule_ring(events);
        let traffic = &self.settings.traffic;
        let (full, host_side) =
            (traffic.stages == StageSelection::Adapter, traffic.stages == StageSelection::HostInterface);
        if traffic.pace == Pace::Silent {
            return;
        }
        if traffic.receive && host_side {
            self.feed_interface(Time::ZERO, events);
        } else if traffic.receive {
            if full {
                self.fetch_descriptors(Time::ZERO, true, events);
            }
            let wait = self.receive.source.first();
            events.at(Time::ZERO + wait, Event::FrameDue);
            if self.ring.has_token() && traffic.pace == Pace::Saturating {
                events.at(Time::ZERO, Event::FrameDue);
            }
        }
        if !traffic.transmit {
            return;
        }
        match traffic.stages {
            StageSelection::Adapter => {
                let wait = self.transmit.source.first();
                events.at(Time::ZERO + wait, Event::Request);
            }
            StageSelection::RingMemoryController => self.feed_fifo(Time::ZERO, events),
            StageSelection::HostInterface => self.feed_reads(Time::ZERO, events),
        }
    }

    /// A transaction of the adapter asks for the bus.
    #[inline]
    pub fn want(&mut self, now: Time, work: Work, events: &mut Events) {
        self.interface.want(work, cycle_from(now));
        self.bus.command(work.line(), true);
        self.schedule_bus(now, events);
    }

    #[inline]
    fn schedule_bus(&mut self, now: Time, events: &mut Events) {
        if let Some(at) = self.bus.schedule(now) {
            events.at(at, Event::Arbitrate);
        }
    }

    /// Schedules the token ring's next event, if there is a token ring.
    pub fn schedule_ring(&mut self, events: &mut Events) {
        if let Some(at) = self.ring.schedule() {
            events.at(at, Event::Ring);
        }
    }

    fn arbitrate(&mut self, now: Time, events: &mut Events) {
        match self.bus.arbitrate(now) {
            Some(Granted::Responder(bank)) => self.answer(now, bank, events),
            Some(Granted::Commander(line)) if line < FIRST_NODE => self.adapter_drives(now, line, events),
            Some(Granted::Commander(line)) => self.node_drives(now, line - FIRST_NODE, events),
            None => {}
        }
        self.schedule_bus(now, events);
    }

    fn adapter_drives(&mut self, now: Time, line: u32, events: &mut Events) {
        let (work, since) = self.interface.choose(line);
        if self.measures.holds(now) {
            self.measures.bus_wait.record(cycles(cycle_from(now) - since));
        }
        let over = self.bus.drive(now, work.cycles());
        if work.is_read() {
            self.read(over, Reader::Adapter(work), events);
        } else {
            events.at(edge(over), Event::Done(work));
        }
        // a channel raises its next request at the grant of the one before
        let next = now + cycles(1);
        match work {
            Work::DataWrite => self.write_next(next, events),
            Work::DataRead => self.read_next(next, events),
            _ => {}
        }
        for line in [RECEIVE, TRANSMIT] {
            self.bus.command(line, self.interface.asks(line));
        }
    }

    fn node_drives(&mut self, now: Time, node: u32, events: &mut Events) {
        let (since, length, more) = self.others.granted(node);
        let commander = node < self.others.commanders;
        let reads = commander && self.others.operation == Operation::Read;
        if self.measures.holds(now) {
            self.measures.others_wait.record(cycles(cycle_from(now) - since));
            self.measures.driven_by_others += length;
            if commander {
                self.measures.moved_by_others += u64::from(self.others.operation.bytes());
            }
        }
        let over = self.bus.drive(now, length);
        if reads {
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
        }
    }

    /// A commander that always has a transaction asks for the bus.
    fn command_again(&mut self, now: Time, node: u32, events: &mut Events) {
        self.others.want(node, cycle_from(now), self.others.operation.cycles());
        self.bus.command(FIRST_NODE + node, true);
        self.schedule_bus(now, events);
    }

    fn interfere(&mut self, now: Time, events: &mut Events) {
        let Some(interference) = &mut self.interference else { return };
        for node in interference.nodes() {
            let length = interference.length();
            self.others.want(node, cycle_from(now), length);
            self.bus.command(FIRST_NODE + node, true);
        }
        events.at(interference.next(now), Event::Interference);
        self.schedule_bus(now, events);
    }

    fn done(&mut self, now: Time, work: Work, events: &mut Events) {
        match work {
            Work::EntryRead => self.entry_read(now, events),
            Work::DescriptorRead => self.descriptors_read(now, events),
            Work::DataRead => self.data_read(now, events),
            Work::DataWrite => self.data_written(now, events),
            Work::OwnershipWrite => self.owned(now, events),
            Work::StatusWrite => self.status_written(now, events),
        }
    }

    fn ring_due(&mut self, now: Time, events: &mut Events) {
        if let Some(begun) = self.ring.handle(now) {
            if begun.sent {
                events.at(begun.at.max(now), Event::FirstBit);
            } else {
                events.at(begun.at.max(now), Event::FrameComes(begun.size));
                if self.settings.traffic.pace == Pace::Saturating {
                    events.at(now, Event::FrameDue);
                }
            }
        }
        self.schedule_ring(events);
    }
}

impl World for Adapter<'_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Arbitrate => self.arbitrate(now, events),
            Event::Done(work) => self.done(now, work, events),
            Event::NodeAnswered(node) => self.command_again(now, node, events),
            Event::Answer(bank) => {
                self.memory.ready(bank);
                self.bus.respond(bank);
                self.schedule_bus(now, events);
            }
            Event::Interference => self.interfere(now, events),
            Event::FrameDue => self.frame_due(now, events),
            Event::FrameComes(size) => self.frame_begins(now, size, events),
            Event::Burst => self.burst(now, events),
            Event::Parsed => self.start_control(now, events),
            Event::Controlled => self.controlled(now, events),
            Event::Staged => self.write_next(now, events),
            Event::Unstaged => self.read_next(now, events),
            Event::Request => self.request(now, events),
            Event::ReadyToSend => self.ready_to_send(now, events),
            Event::FirstBit => self.first_bit(now, events),
            Event::Leaves => self.leaves(now, events),
            Event::Ring => self.ring_due(now, events),
        }
    }

    /// A frame ends before the next one begins, the ring sees all frames of its instant, an arbitration all requests.
    #[inline]
    fn class(event: &Event) -> u8 {
        match event {
            Event::Arbitrate => 2,
            Event::FrameComes(_) | Event::Ring => 1,
            _ => 0,
        }
    }
}
