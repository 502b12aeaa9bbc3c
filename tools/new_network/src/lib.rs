//! `$kind`: see README.md for its scope, its limitations and how it is validated.

pub mod keys;
mod network;
mod world;

pub use network::${type}Network;

/// Its network.
pub const NETWORKS: sojourn_model::Catalogue = sojourn_model::Catalogue(&[&${type}Network]);
