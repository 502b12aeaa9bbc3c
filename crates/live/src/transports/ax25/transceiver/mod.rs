//! A station and its transmitter: decides which frames go to the TNC, and when.
//!
//! The machine of [`protocols::ax25`](sojourn_protocols::ax25) requests the channel; it is granted when
//! - the TNC is connected,
//! - the burst before has [left](departure), so that frames are built as late as possible and T1 starts at the end of transmission,
//! - and the application has had a moment to answer what was received, so that its answer travels with the acknowledgement.
//!
//! The airtime of every frame is charged to the [`Budget`]. No frame waits for the budget: applications query it
//! before they begin an exchange ([`Transceiver::affords`]), which needs airtime of the far station as well
//! ([`partner`]).
//!
//! It is itself a sans-I/O machine.

mod departure;
mod identification;
mod io;
mod partner;
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
use partner::Partner;
pub use policy::{StationPolicy, TooLittleAirtime};

/// How long a response waits for the application's answer.
const APPLICATION_TIME: Duration = Duration::from_millis(2);

/// A station with a transmitter.
#[derive(Debug)]
pub struct Transceiver {
    own: Address,
    station: Station<Vec<u8>>,
    air: Air,
    /// Octets of information in a frame, at most.
    information: u64,
    /// I frames in a burst, at most.
    window: u64,
    /// Digipeaters of its path.
    digipeaters: usize,
    budget: Budget,
    /// The far station of its exchanges, if it begins them.
    partner: Option<Partner>,
    departure: Departure,
    identification: Identification,
    wants_channel: bool,
    /// When the application has had its moment.
    ready: Time,
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
        let StationPolicy { air, airtime, identify, asks_queue, window, digipeaters, partner } = *policy;
        // DISC and the identification
        let identification = air.keying() + air.longest_frame(0, identification::LONGEST);
        let reserve = air.control_burst(digipeaters) + identification;
        let information = u64::from(information);
        let longest = air.keying() + air.longest_frame(digipeaters, information);
        if reserve + longest > airtime {
            return Err(TooLittleAirtime { airtime, information, frame: longest, reserve });
        }
        let budget = Budget::new(airtime, reserve);
        Ok(Transceiver {
            own,
            station,
            air,
            information: information.max(1),
            window: u64::from(window).max(1),
            digipeaters,
            partner: partner.map(|address| Partner::new(address, budget.clone())),
            budget,
            departure: Departure::new(asks_queue),
            identification: Identification::new(identify),
            wants_channel: false,
            ready: Time::ZERO,
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
        self.departure.is_over() && !self.wants_channel
    }

    /// Sends data on a link, in frames of its size, in one burst as far as its window allows.
    pub fn send(&mut self, now: Time, link: LinkId, data: &[u8]) {
        let limit = usize::from(self.station.n1(link)).max(1);
        for piece in data.chunks(limit) {
            self.station.handle(now, machine::Input::Send { link, pid: Pid::NONE, data: piece.to_vec() });
        }
        self.ready = now;
        self.settle(now);
    }

    /// Airtime used since the start.
    pub fn airtime(&self) -> Duration {
        self.budget.total()
    }

    /// Whether the budget of a minute has room for an exchange that transmits for `airtime`.
    pub fn holds(&self, airtime: Duration) -> bool {
        self.budget.holds(airtime)
    }

    /// When an exchange in which this station transmits for `airtime`, and its partner for as long, may begin.
    pub fn affords(&self, now: Time, airtime: Duration) -> Time {
        let own = self.budget.when(now, airtime);
        self.partner.as_ref().map_or(own, |partner| own.max(partner.affords(now, airtime)))
    }

    /// The airtime of an exchange that sends this many octets and acknowledges as many, without losses.
    pub fn airtime_of(&self, octets: u64) -> Duration {
        self.airtime_to_send(octets) + self.air.control_burst(self.digipeaters).times(self.bursts(octets))
    }

    /// The airtime of sending this many octets, without losses.
    pub fn airtime_to_send(&self, octets: u64) -> Duration {
        let frame = |octets| self.air.longest_frame(self.digipeaters, octets);
        let (whole, frames) = (octets / self.information, self.frames(octets));
        let rest = frame(octets % self.information).times(frames - whole);
        frame(self.information).times(whole) + rest + self.air.keying().times(self.bursts(octets))
    }

    /// I frames for this many octets.
    fn frames(&self, octets: u64) -> u64 {
        octets.div_ceil(self.information).max(1)
    }

    /// Bursts for this many octets.
    fn bursts(&self, octets: u64) -> u64 {
        self.frames(octets).div_ceil(self.window)
    }

    /// What setting up a link and disconnecting it transmits.
    pub fn airtime_of_link(&self) -> Duration {
        self.air.control_burst(self.digipeaters).times(2)
    }

    fn heard(&mut self, now: Time, octets: &[u8]) {
        let parsed = Frame::parse_with(octets, |addressing| self.station.modulo(addressing));
        if let (Some(partner), Ok(frame)) = (&mut self.partner, &parsed) {
            partner.hear(now, &frame.addressing, octets, &self.air);
        }
        match parsed {
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

    /// Takes the station's outputs, and sends what it has to send.
    fn advance(&mut self, now: Time) {
        self.hear_station(now);
        while self.wants_channel && self.may_key() && now >= self.ready {
            self.wants_channel = false;
            // no data are sent at shutdown
            let information_frames = if self.leaving { 0 } else { u16::MAX };
            self.station.handle(now, machine::Input::SeizeConfirm { information_frames });
            let frames = self.hear_station(now);
            if frames.is_empty() {
                break;
            }
            self.transmit(now, frames);
        }
    }

    /// Shutdown does not wait for the previous burst.
    fn may_key(&self) -> bool {
        self.open && (self.departure.is_free() || self.leaving)
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

    /// Sends one burst.
    fn transmit(&mut self, now: Time, frames: VecDeque<Vec<u8>>) {
        let (mut burst, mut last) = (self.air.keying(), Duration::ZERO);
        self.budget.spend(now, burst);
        for octets in frames {
            last = self.air.frame(&octets);
            burst += last;
            // each for itself, as the far station accounts for it
            self.budget.spend(now, last);
            self.outputs.push_back(Output::Transmit(octets));
        }
        self.departure.begin(now, burst, last + self.air.transmit_tail);
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
    }
}

impl Machine for Transceiver {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Heard(octets) => {
                self.ready = now + APPLICATION_TIME;
                self.heard(now, &octets);
            }
            Input::Station(input) => {
                // RNR travels with an answer
                let waits = matches!(input, machine::Input::SetBusy { .. });
                self.ready = if waits { now + APPLICATION_TIME } else { now };
                self.station.handle(now, input);
            }
            Input::Queue(octets) => self.departure.indicate(now, octets),
            Input::Port { open } => {
                self.open = open;
                if !self.departure.is_over() {
                    // T1 waits for the end of the burst in any case
                    self.station.handle(now, machine::Input::Transmitted);
                }
                self.departure.forget();
            }
            Input::Leave => self.leaving = true,
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
        let ready = if self.wants_channel && self.may_key() { self.ready } else { Time::NEVER };
        let next = station.min(departure).min(ready).min(self.identification.due());
        (next != Time::NEVER).then_some(next)
    }
}
