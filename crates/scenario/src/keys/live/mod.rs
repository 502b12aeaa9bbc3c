//! The keys that only real networks obey: how a peer is measured (`[measure]`, `[[load]]`, `[xtp]`, `[on_air]`), and the
//! options of the commands that serve (`agent`, `relay`), which are read against the same kind of declaration.

pub mod agent;
pub mod emulator;
pub mod load;
pub mod measure;
pub mod on_air;

/// A default that Sojourn chooses.
const DESIGN: &str = "Sojourn";
