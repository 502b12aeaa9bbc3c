//! Statistics of a medium that is listened to: a radio channel, a trunk of MS/TP, or a bus of CAN.

use serde::Serialize;
pub use sojourn_protocols::mstp_trunk::TrunkStation;

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
