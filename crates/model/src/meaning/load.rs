//! Offered load above capacity: what is offered to each link, channel and processor, before anything is simulated.

use std::collections::BTreeMap;

use sojourn_metrics::display::{Shown, apart};
use sojourn_scenario::{Problem, Scenario, Table};

use super::Meaning;
use crate::warning::Warning;

const RULE: &str = "R. M. Loynes, Proc. Cambridge Phil. Soc. 58, 1962: a queue that is offered more than it serves has no steady state";

/// Rounds after which the losses of resources that feed each other have settled.
const ROUNDS: usize = 100;
/// What rounding may add to a load.
const ROUNDING: f64 = 1e-6;

/// Something that serves one piece after the other, or several at a time.
#[derive(Clone, Debug)]
pub struct Resource<'s> {
    /// As a note calls it: "medium `uplink`", "the processor of `server`".
    pub name: String,
    /// The table that declares it. Of several from one table, the one with the highest load stands for all.
    pub table: &'s Table,
    /// What makes it serve more: "raise `medium.uplink.rate`".
    pub remedy: String,
    /// What it serves a second.
    pub capacity: f64,
    /// In which unit.
    pub unit: Unit,
}

/// The unit of a capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bits a second.
    Bits,
    /// Customers, packets, messages a second.
    Pieces(&'static str),
    /// The time of a processor.
    Time,
}

/// Messages of a sender that come on their own.
#[derive(Clone, Debug)]
pub struct Offer<'s> {
    /// The table of its flow.
    pub table: &'s Table,
    /// The key of the table that says how much it is.
    pub key: &'static str,
    /// What makes it less: "lower `flow.video.arrivals.rate`".
    pub remedy: String,
    /// Messages a second.
    pub rate: f64,
    /// The resources that a message passes in order, and the seconds of each that it takes.
    pub path: Vec<(usize, f64)>,
}

/// What a resource is asked for, as a share of what it serves.
#[derive(Clone, Copy, Debug, Default)]
struct Demand<'o, 's> {
    share: f64,
    largest: Option<(&'o Offer<'s>, f64)>,
}

/// Resources that are offered more than they serve.
pub(crate) fn overloaded(scenario: &Scenario, meaning: &Meaning<'_>, found: &mut Vec<Warning>) {
    let demands = demands(meaning);
    let mut by_table: BTreeMap<usize, (usize, Vec<usize>)> = BTreeMap::new();
    let is_more = |&at: &usize| demands[at].share > 1.0 + ROUNDING;
    for at in (0..demands.len()).filter(is_more) {
        let of_table = meaning.resources.iter().position(|one| std::ptr::eq(one.table, meaning.resources[at].table));
        let (worst, all) = by_table.entry(of_table.unwrap_or(at)).or_insert((at, Vec::new()));
        all.push(at);
        if demands[at].share > demands[*worst].share {
            *worst = at;
        }
    }
    for (worst, all) in by_table.into_values() {
        let Some((offer, _)) = demands[worst].largest else { continue };
        let problem = problem(scenario, &meaning.resources[worst], demands[worst].share, offer, all.len() - 1);
        found.push(Warning { problem, rule: RULE });
    }
}

fn problem(scenario: &Scenario, resource: &Resource<'_>, share: f64, offer: &Offer<'_>, others: usize) -> Problem {
    let Resource { name, remedy, capacity, unit, .. } = resource;
    let others = match others {
        0 => String::new(),
        1 => " (so is too much to another)".to_owned(),
        others => format!(" (so is too much to {others} others)"),
    };
    let message = match unit {
        Unit::Bits => {
            let [offered, capacity] = Shown::unit("bit/s").apart(share * capacity, *capacity);
            format!(
                "{offered} are offered to {name} of {capacity}{others}: its queue grows without end, or drops the rest"
            )
        }
        Unit::Pieces(pieces) => {
            let [offered, capacity] = apart(share * capacity, *capacity);
            format!(
                "{offered} {pieces} are offered to {name}, which serves {capacity}{others}: its queue grows without end, or \
                 drops the rest"
            )
        }
        Unit::Time => {
            let [percent, _] = apart(100.0 * share, 100.0);
            format!(
                "{percent} % of the time of {name} are asked for{others}: its queue grows without end, or drops the rest"
            )
        }
    };
    scenario.problem(offer.table, offer.key, message, Some(format!("{}, or {remedy}", offer.remedy)))
}

/// What each resource is asked for, as far as those before it let it through: of what is too much, all flows lose the same share.
fn demands<'o, 's>(meaning: &'o Meaning<'s>) -> Vec<Demand<'o, 's>> {
    let mut passed = vec![1.0; meaning.resources.len()];
    let mut demands = Vec::new();
    for _ in 0..ROUNDS {
        demands = vec![Demand::default(); meaning.resources.len()];
        for offer in &meaning.offers {
            let mut rate = offer.rate;
            for &(resource, seconds) in &offer.path {
                let (asked, demand) = (rate * seconds, &mut demands[resource]);
                demand.share += asked;
                if demand.largest.is_none_or(|(_, largest)| asked > largest) {
                    demand.largest = Some((offer, asked));
                }
                rate *= passed[resource];
            }
        }
        let next: Vec<f64> =
            demands.iter().map(|demand| if demand.share > 1.0 { 1.0 / demand.share } else { 1.0 }).collect();
        let is_settled = next.iter().zip(&passed).all(|(next, passed)| (next - passed).abs() < ROUNDING);
        passed = next;
        if is_settled {
            break;
        }
    }
    demands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(table: &Table) -> Resource<'_> {
        Resource { name: "it".to_owned(), table, remedy: String::new(), capacity: 1.0, unit: Unit::Time }
    }

    fn offer<'s>(table: &'s Table, rate: f64, path: &[(usize, f64)]) -> Offer<'s> {
        Offer { table, key: "arrivals", remedy: String::new(), rate, path: path.to_vec() }
    }

    fn shares(offers: Vec<Offer<'_>>, table: &Table, resources: usize) -> Vec<f64> {
        let resources = (0..resources).map(|_| resource(table)).collect();
        let meaning = Meaning { resources, offers, ..Meaning::default() };
        demands(&meaning).iter().map(|demand| demand.share).collect()
    }

    #[test]
    fn behind_a_resource_that_is_full_no_more_comes_than_it_serves() {
        let table = Table::default();
        // 2 a second of 1 s each: half of them get through, and then take 0.5 s each
        assert_eq!(shares(vec![offer(&table, 2.0, &[(0, 1.0), (1, 0.5)])], &table, 2), [2.0, 0.5]);
        // what does not come by there is not held up
        let other = offer(&table, 1.0, &[(1, 0.75)]);
        assert_eq!(shares(vec![offer(&table, 2.0, &[(0, 1.0), (1, 0.5)]), other], &table, 2), [2.0, 1.25]);
    }

    #[test]
    fn two_resources_that_feed_each_other_settle() {
        let table = Table::default();
        let offers = vec![offer(&table, 0.6, &[(0, 1.0), (1, 1.0)]), offer(&table, 0.6, &[(1, 1.0), (0, 1.0)])];
        // each lets the share x through: 0.6 + 0.6 x = 1 / x, x = (-0.6 + sqrt(0.36 + 2.4)) / 1.2
        let passed = (2.76_f64.sqrt() - 0.6) / 1.2;
        for share in shares(offers, &table, 2) {
            assert!((share - 1.0 / passed).abs() < 1e-6, "{share}");
        }
    }
}
