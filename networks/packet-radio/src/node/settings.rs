//! Settings of a node, from its keys.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::machine::{
    AcknowledgeStart, BacklogUnit, Choke, ChokeRelease, ChokeSignal, EarlyAcknowledge, Modulus, NakPolicy, Retransmit,
    Routing, Settings, Transport,
};
use sojourn_protocols::netrom::wire::{Alias, AliasError};
use sojourn_scenario::Table;

/// No limit.
const UNLIMITED: u16 = u16::MAX;

/// Settings of a node.
#[derive(Clone, Debug)]
pub struct NodeSettings {
    /// Its alias.
    pub alias: Alias,
    /// Network and transport layer parameters.
    pub protocol: Settings,
    /// Quality of the neighbours on each of its ports.
    pub port_qualities: Box<[u8]>,
    /// The port on which each station is heard, for links to stations other than nodes.
    pub stations: Arc<[(Address, u8)]>,
    /// Queued messages of a link at which flow control stops it.
    pub threshold: u16,
    /// Queued frames of a user's link above which it accepts no more.
    pub link_admission: u16,
    /// Whether fragments are reassembled into one frame.
    pub reassembles: bool,
    /// Messages it can hold.
    pub buffers: u16,
    /// Free buffers below which flow control stops all senders.
    pub low_watermark: u16,
    /// Free buffers above which it releases them.
    pub high_watermark: u16,
    /// Whether its routing table starts converged.
    pub starts_converged: bool,
}

impl NodeSettings {
    /// The port on which a station is heard, or the first.
    pub fn port_to(&self, station: Address) -> usize {
        self.stations.iter().find(|(known, _)| *known == station).map_or(0, |(_, port)| usize::from(*port))
    }
}

/// The settings of the node with this address, from its table `netrom`; `wires` has whether each of its ports is on a wire.
pub fn settings(
    table: &Table,
    address: Address,
    wires: &[bool],
    stations: Arc<[(Address, u8)]>,
) -> Result<NodeSettings, AliasError> {
    let alias = match table.optional_word("alias") {
        Some(alias) => alias.parse()?,
        None => address.callsign().parse()?,
    };
    let small = |key: &str| table.integer(key) as u16;
    let threshold = small("congestion_threshold");
    let admission = if table.flag("admission") { threshold } else { UNLIMITED };
    let quality = |wire: &bool| table.integer(if *wire { "wire_quality" } else { "radio_quality" }) as u8;
    Ok(NodeSettings {
        alias,
        protocol: Settings {
            routing: routing(table),
            transport: Transport { send_queue_limit: admission, ..transport(table) },
            tick: table.duration("tick"),
        },
        port_qualities: wires.iter().map(quality).collect(),
        stations,
        threshold,
        link_admission: admission,
        reassembles: table.flag("reassembles"),
        buffers: small("buffers"),
        low_watermark: small("low_watermark"),
        high_watermark: small("high_watermark"),
        starts_converged: table.flag("starts_converged"),
    })
}

fn routing(table: &Table) -> Routing {
    let small = |key: &str| table.integer(key) as u8;
    Routing {
        max_destinations: table.integer("nodes_limit") as u16,
        min_quality: small("min_quality"),
        obsolescence_initial: small("obsolescence_initial"),
        min_obsolescence_broadcast: small("obsolescence_minimum"),
        broadcast_interval: table.duration("nodes_interval"),
        ttl: small("ttl"),
        // minimum quality 0 disables learning from broadcasts
        learns_from_broadcasts: small("min_quality") > 0,
        learns_from_packets: true,
    }
}

fn transport(table: &Table) -> Transport {
    let small = |key: &str| table.integer(key) as u8;
    Transport {
        timeout: table.duration("timeout"),
        retries: small("retries"),
        acknowledge_delay: table.duration("ack_delay"),
        acknowledge_start: match table.word("ack_delay_runs") {
            "first" => AcknowledgeStart::First,
            _ => AcknowledgeStart::Restart,
        },
        early_acknowledge: match table.word("early_ack") {
            "none" => EarlyAcknowledge::None,
            "half" => EarlyAcknowledge::Half,
            _ => EarlyAcknowledge::Full,
        },
        delay_grows_with_backlog: table.flag("ack_delay_grows"),
        choke_timeout: table.duration("busy_delay"),
        window: small("window"),
        send_queue_limit: UNLIMITED,
        no_activity_timeout: Some(table.duration("no_activity")).filter(|span| *span > Duration::ZERO),
        information_limit: table.number("fragment") as u16,
        modulus: if table.integer("sequence_modulus") == 128 {
            Modulus::OneHundredTwentyEight
        } else {
            Modulus::TwoHundredFiftySix
        },
        retransmit: if table.word("retransmits") == "all" { Retransmit::All } else { Retransmit::Oldest },
        nak: match table.word("nak") {
            "at-once" => NakPolicy::Immediate,
            "with-ack" => NakPolicy::WithAcknowledgement,
            _ => NakPolicy::Never,
        },
        buffers_out_of_order: table.flag("keeps_out_of_order"),
        choke: choke(table),
        rewinds_when_choked: table.flag("choke_rewinds"),
        accepts_connections: true,
        max_circuits: small("circuits"),
        resets: table.flag("resets"),
        bpq_extension: false,
    }
}

fn choke(table: &Table) -> Choke {
    let usual = match table.word("choke") {
        "at-ack" => table.integer("window") / 2,
        _ => table.integer("congestion_threshold"),
    };
    let above = table.optional_integer("choke_threshold").unwrap_or(usual);
    let below = table.optional_integer("release_threshold").unwrap_or(above.div_ceil(2).max(1));
    Choke {
        unit: BacklogUnit::Packets,
        above: if table.word("choke") == "never" { u32::MAX } else { above as u32 },
        below: below as u32,
        signalled: match table.word("choke") {
            "at-ack" => ChokeSignal::AtFullWindow,
            "with-ack" => ChokeSignal::WithAcknowledgement,
            _ => ChokeSignal::Immediate,
        },
        release: match table.word("unchoke") {
            "at-once" => ChokeRelease::Immediate,
            "at-ack" => ChokeRelease::WithAcknowledgement,
            _ => ChokeRelease::Poll(Duration::from_secs(1)),
        },
        drops: table.flag("choked_receiver_discards"),
        min_free_buffers: table.integer("low_watermark") as u16,
        release_free_buffers: table.integer("high_watermark") as u16,
    }
}
