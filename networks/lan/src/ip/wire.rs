//! The flight time of a packet: transmission, propagation, and random jitter.

use std::sync::Arc;

use sojourn_core::rate_trace::TracedLine;
use sojourn_core::time::UnitTime;
use sojourn_core::{Duration, RateTrace, Stream, Streams, Time, rekey_fields};

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
#[derive(Clone, Debug)]
pub struct Line {
    pace: Pace,
    framing: Framing,
    free_at: Time,
}

/// How fast a line sends.
#[derive(Clone, Debug)]
enum Pace {
    /// Packets take no time.
    Unlimited,
    /// A bit takes this long.
    Constant(UnitTime),
    /// The rate changes over time.
    Traced(Box<TracedLine<Arc<RateTrace>>>),
}

impl Wire {
    /// A direction on which nothing is in flight.
    pub fn new(port: &topology::Port, settings: &PortSettings, streams: &Streams) -> Self {
        let stream = |what: &str| streams.stream(&format!("link/{}/{what}", settings.name));
        let link = &settings.link;
        let jitter = Some(&link.jitter).filter(|jitter| !jitter.is_zero()).cloned();
        Wire {
            line: Line {
                pace: match &link.trace {
                    Some(trace) => Pace::Traced(Box::new(TracedLine::new(Arc::clone(trace)))),
                    None if link.unlimited => Pace::Unlimited,
                    None => Pace::Constant(UnitTime::new(port.rate)),
                },
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
            LinkChange::Rate(rate) => self.line.pace = Pace::Constant(UnitTime::new(rate)),
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
        match &mut self.pace {
            Pace::Constant(bit) => {
                if now > self.free_at {
                    // fractions of a picosecond carry over within a busy period only; an idle line has none
                    bit.restart();
                }
                self.free_at = now + bit.next_units(8 * (octets.max(minimum) + overhead));
            }
            Pace::Traced(line) => {
                let framed = octets.max(minimum) + overhead;
                self.free_at = line.send(now, line.trace().header().map_or(framed, |header| octets + header));
            }
            Pace::Unlimited => {}
        }
        self.free_at = self.free_at.max(now);
        self.free_at
    }

    /// The same line before it has sent anything; one with a trace at its highest rate, since all beyond that is waiting.
    pub fn idle(&self) -> Line {
        let pace = match &self.pace {
            Pace::Unlimited => Pace::Unlimited,
            Pace::Constant(bit) => {
                let mut bit = *bit;
                bit.restart();
                Pace::Constant(bit)
            }
            Pace::Traced(line) => {
                line.trace().peak_rate().map_or(Pace::Unlimited, |rate| Pace::Constant(UnitTime::new(rate)))
            }
        };
        Line { pace, framing: self.framing, free_at: Time::ZERO }
    }

    /// When the last bit of the packets handed over so far is sent.
    pub fn free_at(&self) -> Time {
        self.free_at
    }
}

rekey_fields!(Wire { losses, delays });
