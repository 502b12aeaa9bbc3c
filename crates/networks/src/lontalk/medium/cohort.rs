//! Stations whose estimates decay alike and differ in the backlog alone, so that loops over bytes move them.

use crate::lontalk::backlog::{self, Fall};

/// Backlogs that one vector instruction moves.
const LANES: usize = 16;

/// Stations by port, and their backlogs.
#[derive(Debug, Default)]
pub struct Cohort {
    ports: Vec<u32>,
    /// Backlogs by place, whole rows at a time; 0 where nobody is.
    rows: Vec<[u8; LANES]>,
}

impl Cohort {
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// Ports by place.
    pub fn ports(&self) -> &[u32] {
        &self.ports
    }

    /// Ports and backlogs by place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u8)> {
        self.ports.iter().copied().zip(self.rows.as_flattened().iter().copied())
    }

    pub fn push(&mut self, port: u32, backlog: u8) {
        let place = self.ports.len();
        self.ports.push(port);
        if place.is_multiple_of(LANES) {
            self.rows.push([0; LANES]);
        }
        self.rows[place / LANES][place % LANES] = backlog;
    }

    /// The place of a port.
    pub fn position(&self, port: u32) -> Option<usize> {
        self.ports.iter().position(|&other| other == port)
    }

    /// A place with this backlog.
    pub fn holder_of(&self, backlog: u8) -> Option<usize> {
        let holds = |row: &[u8; LANES]| row.iter().fold(false, |any, &own| any | (own == backlog));
        let row = self.rows.iter().position(holds)?;
        let lane = self.rows[row].iter().position(|&own| own == backlog)?;
        Some(row * LANES + lane)
    }

    /// The backlog of who is at `place`.
    pub fn backlog(&self, place: usize) -> u8 {
        self.rows[place / LANES][place % LANES]
    }

    /// Takes out who is at `place`, whose place the last takes; returns its port and its backlog.
    pub fn swap_remove(&mut self, place: usize) -> (u32, u8) {
        let (port, last) = (self.ports.swap_remove(place), self.ports.len());
        let backlogs = self.rows.as_flattened_mut();
        let backlog = backlogs[place];
        backlogs[place] = backlogs[last];
        backlogs[last] = 0;
        if last.is_multiple_of(LANES) {
            self.rows.pop();
        }
        (port, backlog)
    }

    /// All hold `backlog`.
    pub fn agree_on(&mut self, backlog: u8) {
        self.rows.as_flattened_mut()[..self.ports.len()].fill(backlog);
    }

    /// Lowers the backlogs; returns their integral, in picoseconds.
    pub fn lower(&mut self, fall: &Fall) -> u128 {
        let before: u64 = self.rows.iter().map(sum_of).sum();
        if fall.periods == 0 {
            return fall.integral(before, 0, 0);
        }
        let (mut sum, mut ranks) = (0u64, 0u64);
        for backlog in self.rows.as_flattened_mut() {
            let drops = fall.periods.min(backlog.saturating_sub(1));
            *backlog -= drops;
            sum += u64::from(drops);
            ranks += u64::from(u16::from(drops) * (u16::from(drops) + 1) / 2);
        }
        fall.integral(before, sum, ranks)
    }

    /// Applies the delta backlog of a packet heard; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let mut cuts = 0;
        for row in &mut self.rows {
            let mut cuts_here = 0u8;
            for backlog in row {
                let held = *backlog > 0;
                let cut = backlog::apply(backlog, delta, cap);
                *backlog = if held { *backlog } else { 0 };
                cuts_here += u8::from(cut & held);
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

#[cfg(test)]
mod tests {
    use sojourn_core::{Duration, Time};

    use super::*;
    use crate::lontalk::backlog::{Rules, Span};

    /// A cohort of stations 0, 1, 2, ... with these backlogs.
    fn cohort(backlogs: impl IntoIterator<Item = u8>) -> Cohort {
        let mut cohort = Cohort::default();
        backlogs.into_iter().enumerate().for_each(|(port, backlog)| cohort.push(port as u32, backlog));
        cohort
    }

    fn backlogs(cohort: &Cohort) -> Vec<u8> {
        cohort.iter().map(|(_, backlog)| backlog).collect()
    }

    #[test]
    fn a_packet_moves_every_backlog_alike_however_many_there_are() {
        for stations in [1, 15, 16, 17, 40] {
            let mut cohort = cohort((0..stations).map(|n| n % 60 + 1));
            assert_eq!(cohort.apply(5, 40), (36..=stations).len() as u64);
            let risen: Vec<u8> = (0..stations).map(|n| (n % 60 + 6).min(40)).collect();
            assert_eq!(backlogs(&cohort), risen);
            assert_eq!(cohort.apply(0, 40), 0);
            assert_eq!(backlogs(&cohort), risen.iter().map(|backlog| backlog - 1).collect::<Vec<u8>>());
        }
    }

    #[test]
    fn a_silence_counts_every_backlog() {
        let span = Span { from: Time::ZERO, now: Time::from_picoseconds(10), stop: Time::NEVER };
        let rules = Rules { idle: Duration::MAX, waiting: Duration::MAX, cap: 63 };
        let fall = Fall::idle(Time::ZERO, Duration::ZERO, &span, &rules);
        assert_eq!(cohort([63; 40]).lower(&fall), 10 * 63 * 40);
        assert_eq!(cohort(1..=21).lower(&fall), 10 * 21 * 22 / 2);
    }

    #[test]
    fn who_leaves_leaves_nothing_behind() {
        let mut cohort = cohort(1..=17);
        assert_eq!(cohort.holder_of(9), Some(8));
        assert_eq!(cohort.swap_remove(8), (8, 9));
        assert_eq!(cohort.holder_of(9), None);
        assert_eq!((cohort.len(), cohort.position(16), cohort.backlog(8)), (16, Some(8), 17));
        for _ in 0..16 {
            cohort.swap_remove(0);
        }
        assert_eq!((cohort.len(), cohort.apply(63, 1), cohort.holder_of(1)), (0, 0, None));
    }
}
