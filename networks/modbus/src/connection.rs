//! A client and its host: when a program gets what its host receives.

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_engine::law::Law;
use sojourn_engine::sample::uniform;
use sojourn_protocols::modbus::machine::{Carrier, Client};

use super::poll::Poll;
use super::site::{Class, ConnectionSettings, Site};

/// A client and its host.
#[derive(Debug)]
pub struct Connection {
    /// The machine.
    pub client: Client<Poll>,
    /// A request that waits until the line is silent, and whether it is a further try.
    pub waiting: Option<(Poll, bool)>,
    /// When the next event of its timers is due that is in the queue.
    pub wake: Time,
    host: Host,
}

clone_fields!([] Connection { client, waiting, wake, host });
rekey_fields!(Connection { host });

/// When a program gets what its host receives.
#[derive(Clone, Debug)]
struct Host {
    timer: Duration,
    /// When the timer expires first.
    phase: Duration,
    delay: Law,
    stream: Stream,
}

rekey_fields!(Host { stream });

impl Host {
    fn new(class: &Class, mut stream: Stream) -> Host {
        let timer = class.latency_timer;
        let phase = if timer == Duration::ZERO { timer } else { uniform(&mut stream, timer) };
        Host { timer, phase, delay: class.host_delay.clone(), stream }
    }

    /// When the host has a character that ended at `end`.
    fn has(&self, end: Time) -> Time {
        if self.timer == Duration::ZERO {
            return end;
        }
        let since = end.since(Time::ZERO + self.phase).picoseconds();
        Time::ZERO + self.phase + self.timer.times(since.div_ceil(self.timer.picoseconds()))
    }
}

impl Connection {
    /// A client without requests.
    pub fn new(site: &Site, settings: &ConnectionSettings, stream: Stream) -> Connection {
        let class = &site.stations[settings.station].class;
        let carrier = match settings.host {
            None => Carrier::Serial,
            Some(_) => Carrier::Tcp { outstanding: class.outstanding },
        };
        Connection { client: Client::new(carrier), waiting: None, wake: Time::NEVER, host: Host::new(class, stream) }
    }

    /// When the program has a frame of a line whose last character ended at `end`, and that the line's `silence` ends.
    pub fn has_frame(&mut self, end: Time, silence: Duration) -> Time {
        let received = self.host.has(end).max(end + silence);
        received + self.delay()
    }

    /// Until the program has what the host has received.
    pub fn delay(&mut self) -> Duration {
        self.host.delay.draw(&mut self.host.stream)
    }
}
