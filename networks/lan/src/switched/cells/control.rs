//! Rate control at a switch output: the feedback that it writes into RM cells.

use sojourn_core::{Duration, Time};
use sojourn_protocols::atm::abr::{Erica, EricaSettings, IntelligentMarking, RmCell};

use super::settings::RateControl;

/// The rate control of one output.
#[derive(Clone, Debug)]
pub enum Control {
    /// Rates below an average (EPRCA).
    Marking(IntelligentMarking),
    /// A fair share (ERICA).
    Explicit {
        /// What works it out.
        erica: Box<Erica>,
        /// How often.
        interval: Duration,
        /// When next.
        next: Time,
    },
}

impl Control {
    /// The control of an output of `cell_rate` cells a second that any of this many connections may pass.
    pub fn new(settings: RateControl, cell_rate: f64, connections: usize) -> Option<Self> {
        match settings {
            RateControl::None => None,
            // the average begins at what one connection alone may have
            RateControl::IntelligentMarking(marking) => {
                Some(Control::Marking(IntelligentMarking::new(marking, cell_rate)))
            }
            RateControl::Explicit { interval, utilisation, queue_target } => {
                let settings =
                    EricaSettings { link_rate: cell_rate, target_utilization: utilisation, target_delay: queue_target };
                let erica = Box::new(Erica::new(settings, connections));
                Some(Control::Explicit { erica, interval, next: Time::ZERO + interval })
            }
        }
    }

    /// When it next looks at the queue.
    pub fn next_look(&self) -> Time {
        match self {
            Control::Marking(_) => Time::NEVER,
            Control::Explicit { next, .. } => *next,
        }
    }

    /// It looks at the queue, whose cells now wait so long.
    pub fn look(&mut self, delay: Duration) {
        if let Control::Explicit { erica, interval, next } = self {
            erica.end_interval(*interval, delay);
            *next += *interval;
        }
    }

    /// A cell comes for this output, of a connection of the available bit rate or of another.
    pub fn cell(&mut self, connection: u32, available: bool) {
        match self {
            Control::Explicit { erica, .. } if available => erica.cell(connection as usize),
            Control::Explicit { erica, .. } => erica.other_cell(),
            Control::Marking(_) => {}
        }
    }

    /// A forward cell of a connection comes for this output.
    pub fn forward(&mut self, connection: u32, content: &RmCell) {
        match self {
            Control::Marking(marking) => marking.forward(content),
            Control::Explicit { erica, .. } => erica.forward(connection as usize, content),
        }
    }

    /// A backward cell of a connection that sends to this output passes, while `queued` cells wait for it.
    pub fn backward(&mut self, connection: u32, queued: u32, content: &mut RmCell) {
        match self {
            Control::Marking(marking) => marking.backward(queued, content),
            Control::Explicit { erica, .. } => erica.backward(connection as usize, content),
        }
    }
}
