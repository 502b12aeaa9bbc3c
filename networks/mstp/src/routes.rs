//! Routes: the next medium and router from each medium to each other. Routers join media as a tree.

use std::collections::VecDeque;

use super::site::Site;

/// A step of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The router, by its index in the site.
    pub router: u32,
    /// The medium behind it.
    pub medium: u16,
}

/// First steps from each medium to each other, row by row.
#[derive(Clone, Debug)]
pub struct Routes {
    media: usize,
    hops: Vec<Option<Hop>>,
}

impl Routes {
    /// The routes of a site; the router that closes a loop where there is one.
    pub fn new(site: &Site) -> Result<Routes, u32> {
        let media = site.media.len();
        let mut routes = Routes { media, hops: vec![None; media * media] };
        for from in 0..media {
            routes.explore(site, from)?;
        }
        Ok(routes)
    }

    /// Breadth first from one medium; a medium that is reached twice is in a loop.
    fn explore(&mut self, site: &Site, from: usize) -> Result<(), u32> {
        let mut reached = vec![false; self.media];
        let mut used = vec![false; site.stations.len()];
        reached[from] = true;
        let mut queue = VecDeque::from([(from, None)]);
        while let Some((medium, first)) = queue.pop_front() {
            self.hops[from * self.media + medium] = first;
            for &port in &site.media[medium].ports {
                let router = site.ports[port as usize].station;
                if std::mem::replace(&mut used[router as usize], true) {
                    continue;
                }
                for other in site.stations[router as usize].ports.clone().filter(|other| *other != port) {
                    let next = site.ports[other as usize].medium;
                    if std::mem::replace(&mut reached[usize::from(next)], true) {
                        return Err(router);
                    }
                    queue.push_back((usize::from(next), first.or(Some(Hop { router, medium: next }))));
                }
            }
        }
        Ok(())
    }

    /// The first step from one medium towards another; none to itself, or where there is no route.
    #[inline]
    pub fn next(&self, from: u16, to: u16) -> Option<Hop> {
        self.hops[usize::from(from) * self.media + usize::from(to)]
    }

    /// The port by which a station sends to another; none without a route.
    pub fn leave(&self, site: &Site, from: u32, to: u32) -> Option<u32> {
        let media = |station: u32| site.stations[station as usize].ports.clone();
        let target = |port: u32| {
            let medium = site.ports[port as usize].medium;
            media(to).any(|other| site.ports[other as usize].medium == medium)
        };
        if let Some(port) = media(from).find(|&port| target(port)) {
            return Some(port);
        }
        let towards = |port: u32| {
            let medium = site.ports[port as usize].medium;
            // a router among its own media does not forward to itself
            media(to)
                .any(|other| self.next(medium, site.ports[other as usize].medium).is_some_and(|hop| hop.router != from))
        };
        media(from).find(|&port| towards(port))
    }
}
