//! The contexts of an XTP host as a sans-IO machine.
//!
//! A driver gives an [`Endpoint`] requests of users and packets of the network as [`Input`]s, drains its
//! [`Output`]s, and wakes it when a timer is due. What packets travel on (UDP, IP, frames), checksums, and the time
//! that processors take are the driver's.
//!
//! | file | concern |
//! |---|---|
//! | `table.rs` | contexts by place and by key |
//! | `context.rs` | one context: how what comes in reaches the parts |
//! | `opening.rs` | FIRST, listeners |
//! | `outgoing.rs`, `sending.rs` | what is written and when it is sent |
//! | `answering.rs` | reports, and when they are given |
//! | `store.rs` | what has been sent and not released; what is lost of it |
//! | `reports.rs` | what a sender learns from a report |
//! | `incoming.rs`, `receiving.rs`, `held.rs` | what comes in order, beyond gaps, again |
//! | `questions.rs`, `round_trip.rs`, `handshake.rs` | synchronising numbers, WTIMER, CTIMER, giving up |
//! | `pace.rs` | rate and burst |
//! | `receivers.rs` | the receivers of a multicast association |
//! | `closing.rs` | the graceful close, aborts, late packets |

mod answering;
mod closing;
mod configuration;
mod context;
mod endpoint;
mod handshake;
mod held;
mod incoming;
mod opening;
mod outcome;
mod outgoing;
mod output;
mod pace;
mod questions;
mod receivers;
mod receiving;
mod reports;
mod round_trip;
mod sending;
mod store;
mod sync;
mod table;
mod timers;
mod turn;

pub use configuration::{Configuration, Consumption, ErrorControl, Limits, Rate, RequestBy, Requests};
pub use endpoint::Endpoint;
pub use outcome::{Event, Purpose, Reason, Refusal, Violation};
pub use output::{Cast, ContextId, Input, Output, Wanted};
