//! From a station's keys to the settings of its AX.25 links.

use sojourn_protocols::ax25::machine::{
    Backoff, BusyClear, ExtendedRefusal, Recovery, RejectMode, RoundTripRule, Settings, TimerStart, Version,
};
use sojourn_scenario::Table;

/// The largest window modulo 8.
const LARGEST_WINDOW: u8 = 7;

/// What a station's links are set to.
pub fn settings(table: &Table) -> Settings {
    let window = table.integer("window") as u8;
    let receive_limit = table.number("receive_limit") as u16;
    Settings {
        version: if table.word("version") == "v2.2" { Version::V2_2 } else { Version::V2_0 },
        accepts: table.word("type") != "digipeater",
        refuses_extended: match table.word("refuses_extended") {
            "frmr" => ExtendedRefusal::FrameReject,
            "dm" => ExtendedRefusal::DisconnectedMode,
            _ => ExtendedRefusal::Silent,
        },
        link_limit: table.integer("links") as u16,
        frack: table.duration("acknowledgement_timer"),
        round_trip: match table.word("round_trip") {
            "fixed" => RoundTripRule::Fixed,
            "dire-wolf" => RoundTripRule::DireWolf,
            "linux" => RoundTripRule::Linux(Backoff::None),
            "linux-linear" => RoundTripRule::Linux(Backoff::Linear),
            _ => RoundTripRule::Linux(Backoff::Exponential),
        },
        t1_start: match table.word("acknowledgement_timer_runs") {
            "from-hand-over" => TimerStart::HandOver,
            "from-transmit-end" => TimerStart::TransmitEnd,
            _ => TimerStart::PausedWhileBusy,
        },
        t2: table.duration("response_delay"),
        t2_pauses: table.flag("response_delay_pauses"),
        t3: table.optional_duration("idle_timer"),
        // what nodes and switches send is as long as their layers make it
        information_limit: if table.word("type") == "terminal" { table.number("paclen") as u16 } else { receive_limit },
        receive_limit,
        window: window.min(LARGEST_WINDOW),
        window_extended: window,
        retries: table.integer("tries") as u8,
        reject: match table.word("reject") {
            "go-back" => RejectMode::GoBack,
            "selective" => RejectMode::Selective,
            _ => RejectMode::MultiSelective,
        },
        negotiates: table.flag("negotiates"),
        recovery: if table.word("recovery") == "enquiry" { Recovery::Enquiry } else { Recovery::OldestFrame },
        busy_clear: match table.word("busy_clear") {
            "silent" => BusyClear::Silent,
            "rr" => BusyClear::ReceiveReady,
            _ => BusyClear::Poll,
        },
    }
}
