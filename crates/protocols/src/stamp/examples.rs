//! Test packets of every kind, for tests and fuzzing.

use super::UNKNOWN_TTL;
use super::error_estimate::ErrorEstimate;
use super::packet::{Probe, Reply};
use super::timestamp::{Format, Timestamp};

/// 2026-01-01 00:00:00.25 UTC.
const NOW_NS: u64 = 1_767_225_600_250_000_000;

fn estimate(synchronized: bool, format: Format) -> ErrorEstimate {
    ErrorEstimate { synchronized, format, scale: 20, multiplier: 1 }
}

fn stamp(after_ns: u64, format: Format) -> Timestamp {
    Timestamp::of(NOW_NS + after_ns, format)
}

/// Probes, each with a description.
pub fn probes() -> Vec<(&'static str, Probe)> {
    let first = Probe { sequence: 0, timestamp: stamp(0, Format::Ntp), error: estimate(true, Format::Ntp), session: 0 };
    let ptp = Probe { timestamp: stamp(0, Format::Ptp), error: estimate(false, Format::Ptp), ..first };
    vec![("first", first), ("of a session", Probe { sequence: 258, session: 0x1234, ..first }), ("PTP", ptp)]
}

/// Replies, each with a description.
pub fn replies() -> Vec<(&'static str, Reply)> {
    let stateless = Reply {
        sequence: 258,
        timestamp: stamp(600_000, Format::Ntp),
        error: estimate(true, Format::Ntp),
        session: 0x1234,
        received: stamp(500_000, Format::Ntp),
        probe_sequence: 258,
        probe_timestamp: stamp(0, Format::Ntp),
        probe_error: estimate(true, Format::Ntp),
        probe_ttl: 63,
    };
    let ptp = Reply {
        timestamp: stamp(600_000, Format::Ptp),
        error: estimate(false, Format::Ptp),
        received: stamp(500_000, Format::Ptp),
        ..stateless
    };
    vec![
        ("stateless", stateless),
        ("stateful", Reply { sequence: 255, ..stateless }),
        ("PTP at the reflector", ptp),
        ("TTL unknown", Reply { probe_ttl: UNKNOWN_TTL, ..stateless }),
    ]
}
