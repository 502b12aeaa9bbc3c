//! A client that does one thing after the other.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use sojourn_core::{Machine, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{OpenError, Opening, Request, RequestError, Session};
use sojourn_protocols::probe::wire::{Limits, Packet, Pdu, Report};

use crate::waiting::{TIMEOUT, uninterrupted};

pub struct Client {
    pub socket: UdpSocket,
    pub session: Session,
    /// Load that came while something else was waited for, with the octets of each.
    pub loaded: Vec<(Packet, usize)>,
    clock: Instant,
    sent: u64,
}

/// How long an answer to a question is waited for before it may be asked again.
const ASK_AGAIN: Duration = Duration::from_millis(100);
/// How long it is listened where none is expected.
pub const SILENCE: Duration = Duration::from_millis(150);

impl Client {
    pub fn open(agent: SocketAddr, key: &[u8], wanted: Limits) -> Result<Client, OpenError> {
        Client::open_from(agent.ip(), agent, key, wanted)
    }

    /// Opens a session from an address of this host.
    pub fn open_from(own: IpAddr, agent: SocketAddr, key: &[u8], wanted: Limits) -> Result<Client, OpenError> {
        let socket = UdpSocket::bind(SocketAddr::new(own, 0)).unwrap();
        socket.connect(agent).unwrap();
        let (key, clock) = (Key::new(key), Instant::now());
        let mut opening = Opening::new(key.clone(), sojourn_live::key::random_bytes().unwrap(), wanted);
        let mut bytes = Vec::new();
        let session = loop {
            if let Some(outcome) = opening.outcome() {
                break outcome?;
            }
            opening.wake(now(clock));
            while let Some(packet) = opening.poll_output() {
                packet.emit(&key, 0, &mut bytes);
                let _ = socket.send(&bytes);
            }
            if let Some(datagram) = receive(&socket, ASK_AGAIN) {
                opening.handle(now(clock), Packet::parse(&key, &datagram));
            }
        };
        Ok(Client { socket, session, loaded: Vec::new(), clock, sent: 0 })
    }

    /// The next sequence number.
    pub fn next(&mut self) -> u64 {
        self.sent += 1;
        self.sent - 1
    }

    /// The datagram of a probe.
    pub fn probe(&mut self, octets: u16) -> Vec<u8> {
        let (sequence, mut bytes) = (self.next(), Vec::new());
        self.session.encode_probe(sequence, 0, 0, octets, &mut bytes);
        bytes
    }

    /// Sends a probe and waits for its reply.
    pub fn ping(&mut self, octets: u16) -> Option<Pdu> {
        let probe = self.probe(octets);
        self.socket.send(&probe).unwrap();
        let reply = receive(&self.socket, TIMEOUT)?;
        assert_eq!(reply.len(), probe.len(), "a reply is as long as its probe");
        let packet = self.session.decode(&reply).unwrap();
        assert_eq!(packet.sequence, self.sent - 1);
        Some(packet.pdu)
    }

    /// Sends a probe, and drops what arrives meanwhile.
    pub fn ping_under_load(&mut self, octets: u16) {
        let probe = self.probe(octets);
        self.socket.send(&probe).unwrap();
        while receive(&self.socket, Duration::from_millis(1)).is_some() {}
    }

    /// Sends probes until one is answered: the first may find no room among what others send.
    pub fn is_served(&mut self) -> bool {
        (0..100).any(|_| {
            let probe = self.probe(64);
            self.socket.send(&probe).unwrap();
            receive(&self.socket, 5 * ASK_AGAIN).is_some()
        })
    }

    pub fn load(&mut self, octets: u16) {
        let datagram = self.burst(1, octets);
        self.socket.send(&datagram).unwrap();
    }

    /// A GSO burst of this many datagrams of load.
    pub fn burst(&mut self, count: usize, octets: u16) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..count {
            let sequence = self.next();
            self.session.append_load(sequence, 0, octets, &mut bytes);
        }
        bytes
    }

    pub fn ask(&mut self) -> Result<Report, RequestError> {
        let request = self.session.query(now(self.clock));
        self.request(request)
    }

    pub fn close(mut self) -> Result<Report, RequestError> {
        let request = self.session.close(now(self.clock));
        self.request(request)
    }

    pub fn request(&mut self, mut request: Request) -> Result<Report, RequestError> {
        let mut bytes = Vec::new();
        loop {
            if let Some(outcome) = request.outcome() {
                return outcome;
            }
            request.wake(now(self.clock));
            while let Some(packet) = request.poll_output() {
                self.session.encode_packet(&packet, &mut bytes);
                self.socket.send(&bytes).unwrap();
            }
            let Some(bytes) = receive(&self.socket, ASK_AGAIN) else { continue };
            match self.session.decode(&bytes) {
                Ok(packet) if matches!(packet.pdu, Pdu::Load { .. }) => self.loaded.push((packet, bytes.len())),
                Ok(packet) => {
                    self.session.received(&packet);
                    request.handle(now(self.clock), packet);
                }
                Err(_) => {}
            }
        }
    }

    pub fn now(&self) -> Time {
        now(self.clock)
    }
}

/// The next datagram within a time.
pub fn receive(socket: &UdpSocket, within: Duration) -> Option<Vec<u8>> {
    let mut buffer = vec![0; 65_536];
    socket.set_read_timeout(Some(within)).unwrap();
    match uninterrupted(|| socket.recv(&mut buffer)) {
        Ok(length) => {
            buffer.truncate(length);
            Some(buffer)
        }
        Err(fault) if matches!(fault.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
        // no socket listens there
        Err(fault) if fault.kind() == ErrorKind::ConnectionRefused => {
            std::thread::sleep(within);
            None
        }
        Err(fault) => panic!("{fault}"),
    }
}

fn now(clock: Instant) -> Time {
    Time::from_picoseconds(clock.elapsed().as_nanos() as u64 * 1000)
}
