//! How a host's TCP behaves.

use sojourn_core::{Duration, Time};

/// Settings of a connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Octets of data in the largest segment that this end sends and takes, without options.
    pub maximum_segment_size: u16,
    /// Octets that are written and not acknowledged at most.
    pub send_buffer: u64,
    /// Octets that are received and not read at most. Without `window_scaling` no more than 65 535 are told.
    pub receive_buffer: u64,
    /// Whether windows may be scaled, if the other end agrees (RFC 7323).
    pub window_scaling: bool,
    /// Whether segments carry timestamps, if the other end agrees (RFC 7323).
    pub timestamps: bool,
    /// Whether selective acknowledgements are used, if the other end agrees (RFC 2018).
    pub selective: bool,
    /// How the congestion window moves.
    pub congestion: Congestion,
    /// Octets of the congestion window at first.
    pub initial_window: u64,
    /// Octets of the congestion window up to which it grows by slow start at first.
    pub initial_threshold: u64,
    /// Octets of the congestion window after a silence longer than the retransmission timeout.
    pub restart_window: u64,
    /// How time is counted.
    pub clock: Clock,
    /// The longest retransmission timeout.
    pub longest_timeout: Duration,
    /// Tries of one segment before the connection is given up.
    pub tries: u8,
    /// Full segments in order that are acknowledged at once; fewer wait for the delayed acknowledgement.
    pub segments_per_acknowledgement: u64,
    /// Whether a short segment waits while others are not acknowledged (Nagle).
    pub coalesces: bool,
    /// Who empties the receive buffer.
    pub consumption: Consumption,
    /// How long an ended connection stays known: twice the longest life of a segment.
    pub time_wait: Duration,
    /// The sequence number of SYN.
    pub initial_sequence: u32,
}

/// How the congestion window moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Congestion {
    /// Reno: fast recovery ends with the first new acknowledgement.
    Reno,
    /// NewReno: fast recovery ends when all that was under way is acknowledged (RFC 6582).
    NewReno,
    /// CUBIC (RFC 9438), recovering as NewReno does.
    #[default]
    Cubic,
}

/// How time is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// Timers of their own (RFC 6298).
    Fine {
        /// The resolution of the clock.
        granularity: Duration,
        /// The shortest retransmission timeout.
        least_timeout: Duration,
        /// The timeout before a round trip is known.
        first_timeout: Duration,
        /// How long an acknowledgement is held back.
        acknowledgement_delay: Duration,
    },
    /// The ticks of 4.4BSD, which run from when the host was started: retransmission by a slow tick every 500 ms, held
    /// back acknowledgements by a fast tick every 200 ms.
    Ticks {
        /// A slow tick.
        slow: Time,
        /// A fast tick.
        fast: Time,
    },
}

/// Who empties the receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consumption {
    /// Data are read as they are delivered.
    #[default]
    AtDelivery,
    /// The user says [`Input::Read`](super::Input::Read).
    Reported,
}

impl Settings {
    /// A host of the middle 1990s: 4.4BSD's Reno with buffers of 65 535 octets. `slow` and `fast` are instants of its
    /// ticks.
    pub fn bsd95(maximum_segment_size: u16, slow: Time, fast: Time) -> Self {
        Settings {
            maximum_segment_size,
            send_buffer: 65_535,
            receive_buffer: 65_535,
            window_scaling: false,
            timestamps: false,
            selective: false,
            congestion: Congestion::Reno,
            initial_window: maximum_segment_size.into(),
            initial_threshold: 65_535,
            restart_window: maximum_segment_size.into(),
            clock: Clock::Ticks { slow, fast },
            longest_timeout: Duration::from_secs(64),
            tries: 12,
            segments_per_acknowledgement: 2,
            coalesces: true,
            consumption: Consumption::AtDelivery,
            time_wait: Duration::from_secs(60),
            initial_sequence: 0,
        }
    }

    /// A host of today, as the RFCs have it with Linux's timers: CUBIC, selective acknowledgements, timestamps, window
    /// scaling, ten segments at first (RFC 6928), buffers of 4 MiB.
    pub fn modern(maximum_segment_size: u16) -> Self {
        let size = u64::from(maximum_segment_size);
        let window = (10 * size).min(u64::max(2 * size, 14_600));
        Settings {
            maximum_segment_size,
            send_buffer: 4 << 20,
            receive_buffer: 4 << 20,
            window_scaling: true,
            timestamps: true,
            selective: true,
            congestion: Congestion::Cubic,
            initial_window: window,
            initial_threshold: u64::MAX,
            restart_window: window,
            clock: Clock::Fine {
                granularity: Duration::from_millis(1),
                least_timeout: Duration::from_millis(200),
                first_timeout: Duration::from_secs(1),
                acknowledgement_delay: Duration::from_millis(40),
            },
            longest_timeout: Duration::from_secs(120),
            tries: 15,
            segments_per_acknowledgement: 2,
            coalesces: true,
            consumption: Consumption::AtDelivery,
            time_wait: Duration::from_secs(60),
            initial_sequence: 0,
        }
    }
}
