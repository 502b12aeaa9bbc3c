//! A station of a trunk as a row of tables.

use serde::Serialize;

use super::station::{Spans, Station};

/// A station of a trunk; the times have the names of bacnet-stack's `mstpcap`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrunkStation {
    /// Its address.
    pub mac: u8,
    /// Instance of the device that it announced itself as.
    pub device: Option<u32>,
    /// Frames sent.
    pub frames: u64,
    /// Share of the time that they occupied the trunk.
    pub utilisation: f64,
    /// Tokens passed on.
    pub tokens: u64,
    /// Times that a token to it was sent again.
    pub token_retries: u64,
    /// Polls For Master sent.
    pub polls: u64,
    /// Highest address that it polled.
    pub max_master: Option<u8>,
    /// Most tokens between two of its polls.
    pub npoll: Option<u64>,
    /// Most frames that it sent with one token.
    pub max_info_frames: u32,
    /// Data expecting a reply sent.
    pub der: u64,
    /// Data not expecting a reply sent.
    pub dner: u64,
    /// Replies Postponed sent.
    pub postponed: u64,
    /// Mean time between two tokens to it.
    pub rotation_mean_s: Option<f64>,
    /// The longest.
    pub rotation_max_s: Option<f64>,
    /// Mean time from a token to the token that it passes on.
    pub treply_mean_s: Option<f64>,
    /// The longest.
    pub treply_max_s: Option<f64>,
    /// Mean time from a token or poll of it that was not used to its next frame.
    pub tusage_mean_s: Option<f64>,
    /// The longest.
    pub tusage_max_s: Option<f64>,
    /// Mean time from a Poll For Master to its reply.
    pub trpfm_mean_s: Option<f64>,
    /// The longest.
    pub trpfm_max_s: Option<f64>,
    /// Mean time from a request to its reply.
    pub tder_mean_s: Option<f64>,
    /// The longest.
    pub tder_max_s: Option<f64>,
    /// Mean time from a request to its Reply Postponed.
    pub tpostpd_mean_s: Option<f64>,
    /// The longest.
    pub tpostpd_max_s: Option<f64>,
}

impl TrunkStation {
    /// A station as a listener saw it, whose frames took this share of the time.
    pub fn of(mac: u8, station: &Station, utilisation: f64) -> TrunkStation {
        let most = |spans: &Spans| (spans.count > 0).then(|| spans.most.seconds());
        TrunkStation {
            mac,
            device: station.device,
            frames: station.frames,
            utilisation,
            tokens: station.tokens_passed,
            token_retries: station.token_retries,
            polls: station.polls,
            max_master: station.highest_polled,
            npoll: station.tokens_between_polls,
            max_info_frames: station.frames_per_token,
            der: station.requests,
            dner: station.unsolicited,
            postponed: station.postponed,
            rotation_mean_s: station.rotation.mean(),
            rotation_max_s: most(&station.rotation),
            treply_mean_s: station.token_reply.mean(),
            treply_max_s: most(&station.token_reply),
            tusage_mean_s: station.usage_timeout.mean(),
            tusage_max_s: most(&station.usage_timeout),
            trpfm_mean_s: station.poll_reply.mean(),
            trpfm_max_s: most(&station.poll_reply),
            tder_mean_s: station.reply.mean(),
            tder_max_s: most(&station.reply),
            tpostpd_mean_s: station.postponed_reply.mean(),
            tpostpd_max_s: most(&station.postponed_reply),
        }
    }
}
