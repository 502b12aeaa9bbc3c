//! All that is noted of a scenario before it is simulated: rules of the trade that it breaks, and what it means.

mod samples;

use sojourn_scenario::Scenario;

use crate::meaning::{Meaning, costs, load, timers};
use crate::network::Network;
use crate::warning::Warning;

impl dyn Network + '_ {
    /// What is noted of a checked scenario of this many `replications`: the rules of the trade that it breaks, and what follows from
    /// its `meaning`.
    pub fn notes(&self, scenario: &Scenario, meaning: &Meaning<'_>, replications: u32) -> Vec<Warning> {
        let mut found = self.warnings(scenario);
        // pages do without: they have no room for it
        if cfg!(feature = "rare") {
            load::overloaded(scenario, meaning, &mut found);
            samples::silent_probes(scenario, &mut found);
            samples::far_quantiles(self, scenario, replications, &mut found);
            timers::longest(scenario, &meaning.timers, &mut found);
            costs::of_another_decade(scenario, &meaning.costs, &mut found);
        }
        found
    }
}
