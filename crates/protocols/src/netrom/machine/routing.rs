//! Which neighbour leads to which node.

use std::collections::BTreeMap;

use super::output::Neighbour;
use super::settings::Routing;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Alias, ENTRY_LIMIT, Entry, Nodes};

/// Routes kept for a destination.
pub const ROUTE_LIMIT: usize = 3;
/// The obsolescence count of a route that does not age.
const LOCKED: u8 = 0;

/// A route to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The neighbour it begins with.
    pub neighbour: Neighbour,
    /// How good it is, 0 to 255; 0 is a way back that a packet has shown, and a last resort.
    pub quality: u8,
    /// Broadcast intervals it lives unless it is heard of again; 0: for ever.
    pub obsolescence: u8,
}

/// The routes a node knows.
#[derive(Debug)]
pub(super) struct Table {
    own: Address,
    port_qualities: Box<[u8]>,
    neighbours: Vec<Adjacent>,
    destinations: BTreeMap<Address, Destination>,
}

#[derive(Debug)]
struct Adjacent {
    neighbour: Neighbour,
    quality: u8,
    /// The last attempt to reach it failed.
    down: bool,
}

/// Best first; at most [`ROUTE_LIMIT`] are used.
#[derive(Debug)]
struct Destination {
    alias: Alias,
    routes: [Way; ROUTE_LIMIT],
    count: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// Place of the neighbour in the table.
    neighbour: u16,
    quality: u8,
    obsolescence: u8,
}

impl Table {
    pub fn new(own: Address, port_qualities: Box<[u8]>) -> Self {
        Table { own, port_qualities, neighbours: Vec::new(), destinations: BTreeMap::new() }
    }

    /// The neighbour to send to: that of the best route whose neighbour is not down, or of the best.
    pub fn next_hop(&self, destination: Address) -> Option<Neighbour> {
        let routes = self.destinations.get(&destination)?.routes();
        let adjacent = |way: &Way| &self.neighbours[usize::from(way.neighbour)];
        let chosen = routes.iter().find(|way| !adjacent(way).down).or(routes.first())?;
        Some(adjacent(chosen).neighbour)
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

    /// All destinations in the order of their callsigns, with their routes, best first.
    pub fn destinations(&self) -> impl Iterator<Item = (Address, Alias, impl Iterator<Item = Route>)> {
        self.destinations.iter().map(|(address, destination)| {
            let routes = destination.routes().iter().map(|way| Route {
                neighbour: self.neighbours[usize::from(way.neighbour)].neighbour,
                quality: way.quality,
                obsolescence: way.obsolescence,
            });
            (*address, destination.alias, routes)
        })
    }

    /// A neighbour answers or does not.
    pub fn set_down(&mut self, neighbour: Neighbour, down: bool) {
        if let Some(adjacent) = self.neighbours.iter_mut().find(|adjacent| adjacent.neighbour == neighbour) {
            adjacent.down = down;
        }
    }

    /// Sets the quality of the way to a neighbour, whatever its port's.
    pub fn lock_neighbour(&mut self, neighbour: Neighbour, quality: u8) {
        let index = self.adjacent(neighbour);
        self.neighbours[usize::from(index)].quality = quality;
    }

    /// Adds a route that does not age.
    pub fn lock_route(&mut self, routing: &Routing, destination: Address, alias: Alias, route: (Neighbour, u8)) {
        let (neighbour, quality) = route;
        let neighbour = self.adjacent(neighbour);
        self.learn(routing, destination, Some(alias), Way { neighbour, quality, obsolescence: LOCKED });
    }

    /// A packet of `origin` came by `neighbour`: if nothing better is known, that is the way back.
    pub fn learn_back(&mut self, routing: &Routing, origin: Address, neighbour: Neighbour) {
        if self.destinations.contains_key(&origin) || origin == self.own {
            return;
        }
        let neighbour = self.adjacent(neighbour);
        self.learn(routing, origin, None, Way { neighbour, quality: 0, obsolescence: routing.obsolescence_initial });
    }

    /// A broadcast was heard.
    pub fn hear(&mut self, routing: &Routing, from: Neighbour, nodes: &Nodes) {
        let index = self.adjacent(from);
        let adjacent = &mut self.neighbours[usize::from(index)];
        adjacent.down = false;
        let path = adjacent.quality;
        self.hear_of(routing, from.address, nodes.alias, index, path);
        for entry in nodes.entries.iter().filter(|entry| entry.destination != from.address) {
            // a route by way of this node is none for it
            let told = if entry.best_neighbour == self.own { 0 } else { entry.quality };
            let quality = (u32::from(told) * u32::from(path) + 128) / 256;
            self.hear_of(routing, entry.destination, entry.alias, index, quality as u8);
        }
    }

    /// Ages all routes by one interval and forgets those that are too old.
    pub fn age(&mut self) {
        self.destinations.retain(|_, destination| {
            destination.keep(|way| {
                let locked = way.obsolescence == LOCKED;
                way.obsolescence = way.obsolescence.saturating_sub(1);
                locked || way.obsolescence > 0
            });
            destination.count > 0
        });
    }

    /// What the node tells of, in frames of at most [`ENTRY_LIMIT`] entries; one without any if there is nothing.
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

    /// The place of a neighbour, made if it is new.
    fn adjacent(&mut self, neighbour: Neighbour) -> u16 {
        let known = self.neighbours.iter().position(|adjacent| adjacent.neighbour == neighbour);
        let index = known.unwrap_or_else(|| {
            let quality = self.port_qualities.get(usize::from(neighbour.port)).copied().unwrap_or(0);
            self.neighbours.push(Adjacent { neighbour, quality, down: false });
            self.neighbours.len() - 1
        });
        index as u16
    }

    /// A neighbour tells of a destination.
    fn hear_of(&mut self, routing: &Routing, address: Address, alias: Alias, neighbour: u16, quality: u8) {
        if quality == 0 {
            return self.poison(address, neighbour);
        }
        if quality >= routing.min_quality && address != self.own {
            let obsolescence = routing.obsolescence_initial;
            self.learn(routing, address, Some(alias), Way { neighbour, quality, obsolescence });
        }
    }

    /// A neighbour has no route to a destination but by way of this node.
    fn poison(&mut self, address: Address, neighbour: u16) {
        let Some(destination) = self.destinations.get_mut(&address) else { return };
        destination.keep(|way| way.neighbour != neighbour || way.obsolescence == LOCKED);
        if destination.count == 0 {
            self.destinations.remove(&address);
        }
    }

    fn learn(&mut self, routing: &Routing, address: Address, alias: Option<Alias>, way: Way) {
        if let Some(destination) = self.destinations.get_mut(&address) {
            destination.alias = alias.unwrap_or(destination.alias);
            destination.learn(way);
        } else if self.destinations.len() < usize::from(routing.max_destinations) {
            let routes = [way, Way::default(), Way::default()];
            let destination = Destination { alias: alias.unwrap_or(Alias::NONE), routes, count: 1 };
            self.destinations.insert(address, destination);
        }
    }
}

impl Destination {
    fn routes(&self) -> &[Way] {
        &self.routes[..usize::from(self.count)]
    }

    /// Takes a route in: in place of the one by the same neighbour, or of the worst if it is better.
    fn learn(&mut self, way: Way) {
        let same = self.routes().iter().position(|known| known.neighbour == way.neighbour);
        let count = usize::from(self.count);
        match same {
            Some(place) if self.routes[place].obsolescence == LOCKED && way.obsolescence != LOCKED => return,
            Some(place) if self.routes[place].quality == way.quality => {
                self.routes[place] = way;
                return;
            }
            Some(place) => self.routes[place] = way,
            None if count < ROUTE_LIMIT => {
                self.routes[count] = way;
                self.count += 1;
            }
            None => match self.routes.iter().rposition(|known| known.obsolescence != LOCKED) {
                Some(worst) if way.quality > self.routes[worst].quality || way.obsolescence == LOCKED => {
                    self.routes[worst] = way;
                }
                _ => return,
            },
        }
        // stable: of equal routes the older stays first
        self.routes[..usize::from(self.count)].sort_by_key(|way| std::cmp::Reverse(way.quality));
    }

    /// Drops the routes that `keep` does not want.
    fn keep(&mut self, mut keep: impl FnMut(&mut Way) -> bool) {
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
