//! Counters other than the probe's, and the conservation of frames and messages.

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::Purpose;

use super::information::{Information, PONG_STREAM, Payload};
use super::medium::Received;
use sojourn_model::flow_tally::{Count, FlowTally};

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
    /// Messages by flow; those dropped at the full queue are lost.
    pub flows: Vec<FlowTally>,
    /// Counters of all frames.
    pub frames: FrameTally,
    /// Retransmitted I frames of the probe's blocks.
    pub probe_retries: Count,
    /// Retransmitted I frames.
    pub retries: Count,
    /// Supervisory polls.
    pub polls: Count,
}

impl Metrics {
    /// All counters zero; the warm-up ends at `from`.
    pub fn new(flows: usize, from: Time) -> Self {
        Metrics {
            from,
            flows: vec![FlowTally::default(); flows],
            frames: FrameTally::default(),
            probe_retries: Count::default(),
            retries: Count::default(),
            polls: Count::default(),
        }
    }

    /// When the warm-up ends.
    pub fn from(&self) -> Time {
        self.from
    }

    /// Ends the warm-up.
    pub fn end_warm_up(&mut self) {
        self.flows.iter_mut().for_each(FlowTally::end_warm_up);
        [&mut self.probe_retries, &mut self.retries, &mut self.polls].into_iter().for_each(Count::end_warm_up);
    }

    /// A message of a flow is offered, and queued or dropped.
    pub fn offered(&mut self, flow: u32, taken: bool) {
        let tally = &mut self.flows[flow as usize];
        tally.offer();
        tally.lose(u64::from(!taken));
    }

    /// A message of a flow is delivered.
    pub fn delivered(&mut self, flow: u32, octets: usize) {
        self.flows[flow as usize].deliver(octets as u64);
    }

    /// A link transmits a frame with information.
    pub fn transmitted(&mut self, information: &Information, purpose: Purpose) {
        if purpose == Purpose::Retransmission {
            let is_probe = |payload: &Payload| matches!(payload, Payload::Stream(range) if range.stream <= PONG_STREAM);
            self.retries.add(1);
            self.probe_retries.add(u64::from(information.payload().is_some_and(is_probe)));
        }
    }

    /// A frame is loaded into a burst; without a purpose, it is digipeated.
    pub fn loaded(&mut self, purpose: Option<Purpose>) {
        self.frames.loaded += 1;
        self.polls.add(u64::from(purpose == Some(Purpose::Enquiry)));
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
        for FlowTally { offered, delivered, lost, .. } in &self.flows {
            let ended = delivered.total() + lost.total();
            assert!(ended <= offered.total(), "delivered no more than accepted: {offered:?} {delivered:?} {lost:?}");
        }
    }
}
