//! Stations whose estimates decay alike and differ in the backlog only, stored for updates by vector instructions.

use super::port::{ALONE, Port};
use crate::backlog::{self, Decay};
use sojourn_core::{CopyKey, Rekey};

/// Backlogs per vector instruction.
const LANES: usize = 16;

/// A member of a group.
pub trait Member {
    /// Its port.
    fn port(&self) -> u32;
}

impl Member for u32 {
    fn port(&self) -> u32 {
        *self
    }
}

/// Stations and their backlogs.
#[derive(Clone, Debug)]
pub struct BacklogGroup<M> {
    members: Vec<M>,
    /// Backlogs by place, in rows; 0 where there is no member.
    rows: Vec<[u8; LANES]>,
}

impl<M> Default for BacklogGroup<M> {
    fn default() -> Self {
        BacklogGroup { members: Vec::new(), rows: Vec::new() }
    }
}

impl<M: Member> BacklogGroup<M> {
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Members by place.
    pub fn members(&self) -> &[M] {
        &self.members
    }

    /// Members and backlogs by place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut M, u8)> {
        self.members.iter_mut().zip(self.rows.as_flattened().iter().copied())
    }

    /// Adds a member, whose port stores its place.
    pub fn push(&mut self, member: M, backlog: u8, state: &mut Port) {
        let place = self.members.len();
        state.place = place as u32;
        self.members.push(member);
        if place.is_multiple_of(LANES) {
            self.rows.push([0; LANES]);
        }
        self.rows[place / LANES][place % LANES] = backlog;
    }

    /// A place with this backlog, if there is one.
    pub fn place_of(&self, backlog: u8) -> Option<usize> {
        let holds = |row: &[u8; LANES]| row.iter().fold(false, |any, &own| any | (own == backlog));
        let row = self.rows.iter().position(holds)?;
        let lane = self.rows[row].iter().position(|&own| own == backlog)?;
        Some(row * LANES + lane)
    }

    /// The backlog of the member at `place`.
    pub fn backlog(&self, place: usize) -> u8 {
        self.rows[place / LANES][place % LANES]
    }

    /// Removes the member at `place`, which the last takes; returns it and its backlog.
    pub fn swap_remove(&mut self, place: usize, ports: &mut [Port]) -> (M, u8) {
        let (member, last) = (self.members.swap_remove(place), self.members.len());
        ports[member.port() as usize].place = ALONE;
        if let Some(moved) = self.members.get(place) {
            ports[moved.port() as usize].place = place as u32;
        }
        let backlogs = self.rows.as_flattened_mut();
        let backlog = backlogs[place];
        backlogs[place] = backlogs[last];
        backlogs[last] = 0;
        if last.is_multiple_of(LANES) {
            self.rows.pop();
        }
        (member, backlog)
    }

    /// Sets all backlogs to `backlog`.
    pub fn set_all(&mut self, backlog: u8) {
        self.rows.as_flattened_mut()[..self.members.len()].fill(backlog);
    }

    /// Lowers the backlogs; returns their integral, in picoseconds.
    pub fn lower(&mut self, decay: &Decay) -> u128 {
        let before: u64 = self.rows.iter().map(sum_of).sum();
        if decay.periods == 0 { decay.integral(before, 0, 0) } else { self.drop_by(decay, before) }
    }

    /// The same when there is anything to lower, given the sum of all backlogs.
    #[cold]
    #[inline(never)]
    fn drop_by(&mut self, decay: &Decay, before: u64) -> u128 {
        let (mut sum, mut ranks) = (0u64, 0u64);
        for row in &mut self.rows {
            // backlogs are 63 at most: neither sum of a row reaches 2^16
            let (mut sum_here, mut ranks_here) = (0u16, 0u16);
            for backlog in row {
                let drops = decay.periods.min(backlog.saturating_sub(1));
                *backlog -= drops;
                sum_here += u16::from(drops);
                ranks_here += u16::from(drops) * (u16::from(drops) + 1) / 2;
            }
            sum += u64::from(sum_here);
            ranks += u64::from(ranks_here);
        }
        decay.integral(before, sum, ranks)
    }

    /// Applies the delta backlog of a packet heard; returns how many increases the cap limited.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let mut cuts = 0;
        for row in &mut self.rows {
            let mut cuts_here = 0u8;
            for backlog in row {
                let held = *backlog > 0;
                cuts_here += u8::from(backlog::apply(backlog, delta, cap) & held);
                *backlog = if held { *backlog } else { 0 };
            }
            cuts += u64::from(cuts_here);
        }
        cuts
    }
}

/// The sum of a row, added up in words: a backlog is 63 at most, so that two fit a byte.
fn sum_of(row: &[u8; LANES]) -> u64 {
    const EVEN: u64 = 0x00ff_00ff_00ff_00ff;
    let row = u128::from_le_bytes(*row);
    let bytes = row as u64 + (row >> 64) as u64;
    let pairs = (bytes & EVEN) + (bytes >> 8 & EVEN);
    pairs.wrapping_mul(0x0001_0001_0001_0001) >> 48
}

impl<M: Rekey> Rekey for BacklogGroup<M> {
    fn rekey(&mut self, copy: CopyKey) {
        self.members.rekey(copy);
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Streams, Time};

    use super::super::port::PortSettings;
    use super::*;
    use crate::backlog::{Rules, Span};

    /// A group of stations 0, 1, 2, ... with these backlogs.
    fn group(backlogs: impl IntoIterator<Item = u8>) -> BacklogGroup<u32> {
        with_ports(backlogs).0
    }

    /// The same, with the stations' ports.
    fn with_ports(backlogs: impl IntoIterator<Item = u8>) -> (BacklogGroup<u32>, Vec<Port>) {
        let (mut group, mut ports) = (BacklogGroup::default(), Vec::new());
        for (owner, backlog) in (0..).zip(backlogs) {
            let stream = Streams::new(1, 0).stream("test");
            let (priority_slot, collision_detection, skew) = (0, false, Duration::ZERO);
            let mut port = Port::new(PortSettings { owner, priority_slot, collision_detection, stream, skew });
            group.push(owner, backlog, &mut port);
            ports.push(port);
        }
        (group, ports)
    }

    fn backlogs(group: &BacklogGroup<u32>) -> Vec<u8> {
        (0..group.len()).map(|place| group.backlog(place)).collect()
    }

    #[test]
    fn a_packet_updates_every_backlog_equally_whatever_their_number() {
        for stations in [1, 15, 16, 17, 40] {
            let mut group = group((0..stations).map(|n| n % 60 + 1));
            assert_eq!(group.apply(5, 40), (36..=stations).len() as u64);
            let risen: Vec<u8> = (0..stations).map(|n| (n % 60 + 6).min(40)).collect();
            assert_eq!(backlogs(&group), risen);
            assert_eq!(group.apply(0, 40), 0);
            assert_eq!(backlogs(&group), risen.iter().map(|backlog| backlog - 1).collect::<Vec<u8>>());
        }
    }

    #[test]
    fn every_backlog_decays_equally_and_its_integral_is_counted() {
        let span = Span { from: Time::ZERO, now: Time::from_picoseconds(10), stop: Time::NEVER };
        let rules = Rules { idle: Duration::MAX, waiting: Duration::MAX, cap: 63 };
        let decay = Decay::idle(Time::ZERO, Duration::ZERO, &span, &rules);
        assert_eq!(group([63; 40]).lower(&decay), 10 * 63 * 40);
        assert_eq!(group(1..=21).lower(&decay), 10 * 21 * 22 / 2);
        // the longest decay of the largest backlogs, one each picosecond
        let rules = Rules { idle: Duration::from_picoseconds(1), ..rules };
        let span = Span { now: Time::from_picoseconds(70), ..span };
        let decay = Decay::idle(Time::ZERO, Duration::ZERO, &span, &rules);
        let mut largest = group([63; 40]);
        assert_eq!(largest.lower(&decay), 40 * ((2..=63).sum::<u128>() + 8));
        assert_eq!(backlogs(&largest), [1; 40]);
    }

    #[test]
    fn a_removed_member_leaves_no_trace() {
        let (mut group, mut ports) = with_ports(1..=17);
        assert_eq!(group.place_of(9), Some(8));
        assert_eq!(group.swap_remove(8, &mut ports), (8, 9));
        assert_eq!((group.place_of(9), ports[8].place), (None, ALONE));
        assert_eq!((group.len(), ports[16].place, group.backlog(8)), (16, 8, 17));
        for _ in 0..16 {
            group.swap_remove(0, &mut ports);
        }
        assert!(ports.iter().all(|port| port.place == ALONE));
        assert_eq!((group.len(), group.apply(63, 1), group.place_of(1)), (0, 0, None));
    }
}
