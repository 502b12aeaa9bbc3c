//! Purposes of packets, refusals, close reasons, events and protocol violations.

use thiserror::Error;

use crate::xtp::wire::{Code, Value};

/// Why a packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// New data, FIRST included.
    Data,
    /// Data sent before, retransmitted.
    Retransmission,
    /// Control packet in response to a status request.
    Report,
    /// Status request of a synchronizing handshake or keep-alive.
    StatusRequest,
    /// Control packet that closes a stream or ends the association.
    End,
    /// DIAG packet that reports an error.
    Diagnostic,
}

/// Why a request of the driver was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// The maximum number of contexts is in use.
    #[error("no context is free")]
    NoContext,
    /// The context has ended or never existed.
    #[error("there is no such context")]
    UnknownContext,
    /// The send buffer is full; [`Output::Writable`](super::Output::Writable) follows when it has space.
    #[error("the send buffer is full")]
    BufferFull,
    /// The stream is closed.
    #[error("the stream has been closed")]
    Closed,
    /// Receivers of a multicast association cannot send.
    #[error("a receiver of a multicast association does not write")]
    OneWay,
    /// The write is empty.
    #[error("a write needs at least one byte")]
    Empty,
    /// The configuration is invalid.
    #[error("invalid configuration: {0}")]
    Configuration(&'static str),
}

/// Why an association ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Reason {
    /// Graceful close, all data delivered in both directions.
    #[error("closed")]
    Finished,
    /// Aborted by this end.
    #[error("aborted")]
    Aborted,
    /// Aborted by the peer: END before all data were delivered.
    #[error("aborted by the peer")]
    AbortedByPeer,
    /// The peer did not respond (`retry_count` or CTIMEOUT).
    #[error("the peer did not respond")]
    PeerUnresponsive,
    /// The peer responds, but the same data are lost in all retransmissions.
    #[error("all retransmissions of the same data were lost")]
    NoProgress,
    /// The peer sent a DIAG that ends the association.
    #[error("the peer reports {0:?}, {1:?}")]
    Diagnosed(Code, Value),
}

/// An event, for statistics of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Duplicate data were received.
    Duplicate,
    /// Out-of-order data were buffered.
    OutOfOrder,
    /// Out-of-order data were dropped (go-back-n, or reorder buffer full).
    DroppedAfterGap,
    /// Data beyond the allocation were dropped.
    BeyondAllocation,
    /// Lost bytes were skipped (NOERR).
    Skipped(u64),
    /// WTIMER expired: a synchronizing handshake starts, or its request is repeated.
    Handshake,
    /// CTIMER expired: a keep-alive status request is sent.
    LivenessProbe,
    /// The peer set RCLOSE before all data were delivered; the rest is dropped.
    PeerStoppedReading,
    /// The peer violated the protocol; its packet is dropped.
    Violation(Violation),
    /// A packet for an unknown context was received.
    UnknownKey,
    /// A FIRST that no listener accepts was received.
    NoListener,
    /// A FIRST was refused for lack of contexts.
    NoContext,
}

/// How a peer violated the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Violation {
    /// `rseq` is above the sequence numbers sent.
    #[error("rseq of a report is above the sequence numbers sent")]
    RseqBeyondSeq,
    /// `echo` is above the sync numbers sent.
    #[error("echo of a report is above the sync numbers sent")]
    EchoBeyondSync,
    /// Spans are empty, unordered, overlapping, or outside the data sent.
    #[error("spans of a report are out of order or above the sequence numbers sent")]
    Spans,
    /// Sequence numbers exceed their range.
    #[error("data beyond the last sequence number")]
    SequenceRange,
    /// Data lie beyond the end of the stream that WCLOSE set, or the end changed.
    #[error("data beyond the end that WCLOSE set")]
    BeyondEnd,
    /// A packet for a context arrived from a host other than its peer.
    #[error("a packet from a host that is not the peer")]
    WrongHost,
    /// Data were sent to the sender of a multicast association.
    #[error("data for the sender of a multicast association")]
    DataToSender,
    /// The packet format is invalid in this state.
    #[error("the packet format is invalid in this state")]
    OutOfPlace,
    /// More hosts than the configured receivers responded to a multicast association.
    #[error("more receivers than configured")]
    TooManyReceivers,
}
