//! When the other side is choked, and released.

use super::circuit::{Circuit, State};
use super::context::Context;
use super::counters::Counter;
use super::output::Refusal;
use super::settings::{AcknowledgeStart, BacklogUnit, ChokeRelease, ChokeSignal};
use super::timers::Timer;
use crate::StreamData;

impl<D: StreamData> Circuit<D> {
    /// The user has consumed packets.
    pub fn consumed(&mut self, context: &mut Context<'_, D>, packets: u16) -> Result<(), Refusal> {
        let backlog = self.receiving.backlog.len();
        if usize::from(packets) > backlog {
            return Err(Refusal::Consumed { consumed: packets, backlog: backlog as u32 });
        }
        self.receiving.backlog.drain(..usize::from(packets));
        self.release_if_roomy(context);
        Ok(())
    }

    /// The backlog or the node's buffers may have changed for the better.
    pub fn release_if_roomy(&mut self, context: &mut Context<'_, D>) {
        if !self.receiving.choking || self.state != State::Open || !self.is_roomy(context) {
            return;
        }
        match context.settings.transport.choke.release {
            ChokeRelease::Immediate => {
                self.receiving.choking = false;
                self.acknowledge(context);
            }
            ChokeRelease::WithAcknowledgement => {
                self.receiving.choking = false;
                self.hold_acknowledgement(context, AcknowledgeStart::First);
            }
            // the next look will find it
            ChokeRelease::Poll(_) => {}
        }
    }

    /// The time to look at the backlog has come.
    pub fn look_at_backlog(&mut self, context: &mut Context<'_, D>) {
        if self.is_roomy(context) {
            self.receiving.choking = false;
            self.acknowledge(context);
        } else {
            self.look_later(context);
        }
    }

    /// Something has been taken in: is it too much?
    pub fn choke_if_short(&mut self, context: &mut Context<'_, D>) {
        let choke = context.settings.transport.choke;
        if self.receiving.choking || !self.is_short(context) {
            return;
        }
        let few = context.free_buffers < choke.min_free_buffers;
        match choke.signalled {
            ChokeSignal::AtFullWindow if !few => {}
            ChokeSignal::WithAcknowledgement if !few => self.begin_to_choke(context),
            _ => {
                self.begin_to_choke(context);
                self.acknowledge(context);
            }
        }
    }

    /// The delay of an acknowledgement has ended; some decide only then.
    pub fn choke_if_window_full(&mut self, context: &mut Context<'_, D>) {
        let decides = context.settings.transport.choke.signalled == ChokeSignal::AtFullWindow;
        if decides && !self.receiving.choking && self.receiving.owed >= self.window && self.is_short(context) {
            self.begin_to_choke(context);
        }
    }

    /// Whether more is undelivered, or less room left, than the settings like.
    pub fn is_short(&self, context: &Context<'_, D>) -> bool {
        let choke = &context.settings.transport.choke;
        self.backlog(choke.unit) > choke.above || context.free_buffers < choke.min_free_buffers
    }

    fn is_roomy(&self, context: &Context<'_, D>) -> bool {
        let choke = &context.settings.transport.choke;
        let buffers = choke.min_free_buffers == 0 || context.free_buffers > choke.release_free_buffers;
        self.backlog(choke.unit) < choke.below && buffers
    }

    fn begin_to_choke(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Chokes);
        self.receiving.choking = true;
        self.look_later(context);
    }

    fn look_later(&mut self, context: &Context<'_, D>) {
        if let ChokeRelease::Poll(span) = context.settings.transport.choke.release {
            self.timers.set(Timer::Look, context.expiry(span));
        }
    }

    /// What is delivered and not consumed.
    fn backlog(&self, unit: BacklogUnit) -> u32 {
        let backlog = &self.receiving.backlog;
        match unit {
            BacklogUnit::Packets => backlog.len() as u32,
            BacklogUnit::Octets => backlog.iter().map(|octets| u32::from(*octets)).sum(),
        }
    }
}
