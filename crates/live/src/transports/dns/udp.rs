//! DNS over UDP: queries from one socket, each with a random transaction ID of its own.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use super::question::{Answer, Question};
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking, ReadMode};
use crate::io::network_error::{NetworkError, ServiceError};
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::key::random_bytes;
use crate::prober::failures::Failures;
use crate::prober::peer::{Peer, PeerEvent, Request, Response, TxTimestamp};

/// Queries outstanding at most: a quarter of the transaction IDs, so that a free one is found soon.
const MAX_OUTSTANDING: usize = 1 << 14;
/// How long after its timeout a query is kept, so that a late response is recognized.
const KEPT: Duration = Duration::from_secs(10);

/// A DNS server on a connected UDP socket.
#[derive(Debug)]
pub struct UdpServer {
    question: Question,
    datagrams: Datagrams,
    timeout: Duration,
    queries: Queries,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    first_of_kernel: u64,
    failures: Failures,
}

impl UdpServer {
    /// Opens a socket connected to a server.
    pub fn to(
        server: SocketAddr,
        question: Question,
        clock: Clock,
        marking: &Marking,
        timeout: Duration,
    ) -> io::Result<UdpServer> {
        let mut datagrams = Datagrams::to(clock, server, marking)?;
        datagrams.enable_icmp_errors();
        Ok(UdpServer {
            question,
            datagrams,
            timeout,
            queries: Queries::default(),
            outgoing: Vec::new(),
            incoming: vec![0; LARGEST_DATAGRAM],
            first_of_kernel: 0,
            failures: Failures::default(),
        })
    }

    fn event(&mut self, Answer { id, outcome }: Answer, received: Time, kernel_received: Option<Time>) -> PeerEvent {
        let Some((Query { sequence, sent, .. }, is_first)) = self.queries.answered(id) else {
            return PeerEvent::Unrelated;
        };
        match outcome {
            Ok(()) => {
                let class = self.datagrams.last_traffic_class();
                PeerEvent::Response(Response { sequence, received, kernel_received, far: None, class })
            }
            Err(error) if is_first => {
                self.failures.add(sequence, error, Some(received.since(sent)));
                PeerEvent::Failure(sequence, NetworkError::Service(error))
            }
            Err(_) => PeerEvent::Control,
        }
    }
}

impl Peer for UdpServer {
    type Socket = Datagrams;

    fn socket(&mut self) -> &mut Datagrams {
        &mut self.datagrams
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        let before = self.datagrams.clock().now();
        let Some(id) = self.queries.asked(request.sequence, before, self.timeout) else {
            self.failures.add(request.sequence, ServiceError::NotSent, None);
            return Err(NetworkError::Service(ServiceError::NotSent));
        };
        self.outgoing.clear();
        self.question.write(id, &mut self.outgoing);
        let before = self.datagrams.clock().now();
        let number = self.datagrams.send(&self.outgoing)?;
        self.first_of_kernel = request.sequence.wrapping_sub(number.into());
        Ok(before)
    }

    fn receive(&mut self, reading: ReadMode) -> PeerEvent {
        let (arrival, message) = match self.datagrams.receive(reading, &mut self.incoming) {
            Received::Datagram(arrival, message) => (arrival, message),
            Received::Notice(error) => return PeerEvent::Error(error),
            Received::Nothing => return PeerEvent::Nothing,
        };
        match self.question.read(message) {
            Some(answer) => self.event(answer, arrival.at, arrival.kernel_at),
            None => PeerEvent::Unrelated,
        }
    }

    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        let (number, at) = self.datagrams.poll_tx_timestamp()?;
        Some(TxTimestamp { sequence: self.first_of_kernel.wrapping_add(number.into()), at })
    }

    fn min_octets(&self) -> u32 {
        0
    }

    /// A resolver answers as it finds the answers.
    fn responds_in_order(&self) -> bool {
        false
    }

    fn forget(&mut self, before: u64) {
        self.failures.forget(before);
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        self.failures.record_metrics(requests, record);
    }
}

/// A query that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Query {
    sequence: u64,
    sent: Time,
    /// Whether a response has arrived.
    is_answered: bool,
}

/// Queries by their transaction ID.
#[derive(Debug, Default)]
struct Queries {
    by_id: BTreeMap<u16, Query>,
    /// In the order in which they were sent.
    order: VecDeque<(Time, u16)>,
}

impl Queries {
    /// A query is to be sent: its transaction ID, which cannot be predicted; `None` beyond the number that may be
    /// outstanding.
    fn asked(&mut self, sequence: u64, now: Time, timeout: Duration) -> Option<u16> {
        while let Some((sent, id)) = self.order.front() {
            let kept = if self.order.len() < MAX_OUTSTANDING { timeout + KEPT } else { timeout };
            if now.since(*sent) <= kept {
                break;
            }
            self.by_id.remove(id);
            self.order.pop_front();
        }
        if self.order.len() >= MAX_OUTSTANDING {
            return None;
        }
        loop {
            let id = u16::from_be_bytes(random_bytes().ok()?);
            if let std::collections::btree_map::Entry::Vacant(free) = self.by_id.entry(id) {
                free.insert(Query { sequence, sent: now, is_answered: false });
                self.order.push_back((now, id));
                return Some(id);
            }
        }
    }

    /// A response arrived: its query, and whether it is the first.
    fn answered(&mut self, id: u16) -> Option<(Query, bool)> {
        let query = self.by_id.get_mut(&id)?;
        let is_first = !std::mem::replace(&mut query.is_answered, true);
        Some((*query, is_first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(2);

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    /// Sequence number of the query that a response belongs to, and whether it is the first.
    fn answered(queries: &mut Queries, id: u16) -> Option<(u64, bool)> {
        queries.answered(id).map(|(query, is_first)| (query.sequence, is_first))
    }

    #[test]
    fn a_response_is_recognized_by_its_id_once_as_the_first() {
        let mut queries = Queries::default();
        let ids: Vec<u16> = (0..100).map(|sequence| queries.asked(sequence, at(0), TIMEOUT).unwrap()).collect();
        assert_eq!(answered(&mut queries, ids[42]), Some((42, true)));
        assert_eq!(answered(&mut queries, ids[42]), Some((42, false)));
        let unknown = (0..=u16::MAX).find(|id| !ids.contains(id)).unwrap();
        assert_eq!(answered(&mut queries, unknown), None);
        assert!(!ids.is_sorted(), "transaction IDs are random");
    }

    #[test]
    fn an_id_is_free_again_some_time_after_the_timeout() {
        let mut queries = Queries::default();
        let id = queries.asked(0, at(0), TIMEOUT).unwrap();
        queries.asked(1, at(12), TIMEOUT);
        assert_eq!(answered(&mut queries, id), Some((0, true)), "a late response is not a stranger's");
        queries.asked(2, at(13), TIMEOUT);
        assert_eq!(answered(&mut queries, id).filter(|(sequence, _)| *sequence == 0), None);
    }

    #[test]
    fn beyond_its_limit_nothing_is_sent_until_queries_time_out() {
        let mut queries = Queries::default();
        for sequence in 0..MAX_OUTSTANDING as u64 {
            assert!(queries.asked(sequence, at(0), TIMEOUT).is_some());
        }
        assert_eq!(queries.asked(0, at(1), TIMEOUT), None);
        assert!(queries.asked(0, at(3), TIMEOUT).is_some());
    }
}
