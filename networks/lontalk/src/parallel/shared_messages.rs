//! Messages of which packets are in several groups.
//!
//! The group of its sender owns a message; the others have copies of it as long as they have packets of it. What happens to the
//! message elsewhere is an operation that its group performs later, in the order of time: it changes metrics alone, so nothing
//! waits for it. Until then a message has at least as many copies as there are.

use sojourn_core::Time;

use super::border::Border;
use super::operation::{Operation, Owner, What};
use crate::in_flight::InFlight;
use crate::message::Message;
use crate::slab::NONE;
use crate::world::Simulation;

impl InFlight {
    /// A packet of a message leaves for another group; returns the message and whose it is.
    pub(super) fn message_leaves(&mut self, now: Time, message: u32) -> Option<(Message, Owner)> {
        if message == NONE {
            return None;
        }
        let border = self.border.as_mut()?;
        let state = &mut self.messages[message];
        let own = Owner { group: border.group, message };
        if !state.shared {
            state.shared = true;
            border.set_owner(message, own);
        }
        let owner = border.owners[message as usize];
        if owner == own {
            state.copies += 1;
        } else {
            border.happened(owner, now, What::Copied);
        }
        Some((*state, owner))
    }

    /// A packet comes from another group; returns the number of its message here, which has a copy more until
    /// [`message_arrived`](InFlight::message_arrived).
    pub(super) fn message_arrives(&mut self, message: Option<(Message, Owner)>) -> u32 {
        let Some((message, owner)) = message else { return NONE };
        let border = self.border.as_mut().expect("a group of several");
        if owner.group == border.group {
            return owner.message;
        }
        let copy = Message { copies: 1, handled: 0, closed: true, shared: true, budget: NONE, ..message };
        let place = self.messages.insert(copy);
        border.set_owner(place, owner);
        place
    }

    /// The packet has arrived.
    pub(super) fn message_arrived(&mut self, place: u32) {
        if place == NONE {
            return;
        }
        let border = self.border.as_mut().expect("a group of several");
        if border.owns(place) {
            border.happened(border.owners[place as usize], Time::NEVER, What::Gone);
            return;
        }
        self.messages[place].copies -= 1;
        if self.messages[place].copies == 0 {
            self.forget_copy(place);
        }
    }

    /// Whether a shared message is another group's; if so, its last packet here is gone.
    pub(crate) fn is_copy_of_another(&mut self, place: u32) -> bool {
        let is_copy = self.border.as_ref().is_some_and(|border| !border.owns(place));
        if is_copy {
            self.forget_copy(place);
        }
        is_copy
    }

    fn forget_copy(&mut self, place: u32) {
        self.messages.remove(place);
        let border = self.border.as_mut().expect("a group of several");
        border.happened(border.owners[place as usize], Time::NEVER, What::Gone);
    }

    /// An application has handled a shared message.
    pub(crate) fn handled_shared(&mut self, now: Time, place: u32, budget: u32) {
        let budget = (budget != NONE).then(|| self.budgets[budget]);
        self.happens_later(now, place, What::Handled(budget));
    }

    /// The sender of a shared message has given up.
    pub(crate) fn failed_shared(&mut self, now: Time, place: u32) {
        self.happens_later(now, place, What::Failed);
    }

    fn happens_later(&mut self, now: Time, place: u32, what: What) {
        let border = self.border.as_mut().expect("a group of several");
        let owner = border.owners[place as usize];
        self.messages[place].copies += u16::from(owner.group == border.group);
        border.happened(owner, now, what);
    }
}

impl Border {
    fn set_owner(&mut self, message: u32, owner: Owner) {
        let length = self.owners.len().max(message as usize + 1);
        self.owners.resize(length, Owner { group: 0, message: NONE });
        self.owners[message as usize] = owner;
    }

    fn happened(&mut self, owner: Owner, at: Time, what: What) {
        let operation = Operation { at, message: owner.message, group: self.group, what };
        self.operations[usize::from(owner.group)].push(operation);
    }
}

impl Simulation<'_, '_> {
    /// Performs what happened to messages of this group; returns whether the order of two of them is unknown.
    pub(super) fn perform(&mut self, mut operations: Vec<Operation>, group: u8) -> bool {
        operations.sort_by_key(|operation| operation.at);
        let decides = |operation: &Operation| matches!(operation.what, What::Handled(_) | What::Failed);
        let tied = operations
            .windows(2)
            .any(|pair| pair[0].at == pair[1].at && pair[0].group != pair[1].group && pair.iter().all(decides));
        for Operation { at, message, group: from, what } in operations {
            let state = &mut self.in_flight.messages[message];
            match what {
                What::Copied => state.copies += 1,
                What::Gone => state.copies -= 1,
                What::Failed => state.failed |= state.handled == 0,
                What::Handled(budget) => {
                    let source = &self.sources[state.source as usize];
                    self.metrics.handled(at, source, state, budget.as_ref());
                }
            }
            if matches!(what, What::Handled(_) | What::Failed) && from == group {
                self.in_flight.messages[message].copies -= 1;
            }
            self.in_flight.remove_if_done(message, &self.sources, &mut self.metrics);
        }
        tied
    }
}
