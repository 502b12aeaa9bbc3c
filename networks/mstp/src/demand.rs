//! What the nodes of a site may have to send: the largest frames, and how many of them at a time.

use super::routes::Routes;
use super::site::{Flow, Service, Site};
use sojourn_model::traffic::Arrivals;

/// The most octets that network addresses add to an NPDU.
const ADDRESSES: u16 = 19;

/// The largest frames that a station may send on a medium, as octets of data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Without a reply.
    pub plain: Option<u16>,
    /// Requests.
    pub asking: Option<u16>,
}

/// What may be sent in a site.
#[derive(Clone, Debug)]
pub struct Demand {
    media: usize,
    frames: Vec<Frames>,
    /// The largest reply.
    pub answer: u16,
    queued: Vec<u32>,
    /// Whether all requests are of applications that wait for replies, so that their number is bounded.
    pub is_bounded: bool,
    /// Whether a packet passes a router.
    pub is_routed: bool,
}

impl Demand {
    /// What the flows of a site send.
    pub fn new(site: &Site, routes: &Routes) -> Demand {
        let media = site.media.len();
        let mut demand = Demand {
            media,
            frames: vec![Frames::default(); media * site.stations.len()],
            answer: 0,
            queued: vec![0; site.stations.len()],
            is_bounded: site.flows.iter().all(waits_for_replies),
            is_routed: false,
        };
        for flow in &site.flows {
            for (&from, to) in flow.from.iter().zip(&flow.to) {
                let at_once = if matches!(flow.arrivals, Arrivals::Poll { .. }) { 1 } else { flow.outstanding };
                demand.queued[from as usize] += at_once;
                for &to in to {
                    demand.queued[to as usize] += at_once;
                    demand.add(site, routes, flow, [from, to]);
                }
            }
        }
        demand
    }

    /// What one exchange sends on its path.
    fn add(&mut self, site: &Site, routes: &Routes, flow: &Flow, [from, to]: [u32; 2]) {
        let mut at = from;
        let mut path = Vec::new();
        while at != to && path.len() <= self.media {
            let Some(port) = routes.leave(site, at, to) else { return };
            let medium = site.ports[port as usize].medium;
            path.push((at, medium));
            at = match site.port_on(to, medium) {
                Some(_) => to,
                None => {
                    let mut far = site.stations[to as usize].ports.clone();
                    let hop = far.find_map(|far| routes.next(medium, site.ports[far as usize].medium));
                    match hop {
                        Some(hop) => hop.router,
                        None => return,
                    }
                }
            };
        }
        self.is_routed |= path.len() > 1;
        let extra = if path.len() > 1 { ADDRESSES } else { 0 };
        let (request, reply) = (largest(flow) + extra, flow.response_data + extra);
        self.answer = self.answer.max(reply);
        for (place, &(station, medium)) in path.iter().enumerate() {
            let sent = &mut self.frames[station as usize * self.media + usize::from(medium)];
            match flow.service.is_confirmed() {
                true => sent.asking = sent.asking.max(Some(request)),
                false => sent.plain = sent.plain.max(Some(request)),
            }
            let back = path.get(place + 1).map_or(to, |(router, _)| *router);
            if flow.service != Service::Cov {
                let sent = &mut self.frames[back as usize * self.media + usize::from(medium)];
                sent.plain = sent.plain.max(Some(reply));
            }
        }
    }

    /// What a station may send on a medium.
    pub fn of(&self, station: u32, medium: u16) -> Frames {
        self.frames[station as usize * self.media + usize::from(medium)]
    }

    /// Frames that may wait at a station, where that is bounded.
    pub fn queued(&self, station: u32) -> u32 {
        self.queued[station as usize]
    }
}

/// Octets of the largest request of a flow.
fn largest(flow: &Flow) -> u16 {
    match &flow.arrivals {
        Arrivals::Trace(rows) => rows.iter().map(|row| row.size).max().unwrap_or(flow.data),
        _ => flow.data,
    }
}

/// Whether an application sends its next request when the last is answered.
fn waits_for_replies(flow: &Flow) -> bool {
    let is_closed = match &flow.arrivals {
        Arrivals::Process(process) => process.is_closed(),
        Arrivals::Poll { .. } => true,
        Arrivals::Heartbeat { .. } | Arrivals::Trace(_) => false,
    };
    flow.service.is_confirmed() && is_closed
}
