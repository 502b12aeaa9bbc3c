//! The links of a scenario as JSON, from which Python writes the settings of other tools. Times are in seconds, sizes in octets.

use serde_json::{Value, json};
use sojourn_core::{Duration, RateTrace, Time};
use sojourn_engine::law::Shape;
use sojourn_lan::ip::links::{Direction, Links};
use sojourn_lan::ip::{Discipline, QueueSettings, Shaping};
use sojourn_model::laws::RandomTime;
use sojourn_scenario::{Problems, Scenario, WarmUp};

/// The links of a checked scenario of kind `ip`.
pub fn of(scenario: &Scenario) -> Result<Value, Problems> {
    let links = Links::of(scenario)?;
    let station = |(name, forwarding): &(String, Option<Duration>)| json!({ "name": name, "forwarding_s": forwarding.map(Duration::seconds) });
    let run = scenario.run();
    let warm_up = match run.warm_up {
        WarmUp::Fixed(warm_up) => warm_up.seconds(),
        _ => 0.0,
    };
    Ok(json!({
        "stations": links.stations.iter().map(station).collect::<Vec<Value>>(),
        "directions": links.directions.iter().map(direction).collect::<Vec<Value>>(),
        "watched": links.watched,
        "events": scenario.list("event").iter().map(|event| event.name()).collect::<Vec<&str>>(),
        "run_s": run.duration.seconds() + warm_up,
    }))
}

fn direction(direction: &Direction) -> Value {
    let link = &direction.settings.link;
    json!({
        "medium": direction.medium,
        "from": direction.ends[0],
        "to": direction.ends[1],
        "rate": direction.rate,
        "delay_s": direction.propagation.seconds(),
        "jitter": jitter(&link.jitter),
        "reorders": link.reorders,
        "loss": link.loss,
        "recorded_losses": link.lost.iter().any(|lost| *lost),
        "mtu": link.mtu,
        "overhead": link.framing.overhead,
        "counted": link.framing.counted,
        "queue": queue(&direction.settings.queue),
        "trace": direction.trace().map(|trace| rate_over_time(trace)),
    })
}

/// A distribution by its name and moments; null where nothing is added.
fn jitter(jitter: &RandomTime) -> Value {
    let name = match jitter {
        _ if jitter.is_zero() => return Value::Null,
        RandomTime::Uniform(..) => "uniform",
        RandomTime::Recorded(_) => "recorded",
        RandomTime::Law(law) => law.shape.word(),
    };
    let variation = match jitter {
        RandomTime::Law(law) => match law.shape {
            Shape::Normal(variation) => Some(variation),
            _ => None,
        },
        _ => None,
    };
    json!({
        "distribution": name,
        "mean_s": jitter.mean().seconds(),
        "deviation_s": variation.map(|variation| variation * jitter.mean().seconds()),
        "most_s": jitter.most().map(|most| most.seconds()),
    })
}

fn queue(queue: &QueueSettings) -> Value {
    let (kind, parameters) = match &queue.discipline {
        Discipline::Fifo => ("fifo", json!({})),
        Discipline::Codel(delay) => (
            "codel",
            json!({
                "target_s": delay.target.seconds(),
                "interval_s": delay.interval.seconds(),
                "ecn": delay.ecn,
                "ce_threshold_s": delay.ce_threshold.map(|threshold| threshold.wait.seconds()),
            }),
        ),
        Discipline::Pie(pie) => (
            "pie",
            json!({
                "target_s": pie.target.seconds(),
                "tupdate_s": pie.update.seconds(),
                "alpha": pie.alpha,
                "beta": pie.beta,
                "ecn": pie.ecn,
            }),
        ),
        Discipline::DualPi2(dual) => {
            ("dualpi2", json!({ "target_s": dual.target.seconds(), "coupling_factor": dual.coupling }))
        }
        Discipline::Cake(cake) => {
            ("cake", json!({ "bandwidth": cake.bandwidth, "interval_s": cake.interval.seconds() }))
        }
        Discipline::Drr { quantum, .. } => ("drr", json!({ "quantum": quantum })),
        Discipline::FqCodel { quantum, queues, delay } => (
            "fq-codel",
            json!({
                "quantum": quantum,
                "flows": queues,
                "target_s": delay.target.seconds(),
                "interval_s": delay.interval.seconds(),
                "ecn": delay.ecn,
                "ce_threshold_s": delay.ce_threshold.map(|threshold| threshold.wait.seconds()),
            }),
        ),
        Discipline::Priority { .. } => ("priority", json!({})),
        Discipline::Htb { .. } => ("htb", json!({})),
    };
    let shaping = |Shaping { rate, burst }| json!({ "rate": rate, "burst": burst });
    json!({
        "kind": kind,
        "parameters": parameters,
        "packets": (queue.limit.packets != u32::MAX).then_some(queue.limit.packets),
        "octets": (queue.limit.octets != u64::MAX).then_some(queue.limit.octets),
        "shaping": queue.shaping.map(shaping),
        "early": queue.early.is_some(),
    })
}

fn rate_over_time(trace: &RateTrace) -> Value {
    let seconds = |at: Time| at.seconds();
    match (trace.opportunities(), trace.rates()) {
        (Some(instants), _) => {
            json!({ "opportunities_ms": instants.map(|at| at.picoseconds() / 1_000_000_000).collect::<Vec<u64>>() })
        }
        (None, Some((rates, period))) => json!({
            "rates": rates.map(|(at, rate)| json!([at.seconds(), rate])).collect::<Vec<Value>>(),
            "period_s": period.map(seconds),
        }),
        (None, None) => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Result<Value, Problems> {
        of(&sojourn_scenario::check(&crate::kinds().parse("test.toml", text)?)?)
    }

    #[test]
    fn each_direction_has_what_it_does_to_packets() {
        let found = links(include_str!("../../../examples/ip-home-link.toml")).unwrap();
        let uplink = found["directions"].as_array().unwrap().iter().find(|one| one["medium"] == "uplink").unwrap();
        assert_eq!(
            (&uplink["rate"], &uplink["mtu"], &uplink["overhead"]),
            (&json!(20_000_000), &json!(1500), &json!(38))
        );
        assert_eq!(uplink["delay_s"], json!(0.005_000_05), "5 ms and 10 m of cable");
        assert_eq!((&uplink["queue"]["kind"], &uplink["jitter"]), (&json!("fq-codel"), &Value::Null));
        // console, router, provider, server: three links in each direction
        let lengths = [0_usize, 1].map(|route| found["watched"][route].as_array().map(Vec::len));
        assert_eq!(lengths, [Some(3), Some(3)]);
    }

    #[test]
    fn other_networks_have_no_such_links() {
        let problems = links(&crate::kinds().template("queue").unwrap()).unwrap_err();
        assert!(problems.to_string().contains("of kind \"ip\""), "{problems}");
    }
}
