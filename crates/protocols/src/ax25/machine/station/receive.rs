//! Dispatch of received frames to their links, and the responses to frames that belong to none.

use sojourn_core::Time;

use super::Station;
use crate::UserData;
use crate::ax25::machine::establishment::sabme_response;
use crate::ax25::machine::output::{LinkKey, Output, Purpose};
use crate::ax25::machine::parameters::offer;
use crate::ax25::machine::settings::Version;
use crate::ax25::wire::{Addressing, Body, Frame, Modulo, Role};

impl<D: UserData> Station<D> {
    pub(super) fn receive(&mut self, now: Time, frame: Frame<D>) {
        if !self.accepts(&frame.addressing) {
            return;
        }
        let addressing = frame.addressing;
        let index = self.position(&LinkKey::of_received(&addressing));
        let poll = frame.poll_final && addressing.role != Role::Response;
        match frame.body {
            Body::Ui { pid, data } => {
                self.outputs.push_back(Output::Unnumbered { addressing, pid, data });
                let own = self.is_own(&addressing.destination);
                match index {
                    _ if !poll || !own => {}
                    Some(index) => self.with_link(now, index, |link, _| link.polled()),
                    None => self.respond(&addressing, true, Body::Dm, Purpose::Control),
                }
            }
            _ if !self.is_own(&addressing.destination) => {}
            Body::Test(data) if addressing.role == Role::Response => {
                self.outputs.push_back(Output::TestResponse { addressing, data });
            }
            Body::Test(data) => {
                self.respond(&addressing, frame.poll_final, Body::Test(data), Purpose::Unnumbered);
            }
            _ => match index {
                Some(index) => self.with_link(now, index, |link, context| link.receive(context, frame)),
                None => self.receive_without_link(now, frame),
            },
        }
    }

    /// A frame that belongs to no link: SABM or SABME may create one.
    fn receive_without_link(&mut self, now: Time, frame: Frame<D>) {
        let Frame { addressing, poll_final, body } = frame;
        let poll = poll_final && addressing.role != Role::Response;
        match body {
            Body::Sabme if self.settings.version == Version::V2_0 => {
                if let Some(body) = sabme_response(&self.settings, poll_final) {
                    self.respond(&addressing, poll_final, body, Purpose::Control);
                }
            }
            Body::Sabm | Body::Sabme => {
                let slot = if self.settings.accepts_connections {
                    self.allocate(LinkKey::of_received(&addressing)).ok()
                } else {
                    None
                };
                let modulo = if body == Body::Sabm { Modulo::Eight } else { Modulo::OneHundredTwentyEight };
                match slot {
                    Some(index) => self.with_link(now, index, |link, context| {
                        link.receive_sabm(context, modulo, poll_final);
                        link.update_timers(context);
                    }),
                    None => self.respond(&addressing, poll_final, Body::Dm, Purpose::Control),
                }
            }
            Body::Disc => self.respond(&addressing, poll_final, Body::Dm, Purpose::Control),
            Body::Xid(_) if addressing.role != Role::Response => {
                let own = Body::Xid(offer(&self.settings));
                self.respond(&addressing, poll_final, own, Purpose::Unnumbered);
            }
            // the F bit is P (AX.25 v2.2, section 6.3.5 and figure C4.1); a peer before v2.0 sends responses with the same bits
            Body::I { .. } | Body::S { .. } if poll || addressing.role == Role::Command => {
                self.respond(&addressing, poll, Body::Dm, Purpose::Control);
            }
            _ => {}
        }
    }

    fn respond(&mut self, addressing: &Addressing, poll_final: bool, body: Body<D>, purpose: Purpose) {
        self.push_connectionless(Frame { addressing: addressing.reversed(Role::Response), poll_final, body }, purpose);
    }
}
