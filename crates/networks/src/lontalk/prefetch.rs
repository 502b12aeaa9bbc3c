//! What the next events will need is fetched before they happen.
//!
//! A site of tens of thousands of nodes fits no processor's cache, and most of what a packet costs there is waiting for
//! memory, one line after the other. Asked for early, many lines are on their way at once while other events happen.

use sojourn_core::prefetch;
use sojourn_protocols::lontalk::wire::Destination;

use super::slab::NONE;
use super::world::{Event, Simulation};

impl Simulation<'_, '_> {
    /// Asks for what `event` will need.
    pub(super) fn prefetch_for(&self, event: Event) {
        match event {
            Event::Fire(source) => {
                let source = &self.sources[source as usize];
                source.prefetch();
                self.prefetch_station(source.station);
            }
            Event::Formed(frame) => {
                self.prefetch_station(self.frames[frame].station);
                // who will hear it when it has been sent
                if let Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } =
                    self.frames[frame].packet.destination
                {
                    self.prefetch_station(self.plan.station_at(node));
                }
            }
            Event::Processed(frame) | Event::Acted(frame) => self.prefetch_station(self.frames[frame].station),
            Event::Wake(station) => self.prefetch_station(station),
            Event::Medium(segment) => self.segments[usize::from(segment)].medium.prefetch(),
            Event::Built(_) | Event::WarmedUp => {}
        }
    }

    fn prefetch_station(&self, station: u32) {
        if station == NONE {
            return;
        }
        let state = &self.stations[station as usize];
        let port = &self.ports[state.first_port as usize];
        prefetch(port);
        if let Some(work) = &state.work {
            work.prefetch();
            self.segments[usize::from(port.medium)].medium.prefetch_port(port.port);
        }
    }
}
