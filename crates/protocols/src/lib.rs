//! Protocols, one folder each: `wire` parses bytes into PDU values and emits them, `machine` is the sans-I/O state
//! machine that exchanges those values. A protocol depends on neither medium nor clock.
//!
//! [`user_data`] represents an application's bytes: real bytes, or in simulation a range of a stream.

pub mod atm;
pub mod authentication;
pub mod ax25;
pub mod bacnet;
pub mod can;
mod checksum;
pub mod counters;
mod cursor;
pub mod ethernet_bus;
pub mod fddi;
pub mod icmp;
pub mod ip;
pub mod kiss;
pub mod limits;
pub mod lontalk;
pub mod modbus;
pub mod mstp;
pub mod mstp_trunk;
pub mod netrom;
pub mod probe;
pub mod reed_solomon;
pub mod rose;
pub mod stamp;
pub mod tcp;
mod timers;
pub mod udp;
pub mod user_data;
pub mod xtp;

pub use bytes::Bytes;
pub use user_data::{StreamData, StreamRange, UserData};
