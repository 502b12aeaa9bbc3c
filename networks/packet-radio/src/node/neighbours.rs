//! Links to neighbours: opened on demand, and kept.

use std::collections::VecDeque;

use sojourn_protocols::ax25::machine::{LinkId, LinkState};
use sojourn_protocols::netrom::machine::Neighbour;

use crate::context::Context;
use crate::information::Information;

/// The neighbours a node has exchanged packets with.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    neighbour: Neighbour,
    link: Option<LinkId>,
    /// Whether the link is up; else packets are queued.
    up: bool,
    waiting: VecDeque<Information>,
}

impl Neighbours {
    /// Whether packets have been exchanged with this neighbour.
    pub fn has(&self, neighbour: Neighbour) -> bool {
        self.known.iter().any(|known| known.neighbour == neighbour)
    }

    /// Sends a packet; opens the link and queues the packet if the link is down.
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

    /// The link to a neighbour is up: queued packets are sent.
    pub fn up(&mut self, context: &mut Context<'_>, neighbour: Neighbour, link: LinkId) {
        let known = self.known(neighbour);
        (known.link, known.up) = (Some(link), true);
        for information in known.waiting.drain(..) {
            context.send(usize::from(neighbour.port), link, information);
        }
    }

    /// A link is down; returns its neighbour, if it had one. Queued packets are lost.
    pub fn down(&mut self, port: usize, link: LinkId) -> Option<Neighbour> {
        let has_link = |known: &&mut Known| known.link == Some(link) && usize::from(known.neighbour.port) == port;
        let known = self.known.iter_mut().find(has_link)?;
        (known.link, known.up) = (None, false);
        known.waiting.clear();
        Some(known.neighbour)
    }

    /// Sets or clears the receiver-busy condition of all neighbours' links (RNR).
    pub fn set_busy(&self, context: &mut Context<'_>, busy: bool) {
        for known in &self.known {
            if let Some(link) = known.link.filter(|_| known.up) {
                context.set_busy(usize::from(known.neighbour.port), link, busy);
            }
        }
    }

    /// Packets queued for links, or unacknowledged.
    pub fn queued(&self, context: &Context<'_>) -> usize {
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
    /// Requests the link, or uses an existing one.
    fn open(&mut self, context: &mut Context<'_>) {
        let port = usize::from(self.neighbour.port);
        let key = context.ports[port].key_to(self.neighbour.address);
        self.link = context.connect(port, key).or_else(|| context.ports[port].links.link(&key));
        let state = self.link.map(|link| context.ports[port].links.state(link));
        self.up = matches!(state, Some(LinkState::Connected | LinkState::TimerRecovery));
    }
}
