//! The media as they run: who is on them, and what is due on them.

use sojourn_core::{Streams, Time};
use sojourn_protocols::ax25::wire::{Address, Frame};

use super::information::Information;
use super::medium::{Channel, Happening, MemberSettings};
use super::port::watches;
use super::site::{PortPlace, Site};
use super::world::{Event, Events, Simulation};

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
    pub hears_all: Vec<u32>,
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
    pub fn next_hop(&self, frame: &Frame<Information>) -> Option<u32> {
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
    /// Lets all happen that is due on a medium.
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

    /// A port asks for its medium.
    pub(super) fn want(&mut self, now: Time, place: PortPlace, events: &mut Events) {
        let site = self.stations[place.station as usize].ports[place.port as usize].site;
        let air = &mut self.air[site.medium as usize];
        air.channel.request(now, site.member);
        schedule(air, site.medium, events);
    }

    /// The port of a member.
    pub(super) fn place(&self, medium: u32, member: u32) -> PortPlace {
        self.site.media[medium as usize].members[member as usize]
    }
}
