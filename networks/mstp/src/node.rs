//! A node of a trunk: the protocol machine of a master or a slave.

use std::collections::VecDeque;

use sojourn_core::{Machine, Time};
use sojourn_protocols::mstp::machine::{Counters, Input, Master, Output, Slave, State};

use super::npdu::Npdu;
use super::site::NodeSettings;

/// What nodes put out.
pub type Outputs = VecDeque<Output<Npdu>>;

/// A master or a slave.
#[derive(Clone, Debug)]
pub enum Node {
    /// Takes part in passing the token.
    Master(Box<Master<Npdu>>),
    /// Answers only.
    Slave(Box<Slave<Npdu>>),
}

impl Node {
    /// A node after its start at `now`.
    pub fn new(settings: &NodeSettings, now: Time) -> Node {
        match settings.is_slave {
            true => Node::Slave(Box::new(Slave::new(settings.protocol, now).expect("checked parameters"))),
            false => Node::Master(Box::new(Master::new(settings.protocol, now).expect("checked parameters"))),
        }
    }

    /// Whether it waits for nothing but the next frame: silence alone concerns it.
    #[inline]
    pub fn is_idle(&self) -> bool {
        match self {
            Node::Master(master) => master.state() == State::Idle,
            Node::Slave(slave) => !slave.is_asked(),
        }
    }

    /// Frames that wait for the token.
    pub fn queued(&self) -> usize {
        match self {
            Node::Master(master) => master.queued(),
            Node::Slave(_) => 0,
        }
    }

    /// Its counters.
    pub fn counters(&self) -> &Counters {
        match self {
            Node::Master(master) => master.counters(),
            Node::Slave(slave) => slave.counters(),
        }
    }

    /// Passes an input; what it gives is appended to `outputs`.
    #[inline]
    pub fn handle(&mut self, now: Time, input: Input<Npdu>, outputs: &mut Outputs) {
        match self {
            Node::Master(master) => {
                master.exchange_outputs(outputs);
                master.handle(now, input);
                master.exchange_outputs(outputs);
            }
            Node::Slave(slave) => {
                slave.exchange_outputs(outputs);
                slave.handle(now, input);
                slave.exchange_outputs(outputs);
            }
        }
    }

    /// Its timers are due.
    pub fn wake(&mut self, now: Time, outputs: &mut Outputs) {
        match self {
            Node::Master(master) => {
                master.exchange_outputs(outputs);
                master.wake(now);
                master.exchange_outputs(outputs);
            }
            Node::Slave(slave) => slave.wake(now),
        }
    }

    /// When its next timer is due.
    #[inline]
    pub fn next_wakeup(&self) -> Option<Time> {
        match self {
            Node::Master(master) => master.next_wakeup(),
            Node::Slave(slave) => slave.next_wakeup(),
        }
    }
}

impl Node {
    /// Starts again at `now`, as after a loss of power; what waited for the token.
    pub fn restart(&mut self, now: Time) -> Vec<Npdu> {
        match self {
            Node::Master(master) => {
                let lost = master.waiting().copied().collect();
                master.restart(now);
                lost
            }
            Node::Slave(slave) => {
                slave.restart(now);
                Vec::new()
            }
        }
    }
}
