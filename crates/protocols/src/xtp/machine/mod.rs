//! The contexts of an XTP host as a sans-I/O state machine.
//!
//! A driver passes user requests and received packets to an [`Endpoint`] as [`Input`]s, drains its [`Output`]s, and
//! wakes it when a timer is due. The network below (UDP, IP, frames), checksums and processing time belong to the
//! driver.
//!
//! | file | concern |
//! |---|---|
//! | `endpoint.rs`, `table.rs` | all contexts of a host; contexts by index and by key |
//! | `opening.rs` | FIRST, listeners |
//! | `context/mod.rs` | a context: its parts, requests of the user, timers, end of the association |
//! | `context/receive.rs`, `context/transmit.rs` | packets that it receives, and those that it sends |
//! | `association.rs` | what its parts have in common: peer, keys, role, configuration |
//! | `sender.rs`, `send_queue.rs` | sending half: seq, alloc, status requests; data not sent yet |
//! | `store.rs` | retransmission store: segments sent and not released, and which are lost |
//! | `receiver.rs`, `reorder_buffer.rs` | receiving half: rseq, dseq; out-of-order data and their spans |
//! | `receivers.rs` | the receivers of a multicast association, at its sender |
//! | `sync_state.rs`, `sync_number.rs` | status requests and the synchronizing handshake; sync numbers |
//! | `round_trip.rs`, `timers.rs` | RTT estimation and WTIMER; timers |
//! | `rate_control.rs` | rate and burst control (RTIMER) |

mod association;
mod configuration;
mod context;
mod endpoint;
mod opening;
mod outcome;
mod output;
mod rate_control;
mod receiver;
mod receivers;
mod reorder_buffer;
mod round_trip;
mod send_queue;
mod sender;
mod store;
mod sync_number;
mod sync_state;
mod table;
mod timers;
mod turn;

pub use configuration::{Configuration, Consumption, ErrorControl, Limits, Rate, RequestBy, Requests};
pub use endpoint::Endpoint;
pub use outcome::{Event, Purpose, Reason, Refusal, Violation};
pub use output::{AddressFilter, Cast, ContextId, Input, Output};
