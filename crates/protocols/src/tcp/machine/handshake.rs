//! Opening a connection, and what a segment means before that is done.

use std::sync::Arc;

use sojourn_core::Time;

use super::connection::{Agreed, Connection, State};
use super::numbering::{FIRST, Numbering, Position};
use super::output::{End, Output};
use super::settings::Settings;
use super::timers::Timer;
use crate::tcp::wire::Header;

/// Octets of the largest segment of a host that does not tell it (RFC 9293, 3.7.1).
const DEFAULT_SEGMENT: u16 = 536;
/// Octets that timestamps take of every segment.
const TIMESTAMPS: u64 = 12;

impl Settings {
    /// By how many bits the own windows must be shifted to tell of the whole receive buffer.
    pub(super) fn window_shift(&self) -> u8 {
        let bits = u64::BITS - (self.receive_buffer >> 16).leading_zeros();
        (bits as u8).min(14)
    }
}

impl Connection {
    /// A connection that is up already, to a host with settings `other`: for studies of its middle alone.
    pub fn established(settings: Arc<Settings>, other: &Settings) -> Self {
        let mut connection = Connection::new(settings);
        connection.state = State::Synchronized;
        connection.agree(other.mss, other.window_scaling.then(|| other.window_shift()), other.sack, other.timestamps);
        let limit =
            if connection.agreed.scaling { other.receive_buffer } else { other.receive_buffer.min(u16::MAX.into()) };
        let sending = &mut connection.sending;
        (sending.unacknowledged, sending.next, sending.furthest) = (FIRST, FIRST, FIRST);
        sending.limit = FIRST + limit;
        sending.largest_window = limit;
        sending.told_by = (FIRST, FIRST);
        connection.receiving.numbering = Numbering { initial: other.iss };
        connection.receiving.next = FIRST;
        connection.receiving.told = FIRST;
        connection.window_to_tell();
        connection
    }

    pub(super) fn connect(&mut self) {
        if matches!(self.state, State::Closed | State::Listen) {
            self.state = State::SynSent;
        }
    }

    /// Takes a segment.
    pub(super) fn receive(&mut self, now: Time, header: &Header, length: u32) {
        match self.state {
            State::Closed => self.refuse(header, length),
            State::Listen => self.asked(header, length),
            State::SynSent => self.answered(now, header, length),
            State::SynReceived | State::Synchronized | State::TimeWait => self.in_sequence(now, header, length),
        }
    }

    /// A segment for a connection that waits to be asked.
    fn asked(&mut self, header: &Header, length: u32) {
        if header.flags.rst {
        } else if header.ack.is_some() {
            self.refuse(header, length);
        } else if header.flags.syn {
            self.learn(header);
            self.state = State::SynReceived;
        }
    }

    /// A segment for a connection that has asked.
    fn answered(&mut self, now: Time, header: &Header, length: u32) {
        let ours = self.sending.numbering.number(FIRST);
        match header.ack {
            Some(number) if number != ours => self.refuse(header, length),
            Some(_) if header.flags.rst => self.end(End::Reset),
            Some(_) if header.flags.syn => {
                self.learn(header);
                self.receiving.owed = true;
                self.synchronized(now, header, 0);
            }
            None if header.flags.syn && !header.flags.rst => {
                // both ends asked at once
                self.learn(header);
                self.state = State::SynReceived;
                self.sending.next = 0;
            }
            _ => {}
        }
    }

    /// The own SYN is acknowledged by a segment at `position`.
    pub(super) fn synchronized(&mut self, now: Time, header: &Header, position: Position) {
        self.state = State::Synchronized;
        self.timers.stop(Timer::Retransmission);
        self.sending.told_by = (0, 0);
        self.tell(Output::Established);
        self.acknowledgement(now, header, position, 1);
    }

    /// Takes from SYN what the other end offers.
    fn learn(&mut self, header: &Header) {
        self.receiving.numbering = Numbering { initial: header.seq };
        self.receiving.next = FIRST;
        let options = &header.options;
        self.receiving.recent_timestamp = options.timestamps.map_or(0, |timestamps| timestamps.ts_val);
        let segment = options.mss.unwrap_or(DEFAULT_SEGMENT);
        self.agree(segment, options.window_scale, options.sack_permitted, options.timestamps.is_some());
    }

    fn agree(&mut self, segment: u16, window_scale: Option<u8>, sack: bool, timestamps: bool) {
        let settings = &self.settings;
        let scale = window_scale.filter(|_| settings.window_scaling);
        self.agreed = Agreed {
            sack: sack && settings.sack,
            timestamps: timestamps && settings.timestamps,
            scaling: scale.is_some(),
            shifts: scale.map_or((0, 0), |theirs| (theirs, settings.window_shift())),
        };
        let options = if self.agreed.timestamps { TIMESTAMPS } else { 0 };
        self.sending.segment = u64::from(settings.mss.min(segment)).saturating_sub(options).max(1);
        self.congestion.set_segment(self.sending.segment);
    }
}
