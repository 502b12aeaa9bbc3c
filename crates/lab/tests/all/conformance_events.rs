//! What every network that knows events must do: random events of each of its actions keep every invariant of the model, and
//! what it does not know is refused.

use sojourn_catalogue::NETWORKS;
use sojourn_core::Streams;
use sojourn_core::random::Stream;
use sojourn_metrics::record::Observation;
use sojourn_model::Network;
use sojourn_scenario::keys::Shape;
use sojourn_scenario::keys::event::{Action, Affects};
use sojourn_scenario::{Document, Scenario, check};

use crate::conformance::{
    budget_adds_up, full_form, metrics_are_registered, random_form, random_value, replicate, scenario,
};

/// Random scenarios of each network.
const SCENARIOS: u32 = 24;

#[test]
fn random_events_keep_the_invariants_of_every_network_and_repeat_to_the_bit() {
    for network in networks_with_events() {
        let kind = network.kind();
        let mut ran = 0;
        for number in 0..SCENARIOS {
            let mut draws = Streams::new(u64::from(number), 0).stream("conformance/events");
            let (document, events) = random_document(network, &mut draws);
            // outages of one thing may overlap, and are refused then
            let Ok(scenario) = check(&document) else { continue };
            if scenario.events().is_empty() {
                continue;
            }
            // so is a rate that becomes unlimited
            let Ok(model) = network.model(&scenario) else { continue };
            ran += 1;
            let context = format!("{kind} with {events}");
            let record = replicate(&*model, number);
            assert_eq!(record, replicate(&*model, number), "{context} gave two records");
            metrics_are_registered(&record, &context);
            budget_adds_up(&record, &context);
            let seen = scenario.events().iter().all(|event| {
                let recovery = record.metrics.get(&format!("recovery_time/{}", event.name));
                matches!(recovery, Some(Observation::Distribution(_)))
            });
            assert!(seen && record.metrics.contains_key("response_time/timeline"), "{context}");
        }
        assert!(ran > SCENARIOS / 4, "only {ran} of {SCENARIOS} random scenarios of {kind} were valid");
    }
}

#[test]
fn an_action_that_only_another_network_knows_is_refused_with_those_that_it_knows() {
    for network in networks_with_events() {
        let kind = network.kind();
        let known = NETWORKS.find(kind).expect("a network").keys().actions;
        let other = networks_with_events().into_iter().flat_map(|network| network.keys().actions);
        for foreign in other.filter(|action| known.iter().all(|known| known.word.word != action.word.word)) {
            let word = foreign.word.word;
            let found = refused(network, &format!("action = \"{word}\"\nat = \"500 ms\"\n"));
            assert!(found.contains(&format!("\"{word}\"")) && found.contains(known[0].word.word), "{kind}: {found}");
        }
    }
}

#[test]
fn every_network_refuses_events_at_impossible_times_and_on_what_is_not_there() {
    for network in networks_with_events() {
        let kind = network.kind();
        let scenario = scenario(full_form(network));
        for action in NETWORKS
            .find(kind)
            .expect("a network")
            .keys()
            .actions
            .iter()
            .filter(|action| action.on != Affects::Settings)
        {
            let word = action.word.word;
            let Some((key, names)) = affected(action.on, network, &scenario) else { continue };
            let name = &names[0];
            let on = format!("action = \"{word}\"\n{key} = \"{name}\"\n");
            for (times, message) in
                [("at = \"50 ms\"", "is within the warm-up of"), ("at = \"2 h\"", "never happens"), ("", "has no time")]
            {
                let found = refused(network, &format!("{on}{times}\n"));
                assert!(found.contains(message), "{kind}, {word}: {found}");
            }
            let found = refused(network, &format!("action = \"{word}\"\n{key} = \"{name}q\"\nat = \"500 ms\"\n"));
            assert!(found.contains(&format!("did you mean `{name}`?")), "{kind}, {word}: {found}");
            if action.ended_by.is_some() {
                let found = refused(network, &format!("{on}at = \"500 ms\"\nuntil = \"400 ms\"\n"));
                assert!(found.contains("ends before it begins"), "{kind}, {word}: {found}");
                let twice = format!(
                    "{on}at = \"500 ms\"\nuntil = \"700 ms\"\n[[event]]\nname = \"second\"\n{on}at = \"600 ms\"\nuntil = \"800 ms\"\n"
                );
                let found = refused(network, &twice);
                assert!(found.contains("event `second` overlaps `event`"), "{kind}, {word}: {found}");
            }
        }
    }
}

fn networks_with_events() -> Vec<&'static dyn Network> {
    let all = NETWORKS.networks();
    all.filter(|network| !network.keys().actions.is_empty()).collect()
}

/// What `check` says of a scenario with this event, each mistake with its place.
fn refused(network: &dyn Network, event: &str) -> String {
    let base = scenario(full_form(network));
    let document = with_events(&base, &format!("[[event]]\nname = \"event\"\n{event}"));
    let problems = match document.and_then(|document| check(&document)) {
        Err(problems) => problems,
        Ok(_) => panic!("{} takes {event}", network.kind()),
    };
    assert!(problems.0.iter().all(|problem| problem.place.is_some()), "{problems}");
    problems.render(false, 200)
}

fn with_events(base: &Scenario, events: &str) -> Result<Document, sojourn_scenario::Problems> {
    let text = base.expanded_toml();
    NETWORKS.kinds().parse("events", &format!("{text}\n{events}"))
}

/// A full form with one to four events, and these as written.
fn random_document(network: &dyn Network, draws: &mut Stream) -> (Document, String) {
    let scenario = scenario(random_form(network, draws));
    let known = network.keys().actions;
    let mut written = String::new();
    for number in 0..1 + draws.below(4) {
        let action = &known[draws.below(known.len() as u32) as usize];
        let Some(what) = acts_on(action, network, &scenario, draws) else { continue };
        let when = schedule(action, draws);
        let word = action.word.word;
        written += &format!("[[event]]\nname = \"event-{number}\"\naction = \"{word}\"\n{what}\n{when}\n");
    }
    let document = with_events(&scenario, &written).unwrap_or_else(|problems| panic!("{problems}"));
    (document, written)
}

fn schedule(action: &Action, draws: &mut Stream) -> String {
    let at = 100 + draws.below(900);
    match (action.ended_by.is_some(), draws.below(4)) {
        (true, 0) => "mean_time_between = \"100 ms\"\nmean_time_to_repair = \"30 ms\"".to_owned(),
        (true, 1 | 2) => format!("at = \"{at} ms\"\nduration = \"{} ms\"", 1 + draws.below(200)),
        (false, 0) => format!("at = \"{at} ms\"\nevery = \"{} ms\"", 1 + draws.below(200)),
        _ => format!("at = \"{at} ms\""),
    }
}

/// The key that names what is affected, with names of the scenario.
fn affected(on: Affects, network: &dyn Network, scenario: &Scenario) -> Option<(&'static str, Vec<String>)> {
    let keys = network.keys();
    let named = |table: &str| -> Vec<String> {
        match keys.table(table) {
            Some(_) => scenario.list(table).iter().map(|table| table.name().to_owned()).collect(),
            None => Vec::new(),
        }
    };
    let mut names = match on {
        Affects::Stations if keys.table("station").is_some() => {
            scenario.members().iter().map(|member| member.name.clone()).collect()
        }
        Affects::Stations => Vec::new(),
        Affects::Media => named("medium"),
        Affects::Flows => named("flow"),
        Affects::Settings => return None,
    };
    // a network with one of a kind has words for it
    let key = keys.table("event")?.all().find(|key| key.name == on.key())?;
    names.extend(key.words().iter().map(|word| word.word.to_owned()));
    (!names.is_empty()).then_some((on.key(), names))
}

fn acts_on(action: &Action, network: &dyn Network, scenario: &Scenario, draws: &mut Stream) -> Option<String> {
    let (key, mut names) = match action.on {
        Affects::Settings => return setting(network, scenario, draws),
        on => affected(on, network, scenario)?,
    };
    // not every kind of station obeys every action, and not every direction has frames
    names.retain(|name| obeys(network, scenario, action, name));
    if names.is_empty() {
        return None;
    }
    let mut pick = || names[draws.below(names.len() as u32) as usize].clone();
    let mut chosen = vec![pick(), pick()];
    chosen.dedup();
    let mut written = format!("{key} = {chosen:?}");
    if action.sized {
        written += &format!("\nsize = {}", 1 + draws.below(30));
    }
    if action.spread {
        written += &format!("\nspread = \"{} ms\"", draws.below(3) * 50);
    }
    Some(written)
}

/// Whether what is named obeys an action: the network's rules and its model take it.
fn obeys(network: &dyn Network, base: &Scenario, action: &Action, name: &str) -> bool {
    let (word, key) = (action.word.word, action.on.key());
    let event = format!("[[event]]\nname = \"event\"\naction = \"{word}\"\n{key} = \"{name}\"\nat = \"500 ms\"\n");
    let checked = with_events(base, &event).and_then(|document| check(&document));
    checked.is_ok_and(|scenario| network.model(&scenario).is_ok())
}

/// A key that can change, with a value that its declaration allows.
fn setting(network: &dyn Network, scenario: &Scenario, draws: &mut Stream) -> Option<String> {
    let declared = network.keys();
    let mut found = Vec::new();
    for table in declared.tables {
        let places: Vec<String> = match table.shape {
            Shape::Many => {
                scenario.list(table.name).iter().map(|one| format!("{}.{}", table.name, one.name())).collect()
            }
            Shape::One => vec![table.name.to_owned()],
            Shape::Shorthand => Vec::new(),
        };
        for place in places {
            found.extend(table.all().filter(|key| key.changeable).map(|key| (format!("{place}.{}", key.name), key)));
        }
    }
    if found.is_empty() {
        return None;
    }
    let (path, key) = &found[draws.below(found.len() as u32) as usize];
    let value = random_value(key, draws)?;
    let value = if value.parse::<f64>().is_ok() { value } else { format!("\"{value}\"") };
    Some(format!("set = {{ \"{path}\" = {value} }}"))
}
