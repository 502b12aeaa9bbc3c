//! The buses that messages pass: from the sender's to those of the receivers, over gateways, by the fewest of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use sojourn_protocols::can::frame::Id;

use crate::site::{Hop, PortSettings, Receiving, StationSettings};

/// Buses and the stations on them.
pub struct Routes<'s> {
    stations: &'s [StationSettings],
    ports: &'s [PortSettings],
    media: usize,
}

/// By bus, the port that brings a message there, and the bus that it comes from.
type Reached = BTreeMap<u16, (u32, Option<u16>)>;

impl<'s> Routes<'s> {
    /// Of a site with this many buses.
    pub fn new(stations: &'s [StationSettings], ports: &'s [PortSettings], media: usize) -> Self {
        Routes { stations, ports, media }
    }

    /// Adds the hops of a path to `hops`; the first on each bus of the sender that leads to a receiver, or the receiver that cannot be
    /// reached. `ids`: of the first bus, and of those behind gateways.
    pub fn path(&self, from: u32, receivers: &[Receiving], ids: [Id; 2], hops: &mut Vec<Hop>) -> Result<Vec<u32>, u32> {
        let reached = self.reached(from);
        // of the buses that a receiver is on the nearest
        let mut on: BTreeMap<u16, Vec<Receiving>> = BTreeMap::new();
        for &receiving in receivers {
            let near = |port: &u32| {
                let medium = self.ports[*port as usize].medium;
                reached.contains_key(&medium).then(|| (depth(&reached, medium), medium))
            };
            let ports = self.stations[receiving.station as usize].ports.iter();
            let (_, medium) = ports.filter_map(near).min().ok_or(receiving.station)?;
            on.entry(medium).or_default().push(receiving);
        }
        let own = self.stations[from as usize].ports.iter().map(|&port| self.ports[port as usize].medium);
        Ok(own.filter_map(|medium| self.hop(medium, &reached, &on, ids, hops)).collect())
    }

    /// Whether a receiver is on a bus or behind it.
    fn leads(&self, reached: &Reached, medium: u16, on: &BTreeMap<u16, Vec<Receiving>>) -> bool {
        on.contains_key(&medium) || self.behind(reached, medium).any(|next| self.leads(reached, next, on))
    }

    fn behind<'r>(&self, reached: &'r Reached, medium: u16) -> impl Iterator<Item = u16> + 'r {
        reached.iter().filter(move |(_, (_, from))| *from == Some(medium)).map(|(&next, _)| next)
    }

    fn hop(
        &self,
        medium: u16,
        reached: &Reached,
        on: &BTreeMap<u16, Vec<Receiving>>,
        ids: [Id; 2],
        hops: &mut Vec<Hop>,
    ) -> Option<u32> {
        if !self.leads(reached, medium, on) {
            return None;
        }
        let behind: Vec<u16> = self.behind(reached, medium).collect();
        let next: Vec<u32> =
            behind.into_iter().filter_map(|next| self.hop(next, reached, on, [ids[1]; 2], hops)).collect();
        let receivers = on.get(&medium).cloned().unwrap_or_default();
        let reach = receivers.len() as u32 + next.iter().map(|&next| hops[next as usize].reach).sum::<u32>();
        hops.push(Hop { port: reached[&medium].0, id: ids[0], receivers, next, reach, table: [].into() });
        Some(hops.len() as u32 - 1)
    }

    /// The buses that a station reaches, the nearest first: a gateway is a station on several.
    fn reached(&self, from: u32) -> Reached {
        let mut reached = Reached::new();
        let mut fresh = Vec::new();
        let own = &self.stations[from as usize].ports;
        for &port in own {
            let medium = self.ports[port as usize].medium;
            reached.insert(medium, (port, None));
            fresh.push(medium);
        }
        while !fresh.is_empty() && reached.len() < self.media {
            let mut found = Vec::new();
            for &medium in &fresh {
                for station in self.stations.iter().filter(|station| self.is_on(station, medium)) {
                    for &port in &station.ports {
                        let next = self.ports[port as usize].medium;
                        if let Entry::Vacant(vacant) = reached.entry(next) {
                            vacant.insert((port, Some(medium)));
                            found.push(next);
                        }
                    }
                }
            }
            fresh = found;
        }
        reached
    }

    fn is_on(&self, station: &StationSettings, medium: u16) -> bool {
        station.ports.iter().any(|&port| self.ports[port as usize].medium == medium)
    }
}

/// Gateways between a bus and the sender.
fn depth(reached: &Reached, medium: u16) -> usize {
    let before = |medium: &u16| reached.get(medium).and_then(|(_, from)| *from);
    std::iter::successors(before(&medium), before).count()
}
