//! What the kernel tells of a connection: segments sent again, and the round trip as TCP itself estimates it.

use std::net::TcpStream;
use std::ops::Range;

use sojourn_core::Duration;
use sojourn_metrics::record::Record;

/// Octets of what the kernel tells that are read: as far as the segments sent again, which every kernel counts.
const OCTETS: usize = 104;
/// Where the smoothed round-trip time stands (linux/tcp.h, `tcpi_rtt`), in microseconds.
const RTT_OFFSET: usize = 68;
/// Where the segments sent again stand (linux/tcp.h, `tcpi_total_retrans`), a count since the connection began.
const RETRANSMITS_OFFSET: usize = 100;

nix::getsockopt_impl!(
    TcpInfo,
    libc::IPPROTO_TCP,
    libc::TCP_INFO,
    [u8; OCTETS],
    nix::sys::socket::sockopt::GetStruct<[u8; OCTETS]>
);
/// The state of a connection (tcp(7), TCP_INFO).
#[derive(Clone, Copy, Debug)]
struct TcpInfo;

/// What was told at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    /// Segments that this end had sent again since the connection began.
    retransmissions: u32,
    /// The smoothed round-trip time.
    srtt: Duration,
}

impl Reading {
    fn parse(told: &[u8; OCTETS]) -> Reading {
        let number = |at: usize| told[at..].first_chunk().map_or(0, |octets| u32::from_ne_bytes(*octets));
        let srtt = Duration::from_micros(number(RTT_OFFSET).into());
        Reading { retransmissions: number(RETRANSMITS_OFFSET), srtt }
    }
}

/// What was told in the course of a measurement, with the number of the request that was next then.
#[derive(Debug, Default)]
pub struct Readings(Vec<(u64, Reading)>);

impl Readings {
    /// Reads, before request `next` is sent. A system that does not tell leaves the metrics out.
    pub fn read(&mut self, next: u64, connection: &TcpStream) {
        let told = nix::sys::socket::getsockopt(connection, TcpInfo);
        self.0.extend(told.map(|told| (next, Reading::parse(&told))));
    }

    /// What of the connection happened from the first of these requests until the last one's phase was over.
    pub fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let before = self.0.iter().rfind(|(next, _)| *next <= requests.start);
        let over = self.0.iter().find(|(next, _)| *next >= requests.end).map(|(next, _)| *next);
        let after = self.0.iter().rfind(|(next, _)| Some(*next) == over);
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

    fn told(readings: &Readings, requests: Range<u64>) -> Option<(u64, f64)> {
        let mut record = Record::default();
        readings.record_metrics(requests, &mut record);
        let known = record.metrics.contains_key("retransmissions");
        known.then(|| (record.total("retransmissions"), record.value("srtt")))
    }

    #[test]
    fn a_phase_has_what_was_sent_again_in_it_and_the_round_trip_at_its_end() {
        // two phases of 100 requests; answers to the last ones were waited for
        let of = [(0, reading(u32::MAX, 50)), (100, reading(2, 60)), (200, reading(2, 70)), (200, reading(5, 80))];
        let readings = Readings(of.to_vec());
        assert_eq!(told(&readings, 0..100), Some((3, 60e-6)), "the count may begin anew");
        assert_eq!(told(&readings, 100..200), Some((3, 80e-6)));
        assert_eq!(told(&readings, 100..150), Some((3, 80e-6)), "of a phase that ended early");
        assert_eq!(told(&Readings::default(), 0..100), None);
    }

    #[test]
    fn numbers_are_read_from_where_the_kernel_writes_them() {
        let mut octets = [0xff; OCTETS];
        octets[RTT_OFFSET..RTT_OFFSET + 4].copy_from_slice(&1234_u32.to_ne_bytes());
        octets[RETRANSMITS_OFFSET..].copy_from_slice(&7_u32.to_ne_bytes());
        assert_eq!(Reading::parse(&octets), reading(7, 1234));
    }

    #[test]
    fn a_connection_over_the_loopback_has_a_round_trip_and_sends_nothing_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut far = listener.accept().unwrap().0;
        let mut readings = Readings::default();
        readings.read(0, &near);
        near.write_all(&[7; 1000]).unwrap();
        far.read_exact(&mut [0; 1000]).unwrap();
        readings.read(1, &near);
        let (again, round_trip_s) = told(&readings, 0..1).expect("this kernel tells");
        assert!(again == 0 && round_trip_s > 0.0, "{again} {round_trip_s}");
    }
}
