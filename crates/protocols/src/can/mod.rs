//! Controller Area Network: CAN 2.0 (ISO 11898-1 classical frames) and CAN FD, and the transports above it.
//!
//! | module | concern |
//! |---|---|
//! | [`frame`] | identifiers, data length codes, CRCs, stuff bits: the exact length of a frame in bits |
//! | [`controller`] | transmit queues, error counters, error states |
//! | [`isotp`] | ISO 15765-2: segmentation with flow control |
//! | [`j1939`] | SAE J1939-21: the transport protocol, to one node (RTS/CTS) and to all (BAM) |
//! | [`canopen`] | CiA 301: service data objects, expedited and segmented |
//! | [`log`] | frames as lines of candump and as records of SocketCAN captures |
//! | [`datagram`] | frames in datagrams, as python-can sends them to a multicast group |
//!
//! Parsing takes arbitrary bytes and returns a value or a named error; it never panics.
//!
//! # Scope
//!
//! Not implemented: CAN XL; single-shot and time-triggered options of controllers; block transfer of SDOs; ISO-TP with
//! extended or mixed addressing and first frames above 4095 bytes.
//!
//! Sources: Bosch, CAN Specification 2.0 (1991); ISO 11898-1:2015; ISO 15765-2:2016; SAE J1939-21; CiA 301 version 4.2.
//! The CRCs of CAN FD follow the standard's polynomials; no published frame was at hand to compare their values with. No
//! length depends on them.
//!
//! # How long a frame takes
//!
//! ```
//! use sojourn_protocols::can::frame::{Content, Id, Length};
//!
//! let id = Id::base(0x123).unwrap();
//! let length = Length::exact(id, Content::Data(&[0xde, 0xad, 0xbe, 0xef]));
//! assert_eq!((length.nominal, length.data), (81, 0));
//! ```

pub mod canopen;
pub mod controller;
pub mod datagram;
pub mod frame;
pub mod fuzz;
pub mod isotp;
pub mod j1939;
pub mod log;
