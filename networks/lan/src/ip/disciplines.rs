//! Converts the key `queue` of a medium to the discipline before its link.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_scenario::Table;

use super::cake::{CakeSettings, Carrier, Compensation, Headers, Isolation, Tins};
use super::conditioners::{bits, shaping};
use super::settings::{
    CeThreshold, ControlledDelay, Discipline, DualPi2Settings, EarlyDetection, Limit, Measure, Overflow, Overload,
    PieSettings, QueueSettings, Shaping,
};
use crate::flows::Flows;
use crate::switched::keys::queue::Preset;

/// The least weight of an arrival in RED's average is that many halvings of one (tc-red(8): the log of the time constant).
const LONGEST_MEMORY: u32 = 32;
const LEAST_WEIGHT: f64 = 1.0 / (1_u64 << 31) as f64;

/// Round-trip times of paths by their words in tc-cake(8).
const ROUND_TRIPS: [(&str, Duration); 8] = [
    ("datacentre", Duration::from_micros(100)),
    ("lan", Duration::from_millis(1)),
    ("metro", Duration::from_millis(10)),
    ("regional", Duration::from_millis(30)),
    ("internet", Duration::from_millis(100)),
    ("oceanic", Duration::from_millis(300)),
    ("satellite", Duration::from_secs(1)),
    ("interplanetary", Duration::from_secs(1000)),
];

/// What queues read of packets, by connection.
pub struct Readings {
    /// Traffic classes.
    classes: Arc<[u8]>,
    /// Code points and hosts.
    headers: Arc<Headers>,
}

impl Readings {
    /// Both directions of what a flow does have that of the flow.
    pub fn of(flows: &Flows<'_>) -> Readings {
        let topology = &flows.layout.topology;
        let mut classes = vec![0; topology.routes.len()];
        let mut dscps = vec![0; topology.routes.len()];
        for activity in &flows.activities {
            for both in activity.connections().map(|connection| connection & !1) {
                classes[both as usize..][..2].fill(activity.class);
                dscps[both as usize..][..2].fill(activity.dscp);
            }
        }
        let ends = |connection| [topology.source(connection), topology.destination(connection)];
        let hosts = (0..topology.routes.len() as u32).map(ends).collect();
        Readings { classes: classes.into(), headers: Arc::new(Headers { dscps, hosts }) }
    }
}

/// The queue of a medium.
pub fn queue(table: &Table, readings: &Readings) -> QueueSettings {
    let packets = |key| table.optional_integer(key).map_or(u32::MAX, |packets| packets as u32);
    let octets = table.optional_number("limit_bytes").map_or(u64::MAX, |octets| octets as u64);
    let bucket = table.optional_table("shaping").map(shaping);
    QueueSettings {
        discipline: match table.word("kind") {
            "fifo" => Discipline::Fifo,
            "priority" => Discipline::Priority { classes: Arc::clone(&readings.classes) },
            "codel" => Discipline::Codel(controlled(table)),
            "red" => Discipline::Fifo,
            "pie" => Discipline::Pie(pie(table)),
            "dualpi2" => Discipline::DualPi2(dual(table)),
            "cake" => Discipline::Cake(cake(table, &readings.headers)),
            "drr" => Discipline::Drr {
                quantum: quantum(table),
                flow_limit: Limit { packets: packets("flow_limit"), octets: u64::MAX },
                overflow: match table.word("overflow") {
                    "longest-queue" => Overflow::Longest,
                    _ => Overflow::Arriving,
                },
            },
            "fq-codel" => Discipline::FqCodel {
                quantum: quantum(table),
                queues: (table.optional_word("queues") != Some("exact")).then(|| table.number("queues") as u32),
                delay: controlled(table),
            },
            "htb" => Discipline::Htb {
                quantum: quantum(table),
                guaranteed: shaping(table),
                ceil: Shaping {
                    rate: match table.has("ceil") {
                        true => bits(table, "ceil"),
                        false => bucket.expect("classes stand under a bucket").rate,
                    },
                    burst: table.number("cburst") as u64,
                },
            },
            kind => unreachable!("a checked kind of queue, not `{kind}`"),
        },
        limit: Limit { packets: packets("limit"), octets },
        shaping: bucket,
        early: match table.word("kind") {
            "red" => Some(red(table)),
            _ => table.optional_table("wred").map(early),
        },
    }
}

fn early(table: &Table) -> EarlyDetection {
    let of = |color: &str| ["min", "max"].map(|end| table.integer(&format!("{color}_{end}")) as u32);
    EarlyDetection {
        weight: table.number("weight"),
        mean_packet: table.number("mean_packet") as u32,
        measure: Measure::Packets,
        thresholds: ["green", "yellow", "red"].map(of),
        probability: table.number("probability"),
        ecn: table.flag("ecn"),
        hard_drop: false,
    }
}

fn red(table: &Table) -> EarlyDetection {
    let octets = |key| table.number(key) as u32;
    let thresholds = [octets("min"), octets("max")];
    EarlyDetection {
        weight: weight(thresholds, octets("avpkt"), table.optional_integer("burst")),
        mean_packet: octets("avpkt"),
        measure: Measure::Octets,
        thresholds: [thresholds; 3],
        probability: table.number("probability"),
        ecn: table.flag("ecn"),
        hard_drop: table.flag("harddrop"),
    }
}

/// The weight of an arrival, a power of a half: the largest with which a burst of this many packets at an empty queue passes
/// below the lower threshold (Floyd and Jacobson, section 6; `burst` of tc-red(8)).
fn weight([min, max]: [u32; 2], packet: u32, burst: Option<u64>) -> f64 {
    let default = (2 * u64::from(min) + u64::from(max)) / (3 * u64::from(packet));
    let burst = burst.unwrap_or(default).max(1) as f64;
    // of L packets the average becomes L + 1 + ((1 - w)^(L + 1) - 1) / w
    let room = burst + 1.0 - f64::from(min) / f64::from(packet);
    let passes = |weight: f64| room <= (1.0 - libm::pow(1.0 - weight, burst)) / weight;
    (1..LONGEST_MEMORY)
        .map(|halves| libm::exp2(-f64::from(halves)))
        .find(|weight| passes(*weight))
        .unwrap_or(LEAST_WEIGHT)
}

fn pie(table: &Table) -> PieSettings {
    PieSettings {
        target: table.duration("target"),
        update: table.duration("tupdate"),
        alpha: table.number("alpha"),
        beta: table.number("beta"),
        burst: table.duration("max_burst"),
        ecn: table.flag("ecn"),
    }
}

fn dual(table: &Table) -> DualPi2Settings {
    DualPi2Settings {
        target: table.duration("target"),
        update: table.duration("tupdate"),
        alpha: table.number("alpha"),
        beta: table.number("beta"),
        coupling: table.integer("coupling_factor") as u32,
        step: table.duration("step_thresh"),
        step_length: table.integer("min_qlen_step") as u32,
        protection: libm::round(100.0 * table.number("classic_protection")) as u32,
        overload: match table.word("on_overload") {
            "drop" => Overload::Drop,
            _ => Overload::Overflow,
        },
        at_enqueue: table.word("drop_at") == "enqueue",
        any_ect: table.word("low_latency") == "any-ect",
    }
}

fn cake(table: &Table, headers: &Arc<Headers>) -> CakeSettings {
    let (target, interval) = round_trip(table);
    CakeSettings {
        bandwidth: table.optional_number("bandwidth").map(|_| bits(table, "bandwidth")),
        compensation: compensation(table),
        tins: match table.word("tins") {
            "besteffort" => Tins::BestEffort,
            "precedence" => Tins::Precedence,
            "diffserv4" => Tins::DiffServ4,
            "diffserv8" => Tins::DiffServ8,
            _ => Tins::DiffServ3,
        },
        isolation: match table.word("isolation") {
            "flowblind" => Isolation::FlowBlind,
            "srchost" => Isolation::SourceHost,
            "dsthost" => Isolation::DestinationHost,
            "hosts" => Isolation::Hosts,
            "flows" => Isolation::Flows,
            "dual-srchost" => Isolation::DualSourceHost,
            "dual-dsthost" => Isolation::DualDestinationHost,
            _ => Isolation::TripleIsolate,
        },
        target,
        interval,
        headers: Arc::clone(headers),
    }
}

/// Target and interval for the paths of a word, or of this round-trip time: a twentieth of it.
fn round_trip(table: &Table) -> (Duration, Duration) {
    let interval = table.optional_duration("rtt").unwrap_or_else(|| {
        let word = table.word("rtt");
        let (_, interval) = ROUND_TRIPS.iter().find(|(preset, _)| *preset == word).expect("a checked word");
        *interval
    });
    (interval.divided(20), interval)
}

/// What CAKE counts of a packet: that of a word, or of the octets, with what is written beside it.
fn compensation(table: &Table) -> Compensation {
    let octets = |key| table.optional_number(key).map(|octets| octets as u32);
    let preset = Preset::of(table.optional_word("overhead"));
    let overhead = octets("overhead").or_else(|| preset.and_then(|preset| preset.overhead));
    let minimum = octets("mpu").or_else(|| preset.map(|preset| preset.minimum)).unwrap_or(0);
    let carrier = match table.optional_word("framing") {
        Some("atm") => Carrier::Atm,
        Some("ptm") => Carrier::Ptm,
        Some(_) => Carrier::Plain,
        None => preset.map_or(Carrier::Plain, |preset| preset.carrier),
    };
    Compensation { overhead, minimum, carrier }
}

fn controlled(table: &Table) -> ControlledDelay {
    let threshold = |wait| CeThreshold { wait, ect1_only: table.word_is("ce_threshold_selector", "ect1") };
    ControlledDelay {
        target: table.duration("target"),
        interval: table.duration("interval"),
        ecn: table.flag("ecn"),
        ce_threshold: table.optional_duration("ce_threshold").map(threshold),
    }
}

fn quantum(table: &Table) -> u32 {
    table.number("quantum") as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_of_red_is_that_of_tc() {
        // 55 + 1 - 30 = 26 is below (1 - (31/32)^55) 32 = 26.4, and above (1 - (15/16)^55) 16 = 15.5
        assert_eq!(weight([30_000, 90_000], 1000, Some(55)), 1.0 / 32.0);
        // by default a burst of (2 min + max) / (3 avpkt) = 50 packets
        assert_eq!(weight([30_000, 90_000], 1000, None), weight([30_000, 90_000], 1000, Some(50)));
    }
}
