//! Writes flows: receivers, service, sizes, timers, and when they send.

use std::collections::BTreeMap;

use sojourn_protocols::lontalk::timer::TRANSACTION_TIMER_MS;
use sojourn_protocols::lontalk::wire::SubnetNode;

use super::super::arrivals::{Arrivals, arrivals, polls, trace};
use super::super::document::{Document, Inline, Time, span};
use super::super::scenario::Trace;
use super::groups::{SMEAR, SharedFlow};
use super::keys::flow as keys;
use super::survey::{Kind, To};
use super::write::{Writer, at, sorted};
use sojourn_capture::arrivals::Reservoir;

/// Members of a group with acknowledged service (ISO/IEC 14908-1, 6).
const GROUP_LIMIT: usize = 64;
/// Messages of a trace, at most.
const TRACE_ROWS: usize = 100_000;

impl Writer<'_> {
    /// A flow. Returns after how long it has settled, s.
    pub(super) fn flow(
        &self,
        from: &str,
        flow: &SharedFlow,
        duration: f64,
        counts: &mut BTreeMap<&'static str, u32>,
        document: &mut Document,
        traces: &mut Vec<Trace>,
    ) -> f64 {
        let Some((to, addressing)) = self.receivers(flow) else {
            document.note(format!(
                "Left out: {} messages from {from} to receivers that the capture does not show.",
                flow.flow.times.count(),
            ));
            return 0.0;
        };
        let word = service(flow.shape.kind);
        let number = counts.entry(word).or_default();
        *number += 1;
        let name = format!("{word}-{number}");
        let found = match &flow.cycle {
            Some(cycle) => polls(cycle),
            None => arrivals(&flow.flow.times, flow.each.len(), duration, SMEAR),
        };
        let about = format!("{} messages, {}.", flow.flow.times.count(), sizes(&flow.flow.data));
        document.table_of(keys::TABLE, about);
        document.set(keys::NAME, &name);
        document.set(keys::FROM, from);
        document.set(keys::TO, to);
        if let Some(addressing) = addressing {
            document.set(keys::ADDRESSING, addressing);
        }
        let authenticated = flow.shape.authenticated;
        document.set(keys::SERVICE, if authenticated && word == "acknowledged" { "authenticated" } else { word });
        if authenticated && word == "request" {
            document.set(keys::AUTHENTICATED, true);
        }
        if flow.shape.priority {
            document.set(keys::PRIORITY, true);
        }
        if !flow.shape.variable {
            document.set(keys::MESSAGE, "explicit");
        }
        self.sizes(flow, document);
        tries(flow, document);
        let arrivals = self.arrivals_or_trace(&name, flow, &found, traces);
        document.set_because(keys::ARRIVALS, arrivals, &found.reason);
        if matches!(flow.shape.kind, Kind::Acknowledged | Kind::Request) {
            document.set(keys::PROBE, true);
        }
        found.settles
    }

    fn sizes(&self, flow: &SharedFlow, document: &mut Document) {
        let limit = if flow.shape.variable { 31 } else { 228 };
        let poll_of_variable = flow.shape.variable && flow.shape.kind == Kind::Request;
        if !poll_of_variable {
            document.set(keys::DATA, flow.shape.data.min(limit) as f64);
        }
        if flow.shape.kind == Kind::Request {
            document.set(keys::RESPONSE_DATA, flow.shape.response.min(limit) as f64);
        }
    }

    /// The law, or where none fits and all messages are known, the messages themselves.
    fn arrivals_or_trace(&self, name: &str, flow: &SharedFlow, found: &Arrivals, traces: &mut Vec<Trace>) -> Inline {
        let enough = flow.flow.times.gaps().values().len() >= sojourn_capture::arrivals::FEWEST_GAPS;
        let complete = flow.each.iter().all(|(_, to, times)| times.is_complete() && matches!(to, To::Node(_)));
        if found.is_good || !enough || !complete || flow.flow.times.count() as usize > TRACE_ROWS {
            return found.value.clone();
        }
        let start = self.survey.first.unwrap_or_default();
        let mut rows = Vec::new();
        for (from, to, times) in &flow.each {
            let To::Node(to) = to else { continue };
            let (Some(from), Some(to)) = (self.names.get(from), self.names.get(to)) else { continue };
            rows.extend(times.in_order().iter().map(|at| (at.since(start), from, to)));
        }
        rows.sort();
        let mut text = String::from("time,from,to,size\n");
        for (at, from, to) in rows {
            text.push_str(&format!("{:.6},{from},{to},{}\n", at.seconds(), flow.shape.data));
        }
        let file = format!("{}-{name}.csv", self.options.name);
        let value = trace(&file);
        traces.push(Trace { file, text });
        value
    }

    /// The receivers as a scenario names them, and the addressing if it is not that of one node.
    fn receivers(&self, flow: &SharedFlow) -> Option<(Vec<String>, Option<&'static str>)> {
        let node = |node: &SubnetNode| self.names.get(node).cloned();
        if self.names.len() < 2 {
            return None;
        }
        match flow.to[..] {
            [To::Node(to)] if flow.senders.contains(&to) => None,
            [To::Node(to)] => Some((vec![node(&to)?], flow.cycle.is_some().then_some("unicast"))),
            [To::Group(_)] => {
                let members: Vec<String> = flow.flow.members.iter().filter_map(node).take(GROUP_LIMIT - 1).collect();
                // who belongs to a group shows in acknowledgements only
                match (members.is_empty(), flow.shape.kind) {
                    (false, _) => Some((members, Some("group"))),
                    (true, Kind::Acknowledged | Kind::Request) => None,
                    (true, _) => Some((vec!["everyone".to_owned()], Some("group"))),
                }
            }
            [To::Broadcast(_)] => Some((vec!["everyone".to_owned()], Some("broadcast"))),
            [To::UniqueId(_)] => None,
            _ => {
                let all = flow.to.iter().filter_map(|to| if let To::Node(to) = to { node(to) } else { None });
                Some((self.whole_groups(all.collect()), Some("unicast")))
            }
        }
    }

    /// Names of members, and of a group where all its members are among them in order.
    fn whole_groups(&self, members: Vec<String>) -> Vec<String> {
        let mut named: Vec<String> = Vec::new();
        let mut rest = &members[..];
        while let Some(first) = rest.first() {
            let whole = self.groups.groups.iter().enumerate().find_map(|(number, group)| {
                let own: Vec<&String> = group.members.iter().map(|member| &self.names[member]).collect();
                let all = own.len() > 1 && rest.len() >= own.len() && own.iter().zip(rest).all(|(a, b)| **a == *b);
                all.then(|| (format!("group-{}", number + 1), own.len()))
            });
            let (name, count) = whole.unwrap_or_else(|| (first.clone(), 1));
            named.push(name);
            rest = &rest[count..];
        }
        named
    }
}

/// Timer and count of retries or repeats, as far as they show.
fn tries(flow: &SharedFlow, document: &mut Document) {
    let found = &flow.flow;
    let gaps = sorted(&found.retry_gaps);
    let (timer, count) = match flow.shape.kind {
        Kind::Unacknowledged => return,
        Kind::Repeated => (keys::REPEAT_TIMER, keys::REPEATS),
        Kind::Acknowledged | Kind::Request => (keys::TRANSACTION_TIMER, keys::RETRIES),
    };
    if gaps.is_empty() {
        let (timer, count) = (timer.name, count.name);
        document.comment(format!("No message was sent again: {timer} and {count} have their defaults."));
    } else {
        let typical = at(&gaps, 0.25);
        document.comment(format!(
            "The timer nearest to the gap between tries, {} at the 25th percentile of {}.",
            span(typical),
            gaps.len()
        ));
        document.set(timer, Time::Milliseconds(nearest_timer(typical)));
    }
    if flow.shape.kind == Kind::Repeated {
        let repeats = (found.tries as f64 / found.times.count().max(1) as f64 - 1.0).round().clamp(0.0, 15.0);
        document.comment(format!("{} packets for {} messages.", found.tries, found.times.count()));
        document.set(count, repeats as u64);
    } else if found.unanswered > 0 && found.tries_unanswered > 1 {
        document.comment(format!(
            "{} messages were not answered, after {} tries at most.",
            found.unanswered, found.tries_unanswered
        ));
        document.set(count, u64::from(found.tries_unanswered - 1).min(15));
    }
}

/// The transaction timer (ms) nearest to a gap in seconds, as a ratio.
fn nearest_timer(gap: f64) -> u64 {
    let distance = |timer: u64| libm::fabs(libm::log(timer as f64 * 1e-3 / gap.max(1e-4)));
    let nearest = TRANSACTION_TIMER_MS.into_iter().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    nearest.unwrap_or(128)
}

const fn service(kind: Kind) -> &'static str {
    match kind {
        Kind::Unacknowledged => "unacknowledged",
        Kind::Repeated => "unacknowledged-repeated",
        Kind::Acknowledged => "acknowledged",
        Kind::Request => "request",
    }
}

fn sizes(values: &Reservoir) -> String {
    let sorted = sorted(values);
    match (sorted.first(), sorted.last()) {
        (Some(least), Some(most)) if least == most => format!("all with {least} B of data"),
        (Some(least), Some(most)) => {
            format!("with {least} B to {most} B of data, of which the twin has the median of {} B", at(&sorted, 0.5))
        }
        _ => "without data".to_owned(),
    }
}
