//! The medium: a half-duplex radio channel with all its stations as one structure (AX.25 v2.2, the state machine of the
//! simplex physical layer; KISS), or a full-duplex wire.
//!
//! The world asks for the channel when a station has something to send, is told when the station may load its burst,
//! and of each frame's end:
//!
//! ```
//! use sojourn_core::{Streams, Time};
//! use sojourn_networks::packet_radio::medium::{
//!     AirFrame, Channel, ChannelSettings, Happening, Hearing, MemberSettings, Received,
//! };
//!
//! let streams = Streams::new(1, 0);
//! let member = |name: &str| {
//!     MemberSettings::new(streams.stream(&format!("{name}/access")), streams.stream(&format!("{name}/noise")))
//! };
//! let members = ["ping", "pong"].map(member).to_vec();
//! let mut channel = Channel::new(ChannelSettings::new(1200), members, Hearing::all(2));
//! channel.request(Time::ZERO, 0);
//! loop {
//!     let now = channel.next_event();
//!     match channel.handle(now) {
//!         Some(Happening::Load { member }) => channel.load(now, member, [AirFrame { tag: 7, octets: 272 }]),
//!         Some(Happening::Ended { member, tag, .. }) => {
//!             assert_eq!((member, tag, channel.receive(1)), (0, 7, Received::Good));
//!             break;
//!         }
//!         _ => {}
//!     }
//! }
//! ```
//!
//! # What happens
//!
//! A station that wants the channel decides in slots, one every slot time while it detects no carrier, and transmits
//! in each with chance p. It draws once how many slots it lets pass: the chances forget, so nothing happens in the
//! slots between, and what is left of the number stands after a carrier. Stations that detect the same carriers (an
//! ear) share their slots; one that asks in a silence has slots of its own, from that instant on, until the next.
//! A carrier is detected a delay after the key-up; whoever decides by then, that instant included, does not see it.
//!
//! A burst is a carrier: flags for TXDELAY, the frames, and TXTAIL. There is one event for each access, for each frame's
//! end and for the carrier's end, however many stations listen; what a listener has of a frame is asked for at its end,
//! and decided from all carriers that were on meanwhile. The frames of a burst follow each other without a gap, their
//! ends exact to the picosecond from its beginning.
//!
//! | file | concern |
//! |---|---|
//! | `settings`, `hearing` | what a channel is made of; who hears whom |
//! | `access`, `ears`, `ear` | who waits, who transmits when |
//! | `burst` | carriers and the frames on them |
//! | `reception` | what a listener has of a frame |
//! | `member`, `chance` | a station's state and its draws |
//! | `tally` | totals |
//!
//! # What it leaves out
//!
//! Propagation, a millisecond on 300 km; fading, and how strong a carrier is; the receiver's search for a frame's first
//! flag. Zeros are stuffed at the mean rate of random bits.

mod access;
mod burst;
mod carrier_sense;
mod draws;
mod hearing;
mod member;
mod reception;
mod sense_group;
mod settings;
mod tally;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sojourn_core::{Duration, Time};

pub use hearing::Hearing;
pub use reception::Received;
pub use settings::{ChannelSettings, Loading, MemberSettings};
pub use tally::Tally;

use burst::{Burst, Carrier, Latest};
use carrier_sense::Ears;
use member::{Member, Phase};

/// A frame as it goes on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirFrame {
    /// Its owner's name for it.
    pub tag: u32,
    /// From its addresses to its information, without FCS.
    pub octets: u32,
}

/// What happens on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// The member may load: [`Channel::load`] must be called at once.
    Load {
        /// Who.
        member: u32,
    },
    /// The member, one that loads after TXDELAY, has keyed its transmitter.
    Keyed {
        /// Who.
        member: u32,
    },
    /// A frame has left the air: [`Channel::receive`] tells what a listener has of it.
    Ended {
        /// Who sent it.
        member: u32,
        /// Its owner's name for it.
        tag: u32,
        /// When its first bit was on the air.
        start: Time,
    },
    /// The member's carrier is off.
    Unkeyed {
        /// Who.
        member: u32,
    },
    /// Members that want to know, [`Channel::watchers`] of this ear, detect a carrier, or no longer do.
    Carrier {
        /// Whose ear.
        ear: u32,
        /// Which of the two.
        detected: bool,
    },
}

/// A channel and the state of all stations on it.
#[derive(Debug)]
pub struct Channel {
    settings: ChannelSettings,
    hearing: Hearing,
    members: Vec<Member>,
    ears: Ears,
    bursts: Vec<Burst>,
    gone: Vec<Carrier>,
    latest: Option<Latest>,
    /// Members that will contend when their receivers have recovered, and those that get the channel at once.
    arrivals: BinaryHeap<Reverse<(Time, u32)>>,
    next: Time,
    busy_since: Time,
    tally: Tally,
}

impl Channel {
    /// A silent channel.
    ///
    /// Panics when `hearing` is of another number of members, and when a setting is out of its range.
    pub fn new(settings: ChannelSettings, members: Vec<MemberSettings>, hearing: Hearing) -> Channel {
        assert_eq!(members.len(), hearing.members() as usize, "hearing is of these members");
        assert!(settings.bit_rate > 0, "a channel has a bit rate");
        assert!((0.0..1.0).contains(&settings.bit_error_rate), "a bit error rate is 0 to below 1");
        members.iter().for_each(MemberSettings::assert_usable);
        let (ears, ear_of) = Ears::new(&members, &hearing);
        let member = |(member, ear)| Member::new(member, ear, settings.bit_error_rate);
        Channel {
            settings,
            hearing,
            members: members.into_iter().zip(ear_of).map(member).collect(),
            ears,
            bursts: Vec::new(),
            gone: Vec::new(),
            latest: None,
            arrivals: BinaryHeap::new(),
            next: Time::NEVER,
            busy_since: Time::ZERO,
            tally: Tally::default(),
        }
    }

    /// A wire between two stations, each of which transmits whenever it likes.
    pub fn wire(settings: ChannelSettings, ends: [MemberSettings; 2]) -> Channel {
        let members = ends.map(|end| MemberSettings { full_duplex: true, ..end }).to_vec();
        Channel::new(settings, members, Hearing::all(2))
    }

    /// `member` has something to send. Asking again while it waits changes nothing; asking while it transmits is for
    /// another burst.
    pub fn request(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        match state.phase {
            Phase::Quiet => {
                self.contend(now, member);
                self.plan();
            }
            Phase::Waiting => {}
            Phase::Granted | Phase::Keyed => state.wants = true,
        }
    }

    /// When [`handle`](Self::handle) must be called; never, while nobody transmits or wants to.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// One of the events due `now`: first what bursts do, then who contends, who transmits, and who is told of carriers.
    /// Nothing when it concerns the channel alone.
    pub fn handle(&mut self, now: Time) -> Option<Happening> {
        debug_assert!(self.next == now);
        let due = (0..self.bursts.len()).filter(|&place| self.bursts[place].next == now);
        let happening = if let Some(place) = due.min_by_key(|&place| self.bursts[place].carrier.member) {
            Some(self.advance(now, place))
        } else if self.arrivals.peek().is_some_and(|Reverse((at, _))| *at == now) {
            self.arrive(now)
        } else {
            Some(self.alarm(now))
        };
        self.plan();
        happening
    }

    /// The burst of a member that was told to load. Without a frame, nothing is transmitted, or an empty carrier if it
    /// is on already. Panics when it was not told to.
    pub fn load(&mut self, now: Time, member: u32, frames: impl IntoIterator<Item = AirFrame>) {
        let mut frames = frames.into_iter().peekable();
        let state = &mut self.members[member as usize];
        if state.phase == Phase::Granted {
            if frames.peek().is_none() {
                state.phase = Phase::Quiet;
                if std::mem::take(&mut state.wants) {
                    self.contend(now, member);
                }
                return self.plan();
            }
            self.key_up(now, member);
        }
        self.put(member, frames);
        self.plan();
    }

    /// Members of an ear that want to know of carriers and do not transmit themselves.
    pub fn watchers(&self, ear: u32) -> impl Iterator<Item = u32> + '_ {
        let watches = |member: &u32| {
            let state = &self.members[*member as usize];
            state.settings.watches && state.phase != Phase::Keyed
        };
        self.ears.members(ear).iter().copied().filter(watches)
    }

    /// Whether `member` detects a carrier or transmits itself.
    pub fn is_busy(&self, now: Time, member: u32) -> bool {
        let state = &self.members[member as usize];
        state.phase == Phase::Keyed || state.ear.is_some_and(|ear| self.ears.detects(now, ear))
    }

    /// Totals up to `now` since the last [`reset_tally`](Self::reset_tally).
    pub fn tally(&self, now: Time) -> Tally {
        let running = if self.bursts.is_empty() { Duration::ZERO } else { now.since(self.busy_since) };
        Tally { busy: self.tally.busy + running, ..self.tally }
    }

    /// Begins counting anew at `now`.
    pub fn reset_tally(&mut self, now: Time) {
        self.tally = Tally::default();
        self.busy_since = now;
    }

    fn plan(&mut self) {
        let bursts = self.bursts.iter().map(|burst| burst.next);
        let arrival = self.arrivals.peek().map(|Reverse((at, _))| *at);
        self.next = bursts.chain(arrival).fold(self.ears.next_alarm(), Time::min);
    }
}
