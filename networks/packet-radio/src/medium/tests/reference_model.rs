//! Reference model: the channel simulated station by station and slot by slot. Each station decides at each of its slots,
//! from all past and present carriers. Slow but plain; [`equivalence`](super::equivalence) compares the channel with it.

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::hdlc::air_time::{UNITS_PER_BIT, mean_units};

use super::super::draws::{BitErrors, Persistence};
use super::{
    AirFrame, ChannelEvent, ChannelSettings, FirstSlot, FrameErrors, Hearing, Loading, MemberSettings, Received,
};

const AN_INSTANT: Duration = Duration::from_picoseconds(1);

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Idle,
    /// Its receiver recovers until this instant.
    Resting(Time),
    /// It has detected a carrier.
    Held,
    /// Its next slot begins at this instant.
    Deciding(Time),
    Granted,
    Keyed,
}

struct Station {
    settings: MemberSettings,
    phase: Phase,
    requested: bool,
    /// Slots it still skips.
    left: u64,
    /// When it may contend after the last carrier it detected.
    idle_from: Time,
    /// Until when it detects the last carrier, if it does so after its end.
    held_until: Time,
    /// Carriers that came on before this instant are detected at once: another was detected meanwhile.
    latched_before: Time,
    contends_from: Time,
    slots: Persistence,
    errors: BitErrors,
}

#[derive(Clone, Copy)]
struct Frame {
    tag: u32,
    units: u64,
    start: Time,
    end: Time,
    cut: bool,
    spoilt: bool,
}

struct Carrier {
    member: u32,
    keyed: Time,
    unkeyed: Time,
    loaded: bool,
    frames: Vec<Frame>,
    ended: usize,
    over: bool,
}

pub struct Reference {
    settings: ChannelSettings,
    hearing: Hearing,
    stations: Vec<Station>,
    carriers: Vec<Carrier>,
    /// Carrier and number of the frame that ended last.
    last_ended: (usize, usize),
}

impl Reference {
    pub fn new(settings: ChannelSettings, members: Vec<MemberSettings>, hearing: Hearing) -> Self {
        let station = |member: MemberSettings| Station {
            phase: Phase::Idle,
            requested: false,
            left: 0,
            idle_from: Time::ZERO,
            held_until: Time::ZERO,
            latched_before: Time::ZERO,
            contends_from: Time::ZERO,
            slots: Persistence::new(member.persistence),
            errors: BitErrors::new(settings.bit_error_rate, member.noise.clone()),
            settings: member,
        };
        let stations = members.into_iter().map(station).collect();
        Reference { settings, hearing, stations, carriers: Vec::new(), last_ended: (0, 0) }
    }

    pub fn request(&mut self, now: Time, member: u32) {
        match self.stations[member as usize].phase {
            Phase::Idle => self.contend(now, member),
            Phase::Granted | Phase::Keyed => self.stations[member as usize].requested = true,
            Phase::Resting(_) | Phase::Held | Phase::Deciding(_) => {}
        }
    }

    pub fn next_event(&self) -> Time {
        let carriers = self.carriers.iter().map(Carrier::next);
        let stations = self.stations.iter().map(|station| match station.phase {
            Phase::Resting(at) | Phase::Deciding(at) => at,
            _ => Time::NEVER,
        });
        carriers.chain(stations).min().unwrap()
    }

    pub fn handle(&mut self, now: Time) -> Option<ChannelEvent> {
        let due = (0..self.carriers.len()).filter(|&place| self.carriers[place].next() == now);
        if let Some(place) = due.min_by_key(|&place| self.carriers[place].member) {
            return Some(self.advance(now, place));
        }
        let find = |phase| self.stations.iter().position(|station| station.phase == phase);
        if let Some(member) = find(Phase::Resting(now)) {
            if self.stations[member].settings.full_duplex {
                return Some(self.grant(now, member as u32));
            }
            self.listen(now, member as u32);
            return None;
        }
        let member = find(Phase::Deciding(now)).expect("something is due") as u32;
        self.decide(now, member)
    }

    pub fn load(&mut self, now: Time, member: u32, frames: &[AirFrame]) {
        if self.stations[member as usize].phase == Phase::Granted {
            if frames.is_empty() {
                self.stations[member as usize].phase = Phase::Idle;
                if std::mem::take(&mut self.stations[member as usize].requested) {
                    self.contend(now, member);
                }
                return;
            }
            self.key_up(now, member);
        }
        let settings = &self.stations[member as usize].settings;
        let carrier = self.carriers.iter_mut().rfind(|carrier| carrier.member == member).unwrap();
        let begin = carrier.keyed + settings.txdelay;
        let limit = settings.transmission_limit.map_or(Time::NEVER, |limit| carrier.keyed + limit);
        let (mut start, mut octets) = (begin, 0);
        for (frame, number) in frames.iter().zip(1..) {
            octets += u64::from(frame.octets);
            let units = mean_units(number, octets);
            let whole = begin + Duration::from_units(units, self.settings.bit_rate * UNITS_PER_BIT);
            let (end, units) = (whole.min(limit), mean_units(1, u64::from(frame.octets)));
            carrier.frames.push(Frame {
                tag: frame.tag,
                units,
                start: start.min(limit),
                end,
                cut: whole > limit,
                spoilt: false,
            });
            start = whole;
        }
        carrier.loaded = true;
        carrier.unkeyed = (start + settings.txtail).min(limit);
    }

    pub fn receive(&mut self, listener: u32) -> Received {
        let carrier = &self.carriers[self.last_ended.0];
        let frame = carrier.frames[self.last_ended.1];
        let settings = &self.stations[listener as usize].settings;
        if !self.hearing.hears(listener, carrier.member) {
            return Received::Unheard;
        }
        let meets = |other: &&Carrier, more: Duration| {
            other.keyed < frame.end && (!other.loaded || other.unkeyed + more > frame.start)
        };
        let own = |other: &&Carrier| other.member == listener && meets(other, settings.receiver_recovery);
        if !settings.full_duplex && self.carriers.iter().any(|other| own(&other)) {
            return Received::WhileTransmitting;
        }
        let collides = |other: &&Carrier| {
            other.member != carrier.member
                && self.hearing.hears(listener, other.member)
                && meets(other, Duration::ZERO)
                && (!self.settings.capture || other.keyed <= carrier.keyed)
        };
        if self.carriers.iter().any(|other| collides(&other)) {
            return Received::Collided;
        }
        match frame.cut {
            true => Received::Cut,
            false if frame.spoilt => Received::Corrupted,
            false if self.stations[listener as usize].errors.hit(frame.units) => Received::Corrupted,
            false => Received::Good,
        }
    }

    pub fn is_busy(&self, now: Time, member: u32) -> bool {
        let station = &self.stations[member as usize];
        let detected = |carrier: &Carrier| {
            carrier.keyed + station.settings.dcd_delay <= now || carrier.keyed < station.latched_before
        };
        let heard = self.heard(member).any(|carrier| !carrier.over && detected(carrier)) || now < station.held_until;
        station.phase == Phase::Keyed || heard && !station.settings.full_duplex
    }

    fn contend(&mut self, now: Time, member: u32) {
        let station = &mut self.stations[member as usize];
        match station.settings.full_duplex {
            true => station.phase = Phase::Resting(now),
            false if station.contends_from > now => station.phase = Phase::Resting(station.contends_from),
            false => self.listen(now, member),
        }
    }

    fn listen(&mut self, now: Time, member: u32) {
        let detected = self.hears_carrier(now, member);
        let station = &mut self.stations[member as usize];
        station.left = station.slots.draw(&mut station.settings.access);
        station.phase = if detected { Phase::Held } else { Phase::Deciding(station.first_slot(now)) };
    }

    fn decide(&mut self, now: Time, member: u32) -> Option<ChannelEvent> {
        let detected = self.hears_carrier(now, member);
        let station = &mut self.stations[member as usize];
        if detected {
            station.phase = Phase::Held;
            return None;
        }
        if station.left > 0 {
            station.left -= 1;
            station.phase = Phase::Deciding(now + station.settings.slottime);
            return None;
        }
        Some(self.grant(now, member))
    }

    fn grant(&mut self, now: Time, member: u32) -> ChannelEvent {
        if self.stations[member as usize].settings.loading == Loading::AtKeyUp {
            self.stations[member as usize].phase = Phase::Granted;
            return ChannelEvent::Load { member };
        }
        self.key_up(now, member);
        ChannelEvent::Keyed { member }
    }

    fn key_up(&mut self, now: Time, member: u32) {
        self.stations[member as usize].phase = Phase::Keyed;
        let unkeyed = now + self.stations[member as usize].settings.txdelay;
        let (frames, keyed) = (Vec::new(), now);
        for listener in (0..self.hearing.members()).filter(|listener| self.hearing.hears(*listener, member)) {
            let station = &mut self.stations[listener as usize];
            if now < station.held_until {
                (station.held_until, station.latched_before) = (now, now + AN_INSTANT);
            }
        }
        self.carriers.push(Carrier { member, keyed, unkeyed, loaded: false, frames, ended: 0, over: false });
    }

    fn advance(&mut self, now: Time, place: usize) -> ChannelEvent {
        let carrier = &mut self.carriers[place];
        let member = carrier.member;
        if !carrier.loaded {
            return ChannelEvent::Load { member };
        }
        if let Some(&Frame { tag, start, .. }) = carrier.frames.get(carrier.ended) {
            self.last_ended = (place, carrier.ended);
            let errors = &mut self.stations[member as usize].settings.frame_errors;
            carrier.frames[carrier.ended].spoilt = errors.as_mut().is_some_and(FrameErrors::spoils);
            carrier.ended += 1;
            return ChannelEvent::Ended { member, tag, start };
        }
        let hears = |listener: &u32| self.hearing.hears(*listener, member);
        let listeners: Vec<u32> = (0..self.hearing.members()).filter(hears).collect();
        let before: Vec<bool> = listeners.iter().map(|&listener| self.hears_carrier(now, listener)).collect();
        self.carriers[place].over = true;
        for (&listener, before) in listeners.iter().zip(before) {
            if before && !self.hears_carrier(now, listener) {
                self.lose_carrier(now, listener);
            }
        }
        let station = &mut self.stations[member as usize];
        station.phase = Phase::Idle;
        station.contends_from = now + station.settings.receiver_recovery.max(station.settings.dwait);
        if std::mem::take(&mut station.requested) {
            self.contend(now, member);
        }
        ChannelEvent::Unkeyed { member }
    }

    /// The last carrier that `member` detected is off: it detects it as long as its modem holds on to it, and one that has
    /// come on meanwhile all along.
    fn lose_carrier(&mut self, now: Time, member: u32) {
        let others = self.heard(member).any(|carrier| !carrier.over);
        let station = &mut self.stations[member as usize];
        if others && !station.settings.dcd_hold.is_none() {
            station.latched_before = now + AN_INSTANT;
            return;
        }
        if !station.settings.full_duplex {
            station.held_until = now + station.settings.dcd_hold.next(self.settings.bit_rate);
        }
        station.idle_from = station.held_until.max(now) + station.settings.dwait;
        if matches!(station.phase, Phase::Held | Phase::Deciding(_)) {
            station.phase = Phase::Deciding(station.first_slot(now));
        }
    }

    /// Whether a carrier was detected before this instant and is on.
    fn hears_carrier(&self, now: Time, member: u32) -> bool {
        let station = &self.stations[member as usize];
        let detected = |carrier: &Carrier| {
            carrier.keyed + station.settings.dcd_delay < now || carrier.keyed < station.latched_before
        };
        self.heard(member).any(|carrier| !carrier.over && detected(carrier))
    }

    fn heard(&self, member: u32) -> impl Iterator<Item = &Carrier> {
        self.carriers.iter().filter(move |carrier| self.hearing.hears(member, carrier.member))
    }
}

impl Station {
    /// When it decides first if it contends from `now`.
    fn first_slot(&self, now: Time) -> Time {
        let from = now.max(self.idle_from);
        match self.settings.first_slot {
            FirstSlot::AtOnce => from,
            FirstSlot::AfterSlottime => from + self.settings.slottime,
        }
    }
}

impl Carrier {
    fn next(&self) -> Time {
        match self.frames.get(self.ended) {
            _ if self.over => Time::NEVER,
            Some(frame) => frame.end,
            None => self.unkeyed,
        }
    }
}
