//! The closed forms of queueing theory, and what must hold in every run.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::Queue;
use sojourn_engine::arrivals::Arrivals;
use sojourn_engine::law::{Gamma, Law, Lognormal, Shape, Weibull};
use sojourn_metrics::Record;
use sojourn_metrics::merge::merge;
use sojourn_metrics::results::Metric;
use sojourn_scenario::Problems;

use super::levels::Window;
use super::recursion::{Recursion, Visit};
use super::scenario::{FlowSettings, Settings, Source, StationSettings};
use super::world::Recorded;
use sojourn_model::{Model, Replication};

const MEAN: Duration = Duration::from_millis(8);
const GAP: Duration = Duration::from_millis(10);
const EXPONENTIAL: Law = Law::exponential(MEAN);

fn station(name: &str, servers: usize, service: Law) -> StationSettings {
    StationSettings { name: name.to_owned(), servers, service, capacity: None }
}

fn open(path: &[usize], mean_gap: Duration) -> FlowSettings {
    let source = Source::Open { process: Arrivals::Poisson { mean_gap }.start(), begin: Time::ZERO };
    FlowSettings { name: "customers".to_owned(), path: path.to_vec(), source, probe: true, silent: false }
}

fn closed(path: &[usize], population: u32, think: Duration) -> FlowSettings {
    let source = Source::Closed { population, think: Law::exponential(think) };
    FlowSettings { name: "customers".to_owned(), path: path.to_vec(), source, probe: true, silent: false }
}

fn replicate(settings: &Settings, index: u32, seconds: u64) -> Record {
    settings.replicate(Replication {
        index,
        warm_up: Duration::from_secs(20),
        ..Replication::alone(Duration::from_secs(seconds))
    })
}

/// Ten replications of about 200 000 customers in all.
fn metrics(stations: Vec<StationSettings>, flow: FlowSettings) -> BTreeMap<String, Metric> {
    let settings = Settings { stations, flows: vec![flow], events: None };
    merge(&(0..10).map(|index| replicate(&settings, index, 200)).collect::<Vec<_>>())
}

/// Asserts that a value lies within twice its 95 % interval, and that the interval is narrow enough to mean it.
#[track_caller]
fn assert_meets(metrics: &BTreeMap<String, Metric>, metric: &str, field: &str, theory: f64, width: f64) {
    let metric = &metrics[metric];
    let (found, (low, high)) = (metric.field(field).unwrap(), metric.interval(field).unwrap());
    let half_width = 0.5 * (high.expect("enough samples for an upper end") - low);
    assert!(half_width < width * theory, "{found} ± {half_width} is too wide to say anything of {theory}");
    assert!((found - theory).abs() < 2.0 * half_width, "{found} ± {half_width}, in theory {theory}");
}

#[test]
fn a_single_server_with_random_service_is_m_m_1() {
    let metrics = metrics(vec![station("server", 1, EXPONENTIAL)], open(&[0], GAP));
    // W = 1/(µ - λ) = 1/(125 - 100), exponentially distributed; L = ρ/(1 - ρ)
    assert_meets(&metrics, "response_time", "mean", 0.04, 0.05);
    assert_meets(&metrics, "response_time", "p50", 0.04 * std::f64::consts::LN_2, 0.05);
    assert_meets(&metrics, "response_time", "p99", 0.04 * 4.605_170, 0.4);
    assert_meets(&metrics, "queue_length", "mean", 4.0, 0.08);
    assert_meets(&metrics, "utilisation", "value", 0.8, 0.02);
    assert_meets(&metrics, "transaction_rate", "value", 100.0, 0.02);
}

#[test]
fn a_single_server_with_constant_service_is_m_d_1() {
    let metrics = metrics(vec![station("server", 1, Law::constant(MEAN))], open(&[0], GAP));
    // Pollaczek and Khinchine: waiting ρ/(2(1 - ρ)) service times
    assert_meets(&metrics, "response_time", "mean", 0.008 * (1.0 + 0.8 / 0.4), 0.05);
}

#[test]
fn a_single_server_with_any_law_of_service_waits_as_pollaczek_and_khinchine_say() {
    let values = [1, 2, 3, 10].map(Duration::from_millis);
    let laws = [
        Law { mean: MEAN, shape: Shape::Normal(0.3) },
        Law { mean: MEAN, shape: Shape::Gamma(Gamma::new(0.5)) },
        Law { mean: MEAN, shape: Shape::Lognormal(Lognormal::new(1.0)) },
        Law { mean: MEAN, shape: Shape::Weibull(Weibull::new(0.8)) },
        Law::empirical(&values).unwrap().with_mean(MEAN),
    ];
    for law in laws {
        let variation = law.shape.coefficient_of_variation();
        let metrics = metrics(vec![station("server", 1, law)], open(&[0], Duration::from_millis(16)));
        assert_meets(&metrics, "utilisation", "value", 0.5, 0.03);
        // at half load a customer waits as long as a mean service and its variation
        let response = 0.008 * (1.0 + 0.5 * (1.0 + variation * variation));
        assert_meets(&metrics, "response_time", "mean", response, 0.06);
    }
}

#[test]
fn several_servers_are_m_m_c() {
    let gap = Duration::from_millis(2);
    let metrics = metrics(vec![station("desks", 5, EXPONENTIAL)], open(&[0], gap));
    // Erlang C with c = 5 and a = 4 erlangs: a share 0.554113 waits, for 1/(cµ - λ) on average
    assert_meets(&metrics, "response_time", "mean", 0.008 + 0.554_113 / (625.0 - 500.0), 0.03);
    assert_meets(&metrics, "utilisation", "value", 0.8, 0.02);
}

#[test]
fn a_tandem_of_random_servers_is_a_jackson_network() {
    let second = Law::exponential(Duration::from_millis(5));
    let stations = vec![station("first", 1, EXPONENTIAL), station("second", 1, second)];
    let metrics = metrics(stations, open(&[0, 1], GAP));
    assert_meets(&metrics, "response_time", "mean", 1.0 / (125.0 - 100.0) + 1.0 / (200.0 - 100.0), 0.05);
    assert_meets(&metrics, "queue_length/second", "mean", 1.0, 0.05);
}

#[test]
fn a_closed_population_meets_mean_value_analysis() {
    let disk = Law::exponential(Duration::from_millis(12));
    let stations = vec![station("processor", 1, EXPONENTIAL), station("disk", 1, disk)];
    let metrics = metrics(stations, closed(&[0, 1], 6, Duration::from_millis(50)));
    // Reiser and Lavenberg's recursion over the population
    let (service, think) = ([0.008, 0.012], 0.05);
    let (mut lengths, mut response, mut rate) = ([0.0; 2], 0.0, 0.0);
    for population in 1..=6 {
        let times = [service[0] * (1.0 + lengths[0]), service[1] * (1.0 + lengths[1])];
        response = times[0] + times[1];
        rate = f64::from(population) / (think + response);
        lengths = times.map(|time| rate * time);
    }
    assert_meets(&metrics, "response_time", "mean", response, 0.03);
    assert_meets(&metrics, "transaction_rate", "value", rate, 0.02);
    assert_meets(&metrics, "queue_length/disk", "mean", lengths[1], 0.05);
}

#[test]
fn a_limited_capacity_loses_as_m_m_1_k() {
    let limited = StationSettings { capacity: Some(4), ..station("server", 1, EXPONENTIAL) };
    let metrics = metrics(vec![limited], open(&[0], GAP));
    // (1 - ρ) ρ^K / (1 - ρ^(K+1)) with ρ = 0.8 and K = 4
    assert_meets(&metrics, "loss", "value", 0.2 * 0.4096 / (1.0 - 0.327_68), 0.05);
}

#[test]
fn customers_that_find_no_room_have_a_longer_response_time_than_any() {
    let limited = StationSettings { capacity: Some(4), ..station("server", 1, EXPONENTIAL) };
    let metrics = metrics(vec![limited], open(&[0], GAP));
    let response = &metrics["response_time"];
    let failures = metrics["failures"].field("value").unwrap();
    assert!(response.field("sent").unwrap() >= response.field("count").unwrap() + failures);
    // 12 % are lost
    assert!(response.is_not_reached("p90") && !response.is_not_reached("p50"));
}

#[test]
fn customers_that_wait_at_the_end_for_longer_than_all_others_did_are_not_forgotten() {
    // one customer blocks the server for longer than the run
    let slow = Law::constant(Duration::from_secs(1000));
    let settings = Settings { stations: vec![station("server", 1, slow)], flows: vec![open(&[0], GAP)], events: None };
    let record = replicate(&settings, 0, 100);
    let responses = record.distribution("response_time");
    assert_eq!(responses.count(), 0);
    assert!(responses.sent() > 9_000, "{}", responses.sent());
}

#[test]
fn the_budget_is_waiting_and_service_and_adds_up() {
    let metrics = metrics(vec![station("server", 1, EXPONENTIAL)], open(&[0], GAP));
    let part = |component: &str| metrics[&format!("delay_budget/{component}")].field("mean").unwrap();
    let response = metrics["response_time"].field("mean").unwrap();
    assert!((part("waiting") + part("service") - response).abs() < 1e-12);
    assert!((part("service") / 0.008 - 1.0).abs() < 0.01);
    let slowest = metrics["delay_budget/waiting"].field("slowest_share").unwrap();
    assert!(slowest > 0.85, "the slowest wait rather than being served for long: {slowest}");
}

#[test]
fn customers_may_overtake_each_other_behind_several_servers_and_where_flows_meet() {
    let keeps_order = |servers: [usize; 2], flows: Vec<FlowSettings>| {
        let stations = vec![station("first", servers[0], EXPONENTIAL), station("second", servers[1], EXPONENTIAL)];
        Settings { stations, flows, events: None }.keeps_order()
    };
    assert!(keeps_order([1, 2], vec![open(&[0, 1], GAP)]));
    assert!(!keeps_order([2, 1], vec![open(&[0, 1], GAP)]));
    assert!(!keeps_order([1, 1], vec![open(&[0, 1, 0], GAP)]));
    assert!(!keeps_order([1, 1], vec![open(&[0], GAP), open(&[1], GAP)]));
    assert!(!keeps_order([1, 1], vec![closed(&[0, 1], 3, GAP)]));
}

#[test]
fn a_replication_is_the_same_every_time_and_others_differ() {
    let stations = vec![station("first", 2, EXPONENTIAL), station("second", 1, EXPONENTIAL)];
    let settings = Settings { stations, flows: vec![open(&[0, 1, 0], Duration::from_millis(20))], events: None };
    assert_eq!(replicate(&settings, 3, 20), replicate(&settings, 3, 20));
    assert_ne!(replicate(&settings, 3, 20), replicate(&settings, 4, 20));
}

#[test]
fn levels_are_traced_from_time_0_and_samples_in_order() {
    for servers in [1, 3] {
        levels_are_traced_with(servers);
    }
}

fn levels_are_traced_with(servers: usize) {
    let stations = vec![station("first", servers, EXPONENTIAL)];
    let settings = Settings { stations, flows: vec![open(&[0], GAP)], events: None };
    let record = settings.replicate(Replication {
        warm_up: Duration::from_secs(1),
        traces: true,
        ..Replication::alone(Duration::from_secs(5))
    });
    let level = &record.traces["queue_length/first"];
    assert_eq!(level[0], (0, 0.0));
    assert!(level.is_sorted_by_key(|&(at, _)| at) && level[1].0 < Duration::from_secs(1).picoseconds());
    assert!(level.windows(2).all(|pair| (pair[0].1 - pair[1].1).abs() == 1.0), "one customer at a time");
    let highest = level.iter().map(|&(_, level)| level).fold(0.0, f64::max);
    let metrics = merge(std::slice::from_ref(&record));
    assert_eq!(metrics["queue_length"].field("max"), Some(highest), "the trace and the maximum agree");
    let samples = &record.traces["response_time"];
    assert!(samples.len() > 300 && samples.is_sorted_by_key(|&(at, _)| at));
}

/// A first-come-first-served station with an event for each departure, without cleverness.
fn visits_by_events(arrivals: &[(Time, Duration)], servers: usize) -> Vec<Visit> {
    let mut visits = vec![Visit { begin: Time::ZERO, departure: Time::ZERO }; arrivals.len()];
    let (mut queue, mut waiting, mut idle) = (Queue::new(), std::collections::VecDeque::new(), servers);
    let is_departure = |event: &usize| *event < arrivals.len();
    for (customer, &(at, _)) in arrivals.iter().enumerate() {
        queue.at(at, arrivals.len() + customer);
    }
    // departures of an instant come before its arrivals
    while let Some((now, event)) = queue.pop_until(Time::NEVER, |event| u8::from(!is_departure(event))) {
        if is_departure(&event) {
            idle += 1
        } else {
            waiting.push_back(event - arrivals.len())
        }
        while idle > 0
            && let Some(customer) = waiting.pop_front()
        {
            idle -= 1;
            let departure = now + arrivals[customer].1;
            visits[customer] = Visit { begin: now, departure };
            queue.at(departure, customer);
        }
    }
    visits
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_recursion_gives_the_visits_that_events_give(
        gaps in prop::collection::vec(0u64..30, 1..200), servers in 1usize..6, seed: u64
    ) {
        let stream = |seed| Streams::new(seed, 0).stream("service");
        let window = Window { from: Time::ZERO, to: Time::NEVER };
        let settings = station("any", servers, Law::exponential(Duration::from_picoseconds(25)));
        let mut model = Recursion::new(&settings, stream(seed), window, false);
        let mut services: Stream = stream(seed);
        let mut now = Time::ZERO;
        let arrivals: Vec<(Time, Duration)> = gaps
            .iter()
            .map(|&gap| {
                now += Duration::from_picoseconds(gap);
                (now, settings.service.draw(&mut services))
            })
            .collect();
        let visits: Vec<Visit> = arrivals.iter().map(|&(at, _)| model.visit(at).unwrap()).collect();
        prop_assert_eq!(visits, visits_by_events(&arrivals, servers));
    }

    #[test]
    fn customers_that_stay_in_order_leave_the_record_that_events_leave(
        servers in prop::collection::vec(1usize..3, 1..4), capacity in prop::option::of(1u64..6), gap in 5u64..30,
        seed: u64, traces: bool, constant in prop::option::of(0u64..9)
    ) {
        let service = constant.map_or(EXPONENTIAL, |ms| Law::constant(Duration::from_millis(ms)));
        let last = servers.len() - 1;
        let names = ["a", "b", "c"];
        let mut stations: Vec<StationSettings> =
            names.iter().zip(&servers).map(|(name, _)| station(name, 1, service.clone())).collect();
        stations[last].servers = servers[last];
        stations[0].capacity = capacity;
        stations[last].capacity = capacity.map(|places| places + 1);
        let path: Vec<usize> = (0..=last).collect();
        let settings = Settings { stations, flows: vec![open(&path, Duration::from_millis(gap))], events: None };
        prop_assert!(settings.keeps_order());
        let span = Duration::from_secs(2);
        let replication = || Replication { seed, warm_up: Duration::from_millis(300), traces, ..Replication::alone(span) };
        let end = Time::ZERO + Duration::from_millis(2300);
        let by_events = Recorded::<true>::new(&settings, &replication()).pass_by_events(end, replication().cancelled);
        prop_assert_eq!(settings.replicate(replication()), by_events);
    }

    #[test]
    fn customers_are_neither_made_nor_lost(
        servers in prop::collection::vec(1usize..4, 1..4), capacity in prop::option::of(1u64..6),
        path in prop::collection::vec(0usize..3, 1..6), gap in 1u64..30, population in 1u32..20, index: u32
    ) {
        let names = ["a", "b", "c"];
        let mut stations: Vec<StationSettings> =
            servers.iter().zip(names).map(|(&servers, name)| station(name, servers, EXPONENTIAL)).collect();
        let path: Vec<usize> = path.iter().map(|&visit| visit % stations.len()).collect();
        let mut flows = vec![open(&path, Duration::from_millis(gap))];
        match capacity {
            Some(_) => stations[0].capacity = capacity,
            None => flows.push(closed(&path, population, Duration::from_millis(gap))),
        }
        // the record asserts it: entered = left + still there + lost
        let record = replicate(&Settings { stations, flows, events: None }, index, 2);
        prop_assert!(record.metrics.contains_key("response_time"));
    }
}

fn model_of(text: &str) -> Result<Box<dyn Model>, Problems> {
    let scenario = crate::NETWORKS.kinds().parse("test.toml", text).and_then(|d| sojourn_scenario::check(&d))?;
    sojourn_model::Network::model(&super::QueueNetwork, &scenario)
}

#[test]
fn the_template_that_users_start_from_runs() {
    let model = model_of(&crate::NETWORKS.template("queue"));
    let record = model
        .unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)))
        .replicate(Replication::alone(Duration::from_secs(10)));
    let metrics = merge(&[record]);
    assert!(metrics["response_time"].field("count").unwrap() > 500.0);
    let unknown: Vec<&String> = metrics.keys().filter(|name| sojourn_metrics::registry::find(name).is_none()).collect();
    assert!(unknown.is_empty(), "metrics that the registry does not know: {unknown:?}");
}

#[test]
fn a_closed_flow_through_a_station_of_limited_capacity_is_refused() {
    let text = r#"
        [network]
        kind = "queue"
        [[station]]
        name = "desk"
        capacity = 3
        service = { kind = "exponential", mean = "1 s" }
        [[flow]]
        name = "clients"
        path = ["desk"]
        arrivals = { kind = "closed", population = 5 }
    "#;
    let Err(problems) = model_of(text) else { panic!("refused") };
    let shown = problems.render(false, 100);
    assert!(shown.contains("station `desk` turns customers away"), "{shown}");
}
