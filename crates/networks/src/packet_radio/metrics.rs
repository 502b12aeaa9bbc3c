//! Counters other than the probe's, and the conservation of frames and messages.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::Purpose;

use super::information::{Information, PONG_STREAM, Payload};
use super::medium::Received;

/// Counters of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowTally {
    /// Since time 0: messages offered, dropped at the full queue, delivered.
    pub offered: u64,
    pub refused: u64,
    pub delivered: u64,
    /// After the warm-up: messages offered and dropped, messages and octets delivered.
    pub observed_offered: u64,
    pub observed_refused: u64,
    pub observed_delivered: u64,
    pub octets: u64,
}

/// Counters of frames since time 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameTally {
    /// Frames loaded into bursts.
    pub loaded: u64,
    /// Frames transmitted: without a single receiver, received, and lost at their receiver.
    pub without_receiver: u64,
    pub received: u64,
    pub lost: u64,
}

/// Counters of a replication other than the probe's.
#[derive(Clone, Debug)]
pub struct Metrics {
    from: Time,
    warm: bool,
    /// Counters by flow.
    pub flows: Vec<FlowTally>,
    /// Counters of all frames.
    pub frames: FrameTally,
    /// After the warm-up: retransmitted I frames, of the probe's blocks and of all.
    pub probe_retries: u64,
    pub retries: u64,
    /// After the warm-up: supervisory polls.
    pub polls: u64,
}

impl Metrics {
    /// All counters zero; the warm-up ends at `from`.
    pub fn new(flows: usize, from: Time) -> Self {
        Metrics {
            from,
            warm: false,
            flows: vec![FlowTally::default(); flows],
            frames: FrameTally::default(),
            probe_retries: 0,
            retries: 0,
            polls: 0,
        }
    }

    /// When the warm-up ends.
    pub fn from(&self) -> Time {
        self.from
    }

    /// Ends the warm-up.
    pub fn end_warm_up(&mut self) {
        self.warm = true;
    }

    /// A message of a flow is offered, and queued or dropped.
    pub fn offered(&mut self, flow: u32, taken: bool) {
        let tally = &mut self.flows[flow as usize];
        tally.offered += 1;
        tally.refused += u64::from(!taken);
        tally.observed_offered += u64::from(self.warm);
        tally.observed_refused += u64::from(self.warm && !taken);
    }

    /// A message of a flow is delivered.
    pub fn delivered(&mut self, flow: u32, octets: usize) {
        let tally = &mut self.flows[flow as usize];
        tally.delivered += 1;
        if self.warm {
            tally.observed_delivered += 1;
            tally.octets += octets as u64;
        }
    }

    /// A link transmits a frame with information.
    pub fn transmitted(&mut self, information: &Information, purpose: Purpose) {
        if purpose == Purpose::Retransmission && self.warm {
            let is_probe = |payload: &Payload| matches!(payload, Payload::Stream(range) if range.stream <= PONG_STREAM);
            self.retries += 1;
            self.probe_retries += u64::from(information.payload().is_some_and(is_probe));
        }
    }

    /// A frame is loaded into a burst; without a purpose, it is digipeated.
    pub fn loaded(&mut self, purpose: Option<Purpose>) {
        self.frames.loaded += 1;
        self.polls += u64::from(self.warm && purpose == Some(Purpose::Enquiry));
    }

    /// A frame has been transmitted, with the outcome at its receiver, if it has one.
    pub fn ended(&mut self, received: Option<Received>) {
        match received {
            None => self.frames.without_receiver += 1,
            Some(Received::Good) => self.frames.received += 1,
            Some(_) => self.frames.lost += 1,
        }
    }

    /// Panics unless loaded = without receiver + received + lost + `in_flight` frames, and no flow delivered more messages
    /// than it accepted.
    pub fn check_conservation(&self, in_flight: u64) {
        let FrameTally { loaded, without_receiver, received, lost } = self.frames;
        assert_eq!(loaded, without_receiver + received + lost + in_flight, "loaded = ended + in flight");
        for flow in &self.flows {
            assert!(flow.delivered + flow.refused <= flow.offered, "delivered no more than accepted: {flow:?}");
        }
    }
}
