//! What the frames of both directions ask of the control stage, which they share.

use sojourn_scenario::Scenario;

use super::settings::{Pace, Settings, StageSelection};
use sojourn_model::Meaning;
use sojourn_model::meaning::{Offer, Resource, Unit};

/// What a scenario of an adapter means: its frames against the time of the control stage, the bus apart.
pub(super) fn of<'s>(scenario: &'s Scenario, settings: &Settings) -> Meaning<'s> {
    let (traffic, stages) = (&settings.traffic, &settings.stages);
    // what is saturating, or waits for the frame before, takes what there is
    let Pace::Gaps(gaps) = &traffic.pace else { return Meaning::default() };
    if traffic.stages != StageSelection::Adapter {
        return Meaning::default();
    }
    let mean = traffic.sizes.mean();
    let lasts = super::settings::BYTE_TIME.seconds() * (mean + f64::from(settings.ring.overhead));
    let burst = f64::from(gaps.burst);
    let rate = burst / (burst * lasts + gaps.law.mean.seconds());
    let bytes = stages.control_per_byte.seconds() * mean;
    let directions = [(traffic.receive, stages.receive_control), (traffic.transmit, stages.transmit_control)];
    let offers = directions.into_iter().filter(|(is_used, _)| *is_used).map(|(_, of_frame)| Offer {
        table: scenario.table("traffic"),
        key: "load",
        remedy: "lower `traffic.load`".to_owned(),
        rate,
        path: vec![(0, of_frame.seconds() + bytes)],
    });
    let stage = Resource {
        name: "the control stage".to_owned(),
        table: scenario.table("adapter"),
        remedy: "lower `adapter.receive_control` or `adapter.transmit_control`".to_owned(),
        capacity: 1.0,
        unit: Unit::Time,
    };
    Meaning { resources: vec![stage], offers: offers.collect(), ..Meaning::default() }
}
