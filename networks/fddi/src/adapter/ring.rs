//! The attachment of the adapter: a black box that sends and takes frames at line rate, or a token ring.

use sojourn_core::{Duration, Time};
use sojourn_engine::Server;
use sojourn_protocols::fddi::dec_length;

use super::settings;
use crate::ring::{self, Class, MacSettings, Outgoing, RingSettings};

/// The adapter's MAC on a token ring.
pub const ADAPTER: u32 = 0;
/// The other station's MAC on a token ring.
pub const PEER: u32 = 1;

/// Frames on the fibre.
#[derive(Clone, Debug)]
pub struct Ring {
    settings: settings::Ring,
    medium: Medium,
    /// Transmission time of frames, those in transmission included.
    line: Server,
}

#[derive(Clone, Debug)]
enum Medium {
    BlackBox,
    Token {
        ring: Box<ring::Ring>,
        /// The instant its last event was scheduled for.
        scheduled: Time,
    },
}

/// A frame that begins on a token ring.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// Whether the adapter sends it.
    pub sent: bool,
    /// Its length in bytes.
    pub size: u32,
    /// When its first bit leaves the adapter, or comes to it.
    pub at: Time,
}

impl Ring {
    /// A quiet ring whose utilisation counts from the end of the warm-up.
    pub fn new(settings: settings::Ring, warm_up: Time) -> Self {
        let medium = match settings.token {
            None => Medium::BlackBox,
            Some((metres, latency)) => {
                let station = MacSettings { latency, ..MacSettings::new(1) };
                let ring = Box::new(ring::Ring::new(RingSettings::uniform(2, metres, &station)));
                Medium::Token { ring, scheduled: Time::NEVER }
            }
        };
        Ring { settings, medium, line: Server::new(warm_up) }
    }

    /// Whether frames wait for a token.
    pub fn has_token(&self) -> bool {
        matches!(self.medium, Medium::Token { .. })
    }

    /// From a frame's first bit to the end of its first `bytes`; of all of them, how long it lasts.
    #[inline]
    pub fn lasts(&self, bytes: u32) -> Duration {
        self.settings.lasts(bytes)
    }

    /// Gives a frame the line as soon as it is free, in the order of asking: when it begins.
    #[inline]
    pub fn reserve(&mut self, now: Time, size: u32) -> Time {
        let lasts = self.settings.lasts(size);
        let end = self.line.serve(now, lasts);
        Time::ZERO + end.since(Time::ZERO + lasts)
    }

    /// Hands a frame to a station of the token ring.
    pub fn offer(&mut self, now: Time, mac: u32, size: u32) {
        let Medium::Token { ring, .. } = &mut self.medium else { unreachable!("a black box has no stations") };
        let length = size - dec_length(0) as u32;
        let frame = Outgoing { tag: 0, length };
        ring.offer(now, mac, Class::Asynchronous(0), frame).expect("the checked lengths fit a frame");
    }

    /// The next event of the token ring, if it is not the one already scheduled.
    pub fn schedule(&mut self) -> Option<Time> {
        let Medium::Token { ring, scheduled } = &mut self.medium else { return None };
        let next = ring.next_event();
        let news = next != *scheduled && next != Time::NEVER;
        *scheduled = next;
        news.then_some(next)
    }

    /// The token ring's event of `now`; a frame may begin with it. An event that was overtaken is none.
    pub fn handle(&mut self, now: Time) -> Option<Begun> {
        let Medium::Token { ring, scheduled } = &mut self.medium else { return None };
        if ring.next_event() != now {
            return None;
        }
        *scheduled = Time::NEVER;
        let carried = ring.handle(now)?;
        let size = dec_length(carried.length as usize) as u32;
        let sent = carried.mac == ADAPTER;
        let end = if sent { carried.end } else { ring.arrival(&carried, ADAPTER) };
        let lasts = self.settings.lasts(size);
        let at = Time::ZERO + end.since(Time::ZERO + lasts);
        self.line.serve(at, lasts);
        Some(Begun { sent, size, at })
    }

    /// What is on a token ring is lost, and nothing passes.
    pub fn interrupt(&mut self, now: Time) {
        if let Medium::Token { ring, .. } = &mut self.medium {
            ring.interrupt(now);
        }
        self.line.clear(now);
    }

    /// The adapter is in an interrupted token ring, or bypassed; without power it has no frames for it.
    pub fn set_power(&mut self, on: bool) {
        if let Medium::Token { ring, .. } = &mut self.medium {
            ring.clear_queue(ADAPTER);
            ring.set_power(ADAPTER, on);
        }
    }

    /// An interrupted token ring carries light again.
    pub fn mend(&mut self, now: Time) {
        if let Medium::Token { ring, .. } = &mut self.medium {
            ring.mend(now, ADAPTER);
        }
    }

    /// The other station of a token ring has nothing to send.
    pub fn clear_peer(&mut self) {
        if let Medium::Token { ring, .. } = &mut self.medium {
            ring.clear_queue(PEER);
        }
    }

    /// Share of the time from the warm-up to `now` that frames passed.
    pub fn utilisation(&self, now: Time) -> f64 {
        self.line.utilisation(now)
    }
}
