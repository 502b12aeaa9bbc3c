//! From the host to packet memory: the driver's requests, their entries, and hexaword reads through staging buffers.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::event::{Event, Events};
use super::frame::Sent;
use super::interface::Work;
use super::meter::{Busy, Pool};
use super::receive::BURST;
use super::send::Sending;
use super::settings::{Pace, Settings, StageSelection};
use super::source::Source;
use super::world::Adapter;

/// Frames that may wait for their data, beside the one whose data are being read.
const AWAITING_DATA: usize = 2;

/// The transmit side's state.
#[derive(Clone, Debug)]
pub struct Transmitting {
    /// Where requests come from.
    pub source: Source,
    /// Lengths of the frames that the driver has and the control stage has not begun.
    backlog: VecDeque<u32>,
    /// Entries of the host's ring that are taken.
    pub entries: u32,
    pub pool: Pool,
    next_number: u64,
    /// Frames whose data are being read, the first of them now.
    fetches: VecDeque<Fetch>,
    /// When there is one.
    pub fetching: Busy,
    /// Outstanding data reads.
    reading: u32,
    /// When each hexaword that came from the host is out of the staging buffers.
    staged: VecDeque<Time>,
    wake: Option<Time>,
    /// Frames that wait for the control stage to move them.
    pub to_move: VecDeque<Sent>,
    pub sending: Sending,
    /// Sent frames to notify the host of.
    pub statuses: u32,
}

#[derive(Clone, Debug)]
struct Fetch {
    frame: Sent,
    hexawords: u32,
    asked: u32,
    returned: u32,
}

impl Transmitting {
    /// Nothing is to be sent.
    pub fn new(settings: &Settings, source: Source, fetching: Busy) -> Self {
        let warm_up = fetching.from();
        Transmitting {
            source,
            backlog: VecDeque::new(),
            entries: 0,
            pool: Pool::new(settings.stages.transmit_buffers, warm_up),
            next_number: 0,
            fetches: VecDeque::new(),
            fetching,
            reading: 0,
            staged: VecDeque::new(),
            wake: None,
            to_move: VecDeque::new(),
            sending: Sending::new(settings.stages.fifo_bursts, warm_up),
            statuses: 0,
        }
    }

    /// Frames begun and not yet sent, that which the control stage holds not counted.
    pub fn inside(&self) -> u64 {
        // a frame below its threshold's end may be both being fetched and being sent
        let fetched_only = self.fetches.iter().filter(|fetch| fetch.frame.number >= self.sending.handed_on).count();
        (fetched_only + self.to_move.len() + self.sending.inside()) as u64
    }

    /// Bytes of a frame that are in packet memory.
    pub fn present(&self, frame: &Sent) -> u32 {
        match self.fetches.front() {
            Some(fetch) if fetch.frame.number == frame.number => fetch.returned * BURST,
            Some(fetch) if fetch.frame.number < frame.number => 0,
            _ => u32::MAX,
        }
    }
}

impl Adapter<'_> {
    /// The driver has another frame to send; one that saturates the adapter always has.
    pub(super) fn request(&mut self, now: Time, events: &mut Events) {
        if self.transmit.source.pace != Pace::Saturating {
            let size = self.transmit.source.size();
            self.transmit.backlog.push_back(size);
            if let Some(gap) = self.transmit.source.gap() {
                events.at(now + self.ring.lasts(size) + gap, Event::Request);
            }
        }
        self.start_control(now, events);
    }

    /// The frame whose entry is to be read next: if there is one, and room for it everywhere.
    pub(super) fn next_entry(&mut self, now: Time) -> Option<Sent> {
        let settings = self.settings;
        let transmit = &mut self.transmit;
        if transmit.fetches.len() > AWAITING_DATA || !settings.traffic.transmit {
            return None;
        }
        if transmit.entries + settings.host.segments > settings.host.ring_entries {
            return None;
        }
        if transmit.backlog.is_empty() && transmit.source.pace == Pace::Saturating {
            let size = transmit.source.size();
            transmit.backlog.push_back(size);
        }
        let size = *transmit.backlog.front()?;
        let buffers = size.div_ceil(settings.stages.buffer);
        if !transmit.pool.has(buffers) {
            return None;
        }
        transmit.backlog.pop_front();
        transmit.pool.take(now, buffers);
        transmit.entries += settings.host.segments;
        Some(self.begin_sending(now, size, buffers))
    }

    /// Starts to fetch a frame to send.
    pub(super) fn begin_sending(&mut self, now: Time, size: u32, buffers: u32) -> Sent {
        let number = self.transmit.next_number;
        self.transmit.next_number += 1;
        self.measures.begun += 1;
        Sent { number, size, buffers, begun: now, entered: now, fetched: now, taken_up: now, moved: now, earliest: now }
    }

    /// A frame's entry has been read: its data follow.
    pub(super) fn entered(&mut self, now: Time, frame: Sent, events: &mut Events) {
        let hexawords = self.settings.host.hexawords(frame.size);
        self.transmit.fetches.push_back(Fetch { frame, hexawords, asked: 0, returned: 0 });
        self.transmit.fetching.begin(now);
        self.read_next(now, events);
    }

    /// Requests the next hexaword, as far as the limit of outstanding reads and free staging buffers allow.
    pub(super) fn read_next(&mut self, now: Time, events: &mut Events) {
        let stages = &self.settings.stages;
        if self.interface.wants(Work::DataRead) || self.transmit.reading >= stages.outstanding_reads {
            return;
        }
        let Some(fetch) = self.transmit.fetches.iter_mut().find(|fetch| fetch.asked < fetch.hexawords) else { return };
        while self.transmit.staged.front().is_some_and(|&out| out <= now) {
            self.transmit.staged.pop_front();
        }
        if self.transmit.reading as usize + self.transmit.staged.len() >= stages.staging as usize {
            if let Some(&free) = self.transmit.staged.front().filter(|&&free| self.transmit.wake != Some(free)) {
                self.transmit.wake = Some(free);
                events.at(free, Event::Unstaged);
            }
            return;
        }
        fetch.asked += 1;
        self.transmit.reading += 1;
        self.want(now, Work::DataRead, events);
    }

    /// A hexaword has come from the host.
    pub(super) fn data_read(&mut self, now: Time, events: &mut Events) {
        let out = self.staging_port.serve(now, self.settings.stages.burst_time);
        self.transmit.staged.push_back(out);
        self.transmit.reading -= 1;
        let fetch = &mut self.transmit.fetches[0];
        fetch.returned += 1;
        let enough = self.settings.stages.transmit_threshold.div_ceil(BURST).min(fetch.hexawords);
        let (passed, over) = (fetch.returned == enough, fetch.returned == fetch.hexawords);
        let frame = Sent { fetched: now, ..fetch.frame };
        if over {
            self.transmit.fetches.pop_front();
            if self.transmit.fetches.is_empty() {
                self.transmit.fetching.end(now);
            }
        }
        self.read_next(now, events);
        if passed {
            self.fetched(now, frame, events);
        } else {
            self.load(now, events);
        }
        if over {
            self.start_control(now, events);
        }
    }

    /// Enough of a frame is in packet memory for it to go on.
    fn fetched(&mut self, now: Time, frame: Sent, events: &mut Events) {
        self.transmit.sending.handed_on = frame.number + 1;
        if self.settings.traffic.stages == StageSelection::HostInterface {
            self.sent(now, frame);
            return self.feed_reads(now, events);
        }
        self.transmit.to_move.push_back(frame);
        self.start_control(now, events);
    }

    /// The host interface alone always has two frames to read.
    pub(super) fn feed_reads(&mut self, now: Time, events: &mut Events) {
        while self.transmit.fetches.len() < AWAITING_DATA {
            let size = self.transmit.source.size();
            let frame = self.begin_sending(now, size, 0);
            self.entered(now, frame, events);
        }
    }
}
