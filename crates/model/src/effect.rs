//! The effects of a scenario's events on the stations, media and flows of a site whose media have bit errors.

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::sample;
use sojourn_scenario::{Event, Resolved, Scenario};

use super::timed::{self, EventPlan, PlannedEvent, off_at_first, silent_at_first};

/// What an event does to a station, a medium or a flow, each given by its index in the site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// A station has power or not; its applications begin within the span.
    Power(u32, bool, Duration),
    /// A station resets; its applications begin within the span.
    Restart(u32, Duration),
    /// Packets are received on a medium or not.
    Line(u32, bool),
    /// A medium changes; and how it was before.
    Set(u32, [MediumChange; 2]),
    /// A flow sends or not.
    Sending(u32, bool),
    /// Each sender of a flow sends this many messages at once, or requests this many sessions.
    Burst(u32, u32),
}

/// A key of a medium that can change, and the value that it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediumChange {
    /// Bit error rate.
    BitErrorRate(f64),
    /// One-way delay of an IP network.
    Delay(Duration),
    /// The most that a datagram is delayed beyond it; none: as the scenario says.
    Jitter(Option<Duration>),
    /// Share of the datagrams that it loses.
    Loss(f64),
}

impl MediumChange {
    fn of(key: &str, value: &Resolved) -> MediumChange {
        match (key, value) {
            ("bit_error_rate", Resolved::Number(rate)) => MediumChange::BitErrorRate(*rate),
            ("delay", Resolved::Duration(span)) => MediumChange::Delay(*span),
            ("jitter", Resolved::Duration(span)) => MediumChange::Jitter(Some(*span)),
            ("jitter", Resolved::Table(_)) => MediumChange::Jitter(None),
            ("loss", Resolved::Number(share)) => MediumChange::Loss(*share),
            _ => panic!("`{key}` of a medium is not changeable"),
        }
    }
}

impl timed::Effect for Effect {
    fn undone(self) -> Effect {
        match self {
            Effect::Power(station, on, spread) => Effect::Power(station, !on, spread),
            Effect::Line(medium, up) => Effect::Line(medium, !up),
            Effect::Set(medium, [change, before]) => Effect::Set(medium, [before, change]),
            Effect::Sending(flow, sends) => Effect::Sending(flow, !sends),
            Effect::Restart(..) | Effect::Burst(..) => self,
        }
    }
}

/// The events of a site, and its state before the first.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// What happens.
    pub plan: EventPlan<Effect>,
    /// Stations that are off at first.
    pub off: Vec<u32>,
    /// Flows that are silent at first.
    pub silent: Vec<u32>,
}

/// The events of a checked scenario; none where it has none.
pub fn timeline(scenario: &Scenario) -> Option<Timeline> {
    let events = scenario.events();
    if events.is_empty() {
        return None;
    }
    let stations = 0..scenario.members().len();
    let flows = (0..).zip(scenario.list("flow"));
    Some(Timeline {
        plan: EventPlan::new(events.iter().map(|event| PlannedEvent::new(event, effects(scenario, event))).collect()),
        off: stations.filter(|station| off_at_first(events, *station)).map(|station| station as u32).collect(),
        silent: flows.filter(|(_, table)| silent_at_first(events, table.name())).map(|(flow, _)| flow).collect(),
    })
}

/// The time until the applications of a station begin that gets power now, uniform between 0 and `spread`; a stream for each time.
pub fn power_up_delay(streams: &Streams, station: &str, now: Time, spread: Duration) -> Duration {
    if spread == Duration::ZERO {
        return spread;
    }
    let mut stream = streams.stream(&format!("station/{station}/power-up/{}", now.picoseconds()));
    sample::uniform(&mut stream, spread)
}

/// The effects of an event on everything that it names.
fn effects(scenario: &Scenario, event: &Event) -> Vec<(String, Vec<Effect>)> {
    let (word, spread) = (event.action.word.word, event.spread);
    let members = scenario.members();
    let power = event.stations.iter().map(|&station| {
        let effect = match word {
            "restart" => Effect::Restart(station as u32, spread),
            _ => Effect::Power(station as u32, word == "power-up", spread),
        };
        (members[station].name.clone(), vec![effect])
    });
    let media = scenario.list("medium");
    let lines = event.media.iter().map(|&medium| {
        let effect = Effect::Line(medium as u32, word == "up");
        (media[medium].name().to_owned(), vec![effect])
    });
    let flows =
        (0..).zip(scenario.list("flow")).filter(|(_, table)| event.flows.iter().any(|name| name == table.name()));
    let flows = flows.map(|(flow, table)| {
        let effect = match word {
            "burst" => Effect::Burst(flow, event.size as u32),
            _ => Effect::Sending(flow, word == "start"),
        };
        (table.name().to_owned(), vec![effect])
    });
    let settings = event.settings.iter().map(|setting| {
        let key = setting.keys.0.name;
        let of = (0..).zip(media).filter(|(at, _)| setting.member.is_none_or(|member| member == *at as usize));
        let changes = of.filter_map(|(at, table)| {
            let before = &table.get(key)?.value;
            Some(Effect::Set(at, [&setting.value, before].map(|value| MediumChange::of(key, value))))
        });
        (setting.key_path(), changes.collect())
    });
    power.chain(lines).chain(flows).chain(settings).collect()
}
