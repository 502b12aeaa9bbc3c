//! The flight time of a packet: transmission, propagation, and random jitter.

use std::sync::Arc;

use sojourn_core::time::UnitTime;
use sojourn_core::{Duration, Stream, Streams, Time, rekey_fields};

use super::settings::{Framing, PortSettings};
use crate::fabric::LinkChange;
use crate::topology;
use sojourn_model::laws::RandomTime;

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The bits, one after the other.
    pub line: Line,
    propagation: Duration,
    loss: f64,
    losses: Stream,
    /// Which packets are lost as well, over and over, and the next one's place.
    lost: (Arc<[bool]>, usize),
    /// What is added to the length, and what the scenario says of that; none where it is nothing.
    jitter: Option<RandomTime>,
    declared: Option<RandomTime>,
    delays: Stream,
    reorders: bool,
    /// The last instant at which a packet arrives.
    last_arrival: Time,
}

/// What sends bits one after the other, and keeps the remainder of a picosecond from packet to packet.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    bit: Option<UnitTime>,
    framing: Framing,
    free_at: Time,
}

impl Wire {
    /// A direction on which nothing is in flight.
    pub fn new(port: &topology::Port, settings: &PortSettings, streams: &Streams) -> Self {
        let stream = |what: &str| streams.stream(&format!("link/{}/{what}", settings.name));
        let link = &settings.link;
        let jitter = Some(&link.jitter).filter(|jitter| !jitter.is_zero()).cloned();
        Wire {
            line: Line {
                bit: (!link.unlimited).then(|| UnitTime::new(port.rate)),
                framing: link.framing,
                free_at: Time::ZERO,
            },
            propagation: port.propagation,
            loss: link.loss,
            losses: stream("loss"),
            lost: (Arc::clone(&link.lost), 0),
            jitter: jitter.clone(),
            declared: jitter,
            delays: stream("jitter"),
            reorders: link.reorders,
            last_arrival: Time::ZERO,
        }
    }

    /// The wire is another one for packets sent from now on.
    pub fn change(&mut self, change: LinkChange) {
        match change {
            LinkChange::Up(_) | LinkChange::Power(..) => {}
            LinkChange::Rate(rate) => self.line.bit = Some(UnitTime::new(rate)),
            LinkChange::Propagation(propagation) => self.propagation = propagation,
            LinkChange::Loss(loss) => self.loss = loss,
            LinkChange::Jitter(None) => self.jitter = self.declared.clone(),
            LinkChange::Jitter(Some(most)) => {
                self.jitter = (most > Duration::ZERO).then_some(RandomTime::Uniform(Duration::ZERO, most));
            }
        }
    }

    /// Whether the next packet is lost on the link.
    #[inline]
    pub fn loses(&mut self) -> bool {
        let is_lost = self.loss > 0.0 && self.losses.unit() < self.loss;
        is_lost | (!self.lost.0.is_empty() && self.loses_as_recorded())
    }

    /// Whether the next packet of a recording is lost: its place among the recorded delays goes by with it.
    fn loses_as_recorded(&mut self) -> bool {
        let (lost, place) = &mut self.lost;
        let is_lost = lost[*place];
        *place = (*place + 1) % lost.len();
        if is_lost && let Some(jitter @ RandomTime::Recorded(_)) = &mut self.jitter {
            jitter.draw(&mut self.delays);
        }
        is_lost
    }

    /// The link's length in time.
    pub fn propagation(&self) -> Duration {
        self.propagation
    }

    /// When a packet whose last bit was sent at `now` has arrived in whole.
    #[inline]
    pub fn arrival(&mut self, now: Time) -> Time {
        let mut arrival = now + self.propagation;
        if let Some(jitter) = &mut self.jitter {
            arrival += jitter.draw(&mut self.delays);
            if !self.reorders {
                // jitter on a single path is queueing, which is FIFO: only parallel paths reorder
                arrival = arrival.max(self.last_arrival);
            }
            self.last_arrival = arrival;
        }
        arrival
    }
}

impl Line {
    /// Sends a packet whose turn has come at `now`, when the line is free; returns when its last bit is sent.
    #[inline]
    pub fn send(&mut self, now: Time, octets: u32) -> Time {
        debug_assert!(now >= self.free_at, "one packet at a time");
        let Framing { overhead, minimum, .. } = self.framing;
        if let Some(bit) = &mut self.bit {
            if now > self.free_at {
                // fractions of a picosecond carry over within a busy period only; an idle line has none
                bit.restart();
            }
            self.free_at = now + bit.next_units(8 * (octets.max(minimum) + overhead));
        }
        self.free_at = self.free_at.max(now);
        self.free_at
    }

    /// The same line before it has sent anything.
    pub fn idle(&self) -> Line {
        let mut idle = Line { free_at: Time::ZERO, ..*self };
        idle.bit.iter_mut().for_each(UnitTime::restart);
        idle
    }

    /// When the last bit of the packets handed over so far is sent.
    pub fn free_at(&self) -> Time {
        self.free_at
    }
}

rekey_fields!(Wire { losses, delays });
