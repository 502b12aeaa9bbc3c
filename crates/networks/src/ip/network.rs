//! IP networks as one of the networks: hosts and packets of switched LANs, described as today's user knows them.

use sojourn_scenario::{Problems, Scenario};

use super::scenario;
use crate::{Information, Model, Network};

/// The network `ip`.
#[derive(Debug)]
pub struct IpNetwork;

const INFORMATION: Information = Information {
    kind: "ip",
    summary: "Paths of IP networks: an echo beside bulk transfers over links with rate, delay, loss, MTU and queues",
    models: &[
        "links: rate, delay, framing, MTU and fragments, loss and jitter by chance, overtaking",
        "queues before them: FIFO, CoDel, deficit round robin, FQ-CoDel, each behind a token bucket if asked; classes that borrow, as Linux's HTB",
        "routers that take a packet in whole, and a delay of theirs",
        "hosts: one processor for all they send and receive, with costs per packet, octet and acknowledgement",
        "TCP as of today (CUBIC or NewReno, selective acknowledgements, timestamps, window scaling) and as of 4.4BSD",
        "UDP echoes in a closed loop with an exact account of every exchange; bulk transfers that write and never end",
    ],
    leaves_out: &[
        "explicit congestion notification: queues drop, they do not mark",
        "links that share a medium, as wireless ones do; loss that comes in bursts",
        "TCP small queues: a host's own queue holds what its sockets allow, so that it can be longer than Linux's",
        "segmentation offload: each segment is a packet from the start; a host has one processor",
        "routing protocols: ways are the shortest, and stay",
    ],
    sources: &[
        "RFC 791, RFC 5681, RFC 6298, RFC 6582, RFC 9293, RFC 9438",
        "RFC 8289 (CoDel), RFC 8290 (FQ-CoDel)",
        "M. Shreedhar, G. Varghese, Efficient fair queuing using deficit round robin, IEEE/ACM Transactions on Networking 4(3), 1996",
        "P. McKenney, Stochastic fairness queueing, INFOCOM 1990",
        "IEEE 802.3",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
};

impl Network for IpNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(scenario::model(scenario, |router| router.duration("forwarding_delay"))?))
    }
}
