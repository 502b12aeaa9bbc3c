//! Processing of frames that a link receives.

use sojourn_core::Duration;

use super::{Link, LinkState};
use crate::UserData;
use crate::ax25::machine::context::Context;
use crate::ax25::machine::counters::Counter;
use crate::ax25::machine::establishment::{self, Action};
use crate::ax25::machine::output::{Cause, Output};
use crate::ax25::machine::parameters;
use crate::ax25::machine::settings::Version;
use crate::ax25::wire::{Body, Frame, FrameReject, Modulo, Reasons, Role, SequenceSet, Supervisory, Xid};

/// A frame's role and P/F bit, interpreted in the link's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PollFinal {
    /// It polls: the response must carry F.
    polls: bool,
    /// It responds to a poll.
    finals: bool,
    response: bool,
    /// The sender implements a version before 2.0.
    pre_v2: bool,
}

impl<D: UserData> Link<D> {
    /// Handles a frame of the link.
    pub fn receive(&mut self, context: &mut Context<'_, D>, frame: Frame<D>) {
        let Frame { addressing: ref addresses, poll_final, ref body } = frame;
        let bit = self.poll_final(addresses.role, poll_final);
        self.t3.stop();
        match *body {
            Body::I { modulo, .. } | Body::S { modulo, .. } if !self.is_up() || modulo != self.parameters.modulo => {
                let action = establishment::on_numbered(self.state, bit.polls);
                self.act(context, action, true);
            }
            Body::S { kind, n_r, further, .. } => {
                let control = body.control(poll_final).0;
                self.supervisory(context, bit, kind, n_r, further, control);
            }
            Body::I { .. } => self.information(context, bit, frame),
            Body::Sabm => self.receive_sabm(context, Modulo::Eight, poll_final),
            Body::Sabme => self.receive_sabm(context, Modulo::OneHundredTwentyEight, poll_final),
            Body::Disc => self.act(context, establishment::on_disc(self.state), poll_final),
            Body::Ua => self.act(context, establishment::on_ua(self.state, poll_final, bit.pre_v2), poll_final),
            Body::Dm => self.act(context, establishment::on_dm(self.state, poll_final, bit.pre_v2), poll_final),
            Body::Frmr(_) => {
                context.count(Counter::FrameRejectsReceived);
                self.act(context, establishment::on_frmr(self.state), poll_final);
            }
            Body::Xid(xid) => self.receive_xid(context, bit, poll_final, xid),
            Body::Ui { .. } | Body::Test(_) if bit.polls => self.polled(),
            Body::Ui { .. } | Body::Test(_) => {}
        }
        self.update_timers(context);
    }

    /// A station before v2.0 does not distinguish commands from responses: its P/F bit is F while an enquiry is
    /// outstanding, and P otherwise.
    fn poll_final(&self, role: Role, poll_final: bool) -> PollFinal {
        let pre_v2 = matches!(role, Role::PreV2 { .. });
        let responds = role == Role::Response || pre_v2 && self.state == LinkState::TimerRecovery;
        PollFinal {
            polls: poll_final && !responds,
            finals: poll_final && responds,
            response: role == Role::Response,
            pre_v2,
        }
    }

    /// A frame outside the sequence polled; it is answered while the link is up.
    pub fn polled(&mut self) {
        if self.is_up() {
            self.receiver.set_final_pending();
        }
    }

    /// SABM or SABME.
    pub fn receive_sabm(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        if modulo == Modulo::OneHundredTwentyEight && context.settings.version == Version::V2_0 {
            if let Some(body) = establishment::sabme_response(context.settings, poll) {
                self.pending.push(Role::Response, poll, body);
            }
            return;
        }
        self.act(context, establishment::on_sabm(self.state, modulo), poll);
    }

    fn act(&mut self, context: &mut Context<'_, D>, action: Action, poll_final: bool) {
        match action {
            Action::Ignore => context.count(Counter::Ignored),
            Action::Accept(modulo) => self.accept(context, modulo, poll_final),
            Action::Reestablish(modulo) => self.reestablish(context, modulo, poll_final),
            Action::Ua | Action::Collide => self.pending.push(Role::Response, poll_final, Body::Ua),
            Action::Dm => self.pending.push(Role::Response, poll_final, Body::Dm),
            Action::RepeatFrmr => {
                self.pending.push(Role::Response, poll_final, Body::Frmr(Some(self.frame_reject)));
            }
            Action::CollideAndFallBack => {
                self.pending.push(Role::Response, poll_final, Body::Ua);
                self.yield_to_sabm(context);
            }
            Action::Confirm => self.confirm(context),
            Action::FallBack => self.fall_back(context),
            Action::Reset => self.reset(context, self.parameters.modulo),
            Action::ResetToV20 => {
                if self.parameters.modulo == Modulo::OneHundredTwentyEight {
                    context.count(Counter::FallBacks);
                }
                self.reset(context, Modulo::Eight);
            }
            Action::Release => {
                self.pending.unnumbered.clear();
                self.pending.push(Role::Response, poll_final, Body::Ua);
                self.end(context, Cause::ByPeer);
            }
            Action::End(cause) => self.end(context, cause),
        }
    }

    /// The UA to an SABME already sent will confirm the link modulo 8; an SABME not yet sent becomes SABM.
    fn yield_to_sabm(&mut self, context: &mut Context<'_, D>) {
        let sent = !self.pending.unnumbered.iter().any(|frame| frame.body == Body::Sabme);
        self.fall_back(context);
        if sent {
            self.pending.unnumbered.retain(|frame| frame.body != Body::Sabm);
            self.start_t1(context);
        }
    }

    fn accept(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        self.restart(context.settings, modulo);
        self.pending.push(Role::Response, poll, Body::Ua);
        self.state = LinkState::Connected;
        let (link, version) = (self.id, self.parameters.version);
        context.emit(Output::Connected { link, incoming: true, version, modulo });
    }

    /// The peer re-establishes the link, or has not received the UA that confirmed it.
    fn reestablish(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        let rejected = self.state == LinkState::FrameReject;
        let in_flight = self.sender.unacknowledged() > 0;
        let reset = self.used || rejected || in_flight || modulo != self.parameters.modulo;
        let lost = self.drop_if_uncertain() + self.resetting.take().unwrap_or(0);
        self.restart(context.settings, modulo);
        self.pending.push(Role::Response, poll, Body::Ua);
        self.state = LinkState::Connected;
        if reset {
            context.count(Counter::Resets);
            context.emit(Output::Reset { link: self.id, lost });
        }
    }

    fn confirm(&mut self, context: &mut Context<'_, D>) {
        let (link, version, modulo) = (self.id, self.parameters.version, self.parameters.modulo);
        self.state = LinkState::Connected;
        self.t1.restart();
        self.pending.drop_commands();
        match self.resetting.take() {
            Some(lost) => context.emit(Output::Reset { link, lost }),
            None => context.emit(Output::Connected { link, incoming: false, version, modulo }),
        }
        if version == Version::V2_2 && context.settings.xid_negotiation {
            self.xid.begin();
            self.send_xid(context);
        }
    }

    fn receive_xid(&mut self, context: &mut Context<'_, D>, bit: PollFinal, poll_final: bool, xid: Xid) {
        let awaited = self.xid.finish();
        if !bit.response {
            let response = parameters::response(context.settings, &xid);
            self.pending.push(Role::Response, poll_final, Body::Xid(response));
        } else if !awaited {
            return;
        }
        if self.parameters.version == Version::V2_2 && self.state != LinkState::Disconnected {
            self.parameters.adopt(context.settings, &xid);
            if let Some(milliseconds) = xid.t1_ms {
                self.t1.lengthen(Duration::from_millis(milliseconds.into()));
            }
        }
    }

    /// An I frame of a link that is up.
    fn information(&mut self, context: &mut Context<'_, D>, bit: PollFinal, frame: Frame<D>) {
        let control = frame.body.control(frame.poll_final).0;
        let Body::I { n_s, n_r, pid, data, .. } = frame.body else { return };
        let too_long = data.length() > usize::from(context.settings.n1_receive);
        let invalid_n_r = !self.sender.accepts(n_r);
        if too_long || invalid_n_r {
            let reasons = Reasons { too_long, invalid_n_r, ..Reasons::default() };
            return self.reject_frame(context, control, bit, reasons);
        }
        self.used = true;
        self.acknowledge(context, n_r);
        if bit.polls {
            self.receiver.set_final_pending();
        }
        self.receiver.information(context, self.id, &self.parameters, n_s, (pid, data));
    }

    /// An S frame of a link that is up.
    fn supervisory(
        &mut self,
        context: &mut Context<'_, D>,
        bit: PollFinal,
        kind: Supervisory,
        n_r: u8,
        further: SequenceSet,
        control: u16,
    ) {
        if !self.sender.accepts(n_r) {
            let reasons = Reasons { invalid_n_r: true, ..Reasons::default() };
            return self.reject_frame(context, control, bit, reasons);
        }
        self.set_peer_busy(context, kind == Supervisory::Rnr);
        if bit.polls {
            self.receiver.set_final_pending();
        }
        let recovered = bit.finals && self.state == LinkState::TimerRecovery;
        // an SREJ acknowledges only if it responds to a poll
        if kind != Supervisory::Srej || bit.finals {
            self.acknowledge(context, n_r);
        }
        if recovered {
            self.state = LinkState::Connected;
            self.pending.enquiry = false;
            self.t1.restart();
        }
        match kind {
            Supervisory::Srej => {
                context.count(Counter::RejectsReceived);
                self.sender.retransmit(n_r);
                further.from_on(n_r, self.parameters.modulo).for_each(|number| self.sender.retransmit(number));
                if self.state == LinkState::Connected {
                    // the retransmission starts it
                    self.t1.timer.stop();
                }
            }
            Supervisory::Rej => {
                context.count(Counter::RejectsReceived);
                match self.state {
                    LinkState::Connected => self.go_back(),
                    // the enquiry stays outstanding (AX.25 v2.2, figure C4.5: invoke retransmission)
                    _ => self.sender.retransmit_all(),
                }
            }
            // N(R) now states all that the peer lacks
            Supervisory::Rr | Supervisory::Rnr if recovered => self.go_back(),
            Supervisory::Rr | Supervisory::Rnr => {}
        }
    }

    /// Retransmits everything that is unacknowledged.
    fn go_back(&mut self) {
        if self.sender.unacknowledged() > 0 {
            self.sender.go_back();
            self.t1.timer.stop();
        }
    }

    fn set_peer_busy(&mut self, context: &mut Context<'_, D>, busy: bool) {
        if std::mem::replace(&mut self.sender.peer_busy, busy) != busy {
            context.emit(Output::PeerBusy { link: self.id, busy });
        }
    }

    /// Takes an acceptable N(R).
    fn acknowledge(&mut self, context: &mut Context<'_, D>, n_r: u8) {
        let acknowledged = self.sender.acknowledge(n_r);
        if acknowledged.frames == 0 {
            return;
        }
        if self.state == LinkState::Connected {
            if acknowledged.sent_once {
                self.t1.sample(context.now);
            }
            // it restarts if anything is left
            self.t1.timer.stop();
        }
        context.emit(Output::Acknowledged { link: self.id, frames: acknowledged.frames });
    }

    /// An invalid frame: v2.0 sends FRMR and waits for the peer to re-establish the link, v2.2 re-establishes it itself.
    fn reject_frame(&mut self, context: &mut Context<'_, D>, control: u16, bit: PollFinal, reasons: Reasons) {
        if self.parameters.version == Version::V2_2 {
            self.reset(context, self.parameters.modulo);
            return;
        }
        self.frame_reject = FrameReject {
            modulo: self.parameters.modulo,
            control,
            v_r: self.receiver.v_r(),
            v_s: self.sender.v_s(),
            response: bit.response,
            reasons,
        };
        self.lose_if_uncertain();
        self.restart(context.settings, self.parameters.modulo);
        self.state = LinkState::FrameReject;
        self.t1.rc = 1;
        self.pending.push(Role::Response, bit.polls, Body::Frmr(Some(self.frame_reject)));
    }
}
