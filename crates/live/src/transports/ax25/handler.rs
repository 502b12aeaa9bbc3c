//! Connects a port with a transceiver: decodes and encodes frames, counts them, and reports the port's state.

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Frame, ParseError};

use super::port::{End, Notice, Port};
use super::transceiver::{Input, Output, StationOutput, Transceiver};
use crate::io::drive::{AppPoll, Handler};
use crate::progress::report::Report;
use crate::progress::watch::Watch;

/// Queries Dire Wolf's transmit queue in octets; it responds with the same word and the number.
const QUEUE: &[u8] = b"TXBUF:";

/// Frame counts of this end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Frames received, those for others included.
    pub heard: u64,
    /// Frames passed to the TNC.
    pub sent: u64,
    /// Inputs that were not KISS, not a frame, or had a wrong FCS.
    pub garbage: u64,
    /// Times that the connection to the TNC was lost.
    pub losses: u64,
}

/// Handles the datagrams of a port.
pub struct PortHandler<'a> {
    /// Frames sent, received and refused.
    pub counts: Counts,
    /// The error of the first input that was not a frame.
    pub first_fault: Option<ParseError>,
    watch: &'a Watch,
    port: String,
}

impl<'a> PortHandler<'a> {
    /// A handler for a port of this name.
    pub fn new(port: String, watch: &'a Watch) -> PortHandler<'a> {
        PortHandler { counts: Counts::default(), first_fault: None, watch, port }
    }

    /// Where reports for the user go.
    pub fn watch(&self) -> &'a Watch {
        self.watch
    }

    /// Decodes a datagram.
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

    /// Handles outputs for the port; passes the station's outputs on.
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
                "the TNC at {} does not report its transmit queue: T1 starts at the computed end of a burst",
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

    /// Decodes a notice of the port.
    pub fn notice(&mut self, notice: Notice) -> Option<Input> {
        match notice {
            Notice::Lost(loss) => {
                self.counts.losses += 1;
                self.note(format!("the connection to the TNC at {} is lost: {loss}; reconnecting", self.port));
                Some(Input::Port { open: false })
            }
            Notice::Restored => {
                self.note(format!("the TNC at {} is connected again", self.port));
                Some(Input::Port { open: true })
            }
            Notice::Garbage(_) | Notice::BadFcs => {
                self.counts.garbage += 1;
                None
            }
            // a frame that the network refused is lost
            Notice::NoRoute | Notice::Refused(_) => None,
        }
    }

    /// Reports a message to the user.
    pub fn note(&self, text: String) {
        self.watch.report(Report::note(text));
    }
}

/// An application of a station; a [`PortHandler`] handles the port.
pub trait StationApp<'a> {
    /// The handler of the port.
    fn port_handler(&mut self) -> &mut PortHandler<'a>;

    /// Takes an output of the station.
    fn indicate(&mut self, _now: Time, _output: StationOutput) {}

    /// A digipeater repeated an own frame.
    fn repeated(&mut self, _now: Time, _frame: Frame<Vec<u8>>) {}

    /// Lets the application act; returns when to poll it next.
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

/// How an output was handled.
enum Handled {
    /// It is a datagram for this address of the port.
    Datagram(End),
    /// Nothing is left to do.
    Nothing,
    /// It is an output of the station.
    Station(StationOutput),
    /// An own frame was repeated by a digipeater.
    Repeated(Frame<Vec<u8>>),
}
