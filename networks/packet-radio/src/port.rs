//! A port: a station's AX.25 links on one medium, and its digipeater.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::ax25::machine::{Digipeater, Input, LinkKey, Settings, Station, TimerStart};
use sojourn_protocols::ax25::wire::{Address, Addressing, Frame};
use sojourn_protocols::rose::machine::{UserCall, all_repeated, repeated_up_to};

use super::information::Information;
use super::medium::Loading;
use super::port_settings::{PortPlace, PortSettings};

/// Digipeater fields of a user's path that address a switch: its callsign and a network address.
const SWITCH_FIELDS: usize = 2;

/// Whose links a station terminates besides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proxy {
    /// No others.
    None,
    /// It has links under its users' callsigns, as a NET/ROM node.
    Users,
    /// It terminates users' links under the callsigns of remote stations, as a ROSE switch.
    Stations,
}

/// What the ports of a station need of it.
#[derive(Clone, Copy, Debug)]
pub struct LinkLayer<'s> {
    /// Its callsign and SSID.
    pub address: Address,
    /// Link layer parameters.
    pub settings: &'s Arc<Settings>,
    /// Broadcast destinations of UI frames that it receives.
    pub broadcasts: &'s [Address],
    /// Whether it repeats frames.
    pub digipeats: bool,
    /// Addresses beside its own that it repeats frames for.
    pub aliases: &'s [Address],
    /// Whose links it terminates besides its own.
    pub proxy: Proxy,
}

/// A station's AX.25 on one medium.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its station and number.
    pub place: PortPlace,
    /// Its medium and channel access.
    pub site: PortSettings,
    /// Its station's callsign.
    pub address: Address,
    /// Its links.
    pub links: Station<Information>,
    /// Broadcast addresses that it receives.
    broadcasts: Vec<Address>,
    /// When the links last requested the channel.
    pub asked: Time,
    /// Last key-up.
    pub keyed: Time,
    digipeater: Option<Digipeater<Information>>,
    /// Frames to digipeat that wait for the channel.
    repeats: VecDeque<Frame<Information>>,
    watches: bool,
    /// Whether it terminates users' links under the callsigns of remote stations, as a ROSE switch does.
    is_proxy: bool,
}

impl Port {
    /// A port in its initial state.
    ///
    /// Panics when the link settings are out of range, which the scenario's rules exclude.
    pub fn new(place: PortPlace, site: PortSettings, layer: LinkLayer<'_>) -> Self {
        let LinkLayer { address, settings, broadcasts, digipeats, aliases, proxy } = layer;
        let links = Station::new([address], Arc::clone(settings)).expect("settings within their ranges");
        let links = match proxy {
            Proxy::Stations => links.as_proxy(SWITCH_FIELDS),
            Proxy::Users => links.as_proxy(0),
            Proxy::None => links,
        };
        Port {
            place,
            site,
            address,
            links: links.with_broadcasts(broadcasts.to_vec()),
            broadcasts: broadcasts.to_vec(),
            asked: Time::ZERO,
            keyed: Time::ZERO,
            digipeater: digipeats.then(|| Digipeater::new([&[address], aliases].concat())),
            repeats: VecDeque::new(),
            watches: watches(settings),
            is_proxy: proxy == Proxy::Stations,
        }
    }

    /// Whether the station accepts a frame, for its links or to digipeat.
    pub fn accepts(&self, addressing: &Addressing) -> bool {
        self.is_for_links(addressing) || self.is_to_digipeat(addressing)
    }

    /// Whether a frame is for the station's links. A switch ignores frames between other stations.
    fn is_for_links(&self, addressing: &Addressing) -> bool {
        let calls = [self.address];
        let remote = self.is_proxy && !calls.contains(&addressing.destination);
        self.is_proxy && UserCall::of_received(&calls, addressing).is_some()
            || !remote && self.links.accepts(addressing)
    }

    fn is_to_digipeat(&self, addressing: &Addressing) -> bool {
        self.digipeater.as_ref().is_some_and(|digipeater| digipeater.accepts(addressing))
    }

    /// Whether a frame is a broadcast that the station receives.
    pub fn is_broadcast(&self, addressing: &Addressing) -> bool {
        addressing.digipeaters.next().is_none() && self.broadcasts.contains(&addressing.destination)
    }

    /// Receives a frame. A frame to digipeat waits for the channel: `true` if the port must request it.
    pub fn receive(&mut self, now: Time, mut frame: Frame<Information>) -> bool {
        let for_links = self.is_for_links(&frame.addressing);
        match &mut self.digipeater {
            Some(digipeater) if !for_links => {
                digipeater.handle(now, frame);
                let waiting = !self.repeats.is_empty();
                self.repeats.extend(std::iter::from_fn(|| digipeater.poll_output()));
                !waiting
            }
            _ => {
                if self.is_proxy {
                    frame.addressing.digipeaters = all_repeated(frame.addressing.digipeaters);
                }
                self.links.handle(now, Input::Receive { frame });
                false
            }
        }
    }

    /// A frame of the links, as transmitted.
    pub fn outgoing(&self, mut frame: Frame<Information>) -> Frame<Information> {
        if self.is_proxy {
            frame.addressing.digipeaters = repeated_up_to(&[self.address], frame.addressing.digipeaters);
        }
        frame
    }

    /// The next frame to digipeat; these precede all others.
    pub fn next_repeat(&mut self) -> Option<Frame<Information>> {
        self.repeats.pop_front()
    }

    /// Key-up of a burst that is loaded `now`.
    pub fn keyed_for_load(&self, now: Time) -> Time {
        match self.site.access.loading {
            Loading::AtKeyUp => now,
            Loading::AfterTxdelay => self.keyed,
        }
    }

    /// Signals the links whether the channel is busy, if a timer pauses then.
    pub fn channel_busy(&mut self, now: Time, busy: bool) {
        if self.watches {
            self.links.handle(now, Input::ChannelBusy { busy });
        }
    }

    /// The key of a direct link to a station.
    pub fn key_to(&self, peer: Address) -> LinkKey {
        LinkKey::direct(self.address, peer)
    }
}

/// Whether a timer of links with these settings pauses while the channel is busy.
pub fn watches(settings: &Settings) -> bool {
    settings.t1_start == TimerStart::PausedWhileBusy || settings.t2_pauses
}
