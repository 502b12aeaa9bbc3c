//! What all who speak through a transceiver share: datagrams become its inputs and its outputs datagrams, and what the
//! port has to say is told.

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Frame, ParseError};

use super::port::{End, Notice, Port};
use super::transceiver::{Input, Output, StationOutput, Transceiver};
use crate::io::drive::{Speaker, Turn};
use crate::progress::report::Report;
use crate::progress::watch::Watch;

/// Asks Dire Wolf how many octets wait in its transmit queue; it answers with the same word and the number.
const QUEUE: &[u8] = b"TXBUF:";

/// What this end saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames heard, those for others included.
    pub heard: u64,
    /// Frames transmitted.
    pub sent: u64,
    /// What came and was no KISS, no frame, or had a wrong FCS.
    pub garbage: u64,
    /// Times the way to the TNC was lost.
    pub losses: u64,
}

/// Keeps the books.
pub struct Clerk<'a> {
    /// What was seen.
    pub counts: Counts,
    /// What was wrong with the first thing that was no frame.
    pub first_fault: Option<ParseError>,
    watch: &'a Watch,
    port: String,
}

impl<'a> Clerk<'a> {
    /// For a port of this name.
    pub fn new(port: String, watch: &'a Watch) -> Clerk<'a> {
        Clerk { counts: Counts::default(), first_fault: None, watch, port }
    }

    /// Whom the user can be told by.
    pub fn watch(&self) -> &'a Watch {
        self.watch
    }

    /// What a datagram means.
    fn hear(&mut self, from: End, datagram: &[u8]) -> Option<Input> {
        match from {
            End::Channel => {
                self.counts.heard += 1;
                Some(Input::Heard(datagram.to_vec()))
            }
            End::Tnc => {
                let number = std::str::from_utf8(datagram.strip_prefix(QUEUE)?).ok()?;
                Some(Input::Queue(number.trim().parse().ok()?))
            }
        }
    }

    /// Takes what concerns the port; what the station says is handed on.
    fn speak(&mut self, output: Output, datagram: &mut Vec<u8>) -> Said {
        match output {
            Output::Transmit(octets) => {
                self.counts.sent += 1;
                *datagram = octets;
                return Said::Datagram(End::Channel);
            }
            Output::AskQueue => {
                datagram.extend_from_slice(QUEUE);
                return Said::Datagram(End::Tnc);
            }
            Output::QueueUntold => self.note(format!(
                "the TNC at {} does not tell its transmit queue: T1 starts when a burst has left by reckoning",
                self.port
            )),
            Output::Unreadable(fault) => {
                self.counts.garbage += 1;
                self.first_fault.get_or_insert(fault);
            }
            Output::Station(output) => return Said::Station(output),
            Output::Repeated(frame) => return Said::Repeated(frame),
        }
        Said::Nothing
    }

    /// What the port says means to the transceiver.
    pub fn notice(&mut self, notice: Notice) -> Option<Input> {
        match notice {
            Notice::Lost(loss) => {
                self.counts.losses += 1;
                self.note(format!("the way to the TNC at {} is lost: {loss}; trying again", self.port));
                Some(Input::Port { open: false })
            }
            Notice::Restored => {
                self.note(format!("the TNC at {} is there again", self.port));
                Some(Input::Port { open: true })
            }
            Notice::Garbage(_) | Notice::BadFcs => {
                self.counts.garbage += 1;
                None
            }
            // a frame that the network refused is one more that was lost
            Notice::NoRoute | Notice::Refused(_) => None,
        }
    }

    /// Tells the user something at once.
    pub fn note(&self, text: String) {
        self.watch.report(Report::note(text));
    }
}

/// Acts on what a station says; a [`Clerk`] sees to the port.
pub trait Actor<'a> {
    /// Who keeps the books.
    fn clerk(&mut self) -> &mut Clerk<'a>;

    /// The station said something.
    fn told(&mut self, _now: Time, _output: StationOutput) {}

    /// A digipeater repeated an own frame.
    fn repeated(&mut self, _now: Time, _frame: Frame<Vec<u8>>) {}

    /// Its turn: what it has to say, and when it wants the next one.
    fn turn(&mut self, now: Time, transceiver: &mut Transceiver) -> Turn;
}

impl<'a, A: Actor<'a>, P: Port> Speaker<Transceiver, P> for A {
    fn hear(&mut self, _now: Time, from: End, datagram: &[u8]) -> Option<Input> {
        self.clerk().hear(from, datagram)
    }

    fn speak(&mut self, now: Time, output: Output, datagram: &mut Vec<u8>) -> Option<End> {
        match self.clerk().speak(output, datagram) {
            Said::Datagram(end) => return Some(end),
            Said::Station(output) => self.told(now, output),
            Said::Repeated(frame) => self.repeated(now, frame),
            Said::Nothing => {}
        }
        None
    }

    fn notice(&mut self, _now: Time, notice: Notice) -> Option<Input> {
        self.clerk().notice(notice)
    }

    fn turn(&mut self, now: Time, transceiver: &mut Transceiver) -> Turn {
        Actor::turn(self, now, transceiver)
    }
}

/// What became of an output.
enum Said {
    /// It is a datagram, for this end of the port.
    Datagram(End),
    /// It was dealt with.
    Nothing,
    /// The station said it.
    Station(StationOutput),
    /// An own frame was repeated by a digipeater.
    Repeated(Frame<Vec<u8>>),
}
