//! Statistics of a monitored radio channel.

use serde::Serialize;

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
