//! Switched LANs as one of the networks.

use sojourn_scenario::{Problems, Scenario};

use super::scenario;
use crate::{Information, Model, Network};

/// The network `switched-lan`.
#[derive(Debug)]
pub struct SwitchedLanNetwork;

const INFORMATION: Information = Information {
    kind: "switched-lan",
    summary: "Switched LANs: an echo beside bulk transfers over ATM cells or Ethernet packets, with queues, marks and rates",
    models: &[
        "ATM: AAL5 frames in cells, switches with a FIFO or a queue per circuit at outputs or inputs, partial and early packet discard, EFCI",
        "available bit rate: sources, destinations and switches of EPRCA and ERICA, their cells among the data",
        "Ethernet: frames through FIFO, per-flow round robin, CoDel and FQ-CoDel queues, token buckets, fragments",
        "hosts: one processor for all they send and receive, with costs per packet, octet, cluster and acknowledgement; the adapter and its bus",
        "TCP as of 4.4BSD with its ticks, and of today with CUBIC, selective acknowledgements and timestamps",
        "UDP echoes in a closed loop with an exact account of every exchange; bulk transfers that write and never end",
    ],
    leaves_out: &[
        "the application's own time, and interrupts that a busy processor would fold into one",
        "signalling: circuits are there from the start",
        "bit errors on links of cells; learning and spanning trees of Ethernet switches: ways are the shortest",
        "ARP; what fragments cost a host beyond what their datagram does",
    ],
    sources: &[
        "Chen and Brandt (Sandia), contribution to the ATM Forum, December 1995",
        "ITU-T I.361, I.363.5, I.432; ATM Forum Traffic Management 4.0; RFC 2225, RFC 2684",
        "RFC 5681, RFC 6298, RFC 6582, RFC 9293, RFC 9438; TCP/IP Illustrated, volume 2, 1995",
        "RFC 8289, RFC 8290",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
};

impl Network for SwitchedLanNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        scenario::model(scenario)
    }
}
