//! A KISS TNC.

use sojourn_core::Duration;
use sojourn_protocols::kiss::{Command, Deframer, Message};

use super::{End, Notice, Port, capture};
use crate::io::line::{Line, Reading};
use crate::io::packet_io::Received;
use crate::io::packet_io::{Direction, PacketIo};

/// Octets of the longest frame accepted: the largest N1, and the header.
const LONGEST: usize = 8191 + 73;

/// A TNC on a [`Line`].
#[derive(Debug)]
pub struct KissPort {
    line: Line,
    deframer: Deframer,
    /// The TNC's radio port, 0 to 15.
    radio: u8,
    /// Parameters sent to the TNC whenever the line opens.
    parameters: Vec<Command<Vec<u8>>>,
    bytes: Vec<u8>,
    /// Bytes read and not parsed yet.
    unread: std::ops::Range<usize>,
}

impl KissPort {
    /// A TNC on an open line; its parameters are sent.
    pub fn new(line: Line, radio: u8, parameters: Vec<Command<Vec<u8>>>) -> KissPort {
        let mut port =
            KissPort { line, deframer: Deframer::new(LONGEST), radio, parameters, bytes: vec![0; 4096], unread: 0..0 };
        port.configure();
        port
    }

    fn configure(&mut self) {
        for command in self.parameters.clone() {
            self.write(command);
        }
    }

    fn write<D: AsRef<[u8]>>(&mut self, command: Command<D>) {
        let mut unit = Vec::new();
        if (Message { port: self.radio, command }).emit(&mut unit).is_ok() {
            self.line.write(&unit);
        }
    }

    /// The next message in the bytes read, or its error.
    fn next_unit(&mut self, buffer: &mut [u8]) -> Option<Result<(End, usize), Notice>> {
        for at in self.unread.by_ref() {
            let (end, octets) = match self.deframer.push(self.bytes[at]) {
                None => continue,
                Some(Err(fault)) => return Some(Err(Notice::Garbage(fault))),
                Some(Ok(Message { port, .. })) if port != self.radio => continue,
                Some(Ok(Message { command: Command::Data(octets), .. })) => (End::Channel, octets),
                Some(Ok(Message { command: Command::SetHardware(octets), .. })) => (End::Tnc, octets),
                // a TNC sends no parameters
                Some(Ok(_)) => continue,
            };
            let length = octets.len().min(buffer.len());
            buffer[..length].copy_from_slice(&octets[..length]);
            return Some(Ok((end, length)));
        }
        None
    }
}

impl PacketIo for KissPort {
    type End = End;
    type Notice = Notice;

    fn send(&mut self, to: End, octets: &[u8]) -> Result<(), Notice> {
        match to {
            End::Channel => self.write(Command::Data(octets)),
            End::Tnc => self.write(Command::SetHardware(octets)),
        }
        // the next read reports a lost line
        Ok(())
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, End, Notice> {
        loop {
            match self.next_unit(buffer) {
                Some(Ok((end, length))) => return Received::Datagram(end, &buffer[..length]),
                Some(Err(notice)) => return Received::Notice(notice),
                None => {}
            }
            match self.line.read(&mut self.bytes) {
                Reading::Bytes(count) => self.unread = 0..count,
                Reading::Nothing => return Received::Nothing,
                Reading::Lost(loss) => return Received::Notice(Notice::Lost(loss)),
                Reading::Restored => {
                    self.deframer = Deframer::new(LONGEST);
                    self.configure();
                    return Received::Notice(Notice::Restored);
                }
            }
        }
    }

    fn wait(&mut self, limit: Duration) {
        self.line.wait(limit);
    }

    fn may_lose(&self, to: End) -> bool {
        to == End::Channel
    }

    fn record(&self, _direction: Direction, end: End, octets: &[u8], record: &mut Vec<u8>) -> bool {
        capture(end, octets, record)
    }
}

impl Port for KissPort {
    fn name(&self) -> String {
        self.line.place().name()
    }
}
