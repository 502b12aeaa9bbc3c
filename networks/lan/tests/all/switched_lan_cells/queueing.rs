//! FIFO multiplexers and input queues against queueing theory; waits in cell times.

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_lan::fabric::Fabric;
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;

use crate::switched_lan_cells::site::*;
use crate::switched_lan_cells::statistics::Mean;

/// How many times faster the hosts' links are, so that nothing waits there.
const FASTER: u64 = 10_000;

/// Hosts whose cells meet at one output of a switch; their connections.
fn multiplexer(sources: u32) -> (Cells, Vec<u32>) {
    let mut site = Site::new();
    let hub = site.switch(SwitchSettings { latency: Duration::ZERO, ..switch(FIFO) });
    let sink = site.host();
    site.link(hub, sink);
    let hosts: Vec<u32> = (0..sources).map(|_| site.host()).collect();
    for host in &hosts {
        let port = site.link(*host, hub) as usize;
        site.topology.ports[port].rate = FASTER * RATE;
    }
    let connections = hosts.iter().map(|host| site.plain(*host, sink)).collect();
    (site.build(), connections)
}

/// The wait at the output of a cell that was handed over at `sent`, in cell times.
fn wait(sent: Time, at: Time) -> f64 {
    let least = cells(1) + cells(1).divided(FASTER);
    (at - sent).saturating_sub(least).seconds() / cells(1).seconds()
}

/// P(W > t) of M/D/1.
fn md1_tail(rho: f64, t: u32) -> f64 {
    let terms = (0..=t).map(|j| {
        let x = rho * (f64::from(j) - f64::from(t));
        let factorial: f64 = (1..=j).map(f64::from).product();
        x.powi(j as i32) / factorial * libm::exp(-x)
    });
    1.0 - (1.0 - rho) * terms.sum::<f64>()
}

#[test]
fn the_closed_form_of_md1_is_that_of_the_table() {
    let table = [(0.5, 1, 0.17564), (0.7, 2, 0.20633), (0.8, 5, 0.10050), (0.9, 10, 0.11760), (0.95, 10, 0.34954)];
    for (rho, t, expected) in table {
        assert!((md1_tail(rho, t) - expected).abs() < 1e-5, "{rho} {t}: {}", md1_tail(rho, t));
    }
}

#[test]
fn cells_that_come_by_chance_wait_as_in_md1() {
    const BATCHES: u32 = 40;
    for (rho, cells_in_batch, beyond) in [(0.5, 4000, 2), (0.7, 6000, 2), (0.8, 10_000, 5), (0.9, 40_000, 10)] {
        let (mut network, connections) = multiplexer(1);
        let mut arrivals = Streams::new(7, 0).stream("arrivals");
        let (mut now, mut mean_wait) = (Time::ZERO, Mean::default());
        let mut tails = [Mean::default(), Mean::default(), Mean::default()];
        let levels = [0, 1, beyond];
        for _ in 0..BATCHES {
            let mut sent = Vec::new();
            for packet in 0..cells_in_batch {
                let gap = -libm::log(arrivals.unit()) / rho * cells(1).seconds();
                now += Duration::from_seconds(gap).unwrap();
                network.send(now, frame(packet, connections[0], 1));
                sent.push(now);
            }
            let all = deliveries(&mut network, Time::NEVER);
            now = now.max(all.last().unwrap().at);
            let waits: Vec<f64> = all.iter().map(|cell| wait(sent[cell.frame.packet as usize], cell.at)).collect();
            // the batch begins with an empty queue: its first part warms up
            let waits = &waits[waits.len() / 4..];
            mean_wait.add(waits.iter().sum::<f64>() / waits.len() as f64);
            for (tail, level) in tails.iter_mut().zip(levels) {
                // a wait above nothing is one of a whole picosecond and more
                let above = waits.iter().filter(|wait| **wait > f64::from(level) + 1e-5).count();
                tail.add(above as f64 / waits.len() as f64);
            }
        }
        mean_wait.agrees_with(rho / (2.0 * (1.0 - rho)), &format!("mean wait at {rho}"));
        for (tail, level) in tails.iter().zip(levels) {
            tail.agrees_with(md1_tail(rho, level), &format!("P(W > {level}) at {rho}"));
        }
    }
}

/// P(virtual wait > x) of sources that send every `period` cell times, at independent phases.
fn periodic_tail(sources: u32, period: u32, x: u32) -> f64 {
    let (d, x) = (f64::from(period), f64::from(x));
    let choose = |n: u32| (0..n).map(|i| f64::from(sources - i) / f64::from(i + 1)).product::<f64>();
    let term = |n: u32| {
        let (share, n_) = ((f64::from(n) - x) / d, f64::from(n));
        let others = f64::from(sources) - n_;
        choose(n) * libm::pow(share, n_) * libm::pow(1.0 - share, others) * (d - f64::from(sources) + x) / (d - n_ + x)
    };
    (x as u32 + 1..=sources).map(term).sum()
}

#[test]
fn the_closed_form_of_periodic_sources_is_that_of_the_table() {
    let table = [(10, 20, 1, 0.14677), (20, 25, 3, 0.10039), (50, 60, 5, 5.8582e-2), (100, 110, 8, 5.976e-2)];
    for (sources, period, x, expected) in table {
        let found = periodic_tail(sources, period, x);
        assert!((found / expected - 1.0).abs() < 1e-3, "{sources} {period} {x}: {found}");
    }
}

#[test]
fn cells_of_periodic_sources_wait_as_in_their_closed_form() {
    for (sources, period, mean, repetitions) in [(10, 20, 0.360, 1500), (20, 25, 1.110, 1000), (50, 60, 1.678, 500)] {
        let (mut network, connections) = multiplexer(sources);
        let mut phases = Streams::new(3, 0).stream("phases");
        let (mut begin, mut mean_wait, mut late) = (Duration::ZERO, Mean::default(), Mean::default());
        for _ in 0..repetitions {
            let mut starts: Vec<(Duration, u32)> = (0..sources)
                .map(|source| (Duration::from_seconds(phases.unit() * cells(period).seconds()).unwrap(), source))
                .collect();
            starts.sort_unstable();
            let sent: Vec<(Time, u32)> = (0..3)
                .flat_map(|turn| starts.iter().map(move |(start, source)| (cells(turn * period) + *start, *source)))
                .map(|(start, source)| (at(begin + start), source))
                .collect();
            for (packet, (now, source)) in (0..).zip(&sent) {
                network.send(*now, frame(packet, connections[*source as usize], 1));
            }
            // the third period is as all that would follow
            let third = |packet: &u32| *packet >= 2 * sources;
            let all = deliveries(&mut network, Time::NEVER);
            let waits: Vec<f64> = all
                .iter()
                .filter(|cell| third(&cell.frame.packet))
                .map(|cell| wait(sent[cell.frame.packet as usize].0, cell.at))
                .collect();
            mean_wait.add(waits.iter().sum::<f64>() / f64::from(sources));
            late.add(waits.iter().filter(|wait| **wait > 1.00001).count() as f64 / f64::from(sources));
            begin += cells(5 * period);
        }
        // a cell sees the others only
        let tail = periodic_tail(sources - 1, period as u32, 1);
        mean_wait.agrees_with(mean, &format!("{sources} sources every {period}"));
        late.agrees_with(tail, &format!("P(W > 1), {sources} sources every {period}"));
    }
}

/// A switch whose links are slotted, with this many sources and as many sinks; connections by source and sink.
fn slotted(ports: u32, architecture: Architecture) -> (Cells, Vec<Vec<u32>>) {
    let mut site = Site::new();
    let hub = site.switch(SwitchSettings { latency: Duration::ZERO, ..switch(architecture) });
    let mut hosts = || -> Vec<u32> {
        let hosts: Vec<u32> = (0..ports).map(|_| site.host()).collect();
        hosts.iter().for_each(|host| {
            site.link(*host, hub);
        });
        hosts
    };
    let (sources, sinks) = (hosts(), hosts());
    site.settings().ports.iter_mut().for_each(|port| port.slotted = true);
    let connections =
        sources.iter().map(|source| sinks.iter().map(|sink| site.plain(*source, *sink)).collect()).collect();
    (site.build(), connections)
}

fn any<'a>(sinks: &'a [u32], random: &mut Stream) -> &'a u32 {
    &sinks[random.below(sinks.len() as u32) as usize]
}

#[test]
fn slotted_output_queues_wait_as_their_closed_form_says() {
    // (N - 1) / N times p / (2 (1 - p)) slots
    for (ports, p, expected) in [(2, 0.8, 1.0), (4, 0.8, 1.5), (4, 0.9, 3.375)] {
        let (mut network, connections) = slotted(ports, FIFO);
        let mut random = Streams::new(5, 0).stream("bernoulli");
        let (mut waits, mut slot) = (Mean::default(), 0);
        for batch in 0..41 {
            let (mut sum, mut count) = (0.0, 0);
            for _ in 0..8000 {
                let now = at(cells(slot));
                for delivered in deliveries(&mut network, now) {
                    let slots = (delivered.at - delivered.first_departure).seconds() / cells(1).seconds();
                    sum += slots.round() - 2.0;
                    count += 1;
                }
                for sinks in &connections {
                    if random.unit() < p {
                        network.send(now, frame(0, *any(sinks, &mut random), 1));
                    }
                }
                slot += 1;
            }
            if batch > 0 {
                waits.add(sum / f64::from(count));
            }
        }
        waits.agrees_with(expected, &format!("{ports} ports at {p}"));
    }
}

/// Cells that leave a full switch in a slot, per output.
fn saturated(ports: u32, architecture: Architecture) -> Mean {
    let (mut network, connections) = slotted(ports, architecture);
    let mut random = Streams::new(6, 0).stream("destinations");
    let (mut served, mut slot) = (Mean::default(), 0);
    for batch in 0..31 {
        let mut count = 0;
        for _ in 0..1000 {
            let now = at(cells(slot));
            count += deliveries(&mut network, now).len();
            connections.iter().for_each(|sinks| network.send(now, frame(0, *any(sinks, &mut random), 1)));
            slot += 1;
        }
        if batch > 0 {
            served.add(count as f64 / 1000.0 / f64::from(ports));
        }
    }
    served
}

#[test]
fn heads_of_line_block_a_full_switch_with_input_queues() {
    let matching = Matching { free_running: true, ..RANDOM };
    for (ports, expected) in [(2, 0.75), (3, 0.6825), (4, 0.655), (8, 0.618)] {
        let served = saturated(ports, Architecture::InputFifo(matching));
        served.agrees_with(expected, &format!("{ports} ports"));
    }
}

#[test]
fn queues_per_connection_at_the_inputs_do_not_block_each_other() {
    let served = saturated(4, Architecture::InputPerConnection(Matching { free_running: true, ..RANDOM }));
    assert!(served.mean() > 0.97, "{}", served.mean());
    let served = saturated(4, FIFO);
    assert!(served.mean() > 0.97, "{}", served.mean());
}

#[test]
fn a_full_buffer_takes_as_long_as_its_cells() {
    // 500, 2000 and 13000 cells: 1.4156, 5.6624 and 36.806 ms
    for (size, milliseconds) in [(500, 1.4156), (2000, 5.6624), (13_000, 36.806)] {
        let (mut network, connections) = multiplexer(1);
        network.send(Time::ZERO, frame(0, connections[0], 1));
        (0..size).for_each(|packet| network.send(Time::ZERO, frame(1 + packet, connections[0], 1)));
        let all = deliveries(&mut network, Time::NEVER);
        let waited = wait(Time::ZERO, all.last().unwrap().at) * cells(1).seconds() * 1e3;
        assert!((waited - milliseconds).abs() < 1e-3, "{size}: {waited}");
    }
}
