//! The links of a capture.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::wire::{Address as Callsign, Addressing, Modulo};

use super::heard::Heard;
use super::link::Link;
use crate::Sink;

/// Links followed at a time; the quarter that was silent for longest ends when there are more.
const LINK_LIMIT: usize = 4096;

/// A medium and two callsigns, the lower first.
type Ends = (u32, Callsign, Callsign);

/// Links by their ends.
#[derive(Debug, Default)]
pub(super) struct Links {
    links: BTreeMap<Ends, Link>,
}

impl Links {
    /// The modulus of the link that a frame belongs to; modulo 8 unless a SABME was seen.
    pub fn modulo(&self, medium: u32, addressing: &Addressing) -> Modulo {
        self.links.get(&ends(medium, addressing)).map_or(Modulo::Eight, Link::modulo)
    }

    /// The link that a frame belongs to.
    pub fn link(&mut self, medium: u32, heard: &Heard<'_>, out: &mut Sink) -> &mut Link {
        let ends = ends(medium, &heard.frame.addressing);
        if self.links.len() >= LINK_LIMIT && !self.links.contains_key(&ends) {
            self.evict(out);
        }
        self.links.entry(ends).or_insert_with(|| Link::between(ends.1, ends.2))
    }

    /// Ends the links that were silent for longest.
    fn evict(&mut self, out: &mut Sink) {
        out.note("More than 4096 AX.25 links: those that were silent for longest were taken as ended.");
        let mut last: Vec<(Time, Ends)> = self.links.iter().map(|(ends, link)| (link.last(), *ends)).collect();
        last.sort_unstable();
        for (_, ends) in &last[..LINK_LIMIT / 4] {
            if let Some(mut link) = self.links.remove(ends) {
                link.finish(out);
            }
        }
    }

    /// Ends all links.
    pub fn finish(&mut self, out: &mut Sink) {
        for link in std::mem::take(&mut self.links).values_mut() {
            link.finish(out);
        }
    }
}

fn ends(medium: u32, addressing: &Addressing) -> Ends {
    let (a, b) = (addressing.source, addressing.destination);
    (medium, a.min(b), a.max(b))
}
