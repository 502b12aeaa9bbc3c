//! One direction of an association: packets that its sender has sent and its receiver has not acknowledged.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_protocols::xtp::wire::{Control, Header, Options};

/// Unacknowledged packets remembered in each direction; beyond it the oldest is forgotten.
const PACKETS: usize = 4_096;

/// What a packet with data is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sending {
    /// New data.
    New,
    /// The same packet, captured once more.
    Copy,
    /// Data sent again, for this reason.
    Again(Reason),
}

/// Why data are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The receiver had reported a gap.
    Gap,
    /// A status request was not answered in time.
    Timeout,
    /// The receiver had acknowledged them.
    Spurious,
}

impl Reason {
    /// Its count.
    pub const fn metric(self) -> &'static str {
        match self {
            Reason::Gap => "retransmissions/gap",
            Reason::Timeout => "retransmissions/timeout",
            Reason::Spurious => "retransmissions/spurious",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    seq: u64,
    end: u64,
    sync: u32,
    /// When it was sent last.
    last: Time,
    again: bool,
}

/// What is known of a direction.
#[derive(Debug, Default)]
pub(super) struct Direction {
    /// One above the highest byte sent.
    next: Option<u64>,
    unacknowledged: VecDeque<Sent>,
    /// Highest `rseq` and `alloc` reported.
    rseq: u64,
    alloc: u64,
    /// Sync number of the last status request, and when it was sent.
    requested: Option<(u32, Time)>,
    /// Highest echo of the receiver.
    echoed: Option<u32>,
    /// When a request was repeated last because no report came.
    handshake: Option<Time>,
    /// Whether WCLOSE was sent.
    closing: bool,
    edge: bool,
}

impl Direction {
    /// Packets remembered.
    pub fn remembered(&self) -> usize {
        self.unacknowledged.len()
    }

    /// One above the highest byte sent; `None` before the first packet.
    pub fn next(&self) -> Option<u64> {
        self.next
    }

    /// Data up to `end` are sent.
    pub fn data(&mut self, now: Time, header: &Header, end: u64, may_remember: bool) -> Sending {
        let Header { seq, sync, .. } = *header;
        if self.next.is_none_or(|next| seq >= next) {
            self.next = Some(end);
            if self.unacknowledged.len() >= PACKETS {
                self.unacknowledged.pop_front();
            }
            if may_remember {
                self.unacknowledged.push_back(Sent { seq, end, sync, last: now, again: false });
            }
            return Sending::New;
        }
        self.next = self.next.max(Some(end));
        let handshake = self.handshake;
        let Some(known) = self.unacknowledged.iter_mut().find(|sent| sent.seq == seq) else {
            let reason = if end <= self.rseq { Reason::Spurious } else { Reason::Gap };
            return Sending::Again(reason);
        };
        if known.sync == sync {
            return Sending::Copy;
        }
        let timed_out = handshake.is_some_and(|handshake| handshake > known.last);
        (known.sync, known.last, known.again) = (sync, now, true);
        Sending::Again(if timed_out { Reason::Timeout } else { Reason::Gap })
    }

    /// A packet may request status. Whether it repeats a request that was not answered, or asks while the allocation is used
    /// up: a synchronizing handshake.
    pub fn requests(&mut self, now: Time, header: &Header, has_data: bool) -> bool {
        let Header { options, sync, seq, .. } = *header;
        // a report may be sent later than data that were written after it, with the bit of before
        let edge = options.contains(Options::EDGE);
        let toggled = has_data && std::mem::replace(&mut self.edge, edge) != edge;
        let closes = options.contains(Options::WCLOSE) && !std::mem::replace(&mut self.closing, true);
        if !toggled && !options.intersects(Options::SREQ | Options::DREQ) {
            return false;
        }
        let last = self.requested.replace((sync, now));
        let copy = last.is_some_and(|(last, _)| last == sync);
        let outstanding = last.is_some_and(|(last, _)| self.echoed.is_none_or(|echoed| is_after(last, echoed)));
        let no_room = self.alloc > 0 && seq >= self.alloc;
        let handshake = !has_data && !closes && !copy && (outstanding || no_room);
        if handshake {
            self.handshake = Some(now);
        }
        handshake
    }

    /// The receiver reports: returns the time from the newest packet that it acknowledges to now, unless that was sent
    /// again (Karn's algorithm).
    pub fn reported(&mut self, now: Time, control: &Control) -> Option<Duration> {
        if self.echoed.is_none_or(|echoed| is_after(control.echo, echoed)) {
            self.echoed = Some(control.echo);
        }
        self.alloc = self.alloc.max(control.alloc);
        if control.rseq <= self.rseq {
            return None;
        }
        self.rseq = control.rseq;
        let mut newest = None;
        while self.unacknowledged.front().is_some_and(|sent| sent.end <= control.rseq) {
            newest = self.unacknowledged.pop_front();
        }
        newest.filter(|sent: &Sent| !sent.again).map(|sent| now.since(sent.last))
    }

    /// Highest `rseq` reported.
    pub fn rseq(&self) -> u64 {
        self.rseq
    }

    /// Forgets the packets.
    pub fn clear(&mut self) {
        self.unacknowledged = VecDeque::new();
    }
}

/// Whether one sync number is after another (RFC 1982).
const fn is_after(one: u32, other: u32) -> bool {
    (one.wrapping_sub(other) as i32) > 0
}
