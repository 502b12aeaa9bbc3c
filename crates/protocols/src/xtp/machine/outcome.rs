//! The words in which an endpoint says why it sends, refuses, ends an association, and what it noticed.

use thiserror::Error;

use crate::xtp::wire::{Code, Value};

/// Why a packet is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Data for the first time, FIRST included.
    Data,
    /// Data again.
    Retransmission,
    /// Reports what was received.
    Answer,
    /// Asks for status: a synchronising handshake or a question whether the peer is there.
    Question,
    /// Ends the association, or tells of its end.
    End,
    /// A DIAG.
    Diagnostic,
}

/// Why a request of the driver was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Refusal {
    /// No context is free.
    #[error("no context is free")]
    NoContext,
    /// The context has ended, or never was.
    #[error("there is no such context")]
    UnknownContext,
    /// The send buffer is full; [`Output::Writable`](super::Output::Writable) will say when it is not.
    #[error("the send buffer is full")]
    BufferFull,
    /// After a close nothing can be written.
    #[error("the stream has been closed")]
    Closed,
    /// Receivers of a multicast association do not write.
    #[error("a receiver of a multicast association does not write")]
    OneWay,
    /// Writes of no bytes have no place in the stream.
    #[error("a write needs at least one byte")]
    Empty,
    /// The configuration cannot work.
    #[error("the configuration cannot work: {0}")]
    Configuration(&'static str),
}

/// How an association ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Reason {
    /// Gracefully, with all data delivered both ways.
    #[error("closed")]
    Finished,
    /// By this end's abort.
    #[error("aborted")]
    Aborted,
    /// By the peer, with END before all was delivered.
    #[error("aborted by the peer")]
    AbortedByPeer,
    /// The peer did not answer.
    #[error("the peer did not answer")]
    PeerSilent,
    /// The peer answers, and the same data has not arrived however often it was sent.
    #[error("the same data was sent again and again and never arrived")]
    NoProgress,
    /// The peer sent a DIAG.
    #[error("the peer reports {0:?}, {1:?}")]
    Diagnosed(Code, Value),
}

/// Something that happened, for a driver that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// Data was received again.
    Duplicate,
    /// Data came after a gap and is held.
    Held,
    /// Data came after a gap and is dropped (go-back-n), or there was no room to hold it.
    DroppedAfterGap,
    /// Data lies beyond what was allocated and is dropped.
    BeyondAllocation,
    /// Bytes that will not come any more were skipped (NOERR).
    Skipped(u64),
    /// WTIMER expired: a synchronising handshake began, or its question is repeated.
    Handshake,
    /// CTIMER expired: the peer is asked whether it is there.
    LivenessQuestion,
    /// The peer does not take more data; what was not delivered is dropped.
    PeerStopsReading,
    /// The peer broke the protocol; its packet is dropped.
    Violation(Violation),
    /// A packet for a context that does not exist.
    UnknownKey,
    /// A FIRST that no listener takes.
    NoListener,
    /// A FIRST for which no context is free.
    NoContext,
}

/// How a peer broke the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
pub enum Violation {
    /// `rseq` is beyond what was sent.
    #[error("a report of data that was never sent")]
    ReceivedBeyondSent,
    /// `echo` is beyond what was asked.
    #[error("an answer to a question that was never asked")]
    EchoBeyondAsked,
    /// Spans are empty, out of order, overlap, or lie outside what was sent.
    #[error("spans that are out of order or of data never sent")]
    Spans,
    /// Sequence numbers pass the end of their range.
    #[error("data beyond the last sequence number")]
    SequenceRange,
    /// Data lies beyond the end that the peer itself announced, or the end moved.
    #[error("data beyond the announced end")]
    BeyondEnd,
    /// A packet for a context came from a host that is not its peer.
    #[error("a packet from a stranger")]
    Stranger,
    /// Data for the sender of a multicast association.
    #[error("data for the sender of a multicast association")]
    DataToSender,
    /// A format that has no meaning here.
    #[error("a packet format out of place")]
    OutOfPlace,
    /// A multicast association has answers of more hosts than it has receivers.
    #[error("more receivers than there should be")]
    TooManyReceivers,
}
