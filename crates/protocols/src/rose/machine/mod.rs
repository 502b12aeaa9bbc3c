//! A ROSE switch as a sans-IO machine: virtual circuits between users and neighbour switches.
//!
//! A driver keeps the AX.25 links: one to each neighbour switch, on which packets travel with PID 01, and one to each
//! user, on which frames travel with PID F0. It tells a [`Switch`] what happens on them as [`Input`]s, and drains its
//! [`Output`]s. AX.25 delivers in order and without loss; a link that lost something has gone down and up.
//!
//! | file | concern |
//! |---|---|
//! | `user_path.rs` | calls in digipeater fields |
//! | `switch/link.rs`, `trunk.rs` | links and their restarts |
//! | `switch/calls.rs` | calls: routes, loops, collisions, their end |
//! | `switch/circuit.rs`, `end.rs` | what passes from one end of a circuit to the other |
//! | `channel.rs` | one logical channel: states, timers |
//! | `sending.rs`, `receiving.rs` | its windows |
//! | `counters.rs` | what is counted |

mod channel;
mod counters;
mod end;
mod output;
mod receiving;
mod sending;
mod settings;
mod switch;
mod trunk;
mod user_path;

pub use counters::Counters;
pub use output::{ClearReason, Input, InterfaceRole, Output, TrunkId, UserId};
pub use settings::{Route, Settings, SettingsError, Significance};
pub use switch::Switch;
pub use user_path::{UserCall, all_repeated, repeated_up_to};
