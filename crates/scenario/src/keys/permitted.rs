//! Permitted values of a kind: ranges, words, names.

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The name of a `[[medium]]`.
    Medium,
    /// A `[[station]]`, or one member of a station with `count`.
    Station,
    /// The same, or one of the addresses that stations share (`aliases`).
    Hop,
    /// A `[[flow]]`, or a table that makes flows, as `probe`.
    Flow,
}

/// The range of a quantity, as texts in the user's units; empty means open.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Smallest value, with its unit.
    pub low: &'static str,
    /// Whether the smallest value itself is refused.
    pub above: bool,
    /// Largest value, with its unit.
    pub high: &'static str,
}

/// A word a key takes, and what it means.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// As users write it.
    pub word: &'static str,
    /// What it means, in one phrase.
    pub help: &'static str,
}

/// A list of the times a coded timer can have.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// What an error calls the timer, with an article.
    pub noun: &'static str,
    /// The times in milliseconds, ascending.
    pub milliseconds: &'static [u64],
}

/// A word and its meaning.
pub const fn word(word: &'static str, help: &'static str) -> Word {
    Word { word, help }
}

/// A duration, zero allowed.
pub const SPAN: Bounds = between("0 s", "200 day");
/// A duration above zero.
pub const SOME_TIME: Bounds = above("0 s", "200 day");

/// From `low` to `high`, both included.
pub const fn between(low: &'static str, high: &'static str) -> Bounds {
    Bounds { low, above: false, high }
}

/// Above `low`, up to `high`.
pub const fn above(low: &'static str, high: &'static str) -> Bounds {
    Bounds { low, above: true, high }
}
