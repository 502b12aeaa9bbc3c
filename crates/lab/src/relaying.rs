//! What `sojourn relay` is asked for: where, and what is to be wrong with the way.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sojourn_core::{Duration, Time};
use sojourn_live::emulator::{Impairment, Path, Service};
use sojourn_live::transport::{Measure, NoFrames};
use sojourn_live::{Target, Watch};
use sojourn_scenario::quantity::Dimension;
use sojourn_scenario::{Problem, Problems};

use crate::live::arguments::{argument, bytes, quantity, span};
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::Request;

/// No way on Earth, nor to a satellite, is as late.
const LONGEST_DELAY: Duration = Duration::from_secs(60);
/// The slowest modem and the fastest interface.
const RATES: Range<u64> = 100..400_000_000_001;
/// A packet, and more than any device holds.
const LEAST_QUEUE: u64 = 1500;
const LARGEST_QUEUE: u64 = 64 << 20;

/// Arguments of `relay`, as the user wrote them; no impairment where absent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelayRequest {
    /// Address it listens on, `127.0.0.1:7000`.
    pub listen: String,
    /// Address of the remote host, `127.0.0.1:18620`.
    pub to: String,
    /// Whether other hosts may reach it.
    pub open: bool,
    /// Direction that is impaired: `forward`, `reverse`, `both`.
    pub direction: Option<String>,
    /// One-way delay, `20 ms`.
    pub delay: Option<String>,
    /// Uniform jitter added to it, `5 ms`.
    pub jitter: Option<String>,
    /// Share of datagrams lost, `1 %`.
    pub loss: Option<String>,
    /// Share duplicated.
    pub duplication: Option<String>,
    /// Share reordered.
    pub reordering: Option<String>,
    /// Extra delay of those, `10 ms`.
    pub reorder_delay: Option<String>,
    /// Link rate, `10 Mbit/s`.
    pub rate: Option<String>,
    /// Queue limit, `64 kB`.
    pub queue: Option<String>,
    /// When no datagram passes, from the start of the relay, `10 s:15 s`.
    pub outage: Option<String>,
    /// How long it runs, `10 min`.
    pub duration: Option<String>,
}

/// A relay with open ports that waits for its thread.
pub struct RelayTask(Measure);

impl RelayTask {
    /// Checks the request and opens its ports.
    pub fn open(request: &Request) -> Result<RelayTask, Problems> {
        let relay = request.relay.as_ref().ok_or_else(|| Problem::plain("nothing says where to relay"))?;
        relay.service(request.seed.unwrap_or(1))?.open().map(RelayTask)
    }

    /// Relays, on this thread, until it is cancelled.
    pub fn run(self, provenance: Provenance, watch: &Arc<Watch>) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        (self.0)(watch, &mut NoFrames);
        outcome.status = Status::Done;
        outcome
    }
}

impl RelayRequest {
    fn service(&self, seed: u64) -> Result<Service, Problems> {
        Ok(Service {
            here: Target::of_address(&self.listen),
            remote: Target::of_address(&self.to),
            open: self.open,
            path: self.impaired(seed)?,
            duration: self.duration.as_deref().map(|text| span("--duration", text)).transpose()?,
        })
    }

    fn impaired(&self, seed: u64) -> Result<Path, Problems> {
        let (asked, nothing) = (self.impairment()?, Impairment::default());
        match self.direction.as_deref().unwrap_or("both") {
            "both" => Ok(Path::both(asked, seed)),
            "forward" => Ok(Path { forward: asked, reverse: nothing, seed }),
            "reverse" => Ok(Path { forward: nothing, reverse: asked, seed }),
            word => Err(argument("--direction", word, "is not a direction: forward, reverse or both").into()),
        }
    }

    /// The impairment, or all mistakes at once.
    fn impairment(&self) -> Result<Impairment, Problems> {
        let usual = Impairment::default();
        let mut problems = Problems::new();
        let asked = Impairment {
            delay: told(&mut problems, delay("--delay", self.delay.as_deref(), usual.delay)),
            jitter: told(&mut problems, delay("--jitter", self.jitter.as_deref(), usual.jitter)),
            loss: told(&mut problems, share("--loss", self.loss.as_deref())),
            duplication: told(&mut problems, share("--duplication", self.duplication.as_deref())),
            reordering: told(&mut problems, share("--reordering", self.reordering.as_deref())),
            reorder_delay: told(
                &mut problems,
                delay("--reorder-delay", self.reorder_delay.as_deref(), usual.reorder_delay),
            ),
            rate: told(&mut problems, self.rate.as_deref().map(rate).transpose()),
            queue: told(
                &mut problems,
                bytes("--queue", self.queue.as_deref(), usual.queue, LEAST_QUEUE, LARGEST_QUEUE),
            ),
            outage: told(&mut problems, self.outage.as_deref().map(outage).transpose()),
        };
        let mut refuse = |alone: bool, message: &str, help: &str| {
            if alone {
                problems.push(Problem::plain(message).help(help));
            }
        };
        let (holds, queues) = (self.reordering.is_some(), self.rate.is_some());
        refuse(
            self.reorder_delay.is_some() && !holds,
            "--reorder-delay needs --reordering: no packets are reordered",
            "--reordering '1 %'",
        );
        refuse(
            self.queue.is_some() && !queues,
            "--queue needs --rate: without a rate limit there is no queue",
            "--rate '10 Mbit/s'",
        );
        problems.or(asked)
    }
}

/// What was asked for; of a mistake nothing that is used, as it is told.
fn told<T: Default>(problems: &mut Problems, asked: Result<T, Problems>) -> T {
    asked.unwrap_or_else(|mistakes| {
        mistakes.0.into_iter().for_each(|problem| problems.push(problem));
        T::default()
    })
}

fn delay(option: &str, text: Option<&str>, default: Duration) -> Result<Duration, Problems> {
    let Some(text) = text else { return Ok(default) };
    let found = span(option, text)?;
    if found > LONGEST_DELAY {
        return Err(argument(option, text, "is more than a minute").into());
    }
    Ok(found)
}

fn share(option: &str, text: Option<&str>) -> Result<f64, Problems> {
    let Some(text) = text else { return Ok(0.0) };
    let share = quantity(option, text, Dimension::Fraction)?.number();
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(argument(option, text, "is no share from 0 % to 100 %").into())
}

fn rate(text: &str) -> Result<u64, Problems> {
    let rate = quantity("--rate", text, Dimension::BitRate)?.integer();
    rate.filter(|rate| RATES.contains(rate))
        .ok_or_else(|| argument("--rate", text, "is no whole rate from 100 bit/s to 400 Gbit/s").into())
}

/// `10 s:15 s`.
fn outage(text: &str) -> Result<Range<Time>, Problems> {
    let Some((from, to)) = text.split_once(':') else {
        return Err(argument("--outage", text, "does not say from when to when").help("--outage '10 s:15 s'").into());
    };
    let (from, to) = (span("--outage", from)?, span("--outage", to)?);
    if from >= to {
        return Err(argument("--outage", text, "ends before it begins").into());
    }
    Ok(Time::ZERO + from..Time::ZERO + to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(relay: RelayRequest) -> Result<Path, Vec<String>> {
        relay.impaired(7).map_err(|problems| problems.0.into_iter().map(|problem| problem.message).collect())
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn every_quantity_is_taken_in_its_unit() {
        let asked = RelayRequest {
            delay: some("20 ms"),
            jitter: some("500 us"),
            loss: some("1 %"),
            duplication: some("0.02"),
            reordering: some("3 %"),
            reorder_delay: some("40 ms"),
            rate: some("10 Mbit/s"),
            queue: some("30 kB"),
            outage: some("10 s:15 s"),
            ..RelayRequest::default()
        };
        let second = |count| Time::ZERO + Duration::from_secs(count);
        let expected = Impairment {
            delay: Duration::from_millis(20),
            jitter: Duration::from_micros(500),
            loss: 0.01,
            duplication: 0.02,
            reordering: 0.03,
            reorder_delay: Duration::from_millis(40),
            rate: Some(10_000_000),
            queue: 30_000,
            outage: Some(second(10)..second(15)),
        };
        let found = path(asked).unwrap();
        assert_eq!((found.forward, found.reverse, found.seed), (expected.clone(), expected, 7));
    }

    #[test]
    fn one_way_may_be_bad_alone() {
        let asked = |word: &str| RelayRequest { direction: some(word), loss: some("5 %"), ..RelayRequest::default() };
        let losses = |word| path(asked(word)).map(|path| (path.forward.loss, path.reverse.loss));
        assert_eq!(losses("forward"), Ok((0.05, 0.0)));
        assert_eq!(losses("reverse"), Ok((0.0, 0.05)));
        assert_eq!(losses("up"), Err(vec!["`up` is not a direction: forward, reverse or both".to_owned()]));
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let asked = RelayRequest {
            delay: some("2 min"),
            loss: some("101 %"),
            rate: some("10 bit/s"),
            outage: some("5 s:5 s"),
            reorder_delay: some("5 ms"),
            ..RelayRequest::default()
        };
        assert_eq!(
            path(asked).unwrap_err(),
            [
                "`2 min` is more than a minute",
                "`101 %` is no share from 0 % to 100 %",
                "`10 bit/s` is no whole rate from 100 bit/s to 400 Gbit/s",
                "`5 s:5 s` ends before it begins",
                "--reorder-delay needs --reordering: no packets are reordered",
            ]
        );
    }
}
