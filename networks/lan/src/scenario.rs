//! Converts a checked scenario to hosts, links and flows.

use sojourn_core::Duration;
use sojourn_scenario::{Member, Problems, Scenario, Table};

use super::capture::Form;
use super::circuits::Circuits;
use super::flows::Flows;
use super::hosts::{Costs, Work};
use super::layout::Layout;
use super::site::Site;
use super::topology::StationKind;

/// The stations, links and flows of a scenario. `circuits` provides the connections; `mtu` is that of hosts that do not
/// fragment, in octets (`None`: the smallest MTU of each path).
pub fn flows<'s>(
    scenario: &'s Scenario,
    members: &'s [Member<'s>],
    circuits: Circuits,
    mtu: Option<u32>,
) -> Result<Flows<'s>, Problems> {
    let mut problems = Problems::new();
    let layout = Layout::new(scenario, members, &mut problems);
    // errors in links would cause others in the flows over them
    let layout = problems.or(layout)?;
    Flows::read(scenario, members, layout, circuits, mtu)
}

/// The site of these stations and flows; `channels` are the VCIs by connection, none without ATM.
pub fn site(members: &[Member<'_>], flows: Flows<'_>, channels: Vec<u16>, capture: Form) -> Site {
    let Flows { layout, activities, names, .. } = flows;
    let is_host = |station: usize| layout.topology.stations[station] == StationKind::Host;
    Site {
        stations: members.iter().map(|member| member.name.clone()).collect(),
        costs: members.iter().enumerate().map(|(at, member)| is_host(at).then(|| costs(member.station))).collect(),
        assumed_packet_cost: members.iter().map(|member| assumed_packet_cost(member.station)).collect(),
        ports: layout.port_names,
        topology: layout.topology,
        marks: activities.iter().any(|activity| activity.dscp > 0),
        activities,
        flows: names,
        channels,
        capture,
        has_routers: members.iter().any(|member| member.station.word("type") == "router"),
        events: None,
    }
}

fn assumed_packet_cost(station: &Table) -> Option<Duration> {
    let costs = station.table("costs");
    Some(costs.duration("packet")).filter(|cost| *cost > Duration::ZERO && costs.written().next().is_none())
}

fn costs(station: &Table) -> Costs {
    let table = station.table("costs");
    let [packet, ack] =
        ["packet", "ack"].map(|key| split(table.duration(key), table.number(&format!("{key}_receive_share"))));
    let [per_byte, per_cluster] =
        ["per_byte", "per_cluster"].map(|key| split(table.duration(key), table.number("per_byte_receive_share")));
    let [send, receive] = [0, 1].map(|direction| Work {
        packet: packet[direction],
        per_byte: per_byte[direction],
        per_cluster: per_cluster[direction],
        ack: ack[direction],
    });
    let stores = table.word("adapter") == "store-and-forward";
    Costs {
        send,
        receive,
        receive_delay: table.duration("receive_delay"),
        bus_rate: stores.then(|| libm::round(table.number("bus_rate")) as u64),
    }
}

/// What sending and receiving cost of a cost of both.
fn split(both: Duration, receive_share: f64) -> [Duration; 2] {
    let receive = libm::round(both.picoseconds() as f64 * receive_share) as u64;
    [both.saturating_sub(Duration::from_picoseconds(receive)), Duration::from_picoseconds(receive)]
}
