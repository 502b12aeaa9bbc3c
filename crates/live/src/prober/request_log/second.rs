//! A line of `seconds.csv`: load carried and peer counters, per second.

use std::fmt;

use super::line::LONGEST_NS;
use crate::prober::peer::PeerCounts;

/// Names of the columns. Times in nanoseconds count from the start of the run's first phase; what is unknown is empty. The
/// peer's counts are those of all requests of phase `counted_phase` that were sent before `counted_ns`. `end` is 0 in every
/// whole line.
pub const HEADER: &str =
    "point,size,replication,at_ns,load_octets,counted_phase,counted_ns,received,duplicates,reordered,socket_drops,end";

/// What was known at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedSecond {
    /// Index of the point that was measured.
    pub point: u32,
    /// Octets of a request.
    pub size: u32,
    /// The replication, from 0.
    pub replication: u32,
    /// When.
    pub at_ns: u64,
    /// Octets of user data that the load had delivered since the run began; `None` without load.
    pub load_octets: Option<u64>,
    /// What the peer had counted of a phase.
    pub counted: Option<LoggedCounts>,
}

/// What the peer counted of a phase until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedCounts {
    /// Index of the phase.
    pub phase: u32,
    /// When it was asked: the requests sent before that had arrived, or were lost.
    pub at_ns: u64,
    /// Requests that arrived, each once.
    pub received: u64,
    /// Further copies of requests.
    pub duplicates: u64,
    /// Requests that arrived after a later one.
    pub reordered: u64,
    /// Datagrams that the peer's socket dropped.
    pub socket_drops: Option<u64>,
}

impl LoggedCounts {
    /// Counts of a phase, asked for at a time.
    pub fn of(phase: u32, at_ns: u64, counts: &PeerCounts) -> LoggedCounts {
        let PeerCounts { received, duplicates, reordered, socket_drops, .. } = *counts;
        LoggedCounts { phase, at_ns, received, duplicates, reordered, socket_drops }
    }

    /// The same as the peer's counts.
    pub fn counts(&self) -> PeerCounts {
        let LoggedCounts { received, duplicates, reordered, socket_drops, .. } = *self;
        PeerCounts { received, duplicates, reordered, of_return: None, socket_drops }
    }
}

impl fmt::Display for LoggedSecond {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoggedSecond { point, size, replication, at_ns, load_octets, counted } = self;
        write!(formatter, "{point},{size},{replication},{at_ns}")?;
        let counted = counted.map_or([None; 6], |counted| {
            let LoggedCounts { phase, at_ns, received, duplicates, reordered, socket_drops } = counted;
            [Some(phase.into()), Some(at_ns), Some(received), Some(duplicates), Some(reordered), socket_drops]
        });
        for field in [*load_octets].into_iter().chain(counted) {
            match field {
                Some(number) => write!(formatter, ",{number}")?,
                None => formatter.write_str(",")?,
            }
        }
        // the field before may be empty: the end shows that the line is whole
        formatter.write_str(",0")
    }
}

impl LoggedSecond {
    /// Parses a line; `None` for the header, and for a line that was cut off or damaged.
    pub fn parse(line: &str) -> Option<LoggedSecond> {
        let mut fields = line.split(',');
        let mut optional = || match fields.next()? {
            "" => Some(None),
            text => text.parse::<u64>().ok().map(Some),
        };
        let [point, size, replication] = [optional()??, optional()??, optional()??].map(|small| small as u32);
        let (at_ns, load_octets, phase) = (optional()??, optional()?, optional()?);
        let rest = [optional()?, optional()?, optional()?, optional()?];
        let (socket_drops, _end) = (optional()?, optional()??);
        let counted = match (phase, rest) {
            (Some(phase), [Some(at_ns), Some(received), Some(duplicates), Some(reordered)]) => {
                Some(LoggedCounts { phase: phase as u32, at_ns, received, duplicates, reordered, socket_drops })
            }
            _ => None,
        };
        let is_of_run = at_ns.max(counted.map_or(0, |counted: LoggedCounts| counted.at_ns)) <= LONGEST_NS;
        is_of_run.then_some(LoggedSecond { point, size, replication, at_ns, load_octets, counted })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_field_for_every_column_and_is_read_as_it_was_written() {
        let counted =
            LoggedCounts { phase: 1, at_ns: 7, received: 90, duplicates: 1, reordered: 2, socket_drops: Some(3) };
        let without = LoggedSecond { point: 0, size: 64, replication: 1, at_ns: 9, load_octets: None, counted: None };
        let unknown = LoggedCounts { socket_drops: None, ..counted };
        for counted in [None, Some(counted), Some(unknown)] {
            for load_octets in [None, Some(12_345)] {
                let second = LoggedSecond { load_octets, counted, ..without };
                let line = second.to_string();
                assert_eq!(line.split(',').count(), HEADER.split(',').count());
                assert_eq!(LoggedSecond::parse(&line), Some(second));
                assert_eq!(LoggedSecond::parse(&line[..line.len() - 1]), None, "cut off");
            }
        }
        assert_eq!(LoggedSecond::parse(HEADER), None);
    }
}
