//! What the emulator recorded of probes, replies and load.

use std::collections::BTreeSet;

use sojourn_live::emulator::Passed;
use sojourn_metrics::Record;
use sojourn_metrics::record::Observation;
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

impl Truth {
    /// The test packets of STAMP in a direction, by the sequence number of the probe, without the copies of the last probe
    /// that a sender adds at its end.
    pub fn of_stamp(&self, is_forward: bool) -> Vec<(u64, &Passed)> {
        let field = if is_forward { 0..4 } else { 24..28 };
        let number = |passed: &Passed| u64::from(u32::from_be_bytes(passed.head[field.clone()].try_into().unwrap()));
        let of_direction = self.passed.iter().filter(|passed| passed.is_forward == is_forward);
        let packets: Vec<(u64, &Passed)> = of_direction.map(|passed| (number(passed), passed)).collect();
        let last = packets.iter().map(|(number, _)| *number).max().unwrap();
        let end = packets.iter().position(|(number, _)| *number == last).unwrap();
        packets[..=end].to_vec()
    }
}

/// What happened to the packets of one direction.
#[derive(Debug, PartialEq)]
pub struct Faults {
    pub offered: u64,
    pub lost: u64,
    pub duplicated: u64,
    pub reordered: u64,
}

impl Faults {
    /// Of packets in the order in which they were sent, each with a number.
    pub fn of(packets: &[(u64, &Passed)]) -> Faults {
        let lost = packets.iter().filter(|(_, passed)| passed.delivered.is_empty()).count() as u64;
        let duplicated = packets.iter().filter(|(_, passed)| passed.delivered.len() == 2).count() as u64;
        let places = (0..).zip(packets).filter_map(|(place, (_, passed))| Some((passed.delivered.first()?, place)));
        let mut arrivals: Vec<(_, usize)> = places.collect();
        arrivals.sort();
        let overtaken = arrivals.iter().scan(0, |latest, (_, place)| {
            let is_overtaken = place < latest;
            *latest = *place.max(latest);
            Some(u64::from(is_overtaken))
        });
        Faults { offered: packets.len() as u64, lost, duplicated, reordered: overtaken.sum() }
    }

    /// Those reported of a direction, by the shares and counts of a record.
    pub fn reported(record: &Record, direction: &str) -> Faults {
        let share = |name: &str| match record.metrics[&format!("{name}/{direction}")] {
            Observation::Share { part, of } => (part, of),
            ref other => panic!("{name} is a share, not {other:?}"),
        };
        let ((lost, offered), (reordered, _)) = (share("loss"), share("reordering"));
        Faults { offered, lost, duplicated: record.total(&format!("duplicates/{direction}")), reordered }
    }
}

/// Runs of consecutive numbers below `sent` that are not among the answered ones: how many, and the longest.
pub fn bursts(sent: u64, answered: &BTreeSet<u64>) -> (u64, u64) {
    let (mut count, mut longest, mut length) = (0, 0, 0);
    for number in 0..sent {
        length = if answered.contains(&number) { 0 } else { length + 1 };
        count += u64::from(length == 1);
        longest = longest.max(length);
    }
    (count, longest)
}
