//! The frames of a burst, built when the channel is free.

use super::context::Context;
use super::counters::Counter;
use super::link::{Link, LinkState};
use super::output::Purpose;
use super::owed::Unnumbered;
use super::settings::{Recovery, RejectMode};
use super::timer::Timer;
use super::window::Due;
use crate::UserData;
use crate::ax25::wire::{Body, Role, SequenceSet, Supervisory};

impl<D: UserData> Link<D> {
    /// Whether there is anything to send.
    pub fn wants_channel(&self) -> bool {
        let owed = &self.owed;
        !owed.unnumbered.is_empty()
            || self.is_up() && (owed.answer || owed.acknowledge || owed.reject || owed.enquiry)
            || self.has_information()
    }

    /// Whether an I frame may be sent.
    pub fn has_information(&self) -> bool {
        match self.state {
            _ if self.peer_busy => false,
            LinkState::Connected => self.sending.has_due(self.window),
            LinkState::TimerRecovery => self.sending.has_repeat(),
            _ => false,
        }
    }

    /// Hands over all frames but I frames.
    pub fn give_control(&mut self, context: &mut Context<'_, D>) {
        while let Some(frame) = self.owed.unnumbered.pop_front() {
            self.give_unnumbered(context, frame);
        }
        if !self.is_up() {
            return;
        }
        let owed = &self.owed;
        // an I frame acknowledges too
        if owed.answer || owed.reject || owed.acknowledge && !self.has_information() {
            self.give_supervisory(context);
        }
        if std::mem::take(&mut self.owed.enquiry) {
            self.give_enquiry(context);
        }
    }

    fn give_unnumbered(&mut self, context: &mut Context<'_, D>, frame: Unnumbered<D>) {
        match frame.body {
            Body::Frmr(_) => context.count(Counter::FrameRejectsSent),
            Body::Xid(_) if frame.role == Role::Command => self.start_negotiation_timer(context),
            _ => {}
        }
        let awaited = match self.state {
            LinkState::FrameReject => matches!(frame.body, Body::Frmr(_)),
            _ => matches!(frame.body, Body::Sabm | Body::Sabme | Body::Disc),
        };
        self.transmit(context, frame, Purpose::Control);
        if awaited && self.state != LinkState::Disconnected {
            self.start_t1(context);
        }
    }

    /// Answers a poll, asks for missing frames, or acknowledges.
    fn give_supervisory(&mut self, context: &mut Context<'_, D>) {
        let answer = std::mem::take(&mut self.owed.answer);
        let reject = std::mem::take(&mut self.owed.reject);
        if self.own_busy {
            self.give_numbered(context, Supervisory::Rnr, answer);
        } else if self.reject != RejectMode::GoBack && !self.early.is_empty() && (answer || reject) {
            self.give_selective(context, answer);
        } else if reject {
            context.count(Counter::RejectsSent);
            self.give_numbered(context, Supervisory::Rej, answer);
        } else {
            self.give_numbered(context, Supervisory::Rr, answer);
        }
    }

    /// RR, RNR or REJ as a response.
    fn give_numbered(&mut self, context: &mut Context<'_, D>, kind: Supervisory, answer: bool) {
        let purpose = match (kind, answer) {
            (Supervisory::Rej, _) => Purpose::Reject,
            (_, true) => Purpose::EnquiryResponse,
            (_, false) => Purpose::Acknowledgement,
        };
        let body = Body::S { modulo: self.modulo, kind, n_r: self.v_r, further: SequenceSet::NONE };
        self.transmit(context, Unnumbered { role: Role::Response, poll_final: answer, body }, purpose);
        self.acknowledgement_given();
    }

    /// SREJ for missing frames: in answer to a poll for all of them, otherwise for those not asked for yet.
    fn give_selective(&mut self, context: &mut Context<'_, D>, mut answer: bool) {
        let missing = if answer {
            self.acknowledgement_given();
            self.early.missing(self.v_r, self.modulo)
        } else {
            self.early.not_asked(self.v_r, self.modulo)
        };
        self.early.note_asked(missing);
        let mut left = missing;
        for receive in missing.from_on(self.v_r, self.modulo) {
            if !left.remove(receive) {
                continue;
            }
            let listed = self.reject == RejectMode::MultiSelective;
            let further = if listed { std::mem::take(&mut left) } else { SequenceSet::NONE };
            let body = Body::S { modulo: self.modulo, kind: Supervisory::Srej, n_r: receive, further };
            context.count(Counter::RejectsSent);
            let poll_final = std::mem::take(&mut answer);
            self.transmit(context, Unnumbered { role: Role::Response, poll_final, body }, Purpose::Reject);
        }
    }

    fn give_enquiry(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Enquiries);
        let oldest = context.settings.recovery == Recovery::OldestFrame && !self.peer_busy;
        match oldest.then(|| self.sending.oldest()).flatten() {
            Some(due) => self.give_frame(context, due, true),
            None => {
                let kind = if self.own_busy { Supervisory::Rnr } else { Supervisory::Rr };
                let body = Body::S { modulo: self.modulo, kind, n_r: self.v_r, further: SequenceSet::NONE };
                self.transmit(context, Unnumbered { role: Role::Command, poll_final: true, body }, Purpose::Enquiry);
                self.acknowledgement_given();
            }
        }
        self.start_t1(context);
    }

    /// Hands over I frames, no more than `limit`; how many are left of it.
    pub fn give_information(&mut self, context: &mut Context<'_, D>, mut limit: u16) -> u16 {
        while limit > 0 && self.has_information() {
            let due = match self.state {
                LinkState::TimerRecovery => self.sending.next_repeat(),
                _ => self.sending.next_due(self.window),
            };
            let Some(due) = due else { break };
            self.give_frame(context, due, false);
            if self.t1.is_stopped() {
                self.start_t1(context);
            }
            self.t3.stop();
            limit -= 1;
        }
        limit
    }

    fn give_frame(&mut self, context: &mut Context<'_, D>, due: Due<D>, poll: bool) {
        let (counter, purpose) = if due.repeated {
            (Counter::InformationResent, Purpose::Retransmission)
        } else {
            (Counter::InformationSent, Purpose::Information)
        };
        context.count(counter);
        let Due { number: send, pid, data, .. } = due;
        let body = Body::I { modulo: self.modulo, n_s: send, n_r: self.v_r, pid, data };
        self.transmit(context, Unnumbered { role: Role::Command, poll_final: poll, body }, purpose);
        self.acknowledgement_given();
        self.used = true;
    }

    /// N(R) has gone out.
    fn acknowledgement_given(&mut self) {
        self.owed.acknowledge = false;
        self.t2 = Timer::Stopped;
    }
}
