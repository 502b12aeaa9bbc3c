//! Bulk data: taken and thrown away, or given, at no more than the rate granted.

use std::io::{self, Read, Write};
use std::time::Duration as Wait;

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::Grant;
use sojourn_protocols::probe::wire::{Packet, Pdu};

use super::connection::Connection;
use crate::clock::{Clock, to_system};

/// Octets read or written at a time.
const CHUNK: usize = 128 << 10;
/// How often the machine is told what was carried, so that limits on volume hold.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// A connection that does nothing for so long looks whether it is still wanted.
const LOOK_EVERY: Wait = Wait::from_millis(200);
/// How far ahead of its rate a connection may be.
const AHEAD: Duration = Duration::from_millis(2);

/// What a connection carried, and how fast it may.
struct Meter {
    clock: Clock,
    began: Time,
    bit_rate: u64,
    octets: u64,
    told: u64,
    told_at: Time,
}

impl Meter {
    fn new(clock: Clock, grant: &Grant) -> Meter {
        let began = clock.now();
        Meter { clock, began, bit_rate: grant.bit_rate, octets: 0, told: 0, told_at: began }
    }

    /// Waits until so many octets more keep to the rate.
    fn pace(&self) {
        let due = self.began + Duration::from_units(self.octets.saturating_mul(8), self.bit_rate);
        let early = due.since(self.clock.now());
        if early > AHEAD {
            std::thread::sleep(to_system(early));
        }
    }

    fn count(&mut self, octets: usize) {
        self.octets += octets as u64;
    }

    /// What was carried since the machine was told, if it is time or the `end`.
    fn untold(&mut self, end: bool) -> Option<u64> {
        let now = self.clock.now();
        let due = end || now.since(self.told_at) >= TELL_EVERY;
        let more = self.octets - self.told;
        (due && more > 0).then(|| {
            (self.told, self.told_at) = (self.octets, now);
            more
        })
    }
}

/// Takes what the client sends until it ends writing or its time is over, then tells how much that was.
pub(super) fn take(connection: &mut Connection, grant: &Grant, asked: Packet) -> io::Result<()> {
    let mut meter = Meter::new(connection.clock, grant);
    let mut chunk = vec![0; CHUNK];
    let mut last = meter.began;
    connection.socket.set_read_timeout(Some(LOOK_EVERY))?;
    while connection.clock.now() < grant.until {
        meter.pace();
        match connection.socket.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                meter.count(read);
                last = connection.clock.now();
            }
            Err(fault) if is_wait(&fault) => {}
            Err(fault) => {
                meter.untold(true).inspect(|more| connection.carried(grant, *more, 0));
                return Err(fault);
            }
        }
        meter.untold(false).inspect(|more| connection.carried(grant, *more, 0));
    }
    meter.untold(true).inspect(|more| connection.carried(grant, *more, 0));
    let elapsed_ns = last.since(meter.began).picoseconds() / 1000;
    connection.send(Packet { pdu: Pdu::StreamReport { octets: meter.octets, elapsed_ns }, ..asked })
}

/// Gives the client zeros until the volume or the time is over, or the client goes away.
pub(super) fn give(connection: &mut Connection, grant: &Grant) -> io::Result<()> {
    let mut meter = Meter::new(connection.clock, grant);
    let zeros = vec![0; CHUNK];
    connection.socket.set_write_timeout(Some(LOOK_EVERY))?;
    let outcome = loop {
        if connection.clock.now() >= grant.until || meter.octets >= grant.octets {
            break Ok(());
        }
        meter.pace();
        let left = usize::try_from(grant.octets - meter.octets).unwrap_or(CHUNK).min(CHUNK);
        match connection.socket.write(&zeros[..left]) {
            Ok(written) => meter.count(written),
            Err(fault) if is_wait(&fault) => {}
            Err(fault) => break Err(fault),
        }
        meter.untold(false).inspect(|more| connection.carried(grant, 0, *more));
    };
    meter.untold(true).inspect(|more| connection.carried(grant, 0, *more));
    outcome
}

/// Whether a fault only says that nothing happened for a while.
pub(super) fn is_wait(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}
