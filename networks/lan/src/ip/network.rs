//! The network kind `ip`.

use sojourn_bounds::report::Report;
use sojourn_scenario::{NetworkKeys, Problems, Scenario};

use super::scenario;
use crate::gauges::GAUGES;
#[cfg(feature = "rare")]
use crate::meaning;
use sojourn_model::rare::Gauge;
use sojourn_model::{Information, Model, Network};

/// The network `ip`: hosts and routers with packet queues.
#[derive(Debug)]
pub struct IpNetwork;

const INFORMATION: Information = Information {
    summary: "IP networks: response time of requests over UDP and TCP during bulk transfers, over links with rate, delay, loss, MTU and queues",
    models: &[
        "links: rate, constant or over time by a trace, delay, framing, MTU and fragmentation, random and recorded loss, jitter, reordering",
        "queue disciplines: FIFO, RED, CoDel, PIE, DualPI2, DRR, FQ-CoDel, strict priority by DSCP, each with an optional token bucket filter; HTB; CAKE; weighted random early detection by drop precedence; marks (ECN) in place of drops",
        "shaping and metering of flows where they enter: token buckets, and markers of one and two rates that mark or drop",
        "store-and-forward routers with a forwarding delay",
        "hosts: one CPU for sending and receiving, with costs per packet, byte and acknowledgement",
        "TCP of today (CUBIC, NewReno, DCTCP, Prague or BBR; SACK, RACK-TLP and PRR; timestamps, window scaling, pacing) and of 4.4BSD",
        "explicit congestion notification (ECN) of TCP: classic and accurate, marked by queues with `ecn`",
        "events: links that go down and up, change rate, delay, jitter or loss; routers without power; flows that start and stop",
        "closed loops of requests over UDP and TCP with an exact latency budget of every exchange; endless bulk transfers",
        "UDP streams in one direction, with one-way delay and loss",
        "calls in both directions or one with codec, jitter buffer and rating by the E-model",
    ],
    leaves_out: &[
        "explicit congestion notification (ECN) of UDP, and of the handshake and pure acknowledgements of TCP; the AccECN option; marks of BBR, whose packets are dropped",
        "of CAKE: the filter of acknowledgements, the modes ingress, nat, wash and autorate-ingress; of PIE: byte mode and the estimate of the departure rate; of RED: adaptive thresholds; of DualPI2: thresholds in packets",
        "shared media such as wireless links; a law of bursty loss",
        "TCP small queues: a host's own queue is bounded by its send buffers only, and can be longer than on Linux",
        "applications: messages of one size, a request at a time on each connection; TLS",
        "segmentation offload (TSO, GSO, GRO); hosts with more than one CPU",
        "routing protocols: paths are the shortest and static",
    ],
    sources: &[
        "RFC 791, RFC 5681, RFC 6298, RFC 6582, RFC 9293, RFC 9438",
        "RFC 3168, RFC 8511, RFC 9768 (ECN); RFC 8257 (DCTCP); draft-briscoe-iccrg-prague-congestion-control; draft-ietf-ccwg-bbr-04 (BBR)",
        "RFC 8985 (RACK-TLP), RFC 9937 (PRR)",
        "RFC 8289 (CoDel), RFC 8290 (FQ-CoDel), RFC 8033 (PIE), RFC 9332 (DualPI2); tc-cake(8), tc-codel(8), tc-dualpi2(8), tc-fq_codel(8), tc-pie(8), tc-red(8)",
        "T. Høiland-Jørgensen, D. Täht, J. Morton, Piece of CAKE: a comprehensive queue management solution for home gateways, IEEE LANMAN 2018",
        "M. Shreedhar, G. Varghese, Efficient fair queuing using deficit round robin, IEEE/ACM Transactions on Networking 4(3), 1996",
        "P. McKenney, Stochastic fairness queueing, INFOCOM 1990",
        "IEEE 802.3, IEEE 802.1Q",
        "ITU-T G.107, G.107.1, G.107.2, G.113; RFC 2474, RFC 2597, RFC 2697, RFC 2698, RFC 3246",
        "S. Floyd, V. Jacobson, Random early detection gateways for congestion avoidance, IEEE/ACM Transactions on Networking 1(4), 1993",
    ],
    metrics: &[
        "allowed_cell_rate",
        "conformance",
        "delay_budget",
        "drops",
        "failures",
        "fifo_overflow",
        "fifo_underflow",
        "loss",
        "marks",
        "mos",
        "one_way_delay",
        "packets",
        "play_out_delay",
        "play_out_loss",
        "precedence_loss",
        "processor_utilisation",
        "queue_length",
        "r_factor",
        "recovery_time",
        "reordering",
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

impl Network for IpNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn keys(&self) -> &'static NetworkKeys {
        &crate::ip::keys::IP
    }

    fn bounds(&self, scenario: &Scenario) -> Result<Report, Problems> {
        crate::bounds::bounds(scenario)
    }

    fn gauges(&self) -> &'static [Gauge] {
        &GAUGES
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(scenario::model(scenario, |router| router.duration("forwarding_delay"))?))
    }

    #[cfg(feature = "rare")]
    fn warnings(&self, scenario: &Scenario) -> Vec<sojourn_model::Warning> {
        let model = scenario::model(scenario, |router| router.duration("forwarding_delay"));
        let calls = model.map(|model| meaning::frozen_buffers(scenario, &model)).unwrap_or_default();
        calls.into_iter().chain(meaning::slow_media(scenario)).collect()
    }

    #[cfg(feature = "rare")]
    fn meaning<'s>(&self, scenario: &'s Scenario) -> sojourn_model::Meaning<'s> {
        meaning::of_packets(scenario, scenario::model(scenario, |router| router.duration("forwarding_delay")))
    }

    #[cfg(feature = "rare")]
    fn together(&self, scenarios: &[&Scenario]) -> Option<Box<dyn sojourn_model::Together>> {
        crate::model::together(scenarios, |scenario| {
            scenario::model(scenario, |router| router.duration("forwarding_delay"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::record;
    use sojourn_core::Duration;
    use sojourn_model::Replication;
    use sojourn_model::copies::assert_copies_go_on_alike;

    /// Transfers and an echo over a link that is down for ten seconds.
    const OUTAGE: &str = include_str!("../../../../examples/outage.toml");

    /// Requests over TCP, a unidirectional UDP stream, and packet loss.
    const PAGES: &str = r#"
        [[flow]]
        name = "pages"
        service = "request"
        from = "operator"
        to = "controller"
        size = "100 B"
        response_size = "20 kB"
        think = "50 ms"

        [[flow]]
        name = "camera"
        service = "stream"
        from = "controller"
        to = "operator"
        size = "1000 B"
        arrivals = { kind = "poisson", interval = "20 ms" }
    "#;

    fn assert_copies_of(scenario: &Scenario, until: Duration) {
        let model = scenario::model(scenario, |router| router.duration("forwarding_delay")).unwrap();
        let (lan, events) = model.begin(&Replication::alone(until));
        assert!(assert_copies_go_on_alike(lan, events, until, |lan, end| record(lan, end, 0)) >= 3);
    }

    #[test]
    fn copies_go_on_alike_and_rekeyed_ones_do_not() {
        assert_copies_of(&crate::NETWORKS.checked(&crate::NETWORKS.template("ip"), &[]), Duration::from_secs(2));
    }

    #[test]
    fn copies_of_requests_over_tcp_and_streams_over_a_link_that_fails_go_on_alike() {
        let scenario = crate::NETWORKS.checked(&format!("{OUTAGE}{PAGES}"), &[("medium.backbone.loss", "0.5 %")]);
        assert!(!scenario.events().is_empty());
        assert_copies_of(&scenario, Duration::from_secs(60));
    }

    #[test]
    fn copies_of_transfers_that_are_paced_and_marked_go_on_alike() {
        for congestion in ["bbr", "prague"] {
            let edits =
                [("station.tcp.congestion", congestion), ("medium.uplink.queue", "{ kind = \"codel\", ecn = true }")];
            let text = include_str!("../../../../examples/ip-home-link.toml");
            assert_copies_of(&crate::NETWORKS.checked(text, &edits), Duration::from_secs(2));
        }
    }

    #[test]
    fn copies_of_transfers_before_queues_that_draw_go_on_alike() {
        let text = include_str!("../../../../examples/ip-home-link.toml");
        for queue in ["{ kind = \"pie\" }", "{ kind = \"dualpi2\" }", "{ kind = \"red\" }", "{ kind = \"cake\" }"] {
            let scenario = crate::NETWORKS.checked(text, &[("medium.uplink.queue", queue)]);
            assert_copies_of(&scenario, Duration::from_secs(4));
        }
    }

    #[test]
    fn copies_of_shaped_and_marked_flows_before_queues_that_drop_early_go_on_alike() {
        let text = include_str!("../../../../examples/assured-forwarding.toml");
        let scenario =
            crate::NETWORKS.checked(text, &[("flow.files.shaping", "{ rate = \"5 Mbit/s\", burst = \"3 kB\" }")]);
        assert_copies_of(&scenario, Duration::from_secs(20));
    }
}
