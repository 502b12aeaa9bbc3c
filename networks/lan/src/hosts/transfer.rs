//! Two programs and the TCP connection between them: either one writes without end and the other reads everything, or
//! one sends requests and the other responds.

use std::sync::Arc;

use sojourn_core::{Duration, Machine, Stream, Time};
use sojourn_engine::sample::uniform;
use sojourn_protocols::tcp::machine::{Clock, Connection, Input, Settings};

/// State of a TCP connection between two programs.
#[derive(Clone, Debug)]
pub struct Transfer {
    /// Under which flow it is reported.
    pub flow: u32,
    /// The sender's or client's end, the receiver's or server's end.
    pub ends: [End; 2],
    /// Ports of both ends.
    pub ports: [u16; 2],
    /// What its programs do.
    pub program: Program,
    /// Whether nothing more happens on it: its place is free.
    pub is_over: bool,
    /// Whether the program writes.
    pub sends: bool,
    /// Whether it was to begin while it did not write.
    pub is_held: bool,
    /// Whether it has begun.
    pub has_begun: bool,
}

/// What the programs at the ends of a connection do.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// One writes without end.
    Bulk {
        /// Octets that it writes at a time.
        write: u64,
        /// Octets of the last write that the connection had no room for.
        left: u64,
        /// Whether the connection is opened when the transfer begins.
        handshake: bool,
    },
    /// The requests of the client of this number.
    Requests(u32),
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
    /// A connection between two hosts on which nothing has been sent; the network's connection `connection` is that from the
    /// first host to the second.
    pub fn new(
        flow: u32,
        hosts: [u32; 2],
        connection: u32,
        tcp: [Connection; 2],
        program: Program,
        ports: [u16; 2],
    ) -> Self {
        let [one, other] = tcp;
        let end = |host, connection, tcp| End { host, connection, tcp, watch: Time::NEVER };
        Transfer {
            flow,
            ends: [end(hosts[0], connection, one), end(hosts[1], connection ^ 1, other)],
            ports,
            program,
            is_over: false,
            sends: true,
            is_held: false,
            has_begun: false,
        }
    }

    /// Opens the connection.
    pub fn connect(&mut self, now: Time) {
        self.ends[1].tcp.handle(now, Input::Listen);
        self.ends[0].tcp.handle(now, Input::Connect);
    }

    /// A bulk transfer begins: opens the connection, or writes at once where it is open.
    pub fn begin(&mut self, now: Time) {
        if !self.sends {
            self.is_held = true;
            return;
        }
        self.has_begun = true;
        match self.program {
            Program::Bulk { handshake: true, .. } => self.connect(now),
            _ => self.write(now),
        }
    }

    /// Writes until the connection has no room, if it is a bulk transfer.
    pub fn write(&mut self, now: Time) {
        let Program::Bulk { write, left, .. } = &mut self.program else { return };
        if !self.sends {
            return;
        }
        let tcp = &mut self.ends[0].tcp;
        loop {
            let octets = if *left == 0 { *write } else { *left };
            let taken = octets.min(tcp.send_space());
            tcp.handle(now, Input::Write { octets });
            *left = octets - taken;
            if *left > 0 {
                return;
            }
        }
    }
}

/// Both ends of a TCP connection between hosts whose ticks are at instants `ticks`.
pub fn connections(
    settings: [&Arc<Settings>; 2],
    ticks: [Ticks; 2],
    is_open: bool,
    random: &mut Stream,
) -> [Connection; 2] {
    let [sender, receiver] = [(settings[0], ticks[0]), (settings[1], ticks[1])]
        .map(|(settings, ticks)| Arc::new(Settings { iss: random.bits() as u32, ..ticks.wound(settings) }));
    if is_open {
        [Connection::established(Arc::clone(&sender), &receiver), Connection::established(receiver, &sender)]
    } else {
        [Connection::new(sender), Connection::new(receiver)]
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
