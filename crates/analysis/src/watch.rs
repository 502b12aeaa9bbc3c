//! What a twin reports while it is simulated.

/// Takes the progress of a twin, and may end it.
pub trait Watch: Sync {
    /// Whether the twin is not wanted any more.
    fn is_cancelled(&self) -> bool;

    /// Takes what is being done.
    fn note(&self, text: String);
}
