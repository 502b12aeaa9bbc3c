//! Converts the events of a scenario to their effects on a site.

use sojourn_scenario::event::Setting;
use sojourn_scenario::{Event, Problem, Problems, Resolved, Scenario};

use super::effect::{Effect, Timeline};
use super::rates::{burst_gap, loss_interval};
use super::site::{Flow, Traffic};
use sojourn_model::timed::{EventPlan, PlannedEvent, off_at_first, silent_at_first};

/// The events of a checked scenario with these hosts and flows; none where it has none.
pub fn timeline(scenario: &Scenario, hosts: usize, flows: &[Flow]) -> Result<Option<Timeline>, Problems> {
    let events = scenario.events();
    if events.is_empty() {
        return Ok(None);
    }
    let mut problems = Problems::new();
    let planned = events.iter().zip(scenario.list("event"));
    let planned = planned.map(|(event, table)| {
        if event.action.word.word == "burst" {
            let sends = |flow: &Flow| matches!(flow.traffic, Traffic::Messages(..));
            if let Some(other) = flows.iter().find(|flow| event.flows.contains(&flow.name) && !sends(flow)) {
                let message = format!("`{}` sends no messages, and a burst is of messages", other.name);
                problems.push(scenario.problem(table, "flows", message, None));
            }
        }
        PlannedEvent::new(event, effects(scenario, event, flows, &mut problems))
    });
    let plan = EventPlan::new(planned.collect());
    problems.or(Some(Timeline {
        plan,
        off: (0..hosts).map(|host| off_at_first(events, host)).collect(),
        silent: flows.iter().map(|flow| silent_at_first(events, &flow.name)).collect(),
    }))
}

/// The effects of an event on everything that it names.
fn effects(scenario: &Scenario, event: &Event, flows: &[Flow], problems: &mut Problems) -> Vec<(String, Vec<Effect>)> {
    let word = event.action.word.word;
    let members = scenario.members();
    let mut found = Vec::new();
    for &station in &event.stations {
        let effect = match word {
            "restart" => Effect::Restart(station as u32),
            _ => Effect::Power(station as u32, word == "power-up"),
        };
        found.push((members[station].name.clone(), vec![effect]));
    }
    for &medium in &event.media {
        let effect = Effect::Ring(medium as u16, word == "up");
        found.push((scenario.list("medium")[medium].name().to_owned(), vec![effect]));
    }
    for name in &event.flows {
        let numbers = (0..).zip(flows).filter(|(_, flow)| flow.name == *name).map(|(number, _)| number);
        let effect = |flow| match word {
            "burst" => Effect::Burst(flow, event.size as u32),
            _ => Effect::Sending(flow, word == "start"),
        };
        found.push((name.clone(), numbers.map(effect).collect()));
    }
    for setting in &event.settings {
        match change(scenario, setting) {
            Ok(effect) => found.push((setting.key_path(), vec![effect])),
            Err(problem) => problems.push(problem),
        }
    }
    found
}

/// What a setting changes, and how it is without.
fn change(scenario: &Scenario, setting: &Setting) -> Result<Effect, Problem> {
    let key = setting.keys.0.name;
    let &Resolved::Number(value) = &setting.value else { panic!("`{key}` is a number") };
    let before = scenario.table(setting.table).number(key);
    Ok(match key {
        "frame_loss" => Effect::FrameLoss([value, before]),
        "token_loss" => Effect::TokenLoss([value, before].map(loss_interval)),
        "rate" if before == 0.0 => {
            let message = "without background traffic at first, the ring has no generator for it";
            let help = "write a rate above 0 in [background], and let an event stop it before";
            return Err(Problem::at(setting.place.clone(), message).help(help));
        }
        "rate" => Effect::Load([value, before].map(|rate| burst_gap(scenario.table("background"), rate))),
        key => panic!("`{key}` is not changeable"),
    })
}
