//! Inputs and outputs of an endpoint.

use std::sync::Arc;

use super::configuration::Configuration;
use super::outcome::{Event, Purpose, Reason, Refusal};
use crate::xtp::wire::{Address, Packet, Traffic};

/// Identifier of a context of an endpoint; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId {
    pub(super) index: u32,
    pub(super) serial: u32,
}

/// A user request or a received packet. For a context that has ended a write is refused and all else has no effect.
/// `H` identifies a host or multicast group for the driver.
#[derive(Clone, Debug)]
pub enum Input<D, H> {
    /// Accept associations opened to an address. Replaces an earlier listener with this identifier.
    Listen {
        /// Identifier of the listener, chosen by the driver.
        listener: u32,
        /// Which FIRST packets it accepts.
        filter: AddressFilter,
        /// Configuration of the associations at this end.
        configuration: Arc<Configuration>,
    },
    /// Accept no further associations.
    StopListening {
        /// Identifier of the listener.
        listener: u32,
    },
    /// Open an association; [`Output::Opened`] returns its context. FIRST is sent at once.
    Open {
        /// Identifier of the request, chosen by the driver.
        reference: u32,
        /// Destination host or group.
        to: H,
        /// Address segment of FIRST.
        address: Address,
        /// Unicast, or multicast with its number of receivers.
        cast: Cast,
        /// Configuration of the association at this end.
        configuration: Arc<Configuration>,
        /// Data of FIRST, and whether they end a message.
        data: Option<(D, bool)>,
    },
    /// Send data. A write is sent in one or more packets, which it does not share with other writes.
    Write {
        /// Context of the association.
        context: ContextId,
        /// Data bytes, at least 1.
        data: D,
        /// Whether its last byte ends a message.
        end_of_message: bool,
    },
    /// The user has consumed delivered data (needed with [`Consumption::Reported`](super::Consumption::Reported)).
    Consumed {
        /// Context of the association.
        context: ContextId,
        /// Additional bytes consumed since the last input.
        bytes: u64,
    },
    /// The user has posted a buffer, which matters if the peer sets RES.
    Post {
        /// Context of the association.
        context: ContextId,
        /// Additional bytes of buffer since the last input.
        bytes: u64,
    },
    /// Close this end's stream (WCLOSE); the association ends once the peer has closed too.
    Close {
        /// Context of the association.
        context: ContextId,
    },
    /// Stop reading (RCLOSE); data received later are discarded.
    StopReading {
        /// Context of the association.
        context: ContextId,
    },
    /// Abort the association: END is sent at once.
    Abort {
        /// Context of the association.
        context: ContextId,
    },
    /// A packet with a valid checksum was received.
    Receive {
        /// Host that sent it.
        from: H,
        /// The parsed packet, checksum verified.
        packet: Packet<D>,
        /// Whether its status request is answered. If not, its data are accepted and included in the next report.
        answer: bool,
    },
    /// A data packet of [`Output::Transmit`] was sent; needed if
    /// [`Limits::packets_in_flight`](super::Limits::packets_in_flight) is set.
    Transmitted,
}

/// Which FIRST packets a listener accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressFilter {
    /// Null address segments (format 0).
    Null,
    /// IPv4 addresses (format 1) with this destination port.
    Port(u16),
}

/// Whether an association is unicast or multicast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cast {
    /// One peer, both directions.
    #[default]
    Unicast,
    /// A group, one direction.
    Multicast {
        /// Number of receivers, each of which must respond; ignored without error and flow control.
        receivers: u32,
    },
}

/// An action for the driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D, H> {
    /// Transmit a packet; queued packets with a lower `sort` first.
    Transmit {
        /// Destination host or group.
        to: H,
        /// The packet to emit and transmit.
        packet: Packet<D>,
        /// Why it is sent.
        purpose: Purpose,
    },
    /// The context of an [`Input::Open`].
    Opened {
        /// Identifier of the request.
        reference: u32,
        /// Context of the new association.
        context: ContextId,
    },
    /// A listener accepted an association.
    Accepted {
        /// Identifier of the listener.
        listener: u32,
        /// Context of the new association.
        context: ContextId,
        /// Host that opened it.
        from: H,
        /// Address segment of FIRST.
        address: Address,
        /// Traffic segment of FIRST.
        traffic: Traffic,
    },
    /// The peer, or every receiver, has responded for the first time.
    Established {
        /// Context of the association.
        context: ContextId,
    },
    /// In-order data for the user.
    Deliver {
        /// Context of the association.
        context: ContextId,
        /// Sequence number of its first byte.
        seq: u64,
        /// Data bytes, at least 1.
        data: D,
        /// Whether its last byte ends a message.
        end_of_message: bool,
    },
    /// The peer has closed its stream, and all its data were delivered.
    EndOfStream {
        /// Context of the association.
        context: ContextId,
    },
    /// The send buffer has space again after a refused write.
    Writable {
        /// Context of the association.
        context: ContextId,
    },
    /// A request of the driver was refused.
    Refused {
        /// Identifier of an [`Input::Open`].
        reference: Option<u32>,
        /// Context of another request.
        context: Option<ContextId>,
        /// Reason of the refusal.
        refusal: Refusal,
    },
    /// The association has ended. Its context lingers to answer late packets.
    Closed {
        /// Context of the association.
        context: ContextId,
        /// Why the association ended.
        reason: Reason,
    },
    /// An event for statistics.
    Report {
        /// Context that it concerns, if any.
        context: Option<ContextId>,
        /// The event to count.
        event: Event,
    },
}
