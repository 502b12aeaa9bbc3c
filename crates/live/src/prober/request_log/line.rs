//! A line of `requests.csv`.

use std::fmt;

/// Names of the columns. Times in nanoseconds count from the start of the run's first phase, but for `sent_unix_ns` since 1970
/// and `far_*` by the peer's clock; what is unknown is empty. `size` is in octets of user data.
pub const HEADER: &str = "point,size,replication,phase,sequence,sent_unix_ns,intended_ns,sent_ns,departed_ns,arrived_ns,\
                          received_ns,far_received_ns,far_sent_ns,ce,duplicates";

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
    /// Whether the response carries a congestion mark (CE).
    pub ce: Option<bool>,
    /// Further responses to it.
    pub duplicates: u32,
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LoggedRequest { point, size, replication, phase, sequence, sent_unix_ns, intended_ns, sent_ns, .. } = self;
        write!(formatter, "{point},{size},{replication},{phase},{sequence},{sent_unix_ns},{intended_ns},{sent_ns}")?;
        let ce = self.ce.map(u64::from);
        let times = [self.departed_ns, self.arrived_ns, self.received_ns, self.far_received_ns, self.far_sent_ns, ce];
        for time in times {
            match time {
                Some(time) => write!(formatter, ",{time}")?,
                None => formatter.write_str(",")?,
            }
        }
        write!(formatter, ",{}", self.duplicates)
    }
}

impl LoggedRequest {
    /// Parses a line; `None` for the header, and for a line that was cut off.
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
        let (far_received_ns, far_sent_ns, ce) = (optional()?, optional()?, optional()?);
        let duplicates = fields.next()?.parse().ok()?;
        let ce = ce.map(|ce| ce != 0);
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
            ce,
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
        ce: Some(true),
        duplicates: 1,
    };

    #[test]
    fn a_line_has_a_field_for_every_column_and_is_read_as_it_was_written() {
        let lost = LoggedRequest { received_ns: None, ce: None, duplicates: 0, ..ANSWERED };
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
