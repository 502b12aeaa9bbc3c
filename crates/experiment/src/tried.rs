//! The values that a search has tried, in ascending order, with their points and replications.

use sojourn_metrics::results;

use crate::plan::Plan;
use crate::points::Point;
use crate::rounds::PointResult;
use crate::search::Question;

/// The points tried by now, as a plan of which all are finished.
pub struct Tried {
    plan: Plan,
    finished: Vec<PointResult>,
    values: Vec<Option<f64>>,
}

impl Tried {
    /// Nothing of a search was tried yet.
    pub(crate) fn new(question: &Question) -> Tried {
        let axis = &question.range.axis;
        let unit = axis.unit.map(str::to_owned);
        let plan = Plan {
            study: question.name().to_owned(),
            network: question.network(),
            axes: [(axis.path.clone(), results::Axis { unit })].into(),
            seed: question.seed(),
            points: Vec::new(),
            tail: None,
        };
        Tried { plan, finished: Vec::new(), values: Vec::new() }
    }

    /// Keeps what a value of the key gave; more replications of a value take the place of fewer.
    pub fn keep(&mut self, value: Option<f64>, point: Point, finished: PointResult) {
        if let Some(known) = self.values.iter().position(|other| *other == value) {
            (self.plan.points[known], self.finished[known]) = (point, finished);
            return;
        }
        let at = self.values.partition_point(|other| *other < value);
        self.values.insert(at, value);
        self.plan.points.insert(at, point);
        self.finished.insert(at, finished);
    }

    /// The points in the order of their values.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What each of them gave.
    pub fn finished(&self) -> &[PointResult] {
        &self.finished
    }

    /// The same, to keep.
    pub fn into_parts(self) -> (Plan, Vec<PointResult>) {
        (self.plan, self.finished)
    }
}
