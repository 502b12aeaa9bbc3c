//! Links of stations, and what is on them.

use sojourn_core::{Duration, Time};

use super::poll::{Answer, Poll};

/// The link of a station.
#[derive(Clone, Copy, Debug, Default)]
pub struct Port {
    /// When what it has to send has been sent.
    pub free: Time,
    /// How long it was sending since the warm-up.
    pub busy: Duration,
}

/// A frame on its link, or with a host.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    pub medium: u16,
    pub from: u32,
    pub to: u32,
    pub content: Content,
}

/// What a packet carries.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    Request(Poll),
    Answer(Answer),
}
