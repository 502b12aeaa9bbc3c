//! What the emulator recorded of probes, replies and load.

use sojourn_live::emulator::Passed;
use sojourn_protocols::probe::wire::Kind;

/// Octets of the kind and the sequence number in a packet of `sojourn://`.
const KIND: usize = 20;
const SEQUENCE: std::ops::Range<usize> = 40..48;

/// Every packet that the emulator saw, in order of arrival.
pub struct Truth {
    pub passed: Vec<Passed>,
}

impl Truth {
    pub fn of(passed: Vec<Passed>) -> Truth {
        Truth { passed }
    }

    /// The packets of a kind in a direction, with their sequence numbers.
    pub fn of_kind(&self, kind: Kind, is_forward: bool) -> Vec<(u64, &Passed)> {
        let of_kind =
            |passed: &&Passed| passed.is_forward == is_forward && passed.head.get(KIND) == Some(&(kind as u8));
        let sequence = |passed: &Passed| u64::from_be_bytes(passed.head[SEQUENCE].try_into().unwrap());
        self.passed.iter().filter(of_kind).map(|passed| (sequence(passed), passed)).collect()
    }
}
