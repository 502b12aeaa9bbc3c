//! What the flows of a LAN offer to links, token buckets and processors; its timers and costs.
//!
//! Streams and calls send whatever is delivered. Requests and TCP wait for answers: they take the capacity that they get.

mod play_out;
mod rates;
mod wires;

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_protocols::tcp::machine::Clock;
use sojourn_scenario::{Problems, Scenario, Table, WarmUp};

use crate::bounds::port::{Output, lasts};
use crate::ip;
use crate::layout::{Layout, is_shared};
use crate::model::LanModel;
use crate::packet::UDP_HEADERS;
use crate::site::{Activity, Call, Service, Site};
use crate::switched::cells;
use sojourn_model::Meaning;
use sojourn_model::meaning::{Cost, Offer, Resource, Timer, Unit, is_changed, send_less};

pub(crate) use play_out::frozen_buffers;
pub(crate) use rates::slow_media;
pub(crate) use wires::doubtful_wires;

const ECHO: &str = "`timeout` of the flow: a request without a response counts as lost after it";
const RTO: &str =
    "RFC 6298, 2.4, and the `tcp` of the host: what is lost last is sent again after this time at the earliest";
const BSD_RTO: &str =
    "TCP/IP Illustrated, volume 2, 25.4: 4.4BSD sends again after two ticks of 500 ms at the earliest";
const PACKET: &str = "a core of today takes 67 ns of a packet (Emmerich et al., MoonGen, IMC 2015), a workstation of 1995 280 µs (Chen and \
                      Brandt, ATM Forum, 1995)";
const BYTE: &str = "memory of today copies a byte in 0.05 ns (DDR4: 19.2 GB/s a channel, JESD79-4), a workstation of 1995 in 90 ns (Chen and \
                    Brandt, ATM Forum, 1995)";
/// Octets of a cell, of its payload, and of the trailer of AAL5 (ITU-T I.361, I.363.5).
const CELL: u32 = 53;
const PAYLOAD: u32 = 48;
const TRAILER: u32 = 8;

/// What the flows of an IP network or an Ethernet mean.
pub(crate) fn of_packets<'s>(scenario: &'s Scenario, model: Result<LanModel<ip::Settings>, Problems>) -> Meaning<'s> {
    let Ok(LanModel { site, fabric }) = model else { return Meaning::default() };
    let mut loads = Loads::of(scenario, &site);
    for (port, settings) in fabric.ports.iter().enumerate() {
        let bucket = settings
            .queue
            .pace()
            .filter(|bucket| settings.link.unlimited || bucket.rate < site.topology.ports[port].rate);
        if let Some(bucket) = bucket {
            let key = if settings.queue.shaping.is_some() { "shaping.rate" } else { "bandwidth" };
            loads.meaning.resources[port].capacity = bucket.rate as f64;
            loads.meaning.resources[port].remedy =
                format!("raise `medium.{}.queue.{key}`", loads.media[port / 2].name());
        }
    }
    let seconds = |connection: u32, port: usize, octets: u32| {
        let route = &site.topology.routes[connection as usize];
        let mtu = route.iter().map(|&port| fabric.ports[port as usize].link.mtu).min().unwrap_or(octets);
        let output = Output { link: &site.topology.ports[port], settings: &fabric.ports[port] };
        ip::fragments(octets, mtu).map(|octets| output.cost(octets).seconds()).sum::<f64>()
    };
    let first = loads.meaning.resources.len();
    for conditioner in &fabric.conditioners {
        let flow = conditioner.name.rsplit_once('/').map_or(&*conditioner.name, |(flow, _)| flow);
        loads.meaning.resources.push(Resource {
            name: format!("the shaper of `{}`", conditioner.name),
            table: scenario.flow_named(flow).unwrap_or_else(|| scenario.table("run")),
            remedy: format!("raise `flow.{flow}.shaping.rate`"),
            capacity: conditioner.shaper.map_or(f64::INFINITY, |(shaper, _)| shaper.rate as f64),
            unit: Unit::Bits,
        });
    }
    loads.offer(|connection, octets| {
        let conditioners =
            || fabric.conditioners.iter().enumerate().filter(|(_, one)| one.connections.contains(&connection));
        // which packets a meter drops is for it to say
        if conditioners().any(|(_, one)| one.meter.is_some_and(|(_, drops)| drops)) {
            return None;
        }
        let shaper = |(at, one): (usize, &ip::ConditionerSettings)| {
            Some((first + at, lasts(octets.into(), one.shaper?.0.rate)[0].seconds()))
        };
        let mut path: Vec<(usize, f64)> = conditioners().filter_map(shaper).collect();
        let mut arrives = 1.0;
        for &port in &site.topology.routes[connection as usize] {
            if site.topology.is_input(port) {
                continue;
            }
            let wire = fabric.segments.iter().find(|segment| segment.nodes.iter().any(|node| node.port == port));
            match wire {
                // all outputs to it are one resource; a frame takes a gap as well
                Some(wire) => path.push((
                    wire.nodes[0].port as usize,
                    arrives * (wire.time(wire.bits(octets) + wire.mac.gap)).seconds(),
                )),
                None => path.push((port as usize, arrives * seconds(connection, port as usize, octets))),
            }
            arrives *= 1.0 - fabric.ports[port as usize].link.loss;
        }
        Some(path)
    });
    loads.finish(|port| !fabric.ports[port].link.unlimited)
}

/// What the flows of a network of cells mean.
pub(crate) fn of_cells<'s>(
    scenario: &'s Scenario,
    model: Result<LanModel<cells::settings::Settings>, Problems>,
) -> Meaning<'s> {
    let Ok(LanModel { site, fabric }) = model else { return Meaning::default() };
    let mut loads = Loads::of(scenario, &site);
    loads.offer(|connection, octets| {
        let header = fabric.connections[connection as usize].header;
        let bits = 8 * CELL * (octets + header + TRAILER).div_ceil(PAYLOAD);
        let mut arrives = 1.0;
        let port = |&port: &u32| {
            let seconds = arrives * f64::from(bits) / site.topology.ports[port as usize].rate as f64;
            arrives *= 1.0 - fabric.ports[port as usize].loss;
            (port as usize, seconds)
        };
        Some(site.topology.routes[connection as usize].iter().map(port).collect())
    });
    loads.finish(|_| true)
}

/// Links and processors of a site, and what is offered to them.
struct Loads<'s, 'a> {
    scenario: &'s Scenario,
    site: &'a Site,
    /// By link the keys of its medium.
    media: Vec<&'s Table>,
    /// Ports, then the processors of all stations, then what the network has besides.
    meaning: Meaning<'s>,
}

impl<'s, 'a> Loads<'s, 'a> {
    fn of(scenario: &'s Scenario, site: &'a Site) -> Loads<'s, 'a> {
        let members = scenario.members();
        let media = Layout::new(scenario, &members, &mut Problems::new()).media;
        let mut links: BTreeMap<&str, u32> = BTreeMap::new();
        media.iter().for_each(|medium| *links.entry(medium.name()).or_default() += 1);
        let port = |(at, name): (usize, &String)| {
            let medium: &'s Table = media[at / 2];
            let called = format!("medium `{}`", medium.name());
            Resource {
                name: if links[medium.name()] == 1 || is_shared(medium) {
                    called
                } else {
                    format!("the link `{name}` of {called}")
                },
                table: medium,
                remedy: format!("raise `medium.{}.rate`", medium.name()),
                capacity: site.topology.ports[at].rate as f64,
                unit: Unit::Bits,
            }
        };
        let processor = |member: &sojourn_scenario::Member<'s>| Resource {
            name: format!("the processor of `{}`", member.name),
            table: member.station,
            remedy: format!("lower `station.{}.costs`", member.station.name()),
            capacity: 1.0,
            unit: Unit::Time,
        };
        let ports = site.ports.iter().enumerate().map(port);
        let resources = ports.chain(members.iter().map(processor)).collect();
        Loads { scenario, site, media, meaning: Meaning { resources, ..Meaning::default() } }
    }

    /// Adds what streams and calls send over the links that `path` says, with the octets of an IP packet.
    fn offer(&mut self, path: impl Fn(u32, u32) -> Option<Vec<(usize, f64)>>) {
        let site = self.site;
        for activity in &site.activities {
            if !self.sends_on_its_own(activity) {
                continue;
            }
            let Some(table) = self.scenario.flow_named(&site.flows[activity.flow as usize]) else { continue };
            let (size, rate, key) = match &activity.service {
                Service::Stream(stream) => (stream.size, stream.arrivals.0.arrivals().rate(), "arrivals"),
                Service::Voice(call) => (call.octets, Some(packets_of(call)), "voice"),
                _ => continue,
            };
            let Some(rate) = rate else { continue };
            let both = matches!(&activity.service, Service::Voice(call) if call.is_two_way);
            for connection in [Some(activity.connection), both.then_some(activity.connection ^ 1)].into_iter().flatten()
            {
                let Some(links) = path(connection, size + UDP_HEADERS) else { continue };
                let remedy = match key {
                    "voice" => format!("fewer calls of `{}`", table.name()),
                    _ => send_less(table),
                };
                let path = self.with_processors(connection, size, links);
                self.meaning.offers.push(Offer { table, key, remedy, rate, path });
            }
        }
    }

    /// A path with the processors at its ends.
    fn with_processors(&self, connection: u32, size: u32, links: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
        let ends = [self.site.topology.source(connection), self.site.topology.destination(connection)];
        let processor = |(end, sends): (u32, bool)| {
            let costs = self.site.costs[end as usize].as_ref()?;
            let work = if sends { &costs.send } else { &costs.receive };
            Some((self.site.ports.len() + end as usize, work.of(size).seconds()))
        };
        let first = processor((ends[0], true));
        first.into_iter().chain(links).chain(processor((ends[1], false))).collect()
    }

    /// Whether an activity sends during the whole of what a run observes, as its table says.
    fn sends_on_its_own(&self, activity: &Activity) -> bool {
        let run = self.scenario.run();
        let begin = activity.start + activity.start_spread;
        let lasts = match (&activity.service, run.warm_up) {
            (Service::Voice(call), WarmUp::Fixed(warm_up)) if call.packet_times < u32::MAX => {
                activity.start + call.packet_time().times(call.packet_times.into()) >= warm_up + run.duration
            }
            (Service::Voice(call), WarmUp::Auto) => call.packet_times == u32::MAX,
            _ => true,
        };
        let observed = match run.warm_up {
            WarmUp::Fixed(warm_up) => begin < warm_up + run.duration,
            WarmUp::Auto => begin == Duration::ZERO,
        };
        lasts && observed && !activity.silent && !is_changed(self.scenario, &self.site.flows[activity.flow as usize])
    }

    /// Adds timers, costs and what probed flows pass; whether a port takes time, `takes_time` says.
    fn finish(mut self, takes_time: impl Fn(usize) -> bool) -> Meaning<'s> {
        for activity in &self.site.activities {
            let flow = &self.site.flows[activity.flow as usize];
            self.meaning.timers.extend(timer(activity, flow));
            let is_probed = activity.service.is_probed_loop() || activity.service.is_probed_one_way();
            if !is_probed || activity.silent {
                continue;
            }
            for connection in activity.connections() {
                let passed =
                    self.site.topology.routes[connection as usize].iter().filter(|port| takes_time(**port as usize));
                let name = |port: u32| match self.site.topology.is_shared(port) {
                    true => self.media[port as usize / 2].name().to_owned(),
                    false => self.site.ports[port as usize].clone(),
                };
                self.meaning.passed.extend(passed.map(|&port| (name(port), flow.clone())));
            }
        }
        for station in self.scenario.list("station") {
            let costs = station.table("costs");
            let cost = |(key, hardware, source)| Cost { table: costs, key, hardware, source };
            let packet = ["packet", "ack"].map(|key| (key, [67e-9, 280e-6], PACKET));
            self.meaning.costs.extend(packet.into_iter().chain([("per_byte", [0.05e-9, 90e-9], BYTE)]).map(cost));
        }
        self.meaning
    }
}

/// Packets a second that one end of a call sends.
fn packets_of(call: &Call) -> f64 {
    let share = call.talkspurts.as_ref().map_or(1.0, |[talkspurt, pause]| {
        talkspurt.mean().seconds() / (talkspurt.mean().seconds() + pause.mean().seconds())
    });
    share / call.packet_time().seconds()
}

/// The timer by which an activity goes on after a loss.
fn timer(activity: &Activity, flow: &str) -> Option<Timer> {
    let of_tcp = |clock: &Clock| match clock {
        Clock::Fine { min_rto, .. } => {
            Timer { name: format!("the least retransmission timeout of `{flow}`"), span: *min_rto, source: RTO }
        }
        Clock::Ticks { .. } => Timer {
            name: format!("the least retransmission timeout of `{flow}`"),
            span: Duration::from_secs(1),
            source: BSD_RTO,
        },
    };
    match &activity.service {
        Service::Echo(echo) => {
            Some(Timer { name: format!("the timeout of `{flow}`"), span: echo.timeout, source: ECHO })
        }
        Service::Request(request) => request.ends.first().map(|[client, _]| of_tcp(&client.clock)),
        Service::Bulk(bulk) => Some(of_tcp(&bulk.sender.clock)),
        Service::Stream(_) | Service::Voice(_) => None,
    }
}
