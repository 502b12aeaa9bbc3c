//! Keys of `[abr]`: parameters of ABR sources and destinations, by their symbols in Traffic Management 4.0.

use super::ASSUMED;
use sojourn_scenario::keys::common::SPAN;
use sojourn_scenario::keys::{Bounds, Key, Kind, above, between, key, time, word};
use sojourn_scenario::quantity::Dimension;

/// The parameters of the study.
const LAN_SET: &str = "ATM Forum 95-1328R1";
/// The final specification.
const TM_4: &str = "ATM Forum Traffic Management 4.0";

const RATE: Bounds = between("0 bit/s", "1000 Gbit/s");

const fn rate(name: &'static str, bounds: Bounds, help: &'static str) -> Key {
    key(name, Kind::Quantity(Dimension::BitRate, bounds), help)
}

/// Rates, timers and factors of ABR (ATM Forum AF-TM-0056, section 5.10).
pub const KEYS: &[Key] = &[
    rate("pcr", above("0 bit/s", "1000 Gbit/s"), "Peak cell rate (PCR): upper bound of the allowed cell rate (ACR).")
        .default("\"155 Mbit/s\"", LAN_SET),
    rate("mcr", RATE, "Minimum cell rate (MCR): lower bound of ACR.").default("\"0.5 Mbit/s\"", LAN_SET),
    rate("icr", RATE, "Initial cell rate (ICR): ACR at the start and after an idle period.")
        .default("\"10 Mbit/s\"", LAN_SET),
    rate("air", RATE, "Additive increase rate (AIR): ACR rises by Nrm x AIR on a backward RM cell without congestion.")
        .default("\"0.01892 Mbit/s\"", LAN_SET),
    key(
        "rdf",
        Kind::Number(between("2", "65536")),
        "Rate decrease factor (RDF): ACR falls by ACR x Nrm / RDF on a backward RM cell with congestion.",
    )
    .default("512", LAN_SET),
    key(
        "decreases",
        Kind::Word(&[
            word("on-congestion", "on a backward RM cell that indicates congestion"),
            word("with-every-cell", "a little with each cell sent, restored by a backward RM cell without congestion (EPRCA, 1994)"),
        ]),
        "When ACR falls.",
    )
    .default("\"on-congestion\"", LAN_SET),
    key("nrm", Kind::Choice(&[2, 4, 8, 16, 32, 64, 128, 256]), "Nrm: one cell in this many is a forward RM cell.")
        .default("32", LAN_SET),
    key("mrm", Kind::Integer(1, 255), "Mrm: minimum cells between two forward RM cells when Trm is over.")
        .default("2", LAN_SET),
    key("trm", time(SPAN), "Trm: maximum interval between forward RM cells of an active source.")
        .default("\"100 ms\"", LAN_SET),
    key("forward_without_data", Kind::Flag, "Whether a forward RM cell is sent after Trm even when no data wait.")
        .default("true", ASSUMED),
    key(
        "tcr",
        Kind::Quantity(Dimension::Rate, between("0 /s", "1000000 /s")),
        "Tagged cell rate (TCR): rate of out-of-rate forward RM cells, cells per second, when ACR is at most this.",
    )
    .default("\"10 /s\"", LAN_SET),
    key(
        "crm",
        Kind::Integer(1, 1_000_000),
        "CRM (Xrm in the drafts): forward RM cells without a backward RM cell before ACR is cut.",
    )
    .default("32", LAN_SET),
    key(
        "cdf",
        Kind::Quantity(Dimension::Fraction, between("0 %", "100 %")),
        "Cutoff decrease factor (CDF, Xdf in the drafts): share of ACR that each further unanswered forward RM cell cuts.",
    )
    .default("\"50 %\"", LAN_SET),
    key(
        "idle",
        Kind::Word(&[
            word("decay", "ACR falls with time, down to ICR (drafts of 1995)"),
            word("reset", "ACR falls to ICR after `adtf` (Traffic Management 4.0)"),
            word("keep", "ACR stays"),
        ]),
        "Use-it-or-lose-it: what happens to an ACR above ICR that is not used.",
    )
    .default("\"decay\"", LAN_SET),
    key(
        "tof",
        Kind::Number(between("0", "1000")),
        "Time-out factor (TOF), decay: the decay begins after TOF x Nrm / ACR.",
    )
    .default("2", LAN_SET),
    key(
        "tdff",
        Kind::Number(between("0", "1000")),
        "TDFF, decay: per second, ACR falls by ACR x TDFF / RDF x the smallest power of two not below PCR in cells per second.",
    )
    .default("0.5", LAN_SET),
    key("adtf", time(SPAN), "ACR decrease time factor (ADTF), reset: idle time after which ACR falls to ICR.")
        .default("\"500 ms\"", TM_4),
    key("reschedules", Kind::Flag, "Whether a new ACR also reschedules the next cell.").default("true", ASSUMED),
    key(
        "rates_count",
        Kind::Word(&[word("cells", "424 bits per cell"), word("payload", "its 384 bits of payload")]),
        "Which bits of a cell these rates count.",
    )
    .default("\"cells\"", ASSUMED),
    key("coded_rates", Kind::Flag, "Whether RM cells carry rates in the 16-bit floating-point format, rounded down.")
        .default("false", ASSUMED),
    key("backward_bypasses", Kind::Flag, "Whether backward RM cells are sent at once, regardless of the source's ACR.")
        .default("false", ASSUMED),
    key(
        "keeps_indication",
        Kind::Flag,
        "Whether a destination indicates congestion (CI) until a cell without EFCI arrives, rather than once per marked cell.",
    )
    .default("false", TM_4),
    key(
        "keeps_congestion",
        Kind::Flag,
        "Whether a backward RM cell that replaces a waiting one takes over its CI.",
    )
    .default("false", ASSUMED),
];
