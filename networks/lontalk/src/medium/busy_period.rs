//! Busy periods: transmissions, collisions, reception, and the senders' backlog.

use std::hint::cold_path;

use sojourn_core::Time;

use super::Medium;
use super::parameters::Parameters;
use super::transmission::{BacklogRule, TransmitResult};
use crate::backlog::Span;
use crate::channel::CollisionAbort;

impl Medium {
    /// Starts the transmissions of all contenders that transmit before they sense the first.
    pub(super) fn start_transmissions(&mut self) {
        let Self { ports, contenders, transmissions, conditions, .. } = self;
        transmissions.clear();
        contenders.transmitting(self.sensed, &conditions.channel, |port, fire| {
            transmissions.push(conditions.transmission(port, fire, ports[port as usize].head));
        });
        if transmissions.len() > 1 {
            // contenders are stored in an order that depends on removals; reports must not depend on it
            transmissions.sort_by_key(|sent| ports[sent.port as usize].rank);
        }
    }

    /// Schedules the end of the busy period, from its transmissions and their aborts.
    pub(super) fn schedule_end(&mut self) {
        if self.transmissions.len() > 1 && self.conditions.channel.collision_abort != CollisionAbort::Never {
            let channel = &self.conditions.channel;
            let preamble = channel.time_of(channel.preamble_millibits);
            for t in &mut self.transmissions {
                if self.ports[t.port as usize].collision_detection {
                    let abort = match channel.collision_abort {
                        // a sender cannot detect a collision before it senses the other carrier
                        CollisionAbort::EndOfPreamble => (t.start + preamble).max(self.sensed),
                        _ => self.sensed,
                    };
                    t.end = t.end.min(abort);
                }
            }
        }
        self.next = self.transmissions.iter().map(|t| t.end).max().unwrap_or(Time::NEVER);
    }

    /// The transmission that no other has destroyed, if there is one: without overlap, or by capture.
    pub fn survivor(&self) -> Option<usize> {
        let several = self.transmissions.as_slice();
        if several.len() < 2 {
            return (!several.is_empty()).then_some(0);
        }
        let first = (0..several.len()).min_by_key(|&i| several[i].start)?;
        let alone = several.iter().filter(|t| t.start == several[first].start).count() == 1;
        (self.conditions.channel.capture && alone).then_some(first)
    }

    /// The transmission that was received, if one was: without overlap, or by capture, and without bit errors.
    pub(super) fn evaluate(&mut self) -> Option<usize> {
        let (frames, survivor) = (self.transmissions.len() as u64, self.survivor());
        self.counters.collisions += u64::from(frames > 1);
        self.counters.frames += frames;
        self.counters.overlapped += frames - u64::from(survivor.is_some());
        let survivor = survivor?;
        let channel = &self.conditions.channel;
        if channel.bit_error_rate > 0.0 {
            cold_path();
            let bits = channel.wire_millibits(u64::from(self.transmissions[survivor].head.length)) as f64 / 1000.0;
            let intact = libm::exp(bits * libm::log1p(-channel.bit_error_rate));
            if self.noise.unit() >= intact {
                // a frame that overlapped another already counts as collided
                self.counters.corrupted += u64::from(self.transmissions.len() == 1);
                return None;
            }
        }
        self.counters.correct += 1;
        self.counters.bytes += u64::from(self.transmissions[survivor].head.length);
        Some(survivor)
    }

    /// Updates each sender's estimate, and the result of its transmission.
    pub(super) fn update_senders(&mut self, span: &Span) {
        let Self { ports, transmissions, counters, conditions, contenders, senders, .. } = self;
        let Parameters { channel, rules, rule, .. } = &**conditions;
        for (port, _) in senders.drain(..) {
            ports[port as usize].sent_last = false;
        }
        let lone = transmissions.len() == 1;
        for transmission in transmissions {
            let mut estimate = contenders.take(transmission.port, ports);
            let state = &mut ports[transmission.port as usize];
            counters.backlog += estimate.settle_waiting(span, rules);
            let detects = !lone && state.collision_detection;
            let cut = match (*rule, detects) {
                (BacklogRule::Fixed, _) => false,
                (_, true) => estimate.collide(rules.cap),
                (_, false) => estimate.apply(transmission.head.delta, rules.cap),
            };
            counters.backlog_overflows += u64::from(cut);
            counters.backlog_max = counters.backlog_max.max(estimate.backlog);
            state.sent_last = true;
            state.collisions += u8::from(detects);
            transmission.result = TransmitResult::of(detects, state.collisions, channel.collision_limit);
            counters.dropped += u64::from(transmission.result == TransmitResult::Dropped);
            senders.push((transmission.port, estimate));
        }
    }
}
