//! U frames and enquiries that a link sends when it next has the channel, besides I frames and the receiver's
//! responses.

use std::collections::VecDeque;

use crate::ax25::wire::{Body, Role};

/// U frames in the order they were requested, and whether an enquiry follows them.
#[derive(Clone, Debug)]
pub(super) struct PendingFrames<D> {
    pub unnumbered: VecDeque<Unnumbered<D>>,
    /// RR or RNR is to be sent as a command with P.
    pub enquiry: bool,
}

/// A U frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unnumbered<D> {
    pub role: Role,
    pub poll_final: bool,
    pub body: Body<D>,
}

impl<D: PartialEq> PendingFrames<D> {
    pub const fn new() -> Self {
        PendingFrames { unnumbered: VecDeque::new(), enquiry: false }
    }

    /// Appends a U frame unless the same one is pending.
    pub fn push(&mut self, role: Role, poll_final: bool, body: Body<D>) {
        let frame = Unnumbered { role, poll_final, body };
        if !self.unnumbered.contains(&frame) {
            self.unnumbered.push_back(frame);
        }
    }

    /// Drops commands that have not been sent and are obsolete.
    pub fn drop_commands(&mut self) {
        self.unnumbered.retain(|frame| frame.role != Role::Command);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_frame_is_pending_once() {
        let mut pending = PendingFrames::<Vec<u8>>::new();
        pending.push(Role::Response, true, Body::Ua);
        pending.push(Role::Response, true, Body::Ua);
        pending.push(Role::Response, false, Body::Ua);
        assert_eq!(pending.unnumbered.len(), 2);
    }
}
