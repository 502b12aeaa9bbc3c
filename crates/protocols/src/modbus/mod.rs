//! Modbus: requests and responses of clients and servers, over a serial line (RTU and ASCII) or TCP (Modbus Application
//! Protocol Specification V1.1b3; Modbus over Serial Line V1.02; Modbus Messaging on TCP/IP V1.0b).
//!
//! ```text
//! RTU     unit | PDU | CRC-16, low octet first          between two silences of 3.5 characters
//! ASCII   ':'  | unit, PDU, LRC as hexadecimal digits | CR LF
//! TCP     transaction | 0 | length | unit | PDU         on port 502
//! PDU     function | data; the function of an exception is increased by 0x80
//! ```
//!
//! | module | concern |
//! |---|---|
//! | `function`, `request`, `response`, `exception` | functions with the lengths of their PDUs; [`Request`], [`Response`], [`ExceptionCode`] |
//! | [`rtu`], [`ascii`], [`tcp`] | framing, each with `emit`, `parse` and a receiver of octets |
//! | [`timing`] | character time, t1.5 and t3.5 |
//! | [`machine`] | [`Client`](machine::Client) and [`Server`](machine::Server) |
//!
//! ```
//! use sojourn_protocols::modbus::{Request, Table, rtu};
//!
//! let request = Request::Read { table: Table::HoldingRegisters, address: 107, count: 3 };
//! let mut frame = Vec::new();
//! rtu::emit(17, &request.to_bytes().unwrap(), &mut frame);
//! assert_eq!(frame, [0x11, 0x03, 0x00, 0x6b, 0x00, 0x03, 0x76, 0x87]);
//! let read = rtu::parse(&frame).unwrap();
//! assert_eq!((read.unit, Request::parse(read.pdu)), (17, Ok(request)));
//! ```

pub mod ascii;
mod error;
mod exception;
mod function;
pub mod fuzz;
pub mod machine;
mod request;
mod response;
pub mod rtu;
pub mod tcp;
pub mod timing;
mod values;

pub use error::{EmitError, Fault, PduError};
pub use exception::ExceptionCode;
pub use function::{EXCEPTION_BIT, EXCEPTION_LENGTH, Function, Table, length_of_request, length_of_response};
pub use request::Request;
pub use response::Response;
pub use values::{pack, unpack};

/// The unit that all servers of a serial line obey, and none answers.
pub const BROADCAST: u8 = 0;
/// The highest unit of a server on a serial line; 248 to 255 are reserved.
pub const HIGHEST_UNIT: u8 = 247;
/// Most octets of a PDU: 256 of a frame on a serial line without unit and CRC.
pub const LONGEST_PDU: usize = 253;

/// A frame's unit and PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The server that a request is for, or that a response is from.
    pub unit: u8,
    /// Function and data.
    pub pdu: &'a [u8],
}
