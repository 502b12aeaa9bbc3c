//! What goes into an endpoint and what comes out.

use std::sync::Arc;

use super::configuration::Configuration;
use super::outcome::{Event, Purpose, Reason, Refusal};
use crate::xtp::wire::{Address, Packet, Traffic};

/// A context of an endpoint. It names no other context, ever, after this one has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId {
    pub(super) index: u32,
    pub(super) serial: u32,
}

/// What a driver tells an endpoint. Of a context that has ended only a write is refused; all else is without effect.
/// `H` is the driver's name for a host or a group of hosts.
#[derive(Clone, Debug)]
pub enum Input<D, H> {
    /// Accept associations that are opened to an address. Replaces an earlier listener of the same name.
    Listen {
        /// The driver's name for the listener.
        listener: u32,
        /// Which FIRST packets it takes.
        wanted: Wanted,
        /// How the associations behave at this end.
        configuration: Arc<Configuration>,
    },
    /// Accept no further associations.
    StopListening {
        /// The listener.
        listener: u32,
    },
    /// Open an association; [`Output::Opened`] tells its context. FIRST goes out at once.
    Open {
        /// The driver's name for the request.
        reference: u32,
        /// Where packets go.
        to: H,
        /// Whom it is for.
        address: Address,
        /// To how many.
        cast: Cast,
        /// How the association behaves at this end.
        configuration: Arc<Configuration>,
        /// What FIRST carries, and whether it ends a message.
        data: Option<(D, bool)>,
    },
    /// Send data. It becomes one packet, or several if it is longer than a packet may be; writes share no packet.
    Write {
        /// The context.
        context: ContextId,
        /// The data.
        data: D,
        /// Whether its last byte ends a message.
        end_of_message: bool,
    },
    /// The user has consumed delivered data ([`Consumption::Reported`](super::Consumption::Reported)).
    Consumed {
        /// The context.
        context: ContextId,
        /// How many bytes more.
        bytes: u64,
    },
    /// The user has posted a buffer, which counts where the peer sets RES.
    Post {
        /// The context.
        context: ContextId,
        /// How many bytes more.
        bytes: u64,
    },
    /// Send no more, and end the association gracefully once the peer does too.
    Close {
        /// The context.
        context: ContextId,
    },
    /// Accept no more data; the peer is told to stop.
    StopReading {
        /// The context.
        context: ContextId,
    },
    /// End the association now.
    Abort {
        /// The context.
        context: ContextId,
    },
    /// A packet with a valid checksum came in.
    Receive {
        /// Who sent it.
        from: H,
        /// The packet.
        packet: Packet<D>,
        /// Whether its request for status is honoured. Without, its data is taken all the same, and the next
        /// report tells of it.
        answer: bool,
    },
    /// A data packet of [`Output::Transmit`] has left; counts where
    /// [`Limits::packets_in_flight`](super::Limits::packets_in_flight) is set.
    Transmitted,
}

/// Which FIRST packets a listener takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those without an address (format 0).
    Null,
    /// Those for this IPv4 port, of any host.
    Port(u16),
}

/// To how many an association goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cast {
    /// One peer, both ways.
    #[default]
    Unicast,
    /// A group, one way.
    Multicast {
        /// How many receivers there are; each must answer. Not counted without error and flow control.
        receivers: u32,
    },
}

/// What an endpoint tells its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D, H> {
    /// Transmit a packet; those with a lower `sort` first where they wait.
    Transmit {
        /// Where to.
        to: H,
        /// The packet.
        packet: Packet<D>,
        /// What it is sent for.
        purpose: Purpose,
    },
    /// [`Input::Open`] has its context.
    Opened {
        /// The request's name.
        reference: u32,
        /// Its context.
        context: ContextId,
    },
    /// A listener took an association.
    Accepted {
        /// The listener.
        listener: u32,
        /// The new context.
        context: ContextId,
        /// Who opened it.
        from: H,
        /// The address it was opened to.
        address: Address,
        /// What it asks for.
        traffic: Traffic,
    },
    /// The peer, or every receiver, has answered for the first time.
    Established {
        /// The context.
        context: ContextId,
    },
    /// Data for the user, in order.
    Deliver {
        /// The context.
        context: ContextId,
        /// Sequence number of its first byte.
        sequence: u64,
        /// The data.
        data: D,
        /// Whether its last byte ends a message.
        end_of_message: bool,
    },
    /// The peer sends no more; all it sent has been delivered.
    EndOfStream {
        /// The context.
        context: ContextId,
    },
    /// After a refused write: there is room again.
    Writable {
        /// The context.
        context: ContextId,
    },
    /// A request of the driver was not carried out.
    Refused {
        /// Of a request to open, its name.
        reference: Option<u32>,
        /// Of others, the context they named.
        context: Option<ContextId>,
        /// Why.
        refusal: Refusal,
    },
    /// The association has ended. Its context still answers late packets for a while.
    Closed {
        /// The context.
        context: ContextId,
        /// How it ended.
        reason: Reason,
    },
    /// Something happened that a driver may count.
    Report {
        /// The context, if there is one.
        context: Option<ContextId>,
        /// What happened.
        event: Event,
    },
}
