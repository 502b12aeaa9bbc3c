//! Control requests to an agent: drives their machines over a socket until each has a result.

use sojourn_core::{Duration, Machine};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{OpenError, Opening, Request, RequestError, Session};
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Limits, Packet, PhaseReport, Report};

use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::key::random_bytes;

/// Longest wait on the socket.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why a session could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The agent refused, or did not respond.
    #[error("{0}")]
    Agent(OpenError),
    /// The network returned an error.
    #[error("{0}")]
    Network(NetworkError),
    /// The operating system returned no random numbers.
    #[error("the operating system returned no random numbers")]
    NoRandomness,
}

/// Opens a session from a socket to an agent.
pub fn open(datagrams: &mut Datagrams, key: &Key, wanted: Limits) -> Result<Session, SessionError> {
    let nonce = random_bytes().map_err(|_| SessionError::NoRandomness)?;
    let mut opening = Opening::new(key.clone(), nonce, wanted);
    let write = |packet: &Packet, bytes: &mut Vec<u8>| packet.emit(key, CONTROL_LENGTH, bytes);
    let error = drive(&mut opening, datagrams, write, |bytes| Some(Packet::parse(key, bytes)));
    match (opening.outcome(), error) {
        (Some(Ok(session)), _) => Ok(session),
        (Some(Err(OpenError::NoResponse { .. })), Some(error)) => Err(SessionError::Network(error)),
        (Some(Err(failure)), _) => Err(SessionError::Agent(failure)),
        (None, error) => Err(SessionError::Network(error.unwrap_or(NetworkError::Unreachable))),
    }
}

/// Sends a request within a session; returns the agent's report.
pub fn ask(mut request: Request, session: &Session, datagrams: &mut Datagrams) -> Result<Report, RequestError> {
    let write = |packet: &Packet, bytes: &mut Vec<u8>| session.encode_packet(packet, bytes);
    drive(&mut request, datagrams, write, |bytes| session.decode(bytes).ok());
    request.outcome().unwrap_or(Err(RequestError::NoResponse))
}

/// Requests the agent's counters of a phase.
pub fn ask_phase(
    mut request: Request,
    session: &Session,
    datagrams: &mut Datagrams,
) -> Result<PhaseReport, RequestError> {
    let write = |packet: &Packet, bytes: &mut Vec<u8>| session.encode_packet(packet, bytes);
    drive(&mut request, datagrams, write, |bytes| session.decode(bytes).ok());
    request.phase_outcome().unwrap_or(Err(RequestError::NoResponse))
}

/// Drives a machine until it has nothing to wait for; returns the last network error.
fn drive<M: Machine<Output = Packet>>(
    machine: &mut M,
    datagrams: &mut Datagrams,
    write: impl Fn(&Packet, &mut Vec<u8>),
    read: impl Fn(&[u8]) -> Option<M::Input>,
) -> Option<NetworkError> {
    let clock = datagrams.clock();
    let (mut incoming, mut outgoing) = (vec![0; LARGEST_DATAGRAM], Vec::new());
    let mut error = None;
    while let Some(wake) = machine.next_wakeup() {
        let now = clock.now();
        if wake <= now {
            machine.wake(now);
        }
        while let Some(packet) = machine.poll_output() {
            write(&packet, &mut outgoing);
            error = datagrams.send(&outgoing).err().or(error);
        }
        if machine.next_wakeup().is_none() {
            break;
        }
        while datagrams.poll_tx_timestamp().is_some() {}
        datagrams.wait_for(POLL_INTERVAL);
        loop {
            match datagrams.receive(ReadMode::NonBlocking, &mut incoming) {
                Received::Datagram(_, bytes) => {
                    if let Some(input) = read(bytes) {
                        machine.handle(clock.now(), input);
                    }
                }
                Received::Notice(notice) => error = Some(notice),
                Received::Nothing => break,
            }
        }
    }
    error
}
