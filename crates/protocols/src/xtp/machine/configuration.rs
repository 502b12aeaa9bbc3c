//! The choices of an installation: what an association does, and how much an endpoint holds.

use sojourn_core::Duration;

/// How an association behaves at one end. Both ends have their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The most data bytes of one packet, at least 1. The peer's `maxdata` may lower it. Default 4096.
    pub packet_data: u32,
    /// What is done about lost data. Default [`ErrorControl::Selective`]; multicast that repeats at all goes back.
    pub error_control: ErrorControl,
    /// Whether the sender heeds the receiver's allocation; without it, NOFLOW is set. Default yes.
    pub flow_control: bool,
    /// Whether the receiver is asked to report gaps at once (FASTNAK). Default no.
    pub fast_nak: bool,
    /// Whether allocation may cover posted buffers alone (RES). Default no.
    pub reservation: bool,
    /// The priority of this end's packets, lower first (SORT). Default none, which is served after all others.
    pub sort: Option<u16>,
    /// Which data packets ask for status. Default [`Requests::EveryPacket`], as in UVA TR-92-05.
    pub requests: Requests,
    /// By which option they ask. Default [`RequestBy::Status`].
    pub request_by: RequestBy,
    /// Whether the checksum covers the data; without it, NOCHECK is set. Default yes.
    pub checksum: bool,
    /// Bytes that may be sent before the peer has granted any (W0). Default 65 536.
    pub initial_window: u32,
    /// Bytes this end takes beyond what its user has consumed, those held beyond gaps included. Default 65 536.
    pub receive_buffer: u32,
    /// Packets held beyond gaps; more are dropped and sent again. Default 4096.
    pub held_packets: u32,
    /// Spans of one report; further ones go into later reports. Default 64.
    pub report_spans: u32,
    /// Bytes written and not yet released beyond which further writes are refused. Default 1 MiB.
    pub send_buffer: u32,
    /// When delivered data leaves the receive buffer. Default [`Consumption::AtDelivery`].
    pub consumption: Consumption,
    /// The most this end sends. Default unlimited.
    pub send_rate: Rate,
    /// The most this end wants to be sent; told to the peer. Default unlimited.
    pub receive_rate: Rate,
    /// How often a request without answer is repeated before the association is given up. Default 6.
    pub retry_count: u8,
    /// How often data is sent again, while the peer answers that it is missing, before the association is given up.
    /// Default 20.
    pub repeat_limit: u8,
    /// The shortest WTIMER; the timer is the longer of this and twice the round trip with four deviations. Default
    /// 50 ms.
    pub wait_timer_minimum: Duration,
    /// CTIMER: silence after which the peer is asked whether it is there. Default 60 s.
    pub context_timer: Duration,
    /// CTIMEOUT: how long a handshake or that question may last. Default 120 s.
    pub context_timeout: Duration,
    /// How long a context that has ended still answers with END. Default 2 s.
    pub linger: Duration,
    /// How long a multicast receiver keeps an answer back, so that one answers several requests; of receivers with
    /// different delays the replies are spread. Default none.
    pub answer_delay: Duration,
}

/// What is done about lost data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorControl {
    /// Nothing (NOERR): the sender forgets what it has sent, the receiver delivers what comes.
    None,
    /// The receiver holds what comes after a gap and reports spans; the sender repeats the gaps.
    #[default]
    Selective,
    /// The receiver drops what comes after a gap; the sender begins anew from it.
    GoBackN,
}

/// Which data packets ask for status. The last packet that the window or the user's data lets through asks always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requests {
    /// Each.
    #[default]
    EveryPacket,
    /// Each n-th; 0 means none but the last.
    Every(u32),
    /// The last of each message.
    EveryMessage,
    /// None, ever. Fit for [`ErrorControl::None`] without flow control.
    Never,
}

/// By which option a data packet asks for status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RequestBy {
    /// SREQ: at once.
    #[default]
    Status,
    /// DREQ: once the data has been delivered to the user.
    Delivery,
    /// A toggle of EDGE: at once.
    Edge,
}

/// When delivered data leaves the receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Consumption {
    /// With its delivery: the user takes everything at once.
    #[default]
    AtDelivery,
    /// When the user says so with [`Input::Consumed`](super::Input::Consumed).
    Reported,
}

/// A rate and the burst it is sent in: `burst` bytes in every `burst / rate` seconds (RTIMER).
///
/// A packet may begin while a byte of the burst is left, so that a burst may be longer by all but one byte of a
/// packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// Bytes/s; 0 stops the sender, [`Rate::UNLIMITED_WORD`] lifts the limit.
    pub bytes_per_second: u32,
    /// Bytes sent back to back, at least 1; [`Rate::UNLIMITED_WORD`] lifts the limit.
    pub burst: u32,
}

impl Rate {
    /// What lifts the limit, in a traffic segment too.
    pub const UNLIMITED_WORD: u32 = u32::MAX;
    /// No limit.
    pub const UNLIMITED: Rate = Rate { bytes_per_second: Rate::UNLIMITED_WORD, burst: Rate::UNLIMITED_WORD };

    /// Whether there is no limit.
    pub const fn is_unlimited(self) -> bool {
        self.bytes_per_second == Rate::UNLIMITED_WORD || self.burst == Rate::UNLIMITED_WORD
    }

    /// The lower of both rates, and the shorter of both bursts.
    pub fn min(self, other: Rate) -> Rate {
        Rate { bytes_per_second: self.bytes_per_second.min(other.bytes_per_second), burst: self.burst.min(other.burst) }
    }
}

impl Default for Configuration {
    fn default() -> Self {
        Configuration {
            packet_data: 4096,
            error_control: ErrorControl::Selective,
            flow_control: true,
            fast_nak: false,
            reservation: false,
            sort: None,
            requests: Requests::EveryPacket,
            request_by: RequestBy::Status,
            checksum: true,
            initial_window: 65_536,
            receive_buffer: 65_536,
            held_packets: 4096,
            report_spans: 64,
            send_buffer: 1 << 20,
            consumption: Consumption::AtDelivery,
            send_rate: Rate::UNLIMITED,
            receive_rate: Rate::UNLIMITED,
            retry_count: 6,
            repeat_limit: 20,
            wait_timer_minimum: Duration::from_millis(50),
            context_timer: Duration::from_secs(60),
            context_timeout: Duration::from_secs(120),
            linger: Duration::from_secs(2),
            answer_delay: Duration::ZERO,
        }
    }
}

/// What an endpoint holds beyond its associations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Contexts at a time; a FIRST beyond is refused with DIAG 1, value 9. Default 1024.
    pub contexts: u32,
    /// Packets handed over and not reported by [`Input::Transmitted`](super::Input::Transmitted) beyond which data
    /// waits, so that contexts are served by their `sort` and in turn. Default none: all that may be sent is
    /// handed over at once.
    pub packets_in_flight: Option<u32>,
    /// Begins the keys that contexts get. A live endpoint takes a number that differs from run to run, so that no
    /// peer takes its contexts for those of an earlier run. Default 0.
    pub first_serial: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { contexts: 1024, packets_in_flight: None, first_serial: 0 }
    }
}
