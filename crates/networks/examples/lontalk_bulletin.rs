//! The experiments of the LonTalk response-time bulletin (Echelon, March 1992) built in Rust, as a table.
//!
//! `cargo run --release --example lontalk_bulletin -- [seconds [beta1 factor [timer scale [network output buffers]]]]`

use sojourn_core::Duration;
use sojourn_engine::arrivals::Arrivals as Process;
use sojourn_engine::law::Law;
use sojourn_metrics::record::{Observation, Record};
use sojourn_networks::lontalk::LonTalk;
use sojourn_networks::lontalk::channel::{Channel, Standard};
use sojourn_networks::lontalk::costs::Costs;
use sojourn_networks::lontalk::medium::BacklogRule;
use sojourn_networks::lontalk::site::*;
use sojourn_networks::{Model, Replication};
use sojourn_protocols::lontalk::machine::TimerStart;
use sojourn_protocols::lontalk::timer::{ReceiveTimer, TransactionTimer};
use sojourn_protocols::lontalk::wire::Domain;

fn timer(ms: u64) -> TransactionTimer {
    TransactionTimer::from_duration(Duration::from_millis(ms)).expect("a code")
}

fn station(name: &str) -> StationSettings {
    let class = StationClass {
        name: name.into(),
        on: [0].into(),
        costs: Costs::default(),
        application_jitter: 0.1,
        receive_timer: ReceiveTimer::from_duration(Duration::from_millis(2048)).expect("a code"),
        priority_slot: 0,
        collision_detection: false,
        buffers: Buffers {
            network_input: 31,
            application_input: 15,
            network_output: argument(4).unwrap_or(2.0) as u16,
            ..Buffers::default()
        },
        receive_records: 16,
        role: Role::Node,
    };
    StationSettings { class: class.into(), number: 0 }
}

fn flow(name: &str) -> FlowSettings {
    FlowSettings {
        name: name.into(),
        from: vec![0],
        to: Target::Station(1),
        message: MessageKind::NetworkVariable,
        service: ServiceKind::Acknowledged,
        authenticated: false,
        priority: false,
        data: 1,
        response_data: 1,
        retries: 4,
        timer: timer(128),
        receive_timer: None,
        arrivals: Arrivals::Process(Process::Periodic { period: Duration::from_secs(3), jitter: Duration::ZERO }),
        generator: Generator::Closed,
        probe: true,
        start: Start::Spread,
        delay: Duration::ZERO,
        broadcast_backlog: 0,
    }
}

fn site(channel: &str, stations: Vec<StationSettings>, flows: Vec<FlowSettings>) -> Site {
    let channel = Channel { priority_slots: 0, ..Channel::of(Standard::find(channel).expect("a standard channel")) };
    Site {
        media: vec![MediumSettings {
            name: "channel".into(),
            channel,
            backlog_rule: BacklogRule::PerStation,
            ip: None,
        }],
        stations,
        flows,
        domain: Domain::NONE,
        timer_scale: 1.0,
        timer_starts: TimerStart::HandOff,
        withdraw: true,
        timeline: None,
    }
}

fn light(message: MessageKind, service: ServiceKind, authenticated: bool, data: u16) -> Site {
    let arrivals = Arrivals::Process(Process::Saturating { think: Box::new(Law::constant(Duration::ZERO)) });
    let flow = FlowSettings { message, service, authenticated, data, retries: 2, arrivals, ..flow("probe") };
    site("TP/XF-1250", vec![station("sender"), station("receiver")], vec![flow])
}

fn argument(place: usize) -> Option<f64> {
    std::env::args().nth(place).map(|text| text.parse().expect("a number"))
}

fn heavy(rate: f64) -> Site {
    let mut stations = vec![station("sender"), station("receiver")];
    stations.extend((1..=32).map(|number| station(&format!("generator-{number}"))));
    let period = Duration::from_seconds(64.0 / rate).expect("a period");
    let generators = FlowSettings {
        from: (2..34).collect(),
        to: Target::GroupOfTwo((2..34).map(|index| if index % 2 == 0 { index + 1 } else { index - 1 }).collect()),
        arrivals: Arrivals::Process(Process::Periodic { period, jitter: Duration::ZERO }),
        probe: false,
        ..flow("background")
    };
    let mut site = site("TP/XF-78", stations, vec![flow("probe"), generators]);
    let beta1 = site.media[0].channel.beta1.picoseconds() as f64 * argument(2).unwrap_or(1.0);
    site.media[0].channel.beta1 = Duration::from_picoseconds(beta1 as u64);
    site.timer_scale = argument(3).unwrap_or(1.0);
    site
}

fn run(site: Site, seconds: u64) -> Record {
    run_replication(site, seconds, 0)
}

fn run_replication(site: Site, seconds: u64, index: u32) -> Record {
    let model = LonTalk::new(site).expect("a site");
    model.replicate(Replication {
        index,
        warm_up: Duration::from_secs(5),
        traces: true,
        ..Replication::alone(Duration::from_secs(seconds))
    })
}

fn value(record: &Record, name: &str) -> f64 {
    match &record.metrics[name] {
        Observation::Scalar(_) | Observation::Share { .. } => record.value(name),
        Observation::Count(count) => *count as f64,
        Observation::TimeWeighted { mean, .. } => *mean,
        Observation::Distribution(distribution) => distribution.mean().unwrap_or(f64::NAN) * 1e3,
        _ => f64::NAN,
    }
}

fn main() {
    let seconds = argument(1).unwrap_or(60.0) as u64;
    println!("experiment  n service rate/s kbit/s response/ms   published");
    use MessageKind::*;
    let services = [
        ("un", ServiceKind::Unacknowledged, false),
        ("ack", ServiceKind::Acknowledged, false),
        ("auth", ServiceKind::Acknowledged, true),
    ];
    for (name, kind, sizes) in
        [("A", NetworkVariable, &[1u16, 31][..]), ("B", Explicit, &[1, 228]), ("C", ExplicitWithoutCopy, &[1, 228])]
    {
        for &data in sizes {
            for (label, service, authenticated) in services {
                let record = run(light(kind, service, authenticated, data), 20);
                println!(
                    "{name} {data:4} {label:4} {:8.2} {:8.2} {:8.3}",
                    value(&record, "transaction_rate"),
                    value(&record, "throughput") / 1e3,
                    value(&record, "response_time")
                );
            }
        }
    }
    println!(
        "\nrate    n   mean median    p90    max    L3     L4  errors  fail tfail retries backlog  util overflows late"
    );
    for rate in (1..=10).map(|step| f64::from(step) * 50.0) {
        heavy_row(rate, seconds);
    }
}

#[expect(clippy::disallowed_methods, reason = "this example times itself")]
/// Ten replications of one load level, printed as a line; at 300 packets/s the histogram too.
fn heavy_row(rate: f64, seconds: u64) {
    let (mut samples, mut sums, mut packets) = (Vec::new(), [0.0; 10], 0.0);
    let names = [
        "throughput_l3",
        "throughput_l4",
        "collision_rate",
        "failures",
        "transaction_failures",
        "retries",
        "backlog",
        "utilisation",
        "buffer_overflows",
        "late_acknowledgements",
    ];
    let begun = std::time::Instant::now();
    let replications = 10;
    for index in 0..replications {
        let record = run_replication(heavy(rate), seconds, index);
        samples.extend(record.traces["response_time"].iter().map(|sample| sample.1 * 1e3));
        names.iter().zip(&mut sums).for_each(|(name, sum)| *sum += value(&record, name) / f64::from(replications));
        packets += value(&record, "packets");
    }
    let elapsed = begun.elapsed().as_secs_f64();
    samples.sort_by(f64::total_cmp);
    let quantile = |q: f64| samples[((samples.len() - 1) as f64 * q) as usize];
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let [l3, l4, errors, fail, tfail, retries, backlog, util, overflows, late] = sums;
    println!(
        "{rate:4} {:5} {mean:6.1} {:6.1} {:6.1} {:6.1} {l3:6.1} {l4:6.1} {errors:6.3} {fail:5.1} {tfail:5.1} {retries:6.1} {backlog:6.2} {util:5.2} {overflows:6.1} {late:7.1}  {:.2} Mpackets/s",
        samples.len(),
        quantile(0.5),
        quantile(0.9),
        quantile(1.0),
        packets / elapsed / 1e6
    );
    if rate == 300.0 || rate == 200.0 {
        let mut bins = [0u32; 20];
        samples.iter().for_each(|&sample| bins[((sample / 15.0) as usize).min(19)] += 1);
        println!("     bins of 15 ms: {bins:?}");
    }
}
