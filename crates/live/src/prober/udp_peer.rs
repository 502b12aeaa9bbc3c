//! A peer that is a form of datagram over UDP: it writes requests and reads answers, the rest is here.

use std::io;
use std::net::SocketAddr;

use sojourn_core::Time;

use super::peer::{Peer, PeerEvent, PeerTimes, Request, Response, TxTimestamp};
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};

/// How requests and answers look on the wire.
pub trait ProbeFormat {
    /// Writes a request into the empty `datagram`: as many octets as asked for, not fewer than
    /// [`ProbeFormat::min_octets`]. `leaves` is when it is to leave, on the clock of the measurement.
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>);

    /// Reads an answer: the sequence number of its request, and what the other end says of its times; `None` for what
    /// is none.
    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)>;

    /// The fewest octets that a request can have.
    fn min_octets(&self) -> u32;

    /// Whether the other end's times are those of day.
    fn has_wall_clock(&self) -> bool {
        false
    }
}

/// One who speaks a form to one peer.
#[derive(Debug)]
pub struct UdpPeer<F> {
    /// The form.
    pub format: F,
    datagrams: Datagrams,
    clock: Clock,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// The number of the request that `outgoing` holds.
    prepared: Option<u64>,
    /// The sequence number of what the kernel calls number 0, as long as nothing but requests leave in order.
    first_of_kernel: Option<u64>,
}

impl<F: ProbeFormat> UdpPeer<F> {
    /// Opens a socket to a peer.
    pub fn to(format: F, clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<UdpPeer<F>> {
        Ok(UdpPeer::over(format, Datagrams::to(clock, peer, marking)?))
    }

    /// Goes on over a socket that is open.
    pub fn over(format: F, datagrams: Datagrams) -> UdpPeer<F> {
        let clock = datagrams.clock();
        let incoming = vec![0; LARGEST_DATAGRAM];
        UdpPeer { format, datagrams, clock, outgoing: Vec::new(), incoming, prepared: None, first_of_kernel: None }
    }
}

impl<F: ProbeFormat> Peer for UdpPeer<F> {
    type Socket = Datagrams;

    fn socket(&mut self) -> &mut Datagrams {
        &mut self.datagrams
    }

    fn prepare(&mut self, request: Request) {
        self.outgoing.clear();
        self.format.write(request, request.intended, &mut self.outgoing);
        self.prepared = Some(request.sequence);
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        if self.prepared != Some(request.sequence) {
            self.prepare(request);
        }
        let before = self.clock.now();
        let number = self.datagrams.send(&self.outgoing)?;
        self.first_of_kernel = Some(request.sequence.wrapping_sub(number.into()));
        Ok(before)
    }

    fn receive(&mut self, reading: ReadMode) -> PeerEvent {
        let (arrival, datagram) = match self.datagrams.receive(reading, &mut self.incoming) {
            Received::Datagram(arrival, datagram) => (arrival, datagram),
            Received::Notice(error) => return PeerEvent::Error(error),
            Received::Nothing => return PeerEvent::Nothing,
        };
        match self.format.read(datagram) {
            Some((sequence, far)) => {
                let (received, kernel_received) = (arrival.at, arrival.kernel_at);
                let marked = self.datagrams.congestion_experienced();
                PeerEvent::Response(Response { sequence, received, kernel_received, far, marked })
            }
            None => PeerEvent::Unrelated,
        }
    }

    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        let (number, at) = self.datagrams.poll_tx_timestamp()?;
        let first = self.first_of_kernel?;
        Some(TxTimestamp { sequence: first.wrapping_add(number.into()), at })
    }

    fn min_octets(&self) -> u32 {
        self.format.min_octets()
    }

    fn has_wall_clock(&self) -> bool {
        self.format.has_wall_clock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    /// The sequence number, then zeros.
    struct Plain;

    impl ProbeFormat for Plain {
        fn write(&mut self, request: Request, _leaves: Time, datagram: &mut Vec<u8>) {
            datagram.extend(request.sequence.to_be_bytes());
            datagram.resize(request.octets as usize, 0);
        }

        fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
            let (head, _) = datagram.split_first_chunk()?;
            Some((u64::from_be_bytes(*head), None))
        }

        fn min_octets(&self) -> u32 {
            8
        }
    }

    fn udp_peer(peer: SocketAddr) -> UdpPeer<Plain> {
        UdpPeer::to(Plain, Clock::start(), peer, &Marking::default()).unwrap()
    }

    #[test]
    fn an_answer_comes_back_between_stamps_that_stand_in_the_order_of_what_happened() {
        let mut far = Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut udp_peer = udp_peer(far.local().unwrap());
        for sequence in 0..3 {
            let sent = udp_peer.send(Request { sequence, intended: Time::ZERO, octets: 64 }).unwrap();
            far.wait_for(Duration::from_secs(5));
            let mut buffer = [0; 100];
            let Received::Datagram(arrival, bytes) = far.receive(ReadMode::NonBlocking, &mut buffer) else {
                panic!("it was sent")
            };
            assert_eq!(bytes.len(), 64);
            far.send_to(arrival.from, bytes).unwrap();
            let departed = udp_peer.poll_tx_timestamp().expect("the loopback stamps what leaves");
            let PeerEvent::Response(answer) = udp_peer.receive(ReadMode::Blocking) else { panic!("it was answered") };
            let kernel = answer.kernel_received.expect("the loopback stamps what arrives");
            assert_eq!((answer.sequence, departed.sequence), (sequence, sequence));
            assert!(sent <= departed.at && departed.at <= kernel && kernel <= answer.received);
        }
        assert_eq!(udp_peer.receive(ReadMode::NonBlocking), PeerEvent::Nothing);
    }

    #[test]
    fn a_closed_port_is_told_and_a_stranger_is_passed_over() {
        let far = Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = far.local().unwrap();
        let mut udp_peer = udp_peer(address);
        let mut far = far;
        far.send_to(udp_peer.datagrams.local().unwrap(), b"?").unwrap();
        assert_eq!(udp_peer.receive(ReadMode::Blocking), PeerEvent::Unrelated);
        drop(far);
        udp_peer.send(Request { sequence: 0, intended: Time::ZERO, octets: 8 }).unwrap();
        assert_eq!(udp_peer.receive(ReadMode::Blocking), PeerEvent::Error(NetworkError::PortClosed));
    }
}
