//! The wires that stations share, as the outputs before them know them.

use sojourn_core::{CopyKey, Duration, Rekey, Streams, Time};

use crate::segment::{Segment, SegmentEvent, SegmentSettings, SegmentTally};
use crate::topology::Topology;

/// All wires that stations share, and who is on them.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedWires {
    pub(super) wires: Vec<Wire>,
    /// By port the wire and the node: of outputs, and of inputs.
    pub(super) outputs: Vec<Option<(u32, u32)>>,
    pub(super) inputs: Vec<Option<(u32, u32)>>,
    /// Memory for what happens on them.
    pub(super) events: Vec<SegmentEvent>,
}

/// A wire.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) segment: Segment,
    pub(super) settings: SegmentSettings,
    /// When the step that is scheduled for it is due.
    pub(super) armed: Time,
}

impl SharedWires {
    pub(super) fn new(topology: &Topology, segments: &[SegmentSettings], streams: &Streams) -> SharedWires {
        let [mut outputs, mut inputs] = [(); 2].map(|()| vec![None; topology.ports.len()]);
        for (wire, settings) in (0..).zip(segments) {
            for (number, node) in (0..).zip(&settings.nodes) {
                outputs[node.port as usize] = Some((wire, number));
                inputs[node.port as usize ^ 1] = Some((wire, number));
            }
        }
        let wire = |settings: &SegmentSettings| Wire {
            segment: Segment::new(settings, streams),
            settings: settings.clone(),
            armed: Time::NEVER,
        };
        SharedWires { wires: segments.iter().map(wire).collect(), outputs, inputs, events: Vec::new() }
    }

    pub(super) fn is_output(&self, port: u32) -> bool {
        self.outputs.get(port as usize).copied().flatten().is_some()
    }

    /// Propagation along shared wires of a path.
    pub(super) fn propagation(&self, ports: &[u32]) -> Duration {
        let between = |pair: &[u32]| {
            let ((wire, from), (_, to)) = self.outputs[pair[0] as usize].zip(self.inputs[pair[1] as usize])?;
            Some(self.wires[wire as usize].settings.between(from, to))
        };
        ports.windows(2).filter_map(between).sum()
    }

    pub(super) fn reset_tally(&mut self, now: Time) {
        self.wires.iter_mut().for_each(|wire| wire.segment.reset_tally(now));
    }

    pub(super) fn tally(&mut self, now: Time) -> Vec<SegmentTally> {
        self.wires.iter_mut().map(|wire| wire.segment.tally(now)).collect()
    }
}

impl Rekey for SharedWires {
    fn rekey(&mut self, copy: CopyKey) {
        self.wires.iter_mut().for_each(|wire| wire.segment.rekey(copy));
    }
}
