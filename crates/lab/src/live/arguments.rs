//! Values of options: quantities as a user writes them, each mistake under a caret.

use sojourn_core::Duration;
use sojourn_live::io::cpu_idle::{self, CpuLatencyGuard};
use sojourn_scenario::quantity::{Dimension, Quantity, Refusal};
use sojourn_scenario::{Problem, Problems};

/// What an airtime budget can be of a minute.
const MINUTE: Duration = Duration::from_secs(60);

/// A whole number of bytes, `default` where nothing is given.
pub(crate) fn bytes(option: &str, text: Option<&str>, default: u64, least: u64, most: u64) -> Result<u64, Problems> {
    let Some(text) = text else { return Ok(default) };
    let size = quantity(option, text, Dimension::Size)?.integer();
    size.filter(|size| (least..=most).contains(size)).ok_or_else(|| {
        argument(option, text, &format!("is no whole number of bytes from {least} B to {most} B")).into()
    })
}

/// A share of each minute.
pub(super) fn airtime(text: &str) -> Result<Duration, Problems> {
    let airtime = span("--airtime", text)?;
    if airtime == Duration::ZERO || airtime > MINUTE {
        return Err(argument("--airtime", text, "is no share of a minute: above 0 s, up to 60 s").into());
    }
    Ok(airtime)
}

/// A span of time.
pub(crate) fn span(option: &str, text: &str) -> Result<Duration, Problems> {
    let span = quantity(option, text, Dimension::Time)?.duration();
    span.ok_or_else(|| argument(option, text, "is no span from 0 s to 213 days").into())
}

/// A quantity of a dimension.
pub(crate) fn quantity(option: &str, text: &str, dimension: Dimension) -> Result<Quantity, Problems> {
    Quantity::parse(text, dimension).map_err(|refusal| {
        let message = match refusal {
            Refusal::NotANumber => "does not begin with a number".to_owned(),
            Refusal::TooLong => "has more digits than it can mean".to_owned(),
            Refusal::UnitMissing => "needs a unit".to_owned(),
            Refusal::UnitUnknown(unit) => format!("has the unit `{unit}`, which does not fit"),
        };
        argument(option, text, &message).help(format!("accepted: {}", dimension.units_in_words())).into()
    })
}

/// A mistake in the value of an option, with a caret under it.
pub(crate) fn argument(option: &str, value: &str, message: &str) -> Problem {
    let text = format!("{option} '{value}'");
    let begin = option.len() + 2;
    Problem::argument(&text, begin..begin + value.len(), format!("`{value}` {message}"))
}

/// Keeps this host's processors awake from now on, if that is asked for.
pub(crate) fn cpu_idle_guard(asked: bool) -> Result<Option<CpuLatencyGuard>, Problems> {
    let refused = |fault| {
        Problem::plain(format!("--no-cpu-idle: {}", cpu_idle::explain(&fault)))
            .help("without it processors halt and wake late; the noise floor says how much that is")
            .into()
    };
    asked.then(CpuLatencyGuard::acquire).transpose().map_err(refused)
}
