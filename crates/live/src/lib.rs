//! Measurements on real networks in real time: the protocol machines of the simulations, driven over sockets.
//!
//! A [`Target`] (a URL) names a [`transport`] of the [`registry`] and the address of the peer. A transport opens its
//! sockets at once, so that every user error is reported before anything runs, and returns a closure that measures or
//! listens on the calling thread. The [`Watch`] that it shares with its watcher reports progress and carries stop
//! requests. A measurement returns the same [`Record`](sojourn_metrics::record::Record)s as a simulation.
//!
//! From the network upwards:
//!
//! 1. [`io`]: sockets with kernel timestamps, clocks, timers, and the loop that [drives](io::drive) a protocol machine;
//! 2. [`progress`]: what a watcher sees while a measurement runs;
//! 3. [`prober`]: timed tests, which send requests by a schedule and turn the responses into metrics;
//! 4. [`servers`]: the measurement agent and the reflectors;
//! 5. [`transports`]: one folder for each scheme of URL, and one row in the registry;
//! 6. [`sessions`] with a target one after the other, which a monitor has, and agents of a [`mesh`];
//! 7. [`emulator`]: the network emulator of `sojourn relay`.

pub mod agent_settings;
pub mod emulator;
pub mod fuzz;
pub mod io;
pub mod key;
pub mod mesh;
pub mod prober;
pub mod progress;
pub mod servers;
pub mod sessions;
pub mod target;
pub mod transport;
pub mod transports;

pub use progress::gauge::Snapshot;
pub use progress::report::Report;
pub use progress::survey::Survey;
pub use progress::watch::{Progress, Watch};
pub use target::Target;
pub use transport::{Experiment, Listening, Measured, Measurement, OnAir, Probe, Transport};
pub use transports::sojourn::delegation::delegate;
pub use transports::{find, registry};
