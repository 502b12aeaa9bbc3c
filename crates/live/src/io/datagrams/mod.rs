//! A UDP socket with kernel transmit and receive timestamps (SO_TIMESTAMPING, software timestamps).
//!
//! An application's own clock reading includes its wake-up, tens of microseconds on an idle host; the kernel's timestamps
//! do not. They are in wall-clock time, so each is converted by a pair of readings taken when it is read, never by one
//! offset for a whole run.
//!
//! | file | concern |
//! |---|---|
//! | `socket` | the socket: sending, receiving, waiting |
//! | `reading` | reading a datagram with its ancillary data |
//! | `timestamps` | timestamps that the kernel takes, and those of datagrams sent |
//! | `traffic_class` | DSCP and ECN of datagrams sent and received |
//! | `offload` | GSO and GRO |

mod offload;
mod reading;
mod socket;
mod timestamps;
pub mod traffic_class;

pub use self::offload::max_segments;
pub use self::reading::{Arrival, ReadMode};
pub use self::socket::Datagrams;
pub use self::timestamps::TimestampingSupport;
pub use self::traffic_class::Marking;
