//! Reception: when a frame ends, the stations it is addressed to receive it.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::Frame;

use super::event::Events;
use super::information::{Information, of_frame};
use super::latency_budget::Component;
use super::media::FrameInFlight;
use super::medium::Received;
use super::port_settings::PortPlace;
use super::processor::{Job, run_job};
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A frame has been transmitted.
    pub(super) fn frame_ended(
        &mut self,
        now: Time,
        medium: u32,
        member: u32,
        tag: u32,
        start: Time,
        events: &mut Events,
    ) {
        let FrameInFlight { from, frame } = self.frames_in_flight.remove(tag);
        if let Some(capture) = self.capture.as_mut() {
            capture.frame(now, medium, &frame);
        }
        self.ui_frame_sent(now, from, &frame, events);
        let listener = self.media[medium as usize].next_hop(&frame);
        match listener.or_else(|| self.proxy(medium, &frame)) {
            Some(listener) if listener != member => {
                let received = self.media[medium as usize].channel.receive(listener);
                self.metrics.ended(Some(received));
                if received == Received::Good {
                    self.account_frame(now, from, &frame, start);
                    self.receive(now, self.place(medium, listener), frame, events);
                }
            }
            _ => {
                self.metrics.ended(None);
                self.receive_at_alias(now, medium, member, &frame, events);
                self.receive_broadcast(now, medium, member, &frame, events);
            }
        }
    }

    /// The node that has a link under the frame's destination address (a user's callsign).
    fn proxy(&self, medium: u32, frame: &Frame<Information>) -> Option<u32> {
        let key = LinkKey::of_received(&frame.addressing);
        let has_link = |place: &PortPlace| {
            let station = &self.stations[place.station as usize];
            station.kind.is_proxy() && station.ports[place.port as usize].links.link(&key).is_some()
        };
        let members = &self.site.media[medium as usize].members;
        (0..).zip(members).find(|(_, place)| has_link(place)).map(|(member, _)| member)
    }

    /// Delivers a frame whose next digipeater is an alias to each member that has it.
    fn receive_at_alias(
        &mut self,
        now: Time,
        medium: u32,
        member: u32,
        frame: &Frame<Information>,
        events: &mut Events,
    ) {
        let Some(alias) = frame.addressing.digipeaters.next() else { return };
        for place in self.media[medium as usize].places_of(alias) {
            let medium_state = &mut self.media[medium as usize];
            let listener = medium_state.with_alias(place);
            if listener != member && medium_state.channel.receive(listener) == Received::Good {
                self.receive(now, self.place(medium, listener), frame.clone(), events);
            }
        }
    }

    /// Delivers a frame without a single receiver to the members that receive broadcasts.
    fn receive_broadcast(
        &mut self,
        now: Time,
        medium: u32,
        member: u32,
        frame: &Frame<Information>,
        events: &mut Events,
    ) {
        for index in 0..self.media[medium as usize].receives_broadcasts.len() {
            let medium_state = &mut self.media[medium as usize];
            let listener = medium_state.receives_broadcasts[index];
            let place = self.site.media[medium as usize].members[listener as usize];
            let port = &self.stations[place.station as usize].ports[place.port as usize];
            if listener != member
                && port.is_broadcast(&frame.addressing)
                && medium_state.channel.receive(listener) == Received::Good
            {
                self.receive(now, place, frame.clone(), events);
            }
        }
    }

    /// Accounts the air time of a received frame.
    fn account_frame(&mut self, now: Time, from: PortPlace, frame: &Frame<Information>, start: Time) {
        let Some(information) = of_frame(frame) else { return };
        let port = &self.stations[from.station as usize].ports[from.port as usize];
        let up = (port.keyed + port.site.access.txdelay).min(start);
        self.round_trips.account_if(Component::TransmitDelay, information, up);
        self.round_trips.account_if(Component::Transmission, information, now);
    }

    /// A station processes a received frame.
    fn receive(&mut self, now: Time, place: PortPlace, frame: Frame<Information>, events: &mut Events) {
        if self.is_off(place.station) {
            return;
        }
        let state = &mut self.stations[place.station as usize];
        if !state.ports[place.port as usize].accepts(&frame.addressing) {
            return;
        }
        let work = state.costs.of(state.costs.receive_frame, of_frame(&frame));
        let job = Job::Receive { port: place.port, frame };
        if let Some(job) = state.cpu.submit(now, job, work)
            && run_job(now, job, &mut state.ports)
        {
            self.request_channel(now, place, events);
        }
        self.process_outputs(now, place.station, events);
    }
}
