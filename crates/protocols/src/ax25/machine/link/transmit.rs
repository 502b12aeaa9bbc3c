//! Builds the frames of a burst when the channel is seized, so that they carry the latest N(R).

use super::{Link, LinkState};
use crate::UserData;
use crate::ax25::machine::context::Context;
use crate::ax25::machine::counters::Counter;
use crate::ax25::machine::output::{Output, Purpose};
use crate::ax25::machine::pending::Unnumbered;
use crate::ax25::machine::receiver::Response;
use crate::ax25::machine::send_window::DueFrame;
use crate::ax25::machine::settings::Recovery;
use crate::ax25::wire::{Body, Frame, Role, SequenceSet, Supervisory};

impl<D: UserData> Link<D> {
    /// Whether a frame is pending.
    pub fn wants_channel(&self) -> bool {
        !self.pending.unnumbered.is_empty()
            || self.is_up() && (self.receiver.has_pending() || self.pending.enquiry)
            || self.has_information()
    }

    /// Whether an I frame may be sent.
    pub fn has_information(&self) -> bool {
        match self.state {
            _ if self.sender.peer_busy => false,
            LinkState::Connected => self.sender.has_due(self.parameters.k),
            LinkState::TimerRecovery => self.sender.has_retransmission(),
            _ => false,
        }
    }

    /// Transmits all pending frames except I frames.
    pub fn transmit_control(&mut self, context: &mut Context<'_, D>) {
        while let Some(frame) = self.pending.unnumbered.pop_front() {
            self.transmit_unnumbered(context, frame);
        }
        if !self.is_up() {
            return;
        }
        let information_follows = self.has_information();
        for response in self.receiver.responses(&self.parameters, information_follows) {
            self.transmit_response(context, &response);
        }
        if std::mem::take(&mut self.pending.enquiry) {
            self.transmit_enquiry(context);
        }
    }

    fn transmit_unnumbered(&mut self, context: &mut Context<'_, D>, frame: Unnumbered<D>) {
        match frame.body {
            Body::Frmr(_) => context.count(Counter::FrameRejectsSent),
            Body::Xid(_) if frame.role == Role::Command => self.xid.sent(context, self.t1.rtt()),
            _ => {}
        }
        let awaits_response = match self.state {
            LinkState::FrameReject => matches!(frame.body, Body::Frmr(_)),
            _ => matches!(frame.body, Body::Sabm | Body::Sabme | Body::Disc),
        };
        self.transmit(context, frame.role, frame.poll_final, frame.body, Purpose::Control);
        if awaits_response && self.state != LinkState::Disconnected {
            self.start_t1(context);
        }
    }

    /// RR, RNR, REJ or SREJ as a response.
    fn transmit_response(&self, context: &mut Context<'_, D>, response: &Response) {
        let Response { kind, n_r, further, poll_final } = *response;
        let purpose = match (kind, poll_final) {
            (Supervisory::Rej | Supervisory::Srej, _) => Purpose::Reject,
            (_, true) => Purpose::EnquiryResponse,
            (_, false) => Purpose::Acknowledgement,
        };
        if purpose == Purpose::Reject {
            context.count(Counter::RejectsSent);
        }
        let body = Body::S { modulo: self.parameters.modulo, kind, n_r, further };
        self.transmit(context, Role::Response, poll_final, body, purpose);
    }

    fn transmit_enquiry(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Enquiries);
        let oldest = context.settings.recovery == Recovery::OldestFrame && !self.sender.peer_busy;
        match oldest.then(|| self.sender.oldest()).flatten() {
            Some(due) => self.transmit_frame(context, due, true),
            None => {
                let kind = if self.receiver.is_busy() { Supervisory::Rnr } else { Supervisory::Rr };
                let (modulo, n_r) = (self.parameters.modulo, self.receiver.v_r());
                let body = Body::S { modulo, kind, n_r, further: SequenceSet::NONE };
                self.transmit(context, Role::Command, true, body, Purpose::Enquiry);
                self.receiver.acknowledged();
            }
        }
        self.start_t1(context);
    }

    /// Transmits I frames, at most `limit`; returns what is left of it.
    pub fn transmit_information(&mut self, context: &mut Context<'_, D>, mut limit: u16) -> u16 {
        while limit > 0 && self.has_information() {
            let due = match self.state {
                LinkState::TimerRecovery => self.sender.next_retransmission(),
                _ => self.sender.next_due(self.parameters.k),
            };
            let Some(due) = due else { break };
            self.transmit_frame(context, due, false);
            if self.t1.timer.is_stopped() {
                self.start_t1(context);
            }
            self.t3.stop();
            limit -= 1;
        }
        limit
    }

    fn transmit_frame(&mut self, context: &mut Context<'_, D>, due: DueFrame<D>, poll: bool) {
        let (counter, purpose) = if due.retransmitted {
            (Counter::InformationResent, Purpose::Retransmission)
        } else {
            (Counter::InformationSent, Purpose::Information)
        };
        context.count(counter);
        let DueFrame { n_s, pid, data, .. } = due;
        let body = Body::I { modulo: self.parameters.modulo, n_s, n_r: self.receiver.v_r(), pid, data };
        self.transmit(context, Role::Command, poll, body, purpose);
        self.receiver.acknowledged();
        self.used = true;
    }

    fn transmit(&self, context: &mut Context<'_, D>, role: Role, poll_final: bool, body: Body<D>, purpose: Purpose) {
        let frame = Frame { addressing: self.key.addressing(role), poll_final, body };
        context.emit(Output::Transmit { link: Some(self.id), frame, purpose });
    }
}
