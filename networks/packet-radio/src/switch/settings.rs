//! Settings of a switch, from its keys and the other switches.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::rose::machine::{InterfaceRole, Route, Settings, Significance, TrunkId};
use sojourn_protocols::rose::wire::{NetworkAddress, NetworkAddressError};
use sojourn_scenario::{Member, Problem, Scenario, Table};

use crate::layout::Layout;

/// Digits of a network address: DNIC, area code, exchange.
const ADDRESS_DIGITS: usize = 10;

/// Settings of a switch.
#[derive(Clone, Debug)]
pub struct SwitchSettings {
    /// Its packet layer, with its routes.
    pub rose: Arc<Settings>,
    /// Its links to other switches.
    pub trunks: Vec<TrunkSettings>,
    /// Stations that it hears, sorted, and the port of each.
    pub heard: Vec<(Address, u32)>,
    /// How long after a link has failed it is requested again.
    pub link_retry: Duration,
    /// Packets and frames that it holds before it stops all users (RNR).
    pub buffers: usize,
    /// Whether users are sent call progress texts.
    pub call_progress: bool,
}

/// A link to another switch.
#[derive(Clone, Copy, Debug)]
pub struct TrunkSettings {
    /// Port of the link.
    pub port: u32,
    /// Callsign of the other switch.
    pub neighbour: Address,
    /// Order of channel allocation; the switch that uses the highest channels also sets up the link.
    pub order: InterfaceRole,
}

/// Settings of station number `index`, a switch.
pub fn settings(
    scenario: &Scenario,
    members: &[Member<'_>],
    index: usize,
    layout: &Layout,
) -> Result<SwitchSettings, Problem> {
    let table = members[index].station;
    let rose = table.table("rose");
    let address = address(scenario, table, rose)?;
    let alike = |other: usize| {
        other != index && is_switch(members, other) && written(members, other) == written(members, index)
    };
    if let Some(other) = (0..members.len()).find(|other| alike(*other)) {
        let message = format!("network address {address} is also that of `{}`", members[other].name);
        return Err(scenario.problem(table, "rose", message, Some("network addresses must be unique".to_owned())));
    }
    let neighbours = neighbours(members, index, layout);
    let order = |neighbour: usize| {
        if layout.addresses[index] < layout.addresses[neighbour] { InterfaceRole::Dce } else { InterfaceRole::Dte }
    };
    let trunk = |&(neighbour, port): &(usize, u32)| TrunkSettings {
        port,
        neighbour: layout.addresses[neighbour],
        order: order(neighbour),
    };
    let trunks: Vec<TrunkSettings> = neighbours.iter().map(trunk).collect();
    let settings = Settings { routes: routes(members, index, layout), ..packet_layer(rose, address) };
    settings.check(trunks.len() as u16).map_err(|error| scenario.problem(table, "rose", error.to_string(), None))?;
    Ok(SwitchSettings {
        rose: Arc::new(settings),
        trunks,
        heard: heard(members.len(), index, layout),
        link_retry: rose.duration("link_retry"),
        buffers: rose.integer("buffers") as usize,
        call_progress: rose.flag("call_progress"),
    })
}

fn address(scenario: &Scenario, table: &Table, rose: &Table) -> Result<NetworkAddress, Problem> {
    let refuse = |message: String| {
        let help = "ten digits: DNIC (4), area code (3), exchange (3)".to_owned();
        scenario.problem(table, "rose", message, Some(help))
    };
    let address: NetworkAddress =
        rose.word("address").parse().map_err(|error: NetworkAddressError| refuse(error.to_string()))?;
    match address.len() {
        ADDRESS_DIGITS => Ok(address),
        digits => Err(refuse(format!("a switch's network address has {ADDRESS_DIGITS} digits, not {digits}"))),
    }
}

fn packet_layer(rose: &Table, address: NetworkAddress) -> Settings {
    Settings {
        window: rose.integer("window") as u8,
        ack_hold_back: rose.duration("ack_delay"),
        significance: match rose.word("acknowledged_by") {
            "next-switch" => Significance::Local,
            _ => Significance::EndToEnd,
        },
        packet_size: rose.number("packet_size") as u16,
        queue_limit: rose.integer("backlog_limit") as u16,
        highest_channel: rose.integer("channels") as u16,
        t20: rose.duration("restart_timer"),
        t21: rose.duration("call_timer"),
        t22: rose.duration("reset_timer"),
        t23: rose.duration("clear_timer"),
        t25: rose.optional_duration("window_timer"),
        max_transmissions: rose.integer("timer_tries") as u8,
        ..Settings::new(address)
    }
}

/// The switches with which this one can communicate, and the port of each.
fn neighbours(members: &[Member<'_>], index: usize, layout: &Layout) -> Vec<(usize, u32)> {
    let others = (0..members.len()).filter(|other| *other != index && is_switch(members, *other));
    others.filter_map(|other| Some((other, layout.port_to(index, other)?))).collect()
}

/// A switch's network address as written in the scenario.
fn written<'m>(members: &[Member<'m>], station: usize) -> &'m str {
    members[station].station.table("rose").word("address")
}

fn is_switch(members: &[Member<'_>], station: usize) -> bool {
    members[station].station.word("type") == "switch"
}

/// Routes as an operator would enter them: the first of the shortest paths to each other switch.
fn routes(members: &[Member<'_>], index: usize, layout: &Layout) -> Vec<Route> {
    let mut first_hop: Vec<Option<usize>> = vec![None; members.len()];
    let mut next: VecDeque<usize> = VecDeque::new();
    for (trunk, (neighbour, _)) in neighbours(members, index, layout).into_iter().enumerate() {
        first_hop[neighbour] = Some(trunk);
        next.push_back(neighbour);
    }
    while let Some(at) = next.pop_front() {
        for (beyond, _) in neighbours(members, at, layout) {
            if beyond != index && first_hop[beyond].is_none() {
                first_hop[beyond] = first_hop[at];
                next.push_back(beyond);
            }
        }
    }
    let route = |(station, trunk): (usize, Option<usize>)| {
        Some(Route { trunk: TrunkId(trunk? as u16), prefix: written(members, station).parse().ok()? })
    };
    first_hop.into_iter().enumerate().filter_map(route).collect()
}

/// The stations with which this one can communicate, and the port of each.
fn heard(stations: usize, index: usize, layout: &Layout) -> Vec<(Address, u32)> {
    let others = (0..stations).filter(|other| *other != index);
    let mut heard: Vec<_> =
        others.filter_map(|other| Some((layout.addresses[other], layout.port_to(index, other)?))).collect();
    heard.sort_unstable();
    heard
}
