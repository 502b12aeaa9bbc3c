//! BACnet above the data link, as far as a measurement and a capture need it: the network layer's header, the heads of
//! application PDUs, ReadProperty and I-Am (ANSI/ASHRAE 135, clauses 6, 20 and 21; numbers as in bacnet-stack,
//! `src/bacnet/bacenum.h`).
//!
//! ```text
//! version 1 | control | DNET 2, length, DADR | SNET 2, length, SADR | hop count | APDU     what control announces
//! ```
//!
//! [`Npdu`] and [`Apdu`] are parsed, [`read_property`], [`read_property_ack`] and [`write_property`] written. Segmentation is recognized, not carried
//! out.

mod apdu;
pub mod fuzz;
mod npdu;
mod property;

pub use apdu::{Apdu, ApduError, FailureCode};
pub use npdu::{Npdu, NpduError};
pub use property::{
    Object, Property, Value, i_am, i_am_device, read_property, read_property_ack, requested, who_is, write_property,
};
