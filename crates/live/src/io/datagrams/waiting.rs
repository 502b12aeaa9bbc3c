//! Three ways to wait for a datagram: for so long, until an [`Alarm`] rings, and [in the very call](Reading::InTime) that
//! reads it.

use std::io;
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Duration;

use super::Datagrams;
use crate::io::alarm::Alarm;
use crate::io::clock::to_system;
use crate::io::link::wait_for;
use crate::io::wall_clock::Step;

/// A timeout that every kernel rounds up to a tick of its own: none ticks faster.
const LEAST_TICK: Duration = Duration::from_micros(100);

/// How a datagram is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// If one is there.
    AtOnce,
    /// The call that reads waits for it, one call less for whoever is in a hurry. Nothing but a datagram or an error ends
    /// it before its [time](Datagrams::read_for) is over.
    InTime,
}

impl Datagrams {
    /// Waits until a datagram or a stamp may be there, `limit` is over, or a signal came.
    pub fn wait_for(&mut self, limit: Duration) {
        if !self.is_giving() {
            let found = wait_for(&self.socket, PollFlags::IN, limit);
            self.found(found);
        }
    }

    /// Somebody else's wait found this of the socket.
    pub fn found(&mut self, what: PollFlags) {
        self.has_word |= what.contains(PollFlags::ERR);
    }

    /// Reading [in time](Reading::InTime) is to end after `span`, or a tick of the kernel where that is longer.
    pub fn read_for(&mut self, span: Duration) -> io::Result<()> {
        let granted = |span: Duration| -> io::Result<Duration> {
            self.socket.set_read_timeout(Some(to_system(span)))?;
            let granted = self.socket.read_timeout()?.unwrap_or_default();
            Ok(Duration::from_nanos(granted.as_nanos() as u64))
        };
        // what the kernel grants is rounded up to its ticks, and begins with the next one
        self.longest_read = granted(LEAST_TICK)? + granted(span.max(LEAST_TICK))?;
        Ok(())
    }
}

impl Datagrams {
    /// Waits until a datagram or a stamp may be there, the alarm rings, or a signal came; whether something is there.
    pub fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.is_giving() {
            return true;
        }
        let found = alarm.wait(self.socket.as_fd(), PollFlags::IN);
        self.found(found);
        !found.is_empty()
    }

    /// How long reading [in time](Reading::InTime) takes at most.
    pub fn longest_read(&self) -> Duration {
        self.longest_read
    }

    /// When this host's wall clock was set, as far as the kernel's stamps showed it.
    pub fn steps(&self) -> &[Step] {
        self.steps.steps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::Marking;
    use crate::io::packet_io::Received;

    fn two() -> (Datagrams, Datagrams) {
        let clock = Clock::start();
        let far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        (near, far)
    }

    #[test]
    fn reading_in_time_is_over_in_time_and_gives_what_ends_it() {
        let (mut near, mut far) = two();
        let mut buffer = [0; 16];
        far.read_for(Duration::from_millis(30)).unwrap();
        assert!(far.longest_read() > Duration::from_millis(30));
        let began = far.clock().now();
        assert_eq!(far.receive(Reading::InTime, &mut buffer), Received::Nothing);
        assert!(far.clock().now().since(began) >= Duration::from_millis(30));
        for datagram in [&b"one"[..], b"", b"three"] {
            near.send(datagram).unwrap();
            let Received::Datagram(arrival, came) = far.receive(Reading::InTime, &mut buffer) else {
                panic!("it was sent")
            };
            assert_eq!((arrival.from, came), (near.local().unwrap(), datagram));
        }
        assert_eq!(far.receive(Reading::AtOnce, &mut buffer), Received::Nothing);
    }

    #[test]
    fn a_departure_ends_a_wait_for_the_alarm_until_it_is_told() {
        let (mut near, _far) = two();
        let mut alarm = Alarm::new(near.clock()).unwrap();
        near.send(b"!").unwrap();
        let at = near.clock().now() + Duration::from_secs(60);
        alarm.set(at);
        assert!(near.wait(&alarm) && near.clock().now() < at);
        assert!(matches!(near.departed(), Some((0, _))));
        assert_eq!(near.departed(), None);
        let at = near.clock().now() + Duration::from_millis(30);
        alarm.set(at);
        assert!(!near.wait(&alarm) && near.clock().now() >= at);
    }
}
