//! The context of a host's parts: everything they work with besides the host itself.

use sojourn_core::Time;

use super::event::Events;
use super::frame::Frame;
use super::latency_budget::Component;
use super::media::Rings;
use super::routes::Routes;
use super::site::Site;
use super::users::Users;
use sojourn_model::slab::Slab;

/// The parts of a simulation beneath its hosts, at one instant.
pub struct Context<'w, 'a> {
    /// Virtual time.
    pub now: Time,
    /// What the scenario describes.
    pub site: &'a Site,
    /// Routes of frames between rings.
    pub routes: &'a Routes,
    /// All rings of the site, by index.
    pub rings: &'w mut Rings<'a>,
    /// The users of all streams.
    pub users: &'w mut Users<'a>,
    /// Frames in flight.
    pub frames: &'w mut Slab<Frame>,
    /// Pending events.
    pub events: &'w mut Events,
}

impl Context<'_, '_> {
    /// A frame joins the queue of its MAC.
    #[inline]
    pub fn offer(&mut self, frame: u32) {
        self.rings.offer(self.now, frame, &self.frames[frame], self.events);
    }

    /// A router passes a frame on.
    pub fn forward(&mut self, frame: u32) {
        self.frames[frame].latency.account(Component::Routers, self.now);
        self.offer(frame);
    }
}
