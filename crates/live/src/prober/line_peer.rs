//! A peer that a client machine asks, over one stream of octets or one carrier of frames: a serial line, a TCP connection, a bus.
//!
//! The machine is driven on the probing thread: while the prober waits and receives, and when it sends.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read, write};
use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::Record;

use super::failures::Failures;
use super::peer::{Peer, PeerEvent, Request, Response, Socket};
use super::reconnection::{Open, Reconnection};
use crate::io::alarm::Alarm;
use crate::io::clock::{Clock, to_timespec};
use crate::io::datagrams::ReadMode;
use crate::io::network_error::{NetworkError, ServiceError};

/// Octets that wait for a line that accepts none, at most.
const MAX_UNSENT: usize = 1 << 16;
/// Blocks that are read at most before timers and other sockets get their turn.
const MOST_READ: usize = 1000;

/// What blocks of octets come and go over, without blocking.
pub trait Channel: Send {
    /// What is readable once a block may have come.
    fn file(&self) -> BorrowedFd<'_>;

    /// Reads a block; nothing of a channel that is closed.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno>;

    /// Writes a block, or the beginning of one where it is a stream.
    fn write(&mut self, octets: &[u8]) -> Result<usize, Errno>;
}

/// A stream.
impl Channel for OwnedFd {
    fn file(&self) -> BorrowedFd<'_> {
        self.as_fd()
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        read(&*self, buffer)
    }

    fn write(&mut self, octets: &[u8]) -> Result<usize, Errno> {
        write(&*self, octets)
    }
}

/// A client of a protocol, which asks and reads what comes back.
pub trait LineClient {
    /// Takes the request of this sequence number; false if too many wait already.
    fn ask(&mut self, now: Time, sequence: u64) -> bool;

    /// Takes octets that were received; an error ends the connection.
    fn received(&mut self, now: Time, octets: &[u8]) -> Result<(), ServiceError>;

    /// The connection is lost.
    fn lost(&mut self, now: Time);

    /// Takes note of timers that are due by `now`.
    fn wake(&mut self, now: Time);

    /// When [`wake`](LineClient::wake) is due; `None` if no timer runs.
    fn next_wakeup(&self) -> Option<Time>;

    /// What is to be done next.
    fn poll(&mut self) -> Option<Step>;

    /// Nothing will be asked of requests before a sequence number any more.
    fn forget(&mut self, _before: u64) {}

    /// Records further metrics of these requests.
    fn record_metrics(&self, _requests: Range<u64>, _record: &mut Record) {}
}

/// What a client asks of its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send octets.
    Send(Vec<u8>),
    /// A frame for captures.
    Frame(Time, Vec<u8>),
    /// A request was answered.
    Answered {
        /// Its sequence number.
        sequence: u64,
        /// When the last octet of the answer was read.
        at: Time,
    },
    /// A request failed.
    Failed {
        /// Its sequence number.
        sequence: u64,
        /// When.
        at: Time,
        /// Why.
        error: ServiceError,
    },
}

/// A peer at the other end of a line.
pub struct LinePeer<'f, C, L = OwnedFd> {
    client: C,
    clock: Clock,
    /// The line, unless it is lost.
    line: Option<L>,
    reconnection: Reconnection<L>,
    has_restarted: bool,
    unsent: VecDeque<Vec<u8>>,
    incoming: Vec<u8>,
    /// When requests that have not ended were sent.
    sent: BTreeMap<u64, Time>,
    events: VecDeque<PeerEvent>,
    failures: Failures,
    frames: Option<&'f mut dyn FrameSink>,
}

impl<C: LineClient, L: Channel + 'static> LinePeer<'_, C, L> {
    /// Opens the line, which does not block; after it was lost, again.
    pub fn open(client: C, clock: Clock, open: Open<L>) -> io::Result<LinePeer<'static, C, L>> {
        Ok(LinePeer {
            client,
            clock,
            line: Some(open()?),
            reconnection: Reconnection::new(open),
            has_restarted: false,
            unsent: VecDeque::new(),
            incoming: vec![0; 1 << 12],
            sent: BTreeMap::new(),
            events: VecDeque::new(),
            failures: Failures::default(),
            frames: None,
        })
    }

    /// The same, whose frames go to a capture.
    pub fn captured(self, frames: &mut dyn FrameSink) -> LinePeer<'_, C, L> {
        LinePeer { frames: Some(frames), ..self }
    }

    /// Carries out what the client asks for.
    fn turn(&mut self) {
        while let Some(step) = self.client.poll() {
            match step {
                Step::Send(octets) => {
                    self.unsent.push_back(octets);
                    self.flush();
                }
                Step::Frame(at, octets) => {
                    if let Some(frames) = &mut self.frames {
                        frames.frame(at, &octets);
                    }
                }
                Step::Answered { sequence, at } => {
                    self.sent.remove(&sequence);
                    let response = Response { sequence, received: at, kernel_received: None, far: None, class: None };
                    self.events.push_back(PeerEvent::Response(response));
                }
                Step::Failed { sequence, at, error } => self.failed(sequence, at, error),
            }
        }
    }

    fn failed(&mut self, sequence: u64, at: Time, error: ServiceError) {
        let after = self.sent.remove(&sequence).map(|sent| at.since(sent));
        self.failures.add(sequence, error, after);
        self.events.push_back(match error {
            // to the prober it is a request without an answer
            error if error.is_silence() => PeerEvent::Control,
            error if error.is_answer() => PeerEvent::Failure(sequence, NetworkError::Service(error)),
            error => PeerEvent::Error(NetworkError::Service(error)),
        });
    }

    fn flush(&mut self) {
        while let Some((line, block)) = self.line.as_mut().zip(self.unsent.front_mut()) {
            match line.write(block) {
                Ok(count) if count < block.len() => _ = block.drain(..count),
                Ok(_) => _ = self.unsent.pop_front(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if self.unsent.iter().map(Vec::len).sum::<usize>() <= MAX_UNSENT => return,
                Err(_) => self.lose(),
            }
        }
    }

    /// Reads what is queued.
    fn read(&mut self) {
        for _ in 0..MOST_READ {
            let Some(line) = &mut self.line else { return };
            let length = match line.read(&mut self.incoming) {
                Ok(0) => return self.lose(),
                Ok(length) => length,
                Err(Errno::AGAIN) => return,
                Err(Errno::INTR) => continue,
                Err(_) => return self.lose(),
            };
            let now = self.clock.now();
            if self.client.received(now, &self.incoming[..length]).is_err() {
                return self.lose();
            }
            self.turn();
        }
    }

    fn lose(&mut self) {
        self.line = None;
        self.unsent.clear();
        self.client.lost(self.clock.now());
        self.turn();
    }

    fn wake(&mut self) {
        let now = self.clock.now();
        if self.client.next_wakeup().is_some_and(|due| due <= now) {
            self.client.wake(now);
            self.turn();
        }
    }
}

impl<C: LineClient, L: Channel + 'static> Peer for LinePeer<'_, C, L> {
    type Socket = Self;

    fn socket(&mut self) -> &mut Self {
        self
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        let now = self.clock.now();
        let refusal = match &self.line {
            None => Some(ServiceError::ConnectionLost),
            Some(_) => (!self.client.ask(now, request.sequence)).then_some(ServiceError::NotSent),
        };
        if let Some(error) = refusal {
            self.failures.add(request.sequence, error, None);
            return Err(NetworkError::Service(error));
        }
        self.sent.insert(request.sequence, now);
        self.turn();
        Ok(now)
    }

    fn receive(&mut self, _reading: ReadMode) -> PeerEvent {
        if self.events.is_empty() {
            self.flush();
            self.read();
            self.wake();
        }
        self.events.pop_front().unwrap_or(PeerEvent::Nothing)
    }

    fn min_octets(&self) -> u32 {
        0
    }

    /// A gateway passes requests on to several servers.
    fn responds_in_order(&self) -> bool {
        false
    }

    fn recover(&mut self, now: Time) {
        if self.line.is_none()
            && let Some(line) = self.reconnection.poll(now)
        {
            self.line = Some(line);
            self.has_restarted = true;
        }
    }

    fn has_restarted(&self) -> bool {
        self.has_restarted
    }

    fn forget(&mut self, before: u64) {
        self.failures.forget(before);
        self.client.forget(before);
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        self.failures.record_metrics(requests.clone(), record);
        self.client.record_metrics(requests, record);
    }
}

impl<C: LineClient, L: Channel + 'static> Socket for LinePeer<'_, C, L> {
    /// Drives the client until a request has ended or the alarm expires.
    fn wait(&mut self, alarm: &Alarm) -> bool {
        loop {
            self.wake();
            if !self.events.is_empty() {
                return true;
            }
            let Some(line) = &self.line else {
                alarm.sleep();
                return false;
            };
            let limit = self.client.next_wakeup().map(|due| to_timespec(due.since(self.clock.now())));
            let wanted = if self.unsent.is_empty() { PollFlags::IN } else { PollFlags::IN | PollFlags::OUT };
            let mut both = [PollFd::from_borrowed_fd(line.file(), wanted), PollFd::new(alarm, PollFlags::IN)];
            // after a signal the prober looks around, as after an answer
            let is_interrupted = poll(&mut both, limit.as_ref()).is_err();
            let [is_ready, has_expired] = both.map(|file| !file.revents().is_empty());
            if is_ready {
                self.flush();
                self.read();
            }
            if has_expired || is_interrupted {
                return !self.events.is_empty();
            }
        }
    }
}
