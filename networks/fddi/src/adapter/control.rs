//! The control stage: the ring entry mover and the ring entries it reads and writes on the bus, one job at a time.
//!
//! The shared [`Cpu`](sojourn_model::cpu::Cpu) does not fit: jobs wait in one queue per direction, which alternate,
//! and the bus decides how long a job takes.

use sojourn_core::{Duration, Time};

use super::context::Context;
use super::event::Event;
use super::frame::{Received, Sent};
use super::interface::Work;
use super::meter::Busy;
use super::receive::Receiving;
use super::settings::StageSelection;
use super::transmit::Transmitting;

/// What the control stage works on.
#[derive(Clone, Copy, Debug)]
enum Job {
    /// Frames that were refused.
    Refusals,
    /// A received frame: its entry is moved, then the host gets it.
    Receive(Received),
    /// The entry of a frame to send is read; this many reads are left.
    Entry(Sent, u32),
    /// A frame to send is moved to the ring's side.
    Move(Sent),
    /// The host is notified of a sent frame.
    Status,
}

/// A frame of the control stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Held {
    /// From the ring.
    pub received: Option<Received>,
    /// To the ring.
    pub sent: Option<Sent>,
}

/// The control stage: its job, and whose turn is next.
#[derive(Clone, Debug)]
pub struct Control {
    job: Option<Job>,
    /// Refused frames that it must take note of.
    refusals: u32,
    /// Whether it is the transmit side's turn.
    transmit_next: bool,
    /// When it works or waits for the bus.
    pub busy: Busy,
}

impl Control {
    /// An idle control stage without refused frames.
    pub fn new(busy: Busy) -> Self {
        Control { job: None, refusals: 0, transmit_next: false, busy }
    }

    /// Received frames and frames to send that it holds.
    pub fn holds(&self) -> (u64, u64) {
        match self.job {
            Some(Job::Receive(_)) => (1, 0),
            Some(Job::Entry(..) | Job::Move(_)) => (0, 1),
            Some(Job::Refusals | Job::Status) | None => (0, 0),
        }
    }

    /// The job is lost, and what it had: a received frame, a frame to send.
    pub fn reset(&mut self, now: Time) -> Held {
        self.busy.end(now);
        (self.refusals, self.transmit_next) = (0, false);
        match self.job.take() {
            Some(Job::Receive(frame)) => Held { received: Some(frame), sent: None },
            Some(Job::Entry(frame, _) | Job::Move(frame)) => Held { received: None, sent: Some(frame) },
            Some(Job::Refusals | Job::Status) | None => Held::default(),
        }
    }

    /// A frame was refused.
    pub fn note_refusal(&mut self) {
        self.refusals += 1;
    }

    /// Begins the next job, if the stage is idle: refused frames first, then received frames and the jobs of the
    /// transmit side alternately.
    pub fn start(&mut self, receive: &mut Receiving, transmit: &mut Transmitting, context: &mut Context<'_, '_>) {
        match context.settings.traffic.stages {
            StageSelection::Adapter => {}
            StageSelection::RingMemoryController => return receive.pass_on(context),
            StageSelection::HostInterface => return,
        }
        if self.job.is_some() {
            return;
        }
        if self.refusals > 0 {
            let count = std::mem::take(&mut self.refusals);
            let cost = context.settings.stages.discard_time.times(u64::from(count));
            return self.work(Job::Refusals, cost, context);
        }
        let is_receive_due = receive.is_due(context);
        if (self.transmit_next || !is_receive_due) && self.start_transmit_job(transmit, context) {
            self.transmit_next = false;
        } else if is_receive_due {
            self.transmit_next = true;
            let frame = receive.take_up(context);
            let stages = &context.settings.stages;
            let work = stages.receive_control + stages.control_per_byte.times(u64::from(frame.size));
            self.work(Job::Receive(frame), work, context);
        }
    }

    /// The transmit side's next job: a status to write, a frame to move, an entry to read. Whether there was one.
    fn start_transmit_job(&mut self, transmit: &mut Transmitting, context: &mut Context<'_, '_>) -> bool {
        if transmit.take_status() {
            self.use_bus(Job::Status, Work::StatusWrite, context);
        } else if let Some(frame) = transmit.take_fetched() {
            let stages = &context.settings.stages;
            let work = stages.transmit_control + stages.control_per_byte.times(u64::from(frame.size));
            self.work(Job::Move(Sent { taken_up: context.now, ..frame }), work, context);
        } else if let Some(frame) = transmit.next_entry(context) {
            self.use_bus(Job::Entry(frame, context.settings.host.segments), Work::EntryRead, context);
        } else {
            return false;
        }
        true
    }

    /// Begins a job with work of its own.
    fn work(&mut self, job: Job, work: Duration, context: &mut Context<'_, '_>) {
        self.begin(job, context);
        context.events.at(context.now + work, Event::Controlled);
    }

    /// Begins a job that is the bus's alone.
    fn use_bus(&mut self, job: Job, work: Work, context: &mut Context<'_, '_>) {
        self.begin(job, context);
        context.want(work);
    }

    fn begin(&mut self, job: Job, context: &Context<'_, '_>) {
        self.job = Some(job);
        self.busy.begin(context.now);
    }

    fn end(&mut self, context: &Context<'_, '_>) -> Job {
        self.busy.end(context.now);
        self.job.take().expect("a job is running")
    }

    /// The work of a job is over; what is left of it is the bus's. Returns whether the stage is idle again.
    pub fn controlled(
        &mut self,
        receive: &mut Receiving,
        transmit: &mut Transmitting,
        context: &mut Context<'_, '_>,
    ) -> bool {
        match self.job.as_mut().expect("a job is running") {
            Job::Receive(frame) => {
                frame.moved = context.now;
                if frame.has_host_buffer {
                    context.want(Work::OwnershipWrite);
                    return false;
                }
                receive.drop_at_host(frame, context);
                self.end(context);
            }
            Job::Move(frame) => {
                let frame = Sent { moved: context.now, ..*frame };
                self.end(context);
                transmit.moved(frame, context);
            }
            Job::Refusals => {
                self.end(context);
            }
            Job::Entry(..) | Job::Status => unreachable!("these are the bus's alone"),
        }
        true
    }

    /// The ownership write is over; returns the frame that the host owns now.
    pub fn owned(&mut self, context: &Context<'_, '_>) -> Received {
        let Job::Receive(frame) = self.end(context) else { unreachable!("only received frames change owner") };
        Received { handed_over: context.now, ..frame }
    }

    /// A read of an entry is over; a frame in several segments has several. Returns the frame after the last.
    pub fn entry_read(&mut self, context: &mut Context<'_, '_>) -> Option<Sent> {
        let Some(Job::Entry(frame, left)) = &mut self.job else { unreachable!("an entry is being read") };
        *left -= 1;
        if *left > 0 {
            context.want(Work::EntryRead);
            return None;
        }
        let frame = Sent { entered: context.now, ..*frame };
        self.end(context);
        Some(frame)
    }

    /// A status write is over.
    pub fn status_written(&mut self, context: &Context<'_, '_>) {
        self.end(context);
    }
}
