//! Random loss injected by the driver, for tests, in addition to the link's own.

use sojourn_core::{Stream, Streams};

/// Drops outgoing datagrams with a fixed probability from a named random stream; the same seed drops the same ones.
#[derive(Debug)]
pub struct InjectedLoss {
    stream: Stream,
    probability: f64,
    offered: u64,
    dropped: u64,
}

impl InjectedLoss {
    /// Drops each datagram with `probability` (0 to below 1), drawn from the stream `live/<end>/loss` of `seed` and
    /// `replication`.
    pub fn new(seed: u64, replication: u32, end: &str, probability: f64) -> InjectedLoss {
        let stream = Streams::new(seed, replication).stream(&format!("live/{end}/loss"));
        InjectedLoss { stream, probability, offered: 0, dropped: 0 }
    }

    /// Whether the next datagram is to be dropped.
    pub fn drops(&mut self) -> bool {
        self.offered += 1;
        let drop = self.probability > 0.0 && self.stream.unit() < self.probability;
        self.dropped += u64::from(drop);
        drop
    }

    /// Datagrams that were to be sent.
    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// Datagrams dropped on purpose.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_drops_the_same_datagrams_at_about_the_given_rate() {
        let draw = |seed| {
            let mut loss = InjectedLoss::new(seed, 0, "initiator", 0.05);
            (0..20_000).map(|_| loss.drops()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let dropped = draw(1).iter().filter(|dropped| **dropped).count();
        assert!((900..1100).contains(&dropped), "{dropped} of 20 000 at 5 %");
    }

    #[test]
    fn without_a_probability_nothing_is_dropped() {
        let mut loss = InjectedLoss::new(1, 0, "initiator", 0.0);
        assert!((0..1000).all(|_| !loss.drops()));
        assert_eq!((loss.offered(), loss.dropped()), (1000, 0));
    }
}
