//! Converts a checked scenario to a site.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_model::arrivals::arrivals;
use sojourn_model::effect::timeline;
use sojourn_model::laws;
use sojourn_model::uart::{Format, Parity};
use sojourn_protocols::modbus::BROADCAST;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use super::keys::medium::{RTU, TCP};
use super::requests::{Blocks, function_of};
use super::routes::route;
use super::site::{
    Arrivals, Class, ConnectionSettings, Flow, Gateway, Item, LineSettings, LinkSettings, Medium, MediumKind, Mode,
    Site, SourceSettings, Station,
};

/// The site that a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let media: Vec<Medium> = scenario.list("medium").iter().map(medium).collect();
    let stations = stations(scenario, &media);
    let mut flows: Vec<Flow> = scenario.list("flow").iter().map(flow).collect();
    // without a probe, every flow is one
    if !flows.iter().any(|flow| flow.probe) {
        flows.iter_mut().for_each(|flow| flow.probe = true);
    }
    let timeline = timeline(scenario);
    let mut site = Site { media, stations, flows, sources: Vec::new(), connections: Vec::new(), timeline };
    let mut problems = Problems::new();
    for (number, table) in scenario.list("flow").iter().enumerate() {
        if let Err(problem) = sources(scenario, &mut site, number, table) {
            problems.push(problem);
        }
    }
    clients(scenario, &site, &mut problems);
    units(scenario, &site, &mut problems);
    settings(scenario, &mut problems);
    problems.or(site)
}

fn medium(table: &Table) -> Medium {
    let bit_rate = table.number("bit_rate");
    let kind = if table.word_is("mode", TCP) {
        MediumKind::Links(LinkSettings { bit_rate: bit_rate as u64, delay: table.duration("delay") })
    } else {
        let mode = if table.word_is("mode", RTU) { Mode::Rtu } else { Mode::Ascii };
        let format = Format {
            bit_rate: bit_rate as u32,
            data_bits: if mode == Mode::Rtu { 8 } else { 7 },
            parity: match table.word("parity") {
                "even" => Parity::Even,
                "odd" => Parity::Odd,
                _ => Parity::None,
            },
            stop_bits: table.integer("stop_bits") as u8,
        };
        let fixed_silence = table.word_is("silence", "fixed");
        MediumKind::Line(LineSettings { format, mode, fixed_silence, bit_error_rate: table.number("bit_error_rate") })
    };
    Medium { name: table.name().to_owned(), kind }
}

/// Stations of one `[[station]]` share a class, unless they are exceptions.
fn stations(scenario: &Scenario, media: &[Medium]) -> Vec<Station> {
    let mut classes: Vec<(*const Table, Arc<Class>)> = Vec::new();
    let members = scenario.members();
    let stations = members.iter().map(|member| {
        let table: *const Table = member.station;
        if classes.last().is_none_or(|(last, _)| *last != table) {
            classes.push((table, Arc::new(class(member.station))));
        }
        let on = member.station.words("on").into_iter();
        let on = on.map(|name| media.iter().position(|medium| medium.name == name).expect("a checked medium"));
        let first = member.station.integer("unit");
        Station {
            name: member.name.clone(),
            unit: (first + member.number as u64 - 1) as u8,
            on: on.collect(),
            class: Arc::clone(&classes.last().expect("just made").1),
        }
    });
    stations.collect()
}

fn class(table: &Table) -> Class {
    let (host, gateway) = (table.table("host"), table.table("gateway"));
    Class {
        delay: laws::constant(table, "delay"),
        per_register: table.duration("per_register"),
        scan: table.duration("scan"),
        queue: table.integer("queue") as u16,
        outstanding: table.integer("outstanding") as u16,
        latency_timer: host.duration("latency_timer"),
        host_delay: laws::constant(host, "delay"),
        gateway: Gateway {
            timeout: gateway.duration("timeout"),
            retries: gateway.integer("retries") as u8,
            queue: gateway.integer("queue") as usize,
            delay: gateway.duration("delay"),
            pause: gateway.duration("between"),
        },
    }
}

fn flow(table: &Table) -> Flow {
    let pace = table.table("arrivals");
    let arrivals = match arrivals(pace) {
        Some(process) => Arrivals::Process(process),
        None => Arrivals::Poll {
            cycle: pace.optional_duration("cycle").unwrap_or(Duration::ZERO),
            interval: pace.duration("interval"),
        },
    };
    let broadcast = table.flag("broadcast");
    Flow {
        name: table.name().to_owned(),
        function: function_of(table.word("function")),
        arrivals,
        at_once: pace.optional_word("start") == Some("at-once"),
        delay: pace.optional_duration("delay").unwrap_or(Duration::ZERO),
        probe: table.flag("probe"),
        timeout: table.duration(if broadcast { "turnaround" } else { "timeout" }),
        retries: table.integer("retries") as u8,
        pause: table.duration("between"),
        broadcast,
    }
}

/// Adds the clients of a flow, with their connections.
fn sources(scenario: &Scenario, site: &mut Site, number: usize, table: &Table) -> Result<(), Problem> {
    let (function, is_broadcast) = (site.flows[number].function, site.flows[number].broadcast);
    let small = |key: &str| table.integer(key) as u16;
    let blocks =
        Blocks { count: small("count"), blocks: small("blocks"), gap: small("gap"), merge: table.flag("merge") };
    for station in table.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        let servers = scenario.receivers(table, station);
        let mut items = Vec::new();
        for server in servers {
            let route = route(&site.media, &site.stations, station, server)
                .ok_or_else(|| unreachable(scenario, site, table, [station, server]))?;
            if is_broadcast && (route.second.is_some() || route.first.host.is_some()) {
                let message = format!(
                    "`{}` is not on a serial line of `{}`",
                    site.stations[server].name, site.stations[station].name
                );
                let help = "unit 0 is for all servers of a client's own line".to_owned();
                return Err(scenario.problem(table, "broadcast", message, Some(help)));
            }
            let connection = connect(&mut site.connections, route.first);
            let is_known = |item: &Item| item.connection == connection;
            if is_broadcast && items.iter().any(is_known) {
                continue;
            }
            let via = route.second.map(|second| connect(&mut site.connections, second));
            items.extend(blocks.requests(function).into_iter().map(|asked| Item {
                server,
                unit: if is_broadcast { BROADCAST } else { site.stations[server].unit },
                function,
                address: asked.address,
                count: asked.count,
                request: function.request_length(asked.count, asked.count) as u16,
                response: function.response_length(asked.count) as u16,
                connection,
                via,
            }));
        }
        let Some(first) = items.first() else {
            let message = format!("`{}` asks no server but itself", site.stations[station].name);
            return Err(scenario.problem(table, "to", message, None));
        };
        let is_tcp = site.connections[first.connection].host.is_some();
        let window = if is_tcp { site.stations[station].class.outstanding.into() } else { 1 };
        site.sources.push(SourceSettings { flow: number, station, items, window });
    }
    Ok(())
}

fn unreachable(scenario: &Scenario, site: &Site, table: &Table, [client, server]: [usize; 2]) -> Problem {
    let [client, server] = [client, server].map(|station| &site.stations[station].name);
    let help =
        "put both on one medium, or a station on both media between them: a gateway has on = [\"lan\", \"line\"]";
    scenario.problem(table, "to", format!("no route from {client} to {server}"), Some(help.to_owned()))
}

/// The index of a connection, which is added where it is new.
fn connect(connections: &mut Vec<ConnectionSettings>, wanted: ConnectionSettings) -> usize {
    connections.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        connections.push(wanted);
        connections.len() - 1
    })
}

/// Adds a problem for each line that has two clients, and for each client that is asked on its own line.
fn clients(scenario: &Scenario, site: &Site, problems: &mut Problems) {
    let members = scenario.members();
    for (number, connection) in site.connections.iter().enumerate().filter(|(_, connection)| connection.host.is_none())
    {
        let before = site.connections[..number].iter();
        let medium = &site.media[connection.medium].name;
        if let Some(other) = before.into_iter().find(|other| other.host.is_none() && other.medium == connection.medium)
        {
            let [one, two] = [other, connection].map(|connection| &site.stations[connection.station].name);
            let message = format!("`{medium}` has two clients, {one} and {two}");
            let help = "a serial line has one client (Modbus over Serial Line V1.02, 2.1); several share a gateway";
            problems.push(scenario.problem(members[connection.station].station, "on", message, Some(help.to_owned())));
        }
        if site.servers_of(connection.medium).contains(&connection.station) {
            let name = &site.stations[connection.station].name;
            let message = format!("{name} is the client of `{medium}` and is asked there");
            problems.push(scenario.problem(members[connection.station].station, "on", message, None));
        }
    }
}

/// Adds a problem where two servers behind one gateway have the same unit, by which alone it knows them.
fn units(scenario: &Scenario, site: &Site, problems: &mut Problems) {
    let mut behind: BTreeMap<(usize, u8), usize> = BTreeMap::new();
    for item in site.sources.iter().flat_map(|source| &source.items) {
        let Some(via) = item.via else { continue };
        let gateway = site.connections[via].station;
        let known = *behind.entry((gateway, item.unit)).or_insert(item.server);
        if known != item.server {
            let [one, two, gateway] = [known, item.server, gateway].map(|station| &site.stations[station].name);
            let message = format!("{one} and {two} behind {gateway} both have unit {}", item.unit);
            let help = "a gateway finds the line of a request by its unit: give each server its own".to_owned();
            let members = scenario.members();
            return problems.push(scenario.problem(members[item.server].station, "unit", message, Some(help)));
        }
    }
}

/// Adds a problem for each key that an event changes of a medium that does not have it.
fn settings(scenario: &Scenario, problems: &mut Problems) {
    for setting in scenario.events().iter().flat_map(|event| &event.settings) {
        let key = setting.keys.0.name;
        let of = scenario.list("medium").iter().enumerate().filter(|(at, _)| setting.member.is_none_or(|m| m == *at));
        for (_, medium) in of.filter(|(_, medium)| medium.word_is("mode", TCP) == (key == "bit_error_rate")) {
            let message = format!("`{}` has no `{key}`: its mode is {}", medium.name(), medium.word("mode"));
            problems.push(Problem::at(setting.place.clone(), message));
        }
    }
}
