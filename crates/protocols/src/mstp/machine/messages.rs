//! What a node takes and what it gives.

use sojourn_core::Time;

use crate::mstp::wire::{Frame, FrameType};

/// What a driver passes to a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input<D> {
    /// Octets, or errors, are on the line; the last of them ends at `until`. A driver of octets passes one at a time, a simulation a
    /// whole frame at its beginning or end.
    Activity {
        /// How many octets and errors.
        octets: u32,
        /// When the silence after them begins; not later than the time of calls that follow the activity.
        until: Time,
    },
    /// ReceivedValidFrame: a frame to this node or to all has ended.
    Frame(Frame<D>),
    /// ReceivedValidFrameNotForUs: a frame to another node has ended.
    NotForUs,
    /// ReceivedInvalidFrame: a frame was not valid.
    Invalid,
    /// The last octet of the frame of [`Output::Transmit`] has left.
    Sent,
    /// The application queues a frame for the next token.
    Send {
        /// The type: [`FrameType::of_data`] of an NPDU.
        kind: FrameType,
        /// The node that it is for, or all.
        destination: u8,
        /// Its data.
        data: D,
    },
    /// The application replies to the request that was delivered last, at once where it still can, else with the next token. A
    /// reply of a slave that is late is dropped.
    Reply {
        /// The node that asked.
        destination: u8,
        /// The NPDU.
        data: D,
    },
    /// The application cannot reply in time: Reply Postponed is sent, and the reply follows as [`Input::Reply`].
    Postpone,
}

/// What a node requests of or reports to its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output<D> {
    /// Transmit this frame, and then pass [`Input::Sent`].
    Transmit(Frame<D>),
    /// Data for the application.
    Deliver(Delivery<D>),
    /// The wait for the reply to a frame of the application has ended without data.
    Unanswered {
        /// The node that was asked.
        destination: u8,
        /// Why.
        outcome: Outcome,
    },
}

/// Data for the application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery<D> {
    /// The type of the frame. A request is replied to by [`Input::Reply`] or [`Input::Postpone`].
    pub kind: FrameType,
    /// The node that sent it.
    pub source: u8,
    /// Whether it was sent to all nodes; confirmed requests are then dropped.
    pub broadcast: bool,
    /// Whether it answers the frame that the node waits for with the token in hand. Replies that were postponed do not.
    pub is_reply: bool,
    /// The data.
    pub data: D,
}

/// Why there is no reply yet, or none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// The reply was postponed.
    Postponed,
    /// Silence for `T_reply_timeout`.
    Timeout,
    /// An invalid frame, or one for another node, came in its place.
    Disturbed,
    /// A frame came that says that another node has a token.
    Unexpected,
}
