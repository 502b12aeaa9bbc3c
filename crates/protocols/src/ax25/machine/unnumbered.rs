//! Set-up and end of a link: SABM, SABME, DISC, UA, DM and FRMR, as they come in.

use super::context::{Context, Sense};
use super::counters::Counter;
use super::link::{Link, LinkState};
use super::output::{Cause, Output};
use super::settings::{SabmeResponse, Settings, Version};
use crate::UserData;
use crate::ax25::wire::{Body, FrameReject, Modulo, Reasons, Role};

/// What a v2.0 station says to SABME, if anything.
pub(super) fn refusal_of_extended<D>(settings: &Settings, poll: bool) -> Option<Body<D>> {
    match settings.sabme_response {
        SabmeResponse::FrameReject => Some(Body::Frmr(Some(FrameReject {
            control: Body::<D>::Sabme.control(poll).0,
            reasons: Reasons { unknown_control: true, ..Reasons::default() },
            ..FrameReject::default()
        }))),
        SabmeResponse::DisconnectedMode => Some(Body::Dm),
        SabmeResponse::Silent => None,
    }
}

impl<D: UserData> Link<D> {
    /// SABM or SABME.
    pub fn asked_to_set_up(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        let extended = modulo == Modulo::OneHundredTwentyEight;
        if extended && context.settings.version == Version::V2_0 {
            if let Some(body) = refusal_of_extended(context.settings, poll) {
                self.owe(Role::Response, poll, body);
            }
            return;
        }
        match self.state {
            LinkState::Disconnected => self.accept(context, modulo, poll),
            LinkState::AwaitingRelease => self.owe(Role::Response, poll, Body::Dm),
            // both asked at once: each agrees and waits for the other's UA, and SABM wins over SABME
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => {
                self.owe(Role::Response, poll, Body::Ua);
                if !extended && self.state == LinkState::AwaitingV22Connection {
                    self.yield_to_older(context);
                }
            }
            LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => {
                self.begin_anew(context, modulo, poll);
            }
        }
    }

    /// The UA to the SABME on its way will do for the link modulo 8; an SABME not yet sent becomes SABM.
    fn yield_to_older(&mut self, context: &mut Context<'_, D>) {
        let sent = !self.owed.unnumbered.iter().any(|frame| frame.body == Body::Sabme);
        self.fall_back(context);
        if sent {
            self.owed.unnumbered.retain(|frame| frame.body != Body::Sabm);
            self.start_t1(context);
        }
    }

    fn accept(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        self.begin(context.settings, modulo);
        self.owe(Role::Response, poll, Body::Ua);
        self.state = LinkState::Connected;
        let (link, version) = (self.id, self.version);
        context.emit(Output::Connected { link, incoming: true, version, modulo });
    }

    /// The other station begins the link anew, or has not heard that it is up.
    fn begin_anew(&mut self, context: &mut Context<'_, D>, modulo: Modulo, poll: bool) {
        let rejected = self.state == LinkState::FrameReject;
        let news = self.used || rejected || self.sending.unacknowledged() > 0 || modulo != self.modulo;
        let lost = self.drop_if_uncertain() + self.resetting.take().unwrap_or(0);
        self.begin(context.settings, modulo);
        self.owe(Role::Response, poll, Body::Ua);
        self.state = LinkState::Connected;
        if news {
            context.count(Counter::Resets);
            context.emit(Output::Reset { link: self.id, lost });
        }
    }

    /// DISC.
    pub fn asked_to_end(&mut self, context: &mut Context<'_, D>, poll: bool) {
        match self.state {
            LinkState::Disconnected | LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => {
                self.owe(Role::Response, poll, Body::Dm);
            }
            LinkState::AwaitingRelease => self.owe(Role::Response, poll, Body::Ua),
            LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => {
                self.owed.unnumbered.clear();
                self.owe(Role::Response, poll, Body::Ua);
                self.end(context, Cause::ByPeer);
            }
        }
    }

    /// UA.
    pub fn agreed(&mut self, context: &mut Context<'_, D>, sense: Sense, final_bit: bool) {
        match self.state {
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection if final_bit || sense.old => {
                self.confirm(context);
            }
            LinkState::AwaitingRelease => self.end(context, Cause::Requested),
            LinkState::Connected | LinkState::TimerRecovery => self.reset(context, self.modulo),
            _ => context.count(Counter::Ignored),
        }
    }

    fn confirm(&mut self, context: &mut Context<'_, D>) {
        let (link, version, modulo) = (self.id, self.version, self.modulo);
        self.state = LinkState::Connected;
        self.tries = 0;
        self.t1.stop();
        // a command for a link that is up by now is not needed any more
        self.owed.unnumbered.retain(|frame| frame.role != Role::Command);
        match self.resetting.take() {
            Some(lost) => context.emit(Output::Reset { link, lost }),
            None => context.emit(Output::Connected { link, incoming: false, version, modulo }),
        }
        if version == Version::V2_2 && context.settings.xid_negotiation {
            self.begin_negotiation(context);
        }
    }

    /// DM.
    pub fn declined(&mut self, context: &mut Context<'_, D>, sense: Sense, final_bit: bool) {
        match self.state {
            LinkState::AwaitingConnection if final_bit || sense.old => self.end(context, Cause::Refused),
            // some v2.0 stations say DM to a SABME they do not know
            LinkState::AwaitingV22Connection if final_bit => self.fall_back(context),
            LinkState::AwaitingRelease => self.end(context, Cause::Requested),
            LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => {
                self.end(context, Cause::ByPeer);
            }
            _ => context.count(Counter::Ignored),
        }
    }

    /// FRMR.
    pub fn frame_rejected(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::FrameRejectsReceived);
        match self.state {
            LinkState::AwaitingV22Connection => self.fall_back(context),
            LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => {
                // a v2.2 station never sends it: the other speaks v2.0
                if self.modulo == Modulo::OneHundredTwentyEight {
                    context.count(Counter::FallBacks);
                }
                self.reset(context, Modulo::Eight);
            }
            _ => context.count(Counter::Ignored),
        }
    }

    /// A frame that makes no sense came in: v2.0 says so and waits for a new beginning, v2.2 begins anew itself.
    pub fn refuse_frame(&mut self, context: &mut Context<'_, D>, control: u16, sense: Sense, reasons: Reasons) {
        if self.version == Version::V2_2 {
            self.reset(context, self.modulo);
            return;
        }
        self.rejected = FrameReject {
            modulo: self.modulo,
            control,
            v_r: self.v_r,
            v_s: self.sending.v_s(),
            response: sense.response,
            reasons,
        };
        let lost = self.drop_if_uncertain();
        self.resetting = Some(self.resetting.unwrap_or(0) + lost);
        self.begin(context.settings, self.modulo);
        self.state = LinkState::FrameReject;
        self.tries = 1;
        self.owe(Role::Response, sense.polls, Body::Frmr(Some(self.rejected)));
    }

    /// An I or S frame while the link is not up, or one that counts otherwise.
    pub fn numbered_out_of_place(&mut self, context: &mut Context<'_, D>, sense: Sense) {
        match self.state {
            LinkState::AwaitingRelease if sense.polls => self.owe(Role::Response, true, Body::Dm),
            LinkState::FrameReject if sense.polls => {
                self.owe(Role::Response, true, Body::Frmr(Some(self.rejected)));
            }
            _ => context.count(Counter::Ignored),
        }
    }
}
