//! Messages, packets and delay budgets in flight.

use sojourn_core::{Time, clone_fields};
use sojourn_protocols::lontalk::machine::Purpose;

use super::latency_budget::{Component, LatencyBudget};
use super::message::{Frame, Message};
use super::metrics::Metrics;
use super::slab::{NONE, Slab};
use super::sources::Source;

/// All messages, packets and delay budgets in flight, by number.
#[derive(Debug)]
pub struct InFlight {
    /// Packets queued or in transmission.
    pub frames: Slab<Frame>,
    /// Messages not yet complete.
    pub messages: Slab<Message>,
    /// Delay budgets of probes.
    pub budgets: Slab<LatencyBudget>,
}

clone_fields!([] InFlight { frames, messages, budgets });

impl InFlight {
    /// Nothing in flight.
    pub const fn new() -> Self {
        InFlight { frames: Slab::new(), messages: Slab::new(), budgets: Slab::new() }
    }

    /// Removes a frame and its budget, and its message if nothing else of it is left.
    pub fn release(&mut self, frame: u32, sources: &[Source], metrics: &mut Metrics) {
        let Frame { message, budget, .. } = self.frames.remove(frame);
        self.remove_budget(budget);
        if message != NONE {
            self.messages[message].copies -= 1;
            self.remove_if_done(message, sources, metrics);
        }
    }

    /// Removes a message if it is complete and none of its packets is left.
    #[inline(always)]
    pub fn remove_if_done(&mut self, place: u32, sources: &[Source], metrics: &mut Metrics) {
        let message = &self.messages[place];
        if message.closed && message.copies == 0 {
            self.remove_message(place, sources, metrics);
        }
    }

    #[inline(never)]
    fn remove_message(&mut self, place: u32, sources: &[Source], metrics: &mut Metrics) {
        let message = self.messages[place];
        let delivered = message.handled > 0 && !message.failed;
        let unreached = message.receivers.saturating_sub(message.handled);
        metrics.settled(&sources[message.source as usize], &message, delivered, unreached);
        self.messages.remove(place);
        self.remove_budget(message.budget);
    }

    /// Stores a frame as a copy of its message.
    pub fn insert_frame(&mut self, frame: Frame) -> u32 {
        if frame.message != NONE {
            self.messages[frame.message].copies += 1;
        }
        self.frames.insert(frame)
    }

    /// Copies a budget, if there is one.
    #[inline]
    pub fn clone_budget(&mut self, budget: u32) -> u32 {
        if budget == NONE { NONE } else { self.start_budget(self.budgets[budget]) }
    }

    /// Stores the budget of a probe or of a copy of it.
    #[cold]
    #[inline(never)]
    pub fn start_budget(&mut self, budget: LatencyBudget) -> u32 {
        self.budgets.insert(budget)
    }

    /// Removes a budget, if there is one.
    #[inline]
    pub fn remove_budget(&mut self, budget: u32) {
        if budget != NONE {
            self.remove_probe_budget(budget);
        }
    }

    #[cold]
    #[inline(never)]
    fn remove_probe_budget(&mut self, budget: u32) {
        self.budgets.remove(budget);
    }

    /// Accounts time to a budget, if there is one.
    #[inline]
    pub fn account(&mut self, budget: u32, component: Component, until: Time) {
        if budget != NONE {
            self.account_probe(budget, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn account_probe(&mut self, budget: u32, component: Component, until: Time) {
        self.budgets[budget].account(component, until);
    }

    /// Accounts a step of a packet; all steps of challenges and replies are authentication.
    #[inline]
    pub fn account_step(&mut self, frame: &Frame, component: Component, until: Time) {
        if frame.budget != NONE {
            self.account_step_of_probe(frame, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn account_step_of_probe(&mut self, frame: &Frame, component: Component, until: Time) {
        let component = match frame.purpose {
            Purpose::Challenge | Purpose::Reply => Component::Authentication,
            _ => component,
        };
        self.account(frame.budget, component, until);
    }
}
