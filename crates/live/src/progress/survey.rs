//! Statistics of a medium that is listened to: a radio channel, a trunk of MS/TP, or a bus of CAN.

use serde::Serialize;
use sojourn_protocols::mstp_trunk::{self, Spans};

/// What is listened to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Survey {
    /// A radio channel.
    Channel(ChannelStats),
    /// A trunk of MS/TP.
    Trunk(TrunkStats),
    /// A bus of CAN.
    Bus(BusStats),
}

/// A bus of CAN since listening began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BusStats {
    /// Time listened, in seconds.
    pub seconds: f64,
    /// Frames.
    pub frames: u64,
    /// Datagrams and records that were no frames.
    pub malformed: u64,
    /// Share of the time that the frames occupied the bus, if its bit rate is known.
    pub load: Option<f64>,
    /// Identifiers, those that win arbitration first.
    pub identifiers: Vec<BusIdentifier>,
}

/// An identifier of a bus.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BusIdentifier {
    /// Three hexadecimal digits, or eight.
    pub id: String,
    /// Frames.
    pub frames: u64,
    /// Bytes of data of the last one.
    pub octets: u8,
    /// Frames per second.
    pub frames_per_s: Option<f64>,
    /// Mean interval between two frames.
    pub interval_mean_s: Option<f64>,
    /// The shortest.
    pub interval_min_s: Option<f64>,
    /// The longest.
    pub interval_max_s: Option<f64>,
    /// Share of the time that they occupied the bus.
    pub load: Option<f64>,
}

/// A trunk of MS/TP since listening began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TrunkStats {
    /// Time listened, in seconds.
    pub seconds: f64,
    /// Valid frames.
    pub frames: u64,
    /// Frames that were not valid.
    pub invalid: u64,
    /// Share of the time that the valid frames occupied the trunk.
    pub utilisation: f64,
    /// Tokens passed.
    pub tokens: u64,
    /// Silences of T_no_token that a station ended.
    pub tokens_lost: u64,
    /// Tokens sent again because they were not used.
    pub token_retries: u64,
    /// Polls For Master.
    pub polls_for_master: u64,
    /// Mean time between two tokens of a station.
    pub rotation_mean_s: Option<f64>,
    /// The longest of these.
    pub rotation_max_s: Option<f64>,
    /// Stations that have sent, by address.
    pub devices: Vec<TrunkStation>,
}

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
    pub fn of(mac: u8, station: &mstp_trunk::Station, utilisation: f64) -> TrunkStation {
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

/// A radio channel since monitoring began.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChannelStats {
    /// Time monitored, in seconds.
    pub seconds: f64,
    /// Frames received, of all stations.
    pub frames: u64,
    /// Their octets without flags and FCS.
    pub octets: u64,
    /// Share of the time that these frames occupied the channel.
    pub utilisation: f64,
    /// I frames received again.
    pub retries: u64,
    /// Frames that could not be decoded.
    pub unreadable: u64,
    /// Transmitting stations, by callsign.
    pub stations: Vec<Station>,
    /// Traffic between pairs of stations, by callsign.
    pub pairs: Vec<Pair>,
}

/// A transmitting station: the source of a frame, or the digipeater that repeated it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Station {
    /// Its callsign and SSID.
    pub callsign: String,
    /// Frames that it transmitted.
    pub frames: u64,
    /// Octets of these frames.
    pub octets: u64,
    /// Share of the time that they occupied the channel.
    pub utilisation: f64,
    /// Seconds since it was last received.
    pub heard_s_ago: f64,
}

/// Traffic from one station to another, by any route.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Callsign of the source.
    pub from: String,
    /// Callsign of the destination.
    pub to: String,
    /// Frames of this station.
    pub frames: u64,
    /// I frames among them.
    pub information: u64,
    /// Octets of their information fields.
    pub octets_of_information: u64,
    /// I frames received before.
    pub retries: u64,
    /// Number of REJ and SREJ frames.
    pub rejects: u64,
    /// Number of UI frames.
    pub unnumbered: u64,
}
