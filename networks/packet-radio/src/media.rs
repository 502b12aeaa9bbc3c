//! State of a medium: its channel, and the addresses of its members.

use sojourn_core::{Streams, Time, rekey_fields};
use sojourn_protocols::ax25::wire::{Address, Frame};

use super::event::{Event, Events};
use super::information::Information;
use super::medium::{Channel, DcdHold, FrameErrors, MemberSettings};
use super::port::watches;
use super::port_settings::{Hold, PortPlace};
use super::site::Site;

/// State of a medium.
#[derive(Clone, Debug)]
pub struct MediumState {
    /// Channel access and reception.
    pub channel: Channel,
    /// When its next event is scheduled.
    pub scheduled: Time,
    /// Members by address, sorted.
    directory: Vec<(Address, u32)>,
    /// Members by each alias that they repeat frames for, sorted.
    aliases: Vec<(Address, u32)>,
    /// Members that receive broadcasts.
    pub receives_broadcasts: Vec<u32>,
}

/// A frame in flight.
#[derive(Clone, Debug)]
pub struct FrameInFlight {
    /// The port that sends it.
    pub from: PortPlace,
    /// The frame transmitted, with its addresses.
    pub frame: Frame<Information>,
}

impl MediumState {
    /// Medium number `index` of a site, idle.
    pub fn new(site: &Site, index: usize, streams: &Streams) -> Self {
        let medium = &site.media[index];
        let member = |place: &PortPlace| {
            let station = &site.stations[place.station as usize];
            let access = station.ports[place.port as usize].access;
            let stream = |what: &str| streams.stream(&format!("station/{}/{}/{what}", station.name, medium.name));
            MemberSettings {
                txdelay: access.txdelay,
                txtail: access.txtail,
                dwait: access.dwait,
                slottime: access.slottime,
                persistence: access.persistence,
                first_slot: access.first_slot,
                dcd_delay: access.dcd_delay,
                dcd_hold: match access.dcd_hold {
                    Hold::Constant(hold) => DcdHold::Constant(hold),
                    Hold::Ones(run) => DcdHold::Ones { run, noise: stream("dcd") },
                },
                receiver_recovery: access.receiver_recovery,
                full_duplex: access.full_duplex,
                transmission_limit: access.transmission_limit,
                loading: access.loading,
                frame_errors: (access.frame_error_rate > 0.0)
                    .then(|| FrameErrors { rate: access.frame_error_rate, draws: stream("frame-errors") }),
                watches: station.has_links && watches(&station.links),
                ..MemberSettings::new(stream("access"), stream("noise"))
            }
        };
        let members: Vec<MemberSettings> = medium.members.iter().map(member).collect();
        let channel = match medium.is_wire {
            true => Channel::wire(medium.settings, members.try_into().expect("a checked wire has two ends")),
            false => Channel::new(medium.settings, members, medium.hearing.clone()),
        };
        let channel = match &medium.levels {
            Some(levels) => channel.with_levels(levels.clone()),
            None => channel,
        };
        let name = |member: u32| &site.stations[medium.members[member as usize].station as usize].name;
        let path = |one, other| streams.stream(&format!("medium/{}/fading/{}/{}", medium.name, name(one), name(other)));
        let channel = match medium.fading {
            Some(fading) => channel.with_fading(fading, path),
            None => channel,
        };
        let address = |place: &PortPlace| site.stations[place.station as usize].address;
        let mut directory: Vec<(Address, u32)> = medium.members.iter().map(address).zip(0..).collect();
        directory.sort_unstable();
        let of_member = |(place, member): (&PortPlace, u32)| {
            let aliases = site.stations[place.station as usize].aliases.iter();
            aliases.map(move |alias| (*alias, member)).collect::<Vec<_>>()
        };
        let mut aliases: Vec<(Address, u32)> = medium.members.iter().zip(0..).flat_map(of_member).collect();
        aliases.sort_unstable();
        let receives_broadcasts = |place: &PortPlace| !site.stations[place.station as usize].broadcasts.is_empty();
        let receives_broadcasts =
            (0..).zip(&medium.members).filter(|(_, place)| receives_broadcasts(place)).map(|(member, _)| member);
        let receives_broadcasts = receives_broadcasts.collect();
        MediumState { channel, scheduled: Time::NEVER, directory, aliases, receives_broadcasts }
    }

    /// The member that a frame is addressed to: its next digipeater or its destination.
    pub fn next_hop(&self, frame: &Frame<Information>) -> Option<u32> {
        let addressing = &frame.addressing;
        let address = addressing.digipeaters.next().unwrap_or(addressing.destination);
        let place = self.directory.binary_search_by_key(&address, |(known, _)| *known).ok()?;
        Some(self.directory[place].1)
    }

    /// Where the members with this alias stand: [`with_alias`](Self::with_alias) returns each.
    pub fn places_of(&self, alias: Address) -> std::ops::Range<usize> {
        let from = self.aliases.partition_point(|(known, _)| *known < alias);
        from..self.aliases.partition_point(|(known, _)| *known <= alias)
    }

    /// The member at a place.
    pub fn with_alias(&self, place: usize) -> u32 {
        self.aliases[place].1
    }
}

/// Schedules the next event of a medium if it is earlier than the scheduled one.
pub fn schedule(medium_state: &mut MediumState, medium: u32, events: &mut Events) {
    let next = medium_state.channel.next_event();
    if next < medium_state.scheduled {
        medium_state.scheduled = next;
        events.at(next, Event::Medium(medium));
    }
}

rekey_fields!(MediumState { channel });
