//! Against the run without events for departures, and against closed forms of rare events.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use sojourn_core::{CopyKey, Rekey};
use sojourn_engine::arrivals::Arrivals;
use sojourn_engine::law::{Gamma, Law, Shape};
use sojourn_engine::splitting::{Level, Tally};
use sojourn_engine::{World, run};
use sojourn_metrics::{Observation, Record, interval};

use super::*;
use crate::scenario::{FlowSettings, StationSettings};
use sojourn_model::Model;
use sojourn_model::copies::assert_copies_go_on_alike;
use sojourn_model::rare::{RareEvent, RareModel};

const MEAN: Duration = Duration::from_millis(8);
const EXPONENTIAL: Law = Law::exponential(MEAN);
const CONSTANT: Law = Law::constant(MEAN);
const WARM_UP: Duration = Duration::from_secs(1);
static NEVER: AtomicBool = AtomicBool::new(false);

fn station(name: &str, servers: usize, service: Law) -> StationSettings {
    StationSettings { name: name.to_owned(), servers, service, capacity: None }
}

fn open(path: &[usize], mean_gap: Duration) -> FlowSettings {
    let source = Source::Open { process: Arrivals::Poisson { mean_gap }.start(), begin: Time::ZERO };
    FlowSettings { name: "open".to_owned(), path: path.to_vec(), source, probe: true, silent: false }
}

fn closed(path: &[usize], population: u32) -> FlowSettings {
    let source = Source::Closed { population, think: Law::exponential(Duration::from_millis(40)) };
    FlowSettings { name: "closed".to_owned(), path: path.to_vec(), source, probe: true, silent: false }
}

fn replication(index: u32, duration: Duration) -> Replication<'static> {
    Replication { index, warm_up: WARM_UP, ..Replication::alone(duration) }
}

/// Customers at a station over time, without moments at which several come and go at once.
fn course(settings: &Settings, index: u32, duration: Duration) -> (Vec<Vec<(u64, f64)>>, u64, u64) {
    let mut world = Path::of(settings, &replication(index, duration));
    let mut queue = Queue::new();
    world.begin(&mut queue);
    let mut levels = vec![vec![(0, 0.0)]; settings.stations.len()];
    while let Some((now, event)) = queue.pop_until(world.observer.window.to, Path::class) {
        world.handle(now, event, &mut queue);
        for (number, station) in levels.iter_mut().enumerate() {
            let present = world.stations[number].present() as f64;
            if station.last().is_some_and(|&(_, before)| before != present) {
                station.push((now.picoseconds(), present));
            }
        }
    }
    (levels, world.observer.lost, world.observer.longest.picoseconds())
}

/// The same of the run.
fn course_of_run(settings: &Settings, index: u32, duration: Duration) -> (Vec<Vec<(u64, f64)>>, u64, u64) {
    let record: Record = settings.replicate(Replication { traces: true, ..replication(index, duration) });
    let trace = |station: &StationSettings| record.traces[&format!("queue_length/{}", station.name)].clone();
    let (Observation::Count(lost), Observation::Distribution(responses)) =
        (&record.metrics["failures"], &record.metrics["response_time"])
    else {
        panic!("a count and a distribution")
    };
    let longest = responses.max().map_or(0, |longest| longest.picoseconds());
    (settings.stations.iter().map(trace).collect(), *lost, longest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_world_that_is_never_copied_is_the_run(
        servers in prop::collection::vec(1usize..4, 1..4), capacity in prop::option::of(1u64..6),
        path in prop::collection::vec(0usize..3, 1..5), gap in 2u64..30, population in 1u32..20, index: u32
    ) {
        let names = ["a", "b", "c"];
        let mut stations: Vec<StationSettings> =
            servers.iter().zip(names).map(|(&servers, name)| station(name, servers, EXPONENTIAL)).collect();
        let path: Vec<usize> = path.iter().map(|&visit| visit % stations.len()).collect();
        let mut flows = vec![open(&path, Duration::from_millis(gap))];
        match capacity {
            Some(_) => stations[0].capacity = capacity,
            // from one server customers leave in the order in which they came, and so pause
            None if stations[path[path.len() - 1]].servers == 1 => flows.push(closed(&path, population)),
            None => {}
        }
        let settings = Settings { stations, flows, events: None };
        let duration = Duration::from_secs(2);
        prop_assert_eq!(course(&settings, index, duration), course_of_run(&settings, index, duration));
    }
}

#[test]
fn copies_go_on_alike_and_rekeyed_ones_do_not() {
    let settings = Settings::of(&crate::NETWORKS.checked(&crate::NETWORKS.template("queue"), &[])).unwrap();
    let until = Duration::from_secs(60);
    let mut world = Path::of(&settings, &Replication::alone(until));
    let mut queue = Queue::new();
    world.begin(&mut queue);
    let record = |world: Path<'_>, _| {
        let mut record = Record::default();
        record.count("failures", world.observer.lost);
        record.scalar("longest", world.observer.longest.seconds());
        record
    };
    assert!(assert_copies_go_on_alike(world, queue, until, record) >= 3);
}

#[test]
fn copies_of_one_state_part_at_the_next_event() {
    let settings =
        Settings { stations: vec![station("server", 2, EXPONENTIAL)], flows: vec![closed(&[0], 9)], events: None };
    let mut world = Path::of(&settings, &replication(0, Duration::from_secs(9)));
    let mut queue = Queue::new();
    world.begin(&mut queue);
    let now = run(&mut world, &mut queue, Time::ZERO + Duration::from_secs(3), &NEVER);
    let next = |number: u32| {
        let (mut world, mut queue) = (world.clone(), queue.clone());
        world.rekey(CopyKey::new(1, number, queue.handled()));
        world.redraw(now, &mut queue);
        let before = world.stations[0].present();
        while world.stations[0].present() == before {
            let (now, event) = queue.pop().expect("those who go round never stop");
            world.handle(now, event, &mut queue);
        }
        queue.now()
    };
    let instants: std::collections::BTreeSet<Time> = (1..=20).map(next).collect();
    assert_eq!(instants.len(), 20);
}

#[test]
fn pauses_of_any_law_are_those_of_the_run_and_only_exponential_ones_are_drawn_again() {
    let laws = [Shape::Constant, Shape::Gamma(Gamma::new(0.5)), Shape::Exponential];
    for (shape, moves) in laws.into_iter().zip([false, false, true]) {
        let mut flow = closed(&[0], 9);
        let think = Law { mean: Duration::from_millis(40), shape };
        flow.source = Source::Closed { population: 9, think };
        let settings = Settings { stations: vec![station("server", 1, CONSTANT)], flows: vec![flow], events: None };
        let duration = Duration::from_secs(2);
        assert_eq!(course(&settings, 3, duration), course_of_run(&settings, 3, duration));
        let mut world = Path::of(&settings, &replication(0, duration));
        let mut queue = Queue::new();
        world.begin(&mut queue);
        let due = queue.next_time();
        world.rekey(CopyKey::new(1, 1, queue.handled()));
        world.redraw(Time::ZERO, &mut queue);
        assert_eq!(queue.next_time() != due, moves, "{settings:?}");
    }
}

/// Shares of time with more than `beyond` customers at a station, in replications that are split at `levels`.
fn shares(settings: &Settings, station: u32, beyond: u64, levels: &[(u64, u32)], replications: u32) -> Vec<f64> {
    let watched = Watched { gauge: 0, member: station };
    let event = RareEvent {
        condition: watched,
        above: beyond,
        importance: watched,
        levels: levels.iter().map(|&(from, copies)| Level::new(from, copies)).collect(),
        ends_at_first: false,
        keeps_course: false,
    };
    let duration = Duration::from_secs(20);
    let share = |tally: Tally| tally.lasting / duration.seconds();
    (0..replications).map(|index| share(settings.split(replication(index, duration), &event))).collect()
}

/// Asserts that the mean is as expected within three half-widths of its 95 % interval, of which none is above `most`.
#[track_caller]
fn assert_around(values: &[f64], expected: f64, most: f64) {
    let [low, high] = interval::of_mean(values).unwrap();
    let (mean, half) = (0.5 * (low + high), 0.5 * (high - low));
    assert!((mean - expected).abs() < 3.0 * half, "{mean:e} ± {half:e}, not {expected:e}");
    assert!(half < most * expected, "{mean:e} ± {half:e} says little of {expected:e}");
}

fn every(levels: std::ops::RangeInclusive<u64>, copies: u32) -> Vec<(u64, u32)> {
    levels.map(|from| (from, copies)).collect()
}

#[test]
fn the_tail_of_m_m_1_is_geometric() {
    let settings = Settings {
        stations: vec![station("server", 1, EXPONENTIAL)],
        flows: vec![open(&[0], MEAN.times(2))],
        events: None,
    };
    // P(N > n) = ρ^(n + 1); crude runs would need 20 000 times as long
    assert_around(&shares(&settings, 0, 19, &every(1..=19, 2), 60), 0.5f64.powi(20), 0.2);
}

#[test]
fn the_tail_of_m_m_2_is_geometric() {
    let settings =
        Settings { stations: vec![station("servers", 2, EXPONENTIAL)], flows: vec![open(&[0], MEAN)], events: None };
    // a = 1 erlang, ρ = 1/2: p_0 = 1/3, p_n = p_0 a^2/2 ρ^(n - 2) from n = 2 on, P(N > n) = p_n ρ/(1 - ρ)
    let expected = 0.5f64.powi(14 - 2) / 6.0;
    assert_around(&shares(&settings, 0, 14, &every(2..=14, 2), 60), expected, 0.2);
}

/// P(N > n) of M/D/1: the chain at departures goes up over n as often as down; what it shows time shows as well
/// (L. Kleinrock, Queueing Systems I, 5.6). All terms are positive, so that none cancels.
fn tail_of_m_d_1(load: f64, n: usize) -> f64 {
    let mut poisson = vec![libm::exp(-load)];
    for k in 1..n + 60 {
        poisson.push(poisson[k - 1] * load / k as f64);
    }
    let more_than = |k: usize| poisson[k + 1..].iter().sum::<f64>();
    let mut p = vec![1.0 - load];
    for below in 0..n + 50 {
        let up: f64 = (1..=below).map(|k| p[k] * more_than(below - k + 1)).sum();
        p.push((p[0] * more_than(below) + up) / poisson[0]);
    }
    p[n + 1..].iter().sum()
}

#[test]
fn the_tail_of_m_d_1_is_that_of_its_chain_at_departures() {
    // mean of Pollaczek and Khinchine: ρ + ρ²/(2(1 - ρ))
    let mean: f64 = (0..40).map(|n| tail_of_m_d_1(0.5, n)).sum();
    assert!((mean - 0.75).abs() < 1e-9, "{mean}");
    let settings = Settings {
        stations: vec![station("server", 1, CONSTANT)],
        flows: vec![open(&[0], MEAN.times(2))],
        events: None,
    };
    let expected = tail_of_m_d_1(0.5, 10);
    assert_around(&shares(&settings, 0, 10, &every(1..=10, 3), 60), expected, 0.25);
}

#[test]
fn the_tail_at_the_second_of_two_stations_is_that_of_jackson() {
    let second = Law::exponential(MEAN.times(2));
    let stations = vec![station("first", 1, EXPONENTIAL), station("second", 1, second)];
    let settings = Settings { stations, flows: vec![open(&[0, 1], MEAN.times(4))], events: None };
    assert_around(&shares(&settings, 1, 15, &every(1..=15, 2), 80), 0.5f64.powi(16), 0.35);
}
