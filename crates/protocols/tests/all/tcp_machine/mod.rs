//! Two hosts with TCP, an emulated path between them and a virtual clock.

mod any_path;
mod bbr;
mod bulk;
mod marks;
mod open_close;
mod paced;
mod path;
mod rack;
mod timers;
mod window_updates;
