//! Settings of a station's AX.25 links, from its keys.

use sojourn_protocols::ax25::machine::{
    Backoff, BusyClear, Recovery, RejectMode, SabmeResponse, Settings, T1Adaptation, TimerStart, Version,
};
use sojourn_scenario::Table;

/// Largest window modulo 8 (AX.25 2.2, 6.7.2.3).
const MAX_WINDOW: u8 = 7;

/// Settings of a station's links.
pub fn settings(table: &Table) -> Settings {
    let window = table.integer("window") as u8;
    let receive_limit = table.number("receive_limit") as u16;
    Settings {
        version: if table.word("version") == "v2.2" { Version::V2_2 } else { Version::V2_0 },
        accepts_connections: table.word("type") != "digipeater",
        sabme_response: match table.word("sabme_reply") {
            "frmr" => SabmeResponse::FrameReject,
            "dm" => SabmeResponse::DisconnectedMode,
            _ => SabmeResponse::Silent,
        },
        max_links: table.integer("links") as u16,
        frack: table.duration("frack"),
        t1_adaptation: match table.word("rtt_estimator") {
            "fixed" => T1Adaptation::Fixed,
            "dire-wolf" => T1Adaptation::DireWolf,
            "linux" => T1Adaptation::Linux(Backoff::None),
            "linux-linear" => T1Adaptation::Linux(Backoff::Linear),
            _ => T1Adaptation::Linux(Backoff::Exponential),
        },
        t1_start: match table.word("frack_runs") {
            "from-enqueue" => TimerStart::HandOver,
            "from-transmit-end" => TimerStart::TransmitEnd,
            _ => TimerStart::PausedWhileBusy,
        },
        t2: table.duration("resptime"),
        t2_pauses: table.flag("resptime_pauses"),
        t3: table.optional_duration("check"),
        // the upper layers of nodes and switches determine the length of their frames
        n1: if table.word("type") == "terminal" { table.number("paclen") as u16 } else { receive_limit },
        n1_receive: receive_limit,
        k: window.min(MAX_WINDOW),
        k_extended: window,
        n2: table.integer("retry") as u8,
        reject_mode: match table.word("reject") {
            "go-back" => RejectMode::GoBack,
            "selective" => RejectMode::Selective,
            _ => RejectMode::MultiSelective,
        },
        xid_negotiation: table.flag("xid"),
        recovery: if table.word("recovery") == "enquiry" { Recovery::Enquiry } else { Recovery::OldestFrame },
        busy_clear: match table.word("busy_clear") {
            "silent" => BusyClear::Silent,
            "rr" => BusyClear::ReceiveReady,
            _ => BusyClear::Poll,
        },
    }
}
