//! Transfer through a circuit: data, acknowledgements, flow control, resets, interrupts.

use sojourn_core::Time;

use super::Switch;
use crate::StreamData;
use crate::rose::machine::channel::{ChannelEvent, Closing};
use crate::rose::machine::endpoint::{ChannelId, Endpoint};
use crate::rose::machine::output::{Output, UserId};
use crate::rose::machine::send_window::Unit;
use crate::rose::wire::{Body, Cause, Diagnostic};

impl<D: StreamData> Switch<D> {
    /// Propagates an event on a channel to the other endpoint.
    pub(super) fn channel_event(&mut self, now: Time, id: ChannelId, event: ChannelEvent<D>) {
        let other = self.channel(id).and_then(|channel| channel.other);
        match event {
            ChannelEvent::Nothing => return,
            ChannelEvent::Progress => {}
            ChannelEvent::Accepted => self.accepted(now, other),
            ChannelEvent::Data(unit) => {
                if let Some(other) = other {
                    self.put(now, other, unit);
                }
            }
            ChannelEvent::Reset(cause, diagnostic) => self.reset(now, id, other, cause, diagnostic),
            ChannelEvent::Interrupt(data) => match other {
                Some(Endpoint::Channel(far)) => self.interrupt(now, far, Body::Interrupt(data)),
                // AX.25 has no interrupt
                _ => self.interrupt(now, id, Body::InterruptConfirmation),
            },
            ChannelEvent::InterruptConfirmed => {
                if let Some(Endpoint::Channel(far)) = other {
                    self.interrupt(now, far, Body::InterruptConfirmation);
                }
            }
            ChannelEvent::Cleared(closing) => {
                self.free(id);
                if let Some(other) = other {
                    self.close(now, other, closing);
                }
                return;
            }
            ChannelEvent::Confirmed => return self.free(id),
            ChannelEvent::ProcedureError(diagnostic) => return self.procedure_error(now, id, diagnostic),
        }
        self.control_flow(now, Endpoint::Channel(id));
    }

    fn free(&mut self, id: ChannelId) {
        if let Some(trunk) = self.trunk(id.trunk) {
            trunk.channels.remove(&id.number);
        }
    }

    /// Procedure error or timeout on a channel: clears its circuit at both ends.
    pub(super) fn procedure_error(&mut self, now: Time, id: ChannelId, diagnostic: Diagnostic) {
        self.counters.protocol_errors += 1;
        let other = self.channel(id).and_then(|channel| channel.other);
        let closing = self.with_address(Closing::new(Cause::LOCAL_PROCEDURE_ERROR, diagnostic));
        self.with_channel(now, id, |channel, context| channel.clear(context, closing));
        if let Some(other) = other {
            let closing = self.with_address(Closing::new(Cause::REMOTE_PROCEDURE_ERROR, diagnostic));
            self.close(now, other, closing);
        }
    }

    fn accepted(&mut self, now: Time, other: Option<Endpoint>) {
        match other {
            Some(Endpoint::Channel(far)) => {
                self.with_channel(now, far, |channel, context| channel.accept(context));
            }
            Some(Endpoint::User(user)) => self.outputs.push_back(Output::CallConnected { user }),
            None => {}
        }
    }

    /// The circuit was reset at one endpoint. Another channel is reset in turn; AX.25 has no such reset, so a user's call is
    /// cleared instead of losing data silently.
    fn reset(&mut self, now: Time, id: ChannelId, other: Option<Endpoint>, cause: Cause, diagnostic: Diagnostic) {
        match other {
            Some(Endpoint::Channel(far)) => {
                self.with_channel(now, far, |channel, context| channel.reset(context, cause, diagnostic));
            }
            Some(Endpoint::User(_)) => self.procedure_error(now, id, diagnostic),
            None => {}
        }
    }

    fn interrupt(&mut self, now: Time, id: ChannelId, body: Body<D>) {
        self.with_channel(now, id, |channel, context| channel.interrupt(context, body));
    }

    /// Forwards a user's frame, fragmented if it is longer than a packet.
    pub(super) fn user_data(&mut self, now: Time, name: UserId, data: D) {
        let Some(other) = self.users.get(name).and_then(|user| user.other) else {
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

    /// Forwards data to an endpoint.
    fn put(&mut self, now: Time, end: Endpoint, unit: Unit<D>) {
        match end {
            Endpoint::Channel(id) => {
                self.with_channel(now, id, |channel, context| channel.send(context, unit));
            }
            Endpoint::User(name) => self.users.send(&mut self.outputs, &mut self.counters, name, unit),
        }
        self.control_flow(now, end);
    }

    /// A user has acknowledged frames.
    pub(super) fn user_acknowledged(&mut self, now: Time, name: UserId, frames: u16) {
        let Some(other) = self.users.acknowledged(&mut self.freed, name, frames) else { return };
        if let Some(other) = other {
            self.release(now, other);
        }
        self.freed.clear();
        self.control_flow(now, Endpoint::User(name));
        self.users.disconnect_if_done(&mut self.outputs, &mut self.counters, name);
    }

    /// Flow control: stops the sender to this endpoint while the queue limit is reached, until half of it has left.
    fn control_flow(&mut self, now: Time, end: Endpoint) {
        let limit = usize::from(self.settings.queue_limit);
        let (backlog, other) = match end {
            Endpoint::Channel(id) => match self.channel(id) {
                Some(channel) => (channel.sending.waiting(), channel.other),
                None => return,
            },
            Endpoint::User(name) => match self.users.get(name) {
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
            Some(Endpoint::Channel(id)) => {
                self.with_channel(now, id, |channel, context| channel.set_busy(context, busy));
            }
            Some(Endpoint::User(name)) => self.users.set_busy(&mut self.outputs, name, busy),
            None => {}
        }
    }
}
