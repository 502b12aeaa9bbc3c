//! Keys that apply to real networks only: how a peer is measured (`[measure]`, `[[load]]`, `[xtp]`, `[on_air]`), what
//! is monitored (`[monitor]`, `[[target]]`), which agents measure each other (`[mesh]`, `[[agent]]`), and the options of the serving commands (`agent`, `relay`), which use
//! the same kind of declaration.

pub mod agent;
pub mod emulator;
pub mod load;
pub mod measure;
pub mod mesh;
pub mod monitor;
pub mod on_air;
pub mod services;

/// A default that Sojourn chooses.
const DESIGN: &str = "Sojourn";

/// Headings of options in the help of a measuring command.
pub mod group {
    /// Requests over IP on a schedule.
    pub const IP: &str = "Timed tests over IP";
    /// Bulk transfers beside the requests.
    pub const LOAD: &str = "Load of the path";
    /// Of every measurement.
    pub const ALL: &str = "Options";
    /// Requests that servers answer which know nothing of Sojourn.
    pub const SERVICES: &str = "Services over HTTP";
    /// XTP associations.
    pub const XTP: &str = "XTP";
    /// A station on the air.
    pub const RADIO: &str = "Packet radio";
}
