//! Two hosts with TCP, an emulated path between them and a virtual clock.

mod any_path;
mod bulk;
mod open_close;
mod path;
mod timers;
mod window_updates;
