//! The routing table: neighbours and destinations.

use std::collections::BTreeMap;

use super::output::Neighbour;
use super::settings::Routing;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Alias, ENTRY_LIMIT, Entry, Nodes};

/// Maximum routes per destination.
pub const ROUTE_LIMIT: usize = 3;
/// The obsolescence count of a route that does not age.
const LOCKED: u8 = 0;

/// A route to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The neighbour that is the next hop.
    pub neighbour: Neighbour,
    /// Quality, 0 to 255; 0 is a reverse route learned from a packet, used as a last resort.
    pub quality: u8,
    /// Obsolescence count: broadcast intervals until it expires unless it is received again; 0: locked.
    pub obsolescence: u8,
}

/// The routing table of a node.
#[derive(Clone, Debug)]
pub(super) struct Table {
    own: Address,
    port_qualities: Box<[u8]>,
    neighbours: Vec<NeighbourEntry>,
    destinations: BTreeMap<Address, Destination>,
}

#[derive(Clone, Debug)]
struct NeighbourEntry {
    neighbour: Neighbour,
    quality: u8,
    /// The last attempt to connect to it failed.
    down: bool,
}

/// The routes to a destination, best first.
#[derive(Clone, Debug)]
struct Destination {
    alias: Alias,
    routes: [RouteEntry; ROUTE_LIMIT],
    count: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct RouteEntry {
    /// Index of the neighbour in the table.
    neighbour: u16,
    quality: u8,
    obsolescence: u8,
}

impl Table {
    pub fn new(own: Address, port_qualities: Box<[u8]>) -> Self {
        Table { own, port_qualities, neighbours: Vec::new(), destinations: BTreeMap::new() }
    }

    /// The next hop: that of the best route whose neighbour is up, or of the best route if none is.
    pub fn next_hop(&self, destination: Address) -> Option<Neighbour> {
        let routes = self.destinations.get(&destination)?.routes();
        let entry = |route: &RouteEntry| &self.neighbours[usize::from(route.neighbour)];
        let chosen = routes.iter().find(|route| !entry(route).down).or(routes.first())?;
        Some(entry(chosen).neighbour)
    }

    /// The node with this alias, or this address.
    pub fn find(&self, name: &str) -> Option<Address> {
        let called = |(address, destination): (&Address, &Destination)| {
            destination.alias.text().eq_ignore_ascii_case(name).then_some(*address)
        };
        self.destinations.iter().find_map(called).or_else(|| {
            let address = name.parse().ok()?;
            self.destinations.contains_key(&address).then_some(address)
        })
    }

    /// All destinations by callsign, with their routes, best first.
    pub fn destinations(&self) -> impl Iterator<Item = (Address, Alias, impl Iterator<Item = Route>)> {
        self.destinations.iter().map(|(address, destination)| {
            let routes = destination.routes().iter().map(|route| Route {
                neighbour: self.neighbours[usize::from(route.neighbour)].neighbour,
                quality: route.quality,
                obsolescence: route.obsolescence,
            });
            (*address, destination.alias, routes)
        })
    }

    /// Records whether the link to a neighbour is down.
    pub fn set_down(&mut self, neighbour: Neighbour, down: bool) {
        if let Some(entry) = self.neighbours.iter_mut().find(|entry| entry.neighbour == neighbour) {
            entry.down = down;
        }
    }

    /// Sets the quality of the link to a neighbour, overriding its port's.
    pub fn lock_neighbour(&mut self, neighbour: Neighbour, quality: u8) {
        let index = self.neighbour_index(neighbour);
        self.neighbours[usize::from(index)].quality = quality;
    }

    /// Adds a locked route, which does not age.
    pub fn lock_route(&mut self, routing: &Routing, destination: Address, alias: Alias, route: (Neighbour, u8)) {
        let (neighbour, quality) = route;
        let neighbour = self.neighbour_index(neighbour);
        self.learn(routing, destination, Some(alias), RouteEntry { neighbour, quality, obsolescence: LOCKED });
    }

    /// A packet of `origin` was received from `neighbour`: without any route, that is the reverse route.
    pub fn learn_reverse(&mut self, routing: &Routing, origin: Address, neighbour: Neighbour) {
        if self.destinations.contains_key(&origin) || origin == self.own {
            return;
        }
        let neighbour = self.neighbour_index(neighbour);
        self.learn(
            routing,
            origin,
            None,
            RouteEntry { neighbour, quality: 0, obsolescence: routing.obsolescence_initial },
        );
    }

    /// A NODES broadcast was received.
    pub fn receive_broadcast(&mut self, routing: &Routing, from: Neighbour, nodes: &Nodes) {
        let index = self.neighbour_index(from);
        let entry = &mut self.neighbours[usize::from(index)];
        entry.down = false;
        let link_quality = entry.quality;
        self.receive_entry(routing, from.address, nodes.alias, index, link_quality);
        for entry in nodes.entries.iter().filter(|entry| entry.destination != from.address) {
            // a route through this node is useless to it (poison reverse)
            let advertised = if entry.best_neighbour == self.own { 0 } else { entry.quality };
            let quality = (u32::from(advertised) * u32::from(link_quality) + 128) / 256;
            self.receive_entry(routing, entry.destination, entry.alias, index, quality as u8);
        }
    }

    /// Decrements all obsolescence counts and removes routes that expire.
    pub fn age(&mut self) {
        self.destinations.retain(|_, destination| {
            destination.keep(|route| {
                let locked = route.obsolescence == LOCKED;
                route.obsolescence = route.obsolescence.saturating_sub(1);
                locked || route.obsolescence > 0
            });
            destination.count > 0
        });
    }

    /// The destinations to broadcast, in frames of at most [`ENTRY_LIMIT`] entries; one empty frame if there are none.
    pub fn broadcasts(&self, routing: &Routing, alias: Alias) -> impl Iterator<Item = Nodes> {
        let mut entries = self.destinations.iter().filter_map(|(address, destination)| {
            let best = destination.routes()[0];
            let fresh = best.obsolescence == LOCKED || best.obsolescence >= routing.min_obsolescence_broadcast;
            (fresh && best.quality > 0).then(|| Entry {
                destination: *address,
                alias: destination.alias,
                best_neighbour: self.neighbours[usize::from(best.neighbour)].neighbour.address,
                quality: best.quality,
            })
        });
        let mut first = true;
        std::iter::from_fn(move || {
            let entries: Vec<Entry> = entries.by_ref().take(ENTRY_LIMIT).collect();
            let some = std::mem::take(&mut first) || !entries.is_empty();
            some.then_some(Nodes { alias, entries })
        })
    }

    /// The index of a neighbour, added if it is new.
    fn neighbour_index(&mut self, neighbour: Neighbour) -> u16 {
        let known = self.neighbours.iter().position(|entry| entry.neighbour == neighbour);
        let index = known.unwrap_or_else(|| {
            let quality = self.port_qualities.get(usize::from(neighbour.port)).copied().unwrap_or(0);
            self.neighbours.push(NeighbourEntry { neighbour, quality, down: false });
            self.neighbours.len() - 1
        });
        index as u16
    }

    /// Takes one destination of a neighbour's broadcast.
    fn receive_entry(&mut self, routing: &Routing, address: Address, alias: Alias, neighbour: u16, quality: u8) {
        if quality == 0 {
            return self.poison(address, neighbour);
        }
        if quality >= routing.min_quality && address != self.own {
            let obsolescence = routing.obsolescence_initial;
            self.learn(routing, address, Some(alias), RouteEntry { neighbour, quality, obsolescence });
        }
    }

    /// A neighbour's only route to a destination is through this node: removes the route by it.
    fn poison(&mut self, address: Address, neighbour: u16) {
        let Some(destination) = self.destinations.get_mut(&address) else { return };
        destination.keep(|route| route.neighbour != neighbour || route.obsolescence == LOCKED);
        if destination.count == 0 {
            self.destinations.remove(&address);
        }
    }

    fn learn(&mut self, routing: &Routing, address: Address, alias: Option<Alias>, route: RouteEntry) {
        if let Some(destination) = self.destinations.get_mut(&address) {
            destination.alias = alias.unwrap_or(destination.alias);
            destination.learn(route);
        } else if self.destinations.len() < usize::from(routing.max_destinations) {
            let routes = [route, RouteEntry::default(), RouteEntry::default()];
            let destination = Destination { alias: alias.unwrap_or(Alias::NONE), routes, count: 1 };
            self.destinations.insert(address, destination);
        }
    }
}

impl Destination {
    fn routes(&self) -> &[RouteEntry] {
        &self.routes[..usize::from(self.count)]
    }

    /// Adds a route: replaces the one by the same neighbour, or the worst if the new one is better.
    fn learn(&mut self, route: RouteEntry) {
        let same = self.routes().iter().position(|known| known.neighbour == route.neighbour);
        let count = usize::from(self.count);
        match same {
            Some(index) if self.routes[index].obsolescence == LOCKED && route.obsolescence != LOCKED => return,
            Some(index) if self.routes[index].quality == route.quality => {
                self.routes[index] = route;
                return;
            }
            Some(index) => self.routes[index] = route,
            None if count < ROUTE_LIMIT => {
                self.routes[count] = route;
                self.count += 1;
            }
            None => match self.routes.iter().rposition(|known| known.obsolescence != LOCKED) {
                Some(worst) if route.quality > self.routes[worst].quality || route.obsolescence == LOCKED => {
                    self.routes[worst] = route;
                }
                _ => return,
            },
        }
        // stable: among equal routes the older stays first
        self.routes[..usize::from(self.count)].sort_by_key(|route| std::cmp::Reverse(route.quality));
    }

    /// Removes the routes for which `keep` returns false.
    fn keep(&mut self, mut keep: impl FnMut(&mut RouteEntry) -> bool) {
        let mut kept = 0;
        for index in 0..usize::from(self.count) {
            if keep(&mut self.routes[index]) {
                self.routes[kept] = self.routes[index];
                kept += 1;
            }
        }
        self.count = kept as u8;
    }
}
