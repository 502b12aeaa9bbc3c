//! The question: the condition of `sojourn risk --of`, over the gauges and states of the network.

use sojourn_model::Network;
use sojourn_model::rare::{Gauge, RareModel, State, Watched};
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::{Expectation, Problem, Relation};

/// A condition whose first occurrence is waited for.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// As written.
    pub text: String,
    /// The gauge.
    pub watched: Watched,
    /// Its declaration.
    pub gauge: Gauge,
    /// It occurs where the gauge is above this.
    pub above: u64,
    /// The gauge whose rise leads to it.
    pub importance: Watched,
    /// Declaration of that gauge.
    pub approach: Gauge,
}

impl Question {
    /// Reads `queue_length/server > 40` or `medium/floor-2 collapsed`.
    pub fn read(text: &str, network: &dyn Network, model: &dyn RareModel) -> Result<Question, Problem> {
        let asked = match text.find(['<', '>', '=', '≤', '≥']) {
            Some(_) => relation(text, network)?,
            None => state(text, network)?,
        };
        let (number, gauge) = gauge(asked.name, text, network)?;
        let member = match asked.member {
            Some(name) => member(name, number, gauge, text, model)?,
            None => Watched::ALL,
        };
        let watched = Watched { gauge: number, member };
        let importance = model.importance(watched);
        let approach = network.gauges()[importance.gauge as usize];
        Ok(Question { text: text.trim().to_owned(), watched, gauge: *gauge, above: asked.above, importance, approach })
    }
}

/// A condition in parts.
struct Parts<'t> {
    name: &'t str,
    member: Option<&'t str>,
    above: u64,
}

/// `GAUGE > NUMBER UNIT`, as conditions of `[expect]` are written.
fn relation<'t>(text: &'t str, network: &dyn Network) -> Result<Parts<'t>, Problem> {
    let expectation =
        Expectation::parse(text).map_err(|found| found.0.into_iter().next().expect("a refusal says why"))?;
    let at = text.find(['<', '>', '=', '≤', '≥']).expect("it was parsed");
    let (name, member) = in_two(text[..at].trim());
    let (_, gauge) = gauge(name, text, network)?;
    let value = value(&expectation, gauge)?;
    let above = match expectation.relation {
        Relation::Greater => value.floor(),
        Relation::GreaterOrEqual => value.ceil() - 1.0,
        _ => {
            let problem = Problem::argument(text, at..text.len(), "a rare event is a rise: `>` or `>=`");
            return Err(problem.help(format!("write \"{name} > {}\"", expectation.quantity)));
        }
    };
    if above < 0.0 {
        let problem = Problem::argument(text, 0..text.len(), format!("`{name}` is never below 0: it is always so"));
        return Err(problem);
    }
    Ok(Parts { name, member, above: above as u64 })
}

/// The value of a condition in the gauge's unit.
fn value(expectation: &Expectation, gauge: &Gauge) -> Result<f64, Problem> {
    let Expectation { quantity, quantity_place, value, .. } = expectation;
    let refused = |message: String| Problem::at(quantity_place.clone(), message);
    if gauge.is_time() {
        return match Quantity::parse(quantity, Dimension::Time) {
            Ok(_) => Ok(value * 1e6),
            Err(_) => {
                let units = Dimension::Time.units_in_words();
                Err(refused(format!("`{}` is a time, and `{quantity}` is not", gauge.name))
                    .help(format!("units: {units}")))
            }
        };
    }
    let counted = quantity.strip_suffix(gauge.unit).unwrap_or(quantity);
    match Quantity::parse(counted.trim(), Dimension::None) {
        Ok(_) => Ok(*value),
        Err(_) => Err(refused(format!("`{}` counts {}, and `{quantity}` does not count them", gauge.name, gauge.unit))
            .help(format!("leave the unit out, or write {}", gauge.unit))),
    }
}

/// `medium/NAME collapsed`.
fn state<'t>(text: &'t str, network: &dyn Network) -> Result<Parts<'t>, Problem> {
    let trimmed = text.trim();
    let Some((subject, word)) = trimmed.split_once(char::is_whitespace) else {
        let problem = Problem::argument(text, 0..text.len(), "this is not a condition");
        return Err(problem.help(form(network)));
    };
    let (of, member) = in_two(subject);
    let word = word.trim();
    let known = |state: &&State| state.of == of && state.word == word;
    let Some(state) = network.states().iter().find(known) else {
        let from = text.rfind(word).unwrap_or(0);
        let problem = Problem::argument(text, from..from + word.len(), format!("no {of} is ever `{word}`"));
        return Err(problem.help(form(network)));
    };
    Ok(Parts { name: state.gauge, member, above: state.above })
}

/// How conditions of a network are written.
fn form(network: &dyn Network) -> String {
    let gauges = network.gauges().iter().map(|gauge| match gauge.of {
        Some(of) => format!("{}[/{}] > N", gauge.name, of.to_uppercase()),
        None => format!("{} > N", gauge.name),
    });
    let states = network.states().iter().map(|state| format!("{}[/NAME] {}", state.of, state.word));
    format!("conditions of {}: {}", network.kind(), gauges.chain(states).collect::<Vec<_>>().join(", "))
}

fn gauge<'n>(name: &str, text: &str, network: &'n dyn Network) -> Result<(u32, &'n Gauge), Problem> {
    let found = (0..).zip(network.gauges()).find(|(_, gauge)| gauge.name == name);
    found.ok_or_else(|| {
        let from = text.find(name).unwrap_or(0);
        let problem = Problem::argument(text, from..from + name.len(), format!("there is no gauge `{name}`"));
        let near = suggestion(name, network.gauges().iter().map(|gauge| gauge.name));
        problem.help(near.unwrap_or_else(|| form(network)))
    })
}

fn member(name: &str, number: u32, gauge: &Gauge, text: &str, model: &dyn RareModel) -> Result<u32, Problem> {
    let names = model.members(number);
    if let Some(place) = names.iter().position(|known| known == name) {
        return Ok(place as u32);
    }
    let from = text.find(name).unwrap_or(0);
    let what = gauge.of.unwrap_or("member");
    let problem = Problem::argument(text, from..from + name.len(), format!("there is no {what} `{name}`"));
    Err(problem.maybe_help(suggestion(name, names.iter().map(String::as_str))))
}

fn in_two(subject: &str) -> (&str, Option<&str>) {
    match subject.split_once('/') {
        Some((name, member)) => (name, Some(member)),
        None => (subject, None),
    }
}

#[cfg(test)]
mod tests {
    use sojourn_catalogue::NETWORKS;
    use sojourn_scenario::check;

    use super::*;

    fn read(kind: &str, text: &str) -> Result<Question, String> {
        let network = NETWORKS.find(kind).unwrap();
        let template = NETWORKS.kinds().template(kind).unwrap();
        let scenario = check(&NETWORKS.kinds().parse("scenario.toml", &template).unwrap()).unwrap();
        let model = network.model(&scenario).unwrap();
        let rare = model.rare().unwrap();
        Question::read(text, network, rare).map_err(|problem| {
            let place = problem.place.as_ref().map_or("", |place| place.text());
            format!("{} [{place}] {}", problem.message, problem.help.unwrap_or_default())
        })
    }

    #[test]
    fn a_condition_is_a_gauge_above_a_number_in_its_unit() {
        let above = |kind: &str, text: &str| read(kind, text).unwrap().above;
        assert_eq!(above("queue", "queue_length > 40"), 40);
        assert_eq!(above("queue", "queue_length >= 40 customers"), 39);
        assert_eq!(above("queue", "response_time > 1.5 s"), 1_500_000);
        assert_eq!(above("lontalk", "medium collapsed"), 9_999_999);
        assert_eq!(read("queue", "failures > 0").unwrap().approach.name, "queue_length");
    }

    #[test]
    fn what_cannot_be_waited_for_is_refused_where_it_is_written() {
        let refused = |kind: &str, text: &str| read(kind, text).unwrap_err();
        assert!(refused("queue", "queue_lenth > 40").starts_with("there is no gauge `queue_lenth` [queue_lenth]"));
        assert!(refused("queue", "queue_length/severr > 40").contains("there is no station `severr` [severr]"));
        assert!(refused("queue", "queue_length < 40").contains("`>` or `>=`"));
        assert!(refused("queue", "response_time > 3").contains("is a time, and `3` is not [3]"));
        assert!(refused("lontalk", "medium burning").contains("no medium is ever `burning` [burning]"));
        assert!(refused("queue", "soon").contains("this is not a condition"));
    }
}
