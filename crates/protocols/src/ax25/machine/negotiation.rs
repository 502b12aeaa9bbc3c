//! XID: what the two stations of a v2.2 link can do, told after it is set up.
//!
//! The modulus is not negotiated: SABME has settled it. Of reject modes the lesser holds, of T1 and N2 the greater, of
//! N1 and k each station heeds what the other can take.

use sojourn_core::Duration;

use super::context::{Context, Sense};
use super::link::{Link, LinkState};
use super::settings::{RejectMode, Settings, Version};
use crate::UserData;
use crate::ax25::wire::{Body, Classes, Functions, Role, Xid};

const PICOSECONDS_PER_MILLISECOND: u64 = 1_000_000_000;

/// What a station can do.
pub(super) fn offer(settings: &Settings) -> Xid {
    let mut functions = Functions::ALWAYS.with(Functions::REJECT);
    let extended = settings.version == Version::V2_2;
    functions = functions.with(if extended { Functions::MODULO_128 } else { Functions::MODULO_8 });
    if extended && settings.reject_mode >= RejectMode::Selective {
        functions = functions.with(Functions::SELECTIVE_REJECT);
    }
    if extended && settings.reject_mode == RejectMode::MultiSelective {
        functions = functions.with(Functions::MULTI_SELECTIVE_REJECT);
    }
    let milliseconds = settings.frack.picoseconds() / PICOSECONDS_PER_MILLISECOND;
    Xid {
        classes: Some(Classes::HalfDuplex),
        functions: Some(functions),
        n1: Some(settings.n1_receive),
        k: Some(if extended { settings.k_extended } else { settings.k }),
        t1_ms: Some(u16::try_from(milliseconds).unwrap_or(u16::MAX)),
        n2: Some(settings.n2),
    }
}

/// The best reject mode a station says it knows; what it does not say is the default of v2.2.
fn reject_mode(xid: &Xid) -> RejectMode {
    match xid.functions {
        Some(functions) if functions.has(Functions::MULTI_SELECTIVE_REJECT) => RejectMode::MultiSelective,
        Some(functions) if !functions.has(Functions::SELECTIVE_REJECT) => RejectMode::GoBack,
        _ => RejectMode::Selective,
    }
}

impl<D: UserData> Link<D> {
    /// Tells the other station what this one can do.
    pub fn begin_negotiation(&mut self, context: &Context<'_, D>) {
        self.negotiation_tries = 1;
        self.owe(Role::Command, true, Body::Xid(offer(context.settings)));
    }

    /// TM201 runs from the XID that is handed over now.
    pub fn start_negotiation_timer(&mut self, context: &Context<'_, D>) {
        self.negotiation = context.started(self.round_trip.t1(self.negotiation_tries.saturating_sub(1)));
    }

    /// XID has not been answered. After N2 tries the link goes on with the defaults of v2.2.
    pub fn negotiation_expired(&mut self, context: &Context<'_, D>) {
        if self.is_up() && self.negotiation_tries < self.retries {
            self.negotiation_tries += 1;
            self.owe(Role::Command, true, Body::Xid(offer(context.settings)));
        }
    }

    /// XID came in.
    pub fn negotiate(&mut self, context: &mut Context<'_, D>, sense: Sense, poll_final: bool, xid: Xid) {
        if !sense.response {
            let own = offer(context.settings);
            let answer = Xid { t1_ms: own.t1_ms.max(xid.t1_ms), n2: own.n2.max(xid.n2), ..own };
            self.owe(Role::Response, poll_final, Body::Xid(answer));
        } else if self.negotiation.is_stopped() {
            return;
        }
        self.negotiation.stop();
        if self.version == Version::V2_2 && self.state != LinkState::Disconnected {
            self.adopt(context.settings, &xid);
        }
    }

    fn adopt(&mut self, settings: &Settings, xid: &Xid) {
        self.reject = settings.reject_mode.min(reject_mode(xid));
        self.window = settings.k_extended.min(xid.k.unwrap_or(u8::MAX));
        self.limit_window();
        self.information_limit = settings.n1.min(xid.n1.unwrap_or(u16::MAX));
        self.retries = settings.n2.max(xid.n2.unwrap_or(0));
        if let Some(milliseconds) = xid.t1_ms {
            self.round_trip.lengthen(Duration::from_millis(milliseconds.into()));
        }
    }
}
