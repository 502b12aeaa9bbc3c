//! A digipeater: repeats frames that name it as the next on their path.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use crate::ax25::wire::{Address, Addressing, Frame};

/// A digipeater under one address or several.
///
/// If the first digipeater with a clear H bit is its own address, it sets that H bit and repeats the frame otherwise
/// unchanged. It has no links, timers or acknowledgements: the stations at either end do (AX.25 v2.2 section 6.1.1).
#[derive(Clone, Debug)]
pub struct Digipeater<D> {
    addresses: Box<[Address]>,
    outputs: VecDeque<Frame<D>>,
}

impl<D> Digipeater<D> {
    /// A digipeater with these addresses.
    pub fn new(addresses: impl Into<Box<[Address]>>) -> Self {
        Digipeater { addresses: addresses.into(), outputs: VecDeque::new() }
    }

    /// Whether this digipeater repeats the frame. Cheap, so that a driver can filter frames early.
    pub fn accepts(&self, addressing: &Addressing) -> bool {
        addressing.digipeaters.next().is_some_and(|next| self.addresses.contains(&next))
    }
}

impl<D> Machine for Digipeater<D> {
    /// A frame with a valid FCS.
    type Input = Frame<D>;
    /// The frame to transmit, ahead of any I frames.
    type Output = Frame<D>;

    fn handle(&mut self, _now: Time, mut frame: Frame<D>) {
        if self.accepts(&frame.addressing) {
            frame.addressing.digipeaters = frame.addressing.digipeaters.advanced();
            self.outputs.push_back(frame);
        }
    }

    fn wake(&mut self, _now: Time) {}

    fn poll_output(&mut self) -> Option<Frame<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        None
    }
}
