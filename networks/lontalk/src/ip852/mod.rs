//! Channels over an IP network (ANSI/CTA-852, EN 14908-4): every packet is sent as a UDP datagram to each member that
//! it concerns, one copy after the other, and each member restores the order of packets per sender.
//!
//! | file | concern |
//! |---|---|
//! | `session` | sequence numbers from one member to another: order and escrow |
//! | `world` | the events of a replication |

mod session;
mod world;

use std::collections::BTreeMap;

use sojourn_core::{Duration, Stream, Streams, Time, rekey_fields};
use sojourn_protocols::lontalk::lonip::HEADERS_LENGTH;

use super::slab::Slab;
use session::{Session, Taken};
use sojourn_model::effect::MediumChange;
use sojourn_model::laws::RandomTime;

/// Settings of a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Bits per second that a member sends.
    pub access_rate: u64,
    /// Bytes of a datagram on a member's link beside the IP packet.
    pub framing: u64,
    /// The IP network.
    pub path: Path,
    /// Whether jitter reorders datagrams from one member to another.
    pub reordering: bool,
    /// How long a packet ahead of its sequence waits.
    pub escrow: Duration,
    /// Age at which a packet is stale.
    pub timeout: Option<Duration>,
}

/// What the IP network does to a datagram; events may change it.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// One-way delay.
    pub delay: Duration,
    /// Random delay beyond it.
    pub jitter: RandomTime,
    /// Probability that it is lost.
    pub loss: f64,
}

impl Settings {
    /// Time of a datagram with an LPDU of `length` bytes on a member's link.
    pub fn copy_time(&self, length: u64) -> Duration {
        Duration::from_units(8 * (self.framing + HEADERS_LENGTH as u64 + length), self.access_rate)
    }
}

/// Counters of a channel since the last reset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Packets received in order.
    pub received: u64,
    /// Bytes of their LPDUs.
    pub bytes: u64,
    /// Datagrams that the IP network lost, or whose receiver was off.
    pub lost: u64,
    /// Datagrams that were discarded: stale, or after their turn.
    pub late: u64,
}

/// A channel.
#[derive(Clone, Debug)]
struct Channel {
    settings: Settings,
    /// The current state.
    path: Path,
    is_up: bool,
    losses: Stream,
    delays: Stream,
    counters: Counters,
    /// Members that are sending.
    sending: u32,
}

/// The interface of a member.
#[derive(Clone, Copy, Debug)]
struct Interface {
    /// When it begins to send its next packet, or has sent the last copy of one.
    due: Time,
    is_sending: bool,
    busy: Duration,
    /// Since when it has been sending, as far as it is not in `busy`.
    since: Time,
}

/// A datagram in the IP network.
#[derive(Clone, Copy, Debug)]
struct Datagram {
    frame: u32,
    medium: u16,
    /// The port of its sender.
    from: u32,
    /// Index of the session it belongs to.
    session: u32,
    /// Its sender's number of the session; it has begun a new one since, if another is current.
    number: u32,
    sequence: u64,
    /// When its sender stamped it.
    stamp: Time,
    /// When its last bit leaves its sender.
    departs: Time,
    is_lost: bool,
}

/// All channels over IP networks of a site, and what is in them.
#[derive(Clone, Debug)]
pub struct IpChannels {
    channels: Vec<Option<Channel>>,
    /// By port.
    interfaces: Vec<Interface>,
    datagrams: Slab<Datagram>,
    sessions: Vec<Session>,
    /// Sessions by the ports of their sender and receiver.
    places: BTreeMap<(u32, u32), u32>,
    /// Ports with a packet to send that are not yet in the event queue.
    offered: Vec<(Time, u32)>,
    /// Scratch: what a session takes.
    taken: Taken,
}

impl IpChannels {
    /// The idle channels of a site, if it has any; of each medium its name, and its settings if it is one.
    pub fn new<'m>(
        media: impl Iterator<Item = (&'m str, Option<&'m Settings>)>,
        streams: &Streams,
    ) -> Option<Box<Self>> {
        let channel = |(name, settings): (&str, Option<&Settings>)| {
            let stream = |of: &str| streams.stream(&format!("medium/{name}/{of}"));
            settings.map(|settings| Channel {
                settings: settings.clone(),
                path: settings.path.clone(),
                is_up: true,
                losses: stream("loss"),
                delays: stream("delay"),
                counters: Counters::default(),
                sending: 0,
            })
        };
        let channels: Vec<Option<Channel>> = media.map(channel).collect();
        channels.iter().any(Option::is_some).then(|| {
            Box::new(IpChannels {
                channels,
                interfaces: Vec::new(),
                datagrams: Slab::new(),
                sessions: Vec::new(),
                places: BTreeMap::new(),
                offered: Vec::new(),
                taken: Taken::default(),
            })
        })
    }

    /// Whether a medium is one of them.
    pub fn has(&self, medium: u16) -> bool {
        self.channels[usize::from(medium)].is_some()
    }

    fn channel(&mut self, medium: u16) -> &mut Channel {
        self.channels[usize::from(medium)].as_mut().expect("a channel over an IP network")
    }

    fn interface(&mut self, port: u32) -> &mut Interface {
        let idle = Interface { due: Time::NEVER, is_sending: false, busy: Duration::ZERO, since: Time::ZERO };
        if self.interfaces.len() <= port as usize {
            self.interfaces.resize(port as usize + 1, idle);
        }
        &mut self.interfaces[port as usize]
    }

    /// Whether a member is sending.
    pub fn transmits(&self, port: u32) -> bool {
        self.interfaces.get(port as usize).is_some_and(|interface| interface.is_sending)
    }

    /// A member has a packet to send.
    pub fn offer(&mut self, now: Time, port: u32) {
        self.interface(port).due = now;
        self.offered.push((now, port));
    }

    /// It has not any more, and has not begun to send it.
    pub fn withdraw(&mut self, port: u32) {
        self.interface(port).due = Time::NEVER;
    }

    /// Ports whose sending is to be scheduled.
    pub fn take_offered(&mut self) -> impl Iterator<Item = (Time, u32)> {
        self.offered.drain(..)
    }

    /// A member begins to send its packet, until `until`.
    fn begin(&mut self, now: Time, port: u32, medium: u16, until: Time) {
        *self.interface(port) = Interface { due: until, is_sending: true, since: now, ..*self.interface(port) };
        self.channel(medium).sending += 1;
    }

    /// It has sent the last copy, or has lost power.
    fn end(&mut self, now: Time, port: u32, medium: u16) {
        let interface = self.interface(port);
        interface.busy += now.since(interface.since);
        (interface.is_sending, interface.due) = (false, Time::NEVER);
        self.channel(medium).sending -= 1;
    }

    /// The session of one member with another.
    fn session(&mut self, from: u32, to: u32) -> u32 {
        let Self { sessions, places, .. } = self;
        *places.entry((from, to)).or_insert_with(|| {
            sessions.push(Session::default());
            sessions.len() as u32 - 1
        })
    }

    /// When a datagram arrives whose last bit leaves `from` at `departs`; never if it is lost.
    fn arrival(&mut self, medium: u16, session: u32, departs: Time) -> Time {
        let channel = self.channels[usize::from(medium)].as_mut().expect("a channel over an IP network");
        let Path { delay, ref mut jitter, loss } = channel.path;
        let is_lost = loss > 0.0 && channel.losses.unit() < loss;
        let varied = match jitter {
            RandomTime::Uniform(_, Duration::ZERO) => Duration::ZERO,
            jitter => jitter.draw(&mut channel.delays),
        };
        if is_lost || !channel.is_up {
            channel.counters.lost += 1;
            return Time::NEVER;
        }
        let last = &mut self.sessions[session as usize].last_arrival;
        let arrival = departs + delay + varied;
        *last = if channel.settings.reordering { arrival } else { arrival.max(*last) };
        *last
    }

    /// Whether a medium carries datagrams from now on; those in it are lost if it does not.
    pub fn set_up(&mut self, medium: u16, up: bool) {
        self.channel(medium).is_up = up;
        if !up {
            self.lose(|datagram| datagram.medium == medium);
        }
    }

    fn lose(&mut self, is_hit: impl Fn(&Datagram) -> bool) {
        let hit = self.datagrams.entries().filter(|(_, datagram)| is_hit(datagram)).map(|(number, _)| number);
        for number in hit.collect::<Vec<u32>>() {
            self.datagrams[number].is_lost = true;
        }
    }

    /// The IP network of a medium changes, for datagrams sent from now on.
    pub fn set(&mut self, medium: u16, change: MediumChange) {
        let Channel { path, settings, .. } = self.channel(medium);
        match change {
            MediumChange::Delay(delay) => path.delay = delay,
            MediumChange::Jitter(None) => path.jitter = settings.path.jitter.clone(),
            MediumChange::Jitter(Some(most)) => path.jitter = RandomTime::Uniform(Duration::ZERO, most),
            MediumChange::Loss(loss) => path.loss = loss,
            MediumChange::BitErrorRate(_) => unreachable!("an IP network has no bit error rate"),
        }
    }

    /// A member's port loses power: what it has not sent is lost, and its sessions begin anew. Returns the frames that it held.
    pub fn power_down(&mut self, now: Time, port: u32, medium: u16) -> Vec<u32> {
        if self.transmits(port) {
            self.end(now, port, medium);
        }
        self.interface(port).due = Time::NEVER;
        let of_port = |ports: &(u32, u32)| ports.0 == port || ports.1 == port;
        let places: Vec<((u32, u32), u32)> =
            self.places.iter().filter(|(ports, _)| of_port(ports)).map(|(ports, place)| (*ports, *place)).collect();
        let mut held = Vec::new();
        for ((from, _), place) in places {
            let session = &mut self.sessions[place as usize];
            if from == port {
                session.begin_anew();
                self.lose(|datagram| datagram.session == place && datagram.departs > now);
            } else {
                session.forget(&mut held);
            }
        }
        held
    }

    /// Counters of a medium.
    pub fn counters(&self, medium: usize) -> Option<Counters> {
        self.channels[medium].as_ref().map(|channel| channel.counters)
    }

    /// The longest time that a member has been sending, of these ports.
    pub fn busiest(&self, ports: &[u32]) -> Duration {
        let busy = ports.iter().filter_map(|&port| self.interfaces.get(port as usize)).map(|interface| interface.busy);
        busy.max().unwrap_or(Duration::ZERO)
    }

    /// Counts the sending up to now.
    pub fn settle(&mut self, now: Time) {
        for interface in self.interfaces.iter_mut().filter(|interface| interface.is_sending) {
            interface.busy += now.since(interface.since);
            interface.since = now;
        }
    }

    /// Restarts counting at `now`.
    pub fn reset_counters(&mut self, now: Time) {
        self.settle(now);
        self.interfaces.iter_mut().for_each(|interface| interface.busy = Duration::ZERO);
        self.channels.iter_mut().flatten().for_each(|channel| channel.counters = Counters::default());
    }
}

rekey_fields!(Channel { losses, delays });

rekey_fields!(IpChannels { channels });
