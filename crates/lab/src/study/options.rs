//! Declarations of `[[figure]]` and `[[answer]]`: their kinds and options, as plain data.
//!
//! Checking, the documentation and the Python package read these tables.

use sojourn_metrics::registry::Shape;

/// A kind of figure or of answer.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The value of `kind`.
    pub name: &'static str,
    /// What it shows, in a sentence.
    pub help: &'static str,
    /// Its options besides the common ones.
    pub options: &'static [Opt],
}

/// One key of a `[[figure]]` or `[[answer]]`.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The key as written.
    pub name: &'static str,
    /// The values it takes.
    pub value: Value,
    /// Whether the table must hold it.
    pub required: bool,
    /// The effect, in a sentence.
    pub help: &'static str,
}

/// The values an option takes.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A string of any content.
    Text,
    /// One of `true` and `false`.
    Flag,
    /// A number in SI units.
    Number,
    /// A time with its unit, `"15 ms"`.
    Time,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One or more of these words.
    Words(&'static [&'static str]),
    /// A table that gives each of these axes one of these scales.
    Scales(&'static [&'static str], &'static [&'static str]),
    /// A key that the experiments vary.
    Axis,
    /// A table of keys that the experiments vary, each with one of its values.
    Settings,
    /// One or more values of `x`.
    Values,
    /// One metric of these shapes.
    Metric(&'static [Shape]),
    /// One or more metrics of these shapes.
    Metrics(&'static [Shape]),
    /// The id of an experiment.
    Experiment,
    /// Ids of experiments, at least this many.
    Experiments(usize),
}

impl Value {
    /// The accepted values in words, for the documentation.
    pub fn accepted(&self) -> String {
        let quoted = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Value::Text => "text".to_owned(),
            Value::Flag => "`true`, `false`".to_owned(),
            Value::Number => "number in SI units".to_owned(),
            Value::Time => "time with its unit".to_owned(),
            Value::Word(words) => quoted(words),
            Value::Words(words) => format!("list of {}", quoted(words)),
            Value::Scales(axes, scales) => format!("table of {} to {}", quoted(axes), quoted(scales)),
            Value::Axis => "key that the experiments vary".to_owned(),
            Value::Settings => "table of keys that the experiments vary, each with one value".to_owned(),
            Value::Values => "value of `x`, or a list".to_owned(),
            Value::Metric(shapes) => shaped("metric", shapes),
            Value::Metrics(shapes) => shaped("metric or list of metrics", shapes),
            Value::Experiment => "id of an experiment".to_owned(),
            Value::Experiments(0 | 1) => "ids of experiments".to_owned(),
            Value::Experiments(least) => format!("ids of at least {least} experiments"),
        }
    }
}

/// A metric may have any of these shapes.
pub const ANY_SHAPE: &[Shape] = &[Shape::Distribution, Shape::Scalar, Shape::TimeWeighted, Shape::Budget];
/// A metric must have samples.
pub const SAMPLED: &[Shape] = &[Shape::Distribution];
/// A metric must be a level over time.
pub const LEVEL: &[Shape] = &[Shape::TimeWeighted];

/// An option that may be left out.
pub const fn optional(name: &'static str, value: Value, help: &'static str) -> Opt {
    Opt { name, value, required: false, help }
}

/// An option that must be written.
pub const fn required(name: &'static str, value: Value, help: &'static str) -> Opt {
    Opt { name, value, required: true, help }
}

/// The option `id` of every figure and answer.
pub const ID: Opt = required("id", Value::Text, "Name, unique in the study: the file name of a figure.");
/// The option `title` of every figure and answer.
pub const TITLE: Opt = optional("title", Value::Text, "Title.");
/// The option `where` of every figure and answer.
pub const WHERE: Opt = optional("where", Value::Settings, "Restricts it to the points with these settings.");

fn shaped(noun: &str, shapes: &[Shape]) -> String {
    if shapes.len() == ANY_SHAPE.len() {
        return noun.to_owned();
    }
    let names = shapes.iter().map(|shape| match shape {
        Shape::Distribution => "distribution",
        Shape::Scalar => "scalar",
        Shape::TimeWeighted => "time-weighted",
        Shape::Budget => "budget",
    });
    format!("{noun} of shape {}", names.collect::<Vec<_>>().join(" or "))
}
