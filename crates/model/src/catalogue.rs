//! The catalogue of networks, which a driver passes to every component that reads, plans, judges or bounds scenarios.

use sojourn_scenario::Kinds;

use crate::Network;

/// Networks, in the order in which documentation lists them.
#[derive(Clone, Copy)]
pub struct Catalogue(pub &'static [&'static dyn Network]);

impl Catalogue {
    /// All of them.
    pub fn networks(self) -> impl Iterator<Item = &'static dyn Network> + Clone {
        self.0.iter().copied()
    }

    /// The network of a `kind`.
    pub fn find(self, kind: &str) -> Option<&'static dyn Network> {
        self.networks().find(|network| network.kind() == kind)
    }

    /// What they declare, by which documents are read.
    pub fn kinds(self) -> Kinds {
        Kinds::new(self.networks().map(|network| network.keys()))
    }
}
