//! What an operator sets, and the choices of a model.

use crate::limits::{ParameterOutOfRange, between, timer};
use sojourn_core::Duration;

/// Parameters of a station. A TNC's own name for each stands in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The version the station speaks. Default 2.0. Source of all defaults: AX.25 v2.2 section 6.7.2.
    pub version: Version,
    /// Whether stations may connect to it. Default yes.
    pub accepts_connections: bool,
    /// What a v2.0 station answers to SABME. Default FRMR.
    pub sabme_response: SabmeResponse,
    /// Links at a time, ended ones not counted. Default 64.
    pub max_links: u16,
    /// T1 for stations that hear each other (FRACK); m digipeaters make it 2m + 1 times as long. Default 3 s.
    pub frack: Duration,
    /// How T1 follows what is measured. Default fixed, as in TNC-2.
    pub t1_adaptation: T1Adaptation,
    /// From when T1 runs. Default from hand-over.
    pub t1_start: TimerStart,
    /// T2: how long an acknowledgement is held back from the first frame on that it acknowledges (RESPTIME). With 0 it
    /// waits for the channel alone. Default 0.
    pub t2: Duration,
    /// Whether T2 stands still while the channel is busy. Default no.
    pub t2_pauses: bool,
    /// T3: how long a link may be silent before it is asked for (CHECK); none for ever. Default 300 s.
    pub t3: Option<Duration>,
    /// N1: octets of information in an I frame that is sent (PACLEN), 1 to 8191. Default 256.
    pub n1: u16,
    /// Octets of information in an I frame that is accepted. ROSE needs 259. Default 2048.
    pub n1_receive: u16,
    /// k modulo 8: I frames sent without an acknowledgement (MAXFRAME), 1 to 7. Default 7.
    pub k: u8,
    /// k modulo 128, 1 to 127. Default 32.
    pub k_extended: u8,
    /// N2: tries (RETRY), 1 to 255. Default 10.
    pub n2: u8,
    /// How missing frames are asked for where the link's version allows it. Default one by one.
    pub reject_mode: RejectMode,
    /// Whether a v2.2 link begins with XID. Default yes.
    pub xid_negotiation: bool,
    /// How a link is recovered when T1 expires (AX25L2V2). Default by enquiry.
    pub recovery: Recovery,
    /// How the end of a busy condition is told. Default with RR.
    pub busy_clear: BusyClear,
}

/// Versions of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2.0: modulo 8, REJ, FRMR.
    #[default]
    V2_0,
    /// 2.2: modulo 128, SREJ, XID; falls back to 2.0.
    V2_2,
}

/// What a v2.0 station answers to SABME, which it does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SabmeResponse {
    /// FRMR, as the standard has it.
    #[default]
    FrameReject,
    /// DM, as some TNCs do.
    DisconnectedMode,
    /// Nothing.
    Silent,
}

/// From when T1 runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimerStart {
    /// From the moment a frame is handed over, whatever it then waits for.
    #[default]
    HandOver,
    /// From the end of the burst, which the driver tells with `Transmitted`.
    TransmitEnd,
    /// From hand-over, standing still while the channel is busy or the station itself transmits, which the driver
    /// tells with `ChannelBusy`.
    PausedWhileBusy,
}

/// How T1 follows the round trips measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum T1Adaptation {
    /// Not at all (TNC-2).
    #[default]
    Fixed,
    /// Twice the mean of the last eight or so; a quarter second more for each try that failed (Dire Wolf).
    DireWolf,
    /// A multiple of the mean of the last ten or so (Linux).
    Linux(Backoff),
}

/// How Linux lengthens T1 with each try that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backoff {
    /// Twice the mean, always.
    None,
    /// Twice the mean more for each.
    Linear,
    /// Doubled for each, up to eight times the mean.
    Exponential,
}

/// How missing I frames are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RejectMode {
    /// REJ: all from the missing one on.
    GoBack,
    /// SREJ: each missing one.
    #[default]
    Selective,
    /// SREJ with a list, where both stations have said that they know it.
    MultiSelective,
}

/// How a link is recovered when T1 expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// By RR or RNR that polls: the answer tells what is missing.
    #[default]
    Enquiry,
    /// By the oldest I frame with the poll bit, as before v2.0 (AX25L2V2 OFF).
    OldestFrame,
}

/// How a station tells that it is no longer busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BusyClear {
    /// Not at all: the peer learns it from its own polls.
    Silent,
    /// With RR.
    #[default]
    ReceiveReady,
    /// With RR that polls, so that its loss is noticed.
    Poll,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            version: Version::V2_0,
            accepts_connections: true,
            sabme_response: SabmeResponse::FrameReject,
            max_links: 64,
            frack: Duration::from_secs(3),
            t1_adaptation: T1Adaptation::Fixed,
            t1_start: TimerStart::HandOver,
            t2: Duration::ZERO,
            t2_pauses: false,
            t3: Some(Duration::from_secs(300)),
            n1: 256,
            n1_receive: 2048,
            k: 7,
            k_extended: 32,
            n2: 10,
            reject_mode: RejectMode::Selective,
            xid_negotiation: true,
            recovery: Recovery::Enquiry,
            busy_clear: BusyClear::ReceiveReady,
        }
    }
}

impl Settings {
    /// Refuses what no station could use.
    pub fn check(&self) -> Result<(), ParameterOutOfRange> {
        between("the window modulo 8", self.k.into(), 1, 7)?;
        between("the window modulo 128", self.k_extended.into(), 1, 127)?;
        between("the number of tries", self.n2.into(), 1, 255)?;
        between("the length of information sent", self.n1.into(), 1, 8191)?;
        between("the length of information accepted", self.n1_receive.into(), 1, 8191)?;
        between("the number of links", self.max_links.into(), 1, 65_535)?;
        timer("T1 in milliseconds", self.frack)
    }
}
