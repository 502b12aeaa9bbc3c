//! Test support: from the text of a scenario to the record of one replication.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::Metric;
use sojourn_metrics::timeline::{Timeline, Windows};
use sojourn_scenario::{Problems, Scenario, WarmUp, check};

use crate::{Catalogue, Model, Replication};

/// The metrics of one replication, by name.
pub type Metrics = BTreeMap<String, Metric>;

impl Catalogue {
    /// The scenario with `edits` of its keys.
    pub fn scenario(self, text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
        let mut document = self.kinds().parse("test.toml", text)?;
        for (key, value) in edits {
            document.set(key, value, &format!("{key}={value}"))?;
        }
        check(&document)
    }

    /// The same of a text without a mistake.
    pub fn checked(self, text: &str, edits: &[(&str, &str)]) -> Scenario {
        self.scenario(text, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)))
    }

    /// The scenario that a network comes with.
    pub fn template(self, kind: &str) -> String {
        self.kinds().template(kind).expect("every network has a template")
    }

    /// Its model.
    pub fn model(self, scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
        self.find(scenario.kind).expect("a network of the test").model(scenario)
    }

    /// One replication, with traces; where the scenario does not say how long it warms up, it does for 50 ms.
    pub fn record(self, text: &str, edits: &[(&str, &str)]) -> Record {
        self.replication(text, edits, 0)
    }

    /// One replication among many, by its number.
    pub fn replication(self, text: &str, edits: &[(&str, &str)], index: u32) -> Record {
        let scenario = self.checked(text, edits);
        let model = self.model(&scenario).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
        model.replicate(Replication {
            warm_up: match scenario.run().warm_up {
                WarmUp::Fixed(span) => span,
                WarmUp::Auto => Duration::from_millis(50),
            },
            traces: true,
            index,
            ..Replication::alone(scenario.run().duration)
        })
    }

    /// The metrics of one replication.
    pub fn metrics(self, text: &str, edits: &[(&str, &str)]) -> Metrics {
        merge(&[self.record(text, edits)]).into_iter().collect()
    }
}

/// The methods of a [`Catalogue`] as functions of a test program, which has one catalogue.
#[macro_export]
macro_rules! test_functions {
    ($networks:expr) => {
        #[allow(dead_code, reason = "not every test program calls all of them")]
        mod functions {
            use sojourn_metrics::record::Record;
            use sojourn_model::Model;
            use sojourn_model::testing::Metrics;
            use sojourn_scenario::{Problems, Scenario};

            pub fn scenario(text: &str, edits: &[(&str, &str)]) -> Result<Scenario, Problems> {
                $networks.scenario(text, edits)
            }

            pub fn model(scenario: &Scenario) -> Result<Box<dyn Model>, Problems> {
                $networks.model(scenario)
            }

            pub fn record(text: &str, edits: &[(&str, &str)]) -> Record {
                $networks.record(text, edits)
            }

            pub fn replication(text: &str, edits: &[(&str, &str)], index: u32) -> Record {
                $networks.replication(text, edits, index)
            }

            pub fn metrics(text: &str, edits: &[(&str, &str)]) -> Metrics {
                $networks.metrics(text, edits)
            }
        }
        #[allow(unused_imports, reason = "not every test program calls all of them")]
        pub use functions::{metrics, model, record, replication, scenario};
    };
}

/// An event `it` with these keys.
pub fn event(keys: &str) -> String {
    format!("[[event]]\nname = \"it\"\n{keys}\n")
}

/// A number that must be there.
pub fn value(metrics: &Metrics, name: &str, field: &str) -> f64 {
    metrics.get(name).and_then(|metric| metric.field(field)).unwrap_or_else(|| panic!("{name}.{field} is there"))
}

/// A metric over time.
pub fn timeline<'r>(record: &'r Record, name: &str) -> &'r Timeline {
    let Observation::Timeline(timeline) = &record.metrics[name] else { panic!("{name} has no timeline") };
    timeline
}

/// Requests sent and answered in the windows within a span, in seconds.
pub fn requests(record: &Record, from: f64, to: f64) -> [u64; 2] {
    let timeline = timeline(record, "response_time/timeline");
    let Windows::Requests(windows) = &timeline.windows else { panic!("requests") };
    let spans = timeline.edges.windows(2).zip(windows);
    let inside = spans.filter(|(edges, _)| edges[0] as f64 >= from * 1e12 && edges[1] as f64 <= to * 1e12);
    inside.fold([0, 0], |[sent, answered], (_, window)| [sent + window.sent, answered + window.responses.count()])
}

/// The mean of a level over the windows within a span, in seconds.
pub fn mean_level(record: &Record, name: &str, from: f64, to: f64) -> f64 {
    let timeline = timeline(record, name);
    let Windows::Level(levels) = &timeline.windows else { panic!("{name} is not a level over time") };
    let spans = timeline.edges.windows(2).zip(levels);
    let inside: Vec<f64> = spans
        .filter(|(edges, _)| edges[0] as f64 >= from * 1e12 && edges[1] as f64 <= to * 1e12)
        .map(|(_, level)| *level)
        .collect();
    inside.iter().sum::<f64>() / inside.len() as f64
}
