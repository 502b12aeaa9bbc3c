//! Frames that have left the air: those for whom they are take them.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::{Body, Frame};

use super::budget::Component;
use super::information::Information;
use super::media::Flight;
use super::medium::Received;
use super::site::PortPlace;
use super::station::{Job, perform};
use super::world::{Events, Simulation};

impl Simulation<'_, '_> {
    /// A frame has left the air.
    pub(super) fn ended(&mut self, now: Time, medium: u32, member: u32, tag: u32, start: Time, events: &mut Events) {
        let Flight { from, frame } = self.flights.remove(tag);
        if let Some(tap) = &mut self.capture {
            tap.frame(now, &frame);
        }
        self.sent(now, from, &frame, events);
        let listener = self.air[medium as usize].next_hop(&frame);
        match listener.or_else(|| self.stand_in(medium, &frame)) {
            Some(listener) if listener != member => {
                let received = self.air[medium as usize].channel.receive(listener);
                self.measure.ended(Some(received));
                if received == Received::Good {
                    self.charge_flight(now, from, &frame, start);
                    self.receive(now, self.place(medium, listener), frame, events);
                }
            }
            _ => {
                self.measure.ended(None);
                self.for_all(now, medium, member, &frame, events);
            }
        }
    }

    /// The member with a link under another's address, if the frame is of this link.
    fn stand_in(&self, medium: u32, frame: &Frame<Information>) -> Option<u32> {
        let key = LinkKey::of_received(&frame.addressing);
        let has_it = |place: &PortPlace| {
            let station = &self.stations[place.station as usize];
            station.kind.stands_in() && station.ports[place.port as usize].links.link(&key).is_some()
        };
        let members = &self.site.media[medium as usize].members;
        (0..).zip(members).find(|(_, place)| has_it(place)).map(|(member, _)| member)
    }

    /// A frame that is for no station alone goes to those that hear broadcasts.
    fn for_all(&mut self, now: Time, medium: u32, member: u32, frame: &Frame<Information>, events: &mut Events) {
        for index in 0..self.air[medium as usize].hears_all.len() {
            let air = &mut self.air[medium as usize];
            let listener = air.hears_all[index];
            let place = self.site.media[medium as usize].members[listener as usize];
            let port = &self.stations[place.station as usize].ports[place.port as usize];
            if listener != member
                && port.hears_all(&frame.addressing)
                && air.channel.receive(listener) == Received::Good
            {
                self.receive(now, place, frame.clone(), events);
            }
        }
    }

    /// Charges the time on the air of what arrives.
    fn charge_flight(&mut self, now: Time, from: PortPlace, frame: &Frame<Information>, start: Time) {
        let Some(information) = information(frame) else { return };
        let port = &self.stations[from.station as usize].ports[from.port as usize];
        let up = (port.keyed + port.site.access.transmit_delay).min(start);
        self.account.charge_if(Component::TransmitDelay, information, up);
        self.account.charge_if(Component::Transmission, information, now);
    }

    /// A station takes a frame that it has received.
    fn receive(&mut self, now: Time, place: PortPlace, frame: Frame<Information>, events: &mut Events) {
        let state = &mut self.stations[place.station as usize];
        if !state.ports[place.port as usize].accepts(&frame.addressing) {
            return;
        }
        let work = state.costs.of(state.costs.receive_frame, information(&frame));
        let job = Job::Receive { port: place.port, frame };
        if let Some(job) = state.processor.submit(now, job, work)
            && perform(now, job, &mut state.ports)
        {
            self.want(now, place, events);
        }
        self.settle(now, place.station, events);
    }
}

/// What an I or UI frame carries.
pub fn information(frame: &Frame<Information>) -> Option<&Information> {
    match &frame.body {
        Body::I { data, .. } | Body::Ui { data, .. } => Some(data),
        _ => None,
    }
}
