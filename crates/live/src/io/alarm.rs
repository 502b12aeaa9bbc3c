//! What ends a sleep on time: timers that are set long before they ring (timerfd_create(2)).
//!
//! A wait with a limit of its own programs the processor's timer when it begins, and once more when an answer ends it. In
//! a virtual machine either is a way out to the host and back, ten microseconds at worst, and both lie between a request
//! and its answer. An alarm for what comes after the answer is set before the request leaves, while another one is to
//! ring earlier: then nothing is programmed but when that one rings.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};
use sojourn_core::{Duration, Time};

use crate::io::clock::{Clock, to_timespec};

const NO_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// No clock tells a time that is not after it: a timer for then would never ring.
const AT_ONCE: Duration = Duration::from_nanos(1);

/// An alarm, and the one after it.
#[derive(Debug)]
pub struct Alarm {
    now: Timer,
    then: Timer,
    clock: Clock,
}

#[derive(Debug)]
struct Timer {
    timer: OwnedFd,
    /// When it rings, or has rung.
    rings: Time,
}

impl Alarm {
    /// One that is not set.
    pub fn new(clock: Clock) -> io::Result<Alarm> {
        let timer = || -> io::Result<Timer> {
            Ok(Timer { timer: timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?, rings: Time::NEVER })
        };
        Ok(Alarm { now: timer()?, then: timer()?, clock })
    }

    /// Rings at an instant, no longer at another.
    pub fn set(&mut self, at: Time) {
        if self.then.rings == at {
            std::mem::swap(&mut self.now, &mut self.then);
        }
        self.now.set(at, self.clock);
    }

    /// The instant that it is going to be set to next, if that is known: setting it then costs nothing.
    pub fn foresee(&mut self, then: Time) {
        if then != Time::NEVER {
            self.then.set(then, self.clock);
        }
    }

    /// Waits until it rings, a socket is as wanted or has a fault to tell, or a signal came; what it is of the socket.
    pub fn wait(&self, socket: BorrowedFd<'_>, wanted: PollFlags) -> PollFlags {
        let mut both = [PollFd::new(&socket, wanted), PollFd::new(&self.now.timer, PollFlags::IN)];
        // a signal is as good as a datagram: whoever waits looks again
        let _ = poll(&mut both, None);
        both[0].revents()
    }

    /// Waits until it rings, or a signal came.
    pub fn sleep(&self) {
        let _ = poll(&mut [PollFd::new(&self.now.timer, PollFlags::IN)], None);
    }
}

impl Timer {
    fn set(&mut self, at: Time, clock: Clock) {
        if self.rings == at {
            return;
        }
        let it_value = to_timespec(at.since(clock.now()).max(AT_ONCE));
        let once = Itimerspec { it_interval: NO_TIME, it_value };
        timerfd_settime(self.timer.as_fd(), TimerfdTimerFlags::empty(), &once).expect("a timer takes any time");
        self.rings = at;
    }
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn alarm_and_socket() -> (Alarm, Clock, UdpSocket) {
        let clock = Clock::start();
        (Alarm::new(clock).unwrap(), clock, UdpSocket::bind("127.0.0.1:0").unwrap())
    }

    #[test]
    fn a_wait_ends_when_the_alarm_rings_and_not_before() {
        let (mut alarm, clock, socket) = alarm_and_socket();
        for wait_ms in [20, 3, 0] {
            let at = clock.now() + MILLISECOND.times(wait_ms);
            alarm.set(at);
            assert!(alarm.wait(socket.as_fd(), PollFlags::IN).is_empty());
            assert!(clock.now() >= at);
        }
    }

    #[test]
    fn the_alarm_that_was_foreseen_rings_at_its_time_and_neither_one_twice() {
        let (mut alarm, clock, socket) = alarm_and_socket();
        let [first, second, third] = [10, 30, 50].map(|ms| clock.now() + MILLISECOND.times(ms));
        alarm.set(first);
        alarm.foresee(second);
        for at in [first, second, third] {
            alarm.set(at);
            alarm.wait(socket.as_fd(), PollFlags::IN);
            assert!(clock.now() >= at);
        }
    }

    #[test]
    fn a_datagram_ends_a_wait_early() {
        let (mut alarm, clock, socket) = alarm_and_socket();
        let at = clock.now() + MILLISECOND.times(60_000);
        alarm.set(at);
        socket.send_to(b"!", socket.local_addr().unwrap()).unwrap();
        assert_eq!(alarm.wait(socket.as_fd(), PollFlags::IN), PollFlags::IN);
        assert!(clock.now() < at);
    }
}
