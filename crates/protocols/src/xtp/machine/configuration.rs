//! Configuration of associations, and resource limits of an endpoint.

use sojourn_core::Duration;

/// Configuration of an association at one end; each end has its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Maximum data bytes of a packet, at least 1; `maxdata` of the peer may lower it. Default 4096.
    pub max_data: u32,
    /// Retransmission strategy. Default [`ErrorControl::Selective`]; multicast supports go-back-n only.
    pub error_control: ErrorControl,
    /// Whether the sender obeys the receiver's allocation (`alloc`); otherwise NOFLOW is set. Default yes.
    pub flow_control: bool,
    /// Whether the receiver reports gaps at once (FASTNAK). Default no.
    pub fast_nak: bool,
    /// Whether allocation covers posted buffers only (RES). Default no.
    pub reservation: bool,
    /// Priority of this end's packets, lower first (SORT). Default none, which is served last.
    pub sort: Option<u16>,
    /// Which data packets request status. Default [`Requests::EveryPacket`], as in UVA TR-92-05.
    pub requests: Requests,
    /// Option by which they request it. Default [`RequestBy::Sreq`].
    pub request_by: RequestBy,
    /// Whether the checksum covers the data; otherwise NOCHECK is set. Default yes.
    pub checksum: bool,
    /// Initial window (W0): bytes that may be sent before the first allocation. Default 65 536.
    pub initial_window: u32,
    /// Receive buffer, bytes received and not consumed, out-of-order data included. Default 65 536.
    pub receive_buffer: u32,
    /// Maximum out-of-order packets buffered; more are dropped and retransmitted. Default 4096.
    pub reorder_packets: u32,
    /// Maximum spans in an ECNTL; further ones are reported later. Default 64.
    pub max_spans: u32,
    /// Send buffer, bytes written and not released; a full buffer refuses writes. Default 1 MiB.
    pub send_buffer: u32,
    /// When delivered data leaves the receive buffer. Default [`Consumption::AtDelivery`].
    pub consumption: Consumption,
    /// Maximum rate and burst that this end sends. Default unlimited.
    pub send_rate: Rate,
    /// Maximum rate and burst that this end accepts, sent to the peer. Default unlimited.
    pub receive_rate: Rate,
    /// `retry_count`: repetitions of an unanswered status request before the association is abandoned. Default 6.
    pub retry_count: u8,
    /// Retransmissions of the same data, while the peer reports it missing, before the association is abandoned.
    /// Default 20.
    pub max_retransmissions: u8,
    /// Minimum WTIMER; the timer is the maximum of this and twice (SRTT + 4 x deviation). Default 50 ms.
    pub min_wtimer: Duration,
    /// CTIMER: idle time after which the peer's status is requested. Default 60 s.
    pub ctimer: Duration,
    /// CTIMEOUT: maximum duration of a synchronizing handshake or keep-alive request. Default 120 s.
    pub ctimeout: Duration,
    /// How long an ended context answers packets with END. Default 2 s.
    pub linger: Duration,
    /// Delay of a multicast receiver's reports, so that one report answers several requests and the reports of receivers
    /// with different delays do not collide. Default none.
    pub report_delay: Duration,
}

/// Retransmission strategy of a sender and its receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorControl {
    /// No retransmission (NOERR): the sender releases data once sent, the receiver delivers what arrives.
    None,
    /// Selective retransmission: the receiver buffers data after a gap and reports spans (ECNTL).
    #[default]
    Selective,
    /// Go-back-n: the receiver drops data after a gap, the sender retransmits from it.
    GoBackN,
}

/// Which data packets request status. The last packet that allocation or the user's data permits always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requests {
    /// Every data packet requests status.
    #[default]
    EveryPacket,
    /// Every n-th data packet; 0 means only the last.
    Every(u32),
    /// The last data packet of each message.
    EveryMessage,
    /// No data packet. Suits [`ErrorControl::None`] without flow control.
    Never,
}

/// Option by which a data packet requests status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RequestBy {
    /// SREQ: the receiver reports at once.
    #[default]
    Sreq,
    /// DREQ: once the data has been delivered to the user.
    Dreq,
    /// Toggled EDGE: at once.
    Edge,
}

/// When delivered data leave the receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Consumption {
    /// On delivery: the user consumes all data at once.
    #[default]
    AtDelivery,
    /// When the user reports it with [`Input::Consumed`](super::Input::Consumed).
    Reported,
}

/// RATE and BURST: `burst` bytes in every `burst / rate` seconds (RTIMER).
///
/// A packet may be sent while a byte of the burst is left, so that a burst may exceed its limit by less than a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// RATE, bytes/s; 0 stops the sender, [`Rate::UNLIMITED_WORD`] means unlimited.
    pub bytes_per_second: u32,
    /// BURST, bytes sent back to back, at least 1; [`Rate::UNLIMITED_WORD`] means unlimited.
    pub burst: u32,
}

impl Rate {
    /// Value for unlimited, also in a traffic segment.
    pub const UNLIMITED_WORD: u32 = u32::MAX;
    /// Unlimited rate and burst.
    pub const UNLIMITED: Rate = Rate { bytes_per_second: Rate::UNLIMITED_WORD, burst: Rate::UNLIMITED_WORD };

    /// Whether rate or burst is unlimited.
    pub const fn is_unlimited(self) -> bool {
        self.bytes_per_second == Rate::UNLIMITED_WORD || self.burst == Rate::UNLIMITED_WORD
    }

    /// The lower of both rates and the smaller of both bursts.
    pub fn min(self, other: Rate) -> Rate {
        Rate { bytes_per_second: self.bytes_per_second.min(other.bytes_per_second), burst: self.burst.min(other.burst) }
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Configuration {
            max_data: 4096,
            error_control: ErrorControl::Selective,
            flow_control: true,
            fast_nak: false,
            reservation: false,
            sort: None,
            requests: Requests::EveryPacket,
            request_by: RequestBy::Sreq,
            checksum: true,
            initial_window: 65_536,
            receive_buffer: 65_536,
            reorder_packets: 4096,
            max_spans: 64,
            send_buffer: 1 << 20,
            consumption: Consumption::AtDelivery,
            send_rate: Rate::UNLIMITED,
            receive_rate: Rate::UNLIMITED,
            retry_count: 6,
            max_retransmissions: 20,
            min_wtimer: Duration::from_millis(50),
            ctimer: Duration::from_secs(60),
            ctimeout: Duration::from_secs(120),
            linger: Duration::from_secs(2),
            report_delay: Duration::ZERO,
        }
    }
}

/// Resource limits of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of contexts; a further FIRST is refused with DIAG code 1, value 9. Default 1024.
    pub contexts: u32,
    /// Maximum data packets output and not reported by [`Input::Transmitted`](super::Input::Transmitted), so that
    /// contexts are served by `sort` and round robin. Default none: all permitted packets are output at once.
    pub packets_in_flight: Option<u32>,
    /// First key of contexts. A live endpoint uses a number that differs from run to run, so that peers do not confuse its
    /// contexts with those of an earlier run. Default 0.
    pub first_serial: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { contexts: 1024, packets_in_flight: None, first_serial: 0 }
    }
}
