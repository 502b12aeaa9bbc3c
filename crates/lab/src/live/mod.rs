//! The one border between what computes, on every platform, and what uses a real network, on Linux.
//!
//! The feature `live` brings measurements, monitors, servers and the emulator, which open sockets, read timestamps of the
//! kernel and pin threads by calls of Linux alone. Without it each of their requests is refused in one place and one
//! sentence, and everything else is the same.

#[cfg(not(feature = "live"))]
mod absent;
#[cfg(feature = "live")]
mod present;
#[cfg(not(feature = "live"))]
mod unwatched;
pub mod watch;

#[cfg(not(feature = "live"))]
pub use self::absent::*;
#[cfg(feature = "live")]
pub use self::present::*;
