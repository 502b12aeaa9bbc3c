//! Checks across several keys, shared by several networks.

pub mod counts;
pub(crate) mod laws;
pub mod measurement;
pub mod mesh;
pub mod monitor;
pub mod obeyed;
