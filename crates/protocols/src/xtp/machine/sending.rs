//! Transmission of new and retransmitted data, with their options and sync numbers.

use super::configuration::{Configuration, ErrorControl, RequestBy, Requests};
use super::context::{Context, Role};
use super::outcome::{Purpose, Reason};
use super::rate_control::Permission;
use super::store::Segment;
use super::timers::{Timer, after};
use super::turn::Turn;
use crate::StreamData;
use crate::xtp::wire::{Body, Header, Key, Options, Packet, Service, Specification, Traffic};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Sends one data packet if permitted; returns whether it did.
    pub(super) fn send_one(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        if self.ended.is_some() || self.sync_state.in_handshake() {
            return false;
        }
        if let Some(seq) = self.outgoing.store.first_lost() {
            return self.may_repeat(turn, seq) && self.send_again(turn);
        }
        let Some(length) = self.next_length() else {
            self.wait_for_room(turn);
            self.send_close(turn);
            return false;
        };
        if !self.may_begin(turn) {
            return false;
        }
        self.send_new(turn, length);
        true
    }

    /// Length of the next packet, if there are data and allocation for it. With nothing in flight a packet is shortened to
    /// the allocation.
    #[inline]
    fn next_length(&self) -> Option<usize> {
        let length = self.outgoing.next_length()?;
        let room = self.room();
        if length as u64 <= room {
            return Some(length);
        }
        (room > 0 && self.outgoing.store.is_empty()).then_some(room as usize)
    }

    /// Whether the lost data at `sequence` may be retransmitted now: within the allocation and `max_retransmissions`.
    fn may_repeat(&mut self, turn: &mut Turn<'_, D, H>, seq: u64) -> bool {
        let outgoing = &self.outgoing;
        if self.configuration.flow_control && outgoing.granted && seq >= outgoing.alloc.max(1) {
            self.wait_for_room(turn);
            return false;
        }
        if !self.may_begin(turn) {
            return false;
        }
        if seq <= self.outgoing.rseq {
            if self.outgoing.repeats >= self.configuration.max_retransmissions {
                self.abandon(turn, Reason::NoProgress);
                return false;
            }
            self.outgoing.repeats += 1;
        }
        true
    }

    #[inline]
    fn room(&self) -> u64 {
        if !self.configuration.flow_control {
            return u64::MAX;
        }
        self.outgoing.alloc.saturating_sub(self.outgoing.seq)
    }

    #[inline]
    fn may_begin(&mut self, turn: &Turn<'_, D, H>) -> bool {
        match self.outgoing.rate_control.permission(turn.now) {
            Permission::Now => true,
            Permission::At(time) => {
                self.timers.set(Timer::Rate, time);
                false
            }
            Permission::Never => false,
        }
    }

    /// Starts WTIMER if data wait for allocation and no report is outstanding.
    fn wait_for_room(&mut self, turn: &Turn<'_, D, H>) {
        let stuck = self.outgoing.has_something() && !self.sync_state.has_unanswered();
        if stuck && !self.timers.runs(Timer::Wait) {
            let wait = self.sync_state.round_trip.wait(self.configuration.min_wtimer, self.sync_state.waits);
            self.timers.set(Timer::Wait, after(turn.now, wait));
        }
    }

    fn send_new(&mut self, turn: &mut Turn<'_, D, H>, length: usize) {
        let Some(piece) = self.outgoing.take(length) else { return };
        let seq = self.outgoing.seq;
        self.outgoing.seq += length as u64;
        self.outgoing.rate_control.spend(length as u64);
        let asks = self.asks(piece.end_of_message);
        let request = if asks { self.request_option() } else { Options::NONE };
        let last = self.outgoing.closing && !self.outgoing.has_unsent();
        self.outgoing.close_sent |= last;
        let options = self.options()
            | request
                .with(Options::EOM, piece.end_of_message)
                .with(Options::WCLOSE, last)
                .with(Options::SREQ, last && self.may_ask());
        let sync = self.number(turn, options, asks, true);
        let body = Body::Data { tag: None, data: piece.data.clone() };
        self.transmit(turn, options, sync, seq, body, Purpose::Data);
        self.keep(turn, Segment::new(seq, length as u32, sync, piece.end_of_message, piece.data));
    }

    /// Stores a segment until it is released, or discards it at once (NOERR), which frees send buffer space.
    pub(super) fn keep(&mut self, turn: &mut Turn<'_, D, H>, segment: Segment<D>) {
        if self.configuration.error_control == ErrorControl::None {
            self.outgoing.rseq = self.outgoing.seq;
            self.signal_writable(turn);
        } else {
            self.outgoing.store.push(segment);
        }
    }

    /// Whether a new data packet requests status.
    #[inline]
    fn asks(&mut self, end_of_message: bool) -> bool {
        let outgoing = &mut self.outgoing;
        outgoing.since_request = outgoing.since_request.saturating_add(1);
        let chosen = match self.configuration.requests {
            Requests::EveryPacket => true,
            Requests::Every(count) => count > 0 && outgoing.since_request >= count,
            Requests::EveryMessage => end_of_message,
            Requests::Never => return false,
        };
        let asks = chosen || self.next_length().is_none();
        if asks {
            self.outgoing.since_request = 0;
        }
        asks
    }

    /// The option that requests status; the last packet that the allocation permits also sets DREQ.
    #[inline]
    fn request_option(&mut self) -> Options {
        let full = self.outgoing.has_unsent() && self.next_length().is_none();
        let option = match self.configuration.request_by {
            RequestBy::Sreq => Options::SREQ,
            RequestBy::Dreq => Options::DREQ,
            RequestBy::Edge => {
                self.outgoing.edge = !self.outgoing.edge;
                Options::NONE
            }
        };
        option.with(Options::DREQ, full)
    }

    /// Whether packets may request status: not without error and flow control.
    pub(super) fn may_ask(&self) -> bool {
        self.configuration.requests != Requests::Never
    }

    /// The sync number of a packet, a new one if it requests status, which starts WTIMER.
    #[inline]
    fn number(&mut self, turn: &Turn<'_, D, H>, options: Options, asks: bool, measure: bool) -> u32 {
        if !asks && !options.intersects(Options::SREQ | Options::DREQ) {
            return self.sync_state.sync;
        }
        let at_once = self.configuration.request_by != RequestBy::Dreq;
        let sync = self.sync_state.next_sync((measure && at_once).then_some(turn.now));
        if !self.timers.runs(Timer::Wait) {
            self.arm_wait(turn.now);
        }
        sync
    }

    fn send_again(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        let end = self.outgoing.seq;
        let sync = self.number(turn, Options::SREQ, true, false);
        let Some(segment) = self.outgoing.store.take_lost() else { return false };
        segment.sync = sync;
        let (seq, data, first) = (segment.seq, segment.data.clone(), segment.first);
        let (length, end_of_message) = (u64::from(segment.length), segment.end_of_message);
        let last = self.outgoing.close_sent && seq + length == end;
        self.outgoing.rate_control.spend(length);
        let options = (self.options() | Options::SREQ).with(Options::EOM, end_of_message).with(Options::WCLOSE, last);
        let body = match self.role {
            Role::Initiator { address, traffic, .. } if first => Body::First { address, traffic, data },
            _ => Body::Data { tag: None, data },
        };
        self.transmit(turn, options, sync, seq, body, Purpose::Retransmission);
        true
    }

    /// Options that all packets of this context carry.
    #[inline]
    pub(super) fn options(&self) -> Options {
        standing_options(&self.configuration)
            .with(Options::MULTI, self.multicast)
            .with(Options::EDGE, self.outgoing.edge)
            .with(Options::RCLOSE, self.incoming.ended || self.incoming.stopped)
    }

    /// Transmits to the peer, or the group.
    #[inline]
    pub(super) fn transmit(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        options: Options,
        sync: u32,
        seq: u64,
        body: Body<D>,
        purpose: Purpose,
    ) {
        let header = Header { key: self.peer_key(), options, sort: self.configuration.sort.unwrap_or(0), sync, seq };
        turn.transmit(self.peer, Packet { header, body }, purpose);
    }
}

/// Options that follow from the configuration alone.
#[inline]
fn standing_options(configuration: &Configuration) -> Options {
    Options::NONE
        .with(Options::NOCHECK, !configuration.checksum)
        .with(Options::NOERR, configuration.error_control == ErrorControl::None)
        .with(Options::RES, configuration.reservation)
        .with(Options::SORT, configuration.sort.is_some())
        .with(Options::NOFLOW, !configuration.flow_control)
        .with(Options::FASTNAK, configuration.fast_nak)
}

/// Traffic segment of an end: what it requests or grants.
pub(super) fn traffic(configuration: &Configuration, service: Service) -> Traffic {
    let specification = Specification::Rates {
        max_data: configuration.max_data,
        in_rate: configuration.receive_rate.bytes_per_second,
        in_burst: configuration.receive_rate.burst,
        out_rate: configuration.send_rate.bytes_per_second,
        out_burst: configuration.send_rate.burst,
    };
    Traffic { service, specification }
}

/// Key of a DIAG for a packet with this key: the sender's key with RTN, or the receiver's key as sent.
pub(super) const fn diagnostic_key(key: Key) -> Key {
    if key.is_returned() { key.plain() } else { key.returned() }
}
