//! Three ways to wait for a datagram: for so long, until an [`Alarm`] rings, and in the very call that reads it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use nix::sys::socket::MsgFlags;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use sojourn_core::Duration;

use super::Datagrams;
use crate::clock::{to_system, to_timespec};
use crate::link::LARGEST_DATAGRAM;
use crate::measuring::alarm::Alarm;

/// A timeout that every kernel rounds up to a tick of its own: none ticks faster.
const LEAST_TICK: Duration = Duration::from_micros(100);

impl Datagrams {
    /// Waits until a datagram or a stamp may be there, `limit` is over, or a signal came.
    pub fn wait(&mut self, limit: Duration) {
        if !self.is_giving() {
            let found = wait_for(self.socket.as_fd(), limit);
            self.found(found);
        }
    }

    /// Waits in the very call that reads, one call less for whoever is in a hurry; whether [`Datagrams::receive`] has
    /// something to give then. Nothing but a datagram or an error ends it before its [time](Datagrams::read_for) is over.
    pub fn wait_in_reading(&mut self) -> bool {
        if self.train.is_over() {
            let mut room = std::mem::take(&mut self.train.room);
            room.resize(LARGEST_DATAGRAM, 0);
            let came = self.read(&mut room, MsgFlags::empty());
            self.train.room = room;
            match came {
                Ok(came) => self.train.put(came),
                Err(Errno::AGAIN) => return false,
                Err(fault) => self.fault = Some(fault),
            }
        }
        true
    }

    /// Waits for what can be read until an alarm rings; whether there is something.
    pub fn wait_for_alarm(&mut self, alarm: &Alarm) -> bool {
        if self.is_giving() {
            return true;
        }
        let found = alarm.wait(self.socket.as_fd(), PollFlags::IN);
        self.found(found);
        !found.is_empty()
    }

    /// Somebody else's wait found this of the socket.
    pub fn found(&mut self, what: PollFlags) {
        self.has_word |= what.contains(PollFlags::ERR);
    }

    /// A wait that reads is to end after `span`, or a tick of the kernel where that is longer.
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

    /// How long [`Datagrams::wait_in_reading`] takes at most.
    pub fn longest_read(&self) -> Duration {
        self.longest_read
    }
}

/// Waits until something can be read from a socket, `limit` is over, or a signal came; what it is.
fn wait_for(socket: BorrowedFd<'_>, limit: Duration) -> PollFlags {
    let mut one = [PollFd::new(&socket, PollFlags::IN)];
    let _ = poll(&mut one, Some(&to_timespec(limit)));
    one[0].revents()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::link::Received;
    use crate::measuring::datagrams::Marking;

    fn two() -> (Datagrams, Datagrams) {
        let clock = Clock::start();
        let far = Datagrams::at(clock, "127.0.0.1:0".parse().unwrap()).unwrap();
        let near = Datagrams::to(clock, far.local().unwrap(), &Marking::default()).unwrap();
        (near, far)
    }

    #[test]
    fn a_wait_that_reads_is_over_in_time_and_loses_nothing_of_what_ends_it() {
        let (mut near, mut far) = two();
        let mut buffer = [0; 16];
        far.read_for(Duration::from_millis(30)).unwrap();
        assert!(far.longest_read() > Duration::from_millis(30));
        let began = far.clock().now();
        assert!(!far.wait_in_reading());
        assert!(far.clock().now().since(began) >= Duration::from_millis(30));
        for datagram in [&b"one"[..], b"", b"three"] {
            near.send(datagram).unwrap();
            assert!(far.wait_in_reading() && far.wait_in_reading(), "it waits until it is taken");
            let Received::Datagram(arrival, came) = far.receive(&mut buffer) else { panic!("it was read") };
            assert_eq!((arrival.from, came), (near.local().unwrap(), datagram));
        }
        assert_eq!(far.receive(&mut buffer), Received::Nothing);
    }

    #[test]
    fn a_departure_ends_a_wait_for_the_alarm_until_it_is_told() {
        let (mut near, _far) = two();
        let mut alarm = Alarm::new(near.clock()).unwrap();
        near.send(b"!").unwrap();
        let at = near.clock().now() + Duration::from_secs(60);
        alarm.set(at);
        assert!(near.wait_for_alarm(&alarm) && near.clock().now() < at);
        assert!(matches!(near.departed(), Some((0, _))));
        assert_eq!(near.departed(), None);
        let at = near.clock().now() + Duration::from_millis(30);
        alarm.set(at);
        assert!(!near.wait_for_alarm(&alarm) && near.clock().now() >= at);
    }
}
