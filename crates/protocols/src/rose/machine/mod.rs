//! A ROSE switch as a sans-IO machine: virtual circuits between users and neighbour switches.
//!
//! A driver keeps the AX.25 links: one to each neighbour switch, on which packets travel with PID 01, and one to each
//! user, on which frames travel with PID F0. It reports events on them to a [`Switch`] as [`Input`]s, and drains its
//! [`Output`]s. AX.25 delivers in order and without loss; a link that lost data has gone down and up.
//!
//! | file | contents |
//! |---|---|
//! | `user_path.rs` | calls in digipeater fields |
//! | `switch/restart.rs`, `trunk.rs` | trunks and their restarts |
//! | `switch/calls.rs` | calls: routing, loop detection, collisions, clearing |
//! | `switch/transfer.rs`, `endpoint.rs` | data, resets and interrupts from one endpoint of a circuit to the other |
//! | `channel.rs` | one logical channel: states, timers |
//! | `send_window.rs`, `receive_window.rs` | its windows |
//! | `counters.rs` | event counters |

mod channel;
mod counters;
mod endpoint;
mod output;
mod receive_window;
mod send_window;
mod settings;
mod switch;
mod trunk;
mod user_path;

pub use counters::Counters;
pub use output::{ClearReason, Input, InterfaceRole, Output, TrunkId, UserId};
pub use settings::{Route, Settings, SettingsError, Significance};
pub use switch::Switch;
pub use user_path::{UserCall, all_repeated, repeated_up_to};
