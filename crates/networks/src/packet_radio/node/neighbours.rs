//! Links to neighbours: opened when a packet is for them, and kept.

use std::collections::VecDeque;

use sojourn_protocols::ax25::machine::{LinkId, LinkState};
use sojourn_protocols::netrom::machine::Neighbour;

use crate::packet_radio::information::Information;
use crate::packet_radio::station::Context;

/// The neighbours a node has exchanged packets with.
#[derive(Debug, Default)]
pub struct Neighbours {
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    neighbour: Neighbour,
    link: Option<LinkId>,
    /// Whether packets may go; else they wait.
    up: bool,
    waiting: VecDeque<Information>,
}

impl Neighbours {
    /// Whether packets have gone to this neighbour, or come from it.
    pub fn has(&self, neighbour: Neighbour) -> bool {
        self.known.iter().any(|known| known.neighbour == neighbour)
    }

    /// Sends a packet, or keeps it until the link that it opens is up.
    pub fn send(&mut self, context: &mut Context<'_>, neighbour: Neighbour, information: Information) {
        let known = self.known(neighbour);
        if known.link.is_none() {
            known.open(context);
        }
        match known.link.filter(|_| known.up) {
            Some(link) => context.send(usize::from(neighbour.port), link, information),
            None => known.waiting.push_back(information),
        }
    }

    /// The link to a neighbour is up: what waited for it goes.
    pub fn up(&mut self, context: &mut Context<'_>, neighbour: Neighbour, link: LinkId) {
        let known = self.known(neighbour);
        (known.link, known.up) = (Some(link), true);
        for information in known.waiting.drain(..) {
            context.send(usize::from(neighbour.port), link, information);
        }
    }

    /// A link is down: whose it was, if a neighbour's. What waited for it is lost, as it would be on the way.
    pub fn down(&mut self, port: usize, link: LinkId) -> Option<Neighbour> {
        let is_it = |known: &&mut Known| known.link == Some(link) && usize::from(known.neighbour.port) == port;
        let known = self.known.iter_mut().find(is_it)?;
        (known.link, known.up) = (None, false);
        known.waiting.clear();
        Some(known.neighbour)
    }

    /// Takes no more from any neighbour, or takes it again.
    pub fn set_busy(&self, context: &mut Context<'_>, busy: bool) {
        for known in &self.known {
            if let Some(link) = known.link.filter(|_| known.up) {
                context.set_busy(usize::from(known.neighbour.port), link, busy);
            }
        }
    }

    /// Packets that wait for links, or for their acknowledgement.
    pub fn held(&self, context: &Context<'_>) -> usize {
        let on_link =
            |known: &Known| known.link.map_or(0, |link| context.backlog(usize::from(known.neighbour.port), link));
        self.known.iter().map(|known| known.waiting.len() + on_link(known)).sum()
    }

    fn known(&mut self, neighbour: Neighbour) -> &mut Known {
        let place = self.known.iter().position(|known| known.neighbour == neighbour).unwrap_or_else(|| {
            self.known.push(Known { neighbour, link: None, up: false, waiting: VecDeque::new() });
            self.known.len() - 1
        });
        &mut self.known[place]
    }
}

impl Known {
    /// Asks for the link, or takes the one there is.
    fn open(&mut self, context: &mut Context<'_>) {
        let port = usize::from(self.neighbour.port);
        let key = context.ports[port].key_to(self.neighbour.address);
        self.link = context.connect(port, key).or_else(|| context.ports[port].links.link(&key));
        let state = self.link.map(|link| context.ports[port].links.state(link));
        self.up = matches!(state, Some(LinkState::Connected | LinkState::TimerRecovery));
    }
}
