//! What the scenario's events do to stations and flows.

use sojourn_core::Duration;
use sojourn_scenario::event::Setting;
use sojourn_scenario::{Event, Problem, Problems, Resolved, Scenario};

use sojourn_model::timed::{self, EventPlan, PlannedEvent};

/// What an event does to a station or a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The servers of a station work, or do not.
    Working(usize, bool),
    /// A flow sends, or does not.
    Sending(usize, bool),
    /// So many customers of a flow arrive at once.
    Burst(usize, u64),
    /// The mean service time of a station, and that of the scenario.
    Mean(usize, [Duration; 2]),
}

impl timed::Effect for Effect {
    fn undone(self) -> Effect {
        match self {
            Effect::Working(station, works) => Effect::Working(station, !works),
            Effect::Sending(flow, sends) => Effect::Sending(flow, !sends),
            Effect::Burst(flow, _) => Effect::Burst(flow, 0),
            Effect::Mean(station, [mean, written]) => Effect::Mean(station, [written, mean]),
        }
    }
}

/// The events of a checked scenario whose stations have these mean service times; none where it has none.
pub fn plan(scenario: &Scenario, means: &[Duration]) -> Result<Option<EventPlan<Effect>>, Problems> {
    let events = scenario.events();
    if events.is_empty() {
        return Ok(None);
    }
    let mut problems = Problems::new();
    let planned =
        events.iter().map(|event| PlannedEvent::new(event, effects(scenario, means, event, &mut problems))).collect();
    problems.or(Some(EventPlan::new(planned)))
}

fn effects(
    scenario: &Scenario,
    means: &[Duration],
    event: &Event,
    problems: &mut Problems,
) -> Vec<(String, Vec<Effect>)> {
    let stations = event.stations.iter().map(|&station| {
        let name = scenario.list("station")[station].name().to_owned();
        (name, vec![Effect::Working(station, event.action.word.word == "up")])
    });
    let mut effects: Vec<_> = stations.collect();
    for name in &event.flows {
        let flows = scenario.list("flow");
        let Some(flow) = flows.iter().position(|flow| flow.name() == name) else { continue };
        let word = event.action.word.word;
        if flows[flow].table("arrivals").word_is("kind", "closed") {
            let message = format!("event `{}`: flow `{name}` is closed, its customers circulate", event.name);
            let problem = Problem::at(flows[flow].place_of("arrivals"), message);
            problems.push(problem.help("start, stop and burst are for customers that arrive from outside"));
        }
        effects.push((
            name.clone(),
            vec![match word {
                "burst" => Effect::Burst(flow, event.size),
                word => Effect::Sending(flow, word == "start"),
            }],
        ));
    }
    effects.extend(event.settings.iter().map(|setting| (setting.key_path(), changed(means, setting))));
    effects
}

/// The mean service time is the only key that changes.
fn changed(means: &[Duration], setting: &Setting) -> Vec<Effect> {
    let Resolved::Duration(mean) = setting.value else { panic!("service.mean is a time") };
    let named = means.iter().enumerate().filter(|(station, _)| setting.member.is_none_or(|member| member == *station));
    named.map(|(station, &written)| Effect::Mean(station, [mean, written])).collect()
}
