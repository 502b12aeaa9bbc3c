//! Builds the law of a table whose kind is a distribution of durations, or of a key with a constant time.

use std::sync::Arc;

use sojourn_core::{Duration, Stream};
use sojourn_engine::law::{Gamma, Law, Lognormal, Shape, Weibull};
use sojourn_engine::sample::uniform;
use sojourn_scenario::{Table, empirical};

/// The law with this mean that the table's kind and shape say; `None` where the kind is not a distribution. A `deviation` is a time, or
/// relative to the mean.
pub fn law(table: &Table, mean: impl Fn(&Table) -> Duration) -> Option<Law> {
    let shape = match table.word("kind") {
        "deterministic" => Shape::Constant,
        "exponential" => Shape::Exponential,
        "normal" => Shape::Normal(variation(table, mean(table))),
        "gamma" => Shape::Gamma(Gamma::new(table.number("shape"))),
        "lognormal" => Shape::Lognormal(Lognormal::new(variation(table, mean(table)))),
        "weibull" => Shape::Weibull(Weibull::new(table.number("shape"))),
        "empirical" => {
            let values = empirical::values(table).expect("checked values");
            return Some(Law::empirical(&values).expect("a value is above zero"));
        }
        _ => return None,
    };
    Some(Law { mean: mean(table), shape })
}

/// The law of a key; a plain time is the mean of an exponential one, and an absent key none.
pub fn exponential(table: &Table, key: &str) -> Law {
    of_key(table, key).unwrap_or_else(|| Law::exponential(plain(table, key)))
}

/// The law of a key; a plain time is constant.
pub fn constant(table: &Table, key: &str) -> Law {
    of_key(table, key).unwrap_or_else(|| Law::constant(plain(table, key)))
}

/// The law of a key that has a table.
fn of_key(table: &Table, key: &str) -> Option<Law> {
    let law = |inner| law(inner, |inner| inner.duration("mean")).expect("every kind of time is a law");
    table.optional_table(key).map(law)
}

fn plain(table: &Table, key: &str) -> Duration {
    table.optional_duration(key).unwrap_or(Duration::ZERO)
}

/// A random time: uniform between two, of a law, or the next of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum RandomTime {
    /// At least the one, and up to the other more.
    Uniform(Duration, Duration),
    /// Of a law.
    Law(Law),
    /// The next of recorded times.
    Recorded(Recorded),
}

/// Recorded times in their order, over and over. Each copy goes on by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// At least one.
    values: Arc<[Duration]>,
    next: usize,
}

impl Recorded {
    /// These times from the first on; `None` of none.
    pub fn new(values: &[Duration]) -> Option<Recorded> {
        (!values.is_empty()).then(|| Recorded { values: values.into(), next: 0 })
    }

    fn advance(&mut self) -> Duration {
        let value = self.values[self.next];
        self.next = (self.next + 1) % self.values.len();
        value
    }

    fn mean(&self) -> Duration {
        let sum: u128 = self.values.iter().map(|value| u128::from(value.picoseconds())).sum();
        Duration::from_picoseconds((sum / self.values.len() as u128) as u64)
    }
}

impl RandomTime {
    /// From zero to the time of `key`; or the law or the recorded times of `key`.
    pub fn up_to(table: &Table, key: &str) -> RandomTime {
        if let Some(recorded) = recorded(table, key) {
            return recorded;
        }
        let uniform = || RandomTime::Uniform(Duration::ZERO, plain(table, key));
        of_key(table, key).map_or_else(uniform, RandomTime::Law)
    }

    /// The time of `key`, and up to that of `spread` more; or the law or the recorded times of `key`.
    pub fn spread(table: &Table, key: &str, spread: &str) -> RandomTime {
        if let Some(recorded) = recorded(table, key) {
            return recorded;
        }
        let uniform = || RandomTime::Uniform(plain(table, key), plain(table, spread));
        of_key(table, key).map_or_else(uniform, RandomTime::Law)
    }

    /// The time of `key` as the mean of an exponential law; or the law or the recorded times of `key`.
    pub fn exponential(table: &Table, key: &str) -> RandomTime {
        recorded(table, key).unwrap_or_else(|| RandomTime::Law(exponential(table, key)))
    }

    /// Whether it adds nothing to any time.
    pub fn is_zero(&self) -> bool {
        self.most() == Some(Duration::ZERO)
    }

    /// Draws one, or takes the next one.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> Duration {
        match self {
            RandomTime::Uniform(least, spread) => *least + uniform(stream, *spread),
            RandomTime::Law(law) => law.draw(stream),
            RandomTime::Recorded(recorded) => recorded.advance(),
        }
    }

    /// Its mean.
    pub fn mean(&self) -> Duration {
        match self {
            RandomTime::Uniform(least, spread) => *least + spread.divided(2),
            RandomTime::Law(law) => law.mean,
            RandomTime::Recorded(recorded) => recorded.mean(),
        }
    }

    /// The shortest that is drawn, or one below it.
    pub fn least(&self) -> Duration {
        match self {
            RandomTime::Uniform(least, _) => *least,
            RandomTime::Law(law) => law.least(),
            RandomTime::Recorded(recorded) => recorded.values.iter().copied().min().unwrap_or(Duration::ZERO),
        }
    }

    /// The longest that is drawn; none where there is no upper end.
    pub fn most(&self) -> Option<Duration> {
        match self {
            RandomTime::Uniform(least, spread) => Some(*least + *spread),
            RandomTime::Law(law) => law.most(),
            RandomTime::Recorded(recorded) => recorded.values.iter().copied().max(),
        }
    }
}

/// The recorded times of a key, if it has such.
fn recorded(table: &Table, key: &str) -> Option<RandomTime> {
    let inner = table.optional_table(key).filter(|inner| inner.word("kind") == "recorded")?;
    let values = empirical::values(inner).expect("checked values");
    Some(RandomTime::Recorded(Recorded::new(&values).expect("a checked value")))
}

/// Standard deviation divided by the mean.
fn variation(table: &Table, mean: Duration) -> f64 {
    match table.optional_duration("deviation") {
        Some(deviation) => deviation.seconds() / mean.seconds(),
        None => table.number("deviation"),
    }
}
