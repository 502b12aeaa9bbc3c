//! What a listener on a radio channel has heard so far.

use serde::Serialize;

/// A channel, from the first moment of listening on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChannelStats {
    /// Seconds listened.
    pub seconds: f64,
    /// Frames heard.
    pub frames: u64,
    /// Their octets, without flags and FCS.
    pub octets: u64,
    /// Share of the time that these frames took at the channel's bit rate.
    pub utilisation: f64,
    /// I frames heard again.
    pub retries: u64,
    /// Frames that could not be read.
    pub unreadable: u64,
    /// Who transmitted, by callsign.
    pub stations: Vec<Station>,
    /// Who talks to whom, by callsign.
    pub pairs: Vec<Pair>,
}

/// Somebody who transmits: the source of a frame, or the digipeater that repeated it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Station {
    /// Its address.
    pub callsign: String,
    /// Frames it transmitted.
    pub frames: u64,
    /// Their octets.
    pub octets: u64,
    /// Its share of the time.
    pub utilisation: f64,
    /// Seconds since it was heard last.
    pub heard_s_ago: f64,
}

/// What one station says to another, over whatever way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Who speaks.
    pub from: String,
    /// To whom.
    pub to: String,
    /// Frames.
    pub frames: u64,
    /// I frames among them.
    pub information: u64,
    /// Octets of information in those.
    pub octets_of_information: u64,
    /// I frames that had been heard before.
    pub retries: u64,
    /// REJ and SREJ frames.
    pub rejects: u64,
    /// UI frames.
    pub unnumbered: u64,
}
