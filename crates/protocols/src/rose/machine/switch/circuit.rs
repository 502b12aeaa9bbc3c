//! What passes through a circuit: data, their acknowledgement, resets, interrupts.

use sojourn_core::Time;

use super::Switch;
use crate::StreamData;
use crate::rose::machine::channel::{Closing, Happening};
use crate::rose::machine::end::{ChannelId, End};
use crate::rose::machine::output::{Output, UserId};
use crate::rose::machine::sending::Unit;
use crate::rose::wire::{Body, Cause, Diagnostic};

impl<D: StreamData> Switch<D> {
    /// Passes on what happened to a channel.
    pub(super) fn happened(&mut self, now: Time, id: ChannelId, happening: Happening<D>) {
        let other = self.channel(id).and_then(|channel| channel.other);
        match happening {
            Happening::Nothing => return,
            Happening::Progress => {}
            Happening::Accepted => self.accepted(now, other),
            Happening::Data(unit) => {
                if let Some(other) = other {
                    self.put(now, other, unit);
                }
            }
            Happening::Reset(cause, diagnostic) => self.reset(now, id, other, cause, diagnostic),
            Happening::Interrupt(data) => match other {
                Some(End::Channel(far)) => self.interrupt(now, far, Body::Interrupt(data)),
                // a user of AX.25 cannot be interrupted
                _ => self.interrupt(now, id, Body::InterruptConfirmation),
            },
            Happening::InterruptConfirmed => {
                if let Some(End::Channel(far)) = other {
                    self.interrupt(now, far, Body::InterruptConfirmation);
                }
            }
            Happening::Cleared(closing) => {
                self.free(id);
                if let Some(other) = other {
                    self.close(now, other, closing);
                }
                return;
            }
            Happening::Confirmed => return self.free(id),
            Happening::Violation(diagnostic) => return self.violated(now, id, diagnostic),
        }
        self.weigh(now, End::Channel(id));
    }

    fn free(&mut self, id: ChannelId) {
        if let Some(trunk) = self.trunk(id.trunk) {
            trunk.channels.remove(&id.number);
        }
    }

    /// A channel broke the rules, or did not answer: its circuit ends at both ends.
    pub(super) fn violated(&mut self, now: Time, id: ChannelId, diagnostic: Diagnostic) {
        self.counters.protocol_errors += 1;
        let other = self.channel(id).and_then(|channel| channel.other);
        let closing = self.told_where(Closing::new(Cause::LOCAL_PROCEDURE_ERROR, diagnostic));
        self.with_channel(now, id, |channel, turn| channel.clear(turn, closing));
        if let Some(other) = other {
            let closing = self.told_where(Closing::new(Cause::REMOTE_PROCEDURE_ERROR, diagnostic));
            self.close(now, other, closing);
        }
    }

    fn accepted(&mut self, now: Time, other: Option<End>) {
        match other {
            Some(End::Channel(far)) => {
                self.with_channel(now, far, |channel, turn| channel.accept(turn));
            }
            Some(End::User(user)) => self.outputs.push_back(Output::CallConnected { user }),
            None => {}
        }
    }

    /// The circuit is reset on one side. Another channel is reset in turn; a user knows no reset, so its call ends rather
    /// than that data are missing without a word.
    fn reset(&mut self, now: Time, id: ChannelId, other: Option<End>, cause: Cause, diagnostic: Diagnostic) {
        match other {
            Some(End::Channel(far)) => {
                self.with_channel(now, far, |channel, turn| channel.reset(turn, cause, diagnostic));
            }
            Some(End::User(_)) => self.violated(now, id, diagnostic),
            None => {}
        }
    }

    fn interrupt(&mut self, now: Time, id: ChannelId, body: Body<D>) {
        self.with_channel(now, id, |channel, turn| channel.interrupt(turn, body));
    }

    /// A user's frame goes on, cut if it is longer than a packet.
    pub(super) fn user_sends(&mut self, now: Time, name: UserId, data: D) {
        let Some(other) = self.users.get(&name).and_then(|user| user.other) else {
            self.counters.lost += 1;
            return;
        };
        let limit = usize::from(self.settings.packet_size);
        let length = data.length();
        let mut start = 0;
        loop {
            let end = length.min(start + limit);
            let more = end < length;
            let data = if start == 0 && !more { data.clone() } else { data.slice(start, end) };
            self.put(now, other, Unit { data, more, q_bit: false, d_bit: false, origin: None });
            if !more {
                return;
            }
            start = end;
        }
    }

    /// Data for an end of a circuit.
    fn put(&mut self, now: Time, end: End, unit: Unit<D>) {
        match end {
            End::Channel(id) => {
                self.with_channel(now, id, |channel, turn| channel.send(turn, unit));
            }
            End::User(name) => match self.users.get_mut(&name) {
                Some(user) if !user.up => user.waiting.push_back(unit),
                _ => self.deliver(name, unit),
            },
        }
        self.weigh(now, end);
    }

    pub(super) fn deliver(&mut self, name: UserId, unit: Unit<D>) {
        let Some(user) = self.users.get_mut(&name) else { return };
        user.handed.push_back(unit.origin);
        self.counters.forwarded += 1;
        self.outputs.push_back(Output::Deliver { user: name, data: unit.data, more: unit.more });
    }

    /// A user has acknowledged frames.
    pub(super) fn user_took(&mut self, now: Time, name: UserId, frames: u16) {
        let Some(user) = self.users.get_mut(&name) else { return };
        let count = usize::from(frames).min(user.handed.len());
        self.freed.extend(user.handed.drain(..count).flatten());
        if let Some(other) = user.other {
            self.release(now, other);
        }
        self.freed.clear();
        self.weigh(now, End::User(name));
        self.end_user_if_done(name);
    }

    /// Whoever sends to this end holds on while much waits here, and goes on when half of that has left.
    fn weigh(&mut self, now: Time, end: End) {
        let limit = usize::from(self.settings.queue_limit);
        let (backlog, other) = match end {
            End::Channel(id) => match self.channel(id) {
                Some(channel) => (channel.sending.waiting(), channel.other),
                None => return,
            },
            End::User(name) => match self.users.get(&name) {
                Some(user) => (user.backlog(), user.other),
                None => return,
            },
        };
        let busy = match backlog {
            _ if backlog >= limit => true,
            _ if backlog <= limit / 2 => false,
            _ => return,
        };
        match other {
            Some(End::Channel(id)) => {
                self.with_channel(now, id, |channel, turn| channel.set_busy(turn, busy));
            }
            Some(End::User(name)) => {
                let Some(user) = self.users.get_mut(&name) else { return };
                if std::mem::replace(&mut user.held, busy) != busy {
                    self.outputs.push_back(Output::SetUserBusy { user: name, busy });
                }
            }
            None => {}
        }
    }
}
