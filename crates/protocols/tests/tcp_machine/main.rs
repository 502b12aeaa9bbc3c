//! Two hosts with TCP, a path between them, and a hand clock.

mod bulk;
mod bytes;
mod dialogue;
mod path;
mod timers;
