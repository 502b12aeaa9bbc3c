//! The adapter as one of the networks.

use sojourn_scenario::{Problems, Scenario};

use super::scenario;
use crate::{Information, Model, Network};

/// The network `fddi-adapter`.
#[derive(Debug)]
pub struct FddiAdapterNetwork;

const INFORMATION: Information = Information {
    kind: "fddi-adapter",
    summary: "An FDDI adapter on its system bus, stage by stage: throughput, latency, occupancy, drops by place",
    models: &[
        "the XMI bus to its 64 ns cycle: two round-robin queues, responders first, HOLD, SUP, split reads, transaction lengths",
        "interleaved memory near to the bus (VAX 6000) or behind another one (VAX 9000)",
        "other nodes' transactions in bursts; commanders that always have one",
        "the adapter: FIFOs, ring memory controller, parser, packet memory, ring entry mover, two DMA channels with staging buffers, descriptors read ahead",
        "four-mode, five-mode, constant and exponential frame lengths; exponential, constant and normal gaps; bursts; both ways at once",
        "a ring that is a black box, or a token ring of two stations",
    ],
    leaves_out: &[
        "error frames, the adapter manager's firmware, and what is sent to it",
        "retries and timeouts on the bus: memory acknowledges every command",
        "the host's processor and driver, which take no time",
        "buffers of packet memory that are freed burst by burst: a frame keeps all of them to its end",
    ],
    sources: &[
        "S. Kalkunte, Performance Analysis of a High-speed FDDI Adapter, Digital Technical Journal 3(3), 1991",
        "VAX 6000 Platform Technical User's Guide (XMI)",
        "Computer History Wiki, Extended Memory Interconnect",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
};

impl Network for FddiAdapterNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(scenario::settings(scenario)))
    }
}
