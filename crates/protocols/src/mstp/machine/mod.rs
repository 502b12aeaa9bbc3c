//! Nodes of MS/TP as sans-IO machines: [`Master`] and [`Slave`].
//!
//! A driver passes what the line brings as [`Input`]s, drains [`Output`]s, and wakes the machine when a timer is due. It sends a frame
//! of [`Output::Transmit`] as soon as the line has been silent for `T_turnaround`, and then passes [`Input::Sent`]: only then do the
//! timers run that wait for an answer. It is up to the driver how long a node takes from the end of a frame to the beginning
//! of its own.
//!
//! | file | contents |
//! |---|---|
//! | `settings.rs` | addresses, timers and counts of a node |
//! | `messages.rs` | inputs and outputs |
//! | `counters.rs` | the events that a node counts |
//! | `master/mod.rs` | the state of a master, what it hears, its timers |
//! | `master/idle.rs` | IDLE, ANSWER_DATA_REQUEST |
//! | `master/token.rs` | USE_TOKEN, WAIT_FOR_REPLY, DONE_WITH_TOKEN, PASS_TOKEN |
//! | `master/poll.rs` | NO_TOKEN, POLL_FOR_MASTER |
//! | `slave.rs` | the slave node |

mod counters;
mod master;
mod messages;
mod settings;
mod slave;

pub use counters::{Counter, Counters};
pub use master::{Master, State};
pub use messages::{Delivery, Input, Outcome, Output};
pub use settings::{
    MIN_OCTETS, NO_TOKEN, POLL, REPLY_DELAY, REPLY_TIMEOUT, RETRY_TOKEN, SLOT, Settings, USAGE_TIMEOUT,
};
pub use slave::Slave;
