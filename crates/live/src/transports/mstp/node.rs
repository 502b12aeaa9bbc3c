//! A master on a line: octets to the machine, its frames to the line, its timers by the clock.

use std::num::NonZeroU64;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, read, write};
use rustix::termios::tcdrain;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::mstp::machine::{Counters, Delivery, Input, Master, Outcome, Output};
use sojourn_protocols::mstp::wire::{Frame, FrameType, Received, Receiver};

use crate::io::clock::{Clock, to_timespec};
use crate::io::echo::Echo;
use sojourn_core::serial::Format;

/// T_turnaround in bit times: silence before a node enables its driver.
const TURNAROUND_BITS: u64 = 40;
/// The longest wait, so that the end is noticed.
const LONGEST_WAIT: Duration = Duration::from_millis(50);
/// The nice value of a thread that comes before all others.
const FIRST: i32 = -20;
/// How long a node that is to end waits until it has passed the token on.
const PASSING: Duration = Duration::from_secs(2);

/// The application above a node.
pub trait Application {
    /// What it has for the node; called until `None`.
    fn poll(&mut self, now: Time) -> Option<Input<Vec<u8>>>;

    /// Data have arrived; what it answers.
    fn deliver(&mut self, now: Time, delivery: Delivery<Vec<u8>>) -> Vec<Input<Vec<u8>>>;

    /// The wait for the reply to its frame has ended without data.
    fn unanswered(&mut self, _now: Time, _destination: u8, _outcome: Outcome) {}

    /// A token has arrived.
    fn token(&mut self, _now: Time) {}

    /// A frame was sent or received, whose octets these are.
    fn frame(&mut self, now: Time, frame: &Frame<&[u8]>, is_own: bool);

    /// The line is lost.
    fn lost(&mut self, _fault: Errno) {}

    /// Whether it is done.
    fn is_over(&self, now: Time) -> bool;

    /// What becomes readable when it has something for the node.
    fn waker(&self) -> Option<&OwnedFd> {
        None
    }
}

/// A master and its line.
pub struct Node {
    line: OwnedFd,
    settings: Format,
    master: Master<Vec<u8>>,
    receiver: Receiver,
    echo: Echo,
    clock: Clock,
    /// When the last octet was on the line.
    silent: Time,
    /// A frame that leaves when the line has been silent for long enough.
    outgoing: Option<(Time, Frame<Vec<u8>>)>,
}

impl Node {
    /// A node on an open line.
    pub fn new(line: OwnedFd, settings: Format, master: Master<Vec<u8>>, clock: Clock) -> Node {
        let receiver = Receiver::new(Some(master.settings().address));
        Node { line, settings, master, receiver, echo: Echo::default(), clock, silent: Time::ZERO, outgoing: None }
    }

    /// Runs until the application is done and the token is passed on, or the line is lost; returns what the master counted.
    pub fn run(mut self, application: &mut impl Application) -> Counters {
        let _ = rustix::thread::set_current_timer_slack(Some(NonZeroU64::MIN));
        // as root: what else this host computes does not keep a token waiting
        let _ = rustix::process::setpriority_process(None, FIRST);
        if let Err(fault) = self.serve(application) {
            application.lost(fault);
        }
        *self.master.counters()
    }

    fn serve(&mut self, application: &mut impl Application) -> Result<(), Errno> {
        // the silence before the node was there is not known
        self.master.restart(self.clock.now());
        let (mut buffer, mut taken) = ([0; 1024], Vec::new());
        let mut ends = Time::NEVER;
        loop {
            let now = self.clock.now();
            if application.is_over(now) {
                ends = ends.min(now + PASSING);
                let is_free = !self.master.has_token() && self.outgoing.is_none();
                if is_free || now >= ends {
                    return Ok(());
                }
            }
            while let Some(input) = application.poll(now) {
                self.master.handle(now, input);
            }
            self.wake(now, application)?;
            self.wait(application);
            while let Some(length) = unless_empty(read(&self.line, &mut buffer[..]))? {
                let now = self.clock.now();
                self.echo.filter(&buffer[..length], &mut taken);
                taken.drain(..).for_each(|octet| self.octet(now, octet, application));
                self.drain(now, application);
            }
        }
    }

    /// Timers of the receiver and of the master, and the frame that is due.
    fn wake(&mut self, now: Time, application: &mut impl Application) -> Result<(), Errno> {
        if self.receiver.wake(now).is_some() {
            self.master.handle(now, Input::Invalid);
        }
        if self.master.next_wakeup().is_some_and(|due| due <= now) {
            self.master.wake(now);
        }
        self.drain(now, application);
        while let Some((_, frame)) = self.outgoing.take_if(|(due, _)| *due <= self.clock.now()) {
            self.transmit(&frame, application)?;
        }
        Ok(())
    }

    fn octet(&mut self, now: Time, octet: u8, application: &mut impl Application) {
        self.silent = now;
        self.master.handle(now, Input::Activity { octets: 1, until: now });
        let input = match self.receiver.push(now, octet) {
            None => return,
            Some(Received::NotForUs(_)) => Input::NotForUs,
            Some(Received::Invalid(_)) => Input::Invalid,
            Some(Received::Frame(frame)) => {
                if frame.kind == FrameType::Token {
                    application.token(now);
                }
                application.frame(now, &frame, false);
                Input::Frame(frame.to_owned())
            }
        };
        self.master.handle(now, input);
    }

    /// Takes what the master puts out.
    fn drain(&mut self, now: Time, application: &mut impl Application) {
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Transmit(frame) => {
                    let due = self.silent + self.turnaround();
                    self.outgoing = Some((due.max(now), frame));
                }
                Output::Deliver(delivery) => {
                    for input in application.deliver(now, delivery) {
                        self.master.handle(now, input);
                    }
                }
                Output::Unanswered { destination, outcome } => application.unanswered(now, destination, outcome),
            }
        }
    }

    fn turnaround(&self) -> Duration {
        Duration::from_units(TURNAROUND_BITS, self.settings.bit_rate.into())
    }

    /// Sends a frame, and waits until its last octet has left.
    fn transmit(&mut self, frame: &Frame<Vec<u8>>, application: &mut impl Application) -> Result<(), Errno> {
        let mut octets = Vec::with_capacity(frame.longest());
        if frame.emit(&mut octets).is_ok() {
            self.echo.sent(&octets);
            let mut rest = &octets[..];
            while !rest.is_empty() {
                match write(&self.line, rest) {
                    Ok(length) => rest = &rest[length..],
                    Err(Errno::AGAIN) => _ = poll(&mut [PollFd::new(&self.line, PollFlags::OUT)], None),
                    Err(Errno::INTR) => {}
                    Err(fault) => return Err(fault),
                }
            }
            while let Err(fault) = tcdrain(&self.line) {
                if fault != Errno::INTR {
                    return Err(fault);
                }
            }
        }
        let now = self.clock.now();
        self.silent = now;
        application.frame(now, &frame.with_data(&frame.data[..]), true);
        self.master.handle(now, Input::Sent);
        self.drain(now, application);
        Ok(())
    }

    /// Waits until octets arrive, the application has something, or a timer is due.
    fn wait(&self, application: &impl Application) {
        let outgoing = self.outgoing.as_ref().map(|(due, _)| *due);
        let timers = [outgoing, self.master.next_wakeup(), self.receiver.next_wakeup()];
        let now = self.clock.now();
        let limit = timers.into_iter().flatten().min().map_or(LONGEST_WAIT, |due| due.since(now)).min(LONGEST_WAIT);
        let mut files = vec![PollFd::new(&self.line, PollFlags::IN)];
        files.extend(application.waker().map(|waker| PollFd::from_borrowed_fd(waker.as_fd(), PollFlags::IN)));
        // after a signal everything is looked at again
        let _ = poll(&mut files, Some(&to_timespec(limit)));
    }
}

/// The length of what was read; `None` if nothing is queued.
fn unless_empty(outcome: Result<usize, Errno>) -> Result<Option<usize>, Errno> {
    match outcome {
        Ok(0) => Err(Errno::IO),
        Ok(length) => Ok(Some(length)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(None),
        Err(fault) => Err(fault),
    }
}
