//! Converts the keys of a host to its TCP settings.

use sojourn_core::Time;
use sojourn_protocols::tcp::machine::{Clock, Congestion, EcnMode, Recovery, Settings};
use sojourn_scenario::Table;

/// The TCP of a host with keys `table` whose segments have `segment` octets of data at most; ticks, if it counts by
/// them, are at time 0.
pub fn settings(table: &Table, segment: u16) -> Settings {
    let profile = match table.word("profile") {
        "bsd95" => Settings::bsd95(segment, Time::ZERO, Time::ZERO),
        _ => Settings::modern(segment),
    };
    let congestion = match table.word("congestion") {
        "reno" => Congestion::Reno,
        "newreno" => Congestion::NewReno,
        "dctcp" => Congestion::Dctcp,
        "prague" => Congestion::Prague,
        "bbr" => Congestion::Bbr,
        _ => Congestion::Cubic,
    };
    let octets = |key: &str| table.optional_number(key).map(|octets| octets as u64);
    let window = table.optional_integer("initial_cwnd").map(|segments| segments * u64::from(segment));
    Settings {
        send_buffer: octets("send_buffer").unwrap_or(profile.send_buffer),
        receive_buffer: octets("receive_buffer").unwrap_or(profile.receive_buffer),
        window_scaling: table.flag("window_scaling"),
        timestamps: table.flag("timestamps"),
        sack: table.flag("sack"),
        congestion,
        ecn: match table.optional_word("ecn") {
            Some("off") => EcnMode::Off,
            Some("passive") => EcnMode::Passive,
            Some("classic") => EcnMode::Classic,
            Some(_) => EcnMode::Accurate,
            None if congestion.is_scalable() => EcnMode::Accurate,
            None => profile.ecn,
        },
        abe: table.flag("abe"),
        recovery: if table.word_is("recovery", "rack") { Recovery::Rack } else { Recovery::Sack },
        pacing: if table.has("pacing") { table.flag("pacing") } else { congestion == Congestion::Prague },
        initial_cwnd: window.unwrap_or(profile.initial_cwnd),
        restart_window: window.unwrap_or(profile.restart_window),
        initial_ssthresh: octets("initial_ssthresh").unwrap_or(profile.initial_ssthresh),
        ack_every: table.integer("ack_every"),
        clock: match profile.clock {
            Clock::Fine { granularity, initial_rto, .. } => Clock::Fine {
                granularity,
                initial_rto,
                min_rto: table.duration("min_rto"),
                delayed_ack: table.duration("delayed_ack"),
            },
            ticks => ticks,
        },
        nagle: table.flag("nagle"),
        ..profile
    }
}
