//! The simulation: media, stations and senders, and what each event does to them.
//!
//! | file | concern |
//! |---|---|
//! | `air` | the media: who is on them, and what is due on them |
//! | `burst` | bursts are loaded, transmitters keyed |
//! | `receiving` | frames have left the air, and who takes them |
//! | `station` | a station's ports and processor, and what it is |
//! | `terminal/` | PCs, serial lines, and the programs of the ping-pong |
//! | `senders` | traffic beside the probe |
//! | `account` | what is observed of the probe |
//! | `measure` | what else is observed |

use sojourn_core::{Machine, Streams, Time};
use sojourn_engine::{Queue, World};
use sojourn_protocols::ax25::machine::Output;

use super::budget::Component;
use super::capture::Tap;
use super::convergence::converge;
use super::information::Information;
use super::media::{Air, Flight};
use super::medium::AirFrame;
use super::metrics::Measure;
use super::round_trip::Account;
use super::site::{PortPlace, Site};
use super::sources::Sender;
use super::station::{Job, Station, perform};
use crate::common::slab::Slab;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something is due on a medium.
    Medium(u32),
    /// A station's timer, or its processor.
    Wake(u32),
    /// A message is handed over.
    Arrival(u32),
    /// A sender asks for its link.
    Join(u32),
    /// The warm-up is over.
    WarmedUp,
}

/// What the simulation schedules on.
pub type Events = Queue<Event>;

/// Media, stations and senders as they run.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) air: Vec<Air>,
    pub(super) stations: Vec<Station>,
    pub(super) senders: Vec<Sender>,
    /// The senders of each station.
    pub(super) senders_of: Vec<Vec<u32>>,
    pub(super) flights: Slab<Flight>,
    pub(super) account: Account,
    pub(super) measure: Measure,
    pub(super) capture: Option<Tap<'c>>,
    /// The frames of the burst that is being loaded.
    pub(super) burst: Vec<AirFrame>,
    /// Those that are being told of a carrier.
    pub(super) watchers: Vec<u32>,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// A site at rest, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        streams: &Streams,
        account: Account,
        measure: Measure,
        capture: Option<Tap<'c>>,
    ) -> Self {
        let stations =
            (0..site.stations.len()).map(|index| Station::new(site, index, measure.from(), streams)).collect();
        let mut senders_of = vec![Vec::new(); site.stations.len()];
        for (number, sender) in (0..).zip(&site.senders) {
            senders_of[sender.station as usize].push(number);
        }
        Simulation {
            site,
            air: (0..site.media.len()).map(|index| Air::new(site, index, streams)).collect(),
            stations,
            senders: (0..site.senders.len()).map(|index| Sender::new(site, index, streams)).collect(),
            senders_of,
            flights: Slab::new(),
            account,
            measure,
            capture,
            burst: Vec::new(),
            watchers: Vec::new(),
        }
    }

    /// Switches everything on.
    pub fn start(&mut self, events: &mut Events) {
        converge(self.site, &mut self.stations);
        for station in 0..self.stations.len() as u32 {
            let (kind, mut context) = self.stations[station as usize].parts(Time::ZERO, &mut self.account);
            kind.start(&mut context);
            self.settle(Time::ZERO, station, events);
        }
        self.start_senders(events);
    }

    fn wake(&mut self, now: Time, station: u32, events: &mut Events) {
        let state = &mut self.stations[station as usize];
        if state.scheduled == now {
            state.scheduled = Time::NEVER;
        }
        while let Some((job, began)) = self.stations[station as usize].processor.complete(now) {
            charge_job(&mut self.account, &job, began, now);
            let place = PortPlace { station, port: job.port() };
            if perform(now, job, &mut self.stations[station as usize].ports) {
                self.want(now, place, events);
            }
        }
        let state = &mut self.stations[station as usize];
        for port in &mut state.ports {
            if port.links.next_wakeup().is_some_and(|due| due <= now) {
                port.links.wake(now);
            }
        }
        let (kind, mut context) = state.parts(now, &mut self.account);
        kind.wake(&mut context);
        self.settle(now, station, events);
    }

    /// Passes on all that a station's links tell, until they have told everything, and schedules its next wake-up.
    pub(super) fn settle(&mut self, now: Time, station: u32, events: &mut Events) {
        loop {
            let mut told = false;
            for port in 0..self.stations[station as usize].ports.len() {
                while let Some(output) = self.stations[station as usize].ports[port].links.poll_output() {
                    told = true;
                    self.told(now, station, port, output, events);
                }
            }
            if !told {
                break;
            }
        }
        let state = &mut self.stations[station as usize];
        let next = state.next_wakeup();
        if next < state.scheduled {
            state.scheduled = next;
            events.at(next, Event::Wake(station));
        }
    }

    fn told(&mut self, now: Time, station: u32, port: usize, output: Output<Information>, events: &mut Events) {
        match output {
            Output::SeizeRequest => {
                self.stations[station as usize].ports[port].asked = now;
                self.want(now, PortPlace { station, port: port as u32 }, events);
            }
            Output::Transmit { frame, purpose, .. } => {
                let frame = self.stations[station as usize].ports[port].sends(frame);
                self.take_off(now, station, port, frame, Some(purpose));
            }
            output => {
                if let Output::Deliver { data, .. } = &output {
                    self.account.delivered(data);
                }
                if !self.told_sender(now, station, port, &output, events) {
                    let (kind, mut context) = self.stations[station as usize].parts(now, &mut self.account);
                    kind.told(&mut context, port, output);
                }
            }
        }
    }

    fn warmed_up(&mut self, now: Time) {
        self.measure.begin();
        self.air.iter_mut().for_each(|air| air.channel.reset_tally(now));
        self.stations.iter_mut().for_each(|station| station.processor.end_warm_up(now));
    }
}

/// Charges the work on a job, and the wait before it.
fn charge_job(account: &mut Account, job: &Job, began: Time, now: Time) {
    if let Some(information) = job.information() {
        account.charge_if(Component::Queues, information, began);
        account.charge_if(Component::Processors, information, now);
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn is_finished(&self) -> bool {
        self.account.is_finished()
    }

    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Medium(medium) => self.medium_due(now, medium, events),
            Event::Wake(station) => self.wake(now, station, events),
            Event::Join(sender) => self.join(now, sender, events),
            Event::Arrival(sender) => self.arrival(now, sender, events),
            Event::WarmedUp => self.warmed_up(now),
        }
    }
}
