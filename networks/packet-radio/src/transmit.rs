//! Transmission: bursts are loaded from a port's queues, transmitters are keyed and unkeyed.

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::il2p::header::translated_octets;
use sojourn_protocols::ax25::machine::{Input, Purpose};
use sojourn_protocols::ax25::wire::Frame;

use super::event::Events;
use super::information::{Information, of_frame};
use super::latency_budget::Component;
use super::media::{FrameInFlight, schedule};
use super::medium::{AirFrame, Loading};
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// Loads the burst of a member that was granted the channel: all frames its port can send now.
    pub(super) fn load_burst(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let (station, port) = (place.station, place.port as usize);
        self.burst.clear();
        while let Some(frame) = self.stations[station as usize].ports[port].next_repeat() {
            self.add_to_burst(now, station, port, frame, None);
        }
        let links = &mut self.stations[station as usize].ports[port].links;
        links.handle(now, Input::SeizeConfirm { information_frames: u16::MAX });
        self.process_outputs(now, station, events);
        let burst = std::mem::take(&mut self.burst);
        let medium_state = &mut self.media[medium as usize];
        medium_state.channel.load(now, member, burst.iter().copied());
        schedule(medium_state, medium, events);
        let loading = self.stations[station as usize].ports[port].site.access.loading;
        if !burst.is_empty() && loading == Loading::AtKeyUp {
            self.keyed(now, medium, member, events);
        }
        self.burst = burst;
    }

    /// Adds a frame to the burst that is being loaded; without a purpose, it is digipeated.
    pub(super) fn add_to_burst(
        &mut self,
        now: Time,
        station: u32,
        port: usize,
        frame: Frame<Information>,
        purpose: Option<Purpose>,
    ) {
        let port = &self.stations[station as usize].ports[port];
        let (from, keyed) = (port.place, port.keyed_for_load(now));
        let framing = self.media[port.site.medium as usize].channel.framing();
        if let Some(information) = of_frame(&frame) {
            match purpose {
                Some(purpose) => {
                    self.round_trips.transmitted(from, information, purpose, port.asked, keyed);
                    self.metrics.transmitted(information, purpose);
                }
                None => self.round_trips.account_if(Component::WaitingForChannel, information, keyed),
            }
        }
        self.metrics.loaded(purpose);
        let octets = frame.length() as u32;
        let translated = if framing.translates() { translated_octets(&frame) as u32 } else { 0 };
        let tag = self.frames_in_flight.insert(FrameInFlight { from, frame });
        self.burst.push(AirFrame { tag, octets, translated });
    }

    /// A member's transmitter is keyed.
    pub(super) fn keyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let state = &mut self.stations[place.station as usize];
        let port = &mut state.ports[place.port as usize];
        port.keyed = now;
        port.channel_busy(now, true);
        let (kind, mut context) = state.parts(now, &mut self.round_trips);
        kind.transmits(&mut context, true);
        self.process_outputs(now, place.station, events);
    }

    /// A member's transmitter is off.
    pub(super) fn unkeyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let busy = self.media[medium as usize].channel.is_busy(now, member);
        let state = &mut self.stations[place.station as usize];
        let port = &mut state.ports[place.port as usize];
        port.links.handle(now, Input::Transmitted);
        port.channel_busy(now, busy);
        let (kind, mut context) = state.parts(now, &mut self.round_trips);
        kind.transmits(&mut context, false);
        self.process_outputs(now, place.station, events);
    }

    /// Signals the start or end of a carrier to the members that observe it.
    pub(super) fn carrier(&mut self, now: Time, medium: u32, group: u32, detected: bool, events: &mut Events) {
        let mut watchers = std::mem::take(&mut self.watchers);
        watchers.extend(self.media[medium as usize].channel.watchers(group));
        for member in watchers.drain(..) {
            let place = self.place(medium, member);
            self.stations[place.station as usize].ports[place.port as usize].channel_busy(now, detected);
            self.process_outputs(now, place.station, events);
        }
        self.watchers = watchers;
    }
}
