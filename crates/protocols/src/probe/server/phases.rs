//! Counters of the packets received in each phase of a client's measurement.

use std::collections::VecDeque;

use crate::probe::wire::{PhaseReport, WallClock};

/// Phases kept of a session; the client asks for their counters at the end of every run.
const MOST: usize = 16;

/// The counters of a session's latest phases.
#[derive(Clone, Debug, Default)]
pub(super) struct Phases {
    latest: VecDeque<Phase>,
    /// The socket's number of drops when a packet of the session arrived last.
    socket_drops: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    report: PhaseReport,
    /// The highest sequence number received.
    highest: u64,
}

impl Phases {
    /// A probe of a phase arrived; `is_new` unless its sequence number did before. The socket had dropped this many datagrams.
    pub fn arrived(&mut self, number: u32, sequence: u64, is_new: bool, socket_drops: u32) {
        let dropped = socket_drops.wrapping_sub(self.socket_drops.replace(socket_drops).unwrap_or(socket_drops));
        let Phase { report, highest } = self.phase(number);
        report.socket_drops += u64::from(dropped);
        if is_new {
            report.received += 1;
            report.reordered += u64::from(sequence < *highest);
            *highest = sequence.max(*highest);
        } else {
            report.replayed += 1;
        }
    }

    /// The counters of a phase; zeros of one that is not known.
    pub fn report(&self, number: u32) -> PhaseReport {
        let known = self.latest.iter().find(|phase| phase.report.phase == number);
        known
            .map_or(PhaseReport { phase: number, wall: WallClock::UNSYNCHRONIZED, ..PhaseReport::default() }, |known| {
                known.report
            })
    }

    fn phase(&mut self, number: u32) -> &mut Phase {
        // nearly always the latest
        let known = self.latest.iter().rposition(|phase| phase.report.phase == number);
        let index = known.unwrap_or_else(|| {
            if self.latest.len() == MOST {
                self.latest.pop_front();
            }
            let report = PhaseReport { phase: number, wall: WallClock::UNSYNCHRONIZED, ..PhaseReport::default() };
            self.latest.push_back(Phase { report, highest: 0 });
            self.latest.len() - 1
        });
        &mut self.latest[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_counters_of_its_own_also_where_a_probe_arrives_after_the_next_began() {
        let mut phases = Phases::default();
        for (phase, sequence, is_new) in [(1, 0, true), (1, 2, true), (2, 3, true), (1, 1, true), (1, 1, false)] {
            phases.arrived(phase, sequence, is_new, 0);
        }
        let of = |phase| {
            let PhaseReport { received, reordered, replayed, .. } = phases.report(phase);
            (received, reordered, replayed)
        };
        assert_eq!((of(1), of(2), of(3)), ((3, 1, 1), (1, 0, 0), (0, 0, 0)));
    }

    #[test]
    fn drops_of_the_socket_are_those_since_the_session_began() {
        let mut phases = Phases::default();
        for (phase, drops) in [(0, 100), (0, 103), (1, 103), (1, 110)] {
            phases.arrived(phase, 0, true, drops);
        }
        assert_eq!((phases.report(0).socket_drops, phases.report(1).socket_drops), (3, 7));
    }

    #[test]
    fn a_client_that_numbers_many_phases_fills_no_memory() {
        let mut phases = Phases::default();
        (0..1000).for_each(|phase| phases.arrived(phase, 0, true, 0));
        assert_eq!((phases.latest.len(), phases.report(999).received, phases.report(0).received), (MOST, 1, 0));
    }
}
