//! Routes of frames between rings joined by routers.

use std::collections::VecDeque;

use super::frame::Destination;
use super::port::Port;
use super::site::Site;

/// The next MAC on every ring towards every host.
#[derive(Debug)]
pub struct Routes {
    hosts: usize,
    /// By ring, then host: the MAC and the rings still to go.
    next: Vec<Option<(u32, u32)>>,
}

impl Routes {
    /// The shortest paths of a site.
    pub fn new(site: &Site) -> Routes {
        let hosts = site.hosts.len();
        let mut routes = Routes { hosts, next: vec![None; hosts * site.rings.len()] };
        for host in 0..hosts {
            routes.lead_to(site, host);
        }
        routes
    }

    /// The MAC on `ring` through which frames reach `host`.
    pub fn mac(&self, ring: u16, host: u32) -> Option<u32> {
        self.at(ring, host).map(|(mac, _)| mac)
    }

    /// Which of a host's ports leads to another host; none when nothing does.
    pub fn port(&self, site: &Site, from: u32, to: u32) -> Option<Port> {
        let ports = site.hosts[from as usize].ports.iter();
        ports.filter_map(|port| Some((self.at(port.ring, to)?.1, *port))).min_by_key(|(rings, _)| *rings).map(|it| it.1)
    }

    /// The port by which a host's frames leave.
    pub fn out_port(&self, site: &Site, host: u32, to: Destination) -> Port {
        let towards = |receiver| self.port(site, host, receiver);
        let port = match to {
            Destination::Host(receiver) => towards(receiver),
            Destination::Group(flow) => site.flows[usize::from(flow)].to.iter().find_map(|member| towards(*member)),
            Destination::NoReceiver => None,
        };
        port.unwrap_or(site.hosts[host as usize].ports[0])
    }

    fn at(&self, ring: u16, host: u32) -> Option<(u32, u32)> {
        self.next[usize::from(ring) * self.hosts + host as usize]
    }

    /// Breadth first from a host's own rings.
    fn lead_to(&mut self, site: &Site, host: usize) {
        let mut reached = VecDeque::new();
        for port in &site.hosts[host].ports {
            self.next[usize::from(port.ring) * self.hosts + host] = Some((port.mac, 0));
            reached.push_back((port.ring, 0));
        }
        while let Some((ring, rings)) = reached.pop_front() {
            // routers on this ring carry frames here from their other rings
            for router in site.hosts.iter().filter(|router| router.ports.iter().any(|port| port.ring == ring)) {
                for port in router.ports.iter().filter(|port| port.ring != ring) {
                    let next = &mut self.next[usize::from(port.ring) * self.hosts + host];
                    if next.is_none() {
                        *next = Some((port.mac, rings + 1));
                        reached.push_back((port.ring, rings + 1));
                    }
                }
            }
        }
    }
}
