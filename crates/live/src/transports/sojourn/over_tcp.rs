//! Requests over a TCP connection, and their session, whose control packets use UDP.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sojourn_core::Time;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{RequestError, Session};
use sojourn_protocols::probe::wire::{Limits, Reason};

use super::connection::for_requests;
use super::control::{ask_phase, open};
use super::diagnosis::explain_tcp;
use super::format::{Probes, wall_clock};
use super::load::AgentLoad;
use crate::io::clock::Clock;
use crate::io::datagrams::Datagrams;
use crate::prober::measurement::Measurement as Timed;
use crate::prober::peer::{PeerTimes, PeerWallClock, Request};
use crate::prober::plan::TimedTest;
use crate::prober::tcp_peer::{StreamFormat, TcpPeer};
use crate::prober::udp_peer::ProbeFormat;
use crate::progress::watch::Watch;
use crate::transport::Measured;

/// A session and its socket.
#[derive(Debug)]
pub struct Control {
    /// The socket that it was opened from.
    pub datagrams: Datagrams,
    /// The session.
    pub session: Session,
    /// Why the agent closed it, once it did.
    pub ended: Option<Reason>,
}

/// Measures over a TCP connection. Where it ends in an outage, a session is opened again for another. Also returns the last
/// session.
pub fn run(
    control: Control,
    peer: SocketAddr,
    key: Key,
    clock: Clock,
    plan: &TimedTest,
    watch: &Watch,
) -> (Measured, Arc<Mutex<Control>>) {
    let (marking, first, load_key) = (plan.marking, AtomicBool::new(true), key.clone());
    let control = Arc::new(Mutex::new(control));
    let shared = control.clone();
    // it is locked only for moments: an attempt to connect may outlive the measurement
    let connect = move || {
        if !first.swap(false, Ordering::Relaxed) {
            let mut datagrams = Datagrams::to(clock, peer, &marking)?;
            let session = open(&mut datagrams, &key, Limits::NONE).map_err(io::Error::other)?;
            *locked(&shared) = Control { datagrams, session, ended: None };
        }
        let mut session = locked(&shared).session.clone();
        let connection = for_requests(peer, &marking, &key, &mut session)?;
        locked(&shared).session = session.clone();
        Ok((connection, TcpProbes { probes: Probes::new(session), control: shared.clone() }))
    };
    let measured = match TcpPeer::open(clock, Arc::new(connect)) {
        Ok(mut tcp_peer) => {
            let name = format!("{peer} over TCP");
            // after the connection for requests, whose number is taken
            let session = locked(&control).session.clone();
            let mut loader = AgentLoad::new(peer, load_key, plan, session);
            let timed = Timed { name, peer: &mut tcp_peer, loader: &mut loader, clock, plan, watch };
            let measured = timed.run();
            // a broken connection is closed as well
            let _ = tcp_peer.end();
            measured
        }
        Err(fault) => Measured::failed(plan.phases[0].name, explain_tcp(&fault, peer)),
    };
    (measured, control)
}

/// The control of a session, of which every state is whole.
pub fn locked(control: &Mutex<Control>) -> MutexGuard<'_, Control> {
    control.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Probes of a connection.
#[derive(Debug)]
struct TcpProbes {
    probes: Probes,
    control: Arc<Mutex<Control>>,
}

impl ProbeFormat for TcpProbes {
    fn write(&mut self, request: Request, leaves: Time, datagram: &mut Vec<u8>) {
        self.probes.write(request, leaves, datagram);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        self.probes.read(datagram)
    }

    fn min_octets(&self) -> u32 {
        self.probes.min_octets()
    }
}

impl StreamFormat for TcpProbes {
    fn wall_clock(&mut self) -> Option<PeerWallClock> {
        let mut control = locked(&self.control);
        let Control { datagrams, session, ended } = &mut *control;
        let request = session.query_phase(0, datagrams.clock().now());
        match ask_phase(request, session, datagrams) {
            Ok(report) => Some(wall_clock(report)),
            Err(fault) => {
                // the packet that says so is not sent again
                if let RequestError::Ended { reason, .. } = fault {
                    *ended = Some(reason);
                }
                None
            }
        }
    }
}
