//! State changed by a scenario's events in a replication. A replication without events has none of this.

use std::collections::BTreeSet;

use sojourn_core::Time;

use super::site::Site;

/// What events have changed.
#[derive(Clone, Debug)]
pub struct Changes {
    /// By host, whether it is off.
    pub off: Vec<bool>,
    /// By host, how often it has lost power: contexts of before and after have different keys.
    pub boots: Vec<u32>,
    /// By flow, whether it is stopped.
    pub stopped: Vec<bool>,
    /// By stream, when its FIFO holds a packet. An event of the queue for another instant is void.
    due: Vec<Time>,
    /// Frames on a ring: which, on which ring, and when each has come to its station.
    transit: Vec<(u32, u16, Time)>,
    /// Frames that are lost, and whose event is pending.
    void: BTreeSet<u32>,
    /// By ring, whether an event has interrupted it, and how many stations are entering or leaving it.
    pub rings: Vec<(bool, u32)>,
}

impl Changes {
    /// The state of a site before its first event.
    pub fn new(site: &Site) -> Option<Box<Changes>> {
        let timeline = site.timeline.as_ref()?;
        Some(Box::new(Changes {
            off: timeline.off.clone(),
            boots: vec![0; site.hosts.len()],
            stopped: timeline.silent.clone(),
            due: Vec::new(),
            transit: Vec::new(),
            void: BTreeSet::new(),
            rings: vec![(false, 0); site.rings.len()],
        }))
    }

    /// A stream's FIFO will hold a packet at `at`.
    pub fn fills(&mut self, at: Time, stream: u32) {
        let place = stream as usize;
        self.due.resize(self.due.len().max(place + 1), Time::NEVER);
        self.due[place] = at;
    }

    /// The event of a FIFO is due; whether it is the one that was scheduled last.
    pub fn is_filled(&mut self, now: Time, stream: u32) -> bool {
        let due = self.due.get_mut(stream as usize);
        due.is_some_and(|due| if *due == now { std::mem::replace(due, Time::NEVER) == now } else { false })
    }

    /// A frame is on a ring, and comes to its station at `arrival`.
    pub fn on_ring(&mut self, now: Time, frame: u32, ring: u16, arrival: Time) {
        self.transit.retain(|(.., arrives)| *arrives > now);
        self.transit.push((frame, ring, arrival));
    }

    /// A ring is interrupted: what is on it is lost.
    pub fn cut(&mut self, now: Time, ring: u16) {
        let lost = self.transit.iter().filter(|(_, on, arrival)| *on == ring && *arrival > now);
        self.void.extend(lost.map(|(frame, ..)| *frame));
        self.transit.retain(|(_, on, _)| *on != ring);
    }

    /// A frame is lost whose event is pending.
    pub fn lose(&mut self, frame: u32) {
        self.void.insert(frame);
    }

    /// The event of a frame is due; whether the frame is lost.
    pub fn is_lost(&mut self, frame: u32) -> bool {
        self.void.remove(&frame)
    }
}
