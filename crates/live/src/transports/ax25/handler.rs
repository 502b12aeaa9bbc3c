//! What all who speak through a transceiver share: datagrams become its inputs and its outputs datagrams, and what the
//! port has to say is told.

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Frame, ParseError};

use super::port::{End, Notice, Port};
use super::transceiver::{Input, Output, StationOutput, Transceiver};
use crate::io::drive::{AppPoll, Handler};
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
pub struct PortHandler<'a> {
    /// What was seen.
    pub counts: Counts,
    /// What was wrong with the first thing that was no frame.
    pub first_fault: Option<ParseError>,
    watch: &'a Watch,
    port: String,
}

impl<'a> PortHandler<'a> {
    /// For a port of this name.
    pub fn new(port: String, watch: &'a Watch) -> PortHandler<'a> {
        PortHandler { counts: Counts::default(), first_fault: None, watch, port }
    }

    /// Whom the user can be told by.
    pub fn watch(&self) -> &'a Watch {
        self.watch
    }

    /// What a datagram means.
    fn decode(&mut self, from: End, datagram: &[u8]) -> Option<Input> {
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
    fn encode(&mut self, output: Output, datagram: &mut Vec<u8>) -> Handled {
        match output {
            Output::Transmit(octets) => {
                self.counts.sent += 1;
                *datagram = octets;
                return Handled::Datagram(End::Channel);
            }
            Output::AskQueue => {
                datagram.extend_from_slice(QUEUE);
                return Handled::Datagram(End::Tnc);
            }
            Output::QueueUnknown => self.note(format!(
                "the TNC at {} does not tell its transmit queue: T1 starts when a burst has left by reckoning",
                self.port
            )),
            Output::Unreadable(fault) => {
                self.counts.garbage += 1;
                self.first_fault.get_or_insert(fault);
            }
            Output::Station(output) => return Handled::Station(output),
            Output::Repeated(frame) => return Handled::Repeated(frame),
        }
        Handled::Nothing
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

/// Acts on what a station says; a [`PortHandler`] sees to the port.
pub trait StationApp<'a> {
    /// Who keeps the books.
    fn port_handler(&mut self) -> &mut PortHandler<'a>;

    /// The station said something.
    fn indicate(&mut self, _now: Time, _output: StationOutput) {}

    /// A digipeater repeated an own frame.
    fn repeated(&mut self, _now: Time, _frame: Frame<Vec<u8>>) {}

    /// Its turn: what it has to say, and when it wants the next one.
    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll;
}

impl<'a, A: StationApp<'a>, P: Port> Handler<Transceiver, P> for A {
    fn decode(&mut self, _now: Time, from: End, datagram: &[u8]) -> Option<Input> {
        self.port_handler().decode(from, datagram)
    }

    fn encode(&mut self, now: Time, output: Output, datagram: &mut Vec<u8>) -> Option<End> {
        match self.port_handler().encode(output, datagram) {
            Handled::Datagram(end) => return Some(end),
            Handled::Station(output) => self.indicate(now, output),
            Handled::Repeated(frame) => self.repeated(now, frame),
            Handled::Nothing => {}
        }
        None
    }

    fn notice(&mut self, _now: Time, notice: Notice) -> Option<Input> {
        self.port_handler().notice(notice)
    }

    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll {
        StationApp::poll_app(self, now, transceiver)
    }
}

/// What became of an output.
enum Handled {
    /// It is a datagram, for this end of the port.
    Datagram(End),
    /// It was dealt with.
    Nothing,
    /// The station said it.
    Station(StationOutput),
    /// An own frame was repeated by a digipeater.
    Repeated(Frame<Vec<u8>>),
}
