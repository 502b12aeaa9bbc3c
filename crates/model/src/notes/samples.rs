//! How many samples a scenario asks for: probes that nothing offers, and quantiles of too few samples.

use sojourn_core::Duration;
use sojourn_metrics::display::{duration, rounded};
use sojourn_scenario::{Expectation, Problem, Scenario, Table, WarmUp};

use crate::arrivals;
use crate::meaning::{begins, is_changed};
use crate::network::Network;
use crate::warning::Warning;

const OBSERVED: &str = "what is sampled is what is sent while a run observes, after its warm-up";
const BEYOND: &str =
    "of ten samples beyond a quantile the number varies by a third (1/sqrt(10), Poisson), of fewer by more";

/// Samples beyond a quantile that it is read from.
const SAMPLES_BEYOND: f64 = 10.0;

/// Flows that are sampled and hardly send while a run observes.
pub(super) fn silent_probes(scenario: &Scenario, found: &mut Vec<Warning>) {
    let probes = scenario.tables("probe").filter(|table| table.has("from"));
    for flow in scenario.tables("flow").filter(|flow| is_probed(flow)).chain(probes) {
        if is_changed(scenario, flow.name()) {
            continue;
        }
        if let Some(warning) = too_late(scenario, flow).or_else(|| too_seldom(scenario, flow)) {
            found.push(warning);
        }
    }
}

fn is_probed(flow: &Table) -> bool {
    flow.has("probe") && flow.flag("probe")
}

/// A flow that begins when the run is over.
fn too_late(scenario: &Scenario, flow: &Table) -> Option<Warning> {
    let WarmUp::Fixed(warm_up) = scenario.run().warm_up else { return None };
    let (begin, end) = (begins(flow), warm_up + scenario.run().duration);
    let key =
        if flow.optional_duration("start").is_some_and(|start| start > Duration::ZERO) { "start" } else { "arrivals" };
    let message = format!("`{}` is sampled and begins after {begin}, when runs have ended after {end}", flow.name());
    let help = format!("let it begin earlier, or give run.duration more than {}", begin.saturating_sub(warm_up));
    (begin >= end).then(|| Warning { problem: scenario.problem(flow, key, message, Some(help)), rule: OBSERVED })
}

/// A flow that sends less than one message in a run.
fn too_seldom(scenario: &Scenario, flow: &Table) -> Option<Warning> {
    let rate = rate_of_all(scenario, flow)?;
    let observed = scenario.run().duration;
    let messages = rate * observed.seconds();
    let message = format!(
        "`{}` is sampled and sends one message in {}: runs of {observed} have {} of them on average",
        flow.name(),
        duration(1.0 / rate),
        rounded(messages, 2)
    );
    let help = format!("give run.duration {} or more", duration(1.0 / rate));
    // what is even one message a run has it, but for rounding
    let is_seldom = messages < 0.999;
    is_seldom.then(|| Warning { problem: scenario.problem(flow, "arrivals", message, Some(help)), rule: OBSERVED })
}

/// Quantiles that are expected of fewer samples than they take.
pub(super) fn far_quantiles(network: &dyn Network, scenario: &Scenario, replications: u32, found: &mut Vec<Warning>) {
    let run = scenario.run();
    for expected in scenario.expectations() {
        let Some(quantile) = quantile(&expected.field) else { continue };
        let Some(rate) = rate_of_samples(network, scenario, expected).filter(|rate| *rate > 0.0) else { continue };
        let of_a_run = rate * run.duration.seconds();
        let has = of_a_run * f64::from(replications);
        let needs = SAMPLES_BEYOND / (1.0 - quantile);
        if has >= needs * (1.0 - 1e-9) {
            continue;
        }
        let message = format!(
            "`{}.{}` takes {needs:.0} samples, and {} replications of {} have about {}",
            expected.metric,
            expected.field,
            replications,
            run.duration,
            rounded(has, 2)
        );
        let longer = needs / (rate * f64::from(replications));
        let help = format!("give run.duration {}, or {:.0} replications", at_least(longer), (needs / of_a_run).ceil());
        let place = expected.place.clone();
        let problem = Problem::at(place, message).maybe_help(Some(help));
        found.push(Warning { problem, rule: BEYOND });
    }
}

/// A time in two digits that is not less.
fn at_least(seconds: f64) -> String {
    let step = libm::pow(10.0, libm::log10(seconds).floor() - 1.0);
    format!("{} s", rounded((seconds / step - 1e-9).ceil() * step, 2))
}

/// The quantile that a field is, from 90 % on.
fn quantile(field: &str) -> Option<f64> {
    let digits = field.strip_prefix('p').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
    let quantile = format!("0.{digits}").parse::<f64>().ok()?;
    (0.9..1.0).contains(&quantile).then_some(quantile)
}

/// Samples a second, at most, of the metric of a condition; `None` where closed loops or events decide.
fn rate_of_samples(network: &dyn Network, scenario: &Scenario, expected: &Expectation) -> Option<f64> {
    let (metric, member) =
        expected.metric.split_once('/').map_or((&*expected.metric, None), |(one, other)| (one, Some(other)));
    if !matches!(metric, "response_time" | "one_way_delay" | "transaction_time") || scenario.is_measured() {
        return None;
    }
    if scenario.tables("probe").any(|table| table.has("from")) {
        return None;
    }
    let flows = || scenario.tables("flow");
    let all = network.information().samples_without_probe && !flows().any(is_probed);
    let of_member = |flow: &&Table| member.is_none_or(|member| member == flow.name());
    let mut sampled = flows().filter(|flow| all || is_probed(flow)).filter(of_member).peekable();
    sampled.peek()?;
    sampled.map(|flow| (!is_changed(scenario, flow.name())).then(|| rate_of_all(scenario, flow)).flatten()).sum()
}

/// Messages a second of all senders of a flow, each for all of its receivers, at most.
fn rate_of_all(scenario: &Scenario, flow: &Table) -> Option<f64> {
    let senders: Vec<usize> = flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)).collect();
    let receivers = match senders.first().filter(|_| flow.has("to")) {
        Some(&first) => scenario.receivers(flow, first).len().max(1),
        None => 1,
    };
    let exchanges = flow.optional_integer("exchanges").unwrap_or(1);
    let is_polled = flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.word_is("kind", "poll"));
    let each = if is_polled { 1.0 } else { receivers as f64 };
    let sent = rate(flow, receivers)?;
    Some(sent * senders.len().max(1) as f64 * each * exchanges as f64)
}

/// Messages a second of a sender of a flow, at most; `None` where a closed loop decides, or a list.
fn rate(flow: &Table, receivers: usize) -> Option<f64> {
    // calls send far more than is asked for here
    if flow.word_is("service", "voice") || flow.word_is("traffic", "voice") || flow.word_is("traffic", "bulk") {
        return None;
    }
    let per_second =
        |span: Option<Duration>| span.filter(|span| *span > Duration::ZERO).map(|span| 1.0 / span.seconds());
    let Some(table) = flow.optional_table("arrivals") else { return per_second(flow.optional_duration("interval")) };
    match table.word("kind") {
        "poll" => {
            let of_round = per_second(table.optional_duration("cycle")).map(|rounds| rounds * receivers as f64);
            per_second(table.optional_duration("interval")).or(of_round)
        }
        "heartbeat" => {
            let changes = per_second(table.optional_duration("change_interval")).unwrap_or_default();
            Some(changes + per_second(table.optional_duration("max_interval"))?)
        }
        "closed" | "trace" => None,
        _ => arrivals::arrivals(table)?.rate(),
    }
}
