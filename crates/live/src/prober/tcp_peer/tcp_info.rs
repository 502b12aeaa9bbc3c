//! TCP_INFO of a connection: retransmitted segments and SRTT.

use std::net::TcpStream;
use std::ops::Range;

use sojourn_core::Duration;
use sojourn_metrics::record::Record;

/// Octets of `struct tcp_info` that are read, up to `tcpi_total_retrans`, which every kernel has.
const OCTETS: usize = 104;
/// Offset of the SRTT (linux/tcp.h, `tcpi_rtt`), in microseconds.
const RTT_OFFSET: usize = 68;
/// Offset of the retransmission count of the connection (linux/tcp.h, `tcpi_total_retrans`).
const RETRANSMITS_OFFSET: usize = 100;

nix::getsockopt_impl!(
    TcpInfo,
    libc::IPPROTO_TCP,
    libc::TCP_INFO,
    [u8; OCTETS],
    nix::sys::socket::sockopt::GetStruct<[u8; OCTETS]>
);
/// The socket option TCP_INFO (tcp(7)).
#[derive(Clone, Copy, Debug)]
struct TcpInfo;

/// One reading of TCP_INFO.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    /// Segments retransmitted since the connection began.
    retransmissions: u32,
    /// Smoothed round-trip time (SRTT).
    srtt: Duration,
}

impl Reading {
    fn parse(octets: &[u8; OCTETS]) -> Reading {
        let number = |at: usize| octets[at..].first_chunk().map_or(0, |field| u32::from_ne_bytes(*field));
        let srtt = Duration::from_micros(number(RTT_OFFSET).into());
        Reading { retransmissions: number(RETRANSMITS_OFFSET), srtt }
    }
}

/// Readings during a measurement, each with the sequence number of the next request then.
#[derive(Debug, Default)]
pub struct Readings {
    all: Vec<(u64, Reading)>,
    /// Segments retransmitted on earlier connections.
    before: u32,
}

impl Readings {
    /// Reads TCP_INFO before request `next` is sent; without it the metrics are left out.
    pub fn read(&mut self, next: u64, connection: &TcpStream) {
        let info = nix::sys::socket::getsockopt(connection, TcpInfo);
        let before = self.before;
        let whole =
            |reading: Reading| Reading { retransmissions: reading.retransmissions.wrapping_add(before), ..reading };
        self.all.extend(info.map(|octets| (next, whole(Reading::parse(&octets)))));
    }

    /// Another connection takes the place of the last: its count begins anew.
    pub fn begin_connection(&mut self) {
        self.before = self.all.last().map_or(0, |(_, reading)| reading.retransmissions);
    }

    /// Records retransmissions during these requests, and the SRTT at the end of their phase.
    pub fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let before = self.all.iter().rfind(|(next, _)| *next <= requests.start);
        let over = self.all.iter().find(|(next, _)| *next >= requests.end).map(|(next, _)| *next);
        let after = self.all.iter().rfind(|(next, _)| Some(*next) == over);
        if let (Some((_, before)), Some((_, after))) = (before, after) {
            let again = after.retransmissions.wrapping_sub(before.retransmissions);
            record.count("retransmissions", again.into());
            record.scalar("srtt", after.srtt.seconds());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    fn reading(retransmissions: u32, round_trip_us: u64) -> Reading {
        Reading { retransmissions, srtt: Duration::from_micros(round_trip_us) }
    }

    fn recorded(readings: &Readings, requests: Range<u64>) -> Option<(u64, f64)> {
        let mut record = Record::default();
        readings.record_metrics(requests, &mut record);
        let known = record.metrics.contains_key("retransmissions");
        known.then(|| (record.total("retransmissions"), record.value("srtt")))
    }

    #[test]
    fn a_phase_has_its_own_retransmissions_and_the_srtt_at_its_end() {
        // two phases of 100 requests; answers to the last ones were waited for
        let of = [(0, reading(u32::MAX, 50)), (100, reading(2, 60)), (200, reading(2, 70)), (200, reading(5, 80))];
        let readings = Readings { all: of.to_vec(), before: 0 };
        assert_eq!(recorded(&readings, 0..100), Some((3, 60e-6)), "the count may begin anew");
        assert_eq!(recorded(&readings, 100..200), Some((3, 80e-6)));
        assert_eq!(recorded(&readings, 100..150), Some((3, 80e-6)), "of a phase that ended early");
        assert_eq!(recorded(&Readings::default(), 0..100), None);
    }

    #[test]
    fn fields_are_read_at_the_kernel_s_offsets() {
        let mut octets = [0xff; OCTETS];
        octets[RTT_OFFSET..RTT_OFFSET + 4].copy_from_slice(&1234_u32.to_ne_bytes());
        octets[RETRANSMITS_OFFSET..].copy_from_slice(&7_u32.to_ne_bytes());
        assert_eq!(Reading::parse(&octets), reading(7, 1234));
    }

    #[test]
    fn a_loopback_connection_has_an_srtt_and_no_retransmissions() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut far = listener.accept().unwrap().0;
        let mut readings = Readings::default();
        readings.read(0, &near);
        near.write_all(&[7; 1000]).unwrap();
        far.read_exact(&mut [0; 1000]).unwrap();
        readings.read(1, &near);
        let (again, round_trip_s) = recorded(&readings, 0..1).expect("this kernel reports them");
        assert!(again == 0 && round_trip_s > 0.0, "{again} {round_trip_s}");
    }
}
