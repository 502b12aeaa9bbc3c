//! What happens when T1, T2, T3 or TM201 expires.

use super::context::Context;
use super::counters::Counter;
use super::link::{Link, LinkState};
use super::output::Cause;
use super::settings::Version;
use crate::UserData;
use crate::ax25::wire::{Body, Modulo, Role};

impl<D: UserData> Link<D> {
    /// Lets every timer that is due expire.
    pub fn wake(&mut self, context: &mut Context<'_, D>) {
        if self.t1.expire(context.now) {
            context.count(Counter::Timeouts);
            self.t1_expired(context);
        }
        if self.t2.expire(context.now) {
            self.owed.acknowledge |= self.is_up();
        }
        if self.t3.expire(context.now) && self.state == LinkState::Connected {
            self.tries = 0;
            self.enquire();
        }
        if self.negotiation.expire(context.now) {
            self.negotiation_expired(context);
        }
    }

    fn t1_expired(&mut self, context: &mut Context<'_, D>) {
        let exhausted = self.tries >= self.retries;
        match self.state {
            LinkState::Disconnected => {}
            LinkState::Connected => {
                self.tries = 1;
                self.enquire();
            }
            LinkState::TimerRecovery if exhausted => self.give_up(context),
            LinkState::TimerRecovery => {
                self.tries += 1;
                self.enquire();
            }
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection if exhausted => {
                self.end(context, Cause::NoResponse);
            }
            LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => self.ask_again(context),
            LinkState::AwaitingRelease if exhausted => self.end(context, Cause::RequestedNoResponse),
            LinkState::AwaitingRelease => {
                self.tries += 1;
                self.owe(Role::Command, true, Body::Disc);
            }
            LinkState::FrameReject if exhausted => self.reset(context, Modulo::Eight),
            LinkState::FrameReject => {
                self.tries += 1;
                self.owe(Role::Response, false, Body::Frmr(Some(self.rejected)));
            }
        }
    }

    /// Nobody answered SABM or SABME. A station that hears a third of N2 SABME in vain may not know it.
    fn ask_again(&mut self, context: &mut Context<'_, D>) {
        let unknown = self.state == LinkState::AwaitingV22Connection && self.tries >= (self.retries / 3).max(1);
        self.tries += 1;
        if unknown {
            self.fall_back(context);
        } else {
            self.ask_for_link();
        }
    }

    /// Nobody answered N2 enquiries: v2.0 tries to begin the link anew, v2.2 ends it.
    fn give_up(&mut self, context: &mut Context<'_, D>) {
        match self.version {
            Version::V2_0 => self.reset(context, self.modulo),
            Version::V2_2 => {
                self.owe(Role::Response, false, Body::Dm);
                self.end(context, Cause::NoResponse);
            }
        }
    }
}
