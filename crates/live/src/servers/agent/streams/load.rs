//! Bulk load: a sink and a source, limited to the granted rate.

use std::io::{self, Read, Write};

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::Grant;
use sojourn_protocols::probe::wire::{Packet, Pdu};

use super::connection::Connection;
use crate::io::clock::{Clock, to_system};

/// Octets per read or write, at most and at least.
const LARGEST_CHUNK: u64 = 128 << 10;
const SMALLEST_CHUNK: u64 = 1448;
/// Chunks per second between those bounds.
const CHUNKS_PER_SECOND: u64 = 500;
/// How often progress is reported to the machine, which enforces volume limits.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);
/// An idle connection checks this often whether it is over.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How far ahead of its rate a connection may run.
const AHEAD: Duration = Duration::from_millis(1);

/// Octets carried by a connection, and how many were reported.
pub(super) struct Tally {
    pub octets: u64,
    reported: u64,
    reported_at: Time,
}

impl Tally {
    /// A tally of no octets, which begins at `now`.
    pub fn new(now: Time) -> Tally {
        Tally { octets: 0, reported: 0, reported_at: now }
    }

    /// Octets carried since the last report, if a report is due or at the `end`.
    pub fn unreported(&mut self, now: Time, end: bool) -> Option<u64> {
        let due = end || now.since(self.reported_at) >= REPORT_INTERVAL;
        let more = self.octets - self.reported;
        (due && more > 0).then(|| {
            (self.reported, self.reported_at) = (self.octets, now);
            more
        })
    }
}

/// Rate control of a connection.
struct Meter {
    clock: Clock,
    began: Time,
    bit_rate: u64,
    tally: Tally,
}

impl Meter {
    fn new(clock: Clock, grant: &Grant) -> Meter {
        let began = clock.now();
        Meter { clock, began, bit_rate: grant.bit_rate, tally: Tally::new(began) }
    }

    /// Octets of a chunk, by the rate.
    fn chunk(&self) -> usize {
        (self.bit_rate / 8 / CHUNKS_PER_SECOND).clamp(SMALLEST_CHUNK, LARGEST_CHUNK) as usize
    }

    /// Whether the rate allows more now; sleeps for part of the remaining time if not.
    fn may_proceed(&self) -> bool {
        let due = self.began + Duration::from_units(self.tally.octets.saturating_mul(8), self.bit_rate);
        let early = due.since(self.clock.now());
        if early > AHEAD {
            std::thread::sleep(to_system(early.min(POLL_INTERVAL)));
        }
        early <= POLL_INTERVAL
    }

    fn count(&mut self, octets: usize) {
        self.tally.octets += octets as u64;
    }

    fn unreported(&mut self, end: bool) -> Option<u64> {
        self.tally.unreported(self.clock.now(), end)
    }
}

/// Discards what the client sends until it stops or the time is over, then reports the amount.
pub(super) fn sink(connection: &mut Connection, grant: &Grant, asked: Packet) -> io::Result<()> {
    let mut meter = Meter::new(connection.clock, grant);
    let mut chunk = vec![0; meter.chunk()];
    let mut last = meter.began;
    connection.socket.set_read_timeout(Some(to_system(POLL_INTERVAL)))?;
    let outcome = loop {
        if connection.is_over(grant) {
            break Ok(());
        }
        if !meter.may_proceed() {
            continue;
        }
        match connection.socket.read(&mut chunk) {
            Ok(0) => break Ok(()),
            Ok(read) => {
                meter.count(read);
                last = connection.clock.now();
            }
            Err(fault) if is_timeout(&fault) => {}
            Err(fault) => break Err(fault),
        }
        meter.unreported(false).inspect(|more| connection.carried(grant, *more, 0));
    };
    meter.unreported(true).inspect(|more| connection.carried(grant, *more, 0));
    outcome?;
    let elapsed_ns = last.since(meter.began).picoseconds() / 1000;
    connection.send(Packet { pdu: Pdu::StreamReport { octets: meter.tally.octets, elapsed_ns }, ..asked })
}

/// Sends zeros until the volume or the time is over, or the client disconnects.
pub(super) fn source(connection: &mut Connection, grant: &Grant) -> io::Result<()> {
    let mut meter = Meter::new(connection.clock, grant);
    let zeros = vec![0; meter.chunk()];
    connection.socket.set_write_timeout(Some(to_system(POLL_INTERVAL)))?;
    let outcome = loop {
        if connection.is_over(grant) || meter.tally.octets >= grant.octets {
            break Ok(());
        }
        if !meter.may_proceed() {
            continue;
        }
        let left = usize::try_from(grant.octets - meter.tally.octets).unwrap_or(usize::MAX).min(zeros.len());
        match connection.socket.write(&zeros[..left]) {
            Ok(written) => meter.count(written),
            Err(fault) if is_timeout(&fault) => {}
            Err(fault) => break Err(fault),
        }
        meter.unreported(false).inspect(|more| connection.carried(grant, 0, *more));
    };
    meter.unreported(true).inspect(|more| connection.carried(grant, 0, *more));
    outcome
}

/// Whether an error is only a timeout or an interruption.
fn is_timeout(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
