//! What the path does to packets, one file for each finding, all in one form: a [`PathFinding`].
//!
//! | file | finding |
//! |---|---|
//! | [`mtu`] | between which lengths of IP packets the path MTU lies |
//! | [`marking`] | DSCP or ECN changed by the path |
//! | [`rebinding`] | another address or port of this host seen by the peer, as after NAT has forgotten it |
//! | [`reordering`] | how many packets an overtaken one is late by |
//! | [`queues`] | the direction in which packets wait |
//!
//! Nothing is found where the packets do not decide it.

mod direction;
mod marking;
pub mod mtu;
mod queues;
mod rebinding;
mod reordering;

use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::results::PathFinding;

use self::direction::Direction;
use super::clock_estimate::ClockEstimate;
use super::packets::Packets;
use super::peer::Rebinding;

/// Context of a measurement that its packets do not carry.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Name of the phase, where a measurement has several.
    pub phase: Option<&'a str>,
    /// When the first phase began.
    pub began: Time,
    /// Response timeout.
    pub timeout: Duration,
    /// The peer's clock, where it has timestamps and lasted.
    pub estimate: Option<&'a ClockEstimate>,
    /// Whether the peer's clock may have begun anew: then the order at the peer is not known.
    pub has_restarted: bool,
    /// Whether the peer responds in the order that requests arrive in.
    pub responds_in_order: bool,
    /// Whether the measurement loads the path itself: then a higher minimum is a queue, not another path.
    pub is_loaded: bool,
}

/// What the path did to the packets of a phase.
pub fn of_phase(packets: &Packets, phase: Range<usize>, known: &Known<'_>) -> Vec<PathFinding> {
    let within = &packets.all()[phase.clone()];
    let marked = marking::find(within, packets.sent_class());
    let first = packets.first_sequence() + phase.start as u64;
    let overtaken =
        if known.responds_in_order { reordering::find(within, first, known.has_restarted) } else { Vec::new() };
    let waiting = queues::find(packets.all(), phase, known);
    let name = |finding: PathFinding| PathFinding { experiment: known.phase.map(str::to_owned), ..finding };
    marked.into_iter().chain(overtaken).chain(waiting).map(name).collect()
}

/// What happened to the packets of all phases once: rebindings.
pub fn of_run(packets: &Packets, rebindings: &[Rebinding], known: &Known<'_>) -> Vec<PathFinding> {
    rebindings.iter().map(|found| rebinding::of(found, packets.all(), known.began)).collect()
}

/// Adds findings: of several replications or sizes the first stands for what they have in common.
pub fn add(all: &mut Vec<PathFinding>, more: impl IntoIterator<Item = PathFinding>) {
    for finding in more {
        let same = |known: &PathFinding| {
            known.finding == finding.finding
                && known.direction == finding.direction
                && known.experiment == finding.experiment
                && known.at == finding.at
        };
        if !all.iter().any(same) {
            all.push(finding);
        }
    }
}

/// A finding without a time, of no phase in particular.
fn finding(name: &str, direction: Option<Direction>, text: String) -> PathFinding {
    PathFinding {
        finding: name.to_owned(),
        direction: direction.map(|direction| direction.word().to_owned()),
        experiment: None,
        at: None,
        text,
        values: Default::default(),
    }
}
