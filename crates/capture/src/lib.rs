//! Reads captures of real networks and reduces them to transactions.
//!
//! A [`reader`] merges capture files into [`Packet`]s in time order. The [`Tracker`] of each protocol follows
//! transactions and reports them to a [`Sink`], which tallies them per flow.
//!
//! Capture timestamps have nanosecond resolution at best; they are converted to picoseconds since the first packet.

pub mod analysis;
pub mod arrivals;
mod atm;
pub mod ax25;
pub mod can;
pub mod connection;
mod fddi;
mod flows;
pub mod fuzz;
pub mod ip;
pub mod lontalk;
pub mod modbus_rtu;
pub mod mstp;
mod names;
mod net_rom;
mod open_table;
mod packet;
pub mod reader;
mod record;
mod rose;
pub mod series;
mod sink;
mod slowest;
pub mod stations;
pub mod tally;
#[cfg(test)]
mod testing;
mod trackers;
mod transaction;
pub mod xtp;

pub use analysis::{Analysis, Findings};
pub use ax25::Ax25;
pub use flows::{Address, FLOW_LIMIT, FlowId, FlowKey, Flows, LonTalkService, Service};
pub use packet::{LinkType, Moment, Packet};
pub use record::Heard;
pub use sink::{Arrival, Event, FlowTally, Malformed, Sent, Sink};
pub use slowest::{Between, Notable, Slowest};
pub use trackers::{Network, Trackers};
pub use transaction::{Outcome, Tracker, Transaction};
