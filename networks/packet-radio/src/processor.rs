//! A station's CPU: its jobs and what they cost.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::ax25::machine::{Input, LinkId};
use sojourn_protocols::ax25::wire::Frame;

use super::information::{Information, of_frame};
use super::port::Port;

/// CPU time per frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// Per frame received.
    pub receive_frame: Duration,
    /// Per frame formed.
    pub send_frame: Duration,
    /// Per octet of information.
    pub per_octet: Duration,
}

impl Costs {
    /// CPU time of a frame that costs `frame` plus a cost per octet of its information.
    pub fn of(&self, frame: Duration, information: Option<&Information>) -> Duration {
        let octets = information.map_or(0, UserData::length);
        if self.per_octet == Duration::ZERO { frame } else { frame + self.per_octet.times(octets as u64) }
    }
}

/// A job of the CPU.
#[derive(Clone, Debug)]
pub enum Job {
    /// Process a received frame.
    Receive {
        /// The port.
        port: u32,
        /// The frame.
        frame: Frame<Information>,
    },
    /// Form a frame of a link.
    Send {
        /// The port.
        port: u32,
        /// The link.
        link: LinkId,
        /// The information field.
        information: Information,
    },
}

impl Job {
    /// The port it concerns.
    pub fn port(&self) -> u32 {
        let (Job::Receive { port, .. } | Job::Send { port, .. }) = self;
        *port
    }

    /// The information field of its frame.
    pub fn information(&self) -> Option<&Information> {
        match self {
            Job::Receive { frame, .. } => of_frame(frame),
            Job::Send { information, .. } => Some(information),
        }
    }
}

/// Runs a job to completion. Links request the channel by their outputs; `true` requests it for a frame to digipeat.
pub fn run_job(now: Time, job: Job, ports: &mut [Port]) -> bool {
    match job {
        Job::Receive { port, frame } => ports[port as usize].receive(now, frame),
        Job::Send { port, link, information } => {
            let pid = information.pid();
            ports[port as usize].links.handle(now, Input::Send { link, pid, data: information });
            false
        }
    }
}
