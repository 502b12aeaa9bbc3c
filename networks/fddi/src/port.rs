//! A port: the MAC by which a station is attached to a ring.

/// A MAC of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Index of the ring in the site.
    pub ring: u16,
    /// Which of its MACs.
    pub mac: u32,
}
