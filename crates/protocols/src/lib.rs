//! Protocols, one folder each: `wire` turns bytes into PDU values and back, `machine` is the sans-IO state
//! machine that speaks those values. A protocol knows no medium and no clock.
//!
//! [`user_data`] says what an application's bytes are: real bytes, or in simulation a range of a stream.

pub mod atm;
pub mod authentication;
pub mod ax25;
mod checksum;
mod cursor;
pub mod fddi;
pub mod ip;
pub mod kiss;
pub mod limits;
pub mod lontalk;
pub mod netrom;
pub mod probe;
pub mod rose;
pub mod stamp;
pub mod tcp;
mod timers;
pub mod udp;
pub mod user_data;
pub mod xtp;

pub use bytes::Bytes;
pub use user_data::{StreamData, StreamRange, UserData};
