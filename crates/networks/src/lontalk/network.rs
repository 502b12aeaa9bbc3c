//! LonTalk as one of the networks.

use sojourn_scenario::{Problems, Scenario};

use super::model::LonTalk;
use super::scenario;
use crate::{Information, Model, Network};

/// The network `lontalk`.
#[derive(Debug)]
pub struct LonTalkNetwork;

const INFORMATION: Information = Information {
    kind: "lontalk",
    summary: "Control networks of LonTalk nodes: channels, services, priority, collision detection, routers",
    models: &[
        "predictive p-persistent CSMA: a backlog per station, priority slots, randomizing window, collisions with and without detection",
        "nodes with an application, a network and a medium-access processor, their costs and buffers",
        "services unacknowledged, repeated, acknowledged, request/response, each authenticated or not, to stations, groups and everyone",
        "transaction and receive timers, retries, reminders, duplicates, priority",
        "configured routers and repeaters between channels",
    ],
    leaves_out: &[
        "signals: a packet is heard by all or, where packets overlap or a bit error strikes, by none",
        "network management beyond its packets, and learning routers",
        "the copy of a network variable's value delays the receiver's act but does not keep its application busy",
        "the backlog estimate of special-purpose-mode transceivers stands for direct mode too",
    ],
    sources: &[
        "ISO/IEC 14908-1 (EIA-709.1)",
        "LonTalk response-time bulletin (Echelon, March 1992)",
        "open LON Stack DX and EX; EIA-709.1 reference medium access",
        "M. Miśkowicz, Sensors 2007, 7(12), 3535-3559, doi 10.3390/s7123535",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: false,
};

impl Network for LonTalkNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        let site = scenario::site(scenario)?;
        let model = LonTalk::new(site).map_err(|error| scenario::explain(scenario, &error))?;
        Ok(Box::new(model))
    }
}
