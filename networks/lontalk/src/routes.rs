//! Routes between media: what lies behind each port of a router, which routers are redundant, and why no packet
//! loops.
//!
//! Routers connect media as a tree. Configured routers on the same media are the exception (redundant routers). Their
//! tables prevent loops, since each forwards packets addressed to a subnet, but only the first one those for groups
//! or for the whole domain (LonWorks Router User's Guide, 078-0018-01, looping topologies).

use std::collections::BTreeMap;

use super::site::{Role, Site};
use super::slab::NONE;

/// What is behind the ports of routers.
#[derive(Debug)]
pub struct Routes {
    media: usize,
    /// By router and index of its port: the media reached through the port, the port's own included.
    reach: BTreeMap<u32, Vec<Vec<bool>>>,
    /// By source and destination medium: the next router. Empty without routers.
    gateways: Vec<u32>,
    /// Of each redundant router what it forwards.
    redundant: BTreeMap<u32, Duty>,
}

/// What a configured router forwards, beside others on the same media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Everything: there are no others.
    Alone,
    /// Everything; others forward packets for subnets as well.
    First,
    /// Packets for subnets alone.
    // The guide asks this of groups with members on both sides. Done for all groups, it gives each group one path.
    Second,
}

/// A loop of routers: the first connects the first medium to the second one, and so on back to the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The routers, by their index in the site.
    pub routers: Vec<usize>,
    /// The media, by their index in the site.
    pub media: Vec<usize>,
}

impl Routes {
    /// The routes of a site, unless its routers form a loop.
    pub fn new(site: &Site) -> Result<Routes, Loop> {
        let routers = Routers::new(site);
        if let Some(found) = routers.find_loop() {
            return Err(found);
        }
        let reach = routers.reach();
        let media = site.media.len();
        let gateways = routers.gateways(&reach);
        let mut redundant = BTreeMap::new();
        for (&router, &first) in routers.first.iter().filter(|(router, first)| router != first) {
            redundant.insert(first as u32, Duty::First);
            redundant.insert(router as u32, Duty::Second);
        }
        Ok(Routes { media, reach, gateways, redundant })
    }

    /// The media behind the `port`-th port of a router, its own included.
    pub fn reach(&self, router: u32, port: usize) -> &[bool] {
        &self.reach[&router][port]
    }

    /// What a configured router forwards, beside others on the same media.
    pub fn duty(&self, router: u32) -> Duty {
        self.redundant.get(&router).copied().unwrap_or(Duty::Alone)
    }

    /// The media between two, the second one included.
    pub fn path(&self, site: &Site, from: usize, to: usize) -> Vec<usize> {
        let (mut at, mut path) = (from, Vec::new());
        while at != to {
            let router = self.gateway(at, to);
            let Some(on) = site.stations.get(router as usize).map(|station| station.on()) else { break };
            let mut ports = on.iter().enumerate().filter(|&(_, &medium)| usize::from(medium) != at);
            let Some((_, &next)) = ports.find(|&(port, _)| self.reach(router, port)[to]) else { break };
            at = usize::from(next);
            path.push(at);
        }
        path
    }

    /// The router on one medium towards another, `NONE` if there is none or they are the same; of redundant ones the first. Media
    /// form a tree, so the route is unique but for those.
    #[inline]
    pub fn gateway(&self, from: usize, to: usize) -> u32 {
        if from == to {
            return NONE; // also in the table, which may not be cached
        }
        self.gateways.get(from * self.media + to).copied().unwrap_or(NONE)
    }
}

/// The routers of a site.
struct Routers<'s> {
    site: &'s Site,
    /// By router, the first configured one on the same media: itself, unless it is redundant.
    first: BTreeMap<usize, usize>,
    /// By medium, the first ones on it.
    on: Vec<Vec<usize>>,
}

impl<'s> Routers<'s> {
    fn new(site: &'s Site) -> Self {
        let mut by_media: BTreeMap<Vec<u16>, usize> = BTreeMap::new();
        let mut routers = Routers { site, first: BTreeMap::new(), on: vec![Vec::new(); site.media.len()] };
        let all = site.stations.iter().enumerate().filter(|(_, station)| station.class.role != Role::Node);
        for (router, station) in all {
            let mut media = station.on().to_vec();
            media.sort_unstable();
            let configured = station.class.role == Role::Router;
            let first = if configured { *by_media.entry(media).or_insert(router) } else { router };
            routers.first.insert(router, first);
            if first == router {
                station.on().iter().for_each(|&medium| routers.on[usize::from(medium)].push(router));
            }
        }
        routers
    }

    /// The media that a router leads to from one of its own.
    fn beyond(&self, router: usize, medium: usize) -> impl Iterator<Item = usize> {
        self.site.stations[router].on().iter().map(|&next| usize::from(next)).filter(move |&next| next != medium)
    }

    /// A loop, if there is one.
    fn find_loop(&self) -> Option<Loop> {
        // by medium that was found: the router and the medium that led to it
        let mut found: Vec<Option<(usize, usize)>> = vec![None; self.on.len()];
        for root in 0..self.on.len() {
            if found[root].is_some() {
                continue;
            }
            found[root] = Some((usize::MAX, root));
            let mut open = vec![root];
            while let Some(medium) = open.pop() {
                let led = found[medium].map_or(usize::MAX, |(router, _)| router);
                for &router in self.on[medium].iter().filter(|&&router| router != led) {
                    for next in self.beyond(router, medium) {
                        if found[next].is_some() {
                            return Some(closed(&found, medium, router, next));
                        }
                        found[next] = Some((router, medium));
                        open.push(next);
                    }
                }
            }
        }
        None
    }

    /// By router and port, the media on that side.
    fn reach(&self) -> BTreeMap<u32, Vec<Vec<bool>>> {
        let side = |router: usize, medium: u16| {
            let mut seen = vec![false; self.on.len()];
            seen[usize::from(medium)] = true;
            let mut open = vec![(usize::from(medium), self.first[&router])];
            while let Some((medium, previous)) = open.pop() {
                for &router in self.on[medium].iter().filter(|&&router| router != previous) {
                    for next in self.beyond(router, medium) {
                        seen[next] = true;
                        open.push((next, router));
                    }
                }
            }
            seen
        };
        let sides =
            |router: usize| self.site.stations[router].on().iter().map(|&medium| side(router, medium)).collect();
        self.first.keys().map(|&router| (router as u32, sides(router))).collect()
    }

    /// See [`Routes::gateway`].
    fn gateways(&self, reach: &BTreeMap<u32, Vec<Vec<bool>>>) -> Vec<u32> {
        let media = self.on.len();
        let mut gateways = vec![NONE; if reach.is_empty() { 0 } else { media * media }];
        for (&router, sides) in reach.iter().filter(|&(&router, _)| self.first[&(router as usize)] == router as usize) {
            let on = self.site.stations[router as usize].on();
            for (from, _) in on.iter().enumerate() {
                for (_, side) in sides.iter().enumerate().filter(|&(other, _)| other != from) {
                    for to in (0..media).filter(|&to| side[to]) {
                        gateways[usize::from(on[from]) * media + to] = router;
                    }
                }
            }
        }
        gateways
    }
}

/// The loop that `router` closes between two media that were found already.
fn closed(found: &[Option<(usize, usize)>], medium: usize, router: usize, next: usize) -> Loop {
    // from a medium back to where the search began: the media, and the router that led to each but the last
    let back = |mut medium: usize| {
        let (mut media, mut routers) = (vec![medium], Vec::new());
        while let Some((router, previous)) = found[medium].filter(|&(_, previous)| previous != medium) {
            routers.push(router);
            media.push(previous);
            medium = previous;
        }
        (media, routers)
    };
    let ((mut media, mut routers), (other_media, other_routers)) = (back(next), back(medium));
    // both paths end where they meet
    let meets = media.iter().position(|medium| other_media.contains(medium)).unwrap_or(0);
    let at = other_media.iter().position(|medium| *medium == media[meets]).unwrap_or(0);
    media.truncate(meets + 1);
    routers.truncate(meets);
    let (mut rest_media, mut rest_routers) = (other_media[..at].to_vec(), other_routers[..at].to_vec());
    rest_media.reverse();
    rest_routers.reverse();
    // a router on three media leads to two of them from the third, which is not part of the loop then
    if routers.last().is_some() && routers.last() == rest_routers.first() {
        media.pop();
        routers.pop();
    }
    routers.extend(rest_routers);
    media.extend(rest_media);
    routers.push(router);
    Loop { routers, media }
}

/// By medium, the lowest medium that routers connect it to.
pub fn connected(site: &Site) -> Vec<usize> {
    let mut root: Vec<usize> = (0..site.media.len()).collect();
    loop {
        let mut changed = false;
        for station in site.stations.iter().filter(|station| station.class.role != Role::Node) {
            let lowest = station.on().iter().map(|&medium| root[usize::from(medium)]).min().unwrap_or(0);
            for medium in station.on().iter().map(|&medium| usize::from(medium)) {
                changed |= root[medium] != lowest;
                root[medium] = lowest;
            }
        }
        if !changed {
            return root;
        }
    }
}
