//! The state machines of the agent protocol, a server and its clients, on a virtual clock.

mod any_input;
mod bench;
mod expiry;
mod load;
mod opening;
mod requests;
