//! The sink that captures read: every frame a medium carried, as bytes, with the instant it ended.

use sojourn_core::Time;

/// Where the frames of a replication go when a capture was asked for.
pub trait FrameSink: Send {
    /// Takes one frame as the bytes of its packet record, stamped with the end of its transmission.
    fn frame(&mut self, at: Time, bytes: &[u8]);
}
