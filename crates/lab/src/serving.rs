//! How `sojourn agent` is to serve those who measure against it: its key, and its limits.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sojourn_live::agent_settings::{AgentSettings, rules};
use sojourn_live::key;
use sojourn_protocols::probe::server::Rules;
use sojourn_protocols::probe::wire::{MAX_PACKET, MIN_PACKET};
use sojourn_scenario::quantity::Dimension;
use sojourn_scenario::{Problem, Problems, hint};

use crate::live::arguments::{argument, cpu_idle_guard, quantity};

/// What a user says of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServingRequest {
    /// The file of the key.
    pub key_file: Option<PathBuf>,
    /// Serve everyone.
    pub open: bool,
    /// Keep this host's processors from halting while anybody measures.
    pub no_cpu_idle: bool,
    /// Limits, each as `NAME=VALUE`.
    pub limit: Vec<String>,
}

/// One limit that a user may set.
struct Limit {
    name: &'static str,
    dimension: Dimension,
    most: u64,
    least: u64,
    set: fn(&mut Rules, u64),
}

const DAY_S: u64 = 86_400;

const LIMITS: [Limit; 9] = [
    limit("packet-rate", Dimension::Rate, 1, u32::MAX as u64, |rules, value| rules.limits.packet_rate = value as u32),
    limit("bit-rate", Dimension::BitRate, 1, u64::MAX, |rules, value| rules.limits.bit_rate = value),
    limit("volume", Dimension::Size, 1, u64::MAX, |rules, value| rules.limits.octets = value),
    limit("time", Dimension::Time, 1, 30 * DAY_S, |rules, value| rules.limits.seconds = value as u32),
    limit("idle", Dimension::Time, 1, 3600, |rules, value| rules.limits.idle_seconds = value as u16),
    limit("packet-size", Dimension::Size, MIN_PACKET as u64, MAX_PACKET as u64, |rules, value| {
        rules.limits.longest = value as u16;
    }),
    limit("streams", Dimension::None, 0, 128, |rules, value| rules.limits.streams = value as u16),
    limit("sessions", Dimension::None, 1, 1024, |rules, value| rules.sessions = value as u32),
    limit("sessions-per-address", Dimension::None, 1, 1024, |rules, value| rules.sessions_per_address = value as u32),
];

const fn limit(name: &'static str, dimension: Dimension, least: u64, most: u64, set: fn(&mut Rules, u64)) -> Limit {
    Limit { name, dimension, most, least, set }
}

impl ServingRequest {
    /// The settings of an agent: the key is read, and every limit checked.
    pub fn settings(&self) -> Result<AgentSettings, Problems> {
        let key = key::find(self.key_file.as_deref())?;
        if self.open && key.is_some() {
            let message = "an agent with a key serves those who have it, and --open says that it serves everyone";
            return Err(Problem::plain(message)
                .help(format!("leave out --open, or the key (--key-file, {})", key::VARIABLE))
                .into());
        }
        cpu_idle_guard(self.no_cpu_idle)?;
        let mut rules = rules(self.open);
        let mut problems = Problems::new();
        for text in &self.limit {
            if let Err(problem) = set(&mut rules, text) {
                problem.0.into_iter().for_each(|problem| problems.push(problem));
            }
        }
        problems.or(AgentSettings { key, open: self.open, no_cpu_idle: self.no_cpu_idle, rules })
    }
}

fn set(rules: &mut Rules, text: &str) -> Result<(), Problems> {
    let names = LIMITS.iter().map(|limit| limit.name);
    let Some((name, value)) = text.split_once('=') else {
        let problem = argument("--limit", text, "is not NAME=VALUE");
        return Err(problem.help(format!("known: {}", names.collect::<Vec<_>>().join(", "))).into());
    };
    let Some(limit) = LIMITS.iter().find(|limit| limit.name == name) else {
        let problem = argument("--limit", text, "names no limit");
        return Err(problem.maybe_help(hint::suggestion(name, names)).into());
    };
    let option = format!("--limit {name}=");
    let found = quantity(&option, value, limit.dimension)?.integer();
    let Some(found) = found.filter(|found| (limit.least..=limit.most).contains(found)) else {
        let Limit { least, most, dimension, .. } = limit;
        let unit = if *dimension == Dimension::None { "" } else { dimension.si() };
        let message = format!("is no whole number from {least} {unit} to {most} {unit}");
        return Err(argument(&option, value, message.replace("  ", " ").trim_end()).into());
    };
    (limit.set)(rules, found);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(limits: &[&str]) -> Result<AgentSettings, Problems> {
        let limit = limits.iter().map(|limit| (*limit).to_owned()).collect();
        ServingRequest { limit, open: true, ..ServingRequest::default() }.settings()
    }

    #[test]
    fn every_limit_is_taken_in_its_unit() {
        let rules = settings(&[
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
        .unwrap()
        .rules;
        let limits = rules.limits;
        assert_eq!((limits.packet_rate, limits.bit_rate, limits.octets), (500, 2_000_000, 3_000_000));
        assert_eq!((limits.seconds, limits.idle_seconds, limits.longest, limits.streams), (600, 5, 1500, 0));
        assert_eq!((rules.sessions, rules.sessions_per_address), (3, 2));
    }

    #[test]
    fn what_is_not_said_stays_as_it_is_for_everyone() {
        assert_eq!(settings(&[]).unwrap().rules, rules(true));
    }

    #[test]
    fn all_mistakes_are_told_at_once_with_what_would_do() {
        let problems = settings(&["packetrate=5 /s", "idle=2 h", "volume=5"]).unwrap_err().0;
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(
            messages,
            ["`packetrate=5 /s` names no limit", "`2 h` is no whole number from 1 s to 3600 s", "`5` needs a unit"]
        );
        assert_eq!(problems[0].help.as_deref(), Some("did you mean `packet-rate`?"));
    }
}
