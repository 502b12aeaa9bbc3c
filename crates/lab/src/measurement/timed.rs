//! Builds the plan of a timed test from a checked document: schedule, phases, load, marking and voice.

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use sojourn_core::Duration;
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::plan::{
    Direction, Http, HttpVersion, Load, LoadTransport, Phase, RequestTransport, TimedTest,
};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::prober::synchronized::Clocks;
use sojourn_live::prober::voice::Voice;
use sojourn_live::target::LEFT_OUT;
use sojourn_scenario::redaction::is_without_secret;
use sojourn_scenario::{Problems, Scenario, Secret, Table, WarmUp};

use super::traffic::Traffic;

/// The phase whose metrics are those of a simulation's run.
const MEASURED: &str = "measured";
const MOST_REPLICATIONS: u32 = 1000;
/// The interval of the lowest rate.
const SLOWEST: Duration = Duration::from_secs(3600);

/// The plan of a timed test.
pub fn timed(scenario: &Scenario, traffic: Option<&Traffic<'_>>) -> Result<TimedTest, Problems> {
    let (measure, probe, run) = (scenario.table("measure"), scenario.table("probe"), scenario.run());
    let voice = measure.optional_table("voice").map(|table| voice(scenario, table)).transpose()?;
    let octets = voice.map_or_else(|| probe.number("size") as u32, |voice| voice.octets());
    let mut plan = TimedTest {
        transport: if measure.word_is("transport", "tcp") { RequestTransport::Tcp } else { RequestTransport::Udp },
        timeout: probe.duration("timeout"),
        outage_limit: measure.optional_duration("outage_limit"),
        clocks: clocks(scenario, measure)?,
        marking: marking(scenario, measure)?,
        pacing: measure.optional_word("pacing").map(pacing),
        voice,
        http: http(scenario, measure)?,
        replications: replications(scenario)?,
        seed: run.seed,
        ..TimedTest::new(schedule(measure, probe, voice), octets, Vec::new())
    };
    match traffic {
        Some(traffic) => traffic.describe(&mut plan),
        None => plan.loads = scenario.list("load").iter().map(load).collect(),
    }
    plan.phases = phases(scenario, traffic.is_some(), !plan.loads.is_empty())?;
    Ok(plan)
}

/// The number of replications, within the limit of a measurement.
pub fn replications(scenario: &Scenario) -> Result<u32, Problems> {
    let replications = scenario.run().replications;
    if replications <= MOST_REPLICATIONS {
        return Ok(replications);
    }
    let message = format!("a measurement has at most {MOST_REPLICATIONS} replications");
    Err(scenario.problem(scenario.table("run"), "replications", message, None).into())
}

fn schedule(measure: &Table, probe: &Table, voice: Option<Voice>) -> Schedule {
    if let Some(voice) = voice {
        return voice.schedule();
    }
    let interval = Duration::from_seconds(1.0 / measure.number("rate")).unwrap_or(SLOWEST);
    let size = u32::try_from(measure.integer("burst")).unwrap_or(u32::MAX);
    match measure.optional_word("schedule") {
        Some("poisson") => Schedule::Poisson { mean: interval },
        Some("burst") => Schedule::Burst { size, interval: interval.times(size.into()) },
        Some("ping-pong") => {
            Schedule::PingPong { think: probe.duration("think"), spread: probe.duration("think_spread") }
        }
        _ => Schedule::Periodic { interval },
    }
}

/// A scenario's warm-up and run; or idle, loaded and recovery; or idle alone.
fn phases(scenario: &Scenario, simulated: bool, loaded: bool) -> Result<Vec<Phase>, Problems> {
    let (measure, run) = (scenario.table("measure"), scenario.run());
    let phase = |name, duration, loaded, recorded| Phase { name, duration, loaded, recorded };
    let warm_up = phase("warm-up", warm_up(scenario)?, simulated && loaded, false);
    let mut phases = match (simulated, loaded) {
        (true, _) => vec![warm_up, phase(MEASURED, run.duration, loaded, true)],
        (false, false) => vec![warm_up, phase("idle", run.duration, false, true)],
        (false, true) => vec![
            warm_up,
            phase("idle", measure.duration("idle"), false, true),
            phase("loaded", run.duration, true, true),
            phase("recovery", measure.duration("recovery"), false, true),
        ],
    };
    phases.retain(|phase| phase.duration > Duration::ZERO);
    Ok(phases)
}

fn warm_up(scenario: &Scenario) -> Result<Duration, Problems> {
    let run = scenario.table("run");
    match scenario.run().warm_up {
        WarmUp::Fixed(warm_up) => Ok(warm_up),
        // there is nothing to simulate, and a measurement has phases in its place
        WarmUp::Auto if scenario.is_measurement() => Ok(Duration::ZERO),
        WarmUp::Auto => {
            let message = "`warm_up` \"auto\" is found by simulating: a measurement needs a time";
            Err(scenario.problem(run, "warm_up", message, Some("--set 'run.warm_up=2 s'".to_owned())).into())
        }
    }
}

fn marking(scenario: &Scenario, measure: &Table) -> Result<Marking, Problems> {
    let field = |key| u8::try_from(measure.integer(key)).unwrap_or(u8::MAX);
    let bind = measure.optional_word("bind").map(str::parse::<IpAddr>).transpose().map_err(|_| {
        let message = "`bind` is not an IPv4 or IPv6 address";
        Problems::from(scenario.problem(measure, "bind", message, None))
    })?;
    Ok(Marking { dscp: field("dscp"), ecn: field("ecn"), bind })
}

fn clocks(scenario: &Scenario, measure: &Table) -> Result<Clocks, Problems> {
    let error = measure.optional_duration("clock_error");
    if !measure.word_is("clocks", "synchronised") {
        let message = "`clock_error` is of synchronised clocks: the error of an estimate comes from the packets";
        let help = Some("--clocks synchronised".to_owned());
        let problem = || scenario.problem(measure, "clock_error", message, help).into();
        return error.map_or(Ok(Clocks::Estimated), |_| Err(problem()));
    }
    // what this host states is read when the measurement begins
    Ok(error.map_or(Clocks::Synchronized { own_error: Duration::ZERO }, |error| Clocks::Stated { error }))
}

fn pacing(word: &str) -> Pacing {
    match word {
        "sleep" => Pacing::Sleep,
        "spin" => Pacing::Spin,
        _ => Pacing::Hybrid,
    }
}

/// How requests over HTTP are sent, by the keys of a table.
pub fn http(scenario: &Scenario, table: &Table) -> Result<Http, Problems> {
    let mut problems = Problems::new();
    let mut refuse = |key: &str, help: &str| {
        let message = format!("`{key}` cannot be read");
        problems.push(scenario.problem(table, key, message, Some(help.to_owned())));
    };
    let pin = table.optional_word("pin").map(pin);
    if pin == Some(None) {
        refuse("pin", "sha256: and 64 hexadecimal digits: openssl x509 -in FILE -noout -fingerprint -sha256");
    }
    let statuses = table.optional_word("status").map(statuses);
    if statuses == Some(None) {
        refuse("status", "status = \"200-299,401\"");
    }
    let fields = table.words("header");
    let headers: Vec<(String, Secret)> = fields
        .iter()
        .filter_map(|field| field.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), Secret::new(value.trim())))
        .collect();
    let body = table.optional_word("body").map(Secret::new);
    if headers.len() < fields.len() {
        refuse("header", "header = [\"Accept: application/json\"]");
    }
    let kept = headers.iter().map(|(_, value)| value).chain(&body).find(|text| is_without_secret(text.revealed()));
    if kept.is_some() {
        let key = if body.as_ref() == kept { "body" } else { "header" };
        problems.push(scenario.problem(table, key, LEFT_OUT, Some("write them in again".to_owned())));
    }
    problems.or(Http {
        version: table.optional_word("http_version").map(|word| match word {
            "2" => HttpVersion::Http2,
            _ => HttpVersion::Http1,
        }),
        keeps_connections: table.word_is("connection", "kept"),
        ca_file: table.optional_word("ca_file").map(PathBuf::from),
        is_insecure: table.flag("insecure"),
        pin: pin.flatten(),
        is_post: table.word_is("method", "post"),
        headers,
        body,
        statuses: statuses.flatten().unwrap_or_default(),
        contains: table.optional_word("contains").map(str::to_owned),
    })
}

/// The SHA-256 of a certificate, as `sha256:` and hexadecimal digits, with colons or without.
fn pin(text: &str) -> Option<[u8; 32]> {
    let digits: String = text.strip_prefix("sha256:")?.chars().filter(|letter| *letter != ':').collect();
    let mut pin = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (octet, index) in pin.iter_mut().zip((0..64).step_by(2)) {
        *octet = u8::from_str_radix(&digits[index..index + 2], 16).ok()?;
    }
    Some(pin)
}

/// Statuses of HTTP, as `200-299,401`.
fn statuses(text: &str) -> Option<Vec<RangeInclusive<u16>>> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let status = |text: &str| text.trim().parse::<u16>().ok().filter(|status| (100..600).contains(status));
        Some(status(first)?..=status(last)?).filter(|range| !range.is_empty())
    };
    text.split(',').map(range).collect()
}

fn voice(scenario: &Scenario, table: &Table) -> Result<Voice, Problems> {
    let voice = Voice {
        codec: table.word("codec").parse().unwrap_or_default(),
        packet_time: table.duration("packet_time"),
        start_up: table.duration("playout_delay"),
        buffer: table.duration("buffer"),
    };
    voice.checked().map_err(|fault| {
        let key = if table.duration("buffer") < voice.packet_time { "buffer" } else { "packet_time" };
        scenario.problem(table, key, fault.to_string(), None).into()
    })
}

/// A load as a `[[load]]` describes it.
pub fn load(table: &Table) -> Load {
    let bits = |key: &str| table.optional_number(key).map(|rate| rate as u64);
    let transport = if table.word_is("transport", "udp") {
        LoadTransport::Udp { rate: bits("rate").unwrap_or_default(), octets: table.number("size") as u32 }
    } else {
        LoadTransport::Tcp { congestion: table.optional_word("congestion").map(str::to_owned), pace: bits("pace") }
    };
    Load {
        name: Some(table.name().to_owned()).filter(|name| !name.is_empty()),
        transport,
        direction: if table.word_is("direction", "down") { Direction::Down } else { Direction::Up },
        streams: u32::try_from(table.integer("streams")).unwrap_or(u32::MAX),
        dscp: u8::try_from(table.integer("dscp")).unwrap_or(u8::MAX),
        start: table.duration("start"),
        stop: table.optional_duration("stop"),
    }
}
