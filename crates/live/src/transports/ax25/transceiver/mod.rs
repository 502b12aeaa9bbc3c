//! A station and its transmitter: which frames go to the TNC, when, within the airtime budget.
//!
//! The machine of [`protocols::ax25`](sojourn_protocols::ax25) requests the channel; here it gets it when
//! - the TNC is connected,
//! - the burst before has [left](departure), so that frames are built as late as possible and T1 starts at the end of transmission,
//! - and the [`Budget`] has room for the longest frame, which also limits the I frames of the burst. Frames beyond the
//!   budget wait.
//!
//! It is itself a machine without clock or socket.

mod departure;
mod identification;
mod io;
mod policy;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::{self, LinkId, LinkKey, LinkState, Station};
use sojourn_protocols::ax25::wire::{Address, Addressing, Frame, Pid};

use super::airtime::Air;
use super::airtime_budget::Budget;
use departure::{Departure, Step};
use identification::Identification;
pub use io::{Input, Output, StationInput, StationOutput};
pub use policy::{StationPolicy, TooLittleAirtime};

/// A station with a transmitter.
#[derive(Debug)]
pub struct Transceiver {
    own: Address,
    station: Station<Vec<u8>>,
    air: Air,
    /// Duration of the longest I frame.
    longest: Duration,
    budget: Budget,
    departure: Departure,
    identification: Identification,
    /// Frames built that wait for airtime.
    held: VecDeque<Vec<u8>>,
    wants_channel: bool,
    /// When the budget allows the waiting frames.
    payment: Time,
    open: bool,
    leaving: bool,
    outputs: VecDeque<Output>,
}

impl Transceiver {
    /// A transceiver for the station of `own`, which sends at most `information` octets per frame.
    pub fn new(
        own: Address,
        station: Station<Vec<u8>>,
        information: u16,
        policy: &StationPolicy,
    ) -> Result<Transceiver, TooLittleAirtime> {
        let StationPolicy { air, airtime, identify, asks_queue } = *policy;
        // DISC and the identification
        let reserve = air.keying().times(2) + air.longest_frame(0) + air.longest_frame(identification::LONGEST);
        let information = u64::from(information);
        let longest = air.longest_frame(information);
        if reserve + air.keying() + longest > airtime {
            return Err(TooLittleAirtime { airtime, information, frame: air.keying() + longest, reserve });
        }
        Ok(Transceiver {
            own,
            station,
            air,
            longest,
            budget: Budget::new(airtime, reserve),
            departure: Departure::new(asks_queue),
            identification: Identification::new(identify),
            held: VecDeque::new(),
            wants_channel: false,
            payment: Time::NEVER,
            open: true,
            leaving: false,
            outputs: VecDeque::new(),
        })
    }

    /// The AX.25 station in it.
    pub fn station(&self) -> &Station<Vec<u8>> {
        &self.station
    }

    /// The link with this key, unless it is down.
    pub fn link(&self, key: &LinkKey) -> Option<LinkId> {
        self.station.link(key)
    }

    /// Whether a link is down.
    pub fn is_down(&self, link: LinkId) -> bool {
        self.station.state(link) == LinkState::Disconnected
    }

    /// Whether nothing is being transmitted or waits for it.
    pub fn is_quiet(&self) -> bool {
        self.departure.is_over() && self.held.is_empty() && !self.wants_channel
    }

    /// Airtime used since the start.
    pub fn airtime(&self) -> Duration {
        self.budget.total()
    }

    fn heard(&mut self, now: Time, octets: &[u8]) {
        match Frame::parse_with(octets, |addressing| self.station.modulo(addressing)) {
            Err(fault) => self.outputs.push_back(Output::Unreadable(fault)),
            Ok(frame) if self.is_own(&frame.addressing) => {
                self.outputs.push_back(Output::Repeated(frame.map(<[u8]>::to_vec)));
            }
            Ok(frame) => self.station.handle(now, machine::Input::Receive { frame: frame.map(<[u8]>::to_vec) }),
        }
    }

    fn is_own(&self, addressing: &Addressing) -> bool {
        addressing.source == self.own && addressing.digipeaters.iter().any(|(_, repeated)| repeated)
    }

    fn identify(&mut self, now: Time) {
        self.identification.done();
        let key = LinkKey::direct(self.own, identification::address());
        let data = identification::text(&self.own);
        self.station.handle(now, machine::Input::SendUnnumbered { key, pid: Pid::NONE, data });
    }

    /// Sends what the budget allows, and takes the station's outputs.
    fn advance(&mut self, now: Time) {
        self.hear_station(now);
        if !self.open {
            return;
        }
        if !self.held.is_empty() && self.may_key() {
            let frames = std::mem::take(&mut self.held);
            self.transmit(now, frames);
        }
        while self.wants_channel && self.held.is_empty() && self.may_key() && now >= self.affordable(now) {
            self.wants_channel = false;
            let information_frames = self.information_frames(now);
            self.station.handle(now, machine::Input::SeizeConfirm { information_frames });
            let frames = self.hear_station(now);
            if frames.is_empty() {
                break;
            }
            self.transmit(now, frames);
        }
    }

    /// I frames that the budget allows; none at shutdown.
    fn information_frames(&self, now: Time) -> u16 {
        if self.leaving {
            return 0;
        }
        let room = self.budget.left(now, false).saturating_sub(self.air.keying());
        u16::try_from(room.whole(self.longest)).unwrap_or(u16::MAX)
    }

    /// Shutdown does not wait for the previous burst.
    fn may_key(&self) -> bool {
        self.departure.is_free() || self.leaving
    }

    /// When the budget allows the next burst: with an I frame, or without at shutdown.
    fn affordable(&self, now: Time) -> Time {
        let frame = if self.leaving { self.air.longest_frame(0) } else { self.longest };
        self.budget.when(now, self.air.keying() + frame, self.leaving)
    }

    /// Passes the station's outputs on; returns its frames.
    fn hear_station(&mut self, now: Time) -> VecDeque<Vec<u8>> {
        let mut frames = VecDeque::new();
        while let Some(output) = self.station.poll_output() {
            match output {
                machine::Output::SeizeRequest => self.wants_channel = true,
                machine::Output::Transmit { frame, .. } => {
                    if frame.addressing.destination != identification::address() {
                        self.identification.transmitted(now);
                    }
                    // every frame of the machine can be encoded
                    frames.extend(frame.to_bytes());
                }
                output => self.outputs.push_back(Output::Station(output)),
            }
        }
        frames
    }

    /// Sends one burst; frames beyond the budget wait.
    fn transmit(&mut self, now: Time, frames: VecDeque<Vec<u8>>) {
        let (mut burst, mut last) = (Duration::ZERO, Duration::ZERO);
        for octets in frames {
            let keying = if burst == Duration::ZERO { self.air.keying() } else { Duration::ZERO };
            let frame = self.air.frame(&octets);
            if !self.held.is_empty() || !self.budget.spend(now, keying + frame, self.leaving) {
                self.held.push_back(octets);
                continue;
            }
            burst += keying + frame;
            last = frame;
            self.outputs.push_back(Output::Transmit(octets));
        }
        if burst > Duration::ZERO {
            self.departure.begin(now, burst, last + self.air.transmit_tail);
        }
    }

    fn watch_departure(&mut self, now: Time) {
        while let Some(step) = self.departure.step(now) {
            match step {
                Step::Ask => self.outputs.push_back(Output::AskQueue),
                Step::Untold => self.outputs.push_back(Output::QueueUnknown),
                Step::Left => self.station.handle(now, machine::Input::Transmitted),
            }
        }
    }

    /// Does everything that is due.
    fn settle(&mut self, now: Time) {
        if self.open {
            self.watch_departure(now);
        }
        self.advance(now);
        self.payment = self.next_payment(now);
    }

    /// When the budget allows waiting frames.
    fn next_payment(&self, now: Time) -> Time {
        match self.held.front() {
            _ if !self.open || !self.may_key() => Time::NEVER,
            Some(octets) => self.budget.when(now, self.air.keying() + self.air.frame(octets), self.leaving),
            None if self.wants_channel && !self.leaving => self.affordable(now),
            None => Time::NEVER,
        }
    }
}

impl Machine for Transceiver {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Heard(octets) => self.heard(now, &octets),
            Input::Station(input) => self.station.handle(now, input),
            Input::Queue(octets) => self.departure.indicate(now, octets),
            Input::Port { open } => {
                self.open = open;
                if !self.departure.is_over() {
                    // T1 waits for the end of the burst in any case
                    self.station.handle(now, machine::Input::Transmitted);
                }
                self.departure.forget();
            }
            Input::Leave => {
                self.leaving = true;
                self.held.clear();
            }
            Input::Identify if self.identification.is_owed() => self.identify(now),
            Input::Identify => {}
        }
        self.settle(now);
    }

    fn wake(&mut self, now: Time) {
        self.station.wake(now);
        if self.identification.due() <= now {
            self.identify(now);
        }
        self.settle(now);
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let departure = if self.open { self.departure.next() } else { Time::NEVER };
        let station = self.station.next_wakeup().unwrap_or(Time::NEVER);
        let next = station.min(departure).min(self.payment).min(self.identification.due());
        (next != Time::NEVER).then_some(next)
    }
}
