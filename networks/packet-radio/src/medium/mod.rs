//! The medium: a half-duplex radio channel with all its stations as one structure (AX.25 v2.2, state machine of the
//! simplex physical layer; KISS), or a full-duplex wire.
//!
//! The caller requests the channel when a station has something to send; the channel signals when the station loads its
//! burst, and when each frame ends:
//!
//! ```
//! use sojourn_core::{Streams, Time};
//! use sojourn_packet_radio::medium::{
//!     AirFrame, Channel, ChannelSettings, ChannelEvent, Hearing, MemberSettings, Received,
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
//!         Some(ChannelEvent::Load { member }) => channel.load(now, member, [AirFrame { tag: 7, octets: 272, translated: 16 }]),
//!         Some(ChannelEvent::Ended { member, tag, .. }) => {
//!             assert_eq!((member, tag, channel.receive(1)), (0, 7, Received::Good));
//!             break;
//!         }
//!         _ => {}
//!     }
//! }
//! ```
//!
//! # p-persistent CSMA
//!
//! While it detects no carrier, a station with a burst to send decides once per slot time, and transmits with
//! probability p. It draws once how many slots it skips: the decisions are memoryless, so skipped slots need no
//! events, and the rest of the count carries over an intervening carrier. Stations that detect the same carriers (a
//! group) share their slots; a station that requests the channel in an idle period has slots of its own, from that
//! instant until the next carrier. A carrier is detected a delay (DCD) after key-up; a station that decides until
//! then, that instant included, does not see it. Detection may outlast the last carrier (`dcd_hold`), for a constant
//! time or until the receiver's noise has had a run of 1 bits; a carrier that starts meanwhile is detected without
//! delay. Held detection depends on other stations' carriers, so each such station is a group of its own. The first
//! decision is immediate, or a slot time later (`first_slot`).
//!
//! A burst is a carrier: flags for TXDELAY, the frames, and TXTAIL. There is one event per access, per end of a frame and
//! per end of a carrier, however many stations listen; reception at a listener is evaluated at the end of the frame, from
//! all carriers that overlapped it. The frames of a burst are contiguous, their ends exact to the picosecond.
//!
//! | file | concern |
//! |---|---|
//! | `settings`, `hearing` | parameters; which stations hear each other |
//! | `access`, `carrier_sense`, `sense_group`, `dcd_hold` | channel access |
//! | `burst` | carriers and their frames |
//! | `reception` | outcome of a frame at a listener |
//! | `levels` | signal levels and the capture ratio |
//! | `correction` | frames in FX.25 blocks and IL2P packets, and which bit errors these survive |
//! | `fading` | paths that are good or bad for a time |
//! | `member`, `draws` | a station's state and its random draws |
//! | `outage` | events: a medium that is down, a member without power, another bit error rate |
//! | `tally` | counters |
//!
//! # What it leaves out
//!
//! Propagation delay, a millisecond over 300 km; thermal noise, so a level matters only relative to that of another
//! carrier; synchronization of the receiver to the first flag. Bit stuffing is the mean for random bits.

mod access;
mod burst;
mod carrier_sense;
mod correction;
mod dcd_hold;
mod draws;
mod fading;
mod hearing;
mod levels;
mod member;
mod outage;
mod reception;
mod sense_group;
mod settings;
mod tally;

rekey_fields!(Channel { members, carrier_sense, fading });

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sojourn_core::{Duration, Stream, Time, rekey_fields};

pub use correction::Framing;
pub use dcd_hold::DcdHold;
pub use draws::FrameErrors;
pub use fading::FadingSettings;
pub use hearing::Hearing;
pub use levels::Levels;
pub use reception::Received;
pub use settings::{ChannelSettings, FirstSlot, Loading, MemberSettings};
pub use tally::Tally;

use burst::{Burst, Carrier, EndedFrame};
use carrier_sense::CarrierSense;
use fading::Fading;
use member::{Member, Phase};

/// A frame to transmit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirFrame {
    /// The caller's identifier of the frame.
    pub tag: u32,
    /// Octets from the addresses to the information field, without FCS.
    pub octets: u32,
    /// Of them those before the information that a header of IL2P carries; 0 if it cannot, and with other framing.
    pub translated: u32,
}

/// An event of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelEvent {
    /// The member may load: [`Channel::load`] must be called at once.
    Load {
        /// The member.
        member: u32,
    },
    /// The member, which loads after TXDELAY, has keyed its transmitter.
    Keyed {
        /// The member.
        member: u32,
    },
    /// A frame has been transmitted: [`Channel::receive`] returns its outcome at a listener.
    Ended {
        /// The sender.
        member: u32,
        /// The caller's identifier of the frame.
        tag: u32,
        /// When its first bit was sent.
        start: Time,
    },
    /// The member's carrier is off.
    Unkeyed {
        /// The member.
        member: u32,
    },
    /// The members that observe carriers, [`Channel::watchers`] of this group, start or cease to detect one.
    Carrier {
        /// The carrier-sense group.
        group: u32,
        /// Whether a carrier is detected.
        detected: bool,
    },
}

/// A channel and the state of all stations on it.
#[derive(Clone, Debug)]
pub struct Channel {
    settings: ChannelSettings,
    hearing: Hearing,
    /// Of members whose levels differ.
    levels: Option<Box<Levels>>,
    fading: Option<Fading>,
    members: Vec<Member>,
    carrier_sense: CarrierSense,
    bursts: Vec<Burst>,
    past_carriers: Vec<Carrier>,
    last_ended: Option<EndedFrame>,
    /// Members that contend when their receivers have recovered, and full-duplex members that get the channel at once.
    resuming: BinaryHeap<Reverse<(Time, u32)>>,
    next: Time,
    busy_since: Time,
    /// Frames that began earlier are lost: the medium is or was down.
    lost_before: Time,
    tally: Tally,
}

impl Channel {
    /// An idle channel.
    ///
    /// Panics when `hearing` is of another number of members, and when a setting is out of its range.
    pub fn new(settings: ChannelSettings, members: Vec<MemberSettings>, hearing: Hearing) -> Channel {
        assert_eq!(members.len(), hearing.members() as usize, "one row of hearing per member");
        assert!(settings.bit_rate > 0, "a channel has a bit rate");
        assert!((0.0..1.0).contains(&settings.bit_error_rate), "a bit error rate is 0 to below 1");
        members.iter().for_each(MemberSettings::assert_usable);
        let (carrier_sense, group_of) = CarrierSense::new(&members, &hearing, settings.bit_rate);
        let member = |(member, group)| Member::new(member, group, settings.bit_error_rate);
        Channel {
            settings,
            hearing,
            levels: None,
            fading: None,
            members: members.into_iter().zip(group_of).map(member).collect(),
            carrier_sense,
            bursts: Vec::new(),
            past_carriers: Vec::new(),
            last_ended: None,
            resuming: BinaryHeap::new(),
            next: Time::NEVER,
            busy_since: Time::ZERO,
            lost_before: Time::ZERO,
            tally: Tally::default(),
        }
    }

    /// Receivers follow the stronger of two carriers where their levels differ by the capture ratio. Panics when the levels
    /// are of another number of members.
    pub fn with_levels(mut self, levels: Levels) -> Channel {
        assert_eq!(levels.members(), self.hearing.members(), "one row of levels per member");
        self.levels = Some(Box::new(levels));
        self
    }

    /// The paths between members fade; `stream` is the random stream of the path between two. Panics when a setting is out of
    /// its range.
    pub fn with_fading(mut self, fading: FadingSettings, stream: impl Fn(u32, u32) -> Stream) -> Channel {
        let directed = self.members.iter().any(|member| member.settings.full_duplex);
        self.fading = Some(Fading::new(fading, &self.settings, self.hearing.members(), directed, stream));
        self
    }

    /// A full-duplex wire between two stations.
    pub fn wire(settings: ChannelSettings, ends: [MemberSettings; 2]) -> Channel {
        let members = ends.map(|end| MemberSettings { full_duplex: true, ..end }).to_vec();
        Channel::new(settings, members, Hearing::all(2))
    }

    /// `member` has something to send. A second request while it waits has no effect; one while it transmits is for another
    /// burst.
    pub fn request(&mut self, now: Time, member: u32) {
        let state = &mut self.members[member as usize];
        match state.phase {
            Phase::Idle => {
                self.contend(now, member);
                self.update_next();
            }
            Phase::Waiting => {}
            Phase::Granted | Phase::Keyed => state.requested = true,
        }
    }

    /// When [`handle`](Self::handle) must be called; never while no member transmits or contends.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next
    }

    /// One of the events due `now`, in the order bursts, contention, transmission, carrier changes. None if it is internal to
    /// the channel.
    pub fn handle(&mut self, now: Time) -> Option<ChannelEvent> {
        debug_assert!(self.next == now);
        let due = (0..self.bursts.len()).filter(|&place| self.bursts[place].next == now);
        let event = if let Some(place) = due.min_by_key(|&place| self.bursts[place].carrier.member) {
            Some(self.advance(now, place))
        } else if self.resuming.peek().is_some_and(|Reverse((at, _))| *at == now) {
            self.resume(now)
        } else {
            Some(self.sense_event(now))
        };
        self.update_next();
        event
    }

    /// The burst of a member, in response to [`ChannelEvent::Load`]. Without a frame, nothing is transmitted, or an empty
    /// carrier if it is on already. Panics without such an event.
    pub fn load(&mut self, now: Time, member: u32, frames: impl IntoIterator<Item = AirFrame>) {
        let mut frames = frames.into_iter().peekable();
        let state = &mut self.members[member as usize];
        if state.phase == Phase::Granted {
            if frames.peek().is_none() {
                state.phase = Phase::Idle;
                if std::mem::take(&mut state.requested) {
                    self.contend(now, member);
                }
                return self.update_next();
            }
            self.key_up(now, member);
        }
        self.put(member, frames);
        self.update_next();
    }

    /// Members of a group that observe carriers and do not transmit.
    pub fn watchers(&self, group: u32) -> impl Iterator<Item = u32> + '_ {
        let watches = |member: &u32| {
            let state = &self.members[*member as usize];
            state.settings.watches && state.phase != Phase::Keyed
        };
        self.carrier_sense.members(group).iter().copied().filter(watches)
    }

    /// How frames are sent.
    pub fn framing(&self) -> Framing {
        self.settings.framing
    }

    /// Whether `member` detects a carrier or transmits.
    pub fn is_busy(&self, now: Time, member: u32) -> bool {
        let state = &self.members[member as usize];
        state.phase == Phase::Keyed || state.group.is_some_and(|group| self.carrier_sense.detects(now, group))
    }

    /// Whether frames are sent with forward error correction.
    pub fn corrects(&self) -> bool {
        self.settings.framing != Framing::Hdlc
    }

    /// Totals up to `now` since the last [`reset_tally`](Self::reset_tally).
    pub fn tally(&self, now: Time) -> Tally {
        let running = if self.bursts.is_empty() { Duration::ZERO } else { now.since(self.busy_since) };
        Tally { busy: self.tally.busy + running, ..self.tally }
    }

    /// Restarts counting at `now`.
    pub fn reset_tally(&mut self, now: Time) {
        self.tally = Tally::default();
        self.busy_since = now;
    }

    fn update_next(&mut self) {
        let bursts = self.bursts.iter().map(|burst| burst.next);
        let arrival = self.resuming.peek().map(|Reverse((at, _))| *at);
        self.next = bursts.chain(arrival).fold(self.carrier_sense.next_event(), Time::min);
    }
}
