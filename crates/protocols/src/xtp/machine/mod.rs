//! The contexts of an XTP host as a sans-I/O state machine.
//!
//! A driver passes user requests and received packets to an [`Endpoint`] as [`Input`]s, drains its [`Output`]s, and wakes
//! it when a timer is due. The network below (UDP, IP, frames), checksums and processing time are the driver's.
//!
//! | file | concern |
//! |---|---|
//! | `endpoint.rs`, `table.rs` | all contexts of a host; contexts by index and by key |
//! | `context.rs` | a context: dispatch of inputs, packets and timers to its parts |
//! | `opening.rs` | FIRST, listeners |
//! | `send_state.rs`, `sending.rs` | sending half: sequence numbers, allocation; data and status requests |
//! | `store.rs` | retransmission store: segments sent and not released, and which are lost |
//! | `answering.rs`, `reports.rs` | control packets sent by a receiver, and processed by a sender |
//! | `receive_state.rs`, `receiving.rs` | receiving half: rseq, dseq; in-order, out-of-order and duplicate data |
//! | `reorder_buffer.rs` | out-of-order data and their spans |
//! | `sync_state.rs`, `handshake.rs` | sync numbers; synchronizing handshake, CTIMER, CTIMEOUT |
//! | `round_trip.rs`, `timers.rs` | RTT estimation and WTIMER; timers |
//! | `rate_control.rs` | rate and burst control (RTIMER) |
//! | `receivers.rs` | the receivers of a multicast association |
//! | `closing.rs` | graceful close, aborts, late packets |

mod answering;
mod closing;
mod configuration;
mod context;
mod endpoint;
mod handshake;
mod opening;
mod outcome;
mod output;
mod rate_control;
mod receive_state;
mod receivers;
mod receiving;
mod reorder_buffer;
mod reports;
mod round_trip;
mod send_state;
mod sending;
mod store;
mod sync_state;
mod table;
mod timers;
mod turn;

pub use configuration::{Configuration, Consumption, ErrorControl, Limits, Rate, RequestBy, Requests};
pub use endpoint::Endpoint;
pub use outcome::{Event, Purpose, Reason, Refusal, Violation};
pub use output::{AddressFilter, Cast, ContextId, Input, Output};
