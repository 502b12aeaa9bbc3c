//! Flow control: when the peer is choked, and released.

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
        self.release_if_possible(context);
        Ok(())
    }

    /// The backlog has shrunk, or buffers became free: releases the peer if the settings allow it.
    pub fn release_if_possible(&mut self, context: &mut Context<'_, D>) {
        if !self.receiving.choking || self.state != State::Open || !self.may_release(context) {
            return;
        }
        match context.settings.transport.choke.release {
            ChokeRelease::Immediate => {
                self.receiving.choking = false;
                self.acknowledge(context);
            }
            ChokeRelease::WithAcknowledgement => {
                self.receiving.choking = false;
                self.delay_acknowledgement(context, AcknowledgeStart::First);
            }
            // the next poll of the backlog will release it
            ChokeRelease::Poll(_) => {}
        }
    }

    /// The timer to poll the backlog expired.
    pub fn poll_backlog(&mut self, context: &mut Context<'_, D>) {
        if self.may_release(context) {
            self.receiving.choking = false;
            self.acknowledge(context);
        } else {
            self.poll_later(context);
        }
    }

    /// Data were delivered: chokes the peer if the backlog exceeds the threshold.
    pub fn choke_if_needed(&mut self, context: &mut Context<'_, D>) {
        let choke = context.settings.transport.choke;
        if self.receiving.choking || !self.is_congested(context) {
            return;
        }
        let few_buffers = context.free_buffers < choke.min_free_buffers;
        match choke.signalled {
            ChokeSignal::AtFullWindow if !few_buffers => {}
            ChokeSignal::WithAcknowledgement if !few_buffers => self.choke(context),
            _ => {
                self.choke(context);
                self.acknowledge(context);
            }
        }
    }

    /// The acknowledgement delay expired; with [`ChokeSignal::AtFullWindow`] the choke is decided only now.
    pub fn choke_if_window_full(&mut self, context: &mut Context<'_, D>) {
        let decides = context.settings.transport.choke.signalled == ChokeSignal::AtFullWindow;
        if decides
            && !self.receiving.choking
            && self.receiving.unacknowledged >= self.window
            && self.is_congested(context)
        {
            self.choke(context);
        }
    }

    /// Whether the backlog exceeds its threshold, or free buffers fall below theirs.
    pub fn is_congested(&self, context: &Context<'_, D>) -> bool {
        let choke = &context.settings.transport.choke;
        self.backlog(choke.unit) > choke.above || context.free_buffers < choke.min_free_buffers
    }

    fn may_release(&self, context: &Context<'_, D>) -> bool {
        let choke = &context.settings.transport.choke;
        let buffers = choke.min_free_buffers == 0 || context.free_buffers > choke.release_free_buffers;
        self.backlog(choke.unit) < choke.below && buffers
    }

    fn choke(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Chokes);
        self.receiving.choking = true;
        self.poll_later(context);
    }

    fn poll_later(&mut self, context: &Context<'_, D>) {
        if let ChokeRelease::Poll(span) = context.settings.transport.choke.release {
            self.timers.set(Timer::PollBacklog, context.expiry(span));
        }
    }

    /// Data delivered and not consumed, in the unit of the threshold.
    fn backlog(&self, unit: BacklogUnit) -> u32 {
        let backlog = &self.receiving.backlog;
        match unit {
            BacklogUnit::Packets => backlog.len() as u32,
            BacklogUnit::Octets => backlog.iter().map(|octets| u32::from(*octets)).sum(),
        }
    }
}
