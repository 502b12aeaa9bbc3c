//! Packet radio as one of the networks.

use sojourn_scenario::{Problems, Scenario};

use super::model::PacketRadio;
use super::scenario;
use crate::{Information, Model, Network};

/// The network `packet-radio`.
#[derive(Debug)]
pub struct PacketRadioNetwork;

const INFORMATION: Information = Information {
    kind: "packet-radio",
    summary: "Packet radio: round trips of blocks over AX.25, digipeaters, NET/ROM nodes and ROSE switches",
    models: &[
        "AX.25 v2.0 and v2.2 with all their timers, windows and recoveries, digipeaters, UI frames",
        "half-duplex radio channels: TXDELAY, TXTAIL, DWAIT, p-persistence in slots, hidden stations, bit errors; full-duplex wires",
        "terminals: a PC's program, a serial line in both directions, packets made by length, line or timer, buffers that hold the PC up or send RNR",
        "NET/ROM nodes: users and their commands, circuits with windows, choke and ticks, NODES broadcasts, buffers; RNR and choke, never loss",
        "ROSE switches: X.25 virtual circuits hop by hop, users' links ended in the far station's name",
        "a processor per station with costs per frame and octet",
        "a ping-pong of blocks with an exact account of every round trip; UI and connected traffic beside it",
    ],
    leaves_out: &[
        "radio propagation: a station is heard or not, and bits fail independently",
        "the contents of frames: stuffed zeros are those of random bits, on average",
        "serial lines of stations that send flows: their messages reach the TNC at once",
        "of nodes: the texts they greet with, lists of routes, IP and other layers over theirs",
        "DAMA masters and the AX.25 segmenter",
    ],
    sources: &[
        "AX.25 Link Access Protocol v2.2",
        "TAPR TNC-2 system manual",
        "M. Chepponis and P. Karn, The KISS TNC, 1987",
        "K4ABT, X-1J4 TheNET node params",
        "Linux net/netrom, KA9Q NOS, TheNetNode",
        "ITU-T X.25; Linux net/rose",
        "packet-radio benchmark of network layers (KP4DJT)",
    ],
    probe_metric: "response_time",
    ends_with_its_probes: true,
};

impl Network for PacketRadioNetwork {
    fn information(&self) -> &'static Information {
        &INFORMATION
    }

    fn model(&self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        Ok(Box::new(PacketRadio::new(scenario::site(scenario)?)))
    }
}
