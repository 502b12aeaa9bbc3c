//! A digipeater: hands on frames that name it as the next on their way.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};

use crate::ax25::wire::{Address, Addressing, Frame};

/// A digipeater under one address or several.
///
/// It acts on the first digipeater of a frame that has not repeated it, sets that one's H bit, and changes nothing
/// else. It keeps no links, knows no timer and acknowledges nothing: stations at either end do.
#[derive(Clone, Debug)]
pub struct Digipeater<D> {
    addresses: Box<[Address]>,
    outputs: VecDeque<Frame<D>>,
}

impl<D> Digipeater<D> {
    /// A digipeater that answers to these addresses.
    pub fn new(addresses: impl Into<Box<[Address]>>) -> Self {
        Digipeater { addresses: addresses.into(), outputs: VecDeque::new() }
    }

    /// Whether a frame is to be repeated here: a check a driver may make before it spends anything on the frame.
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
