//! State of the receivers of a multicast association at its sender.

use super::outcome::Violation;
use super::sync_number::is_after;
use crate::xtp::wire::Control;

/// The latest report of each receiver.
#[derive(Clone, Debug)]
pub(super) struct Receivers<H> {
    expected: usize,
    known: Vec<Receiver<H>>,
}

#[derive(Clone, Debug)]
struct Receiver<H> {
    host: H,
    control: Control,
    closed: bool,
}

impl<H: Copy + Ord> Receivers<H> {
    /// `expected` receivers, none of which has reported.
    pub fn new(expected: u32) -> Self {
        Receivers { expected: expected as usize, known: Vec::new() }
    }

    /// Processes a receiver's report. One that set RCLOSE no longer limits the sender.
    pub fn note(&mut self, host: H, control: &Control, closed: bool) -> Result<(), Violation> {
        let mut control = *control;
        if closed {
            (control.rseq, control.alloc) = (u64::MAX, u64::MAX);
        }
        match self.known.binary_search_by_key(&host, |receiver| receiver.host) {
            Ok(index) => {
                let receiver = &mut self.known[index];
                let known = &mut receiver.control;
                known.rseq = known.rseq.max(control.rseq);
                known.alloc = known.alloc.max(control.alloc);
                if is_after(control.echo, known.echo) {
                    known.echo = control.echo;
                }
                receiver.closed |= closed;
                Ok(())
            }
            Err(_) if self.known.len() == self.expected => Err(Violation::TooManyReceivers),
            Err(index) => {
                self.known.insert(index, Receiver { host, control, closed });
                Ok(())
            }
        }
    }

    /// The minimum of all reports, once all receivers have reported.
    pub fn all(&self) -> Option<Control> {
        if self.known.len() < self.expected {
            return None;
        }
        let mut reports = self.known.iter().map(|receiver| receiver.control);
        let first = reports.next()?;
        Some(reports.fold(first, |least, control| Control {
            rseq: least.rseq.min(control.rseq),
            alloc: least.alloc.min(control.alloc),
            echo: if is_after(least.echo, control.echo) { control.echo } else { least.echo },
        }))
    }

    /// Whether all receivers set RCLOSE.
    pub fn all_closed(&self) -> bool {
        self.known.len() == self.expected && self.known.iter().all(|receiver| receiver.closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_receiver_counts_and_none_before_all_are_known() {
        let mut receivers = Receivers::new(2);
        let report = |rseq, alloc, echo| Control { rseq, alloc, echo };
        receivers.note('b', &report(100, 300, 5), false).unwrap();
        assert_eq!(receivers.all(), None);
        receivers.note('c', &report(50, 400, 7), false).unwrap();
        assert_eq!(receivers.all(), Some(report(50, 300, 5)));
        assert!(!receivers.all_closed());
        receivers.note('b', &report(80, 500, 8), false).unwrap();
        assert_eq!(receivers.all(), Some(report(50, 400, 7)), "an old report takes nothing back");
        receivers.note('c', &report(60, 400, 8), true).unwrap();
        assert_eq!(receivers.all(), Some(report(100, 500, 8)), "c wants no more");
        receivers.note('b', &report(100, 500, 8), true).unwrap();
        assert!(receivers.all_closed());
        assert_eq!(receivers.note('d', &report(0, 0, 0), false), Err(Violation::TooManyReceivers));
    }
}
