//! What is observed beside the probe, and what must add up.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::Purpose;

use super::information::{Information, Payload};
use super::medium::Received;
use super::terminal::PONG_STREAM;

/// What is kept of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowTally {
    /// Since time 0: messages handed over, those refused, those delivered.
    pub offered: u64,
    pub refused: u64,
    pub delivered: u64,
    /// After the warm-up: messages handed over and refused, messages and octets delivered.
    pub recent_offered: u64,
    pub recent_refused: u64,
    pub recent_delivered: u64,
    pub octets: u64,
}

/// Frames since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameTally {
    /// Those that joined a burst.
    pub loaded: u64,
    /// Those that have left the air: for no station alone, received, and lost to their receiver.
    pub for_none: u64,
    pub received: u64,
    pub lost: u64,
}

/// All that a replication observes beside the probe.
#[derive(Clone, Debug)]
pub struct Measure {
    from: Time,
    warm: bool,
    /// By flow.
    pub flows: Vec<FlowTally>,
    /// All frames.
    pub frames: FrameTally,
    /// After the warm-up: frames with information sent again, of the probe's blocks and of all.
    pub probe_retries: u64,
    pub retries: u64,
    /// After the warm-up: enquiries.
    pub polls: u64,
}

impl Measure {
    /// Nothing observed yet; what counts begins at `from`.
    pub fn new(flows: usize, from: Time) -> Self {
        Measure {
            from,
            warm: false,
            flows: vec![FlowTally::default(); flows],
            frames: FrameTally::default(),
            probe_retries: 0,
            retries: 0,
            polls: 0,
        }
    }

    /// When the warm-up is over.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn begin(&mut self) {
        self.warm = true;
    }

    /// A message of a flow is handed over, and taken or refused.
    pub fn offered(&mut self, flow: u32, taken: bool) {
        let tally = &mut self.flows[flow as usize];
        tally.offered += 1;
        tally.refused += u64::from(!taken);
        tally.recent_offered += u64::from(self.warm);
        tally.recent_refused += u64::from(self.warm && !taken);
    }

    /// A message of a flow is delivered.
    pub fn delivered(&mut self, flow: u32, octets: usize) {
        let tally = &mut self.flows[flow as usize];
        tally.delivered += 1;
        if self.warm {
            tally.recent_delivered += 1;
            tally.octets += octets as u64;
        }
    }

    /// A link sends a frame with information.
    pub fn transmitted(&mut self, information: &Information, purpose: Purpose) {
        if purpose == Purpose::Retransmission && self.warm {
            let is_of_probe =
                |payload: &Payload| matches!(payload, Payload::Stream(range) if range.stream <= PONG_STREAM);
            self.retries += 1;
            self.probe_retries += u64::from(information.payload().is_some_and(is_of_probe));
        }
    }

    /// A frame joins a burst; without a purpose, it is repeated.
    pub fn loaded(&mut self, purpose: Option<Purpose>) {
        self.frames.loaded += 1;
        self.polls += u64::from(self.warm && purpose == Some(Purpose::Enquiry));
    }

    /// A frame has left the air, and what its receiver has of it, if it has one.
    pub fn ended(&mut self, received: Option<Received>) {
        match received {
            None => self.frames.for_none += 1,
            Some(Received::Good) => self.frames.received += 1,
            Some(_) => self.frames.lost += 1,
        }
    }

    /// Every frame that joined a burst has been received, is lost, was for no station alone, or is on its way: so many are. No
    /// more messages are delivered than were taken.
    pub fn check_conservation(&self, on_their_way: u64) {
        let FrameTally { loaded, for_none, received, lost } = self.frames;
        assert_eq!(loaded, for_none + received + lost + on_their_way, "loaded = ended + on their way");
        for flow in &self.flows {
            assert!(flow.delivered + flow.refused <= flow.offered, "delivered no more than taken: {flow:?}");
        }
    }
}
