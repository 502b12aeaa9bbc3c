//! The available bit rate through the network: sources, marks, switches that signal rates.

use sojourn_core::{Duration, Time};
use sojourn_lan::fabric::{Fabric, FabricEvent, Watch};
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;
use sojourn_metrics::Observation;
use sojourn_protocols::atm::abr::{Decrease, IdleRule, MarkingSettings, Parameters};
use sojourn_protocols::atm::{CodedRate, Direction, RmPayload};

use crate::switched_lan_cells::site::*;

/// Cells a second at this many Mbit/s of cells.
fn megabits(rate: f64) -> f64 {
    rate * 1e6 / 424.0
}

/// The parameter set for LANs of ATM Forum 95-1328R1.
fn lan() -> Parameters {
    Parameters {
        mcr: megabits(0.5),
        icr: megabits(10.0),
        air: megabits(0.01892),
        cdf: 0.5,
        idle: IdleRule::Decay { tof: 2.0, tdf: 512.0 },
        ..Parameters::traffic_management_4(megabits(155.0))
    }
}

fn available(parameters: Parameters) -> Available {
    Available { parameters, keeps_indication: false, backward_bypasses: false, coded_rates: false }
}

const MARKS: EfciSettings = EfciSettings { above: 500, until: 500, at: MarkAt::Departure };

/// This many hosts that send to one over a switch, and connections of this many services. Port 0 leads to the receiver.
fn funnel(settings: SwitchSettings, services: &[Service]) -> (Site, Vec<u32>) {
    let mut site = Site::new();
    let hub = site.switch(settings);
    let sink = site.host();
    site.link(hub, sink);
    let hosts: Vec<u32> = services.iter().map(|_| site.host()).collect();
    hosts.iter().for_each(|host| {
        site.link(*host, hub);
    });
    let connections = hosts.iter().zip(services).map(|(host, service)| site.connect(*host, sink, service.clone()));
    let connections = connections.collect();
    (site, connections)
}

/// Keeps the connections' adapters full until `end`; the cells of rate control, with the instant and the connection.
fn saturate(network: &mut Cells, connections: &[u32], end: Time) -> Vec<(Time, u32, RmPayload)> {
    let mut rm_cells = Vec::new();
    for connection in connections {
        (0..3).for_each(|packet| network.send(Time::ZERO, frame(packet, *connection, 192)));
    }
    while let Some(event) = network.advance(end) {
        match event {
            FabricEvent::RmCell { at, connection, cell } => rm_cells.push((at, connection, cell)),
            FabricEvent::Delivered(delivered) => network.send(delivered.at, delivered.frame),
            FabricEvent::Lost { .. } => panic!("nothing is lost"),
        }
    }
    rm_cells
}

/// A network that reports its resource management cells.
fn reporting(site: &mut Site) -> Cells {
    let mut network = site.build();
    network.watch(&Watch { rm_cells: true, ..Watch::default() });
    network
}

/// The cells of one direction that came on a connection.
fn rates(cells: &[(Time, u32, RmPayload)], on: u32, direction: Direction) -> impl Iterator<Item = (Time, f64)> + '_ {
    let ours = cells.iter().filter(move |(_, connection, cell)| *connection == on && cell.direction == direction);
    ours.map(|(at, _, cell)| (*at, rate(cell)))
}

fn rate(cell: &RmPayload) -> f64 {
    cell.ccr.cells_per_second()
}

#[test]
fn alone_a_source_climbs_from_10_to_155_megabits_with_240_answers_in_62_milliseconds() {
    let (mut site, connections) = funnel(switch(FIFO), &[Service::Available(available(lan()))]);
    let mut network = reporting(&mut site);
    let all = saturate(&mut network, &connections, at(Duration::from_millis(80)));
    let sent: Vec<f64> = rates(&all, connections[0], Direction::Forward).map(|(_, rate)| rate).collect();
    let answers: Vec<Time> = rates(&all, connections[0] + 1, Direction::Backward).map(|(at, _)| at).collect();
    // the first that carries the peak rate, in 16 bits, is sent after 240 answers
    assert_eq!(sent.iter().position(|rate| *rate >= 365_000.0), Some(240));
    // the first forward cell leaves at once; the sum of all 240 periods is 62.1 ms
    let climb = (answers[239] - answers[0]).seconds() + 32.0 / megabits(10.0);
    assert!((climb - 0.0621).abs() < 0.0003, "{climb}");
    let counts = network.cell_counts(connections[0], at(Duration::from_millis(80)));
    let management = sent.len() as f64 / counts.arrived as f64;
    assert!((management - 1.0 / 32.0).abs() < 1e-3, "one cell in 32: {management}");
}

#[test]
fn forward_cells_of_a_constant_rate_lie_32_cells_apart() {
    let constant = Parameters { pcr: megabits(10.0), ..lan() };
    let (mut site, connections) = funnel(switch(FIFO), &[Service::Available(available(constant))]);
    let all = saturate(&mut reporting(&mut site), &connections, at(Duration::from_millis(50)));
    let forward: Vec<Time> = rates(&all, connections[0], Direction::Forward).map(|(at, _)| at).collect();
    assert!(forward.len() > 30);
    for pair in forward.windows(2) {
        assert!(((pair[1] - pair[0]).seconds() - 1.3568e-3).abs() < 1e-9, "{pair:?}");
    }
}

#[test]
fn beside_a_queue_that_is_always_long_each_answer_costs_a_sixteenth_down_to_the_minimum() {
    let services = [Service::Available(available(Parameters { icr: megabits(100.0), ..lan() })), Service::Unspecified];
    let settings = SwitchSettings { marking: Some(MARKS), ..switch(FIFO) };
    let (mut site, connections) = funnel(settings, &services);
    let mut network = reporting(&mut site);
    // the other sends at full rate, beside 100 Mbit/s: the queue grows to the end
    (0..10).for_each(|packet| network.send(Time::ZERO, frame(100 + packet, connections[1], 192)));
    let all = saturate(&mut network, &connections, at(Duration::from_secs(1)));
    let rates: Vec<f64> = rates(&all, connections[0], Direction::Forward).map(|(_, rate)| rate).collect();
    let highest = rates.iter().fold(0.0_f64, |highest, rate| highest.max(*rate));
    let falling = &rates[rates.iter().rposition(|rate| *rate == highest).unwrap()..];
    let floor = CodedRate::rounded_down(megabits(0.5)).cells_per_second();
    for pair in falling.windows(2).filter(|pair| pair[1] != floor) {
        // this many answers came between the two, as far as 9 bits of mantissa show
        let answers = libm::log(pair[1] / pair[0]) / libm::log(0.9375);
        assert!(answers > -0.01 && (answers - answers.round()).abs() < 0.05, "{pair:?}");
    }
    assert_eq!(*falling.last().unwrap(), floor);
}

/// How many cells of a burst are marked when the whole burst arrives before its second cell has left.
fn marked(burst: u32, marking: EfciSettings) -> u64 {
    let settings = SwitchSettings { marking: Some(marking), latency: Duration::ZERO, ..switch(FIFO) };
    let (mut site, connections) = funnel(settings, &[Service::Unspecified]);
    site.topology.ports[2].rate = 10_000 * RATE;
    let mut network = site.build();
    (0..burst).for_each(|packet| network.send(Time::ZERO, frame(packet, connections[0], 1)));
    assert_eq!(deliveries(&mut network, Time::NEVER).len(), burst as usize);
    let marked = network.cell_counts(connections[0], Time::ZERO).marked;
    assert_eq!(network.tally(at(Duration::from_secs(1))).ports[0].marked, marked);
    marked
}

#[test]
fn a_cell_is_marked_when_it_leaves_more_than_the_threshold_behind() {
    // the first leaves at once; the k-th leaves all but k behind
    assert_eq!(marked(502, MARKS), 0);
    assert_eq!(marked(503, MARKS), 1);
    assert_eq!(marked(600, MARKS), 98);
    // at arrival: the 503rd is the first that finds 501
    let arrival = EfciSettings { at: MarkAt::Arrival, ..MARKS };
    assert_eq!((marked(502, arrival), marked(503, arrival), marked(600, arrival)), (0, 1, 98));
    // with hysteresis to the one that leaves 101 behind
    assert_eq!(marked(600, EfciSettings { until: 100, ..MARKS }), 498);
}

#[test]
fn a_source_that_hears_nothing_halves_its_rate_after_32_forward_cells() {
    let parameters = Parameters { icr: megabits(100.0), ..lan() };
    let (mut site, connections) = funnel(switch(FIFO), &[Service::Available(available(parameters))]);
    // the backward path loses all
    site.settings().ports[1].loss = 1.0;
    let mut network = reporting(&mut site);
    for packet in 0..50 {
        network.send(Time::ZERO, frame(packet, connections[0], 192));
    }
    let rates: Vec<f64> = run(&mut network, at(Duration::from_millis(500)))
        .into_iter()
        .filter_map(|event| match event {
            FabricEvent::RmCell { cell, .. } => Some(rate(&cell)),
            _ => None,
        })
        .collect();
    // in 16 bits, rounded down
    let coded = |rate: f64| CodedRate::rounded_down(rate).cells_per_second();
    assert!(rates[..32].iter().all(|rate| *rate == coded(megabits(100.0))), "{rates:?}");
    assert_eq!(rates[32..35], [50.0, 25.0, 12.5].map(|rate| coded(megabits(rate))));
    assert_eq!(*rates.last().unwrap(), coded(megabits(0.5)));
}

#[test]
fn a_source_that_falls_silent_sends_one_forward_cell_after_trm_and_then_nothing() {
    let (mut site, connections) = funnel(switch(FIFO), &[Service::Available(available(lan()))]);
    let mut network = reporting(&mut site);
    network.send(Time::ZERO, frame(0, connections[0], 3));
    let forward = |event: &FabricEvent| match event {
        FabricEvent::RmCell { at, connection, cell } if *connection == connections[0] => {
            (cell.direction == Direction::Forward).then_some(*at)
        }
        _ => None,
    };
    let all: Vec<Time> = run(&mut network, at(Duration::from_secs(5))).iter().filter_map(forward).collect();
    let one_way_delay = cells(1) + Duration::from_micros(12) + cells(1);
    assert_eq!(all, [at(one_way_delay), at(one_way_delay + Duration::from_millis(100))]);
}

#[test]
fn answers_wait_for_the_rate_of_the_backward_path_unless_they_bypass_it() {
    let answered = |backward_bypasses| {
        // the backward path has a slot every 424 ms
        let slow = megabits(0.001);
        let slow = Parameters { pcr: slow, mcr: slow, icr: slow, ..lan() };
        let service = |parameters| Service::Available(Available { backward_bypasses, ..available(parameters) });
        let (mut site, connections) = funnel(switch(FIFO), &[service(lan())]);
        site.settings().connections[connections[0] as usize + 1].service = service(slow);
        let mut network = reporting(&mut site);
        let all = saturate(&mut network, &connections, at(Duration::from_millis(400)));
        rates(&all, connections[0] + 1, Direction::Backward).count()
    };
    assert_eq!(answered(false), 0, "the forward cell of the backward path has taken the first slot");
    assert!(answered(true) > 200);
}

#[test]
fn rates_carried_in_16_bits_bound_the_source_to_what_they_can_represent() {
    let reached = |coded_rates| {
        let service = Service::Available(Available { coded_rates, ..available(lan()) });
        let (mut site, connections) = funnel(switch(FIFO), &[service]);
        let mut network = site.build();
        network.watch(&Watch::default());
        saturate(&mut network, &connections, at(Duration::from_millis(80)));
        let tally = network.tally(at(Duration::from_millis(80)));
        match tally.connections[connections[0] as usize].allowed_cell_rate {
            Some(Observation::TimeWeighted { max, .. }) => max,
            _ => panic!("a source has a rate"),
        }
    };
    assert_eq!(reached(false), megabits(155.0));
    assert_eq!(reached(true), 365_056.0);
}

/// User cells a second that three greedy sources get of one output, and the mean of its queue.
fn shares(settings: SwitchSettings, parameters: Parameters, seconds: u64) -> ([f64; 3], f64) {
    let service = Service::Available(available(parameters));
    let (mut site, connections) = funnel(settings, &[service.clone(), service.clone(), service]);
    let mut network = site.build();
    let (half, end) = (at(Duration::from_secs(seconds)), at(Duration::from_secs(2 * seconds)));
    network.watch(&Watch { mean_from: half, ..Watch::default() });
    saturate(&mut network, &connections, half);
    let before: Vec<u64> =
        connections.iter().map(|connection| network.cell_counts(*connection, half).arrived).collect();
    saturate(&mut network, &[], end);
    let after = connections.iter().map(|connection| network.cell_counts(*connection, end).arrived);
    let rates: Vec<f64> = after.zip(before).map(|(after, before)| (after - before) as f64 / seconds as f64).collect();
    let Observation::TimeWeighted { mean, .. } = network.tally(end).ports[0].queue else { panic!("a level") };
    (rates.try_into().unwrap(), mean)
}

fn fairness(rates: [f64; 3]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (3.0 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

#[test]
fn alike_sources_behind_marks_share_a_link_evenly() {
    for decrease in [Decrease::OnCi, Decrease::PerCell] {
        let settings = SwitchSettings { marking: Some(MARKS), ..switch(FIFO) };
        let (rates, queue) = shares(settings, Parameters { decrease, ..lan() }, 1);
        assert!(fairness(rates) > 0.99, "{decrease:?}: {rates:?}");
        assert!(rates.iter().sum::<f64>() > 0.9 * 353_207.0 && queue < 3000.0, "{rates:?}, {queue}");
    }
}

#[test]
fn erica_leads_sources_to_the_share_it_gives_away_with_next_to_no_queue() {
    let rate_control =
        RateControl::Explicit { interval: Duration::from_millis(5), utilisation: 0.9, queue_target: None };
    let (rates, queue) = shares(SwitchSettings { rate_control, ..switch(FIFO) }, lan(), 1);
    for rate in rates {
        assert!((rate / (0.9 * 353_207.5 / 3.0) - 1.0).abs() < 0.02, "{rates:?}");
    }
    assert!(queue < 10.0, "{queue}");
}

#[test]
fn erica_plus_fills_the_link_and_holds_its_queue_near_the_target() {
    let queue_target = Some(Duration::from_micros(500));
    let rate_control = RateControl::Explicit { interval: Duration::from_millis(5), utilisation: 1.0, queue_target };
    let (rates, queue) = shares(SwitchSettings { rate_control, ..switch(FIFO) }, lan(), 1);
    assert!(rates.iter().sum::<f64>() > 0.99 * 353_207.0, "{rates:?}");
    // 500 µs are 177 cells
    assert!((50.0..400.0).contains(&queue), "{queue}");
}

#[test]
fn intelligent_marking_keeps_the_queue_where_nothing_else_does() {
    let marking = MarkingSettings { av: 1.0 / 16.0, dpf: 7.0 / 8.0, erf: 15.0 / 16.0, mrf: 0.25, qt: 500, dqt: 1000 };
    let controlled = SwitchSettings { rate_control: RateControl::IntelligentMarking(marking), ..switch(FIFO) };
    let (rates, queue) = shares(controlled, lan(), 1);
    let (_, without) = shares(switch(FIFO), lan(), 1);
    assert!(fairness(rates) > 0.95 && rates.iter().sum::<f64>() > 0.9 * 353_207.0, "{rates:?}");
    // the three have at most 1728 cells in flight
    assert!(queue < 600.0 && without > 1000.0, "{queue} against {without}");
}
