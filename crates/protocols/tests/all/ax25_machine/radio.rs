use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::hdlc::air_time::mean_time;
use sojourn_protocols::ax25::machine::*;
use sojourn_protocols::ax25::wire::*;

use super::transcript::{self, Bytes, address};

const BIT_RATE: u64 = 9600;
/// From keying to the first frame.
const TXDELAY: Duration = Duration::from_millis(100);
/// Access delay of each station, times its number: no two key at once.
const ACCESS: Duration = Duration::from_millis(5);

/// Stations A, B, C ... and digipeaters on one half-duplex channel of 9600 bit/s, all in range of each other.
pub struct Radio {
    pub now: Time,
    pub stations: Vec<Station<Bytes>>,
    pub digipeaters: Vec<Digipeater<Bytes>>,
    /// Frames sent and events, as "A SABM P" or "B delivers x".
    pub log: Vec<String>,
    /// Frames sent so far, lost ones too.
    pub sent: usize,
    /// Frames to lose, by their index among those sent.
    pub lose: Vec<usize>,
    /// Maximum number of I frames in a burst.
    pub burst: u16,
    /// What each station delivered.
    pub delivered: Vec<Vec<Bytes>>,
    events: BTreeMap<(Time, usize), Event>,
    serial: usize,
    free_at: Time,
    /// Frames that each digipeater has still to repeat.
    repeating: Vec<Vec<Frame<Bytes>>>,
}

enum Event {
    /// Station or digipeater `0` may key if the channel is free.
    Key(usize),
    /// A frame has arrived at every station except its sender.
    Arrive(usize, Frame<Bytes>),
    /// Station `0` unkeys.
    Unkey(usize),
}

/// The address of station `index`.
pub fn call(index: usize) -> Address {
    Address::new(&char::from(b'A' + index as u8).to_string(), 0).unwrap()
}

impl Radio {
    pub fn new(settings: impl IntoIterator<Item = Settings>) -> Self {
        let stations: Vec<_> = settings
            .into_iter()
            .enumerate()
            .map(|(index, settings)| Station::new([call(index)], Arc::new(settings)).unwrap())
            .collect();
        Radio {
            now: Time::ZERO,
            delivered: vec![Vec::new(); stations.len()],
            stations,
            digipeaters: Vec::new(),
            log: Vec::new(),
            sent: 0,
            lose: Vec::new(),
            burst: u16::MAX,
            events: BTreeMap::new(),
            serial: 0,
            free_at: Time::ZERO,
            repeating: Vec::new(),
        }
    }

    pub fn with_digipeater(mut self, name: &str) -> Self {
        self.digipeaters.push(Digipeater::new([address(name)]));
        self.repeating.push(Vec::new());
        self
    }

    /// The link from `from` to `to` via these digipeaters.
    pub fn key(&self, from: usize, to: usize, path: &[&str]) -> LinkKey {
        let path: Vec<Address> = path.iter().map(|name| address(name)).collect();
        LinkKey { own: call(from), peer: call(to), digipeaters: Digipeaters::new(&path).unwrap() }
    }

    pub fn connect(&mut self, from: usize, to: usize, path: &[&str]) {
        let key = self.key(from, to, path);
        self.give(from, Input::Connect { key });
    }

    /// The only link of a station.
    pub fn link(&self, station: usize, to: usize, path: &[&str]) -> Option<LinkId> {
        self.stations[station].link(&self.key(station, to, path))
    }

    pub fn give(&mut self, station: usize, input: Input<Bytes>) {
        self.stations[station].handle(self.now, input);
        self.drain(station);
    }

    /// Advances time from event to event until none is left.
    pub fn settle(&mut self) {
        self.settle_until(Time::NEVER);
    }

    /// Advances time from event to event up to `end`.
    pub fn settle_until(&mut self, end: Time) {
        loop {
            let event = self.events.first_key_value().map_or(Time::NEVER, |((at, _), _)| *at);
            let wakeup = self.stations.iter().filter_map(Station::next_wakeup).min().unwrap_or(Time::NEVER);
            let next = event.min(wakeup);
            if next > end || next == Time::NEVER {
                return;
            }
            self.now = next;
            match self.events.first_entry().filter(|_| event <= wakeup) {
                Some(entry) => {
                    let event = entry.remove();
                    self.happen(event);
                }
                None => (0..self.stations.len()).for_each(|station| {
                    self.stations[station].wake(next);
                    self.drain(station);
                }),
            }
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Key(node) if self.now < self.free_at => {
                self.schedule(self.free_at + ACCESS.times(node as u64 + 1), Event::Key(node))
            }
            Event::Key(node) => self.key_up(node),
            Event::Unkey(node) => {
                for station in 0..self.stations.len() {
                    self.give(station, Input::ChannelBusy { busy: false });
                }
                if node < self.stations.len() {
                    self.give(node, Input::Transmitted);
                }
            }
            Event::Arrive(from, frame) => {
                for station in (0..self.stations.len()).filter(|station| *station != from) {
                    self.give(station, Input::Receive { frame: frame.clone() });
                }
                for index in 0..self.digipeaters.len() {
                    self.digipeaters[index].handle(self.now, frame.clone());
                    while let Some(frame) = self.digipeaters[index].poll_output() {
                        self.repeating[index].push(frame);
                        self.seize(self.stations.len() + index);
                    }
                }
            }
        }
    }

    fn seize(&mut self, node: usize) {
        self.schedule(self.now + ACCESS.times(node as u64 + 1), Event::Key(node));
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.serial += 1;
        self.events.insert((at, self.serial), event);
    }

    fn key_up(&mut self, node: usize) {
        let frames = match node.checked_sub(self.stations.len()) {
            Some(digipeater) => std::mem::take(&mut self.repeating[digipeater]),
            None => {
                self.stations[node].handle(self.now, Input::SeizeConfirm { information_frames: self.burst });
                self.drain(node)
            }
        };
        if frames.is_empty() {
            return;
        }
        self.free_at = self.now + TXDELAY;
        for frame in frames {
            self.free_at += mean_time(1, frame.length() as u64, BIT_RATE);
            let bytes = frame.to_bytes().expect("every frame sent can be encoded");
            let modulo = match frame.body {
                Body::I { modulo, .. } | Body::S { modulo, .. } => modulo,
                _ => Modulo::Eight,
            };
            assert_eq!(Frame::parse(&bytes, modulo).map(|read| read.map(<[u8]>::to_vec)), Ok(frame.clone()));
            let lost = self.lose.contains(&self.sent);
            self.sent += 1;
            let words = transcript::of_frame(&frame);
            self.note(node, &format!("{words}{}", if lost { ", lost" } else { "" }));
            if !lost {
                self.schedule(self.free_at, Event::Arrive(node, frame));
            }
        }
        for station in 0..self.stations.len() {
            self.give(station, Input::ChannelBusy { busy: true });
        }
        self.schedule(self.free_at, Event::Unkey(node));
    }

    /// Logs a station's events; returns the frames it transmits.
    fn drain(&mut self, station: usize) -> Vec<Frame<Bytes>> {
        let mut frames = Vec::new();
        while let Some(output) = self.stations[station].poll_output() {
            match output {
                Output::SeizeRequest => self.seize(station),
                Output::Transmit { frame, .. } => frames.push(frame),
                other => {
                    if let Some(words) = transcript::of_event(&other) {
                        self.note(station, &words);
                    }
                    if let Output::Deliver { data, .. } = other {
                        self.delivered[station].push(data);
                    }
                }
            }
        }
        frames
    }

    fn note(&mut self, node: usize, what: &str) {
        let name = if node < self.stations.len() { call(node).to_string() } else { "digipeater".into() };
        self.log.push(format!("{name} {what}"));
    }

    /// The number of log lines that begin with `start`.
    pub fn count(&self, start: &str) -> usize {
        self.log.iter().filter(|line| line.starts_with(start)).count()
    }
}
