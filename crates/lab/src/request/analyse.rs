//! The request of `analyse`.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `sojourn analyse CAPTURE...`: response times, retries and load of a captured network.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Analyse {
    /// Capture files, in any order; `-` is standard input.
    pub captures: Vec<PathBuf>,
    /// Kind of the network; without it, the one that most packets are of.
    pub network: Option<String>,
    /// Bit rate of the medium, `78.125 kbit/s`.
    pub bit_rate: Option<String>,
    /// Bit rate of the data phase of CAN FD, `2 Mbit/s`; that of the medium when absent.
    pub data_bit_rate: Option<String>,
    /// Hosts that serve, or their programs, each `10.0.0.1` or `10.0.0.1:2049`.
    pub server: Vec<String>,
    /// How many of the slowest transactions are listed, and of those lost or sent again; none when 0.
    pub slowest: usize,
    /// What the capture should meet, each `response_time.p99 < 20 ms`.
    pub expect: Vec<String>,
    /// Scenario to infer from the capture; none when absent.
    pub scenario: Option<PathBuf>,
    /// Whether that scenario leaves out the addresses of the capture.
    pub anonymise: bool,
    /// Folder for results; nothing is written when absent.
    pub out: Option<PathBuf>,
}
