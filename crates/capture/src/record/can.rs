//! Metrics and notes of buses of CAN.

use sojourn_metrics::record::Record;

use crate::analysis::Findings;
use crate::can::{Bits, CanBus};

impl Findings {
    /// The load as worst cases of stuffing have it, of several buses the mean, at `rate` bit/s.
    pub(super) fn record_stuffing(&self, rate: u64, record: &mut Record) {
        let buses = self.sink.can_buses();
        if buses.is_empty() || self.seconds() == 0.0 {
            return;
        }
        let share = |bits: Bits| self.data_phase.in_bits(bits) / rate as f64 / self.seconds();
        for (metric, is_worst) in [("utilisation_worst", true), ("utilisation_canbusload", false)] {
            let bits = |bus: &CanBus| if is_worst { bus.worst } else { bus.every_fifth };
            let all: f64 = buses.iter().map(|bus| share(bits(bus))).sum();
            record.scalar(metric, all / buses.len() as f64);
            for bus in buses.iter().filter(|_| buses.len() > 1) {
                record.scalar(format!("{metric}/medium-{}", bus.interface), share(bits(bus)));
            }
        }
    }

    pub(super) fn note_buses(&self, bit_rate: Option<u64>, record: &mut Record) {
        record.note(
            "A frame of CAN is stamped at its end: response_time is from the end of a request's first frame to the end of its \
             answer's first. How long frames waited for the bus is not seen.",
        );
        if self.bit_rate(bit_rate).is_none() && !self.sink.bits().is_empty() {
            record.note(
                "The bit rate of the bus is not in the capture, so that its load is not known: --bit-rate states it.",
            );
        } else if self.data_phase.rates.is_none() && self.sink.can_buses().iter().any(|bus| bus.has_data_phase) {
            record.note(
                "Frames of CAN FD switched to the bit rate of the data phase, which counts as that of the bus: --data-bit-rate \
                 states it.",
            );
        }
    }
}
