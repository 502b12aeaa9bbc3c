//! The alternatives: the scenario as it is, and with each allowed combination of its options.

use sojourn_scenario::{Axis, DesignOption, Problem, Problems, Setting};

use crate::Runs;
use crate::points::{Point, ScenarioBase};

/// Pairs are compared where all alternatives together are at most these, unless a number of options is given.
const FEW: usize = 16;
/// More alternatives are refused.
const MOST: usize = 256;
/// The name of the scenario without a change.
pub const AS_IT_IS: &str = "as it is";

/// The scenario as it is, or with options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alternative {
    /// Names of its options.
    pub options: Vec<String>,
    /// The keys that they set.
    pub set: Vec<(String, Setting)>,
    /// The sum of their costs, where options have costs.
    pub cost: Option<f64>,
}

impl Alternative {
    /// Its name.
    pub fn name(&self) -> String {
        if self.options.is_empty() { AS_IT_IS.to_owned() } else { self.options.join(" + ") }
    }

    /// The keys that it sets, each with its value.
    pub fn axes(&self, base: &ScenarioBase) -> Result<Vec<Axis>, Problems> {
        let axis = |(path, setting): &(String, Setting)| {
            let unit = base.document.key(path)?.unit();
            Ok(Axis { path: path.clone(), unit, values: vec![setting.clone()] })
        };
        self.set.iter().map(axis).collect()
    }

    /// Its point, by its axes.
    pub fn point(&self, base: &ScenarioBase, axes: &[Axis], runs: &Runs) -> Result<Point, Problems> {
        let values: Vec<(&Axis, &Setting)> = axes.iter().map(|axis| (axis, &axis.values[0])).collect();
        let mut point = base.point(&values, runs).map_err(|problems| self.named(problems))?;
        point.experiment = self.name();
        // the selection decides which alternative gets more replications
        point.spec.deciding = None;
        Ok(point)
    }

    /// The overrides that make the scenario this one, each `KEY=VALUE`.
    pub fn overrides(&self) -> Vec<String> {
        self.set.iter().map(|(path, setting)| format!("{path}={}", setting.text)).collect()
    }

    /// Mistakes that only the combination has say which it is.
    fn named(&self, problems: Problems) -> Problems {
        let name = self.name();
        let named = problems.0.into_iter().map(|problem| Problem {
            message: if self.set.is_empty() { problem.message } else { format!("option {name}: {}", problem.message) },
            ..problem
        });
        Problems(named.collect())
    }
}

/// Each pair of these that sets no key twice.
pub fn pairs(alternatives: &[Alternative]) -> Vec<Alternative> {
    let mut found = Vec::new();
    for (at, one) in alternatives.iter().enumerate() {
        for other in &alternatives[at + 1..] {
            if !one.set.iter().any(|(path, _)| other.set.iter().any(|(second, _)| overlap(path, second))) {
                found.push(Alternative {
                    options: [&one.options[..], &other.options].concat(),
                    set: [&one.set[..], &other.set].concat(),
                    cost: one.cost.zip(other.cost).map(|(one, other)| one + other),
                });
            }
        }
    }
    found
}

/// The scenario as it is, and with every allowed combination of at most `most` options, in the order of the options.
pub fn combined(options: &[DesignOption], most: Option<u32>) -> Result<Vec<Alternative>, Problems> {
    let of_size = |size: usize| {
        let mut found = Vec::new();
        extend(options, size, 0, &mut Vec::new(), &mut found);
        found
    };
    let most = match most {
        Some(0) => return Err(Problem::plain("--combine 0: an alternative has at least one option").into()),
        Some(most) => most as usize,
        None if options.len() * (options.len() + 1) / 2 < FEW => 2,
        None => 1,
    };
    let mut alternatives = vec![alternative(options, &[])];
    for size in 1..=most.min(options.len()) {
        alternatives.extend(of_size(size).iter().map(|chosen| alternative(options, chosen)));
        if alternatives.len() > MOST {
            let problem = Problem::plain(format!("there are more than {MOST} combinations of the options to compare"));
            return Err(problem.help("give fewer options, or --combine 1").into());
        }
    }
    if let Some(lonely) =
        options.iter().find(|option| !alternatives.iter().any(|one| one.options.contains(&option.name)))
    {
        let message = format!("option `{}` is in no combination of at most {most}", lonely.name);
        let problem = Problem::at(lonely.place.clone(), message);
        return Err(problem.help("`with` needs a larger --combine; what an option needs it must not exclude").into());
    }
    Ok(alternatives)
}

fn extend(options: &[DesignOption], size: usize, from: usize, chosen: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if chosen.len() == size {
        if is_whole(options, chosen) {
            found.push(chosen.clone());
        }
        return;
    }
    for next in from..options.len() {
        // one more than is allowed is refused
        if found.len() > MOST {
            return;
        }
        if chosen.iter().all(|&other| are_compatible(&options[other], &options[next])) {
            chosen.push(next);
            extend(options, size, next + 1, chosen, found);
            chosen.pop();
        }
    }
}

/// Whether each has what it needs.
fn is_whole(options: &[DesignOption], chosen: &[usize]) -> bool {
    let has = |name: &String| chosen.iter().any(|&one| options[one].name == *name);
    chosen.iter().all(|&one| options[one].with.iter().all(has))
}

/// Options that exclude each other, or set the same key, are not combined.
fn are_compatible(one: &DesignOption, other: &DesignOption) -> bool {
    let excludes = one.not_with.contains(&other.name) || other.not_with.contains(&one.name);
    let same = one.set.iter().any(|(path, _)| other.set.iter().any(|(second, _)| overlap(path, second)));
    !excludes && !same
}

/// Whether one path is the other, or holds it.
fn overlap(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn alternative(options: &[DesignOption], chosen: &[usize]) -> Alternative {
    let has_costs = options.iter().any(|option| option.cost.is_some());
    let chosen: Vec<&DesignOption> = chosen.iter().map(|&one| &options[one]).collect();
    Alternative {
        options: chosen.iter().map(|option| option.name.clone()).collect(),
        set: chosen.iter().flat_map(|option| option.set.iter().cloned()).collect(),
        // the sum of none is -0
        cost: has_costs.then(|| chosen.iter().filter_map(|option| option.cost).fold(0.0, |sum, cost| sum + cost)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, key: &str) -> DesignOption {
        let set = vec![(key.to_owned(), Setting { text: "1".into(), json: 1.into() })];
        DesignOption { name: name.into(), set, cost: None, with: Vec::new(), not_with: Vec::new(), place: None }
    }

    fn names(options: &[DesignOption], most: Option<u32>) -> Vec<String> {
        combined(options, most).unwrap().iter().map(Alternative::name).collect()
    }

    #[test]
    fn pairs_are_compared_unless_they_set_the_same_key_or_exclude_each_other() {
        let short = option("short", "flow.poll.timer");
        let long = option("long", "flow.poll.timer");
        let priority = DesignOption { not_with: vec!["long".into()], ..option("priority", "flow.poll.priority") };
        let options = [short, long, priority];
        assert_eq!(names(&options, None), ["as it is", "short", "long", "priority", "short + priority"]);
        assert_eq!(names(&options, Some(1)), ["as it is", "short", "long", "priority"]);
    }

    #[test]
    fn an_option_that_needs_another_is_compared_only_with_it() {
        let queue = DesignOption { with: vec!["shaper".into()], ..option("queue", "medium.wan.queue.kind") };
        let shaper = option("shaper", "medium.wan.queue.shaping.rate");
        assert_eq!(names(&[queue.clone(), shaper.clone()], None), ["as it is", "shaper", "queue + shaper"]);
        let refused = combined(&[queue, shaper], Some(1)).unwrap_err();
        assert!(refused.to_string().contains("option `queue` is in no combination of at most 1"), "{refused}");
    }

    #[test]
    fn a_key_and_the_table_that_holds_it_are_the_same_key() {
        assert!(overlap("medium.wan.queue", "medium.wan.queue.kind") && !overlap("flow.a", "flow.ab"));
    }

    #[test]
    fn costs_add_up_and_the_scenario_as_it_is_costs_nothing() {
        let one = DesignOption { cost: Some(2.0), ..option("one", "flow.a.x") };
        let costs: Vec<Option<f64>> =
            combined(&[one, option("two", "flow.a.y")], None).unwrap().iter().map(|one| one.cost).collect();
        assert_eq!(costs, [Some(0.0), Some(2.0), Some(0.0), Some(2.0)]);
    }
}
