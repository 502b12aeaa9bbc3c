//! Busy periods: who transmits, what is received, what the senders make of it.

use std::hint::cold_path;

use sojourn_core::Time;

use super::parameters::Conditions;
use super::{BacklogRule, Fate, Medium};
use crate::lontalk::backlog::Span;
use crate::lontalk::channel::CollisionAbort;

impl Medium {
    /// Puts the head packets of those that fire before all have sensed the first on the channel.
    pub(super) fn begin_all(&mut self) {
        let Self { ports, contenders, transmissions, conditions, .. } = self;
        transmissions.clear();
        contenders.firing(self.sensed, &conditions.channel, |port, fire| {
            transmissions.push(conditions.transmission(port, fire, ports[port as usize].head));
        });
        if transmissions.len() > 1 {
            transmissions.sort_by_key(|sent| ports[sent.port as usize].turn);
        }
    }

    /// When the busy period ends, given who transmits and who would abort.
    pub(super) fn plan_end(&mut self) {
        if self.transmissions.len() > 1 && self.conditions.channel.collision_abort != CollisionAbort::Never {
            let channel = &self.conditions.channel;
            let preamble = channel.bits(channel.preamble_bits);
            for t in &mut self.transmissions {
                if self.ports[t.port as usize].collision_detection {
                    let abort = match channel.collision_abort {
                        CollisionAbort::EndOfPreamble => (t.start + preamble).max(self.sensed),
                        _ => self.sensed,
                    };
                    t.end = t.end.min(abort);
                }
            }
        }
        self.next = self.transmissions.iter().map(|t| t.end).max().unwrap_or(Time::NEVER);
    }

    /// Whether the transmission overlapped no other, or survived by capture, and no bit was spoilt.
    pub(super) fn judge(&mut self) -> Option<usize> {
        let survivor = match self.transmissions.as_slice() {
            [_] => Some(0),
            several => {
                self.tally.collisions += 1;
                let first = (0..several.len()).min_by_key(|&i| several[i].start)?;
                let alone = several.iter().filter(|t| t.start == several[first].start).count() == 1;
                (self.conditions.channel.capture && alone).then_some(first)
            }
        }?;
        let channel = &self.conditions.channel;
        if channel.bit_error_rate > 0.0 {
            cold_path();
            let bits = channel.wire_bits(u64::from(self.transmissions[survivor].head.length));
            let intact = libm::exp(bits as f64 * libm::log1p(-channel.bit_error_rate));
            if self.noise.unit() >= intact {
                self.tally.corrupted += u64::from(self.transmissions.len() == 1);
                return None;
            }
        }
        self.tally.correct += 1;
        self.tally.bytes += u64::from(self.transmissions[survivor].head.length);
        Some(survivor)
    }

    /// What each sender believes, and what it does with its packet.
    pub(super) fn conclude_senders(&mut self, span: &Span) {
        let Self { ports, transmissions, tally, conditions, contenders, senders, .. } = self;
        let Conditions { channel, rules, rule, .. } = &**conditions;
        for (port, _) in senders.drain(..) {
            ports[port as usize].sent_last = false;
        }
        let lone = transmissions.len() == 1;
        for transmission in transmissions {
            let mut estimate = contenders.take(transmission.port, ports);
            let state = &mut ports[transmission.port as usize];
            tally.backlog += estimate.settle_waiting(span, rules);
            let detects = !lone && state.collision_detection;
            let cut = match (*rule, detects) {
                (BacklogRule::Fixed, _) => false,
                (_, true) => estimate.collide(rules.cap),
                (_, false) => estimate.apply(transmission.head.delta, rules.cap),
            };
            tally.backlog_overflows += u64::from(cut);
            tally.backlog_max = tally.backlog_max.max(estimate.backlog);
            state.sent_last = true;
            state.collisions += u8::from(detects);
            transmission.fate = match detects {
                false => Fate::Sent,
                true if state.collisions >= channel.collision_limit => Fate::Dropped,
                true => Fate::Detected,
            };
            tally.dropped += u64::from(transmission.fate == Fate::Dropped);
            senders.push((transmission.port, estimate));
        }
    }
}
