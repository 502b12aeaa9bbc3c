//! A ROSE switch as a sans-IO machine: virtual circuits between users and neighbour switches.
//!
//! A driver keeps the AX.25 links: one to each neighbour switch, on which packets travel with PID 01, and one to each
//! user, on which frames travel with PID F0. It reports events on them to a [`Switch`] as [`Input`]s, and drains its
//! [`Output`]s. AX.25 delivers in order and without loss; a link that lost data has gone down and up.
//!
//! | file | contents |
//! |---|---|
//! | `user_path.rs` | calls in digipeater fields |
//! | `switch/mod.rs` | dispatch of inputs to trunks, users and circuits |
//! | `switch/calls.rs` | calls: routing, loop detection, collisions, clearing |
//! | `switch/transfer.rs`, `endpoint.rs` | data, resets and interrupts from one endpoint of a circuit to the other |
//! | `trunk.rs` | a trunk: restarts, its channels |
//! | `users.rs` | users: frames queued and in flight to them |
//! | `channel/` | one logical channel: states, timers; packets received |
//! | `context.rs` | what a switch passes its channels and trunks with every input |
//! | `send_window.rs`, `receive_window.rs` | its windows |
//! | `counters.rs` | event counters |

mod channel;
mod context;
mod counters;
mod endpoint;
mod output;
mod receive_window;
mod send_window;
mod settings;
mod switch;
mod trunk;
mod user_path;
mod users;

pub use counters::Counters;
pub use output::{ClearReason, Input, InterfaceRole, Output, TrunkId, UserId};
pub use settings::{Route, Settings, SettingsError, Significance};
pub use switch::Switch;
pub use user_path::{UserCall, all_repeated, repeated_up_to};
