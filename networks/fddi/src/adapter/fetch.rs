//! The fetch stage: hexaword reads from the host through staging buffers to packet memory.

use std::cmp::Ordering;
use std::collections::VecDeque;

use sojourn_core::Time;

use super::context::Context;
use super::event::Event;
use super::fifo::BURST;
use super::frame::Sent;
use super::interface::Work;
use super::meter::Busy;

/// The frames whose data are being read.
#[derive(Clone, Debug)]
pub struct Fetching {
    /// The first of them now.
    frames: VecDeque<Fetch>,
    /// When there is one.
    pub busy: Busy,
    /// Outstanding data reads.
    reading: u32,
    /// When each hexaword that came from the host is out of the staging buffers.
    staged: VecDeque<Time>,
    wake: Option<Time>,
}

#[derive(Clone, Debug)]
struct Fetch {
    frame: Sent,
    hexawords: u32,
    asked: u32,
    returned: u32,
}

impl Fetching {
    /// Nothing to read.
    pub fn new(busy: Busy) -> Self {
        Fetching { frames: VecDeque::new(), busy, reading: 0, staged: VecDeque::new(), wake: None }
    }

    /// Frames whose data are being read, or will be.
    #[inline]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Those of them whose number is `number` or higher.
    pub fn frames_from(&self, number: u64) -> usize {
        self.frames.iter().filter(|fetch| fetch.frame.number >= number).count()
    }

    /// Loses all frames; returns those whose number is `number` or higher.
    pub fn clear(&mut self, now: Time, number: u64) -> impl Iterator<Item = Sent> + '_ {
        self.busy.end(now);
        self.reading = 0;
        self.staged.clear();
        self.wake = None;
        self.frames.drain(..).map(|fetch| fetch.frame).filter(move |frame| frame.number >= number)
    }

    /// Whether `bytes` of a frame are in packet memory: those of the first frame so far, and all of earlier ones.
    #[inline]
    pub fn has(&self, frame: &Sent, bytes: u32) -> bool {
        self.frames.front().is_none_or(|first| match frame.number.cmp(&first.frame.number) {
            Ordering::Less => true,
            Ordering::Equal => bytes <= first.returned * BURST,
            Ordering::Greater => false,
        })
    }

    /// A frame's entry has been read: its data follow.
    pub fn begin(&mut self, frame: Sent, context: &mut Context<'_, '_>) {
        let hexawords = context.settings.host.hexawords(frame.size);
        self.frames.push_back(Fetch { frame, hexawords, asked: 0, returned: 0 });
        self.busy.begin(context.now);
        self.read_next(context);
    }

    /// Requests the next hexaword, as far as the limit of outstanding reads and free staging buffers allow.
    pub fn read_next(&mut self, context: &mut Context<'_, '_>) {
        let (now, stages) = (context.now, &context.settings.stages);
        if context.shared.xmi.wants(Work::DataRead) || self.reading >= stages.outstanding_reads {
            return;
        }
        let Some(fetch) = self.frames.iter_mut().find(|fetch| fetch.asked < fetch.hexawords) else { return };
        while self.staged.front().is_some_and(|&out| out <= now) {
            self.staged.pop_front();
        }
        if self.reading as usize + self.staged.len() >= stages.staging as usize {
            if let Some(&free) = self.staged.front().filter(|&&free| self.wake != Some(free)) {
                self.wake = Some(free);
                context.events.at(free, Event::Unstaged);
            }
            return;
        }
        fetch.asked += 1;
        self.reading += 1;
        context.shared.xmi.want(now, Work::DataRead, context.events);
    }

    /// A hexaword has come from the host. Returns its frame if enough of that is in packet memory now for it to go on,
    /// and whether it was the last hexaword.
    pub fn read(&mut self, context: &mut Context<'_, '_>) -> (Option<Sent>, bool) {
        let (now, stages) = (context.now, &context.settings.stages);
        self.staged.push_back(context.shared.staging_port.serve(now, stages.burst_time));
        self.reading -= 1;
        let fetch = &mut self.frames[0];
        fetch.returned += 1;
        let enough = stages.transmit_threshold.div_ceil(BURST).min(fetch.hexawords);
        let fetched = (fetch.returned == enough).then_some(Sent { fetched: now, ..fetch.frame });
        let over = fetch.returned == fetch.hexawords;
        if over {
            self.frames.pop_front();
            if self.frames.is_empty() {
                self.busy.end(now);
            }
        }
        self.read_next(context);
        (fetched, over)
    }
}
