//! What the flows of a site offer to rings, processors and routers; its timers and costs.

use sojourn_core::Duration;
use sojourn_scenario::{Scenario, Table, WarmUp};

use super::fifo::SAMPLE;
use super::frame::FRAME_OVERHEAD;
use super::routes::Routes;
use super::site::{Flow, Mode, Site, Traffic, Voice};
use sojourn_model::Meaning;
use sojourn_model::meaning::{Cost, Offer, Resource, Timer, Unit, is_changed, send_less};

const TTRT: &str = "ANSI X3.139: a station waits for its token up to twice TTRT";
const PACKET: &str = "a core of today takes 67 ns of a packet (Emmerich et al., MoonGen, IMC 2015), a workstation of 1992 1361 µs (UVA TR-92-05, \
                      table 1)";
const BYTE: &str = "memory of today copies a byte in 0.05 ns (DDR4, JESD79-4), a workstation of 1992 in 0.55 µs (UVA TR-92-05, table 1)";
/// A byte on the ring, at 100 Mbit/s.
const BYTE_SECONDS: f64 = 80e-9;
/// Preamble and starting delimiter, ending delimiter and frame status: symbols of half a byte (ANSI X3.139, 7.2).
const FRAMING_BYTES: f64 = 11.0;

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let routes = Routes::new(site);
    let mut meaning = Meaning { resources: resources(scenario, site), ..Meaning::default() };
    for flow in &site.flows {
        let Some(table) = table_of(scenario, flow) else { continue };
        let path = path(site, &routes, flow);
        let is_changed = is_changed(scenario, table.name());
        if flow.probe && !is_changed {
            let rings = path.iter().filter(|(resource, _)| *resource < site.rings.len());
            meaning.passed.extend(rings.map(|(ring, _)| (site.rings[*ring].name.clone(), flow.name.clone())));
        }
        let Some(rate) = rate(scenario, site, flow).filter(|_| !is_changed) else { continue };
        let (key, remedy) = match (&flow.traffic, table.name() == flow.name && table.has("traffic")) {
            (Traffic::Voice(_), _) => ("channels", format!("lower `flow.{}.channels`", flow.name)),
            (_, true) => ("arrivals", send_less(table)),
            (_, false) => ("rate", "lower `messages.rate`".to_owned()),
        };
        meaning.offers.push(Offer { table, key, remedy, rate, path });
    }
    for load in &site.loads {
        let seconds = BYTE_SECONDS * (f64::from(load.frame) + FRAMING_BYTES);
        meaning.offers.push(Offer {
            table: scenario.table("background"),
            key: "rate",
            remedy: "lower `background.rate`".to_owned(),
            rate: f64::from(load.burst) / load.gap.seconds(),
            path: vec![(usize::from(load.port.ring), seconds)],
        });
    }
    let ttrt = site.rings.iter().filter_map(|ring| ring.settings.ttrt());
    meaning.timers.extend(ttrt.max().map(|ttrt| Timer {
        name: "twice TTRT".to_owned(),
        span: ttrt.times(2),
        source: TTRT,
    }));
    meaning.costs = scenario.list("station").iter().flat_map(costs).collect();
    meaning
}

fn costs(station: &Table) -> impl Iterator<Item = Cost<'_>> {
    let table = station.table("costs");
    let cost = move |(key, hardware, source)| Cost { table, key, hardware, source };
    let packets = ["send_packet", "receive_packet", "send_control", "receive_control"];
    let packets = packets.map(|key| (key, [67e-9, 1361e-6], PACKET));
    let bytes = ["per_byte", "adapter_copy_per_byte"].map(|key| (key, [0.05e-9, 0.55e-6], BYTE));
    packets.into_iter().chain(bytes).map(cost)
}

/// Rings, then the processors of all hosts.
fn resources<'s>(scenario: &'s Scenario, site: &Site) -> Vec<Resource<'s>> {
    let media = scenario.list("medium");
    let members = scenario.members();
    let ring = |(at, ring): (usize, &super::site::Ring)| Resource {
        name: if ring.name.is_empty() { "the ring".to_owned() } else { format!("ring `{}`", ring.name) },
        table: &media[at.min(media.len() - 1)],
        remedy: "divide the ring by a router".to_owned(),
        capacity: 100e6,
        unit: Unit::Bits,
    };
    let processor = |(at, host): (usize, &super::site::Host)| {
        let station: &'s Table = members.get(at).map_or(&scenario.list("station")[0], |member| member.station);
        Resource {
            name: format!("the processor of `{}`", host.name),
            table: station,
            remedy: format!("lower `station.{}.costs`", station.name()),
            capacity: 1.0,
            unit: Unit::Time,
        }
    };
    let rings = site.rings.iter().enumerate().map(ring);
    rings.chain(site.hosts.iter().enumerate().map(processor)).collect()
}

/// The table of a flow; `[messages]` makes one as well.
fn table_of<'s>(scenario: &'s Scenario, flow: &Flow) -> Option<&'s Table> {
    let made = || (flow.name == "messages").then(|| scenario.table("messages"));
    scenario.list("flow").iter().find(|table| table.name() == flow.name).or_else(made)
}

/// Packets a second; `None` of what goes as fast as it can, or waits for what was sent before.
fn rate(scenario: &Scenario, site: &Site, flow: &Flow) -> Option<f64> {
    match &flow.traffic {
        Traffic::Messages(process, begin, _) => {
            let run = scenario.run();
            let is_observed = match run.warm_up {
                WarmUp::Fixed(warm_up) => *begin < warm_up + run.duration,
                WarmUp::Auto => *begin == Duration::ZERO,
            };
            process.arrivals().rate().filter(|_| is_observed)
        }
        // probed voice has runs of its own, in which it waits
        Traffic::Voice(voice) if mode(site) == Mode::Steady => Some(packets(voice)),
        Traffic::Voice(_) | Traffic::Bulk(_) | Traffic::AfterWrite(..) => None,
    }
}

fn mode(site: &Site) -> Mode {
    if site.probe.is_some() { Mode::Exchange } else { Mode::Steady }
}

/// Packets a second of all channels of voice, of those that speak where there are pauses.
fn packets(voice: &Voice) -> f64 {
    let speaks = voice
        .talkspurts
        .map_or(1.0, |[talkspurt, pause]| talkspurt.seconds() / (talkspurt.seconds() + pause.seconds()));
    f64::from(voice.channels) * speaks / (SAMPLE.seconds() * f64::from(voice.samples))
}

/// What a packet takes of processors and rings, headers of its transport and acknowledgements apart.
fn path(site: &Site, routes: &Routes, flow: &Flow) -> Vec<(usize, f64)> {
    let bytes = match &flow.traffic {
        Traffic::Messages(_, _, sizes) | Traffic::AfterWrite(_, sizes) => {
            f64::from(sizes.short) * (1.0 - sizes.long_share) + f64::from(sizes.long) * sizes.long_share
        }
        traffic => f64::from(traffic.largest()),
    };
    let processor = |host: u32| site.rings.len() + host as usize;
    let multicast = flow.to.len() > 1;
    let costs = |host: u32| &site.hosts[host as usize].costs;
    let mut path = vec![(processor(flow.from), costs(flow.from).send(bytes as u32, multicast).seconds())];
    let on_ring = BYTE_SECONDS * (bytes + f64::from(FRAME_OVERHEAD) + FRAMING_BYTES);
    path.extend(rings(site, routes, flow).into_iter().map(|ring| (ring, on_ring)));
    // receivers of a group are beside each other: none of them holds up the others
    if let [to] = flow.to[..] {
        path.push((processor(to), costs(to).receive(bytes as u32, multicast).seconds()));
    }
    path
}

/// The rings to the first receiver of a flow; of one without a receiver its sender's.
fn rings(site: &Site, routes: &Routes, flow: &Flow) -> Vec<usize> {
    let Some(&to) = flow.to.first() else {
        return site.hosts[flow.from as usize].ports.first().map(|port| usize::from(port.ring)).into_iter().collect();
    };
    let (mut at, mut passed) = (flow.from, Vec::new());
    while at != to {
        let Some(port) = routes.port(site, at, to) else { break };
        let ring = usize::from(port.ring);
        if passed.contains(&ring) {
            break;
        }
        passed.push(ring);
        let next = routes.mac(port.ring, to).and_then(|mac| site.rings[ring].owners[mac as usize]);
        let Some(next) = next else { break };
        at = next;
    }
    passed
}
