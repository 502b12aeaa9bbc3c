//! Layers 3 to 7 of a LonTalk node as a sans-IO machine.
//!
//! A driver passes application messages and received packets to a [`Node`] as [`Input`]s, drains its [`Output`]s, and
//! wakes it when a timer is due. Layer 2 (medium access, buffers, processing time) belongs to the driver.
//!
//! | file | contents |
//! |---|---|
//! | `transaction.rs` | outgoing transactions: tries, completion |
//! | `transaction_number.rs` | transaction numbers |
//! | `timers.rs` | the transaction timers |
//! | `receive.rs` | incoming messages: duplicate detection, delivery |
//! | `receive_record.rs` | the table of receive records |
//! | `response.rs` | acknowledgements and responses, sent and received |
//! | `challenge.rs` | challenge and reply of the authentication exchange |
//! | `addressing.rs` | which packets a node accepts, and the destination of responses |

mod addressing;
mod challenge;
mod configuration;
mod counters;
mod message;
mod output;
mod receive;
mod receive_record;
mod response;
mod timers;
mod transaction;
mod transaction_number;

use std::collections::VecDeque;

use sojourn_core::{Machine, Time, clone_fields};

pub use configuration::{Membership, NodeConfiguration, Settings, TimerStart};
pub use counters::{Counter, Counters};
pub use message::{Message, Outcome, Recipient, Refusal, Service};
pub use output::{Delivery, Input, Output, Purpose, RequestHandle, Ticket};

use crate::UserData;
use receive_record::ReceiveRecords;
use timers::{Timer, Timers};
use transaction::Transaction;
use transaction_number::TransactionNumbers;

/// A LonTalk node above layer 2.
#[derive(Debug)]
#[repr(C)]
pub struct Node<D> {
    configuration: NodeConfiguration,
    active: Active<D>,
}

clone_fields!([D: Clone] Node<D> { configuration, active });

/// The mutable state of a node. Fields that nearly every packet touches come first, since in a simulation of thousands of
/// nodes each cache line has to be fetched again.
#[derive(Debug)]
#[repr(C)]
struct Active<D> {
    timers: Timers,
    outputs: VecDeque<Output<D>>,
    tickets: u32,
    numbers: TransactionNumbers,
    transactions: [Option<Transaction<D>>; 2],
    records: ReceiveRecords<D>,
    counters: Counters,
}

clone_fields!([D: Clone] Active<D> { timers, outputs, tickets, numbers, transactions, records, counters });

impl<D: UserData> Node<D> {
    /// A node after a reset, without transactions and receive records.
    pub fn new(configuration: NodeConfiguration) -> Self {
        Node { configuration, active: Active::new() }
    }

    /// The configuration that the node was created with.
    pub fn configuration(&self) -> &NodeConfiguration {
        &self.configuration
    }

    /// Whether a transaction of the priority class is open, so that another must wait.
    pub fn is_busy(&self, priority: bool) -> bool {
        self.active.transactions[usize::from(priority)].is_some()
    }

    /// The node's event counters.
    pub fn counters(&self) -> Counters {
        self.active.counters
    }

    /// Swaps the node's output queue with `outputs`. A driver of many nodes passes each the same queue, which thus stays in
    /// the CPU cache, and drains it itself instead of polling for outputs.
    #[inline]
    pub fn exchange_outputs(&mut self, outputs: &mut VecDeque<Output<D>>) {
        std::mem::swap(&mut self.active.outputs, outputs);
    }

    /// Resets the node as a power failure does: open transactions, receive records, challenges, timers and transaction
    /// numbers are lost without an output. Event counters go on, and no ticket or request handle of before is valid.
    pub fn reset(&mut self) {
        let Active { tickets, counters, records, .. } = &self.active;
        let (tickets, counters, records) = (*tickets, *counters, records.emptied());
        self.active = Active { tickets, counters, records, ..Active::new() };
    }

    /// Counts an event of the layers below this machine.
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
            numbers: TransactionNumbers::default(),
            transactions: [None, None],
            records: ReceiveRecords::default(),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::StreamRange;
    use crate::lontalk::timer::TransactionTimer;
    use crate::lontalk::wire::{Apdu, Body, SubnetNode};

    fn message() -> Message<StreamRange> {
        Message {
            service: Service::Acknowledged,
            recipient: Recipient::Node(SubnetNode::new(1, 2)),
            priority: false,
            authenticated: false,
            retries: 3,
            timer: TransactionTimer::from_duration(sojourn_core::Duration::from_millis(128)).expect("a code"),
            apdu: Apdu::update(1, StreamRange { stream: 0, offset: 0, length: 2 }),
        }
    }

    fn number_sent(node: &mut Node<StreamRange>) -> u8 {
        match node.poll_output() {
            Some(Output::Transmit { packet, .. }) => match packet.body {
                Body::Transport(numbering, _) => numbering.transaction,
                body => panic!("{body:?}"),
            },
            output => panic!("{output:?}"),
        }
    }

    #[test]
    fn a_reset_forgets_the_open_transaction_and_numbers_begin_with_0_again() {
        let configuration = NodeConfiguration::new(SubnetNode::new(1, 1), Arc::new(Settings::default()));
        let mut node = Node::new(configuration);
        for expected in [0, 0] {
            node.handle(Time::ZERO, Input::Send { reference: 7, message: message() });
            assert_eq!(number_sent(&mut node), expected);
            assert!(node.is_busy(false) && node.next_wakeup().is_some());
            node.count(Counter::LostMessages);
            node.reset();
            assert!(!node.is_busy(false) && node.next_wakeup().is_none() && node.poll_output().is_none());
        }
        assert_eq!(node.counters().get(Counter::LostMessages), 2, "counters go on");
    }
}
