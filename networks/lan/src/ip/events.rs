//! Applies a scenario's events to links and flows.

use sojourn_scenario::event::Setting;
use sojourn_scenario::{Event, Problem, Problems, Resolved, Scenario, Table};

use super::keys::{RATE_BACK, RATE_TRACE};
use crate::effect::Effect;
use crate::fabric::LinkChange;
use crate::flows::Flows;
use crate::layout::{is_shared, propagation};
use crate::topology::StationKind;
use sojourn_model::timed::{EventPlan, PlannedEvent};

/// The events of a checked scenario; none where it has none. Of links with `cells` only the loss can change.
pub fn plan(scenario: &Scenario, flows: &Flows<'_>, cells: bool) -> Result<Option<EventPlan<Effect>>, Problems> {
    let events = scenario.events();
    if events.is_empty() {
        return Ok(None);
    }
    let mut problems = Problems::new();
    let reader = Reader { scenario, flows, cells };
    let tables = scenario.list("event");
    let planned = events.iter().zip(tables).map(|(event, table)| {
        reader.check_stations(event, table, &mut problems);
        PlannedEvent::new(event, reader.effects(event, &mut problems))
    });
    let planned = planned.collect();
    problems.or(Some(EventPlan::new(planned)))
}

struct Reader<'a> {
    scenario: &'a Scenario,
    flows: &'a Flows<'a>,
    cells: bool,
}

impl Reader<'_> {
    fn effects(&self, event: &Event, problems: &mut Problems) -> Vec<(String, Vec<Effect>)> {
        let word = event.action.word.word;
        let link = [LinkChange::Up(word == "up"), LinkChange::Up(word != "up")];
        let media = event.media.iter().map(|&medium| &self.scenario.list("medium")[medium]);
        let both = |medium| self.ports(medium).map(|port| Effect::Link(port, link)).collect();
        let mut effects: Vec<(String, Vec<Effect>)> =
            media.map(|medium| (medium.name().to_owned(), both(medium.name()))).collect();
        let names = self.scenario.members();
        effects.extend(
            event
                .stations
                .iter()
                .map(|&station| (names[station].name.clone(), self.power(station, word == "power-up").collect())),
        );
        for name in &event.flows {
            let made = format!("{name}-");
            // [background] makes background-1 and so on
            let is_named = |flow: &str| flow == name || name == "background" && flow.starts_with(&made);
            let numbers = (0..).zip(&self.flows.names).filter(|(_, flow)| is_named(flow));
            effects.push((name.clone(), numbers.map(|(flow, _)| Effect::Sending(flow, word == "start")).collect()));
        }
        for setting in &event.settings {
            let media = self.scenario.list("medium").iter().enumerate();
            for (_, medium) in media.filter(|(at, _)| setting.member.is_none_or(|member| member == *at)) {
                match self.change(medium, setting) {
                    Ok(change) => {
                        let name = format!("{}/{}", medium.name(), setting.key_path());
                        // a rate of the other direction is not that which changes
                        let only_there = setting.keys.0.name == "rate" && medium.has(RATE_BACK);
                        let ports = self.ports(medium.name()).filter(|port| !only_there || port % 2 == 0);
                        let effects_of = ports.map(|port| Effect::Link(port, change)).collect();
                        effects.push((name, effects_of));
                    }
                    Err(problem) => problems.push(problem),
                }
            }
        }
        effects
    }

    /// A switch gets or loses power: its links carry nothing in either direction without.
    fn power(&self, station: usize, on: bool) -> impl Iterator<Item = Effect> {
        self.flows.layout.ports_of(station).iter().flat_map(move |&port| {
            let end = port as usize % 2;
            let change = [LinkChange::Power(end, on), LinkChange::Power(end, !on)];
            [port, port ^ 1].map(|port| Effect::Link(port, change))
        })
    }

    fn check_stations(&self, event: &Event, table: &Table, problems: &mut Problems) {
        let layout = &self.flows.layout;
        let shares = |station: usize| layout.ports_of(station).iter().any(|port| layout.topology.is_shared(*port));
        // a node of a shared wire is more than a host: without node 0 there are no beacons
        let is_host = |station: &&usize| layout.topology.stations[**station] == StationKind::Host && !shares(**station);
        if let Some(&host) = event.stations.iter().find(is_host) {
            let members = self.scenario.members();
            let message =
                format!("`{}` is a host, and \"{}\" is for what forwards", members[host].name, event.action.word.word);
            let help = "cut it off instead: action = \"down\" with the `media` that it is on".to_owned();
            problems.push(self.scenario.problem(table, "stations", message, Some(help)));
        }
    }

    /// What a setting changes on the links of a medium.
    fn change(&self, medium: &Table, setting: &Setting) -> Result<[LinkChange; 2], Problem> {
        let key = setting.keys.0.name;
        if self.cells && key != "loss" {
            let message = format!("`{key}` of a link that carries cells cannot change during a run");
            return Err(Problem::at(setting.place.clone(), message).help("with cells, its `loss` can"));
        }
        if is_shared(medium) && key != "loss" {
            let message = format!("`{key}` of a shared wire cannot change during a run");
            return Err(Problem::at(setting.place.clone(), message).help("its `loss` can"));
        }
        change(medium, setting)
    }

    /// Both directions of all links of a medium.
    fn ports(&self, medium: &str) -> impl Iterator<Item = u32> {
        let links = (0..).zip(&self.flows.layout.media).filter(move |(_, table)| table.name() == medium);
        links.flat_map(|(link, _): (u32, _)| [2 * link, 2 * link + 1])
    }
}

/// What a setting changes on the links of a medium, and how they are without it.
fn change(medium: &Table, setting: &Setting) -> Result<[LinkChange; 2], Problem> {
    let key = setting.keys.0.name;
    let number = || match setting.value {
        Resolved::Number(number) => number,
        _ => panic!("`{key}` is a number"),
    };
    let span = || match setting.value {
        Resolved::Duration(span) => span,
        _ => panic!("`{key}` is a time"),
    };
    Ok(match key {
        "loss" => [LinkChange::Loss(number()), LinkChange::Loss(medium.number("loss"))],
        "jitter" => [Some(span()), medium.optional_duration("jitter")].map(LinkChange::Jitter),
        "delay" => {
            let whole = propagation(medium);
            let along = whole.saturating_sub(medium.duration("delay"));
            [LinkChange::Propagation(along + span()), LinkChange::Propagation(whole)]
        }
        "rate" if medium.has(RATE_TRACE) => {
            let message = format!("the rate of `{}` over time is that of its trace", medium.name());
            return Err(Problem::at(setting.place.clone(), message).help("change the trace, or leave `rate_trace` out"));
        }
        "rate" => match (&setting.value, medium.optional_number("rate")) {
            (Resolved::Number(rate), Some(before)) => {
                [*rate, before].map(|rate| LinkChange::Rate(libm::round(rate) as u64))
            }
            _ => {
                let message = "a link of unlimited rate cannot change to a limited one, nor back";
                return Err(Problem::at(setting.place.clone(), message).help("give both a rate in bit/s"));
            }
        },
        key => panic!("`{key}` of a medium is not changeable"),
    })
}
