//! Effects of a scenario's events on the adapter, the fibre and the frames of each direction.

use sojourn_scenario::{Event, Resolved, Scenario};

use sojourn_model::timed::{self, EventPlan, PlannedEvent, begins_after, silent_at_first};

/// What an event does; a value with what it was before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// The adapter has power or not.
    Power(bool),
    /// The adapter resets.
    Restart,
    /// The fibre carries light or not.
    Fibre(bool),
    /// There are frames of a direction or not.
    Sending(Side, bool),
    /// This many frames of a direction at once.
    Burst(Side, u32),
    /// A share of cycles or of frames.
    Share(Share, [f64; 2]),
}

/// A direction of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// From the ring to the host.
    Receive,
    /// From the host to the ring.
    Transmit,
}

/// Shares that can change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Bus cycles that other nodes request.
    Interference,
    /// Frames of station management.
    Management,
    /// LLC frames without a SNAP header.
    Llc,
}

impl timed::Effect for Effect {
    fn undone(self) -> Effect {
        match self {
            Effect::Power(on) => Effect::Power(!on),
            Effect::Fibre(up) => Effect::Fibre(!up),
            Effect::Sending(side, sends) => Effect::Sending(side, !sends),
            Effect::Share(share, [value, before]) => Effect::Share(share, [before, value]),
            Effect::Restart | Effect::Burst(..) => self,
        }
    }
}

/// The events of a scenario, and the state before the first.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What happens.
    pub plan: EventPlan<Effect>,
    /// Whether the adapter is off at first.
    pub off: bool,
    /// Directions without frames at first.
    pub silent: Vec<Side>,
}

/// The events of a checked scenario; none where it has none.
pub fn timeline(scenario: &Scenario) -> Option<Timeline> {
    let events = scenario.events();
    if events.is_empty() {
        return None;
    }
    Some(Timeline {
        plan: EventPlan::new(events.iter().map(|event| PlannedEvent::new(event, effects(scenario, event))).collect()),
        off: begins_after(events, ["power-up", "power-down"]),
        silent: ["receive", "transmit"].into_iter().filter(|name| silent_at_first(events, name)).map(side).collect(),
    })
}

fn side(name: &str) -> Side {
    if name == "receive" { Side::Receive } else { Side::Transmit }
}

/// The effects of an event on everything that it names.
fn effects(scenario: &Scenario, event: &Event) -> Vec<(String, Vec<Effect>)> {
    let word = event.action.word.word;
    let alone = |name: &str, effect| vec![(name.to_owned(), vec![effect])];
    match word {
        "power-up" | "power-down" => alone("adapter", Effect::Power(word == "power-up")),
        "restart" => alone("adapter", Effect::Restart),
        "up" | "down" => alone("ring", Effect::Fibre(word == "up")),
        "set" => event.settings.iter().map(|setting| changed(scenario, setting)).collect(),
        _ => {
            let of = |name: &String| {
                let effect = match word {
                    "burst" => Effect::Burst(side(name), event.size as u32),
                    _ => Effect::Sending(side(name), word == "start"),
                };
                (name.clone(), vec![effect])
            };
            event.flows.iter().map(of).collect()
        }
    }
}

fn changed(scenario: &Scenario, setting: &sojourn_scenario::event::Setting) -> (String, Vec<Effect>) {
    let &Resolved::Number(value) = &setting.value else { panic!("a share is a number") };
    let share = match setting.keys.0.name {
        "interference" => Share::Interference,
        "management_share" => Share::Management,
        _ => Share::Llc,
    };
    let before = scenario.table(setting.table).number(setting.keys.0.name);
    (setting.key_path(), vec![Effect::Share(share, [value, before])])
}
