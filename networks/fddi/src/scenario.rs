//! Converts a checked scenario to a site.

use sojourn_core::{Duration, Time};
use sojourn_engine::arrivals::Arrivals;
use sojourn_engine::law::Law;
use sojourn_metrics::codec::Codec;
use sojourn_scenario::{Problems, Scenario, Table};

use super::association::Association;
use super::fifo::SAMPLE;
use super::layout::Layout;
use super::plan::timeline;
use super::rates::{burst, burst_gap, interval, loss_interval};
use super::ring::Class;
use super::site::{
    Acknowledges, Costs, Flow, Host, Impairment, Load, Probe, Router, Site, Sizes, Traffic, Transport, Voice,
};
use sojourn_model::arrivals;

/// Mean talkspurt and pause of ITU-T P.59.
const TALKSPURT: Duration = Duration::from_millis(1004);
const PAUSE: Duration = Duration::from_millis(1587);

/// The site a scenario describes.
pub fn site(scenario: &Scenario) -> Result<Site, Problems> {
    let layout = Layout::new(scenario);
    let mut hosts: Vec<Host> = scenario.members().iter().map(|member| host(&member.name, member.station)).collect();
    for number in 1..=layout.chained {
        hosts.push(Host { name: format!("router-{number}"), ..host("", &scenario.list("station")[0]) });
    }
    for (host, ports) in hosts.iter_mut().zip(&layout.ports) {
        host.ports.clone_from(ports);
        host.router = (ports.len() > 1).then(|| router(scenario.table("router")));
    }
    check_voice(scenario)?;
    let flows = flows(scenario);
    let probe = probe(scenario, &flows, &hosts);
    let mut site = Site {
        rings: layout.rings(scenario, &flows)?,
        hosts,
        flows,
        loads: load(scenario.table("background"), &layout).into_iter().collect(),
        probe,
        impairment: impairment(scenario.table("impairment")),
        decodable_capture: scenario.table("network").flag("decodable_capture"),
        timeline: None,
    };
    messages(scenario.table("messages"), &mut site);
    site.timeline = timeline(scenario, site.hosts.len(), &site.flows)?;
    for (number, host) in (0..).zip(&mut site.hosts) {
        host.hands_over_singly = hands_over_singly(&site.flows, number);
    }
    Ok(site)
}

fn host(name: &str, table: &Table) -> Host {
    Host {
        name: name.to_owned(),
        ports: Vec::new(),
        costs: costs(table.table("costs")),
        tick: table.duration("clock_tick"),
        timer_interval: table.duration("timer_interval"),
        acknowledges: match table.word("acknowledges") {
            "at-delivery" => Acknowledges::AtDelivery,
            "before-delivery" => Acknowledges::BeforeDelivery,
            _ => Acknowledges::AfterUser,
        },
        hands_over_singly: false,
        messages_last: table.word("message_priority") == "lower",
        router: None,
    }
}

fn costs(table: &Table) -> Costs {
    Costs {
        send_packet: table.duration("send_packet"),
        receive_packet: table.duration("receive_packet"),
        per_byte: table.duration("per_byte"),
        send_control: table.duration("send_control"),
        receive_control: table.duration("receive_control"),
        adapter_copy_per_byte: table.duration("adapter_copy_per_byte"),
        long_packet: table.duration("long_packet"),
        long_packet_above: table.number("long_packet_above") as u32,
        multicast_send: table.duration("multicast_send"),
        multicast_receive: table.duration("multicast_receive"),
        timer_interrupt: table.duration("timer_interrupt"),
        discard: table.duration("discard"),
    }
}

fn router(table: &Table) -> Router {
    Router { delay: table.duration("delay"), gap: interval(table.number("rate")) }
}

/// Each sender of a flow sends on its own.
fn flows(scenario: &Scenario) -> Vec<Flow> {
    let mut flows = Vec::new();
    for table in scenario.list("flow") {
        for sender in table.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
            let to: Vec<u32> = scenario.receivers(table, sender).into_iter().map(|host| host as u32).collect();
            flows.push(Flow {
                name: table.name().to_owned(),
                from: sender as u32,
                probe: table.flag("probe"),
                traffic: sent(table),
                transport: transport(table, to.len()),
                class: class(table, table.integer("priority")),
                to,
            });
        }
    }
    flows
}

/// Packets of voice hold whole frames of their codec, and a jitter buffer is of channels that are rated.
fn check_voice(scenario: &Scenario) -> Result<(), Problems> {
    let mut problems = Problems::new();
    for table in scenario.list("flow").iter().filter(|table| table.word("traffic") == "voice") {
        if let Some(codec) = codec(table) {
            let span = SAMPLE.times(table.integer("samples"));
            if codec.frame().times(span.whole(codec.frame())) != span {
                let samples = codec.frame().whole(SAMPLE);
                let message = format!("a packet of {} holds whole frames of {samples} samples", codec.name());
                problems.push(scenario.problem(table, "samples", message, None));
            }
        }
        if table.word_is("jitter_buffer", "adaptive") && codec(table).is_none() {
            let help = "write `codec`: by which the channels are rated".to_owned();
            let message = "a jitter buffer is of channels that are rated";
            problems.push(scenario.problem(table, "jitter_buffer", message, Some(help)));
        }
    }
    problems.or(())
}

fn codec(table: &Table) -> Option<Codec> {
    table.optional_word("codec").map(|name| name.parse().expect("a checked codec"))
}

fn sent(table: &Table) -> Traffic {
    let data = table.number("data") as u32;
    match table.word("traffic") {
        "voice" => {
            let samples = table.integer("samples") as u32;
            Traffic::Voice(Voice {
                samples,
                bytes: codec(table).map_or(samples, |codec| codec.octets_in(SAMPLE.times(samples.into()))),
                channels: table.integer("channels") as u32,
                fifo_depth: table.integer("fifo_packets") * u64::from(samples),
                playout_delay: playout_delay(table, samples),
                codec: codec(table),
                talkspurts: table.word_is("speech", "talkspurts").then(|| talkspurts(table)),
                adaptive: table.word_is("jitter_buffer", "adaptive"),
            })
        }
        "bulk" => Traffic::Bulk(data),
        _ => {
            let arrivals = arrivals::arrivals(table.table("arrivals")).expect("the declared kinds are known");
            let (process, begin) = arrivals::process(table.table("arrivals"), &arrivals);
            Traffic::Messages(process, begin.since(Time::ZERO), Sizes { short: data, long: data, long_share: 0.0 })
        }
    }
}

/// Mean talkspurt and pause.
fn talkspurts(table: &Table) -> [Duration; 2] {
    [("talkspurt", TALKSPURT), ("pause", PAUSE)].map(|(key, mean)| table.optional_duration(key).unwrap_or(mean))
}

fn playout_delay(table: &Table, samples: u32) -> Duration {
    let half_packet = Duration::from_picoseconds(SAMPLE.times(u64::from(samples)).picoseconds() / 2);
    table.optional_duration("playout_delay").unwrap_or(half_packet)
}

fn transport(table: &Table, receivers: usize) -> Transport {
    if table.word("transport") == "datagram" || receivers == 0 {
        return Transport::Datagram;
    }
    Transport::Xtp(Association::of(table, receivers))
}

fn class(table: &Table, priority: u64) -> Class {
    match table.word("class") {
        "synchronous" => Class::Synchronous,
        _ => Class::Asynchronous(priority as u8),
    }
}

fn probe(scenario: &Scenario, flows: &[Flow], hosts: &[Host]) -> Option<Probe> {
    let flow = flows.iter().position(|flow| flow.probe && matches!(flow.traffic, Traffic::Voice(_)))?;
    let table = scenario.table("probe");
    // the last of the slowest, as the costs of one packet say
    let cost = |host: &u32| hosts[*host as usize].costs.receive(1, flows[flow].to.len() > 1);
    Some(Probe {
        flow: flow as u16,
        one_way: table.word("measure") == "one-way",
        exchanges: table.integer("exchanges"),
        transfer: table.number("transfer") as u64,
        paced: table.duration("paced"),
        responder: flows[flow].to.iter().copied().max_by_key(cost)?,
    })
}

fn load(table: &Table, layout: &Layout) -> Option<Load> {
    let port = layout.generator?;
    let (frame, burst) = (table.number("frame") as u32, burst(table));
    let gap = burst_gap(table, table.number("rate"))?;
    let class = class(table, table.integer("priority"));
    let periodic = table.word("arrivals") == "periodic";
    Some(Load { port, frame, burst, gap, periodic, class, name: "background".to_owned() })
}

/// Adds the messages beside the probed voice.
fn messages(table: &Table, site: &mut Site) {
    let Some(probe) = site.probe else { return };
    let voice = site.flows[usize::from(probe.flow)].clone();
    let sizes = Sizes {
        short: table.number("data") as u32,
        long: table.number("long_data") as u32,
        long_share: table.number("long_share"),
    };
    let both = table.word("from") == "both";
    let rate = table.number("rate") / if both { 2.0 } else { 1.0 };
    let after_write = table.word("arrivals") == "after-write";
    if rate == 0.0 && !after_write {
        return;
    }
    let arrivals = match table.word("arrivals") {
        "periodic" => Arrivals::Periodic { period: interval(rate), jitter: Duration::ZERO },
        "poisson" => Arrivals::Poisson { mean_gap: interval(rate) },
        _ => Arrivals::Saturating { think: Box::new(Law::constant(Duration::ZERO)) },
    };
    let mut ends = vec![(voice.from, probe.responder)];
    if both {
        ends.push((probe.responder, voice.from));
    }
    for (from, to) in ends {
        let traffic = match after_write {
            true => Traffic::AfterWrite(probe.flow, sizes),
            false => Traffic::Messages(arrivals.start(), Duration::ZERO, sizes),
        };
        let transport = match table.flag("acknowledged") {
            true => Transport::Xtp(Association::default()),
            false => Transport::Datagram,
        };
        let class = class(table, table.integer("priority"));
        site.flows.push(Flow {
            name: "messages".to_owned(),
            from,
            to: vec![to],
            probe: false,
            traffic,
            transport,
            class,
        });
    }
}

fn impairment(table: &Table) -> Impairment {
    Impairment {
        unacknowledged: table.number("unacknowledged"),
        lost: table.word("unacknowledged_data") == "lost",
        frame_loss: table.number("frame_loss"),
        token_loss: loss_interval(table.number("token_loss")),
    }
}

/// Whether the associations of a host hand over one packet at a time, when the one before has left the processor.
fn hands_over_singly(flows: &[Flow], host: u32) -> bool {
    let waits = |flow: &&Flow| matches!(flow.transport, Transport::Xtp(association) if association.waits_in_xtp());
    flows.iter().filter(waits).any(|flow| flow.from == host || flow.to.contains(&host))
}
