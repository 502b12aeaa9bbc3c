//! Events that a node counts.

/// An event that a node counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Counter {
    /// Tokens received.
    TokensReceived,
    /// Tokens passed for the first time.
    TokensPassed,
    /// Tokens sent again because they were not used (RetrySendToken).
    TokenRetries,
    /// Successors given up (FindNewSuccessor).
    SuccessorsLost,
    /// Silences after which the token counted as lost (LostToken).
    LostTokens,
    /// Tokens generated (GenerateToken).
    TokensGenerated,
    /// Tokens dropped because another node seemed to have one (ReceivedUnexpectedFrame).
    TokensDropped,
    /// Times that the node found itself the only master (DeclareSoleMaster).
    SoleMaster,
    /// Poll For Master sent.
    PollsSent,
    /// Replies to Poll For Master received.
    MastersFound,
    /// Replies to Poll For Master sent.
    PollReplies,
    /// Frames of the application sent with the token.
    FramesSent,
    /// Waits for a reply that ended with silence (ReplyTimeout).
    ReplyTimeouts,
    /// Replies Postponed received.
    PostponedReceived,
    /// Replies sent without the token.
    RepliesSent,
    /// Replies Postponed sent.
    PostponedSent,
    /// Replies of the application that came too late for a slave.
    LateReplies,
    /// Invalid frames received.
    InvalidFrames,
    /// Frames received from the node's own address (DuplicateNode).
    DuplicateNode,
}

impl From<Counter> for usize {
    fn from(counter: Counter) -> usize {
        counter as usize
    }
}

/// A node's counts since it was created.
pub type Counters = crate::counters::Counters<Counter, 19>;
