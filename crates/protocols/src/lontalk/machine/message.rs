//! Messages of an application, and their outcome.

use thiserror::Error;

use crate::UserData;
use crate::limits::OutOfRange;
use crate::lontalk::timer::TransactionTimer;
use crate::lontalk::wire::{Apdu, Destination, SubnetNode, UniqueId};

/// A message that an application sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message<D> {
    /// The message service to use.
    pub service: Service,
    /// The addressed node, group, subnet or domain.
    pub recipient: Recipient,
    /// Priority of the message and its responses.
    pub priority: bool,
    /// Authenticated: the recipient challenges the sender. Not for unacknowledged service or broadcasts.
    pub authenticated: bool,
    /// Retry count of acknowledged and request service, or repeat count, 0 to 15.
    pub retries: u8,
    /// Transaction timer or repeat timer: time between tries or repetitions.
    pub timer: TransactionTimer,
    /// The APDU to send.
    pub apdu: Apdu<D>,
}

/// The message services of ISO/IEC 14908-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Sent once, without acknowledgement (UNACKD).
    Unacknowledged,
    /// Sent several times (UNACKD_RPT); recipients drop duplicates.
    UnacknowledgedRepeated,
    /// Retried until acknowledged (ACKD).
    Acknowledged,
    /// Request/response: retried until the recipient's application responds.
    Request,
}

/// The recipient of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipient {
    /// Broadcast to all nodes of a subnet, or of the domain.
    Broadcast {
        /// Subnet, 0 for the whole domain.
        subnet: u8,
        /// Responses expected on the channel, 0 if unknown (the delta backlog is then 15).
        backlog: u8,
    },
    /// Multicast to the members of a group.
    Group {
        /// Group number, 0 to 255.
        group: u8,
        /// Number of members, including the sender if it is one. At most 64 for acknowledged and request service.
        size: u16,
    },
    /// Unicast to one node.
    Node(SubnetNode),
    /// The node with a unique id (Neuron ID).
    UniqueId {
        /// The subnet to which routers forward the packet, 0 for all.
        subnet: u8,
        /// The unique id (Neuron ID).
        id: UniqueId,
    },
}

/// Why a message was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The one transaction of its priority class is open.
    #[error("a transaction of the same priority class is open")]
    Busy,
    /// The retry count exceeds four bits.
    #[error("{0} retries exceed the limit of 15")]
    Retries(u8),
    /// The group is too large for acknowledged or request service.
    #[error("a group of {0} members exceeds the limit of 64 for acknowledged and request service")]
    Group(u16),
    /// The APDU cannot be encoded.
    #[error(transparent)]
    Apdu(OutOfRange),
}

/// The outcome of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All responses were received; for unacknowledged service, all copies were sent.
    Success,
    /// Responses are missing and no retries are left.
    Failure,
    /// No transaction was started.
    Refused(Refusal),
}

impl Service {
    /// Whether recipients acknowledge or respond.
    pub const fn expects_response(self) -> bool {
        matches!(self, Service::Acknowledged | Service::Request)
    }
}

impl Recipient {
    /// The destination address of packets to the recipient.
    pub const fn destination(&self) -> Destination {
        match *self {
            Recipient::Broadcast { subnet, .. } => Destination::Broadcast { subnet },
            Recipient::Group { group, .. } => Destination::Group { group },
            Recipient::Node(node) => Destination::Node(node),
            Recipient::UniqueId { subnet, id } => Destination::UniqueId { subnet, id },
        }
    }
}

impl<D: UserData> Message<D> {
    /// Checks that every parameter is in range.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.retries > 15 {
            return Err(Refusal::Retries(self.retries));
        }
        if let Recipient::Group { size, .. } = self.recipient
            && size > 64
            && self.service.expects_response()
        {
            return Err(Refusal::Group(size));
        }
        self.apdu.check().map_err(Refusal::Apdu)
    }

    /// Whether packets of the message have the authentication bit set.
    pub fn is_authenticated(&self) -> bool {
        self.authenticated
            && self.service != Service::Unacknowledged
            && !matches!(self.recipient, Recipient::Broadcast { .. })
    }
}
