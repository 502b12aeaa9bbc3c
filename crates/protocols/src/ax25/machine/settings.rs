//! Parameters of a station, and the behaviours in which implementations differ.

use crate::limits::{ParameterOutOfRange, between, timer};
use sojourn_core::Duration;

/// Parameters of a station, with the TNC-2 command for each in brackets.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The protocol version implemented. Default 2.0. Source of all defaults: AX.25 v2.2 section 6.7.2.
    pub version: Version,
    /// Whether the station accepts connections. Default yes.
    pub accepts_connections: bool,
    /// Response of a v2.0 station to SABME. Default FRMR.
    pub sabme_response: SabmeResponse,
    /// Maximum number of links, 1 to 65535, released ones not counted. Default 64.
    pub max_links: u16,
    /// T1 for stations in direct range (FRACK); m digipeaters make it 2m + 1 times as long. Default 3 s.
    pub frack: Duration,
    /// How T1 follows the measured round-trip time. Default fixed, as in TNC-2.
    pub t1_adaptation: T1Adaptation,
    /// The event at which T1 starts. Default when a frame is handed over.
    pub t1_start: TimerStart,
    /// T2: delay of an acknowledgement after the first frame that it acknowledges (RESPTIME). With 0 it waits for the
    /// channel only. Default 0.
    pub t2: Duration,
    /// Whether T2 pauses while the channel is busy. Default no.
    pub t2_pauses: bool,
    /// T3: idle time of a link before an enquiry (CHECK); `None` for no limit. Default 300 s.
    pub t3: Option<Duration>,
    /// N1: maximum octets of information in an I frame sent (PACLEN), 1 to 8191. Default 256.
    pub n1: u16,
    /// Maximum octets of information in an I frame accepted, 1 to 8191. ROSE needs 259. Default 2048.
    pub n1_receive: u16,
    /// k modulo 8: maximum I frames in flight (MAXFRAME), 1 to 7. Default 7.
    pub k: u8,
    /// k modulo 128: maximum I frames in flight, 1 to 127. Default 32.
    pub k_extended: u8,
    /// N2: tries (RETRY), 1 to 255. Default 10.
    pub n2: u8,
    /// How missing frames are requested where the link's version allows it. Default SREJ, one frame each.
    pub reject_mode: RejectMode,
    /// Whether a v2.2 link starts with an XID exchange. Default yes.
    pub xid_negotiation: bool,
    /// How a link recovers when T1 expires (AX25L2V2). Default by enquiry.
    pub recovery: Recovery,
    /// How the end of own receiver busy is signalled. Default with RR.
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

/// Response of a v2.0 station to SABME, which it does not implement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SabmeResponse {
    /// FRMR, as the standard specifies.
    #[default]
    FrameReject,
    /// DM, as some TNCs respond.
    DisconnectedMode,
    /// No response: the peer times out.
    Silent,
}

/// The event at which T1 starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimerStart {
    /// When a frame is handed over, so that its wait for the channel counts.
    #[default]
    HandOver,
    /// At the end of the burst, which the driver reports with `Transmitted`.
    TransmitEnd,
    /// When a frame is handed over; pauses while the channel is busy or the station itself transmits, which the driver
    /// reports with `ChannelBusy`.
    PausedWhileBusy,
}

/// How T1 follows the measured round-trip time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum T1Adaptation {
    /// Fixed at FRACK * (2m + 1) (TNC-2).
    #[default]
    Fixed,
    /// Twice the SRT with weight 1/8, and a quarter second more for each failed try (Dire Wolf).
    DireWolf,
    /// A multiple of the SRT with weight 1/10 (Linux).
    Linux(Backoff),
}

/// How Linux lengthens T1 with each failed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backoff {
    /// Always twice the SRT.
    None,
    /// Twice the SRT more for each.
    Linear,
    /// Doubled for each, up to eight times the SRT.
    Exponential,
}

/// How missing I frames are requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RejectMode {
    /// REJ: go-back-N from the missing frame.
    GoBack,
    /// SREJ: one for each missing frame.
    #[default]
    Selective,
    /// Multi-selective SREJ with a list, where XID has agreed on it.
    MultiSelective,
}

/// How a link recovers when T1 expires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// Enquiry with RR or RNR and P: the N(R) of the response shows what is missing.
    #[default]
    Enquiry,
    /// Retransmission of the oldest I frame with P, as before v2.0 (AX25L2V2 OFF).
    OldestFrame,
}

/// How the end of own receiver busy is signalled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BusyClear {
    /// Not at all: the peer finds out by polling.
    Silent,
    /// By an RR response.
    #[default]
    ReceiveReady,
    /// By an RR command with P, so that its loss is detected.
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
    /// Checks that every parameter is in range.
    pub fn check(&self) -> Result<(), ParameterOutOfRange> {
        between("k modulo 8", self.k.into(), 1, 7)?;
        between("k modulo 128", self.k_extended.into(), 1, 127)?;
        between("N2", self.n2.into(), 1, 255)?;
        between("N1", self.n1.into(), 1, 8191)?;
        between("N1 of received frames", self.n1_receive.into(), 1, 8191)?;
        between("the maximum number of links", self.max_links.into(), 1, 65_535)?;
        timer("T1 in milliseconds", self.frack)
    }
}
