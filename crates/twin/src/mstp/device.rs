//! The stations of a trunk as a scenario has them.

use std::collections::BTreeSet;

use sojourn_protocols::mstp::HIGHEST_MASTER;
use sojourn_protocols::mstp::machine::POLL;

use super::gaps::Gaps;
use super::place::Place;
use super::trunk::TrunkSurvey;
use crate::quantile::at;

/// Fewest times from which a latency or a timer is inferred.
const FEWEST: u64 = 3;
/// Latencies and timers up to this share apart count as those of like stations, or s apart: medians of a few dozen replies vary.
const ALIKE: f64 = 0.25;
const ALIKE_S: f64 = 5e-4;
/// Replies that are postponed later than this are postponed at the end of T_reply_delay, s.
const LATE: f64 = 0.1;

/// The widest step between addresses of like stations.
const WIDEST: u8 = 16;

/// How a station replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Immediate,
    Postpone,
    Late,
}

impl Reply {
    pub fn word(self) -> &'static str {
        match self {
            Reply::Immediate => "immediate",
            Reply::Postpone => "postpone",
            Reply::Late => "late",
        }
    }
}

/// Stations that are alike, with addresses that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Device {
    pub first: u8,
    pub count: u64,
    /// Distance of their addresses.
    pub step: u8,
    pub is_slave: bool,
    /// Whether stations of other networks are behind it.
    pub is_router: bool,
    /// Whether it was asked and never sent anything.
    pub is_silent: bool,
    pub max_info_frames: u64,
    pub max_master: u64,
    pub reply: Reply,
    pub after_token: Gaps,
    pub replies: Gaps,
    /// Whether it polled all addresses up to Max_Master, as far as the capture shows.
    pub is_swept: bool,
    /// T_usage_timeout and T_reply_timeout where they show, s.
    pub usage_timeout: Option<f64>,
    pub reply_timeout: Option<f64>,
    /// N_poll, where it is not the usual one.
    pub poll: Option<u64>,
    /// What of its station is like that of others.
    latencies: [Option<f64>; 2],
    /// Whether it was on all the time.
    is_steady: bool,
}

/// The stations of a trunk.
pub(super) fn devices(trunk: &TrunkSurvey, bit_rate: u64) -> Vec<Device> {
    let routers: BTreeSet<u8> = places(trunk).filter(|place| place.far.is_some()).map(|place| place.mac).collect();
    let highest = highest_polled(trunk);
    let known: BTreeSet<u8> = trunk.stations.keys().copied().chain(asked(trunk)).filter(|mac| *mac < 255).collect();
    let mut devices: Vec<Device> = Vec::new();
    for mac in known {
        let device = device(trunk, mac, bit_rate, (routers.contains(&mac), highest));
        match devices.last_mut() {
            Some(last) if last.is_followed_by(&device) => last.join(&device),
            _ => devices.push(device),
        }
    }
    devices
}

/// Everyone who asks and is asked.
pub(super) fn places(trunk: &TrunkSurvey) -> impl Iterator<Item = Place> {
    let ends = trunk.talk.flows.keys().flat_map(|key| [key.from, key.to]);
    let all: BTreeSet<Place> = ends.filter(|place| !place.is_all()).collect();
    all.into_iter()
}

/// Stations of the trunk that are asked.
fn asked(trunk: &TrunkSurvey) -> impl Iterator<Item = u8> {
    trunk.talk.flows.keys().filter(|key| key.service.is_confirmed()).map(|key| key.to.mac)
}

/// The highest address that any station polled, at least that of the highest master; `None` without a poll.
fn highest_polled(trunk: &TrunkSurvey) -> Option<u8> {
    trunk.trunk.stations().filter_map(|(_, station)| station.highest_polled).max()
}

fn device(trunk: &TrunkSurvey, mac: u8, bit_rate: u64, (is_router, highest): (bool, Option<u8>)) -> Device {
    let seen = trunk.stations.get(&mac).cloned().unwrap_or_default();
    let counted = trunk.counted(mac);
    let is_master = mac <= HIGHEST_MASTER && counted.tokens_passed + counted.polls + counted.poll_replies > 0;
    let masters = trunk.trunk.stations().filter(|(_, station)| station.tokens_passed > 0).map(|(mac, _)| mac);
    let highest_master = masters.filter(|mac| *mac <= HIGHEST_MASTER).max().unwrap_or(0);
    let max_master = highest.unwrap_or(highest_master).max(highest_master).clamp(1, HIGHEST_MASTER);
    let usual = |gaps: &Gaps| at(&gaps.latencies(bit_rate), 0.5).filter(|_| gaps.seen() >= FEWEST);
    let replies = seen.reply.seen();
    let reply = match usual(&seen.postponed) {
        _ if counted.postponed <= replies || !is_master => Reply::Immediate,
        Some(after) if after >= LATE => Reply::Late,
        _ => Reply::Postpone,
    };
    let poll = counted.tokens_between_polls.filter(|_| counted.polls >= FEWEST).filter(|poll| *poll > 1);
    Device {
        first: mac,
        count: 1,
        step: 1,
        is_slave: !is_master,
        is_router,
        is_silent: counted.frames == 0,
        max_info_frames: u64::from(counted.frames_per_token.clamp(1, 255)),
        max_master: max_master.into(),
        is_swept: highest.is_some(),
        reply,
        usage_timeout: usual(&seen.vacant),
        reply_timeout: usual(&seen.unanswered),
        poll: poll.filter(|poll| poll.abs_diff(POLL.into()) > 1 && (2..=1000).contains(poll)),
        latencies: [usual(&seen.after_token), usual(&seen.reply)],
        is_steady: seen.silences().is_empty(),
        after_token: seen.after_token,
        replies: seen.reply,
    }
}

impl Device {
    /// The addresses of its members.
    pub fn addresses(&self) -> impl Iterator<Item = u8> {
        (self.first..=u8::MAX).step_by(self.step.into()).take(self.count as usize)
    }

    /// The address of its last member.
    fn last(&self) -> u8 {
        self.addresses().last().unwrap_or(self.first)
    }

    /// Whether another has the next address and is like it.
    fn is_followed_by(&self, other: &Device) -> bool {
        let same = |device: &Device| {
            let Device { is_slave, is_router, is_silent, max_info_frames, max_master, reply, poll, is_steady, .. } =
                device;
            (*is_slave, *is_router, *is_silent, *max_info_frames, *max_master, *reply, *poll, *is_steady)
        };
        let timers = |device: &Device| [device.usage_timeout, device.reply_timeout];
        let step = other.first - self.last();
        (self.step == step || self.count == 1 && step <= WIDEST)
            && !self.is_router
            && self.is_steady
            && same(self) == same(other)
            && alike(self.latencies, other.latencies)
            && alike(timers(self), timers(other))
    }

    fn join(&mut self, other: &Device) {
        self.step = other.first - self.last();
        self.count += 1;
        self.after_token.merge(&other.after_token);
        self.replies.merge(&other.replies);
        let known = |own: Option<f64>, other: Option<f64>| own.or(other);
        self.usage_timeout = known(self.usage_timeout, other.usage_timeout);
        self.reply_timeout = known(self.reply_timeout, other.reply_timeout);
        self.latencies = [0, 1].map(|place| known(self.latencies[place], other.latencies[place]));
    }
}

/// Whether what both show is alike.
fn alike<const N: usize>(one: [Option<f64>; N], other: [Option<f64>; N]) -> bool {
    one.into_iter().zip(other).all(|pair| match pair {
        (Some(one), Some(other)) => libm::fabs(one - other) <= ALIKE_S.max(ALIKE * f64::max(one, other)),
        _ => true,
    })
}
