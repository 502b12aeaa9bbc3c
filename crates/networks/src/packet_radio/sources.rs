//! Traffic beside the probe: messages handed to TNCs as frames, without a serial line.

use sojourn_core::{Duration, Machine, Stream as Random, Streams, Time};
use sojourn_engine::arrivals::Process;
use sojourn_protocols::ax25::machine::{Input, LinkId, Output};
use sojourn_protocols::ax25::wire::{Body, Frame, Pid};
use sojourn_protocols::{StreamRange, UserData};

use super::information::{Information, Payload};
use super::site::{PortPlace, SenderSite, Site};
use super::world::{Event, Events, Simulation};

/// The first stream that is a sender's; those before are the probe's.
const FIRST_STREAM: u32 = 2;
/// How long a sender waits until it asks for its link again.
const RETRY: Duration = Duration::from_secs(10);

/// A sender as it runs.
#[derive(Debug)]
pub struct Sender {
    stream: u32,
    process: Process,
    draws: Random,
    /// Its link, while it has one.
    link: Option<LinkId>,
    up: bool,
    /// Whether the next arrival is scheduled.
    pending: bool,
    /// Messages handed over and not on their way (UI), or not acknowledged (I).
    waiting: u32,
    sent: u32,
}

impl Sender {
    /// Sender number `index` of a site, silent.
    pub fn new(site: &Site, index: usize, streams: &Streams) -> Self {
        let SenderSite { flow, station, process, .. } = &site.senders[index];
        let station = &site.stations[*station as usize].name;
        Sender {
            stream: FIRST_STREAM + index as u32,
            process: process.0.clone(),
            draws: streams.stream(&format!("flow/{flow}/{station}")),
            link: None,
            up: false,
            pending: false,
            waiting: 0,
            sent: 0,
        }
    }

    fn message(&mut self, length: u16) -> Information {
        let offset = self.sent.wrapping_mul(u32::from(length));
        self.sent = self.sent.wrapping_add(1);
        Information::User(Payload::Stream(StreamRange { stream: self.stream, offset, length }))
    }
}

/// The sender whose message this is.
fn sender_of(information: &Information) -> Option<u32> {
    match information.payload()? {
        Payload::Stream(range) => range.stream.checked_sub(FIRST_STREAM),
        Payload::Text(_) => None,
    }
}

impl Simulation<'_, '_> {
    pub(super) fn start_senders(&mut self, events: &mut Events) {
        for number in 0..self.senders.len() as u32 {
            let site = &self.site.senders[number as usize];
            let begin = Time::ZERO + site.process.1;
            if site.connected {
                events.at(begin, Event::Join(number));
            } else {
                self.next_arrival(begin, number, events);
            }
        }
    }

    /// A message is handed over; without room or a link for it, it is refused.
    pub(super) fn arrival(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.senders[number as usize];
        let sender = &mut self.senders[number as usize];
        sender.pending = false;
        let taken = sender.waiting < site.queue && (sender.up || !site.connected);
        self.measure.offered(site.number, taken);
        if taken {
            sender.waiting += 1;
            let data = sender.message(site.length);
            self.hand_over(now, number, data);
        }
        self.go_on(now, number, events);
        self.settle(now, site.station, events);
    }

    /// Schedules the next arrival, in a closed loop once there is room and a link for it.
    fn go_on(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.senders[number as usize];
        let sender = &self.senders[number as usize];
        let ready = sender.waiting < site.queue && (sender.up || !site.connected);
        if !sender.pending && (ready || !site.arrivals.is_closed()) {
            self.next_arrival(now, number, events);
        }
    }

    fn hand_over(&mut self, now: Time, number: u32, data: Information) {
        let site = &self.site.senders[number as usize];
        let links = &mut self.stations[site.station as usize].ports[site.port as usize].links;
        match self.senders[number as usize].link {
            Some(link) => links.handle(now, Input::Send { link, pid: Pid::NONE, data }),
            None => links.handle(now, Input::SendUnnumbered { key: site.key, pid: Pid::NONE, data }),
        }
    }

    fn next_arrival(&mut self, after: Time, number: u32, events: &mut Events) {
        let sender = &mut self.senders[number as usize];
        if let Some(at) = sender.process.next(after, &mut sender.draws) {
            sender.pending = true;
            events.at(at, Event::Arrival(number));
        }
    }

    /// Asks for a sender's link.
    pub(super) fn join(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = &self.site.senders[number as usize];
        let links = &mut self.stations[site.station as usize].ports[site.port as usize].links;
        if links.link(&site.key).is_some() {
            events.at(now + RETRY, Event::Join(number));
            return;
        }
        links.handle(now, Input::Connect { key: site.key });
        self.senders[number as usize].link = links.link(&site.key);
        self.settle(now, site.station, events);
    }

    /// A frame has left the air: a UI frame of a sender no longer waits.
    pub(super) fn sent(&mut self, now: Time, from: PortPlace, frame: &Frame<Information>, events: &mut Events) {
        let Body::Ui { data, .. } = &frame.body else { return };
        let Some(number) = sender_of(data) else { return };
        let site = &self.site.senders[number as usize];
        if site.station == from.station {
            self.done(now, number, 1, events);
        }
    }

    /// Messages of a sender no longer wait.
    fn done(&mut self, now: Time, number: u32, messages: u32, events: &mut Events) {
        let sender = &mut self.senders[number as usize];
        sender.waiting = sender.waiting.saturating_sub(messages);
        self.go_on(now, number, events);
    }

    /// What a link tells, if it is a sender's or brings a sender's message: `false` if it is the station's own.
    pub(super) fn told_sender(
        &mut self,
        now: Time,
        station: u32,
        port: usize,
        output: &Output<Information>,
        events: &mut Events,
    ) -> bool {
        if self.senders.is_empty() {
            return false;
        }
        let link = match output {
            Output::Deliver { data, .. } | Output::Unnumbered { data, .. } => {
                let Some(number) = sender_of(data) else { return false };
                self.measure.delivered(self.site.senders[number as usize].number, data.length());
                return true;
            }
            Output::Connected { link, .. }
            | Output::Acknowledged { link, .. }
            | Output::Reset { link, .. }
            | Output::Disconnected { link, .. } => *link,
            _ => return false,
        };
        let of_link = |number: &&u32| {
            let sender = &self.senders[**number as usize];
            sender.link == Some(link) && self.site.senders[**number as usize].port as usize == port
        };
        let Some(&number) = self.senders_of[station as usize].iter().find(of_link) else { return false };
        self.told_of_link(now, number, output, events);
        true
    }

    fn told_of_link(&mut self, now: Time, number: u32, output: &Output<Information>, events: &mut Events) {
        let sender = &mut self.senders[number as usize];
        match output {
            Output::Connected { .. } => {
                sender.up = true;
                self.go_on(now, number, events);
            }
            Output::Acknowledged { frames, .. } => self.done(now, number, u32::from(*frames), events),
            Output::Reset { lost, .. } => self.done(now, number, *lost, events),
            Output::Disconnected { .. } => {
                (sender.link, sender.up, sender.waiting) = (None, false, 0);
                events.at(now + RETRY, Event::Join(number));
            }
            _ => {}
        }
    }
}
