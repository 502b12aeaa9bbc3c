//! Messages over a stream that come back in their order.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use sojourn_core::{Duration, Time};

use crate::clock::Clock;
use crate::link::{Refusal, unless_blocked};
use crate::measuring::datagrams::{Marking, refusal, wait_for};
use crate::measuring::peer::{Answer, Heard, Peer, Request};

/// Bytes that wait for a stream that takes no more; beyond them a request is refused.
const MOST_UNSENT: usize = 4 << 20;
/// Bytes of a message's number.
const NUMBER: usize = 8;

/// One connection.
#[derive(Debug)]
pub struct Exchange {
    stream: TcpStream,
    clock: Clock,
    /// What the stream would not take yet.
    unsent: VecDeque<u8>,
    awaited: VecDeque<Awaited>,
    /// Answers that nobody has taken yet.
    whole: VecDeque<Answer>,
    incoming: Vec<u8>,
    /// Why nothing comes any more.
    ended: Option<Refusal>,
}

/// A message that has not come back whole.
#[derive(Debug)]
struct Awaited {
    sequence: u64,
    octets: usize,
    returned: usize,
}

/// What came back was not what was sent.
#[derive(Debug, PartialEq, Eq)]
struct NoEcho;

impl Exchange {
    /// Connects.
    pub fn to(clock: Clock, address: SocketAddr, marking: &Marking) -> io::Result<Exchange> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        marking.apply(&socket, address.ip())?;
        rustix::net::bind(&socket, &marking.local(address.ip()))?;
        rustix::net::connect(&socket, &address)?;
        let stream = TcpStream::from(socket);
        // a message waits for no other, and the loop waits for nothing
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let (unsent, awaited, whole) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        Ok(Exchange { stream, clock, unsent, awaited, whole, incoming: vec![0; 1 << 16], ended: None })
    }

    fn flush(&mut self) -> io::Result<()> {
        while !self.unsent.is_empty() {
            let Some(length) = unless_blocked(self.stream.write(self.unsent.as_slices().0))? else { break };
            self.unsent.drain(..length);
        }
        Ok(())
    }

    /// Reads what is there.
    fn read(&mut self) -> Result<(), Refusal> {
        let read = unless_blocked(self.stream.read(&mut self.incoming)).map_err(|fault| refusal(&fault))?;
        let Some(length) = read else { return Ok(()) };
        if length == 0 {
            return Err(Refusal::System(Errno::CONNRESET));
        }
        let received = self.clock.now();
        let Exchange { awaited, whole, incoming, .. } = self;
        let (kernel_received, far, marked) = (None, None, None);
        let answered = |sequence| whole.push_back(Answer { sequence, received, kernel_received, far, marked });
        count(awaited, &incoming[..length], answered).map_err(|NoEcho| Refusal::System(Errno::PROTO))
    }
}

impl Peer for Exchange {
    fn send(&mut self, request: Request) -> Result<Time, Refusal> {
        if let Some(refusal) = self.ended {
            return Err(refusal);
        }
        let octets = request.octets.max(self.least_octets()) as usize;
        if self.unsent.len() + octets > MOST_UNSENT {
            return Err(Refusal::System(Errno::NOBUFS));
        }
        self.unsent.extend(request.sequence.to_be_bytes());
        self.unsent.extend(std::iter::repeat_n(0, octets - NUMBER));
        self.awaited.push_back(Awaited { sequence: request.sequence, octets, returned: 0 });
        let before = self.clock.now();
        self.flush().map_err(|fault| refusal(&fault))?;
        Ok(before)
    }

    fn receive(&mut self) -> Heard {
        if self.whole.is_empty() && self.ended.is_none() {
            let outcome = self.flush().map_err(|fault| refusal(&fault)).and_then(|()| self.read());
            self.ended = outcome.err();
            if let Some(refusal) = self.ended {
                return Heard::Refused(refusal);
            }
        }
        self.whole.pop_front().map_or(Heard::Nothing, Heard::Answer)
    }

    fn wait(&mut self, limit: Duration) {
        wait_for(self.stream.as_fd(), limit);
    }

    fn least_octets(&self) -> u32 {
        NUMBER as u32
    }
}

/// Counts bytes that came for the messages that are awaited, and tells of each that is whole now.
fn count(awaited: &mut VecDeque<Awaited>, bytes: &[u8], mut whole: impl FnMut(u64)) -> Result<(), NoEcho> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let message = awaited.front_mut().ok_or(NoEcho)?;
        let (part, behind) = rest.split_at(rest.len().min(message.octets - message.returned));
        let number = message.sequence.to_be_bytes();
        if number.iter().skip(message.returned).zip(part).any(|(sent, came)| sent != came) {
            return Err(NoEcho);
        }
        message.returned += part.len();
        if message.returned == message.octets {
            whole(message.sequence);
            awaited.pop_front();
        }
        rest = behind;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn awaited(messages: &[(u64, usize)]) -> VecDeque<Awaited> {
        messages.iter().map(|&(sequence, octets)| Awaited { sequence, octets, returned: 0 }).collect()
    }

    #[test]
    fn messages_are_whole_when_their_last_byte_is_there_however_the_stream_is_cut() {
        let messages = [(7, 20), (8, 8), (9, 11)];
        let bytes: Vec<u8> = messages
            .iter()
            .flat_map(|(sequence, octets): &(u64, usize)| {
                let mut message = sequence.to_be_bytes().to_vec();
                message.resize(*octets, 0);
                message
            })
            .collect();
        for length in 1..=bytes.len() {
            let (mut awaited, mut whole) = (awaited(&messages), Vec::new());
            for part in bytes.chunks(length) {
                count(&mut awaited, part, |sequence| whole.push(sequence)).unwrap();
            }
            assert_eq!(whole, [7, 8, 9]);
            assert!(awaited.is_empty());
        }
    }

    #[test]
    fn a_server_that_sends_something_else_is_no_echo() {
        let greeting = b"220 mail.example ready\r\n";
        assert_eq!(count(&mut awaited(&[(7, 64)]), greeting, |_| {}), Err(NoEcho));
        assert_eq!(count(&mut awaited(&[]), b"?", |_| {}), Err(NoEcho), "nobody asked");
    }
}
