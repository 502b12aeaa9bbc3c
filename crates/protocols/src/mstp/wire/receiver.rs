//! The receive machine: octets of a line in, frames out (clause 9.5.4).

use sojourn_core::{Duration, Time};

use super::error::Fault;
use super::frame::{Frame, Header};
use crate::mstp::BROADCAST;

/// Silence that aborts the reception of a frame, `T_frame_abort`: 95 ms (bacnet-stack); at least 60 bit times, at most 100 ms.
pub const FRAME_ABORT: Duration = Duration::from_millis(95);

/// What the receive machine has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received<'a> {
    /// A valid frame for this node or for all (ReceivedValidFrame).
    Frame(Frame<&'a [u8]>),
    /// A frame for another node has ended; its data are not checked (ReceivedValidFrameNotForUs).
    NotForUs(Header),
    /// A frame was not valid (ReceivedInvalidFrame).
    Invalid(Fault),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Preamble,
    Header,
    /// Data that are kept.
    Data(Header),
    /// Data for others, or too many.
    Skip(Header),
}

/// Finds frames in the octets of a line, one octet at a time.
#[derive(Clone, Debug)]
pub struct Receiver {
    own: Option<u8>,
    abort: Duration,
    state: State,
    /// Octets of the header, then of the data.
    octets: Vec<u8>,
    skipped: usize,
    decoded: Vec<u8>,
    last: Time,
}

impl Receiver {
    /// The receiver of the node with address `own`; without an address it hears all frames, as a capture does.
    pub fn new(own: Option<u8>) -> Self {
        Receiver {
            own,
            abort: FRAME_ABORT,
            state: State::Idle,
            octets: Vec::new(),
            skipped: 0,
            decoded: Vec::new(),
            last: Time::ZERO,
        }
    }

    /// Silence within a frame aborts it after `abort`.
    #[must_use]
    pub fn with_frame_abort(self, abort: Duration) -> Self {
        Receiver { abort, ..self }
    }

    /// Takes an octet at `now`, the end of its stop bit. The last octet of a frame returns it.
    pub fn push(&mut self, now: Time, octet: u8) -> Option<Received<'_>> {
        let is_aborted = now > self.last + self.abort && self.abandon();
        self.last = now;
        match self.state {
            State::Idle | State::Preamble => {
                self.preamble(octet);
                is_aborted.then_some(Received::Invalid(Fault::Aborted))
            }
            State::Header => self.header(octet),
            State::Data(header) => self.data(header, octet),
            State::Skip(header) => self.skip(header),
        }
    }

    /// An octet with a framing error ended at `now`.
    pub fn error(&mut self, now: Time) -> Option<Received<'_>> {
        self.last = now;
        self.abandon().then_some(Received::Invalid(Fault::Framing))
    }

    /// The line has been silent until `now`: a frame that began is aborted after `T_frame_abort`.
    pub fn wake(&mut self, now: Time) -> Option<Received<'_>> {
        let is_due = self.next_wakeup().is_some_and(|due| due <= now);
        (is_due && self.abandon()).then_some(Received::Invalid(Fault::Aborted))
    }

    /// When [`wake`](Self::wake) is due, if the line stays silent; none between frames.
    pub fn next_wakeup(&self) -> Option<Time> {
        (self.state != State::Idle).then(|| self.last + self.abort)
    }

    /// Gives up what began; whether that was more than a preamble.
    fn abandon(&mut self) -> bool {
        !matches!(std::mem::replace(&mut self.state, State::Idle), State::Idle | State::Preamble)
    }

    fn preamble(&mut self, octet: u8) {
        self.state = match (self.state, octet) {
            (_, 0x55) => State::Preamble,
            (State::Preamble, 0xff) => {
                self.octets.clear();
                State::Header
            }
            _ => State::Idle,
        };
    }

    fn header(&mut self, octet: u8) -> Option<Received<'_>> {
        self.octets.push(octet);
        let octets: &[u8; 6] = self.octets.as_slice().try_into().ok()?;
        self.state = State::Idle;
        let header = match Header::parse(octets) {
            Ok(header) => header,
            Err(fault) => return Some(Received::Invalid(fault)),
        };
        let is_ours = self.own.is_none_or(|own| header.destination == own || header.destination == BROADCAST);
        self.octets.clear();
        self.skipped = 0;
        match (is_ours, header.following()) {
            (true, 0) => Some(self.frame(header)),
            (false, 0) => Some(Received::NotForUs(header)),
            (true, _) if header.check().is_ok() => {
                self.state = State::Data(header);
                None
            }
            _ => {
                self.state = State::Skip(header);
                None
            }
        }
    }

    fn data(&mut self, header: Header, octet: u8) -> Option<Received<'_>> {
        self.octets.push(octet);
        if self.octets.len() < header.following() {
            return None;
        }
        self.state = State::Idle;
        Some(self.frame(header))
    }

    fn skip(&mut self, header: Header) -> Option<Received<'_>> {
        self.skipped += 1;
        if self.skipped < header.following() {
            return None;
        }
        self.state = State::Idle;
        let is_ours = self.own.is_none_or(|own| header.destination == own || header.destination == BROADCAST);
        Some(match header.check() {
            Err(fault) if is_ours => Received::Invalid(fault),
            _ => Received::NotForUs(header),
        })
    }

    fn frame(&mut self, header: Header) -> Received<'_> {
        match header.with_field(&self.octets, &mut self.decoded) {
            Ok(frame) => Received::Frame(frame),
            Err(fault) => Received::Invalid(fault),
        }
    }
}
