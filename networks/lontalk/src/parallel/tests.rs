//! The record of several threads holds the bytes of one thread's.

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::record::Record;

use super::barrier::CROWDED_STRETCHES;
use super::groups::{Course, Group, take_turns};
use super::threads::Exchange;
use super::{Partition, simulate_with};
use crate::network::LonTalk;
use crate::{report, scenario};
use sojourn_model::{Model, Replication};

/// A random site: floors with a router each, on one backbone or on two that a further router connects.
#[derive(Clone, Debug)]
struct Plan {
    floors: Vec<Floor>,
    two_backbones: bool,
    backbone: &'static str,
    seed: u64,
    warm_up_ms: u64,
}

/// A channel of stations in pairs, and a flow from its first station to another floor.
#[derive(Clone, Debug)]
struct Floor {
    channel: &'static str,
    stations: usize,
    interval_ms: u64,
    detects: bool,
    to: usize,
    report_ms: u64,
    service: &'static str,
    priority: bool,
    authenticated: bool,
    to_group: bool,
}

fn floor() -> impl Strategy<Value = Floor> {
    (
        prop_oneof![Just("TP/FT-10"), Just("TP/XF-1250"), Just("TP/RS485-39")],
        1usize..4,
        20u64..400,
        any::<bool>(),
        any::<prop::sample::Index>(),
        (15u64..300, any::<bool>()),
        prop_oneof![Just("unacknowledged"), Just("unacknowledged-repeated"), Just("acknowledged"), Just("request")],
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::bool::weighted(0.3),
    )
        .prop_map(
            |(channel, pairs, interval_ms, detects, to, (report_ms, _), service, priority, authenticated, to_group)| {
                Floor {
                    channel,
                    stations: 2 * pairs,
                    interval_ms,
                    detects,
                    to: to.index(100),
                    report_ms,
                    service,
                    priority,
                    authenticated,
                    to_group,
                }
            },
        )
}

fn plan() -> impl Strategy<Value = Plan> {
    (
        prop::collection::vec(floor(), 2..7),
        any::<bool>(),
        prop_oneof![Just("TP/XF-1250"), Just("TP/FT-10")],
        1u64..1000,
        prop_oneof![Just(0u64), 1u64..1500],
    )
        .prop_map(|(floors, two_backbones, backbone, seed, warm_up_ms)| Plan {
            floors,
            two_backbones,
            backbone,
            seed,
            warm_up_ms,
        })
}

impl Plan {
    fn text(&self) -> String {
        let mut text = "[network]\nkind = \"lontalk\"\n".to_owned();
        let backbone = |floor: usize| if self.two_backbones { floor % 2 } else { 0 };
        for number in 0..=usize::from(self.two_backbones) {
            let _ = write!(text, "[[medium]]\nname = \"backbone-{number}\"\nchannel = \"{}\"\n", self.backbone);
        }
        if self.two_backbones {
            text += "[[station]]\nname = \"between\"\non = [\"backbone-0\", \"backbone-1\"]\nrouter = \"configured\"\n";
        }
        for (number, floor) in self.floors.iter().enumerate() {
            let Floor { channel, stations, interval_ms, detects, .. } = floor;
            let _ = write!(
                text,
                "[[medium]]\nname = \"floor-{number}\"\nchannel = \"{channel}\"\n\
                 [[station]]\nname = \"device-{number}\"\ncount = {stations}\non = [\"floor-{number}\"]\ncollision_detection = {detects}\n\
                 [[station]]\nname = \"router-{number}\"\non = [\"floor-{number}\", \"backbone-{}\"]\nrouter = \"configured\"\n\
                 [[flow]]\nname = \"talk-{number}\"\nfrom = \"device-{number}\"\nto = \"partner\"\nservice = \"acknowledged\"\n\
                 data = \"1 B\"\narrivals = {{ kind = \"poisson\", interval = \"{interval_ms} ms\" }}\n",
                backbone(number),
            );
        }
        for (number, floor) in self.floors.iter().enumerate() {
            let to = (number + 1 + floor.to % (self.floors.len() - 1)) % self.floors.len();
            let Floor { report_ms, service, priority, authenticated, to_group, .. } = floor;
            let is_authenticated = *authenticated && !service.starts_with("unacknowledged");
            let receivers = if *to_group {
                let third = (to + 1) % self.floors.len();
                let others = if third == number { String::new() } else { format!(", \"device-{third}-2\"") };
                format!("[\"device-{to}-1\"{others}]")
            } else {
                format!("\"device-{to}-1\"")
            };
            let _ = write!(
                text,
                "[[flow]]\nname = \"report-{number}\"\nfrom = \"device-{number}-1\"\nto = {receivers}\nservice = \"{service}\"\n\
                 priority = {priority}\nauthenticated = {is_authenticated}\nprobe = true\ndata = \"4 B\"\n\
                 arrivals = {{ kind = \"poisson\", interval = \"{report_ms} ms\" }}\n",
            );
        }
        text
    }

    fn model(&self) -> LonTalk {
        LonTalk::new(scenario::site(&crate::NETWORKS.checked(&self.text(), &[])).unwrap()).unwrap()
    }

    fn replication(&self) -> Replication<'static> {
        let alone = Replication::alone(Duration::from_millis(2500));
        Replication { seed: self.seed, warm_up: Duration::from_millis(self.warm_up_ms), traces: true, ..alone }
    }
}

/// The record of a replication whose media are in so many groups, which have turns that a stream draws.
fn in_groups(model: &LonTalk, replication: Replication<'_>, groups: usize) -> Option<Record> {
    let partition = Arc::new(Partition::split(&model.site, &model.installation, groups)?);
    let (exchange, course) = (Exchange::new(Arc::clone(&partition)), Course::of(&replication));
    let begin = |number: usize| Group::new(model.begin(&replication), &partition, number as u8, course);
    let mut groups: Vec<_> = (0..partition.groups()).map(begin).collect();
    let (count, mut turns) = (groups.len() as u32, Streams::new(replication.seed, 0).stream("turns"));
    let next = |_| turns.below(count) as usize;
    take_turns(&exchange, &mut groups, course, replication.cancelled, next).ok()?;
    let end = Time::ZERO + replication.warm_up + replication.duration;
    Group::join(groups, &partition).map(|simulation| report::record(simulation, end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn groups_of_media_give_the_record_of_one_thread(plan in plan()) {
        let model = plan.model();
        let one = Model::replicate(&model, plan.replication());
        for groups in 2..=3 {
            if let Some(record) = in_groups(&model, plan.replication(), groups) {
                prop_assert!(record == one, "{groups} groups: {:?}", differences(&record, &one));
            }
        }
    }
}

/// Names and values of metrics that differ.
fn differences(left: &Record, right: &Record) -> Vec<String> {
    let of = |name: &String| (left.metrics.get(name), right.metrics.get(name));
    let names = left.metrics.keys().chain(right.metrics.keys());
    let differ = names.filter(|name| of(name).0 != of(name).1).map(|name| {
        let mut text = format!("{name}: {:?}", of(name));
        text.truncate(300);
        text
    });
    let mut all: Vec<String> = differ.collect();
    all.extend(left.traces.keys().filter(|name| left.traces.get(*name) != right.traces.get(*name)).cloned());
    all
}

/// Four floors that report to groups on two others, all the time.
fn busy() -> Plan {
    let floor = Floor {
        channel: "TP/FT-10",
        stations: 4,
        interval_ms: 40,
        detects: false,
        to: 0,
        report_ms: 30,
        service: "acknowledged",
        priority: false,
        authenticated: false,
        to_group: true,
    };
    Plan { floors: vec![floor; 4], two_backbones: false, backbone: "TP/XF-1250", seed: 1, warm_up_ms: 20 }
}

/// The record of two threads, of which one goes on alone from the first barrier on if processors are busy.
fn on_threads(model: &LonTalk, replication: &Replication<'_>, are_busy: bool) -> Option<Record> {
    let exchange = Exchange::new(Arc::new(Partition::split(&model.site, &model.installation, 2)?));
    if are_busy {
        exchange.long_waits.store(1 << 32, Ordering::Relaxed);
        exchange.crowded.store(CROWDED_STRETCHES - 1, Ordering::Relaxed);
    }
    let end = Time::ZERO + replication.warm_up + replication.duration;
    let Replication { seed, index, warm_up, duration, traces, cancelled, .. } = *replication;
    let begin = || model.begin(&Replication { seed, index, warm_up, duration, traces, capture: None, cancelled });
    simulate_with(&exchange, replication, begin).map(|simulation| report::record(simulation, end))
}

#[test]
fn threads_give_the_record_of_one_thread() {
    let model = busy().model();
    let replication = || Replication { duration: Duration::from_millis(100), ..busy().replication() };
    assert!(on_threads(&model, &replication(), false) == Some(Model::replicate(&model, replication())));
}

#[test]
fn one_thread_goes_on_where_the_others_find_no_processor() {
    let model = busy().model();
    let replication = || Replication { duration: Duration::from_millis(1500), ..busy().replication() };
    assert!(on_threads(&model, &replication(), true) == Some(Model::replicate(&model, replication())));
}

#[test]
fn random_sites_are_divided() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let divided = (0..20).filter(|_| {
        let plan = plan().new_tree(&mut runner).unwrap().current();
        in_groups(&plan.model(), plan.replication(), 2).is_some()
    });
    assert!(divided.count() >= 12);
}
