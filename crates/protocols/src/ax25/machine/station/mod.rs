//! A station: its links, and the frames of none.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Machine, Time};

use crate::UserData;
use crate::ax25::machine::context::Context;
use crate::ax25::machine::counters::Counters;
use crate::ax25::machine::link::{Link, LinkState};
use crate::ax25::machine::output::{Input, LinkId, LinkKey, Output, Purpose, Refusal};
use crate::ax25::machine::settings::Settings;
use crate::ax25::wire::{Address, Addressing, Body, Frame, Modulo, Pid, Role};
use crate::limits::ParameterOutOfRange;

mod hearing;

/// A station under one address or several, with links to others.
#[derive(Debug)]
pub struct Station<D> {
    addresses: Box<[Address]>,
    /// Destinations of UI frames that are heard besides its own addresses.
    broadcasts: Box<[Address]>,
    /// Whether every address counts as its own, and how many digipeater fields then do.
    stands_in: Option<usize>,
    settings: Arc<Settings>,
    links: Vec<Link<D>>,
    serials: u32,
    /// Frames of no link that wait for the channel.
    stray: VecDeque<(Frame<D>, Purpose)>,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
    channel_busy: bool,
    /// Whether the driver has been told that the channel is wanted.
    wanted: bool,
    /// The link whose I frames go first in the next burst.
    turn: usize,
}

impl<D: UserData> Station<D> {
    /// A station just switched on.
    pub fn new(addresses: impl Into<Box<[Address]>>, settings: Arc<Settings>) -> Result<Self, ParameterOutOfRange> {
        settings.check()?;
        Ok(Station {
            addresses: addresses.into(),
            broadcasts: Box::default(),
            stands_in: None,
            settings,
            links: Vec::new(),
            serials: 0,
            stray: VecDeque::new(),
            outputs: VecDeque::new(),
            counters: Counters::default(),
            channel_busy: false,
            wanted: false,
            turn: 0,
        })
    }

    /// Hears UI frames to these destinations too (`NODES`, `QST`, `ID`).
    pub fn with_broadcasts(mut self, destinations: impl Into<Box<[Address]>>) -> Self {
        self.broadcasts = destinations.into();
        self
    }

    /// Takes every address for its own, as a ROSE switch does that ends links in the name of stations beyond it. Its
    /// driver hands it only frames that are meant for it. So many `fields` of a way with digipeaters name the switch
    /// itself and lie between no stations: they do not lengthen T1.
    pub fn as_proxy(mut self, fields: usize) -> Self {
        self.stands_in = Some(fields);
        self
    }

    /// The station's addresses.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// Whether a frame is for this station: all digipeaters have repeated it, and its destination is heard. A check a
    /// driver may make before it spends anything on the frame.
    pub fn accepts(&self, addressing: &Addressing) -> bool {
        let destination = addressing.destination;
        addressing.digipeaters.next().is_none() && (self.is_own(&destination) || self.broadcasts.contains(&destination))
    }

    fn is_own(&self, address: &Address) -> bool {
        self.stands_in.is_some() || self.addresses.contains(address)
    }

    /// How the link of a frame counts, which tells how to read it.
    pub fn modulo(&self, addressing: &Addressing) -> Modulo {
        let key = LinkKey::of_received(addressing);
        self.position(&key).map_or(Modulo::Eight, |index| self.links[index].modulo)
    }

    /// The link with this key, if it is up, or being set up or ended.
    pub fn link(&self, key: &LinkKey) -> Option<LinkId> {
        self.position(key).map(|index| self.links[index].id)
    }

    /// Whom a link joins; none once another has taken its place.
    pub fn key(&self, link: LinkId) -> Option<LinkKey> {
        self.find(link).map(|link| link.key)
    }

    /// The state of a link.
    pub fn state(&self, link: LinkId) -> LinkState {
        self.find(link).map_or(LinkState::Disconnected, |link| link.state)
    }

    /// Frames that a link has been given and that are not acknowledged.
    pub fn backlog(&self, link: LinkId) -> usize {
        self.find(link).map_or(0, |link| link.sending.backlog())
    }

    /// Octets of information that one frame of a link may have.
    pub fn information_limit(&self, link: LinkId) -> u16 {
        self.find(link).map_or(self.settings.n1, |link| link.information_limit)
    }

    /// Whether anything waits for the channel.
    pub fn wants_channel(&self) -> bool {
        !self.stray.is_empty() || self.links.iter().any(Link::wants_channel)
    }

    /// What the station has counted.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn find(&self, link: LinkId) -> Option<&Link<D>> {
        self.links.get(usize::from(link.index)).filter(|found| found.id == link)
    }

    fn position(&self, key: &LinkKey) -> Option<usize> {
        self.links.iter().position(|link| link.state != LinkState::Disconnected && link.key == *key)
    }

    /// Lets `act` change a link, then asks for the channel if the link needs it.
    fn with_link(&mut self, now: Time, index: usize, act: impl FnOnce(&mut Link<D>, &mut Context<'_, D>)) {
        let link = &mut self.links[index];
        let mut context = Context {
            now,
            settings: &self.settings,
            channel_busy: self.channel_busy,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
        };
        act(link, &mut context);
        if link.wants_channel() {
            self.want_channel();
        }
    }

    fn want_channel(&mut self) {
        if !std::mem::replace(&mut self.wanted, true) {
            self.outputs.push_back(Output::SeizeRequest);
        }
    }

    /// A place for a new link: one that is free, or one more within the limit.
    fn place(&mut self, key: LinkKey) -> Result<usize, Refusal> {
        let limit = self.settings.max_links;
        let free = |link: &Link<D>| link.state == LinkState::Disconnected && !link.wants_channel();
        let index = self.links.iter().position(free).unwrap_or(self.links.len());
        if index >= usize::from(limit) {
            return Err(Refusal::LinkLimit(limit));
        }
        self.serials = self.serials.wrapping_add(1);
        let digipeaters = key.digipeaters.len().saturating_sub(self.stands_in.unwrap_or(0));
        let id = LinkId { index: index as u16, serial: self.serials };
        let link = Link::new(id, key, &self.settings, digipeaters);
        match self.links.get_mut(index) {
            Some(place) => *place = link,
            None => self.links.push(link),
        }
        Ok(index)
    }

    fn connect(&mut self, now: Time, key: LinkKey) -> Result<(), Refusal> {
        let key = LinkKey { digipeaters: key.digipeaters.unrepeated(), ..key };
        self.check_own(&key)?;
        if self.position(&key).is_some() {
            return Err(Refusal::Exists(key.peer));
        }
        let index = self.place(key)?;
        self.with_link(now, index, |link, context| link.connect(context));
        Ok(())
    }

    fn check_own(&self, key: &LinkKey) -> Result<(), Refusal> {
        if self.is_own(&key.own) { Ok(()) } else { Err(Refusal::NotOwn(key.own)) }
    }

    fn send(&mut self, now: Time, link: LinkId, pid: Pid, data: D) -> Result<(), Refusal> {
        let found = self.find(link).ok_or(Refusal::NoLink)?;
        if matches!(found.state, LinkState::Disconnected | LinkState::AwaitingRelease) {
            return Err(Refusal::NoLink);
        }
        let (length, limit) = (data.length(), found.information_limit);
        if length > usize::from(limit) {
            return Err(Refusal::TooLong { length, limit });
        }
        self.with_link(now, link.index.into(), |link, context| link.send(context, pid, data));
        Ok(())
    }

    /// Sends a frame of no link.
    fn send_stray(&mut self, key: &LinkKey, body: Body<D>) -> Result<(), Refusal> {
        self.check_own(key)?;
        let poll_final = matches!(body, Body::Test(_));
        let addressing = key.addressing(Role::Command);
        self.push_stray(Frame { addressing, poll_final, body }, Purpose::Unnumbered);
        Ok(())
    }

    fn push_stray(&mut self, frame: Frame<D>, purpose: Purpose) {
        self.stray.push_back((frame, purpose));
        self.want_channel();
    }

    /// Hands over the frames of one burst: those of no link, then S and U frames, then I frames, the links by turns.
    fn give_burst(&mut self, now: Time, mut limit: u16) {
        self.wanted = false;
        while let Some((frame, purpose)) = self.stray.pop_front() {
            self.outputs.push_back(Output::Transmit { link: None, frame, purpose });
        }
        let mut context = Context {
            now,
            settings: &self.settings,
            channel_busy: self.channel_busy,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
        };
        self.links.iter_mut().for_each(|link| link.give_control(&mut context));
        let count = self.links.len();
        for step in 0..count {
            limit = self.links[(self.turn + step) % count].give_information(&mut context, limit);
        }
        self.turn = if count > 0 { (self.turn + 1) % count } else { 0 };
        if self.wants_channel() {
            self.want_channel();
        }
    }
}

impl<D: UserData> Machine for Station<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        let done = match input {
            Input::Receive { frame } => {
                self.receive(now, frame);
                Ok(())
            }
            Input::SeizeConfirm { information_frames } => {
                self.give_burst(now, information_frames);
                Ok(())
            }
            Input::Transmitted => {
                for link in &mut self.links {
                    link.t1.burst_ended(now);
                    link.negotiation.burst_ended(now);
                }
                Ok(())
            }
            Input::ChannelBusy { busy } => {
                self.channel_busy = busy;
                self.links.iter_mut().for_each(|link| link.channel_busy(now, &self.settings, busy));
                Ok(())
            }
            Input::Connect { key } => self.connect(now, key),
            Input::Send { link, pid, data } => self.send(now, link, pid, data),
            Input::Disconnect { link } => self.change(now, link, |link, context| link.disconnect(context)),
            Input::SetBusy { link, busy } => self.change(now, link, |link, context| link.set_busy(context, busy)),
            Input::SendUnnumbered { key, pid, data } => self.send_stray(&key, Body::Ui { pid, data }),
            Input::SendTest { key, data } => self.send_stray(&key, Body::Test(data)),
        };
        if let Err(refusal) = done {
            self.outputs.push_back(Output::Refused { refusal });
        }
    }

    fn wake(&mut self, now: Time) {
        for index in 0..self.links.len() {
            if self.links[index].next_wakeup() <= now {
                self.with_link(now, index, |link, context| link.wake(context));
            }
        }
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.links.iter().map(Link::next_wakeup).min().filter(|at| *at != Time::NEVER)
    }
}

impl<D: UserData> Station<D> {
    /// Lets `act` change a link that is not down.
    fn change(
        &mut self,
        now: Time,
        link: LinkId,
        act: impl FnOnce(&mut Link<D>, &mut Context<'_, D>),
    ) -> Result<(), Refusal> {
        if self.state(link) == LinkState::Disconnected {
            return Err(Refusal::NoLink);
        }
        self.with_link(now, link.index.into(), act);
        Ok(())
    }
}
