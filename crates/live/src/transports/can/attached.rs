//! A bus that a server or a listener is attached to, opened again after it was lost.

use std::time::{Duration as SystemDuration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use sojourn_core::Duration;

use crate::io::can::{Bus, Carrier, Frame};
use crate::io::clock::{to_system, to_timespec};

/// Pause before an interface that is down is opened again.
const PAUSE: SystemDuration = SystemDuration::from_secs(1);

/// A bus, attached or to be attached again.
pub struct Attached {
    bus: Bus,
    carrier: Option<Box<dyn Carrier>>,
    retry_at: Instant,
    /// What carriers before this one passed as malformed.
    malformed: u64,
}

/// What came of looking for a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Received {
    /// A frame.
    Frame(Frame),
    /// Nothing is queued.
    Nothing,
    /// The bus is lost.
    Lost(Errno),
    /// It is attached again.
    Restored,
}

impl Attached {
    /// A bus that is open.
    pub fn new(bus: Bus, carrier: Box<dyn Carrier>) -> Attached {
        Attached { bus, carrier: Some(carrier), retry_at: Instant::now(), malformed: 0 }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        self.bus.name()
    }

    /// Datagrams and records that were no frames.
    pub fn malformed(&self) -> u64 {
        self.malformed + self.carrier.as_ref().map_or(0, |carrier| carrier.malformed())
    }

    /// The next frame, or what happened to the bus.
    pub fn receive(&mut self) -> Received {
        let Some(carrier) = &mut self.carrier else { return self.try_again() };
        match carrier.receive() {
            Ok(frame) => Received::Frame(frame),
            Err(Errno::AGAIN) => Received::Nothing,
            Err(fault) => {
                self.lose();
                Received::Lost(fault)
            }
        }
    }

    /// Sends a frame; one for a bus that is lost, or that takes none now, is lost too.
    pub fn send(&mut self, frame: &Frame) {
        if let Some(carrier) = &mut self.carrier {
            let _ = carrier.send(frame);
        }
    }

    /// Waits until a frame may have come, or `limit` has passed.
    pub fn wait(&self, limit: Duration) {
        match &self.carrier {
            // a signal ends the wait early, and the caller checks again
            Some(carrier) => {
                let mut files = [PollFd::from_borrowed_fd(carrier.file(), PollFlags::IN)];
                let _ = poll(&mut files, Some(&to_timespec(limit)));
            }
            None => std::thread::sleep(to_system(limit)),
        }
    }

    fn lose(&mut self) {
        self.malformed = self.malformed();
        self.carrier = None;
        self.retry_at = Instant::now() + PAUSE;
    }

    fn try_again(&mut self) -> Received {
        if Instant::now() < self.retry_at {
            return Received::Nothing;
        }
        self.retry_at = Instant::now() + PAUSE;
        self.carrier = self.bus.open().ok();
        if self.carrier.is_some() { Received::Restored } else { Received::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::os::fd::{AsFd, BorrowedFd};

    use sojourn_protocols::can::frame::{Content, Id};
    use sojourn_protocols::can::log::Logged;

    use super::*;

    /// A carrier of what a test wants to come.
    struct Scripted(VecDeque<Result<Frame, Errno>>, std::io::Stdin);

    impl Carrier for Scripted {
        fn file(&self) -> BorrowedFd<'_> {
            self.1.as_fd()
        }

        fn receive(&mut self) -> Result<Frame, Errno> {
            self.0.pop_front().unwrap_or(Err(Errno::AGAIN))
        }

        fn send(&mut self, _frame: &Frame) -> Result<(), Errno> {
            Err(Errno::NETDOWN)
        }

        fn malformed(&self) -> u64 {
            3
        }
    }

    #[test]
    fn an_interface_that_goes_down_is_reported_once_and_waited_for() {
        let frame = Logged { id: Id::Base(1), content: Content::Data(vec![]) };
        let script = VecDeque::from([Ok(frame.clone()), Err(Errno::NETDOWN)]);
        let bus = Bus::Interface("no-such-bus".to_owned());
        let mut attached = Attached::new(bus, Box::new(Scripted(script, std::io::stdin())));
        assert_eq!(attached.receive(), Received::Frame(frame.clone()));
        assert_eq!(attached.receive(), Received::Lost(Errno::NETDOWN));
        attached.send(&frame);
        assert_eq!([attached.receive(), attached.receive()], [Received::Nothing, Received::Nothing]);
        assert_eq!((attached.malformed(), attached.name().as_str()), (3, "no-such-bus"));
    }
}
