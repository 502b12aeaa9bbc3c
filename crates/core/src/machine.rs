//! The contract of a protocol state machine: no clock, socket, sleep or random generator of its own.

use crate::Time;

/// A sans-I/O protocol state machine, driven in the same manner by a simulation and by a live socket.
///
/// A driver calls [`handle`](Machine::handle), then drains [`poll_output`](Machine::poll_output) until it is
/// `None`, then asks [`next_wakeup`](Machine::next_wakeup) and calls [`wake`](Machine::wake) no earlier than
/// that; after each `wake` it drains again. Time never decreases between calls.
pub trait Machine {
    /// Events for the machine: a PDU received, a request of the user, a result from the medium.
    type Input;
    /// Actions for the driver: transmit, deliver, report.
    type Output;

    /// Processes one input at `now`.
    fn handle(&mut self, now: Time, input: Self::Input);

    /// Processes the expiry of all timers due by `now`.
    fn wake(&mut self, now: Time);

    /// Removes and returns the oldest output.
    fn poll_output(&mut self) -> Option<Self::Output>;

    /// When [`wake`](Machine::wake) must be called; `None` if no timer is running.
    fn next_wakeup(&self) -> Option<Time>;
}
