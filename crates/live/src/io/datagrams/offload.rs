//! GSO and GRO: datagrams of equal length that traverse the protocol stack as one (UDP_SEGMENT and UDP_GRO, udp(7)).
//!
//! The cost of a small datagram is the protocol stack, not the system call. On a wire each datagram of a GSO burst is
//! a packet; loopback and veth pairs carry the burst whole. The burst has a single timestamp, so GSO and GRO are for
//! load, never for packets that are timed.

use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, SockaddrStorage, sendmsg, setsockopt, sockopt};

use super::reading::{Arrival, RawRead};
use super::traffic_class;
use crate::io::addresses::Source;
use crate::io::packet_io::LARGEST_DATAGRAM;

/// Segments of a GSO burst at most (UDP_MAX_SEGMENTS, linux/udp.h).
const MAX_SEGMENTS: usize = 64;
/// Octets of a GSO burst at most: what one IPv6 packet could carry.
const MAX_OCTETS: usize = 65_487;

/// How many datagrams of `octets` fit a GSO burst.
pub fn max_segments(octets: u16) -> usize {
    (MAX_OCTETS / usize::from(octets.max(1))).clamp(1, MAX_SEGMENTS)
}

/// Sends datagrams of `octets` each, concatenated in `batch`, as one GSO burst; `None` where GSO does not apply.
pub(super) fn send(
    socket: &UdpSocket,
    to: Option<(SocketAddr, Option<IpAddr>, u8)>,
    batch: &[u8],
    octets: u16,
) -> Option<io::Result<usize>> {
    if batch.len() <= octets.into() {
        return None;
    }
    let source = to.and_then(|(_, local, _)| local).map(Source::of);
    let class = to.map_or(0, |(.., class)| class);
    let wide = i32::from(class);
    // segment size first, then those of the others that there are
    let (mut messages, mut used) = ([ControlMessage::UdpGsoSegments(&octets); 3], 1);
    if let Some(source) = &source {
        messages[used] = source.message();
        used += 1;
    }
    if let Some((to, ..)) = to.filter(|_| class != 0) {
        messages[used] = traffic_class::message(to.ip(), &class, &wide);
        used += 1;
    }
    let to = to.map(|(to, ..)| SockaddrStorage::from(to));
    let sent =
        sendmsg(socket.as_raw_fd(), &[IoSlice::new(batch)], &messages[..used], MsgFlags::MSG_DONTWAIT, to.as_ref());
    match sent {
        // datagrams larger than the MTU, or an interface without segmentation
        Err(Errno::EINVAL | Errno::EMSGSIZE | Errno::EIO) => None,
        sent => Some(sent.map_err(io::Error::from)),
    }
}

/// A received GRO batch, until all its datagrams are returned.
#[derive(Debug, Default)]
pub(super) struct GroBuffer {
    /// Whether GRO is enabled.
    pub enabled: bool,
    /// The buffer that batches are read to.
    pub storage: Vec<u8>,
    read: Option<RawRead>,
    consumed: usize,
}

impl GroBuffer {
    /// Enables or disables GRO; an old kernel without GRO ignores it.
    pub fn enable(&mut self, socket: &UdpSocket, take: bool) {
        if setsockopt(socket, sockopt::UdpGroSegment, &take).is_ok() {
            self.enabled = take;
            self.storage.resize(LARGEST_DATAGRAM, 0);
        }
    }

    /// Whether all datagrams were returned.
    pub fn is_empty(&self) -> bool {
        self.read.is_none()
    }

    /// Takes the batch that was read to the buffer.
    pub fn put(&mut self, read: RawRead) {
        (self.read, self.consumed) = (Some(read), 0);
    }

    /// Puts a datagram back, to be received again before anything else.
    pub fn put_back(&mut self, arrival: Arrival, datagram: &[u8]) {
        let length = datagram.len();
        self.storage.resize(LARGEST_DATAGRAM, 0);
        self.storage[..length].copy_from_slice(datagram);
        self.put(RawRead { arrival, length, each: length });
    }

    /// Copies the next datagram; returns its arrival and length.
    pub fn next(&mut self, buffer: &mut [u8]) -> Option<(Arrival, usize)> {
        let RawRead { arrival, length, each } = self.read?;
        let left = self.storage.get(self.consumed..length)?;
        let datagram = &left[..each.min(left.len())];
        self.consumed += datagram.len();
        if self.consumed == length {
            self.read = None;
        }
        // excess octets are truncated, as the system does
        let length = datagram.len().min(buffer.len());
        buffer[..length].copy_from_slice(&datagram[..length]);
        Some((arrival, length))
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::{Datagrams, Marking, ReadMode};
    use crate::io::packet_io::Received;

    /// Sends a GSO burst over the loopback; returns the datagrams received.
    fn carry(batch: &[u8], octets: u16, gro: bool) -> Vec<Vec<u8>> {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        far.set_gro(gro);
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        near.send_gso(None, batch, octets).unwrap();
        far.wait_for(Duration::from_secs(5));
        let (mut buffer, mut read) = (vec![0; LARGEST_DATAGRAM], Vec::new());
        while let Received::Datagram(arrival, datagram) = far.receive(ReadMode::NonBlocking, &mut buffer) {
            assert_eq!(arrival.from, near.local().unwrap());
            read.push(datagram.to_vec());
        }
        read
    }

    #[test]
    fn a_gso_burst_arrives_as_its_datagrams_with_and_without_gro() {
        let batch: Vec<u8> = (0..64 * 30).map(|octet| (octet / 64) as u8).collect();
        for gro in [false, true] {
            let read = carry(&batch, 64, gro);
            assert_eq!((read.len(), read.concat()), (30, batch.clone()), "taken whole: {gro}");
        }
    }

    #[test]
    fn datagrams_too_long_for_gso_are_sent_one_by_one() {
        // the loopback's MTU is 65 536 octets, more than a burst may have
        let batch = vec![7; 3 * 40_000];
        assert_eq!(carry(&batch, 40_000, true), vec![vec![7; 40_000]; 3]);
    }

    #[test]
    fn a_datagram_put_back_is_received_first() {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        let mut buffer = [0; 64];
        near.send(b"first").unwrap();
        let Received::Datagram(arrival, datagram) = far.receive(ReadMode::Blocking, &mut buffer) else {
            panic!("it was sent")
        };
        let first = datagram.to_vec();
        near.send(b"second").unwrap();
        far.unread(arrival, &first);
        for expected in [&b"first"[..], b"second"] {
            let Received::Datagram(_, datagram) = far.receive(ReadMode::Blocking, &mut buffer) else {
                panic!("it came")
            };
            assert_eq!(datagram, expected);
        }
    }

    #[test]
    fn a_burst_has_at_most_as_many_segments_as_the_kernel_accepts() {
        assert_eq!((max_segments(64), max_segments(1400), max_segments(40_000), max_segments(65_507)), (64, 46, 1, 1));
    }

    #[test]
    fn a_buffered_batch_is_returned_whole_after_gro_is_disabled() {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        far.set_gro(true);
        let mut near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        near.send_gso(None, &[9; 10 * 64], 64).unwrap();
        far.wait_for(Duration::from_secs(5));
        let mut buffer = [0; 64];
        assert!(!far.has_buffered());
        assert!(matches!(far.receive(ReadMode::NonBlocking, &mut buffer), Received::Datagram(..)));
        assert!(far.has_buffered(), "and the socket is empty");
        far.set_gro(false);
        let mut left = 0;
        while let Received::Datagram(..) = far.receive(ReadMode::NonBlocking, &mut buffer) {
            left += 1;
        }
        assert_eq!(left, 9);
    }
}
