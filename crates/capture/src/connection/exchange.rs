//! Matches requests and answers by the turns of a conversation.

use sojourn_core::Time;

use crate::Moment;

/// Finds exchanges: a request is all new information of the initiator up to the first of the responder, the answer all of
/// the responder's up to the next of the initiator.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    open: Option<Turns>,
}

/// A request, and its answer as far as it has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    begin: Moment,
    /// When the first packet of the answer was captured, and when the last.
    answer: Option<(Moment, Time)>,
    request_bytes: u32,
    answer_bytes: u32,
    repeats: u32,
}

impl Exchange {
    /// New information. Returns the exchange that it ends: information of the initiator after an answer begins the next.
    /// Information of the responder that answers nothing, such as a greeting, belongs to no exchange.
    pub fn information(&mut self, forward: bool, at: Moment, bytes: u32) -> Option<Turns> {
        match (&mut self.open, forward) {
            (None, false) => None,
            (Some(open), false) => {
                open.answer = Some((open.answer.map_or(at, |(first, _)| first), at.time));
                open.answer_bytes = open.answer_bytes.saturating_add(bytes);
                None
            }
            (Some(open), true) if open.answer.is_none() => {
                open.request_bytes = open.request_bytes.saturating_add(bytes);
                None
            }
            (open, true) => {
                open.replace(Turns { begin: at, answer: None, request_bytes: bytes, answer_bytes: 0, repeats: 0 })
            }
        }
    }

    /// Information was sent again; an answer that was not acknowledged yet is complete only now. Returns whether it
    /// belongs to an exchange.
    pub fn repeated(&mut self, forward: bool, time: Time, acknowledged: bool) -> bool {
        let Some(open) = &mut self.open else { return false };
        open.repeats = open.repeats.saturating_add(1);
        open.extend(forward, time, acknowledged);
        true
    }

    /// A digipeater or a node forwarded information: the answer is complete with its last copy.
    pub fn forwarded(&mut self, forward: bool, time: Time, acknowledged: bool) {
        if let Some(open) = &mut self.open {
            open.extend(forward, time, acknowledged);
        }
    }

    /// Ends the conversation: the exchange that is open.
    pub fn finish(&mut self) -> Option<Turns> {
        self.open.take()
    }
}

impl Turns {
    fn extend(&mut self, forward: bool, time: Time, acknowledged: bool) {
        if let Some((_, last)) = self.answer.as_mut().filter(|_| !forward && !acknowledged) {
            *last = (*last).max(time);
        }
    }

    pub fn is_answered(&self) -> bool {
        self.answer.is_some()
    }

    pub fn begin(&self) -> Moment {
        self.begin
    }

    /// When the first packet of the answer was captured.
    pub fn end(&self) -> Option<Moment> {
        self.answer.map(|(first, _)| first)
    }

    /// When the last one was.
    pub fn completed(&self) -> Option<Time> {
        self.answer.map(|(_, last)| last)
    }

    pub fn repeats(&self) -> u32 {
        self.repeats
    }

    pub fn request_bytes(&self) -> u32 {
        self.request_bytes
    }

    pub fn answer_bytes(&self) -> u32 {
        self.answer_bytes
    }
}
