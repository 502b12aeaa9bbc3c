//! The network kind `switched-lan`.

use sojourn_bounds::report::Report;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::scenario;
use crate::gauges::GAUGES;
#[cfg(feature = "rare")]
use crate::meaning;
use sojourn_model::rare::Gauge;
use sojourn_model::{Information, Model, Network};

/// The network `switched-lan`: ATM or Ethernet switches.
#[derive(Debug)]
pub struct SwitchedLanNetwork;

const INFORMATION: Information = Information {
    summary: "Switched LANs: response time of an echo during bulk transfers over ATM or Ethernet, with queues, EFCI and ABR",
    models: &[
        "ATM: AAL5 frames in cells, switches with a FIFO or a queue per virtual circuit at outputs or inputs, partial and early packet discard, EFCI",
        "available bit rate (ABR): sources, destinations, EPRCA and ERICA switches, with RM cells among the data",
        "Ethernet: FIFO, DRR, CoDel, FQ-CoDel, HTB and strict priority (IEEE 802.1Q) queue disciplines, token buckets, weighted random early detection by drop precedence, fragmentation",
        "shared wires: half-duplex Ethernet by CSMA/CD (IEEE 802.3, clause 4) and by PLCA (10BASE-T1S, clause 148), with propagation between each two stations",
        "hosts: one CPU for sending and receiving, with costs per packet, byte, mbuf cluster and acknowledgement; the NIC and its bus",
        "TCP of 4.4BSD with its coarse timers, and of today with CUBIC, DCTCP, Prague or BBR, SACK, RACK-TLP and timestamps",
        "closed loops of requests over UDP and TCP with an exact latency budget of every exchange; endless bulk transfers",
        "UDP streams in one direction, with one-way delay and loss; shaping and metering of flows at ingress",
        "calls in both directions with codec, jitter buffer and rating by the E-model",
        "events: links that go down or lose more (Ethernet: change rate, delay or jitter), switches without power, flows that start and stop",
    ],
    leaves_out: &[
        "the application's CPU time, and interrupt coalescing by a busy CPU",
        "signalling: virtual circuits exist from the start",
        "bit errors on cell links; MAC learning and spanning trees of Ethernet switches: paths are the shortest",
        "events: power of hosts; a switch of cells without power sends what waits in it into links that are down, and keeps its rate control",
        "shared wires: multicast frames, noise of single bits, latency of real PHYs; the tolerance of timers",
        "ARP; a host's CPU cost of fragments in addition to that of their datagram",
    ],
    sources: &[
        "Chen and Brandt (Sandia), contribution to the ATM Forum, December 1995",
        "ITU-T I.361, I.363.5, I.432; ATM Forum Traffic Management 4.0; RFC 2225, RFC 2684",
        "RFC 5681, RFC 6298, RFC 6582, RFC 9293, RFC 9438; TCP/IP Illustrated, volume 2, 1995",
        "RFC 8289, RFC 8290; IEEE 802.1Q",
        "IEEE 802.3, clause 4; IEEE 802.3cg, clauses 147 and 148, as INET's EthernetPlca quotes them",
        "ITU-T G.107, G.107.1, G.107.2, G.113",
    ],
    metrics: &[
        "access_delay",
        "allowed_cell_rate",
        "attempts",
        "capture_run",
        "collisions",
        "conformance",
        "cycle_length",
        "deferrals",
        "delay_budget",
        "drops",
        "excessive_collisions",
        "failures",
        "fairness",
        "fifo_overflow",
        "fifo_underflow",
        "frames_sent",
        "late_collisions",
        "logical_collisions",
        "loss",
        "marks",
        "mos",
        "one_way_delay",
        "opportunities_used",
        "packets",
        "play_out_delay",
        "play_out_loss",
        "plca_changes",
        "precedence_loss",
        "processor_utilisation",
        "queue_access_delay",
        "queue_length",
        "r_factor",
        "recovery_time",
        "response_time",
        "retransmissions",
        "shaping_delay",
        "throughput",
        "transaction_failures",
        "unrecovered",
        "utilisation",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
    samples_without_probe: false,
};

impl Network for SwitchedLanNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::switched::keys::SWITCHED_LAN
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        crate::bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        scenario::model(scenario)
    }

    #[cfg(feature = "rare")]
    fn warnings(&self, scenario: &Scenario) -> Vec<sojourn_model::Warning> {
        let is_ethernet = scenario.table("lan").word("framing") != "cells";
        let model = is_ethernet.then(|| scenario::ethernet(scenario).ok()).flatten();
        let calls = model.map(|model| meaning::frozen_buffers(scenario, &model)).unwrap_or_default();
        calls.into_iter().chain(meaning::slow_media(scenario)).chain(meaning::doubtful_wires(scenario)).collect()
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        match scenario.table("lan").word("framing") {
            "cells" => meaning::of_cells(scenario, scenario::atm(scenario, scenario.table("lan"))),
            _ => meaning::of_packets(scenario, scenario::ethernet(scenario)),
        }
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn sojourn_model::Together>> {
        match scenarios.first()?.table("lan").word("framing") {
            "cells" => crate::model::together(scenarios, |scenario| scenario::atm(scenario, scenario.table("lan"))),
            _ => crate::model::together(scenarios, scenario::ethernet),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record;
    use sojourn_core::Duration;
    use sojourn_model::Replication;
    use sojourn_model::copies::assert_copies_go_on_alike;

    #[test]
    fn copies_go_on_alike() {
        let example = crate::NETWORKS.checked(&crate::NETWORKS.template("switched-lan"), &[]);
        let model = scenario::atm(&example, example.table("lan")).unwrap();
        let until = Duration::from_secs(2);
        let (lan, events) = model.begin(&Replication::alone(until));
        // the template draws no number after its start: nothing parts its copies
        assert_eq!(assert_copies_go_on_alike(lan, events, until, |lan, end| record(lan, end, 0)), 0);
    }

    /// Two switches with requests over TCP on a trunk that fails.
    const TRUNK: &str = r#"
        [network]
        kind = "switched-lan"
        [[medium]]
        name = "left"
        [[medium]]
        name = "right"
        [[medium]]
        name = "trunk"
        loss = "0.01 %"
        [[station]]
        name = "s1"
        type = "switch"
        on = ["left", "trunk"]
        [[station]]
        name = "s2"
        type = "switch"
        on = ["right", "trunk"]
        [[station]]
        name = "client"
        on = "left"
        [[station]]
        name = "server"
        on = "right"
        [[flow]]
        name = "pages"
        service = "request"
        probe = true
        from = "client"
        to = "server"
        size = "100 B"
        response_size = "20 kB"
        think = "20 ms"
        [[event]]
        name = "cut"
        at = "5 s"
        duration = "1 s"
        media = "trunk"
        action = "down"
        [run]
        duration = "20 s"
        warm_up = "1 s"
    "#;

    #[test]
    fn copies_of_requests_over_a_trunk_that_fails_go_on_alike() {
        let scenario = crate::NETWORKS.checked(TRUNK, &[]);
        let model = scenario::atm(&scenario, scenario.table("lan")).unwrap();
        let until = Duration::from_secs(10);
        let (lan, events) = model.begin(&Replication::alone(until));
        assert_eq!(assert_copies_go_on_alike(lan, events, until, |lan, end| record(lan, end, 0)), 4);
    }

    #[test]
    fn copies_of_a_shared_wire_go_on_alike() {
        for access in ["csma-cd", "plca"] {
            let text = include_str!("../../../../studies/one-wire-ethernet/mixing-8-85.toml");
            let scenario = crate::NETWORKS.checked(text, &[("medium.wire.access", access)]);
            let model = scenario::ethernet(&scenario).unwrap();
            let until = Duration::from_millis(500);
            let (lan, events) = model.begin(&Replication::alone(until));
            assert_eq!(assert_copies_go_on_alike(lan, events, until, |lan, end| record(lan, end, 0)), 4, "{access}");
        }
    }
}
