//! The TCP echo server: many connections on one thread.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use sojourn_core::{Duration, Time};
use sojourn_scenario::Problems;

use super::PORT;
use crate::io::clock::{Clock, to_timespec};
use crate::io::link::unless_would_block;
use crate::io::listen_error::listen_error;
use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::servers::reflector::rate_limit::RateLimit;
use crate::target::Target;
use crate::transport::{Listening, Measure, Measured};

/// Connections at a time, in total and per host.
const MOST_CONNECTIONS: usize = 64;
const MOST_OF_ONE_HOST: usize = 8;
/// Bytes of a connection waiting to be echoed; reading pauses beyond.
const MOST_WAITING: usize = 1 << 16;
/// Idle timeout of a connection.
const SILENCE: Duration = Duration::from_secs(60);
/// The longest wait, so that cancellation is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// Pause of a connection that exceeded its rate limit.
const PAUSE: Duration = Duration::from_millis(5);

/// Listens at the URL's address; the closure echoes until it is cancelled.
pub fn listen(target: &Target, listening: Listening) -> Result<Measure, Problems> {
    let address = target.socket_address(Some(PORT))?;
    let refused = |fault: io::Error| listen_error(target, "TCP", address, &fault);
    let socket = TcpListener::bind(address).map_err(refused)?;
    socket.set_nonblocking(true).map_err(refused)?;
    let here = socket.local_addr().map_err(refused)?;
    Ok(Box::new(move |watch, _frames| {
        watch.begin("reflecting", "B", 0);
        watch.report(Report::of_listener(here.to_string()));
        let mut echo = Echo { socket, guests: Vec::new(), rate_limit: RateLimit::of(here.ip()), served: 0, refused: 0 };
        echo.run(&listening, watch);
        let Echo { served, refused, .. } = echo;
        watch.report(Report::note(format!("{here}: {served} connections served, {refused} refused")));
        Measured::default()
    }))
}

struct Echo {
    socket: TcpListener,
    guests: Vec<Guest>,
    rate_limit: RateLimit,
    served: u64,
    refused: u64,
}

/// A client's connection.
struct Guest {
    stream: TcpStream,
    host: IpAddr,
    /// Received and not yet echoed.
    waiting: VecDeque<u8>,
    heard: Time,
    /// Whether the rate limit allows it.
    allowed: bool,
    /// When a rate-limited connection resumes.
    paused_until: Time,
    /// Whether the client has closed its direction.
    ended: bool,
}

impl Echo {
    fn run(&mut self, listening: &Listening, watch: &Watch) {
        let clock = Clock::start();
        let mut buffer = vec![0; MOST_WAITING];
        loop {
            let now = clock.now();
            let late = listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
            let enough = listening.count.is_some_and(|count| self.served >= count);
            if watch.is_cancelled() || late || enough {
                return;
            }
            self.accept(now);
            let rate_limit = &mut self.rate_limit;
            let before = self.guests.len();
            self.guests.retain_mut(|guest| guest.turn(now, rate_limit, &mut buffer, watch).unwrap_or(false));
            self.served += (before - self.guests.len()) as u64;
            self.wait(now);
        }
    }

    fn accept(&mut self, now: Time) {
        while let Ok((stream, from)) = self.socket.accept() {
            if self.guests.len() == MOST_CONNECTIONS || self.connections_of(from) == MOST_OF_ONE_HOST {
                self.refused += 1;
                continue;
            }
            if stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_ok() {
                let waiting = VecDeque::new();
                let (allowed, ended) = (false, false);
                let guest = Guest { stream, host: from.ip(), waiting, heard: now, allowed, paused_until: now, ended };
                self.guests.push(guest);
            }
        }
    }

    fn connections_of(&self, from: SocketAddr) -> usize {
        self.guests.iter().filter(|guest| guest.host == from.ip()).count()
    }

    fn wait(&self, now: Time) {
        let mut waiting = vec![PollFd::new(&self.socket, PollFlags::IN)];
        let wanted = self.guests.iter().map(|guest| (guest, guest.wants(now))).filter(|(_, flags)| !flags.is_empty());
        waiting.extend(wanted.map(|(guest, flags)| PollFd::from_borrowed_fd(guest.stream.as_fd(), flags)));
        let paused = self.guests.iter().map(|guest| guest.paused_until).filter(|until| *until > now).min();
        let span = paused.map_or(LONGEST_WAIT, |until| until.since(now)).min(LONGEST_WAIT);
        // a signal ends the wait early, which does no harm
        let _ = poll(&mut waiting, Some(&to_timespec(span)));
    }
}

impl Guest {
    fn wants(&self, now: Time) -> PollFlags {
        match (self.waiting.is_empty(), self.paused_until <= now) {
            (true, _) if !self.ended => PollFlags::IN,
            (false, true) => PollFlags::OUT,
            _ => PollFlags::empty(),
        }
    }

    /// Echoes what it can; false when the connection is over.
    fn turn(&mut self, now: Time, rate_limit: &mut RateLimit, buffer: &mut [u8], watch: &Watch) -> io::Result<bool> {
        if self.waiting.is_empty() && !self.ended {
            let Some(length) = unless_would_block(self.stream.read(buffer))? else { return Ok(self.goes_on(now)) };
            self.ended = length == 0;
            self.waiting.extend(&buffer[..length]);
            self.allowed = false;
            self.heard = now;
            watch.add_done(length as u64);
        }
        if !self.allowed && !self.waiting.is_empty() && self.paused_until <= now {
            self.allowed = rate_limit.allows(now, self.host, self.waiting.len());
            self.paused_until = if self.allowed { now } else { now + PAUSE };
        }
        while self.allowed && !self.waiting.is_empty() {
            let Some(length) = unless_would_block(self.stream.write(self.waiting.as_slices().0))? else { break };
            self.waiting.drain(..length);
        }
        Ok(self.goes_on(now))
    }

    fn goes_on(&self, now: Time) -> bool {
        let done = self.ended && self.waiting.is_empty();
        !done && now.since(self.heard) <= SILENCE
    }
}
