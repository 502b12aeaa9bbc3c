//! The server on a serial line.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::modbus::machine::{Carrier, Indication, Memory, Server};
use sojourn_protocols::modbus::{Request, rtu};

use super::super::frames::{Found, FrameReader};
use crate::io::clock::Clock;
use crate::io::line::{Line, Reading};
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A server and its line.
pub struct LineServer {
    line: Line,
    reader: FrameReader,
    server: Server<Memory>,
    t35: Duration,
    /// A request and when its last octet was read; the server gets it after t3.5.
    held: Option<(Time, Vec<u8>)>,
    requests: u64,
    damaged: u64,
}

impl LineServer {
    /// A server that has seen no request.
    pub fn new(line: Line, t35: Duration, memory: Memory) -> LineServer {
        let reader = FrameReader::new(t35, |pdu| Request::parse(pdu).is_ok());
        let server = Server::new(Carrier::Serial, memory);
        LineServer { line, reader, server, t35, held: None, requests: 0, damaged: 0 }
    }

    /// Requests answered.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Octets between silences that were no frame.
    pub const fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Serves until the limits of `listening`, or until it is cancelled.
    pub fn serve(&mut self, listening: &Listening, watch: &Watch, frames: &mut dyn FrameSink) {
        let clock = Clock::start();
        let mut buffer = vec![0; 1024];
        while !listening.is_over(watch, clock.now(), self.requests) {
            let now = clock.now();
            let found = match self.line.read(&mut buffer) {
                Reading::Bytes(length) => self.reader.push(now, &buffer[..length]),
                Reading::Nothing => self.reader.wake(now),
                Reading::Lost(_) | Reading::Restored => {
                    self.reader.clear();
                    self.server.reset();
                    None
                }
            };
            match found {
                Some(Found::Frame(octets)) => {
                    frames.frame(now, &octets);
                    self.held = Some((now, octets));
                }
                Some(Found::Damaged(_)) => self.damaged += 1,
                None => {}
            }
            self.turn(clock.now(), frames);
            watch.set_done(self.requests);
            let due = self.next_wakeup().map_or(LONGEST_WAIT, |due| due.since(clock.now()));
            self.line.wait(due.min(LONGEST_WAIT));
        }
    }

    /// Hands the request over that was held for t3.5, and sends what is ready.
    fn turn(&mut self, now: Time, frames: &mut dyn FrameSink) {
        if let Some((_, octets)) = self.held.take_if(|(at, _)| now >= *at + self.t35)
            && let Ok(frame) = rtu::parse(&octets)
        {
            let (unit, request) = (frame.unit, frame.pdu.to_vec());
            self.server.handle(now, Indication { connection: 0, transaction: 0, unit, request });
        }
        if self.server.next_wakeup().is_some_and(|due| due <= now) {
            self.server.wake(now);
        }
        while let Some(reply) = self.server.poll_output() {
            let mut octets = Vec::new();
            rtu::emit(reply.unit, &reply.response, &mut octets);
            frames.frame(now, &octets);
            self.line.write(&octets);
            self.requests += 1;
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        let held = self.held.as_ref().map(|(at, _)| *at + self.t35);
        [held, self.reader.next_wakeup(), self.server.next_wakeup()].into_iter().flatten().min()
    }
}
