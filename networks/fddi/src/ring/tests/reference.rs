//! The same ring event by event: every token at every MAC, every expiry of every timer. Slow, and plain to read beside
//! the standard.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;
use sojourn_protocols::fddi::{TOKEN_TIME, wire_time};

use super::super::path::Path;
use super::super::{Carried, Class, MacTally, Outcome, Outgoing, RingSettings, claim};

/// One MAC, with the names of X3.139.
pub struct Station {
    pub trt: Time,
    pub late_ct: u8,
    pub tally: MacTally,
    pub rotations: Distribution,
    tokens: u64,
    last_token: Option<Time>,
    last_heard: Time,
    synchronous: VecDeque<Outgoing>,
    asynchronous: [VecDeque<Outgoing>; 8],
}

struct Holder {
    mac: usize,
    tht: Duration,
    tht_since: Option<Time>,
    used: Duration,
    synchronous: u32,
    asynchronous: u32,
}

enum Token {
    Claimed { until: Time },
    Under { to: usize, at: Time },
    Held { by: Holder, frame_ends: Time },
    Gone { since: Time },
}

pub struct Reference {
    settings: RingSettings,
    off: Vec<bool>,
    path: Path,
    ttrt: Duration,
    pub stations: Vec<Station>,
    pub carried: Vec<Carried>,
    pub claims: u64,
    token: Token,
    doomed: bool,
    fault: Option<Outcome>,
}

impl Reference {
    pub fn new(settings: RingSettings) -> Self {
        let off = vec![false; settings.macs.len()];
        let path = Path::new(&settings.macs, &off);
        let until = Time::ZERO + claim::duration(&settings.macs, &off, &path, None);
        let station = || Station {
            trt: Time::NEVER,
            late_ct: 0,
            tally: MacTally::default(),
            rotations: Distribution::new(),
            tokens: 0,
            last_token: None,
            last_heard: Time::ZERO,
            synchronous: VecDeque::new(),
            asynchronous: Default::default(),
        };
        Reference {
            stations: settings.macs.iter().map(|_| station()).collect(),
            off,
            path,
            ttrt: settings.ttrt().unwrap(),
            settings,
            carried: Vec::new(),
            claims: 1,
            token: Token::Claimed { until },
            doomed: false,
            fault: None,
        }
    }

    pub fn offer(&mut self, mac: u32, class: Class, frame: Outgoing) {
        let station = &mut self.stations[mac as usize];
        match class {
            Class::Synchronous => station.synchronous.push_back(frame),
            Class::Asynchronous(priority) => station.asynchronous[usize::from(priority)].push_back(frame),
        }
    }

    pub fn lose_token(&mut self, now: Time) -> bool {
        match self.token {
            Token::Claimed { .. } | Token::Gone { .. } => return false,
            Token::Held { .. } => self.doomed = true,
            Token::Under { .. } => self.token = Token::Gone { since: now },
        }
        true
    }

    pub fn spoil_next_frame(&mut self, outcome: Outcome) {
        self.fault = Some(outcome);
    }

    pub fn reset(&mut self) {
        for station in &mut self.stations {
            station.tally = MacTally::default();
            station.rotations = Distribution::new();
        }
    }

    /// All events before `end`.
    pub fn run_before(&mut self, end: Time) {
        loop {
            let token = match self.token {
                Token::Claimed { until } => until,
                Token::Under { at, .. } => at,
                Token::Held { frame_ends, .. } => frame_ends,
                Token::Gone { .. } => Time::NEVER,
            };
            let (timer, mac) = self.next_timer();
            if timer.min(token) >= end {
                return;
            }
            if timer <= token { self.timer(timer, mac) } else { self.token(token) }
        }
    }

    fn next_timer(&self) -> (Time, usize) {
        if matches!(self.token, Token::Claimed { .. }) {
            return (Time::NEVER, 0);
        }
        let expiry = |station: &Station| match self.token {
            // a timer that spoilt frames had let run out before is noticed now
            Token::Gone { since } => {
                station.trt.min((station.last_heard + self.settings.valid_transmission_timer).max(since))
            }
            _ => station.trt,
        };
        self.stations.iter().enumerate().map(|(mac, station)| (expiry(station), mac)).min().unwrap()
    }

    fn timer(&mut self, now: Time, mac: usize) {
        let station = &mut self.stations[mac];
        if station.trt == now && station.late_ct == 0 {
            station.late_ct = 1;
            station.trt += self.ttrt;
            return;
        }
        self.claims += 1;
        if let Token::Held { .. } = self.token {
            let cut = self.carried.last_mut().unwrap();
            (cut.end, cut.outcome) = (now.max(cut.start), Outcome::Aborted);
        }
        self.doomed = false;
        let duration = claim::duration(&self.settings.macs, &self.off, &self.path, Some(mac as u32));
        self.token = Token::Claimed { until: now + duration };
    }

    fn token(&mut self, now: Time) {
        match std::mem::replace(&mut self.token, Token::Gone { since: now }) {
            Token::Claimed { .. } => {
                for station in &mut self.stations {
                    (station.trt, station.late_ct, station.tokens) = (now + self.ttrt, 0, 0);
                    (station.last_token, station.last_heard) = (None, now);
                }
                self.pass_on(claim::winner(&self.settings.macs, &self.off) as usize, now + TOKEN_TIME);
            }
            Token::Under { to, .. } => self.arrive(to, now),
            Token::Held { by, .. } => self.serve(by, now),
            Token::Gone { .. } => unreachable!(),
        }
    }

    /// The token's last symbol leaves `from`.
    fn pass_on(&mut self, from: usize, leaves: Time) {
        let to = (from + 1) % self.stations.len();
        self.token = Token::Under { to, at: leaves + self.settings.macs[from].hop };
    }

    fn arrive(&mut self, mac: usize, now: Time) {
        let station = &mut self.stations[mac];
        station.tokens += 1;
        station.last_heard = station.last_heard.max(now);
        if let Some(last) = station.last_token.replace(now) {
            station.rotations.record(now - last);
        }
        let tht = if station.late_ct == 0 {
            let residual = station.trt - now;
            station.trt = now + self.ttrt;
            residual
        } else {
            station.late_ct = 0;
            station.tally.late_tokens += 1;
            Duration::ZERO
        };
        let began = now + self.settings.macs[mac].latency;
        let holder = Holder { mac, tht, tht_since: None, used: Duration::ZERO, synchronous: 0, asynchronous: 0 };
        let captured = self.stations[mac].tally.tokens_captured;
        self.stations[mac].tally.tokens_captured += 1;
        self.serve(holder, began);
        if !matches!(self.token, Token::Held { .. }) {
            self.stations[mac].tally.tokens_captured = captured;
            self.pass_on(mac, began);
        }
    }

    /// Sends the next frame at `now`, or the token.
    fn serve(&mut self, mut holder: Holder, now: Time) {
        let Some((class, frame)) = self.pick(&mut holder, now) else {
            if std::mem::take(&mut self.doomed) {
                self.token = Token::Gone { since: now };
            } else {
                self.pass_on(holder.mac, now + TOKEN_TIME);
            }
            return;
        };
        let end = now + wire_time(frame.length as usize);
        let tally = &mut self.stations[holder.mac].tally;
        match class {
            Class::Synchronous => {
                holder.synchronous += 1;
                holder.used += end - now;
                tally.synchronous_frames += 1;
                tally.most_synchronous_per_token = tally.most_synchronous_per_token.max(holder.synchronous);
            }
            Class::Asynchronous(_) => {
                holder.asynchronous += 1;
                tally.asynchronous_frames += 1;
                tally.most_asynchronous_per_token = tally.most_asynchronous_per_token.max(holder.asynchronous);
            }
        }
        let (mac, outcome) = (holder.mac as u32, self.fault.take().unwrap_or(Outcome::Sent));
        self.carried.push(Carried { mac, tag: frame.tag, class, length: frame.length, start: now, end, outcome });
        if outcome == Outcome::Sent {
            for (to, station) in (0..).zip(&mut self.stations) {
                station.last_heard = end + self.path.time(mac, to);
            }
        }
        self.token = Token::Held { by: holder, frame_ends: end };
    }

    fn pick(&mut self, holder: &mut Holder, now: Time) -> Option<(Class, Outgoing)> {
        let settings = &self.settings.macs[holder.mac];
        let station = &mut self.stations[holder.mac];
        let token = if self.settings.initial_rotations { station.tokens } else { 3 };
        if let (None, Some(frame), true) = (holder.tht_since, station.synchronous.front(), token >= 2) {
            let fits = holder.used + wire_time(frame.length as usize) <= settings.synchronous_allocation;
            if holder.synchronous < settings.synchronous.most() && (fits || !settings.enforce_allocation) {
                return station.synchronous.pop_front().map(|frame| (Class::Synchronous, frame));
            }
        }
        let since = *holder.tht_since.get_or_insert(now);
        if token < 3 || holder.asynchronous >= settings.asynchronous.most() || now - since >= holder.tht {
            return None;
        }
        let left = holder.tht - (now - since);
        let eligible = |priority: &u8| {
            let index = usize::from(*priority);
            left > settings.thresholds[index] && !station.asynchronous[index].is_empty()
        };
        let priority = (0..8).rev().find(eligible)?;
        let frame = station.asynchronous[usize::from(priority)].pop_front()?;
        Some((Class::Asynchronous(priority), frame))
    }
}
