//! Random cell loss on a link, with equal probability for each cell.

use sojourn_core::{Stream, rekey_fields};

use crate::fabric::{LinkChange, Outage};

/// How many cells are sent until the next is lost.
#[derive(Clone, Debug)]
pub struct Losses(Option<Box<Countdown>>);

#[derive(Clone, Debug)]
struct Countdown {
    left: u64,
    /// Logarithm of the chance that a cell is not lost.
    log_kept: f64,
    stream: Stream,
    /// The chance while the link is not down.
    loss: f64,
    outage: Outage,
}

impl Losses {
    /// A link that loses each cell with chance `loss`, 0 to 1.
    pub fn new(loss: f64, stream: Stream) -> Self {
        if loss <= 0.0 {
            return Losses(None);
        }
        Losses::changing(loss, stream)
    }

    /// A link whose chance can change.
    pub fn changing(loss: f64, stream: Stream) -> Self {
        let mut countdown = Box::new(Countdown { left: 0, log_kept: 0.0, stream, loss, outage: Outage::default() });
        countdown.begin();
        Losses(Some(countdown))
    }

    /// The link changes for cells that are sent from now on: one that is down loses them all.
    pub fn change(&mut self, change: LinkChange) {
        let countdown = self.0.as_mut().expect("a link that changes is made so");
        if let LinkChange::Loss(loss) = change {
            countdown.loss = loss;
        } else {
            assert!(countdown.outage.change(change), "no event of a checked scenario does this to a link with cells");
        }
        countdown.begin();
    }

    /// Whether no cell is ever lost.
    pub fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the cell that is sent now is lost.
    #[inline]
    pub fn takes_one(&mut self) -> bool {
        match &mut self.0 {
            None => false,
            Some(countdown) => countdown.takes_one(),
        }
    }
}

impl Countdown {
    /// Counts anew, with the chance that it has now: the geometric distribution has no memory.
    fn begin(&mut self) {
        let loss = if self.outage.is_on() { 1.0 } else { self.loss };
        self.log_kept = libm::log1p(-loss);
        self.draw();
    }

    fn takes_one(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.draw();
        true
    }

    /// Cells that get through before the next loss: geometric.
    fn draw(&mut self) {
        if self.log_kept == 0.0 {
            self.left = u64::MAX;
            return;
        }
        self.left = (libm::log(self.stream.unit()) / self.log_kept) as u64;
    }
}

rekey_fields!(Countdown { stream });

rekey_fields!(Losses { 0 });

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Streams;

    #[test]
    fn a_link_that_is_down_for_any_reason_loses_all_and_afterwards_what_it_lost_before() {
        let mut losses = Losses::changing(0.0, Streams::new(1, 0).stream("link"));
        let mut lost = |change| {
            losses.change(change);
            (0..1000).filter(|_| losses.takes_one()).count()
        };
        assert_eq!(lost(LinkChange::Up(false)), 1000);
        assert_eq!(lost(LinkChange::Power(1, false)), 1000);
        assert_eq!(lost(LinkChange::Up(true)), 1000);
        assert_eq!(lost(LinkChange::Loss(1.0)), 1000);
        assert_eq!(lost(LinkChange::Power(1, true)), 1000);
        assert_eq!(lost(LinkChange::Loss(0.0)), 0);
    }

    #[test]
    fn the_share_lost_is_the_chance() {
        let lost = |loss: f64| {
            let mut losses = Losses::new(loss, Streams::new(1, 0).stream("link"));
            (0..1_000_000).filter(|_| losses.takes_one()).count() as f64
        };
        assert_eq!(lost(0.0), 0.0);
        assert_eq!(lost(1.0), 1e6);
        // three standard deviations of the binomial
        assert!((lost(0.01) - 1e4).abs() < 3.0 * (1e4_f64 * 0.99).sqrt(), "{}", lost(0.01));
    }
}
