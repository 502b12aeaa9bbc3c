//! A port: a station's AX.25 on one medium, and the frames it repeats.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::{Digipeater, Input, LinkKey, Settings, Station, TimerStart};
use sojourn_protocols::ax25::wire::{Address, Addressing, Frame};
use sojourn_protocols::rose::machine::{UserCall, all_repeated, repeated_up_to};

use super::information::Information;
use super::medium::Loading;
use super::site::{KindSite, PortPlace, PortSite, StationSite};

/// Digipeater fields of a user's way that name a switch: its call and a number.
const SWITCH_FIELDS: usize = 2;

/// A station's AX.25 on one medium.
#[derive(Debug)]
pub struct Port {
    /// Which station's, and which of its ports.
    pub place: PortPlace,
    /// Where it is.
    pub site: PortSite,
    /// Whether its medium is a wire.
    pub is_wire: bool,
    /// Its station's callsign.
    pub address: Address,
    /// Its links.
    pub links: Station<Information>,
    /// Destinations of frames for all that are for it too.
    broadcasts: Vec<Address>,
    /// When they asked for the channel.
    pub asked: Time,
    /// When the transmitter was keyed last.
    pub keyed: Time,
    digipeater: Option<Digipeater<Information>>,
    /// Frames to repeat that wait for the channel.
    repeats: VecDeque<Frame<Information>>,
    watches: bool,
    /// Whether it ends the links of users in the names of stations beyond it, as a ROSE switch does.
    stands_in: bool,
}

impl Port {
    /// A port that has just been switched on.
    ///
    /// Panics when the link settings are out of range; the scenario's rules have seen to that.
    pub fn new(place: PortPlace, station: &StationSite, is_wire: bool) -> Self {
        let links = Station::new([station.address], Arc::clone(&station.links)).expect("settings within their ranges");
        let links = match station.kind {
            KindSite::Switch(_) => links.as_proxy(SWITCH_FIELDS),
            // it has links in its users' names
            KindSite::Node(_) => links.as_proxy(0),
            KindSite::Terminal(_) | KindSite::Digipeater => links,
        };
        let links = links.with_broadcasts(station.broadcasts.clone());
        Port {
            place,
            site: station.ports[place.port as usize],
            is_wire,
            address: station.address,
            links,
            broadcasts: station.broadcasts.clone(),
            asked: Time::ZERO,
            keyed: Time::ZERO,
            digipeater: station.digipeats.then(|| Digipeater::new([station.address])),
            repeats: VecDeque::new(),
            watches: watches(&station.links),
            stands_in: matches!(station.kind, KindSite::Switch(_)),
        }
    }

    /// Whether a frame is for this station, to take or to repeat.
    pub fn accepts(&self, addressing: &Addressing) -> bool {
        self.takes(addressing) || self.repeats_for(addressing)
    }

    /// Whether a frame is for this station to take. What a switch overhears between others is not.
    fn takes(&self, addressing: &Addressing) -> bool {
        let calls = [self.address];
        let beyond = self.stands_in && !calls.contains(&addressing.destination);
        self.stands_in && UserCall::of_received(&calls, addressing).is_some()
            || !beyond && self.links.accepts(addressing)
    }

    fn repeats_for(&self, addressing: &Addressing) -> bool {
        self.digipeater.as_ref().is_some_and(|digipeater| digipeater.accepts(addressing))
    }

    /// Whether a frame is for all, and the station among them.
    pub fn hears_all(&self, addressing: &Addressing) -> bool {
        addressing.digipeaters.next().is_none() && self.broadcasts.contains(&addressing.destination)
    }

    /// Takes a frame that came in. What it must repeat waits for the channel: `true` when that has to be asked for.
    pub fn receive(&mut self, now: Time, mut frame: Frame<Information>) -> bool {
        let taken = self.takes(&frame.addressing);
        match &mut self.digipeater {
            Some(digipeater) if !taken => {
                digipeater.handle(now, frame);
                let waiting = !self.repeats.is_empty();
                self.repeats.extend(std::iter::from_fn(|| digipeater.poll_output()));
                !waiting
            }
            _ => {
                if self.stands_in {
                    frame.addressing.digipeaters = all_repeated(frame.addressing.digipeaters);
                }
                self.links.handle(now, Input::Receive { frame });
                false
            }
        }
    }

    /// A frame of the links, as it goes on the air.
    pub fn sends(&self, mut frame: Frame<Information>) -> Frame<Information> {
        if self.stands_in {
            frame.addressing.digipeaters = repeated_up_to(&[self.address], frame.addressing.digipeaters);
        }
        frame
    }

    /// The next frame that waits to be repeated; they go ahead of all others.
    pub fn next_repeat(&mut self) -> Option<Frame<Information>> {
        self.repeats.pop_front()
    }

    /// When the transmitter is or was keyed for a burst that is loaded `now`.
    pub fn keyed_for_load(&self, now: Time) -> Time {
        match self.site.access.loading {
            Loading::AtKeyUp => now,
            Loading::AfterTransmitDelay => self.keyed,
        }
    }

    /// Tells the links whether the channel is busy, if any of their timers stands still then.
    pub fn channel_busy(&mut self, now: Time, busy: bool) {
        if self.watches {
            self.links.handle(now, Input::ChannelBusy { busy });
        }
    }

    /// A link from here to a station that is heard.
    pub fn key_to(&self, peer: Address) -> LinkKey {
        LinkKey::direct(self.address, peer)
    }
}

/// Whether a timer of links with these settings stands still while the channel is busy.
pub fn watches(settings: &Settings) -> bool {
    settings.t1_start == TimerStart::PausedWhileBusy || settings.t2_pauses
}
