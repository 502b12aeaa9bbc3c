//! The simulation: the stages of both directions around the control stage, and the handling of events.

use sojourn_core::{Streams, Time, rekey_fields};
use sojourn_engine::{Server, World};
use sojourn_metrics::record::{Observation, Record};

use super::bus::cycles;
use super::changes::Changes;
use super::context::{Context, Shared};
use super::control::Control;
use super::event::{Event, Events};
use super::interface::Work;
use super::meter::Busy;
use super::metrics::{Metrics, Occupancy};
use super::receive::Receiving;
use super::ring::Ring;
use super::settings::{Pace, Settings, StageSelection};
use super::source::Source;
use super::store::Arrival;
use super::transmit::Transmitting;
use super::xmi::Xmi;
use sojourn_model::Replication;

/// The adapter, its bus and its ring.
#[derive(Clone, Debug)]
pub struct Adapter<'a> {
    pub(super) settings: &'a Settings,
    pub(super) shared: Shared,
    pub(super) control: Control,
    pub(super) receive: Receiving,
    pub(super) transmit: Transmitting,
    /// What events have changed, if there are any.
    pub(super) changes: Option<Box<Changes<'a>>>,
}

impl<'a> Adapter<'a> {
    /// An adapter at rest, with its first events scheduled.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>, events: &mut Events) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let to = from + replication.duration;
        let (source, busy) = (|direction| Source::new(&settings.traffic, direction, &streams), || Busy::new(from, to));
        let shared = Shared {
            xmi: Xmi::new(settings, from, to, &streams),
            ring: Ring::new(settings.ring, from),
            ring_memory: Server::new(from),
            staging_port: Server::new(from),
            metrics: Metrics::new(replication.duration, settings.ring.overhead, replication.traces),
        };
        let mut adapter = Adapter {
            settings,
            shared,
            control: Control::new(busy()),
            receive: Receiving::new(settings, source("receive"), busy()),
            transmit: Transmitting::new(settings, source("transmit"), busy()),
            changes: None,
        };
        adapter.start(events);
        if let Some(timeline) = &settings.timeline {
            adapter.start_timeline(timeline, Changes::new(timeline, replication), events);
        }
        adapter
    }

    /// Other nodes ask for the bus, and the first frames come.
    fn start(&mut self, events: &mut Events) {
        self.shared.xmi.start(events);
        let (_, receive, transmit, mut context) = self.parts(Time::ZERO, events);
        context.schedule_ring();
        let traffic = &context.settings.traffic;
        if traffic.pace == Pace::Silent {
            return;
        }
        if traffic.receive {
            receive.start(&mut context);
        }
        if traffic.transmit {
            transmit.start(&mut context);
        }
    }

    /// The control stage, both directions, and the context they work with.
    #[inline]
    pub(super) fn parts<'w>(
        &'w mut self,
        now: Time,
        events: &'w mut Events,
    ) -> (&'w mut Control, &'w mut Receiving, &'w mut Transmitting, Context<'w, 'a>) {
        let Adapter { settings, shared, control, receive, transmit, .. } = self;
        let context = Context { now, settings, shared, events };
        (control, receive, transmit, context)
    }

    fn arbitrate(&mut self, now: Time, events: &mut Events) {
        if let Some(work) = self.shared.xmi.arbitrate(now, &mut self.shared.metrics, events) {
            // a channel raises its next request at the grant of the one before
            if matches!(work, Work::DataWrite | Work::DataRead) {
                let (_, receive, transmit, mut context) = self.parts(now + cycles(1), events);
                match work {
                    Work::DataWrite => receive.delivering.write_next(&mut context),
                    _ => transmit.fetching.read_next(&mut context),
                }
            }
            self.shared.xmi.granted();
        }
        self.shared.xmi.schedule(now, events);
    }

    /// A transaction of the adapter is over.
    fn done(&mut self, now: Time, work: Work, events: &mut Events) {
        let (control, receive, transmit, mut context) = self.parts(now, events);
        let context = &mut context;
        match work {
            Work::EntryRead => match control.entry_read(context) {
                Some(frame) => transmit.fetching.begin(frame, context),
                None => return,
            },
            Work::DescriptorRead => receive.descriptors.read(context),
            Work::DataRead => {
                if !transmit.data_read(context) {
                    return;
                }
            }
            Work::DataWrite => {
                let Some(frame) = receive.delivering.written(context) else { return };
                receive.received(&frame, context);
                if context.passes(StageSelection::Adapter) {
                    control.start(receive, transmit, context);
                    receive.after_single(context);
                }
                return receive.delivering.begin(context);
            }
            Work::OwnershipWrite => receive.delivering.hand_over(control.owned(context), context),
            Work::StatusWrite => {
                control.status_written(context);
                transmit.free_entries(context.settings);
            }
        }
        control.start(receive, transmit, context);
    }

    /// An event of a stage or of a source of frames.
    fn stage_due(&mut self, now: Time, event: Event, events: &mut Events) {
        let (control, receive, transmit, mut context) = self.parts(now, events);
        let context = &mut context;
        match event {
            Event::FrameDue => return receive.frame_due(now, context),
            Event::FrameComes(size) => return receive.frame_begins(now, size, context),
            Event::Staged => return receive.delivering.write_next(context),
            Event::Unstaged => return transmit.fetching.read_next(context),
            Event::Controlled => {
                if !control.controlled(receive, transmit, context) {
                    return;
                }
            }
            Event::Request => transmit.request(context),
            Event::ReadyToSend => {
                if !transmit.sending.ready_to_send(context) {
                    return;
                }
                transmit.first_bit(context);
            }
            Event::FirstBit => transmit.first_bit(context),
            Event::Leaves => {
                if transmit.leaves(context) {
                    control.start(receive, transmit, context);
                    transmit.after_single(context);
                }
                return;
            }
            Event::Parsed => {}
            _ => unreachable!("an event of the bus or the ring"),
        }
        control.start(receive, transmit, context);
    }

    /// A burst of the incoming frame is there.
    fn burst(&mut self, now: Time, events: &mut Events) {
        let (control, receive, transmit, mut context) = self.parts(now, events);
        let context = &mut context;
        match receive.burst(context) {
            Arrival::Part => {}
            Arrival::Whole => control.start(receive, transmit, context),
            Arrival::Refused => {
                control.note_refusal();
                control.start(receive, transmit, context);
                receive.after_single(context);
            }
        }
        receive.next_burst(context);
    }

    fn ring_due(&mut self, now: Time, events: &mut Events) {
        if let Some(begun) = self.shared.ring.handle(now) {
            if begun.sent {
                events.at(begun.at.max(now), Event::FirstBit);
            } else {
                events.at(begun.at.max(now), Event::FrameComes(begun.size));
                if self.settings.traffic.pace == Pace::Saturating && !self.receive.source.stopped {
                    events.at(now, Event::FrameDue);
                }
            }
        }
        let (.., mut context) = self.parts(now, events);
        context.schedule_ring();
    }

    /// What is counted and sampled.
    pub fn metrics(&mut self) -> &mut Metrics {
        &mut self.shared.metrics
    }

    /// Frames from the ring that are inside.
    pub fn received_frames(&self) -> u64 {
        self.receive.inside()
    }

    /// Frames a second that were through, in both directions.
    pub fn frame_rate(&self) -> f64 {
        self.shared.metrics.frame_rate()
    }

    /// The record of an adapter whose clock has reached `end`.
    pub fn finish(mut self, end: Time) -> Record {
        let (in_receive, in_transmit) = self.control.holds();
        self.shared.metrics.to_host.tally.check_conservation(self.receive.inside() + in_receive);
        self.shared.metrics.to_ring.tally.check_conservation(self.transmit.inside() + in_transmit);
        let traffic = &self.settings.traffic;
        let changes = self.changes.take();
        let over_time = self.shared.xmi.bus().over_time(end);
        let mut record = self.shared.metrics.record(traffic.receive && traffic.transmit, &self.occupancy(end), end);
        if let Some(changes) = changes {
            changes.timed.finish(&mut record);
        }
        if let Some(over_time) = over_time {
            record.observe("utilisation/timeline", Observation::Timeline(over_time));
        }
        record
    }

    /// How busy the stages were that frames passed, and how full their buffers.
    fn occupancy(&self, end: Time) -> Occupancy<'_> {
        let traffic = &self.settings.traffic;
        let (receive, transmit) = (&self.receive, &self.transmit);
        let (mut busy, mut levels) = (vec![("bus", self.shared.xmi.utilisation())], Vec::new());
        if traffic.stages != StageSelection::HostInterface && (traffic.receive || traffic.transmit) {
            busy.push(("ring", self.shared.ring.utilisation(end)));
            busy.push(("ring-memory-controller", self.shared.ring_memory.utilisation(end)));
            levels.push(("receive-fifo", &receive.storing.fifo.level));
            levels.push(("transmit-fifo", &transmit.sending.fifo.level));
            levels.push(("receive-buffers", &receive.storing.pool.taken));
            levels.push(("transmit-buffers", &transmit.pool.taken));
            levels.push(("control-queue", &receive.storing.waiting));
            if traffic.receive {
                busy.push(("parser", receive.storing.parser.utilisation(end)));
            }
            if traffic.stages == StageSelection::Adapter {
                busy.push(("control", self.control.busy.clone().share()));
            }
        }
        if traffic.receive {
            busy.push(("data-writes", receive.delivering.writing.clone().share()));
        }
        if traffic.transmit {
            busy.push(("data-reads", transmit.fetching.busy.clone().share()));
        }
        Occupancy { busy, levels }
    }
}

impl World for Adapter<'_> {
    type Event = Event;

    fn end_warm_up(&mut self, _now: Time, _events: &mut Events) {
        self.shared.metrics.end_warm_up();
    }

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Arbitrate => self.arbitrate(now, events),
            Event::Done(work) => self.done(now, work, events),
            Event::NodeAnswered(node) => self.shared.xmi.command_again(now, node, events),
            Event::Answer(bank) => self.shared.xmi.respond(now, bank, events),
            Event::Interference => self.shared.xmi.interfere(now, events),
            Event::Burst => self.burst(now, events),
            Event::Ring => self.ring_due(now, events),
            Event::Step(step) => self.step(now, step, events),
            Event::Bypassed => self.bypassed(now, events),
            event => self.stage_due(now, event, events),
        }
        if self.changes.is_some() {
            self.observe_frames();
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

rekey_fields!(Adapter<'_> { shared, receive, transmit });
