//! What learning routers know: behind which of its ports a router has heard each subnet.
//!
//! A learning router learns from the source of every packet it receives, and keeps what it learned in volatile memory. It forwards a packet
//! for a subnet that it has not heard to all of its other media, and all packets for groups, of which it cannot learn where they are
//! (LonWorks Router User's Guide, 078-0018-01, learning router).

use std::collections::BTreeMap;

use super::site::{Role, Site};

/// By learning router and subnet, the port that it last heard the subnet by, counted from 1; 0: it has not heard it.
#[derive(Clone, Debug)]
pub struct Learned(BTreeMap<u32, [u8; 256]>);

impl Learned {
    /// Nothing yet.
    pub fn new(site: &Site) -> Self {
        let routers = (0..).zip(&site.stations).filter(|(_, station)| station.class.role == Role::Learning);
        Learned(routers.map(|(router, _)| (router, [0; 256])).collect())
    }

    /// A router has received a packet from this subnet by its `port`-th port. A router that is not a learning router ignores this.
    pub fn hear(&mut self, router: u32, subnet: u8, port: usize) {
        if let Some(ports) = self.0.get_mut(&router) {
            ports[usize::from(subnet)] = port as u8 + 1;
        }
    }

    /// A router has lost power.
    pub fn forget(&mut self, router: u32) {
        if let Some(ports) = self.0.get_mut(&router) {
            ports.fill(0);
        }
    }

    /// Whether a router forwards a packet for this subnet to its `port`-th port, by which the packet has not come.
    pub fn leads(&self, router: u32, subnet: u8, port: usize) -> bool {
        let heard = self.0.get(&router).map_or(0, |ports| ports[usize::from(subnet)]);
        heard == 0 || usize::from(heard) == port + 1
    }
}
