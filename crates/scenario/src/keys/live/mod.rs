//! The keys that only real networks obey: how a peer is measured (`[measure]`, `[[load]]`, `[xtp]`, `[on_air]`), what is
//! monitored (`[monitor]`, `[[target]]`), and the options of the commands that serve (`agent`, `relay`), which are read
//! against the same kind of declaration.

pub mod agent;
pub mod emulator;
pub mod load;
pub mod measure;
pub mod monitor;
pub mod on_air;

/// A default that Sojourn chooses.
const DESIGN: &str = "Sojourn";
