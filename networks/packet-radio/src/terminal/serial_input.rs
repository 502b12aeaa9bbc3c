//! Serial input, from the PC to the TNC: characters over the serial line, and the packets that the TNC forms from
//! them.

use std::collections::VecDeque;

use sojourn_core::Time;
use sojourn_protocols::{StreamData, UserData};

use super::settings::{DataMode, TerminalSettings};
use crate::information::Payload;

/// Data from the PC, and the packet being formed.
///
/// Characters arrive one per interval and are accounted together when the packet is complete.
#[derive(Clone, Debug)]
pub struct Input {
    settings: TerminalSettings,
    /// Data to write; of the first, `taken` characters have arrived.
    writing: VecDeque<Payload>,
    taken: usize,
    /// When the last character arrived, or the line resumed after that.
    since: Time,
    /// When the last character arrived.
    last: Time,
    /// Whether flow control stops the PC because the TNC transmits.
    held: bool,
    /// The packet being formed, and when its first character arrived.
    forming: Option<(Payload, Time)>,
    /// Lengths of unacknowledged packets.
    packets: VecDeque<u16>,
    unacknowledged: u32,
}

impl Input {
    /// An idle line.
    pub fn new(settings: TerminalSettings) -> Self {
        Input {
            settings,
            writing: VecDeque::new(),
            taken: 0,
            since: Time::ZERO,
            last: Time::ZERO,
            held: false,
            forming: None,
            packets: VecDeque::new(),
            unacknowledged: 0,
        }
    }

    /// The PC writes a block or a line.
    pub fn write(&mut self, now: Time, payload: Payload) {
        if !self.is_active() {
            self.since = now;
        }
        self.writing.push_back(payload);
    }

    /// The peer has acknowledged `frames` packets.
    pub fn acknowledged(&mut self, now: Time, frames: u8) {
        let stopped = !self.is_active();
        for length in self.packets.drain(..usize::from(frames).min(self.packets.len())) {
            self.unacknowledged -= u32::from(length);
        }
        if stopped {
            self.since = now;
        }
    }

    /// The transmitter has been keyed or unkeyed; the character in progress completes.
    pub fn transmits(&mut self, now: Time, on: bool) {
        if !self.settings.excludes_transmission || on == self.held {
            return;
        }
        if on && self.is_active() {
            let begun = now.since(self.since).picoseconds().div_ceil(self.settings.interval.picoseconds());
            self.fill(now, usize::try_from(begun).unwrap_or(usize::MAX));
        }
        self.held = on;
        self.since = now;
    }

    /// The link is down: all unsent data are dropped.
    pub fn clear(&mut self) {
        self.writing.clear();
        self.taken = 0;
        self.forming = None;
        self.packets.clear();
        self.unacknowledged = 0;
    }

    /// Octets from the PC that are not acknowledged.
    #[cfg(test)]
    pub fn held_octets(&self) -> u32 {
        self.unacknowledged + self.formed() as u32
    }

    /// When the next packet may be complete.
    pub fn next_event(&self) -> Time {
        let filled = match self.is_active() {
            true => self.since + self.settings.interval.times(self.needed() as u64),
            false => Time::NEVER,
        };
        filled.min(self.expiry())
    }

    /// The packet that is complete `now`, if one is, and when its last character arrived.
    pub fn take(&mut self, now: Time) -> Option<(Payload, Time)> {
        let expired = self.expiry() <= now;
        if self.is_active() {
            let come = now.since(self.since).whole(self.settings.interval);
            self.fill(now, usize::try_from(come).unwrap_or(usize::MAX));
        }
        let complete = expired || self.is_full();
        let (packet, _) = self.forming.take_if(|_| complete)?;
        self.packets.push_back(packet.length() as u16);
        self.unacknowledged += packet.length() as u32;
        Some((packet, self.last))
    }

    /// Adds up to `count` characters to the packet.
    fn fill(&mut self, now: Time, count: usize) {
        let count = count.min(self.needed());
        let Some(front) = self.writing.front().filter(|_| count > 0) else { return };
        let come = front.slice(self.taken, self.taken + count);
        self.taken += count;
        let (begin, interval) = (self.since, self.settings.interval);
        // the character in progress when the line stops arrives slightly early
        self.since = (begin + interval.times(count as u64)).min(now);
        self.last = self.since;
        self.forming = Some(match self.forming.take() {
            Some((packet, first)) => (packet.joined(&come).expect("characters of one stream in order"), first),
            None => (come, (begin + interval).min(now)),
        });
        if self.taken == front.length() {
            self.writing.pop_front();
            self.taken = 0;
        }
    }

    /// Whether characters are arriving.
    fn is_active(&self) -> bool {
        !self.held && self.needed() > 0
    }

    /// Characters until the packet is full, the block ends, or the buffer is full.
    fn needed(&self) -> usize {
        let Some(front) = self.writing.front() else { return 0 };
        if self.is_full() {
            return 0;
        }
        let buffer = self.settings.send_buffer.map_or(usize::MAX, |octets| octets as usize);
        let room = buffer.saturating_sub(self.unacknowledged as usize + self.formed());
        (usize::from(self.settings.paclen) - self.formed()).min(front.length() - self.taken).min(room)
    }

    fn formed(&self) -> usize {
        self.forming.as_ref().map_or(0, |(packet, _)| packet.length())
    }

    /// Whether the packet is complete without the timer: it has paclen octets, or ends a block in converse mode, or the next
    /// data belong to another stream.
    fn is_full(&self) -> bool {
        let Some((packet, _)) = &self.forming else { return false };
        let ends = self.taken == 0;
        let differs = || self.writing.front().is_some_and(|next| packet.joined(&next.slice(0, 0)).is_none());
        packet.length() >= usize::from(self.settings.paclen)
            || ends && (self.settings.mode == DataMode::Converse || differs())
    }

    /// When the packet timer expires.
    fn expiry(&self) -> Time {
        let DataMode::Transparent { packet_time, restarts } = self.settings.mode else { return Time::NEVER };
        let next = if self.is_active() { self.since + self.settings.interval } else { Time::NEVER };
        let (first, last) = self.forming.as_ref().map_or((next, next), |(_, first)| (*first, self.last));
        let from = if restarts { last } else { first };
        if from == Time::NEVER {
            return Time::NEVER;
        }
        // a further character may restart the timer before it expires
        let restarted = restarts && next != Time::NEVER && self.settings.interval <= packet_time;
        if restarted { Time::NEVER } else { from + packet_time }
    }
}
