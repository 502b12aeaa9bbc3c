//! Connection establishment and release: how a link in each state reacts to SABM, SABME, DISC, UA, DM, FRMR, and to I
//! and S frames while it is not established (AX.25 v2.2 sections 6.3.1 to 6.3.4 and its SDL diagrams).

use super::link::LinkState;
use super::output::Cause;
use super::settings::{SabmeResponse, Settings};
use crate::ax25::wire::{Body, FrameReject, Modulo, Reasons};

/// What a link does about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The frame has no meaning in this state.
    Ignore,
    /// Responds with UA and stays as it is.
    Ua,
    /// Responds with DM and stays as it is.
    Dm,
    /// Sends the last FRMR again.
    RepeatFrmr,
    /// Accepts the connection with this modulus.
    Accept(Modulo),
    /// Both stations sent SABM: responds with UA and awaits the peer's.
    Collide,
    /// Responds with UA to SABM and awaits the peer's UA to its own SABME as a link modulo 8.
    CollideAndFallBack,
    /// The peer re-establishes the link with this modulus.
    Reestablish(Modulo),
    /// The connection is confirmed.
    Confirm,
    /// The peer does not implement v2.2: tries again with SABM.
    FallBack,
    /// Re-establishes the link with its modulus.
    Reset,
    /// Re-establishes the link modulo 8.
    ResetToV20,
    /// The peer releases the link: responds with UA.
    Release,
    /// The link is down.
    End(Cause),
}

/// SABM or SABME.
pub(super) fn on_sabm(state: LinkState, modulo: Modulo) -> Action {
    match state {
        LinkState::Disconnected => Action::Accept(modulo),
        LinkState::AwaitingRelease => Action::Dm,
        // each station agrees and waits for the other's UA, and SABM prevails over SABME
        LinkState::AwaitingV22Connection if modulo == Modulo::Eight => Action::CollideAndFallBack,
        LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => Action::Collide,
        LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => Action::Reestablish(modulo),
    }
}

/// DISC.
pub(super) fn on_disc(state: LinkState) -> Action {
    match state {
        LinkState::Disconnected | LinkState::AwaitingConnection | LinkState::AwaitingV22Connection => Action::Dm,
        LinkState::AwaitingRelease => Action::Ua,
        LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => Action::Release,
    }
}

/// UA. Stations before v2.0 do not set F.
pub(super) fn on_ua(state: LinkState, final_bit: bool, pre_v2: bool) -> Action {
    match state {
        LinkState::AwaitingConnection | LinkState::AwaitingV22Connection if final_bit || pre_v2 => Action::Confirm,
        LinkState::AwaitingRelease => Action::End(Cause::Requested),
        LinkState::Connected | LinkState::TimerRecovery => Action::Reset,
        _ => Action::Ignore,
    }
}

/// DM.
pub(super) fn on_dm(state: LinkState, final_bit: bool, pre_v2: bool) -> Action {
    match state {
        LinkState::AwaitingConnection if final_bit || pre_v2 => Action::End(Cause::Refused),
        // some v2.0 stations respond to an unknown SABME with DM
        LinkState::AwaitingV22Connection if final_bit => Action::FallBack,
        LinkState::AwaitingRelease => Action::End(Cause::Requested),
        LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => Action::End(Cause::ByPeer),
        _ => Action::Ignore,
    }
}

/// FRMR. A v2.2 station never sends it, so the peer implements v2.0.
pub(super) fn on_frmr(state: LinkState) -> Action {
    match state {
        LinkState::AwaitingV22Connection => Action::FallBack,
        LinkState::Connected | LinkState::TimerRecovery | LinkState::FrameReject => Action::ResetToV20,
        _ => Action::Ignore,
    }
}

/// An I or S frame while the link is not up, or one of another modulus.
pub(super) fn on_numbered(state: LinkState, poll: bool) -> Action {
    match state {
        LinkState::AwaitingRelease if poll => Action::Dm,
        LinkState::FrameReject if poll => Action::RepeatFrmr,
        _ => Action::Ignore,
    }
}

/// A v2.0 station's response to SABME, if any.
pub(super) fn sabme_response<D>(settings: &Settings, poll: bool) -> Option<Body<D>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_up_collision_is_resolved_in_favour_of_sabm() {
        let extended = Modulo::OneHundredTwentyEight;
        assert_eq!(on_sabm(LinkState::AwaitingV22Connection, Modulo::Eight), Action::CollideAndFallBack);
        assert_eq!(on_sabm(LinkState::AwaitingV22Connection, extended), Action::Collide);
        assert_eq!(on_sabm(LinkState::AwaitingConnection, extended), Action::Collide);
    }

    #[test]
    fn ua_and_dm_without_f_do_not_end_a_set_up_unless_the_peer_is_older_than_v2() {
        assert_eq!(on_ua(LinkState::AwaitingConnection, false, false), Action::Ignore);
        assert_eq!(on_ua(LinkState::AwaitingConnection, false, true), Action::Confirm);
        assert_eq!(on_dm(LinkState::AwaitingConnection, false, false), Action::Ignore);
        assert_eq!(on_dm(LinkState::AwaitingConnection, false, true), Action::End(Cause::Refused));
    }

    #[test]
    fn dm_and_frmr_to_sabme_fall_back_to_v2_0() {
        assert_eq!(on_dm(LinkState::AwaitingV22Connection, true, false), Action::FallBack);
        assert_eq!(on_frmr(LinkState::AwaitingV22Connection), Action::FallBack);
    }

    #[test]
    fn disc_releases_a_link_that_is_up_and_gets_dm_where_there_is_none() {
        for state in [LinkState::Connected, LinkState::TimerRecovery, LinkState::FrameReject] {
            assert_eq!(on_disc(state), Action::Release, "{state:?}");
        }
        for state in [LinkState::Disconnected, LinkState::AwaitingConnection, LinkState::AwaitingV22Connection] {
            assert_eq!(on_disc(state), Action::Dm, "{state:?}");
        }
    }
}
