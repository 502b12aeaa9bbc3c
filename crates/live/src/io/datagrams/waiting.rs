//! Three waits for a datagram: with a timeout, until an [`Alarm`] expires, and in a [blocking](ReadMode::Blocking)
//! read.

use std::io;
use std::os::fd::AsFd;

use rustix::event::PollFlags;
use sojourn_core::Duration;

use super::Datagrams;
use crate::io::alarm::Alarm;
use crate::io::clock::to_system;
use crate::io::link::wait_for;
use crate::io::wall_clock::Step;

/// A timeout that every kernel rounds up to its tick: none is shorter.
const LEAST_TICK: Duration = Duration::from_micros(100);

/// How a datagram is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// Return at once if none is queued.
    NonBlocking,
    /// Wait in the read call, which saves a system call. Only a datagram or an error ends it before its
    /// [timeout](Datagrams::set_read_timeout).
    Blocking,
}

impl Datagrams {
    /// Waits until a datagram or a timestamp may be queued, `limit` has passed, or a signal interrupts.
    pub fn wait_for(&mut self, limit: Duration) {
        if !self.has_buffered() {
            let found = wait_for(&self.socket, PollFlags::IN, limit);
            self.found(found);
        }
    }

    /// Takes the events that a poll elsewhere found on this socket.
    pub fn found(&mut self, what: PollFlags) {
        self.error_queue_pending |= what.contains(PollFlags::ERR);
    }

    /// Sets the timeout of [blocking](ReadMode::Blocking) reads to `span`, or a kernel tick if that is longer.
    pub fn set_read_timeout(&mut self, span: Duration) -> io::Result<()> {
        let granted = |span: Duration| -> io::Result<Duration> {
            self.socket.set_read_timeout(Some(to_system(span)))?;
            let granted = self.socket.read_timeout()?.unwrap_or_default();
            Ok(Duration::from_nanos(granted.as_nanos() as u64))
        };
        // the kernel rounds the timeout up to its ticks, and counts from the next one
        self.max_read_time = granted(LEAST_TICK)? + granted(span.max(LEAST_TICK))?;
        Ok(())
    }
}

impl Datagrams {
    /// Waits until a datagram or a timestamp may be queued, the alarm expires, or a signal interrupts; true if something is
    /// queued.
    pub fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.has_buffered() {
            return true;
        }
        let found = alarm.wait(self.socket.as_fd(), PollFlags::IN);
        self.found(found);
        !found.is_empty()
    }

    /// Upper bound of a [blocking](ReadMode::Blocking) read.
    pub fn max_read_time(&self) -> Duration {
        self.max_read_time
    }

    /// Steps of this host's wall clock, as far as the kernel's timestamps showed them.
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
    fn a_blocking_read_ends_by_its_timeout_or_returns_the_datagram() {
        let (mut near, mut far) = two();
        let mut buffer = [0; 16];
        far.set_read_timeout(Duration::from_millis(30)).unwrap();
        assert!(far.max_read_time() > Duration::from_millis(30));
        let began = far.clock().now();
        assert_eq!(far.receive(ReadMode::Blocking, &mut buffer), Received::Nothing);
        assert!(far.clock().now().since(began) >= Duration::from_millis(30));
        for datagram in [&b"one"[..], b"", b"three"] {
            near.send(datagram).unwrap();
            let Received::Datagram(arrival, read) = far.receive(ReadMode::Blocking, &mut buffer) else {
                panic!("it was sent")
            };
            assert_eq!((arrival.from, read), (near.local().unwrap(), datagram));
        }
        assert_eq!(far.receive(ReadMode::NonBlocking, &mut buffer), Received::Nothing);
    }

    #[test]
    fn a_pending_transmit_timestamp_ends_a_wait_until_it_is_read() {
        let (mut near, _far) = two();
        let mut alarm = Alarm::new(near.clock()).unwrap();
        near.send(b"!").unwrap();
        let at = near.clock().now() + Duration::from_secs(60);
        alarm.set(at);
        assert!(near.wait(&alarm) && near.clock().now() < at);
        assert!(matches!(near.poll_tx_timestamp(), Some((0, _))));
        assert_eq!(near.poll_tx_timestamp(), None);
        let at = near.clock().now() + Duration::from_millis(30);
        alarm.set(at);
        assert!(!near.wait(&alarm) && near.clock().now() >= at);
    }
}
