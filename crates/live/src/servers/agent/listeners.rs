//! The agent's sockets: datagrams with their stamps, and TCP connections.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddr, TcpListener};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use sojourn_core::{Duration, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::server::{Grant, Input};
use sojourn_protocols::probe::wire::Token;

use super::gso_queue::Load;
use super::replies::{Replies, Reply};
use super::streams::Streams;
use crate::io::clock::{Clock, to_timespec};
use crate::io::datagrams::{self, Datagrams, Reading};
use crate::io::link::{SEND_PATIENCE, wait_for};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{Direction, PacketIo, Received};

/// Datagrams before stamps and connections have their turn, so that no flood keeps them waiting. Where so many wait they
/// crowd, and are taken as the trains that they came in.
const MOST_IN_A_ROW: u32 = 32;
/// So long without a crowd, and each is taken with a stamp of its own again. A train that arrives in that instant is
/// taken for one datagram and lost.
const CALM: Duration = Duration::from_secs(1);
/// Everything but the one door that is in use is looked after when nothing came for a tick or two of the kernel, however
/// much comes so often, and at once where more are in use.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Replies of which nobody asks when they left while others may be waited for.
const MOST_UNASKED: u32 = 3;
/// Ports that the system may choose for UDP before one of them is free for TCP, too.
const CHOICES: u32 = 8;
/// Both families, each with a socket and a listener, and the word of streams.
const MOST_SOCKETS: usize = 5;

/// One address with its port, over UDP and TCP.
#[derive(Debug)]
struct Door {
    address: SocketAddr,
    datagrams: Datagrams,
    replies: Replies,
    load: Load,
    listener: TcpListener,
    /// What the last wait found: datagrams, connections.
    readable: bool,
    knocked: bool,
    /// When a datagram came last.
    heard: Option<Time>,
}

/// All doors and what came through them.
#[derive(Debug)]
pub struct Doors {
    doors: Vec<Door>,
    streams: Streams,
    clock: Clock,
    /// Departures of which no stamp will come.
    unstamped: VecDeque<Input>,
    /// Datagrams since anything else had its turn.
    in_a_row: u32,
    /// Which door had its turn last.
    turn: usize,
    /// Replies that left since departures were asked for.
    unasked: u32,
    /// A datagram ended the last wait, and who gets the answer may share this processor: nothing is done that can be done
    /// later.
    is_in_a_hurry: bool,
    /// When datagrams crowded last; trains are taken since.
    crowded: Option<Time>,
    /// When all sockets were looked after last.
    looked: Time,
}

/// Where a datagram comes from or goes, or what is to be done with connections.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// It came.
    From {
        /// Who sent it.
        address: SocketAddr,
        /// When it was read.
        at: Time,
        /// When the kernel had it.
        kernel_at: Option<Time>,
    },
    /// It goes.
    To {
        /// To whom.
        address: SocketAddr,
        /// What it is to be known by.
        what: Leaving,
    },
    /// It is the answer to the first frame of a connection.
    Stream {
        /// Which.
        connection: u64,
        /// What it may do; nothing more without.
        grant: Option<Grant>,
    },
    /// Every connection of a session is to end.
    AllStreamsOf {
        /// Whose.
        token: Token,
    },
}

impl From<datagrams::Arrival> for End {
    fn from(arrival: datagrams::Arrival) -> End {
        let datagrams::Arrival { from, at, kernel_at } = arrival;
        End::From { address: from, at, kernel_at }
    }
}

/// What leaves.
#[derive(Clone, Copy, Debug)]
pub enum Leaving {
    /// A reply, whose departure is told.
    Reply(Reply),
    /// Load, which may leave with more of its kind.
    Load,
    /// Anything else.
    Control,
}

/// Why a door did not open.
#[derive(Debug)]
pub struct Unopened {
    /// `UDP` or `TCP`.
    pub transport: &'static str,
    /// Where.
    pub address: SocketAddr,
    /// What the system said.
    pub fault: io::Error,
}

impl Door {
    fn open(address: SocketAddr, clock: Clock) -> Result<Door, Unopened> {
        let unopened = |transport| move |fault| Unopened { transport, address, fault };
        let mut choices = if address.port() == 0 { CHOICES } else { 1 };
        let (mut datagrams, address, listener) = loop {
            let datagrams = Datagrams::at(clock, address).map_err(unopened("UDP"))?;
            // port 0 lets the system choose one, which both then have
            let chosen = datagrams.local().map_err(unopened("UDP"))?;
            choices -= 1;
            match TcpListener::bind(chosen) {
                Ok(listener) => break (datagrams, chosen, listener),
                Err(fault) if fault.kind() == io::ErrorKind::AddrInUse && choices > 0 => {}
                Err(fault) => return Err(Unopened { transport: "TCP", address: chosen, fault }),
            }
        };
        datagrams.read_class();
        listener.set_nonblocking(true).map_err(|fault| Unopened { transport: "TCP", address, fault })?;
        let (replies, load) = (Replies::new(), Load::default());
        Ok(Door { address, datagrams, replies, load, listener, readable: false, knocked: false, heard: None })
    }

    /// The next departure that a stamp tells of.
    fn departure(&mut self) -> Option<Input> {
        while let Some((number, at)) = self.datagrams.departed() {
            if let Some(reply) = self.replies.take(number) {
                return Some(left(reply, at, true));
            }
        }
        None
    }
}

impl Doors {
    /// Opens every address over UDP and TCP.
    pub fn open(addresses: &[SocketAddr], key: &Key, clock: Clock) -> Result<Doors, Unopened> {
        let doors: Vec<Door> = addresses.iter().map(|address| Door::open(*address, clock)).collect::<Result<_, _>>()?;
        let address = addresses[0];
        let streams =
            Streams::new(key.clone(), clock).map_err(|fault| Unopened { transport: "TCP", address, fault })?;
        Ok(Doors {
            doors,
            streams,
            clock,
            unstamped: VecDeque::new(),
            in_a_row: 0,
            turn: 0,
            unasked: 0,
            is_in_a_hurry: false,
            crowded: None,
            looked: Time::ZERO,
        })
    }

    /// Where it listens.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.doors.iter().map(|door| door.address).collect()
    }

    /// Ends every connection.
    pub fn close(&mut self) {
        self.streams.close();
    }

    fn send_datagram(&mut self, to: SocketAddr, what: Leaving, datagram: &[u8]) {
        let family = |door: &&mut Door| door.address.is_ipv4() == to.is_ipv4();
        let Some(door) = self.doors.iter_mut().find(family) else { return };
        if let Leaving::Load = what {
            return door.load.add(to, datagram, &mut door.datagrams);
        }
        // a reply leaves in the traffic class of its probe, which came last: a mark of congestion comes back so
        let class = match what {
            Leaving::Reply(_) => door.datagrams.last_class().unwrap_or(0),
            _ => 0,
        };
        for _ in 0..2 {
            match door.datagrams.send_in_class(class, to, datagram) {
                Ok(number) => {
                    let Leaving::Reply(reply) = what else { return };
                    if door.datagrams.stamping().kernel_transmit {
                        door.replies.sent(number, reply);
                        self.unasked += 1;
                    } else {
                        self.unstamped.push_back(left(reply, self.clock.now(), false));
                    }
                    // another is there by now only in a crowd: else the next wait finds it, with no call in vain before
                    door.readable &= self.crowded.is_some();
                    return;
                }
                Err(NetworkError::System(Errno::AGAIN | Errno::NOBUFS)) => {
                    wait_for(&door.datagrams, PollFlags::OUT, SEND_PATIENCE);
                }
                // what the network says of one datagram concerns the one who is not answered
                Err(_) => return,
            }
        }
    }

    /// The next datagram of any door, each door having its turn.
    fn datagram(&mut self, buffer: &mut [u8]) -> Option<(datagrams::Arrival, usize)> {
        for _ in 0..self.doors.len() {
            self.turn = if self.turn + 1 < self.doors.len() { self.turn + 1 } else { 0 };
            let door = &mut self.doors[self.turn];
            while door.readable || door.datagrams.is_giving() {
                match door.datagrams.receive(Reading::AtOnce, buffer) {
                    Received::Datagram(arrival, datagram) => {
                        door.heard = Some(arrival.at);
                        return Some((arrival, datagram.len()));
                    }
                    // an ICMP error about some reply
                    Received::Notice(_) => {}
                    Received::Nothing => door.readable = false,
                }
            }
        }
        None
    }

    /// So many wait that they are taken as they came, in trains.
    fn crowd(&mut self) {
        if self.crowded.is_none() {
            self.doors.iter_mut().for_each(|door| door.datagrams.take_trains(true));
        }
        self.crowded = Some(self.clock.now());
        self.is_in_a_hurry = false;
    }

    /// Nothing waits; when it has been so for a while, each is taken with a stamp of its own.
    fn calm_down(&mut self) {
        if self.crowded.is_some_and(|last| self.clock.now().since(last) > CALM) {
            self.doors.iter_mut().for_each(|door| door.datagrams.take_trains(false));
            self.crowded = None;
        }
    }

    /// The one door that has been heard of late, if there is enough time to wait there for what is likely to come next.
    fn only_door(&self, now: Time, limit: Duration) -> Option<usize> {
        let in_use = |door: &Door| door.heard.is_some_and(|last| now.since(last) < CALM);
        let index = self.doors.iter().position(in_use)?;
        let is_only = self.crowded.is_none() && !self.doors[index + 1..].iter().any(in_use);
        let longest = self.doors[index].datagrams.longest_read();
        (is_only && limit > longest).then_some(index)
    }

    /// Waits until something is to be done anywhere, or `limit` is over; whether there is.
    fn look(&mut self, limit: Duration) -> bool {
        let mut sockets =
            [const { PollFlags::empty() }; MOST_SOCKETS].map(|_| PollFd::new(&self.streams, PollFlags::IN));
        for (index, door) in self.doors.iter().enumerate() {
            sockets[2 * index + 1] = PollFd::new(&door.datagrams, PollFlags::IN);
            sockets[2 * index + 2] = PollFd::new(&door.listener, PollFlags::IN);
        }
        let used = 1 + 2 * self.doors.len();
        if poll(&mut sockets[..used], Some(&to_timespec(limit))).is_err() {
            return false;
        }
        let found = sockets.map(|socket| socket.revents());
        if !found[0].is_empty() {
            self.streams.hush();
        }
        for (index, door) in self.doors.iter_mut().enumerate() {
            let of_datagrams = found[2 * index + 1];
            door.datagrams.found(of_datagrams);
            // an error that is no stamp is told by reading
            door.readable = !of_datagrams.is_empty();
            door.knocked = !found[2 * index + 2].is_empty();
        }
        found[..used].iter().any(|found| !found.is_empty())
    }

    /// Takes in connections; those beyond what is served end at once.
    fn accept(&mut self) {
        for door in self.doors.iter_mut().filter(|door| door.knocked) {
            while let Ok((stream, from)) = door.listener.accept() {
                self.streams.begin(stream, from);
            }
            door.knocked = false;
        }
    }
}

impl PacketIo for Doors {
    type End = End;
    type Notice = Input;

    fn send(&mut self, to: End, datagram: &[u8]) -> Result<(), Input> {
        match to {
            End::To { address, what } => self.send_datagram(address, what, datagram),
            End::Stream { connection, grant } => self.streams.answer(connection, datagram, grant),
            End::AllStreamsOf { token } => self.streams.end_all_of(token),
            End::From { .. } => {}
        }
        Ok(())
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, End, Input> {
        self.doors.iter_mut().for_each(|door| door.load.leave(&mut door.datagrams));
        // what a stream carried counts before its client, who knows that by now, can close the session
        if let Some(input) = self.streams.said() {
            return Received::Notice(input);
        }
        if self.in_a_row < MOST_IN_A_ROW
            && let Some((arrival, length)) = self.datagram(buffer)
        {
            self.in_a_row += 1;
            return Received::Datagram(End::from(arrival), &buffer[..length]);
        }
        if std::mem::take(&mut self.in_a_row) == MOST_IN_A_ROW {
            self.crowd();
            self.doors.iter_mut().for_each(|door| door.knocked = true);
        }
        if !self.is_in_a_hurry || self.unasked >= MOST_UNASKED {
            if let Some(input) = self.doors.iter_mut().find_map(Door::departure) {
                return Received::Notice(input);
            }
            self.unasked = 0;
        }
        if !self.is_in_a_hurry {
            self.accept();
        }
        self.unstamped.pop_front().map_or(Received::Nothing, Received::Notice)
    }

    fn wait(&mut self, limit: Duration) {
        self.look(limit);
    }

    fn wait_and_receive<'a>(&mut self, limit: Duration, buffer: &'a mut [u8]) -> Received<'a, End, Input> {
        if self.doors.iter().any(|door| door.datagrams.is_giving()) {
            return self.receive(buffer);
        }
        self.calm_down();
        let now = self.clock.now();
        let only = self.only_door(now, limit);
        self.is_in_a_hurry &= only.is_some() && now.since(self.looked) <= LOOK_EVERY;
        if !self.is_in_a_hurry {
            self.looked = now;
            let limit = if only.is_some() { Duration::ZERO } else { limit };
            if self.look(limit) {
                return self.receive(buffer);
            }
        }
        let Some(index) = only else { return Received::Nothing };
        let door = &mut self.doors[index];
        let received = door.datagrams.receive(Reading::InTime, buffer);
        self.is_in_a_hurry = matches!(received, Received::Datagram(..));
        // an ICMP error about some reply is of no interest
        let Received::Datagram(arrival, datagram) = received else { return Received::Nothing };
        let length = datagram.len();
        (door.heard, door.readable) = (Some(arrival.at), true);
        if self.streams.has_word() {
            door.datagrams.receive_again(arrival, &buffer[..length]);
            return self.receive(buffer);
        }
        Received::Datagram(End::from(arrival), &buffer[..length])
    }

    /// Never: tcpdump sees these packets, those over TCP among them.
    fn record(&self, _direction: Direction, _end: End, _datagram: &[u8], _record: &mut Vec<u8>) -> bool {
        false
    }

    fn may_lose(&self, to: End) -> bool {
        matches!(to, End::To { .. })
    }
}

fn left(reply: Reply, at: Time, by_kernel: bool) -> Input {
    let Reply { token, sequence, receive_ns } = reply;
    let residence_ns = (at.picoseconds() / 1000).saturating_sub(receive_ns);
    Input::ReplySent { token, sequence, residence_ns, by_kernel }
}
