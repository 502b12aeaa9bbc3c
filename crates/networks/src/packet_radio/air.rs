//! The media: bursts are loaded, frames end, and those for whom they are receive them.

use sojourn_core::{Machine, Streams, Time};
use sojourn_protocols::ax25::machine::{Input, LinkKey, Purpose};
use sojourn_protocols::ax25::wire::{Address, Body, Frame};

use super::information::Information;
use super::medium::{AirFrame, Channel, Happening, Loading, MemberSettings, Received};
use super::port::watches;
use super::simulation::{Event, Events, Simulation};
use super::site::{PortPlace, Site};
use super::station::{Job, perform};
use super::trip::Component;

/// A medium as it runs.
#[derive(Debug)]
pub struct Air {
    /// Who transmits when, and who receives what.
    pub channel: Channel,
    /// The instant its next event was scheduled for.
    pub scheduled: Time,
    /// Whom a frame to an address is for, in order of address.
    directory: Vec<(Address, u32)>,
    /// Members that hear broadcasts too.
    hears_all: Vec<u32>,
}

/// A frame on its way.
#[derive(Clone, Debug)]
pub struct Flight {
    /// The port that sends it.
    pub from: PortPlace,
    /// The frame.
    pub frame: Frame<Information>,
}

impl Air {
    /// Medium number `index` of a site, silent.
    pub fn new(site: &Site, index: usize, streams: &Streams) -> Self {
        let medium = &site.media[index];
        let member = |place: &PortPlace| {
            let station = &site.stations[place.station as usize];
            let access = station.ports[place.port as usize].access;
            let stream = |what: &str| streams.stream(&format!("station/{}/{}/{what}", station.name, medium.name));
            MemberSettings {
                transmit_delay: access.transmit_delay,
                transmit_tail: access.transmit_tail,
                wait: access.channel_wait,
                slot_time: access.slot_time,
                persistence: access.persistence,
                carrier_detect_delay: access.carrier_detection,
                receiver_recovery: access.receiver_recovery,
                full_duplex: access.full_duplex,
                transmission_limit: access.transmission_limit,
                loading: access.loading,
                watches: station.has_links && watches(&station.links),
                ..MemberSettings::new(stream("access"), stream("noise"))
            }
        };
        let members: Vec<MemberSettings> = medium.members.iter().map(member).collect();
        let channel = match medium.is_wire {
            true => Channel::wire(medium.settings, members.try_into().expect("a checked wire has two ends")),
            false => Channel::new(medium.settings, members, medium.hearing.clone()),
        };
        let address = |place: &PortPlace| site.stations[place.station as usize].address;
        let mut directory: Vec<(Address, u32)> = medium.members.iter().map(address).zip(0..).collect();
        directory.sort_unstable();
        let hears_all = |place: &PortPlace| !site.stations[place.station as usize].broadcasts.is_empty();
        let hears_all = (0..).zip(&medium.members).filter(|(_, place)| hears_all(place)).map(|(member, _)| member);
        Air { channel, scheduled: Time::NEVER, directory, hears_all: hears_all.collect() }
    }

    /// The member that a frame is for next.
    fn next_hop(&self, frame: &Frame<Information>) -> Option<u32> {
        let addressing = &frame.addressing;
        let address = addressing.digipeaters.next().unwrap_or(addressing.destination);
        let place = self.directory.binary_search_by_key(&address, |(known, _)| *known).ok()?;
        Some(self.directory[place].1)
    }
}

/// Schedules the next event of a medium.
pub fn schedule(air: &mut Air, medium: u32, events: &mut Events) {
    let next = air.channel.next_event();
    if next < air.scheduled {
        air.scheduled = next;
        events.at(next, Event::Medium(medium));
    }
}

impl Simulation<'_, '_> {
    pub(super) fn medium_due(&mut self, now: Time, medium: u32, events: &mut Events) {
        let air = &mut self.air[medium as usize];
        if air.scheduled == now {
            air.scheduled = Time::NEVER;
        }
        while self.air[medium as usize].channel.next_event() == now {
            let Some(happening) = self.air[medium as usize].channel.handle(now) else { continue };
            match happening {
                Happening::Load { member } => self.load(now, medium, member, events),
                Happening::Keyed { member } => self.keyed(now, medium, member, events),
                Happening::Ended { member, tag, start } => self.ended(now, medium, member, tag, start, events),
                Happening::Unkeyed { member } => self.unkeyed(now, medium, member, events),
                Happening::Carrier { ear, detected } => self.carrier(now, medium, ear, detected, events),
            }
        }
        schedule(&mut self.air[medium as usize], medium, events);
    }

    /// A member may transmit: its burst is what its port has to send at this instant.
    fn load(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let (station, port) = (place.station, place.port as usize);
        self.burst.clear();
        while let Some(frame) = self.stations[station as usize].ports[port].next_repeat() {
            self.take_off(now, station, port, frame, None);
        }
        let links = &mut self.stations[station as usize].ports[port].links;
        links.handle(now, Input::ChannelFree { information_frames: u16::MAX });
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

    fn keyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
        let place = self.place(medium, member);
        let state = &mut self.stations[place.station as usize];
        let port = &mut state.ports[place.port as usize];
        port.keyed = now;
        port.channel_busy(now, true);
        let (kind, mut context) = state.parts(now, &mut self.account);
        kind.transmits(&mut context, true);
        self.settle(now, place.station, events);
    }

    fn unkeyed(&mut self, now: Time, medium: u32, member: u32, events: &mut Events) {
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

    fn carrier(&mut self, now: Time, medium: u32, ear: u32, detected: bool, events: &mut Events) {
        let mut watchers = std::mem::take(&mut self.watchers);
        watchers.extend(self.air[medium as usize].channel.watchers(ear));
        for member in watchers.drain(..) {
            let place = self.place(medium, member);
            self.stations[place.station as usize].ports[place.port as usize].channel_busy(now, detected);
            self.settle(now, place.station, events);
        }
        self.watchers = watchers;
    }

    /// A frame has left the air.
    fn ended(&mut self, now: Time, medium: u32, member: u32, tag: u32, start: Time, events: &mut Events) {
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
        if let Some(job) = state.processor.take(now, job, work)
            && perform(now, job, &mut state.ports)
        {
            self.want(now, place, events);
        }
        self.settle(now, place.station, events);
    }

    /// A port asks for its medium.
    pub(super) fn want(&mut self, now: Time, place: PortPlace, events: &mut Events) {
        let site = self.stations[place.station as usize].ports[place.port as usize].site;
        let air = &mut self.air[site.medium as usize];
        air.channel.request(now, site.member);
        schedule(air, site.medium, events);
    }

    fn place(&self, medium: u32, member: u32) -> PortPlace {
        self.site.media[medium as usize].members[member as usize]
    }
}

/// What an I or UI frame carries.
pub fn information(frame: &Frame<Information>) -> Option<&Information> {
    match &frame.body {
        Body::I { data, .. } | Body::Ui { data, .. } => Some(data),
        _ => None,
    }
}
