//! The control stage: the ring entry mover with the entries it reads and writes on the bus, one job at a time.

use sojourn_core::{Duration, Time};

use super::event::{Event, Events};
use super::frame::{Received, Sent};
use super::interface::Work;
use super::meter::Busy;
use super::settings::StageSelection;
use super::world::Adapter;

/// What the control stage works on.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// Frames that were refused.
    Refusals,
    /// A received frame: its entry is moved, then the host gets it.
    Receive(Received),
    /// The entry of a frame to send is read; so many reads are left.
    Entry(Sent, u32),
    /// A frame to send is moved to the ring's side.
    Move(Sent),
    /// The host is notified of a sent frame.
    Status,
}

/// The control stage's state.
#[derive(Clone, Debug)]
pub struct Control {
    /// What it works on.
    pub job: Option<Job>,
    /// Refused frames that it must take note of.
    pub refusals: u32,
    /// Whether it is the transmit side's turn.
    transmit_next: bool,
    /// When it works or waits for the bus.
    pub busy: Busy,
}

impl Control {
    /// Idle.
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
}

impl Adapter<'_> {
    /// Gives the control stage its next job, if it is idle: refused frames first, then received frames and the jobs of
    /// the transmit side alternately.
    pub(super) fn start_control(&mut self, now: Time, events: &mut Events) {
        match self.settings.traffic.stages {
            StageSelection::Adapter => {}
            StageSelection::RingMemoryController => return self.pass_on(now, events),
            StageSelection::HostInterface => return,
        }
        if self.control.job.is_some() {
            return;
        }
        if self.control.refusals > 0 {
            let count = std::mem::take(&mut self.control.refusals);
            let cost = self.settings.stages.discard_time.times(u64::from(count));
            return self.work(now, Job::Refusals, cost, events);
        }
        let receive = self.is_receive_due(now, events);
        if (self.control.transmit_next || !receive) && self.start_transmit_job(now, events) {
            self.control.transmit_next = false;
        } else if receive {
            self.control.transmit_next = true;
            self.take_up_received(now, events);
        }
    }

    fn take_up_received(&mut self, now: Time, events: &mut Events) {
        let mut frame = self.take_received(now);
        frame.taken_up = now;
        frame.has_host_buffer = self.receive.descriptors.take();
        self.fetch_descriptors(now, false, events);
        frame.staged = self.stage_ahead(now, frame.size);
        let stages = &self.settings.stages;
        let work = stages.receive_control + stages.control_per_byte.times(u64::from(frame.size));
        self.work(now, Job::Receive(frame), work, events);
    }

    /// The transmit side's next job: a status to write, a frame to move, an entry to read. Whether there was one.
    fn start_transmit_job(&mut self, now: Time, events: &mut Events) -> bool {
        if self.transmit.statuses > 0 {
            self.transmit.statuses -= 1;
            self.begin_job(now, Job::Status);
            self.want(now, Work::StatusWrite, events);
        } else if let Some(mut frame) = self.transmit.to_move.pop_front() {
            frame.taken_up = now;
            let stages = &self.settings.stages;
            let work = stages.transmit_control + stages.control_per_byte.times(u64::from(frame.size));
            self.work(now, Job::Move(frame), work, events);
        } else if let Some(frame) = self.next_entry(now) {
            self.begin_job(now, Job::Entry(frame, self.settings.host.segments));
            self.want(now, Work::EntryRead, events);
        } else {
            return false;
        }
        true
    }

    fn work(&mut self, now: Time, job: Job, work: Duration, events: &mut Events) {
        self.begin_job(now, job);
        events.at(now + work, Event::Controlled);
    }

    fn begin_job(&mut self, now: Time, job: Job) {
        self.control.job = Some(job);
        self.control.busy.begin(now);
    }

    fn end_job(&mut self, now: Time) -> Job {
        self.control.busy.end(now);
        self.control.job.take().expect("a job is running")
    }

    /// The work of a job is over; what is left of it is the bus's.
    pub(super) fn controlled(&mut self, now: Time, events: &mut Events) {
        match self.control.job.as_mut().expect("a job is running") {
            Job::Receive(frame) => {
                frame.moved = now;
                let frame = *frame;
                if frame.has_host_buffer {
                    return self.want(now, Work::OwnershipWrite, events);
                }
                self.drop_at_host(now, frame, events);
                self.end_job(now);
            }
            Job::Move(_) => {
                let Job::Move(frame) = self.end_job(now) else { unreachable!("just looked at") };
                self.moved(now, Sent { moved: now, ..frame }, events);
            }
            Job::Refusals => {
                self.end_job(now);
            }
            Job::Entry(..) | Job::Status => unreachable!("these are the bus's alone"),
        }
        self.start_control(now, events);
    }

    /// The ownership write is over.
    pub(super) fn owned(&mut self, now: Time, events: &mut Events) {
        let Job::Receive(frame) = self.end_job(now) else { unreachable!("only received frames change owner") };
        self.hand_over(now, Received { handed_over: now, ..frame }, events);
        self.start_control(now, events);
    }

    /// A read of an entry is over; a frame in several segments has several.
    pub(super) fn entry_read(&mut self, now: Time, events: &mut Events) {
        let Some(Job::Entry(frame, left)) = &mut self.control.job else { unreachable!("an entry is being read") };
        *left -= 1;
        if *left > 0 {
            return self.want(now, Work::EntryRead, events);
        }
        let frame = Sent { entered: now, ..*frame };
        self.end_job(now);
        self.entered(now, frame, events);
        self.start_control(now, events);
    }

    /// A status write is over: the host may reuse the entry.
    pub(super) fn status_written(&mut self, now: Time, events: &mut Events) {
        self.end_job(now);
        self.transmit.entries -= self.settings.host.segments;
        self.start_control(now, events);
    }
}
