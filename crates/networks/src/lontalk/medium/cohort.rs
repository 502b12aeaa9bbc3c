//! Stations whose estimates decay alike and differ in the backlog alone, so that loops over bytes move them.

use crate::lontalk::backlog::{self, Fall};

/// Stations by port, and their backlogs.
#[derive(Debug, Default)]
pub struct Cohort {
    pub ports: Vec<u32>,
    pub backlogs: Vec<u8>,
}

impl Cohort {
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    pub fn push(&mut self, port: u32, backlog: u8) {
        self.ports.push(port);
        self.backlogs.push(backlog);
    }

    pub fn position(&self, port: u32) -> Option<usize> {
        self.ports.iter().position(|&other| other == port)
    }

    /// Takes out who is at `place`, whose place the last takes; returns its port and its backlog.
    pub fn swap_remove(&mut self, place: usize) -> (u32, u8) {
        (self.ports.swap_remove(place), self.backlogs.swap_remove(place))
    }

    /// Lowers the backlogs; returns their integral, in picoseconds.
    pub fn lower(&mut self, fall: &Fall) -> u128 {
        let before: u64 = self.backlogs.iter().map(|&backlog| u64::from(backlog)).sum();
        if fall.periods == 0 {
            return fall.integral(before, 0, 0);
        }
        let (mut sum, mut ranks) = (0u64, 0u64);
        for backlog in &mut self.backlogs {
            let drops = fall.periods.min(backlog.wrapping_sub(1));
            *backlog = backlog.wrapping_sub(drops);
            sum += u64::from(drops);
            ranks += u64::from(u16::from(drops) * (u16::from(drops) + 1) / 2);
        }
        fall.integral(before, sum, ranks)
    }

    /// Applies the delta backlog of a packet heard; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let mut cuts = 0;
        for backlog in &mut self.backlogs {
            cuts += u64::from(backlog::apply(backlog, delta, cap));
        }
        cuts
    }
}
