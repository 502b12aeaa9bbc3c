//! Inputs and outputs of a node.

use super::message::{Message, Outcome, Service};
use crate::lontalk::wire::{Apdu, Destination, Packet, SubnetNode};

/// What a driver passes to a node.
#[derive(Clone, Copy, Debug)]
pub enum Input<D> {
    /// The application sends a message. [`Output::Finished`] will carry the same reference.
    Send {
        /// The driver's reference of the message.
        reference: u32,
        /// The message to send.
        message: Message<D>,
    },
    /// A packet with a valid CRC was received.
    Receive {
        /// The packet with its headers.
        packet: Packet<D>,
        /// Whether an application input buffer is free.
        application_buffer: bool,
        /// Eight random bytes, used if the packet's sender is challenged.
        challenge: [u8; 8],
    },
    /// The application responds to a request.
    Respond {
        /// The request, from [`Delivery::request`].
        request: RequestHandle,
        /// The APDU of the response.
        apdu: Apdu<D>,
    },
    /// A packet of [`Output::Transmit`] with a ticket has been transmitted, or was dropped by the driver.
    Transmitted {
        /// The ticket of the packet.
        ticket: Ticket,
    },
}

/// What a node requests of or reports to its driver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<D> {
    /// Transmit a packet, in the priority queue if its link header has the priority bit.
    Transmit {
        /// The node's own message that the packet belongs to; [`Ticket::NONE`] for responses to others.
        ticket: Ticket,
        /// The packet with its headers.
        packet: Packet<D>,
        /// Why the packet is sent.
        purpose: Purpose,
        /// For packets with a ticket, the number of previous tries: 0 for the first.
        attempt: u8,
    },
    /// Packets with this ticket that wait for transmission may be discarded.
    Withdraw {
        /// The ticket of their transaction.
        ticket: Ticket,
    },
    /// A message for the application.
    Deliver(Delivery<D>),
    /// A response to a request of the application.
    Response {
        /// The driver's reference of the request.
        reference: u32,
        /// The node that responded.
        source: SubnetNode,
        /// The APDU of the response.
        apdu: Apdu<D>,
    },
    /// A message of the application completed or failed.
    Finished {
        /// The driver's reference of the message.
        reference: u32,
        /// Success, failure or refusal.
        outcome: Outcome,
        /// Retries that were made; the copies that unacknowledged-repeated service sends in any case are none.
        retries: u8,
    },
}

/// A message for the application.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delivery<D> {
    /// The node that sent it.
    pub source: SubnetNode,
    /// The destination address of the packet.
    pub destination: Destination,
    /// The message service that was used.
    pub service: Service,
    /// Whether it was sent with priority.
    pub priority: bool,
    /// Whether its sender has been authenticated.
    pub authenticated: bool,
    /// The APDU of the message.
    pub apdu: Apdu<D>,
    /// For a request, the handle to respond to.
    pub request: Option<RequestHandle>,
}

/// The purpose of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A message, first try.
    Message,
    /// A retry of acknowledged or request service.
    Retry,
    /// A repetition of repeated service.
    Repetition,
    /// A REMINDER that lists the members that have responded; the retry follows.
    Reminder,
    /// The acknowledgement of a message (ACK).
    Acknowledgement,
    /// A response to a request (RESPONSE).
    Response,
    /// A challenge to the sender of an authenticated message.
    Challenge,
    /// The reply to a challenge.
    Reply,
}

/// Identifies the packets of one outgoing message, distinct from earlier and later messages with the same reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    reference: u32,
    serial: u32,
}

impl Ticket {
    /// The ticket of packets that belong to no message of the node's own.
    pub const NONE: Ticket = Ticket { reference: 0, serial: 0 };

    /// The ticket of message `reference`, the `serial`-th of its node, from 1.
    pub(super) const fn new(reference: u32, serial: u32) -> Self {
        Ticket { reference, serial }
    }

    /// The driver's reference of the message; `None` for [`Ticket::NONE`].
    pub const fn reference(self) -> Option<u32> {
        if self.serial == 0 { None } else { Some(self.reference) }
    }
}

/// A request that the application may respond to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RequestHandle {
    pub(super) record: u16,
    pub(super) serial: u32,
}
