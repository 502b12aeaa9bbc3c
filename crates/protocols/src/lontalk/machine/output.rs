//! What goes into a node and what comes out.

use super::message::{Message, Outcome, Service};
use crate::lontalk::wire::{Apdu, Destination, Packet, SubnetNode};

/// What a driver tells a node.
#[derive(Clone, Copy, Debug)]
pub enum Input<D> {
    /// The application hands a message over. [`Output::Finished`] will bear the same reference.
    Send {
        /// The driver's name for the message.
        reference: u32,
        /// The message.
        message: Message<D>,
    },
    /// A packet with a valid CRC came in.
    Receive {
        /// The packet.
        packet: Packet<D>,
        /// Whether a buffer is free to hand a message to the application in.
        application_buffer: bool,
        /// Eight random bytes, used if the packet's sender must prove its identity.
        challenge: [u8; 8],
    },
    /// The application answers a request.
    Respond {
        /// The request, from [`Delivery::request`].
        request: RequestHandle,
        /// The answer.
        apdu: Apdu<D>,
    },
    /// A packet of [`Output::Transmit`] that bears a ticket has been transmitted, or was given up by the driver.
    Transmitted {
        /// The packet's ticket.
        ticket: Ticket,
    },
}

/// What a node tells its driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<D> {
    /// Transmit a packet, in the priority queue if its link header says so.
    Transmit {
        /// The message of this node's own it belongs to; [`Ticket::NONE`] of packets that answer others.
        ticket: Ticket,
        /// The packet.
        packet: Packet<D>,
        /// What it is sent for.
        purpose: Purpose,
        /// Of packets with a ticket, how many tries came before: 0 of the first.
        attempt: u8,
    },
    /// Packets with this ticket that wait to be transmitted are needed no more.
    Withdraw {
        /// The transaction they belong to.
        ticket: Ticket,
    },
    /// A message for the application.
    Deliver(Delivery<D>),
    /// An answer to a request of the application.
    Response {
        /// The request's reference.
        reference: u32,
        /// Who answers.
        source: SubnetNode,
        /// The answer.
        apdu: Apdu<D>,
    },
    /// A message of the application came to its end.
    Finished {
        /// The message's reference.
        reference: u32,
        /// How it ended.
        outcome: Outcome,
        /// Tries beyond the first that were made.
        retries: u8,
    },
}

/// A message for the application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery<D> {
    /// Who sent it.
    pub source: SubnetNode,
    /// How it was addressed.
    pub destination: Destination,
    /// How it was sent.
    pub service: Service,
    /// Whether it came with priority.
    pub priority: bool,
    /// Whether its sender has proved its identity.
    pub authenticated: bool,
    /// What it says.
    pub apdu: Apdu<D>,
    /// Of a request, what to answer to.
    pub request: Option<RequestHandle>,
}

/// Why a packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A message for the first time.
    Message,
    /// A further try of acknowledged or request service.
    Retry,
    /// A further copy of repeated service.
    Repetition,
    /// Tells a group who has answered; the retry follows.
    Reminder,
    /// Acknowledges a message.
    Acknowledgement,
    /// Answers a request.
    Response,
    /// Asks who the sender is.
    Challenge,
    /// Proves who the sender is.
    Reply,
}

/// What marks the packets of one outgoing message, whatever else bears the same reference before or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    reference: u32,
    serial: u32,
}

impl Ticket {
    /// Of packets that belong to no message of the node's own.
    pub const NONE: Ticket = Ticket { reference: 0, serial: 0 };

    /// The ticket of message `reference`, the `serial`-th of its node, from 1.
    pub(super) const fn new(reference: u32, serial: u32) -> Self {
        Ticket { reference, serial }
    }

    /// The reference the driver gave the message.
    pub const fn reference(self) -> Option<u32> {
        if self.serial == 0 { None } else { Some(self.reference) }
    }
}

/// A request that the application may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestHandle {
    pub(super) record: u16,
    pub(super) serial: u32,
}
