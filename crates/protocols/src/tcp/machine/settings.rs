//! Parameters of a TCP implementation.

use sojourn_core::{Duration, Time};

use super::clock::Clock;
use crate::ip::Ecn;

/// Settings of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Maximum segment size (MSS): octets of data in a segment without options (RFC 9293, 3.7.1).
    pub mss: u16,
    /// Send buffer: maximum octets written and not acknowledged.
    pub send_buffer: u64,
    /// Receive buffer: maximum octets received and not read. Without `window_scaling` at most 65 535 are advertised.
    pub receive_buffer: u64,
    /// Whether the window scale option is offered and accepted (RFC 7323, 2).
    pub window_scaling: bool,
    /// Whether the timestamps option is offered and accepted (RFC 7323, 3).
    pub timestamps: bool,
    /// Whether selective acknowledgements (SACK) are offered and accepted (RFC 2018).
    pub sack: bool,
    /// Congestion control algorithm of this end.
    pub congestion: Congestion,
    /// Whether this end asks for explicit congestion notification, and whether it accepts what the peer asks for.
    pub ecn: EcnMode,
    /// Whether Reno, NewReno and CUBIC reduce cwnd less after a mark than after a loss (alternative backoff with ECN, ABE;
    /// RFC 8511).
    pub abe: bool,
    /// How losses are detected.
    pub recovery: Recovery,
    /// Whether segments leave at a rate that follows from cwnd and SRTT, in place of bursts.
    pub pacing: bool,
    /// Initial congestion window (cwnd), octets (IW in RFC 5681, 3.1).
    pub initial_cwnd: u64,
    /// Initial slow-start threshold (ssthresh), octets (RFC 5681, 3.1).
    pub initial_ssthresh: u64,
    /// Whether cwnd grows with the octets acknowledged (appropriate byte counting, RFC 3465, in slow start without its limit
    /// L, as in Linux), and not with the number of acknowledgements (RFC 5681, 3.1).
    pub byte_counting: bool,
    /// Restart window: maximum cwnd after an idle period longer than the RTO, octets (RW in RFC 5681, 4.1).
    pub restart_window: u64,
    /// Timer granularity and the timeouts that depend on it.
    pub clock: Clock,
    /// Maximum retransmission timeout (RTO; RFC 6298, 2.5).
    pub max_rto: Duration,
    /// Maximum retransmissions of a segment before the connection is closed (R2 in RFC 9293, 3.8.3).
    pub max_retransmits: u8,
    /// Full-sized segments per immediate acknowledgement; fewer wait for the delayed-ACK timer (RFC 9293, 3.8.6.3).
    pub ack_every: u64,
    /// Whether Nagle's algorithm delays short segments while data are in flight (RFC 9293, 3.7.4).
    pub nagle: bool,
    /// When the receive buffer is emptied.
    pub consumption: Consumption,
    /// TIME-WAIT period, twice the maximum segment lifetime (MSL; RFC 9293, 3.4.2).
    pub time_wait: Duration,
    /// ISS: sequence number of the SYN (RFC 9293, 3.4.1).
    pub iss: u32,
}

/// Congestion control algorithm (RFC 5681, RFC 9438).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Congestion {
    /// Reno: fast recovery ends with the first acknowledgement of new data (RFC 5681).
    Reno,
    /// NewReno: fast recovery ends when all data in flight at its start are acknowledged (RFC 6582).
    NewReno,
    /// CUBIC (RFC 9438) with the recovery of NewReno; with timers that are set individually, HyStart ends its slow start.
    #[default]
    Cubic,
    /// DCTCP (RFC 8257): reduces cwnd by half of the share of segments that was marked.
    Dctcp,
    /// TCP Prague (draft-briscoe-iccrg-prague-congestion-control): as DCTCP, with ECT(1), and with a growth that does not depend
    /// on RTTs below 25 ms.
    Prague,
    /// BBR version 3 (draft-ietf-ccwg-bbr-04): a rate and a volume in flight that follow from a model of the path; with
    /// [`Recovery::Rack`] and pacing.
    Bbr,
}

impl Congestion {
    /// Whether it reacts to the share of marks, and needs ECN for that (L4S, RFC 9331; DCTCP).
    pub const fn is_scalable(self) -> bool {
        matches!(self, Congestion::Dctcp | Congestion::Prague)
    }

    /// What IP headers of its data say where ECN was agreed on.
    pub(super) const fn code_point(self) -> Ecn {
        match self {
            Congestion::Prague => Ecn::Ect1,
            // a sender that does not react to marks must not ask queues for them (RFC 3168, 5)
            Congestion::Bbr => Ecn::NotEct,
            _ => Ecn::Ect0,
        }
    }
}

/// How losses are detected, and what is sent while they are recovered from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recovery {
    /// By duplicate acknowledgements, with SACK by three segments above a gap (RFC 5681, RFC 6582, RFC 6675).
    #[default]
    Sack,
    /// By times (RACK-TLP, RFC 8985), with proportional rate reduction (PRR, RFC 9937), as in Linux. Without SACK it is as the
    /// other.
    Rack,
}

/// Explicit congestion notification of an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EcnMode {
    /// It neither asks for it nor accepts it.
    Off,
    /// It accepts what the peer asks for (Linux: `tcp_ecn` 2, for accurate ECN 5).
    #[default]
    Passive,
    /// It asks for classic ECN (RFC 3168), and accepts no other.
    Classic,
    /// It asks for accurate ECN (RFC 9768), and accepts classic ECN.
    Accurate,
}

/// When the receive buffer is emptied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consumption {
    /// The application reads data as they are delivered.
    #[default]
    AtDelivery,
    /// The driver reports each read with [`Input::Read`](super::Input::Read).
    Reported,
}

impl Settings {
    /// A host of the mid-1990s: 4.4BSD's Reno with buffers of 65 535 octets. `slow` and `fast` are times of one tick
    /// each.
    pub fn bsd95(mss: u16, slow: Time, fast: Time) -> Self {
        Settings {
            mss,
            send_buffer: 65_535,
            receive_buffer: 65_535,
            window_scaling: false,
            timestamps: false,
            sack: false,
            congestion: Congestion::Reno,
            ecn: EcnMode::Off,
            abe: false,
            recovery: Recovery::Sack,
            pacing: false,
            initial_cwnd: mss.into(),
            initial_ssthresh: 65_535,
            byte_counting: false,
            restart_window: mss.into(),
            clock: Clock::Ticks { slow, fast },
            max_rto: Duration::from_secs(64),
            max_retransmits: 12,
            ack_every: 2,
            nagle: true,
            consumption: Consumption::AtDelivery,
            time_wait: Duration::from_secs(60),
            iss: 0,
        }
    }

    /// A modern host, by the RFCs with Linux's timers: CUBIC, SACK, timestamps, window scaling, an initial window of ten
    /// segments (RFC 6928), buffers of 4 MiB.
    pub fn modern(mss: u16) -> Self {
        let mss_octets = u64::from(mss);
        let window = (10 * mss_octets).min(u64::max(2 * mss_octets, 14_600));
        Settings {
            mss,
            send_buffer: 4 << 20,
            receive_buffer: 4 << 20,
            window_scaling: true,
            timestamps: true,
            sack: true,
            congestion: Congestion::Cubic,
            ecn: EcnMode::Passive,
            abe: false,
            recovery: Recovery::Sack,
            pacing: false,
            initial_cwnd: window,
            initial_ssthresh: u64::MAX,
            byte_counting: true,
            restart_window: window,
            clock: Clock::Fine {
                granularity: Duration::from_millis(1),
                min_rto: Duration::from_millis(200),
                initial_rto: Duration::from_secs(1),
                delayed_ack: Duration::from_millis(40),
            },
            max_rto: Duration::from_secs(120),
            max_retransmits: 15,
            ack_every: 2,
            nagle: true,
            consumption: Consumption::AtDelivery,
            time_wait: Duration::from_secs(60),
            iss: 0,
        }
    }
}
