//! The timed-token MACs of a whole ring as one structure (ANSI X3.139, ISO 9314-2).
//!
//! The world offers frames, asks when something happens next, and is told of each frame that begins:
//!
//! ```
//! use sojourn_core::Time;
//! use sojourn_networks::fddi::ring::{Class, MacSettings, Outgoing, Ring, RingSettings, problems};
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
//! # Ok::<(), sojourn_networks::fddi::ring::FrameProblem>(())
//! ```
//!
//! # What happens
//!
//! An event is the token's arrival at a MAC that has frames, the end of a frame, or a recovery. Tokens that nobody wants
//! cause none: [`course`](self) keeps where the token is as a sum, [`timers`](self) replays what the timers of all MACs
//! have seen when somebody needs to know, exactly, from at most two laps. An idle ring has no event at all.
//!
//! The instant of a token or a frame is that of its last symbol. A token that nobody captures is delayed by each
//! station's latency; one that is captured and issued again costs its 0.88 µs once more.
//!
//! # What it leaves out
//!
//! Restricted tokens; beacons, since a claim on an unbroken ring always ends; frames are stripped whole; a claim is one
//! event, of the length that the claim frames' way takes; TVX runs out only when a token is lost, never because of
//! spoilt frames one after the other.

mod claim;
mod course;
mod path;
mod problems;
mod queues;
mod recovery;
mod rotations;
mod service;
mod settings;
mod tally;
mod timers;
mod waiting;

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod reference;

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;

pub use problems::{
    FrameProblem, LONGEST_TTRT, MOST_FIBRE_METRES, MOST_MACS, Problem, SHORTEST_TTRT, frame_problem, problems,
};
pub use queues::Outgoing;
pub use settings::{Class, Discipline, LARGEST_FRAME_TIME, MacSettings, RingSettings, propagation};
pub use tally::{MacTally, Tally};

use course::Course;
use path::Path;
use queues::Queues;
use rotations::Observer;
use service::Hold;
use timers::Timers;
use waiting::Waiting;

/// A frame that a MAC begins to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Who sends it.
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
    pub fate: Fate,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It passes every MAC.
    Sent,
    /// It passes every MAC with a false FCS.
    Corrupted,
    /// Nobody sees it.
    Lost,
    /// A claim cut it off.
    Aborted,
}

/// What the ring does until the next event.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// MACs claim.
    Claiming,
    /// The token is under way.
    Travelling,
    /// A MAC holds it.
    Holding(Hold),
    /// It is lost and nobody has noticed.
    Silent,
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
    frame: Option<Fate>,
}

impl Faults {
    fn next_fate(&mut self) -> Fate {
        self.frame.take().unwrap_or(Fate::Sent)
    }
}

/// A ring and the state of all its MACs.
#[derive(Clone, Debug)]
pub struct Ring {
    macs: Vec<MacSettings>,
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
    /// [`problems`] names all of that before.
    pub fn new(settings: RingSettings) -> Self {
        let ttrt = settings.ttrt().expect("a ring has a MAC");
        assert!(settings.macs.iter().all(|mac| mac.latency > Duration::ZERO), "a station has a latency");
        assert!(settings.latency() < ttrt, "a round takes less than the target token rotation time");
        let RingSettings { macs, valid_transmission_timer, initial_rotations, .. } = settings;
        let path = Path::new(&macs);
        let claim = claim::duration(&macs, &path, None);
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
        };
        ring.claim_until(Time::ZERO + claim);
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

    /// When [`handle`](Self::handle) must be called; never, while nobody has anything to send.
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
            Phase::Claiming | Phase::Silent => return false,
            Phase::Holding(_) => self.faults.token = true,
            Phase::Travelling => {
                self.settle(now);
                self.course.pass_before(now, &self.path);
                self.fall_silent(now);
            }
        }
        true
    }

    /// The next frame to begin vanishes.
    pub fn lose_next_frame(&mut self) {
        self.faults.frame = Some(Fate::Lost);
    }

    /// The next frame to begin gets a false FCS.
    pub fn corrupt_next_frame(&mut self) {
        self.faults.frame = Some(Fate::Corrupted);
    }

    /// Records the rotations that `mac` sees from now on.
    pub fn observe(&mut self, mac: u32) {
        self.observers.push(Observer::new(mac));
    }

    /// Brings counters and rotations to just before `now`.
    pub fn settle(&mut self, now: Time) {
        if matches!(self.phase, Phase::Travelling) {
            let laps = self.course.laps_before(now, &self.path);
            self.end_laps(laps);
        }
        for index in 0..self.observers.len() {
            let mac = self.observers[index].mac;
            if let Some(arrival) = self.token_before(mac, now) {
                self.observers[index].token(arrival);
            }
        }
    }

    /// Begins counting anew at `now`.
    pub fn reset(&mut self, now: Time) {
        self.settle(now);
        for mac in 0..self.path.macs() {
            // late tokens of the present lap are counted when it ends
            let counted = self.late_tokens(mac, now).wrapping_sub(self.timers.late(mac));
            self.timers.set_late(mac, 0u64.wrapping_sub(counted));
        }
        self.counts.fill(MacTally::default());
        self.tally = Tally::default();
        self.observers.iter_mut().for_each(|observer| observer.rotations = Distribution::new());
    }

    /// Rotation times seen by an observed MAC since the last reset, up to the last [`settle`](Self::settle).
    pub fn rotations(&self, mac: u32) -> Option<&Distribution> {
        self.observers.iter().find(|observer| observer.mac == mac).map(|observer| &observer.rotations)
    }

    /// Totals since the last reset.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Totals of `mac` from the last reset to just before `now`.
    pub fn mac_tally(&mut self, mac: u32, now: Time) -> MacTally {
        self.settle(now);
        MacTally { late_tokens: self.late_tokens(mac, now), ..self.counts[mac as usize] }
    }

    /// When TRT of `mac` runs out, as of the tokens that came before `now`, and Late_Ct.
    pub fn rotation_timer(&mut self, mac: u32, now: Time) -> (Time, bool) {
        self.settle(now);
        if matches!(self.phase, Phase::Travelling) {
            self.course.pass_before(now, &self.path);
        }
        let expiry = self.timers.expiry_now(mac, &self.course, &self.path);
        let late = expiry < now;
        (if late { expiry + self.timers.ttrt() } else { expiry }, late)
    }

    /// The target token rotation time (T_Opr).
    pub fn ttrt(&self) -> Duration {
        self.timers.ttrt()
    }

    /// The ring latency (D): fibre and stations.
    pub fn latency(&self) -> Duration {
        self.path.round()
    }

    /// Frames of `mac` that wait in `class`.
    pub fn queue_length(&self, mac: u32, class: Class) -> u32 {
        self.queues.length(mac, class)
    }

    /// The token comes to `mac` at `at`, and to nobody before who wants it.
    #[inline]
    fn advance(&mut self, mac: u32, at: Time) {
        let laps = self.course.laps_until(mac, at, &self.path);
        if laps > 0 {
            self.end_laps(laps);
        }
        self.course.visit(mac);
    }

    /// The present lap and others in which nobody captured the token have ended, `laps` in all.
    fn end_laps(&mut self, laps: u64) {
        for left in (1..=laps).rev() {
            if self.timers.all_early() && self.course.is_idle() {
                // the token goes on coming early, once a round
                self.course.skip(left, &self.path);
                for observer in &mut self.observers {
                    let last = self.course.earlier(observer.mac, &self.path).expect("an idle lap passes every MAC");
                    observer.idle_tokens(last, self.path.round());
                }
                return;
            }
            self.timers.end_lap(&self.course, &self.path);
            for observer in &mut self.observers {
                if let Some(arrival) = self.course.arrival(observer.mac, &self.path) {
                    observer.token(arrival);
                }
            }
            self.course.wrap(&self.path);
        }
    }

    /// The next event of a token that has just left a MAC.
    fn plan_travel(&mut self) {
        let front = self.course.front();
        let next = self.waiting.next_from(front).or_else(|| self.waiting.next_from(0));
        (self.next, self.due) = match next {
            Some(mac) => (self.course.next_arrival(mac, Time::ZERO, &self.path), Due::Visit(mac)),
            None => (Time::NEVER, Due::Nothing),
        };
        // within a round the token comes to every MAC; from then on it comes early enough
        let round = self.course.base() + self.path.round() + self.path.offset(front.saturating_sub(1));
        if let Some((at, mac)) = self.alarm_until(self.next.min(round)) {
            (self.next, self.due) = (at, Due::Recover(mac));
        }
    }

    /// When the token of the present lap came to `mac`, if that was before `now`.
    fn token_before(&self, mac: u32, now: Time) -> Option<Time> {
        let known = match self.phase {
            Phase::Travelling => true,
            Phase::Holding(_) => mac < self.course.front(),
            Phase::Claiming | Phase::Silent => false,
        };
        self.course.arrival(mac, &self.path).filter(|&arrival| known && arrival < now)
    }

    /// Late tokens of `mac`, of the present lap too.
    fn late_tokens(&self, mac: u32, now: Time) -> u64 {
        let late = self.token_before(mac, now).is_some() && self.timers.is_late(mac, &self.course, &self.path);
        self.timers.late(mac).wrapping_add(u64::from(late))
    }
}
