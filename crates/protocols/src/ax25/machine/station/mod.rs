//! A station: its links, and the frames that belong to none.

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

mod receive;

/// A station under one address or several, with links to others.
#[derive(Clone, Debug)]
pub struct Station<D> {
    addresses: Box<[Address]>,
    /// Destinations of UI frames accepted in addition to its own addresses.
    broadcasts: Box<[Address]>,
    /// Of a proxy for any address, the digipeater fields that name itself.
    proxy_fields: Option<usize>,
    settings: Arc<Settings>,
    links: Vec<Link<D>>,
    serials: u32,
    /// Frames outside any link that wait for the channel.
    connectionless: VecDeque<(Frame<D>, Purpose)>,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
    channel_busy: bool,
    /// Whether a seize request is outstanding.
    seizing: bool,
    /// The link whose I frames go first in the next burst (round robin).
    first_link: usize,
}

impl<D: UserData> Station<D> {
    /// A station without links; refuses settings out of range.
    pub fn new(addresses: impl Into<Box<[Address]>>, settings: Arc<Settings>) -> Result<Self, ParameterOutOfRange> {
        settings.check()?;
        Ok(Station {
            addresses: addresses.into(),
            broadcasts: Box::default(),
            proxy_fields: None,
            settings,
            links: Vec::new(),
            serials: 0,
            connectionless: VecDeque::new(),
            outputs: VecDeque::new(),
            counters: Counters::default(),
            channel_busy: false,
            seizing: false,
            first_link: 0,
        })
    }

    /// Accepts UI frames to these destinations too (`NODES`, `QST`, `ID`).
    pub fn with_broadcasts(mut self, destinations: impl Into<Box<[Address]>>) -> Self {
        self.broadcasts = destinations.into();
        self
    }

    /// Accepts every address as its own: a proxy, such as a ROSE switch that terminates links on behalf of remote
    /// stations. Its driver passes it only frames addressed to it. `fields` of the digipeater path name the switch
    /// itself and are not hops: they do not lengthen T1.
    pub fn as_proxy(mut self, fields: usize) -> Self {
        self.proxy_fields = Some(fields);
        self
    }

    /// The addresses of the station itself.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// Whether a frame is for this station: all digipeaters have repeated it, and it accepts the destination. Cheap, so
    /// that a driver can filter frames early.
    pub fn accepts(&self, addressing: &Addressing) -> bool {
        let destination = addressing.destination;
        addressing.digipeaters.next().is_none() && (self.is_own(&destination) || self.broadcasts.contains(&destination))
    }

    fn is_own(&self, address: &Address) -> bool {
        self.proxy_fields.is_some() || self.addresses.contains(address)
    }

    /// The modulus of the link that a frame belongs to, which its parser needs.
    pub fn modulo(&self, addressing: &Addressing) -> Modulo {
        let key = LinkKey::of_received(addressing);
        self.position(&key).map_or(Modulo::Eight, |index| self.links[index].parameters.modulo)
    }

    /// The link with this key, if it is up, or being set up or ended.
    pub fn link(&self, key: &LinkKey) -> Option<LinkId> {
        self.position(key).map(|index| self.links[index].id)
    }

    /// The addresses of a link; `None` once its slot is reused.
    pub fn key(&self, link: LinkId) -> Option<LinkKey> {
        self.find(link).map(|link| link.key)
    }

    /// The state of a link.
    pub fn state(&self, link: LinkId) -> LinkState {
        self.find(link).map_or(LinkState::Disconnected, |link| link.state)
    }

    /// Unacknowledged I frames of a link, sent or not.
    pub fn backlog(&self, link: LinkId) -> usize {
        self.find(link).map_or(0, |link| link.sender.backlog())
    }

    /// N1 of a link: octets of information in an I frame.
    pub fn n1(&self, link: LinkId) -> u16 {
        self.find(link).map_or(self.settings.n1, |link| link.parameters.n1)
    }

    /// Whether anything waits for the channel.
    pub fn wants_channel(&self) -> bool {
        !self.connectionless.is_empty() || self.links.iter().any(Link::wants_channel)
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

    /// Applies `act` to a link, then requests the channel if frames are pending.
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
            self.seize_channel();
        }
    }

    fn seize_channel(&mut self) {
        if !std::mem::replace(&mut self.seizing, true) {
            self.outputs.push_back(Output::SeizeRequest);
        }
    }

    /// A slot for a new link: a free one, or one more within the limit.
    fn allocate(&mut self, key: LinkKey) -> Result<usize, Refusal> {
        let limit = self.settings.max_links;
        let free = |link: &Link<D>| link.state == LinkState::Disconnected && !link.wants_channel();
        let index = self.links.iter().position(free).unwrap_or(self.links.len());
        if index >= usize::from(limit) {
            return Err(Refusal::LinkLimit(limit));
        }
        self.serials = self.serials.wrapping_add(1);
        let digipeaters = key.digipeaters.len().saturating_sub(self.proxy_fields.unwrap_or(0));
        let id = LinkId { index: index as u16, serial: self.serials };
        let link = Link::new(id, key, &self.settings, digipeaters);
        match self.links.get_mut(index) {
            Some(slot) => *slot = link,
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
        let index = self.allocate(key)?;
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
        let (length, limit) = (data.length(), found.parameters.n1);
        if length > usize::from(limit) {
            return Err(Refusal::TooLong { length, limit });
        }
        self.with_link(now, link.index.into(), |link, context| link.send(context, pid, data));
        Ok(())
    }

    /// Sends a frame outside any link.
    fn send_connectionless(&mut self, key: &LinkKey, body: Body<D>) -> Result<(), Refusal> {
        self.check_own(key)?;
        let poll_final = matches!(body, Body::Test(_));
        let addressing = key.addressing(Role::Command);
        self.push_connectionless(Frame { addressing, poll_final, body }, Purpose::Unnumbered);
        Ok(())
    }

    fn push_connectionless(&mut self, frame: Frame<D>, purpose: Purpose) {
        self.connectionless.push_back((frame, purpose));
        self.seize_channel();
    }

    /// Transmits one burst: connectionless frames, then S and U frames, then I frames, round robin over the links.
    fn transmit_burst(&mut self, now: Time, mut limit: u16) {
        self.seizing = false;
        while let Some((frame, purpose)) = self.connectionless.pop_front() {
            self.outputs.push_back(Output::Transmit { link: None, frame, purpose });
        }
        let mut context = Context {
            now,
            settings: &self.settings,
            channel_busy: self.channel_busy,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
        };
        self.links.iter_mut().for_each(|link| link.transmit_control(&mut context));
        let count = self.links.len();
        for step in 0..count {
            limit = self.links[(self.first_link + step) % count].transmit_information(&mut context, limit);
        }
        self.first_link = if count > 0 { (self.first_link + 1) % count } else { 0 };
        if self.wants_channel() {
            self.seize_channel();
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
                self.transmit_burst(now, information_frames);
                Ok(())
            }
            Input::Transmitted => {
                for link in &mut self.links {
                    link.transmitted(now);
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
            Input::SendUnnumbered { key, pid, data } => self.send_connectionless(&key, Body::Ui { pid, data }),
            Input::SendTest { key, data } => self.send_connectionless(&key, Body::Test(data)),
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
    /// Applies `act` to a link that is not down.
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
