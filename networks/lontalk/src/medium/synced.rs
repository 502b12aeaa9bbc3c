//! Contenders that have waited since the beginning of the random slots, as nearly all do.

use std::hint::select_unpredictable;

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use super::backlog_group::{BacklogGroup, Member};
use super::port::Port;
use super::slots::NO_SLOT;
use crate::backlog::Estimate;

/// Contenders by place: their backlogs, slots and idle timers.
#[derive(Clone, Debug, Default)]
pub struct SyncedContenders {
    pub stations: BacklogGroup<Contender>,
    /// Valid packets received, each of which restarts the idle timers.
    packets: u32,
}

/// A contender that draws with the others.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Random stream of its slots, moved here from its port so that a draw needs no lookup.
    stream: Stream,
    port: u32,
    /// The slot it has drawn.
    slot: u32,
    /// How far its idle timer had run when it joined, after `packets` packets.
    idle_elapsed: Duration,
    packets: u32,
}

impl Member for Contender {
    fn port(&self) -> u32 {
        self.port
    }
}

impl SyncedContenders {
    /// Adds a contender that has drawn `slot`.
    pub fn push(&mut self, port: u32, estimate: &Estimate, slot: u32, state: &mut Port) {
        let &Estimate { idle_elapsed, backlog, .. } = estimate;
        let contender = Contender { stream: state.stream.clone(), port, slot, idle_elapsed, packets: self.packets };
        self.stations.push(contender, backlog, state);
    }

    /// Removes the contender at `place`, which the last takes; returns its slot and its estimate, when the random slots began
    /// at `since`.
    pub fn swap_remove(&mut self, place: usize, since: Time, ports: &mut [Port]) -> (u32, Estimate) {
        let (contender, backlog) = self.stations.swap_remove(place, ports);
        let Contender { stream, port, slot, idle_elapsed, packets } = contender;
        ports[port as usize].stream = stream;
        let idle_elapsed = if packets == self.packets { idle_elapsed } else { Duration::ZERO };
        (slot, Estimate { backlog, idle_elapsed, since })
    }

    /// All draw one of the slots in a window of their backlogs times `base_window`; returns the first drawn.
    #[inline(never)]
    pub fn draw(&mut self, base_window: u32) -> u32 {
        let mut first = NO_SLOT;
        for (contender, backlog) in self.stations.iter_mut() {
            contender.slot = contender.stream.below(u32::from(backlog) * base_window);
            first = first.min(contender.slot);
        }
        first
    }

    /// The first slot drawn.
    pub fn first(&self) -> u32 {
        self.stations.members().iter().map(|contender| contender.slot).min().unwrap_or(NO_SLOT)
    }

    /// Calls `each` with the ports whose slots are before `end`, and the slots.
    pub fn before(&self, end: u32, mut each: impl FnMut(u32, u32)) {
        let members = self.stations.members();
        // most often one: found without an unpredictable branch
        let (mut found, mut place) = (0, 0);
        for (at, contender) in members.iter().enumerate() {
            let fires = contender.slot < end;
            found += u32::from(fires);
            place = select_unpredictable(fires, at, place);
        }
        if found == 1 {
            each(members[place].port, members[place].slot);
        } else if found > 1 {
            members.iter().filter(|one| one.slot < end).for_each(|one| each(one.port, one.slot));
        }
    }

    /// Applies the delta backlog of a valid packet, which restarts idle timers; returns how many increases the cap limited.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        self.packets = self.packets.wrapping_add(1);
        self.stations.apply(delta, cap)
    }
}

rekey_fields!(Contender { stream });

rekey_fields!(SyncedContenders { stations });
