//! Layers 3 to 7 of a LonTalk node as a sans-IO machine.
//!
//! A driver gives a [`Node`] messages of the application and packets of the channel as [`Input`]s, drains its
//! [`Output`]s, and wakes it when a timer is due. Layer 2 (medium access, buffers, the time processors take)
//! is the driver's.
//!
//! | file | concern |
//! |---|---|
//! | `transaction.rs` | outgoing transactions: tries, timers, completion |
//! | `numbers.rs` | transaction numbers |
//! | `receive.rs` | incoming messages: duplicates, delivery |
//! | `records.rs` | the table of receive records |
//! | `answer.rs` | acknowledgements and responses, both ways |
//! | `challenge.rs` | the authentication exchange |
//! | `addressing.rs` | what a node listens to |

mod addressing;
mod answer;
mod challenge;
mod configuration;
mod counters;
mod message;
mod numbers;
mod output;
mod receive;
mod records;
mod timers;
mod transaction;

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

pub use configuration::{Membership, NodeConfiguration, Settings, TimerStart};
pub use counters::{Counter, Counters};
pub use message::{Message, Outcome, Recipient, Refusal, Service};
pub use output::{Delivery, Input, Output, Purpose, RequestHandle, Ticket};

use crate::UserData;
use numbers::Numbers;
use records::Records;
use timers::{Timer, Timers};
use transaction::Transaction;

/// A LonTalk node above layer 2.
#[derive(Debug)]
pub struct Node<D> {
    configuration: NodeConfiguration,
    /// Made when first needed, so that a node nobody speaks to costs next to nothing.
    active: Option<Box<Active<D>>>,
}

/// What a node remembers once it has sent or received something.
#[derive(Debug)]
struct Active<D> {
    outputs: VecDeque<Output<D>>,
    timers: Timers,
    transactions: [Option<Transaction<D>>; 2],
    numbers: Numbers,
    tickets: u32,
    records: Records<D>,
    counters: Counters,
}

impl<D: UserData> Node<D> {
    /// A node just after a reset.
    pub fn new(configuration: NodeConfiguration) -> Self {
        Node { configuration, active: None }
    }

    /// The node's configuration.
    pub fn configuration(&self) -> &NodeConfiguration {
        &self.configuration
    }

    /// Whether a transaction of the priority class is open, so that another must wait.
    pub fn is_busy(&self, priority: bool) -> bool {
        self.active.as_ref().is_some_and(|active| active.transactions[usize::from(priority)].is_some())
    }

    /// What the node has counted.
    pub fn counters(&self) -> Counters {
        self.active.as_ref().map_or_else(Counters::default, |active| active.counters)
    }

    /// Counts something that happened below this machine.
    pub fn count(&mut self, counter: Counter) {
        self.activate().0.counters.count(counter);
    }

    fn activate(&mut self) -> (&mut Active<D>, &NodeConfiguration) {
        (self.active.get_or_insert_with(|| Box::new(Active::new())), &self.configuration)
    }
}

impl<D: UserData> Active<D> {
    fn new() -> Self {
        Active {
            outputs: VecDeque::with_capacity(4),
            timers: Timers::STOPPED,
            transactions: [None, None],
            numbers: Numbers::default(),
            tickets: 0,
            records: Records::default(),
            counters: Counters::default(),
        }
    }

    fn emit(&mut self, output: Output<D>) {
        self.outputs.push_back(output);
    }
}

impl<D: UserData> Machine for Node<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        if let Input::Receive { packet, .. } = &input
            && !self.configuration.accepts(packet)
        {
            return;
        }
        let (active, configuration) = self.activate();
        match input {
            Input::Send { reference, message } => active.send(now, configuration, reference, message),
            Input::Receive { packet, application_buffer, challenge } => {
                active.receive(now, configuration, packet, application_buffer, challenge);
            }
            Input::Respond { request, apdu } => active.respond(now, configuration, request, apdu),
            Input::Transmitted { ticket } => active.transmitted(now, configuration, ticket),
        }
    }

    fn wake(&mut self, now: Time) {
        let Some(active) = &mut self.active else { return };
        for timer in Timer::ALL {
            if active.timers.is_due(timer, now) {
                active.expire(now, &self.configuration, timer.priority());
            }
        }
    }

    #[inline]
    fn poll_output(&mut self) -> Option<Output<D>> {
        self.active.as_mut()?.outputs.pop_front()
    }

    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        self.active.as_ref()?.timers.next()
    }
}
