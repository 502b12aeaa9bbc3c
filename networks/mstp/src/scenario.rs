//! Converts a checked scenario to a site.

use sojourn_core::Duration;
use sojourn_model::effect::timeline;
use sojourn_model::laws::RandomTime;
use sojourn_model::traffic::Arrivals;
use sojourn_model::uart::Format;
use sojourn_protocols::mstp::HIGHEST_MASTER;
use sojourn_protocols::mstp::machine::Settings;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::addresses::Addresses;
use super::routes::Routes;
use super::site::{Flow, Medium, MediumKind, NodeSettings, PortSettings, Reply, Service, Site, Station, Trunk};

/// The site a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let mut problems = Problems::new();
    let mut site = Site {
        media: scenario.list("medium").iter().map(medium).collect(),
        stations: Vec::new(),
        ports: Vec::new(),
        flows: Vec::new(),
        timeline: timeline(scenario),
    };
    stations(scenario, &mut site, &mut problems);
    vacant(&mut site);
    for table in scenario.list("flow") {
        match flow(scenario, table) {
            Ok(flow) => site.flows.push(flow),
            Err(problem) => problems.push(problem),
        }
    }
    match Routes::new(&site) {
        Ok(routes) => reachable(scenario, &site, &routes, &mut problems),
        Err(router) => problems.push(in_a_loop(scenario, router)),
    }
    settings(scenario, &site, &mut problems);
    problems.or(site)
}

fn medium(table: &Table) -> Medium {
    let bit_rate = table.number("bit_rate") as u64;
    let kind = match table.word("type") {
        "ms-tp" => {
            let format = Format::new(bit_rate as u32);
            let bits = |key: &str| format.bit_times(table.number(key) as u64);
            MediumKind::Trunk(Trunk {
                format,
                bit_error_rate: table.number("bit_error_rate"),
                turnaround: bits("turnaround"),
                frame_gap: bits("frame_gap"),
                postdrive: bits("postdrive"),
            })
        }
        _ => MediumKind::Ip { bit_rate, delay: table.duration("delay") },
    };
    Medium { name: table.name().to_owned(), kind, ports: Vec::new() }
}

fn stations(scenario: &Scenario, site: &mut Site, problems: &mut Problems) {
    let mut addresses = Addresses::new(site.media.len());
    for (index, member) in (0..).zip(scenario.members()) {
        let table = member.station;
        let first = site.ports.len() as u32;
        for name in table.words("on") {
            let medium = site.media.iter().position(|medium| medium.name == name).expect("a checked medium");
            let is_trunk = matches!(site.media[medium].kind, MediumKind::Trunk(_));
            let node = is_trunk.then(|| node(scenario, &member, medium, &mut addresses, problems)).flatten();
            site.media[medium].ports.push(site.ports.len() as u32);
            site.ports.push(PortSettings { station: index, medium: medium as u16, node });
        }
        let costs = table.table("costs");
        site.stations.push(Station {
            name: member.name.clone(),
            ports: first..site.ports.len() as u32,
            reply: match table.word("reply") {
                "immediate" => Reply::Immediate,
                "postpone" => Reply::Postpone,
                _ => Reply::Late,
            },
            token_latency: constant(costs, "token_latency"),
            reply_latency: constant(costs, "reply_latency"),
            reply_per_property: costs.duration("reply_per_property"),
            forward: costs.duration("forward"),
            timer_resolution: table.duration("timer_resolution"),
        });
    }
}

/// A time that is constant unless it is a law.
fn constant(table: &Table, key: &str) -> RandomTime {
    RandomTime::Law(sojourn_model::laws::constant(table, key))
}

/// The node of a station on a trunk; none where it has no address left.
fn node(
    scenario: &Scenario,
    member: &sojourn_scenario::Member<'_>,
    medium: usize,
    addresses: &mut Addresses,
    problems: &mut Problems,
) -> Option<NodeSettings> {
    let table = member.station;
    let is_slave = table.word("type") == "slave";
    let address = addresses.take(scenario, member, medium, is_slave).map_err(|problem| problems.push(problem)).ok()?;
    let timers = table.table("timers");
    let usage_timeout = timers.duration("usage_timeout");
    let protocol = Settings {
        max_master: table.integer("max_master") as u8,
        max_info_frames: table.integer("max_info_frames") as u32,
        poll: timers.integer("poll") as u32,
        retry_token: timers.integer("retry_token") as u32,
        no_token: timers.duration("no_token"),
        slot: timers.duration("slot"),
        reply_timeout: timers.duration("reply_timeout"),
        reply_delay: timers.duration("reply_delay"),
        usage_timeout,
        vacant: u128::MAX,
        vacant_timeout: timers.optional_duration("vacant_timeout").unwrap_or(usage_timeout),
        ..Settings::new(address)
    };
    if !is_slave && address > protocol.max_master {
        let message = format!("`{}` has address {address}, above its Max_Master {}", member.name, protocol.max_master);
        let help = "a master polls no address above max_master, its own must be among them".to_owned();
        problems.push(scenario.problem(table, "max_master", message, Some(help)));
        return None;
    }
    Some(NodeSettings { is_slave, protocol })
}

/// Addresses at which a trunk has a master are not vacant.
fn vacant(site: &mut Site) {
    for medium in &site.media {
        let nodes = || medium.ports.iter().filter_map(|&port| site.ports[port as usize].node);
        let taken = nodes()
            .filter(|node| node.protocol.address <= HIGHEST_MASTER)
            .fold(0u128, |taken, node| taken | 1 << node.protocol.address);
        for &port in &medium.ports {
            if let Some(node) = &mut site.ports[port as usize].node {
                node.protocol.vacant &= !taken;
            }
        }
    }
}

fn flow(scenario: &Scenario, table: &Table) -> Result<Flow, Problem> {
    let pace = table.table("arrivals");
    let service = match table.word("service") {
        "read" => Service::Read,
        "read-multiple" => Service::ReadMultiple,
        "write" => Service::Write,
        "cov" => Service::Cov,
        "cov-confirmed" => Service::CovConfirmed,
        _ => Service::WhoIs,
    };
    let senders: Vec<usize> = table.words("from").iter().flat_map(|name| scenario.resolve(name)).collect();
    let arrivals = Arrivals::of(scenario, table, 1..=1497)?;
    let at_once = service == Service::WhoIs || matches!(arrivals, Arrivals::Poll { .. });
    let (from, to) = ends(scenario, table, &senders, at_once);
    Ok(Flow {
        name: table.name().to_owned(),
        from,
        to,
        service,
        data: table.number("data") as u16,
        response_data: table.number("response_data") as u16,
        properties: table.integer("properties") as u32,
        apdu_timeout: table.duration("apdu_timeout"),
        retries: table.integer("retries") as u8,
        outstanding: table.integer("outstanding") as u32,
        arrivals,
        together: pace.optional_word("start") == Some("at-once"),
        delay: pace.optional_duration("delay").unwrap_or(Duration::ZERO),
        probe: table.flag("probe"),
    })
}

/// Senders with their receivers: a sender for each pair, or one that asks all. Slaves do not answer Who-Is.
fn ends(scenario: &Scenario, table: &Table, senders: &[usize], at_once: bool) -> (Vec<u32>, Vec<Vec<u32>>) {
    let members = scenario.members();
    let answers =
        |receiver: &usize| !table.word_is("service", "who-is") || members[*receiver].station.word("type") != "slave";
    let mut pairs = Vec::new();
    for &sender in senders {
        let receivers = scenario.receivers(table, sender).into_iter().filter(answers).map(|receiver| receiver as u32);
        match at_once {
            true => pairs.push((sender as u32, receivers.collect())),
            false => pairs.extend(receivers.map(|receiver| (sender as u32, vec![receiver]))),
        }
    }
    pairs.into_iter().unzip()
}

/// Every receiver has a route to its sender.
fn reachable(scenario: &Scenario, site: &Site, routes: &Routes, problems: &mut Problems) {
    for (flow, table) in site.flows.iter().zip(scenario.list("flow")) {
        let pairs = flow.from.iter().zip(&flow.to).flat_map(|(&from, to)| to.iter().map(move |&to| (from, to)));
        let lost = pairs.into_iter().find(|&(from, to)| routes.leave(site, from, to).is_none());
        if let Some((from, to)) = lost {
            let name = |station: u32| &site.stations[station as usize].name;
            let message = format!("flow `{}` has no route from {} to {}", flow.name, name(from), name(to));
            let help = "add a station on both media: it is a router".to_owned();
            problems.push(scenario.problem(table, "to", message, Some(help)));
        }
    }
}

fn in_a_loop(scenario: &Scenario, router: u32) -> Problem {
    let members = scenario.members();
    let member = &members[router as usize];
    let message = format!("router {} closes a loop: packets would circulate", member.name);
    Problem::at(member.station.place_of("on"), message).help("routers join media as a tree")
}

/// Events change keys that the medium obeys.
fn settings(scenario: &Scenario, site: &Site, problems: &mut Problems) {
    for setting in scenario.events().iter().flat_map(|event| &event.settings) {
        let key = setting.keys.0.name;
        let of = site.media.iter().enumerate().filter(|(at, _)| setting.member.is_none_or(|member| member == *at));
        for (_, medium) in of {
            let is_trunk = matches!(medium.kind, MediumKind::Trunk(_));
            if is_trunk != (key == "bit_error_rate") {
                let kind = if is_trunk { "a trunk" } else { "an IP network" };
                let message = format!("`{}` has no `{key}`: it is {kind}", medium.name);
                problems.push(Problem::at(setting.place.clone(), message));
            }
        }
    }
}
