//! The timed-token MACs of a whole ring as one structure (ANSI X3.139, ISO 9314-2).
//!
//! The world offers frames, asks for the next event, and receives each frame as its transmission begins:
//!
//! ```
//! use sojourn_core::Time;
//! use sojourn_fddi::ring::{Class, MacSettings, Outgoing, Ring, RingSettings, problems};
//!
//! let settings = RingSettings::uniform(3, 100.0, &MacSettings::new(1));
//! assert_eq!(problems(&settings), []);
//! let mut ring = Ring::new(settings);
//! ring.offer(Time::ZERO, 0, Class::Asynchronous(0), Outgoing { tag: 7, length: 4495 })?;
//! let carried = loop {
//!     let now = ring.next_event();
//!     if let Some(carried) = ring.handle(now) {
//!         break carried;
//!     }
//! };
//! assert_eq!((carried.mac, carried.tag), (0, 7));
//! assert!(ring.arrival(&carried, 1) < ring.arrival(&carried, 2));
//! # Ok::<(), sojourn_fddi::ring::FrameProblem>(())
//! ```
//!
//! # What happens
//!
//! Events are the token's arrival at a MAC that has frames, the end of a frame, and a recovery. Tokens that no MAC
//! captures cause none: `course` computes the position of the token as a sum, and `timers` replays the timers of all
//! MACs on demand, exactly, from at most two laps. An idle ring has no events at all.
//!
//! The instant of a token or a frame is that of its last symbol. A token that is not captured is delayed by each
//! station's latency; one that is captured and reissued costs its 0.88 µs again.
//!
//! # What it leaves out
//!
//! Restricted tokens; the wrap of the dual ring; beacons, except as time after a long interruption. Frames are
//! stripped whole. A claim is one event that lasts as long as the claim frames take around the ring. TVX expires only
//! after the loss of a token, never after a run of corrupted frames.

mod claim;
mod course;
mod observe;
mod path;
mod problems;
mod queues;
mod recovery;
mod rotations;
mod settings;
mod tally;
mod timers;
mod token;
mod waiting;

#[cfg(test)]
mod tests;

use sojourn_core::{Duration, Time};

pub use problems::{
    FrameProblem, LONGEST_TTRT, MOST_FIBRE_METRES, MOST_MACS, Problem, SHORTEST_TTRT, frame_problem, problems,
};
pub use queues::Outgoing;
pub use settings::{BYPASS_TIME, Class, Discipline, LARGEST_FRAME_TIME, MacSettings, RingSettings, propagation};
pub use tally::{MacTally, Tally};

use course::Course;
use path::Path;
use queues::Queues;
use rotations::Observer;
use timers::Timers;
use token::Hold;
use waiting::Waiting;

/// A frame that a MAC begins to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Index of the sending MAC, in ring order.
    pub mac: u32,
    /// Its owner's name for it.
    pub tag: u32,
    /// How it was served.
    pub class: Class,
    /// MAC length in bytes.
    pub length: u32,
    /// When its first symbol leaves the sender: now, or a station latency later.
    pub start: Time,
    /// When its last symbol leaves the sender.
    pub end: Time,
    /// What becomes of it.
    pub outcome: Outcome,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It passes every MAC.
    Sent,
    /// It passes every MAC with a false FCS.
    Corrupted,
    /// No MAC receives it.
    Lost,
    /// A claim cut it off.
    Aborted,
}

/// What the ring does until the next event.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// MACs claim.
    Claiming,
    /// The token circulates.
    Travelling,
    /// A MAC holds it.
    Holding(Hold),
    /// The token is lost, and no MAC has detected it.
    Silent,
    /// Light does not pass everywhere. When the first timer runs out and MACs begin to claim, and whose it is.
    Interrupted { claims: (Time, Option<u32>) },
}

/// The next event.
#[derive(Clone, Copy, Debug)]
enum Due {
    Nothing,
    /// The token comes to a MAC that has frames.
    Visit(u32),
    FrameEnds,
    /// A MAC begins to claim.
    Recover(u32),
    /// The claim is over.
    Token,
}

/// What is to go wrong.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    /// The token that the holder issues.
    token: bool,
    /// The next frame.
    frame: Option<Outcome>,
}

impl Faults {
    fn next_outcome(&mut self) -> Outcome {
        self.frame.take().unwrap_or(Outcome::Sent)
    }
}

/// A ring and the state of all its MACs.
#[derive(Clone, Debug)]
pub struct Ring {
    macs: Vec<MacSettings>,
    /// Which MACs have no power: they are bypassed.
    off: Vec<bool>,
    initial_rotations: bool,
    valid_transmission_timer: Duration,
    path: Path,
    queues: Queues,
    waiting: Waiting,
    course: Course,
    timers: Timers,
    phase: Phase,
    next: Time,
    due: Due,
    /// No MAC's TRT runs out twice before this.
    alarm: Time,
    /// When the last claim was over.
    token_since: Time,
    /// Sender and end of the last frame that passed every MAC.
    last_valid: Option<(u32, Time)>,
    faults: Faults,
    observers: Vec<Observer>,
    counts: Vec<MacTally>,
    tally: Tally,
}

impl Ring {
    /// A ring on which all MACs begin to claim at time zero.
    ///
    /// Panics without a MAC, with one that repeats in no time, and when a round takes the target rotation time;
    /// [`problems()`] names all of that before.
    pub fn new(settings: RingSettings) -> Self {
        let off = vec![false; settings.macs.len()];
        Ring::without(settings, off)
    }

    /// A ring some of whose MACs are `off` at first; on one without power everywhere nothing happens.
    pub fn without(settings: RingSettings, off: Vec<bool>) -> Self {
        let ttrt = settings.ttrt().expect("a ring has a MAC");
        assert!(settings.macs.iter().all(|mac| mac.latency > Duration::ZERO), "a station has a latency");
        assert!(settings.latency() < ttrt, "a round takes less than the target token rotation time");
        let RingSettings { macs, valid_transmission_timer, initial_rotations, .. } = settings;
        let path = Path::new(&macs, &off);
        let mut ring = Ring {
            initial_rotations,
            valid_transmission_timer,
            path,
            queues: Queues::new(macs.len()),
            waiting: Waiting::new(macs.len()),
            course: Course::new(),
            timers: Timers::new(macs.len(), ttrt),
            phase: Phase::Claiming,
            next: Time::NEVER,
            due: Due::Nothing,
            alarm: Time::ZERO,
            token_since: Time::ZERO,
            last_valid: None,
            faults: Faults::default(),
            observers: Vec::new(),
            counts: vec![MacTally::default(); macs.len()],
            tally: Tally::default(),
            macs,
            off,
        };
        if ring.off.iter().all(|off| *off) {
            ring.phase = Phase::Interrupted { claims: (Time::ZERO, None) };
        } else {
            let claim = claim::duration(&ring.macs, &ring.off, &ring.path, None);
            ring.claim_until(Time::ZERO + claim);
        }
        ring
    }

    /// Queues a frame of `mac`. A frame offered at the very instant the token comes is in time.
    pub fn offer(&mut self, now: Time, mac: u32, class: Class, frame: Outgoing) -> Result<(), FrameProblem> {
        if let Some(problem) = frame_problem(&self.macs[mac as usize], class, frame.length) {
            return Err(problem);
        }
        self.queues.push(mac, class, frame);
        if self.waiting.insert(mac) && matches!(self.phase, Phase::Travelling) {
            let arrival = self.course.next_arrival(mac, now, &self.path);
            if arrival < self.next {
                (self.next, self.due) = (arrival, Due::Visit(mac));
            }
        }
        Ok(())
    }

    /// When [`handle`](Self::handle) must be called; `None` while no MAC has a frame to send.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// The event due `now`. The frame that begins with it, if one does.
    pub fn handle(&mut self, now: Time) -> Option<Carried> {
        debug_assert!(self.next == now);
        match (self.due, self.phase) {
            (Due::Visit(mac), _) => return self.visit(now, mac),
            (Due::FrameEnds, Phase::Holding(hold)) => return self.frame_ended(now, hold),
            (Due::Recover(mac), _) => self.recover(now, mac),
            (Due::Token, _) => self.issue_token(now),
            (Due::FrameEnds | Due::Nothing, _) => unreachable!("frames end while a token is held"),
        }
        None
    }

    /// When the last symbol of a frame comes to `mac`; to its sender, when it has gone round.
    #[inline]
    pub fn arrival(&self, carried: &Carried, mac: u32) -> Time {
        carried.end + self.path.time(carried.mac, mac)
    }

    /// The token is lost at once, or if a MAC holds it, when it issues it. Whether there was one to lose.
    pub fn lose_token(&mut self, now: Time) -> bool {
        match self.phase {
            Phase::Claiming | Phase::Silent | Phase::Interrupted { .. } => return false,
            Phase::Holding(_) => self.faults.token = true,
            Phase::Travelling => {
                self.settle(now);
                self.course.pass_before(now, &self.path);
                self.fall_silent(now);
            }
        }
        true
    }

    /// The frames of `mac` that wait are lost, and returned.
    pub fn clear_queue(&mut self, mac: u32) -> Vec<Outgoing> {
        self.waiting.remove(mac);
        self.queues.clear(mac)
    }

    /// The next frame to begin vanishes.
    pub fn lose_next_frame(&mut self) {
        self.faults.frame = Some(Outcome::Lost);
    }

    /// The next frame to begin gets a false FCS.
    pub fn corrupt_next_frame(&mut self) {
        self.faults.frame = Some(Outcome::Corrupted);
    }
}
