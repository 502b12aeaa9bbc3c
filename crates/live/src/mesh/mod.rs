//! Agents that measure each other for a coordinator, `sojourn mesh`.
//!
//! 1. the coordinator opens a session with an agent and a connection of it, and sends one [`order`]: which peers to measure, and
//!    how;
//! 2. the agent carries it out where its operator has given the [`permission`], with the key of that session, and only while the
//!    connection lasts;
//! 3. it makes a [`report`] of what happens in its sessions, which is what a monitor's own sessions report.
//!
//! Both ends speak over a [`conversation`]. The agent's is `servers::agent`, that of the coordinator [`delegate`](crate::delegate).

pub mod conversation;
pub mod order;
pub mod permission;
pub mod report;
