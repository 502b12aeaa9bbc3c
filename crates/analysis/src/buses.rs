//! The table of identifiers on buses of CAN.

use serde::Serialize;
use sojourn_capture::Findings;
use sojourn_capture::can::CanIdentifier;

/// An identifier.
#[derive(Clone, Debug, Serialize)]
pub struct IdentifierRow {
    /// The interface that the bus was captured on.
    pub interface: u32,
    /// The identifier, in hexadecimal: 3 digits of the base format, 8 of the extended one.
    pub id: String,
    /// Data frames.
    pub frames: u64,
    /// Remote frames.
    pub remote_frames: u64,
    /// Of CAN FD.
    pub fd: bool,
    /// Data in bytes.
    pub bytes: u64,
    /// Fewest data of a frame in bytes.
    pub length_min: Option<u8>,
    /// Most data of a frame in bytes.
    pub length_max: Option<u8>,
    /// Frames per second of the capture.
    pub rate: Option<f64>,
    /// Mean time between data frames.
    pub interval_s: Option<f64>,
    /// Shortest.
    pub interval_min_s: Option<f64>,
    /// Longest.
    pub interval_max_s: Option<f64>,
    /// Their standard deviation.
    pub jitter_s: Option<f64>,
    /// Share of the bus, where its bit rate is known.
    pub utilisation: Option<f64>,
}

/// The identifiers of each bus by priority.
pub fn identifiers(found: &Findings, bit_rate: Option<u64>) -> Vec<IdentifierRow> {
    let buses = found.sink.can_buses().iter();
    buses.flat_map(|bus| bus.identifiers.iter().map(move |one| row(found, bus.interface, one, bit_rate))).collect()
}

fn row(found: &Findings, interface: u32, identifier: &CanIdentifier, bit_rate: Option<u64>) -> IdentifierRow {
    let CanIdentifier { id, frames, remote_frames, is_fd, bytes, lengths: [least, most], intervals, bits, .. } =
        *identifier;
    let seconds = Some(found.seconds()).filter(|seconds| *seconds > 0.0);
    let known = |value: f64| (intervals.count > 0).then_some(value);
    IdentifierRow {
        interface,
        id: id.to_string(),
        frames,
        remote_frames,
        fd: is_fd,
        bytes,
        length_min: (frames > 0).then_some(least),
        length_max: (frames > 0).then_some(most),
        rate: seconds.map(|seconds| (frames + remote_frames) as f64 / seconds),
        interval_s: known(intervals.mean),
        interval_min_s: known(intervals.least),
        interval_max_s: known(intervals.most),
        jitter_s: intervals.jitter(),
        utilisation: bit_rate.zip(seconds).map(|(rate, s)| found.data_phase.in_bits(bits) / rate as f64 / s),
    }
}
