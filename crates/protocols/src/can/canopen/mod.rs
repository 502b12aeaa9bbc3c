//! CANopen (CiA 301): identifiers of the predefined connection set, and service data objects (SDO): a client reads or writes an
//! object of a server, in one frame in each direction up to 4 bytes (expedited), else in segments of 7, or writes it in blocks of segments.

mod block;
mod client;
mod message;
mod server;

pub use block::{Block, BlockClient, BlockInput, BlockOutput, BlockServer, MOST_SEGMENTS};
pub use client::{Client, ClientInput, ClientOutput, Failure};
pub use message::{Abort, Object, Sdo, SdoError, Segment};
pub use server::{Server, ServerOutput};

/// Function codes of the predefined connection set: the base identifier without the node number (CiA 301, table 35).
pub mod function {
    /// Network management.
    pub const NMT: u16 = 0x000;
    /// SYNC; with a node number an emergency message.
    pub const SYNC: u16 = 0x080;
    /// The first transmit PDO; the others are 100h apart.
    pub const TPDO1: u16 = 0x180;
    /// The first receive PDO; the others are 100h apart.
    pub const RPDO1: u16 = 0x200;
    /// Answers of an SDO server.
    pub const SDO_ANSWER: u16 = 0x580;
    /// Requests to an SDO server.
    pub const SDO_REQUEST: u16 = 0x600;
    /// Heartbeat.
    pub const HEARTBEAT: u16 = 0x700;
}

/// Data of an expedited transfer.
pub const EXPEDITED: u32 = 4;
/// Data of a segment.
pub const SEGMENT: u32 = 7;
