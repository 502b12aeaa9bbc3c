//! Characters of a UART on a line that several stations share, RS-485 above all: what MS/TP and Modbus have in common.
//!
//! A frame is one event, its end; characters are arithmetic. [`Format`] is how long they take. [`Line`] knows who drives the
//! line and when: two drivers at once destroy the characters that overlap, of both frames, and neither sender notices. Bit errors
//! destroy single characters. How a receiver finds where a frame ends, by octets or by silence, and what a destroyed character
//! does to it, belongs to the protocol: [`Received`] says which character is the first that is wrong.
//!
//! ```
//! use sojourn_core::{Duration, Streams, Time};
//! use sojourn_model::uart::{Format, Frame, Line};
//!
//! let format = Format::new(38_400); // eight data bits, no parity, one stop bit
//! let mut line = Line::new(format, 0.0, Streams::new(1, 0).stream("trunk/noise"));
//! let end = line.send(Time::ZERO, Frame { sender: 3, tag: 7, characters: 8, gap: Duration::ZERO });
//! assert_eq!(end.since(Time::ZERO).picoseconds(), 2_083_333_333);
//! let received = line.end(end, 3);
//! assert_eq!((received.tag, received.damage), (7, None));
//! assert_eq!(line.silent_since(), Some(end));
//! ```
//!
//! # What it leaves out
//!
//! Propagation, 6 us over 1200 m of cable; reflections and biasing, but for what the bit error rate stands for; receivers that hear
//! different things.

mod line;

#[cfg(test)]
mod tests;

pub use line::{Damage, Frame, Line, Received};
pub use sojourn_core::serial::{Format, Parity};
