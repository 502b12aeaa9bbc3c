//! The XTP association of a flow: its settings in the scenario, and the machine configuration derived from them.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::xtp::machine::{Configuration, ErrorControl, Rate, RequestBy, Requests};
use sojourn_scenario::Table;

use super::frame::FRAME_OVERHEAD;

/// Spans of one report; what is beyond goes into later ones.
const REPORT_SPANS: u32 = 16;
/// The longest control packet's frame: with all its spans.
pub const LONGEST_CONTROL: u32 = FRAME_OVERHEAD + 44 + 40 + 16 * REPORT_SPANS;

/// How a flow uses XTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Association {
    /// Packets that may be unacknowledged.
    pub window: u32,
    /// What is sent again.
    pub error_control: ErrorControl,
    /// Whether the sender heeds the window.
    pub flow_control: bool,
    /// Which packets ask for status.
    pub requests: Requests,
    /// By which option they ask.
    pub request_by: RequestBy,
    /// Whether gaps are reported at once.
    pub fast_nak: bool,
    /// Bytes/s that are sent at most; no limit without.
    pub send_rate: Option<u32>,
    /// Bytes sent back to back under that rate; those of one packet without.
    pub send_burst: Option<u32>,
    /// The place among a host's associations, lowest first.
    pub sort: Option<u16>,
    /// Unanswered repetitions of a question.
    pub retry_count: u8,
    /// The shortest WTIMER.
    pub min_wtimer: Duration,
    /// Whether checksums cover the data.
    pub checksum: bool,
}

impl Default for Association {
    fn default() -> Self {
        let machine = Configuration::default();
        Association {
            window: 32,
            error_control: machine.error_control,
            flow_control: machine.flow_control,
            requests: machine.requests,
            request_by: machine.request_by,
            fast_nak: machine.fast_nak,
            send_rate: None,
            send_burst: None,
            sort: machine.sort,
            retry_count: machine.retry_count,
            min_wtimer: machine.min_wtimer,
            checksum: machine.checksum,
        }
    }
}

impl Association {
    /// What a flow's table says, for this many receivers.
    pub fn of(table: &Table, receivers: usize) -> Association {
        Association {
            window: table.integer("window") as u32,
            error_control: match table.word("retransmission") {
                "automatic" if receivers > 1 => ErrorControl::GoBackN,
                "automatic" | "selective" => ErrorControl::Selective,
                "go-back-n" => ErrorControl::GoBackN,
                _ => ErrorControl::None,
            },
            flow_control: table.flag("flow_control"),
            requests: match (table.word("status_requests"), table.integer("packets_per_request")) {
                ("after-packets", 1) => Requests::EveryPacket,
                ("after-packets", count) => Requests::Every(count as u32),
                ("after-messages", _) => Requests::EveryMessage,
                _ => Requests::Never,
            },
            request_by: match table.word("request_option") {
                "status" => RequestBy::Sreq,
                "delivery" => RequestBy::Dreq,
                _ => RequestBy::Edge,
            },
            fast_nak: table.flag("fast_nak"),
            // the machine counts bytes
            send_rate: table.optional_number("send_rate").map(|bits| libm::round(bits / 8.0) as u32),
            send_burst: table.optional_number("send_burst").map(|bytes| bytes as u32),
            sort: table.optional_integer("sort_priority").map(|sort| sort as u16),
            retry_count: table.integer("retry_count") as u8,
            min_wtimer: table.duration("wtimer_min"),
            checksum: table.flag("checksum"),
        }
    }

    /// Whether packets wait in XTP instead of for the processor: because they are sorted, or because XTP must see
    /// several of them to request status once.
    pub fn waits_in_xtp(&self) -> bool {
        self.sort.is_some() || !matches!(self.requests, Requests::EveryPacket | Requests::EveryMessage)
    }

    fn rate(&self, largest: u32) -> Rate {
        self.send_rate.map_or(Rate::UNLIMITED, |bytes_per_second| Rate {
            bytes_per_second,
            burst: self.send_burst.unwrap_or(largest).max(1),
        })
    }

    /// XTP's configuration at both ends, for packets of at most `largest` bytes of data.
    pub fn configuration(&self, largest: u32) -> Arc<Configuration> {
        let bytes = self.window.saturating_mul(largest);
        Arc::new(Configuration {
            max_data: largest,
            error_control: self.error_control,
            flow_control: self.flow_control,
            fast_nak: self.fast_nak,
            sort: self.sort,
            requests: self.requests,
            request_by: self.request_by,
            checksum: self.checksum,
            initial_window: bytes,
            receive_buffer: bytes,
            send_buffer: bytes,
            reorder_packets: self.window,
            max_spans: REPORT_SPANS,
            send_rate: self.rate(largest),
            retry_count: self.retry_count,
            min_wtimer: self.min_wtimer,
            ..Configuration::default()
        })
    }
}
