//! Options of the handshake: what this end offers in its SYN, and what both ends negotiate.

use super::settings::Settings;
use crate::tcp::wire::{Options, Timestamps};

/// MSS of a peer whose SYN carries none (RFC 9293, 3.7.1).
const DEFAULT_MSS: u16 = 536;
/// Octets of the timestamps option in a segment, padding included (RFC 7323, appendix A).
const TIMESTAMPS_LENGTH: u64 = 12;
/// Maximum window scale shift count (RFC 7323, 2.3).
const MAX_WINDOW_SCALE: u8 = 14;

/// Options in effect on a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Negotiated {
    pub sack: bool,
    pub timestamps: bool,
    pub window_scaling: bool,
    /// Snd.Wind.Shift: shift count of windows received (RFC 7323, 2.3).
    pub snd_wind_shift: u8,
    /// Rcv.Wind.Shift: shift count of windows sent.
    pub rcv_wind_shift: u8,
}

impl Negotiated {
    /// What a host with `settings` and a peer with these options in its SYN agree on.
    pub fn new(settings: &Settings, peer: &Options) -> Self {
        let scale = peer.window_scale.filter(|_| settings.window_scaling);
        Negotiated {
            sack: peer.sack_permitted && settings.sack,
            timestamps: peer.timestamps.is_some() && settings.timestamps,
            window_scaling: scale.is_some(),
            snd_wind_shift: scale.unwrap_or(0),
            rcv_wind_shift: scale.map_or(0, |_| settings.window_scale()),
        }
    }

    /// Sender maximum segment size (SMSS): the smaller MSS, less the octets of timestamps.
    pub fn smss(&self, settings: &Settings, peer: &Options) -> u64 {
        let options = if self.timestamps { TIMESTAMPS_LENGTH } else { 0 };
        let mss = settings.mss.min(peer.mss.unwrap_or(DEFAULT_MSS));
        u64::from(mss).saturating_sub(options).max(1)
    }
}

impl Settings {
    /// Options of a SYN, or of a SYN-ACK that accepts what was `negotiated`.
    pub(super) fn syn_options(&self, timestamps: Timestamps, negotiated: Option<&Negotiated>) -> Options {
        let offers = |offered: bool, accepted: fn(&Negotiated) -> bool| offered && negotiated.is_none_or(accepted);
        Options {
            mss: Some(self.mss),
            window_scale: offers(self.window_scaling, |n| n.window_scaling).then(|| self.window_scale()),
            sack_permitted: offers(self.sack, |n| n.sack),
            timestamps: offers(self.timestamps, |n| n.timestamps).then_some(timestamps),
            ..Options::default()
        }
    }

    /// The shift count with which the window field covers the receive buffer.
    fn window_scale(&self) -> u8 {
        let bits = u64::BITS - (self.receive_buffer >> 16).leading_zeros();
        (bits as u8).min(MAX_WINDOW_SCALE)
    }
}
