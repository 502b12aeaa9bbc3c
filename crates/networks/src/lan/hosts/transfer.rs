//! Two programs and the TCP connection between them: one writes without end, the other takes what comes.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Stream, Time};
use sojourn_engine::sample::uniform;
use sojourn_protocols::tcp::machine::{Clock, Connection, Input, Settings};

use crate::lan::site::{Activity, Bulk};

/// State of a bulk transfer over one TCP connection.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Under which flow it is reported.
    pub flow: u32,
    /// The sender's end, the receiver's end.
    pub ends: [End; 2],
    /// Whether the program writes.
    pub sends: bool,
    /// Whether it was to begin while it did not write.
    pub is_held: bool,
    /// Whether it has begun.
    pub has_begun: bool,
    /// Octets that the program writes at a time.
    write: u64,
    /// Octets of the last write that the connection had no room for.
    left: u64,
    /// Whether the connection is opened when the transfer begins.
    handshake: bool,
}

/// One end of a connection.
#[derive(Clone, Debug)]
pub struct End {
    /// The host that it is on.
    pub host: u32,
    /// The network's connection on which it sends.
    pub connection: u32,
    /// State of its TCP connection.
    pub tcp: Connection,
    /// When the event is due that looks after its timers.
    watch: Time,
}

impl Transfer {
    /// A transfer that has not begun, between hosts whose ticks are at instants `ticks`.
    pub fn new(activity: &Activity, bulk: &Bulk, ticks: [Ticks; 2], random: &mut Stream) -> Self {
        let [sender, receiver] = [(&bulk.sender, ticks[0]), (&bulk.receiver, ticks[1])]
            .map(|(settings, ticks)| Arc::new(Settings { iss: random.bits() as u32, ..ticks.wound(settings) }));
        let [one, other] = if bulk.handshake {
            [Connection::new(sender), Connection::new(receiver)]
        } else {
            [Connection::established(Arc::clone(&sender), &receiver), Connection::established(receiver, &sender)]
        };
        let end = |host, connection, tcp| End { host, connection, tcp, watch: Time::NEVER };
        Transfer {
            flow: activity.flow,
            ends: [end(activity.from, activity.connection, one), end(activity.to, activity.connection ^ 1, other)],
            sends: !activity.silent,
            is_held: false,
            has_begun: false,
            write: bulk.write,
            left: 0,
            handshake: bulk.handshake,
        }
    }

    /// Begins: opens the connection, or writes at once where it is open.
    pub fn begin(&mut self, now: Time) {
        if !self.sends {
            self.is_held = true;
            return;
        }
        self.has_begun = true;
        if self.handshake {
            self.ends[1].tcp.handle(now, Input::Listen);
            self.ends[0].tcp.handle(now, Input::Connect);
        } else {
            self.write(now);
        }
    }

    /// Writes until the connection has no room.
    pub fn write(&mut self, now: Time) {
        if !self.sends {
            return;
        }
        let tcp = &mut self.ends[0].tcp;
        loop {
            let octets = if self.left == 0 { self.write } else { self.left };
            let taken = octets.min(tcp.send_space());
            tcp.handle(now, Input::Write { octets });
            self.left = octets - taken;
            if self.left > 0 {
                return;
            }
        }
    }
}

impl End {
    /// When to look after the timers, if no look is due by then.
    pub fn look_at(&mut self, now: Time) -> Option<Time> {
        let wakeup = self.tcp.next_wakeup()?.max(now);
        (wakeup < self.watch).then(|| {
            self.watch = wakeup;
            wakeup
        })
    }

    /// The look that was due at `now`: lets timers expire. An earlier one has taken the place of an outdated look.
    pub fn look(&mut self, now: Time) {
        if now < self.watch {
            return;
        }
        self.watch = Time::NEVER;
        if self.tcp.next_wakeup().is_some_and(|wakeup| wakeup <= now) {
            self.tcp.wake(now);
        }
    }
}

/// Instants of the ticks that a host counts time by.
#[derive(Clone, Copy, Debug)]
pub struct Ticks {
    slow: Time,
    fast: Time,
}

impl Ticks {
    /// The ticks of a host that was started at a random moment.
    pub fn of_a_boot(random: &mut Stream) -> Self {
        let tick = |random: &mut Stream, period| Time::ZERO + uniform(random, period);
        Ticks { slow: tick(random, Duration::from_millis(500)), fast: tick(random, Duration::from_millis(200)) }
    }

    /// Settings whose ticks are the host's.
    fn wound(self, settings: &Settings) -> Settings {
        let clock = match settings.clock {
            Clock::Ticks { .. } => Clock::Ticks { slow: self.slow, fast: self.fast },
            fine => fine,
        };
        Settings { clock, ..settings.clone() }
    }
}
