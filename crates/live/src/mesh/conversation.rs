//! The lines of either end over their connection, and how long each end may be silent.

use std::io::{self, Write};
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::lines::{LineError, LineReader, LineWriter, Speaker};
use sojourn_protocols::probe::wire::Token;

/// How often each end sends a line, at least: an empty one where there is nothing to say.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// How long an end may be silent: then the other takes the connection for lost.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(16);
/// Octets read at a time.
const CHUNK: usize = 64 << 10;

/// One end of a connection.
pub struct Conversation<'a> {
    socket: &'a TcpStream,
    reader: LineReader,
    writer: LineWriter,
    /// When the other end was heard last, and when a line was sent last.
    heard: Instant,
    spoke: Instant,
    chunk: Vec<u8>,
    /// Octets received and sent since this was asked last.
    octets: [u64; 2],
}

impl<'a> Conversation<'a> {
    /// The end of `own` on the connection that request `number` of a session was granted; lines of the other end have
    /// `longest` octets at most.
    pub fn new(
        socket: &'a TcpStream,
        key: &Key,
        (token, number): (Token, u64),
        own: Speaker,
        longest: u32,
    ) -> io::Result<Conversation<'a>> {
        socket.set_nodelay(true)?;
        socket.set_write_timeout(Some(LONGEST_SILENCE))?;
        let now = Instant::now();
        Ok(Conversation {
            socket,
            reader: LineReader::new(key.clone(), token, number, own.other(), longest),
            writer: LineWriter::new(key.clone(), token, number, own),
            heard: now,
            spoke: now,
            chunk: vec![0; CHUNK],
            octets: [0; 2],
        })
    }

    /// Receives what has arrived; without [`MsgFlags::MSG_DONTWAIT`] it waits for it as long as the socket does. The error is
    /// [`io::ErrorKind::UnexpectedEof`] where the other end has closed the connection.
    pub fn receive(&mut self, flags: MsgFlags) -> io::Result<()> {
        match recv(self.socket.as_raw_fd(), &mut self.chunk, flags) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                self.heard = Instant::now();
                self.octets[0] += length as u64;
                self.reader.push(&self.chunk[..length]);
                Ok(())
            }
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(()),
            Err(fault) => Err(fault.into()),
        }
    }

    /// The next line that is complete.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>, LineError> {
        self.reader.next_line()
    }

    /// Sends a line.
    pub fn send(&mut self, line: &[u8]) -> io::Result<()> {
        let mut octets = Vec::new();
        if !self.writer.append(line, &mut octets) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.socket.write_all(&octets)?;
        self.spoke = Instant::now();
        self.octets[1] += octets.len() as u64;
        Ok(())
    }

    /// Sends an empty line if none was sent for a while.
    pub fn keep_alive(&mut self) -> io::Result<()> {
        if self.spoke.elapsed() >= HEARTBEAT { self.send(b"") } else { Ok(()) }
    }

    /// Whether the other end has been silent for too long.
    pub fn is_silent(&self) -> bool {
        self.heard.elapsed() > LONGEST_SILENCE
    }

    /// Octets received and sent since this was asked last.
    pub fn take_octets(&mut self) -> [u64; 2] {
        std::mem::take(&mut self.octets)
    }
}
