//! What is counted on a wire that stations share.

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;

use super::Passage;
use super::settings::SegmentSettings;

/// Attempts of a frame are counted up to this.
pub const ATTEMPTS: usize = 16;

/// Counts of a wire since the warm-up.
#[derive(Clone, Debug)]
pub struct SegmentTally {
    /// Name of the medium.
    pub name: String,
    /// By node.
    pub nodes: Vec<NodeTally>,
    /// Overlaps of transmissions, each of however many.
    pub collisions: u64,
    /// Time of frames that arrived, from preamble to end delimiter.
    pub busy: Duration,
    /// By number of attempts, the frames that were sent with it, those given up last.
    pub attempts: [u64; ATTEMPTS + 1],
    /// Of PLCA the lengths of cycles.
    pub cycles: Distribution,
    /// Whether it has PLCA.
    pub has_turns: bool,
    /// Opportunities that were used, and all.
    pub opportunities: [u64; 2],
    /// Transitions between a node's use of PLCA and CSMA/CD.
    pub fallbacks: u64,
    /// The longest run of frames of one node while others had frames, who that is, and how long that of now is.
    pub longest_run: u64,
    run: (u32, u64),
    /// Cycle that is going on.
    cycle_since: Option<Time>,
    since: Time,
}

/// Counts of a node.
#[derive(Clone, Debug, Default)]
pub struct NodeTally {
    /// Name of the station.
    pub name: String,
    /// Whether it has had frames, in the warm-up or later.
    pub sends: bool,
    /// Bits of its frames that arrived.
    pub bits: u64,
    /// Frames that arrived.
    pub frames: u64,
    /// Time from the first attempt of a frame to the transmission that succeeded.
    pub access: Distribution,
    /// The same from when the frame joined the queue.
    pub waits: Distribution,
    /// Frames that had to wait for the wire at first.
    pub deferrals: u64,
    /// Collisions that only its MAC saw: PLCA holding its frame back.
    pub logical: u64,
    /// Frames given up after the last attempt.
    pub excessive: u64,
    /// Collisions after the slot time.
    pub late: u64,
}

impl SegmentTally {
    pub(super) fn new(settings: &SegmentSettings) -> SegmentTally {
        let node = |name: &String| NodeTally { name: name.clone(), ..NodeTally::default() };
        SegmentTally {
            name: settings.name.clone(),
            nodes: settings.nodes.iter().map(|settings| node(&settings.name)).collect(),
            collisions: 0,
            busy: Duration::ZERO,
            attempts: [0; ATTEMPTS + 1],
            cycles: Distribution::new(),
            has_turns: settings.leader().is_some(),
            opportunities: [0; 2],
            fallbacks: 0,
            longest_run: 0,
            run: (u32::MAX, 0),
            cycle_since: None,
            since: Time::ZERO,
        }
    }

    pub(super) fn reset(&mut self, now: Time) {
        for node in &mut self.nodes {
            *node = NodeTally { name: std::mem::take(&mut node.name), sends: node.sends, ..NodeTally::default() };
        }
        (self.collisions, self.busy, self.attempts) = (0, Duration::ZERO, [0; ATTEMPTS + 1]);
        (self.cycles, self.opportunities, self.fallbacks, self.longest_run) = (Distribution::new(), [0; 2], 0, 0);
        (self.run, self.since) = ((u32::MAX, 0), now);
    }

    /// A frame has been sent after `attempts` attempts; whether other nodes had frames meanwhile.
    pub(super) fn sent(&mut self, passage: &Passage, bits: u32, time: Duration, attempts: u32, contended: bool) {
        let node = &mut self.nodes[passage.node as usize];
        node.bits += u64::from(bits);
        node.frames += 1;
        let begins = passage.taken + passage.access + passage.collided;
        node.access.record(begins.since(passage.first));
        node.waits.record(begins.since(passage.queued));
        self.busy += time;
        self.attempts[(attempts as usize).min(ATTEMPTS)] += 1;
        self.run = match self.run {
            (before, frames) if before == passage.node => (before, frames + u64::from(contended)),
            _ => (passage.node, u64::from(contended)),
        };
        self.longest_run = self.longest_run.max(self.run.1);
    }

    /// A cycle of PLCA begins.
    pub(super) fn cycle(&mut self, now: Time) {
        if let Some(since) = self.cycle_since.replace(now).filter(|since| *since >= self.since) {
            self.cycles.record(now - since);
        }
    }

    /// `count` cycles of one length have followed.
    pub(super) fn cycles_alike(&mut self, cycle: Duration, count: u64) {
        if let Some(since) = &mut self.cycle_since {
            *since += cycle.times(count);
            if *since >= self.since + cycle {
                let before = (*since - self.since).whole(cycle).min(count);
                self.cycles.record_many(cycle, before);
            }
        }
    }

    /// Jain's index of the bits of all nodes that have had frames.
    pub fn jain(&self) -> Option<f64> {
        let shares: Vec<f64> = self.nodes.iter().filter(|node| node.sends).map(|node| node.bits as f64).collect();
        let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), bits| (sum + bits, squares + bits * bits));
        (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
    }
}
