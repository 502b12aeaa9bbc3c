//! An association served by a listener.

use std::collections::VecDeque;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use sojourn_core::Time;
use sojourn_protocols::xtp::machine::{ContextId, Input, Reason};

use super::payload::Receipt;
use super::translator::LiveInput;
use super::{ECHO_PORT, conversation::peer_name};
use crate::io::link::Peer;
use crate::progress::report::Report;

/// Responses queued at most; a peer that only sends requests is disconnected beyond.
const MOST_WAITING: usize = 65_536;

/// An association and its state.
#[derive(Debug)]
pub struct Association {
    context: ContextId,
    peer: Peer,
    port: u16,
    began: Option<Time>,
    ended: Time,
    /// Bytes and messages in total.
    bytes: u64,
    messages: u64,
    /// Of the current message.
    hash: Sha256,
    length: u64,
    /// Writes not yet accepted by the endpoint.
    outbox: VecDeque<(Bytes, bool)>,
    last_write: Option<(Bytes, bool)>,
    has_room: bool,
    /// The peer sends no more.
    peer_is_done: bool,
    closing: bool,
    receipt: Option<Receipt>,
    retransmissions: u64,
}

impl Association {
    /// An association opened by a peer to one of the two ports.
    pub fn new(context: ContextId, peer: Peer, port: u16, now: Time) -> Association {
        Association {
            context,
            peer,
            port,
            began: None,
            ended: now,
            bytes: 0,
            messages: 0,
            hash: Sha256::new(),
            length: 0,
            outbox: VecDeque::new(),
            last_write: None,
            has_room: true,
            peer_is_done: false,
            closing: false,
            receipt: None,
            retransmissions: 0,
        }
    }

    /// Takes delivered data: the echo returns it, the sink hashes it.
    pub fn take(&mut self, now: Time, data: Bytes, end_of_message: bool) {
        self.began.get_or_insert(now);
        self.ended = now;
        self.bytes += data.len() as u64;
        self.messages += u64::from(end_of_message);
        if self.port == ECHO_PORT {
            self.outbox.push_back((data, end_of_message));
            return;
        }
        self.hash.update(&data);
        self.length += data.len() as u64;
        if end_of_message {
            let receipt = Receipt { length: self.length, digest: self.hash.finalize_reset().into() };
            self.outbox.push_back((receipt.to_bytes(), true));
            self.receipt = Some(receipt);
            self.length = 0;
        }
    }

    /// The peer sends no more.
    pub fn end_of_stream(&mut self) {
        self.peer_is_done = true;
    }

    /// The endpoint had no room for the last write.
    pub fn put_back(&mut self) {
        self.has_room = false;
        if let Some(refused) = self.last_write.take() {
            self.outbox.push_front(refused);
        }
    }

    /// The endpoint has room again.
    pub fn room(&mut self) {
        self.has_room = true;
    }

    /// Whether the association is with this host.
    pub fn is_with(&self, peer: Peer) -> bool {
        self.peer == peer
    }

    /// A data packet was retransmitted.
    pub fn retransmitted(&mut self) {
        self.retransmissions += 1;
    }

    /// The next request to the endpoint; a refused write must be returned by [`put_back`](Association::put_back) before.
    pub fn next_request(&mut self) -> Option<LiveInput> {
        let context = self.context;
        if self.outbox.len() > MOST_WAITING {
            self.outbox.clear();
            return Some(Input::Abort { context });
        }
        if !self.has_room {
            return None;
        }
        if let Some((data, end_of_message)) = self.outbox.pop_front() {
            self.last_write = Some((data.clone(), end_of_message));
            return Some(Input::Write { context, data, end_of_message });
        }
        (self.peer_is_done && !std::mem::replace(&mut self.closing, true)).then_some(Input::Close { context })
    }

    /// Bytes consumed by the echo with a write of this length.
    pub fn consumes(&self, written: &LiveInput) -> Option<LiveInput> {
        match written {
            Input::Write { data, .. } if self.port == ECHO_PORT => {
                Some(Input::Consumed { context: self.context, bytes: data.len() as u64 })
            }
            _ => None,
        }
    }

    /// The report of an ended association.
    pub fn report(&self, reason: Reason) -> Report {
        let seconds = self.began.map_or(0.0, |began| self.ended.since(began).seconds());
        let complete = reason == Reason::Finished && self.length == 0;
        Report {
            kind: if self.port == ECHO_PORT { "exchanges" } else { "transfer" },
            peer: peer_name(self.peer.address),
            bytes: self.bytes,
            messages: self.messages,
            seconds,
            bit_rate: if seconds > 0.0 { self.bytes as f64 * 8.0 / seconds } else { 0.0 },
            retransmissions: self.retransmissions,
            injected_drops: 0,
            sha256: self.receipt.map(|receipt| receipt.hexadecimal()),
            ended: if complete { "complete".to_owned() } else { reason.to_string() },
            well: complete,
            ..Report::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr, SocketAddr};
    use std::sync::Arc;

    use sojourn_core::Machine;
    use sojourn_protocols::xtp::machine::{Cast, Configuration, Endpoint, Output};
    use sojourn_protocols::xtp::wire::Address;

    use super::*;
    use crate::transports::xtp::SINK_PORT;
    use crate::transports::xtp::translator::LiveEndpoint;

    const PEER: Peer = Peer { address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 36_000), local: None };

    /// Some context; only an endpoint can name one.
    fn context() -> ContextId {
        let mut endpoint: LiveEndpoint = Endpoint::new(Default::default());
        let (address, configuration) = (Address::NULL, Arc::new(Configuration::default()));
        let open = Input::Open { reference: 0, to: PEER, address, cast: Cast::Unicast, configuration, data: None };
        endpoint.handle(Time::ZERO, open);
        let opened = std::iter::from_fn(|| endpoint.poll_output()).find_map(|output| match output {
            Output::Opened { context, .. } => Some(context),
            _ => None,
        });
        opened.unwrap()
    }

    #[test]
    fn responses_keep_their_order_when_the_endpoint_is_full() {
        let mut association = Association::new(context(), PEER, ECHO_PORT, Time::ZERO);
        association.take(Time::ZERO, Bytes::from_static(b"one"), false);
        association.take(Time::ZERO, Bytes::from_static(b"two"), true);
        assert!(association.next_request().is_some());
        association.put_back();
        assert!(association.next_request().is_none(), "it waits for room");
        association.room();
        let written = std::iter::from_fn(|| association.next_request()).map(|request| match request {
            Input::Write { data, end_of_message, .. } => (data, end_of_message),
            other => panic!("{other:?}"),
        });
        assert_eq!(written.collect::<Vec<_>>(), [("one".into(), false), ("two".into(), true)]);
    }

    #[test]
    fn a_peer_that_sends_requests_and_reads_no_response_is_disconnected() {
        let mut association = Association::new(context(), PEER, SINK_PORT, Time::ZERO);
        association.put_back();
        for _ in 0..=MOST_WAITING {
            assert!(association.next_request().is_none());
            association.take(Time::ZERO, Bytes::from_static(b"?"), true);
        }
        assert!(matches!(association.next_request(), Some(Input::Abort { .. })));
        assert!(association.next_request().is_none());
    }
}
