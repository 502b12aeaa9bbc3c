//! `sojourn agent` and `sojourn listen`: the commands that serve at an address until they are stopped.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_experiment::points::fingerprint;
use sojourn_live::agent_settings::{self, AgentSettings};
use sojourn_live::mesh::permission::{Network, Permission};
use sojourn_live::transport::{Information, Measure, NoFrames};
use sojourn_live::{Listening, OnAir, Watch, find, key};
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::MAX_PACKET;
use sojourn_scenario::keys::live::agent::{LIMITS, SERVING};
use sojourn_scenario::options::{self, Written};
use sojourn_scenario::{Problem, Problems, Table};

use crate::measurement::results::{Header, PointMeasured};
use crate::measurement::{no_cpu_idle, on_air, station};
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::{Agent, Build, Change, Listen};

/// A server whose sockets are open.
pub struct ServingTask {
    work: Measure,
    information: &'static Information,
    url: String,
    seed: u64,
    asked: String,
}

impl ServingTask {
    /// Opens a measurement server, or the far station of a radio channel.
    pub fn agent(request: &Agent) -> Result<ServingTask, Problems> {
        let (transport, target) = find(&request.url)?;
        let information = transport.information();
        let mut listening = Listening {
            on_air: station_of(information, &request.options, &request.set)?,
            ..listening(request.count, request.duration.as_deref(), request.inject_loss.as_deref(), request.seed)?
        };
        let serves_hosts = information.obeys("load");
        if serves_hosts {
            listening.agent = Some(settings(request)?);
        } else {
            refuse_rules(request, information)?;
        }
        let asked = serde_json::to_string(request).expect("a request is plain data");
        let work = transport.answer(&target, listening)?;
        Ok(ServingTask { work, information, url: target.to_string(), seed: request.seed.unwrap_or(1), asked })
    }

    /// Opens a reflector, or a monitor of a radio channel.
    pub fn listen(request: &Listen) -> Result<ServingTask, Problems> {
        let (transport, target) = find(&request.url)?;
        let information = transport.information();
        let mut listening = Listening {
            on_air: station_of(information, &request.options, &request.set)?,
            ..listening(request.count, request.duration.as_deref(), request.inject_loss.as_deref(), request.seed)?
        };
        if information.obeys("measure.key_file") {
            listening.key = key::find(request.key_file.as_deref())?;
        } else if request.key_file.is_some() {
            return Err(Problem::plain(format!(
                "{} has no authentication, and --key-file names a key",
                information.scheme
            ))
            .into());
        }
        let asked = serde_json::to_string(request).expect("a request is plain data");
        let work = transport.listen(&target, listening)?;
        Ok(ServingTask { work, information, url: target.to_string(), seed: request.seed.unwrap_or(1), asked })
    }

    /// What captured frames begin with.
    pub fn link_type(&self) -> Option<LinkType> {
        self.information.link_type
    }

    /// Serves, on this thread, until it is stopped; what it carries and measures is in the reports alone.
    pub fn serve(self, watch: &Arc<Watch>) {
        (self.work)(watch, &mut NoFrames);
    }

    /// Serves, on this thread, until it is stopped; frames carried go to `frames`.
    pub fn run(self, build: &Build, provenance: Provenance, watch: &Arc<Watch>, frames: &mut dyn FrameSink) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        let measured = (self.work)(watch, frames);
        outcome.status = Status::Done;
        let header = Header {
            network: self.information.scheme.to_owned(),
            study: self.url,
            axes: BTreeMap::new(),
            seed: self.seed,
            build,
        };
        let hash = fingerprint(&self.asked);
        header.add(vec![PointMeasured { set: BTreeMap::new(), experiment: None, hash, measured }], &[], &mut outcome);
        outcome
    }
}

fn listening(
    count: Option<u64>,
    duration: Option<&str>,
    inject_loss: Option<&str>,
    seed: Option<u64>,
) -> Result<Listening, Problems> {
    let given = [("duration", duration), ("inject-loss", inject_loss)];
    let arguments: Vec<(&str, &str, String)> = given
        .iter()
        .filter_map(|(name, value)| value.map(|value| (*name, value, format!("--{name} {value}"))))
        .collect();
    let written: Vec<Written<'_>> =
        arguments.iter().map(|(name, value, argument)| Written { name, value, argument }).collect();
    let table = options::read("options", SERVING, &written)?;
    Ok(Listening {
        count,
        duration: table.optional_duration("duration"),
        inject_loss: table.number("inject-loss"),
        seed: seed.unwrap_or(1),
        on_air: None,
        agent: None,
        key: None,
    })
}

/// The station on the air, where the transport has one.
fn station_of(information: &Information, options: &[Change], set: &[String]) -> Result<Option<OnAir>, Problems> {
    let Some(text) = information.scenario else {
        let mut problems = Problems::new();
        for argument in options.iter().map(|change| &change.argument).chain(set) {
            let message = format!("{} has no station on the air", information.scheme);
            problems.push(Problem::argument(argument, 0..argument.len(), message));
        }
        return problems.or(None);
    };
    Ok(Some(on_air(&station(text, options, set)?)))
}

/// Rules of a measurement server, which stations on the air have none of.
fn refuse_rules(request: &Agent, information: &Information) -> Result<(), Problems> {
    let given = [
        ("--key-file", request.key_file.is_some()),
        ("--open", request.open),
        ("--no-cpu-idle", request.no_cpu_idle),
        ("--limit", !request.limit.is_empty()),
        ("--measures", !request.measures.is_empty()),
    ];
    let mut problems = Problems::new();
    for (option, _) in given.iter().filter(|(_, given)| *given) {
        problems.push(Problem::plain(format!("{option} is for sojourn://, not for {}", information.scheme)));
    }
    problems.or(())
}

/// The settings of a measurement server: the keys are read, and every limit checked.
fn settings(request: &Agent) -> Result<AgentSettings, Problems> {
    let keys = key::find_all(request.key_file.as_deref())?.unwrap_or_default();
    if request.open && !keys.is_empty() {
        let message = "--open serves everyone, and a key only those who have it";
        let help = format!("leave out --open, or the key (--key-file, {})", key::VARIABLE);
        return Err(Problem::plain(message).help(help).into());
    }
    let measures = permission(&request.measures, keys.is_empty())?;
    // refused now, not when the first session begins
    no_cpu_idle(request.no_cpu_idle)?;
    let mut rules = agent_settings::rules(request.open);
    apply(&mut rules, &limits(&request.limit)?);
    let key_file = request.key_file.clone();
    let (open, no_cpu_idle) = (request.open, request.no_cpu_idle);
    Ok(AgentSettings { keys, key_file, open, no_cpu_idle, measures, rules })
}

/// The networks that the agent measures for its clients, which need a key for it.
fn permission(networks: &[String], is_keyless: bool) -> Result<Option<Permission>, Problems> {
    if networks.is_empty() {
        return Ok(None);
    }
    if is_keyless {
        let problem = Problem::plain("--measures needs a key: without one anybody could have this agent send requests");
        return Err(problem.help(format!("--key-file FILE, or {}", key::VARIABLE)).into());
    }
    let (mut found, mut problems) = (Vec::new(), Problems::new());
    for text in networks {
        let argument = format!("--measures {text}");
        match text.parse::<Network>() {
            Ok(network) => found.push(network),
            Err(message) => {
                let span = argument.len() - text.len()..argument.len();
                problems.push(Problem::argument(&argument, span, message).help("--measures 10.0.0.0/8"));
            }
        }
    }
    problems.or(Some(Permission::new(found)))
}

/// Each `NAME=VALUE` against its declaration.
fn limits(limits: &[String]) -> Result<Table, Problems> {
    let mut problems = Problems::new();
    let arguments: Vec<String> = limits.iter().map(|limit| format!("--limit {limit}")).collect();
    let mut written = Vec::new();
    for (limit, argument) in limits.iter().zip(&arguments) {
        match limit.split_once('=') {
            Some((name, value)) => written.push(Written { name, value, argument }),
            None => {
                let names: Vec<&str> = LIMITS.iter().map(|key| key.name).collect();
                let problem = Problem::argument(argument, 0..argument.len(), "expected NAME=VALUE");
                problems.push(problem.help(format!("known: {}", names.join(", "))));
            }
        }
    }
    let table = options::read("--limit", LIMITS, &written);
    match table {
        Ok(table) => problems.or(table),
        Err(found) => Err(Problems(problems.0.into_iter().chain(found.0).collect())),
    }
}

fn apply(rules: &mut Rules, table: &Table) {
    let whole = |key: &str| table.optional_number(key).map(|number| number as u64);
    let limits = &mut rules.limits;
    set(&mut limits.packet_rate, whole("packet-rate"));
    set(&mut limits.bit_rate, whole("bit-rate"));
    set(&mut limits.octets, whole("volume"));
    set(&mut limits.seconds, whole("time"));
    set(&mut limits.idle_seconds, whole("idle"));
    set(&mut limits.longest, whole("packet-size").map(|size| size.min(MAX_PACKET.into())));
    set(&mut limits.streams, whole("streams"));
    set(&mut rules.sessions, whole("sessions"));
    set(&mut rules.sessions_per_address, whole("sessions-per-address"));
}

/// The declarations keep every value within its field.
fn set<T: TryFrom<u64>>(field: &mut T, value: Option<u64>) {
    if let Some(value) = value.and_then(|value| T::try_from(value).ok()) {
        *field = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(limit: &[&str]) -> Result<Rules, Problems> {
        let limit = limit.iter().map(|limit| (*limit).to_owned()).collect();
        settings(&Agent { limit, open: true, ..Agent::default() }).map(|settings| settings.rules)
    }

    #[test]
    fn every_limit_is_taken_in_its_unit() {
        let rules = rules(&[
            "packet-rate=500 /s",
            "bit-rate=2 Mbit/s",
            "volume=3 MB",
            "time=10 min",
            "idle=5 s",
            "packet-size=1500 B",
            "streams=0",
            "sessions=3",
            "sessions-per-address=2",
        ])
        .unwrap();
        let limits = rules.limits;
        assert_eq!((limits.packet_rate, limits.bit_rate, limits.octets), (500, 2_000_000, 3_000_000));
        assert_eq!((limits.seconds, limits.idle_seconds, limits.longest, limits.streams), (600, 5, 1500, 0));
        assert_eq!((rules.sessions, rules.sessions_per_address), (3, 2));
    }

    #[test]
    fn a_limit_that_is_not_given_keeps_the_default_for_everyone() {
        assert_eq!(rules(&[]).unwrap(), agent_settings::rules(true));
    }

    #[test]
    fn all_mistakes_are_reported_at_once_with_the_nearest_name() {
        let text = rules(&["packetrate=5 /s", "idle=2 h", "volume=5", "much"]).unwrap_err().render(false, 120);
        assert!(text.contains("did you mean `packet-rate`?") && text.contains("outside its range"), "{text}");
        assert!(text.contains("`volume` needs a unit") && text.contains("expected NAME=VALUE"), "{text}");
    }

    #[test]
    fn options_of_the_air_are_refused_where_there_is_none() {
        let change =
            Change { key: "on_air.callsign".into(), value: "PING-1".into(), argument: "--callsign PING-1".into() };
        let request = Agent { url: "sojourn://127.0.0.1:0".into(), options: vec![change], ..Agent::default() };
        let text = ServingTask::agent(&request).err().unwrap().render(false, 120);
        assert!(text.contains("sojourn has no station on the air"), "{text}");
    }
}
