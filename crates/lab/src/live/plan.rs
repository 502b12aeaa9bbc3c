//! What is asked of a measurement by the clock.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sojourn_core::Duration;
use sojourn_live::io::datagrams::Marking;
use sojourn_live::key;
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, Phase, Plan, RequestTransport};
use sojourn_live::prober::schedule::{Pattern, Schedule};
use sojourn_live::prober::voice::Voice;
use sojourn_scenario::quantity::Dimension;
use sojourn_scenario::{Problem, Problems};

use super::arguments::{argument, bytes, cpu_idle_guard, quantity, span};

/// Ten requests in a tenth of a second: often enough to see a queue, too few to make one.
const INTERVAL: Duration = Duration::from_millis(10);
const DURATION: Duration = Duration::from_secs(10);
/// The same with a load, whose slow starts are over by then.
const LOADED: Duration = Duration::from_secs(20);
/// Idle before and after a load.
const BESIDE: Duration = Duration::from_secs(5);
/// An answer that takes longer is no answer to anybody who waits.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const MOST_STREAMS: u64 = 1000;
/// An Ethernet frame's worth of UDP payload, headers of IPv6 allowed for.
const LOAD_OCTETS: u64 = 1400;
const FEWEST_LOAD_OCTETS: u64 = 64;
const MOST_OCTETS: u64 = 65_507;
const HIGHEST_DSCP: u8 = 63;

/// Quantities as the user wrote them, defaults where absent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanRequest {
    /// Requests per second, `100 /s`.
    pub rate: Option<String>,
    /// How they follow one another: `periodic`, `poisson`, `burst:N`, `ping-pong,think=2 ms,spread=3 ms`.
    pub schedule: Option<String>,
    /// What loads the network, `tcp:4,up`.
    pub load: Vec<String>,
    /// How long it is idle before a load, `5 s`.
    pub idle: Option<String>,
    /// How long it is watched after a load.
    pub recovery: Option<String>,
    /// An answer that takes longer is a loss.
    pub timeout: Option<String>,
    /// Differentiated services code point, 0 to 63.
    pub dscp: Option<u8>,
    /// Explicit congestion notification field, 0 to 3.
    pub ecn: Option<u8>,
    /// The address of this host that packets leave from.
    pub bind: Option<String>,
    /// How departures are met: `hybrid`, `sleep`.
    pub pacing: Option<String>,
    /// Keep this host's processors from halting meanwhile.
    pub no_cpu_idle: bool,
    /// A voice stream in place of the schedule, `g711` or `g711,play-out=60 ms`.
    pub voice: Option<String>,
    /// What carries the requests: `udp`, `tcp`.
    pub transport: Option<String>,
    /// The file of the key that both ends have.
    pub key_file: Option<PathBuf>,
}

impl PlanRequest {
    /// The options given, as the command line writes them.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--rate", self.rate.is_some()),
            ("--schedule", self.schedule.is_some()),
            ("--load", !self.load.is_empty()),
            ("--idle", self.idle.is_some()),
            ("--recovery", self.recovery.is_some()),
            ("--timeout", self.timeout.is_some()),
            ("--dscp", self.dscp.is_some()),
            ("--ecn", self.ecn.is_some()),
            ("--bind", self.bind.is_some()),
            ("--pacing", self.pacing.is_some()),
            ("--no-cpu-idle", self.no_cpu_idle),
            ("--voice", self.voice.is_some()),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(option, _)| option).collect()
    }

    /// The plan; requests of `octets` where no sizes are given.
    pub fn plan(
        &self,
        sizes: Option<Vec<u32>>,
        octets: u32,
        duration: Option<Duration>,
        replications: u32,
        seed: u64,
    ) -> Result<Plan, Problems> {
        let voice = self.voice.as_deref().map(voice).transpose()?;
        let octets = voice.map_or(octets, |voice| voice.octets());
        Ok(Plan {
            schedule: self.schedule(voice)?,
            sizes: sizes.unwrap_or_else(|| vec![octets]),
            phases: self.phases(duration)?,
            transport: self.transport.as_deref().map(transport).transpose()?.unwrap_or_default(),
            loads: self.load.iter().map(|text| load(text)).collect::<Result<_, _>>()?,
            timeout: time("--timeout", self.timeout.as_deref(), PATIENCE)?,
            marking: self.marking()?,
            pacing: self.pacing.as_deref().map(pacing).transpose()?,
            no_cpu_idle: cpu_idle_guard(self.no_cpu_idle)?.map(Arc::new),
            voice,
            replications,
            seed,
            key: key::find(self.key_file.as_deref())?,
        })
    }

    fn schedule(&self, voice: Option<Voice>) -> Result<Schedule, Problems> {
        if let Some(voice) = voice {
            if self.rate.is_some() || self.schedule.is_some() {
                let message = "--voice says when packets leave: leave --rate and --schedule out";
                return Err(Problem::plain(message).into());
            }
            return Ok(voice.schedule());
        }
        let word = self.schedule.as_deref().unwrap_or("periodic");
        let pattern: Pattern = word.parse().map_err(|fault| argument("--schedule", word, &format!("{fault}")))?;
        let interval = self.rate.as_deref().map(interval).transpose()?;
        if interval.is_some() && matches!(pattern, Pattern::PingPong { think: Some(_), .. }) {
            let message = "--rate says how long a closed loop pauses, and `think` says it, too: leave one out";
            return Err(Problem::plain(message).into());
        }
        Ok(pattern.with(interval, INTERVAL))
    }

    /// Idle alone, or idle, loaded and recovery.
    fn phases(&self, duration: Option<Duration>) -> Result<Vec<Phase>, Problems> {
        let within = duration.is_none_or(|duration| duration > Duration::ZERO && duration <= LONGEST);
        if !within {
            return Err(Problem::plain("--duration: more than nothing, and a day at most").into());
        }
        let phase = |name, duration, loaded| Phase { name, duration, loaded, recorded: true };
        if self.load.is_empty() {
            if let Some(option) = self.given().into_iter().find(|option| matches!(*option, "--idle" | "--recovery")) {
                let problem = Problem::plain(format!("{option} is before or after a load, and there is none"));
                return Err(problem.help("--load tcp:4").into());
            }
            return Ok(vec![phase("idle", duration.unwrap_or(DURATION), false)]);
        }
        let before = time("--idle", self.idle.as_deref(), BESIDE)?;
        let after = time("--recovery", self.recovery.as_deref(), BESIDE)?;
        let all = [
            phase("idle", before, false),
            phase("loaded", duration.unwrap_or(LOADED), true),
            phase("recovery", after, false),
        ];
        Ok(all.into_iter().filter(|phase| phase.duration > Duration::ZERO).collect())
    }

    fn marking(&self) -> Result<Marking, Problems> {
        let (dscp, ecn) = (self.dscp.unwrap_or(0), self.ecn.unwrap_or(0));
        if dscp > HIGHEST_DSCP {
            return Err(Problem::plain(format!("--dscp {dscp}: a code point is 0 to {HIGHEST_DSCP}")).into());
        }
        if ecn > 3 {
            return Err(Problem::plain(format!("--ecn {ecn}: the field is 0 to 3")).into());
        }
        let address = |text: &str| {
            text.parse::<IpAddr>().map_err(|_| argument("--bind", text, "is no IPv4 or IPv6 address of this host"))
        };
        Ok(Marking { dscp, ecn, bind: self.bind.as_deref().map(address).transpose()? })
    }
}

fn time(option: &str, text: Option<&str>, default: Duration) -> Result<Duration, Problems> {
    let Some(text) = text else { return Ok(default) };
    let found = span(option, text)?;
    if found > LONGEST {
        return Err(argument(option, text, "is more than a day").into());
    }
    Ok(found)
}

/// Between requests at a rate.
fn interval(text: &str) -> Result<Duration, Problems> {
    let interval = quantity("--rate", text, Dimension::Rate)?.interval(1);
    let range = Duration::from_micros(1)..=Duration::from_secs(3600);
    interval
        .filter(|interval| range.contains(interval))
        .ok_or_else(|| argument("--rate", text, "is no rate from 1 an hour to a million a second").into())
}

fn pacing(word: &str) -> Result<Pacing, Problems> {
    match word {
        "hybrid" => Ok(Pacing::Hybrid),
        "sleep" => Ok(Pacing::Sleep),
        "spin" => Ok(Pacing::Spin),
        _ => Err(argument("--pacing", word, "is no way to meet a departure: hybrid, sleep or spin").into()),
    }
}

fn transport(word: &str) -> Result<RequestTransport, Problems> {
    match word {
        "udp" => Ok(RequestTransport::Udp),
        "tcp" => Ok(RequestTransport::Tcp),
        _ => Err(argument("--transport", word, "carries no requests: udp or tcp").into()),
    }
}

/// A codec, then settings separated by commas.
fn voice(text: &str) -> Result<Voice, Problems> {
    text.parse().map_err(|fault| argument("--voice", text, &format!("is no voice stream: {fault}")).into())
}

/// `tcp:STREAMS` or `udp:RATE`, then settings separated by commas.
fn load(text: &str) -> Result<Load, Problems> {
    let wrong = |why: &str| -> Problems {
        argument("--load", text, why)
            .help("tcp:4 | tcp:2,down,congestion=cubic,pace=5 Mbit/s | udp:50 Mbit/s,up")
            .into()
    };
    let mut parts = text.split(',').map(str::trim);
    let head = parts.next().unwrap_or_default();
    let mut load = match head.split_once(':') {
        Some(("tcp", streams)) => {
            let streams = streams.parse().ok().filter(|count| (1..=MOST_STREAMS).contains(count));
            let streams = streams.ok_or_else(|| wrong("has no number of streams from 1 to 1000"))?;
            of(LoadTransport::Tcp { congestion: None, pace: None }, streams as u32)
        }
        Some(("udp", rate)) => of(LoadTransport::Udp { rate: bit_rate(rate)?, octets: LOAD_OCTETS as u32 }, 1),
        _ => return Err(wrong("is no load: tcp:STREAMS or udp:RATE")),
    };
    for part in parts {
        match (part.split_once('='), &mut load.transport) {
            (None, _) if part == "up" => load.direction = Direction::Up,
            (None, _) if part == "down" => load.direction = Direction::Down,
            (Some(("start", span)), _) => load.start = time("--load", Some(span), Duration::ZERO)?,
            (Some(("stop", span)), _) => load.stop = Some(time("--load", Some(span), Duration::ZERO)?),
            (Some(("congestion", name)), LoadTransport::Tcp { congestion, .. }) => *congestion = Some(name.to_owned()),
            (Some(("pace", rate)), LoadTransport::Tcp { pace, .. }) => *pace = Some(bit_rate(rate)?),
            (Some(("size", size)), LoadTransport::Udp { octets, .. }) => {
                *octets = bytes("--load", Some(size), 0, FEWEST_LOAD_OCTETS, MOST_OCTETS)? as u32;
            }
            (Some(("streams", count)), LoadTransport::Udp { .. }) => {
                let count = count.parse().ok().filter(|count| (1..=MOST_STREAMS).contains(count));
                load.streams = count.ok_or_else(|| wrong("has no number of streams from 1 to 1000"))? as u32;
            }
            _ => return Err(wrong(&format!("has the setting `{part}`, which does not fit"))),
        }
    }
    if load.stop.is_some_and(|stop| stop <= load.start) {
        return Err(wrong("stops before it starts"));
    }
    Ok(load)
}

fn of(transport: LoadTransport, streams: u32) -> Load {
    Load { name: None, transport, direction: Direction::Up, streams, start: Duration::ZERO, stop: None }
}

fn bit_rate(text: &str) -> Result<u64, Problems> {
    let rate = quantity("--load", text, Dimension::BitRate)?.integer();
    rate.filter(|rate| *rate > 0).ok_or_else(|| argument("--load", text, "is no rate above 0 bit/s").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(request: PlanRequest) -> Result<Plan, Problems> {
        request.plan(None, 64, None, 1, 1)
    }

    fn refused(request: PlanRequest) -> String {
        plan(request).unwrap_err().0[0].message.clone()
    }

    #[test]
    fn without_a_wish_a_request_leaves_every_ten_milliseconds_for_ten_seconds() {
        let plan = plan(PlanRequest::default()).unwrap();
        assert_eq!(plan.schedule, Schedule::Periodic { interval: INTERVAL });
        assert_eq!((plan.duration(), plan.phases.len(), plan.sizes), (DURATION, 1, vec![64]));
    }

    #[test]
    fn a_load_stands_between_idle_and_recovery() {
        let request = PlanRequest { load: vec!["tcp:4".into()], recovery: Some("0 s".into()), ..Default::default() };
        let plan = request.plan(None, 64, Some(Duration::from_secs(30)), 1, 1).unwrap();
        let phases: Vec<_> = plan.phases.iter().map(|phase| (phase.name, phase.loaded)).collect();
        assert_eq!(phases, [("idle", false), ("loaded", true)], "a phase of no length is none");
        assert_eq!(plan.phases[1].duration, Duration::from_secs(30));
    }

    #[test]
    fn a_load_says_streams_direction_and_times() {
        let found = load("tcp:3,down,congestion=reno,pace=5 Mbit/s,start=1 s,stop=3 s").unwrap();
        assert_eq!((found.streams, found.direction), (3, Direction::Down));
        assert_eq!((found.start, found.stop), (Duration::from_secs(1), Some(Duration::from_secs(3))));
        let tcp = LoadTransport::Tcp { congestion: Some("reno".into()), pace: Some(5_000_000) };
        assert_eq!(found.transport, tcp);
        let datagrams = load("udp:1 Mbit/s,size=200 B,streams=2").unwrap();
        assert_eq!((datagrams.transport, datagrams.streams), (LoadTransport::Udp { rate: 1_000_000, octets: 200 }, 2));
    }

    #[test]
    fn mistakes_of_a_load_are_named() {
        let message = |text: &str| load(text).unwrap_err().0[0].message.clone();
        assert!(message("icmp:4").contains("is no load"));
        assert!(message("tcp:0").contains("number of streams"));
        assert!(message("tcp:1,size=5 B").contains("`size=5 B`, which does not fit"));
        assert!(message("udp:5").contains("needs a unit"));
        assert!(message("tcp:1,start=3 s,stop=2 s").contains("stops before it starts"));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let idle = PlanRequest { idle: Some("5 s".into()), ..Default::default() };
        assert!(refused(idle).starts_with("--idle is before or after a load"));
        let voice = PlanRequest { voice: Some("g711".into()), rate: Some("5 /s".into()), ..Default::default() };
        assert!(refused(voice).contains("leave --rate and --schedule out"));
        let think = PlanRequest {
            schedule: Some("ping-pong,think=1 ms".into()),
            rate: Some("5 /s".into()),
            ..Default::default()
        };
        assert!(refused(think).contains("leave one out"));
        assert!(refused(PlanRequest { dscp: Some(64), ..Default::default() }).contains("0 to 63"));
        assert!(refused(PlanRequest { bind: Some("here".into()), ..Default::default() }).contains("no IPv4 or IPv6"));
        assert!(refused(PlanRequest { rate: Some("0 /s".into()), ..Default::default() }).contains("is no rate"));
        let sctp = PlanRequest { transport: Some("sctp".into()), ..Default::default() };
        assert_eq!(refused(sctp), "`sctp` carries no requests: udp or tcp");
    }
}
