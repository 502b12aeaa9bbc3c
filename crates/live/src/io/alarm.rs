//! Timers that are armed before the wait that they limit (timerfd_create(2)).
//!
//! A wait with a timeout programs the CPU's timer when it begins, and again when a response ends it. In a virtual
//! machine each is an exit to the hypervisor, up to ten microseconds, and both lie between a request and its
//! response. The timer for the next event after the response is therefore armed before the request leaves, while an
//! earlier timer is pending: nothing is reprogrammed until that one expires.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};
use sojourn_core::{Duration, Time};

use crate::io::clock::{Clock, to_timespec};

const NO_TIME: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
/// The shortest timer: 0 would disarm it.
const AT_ONCE: Duration = Duration::from_nanos(1);

/// A timer, and the one armed for after it.
#[derive(Debug)]
pub struct Alarm {
    now: Timer,
    then: Timer,
    clock: Clock,
}

#[derive(Debug)]
struct Timer {
    timer: OwnedFd,
    /// When it expires or has expired.
    expires_at: Time,
}

impl Alarm {
    /// A timer that is not armed.
    pub fn new(clock: Clock) -> io::Result<Alarm> {
        let timer = || -> io::Result<Timer> {
            Ok(Timer {
                timer: timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?,
                expires_at: Time::NEVER,
            })
        };
        Ok(Alarm { now: timer()?, then: timer()?, clock })
    }

    /// Sets it to expire at a time, in place of any earlier setting.
    pub fn set(&mut self, at: Time) {
        if self.then.expires_at == at {
            std::mem::swap(&mut self.now, &mut self.then);
        }
        self.now.set(at, self.clock);
    }

    /// Arms the second timer for the next setting, if that is known: [`Alarm::set`] to it then costs no system call.
    pub fn preset(&mut self, then: Time) {
        if then != Time::NEVER {
            self.then.set(then, self.clock);
        }
    }

    /// Waits until it expires, the socket has one of the `wanted` events or an error, or a signal interrupts; returns the
    /// socket's events.
    pub fn wait(&self, socket: BorrowedFd<'_>, wanted: PollFlags) -> PollFlags {
        let mut both = [PollFd::new(&socket, wanted), PollFd::new(&self.now.timer, PollFlags::IN)];
        // the caller checks again after a signal, as after a datagram
        let _ = poll(&mut both, None);
        both[0].revents()
    }

    /// Waits until it expires, or a signal interrupts.
    pub fn sleep(&self) {
        let _ = poll(&mut [PollFd::new(&self.now.timer, PollFlags::IN)], None);
    }
}

impl AsFd for Alarm {
    /// Readable once it has expired.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.now.timer.as_fd()
    }
}

impl Timer {
    fn set(&mut self, at: Time, clock: Clock) {
        if self.expires_at == at {
            return;
        }
        let it_value = to_timespec(at.since(clock.now()).max(AT_ONCE));
        let once = Itimerspec { it_interval: NO_TIME, it_value };
        timerfd_settime(self.timer.as_fd(), TimerfdTimerFlags::empty(), &once).expect("a timer takes any time");
        self.expires_at = at;
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
    fn a_wait_ends_when_the_timer_expires_and_not_before() {
        let (mut alarm, clock, socket) = alarm_and_socket();
        for wait_ms in [20, 3, 0] {
            let at = clock.now() + MILLISECOND.times(wait_ms);
            alarm.set(at);
            assert!(alarm.wait(socket.as_fd(), PollFlags::IN).is_empty());
            assert!(clock.now() >= at);
        }
    }

    #[test]
    fn a_preset_timer_expires_at_its_time_and_neither_one_twice() {
        let (mut alarm, clock, socket) = alarm_and_socket();
        let [first, second, third] = [10, 30, 50].map(|ms| clock.now() + MILLISECOND.times(ms));
        alarm.set(first);
        alarm.preset(second);
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
