//! Packets that a context sends: data, status requests, reports.

use sojourn_core::Time;

use super::Context;
use crate::StreamData;
use crate::xtp::machine::association::Role;
use crate::xtp::machine::configuration::RequestBy;
use crate::xtp::machine::opening::traffic;
use crate::xtp::machine::outcome::{Purpose, Reason};
use crate::xtp::machine::rate_control::Permission;
use crate::xtp::machine::store::Segment;
use crate::xtp::machine::timers::{Timer, after};
use crate::xtp::machine::turn::Turn;
use crate::xtp::wire::{Body, Options, Packet, Service};

impl<D: StreamData, H: Copy + Ord> Context<D, H> {
    /// Sends one data packet if permitted; returns whether it did.
    pub fn send_one(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        if self.is_ended() || self.sync_state.in_handshake() {
            return false;
        }
        if let Some(seq) = self.sender.store.first_lost() {
            return self.may_retransmit(turn, seq) && self.retransmit(turn);
        }
        let Some(length) = self.sender.next_length(&self.association.configuration) else {
            self.wait_for_allocation(turn.now);
            self.send_close(turn);
            return false;
        };
        if !self.has_credit(turn.now) {
            return false;
        }
        self.send_new(turn, length);
        true
    }

    /// Whether the lost data at `seq` may be retransmitted now: within the allocation and `max_retransmissions`.
    fn may_retransmit(&mut self, turn: &mut Turn<'_, D, H>, seq: u64) -> bool {
        let configuration = &self.association.configuration;
        let limit = configuration.max_retransmissions;
        if !self.sender.is_allocated(configuration, seq) {
            self.wait_for_allocation(turn.now);
            return false;
        }
        if !self.has_credit(turn.now) {
            return false;
        }
        let permitted = self.sender.count_retransmission(seq, limit);
        if !permitted {
            self.abandon(turn, Reason::NoProgress);
        }
        permitted
    }

    /// Whether the rate permits a packet; if not, starts RTIMER.
    #[inline]
    fn has_credit(&mut self, now: Time) -> bool {
        match self.sender.rate_control.permission(now) {
            Permission::Now => true,
            Permission::At(time) => {
                self.timers.set(Timer::Rate, time);
                false
            }
            Permission::Never => false,
        }
    }

    /// Starts WTIMER if data wait for allocation and no report is outstanding.
    fn wait_for_allocation(&mut self, now: Time) {
        let waits = self.sender.has_data() && !self.sync_state.has_unanswered();
        if waits && !self.timers.runs(Timer::Wait) {
            self.start_wait_timer(now, self.sync_state.waits);
        }
    }

    fn send_new(&mut self, turn: &mut Turn<'_, D, H>, length: usize) {
        let seq = self.sender.seq;
        let Some(piece) = self.sender.take(length) else { return };
        let request = self.sender.status_request(&self.association.configuration, piece.end_of_message);
        let last = self.sender.closing && !self.sender.has_unsent();
        self.sender.close_sent |= last;
        let options = self.options()
            | request
                .unwrap_or(Options::NONE)
                .with(Options::EOM, piece.end_of_message)
                .with(Options::WCLOSE, last)
                .with(Options::SREQ, last && self.association.may_request_status());
        let sync = self.number(turn.now, options, request.is_some(), true);
        let body = Body::Data { tag: None, data: piece.data.clone() };
        self.transmit(turn, options, sync, seq, body, Purpose::Data);
        let segment = Segment::new(seq, length as u32, sync, piece.end_of_message, piece.data);
        self.sender.keep(turn, &self.association, segment);
    }

    /// The sync number of a packet, a new one if it requests status, which starts WTIMER.
    #[inline]
    fn number(&mut self, now: Time, options: Options, requests: bool, measure: bool) -> u32 {
        if !requests && !options.intersects(Options::SREQ | Options::DREQ) {
            return self.sync_state.sync;
        }
        let at_once = self.association.configuration.request_by != RequestBy::Dreq;
        let sync = self.sync_state.next_sync((measure && at_once).then_some(now));
        if !self.timers.runs(Timer::Wait) {
            self.start_wait_timer(now, self.sync_state.retries);
        }
        sync
    }

    fn retransmit(&mut self, turn: &mut Turn<'_, D, H>) -> bool {
        let sync = self.number(turn.now, Options::SREQ, true, false);
        let Some(segment) = self.sender.store.take_lost() else { return false };
        segment.sync = sync;
        let (seq, end, data) = (segment.seq, segment.end(), segment.data.clone());
        let (first, end_of_message) = (segment.first, segment.end_of_message);
        let last = self.sender.close_sent && end == self.sender.seq;
        self.sender.rate_control.spend(end - seq);
        let options = (self.options() | Options::SREQ).with(Options::EOM, end_of_message).with(Options::WCLOSE, last);
        let body = match self.association.role {
            Role::Initiator { address, traffic, .. } if first => Body::First { address, traffic, data },
            _ => Body::Data { tag: None, data },
        };
        self.transmit(turn, options, sync, seq, body, Purpose::Retransmission);
        true
    }

    pub(super) fn send_first(&mut self, turn: &mut Turn<'_, D, H>) {
        let Role::Initiator { address, traffic, .. } = self.association.role else { return };
        let length = self.sender.first_length(self.association.configuration.initial_window);
        // the first packet is sent at any rate, and counts towards it
        self.sender.rate_control.permission(turn.now);
        let piece = if length > 0 { self.sender.take(length) } else { None };
        let (data, end_of_message) = piece.map_or((D::default(), false), |piece| (piece.data, piece.end_of_message));
        let requests = self.association.may_request_status();
        let mut sync = self.sync_state.sync;
        if requests {
            sync = self.sync_state.next_sync(Some(turn.now));
            self.start_wait_timer(turn.now, self.sync_state.retries);
        }
        let options = self.options().with(Options::EOM, end_of_message).with(Options::SREQ, requests);
        let body = Body::First { address, traffic, data: data.clone() };
        self.transmit(turn, options, sync, 0, body, Purpose::Data);
        let segment = Segment::new(0, length as u32, sync, end_of_message, data).into_first();
        self.sender.keep(turn, &self.association, segment);
    }

    /// Sends WCLOSE once all data have been sent.
    fn send_close(&mut self, turn: &mut Turn<'_, D, H>) {
        let sender = &mut self.sender;
        if !sender.closing || sender.close_sent || sender.has_unsent() || self.association.is_multicast_receiver() {
            return;
        }
        sender.close_sent = true;
        if self.association.expects_no_report() {
            return self.finish(turn, Reason::Finished);
        }
        let sync = self.sync_state.next_sync(Some(turn.now));
        if !self.timers.runs(Timer::Wait) {
            self.start_wait_timer(turn.now, self.sync_state.retries);
        }
        self.send_control(turn, self.association.peer, Options::SREQ, sync, Purpose::StatusRequest);
    }

    /// Sends a status request whose report accounts for all data sent before it. Data wait for the report.
    ///
    /// The sender of a multicast association retransmits what not all receivers have acknowledged. Before the first
    /// report FIRST itself is the request, since the peer may not know the association.
    pub(super) fn request_status(&mut self, turn: &mut Turn<'_, D, H>) {
        if !self.timers.runs(Timer::Timeout) {
            self.timers.set(Timer::Timeout, after(turn.now, self.association.configuration.ctimeout));
        }
        let to_group = self.association.is_multicast_sender();
        if to_group && !self.sender.store.is_empty() {
            self.sender.store.lose_all();
            return self.start_wait_timer(turn.now, self.sync_state.retries);
        }
        let sync = if to_group { self.sync_state.next_sync(None) } else { self.sync_state.start_handshake() };
        self.start_wait_timer(turn.now, self.sync_state.retries);
        if self.sync_state.is_established() || !self.association.is_initiator() {
            self.send_control(turn, self.association.peer, Options::SREQ, sync, Purpose::StatusRequest);
        } else {
            self.repeat_first(turn, sync);
        }
    }

    fn repeat_first(&mut self, turn: &mut Turn<'_, D, H>, sync: u32) {
        let Role::Initiator { address, traffic, .. } = self.association.role else { return };
        let (mut seq, mut data) = (self.sender.seq, D::default());
        let mut options = self.options() | Options::SREQ;
        if let Some(front) = self.sender.store.front_mut() {
            (front.sync, front.repeated) = (sync, true);
            (seq, data) = (front.seq, front.data.clone());
            options = options.with(Options::EOM, front.end_of_message);
        }
        let whole = seq + data.length() as u64 == self.sender.seq;
        let options = options.with(Options::WCLOSE, self.sender.close_sent && whole);
        self.transmit(turn, options, sync, seq, Body::First { address, traffic, data }, Purpose::StatusRequest);
    }

    /// Sends a report now, or delayed so that one report answers several requests.
    pub(super) fn answer(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        let delay = self.association.configuration.report_delay;
        if self.association.is_multicast_receiver() && delay.picoseconds() > 0 {
            if !self.timers.runs(Timer::Answer) {
                self.timers.set(Timer::Answer, after(turn.now, delay));
            }
            return;
        }
        self.report(turn, to);
    }

    /// Sends a report of the receive state.
    pub(super) fn report(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        self.send_control(turn, to, Options::NONE, self.sync_state.sync, Purpose::Report);
    }

    /// Sends END.
    pub(super) fn send_end(&mut self, turn: &mut Turn<'_, D, H>, to: H) {
        self.send_control(turn, to, Options::END | Options::RCLOSE, self.sync_state.sync, Purpose::End);
    }

    /// Sends a control packet with additional options.
    pub(super) fn send_control(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        to: H,
        options: Options,
        sync: u32,
        purpose: Purpose,
    ) {
        let options = (self.options() | options).with(Options::WCLOSE, self.sender.close_sent);
        let mut header = self.association.header(options, sync, self.sender.seq);
        if to != self.association.peer {
            header.key = self.association.key;
        }
        let body = self.report_body();
        turn.transmit(to, Packet { header, body }, purpose);
    }

    fn report_body(&self) -> Body<D> {
        let association = &self.association;
        let control = self.receiver.control(&association.configuration);
        let spans = self.receiver.spans();
        if !spans.is_empty() {
            let reported = spans.len().min(association.configuration.max_spans as usize);
            return Body::ErrorControl(control, spans[..reported].to_vec());
        }
        match association.role {
            Role::Acceptor { announced: false, .. } if !association.multicast => {
                let traffic = traffic(&association.configuration, Service::Unspecified);
                Body::TrafficControl { control, xkey: association.key, traffic }
            }
            _ => Body::Control(control),
        }
    }

    /// Options that all packets of this context carry.
    #[inline]
    fn options(&self) -> Options {
        self.association
            .options()
            .with(Options::EDGE, self.sender.edge)
            .with(Options::RCLOSE, self.receiver.is_closed())
    }

    /// Transmits to the peer, or the group.
    #[inline]
    fn transmit(
        &mut self,
        turn: &mut Turn<'_, D, H>,
        options: Options,
        sync: u32,
        seq: u64,
        body: Body<D>,
        purpose: Purpose,
    ) {
        let header = self.association.header(options, sync, seq);
        turn.transmit(self.association.peer, Packet { header, body }, purpose);
    }
}
