//! The frames that a link owes the other station.

use std::collections::VecDeque;

use crate::ax25::wire::{Body, Role};

/// Frames that a link is to send when it has the channel.
#[derive(Debug)]
pub(super) struct Owed<D> {
    pub unnumbered: VecDeque<Unnumbered<D>>,
    /// A poll came: the answer bears F.
    pub answer: bool,
    /// What came in, or whether the station is busy, is to be told.
    pub acknowledge: bool,
    /// Missing frames are to be asked for.
    pub reject: bool,
    /// The other station is to be asked how things stand.
    pub enquiry: bool,
}

/// A frame without sequence numbers.
#[derive(Debug, PartialEq)]
pub(super) struct Unnumbered<D> {
    pub role: Role,
    pub poll_final: bool,
    pub body: Body<D>,
}

impl<D> Owed<D> {
    pub const fn nothing() -> Self {
        Owed { unnumbered: VecDeque::new(), answer: false, acknowledge: false, reject: false, enquiry: false }
    }

    /// Frames with sequence numbers have lost their meaning.
    pub fn forget_numbered(&mut self) {
        (self.answer, self.acknowledge, self.reject, self.enquiry) = (false, false, false, false);
    }
}
