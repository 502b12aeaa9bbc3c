//! A TCP connection as a sans-IO machine.
//!
//! It handles sequence numbers and counts of octets, never the octets: whoever drives it knows which range of the
//! stream a segment carries, by [`Output::Transmit`], and how many octets in order have come, by [`Output::Deliver`].
//! A simulation thus moves no data at all, and a live driver keeps them where it likes.
//!
//! | file | concern |
//! |---|---|
//! | `connection.rs` | inputs, outputs, timers: who gets what |
//! | `handshake.rs` | opening, and what a segment means before that is done |
//! | `closing.rs` | release, reset, the end |
//! | `sending.rs` | which segment is next |
//! | `acknowledged.rs` | what an acknowledgement brings |
//! | `recovery.rs` | losses, told by duplicates, by selective acknowledgements, or by a timeout |
//! | `congestion.rs`, `cubic.rs` | the congestion window |
//! | `round_trip.rs` | how long to wait |
//! | `timers.rs`, `clock.rs` | timers, fine or by ticks |
//! | `receiving.rs` | data that come, in order or not; acknowledgements and windows |
//! | `ranges.rs`, `numbering.rs` | ranges of positions; positions and their sequence numbers |

mod acknowledged;
mod clock;
mod closing;
mod congestion;
mod connection;
mod cubic;
mod handshake;
mod numbering;
mod output;
mod ranges;
mod receiving;
mod recovery;
mod round_trip;
mod sending;
mod settings;
mod timers;

pub use connection::Connection;
pub use output::{End, Input, Output, Purpose};
pub use settings::{Clock, Congestion, Consumption, Settings};
