//! A connection: its first frame, and what its thread needs.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::{Grant, Input};
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Packet, ParseError, Pdu, Reason, tag_field};

use super::events::{Answer, EventSender};
use crate::io::clock::Clock;
use crate::key::NamedKey;
use crate::mesh::permission::Permission;
use crate::servers::agent::keyring::Keyring;

/// Timeout of the first frame, which is one TCP segment.
const FIRST_FRAME_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection and what its thread needs.
#[derive(Debug)]
pub(super) struct Connection {
    pub number: u64,
    pub socket: TcpStream,
    pub from: SocketAddr,
    pub keyring: Keyring,
    /// The key of its first frame, once that is authentic.
    pub key: Option<Arc<NamedKey>>,
    pub clock: Clock,
    /// The peers the agent may measure for its clients, if any.
    pub permission: Option<Permission>,
    pub events: EventSender,
    pub inbox: Receiver<Answer>,
    pub over: Arc<AtomicBool>,
}

impl Connection {
    /// The first frame as an input of the machine, if it arrives in time and is authentic.
    pub fn first_frame(&mut self) -> io::Result<Input> {
        let mut frame = [0; CONTROL_LENGTH as usize];
        let deadline = Instant::now() + FIRST_FRAME_TIMEOUT;
        let mut filled = 0;
        while filled < frame.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.socket.set_read_timeout(Some(left))?;
            match self.socket.read(&mut frame[filled..])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                more => filled += more,
            }
        }
        self.socket.set_read_timeout(None)?;
        let (parsed, key) = self.keyring.parse(&frame);
        self.key = Some(key);
        let (connection, from) = (self.number, self.from);
        match (parsed, tag_field(&frame)) {
            (Ok(packet), _) => Ok(Input::StreamRequested { connection, from, packet }),
            (Err(ParseError::Version(_)), Some(tag)) => Ok(Input::StreamOfForeignVersion { connection, from, tag }),
            (Err(_), _) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// The key of its first frame.
    pub fn key(&self) -> io::Result<&Key> {
        self.key.as_ref().map(|named| &named.key).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Refuses the request in the first frame.
    pub fn refuse(&mut self, reason: Reason, asked: Packet) -> io::Result<()> {
        self.send(Packet { pdu: Pdu::Refused { nonce: [0; 16], reason }, ..asked })
    }

    /// Sends a control frame.
    pub fn send(&mut self, packet: Packet) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(usize::from(CONTROL_LENGTH));
        packet.emit(self.key()?, CONTROL_LENGTH, &mut bytes);
        self.socket.write_all(&bytes)
    }

    /// Whether its time or its session is over.
    pub fn is_over(&self, grant: &Grant) -> bool {
        self.over.load(Ordering::Relaxed) || self.clock.now() >= grant.until
    }

    /// Reports to the machine what the connection carried.
    pub fn carried(&self, grant: &Grant, octets_in: u64, octets_out: u64) {
        self.events.send_input(Input::StreamProgress { token: grant.token, octets_in, octets_out });
    }
}
