//! FDDI as one of the networks.

use sojourn_scenario::{Problems, Scenario};

use super::model::Fddi;
use super::scenario;
use crate::{Information, Model, Network};

/// The network `fddi`.
#[derive(Debug)]
pub struct FddiNetwork;

const INFORMATION: Information = Information {
    kind: "fddi",
    summary: "FDDI token rings with hosts that carry voice and data over XTP: latency, channels, load, loss, multicast",
    models: &[
        "the timed-token protocol: synchronous and asynchronous class, late counter, early token release, claim and recovery, one or several packets per token",
        "hosts with a serial processor (cost per packet, byte and acknowledgement), adapter copies and a clock that reads in steps",
        "voice with converter FIFOs at both ends, any number of channels, measured by exchanges, a stream, and in real time",
        "XTP with selective retransmission, go-back-n, multicast and all its timers; datagrams",
        "background generators, asynchronous messages, unacknowledged and lost packets, routers between rings",
    ],
    leaves_out: &[
        "the dual ring's wrap, station management frames and connection management",
        "restricted tokens",
        "what a generator's frames cost hosts: they are addressed to nobody",
        "the XTP 3 stack's field layout: its packets have its lengths, and the procedures of XTP 4.0",
    ],
    sources: &[
        "ANSI X3.139 (FDDI media access control)",
        "A. C. Weaver, J. F. McNabb, D. J. Fenton and B. Simoncic, UVA TR-92-05, 1992",
        "R. Jain, Performance analysis of FDDI token ring networks, SIGCOMM '90",
        "XTP 4.0 (Xpress Transport Protocol)",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: true,
};

impl Network for FddiNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(Fddi::new(scenario::site(scenario)?)))
    }
}
