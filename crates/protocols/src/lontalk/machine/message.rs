//! What an application sends, and what comes of it.

use thiserror::Error;

use crate::UserData;
use crate::limits::OutOfRange;
use crate::lontalk::timer::TransactionTimer;
use crate::lontalk::wire::{Apdu, Destination, SubnetNode, UniqueId};

/// A message an application hands over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message<D> {
    /// How the protocol makes sure of it.
    pub service: Service,
    /// Whom it is for.
    pub recipient: Recipient,
    /// Sent with priority, and its answers too.
    pub priority: bool,
    /// The recipient asks for proof of identity. Not for unacknowledged service, nor for broadcasts.
    pub authenticated: bool,
    /// Further tries of acknowledged and request service, or repetitions, 0 to 15.
    pub retries: u8,
    /// Time between tries or repetitions.
    pub timer: TransactionTimer,
    /// What the application has to say.
    pub apdu: Apdu<D>,
}

/// How the protocol makes sure that a message arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Sent once.
    Unacknowledged,
    /// Sent several times; recipients drop duplicates.
    UnacknowledgedRepeated,
    /// Sent until acknowledged.
    Acknowledged,
    /// Sent until answered by the recipient's application.
    Request,
}

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipient {
    /// All nodes of a subnet, or of the domain.
    Broadcast {
        /// Subnet, 0 for the whole domain.
        subnet: u8,
        /// Answers to expect on the channel, 0 when unknown (15 are announced).
        backlog: u8,
    },
    /// The members of a group.
    Group {
        /// Group number.
        group: u8,
        /// Members, the sender included if it is one. At most 64 for acknowledged and request service.
        size: u16,
    },
    /// One node.
    Node(SubnetNode),
    /// The node with a manufacture number.
    UniqueId {
        /// A hint for routers, 0 for anywhere.
        subnet: u8,
        /// The number.
        id: UniqueId,
    },
}

/// Why a message was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The one transaction of its priority class is open.
    #[error("a transaction of the same priority class is open")]
    Busy,
    /// More further tries than a node can be told.
    #[error("{0} retries are beyond 15")]
    Retries(u8),
    /// A group too large to be answered by all.
    #[error("a group of {0} members is beyond the 64 of acknowledged and request service")]
    Group(u16),
    /// The APDU has no bytes.
    #[error(transparent)]
    Apdu(OutOfRange),
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All answers came; or, of unacknowledged service, all copies were handed over.
    Success,
    /// Answers are missing and no tries are left.
    Failure,
    /// It was never begun.
    Refused(Refusal),
}

impl Service {
    /// Whether recipients answer.
    pub const fn expects_response(self) -> bool {
        matches!(self, Service::Acknowledged | Service::Request)
    }
}

impl Recipient {
    /// The address that packets to the recipient bear.
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
    /// Refuses what no node could send.
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

    /// Whether packets of the message ask for proof of identity.
    pub fn is_authenticated(&self) -> bool {
        self.authenticated
            && self.service != Service::Unacknowledged
            && !matches!(self.recipient, Recipient::Broadcast { .. })
    }
}
