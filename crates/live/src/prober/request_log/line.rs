//! A line of `requests.csv`.

use std::fmt;

use crate::io::datagrams::traffic_class;

/// Names of the columns. Times in nanoseconds count from the start of the run's first phase, but for `sent_unix_ns` since 1970
/// and `far_*_ns` by the peer's clock; what is unknown is empty. `size` is in octets of user data. DSCP and ECN are those of the
/// request as it was sent and as the peer received it, and of the response as it arrived.
pub const HEADER: &str = "point,size,replication,phase,sequence,sent_unix_ns,intended_ns,sent_ns,departed_ns,arrived_ns,\
                          received_ns,far_received_ns,far_sent_ns,sent_dscp,sent_ecn,far_dscp,far_ecn,received_dscp,\
                          received_ecn,duplicates";

/// Times of a run beyond this were not written by one: a hundred days, of which two make no more than a span can hold.
pub const LONGEST_NS: u64 = 100 * 86_400_000_000_000;
/// Responses to one request beyond this were not written by one either.
const MOST_DUPLICATES: u32 = 1000;

/// A request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// Index of the point that was measured.
    pub point: u32,
    /// Octets of a request.
    pub size: u32,
    /// The replication, from 0.
    pub replication: u32,
    /// Index of the phase.
    pub phase: u32,
    /// Sequence number of the request.
    pub sequence: u64,
    /// When the application sent it, since 1970.
    pub sent_unix_ns: u64,
    /// Its departure by the schedule.
    pub intended_ns: u64,
    /// When the application sent it.
    pub sent_ns: u64,
    /// The kernel's transmit timestamp.
    pub departed_ns: Option<u64>,
    /// The kernel's receive timestamp of the response.
    pub arrived_ns: Option<u64>,
    /// When the application received the response.
    pub received_ns: Option<u64>,
    /// When the peer received the request.
    pub far_received_ns: Option<u64>,
    /// When the peer sent the response.
    pub far_sent_ns: Option<u64>,
    /// Traffic class (DSCP and ECN) of the request as it was sent.
    pub sent_class: Option<u8>,
    /// The same as the peer received it.
    pub far_class: Option<u8>,
    /// Traffic class of the response as it arrived.
    pub received_class: Option<u8>,
    /// Further responses to it.
    pub duplicates: u32,
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoggedRequest { point, size, replication, phase, sequence, sent_unix_ns, intended_ns, sent_ns, .. } = self;
        write!(formatter, "{point},{size},{replication},{phase},{sequence},{sent_unix_ns},{intended_ns},{sent_ns}")?;
        let times = [self.departed_ns, self.arrived_ns, self.received_ns, self.far_received_ns, self.far_sent_ns];
        let classes = [self.sent_class, self.far_class, self.received_class];
        let marks = classes.map(|class| [class.map(traffic_class::dscp), class.map(traffic_class::ecn)]);
        for field in times.into_iter().chain(marks.as_flattened().iter().map(|mark| mark.map(u64::from))) {
            match field {
                Some(number) => write!(formatter, ",{number}")?,
                None => formatter.write_str(",")?,
            }
        }
        write!(formatter, ",{}", self.duplicates)
    }
}

impl LoggedRequest {
    /// Parses a line; `None` for the header, and for a line that was cut off or damaged.
    pub fn parse(line: &str) -> Option<LoggedRequest> {
        let mut fields = line.split(',');
        let mut number = || fields.next()?.parse::<u64>().ok();
        let [point, size, replication, phase] = [number()?, number()?, number()?, number()?].map(|small| small as u32);
        let (sequence, sent_unix_ns, intended_ns, sent_ns) = (number()?, number()?, number()?, number()?);
        let mut optional = || match fields.next()? {
            "" => Some(None),
            text => text.parse::<u64>().ok().map(Some),
        };
        let (departed_ns, arrived_ns, received_ns) = (optional()?, optional()?, optional()?);
        let (far_received_ns, far_sent_ns) = (optional()?, optional()?);
        let mut class = || match (optional()?, optional()?) {
            (Some(dscp @ 0..64), Some(ecn @ 0..4)) => Some(Some((dscp << 2 | ecn) as u8)),
            (None, None) => Some(None),
            _ => None,
        };
        let [sent_class, far_class, received_class] = [class()?, class()?, class()?];
        let duplicates = fields.next()?.parse().ok().filter(|duplicates| *duplicates <= MOST_DUPLICATES)?;
        let of_run = [Some(intended_ns), Some(sent_ns), departed_ns, arrived_ns, received_ns];
        if of_run.into_iter().flatten().any(|ns| ns > LONGEST_NS) || sequence > i64::MAX as u64 {
            return None;
        }
        fields.next().is_none().then_some(LoggedRequest {
            point,
            size,
            replication,
            phase,
            sequence,
            sent_unix_ns,
            intended_ns,
            sent_ns,
            departed_ns,
            arrived_ns,
            received_ns,
            far_received_ns,
            far_sent_ns,
            sent_class,
            far_class,
            received_class,
            duplicates,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWERED: LoggedRequest = LoggedRequest {
        point: 0,
        size: 64,
        replication: 1,
        phase: 2,
        sequence: 17,
        sent_unix_ns: 1_795_000_000_000_000_000,
        intended_ns: 170,
        sent_ns: 171,
        departed_ns: Some(172),
        arrived_ns: Some(180),
        received_ns: Some(181),
        far_received_ns: Some(5),
        far_sent_ns: None,
        sent_class: Some(46 << 2 | 2),
        far_class: Some(3),
        received_class: Some(0),
        duplicates: 1,
    };

    #[test]
    fn a_line_has_a_field_for_every_column_and_is_read_as_it_was_written() {
        let lost =
            LoggedRequest { received_ns: None, far_class: None, received_class: None, duplicates: 0, ..ANSWERED };
        for request in [ANSWERED, lost] {
            let line = request.to_string();
            assert_eq!(line.split(',').count(), HEADER.split(',').count());
            assert_eq!(LoggedRequest::parse(&line), Some(request));
        }
    }

    #[test]
    fn the_header_and_a_line_that_was_cut_off_are_no_requests() {
        let line = ANSWERED.to_string();
        assert_eq!(LoggedRequest::parse(HEADER), None);
        // the last field may be cut to nothing, but never to another number: it has one digit
        for length in 0..line.len() {
            assert_eq!(LoggedRequest::parse(&line[..length]), None, "{}", &line[..length]);
        }
    }
}
