//! A TCP connection as a sans-I/O state machine.
//!
//! It processes sequence numbers and octet counts, never octets: [`Output::Transmit`] names the range of the stream
//! that a segment carries, and [`Output::Deliver`] the number of octets that have arrived in order. A simulation thus
//! moves no data at all, and a live driver stores them where it likes.
//!
//! | file | concern |
//! |---|---|
//! | `connection.rs` | [`Connection`]: user calls and timeouts; owns the parts below |
//! | `segment_arrives.rs` | its processing of arriving segments, by state |
//! | `transmit.rs` | its choice and emission of segments |
//! | `sender.rs` | send sequence space, send buffer, the peer's window |
//! | `receiver.rs` | receive sequence space, reassembly, delayed acknowledgements, own window |
//! | `recovery.rs` | loss recovery: duplicate ACKs, SACK scoreboard, pipe |
//! | `sent.rs` | times of the segments in flight, samples of the delivery rate |
//! | `prr.rs` | what may be in flight while cwnd falls |
//! | `rack.rs` | loss recovery by times: RACK, tail loss probes |
//! | `spurious.rs` | timeouts that were spurious: Eifel, F-RTO |
//! | `congestion/` | cwnd and ssthresh: Reno, NewReno, CUBIC, DCTCP, Prague, BBR |
//! | `ecn.rs` | explicit congestion notification: handshake, echo of marks |
//! | `pacing.rs` | when the next segment may leave |
//! | `hystart.rs` | the end of slow start before a loss |
//! | `rtt.rs` | SRTT, RTTVAR and RTO |
//! | `negotiation.rs` | options of the handshake |
//! | `clock.rs` | timer granularity |
//! | `sequence.rs` | positions in a sequence space, and sets of them |

mod clock;
mod congestion;
mod connection;
mod ecn;
mod hystart;
mod negotiation;
mod output;
mod pacing;
mod prr;
mod rack;
mod receiver;
mod recovery;
mod rtt;
mod segment_arrives;
mod sender;
mod sent;
mod sequence;
mod settings;
mod spurious;
mod transmit;

pub use clock::Clock;
pub use connection::Connection;
pub use output::{End, Input, Output, Purpose};
pub use settings::{Congestion, Consumption, EcnMode, Recovery, Settings};
