//! Converts a checked scenario to a site.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_model::effect::timeline;
use sojourn_model::laws;
use sojourn_model::traffic::Arrivals;
use sojourn_protocols::can::canopen::MOST_SEGMENTS;
use sojourn_protocols::can::controller::Discipline;
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, fd_length};
use sojourn_protocols::can::j1939::Identifier;
use sojourn_protocols::can::{isotp, j1939};
use sojourn_scenario::{Problem, Problems, Scenario, Table};

use crate::identifiers::Ids;
use crate::keys::rules::{is_poll, sizes};
use crate::lengths::{self, Bits, Stuffing};
use crate::offsets;
use crate::routes::Routes;
use crate::site::{
    FlowSettings, Hop, IpLink, MediumSettings, Offsets, Payload, PortSettings, Receiving, Sender, Service, Site,
    StationClass, StationSettings,
};

/// The site that a scenario describes, with the tables of stuff bits that a simulation draws from. Of many identifiers they take most of the
/// time to read it: what computes worst cases and warnings has none.
pub fn simulated(scenario: &Scenario) -> Result<Site, Problems> {
    let mut site = site(scenario)?;
    tabulate(&mut site);
    Ok(site)
}

/// The site that a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let mut media: Vec<MediumSettings> = scenario.list("medium").iter().map(medium).collect();
    let mut stations = stations(scenario);
    let ports = ports(scenario, &mut media, &mut stations);
    let (mut hops, mut flows, mut problems) = (Vec::new(), Vec::new(), Problems::new());
    let routes = Routes::new(&stations, &ports, media.len());
    for table in scenario.list("flow") {
        match flow(scenario, table, &routes, &mut hops) {
            Ok(flow) => flows.push(flow),
            Err(problem) => problems.push(problem),
        }
    }
    offsets::assign(&stations, &mut flows);
    problems.or(Site { media, stations, ports, flows, hops, timeline: timeline(scenario) })
}

fn medium(table: &Table) -> MediumSettings {
    let rate = |number: f64| libm::round(number) as u64;
    let is_ip = table.word_is("type", "ip");
    let nominal = table.number(if is_ip { "link_rate" } else { "bit_rate" });
    MediumSettings {
        name: table.name().to_owned(),
        bits: Bits::new(rate(nominal), rate(table.optional_number("data_bit_rate").unwrap_or(nominal))),
        stuffing: match table.word("stuffing") {
            "exact" => Stuffing::Exact,
            "worst" => Stuffing::Worst,
            _ => Stuffing::Random,
        },
        bit_error_rate: table.number("bit_error_rate"),
        fault_interval: table.optional_duration("fault_interval"),
        link: is_ip.then(|| IpLink {
            rate: rate(table.number("link_rate")),
            delay: table.duration("delay"),
            collect: table.duration("collect"),
        }),
        ports: [0; 2],
    }
}

/// Stations of one table share a class.
fn stations(scenario: &Scenario) -> Vec<StationSettings> {
    let mut classes: Vec<(*const Table, Arc<StationClass>)> = Vec::new();
    let members = scenario.members();
    let stations = members.iter().map(|member| {
        let table: *const Table = member.station;
        if classes.last().is_none_or(|(last, _)| *last != table) {
            classes.push((table, Arc::new(class(member.station))));
        }
        let class = Arc::clone(&classes.last().expect("just made").1);
        StationSettings { name: member.name.clone(), ports: Vec::new(), class }
    });
    stations.collect()
}

fn class(table: &Table) -> StationClass {
    let (costs, mailboxes) = (table.table("costs"), table.integer("mailboxes") as u32);
    StationClass {
        offsets: match table.word("offsets") {
            "none" => Offsets::None,
            "spread" => Offsets::Spread,
            _ => Offsets::Random,
        },
        discipline: match table.word("queue") {
            "fifo" => Discipline::Fifo,
            "latest" => Discipline::Latest,
            "mailboxes" if table.flag("abort") => Discipline::AbortingMailboxes(mailboxes),
            "mailboxes" => Discipline::Mailboxes(mailboxes),
            _ => Discipline::Priority,
        },
        room: table.integer("queue_length") as usize,
        receive_fifo: table.integer("receive_fifo") as u32,
        restart: table.duration("restart"),
        retransmits: table.flag("retransmit"),
        acknowledges: table.flag("acknowledge"),
        send: laws::constant(costs, "send"),
        receive: laws::constant(costs, "receive"),
        forward: laws::constant(costs, "forward"),
        answer: laws::constant(costs, "answer"),
    }
}

/// The ports of all stations, bus by bus.
fn ports(scenario: &Scenario, media: &mut [MediumSettings], stations: &mut [StationSettings]) -> Vec<PortSettings> {
    let mut ports = Vec::new();
    let members = scenario.members();
    let on: Vec<Vec<&str>> = members.iter().map(|member| member.station.words("on")).collect();
    for (number, medium) in (0..).zip(media) {
        let first = ports.len() as u32;
        for (station, _) in on.iter().enumerate().filter(|(_, on)| on.contains(&medium.name.as_str())) {
            stations[station].ports.push(ports.len() as u32);
            ports.push(PortSettings { station: station as u32, medium: number });
        }
        medium.ports = [first, ports.len() as u32 - first];
    }
    ports
}

fn flow(scenario: &Scenario, table: &Table, routes: &Routes<'_>, hops: &mut Vec<Hop>) -> Result<FlowSettings, Problem> {
    let stations: Vec<usize> = table.words("from").iter().flat_map(|name| scenario.resolve(name)).collect();
    let senders = stations.into_iter().enumerate().map(|(place, station)| {
        sender(scenario, table, (place, station), routes, hops).map_err(|unreached| {
            let name = &scenario.members()[unreached as usize].name;
            let help = "connect the buses by a gateway: a station with on = [\"one\", \"other\"]";
            scenario.problem(table, "to", format!("no path to {name}"), Some(help.to_owned()))
        })
    });
    let senders = senders.collect::<Result<Vec<_>, _>>()?;
    let pace = table.table("arrivals");
    let to_all = !is_poll(table) && senders.iter().any(|sender| sender.receivers.len() > 1);
    let arrivals = Arrivals::of(scenario, table, sizes(table))?;
    let data = table.number("data") as u16;
    Ok(FlowSettings {
        name: table.name().to_owned(),
        senders,
        together: pace.optional_word("start") == Some("at-once"),
        delay: pace.optional_duration("delay").unwrap_or(Duration::ZERO),
        service: service(table, to_all),
        pgn: Identifier::of(table.integer("id") as u32).pgn,
        data: match &arrivals {
            Arrivals::Trace(rows) => rows.iter().map(|row| row.size).max().unwrap_or(data),
            _ => data,
        },
        arrivals,
        brs: table.flag("fd").then(|| table.flag("brs")),
        payload: payload(table.word("payload")),
        probe: table.flag("probe"),
        deadline: table.optional_duration("deadline"),
        retries: table.integer("retries") as u8,
    })
}

/// A sender with its paths; or the receiver that it does not reach.
fn sender(
    scenario: &Scenario,
    table: &Table,
    (place, station): (usize, usize),
    routes: &Routes<'_>,
    hops: &mut Vec<Hop>,
) -> Result<Sender, u32> {
    let receivers: Vec<u32> = scenario.receivers(table, station).into_iter().map(|member| member as u32).collect();
    let station = station as u32;
    let ids = Ids::of(table, place as u32, receivers.len() as u32);
    let alone = |station: u32| [Receiving { station, number: 0 }];
    let mut forth = Vec::new();
    if is_poll(table) {
        for (number, &receiver) in (0..).zip(&receivers) {
            forth.extend(routes.path(station, &alone(receiver), ids.forth(number), hops)?.first());
        }
    } else {
        let all = (0..).zip(&receivers).map(|(number, &station)| Receiving { station, number });
        forth = routes.path(station, &all.collect::<Vec<_>>(), ids.forth(0), hops)?;
    }
    let mut back = Vec::new();
    if !table.word_is("service", "broadcast") {
        for (number, &receiver) in (0..).zip(&receivers) {
            back.extend(routes.path(receiver, &alone(station), ids.back(number), hops)?.first());
        }
    }
    Ok(Sender { station, forth, back, receivers, offset: None })
}

fn service(table: &Table, to_all: bool) -> Service {
    let (timeout, response) = (table.duration("timeout"), table.number("response_data") as u16);
    let iso_tp = || isotp::Parameters {
        frame: if table.flag("fd") { 64 } else { CLASSIC_LIMIT as u8 },
        block_size: table.integer("block_size") as u8,
        separation: isotp::Separation::at_least(table.duration("separation")),
        n_bs: timeout,
        n_cr: timeout,
    };
    match table.word("service") {
        "remote" => Service::Remote(timeout),
        "request" => Service::Request(timeout, response),
        "sdo" => Service::Sdo(timeout),
        "sdo-block" => {
            let segments = table.integer("block_size") as u8;
            Service::SdoBlock(timeout, if segments == 0 { MOST_SEGMENTS } else { segments })
        }
        "isotp" => Service::IsoTp(iso_tp()),
        "uds" => Service::Uds(iso_tp(), response),
        "j1939" => {
            let (window, spacing) = (table.integer("window") as u8, table.duration("packet_interval"));
            Service::J1939(j1939::Parameters { window, spacing, ..j1939::Parameters::default() }, to_all)
        }
        _ => Service::Broadcast,
    }
}

fn payload(text: &str) -> Payload {
    match text {
        "counter" => Payload::Counter,
        "clock" => Payload::Clock,
        "random" => Payload::Random,
        digits => {
            let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0) as u8;
            Payload::Constant(digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect())
        }
    }
}

/// Tables of stuff bits of flows whose frames are all of one length.
fn tabulate(site: &mut Site) {
    let Site { flows, media, ports, hops, .. } = site;
    let is_of_one_length = |flow: &&FlowSettings| {
        matches!(flow.service, Service::Broadcast | Service::Remote(_)) && !matches!(flow.arrivals, Arrivals::Trace(_))
    };
    for flow in flows.iter().filter(is_of_one_length) {
        let bytes = if flow.brs.is_some() { fd_length(flow.data.into()) } else { flow.data.into() };
        for sender in &flow.senders {
            let is_remote = flow.service != Service::Broadcast;
            // a remote frame has no data
            let mut fresh: Vec<u32> = if is_remote { sender.back.clone() } else { sender.forth.clone() };
            while let Some(number) = fresh.pop() {
                let hop = &mut hops[number as usize];
                fresh.extend(&hop.next);
                let medium = &media[usize::from(ports[hop.port as usize].medium)];
                if medium.stuffing == Stuffing::Random {
                    hop.table = lengths::table(hop.id, bytes, flow.brs);
                }
            }
        }
    }
}
