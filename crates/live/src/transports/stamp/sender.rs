//! The probe format of STAMP's session-sender.

use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::stamp::{Directions, Reply, Sender, length, pad};

use super::numbering::{Numbering, Step, counts};
use super::own_clock::OwnClock;
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::io::wall_clock::Pair;
use crate::prober::peer::{PeerCounts, PeerTimes, PeerWallClock, Request};
use crate::prober::phase_starts::PhaseStarts;
use crate::prober::udp_peer::ProbeFormat;

/// Pairs of copies of the last probe at most.
const COPIES: u32 = 3;
/// How long the replies to a pair are waited for.
const COPY_TIMEOUT: Duration = Duration::from_secs(1);

/// Probes and their replies.
#[derive(Debug)]
pub struct Probing {
    sender: Sender,
    key: Option<Key>,
    clock: Clock,
    own_clock: OwnClock,
    /// The largest error of its clock that the reflector stated; `None` inside if it ever stated that it is not synchronized.
    stated_error: Option<Option<Duration>>,
    /// Sequence number of the last probe; a packet holds its low 32 bits.
    last: u64,
    phases: PhaseStarts,
    numbering: Numbering,
    /// Whether the datagram read last is the reply to a copy of a probe.
    is_of_copy: bool,
    /// The last probe so far of which copies were sent, and the number of the first reply to one; `None` of a reflector that
    /// has no numbers of its own.
    end: Option<(u64, Option<u32>)>,
    /// Whether replies are missing that [`Directions`] would need.
    has_forgotten: bool,
}

impl Probing {
    /// Probes of a session.
    pub fn new(session: u16, key: Option<Key>, clock: Clock) -> Probing {
        Probing {
            sender: Sender::new(session),
            key,
            clock,
            own_clock: OwnClock::default(),
            stated_error: None,
            last: 0,
            phases: PhaseStarts::default(),
            numbering: Numbering::default(),
            is_of_copy: false,
            end: None,
            has_forgotten: false,
        }
    }

    /// Sends copies of the last probe: a stateful reflector answers them with its next numbers, of which the first is
    /// returned; another one with the number of the probe.
    fn numbered_end(&mut self, datagrams: &mut Datagrams) -> Option<u32> {
        let last = self.last as u32;
        let mut incoming = vec![0; LARGEST_DATAGRAM];
        for sent in (0..COPIES).map(|pair| 2 * pair) {
            for _ in 0..2 {
                let mut datagram = Vec::new();
                let now = Pair::read(&self.clock);
                let error = self.own_clock.error(now.at);
                self.sender.probe(last, now.wall_ns_at(now.at), error).emit(self.key.as_ref(), &mut datagram);
                // what cannot be sent is not answered
                let _ = datagrams.send(&datagram);
            }
            let until = self.clock.now() + COPY_TIMEOUT;
            let mut numbers = Vec::new();
            while numbers.len() < 2 && self.clock.now() < until {
                while datagrams.poll_tx_timestamp().is_some() {}
                datagrams.wait_for(until.since(self.clock.now()));
                while let Received::Datagram(_, bytes) = datagrams.receive(ReadMode::NonBlocking, &mut incoming) {
                    let reply = Reply::parse(bytes, self.key.as_ref()).ok().map(|(reply, _)| reply);
                    let of_copy =
                        reply.filter(|reply| self.sender.check(reply).is_ok() && reply.probe_sequence == last);
                    numbers.extend(of_copy.map(|reply| reply.sequence));
                }
            }
            let first = numbers.iter().min().map(|number| number.saturating_sub(sent));
            let is_stateful = numbers.iter().any(|number| *number != last)
                || self.numbering.replies().iter().any(|reply| reply.reply != reply.probe as u32);
            if first.is_some() {
                return first.filter(|_| is_stateful);
            }
        }
        None
    }

    /// The full sequence number of a probe from its low 32 bits.
    fn whole(&self, low: u32) -> u64 {
        self.last.saturating_sub(u64::from((self.last as u32).wrapping_sub(low)))
    }
}

impl ProbeFormat for Probing {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        self.last = request.sequence;
        let (unix_ns, error) = (Pair::read(&self.clock).wall_ns_at(leaves), self.own_clock.error(leaves));
        let probe = self.sender.probe(request.sequence as u32, unix_ns, error);
        probe.emit(self.key.as_ref(), datagram);
        pad(datagram, request.octets as usize);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        let (reply, _) = Reply::parse(datagram, self.key.as_ref()).ok()?;
        self.sender.check(&reply).ok()?;
        let format = reply.error.format;
        let stated = reply.error.seconds().filter(|_| reply.error.synchronized).and_then(Duration::from_seconds);
        self.stated_error = Some(self.stated_error.map_or(stated, |before| Some(before?.max(stated?))));
        let (received, sent) = (reply.received.unix_ns(format), reply.timestamp.unix_ns(format));
        let sequence = self.whole(reply.probe_sequence);
        self.is_of_copy = !self.numbering.take(sequence, &reply);
        if self.is_of_copy {
            return None;
        }
        Some((sequence, Some(PeerTimes { received, sent: Some(sent), earlier: None, class: None, kernel: false })))
    }

    fn min_octets(&self) -> u32 {
        length(self.key.as_ref()) as u32
    }

    fn phase_over(&mut self, next: u64) {
        self.phases.phase_over(next);
    }

    /// The reflector's timestamps are of its wall clock.
    fn wall_clock(&mut self, _datagrams: &mut Datagrams) -> Option<PeerWallClock> {
        self.stated_error.map(|error| PeerWallClock { ahead_ns: 0, error })
    }

    fn counts(&mut self, requests: Range<u64>, datagrams: &mut Datagrams) -> Option<PeerCounts> {
        self.phases.number(&requests).filter(|_| !self.has_forgotten)?;
        let end = match self.end {
            Some((last, end)) if last == self.last => end,
            _ => {
                let end = self.numbered_end(datagrams);
                self.end = Some((self.last, end));
                end
            }
        }?;
        Some(counts(Directions::of(self.numbering.replies(), end, requests), false))
    }

    /// From the numbers of replies alone; the reflector is asked nothing, but whether it has any.
    fn poll_counts(&mut self, requests: Range<u64>, now: Time, datagram: &mut Vec<u8>) -> Option<Option<PeerCounts>> {
        match self.numbering.count(&requests, now) {
            Step::Counts(counts) => Some(counts),
            Step::Wait => None,
            Step::SendCopy(probe) => {
                let (unix_ns, error) = (Pair::read(&self.clock).wall_ns_at(now), self.own_clock.error(now));
                let copy = self.sender.probe(probe as u32, unix_ns, error);
                self.numbering.sent_copy(probe, copy.timestamp, now);
                copy.emit(self.key.as_ref(), datagram);
                None
            }
        }
    }

    fn read_control(&mut self, _now: Time, _datagram: &[u8]) -> bool {
        std::mem::take(&mut self.is_of_copy)
    }

    fn forget(&mut self, before: u64) {
        self.numbering.forget(before);
        self.has_forgotten |= before > 0;
    }

    fn has_wall_clock(&self) -> bool {
        true
    }
}
