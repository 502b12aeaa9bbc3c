//! The channel behaves as the reference model, for any stations, hearing, settings and traffic.

use proptest::prelude::*;
use sojourn_core::time::PICOSECONDS_PER_SECOND;
use sojourn_core::{Duration, Streams, Time};

use super::reference_model::Reference;
use super::{
    AirFrame, Channel, ChannelEvent, ChannelSettings, DcdHold, FirstSlot, FrameErrors, Framing, Hearing, Loading,
    MemberSettings, Received,
};

/// Duration of a scene.
const END: Time = Time::from_picoseconds(20 * PICOSECONDS_PER_SECOND);

/// An observation of a channel.
#[derive(Debug, PartialEq)]
enum Observed {
    Happens(Time, ChannelEvent),
    Receives(Time, u32, Received),
    Busy(Time, Vec<bool>),
}

/// Traffic that depends only on how often each member has acted.
struct Traffic {
    seed: u64,
    acts: Vec<u64>,
}

impl Traffic {
    fn new(seed: u64, members: usize) -> Self {
        Traffic { seed, acts: vec![0; members] }
    }

    fn act(&mut self, member: u32) -> u64 {
        self.acts[member as usize] += 1;
        let word = self.seed ^ u64::from(member) << 32 ^ self.acts[member as usize];
        (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
    }

    /// Up to three frames, sometimes none.
    fn burst(&mut self, member: u32) -> Vec<AirFrame> {
        let word = self.act(member);
        (0..(word % 8).div_ceil(2).min(3) as u32)
            .map(|tag| AirFrame { tag, octets: 15 + (word >> 8) as u32 % 250, translated: 0 })
            .collect()
    }
}

/// Operations of the channel and of the reference model.
trait Medium {
    fn request(&mut self, now: Time, member: u32);
    fn next_event(&self) -> Time;
    fn handle(&mut self, now: Time) -> Option<ChannelEvent>;
    fn load(&mut self, now: Time, member: u32, frames: &[AirFrame]);
    fn receive(&mut self, listener: u32) -> Received;
    fn is_busy(&self, now: Time, member: u32) -> bool;
}

/// The channel, and the carrier state last signalled to its watchers.
struct Fast {
    channel: Channel,
    signalled: Vec<bool>,
}

impl Medium for Fast {
    fn request(&mut self, now: Time, member: u32) {
        self.channel.request(now, member);
    }

    fn next_event(&self) -> Time {
        self.channel.next_event()
    }

    fn handle(&mut self, now: Time) -> Option<ChannelEvent> {
        let event = self.channel.handle(now);
        match event {
            Some(ChannelEvent::Carrier { group, detected }) => {
                self.channel.watchers(group).for_each(|member| self.signalled[member as usize] = detected);
                return None;
            }
            Some(ChannelEvent::Keyed { member } | ChannelEvent::Unkeyed { member }) => {
                self.signalled[member as usize] = self.channel.is_busy(now, member);
            }
            _ => {}
        }
        event
    }

    fn load(&mut self, now: Time, member: u32, frames: &[AirFrame]) {
        self.channel.load(now, member, frames.iter().copied());
        self.signalled[member as usize] = self.channel.is_busy(now, member);
    }

    fn receive(&mut self, listener: u32) -> Received {
        self.channel.receive(listener)
    }

    /// Whether the channel is busy; it must equal what was signalled to a watcher.
    fn is_busy(&self, now: Time, member: u32) -> bool {
        let busy = self.channel.is_busy(now, member);
        if self.channel.members[member as usize].settings.watches {
            assert_eq!(self.signalled[member as usize], busy, "signalled to member {member} at {now}");
        }
        busy
    }
}

impl Medium for Reference {
    fn request(&mut self, now: Time, member: u32) {
        self.request(now, member);
    }

    fn next_event(&self) -> Time {
        self.next_event()
    }

    fn handle(&mut self, now: Time) -> Option<ChannelEvent> {
        self.handle(now)
    }

    fn load(&mut self, now: Time, member: u32, frames: &[AirFrame]) {
        self.load(now, member, frames);
    }

    fn receive(&mut self, listener: u32) -> Received {
        self.receive(listener)
    }

    fn is_busy(&self, now: Time, member: u32) -> bool {
        self.is_busy(now, member)
    }
}

/// A channel and its traffic.
#[derive(Clone, Debug)]
struct Scene {
    settings: ChannelSettings,
    members: Vec<MemberSettings>,
    hearing: Hearing,
    requests: Vec<(Time, u32)>,
    seed: u64,
}

impl Scene {
    fn fast(&self) -> Fast {
        let channel = Channel::new(self.settings, self.members.clone(), self.hearing.clone());
        Fast { channel, signalled: vec![false; self.members.len()] }
    }

    fn plain(&self) -> Reference {
        Reference::new(self.settings, self.members.clone(), self.hearing.clone())
    }

    /// All observations until [`END`].
    fn run(&self, mut medium: impl Medium) -> Vec<Observed> {
        let members = self.members.len() as u32;
        let (mut traffic, mut requests) =
            (Traffic::new(self.seed, self.members.len()), self.requests.iter().peekable());
        let mut seen = Vec::new();
        loop {
            let now = medium.next_event();
            if let Some(&(at, member)) = requests.next_if(|(at, _)| *at <= now) {
                medium.request(at, member % members);
                continue;
            }
            if now > END {
                return seen;
            }
            if let Some(event) = medium.handle(now) {
                seen.push(Observed::Happens(now, event));
                self.answer(&mut medium, &mut traffic, event, &mut seen);
            }
            let happened =
                |seen: &Observed| matches!(seen, Observed::Happens(at, _) | Observed::Receives(at, ..) if *at == now);
            if medium.next_event() > now && seen.last().is_some_and(happened) {
                seen.push(Observed::Busy(now, (0..members).map(|member| medium.is_busy(now, member)).collect()));
            }
        }
    }

    /// Loads bursts; receivers respond to one frame in four, senders continue three times in four.
    fn answer(&self, medium: &mut impl Medium, traffic: &mut Traffic, event: ChannelEvent, seen: &mut Vec<Observed>) {
        let Observed::Happens(now, _) = seen[seen.len() - 1] else { return };
        match event {
            ChannelEvent::Load { member } => medium.load(now, member, &traffic.burst(member)),
            ChannelEvent::Unkeyed { member } if !traffic.act(member).is_multiple_of(4) => medium.request(now, member),
            ChannelEvent::Ended { .. } => {
                for listener in 0..self.members.len() as u32 {
                    let received = medium.receive(listener);
                    seen.push(Observed::Receives(now, listener, received));
                    if received == Received::Good && traffic.act(listener).is_multiple_of(4) {
                        medium.request(now, listener);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Settings from few values, so that members often share a group and instants often coincide.
fn member(number: u32) -> impl Strategy<Value = MemberSettings> {
    let milliseconds = |choices: &'static [u64]| prop::sample::select(choices).prop_map(Duration::from_millis);
    let times = (
        milliseconds(&[0, 50, 300]),
        milliseconds(&[0, 20]),
        milliseconds(&[0, 0, 30]),
        milliseconds(&[10, 100]),
        milliseconds(&[0, 0, 10, 100]),
        milliseconds(&[0, 0, 10, 30]),
    );
    let words = (prop::sample::select(&[1.0, 0.5, 0.25, 0.05][..]), 0..8u8, prop::bool::ANY, prop::bool::ANY);
    let words = (words, prop::bool::ANY, 0..6u8, prop::bool::weighted(0.3));
    (times, words).prop_map(move |(times, ((persistence, mode, late, watches), waits, hold, spoils))| {
        let streams = Streams::new(1, 0);
        let stream = |what| streams.stream(&format!("{number}/{what}"));
        let limit = Duration::from_millis(301 + 200 * u64::from(number));
        MemberSettings {
            txdelay: times.0,
            txtail: times.1,
            dwait: times.2,
            slottime: times.3,
            dcd_delay: times.4,
            receiver_recovery: times.5,
            persistence,
            full_duplex: mode == 0,
            transmission_limit: (mode == 1).then_some(limit),
            loading: if late { Loading::AfterTxdelay } else { Loading::AtKeyUp },
            watches,
            first_slot: if waits { FirstSlot::AfterSlottime } else { FirstSlot::AtOnce },
            dcd_hold: match hold {
                0 => DcdHold::Ones { run: 6, noise: stream("dcd") },
                1 | 2 => DcdHold::Constant(Duration::from_millis(u64::from(40 * hold))),
                _ => DcdHold::NONE,
            },
            frame_errors: spoils.then(|| FrameErrors { rate: 0.3, draws: stream("errors") }),
            ..MemberSettings::new(stream("access"), stream("noise"))
        }
    })
}

/// All stations hear each other, some are hidden, or arbitrary hearing.
fn hearing(members: u32) -> impl Strategy<Value = Hearing> {
    let pair = (0..members, 0..members);
    (0..3u8, prop::collection::vec((pair, prop::bool::ANY), 0..12)).prop_map(move |(kind, pairs)| {
        let mut hearing = if kind == 2 { Hearing::none(members) } else { Hearing::all(members) };
        for ((one, other), mutual) in pairs.into_iter().filter(|_| kind > 0) {
            let change = if kind == 2 { Hearing::allow } else { Hearing::hide };
            change(&mut hearing, one, other);
            if mutual {
                change(&mut hearing, other, one);
            }
        }
        hearing
    })
}

fn scene() -> impl Strategy<Value = Scene> {
    let members = (2..7u32).prop_flat_map(|count| {
        let alike = prop::bool::weighted(0.5);
        let each: Vec<_> = (0..count).map(member).collect();
        (alike, each, hearing(count))
    });
    let times = prop::collection::vec((0..3000u64, 0..7u32), 1..20);
    let channel =
        (prop::sample::select(&[1200, 9600][..]), prop::sample::select(&[0.0, 1e-4][..]), prop::bool::weighted(0.2));
    (members, times, channel, any::<u64>()).prop_map(|((alike, mut members, hearing), times, channel, seed)| {
        if alike {
            let first = members[0].clone();
            for member in &mut members {
                let MemberSettings { access, noise, dcd_hold, .. } = member.clone();
                *member = MemberSettings { access, noise, dcd_hold, frame_errors: None, ..first.clone() };
            }
        }
        let mut requests: Vec<_> =
            times.into_iter().map(|(at, member)| (Time::ZERO + Duration::from_millis(10 * at), member)).collect();
        requests.sort_unstable();
        let (bit_rate, bit_error_rate, capture) = channel;
        Scene {
            settings: ChannelSettings { bit_rate, bit_error_rate, capture, framing: Framing::Hdlc },
            members,
            hearing,
            requests,
            seed,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_event_and_every_reception_is_that_of_the_plain_channel(scene in scene()) {
        let (fast, plain) = (scene.run(scene.fast()), scene.run(scene.plain()));
        for (index, (one, other)) in fast.iter().zip(&plain).enumerate() {
            prop_assert_eq!(one, other, "event {}", index);
        }
        prop_assert_eq!(fast.len(), plain.len());
    }
}
