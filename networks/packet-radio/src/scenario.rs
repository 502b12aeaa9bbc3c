//! Converts a checked scenario to a site.

use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_protocols::ax25::wire::Address;
use sojourn_scenario::{Member, Problem, Problems, Scenario, Table};

use super::layout::Layout;
use super::link_settings;
use super::node::{self, NodeSettings};
use super::paths::Routes;
use super::processor::Costs;
use super::site::{Probe, SessionSettings, Site, SourceSettings, StationSettings, TypeSettings};
use super::switch;
use super::terminal::{DataMode, TerminalSettings, character_time};
use sojourn_model::{arrivals, effect, laws};

/// The site a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let members = scenario.members();
    let mut problems = Problems::new();
    let layout = Layout::new(scenario, &members, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let routes = Routes { scenario, members: &members, layout: &layout };
    let stations = (0..members.len()).map(|index| station(scenario, &members, index, &layout));
    let stations = collect(stations, &mut problems);
    let probe = collect(probe(&routes), &mut problems).pop();
    let flows = (0..).zip(scenario.list("flow"));
    let sources: Vec<SourceSettings> =
        flows.flat_map(|(number, flow)| collect(sources(&routes, number, flow), &mut problems)).collect();
    let flows = (0..).zip(scenario.list("flow"));
    let sessions: Vec<SessionSettings> =
        flows.flat_map(|(number, flow)| collect(sessions(&routes, number, flow), &mut problems)).collect();
    check_duplicate_links(&routes, &sources, &sessions, probe.as_ref(), &mut problems);
    let groups = scenario.list("station").iter().map(|table| table.name().to_owned()).collect();
    let media = layout.media.clone();
    let mut site = problems.or(Site {
        media,
        stations,
        sources,
        sessions,
        groups,
        probe,
        timeline: effect::timeline(scenario),
    })?;
    mark_links(&mut site);
    Ok(site)
}

/// The successful results; adds the problems of the others.
fn collect<T>(results: impl IntoIterator<Item = Result<T, Problem>>, problems: &mut Problems) -> Vec<T> {
    let ok = |result: Result<T, Problem>| result.map_err(|problem| problems.push(problem)).ok();
    results.into_iter().filter_map(ok).collect()
}

fn station(
    scenario: &Scenario,
    members: &[Member<'_>],
    index: usize,
    layout: &Layout,
) -> Result<StationSettings, Problem> {
    let member = &members[index];
    let table = member.station;
    let kind = match table.word("type") {
        "terminal" => TypeSettings::Terminal(terminal(table)),
        "digipeater" => TypeSettings::Digipeater,
        "node" => TypeSettings::Node(Arc::new(node(scenario, table, index, layout)?)),
        _ => TypeSettings::Switch(Arc::new(switch::settings(scenario, members, index, layout)?)),
    };
    Ok(StationSettings {
        name: member.name.clone(),
        group: member.index as u32,
        address: layout.addresses[index],
        has_links: !matches!(kind, TypeSettings::Terminal(_) | TypeSettings::Digipeater),
        kind,
        ports: layout.ports[index].clone(),
        broadcasts: if table.word("type") == "node" { vec![address_of(node::NODES)] } else { Vec::new() },
        links: Arc::new(link_settings::settings(table)),
        costs: costs(table.table("costs")),
        digipeats: table.flag("digipeat"),
        aliases: layout.aliases[index].clone(),
    })
}

fn node(scenario: &Scenario, table: &Table, index: usize, layout: &Layout) -> Result<NodeSettings, Problem> {
    let wires: Vec<bool> = layout.ports[index].iter().map(|port| layout.media[port.medium as usize].is_wire).collect();
    let heard = (0..layout.ports.len()).filter(|other| *other != index);
    let stations = heard.filter_map(|other| Some((layout.addresses[other], layout.port_to(index, other)? as u8)));
    let netrom = table.table("netrom");
    node::settings(netrom, layout.addresses[index], &wires, stations.collect()).map_err(|error| {
        let help = "an alias is up to six letters, digits and signs: NODEB".to_owned();
        scenario.problem(netrom, "alias", error.to_string(), Some(help))
    })
}

fn costs(table: &Table) -> Costs {
    Costs {
        receive_frame: table.duration("receive_frame"),
        send_frame: table.duration("send_frame"),
        per_octet: table.duration("per_octet"),
    }
}

fn terminal(table: &Table) -> TerminalSettings {
    let character = character_time(table.integer("serial_character"), table.number("serial_rate") as u64);
    TerminalSettings {
        paclen: table.number("paclen") as u16,
        character,
        interval: character.max(table.duration("character_interval")),
        excludes_transmission: table.word("serial_input") == "not-while-transmitting",
        mode: match table.word("data_mode") {
            "converse" => DataMode::Converse,
            _ => DataMode::Transparent {
                packet_time: table.duration("pactime"),
                restarts: table.word("pactime_runs") == "after",
            },
        },
        turnaround: table.duration("turnaround"),
        send_buffer: table.optional_number("send_buffer").map(|octets| octets as u32),
        receive_buffer: table.number("receive_buffer") as u32,
    }
}

/// The ping-pong, if there is one.
fn probe(routes: &Routes<'_>) -> Option<Result<Probe, Problem>> {
    let table = routes.scenario.table("probe");
    let end = |key: &str| table.words(key).into_iter().flat_map(|name| routes.scenario.resolve(name)).next();
    let (from, to) = (end("from")?, end("to")?);
    let probe = |path| Probe {
        from: from as u32,
        to: to as u32,
        path,
        size: table.number("size") as u32,
        round_trips: table.integer("round_trips"),
        pause: table.duration("pause"),
        timeout: table.duration("timeout"),
    };
    Some(routes.path(table, from, to).map(probe))
}

/// The service of users who connect, exchange and disconnect.
const SESSION: &str = "session";
/// Octets of a request and of a response, and the timeout of an exchange, where the scenario says nothing: the help of their
/// keys states them.
const REQUEST: f64 = 32.0;
const RESPONSE: f64 = 512.0;
const TIMEOUT: Duration = Duration::from_secs(600);

/// Each user of a flow has sessions of its own.
fn sessions(routes: &Routes<'_>, number: u32, table: &Table) -> Vec<Result<SessionSettings, Problem>> {
    if table.word("service") != SESSION {
        return Vec::new();
    }
    let from = table.words("from").into_iter().flat_map(|name| routes.scenario.resolve(name));
    from.map(|from| session(routes, number, table, from)).collect()
}

fn session(routes: &Routes<'_>, number: u32, table: &Table, from: usize) -> Result<SessionSettings, Problem> {
    let to = *routes.scenario.receivers(table, from).first().expect("a checked session has a receiver");
    let path = routes.path(table, from, to)?;
    let arrivals = arrivals::arrivals(table.table("arrivals")).expect("the declared kinds are known");
    let (process, begin) = arrivals::process(table.table("arrivals"), &arrivals);
    let share = table.optional_number("compression").unwrap_or(1.0);
    let compressed =
        |key: &str, octets: f64| libm::ceil(table.optional_number(key).unwrap_or(octets) * share).max(1.0) as u32;
    let span = |key: &str| table.optional_duration(key).unwrap_or(Duration::ZERO);
    let terminals = [from, to].map(|station| terminal(routes.members[station].station));
    let buffered =
        |terminal: TerminalSettings| terminal.send_buffer.map(|octets| (octets / u32::from(terminal.paclen)).max(1));
    Ok(SessionSettings {
        flow: table.name().to_owned(),
        number,
        ends: [from as u32, to as u32],
        path,
        exchanges: table.optional_integer("exchanges").unwrap_or(1) as u32,
        sizes: [compressed("request", REQUEST), compressed("response", RESPONSE)],
        paclen: terminals.map(|terminal| terminal.paclen),
        buffers: terminals.map(buffered),
        think_time: laws::exponential(table, "think_time"),
        turnaround: span("turnaround"),
        timeout: table.optional_duration("timeout").unwrap_or(TIMEOUT),
        process: (process, begin.since(Time::ZERO)),
        arrivals,
        queue: table.integer("queue") as u32,
    })
}

/// Each source of a flow sends on its own.
fn sources(routes: &Routes<'_>, number: u32, table: &Table) -> Vec<Result<SourceSettings, Problem>> {
    if table.word("service") == SESSION {
        return Vec::new();
    }
    let from = table.words("from").into_iter().flat_map(|name| routes.scenario.resolve(name));
    from.map(|from| source(routes, number, table, from)).collect()
}

fn source(routes: &Routes<'_>, number: u32, table: &Table, from: usize) -> Result<SourceSettings, Problem> {
    let receiver = routes.scenario.receivers(table, from).first().copied();
    let has_copies = routes.names_alias(table);
    let (port, key) = match receiver {
        to if has_copies && table.word("service") == "unnumbered" => routes.flood(table, from, to)?,
        Some(to) => {
            let path = routes.path(table, from, to)?;
            if !path.commands.is_empty() || !path.key.digipeaters.is_empty() && !leads_by_digipeaters(routes, table) {
                let help = "write service = \"session\": users who connect through nodes and switches".to_owned();
                return Err(routes.scenario.problem(
                    table,
                    "path",
                    "a flow's path may list only digipeaters",
                    Some(help),
                ));
            }
            (path.port, path.key)
        }
        None => routes.flood(table, from, None)?,
    };
    let arrivals = arrivals::arrivals(table.table("arrivals")).expect("the declared kinds are known");
    let (process, begin) = arrivals::process(table.table("arrivals"), &arrivals);
    Ok(SourceSettings {
        flow: table.name().to_owned(),
        number,
        station: from as u32,
        port,
        key,
        connected: table.word("service") == "connected",
        is_broadcast: receiver.is_none(),
        has_copies,
        process: (process, begin.since(Time::ZERO)),
        arrivals,
        length: table.number("data") as u16,
        queue: table.integer("queue") as u32,
    })
}

fn leads_by_digipeaters(routes: &Routes<'_>, table: &Table) -> bool {
    let mut by = table.words("path").into_iter().flat_map(|name| routes.scenario.resolve(name));
    by.all(|station| routes.members[station].station.word("type") == "digipeater")
}

fn address_of(word: &str) -> Address {
    Address::new(word, 0).expect("a word of letters")
}

/// Two sources, or a source and the probe, cannot have one link between them.
fn check_duplicate_links(
    routes: &Routes<'_>,
    sources: &[SourceSettings],
    sessions: &[SessionSettings],
    probe: Option<&Probe>,
    problems: &mut Problems,
) {
    let ends = |key: &LinkKey| {
        let mut ends = [key.own, key.peer];
        ends.sort_unstable();
        ends
    };
    let mut taken: Vec<[Address; 2]> = probe.iter().map(|probe| ends(&probe.path.key)).collect();
    let connected = sources.iter().filter(|source| source.connected).map(|source| (source.number, &source.key));
    let links = connected.chain(sessions.iter().map(|session| (session.number, &session.path.key)));
    for (number, key) in links {
        if taken.contains(&ends(key)) {
            let table = &routes.scenario.list("flow")[number as usize];
            let message = format!("{} and {} already have a link", key.own, key.peer);
            let help = "two stations can have only one link; use service = \"unnumbered\" or other stations".to_owned();
            problems.push(routes.scenario.problem(table, "service", message, Some(help)));
            return;
        }
        taken.push(ends(key));
    }
}

/// Marks the stations that may have links: the ends of the probe and of connected flows.
fn mark_links(site: &mut Site) {
    let connected = site.sources.iter().filter(|source| source.connected);
    let mut addresses: Vec<Address> = connected.flat_map(|source| [source.key.own, source.key.peer]).collect();
    if let Some(probe) = &site.probe {
        addresses.extend([probe.from, probe.to].map(|station| site.stations[station as usize].address));
    }
    for session in &site.sessions {
        addresses.extend(session.ends.map(|station| site.stations[station as usize].address));
    }
    for station in &mut site.stations {
        station.has_links |= addresses.contains(&station.address);
    }
}
