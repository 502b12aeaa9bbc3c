//! Bursts: made of what a port has to send when it has the channel, and what its station is told of the transmitter.

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::{Input, Purpose};
use sojourn_protocols::ax25::wire::Frame;

use super::budget::Component;
use super::information::Information;
use super::media::{Flight, schedule};
use super::medium::{AirFrame, Loading};
use super::receive::information;
use super::world::{Events, Simulation};

impl Simulation<'_, '_> {
    /// A member may transmit: its burst is what its port has to send at this instant.
    pub(super) fn load(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let (station, port) = (place.station, place.port as usize);
        self.burst.clear();
        while let Some(frame) = self.stations[station as usize].ports[port].next_repeat() {
            self.take_off(now, station, port, frame, None);
        }
        let links = &mut self.stations[station as usize].ports[port].links;
        links.handle(now, Input::SeizeConfirm { information_frames: u16::MAX });
        self.settle(now, station, events);
        let burst = std::mem::take(&mut self.burst);
        let air = &mut self.air[medium as usize];
        air.channel.load(now, member, burst.iter().copied());
        schedule(air, medium, events);
        let loading = self.stations[station as usize].ports[port].site.access.loading;
        if !burst.is_empty() && loading == Loading::AtKeyUp {
            self.keyed(now, medium, member, events);
        }
        self.burst = burst;
    }

    /// A frame joins the burst that is being loaded.
    pub(super) fn take_off(
        &mut self,
        now: Time,
        station: u32,
        port: usize,
        frame: Frame<Information>,
        purpose: Option<Purpose>,
    ) {
        let port = &self.stations[station as usize].ports[port];
        let (from, keyed) = (port.place, port.keyed_for_load(now));
        if let Some(information) = information(&frame) {
            match purpose {
                Some(purpose) => {
                    self.account.transmitted(from, information, purpose, port.asked, keyed);
                    self.measure.transmitted(information, purpose);
                }
                None => self.account.charge_if(Component::WaitingForChannel, information, keyed),
            }
        }
        self.measure.loaded(purpose);
        let octets = frame.length() as u32;
        let tag = self.flights.insert(Flight { from, frame });
        self.burst.push(AirFrame { tag, octets });
    }

    /// A member's transmitter is keyed.
    pub(super) fn keyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let state = &mut self.stations[place.station as usize];
        let port = &mut state.ports[place.port as usize];
        port.keyed = now;
        port.channel_busy(now, true);
        let (kind, mut context) = state.parts(now, &mut self.account);
        kind.transmits(&mut context, true);
        self.settle(now, place.station, events);
    }

    /// A member's transmitter is off.
    pub(super) fn unkeyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let busy = self.air[medium as usize].channel.is_busy(now, member);
        let state = &mut self.stations[place.station as usize];
        let port = &mut state.ports[place.port as usize];
        port.links.handle(now, Input::Transmitted);
        port.channel_busy(now, busy);
        let (kind, mut context) = state.parts(now, &mut self.account);
        kind.transmits(&mut context, false);
        self.settle(now, place.station, events);
    }

    /// Members whose timers stand still meanwhile are told of a carrier, or of its end.
    pub(super) fn carrier(&mut self, now: Time, medium: u32, ear: u32, detected: bool, events: &mut Events) {
        let mut watchers = std::mem::take(&mut self.watchers);
        watchers.extend(self.air[medium as usize].channel.watchers(ear));
        for member in watchers.drain(..) {
            let place = self.place(medium, member);
            self.stations[place.station as usize].ports[place.port as usize].channel_busy(now, detected);
            self.settle(now, place.station, events);
        }
        self.watchers = watchers;
    }
}
