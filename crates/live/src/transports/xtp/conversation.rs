//! An association opened by this end, for an [`Application`], from FIRST to its end.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use sojourn_core::{Duration, Time};
use sojourn_protocols::xtp::machine::{Cast, Configuration, ContextId, Input, Output, Reason};
use sojourn_protocols::xtp::wire::Address;

use super::translator::{Counts, LiveInput, LiveMachine, LiveOutput, Translator};
use crate::io::drive::{AppPoll, Handler};
use crate::io::link::Peer;
use crate::io::network_error::NetworkError;
use crate::progress::watch::Watch;

/// Timeout for the end of an association once its application is done.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The application at this end.
pub trait Application {
    /// The next data to send, and whether it ends a message. Called whenever there is room.
    fn write(&mut self, now: Time, established: bool) -> Option<(Bytes, bool)>;

    /// Takes data from the peer.
    fn take(&mut self, now: Time, data: &[u8], end_of_message: bool);

    /// Whether it has sent and received everything.
    fn is_done(&self) -> bool;
}

/// How an association ended before its application was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Association(Reason),
    Network(NetworkError),
    Endpoint(sojourn_protocols::xtp::machine::Refusal),
}

/// An association and its application.
pub struct InitiatorHandler<'a, U> {
    /// The application that writes and reads.
    pub user: U,
    peer: Peer,
    address: Address,
    configuration: Arc<Configuration>,
    watch: &'a Watch,
    translator: Translator,
    context: Option<ContextId>,
    begun: bool,
    established: bool,
    /// The last write to the endpoint, in case it is refused.
    last_write: Option<(Bytes, bool)>,
    /// The write that the endpoint refused.
    unsent: Option<(Bytes, bool)>,
    has_room: bool,
    closing_since: Option<Time>,
    end: Option<End>,
}

impl<'a, U: Application> InitiatorHandler<'a, U> {
    /// An association with a service of a peer, opened at the first poll.
    pub fn new(
        user: U,
        peer: Peer,
        address: Address,
        configuration: Arc<Configuration>,
        watch: &'a Watch,
    ) -> InitiatorHandler<'a, U> {
        InitiatorHandler {
            user,
            peer,
            address,
            configuration,
            watch,
            translator: Translator::default(),
            context: None,
            begun: false,
            established: false,
            last_write: None,
            unsent: None,
            has_room: true,
            closing_since: None,
            end: None,
        }
    }

    /// Packet counts of this end.
    pub fn counts(&self) -> Counts {
        self.translator.counts
    }

    /// Why the application is not done; `None` when it is, or was cancelled.
    pub fn failure(&self) -> Option<String> {
        if self.user.is_done() {
            return None;
        }
        let peer = self.peer_name();
        Some(match self.end? {
            End::Network(refusal) if self.established => format!("{peer} became unreachable: {refusal}"),
            End::Network(refusal) => format!("cannot reach {peer}: {refusal}"),
            End::Association(Reason::PeerUnresponsive) => self.silence(&peer),
            End::Association(Reason::Diagnosed(code, value)) => {
                format!("{peer} refuses the association: {code:?}, {value:?} (XTP DIAG)")
            }
            End::Association(reason) => format!("the association with {peer} ended early: {reason}"),
            End::Endpoint(refusal) => format!("the association with {peer} cannot be opened: {refusal}"),
        })
    }

    fn silence(&self, peer: &str) -> String {
        let Counts { received, unintelligible, .. } = self.counts();
        match self.translator.first_fault {
            Some(fault) if received == 0 => {
                format!(
                    "{peer} does not speak XTP: {unintelligible} datagrams received, the first with the error: {fault}"
                )
            }
            _ if received == 0 => format!("{peer} does not respond"),
            _ => format!("{peer} stopped responding"),
        }
    }

    /// The peer's address as a user writes it.
    pub fn peer_name(&self) -> String {
        peer_name(self.peer.address)
    }

    fn open(&self) -> LiveInput {
        Input::Open {
            reference: 0,
            to: self.peer,
            address: self.address,
            cast: Cast::Unicast,
            configuration: self.configuration.clone(),
            data: None,
        }
    }

    /// Passes the next write to the endpoint, if there is one and the last was accepted; true if it did.
    fn write(&mut self, now: Time, context: ContextId, endpoint: &mut impl LiveMachine) -> bool {
        if !self.has_room {
            return false;
        }
        let next = self.unsent.take().or_else(|| self.user.write(now, self.established));
        let Some((data, end_of_message)) = next else { return false };
        self.last_write = Some((data.clone(), end_of_message));
        endpoint.handle(now, Input::Write { context, data, end_of_message });
        true
    }

    fn close(&mut self, now: Time, context: ContextId, endpoint: &mut impl LiveMachine) -> AppPoll {
        let since = *self.closing_since.get_or_insert_with(|| {
            endpoint.handle(now, Input::Close { context });
            now
        });
        if now.since(since) > CLOSE_TIMEOUT { AppPoll::Done } else { AppPoll::Wait(since + CLOSE_TIMEOUT) }
    }

    fn refuse(&mut self, refusal: sojourn_protocols::xtp::machine::Refusal) {
        if refusal == sojourn_protocols::xtp::machine::Refusal::BufferFull {
            self.has_room = false;
            self.unsent = self.last_write.take();
        } else if self.closing_since.is_none() {
            self.end.get_or_insert(End::Endpoint(refusal));
        }
    }
}

impl<U: Application, M: LiveMachine> Handler<M> for InitiatorHandler<'_, U> {
    fn decode(&mut self, _now: Time, from: Peer, datagram: &[u8]) -> Option<LiveInput> {
        self.translator.read(from, datagram)
    }

    fn encode(&mut self, now: Time, output: LiveOutput, datagram: &mut Vec<u8>) -> Option<Peer> {
        match output {
            Output::Transmit { to, packet, purpose } => {
                return self.translator.write(&packet, purpose, datagram).then_some(to);
            }
            Output::Opened { context, .. } => self.context = Some(context),
            Output::Established { .. } => self.established = true,
            Output::Deliver { data, end_of_message, .. } => self.user.take(now, &data, end_of_message),
            Output::Writable { .. } => self.has_room = true,
            Output::Refused { refusal, .. } => self.refuse(refusal),
            Output::Closed { reason, .. } => {
                self.end.get_or_insert(End::Association(reason));
            }
            Output::Report { event, .. } => self.translator.note(event),
            Output::EndOfStream { .. } | Output::Accepted { .. } => {}
        }
        None
    }

    fn notice(&mut self, _now: Time, refusal: NetworkError) -> Option<LiveInput> {
        self.end.get_or_insert(End::Network(refusal));
        None
    }

    fn poll_app(&mut self, now: Time, endpoint: &mut M) -> AppPoll {
        if !std::mem::replace(&mut self.begun, true) {
            endpoint.handle(now, self.open());
            return AppPoll::Wait(now);
        }
        let Some(context) = self.context.filter(|_| self.end.is_none()) else { return AppPoll::Done };
        if self.watch.is_cancelled() {
            endpoint.handle(now, Input::Abort { context });
            return AppPoll::Done;
        }
        if self.user.is_done() {
            return self.close(now, context, endpoint);
        }
        if self.write(now, context, endpoint) { AppPoll::Wait(now) } else { AppPoll::Wait(Time::NEVER) }
    }
}

/// An address as a user writes it, without a port for raw IP.
pub fn peer_name(peer: SocketAddr) -> String {
    if peer.port() == 0 { peer.ip().to_string() } else { peer.to_string() }
}
