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

use sojourn_core::{Machine, Time, prefetch};

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
#[repr(C)]
pub struct Node<D> {
    configuration: NodeConfiguration,
    active: Active<D>,
}

/// What a node remembers: first what nearly every packet touches, since in a simulation of thousands of nodes each
/// line of memory has to be fetched anew.
#[derive(Debug)]
#[repr(C)]
struct Active<D> {
    timers: Timers,
    outputs: VecDeque<Output<D>>,
    tickets: u32,
    numbers: Numbers,
    transactions: [Option<Transaction<D>>; 2],
    records: Records<D>,
    counters: Counters,
}

impl<D: UserData> Node<D> {
    /// A node just after a reset.
    pub fn new(configuration: NodeConfiguration) -> Self {
        Node { configuration, active: Active::new() }
    }

    /// The node's configuration.
    pub fn configuration(&self) -> &NodeConfiguration {
        &self.configuration
    }

    /// Whether a transaction of the priority class is open, so that another must wait.
    pub fn is_busy(&self, priority: bool) -> bool {
        self.active.transactions[usize::from(priority)].is_some()
    }

    /// What the node has counted.
    pub fn counters(&self) -> Counters {
        self.active.counters
    }

    /// Exchanges what the node's outputs wait in. A driver of many nodes hands each the same queue while it speaks,
    /// which thus stays in a processor's cache, and drains it itself instead of asking for outputs.
    #[inline]
    pub fn exchange_outputs(&mut self, outputs: &mut VecDeque<Output<D>>) {
        std::mem::swap(&mut self.active.outputs, outputs);
    }

    /// Asks for what nearly every packet touches, for a driver of many nodes of which this has its turn soon.
    #[inline]
    pub fn prefetch(&self) {
        let Self { configuration, active: Active { timers, numbers, transactions, records, .. } } = self;
        prefetch(configuration);
        prefetch(timers);
        prefetch(numbers);
        transactions.iter().for_each(prefetch);
        prefetch(records);
    }

    /// Counts something that happened below this machine.
    pub fn count(&mut self, counter: Counter) {
        self.active.counters.count(counter);
    }
}

impl<D: UserData> Active<D> {
    fn new() -> Self {
        Active {
            timers: Timers::STOPPED,
            outputs: VecDeque::new(),
            tickets: 0,
            numbers: Numbers::default(),
            transactions: [None, None],
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

    #[inline]
    fn handle(&mut self, now: Time, input: Input<D>) {
        if let Input::Receive { packet, .. } = &input
            && !self.configuration.accepts(packet)
        {
            return;
        }
        let Self { active, configuration } = self;
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
        for timer in Timer::ALL {
            if self.active.timers.is_due(timer, now) {
                self.active.expire(now, &self.configuration, timer.priority());
            }
        }
    }

    #[inline]
    fn poll_output(&mut self) -> Option<Output<D>> {
        self.active.outputs.pop_front()
    }

    #[inline]
    fn next_wakeup(&self) -> Option<Time> {
        let next = self.active.timers.next();
        (next != Time::NEVER).then_some(next)
    }
}
