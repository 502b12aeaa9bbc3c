//! A peer over UDP, generic over the probe format.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use super::peer::{Peer, PeerCounts, PeerEvent, PeerTimes, PeerWallClock, Rebinding, Request, Response, TxTimestamp};
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};

/// Control packets whose transmit timestamps are awaited at most; where the kernel takes none, none arrives.
const MAX_CONTROLS: usize = 16;

/// Encodes requests and decodes responses.
pub trait ProbeFormat {
    /// Encodes a request to the empty `datagram`, of the requested length but at least [`ProbeFormat::min_octets`]. `leaves`
    /// is its departure on the measurement's clock.
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>);

    /// Decodes a response to its request's sequence number and the peer's timestamps; `None` if it is not a response.
    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)>;

    /// Smallest request, in octets.
    fn min_octets(&self) -> u32;

    /// A phase has ended: request `next` belongs to another.
    fn phase_over(&mut self, _next: u64) {}

    /// Asks the peer what it counted of these requests, all of one phase; `None` if it does not count them.
    fn counts(&mut self, _requests: Range<u64>, _datagrams: &mut Datagrams) -> Option<PeerCounts> {
        None
    }

    /// The same without waiting, while other requests are in flight: `None` until the answer is known; replaces the empty
    /// `datagram` by a control packet that is due. The answer arrives as a control packet.
    fn poll_counts(
        &mut self,
        _requests: Range<u64>,
        _now: Time,
        _datagram: &mut Vec<u8>,
    ) -> Option<Option<PeerCounts>> {
        Some(None)
    }

    /// Nothing will be asked of requests before a sequence number any more.
    fn forget(&mut self, _before: u64) {}

    /// Replaces `datagram` by a request for what the peer has counted of the phase so far; false if it does not count.
    fn write_count_request(&mut self, _now: Time, _datagram: &mut Vec<u8>) -> bool {
        false
    }

    /// What came of that: index of the phase, when it was asked, and what the peer had counted of the requests sent before.
    fn last_counts(&mut self) -> Option<(u32, Time, PeerCounts)> {
        None
    }

    /// Whether the peer's timestamps are wall-clock time.
    fn has_wall_clock(&self) -> bool {
        false
    }

    /// Asks the peer for its wall clock and its error; `None` if it states none, or has not yet.
    fn wall_clock(&mut self, _datagrams: &mut Datagrams) -> Option<PeerWallClock> {
        None
    }

    /// While the peer is silent: replaces `datagram` by a control packet that is due; false if none is.
    fn write_control(&mut self, _now: Time, _datagram: &mut Vec<u8>) -> bool {
        false
    }

    /// Reads a datagram that is not a response; true if it is a control packet of the peer. Requests that were encoded
    /// before are encoded again.
    fn read_control(&mut self, _now: Time, _datagram: &[u8]) -> bool {
        false
    }

    /// Whether the peer may have restarted.
    fn has_restarted(&self) -> bool {
        false
    }

    /// Other addresses or ports of this host that the peer has seen during the measurement.
    fn rebindings(&self) -> &[Rebinding] {
        &[]
    }

    /// Why the peer ended the measurement for good, if it did.
    fn ended(&self) -> Option<String> {
        None
    }
}

/// A peer on a connected UDP socket.
#[derive(Debug)]
pub struct UdpPeer<F> {
    /// Encodes requests and decodes responses.
    pub format: F,
    datagrams: Datagrams,
    clock: Clock,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// Sequence number of the request that `outgoing` holds.
    prepared: Option<u64>,
    /// Sequence number of the kernel's datagram number 0, while only requests are sent, in order.
    first_of_kernel: Option<u64>,
    /// The kernel's numbers of control packets whose transmit timestamps are not read yet.
    controls: VecDeque<u32>,
    /// The first request of each phase, and the socket's drops until then.
    phases: Vec<(u64, u32)>,
}

impl<F: ProbeFormat> UdpPeer<F> {
    /// Opens a socket connected to a peer.
    pub fn to(format: F, clock: Clock, peer: SocketAddr, marking: &Marking) -> io::Result<UdpPeer<F>> {
        Ok(UdpPeer::over(format, Datagrams::to(clock, peer, marking)?))
    }

    /// Uses a socket that is already connected.
    pub fn over(format: F, mut datagrams: Datagrams) -> UdpPeer<F> {
        datagrams.enable_icmp_errors();
        let clock = datagrams.clock();
        let incoming = vec![0; LARGEST_DATAGRAM];
        let (outgoing, prepared, first_of_kernel, controls) = (Vec::new(), None, None, VecDeque::new());
        let phases = vec![(0, datagrams.socket_drops())];
        UdpPeer { format, datagrams, clock, outgoing, incoming, prepared, first_of_kernel, controls, phases }
    }

    fn send_control(&mut self, control: &[u8]) {
        // an error shows in the requests as well
        let Ok(number) = self.datagrams.send(control) else { return };
        if self.controls.len() == MAX_CONTROLS {
            self.controls.pop_front();
        }
        self.controls.push_back(number);
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
                let class = self.datagrams.last_traffic_class();
                PeerEvent::Response(Response { sequence, received, kernel_received, far, class })
            }
            None if self.format.read_control(arrival.at, datagram) => {
                self.prepared = None;
                PeerEvent::Control
            }
            None => PeerEvent::Unrelated,
        }
    }

    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        loop {
            let (number, at) = self.datagrams.poll_tx_timestamp()?;
            if let Some(index) = self.controls.iter().position(|control| *control == number) {
                self.controls.remove(index);
                continue;
            }
            let first = self.first_of_kernel?;
            return Some(TxTimestamp { sequence: first.wrapping_add(number.into()), at });
        }
    }

    fn recover(&mut self, now: Time) {
        let mut control = Vec::new();
        if self.format.write_control(now, &mut control) {
            self.send_control(&control);
        }
    }

    fn ask_counts(&mut self, now: Time) {
        let mut control = Vec::new();
        if self.format.write_count_request(now, &mut control) {
            self.send_control(&control);
        }
    }

    fn last_counts(&mut self) -> Option<(u32, Time, PeerCounts)> {
        self.format.last_counts()
    }

    fn has_restarted(&self) -> bool {
        self.format.has_restarted()
    }

    fn rebindings(&self) -> &[Rebinding] {
        self.format.rebindings()
    }

    fn ended(&self) -> Option<String> {
        self.format.ended()
    }

    fn min_octets(&self) -> u32 {
        self.format.min_octets()
    }

    fn has_wall_clock(&self) -> bool {
        self.format.has_wall_clock()
    }

    fn wall_clock(&mut self) -> Option<PeerWallClock> {
        self.format.wall_clock(&mut self.datagrams)
    }

    fn phase_over(&mut self, next: u64) {
        self.phases.push((next, self.datagrams.socket_drops()));
        self.format.phase_over(next);
    }

    fn counts(&mut self, requests: Range<u64>) -> Option<PeerCounts> {
        self.format.counts(requests, &mut self.datagrams)
    }

    fn poll_counts(&mut self, requests: Range<u64>, now: Time) -> Option<Option<PeerCounts>> {
        let mut control = Vec::new();
        let counts = self.format.poll_counts(requests, now, &mut control);
        if !control.is_empty() {
            self.send_control(&control);
        }
        counts
    }

    fn forget(&mut self, before: u64) {
        let current = self.phases.iter().rposition(|(next, _)| *next <= before).unwrap_or(0);
        self.phases.drain(..current);
        self.format.forget(before);
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        let before = self.phases.iter().rfind(|(next, _)| *next <= requests.start);
        let over = self.phases.iter().find(|(next, _)| *next >= requests.end).map(|(next, _)| *next);
        // a drop shows with the next datagram, and the responses of a phase are waited for after its end
        let after = self.phases.iter().rfind(|(next, _)| Some(*next) == over);
        if let (Some((_, before)), Some((_, after))) = (before, after) {
            record.count("socket_drops/local", after.wrapping_sub(*before).into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_response_has_timestamps_in_causal_order() {
        let mut far = Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let mut udp_peer = udp_peer(far.local().unwrap());
        let mut complete = 0;
        for sequence in 0..20 {
            let sent = udp_peer.send(Request { sequence, intended: Time::ZERO, octets: 64 }).unwrap();
            far.wait_for(Duration::from_secs(5));
            let mut buffer = [0; 100];
            let Received::Datagram(arrival, bytes) = far.receive(ReadMode::NonBlocking, &mut buffer) else {
                panic!("it was sent")
            };
            assert_eq!(bytes.len(), 64);
            far.send_to(arrival.from, bytes).unwrap();
            let departed = udp_peer.poll_tx_timestamp().expect("the loopback takes transmit timestamps");
            let PeerEvent::Response(answer) = udp_peer.receive(ReadMode::Blocking) else { panic!("it was answered") };
            assert_eq!((answer.sequence, departed.sequence), (sequence, sequence));
            assert!(sent <= departed.at && departed.at <= answer.received);
            // a thread that is preempted while it reads the clocks discards the kernel's timestamp
            let Some(kernel) = answer.kernel_received else { continue };
            assert!(departed.at <= kernel && kernel <= answer.received);
            complete += 1;
        }
        assert!(complete > 0, "the loopback takes receive timestamps");
        assert_eq!(udp_peer.receive(ReadMode::NonBlocking), PeerEvent::Nothing);
    }

    #[test]
    fn a_closed_port_is_reported_and_an_unrelated_datagram_ignored() {
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
