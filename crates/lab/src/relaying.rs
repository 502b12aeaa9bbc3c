//! What `sojourn relay` is asked for: where, and what is to be wrong with the way.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sojourn_core::{Duration, Time};
use sojourn_live::emulator::{Impairment, Service, Way};
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

/// One call of `relay`; quantities as the user wrote them, nothing wrong with the way where absent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RelayRequest {
    /// Where it is reached, `127.0.0.1:7000`.
    pub listen: String,
    /// The far host, `127.0.0.1:18620`.
    pub to: String,
    /// Whether other hosts may reach it.
    pub open: bool,
    /// Which way is impaired: `there`, `back`, `both`.
    pub way: Option<String>,
    /// Every packet is so late, `20 ms`.
    pub delay: Option<String>,
    /// And later by up to this, `5 ms`.
    pub jitter: Option<String>,
    /// Share of datagrams lost, `1 %`.
    pub loss: Option<String>,
    /// Share that arrives twice.
    pub duplication: Option<String>,
    /// Share held back.
    pub reordering: Option<String>,
    /// How long those are held back, `10 ms`.
    pub hold: Option<String>,
    /// What the line carries, `10 Mbit/s`.
    pub rate: Option<String>,
    /// What waits for it, `64 kB`.
    pub queue: Option<String>,
    /// While nothing gets through, from the start of the relay, `10 s:15 s`.
    pub outage: Option<String>,
    /// How long it goes on, `10 min`.
    pub duration: Option<String>,
}

/// A relay that is reached and waits for its thread.
pub struct RelayTask(Measure);

impl RelayTask {
    /// Checks the request and opens its ports.
    pub fn open(request: &Request) -> Result<RelayTask, Problems> {
        let relay = request.relay.as_ref().ok_or_else(|| Problem::plain("nothing says where to relay"))?;
        relay.service(request.seed.unwrap_or(1))?.open().map(RelayTask)
    }

    /// Relays, on this thread, until it is told to stop.
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
            far: Target::of_address(&self.to),
            open: self.open,
            way: self.impaired(seed)?,
            duration: self.duration.as_deref().map(|text| span("--duration", text)).transpose()?,
        })
    }

    fn impaired(&self, seed: u64) -> Result<Way, Problems> {
        let (asked, nothing) = (self.impairment()?, Impairment::default());
        match self.way.as_deref().unwrap_or("both") {
            "both" => Ok(Way::both(asked, seed)),
            "there" => Ok(Way { there: asked, back: nothing, seed }),
            "back" => Ok(Way { there: nothing, back: asked, seed }),
            word => Err(argument("--way", word, "is no way: there, back or both").into()),
        }
    }

    /// What is asked for, all mistakes at once.
    fn impairment(&self) -> Result<Impairment, Problems> {
        let usual = Impairment::default();
        let mut problems = Problems::new();
        let asked = Impairment {
            delay: told(&mut problems, delay("--delay", self.delay.as_deref(), usual.delay)),
            jitter: told(&mut problems, delay("--jitter", self.jitter.as_deref(), usual.jitter)),
            loss: told(&mut problems, share("--loss", self.loss.as_deref())),
            duplication: told(&mut problems, share("--duplication", self.duplication.as_deref())),
            reordering: told(&mut problems, share("--reordering", self.reordering.as_deref())),
            hold: told(&mut problems, delay("--hold", self.hold.as_deref(), usual.hold)),
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
            self.hold.is_some() && !holds,
            "--hold says how long packets are held back, and none are",
            "--reordering '1 %'",
        );
        refuse(
            self.queue.is_some() && !queues,
            "--queue is what waits for a slow line, and this one has no rate",
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

    fn way(relay: RelayRequest) -> Result<Way, Vec<String>> {
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
            hold: some("40 ms"),
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
            hold: Duration::from_millis(40),
            rate: Some(10_000_000),
            queue: 30_000,
            outage: Some(second(10)..second(15)),
        };
        let found = way(asked).unwrap();
        assert_eq!((found.there, found.back, found.seed), (expected.clone(), expected, 7));
    }

    #[test]
    fn one_way_may_be_bad_alone() {
        let asked = |word: &str| RelayRequest { way: some(word), loss: some("5 %"), ..RelayRequest::default() };
        let losses = |word| way(asked(word)).map(|way| (way.there.loss, way.back.loss));
        assert_eq!(losses("there"), Ok((0.05, 0.0)));
        assert_eq!(losses("back"), Ok((0.0, 0.05)));
        assert_eq!(losses("up"), Err(vec!["`up` is no way: there, back or both".to_owned()]));
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let asked = RelayRequest {
            delay: some("2 min"),
            loss: some("101 %"),
            rate: some("10 bit/s"),
            outage: some("5 s:5 s"),
            hold: some("5 ms"),
            ..RelayRequest::default()
        };
        assert_eq!(
            way(asked).unwrap_err(),
            [
                "`2 min` is more than a minute",
                "`101 %` is no share from 0 % to 100 %",
                "`10 bit/s` is no whole rate from 100 bit/s to 400 Gbit/s",
                "`5 s:5 s` ends before it begins",
                "--hold says how long packets are held back, and none are",
            ]
        );
    }
}
