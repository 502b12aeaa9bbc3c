//! Cells that a link loses, each with the same chance.

use sojourn_core::{Stream, rekey_fields};

/// How many cells are sent until the next is lost.
#[derive(Clone, Debug)]
pub struct Losses(Option<Box<Countdown>>);

#[derive(Clone, Debug)]
struct Countdown {
    left: u64,
    /// Logarithm of the chance that a cell is not lost.
    log_kept: f64,
    stream: Stream,
}

impl Losses {
    /// A link that loses each cell with chance `loss`, 0 to 1.
    pub fn new(loss: f64, stream: Stream) -> Self {
        if loss <= 0.0 {
            return Losses(None);
        }
        let mut countdown = Box::new(Countdown { left: 0, log_kept: libm::log1p(-loss), stream });
        countdown.draw();
        Losses(Some(countdown))
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
