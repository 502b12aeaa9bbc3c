//! The contract of a protocol machine: no clock, no socket, no sleep, no generator of its own.

use crate::Time;

/// A sans-IO protocol machine, driven alike by a simulation and by a live socket.
///
/// A driver calls [`handle`](Machine::handle), then drains [`poll_output`](Machine::poll_output) until it is
/// `None`, then asks [`next_wakeup`](Machine::next_wakeup) and calls [`wake`](Machine::wake) no earlier than
/// that; after each `wake` it drains again. Time never goes backwards between calls.
pub trait Machine {
    /// What the world tells the machine: a PDU received, a request of the user, an outcome of the medium.
    type Input;
    /// What the machine asks of the world: transmit, deliver, report.
    type Output;

    /// Takes one input at `now`.
    fn handle(&mut self, now: Time, input: Self::Input);

    /// Lets every timer that is due at `now` expire.
    fn wake(&mut self, now: Time);

    /// The next output, oldest first.
    fn poll_output(&mut self) -> Option<Self::Output>;

    /// When [`wake`](Machine::wake) must be called, if a timer runs.
    fn next_wakeup(&self) -> Option<Time>;
}
