//! TCP connections as a capture shows them (RFC 9293).
//!
//! | part | concern |
//! |---|---|
//! | `connection.rs` | handshake, windows, requests and answers |
//! | `side.rs` | sequence numbers of one side, their acknowledgement, round-trip times |
//! | `loss.rs` | kinds of retransmissions |
//! | `exchange.rs`, `messages.rs` | requests and answers: in turns, or by identifiers in messages of a stream |
//! | `pool.rs`, `rtt.rs`, `sequence.rs` | segments in flight, SRTT, arithmetic of sequence numbers |
//!
//! Round-trip times are measured from the capture point to the receiver and back; next to the sender, that is the RTT
//! of the path. A retransmission is classified by what the capture point has seen before it: spurious ones are exact,
//! since the receiver reports them; where only timing distinguishes an expired RTO from a tail loss probe, the
//! classification is an estimate.

mod connection;
mod exchange;
mod loss;
mod messages;
mod pool;
mod rtt;
pub mod sequence;
mod side;

pub use connection::Captured;
use connection::Connection;
use pool::{Pool, SEGMENTS};
use sojourn_core::Time;

use super::endpoints::{Endpoint, Pair};
use super::requests::Requests;
use super::roles::Servers;
use crate::open_table::OpenTable;
use crate::{FlowId, Sink};

/// Connections followed at the same time; beyond it the one that was silent longest is reported and counted as evicted.
pub const CONNECTIONS: usize = 32_768;

/// All connections of a capture.
#[derive(Debug)]
pub struct Connections {
    open: OpenTable<Pair, Connection>,
    pool: Pool,
    servers: Servers,
}

impl Default for Connections {
    fn default() -> Self {
        Connections::new(Servers::default())
    }
}

impl Connections {
    /// None yet, where `servers` finds who serves.
    pub fn new(servers: Servers) -> Connections {
        Connections { open: OpenTable::new(CONNECTIONS), pool: Pool::new(SEGMENTS), servers }
    }

    /// A segment was captured; returns its flow and the client's end.
    pub fn segment(&mut self, captured: &Captured<'_>, requests: &mut Requests, out: &mut Sink) -> (FlowId, Endpoint) {
        let pair = Pair::of(captured.from, captured.to);
        match self.open.use_entry(&pair) {
            Some(known) if known.is_succeeded_by(captured) => {
                known.finish(captured.time, &mut self.pool, requests, out);
                *known = Connection::new(captured, &self.servers, out);
            }
            Some(_) => {}
            None => {
                let evicted = self.open.insert(pair, Connection::new(captured, &self.servers, out));
                if let Some((_, mut silent)) = evicted {
                    if !silent.is_closed() {
                        out.count(silent.flow(), "evicted", 1);
                    }
                    silent.finish(captured.time, &mut self.pool, requests, out);
                }
            }
        }
        let Some(connection) = self.open.get_mut(&pair) else { return (FlowId::REST, captured.from) };
        connection.segment(captured, &self.servers, &mut self.pool, requests, out);
        (connection.flow(), connection.client())
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time, requests: &mut Requests, out: &mut Sink) {
        while let Some((_, mut connection)) = self.open.remove_oldest() {
            connection.finish(end, &mut self.pool, requests, out);
        }
    }
}
