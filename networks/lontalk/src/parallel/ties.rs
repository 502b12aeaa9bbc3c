//! Events of one instant of which one was announced by another group.
//!
//! On one thread they are handled in the order of insertion, which groups do not know. It makes no difference where they concern
//! different stations and media; where it may, the replication is abandoned, and computed on one thread.

use super::partition::CORE;
use crate::event::{Event, Events};
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// Notes whether anything else is due at the instant of an event that another group has announced, and its order may matter.
    pub(super) fn find_ties(&mut self, announced: Event, events: &Events) {
        let is_tied = events.at_this_instant().any(|other| !self.commute(announced, *other));
        if let Some(border) = &mut self.in_flight.border {
            border.tied |= is_tied;
        }
    }

    /// Whether two events of one instant have the same effect in either order. Of those that schedule others some would, too.
    fn commute(&self, announced: Event, other: Event) -> bool {
        let Some(border) = &self.in_flight.border else { return true };
        match (announced, other) {
            // packets for media of this group: each has one router
            (Event::Passed(_), Event::Passed(_)) if border.group != CORE => true,
            (Event::Passed(packet), Event::Medium(medium)) if border.group != CORE => {
                self.access.ports[border.arriving[packet].port as usize].medium != medium
            }
            (Event::Passed(_), _) | (_, Event::Passed(_)) => false,
            (Event::Heard(_) | Event::Sent(_), _) => match (self.router_of(announced), other) {
                (Some(router), Event::Heard(_) | Event::Sent(_)) => self.router_of(other) != Some(router),
                (Some(router), Event::Medium(medium)) => !self.site.stations[router as usize].on().contains(&medium),
                (Some(router), Event::Processed(frame)) => self.in_flight.frames[frame].station != router,
                (Some(_), Event::Fire(_) | Event::Built(_) | Event::Formed(_) | Event::Handled(_) | Event::Wake(_)) => {
                    true
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The router that hears a packet, or whose packet was sent.
    fn router_of(&self, announced: Event) -> Option<u32> {
        match announced {
            Event::Sent(packet) => Some(packet >> 1),
            Event::Heard(medium) => self.in_flight.border.as_ref()?.partition.routers[usize::from(medium)],
            _ => None,
        }
    }
}
