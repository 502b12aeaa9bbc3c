//! The kernel: an event [`queue`], the loop that [`run`]s a [`World`] on it, and what most worlds are built from:
//! [`arrivals`], [`sample`]d durations and their [`law`]s, [`schedule`]s of events, serial [`server`]s. [`stopping`] decides how many replications are enough,
//! [`splitting`] simulates rare events.
//!
//! A network brings its own event type and a [`World`] that handles it; nothing here is dispatched
//! dynamically or allocated per event. Virtual time is the integer picoseconds of `sojourn-core`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use sojourn_core::{Duration, Time};
//! use sojourn_engine::{Queue, World, run};
//!
//! /// A lamp that toggles every second.
//! struct Lamp { changes: u32 }
//!
//! impl World for Lamp {
//!     type Event = ();
//!     fn handle(&mut self, _now: Time, (): (), queue: &mut Queue<()>) {
//!         self.changes += 1;
//!         queue.after(Duration::from_secs(1), ());
//!     }
//! }
//!
//! let (mut lamp, mut queue) = (Lamp { changes: 0 }, Queue::new());
//! queue.at(Time::ZERO, ());
//! run(&mut lamp, &mut queue, Time::ZERO + Duration::from_secs(10), &AtomicBool::new(false));
//! assert_eq!(lamp.changes, 11);
//! ```

pub mod arrivals;
pub mod generation;
pub mod law;
pub mod queue;
pub mod sample;
pub mod schedule;
pub mod server;
pub mod splitting;
pub mod stopping;
mod world;

pub use generation::Generation;
pub use queue::Queue;
pub use server::Server;
pub use world::{World, observe, run, warm_up};
