//! Notes on the numbers of a point for its reader: short runs, replications that are all alike, and notes of the
//! model itself.

use std::collections::BTreeSet;

use sojourn_metrics::dependence::{self, Dependence};
use sojourn_metrics::display::{duration, rounded};
use sojourn_metrics::record::Record;
use sojourn_metrics::results::{Metric, Point};

use crate::claim::Origin;
use crate::stability;

/// A run of this many relaxation times is long enough.
const LONG_ENOUGH: f64 = 20.0;

/// A note, and what kind it is: of many points with a note of one kind, the first stands for all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `overload`, `short`, `alike`, `unused`, or the text of a note of the model.
    pub kind: String,
    /// The note as one sentence without its full stop.
    pub text: String,
}

/// The notes of a point, of which `probe` is the metric that shows most.
pub fn notes(point: &Point, records: &[Record], probe: &str, origin: Origin) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for text in records.iter().flat_map(|record| &record.notes) {
        let note = Note { kind: text.clone(), text: text.clone() };
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    match stability::overloaded(&point.stability) {
        // no run is long enough for what has no steady state
        Some(row) => notes.insert(0, Note { kind: "overload".to_owned(), text: stability::sentence(row) }),
        None => {
            notes.extend(short(point, records, probe, origin).map(|text| Note { kind: "short".to_owned(), text }));
        }
    }
    notes.extend(alike(point, probe).map(|text| Note { kind: "alike".to_owned(), text }));
    notes
}

/// What probed flows pass, by the member of `utilisation` and the flow, and what was never used though.
pub fn unused(point: &Point, passed: &[(String, String)]) -> Vec<Note> {
    let (mut notes, mut named) = (Vec::new(), BTreeSet::new());
    for (member, flow) in passed {
        let utilisation = point.metrics.get(&format!("utilisation/{member}"));
        let share = utilisation.and_then(|metric| metric.field("value").or_else(|| metric.field("mean")));
        if share == Some(0.0) && named.insert(member) {
            let text = format!(
                "`{member}` was never used, though `{flow}` passes it: nothing of `{flow}` came there after the warm-up; see when \
                 `{flow}` begins and what lies before `{member}`"
            );
            notes.push(Note { kind: "unused".to_owned(), text });
        }
    }
    notes
}

/// Runs that remember their past for longer than an eighth or so of their length. What ends with its probes is as long as it has
/// samples: its duration is a limit only.
fn short(point: &Point, records: &[Record], probe: &str, origin: Origin) -> Option<String> {
    let distributions = dependence::distributions(records, probe);
    let relaxation = dependence::of(&distributions).filter(Dependence::is_short)?.relaxation();
    let (runs, [past, wanted]) = match origin {
        Origin::Simulated { ends_with_its_probes: true } => {
            let samples = distributions.iter().map(|one| one.sent()).sum::<u64>() as f64 / distributions.len() as f64;
            let [past, wanted] = [relaxation, LONG_ENOUGH * relaxation].map(|share| rounded(share * samples, 2));
            (format!("{samples:.0} samples"), [format!("{past} of them"), format!("let each take {wanted} samples")])
        }
        _ => {
            let [past, wanted] = [relaxation, LONG_ENOUGH * relaxation].map(|share| duration(share * point.duration));
            (duration(point.duration), [past, format!("give run.duration {wanted}")])
        }
    };
    let [past, remedy] = if relaxation < 1.0 {
        [format!("about {past}"), format!("{wanted} or more")]
    } else {
        // each run shows where it began, and hardly anything else
        ["longer than a run".to_owned(), "take much longer runs, or more replications".to_owned()]
    };
    Some(format!(
        "runs of {runs} are short: {probe} keeps the trace of its past for {past}, so its intervals can be too narrow and its \
         high quantiles too low; {remedy}"
    ))
}

/// Replications whose means do not differ in any digit.
fn alike(point: &Point, probe: &str) -> Option<String> {
    let metric = point.metrics.get(probe)?;
    let (low, high) = metric.interval("mean")?;
    let Metric::Distribution(summary) = metric else { return None };
    if high != Some(low) || summary.count < 2 || point.replications < 2 {
        return None;
    }
    Some(format!(
        "all {} runs have the same mean {probe}: nothing random reaches the probe, or it keeps step with periodic traffic \
         and sees one phase of it alone; a random start, interval or think time would show all",
        point.replications
    ))
}

/// The notes of all points, each kind once: `D (background.rate = 300): ...`, with how many more points it is said of.
pub fn of_points(points: &[(String, Vec<Note>)]) -> Vec<String> {
    let mut kinds: Vec<(&str, &str, &str, usize)> = Vec::new();
    for (name, notes) in points {
        for note in notes {
            match kinds.iter_mut().find(|(kind, ..)| *kind == note.kind) {
                Some((.., more)) => *more += 1,
                None => kinds.push((&note.kind, name, &note.text, 0)),
            }
        }
    }
    let said = kinds.into_iter().map(|(_, name, text, more)| match more {
        0 => format!("{name}: {text}"),
        1 => format!("{name} and 1 more point: {text}"),
        more => format!("{name} and {more} more points: {text}"),
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sojourn_core::{Duration, Streams};
    use sojourn_metrics::Distribution;
    use sojourn_metrics::merge::merge;
    use sojourn_metrics::record::Observation;

    use super::*;

    /// Replications whose samples keep a share of the one before.
    fn records(replications: u32, share: f64) -> Vec<Record> {
        let record = |index| {
            let mut stream = Streams::new(9, index).stream("notes");
            let (mut state, mut distribution) = (0.0, Distribution::new());
            for _ in 0..4000 {
                state = share * state + (1.0 - share) * (stream.unit() - 0.5);
                distribution.record(Duration::from_picoseconds((1e9 * (10.0 + state)) as u64));
            }
            let mut record = Record::default();
            record.observe("response_time", Observation::Distribution(distribution));
            record
        };
        (0..replications).map(record).collect()
    }

    const TIMED: Origin = Origin::Simulated { ends_with_its_probes: false };

    fn noted(records: &[Record]) -> Vec<Note> {
        noted_in(TIMED, records)
    }

    fn noted_in(origin: Origin, records: &[Record]) -> Vec<Note> {
        let point = Point { replications: records.len() as u32, metrics: merge(records), ..point() };
        notes(&point, records, "response_time", origin)
    }

    fn point() -> Point {
        Point {
            experiment: "site".into(),
            set: BTreeMap::new(),
            status: "ok".into(),
            replications: 1,
            decided_by: None,
            duration: 100.0,
            warm_up: 0.0,
            scenario_hash: None,
            metrics: BTreeMap::new(),
            stability: Vec::new(),
            events: Vec::new(),
            outages: Vec::new(),
        }
    }

    #[test]
    fn runs_that_forget_fast_need_no_note() {
        assert_eq!(noted(&records(10, 0.5)), []);
    }

    #[test]
    fn runs_of_a_few_relaxation_times_are_called_short() {
        // correlation e^-1 after 1000 of 4000 samples, at 100 s
        let found = noted(&records(10, 0.999));
        assert!(found[0].text.starts_with("runs of 100 s are short: response_time"), "{found:?}");
    }

    #[test]
    fn runs_that_end_with_their_probes_are_counted_in_samples() {
        let found = noted_in(Origin::Simulated { ends_with_its_probes: true }, &records(10, 0.999));
        assert!(found[0].text.starts_with("runs of 4000 samples are short: response_time"), "{found:?}");
        assert!(found[0].text.ends_with("000 samples or more") && !found[0].text.contains("duration"), "{found:?}");
    }

    #[test]
    fn of_runs_that_only_show_where_they_began_no_length_is_claimed() {
        let found = noted(&records(10, 0.99999));
        assert!(found[0].text.contains("for longer than a run, so"), "{found:?}");
        assert!(found[0].text.ends_with("take much longer runs, or more replications"), "{found:?}");
    }

    #[test]
    fn runs_that_are_all_alike_warn_of_a_probe_in_step_with_traffic() {
        let same = vec![records(1, 0.5).remove(0); 4];
        let found = noted(&same);
        assert!(found.iter().any(|note| note.text.starts_with("all 4 runs have the same mean")), "{found:?}");
        assert_eq!(noted(&same[..1]), [], "one run is not alike to itself");
    }

    #[test]
    fn what_a_probed_flow_passes_and_nothing_used_is_named_and_what_was_used_is_not() {
        let mut record = Record::default();
        record.scalar("utilisation/core", 0.0);
        record.scalar("utilisation/edge", 0.01);
        let mut point = Point { metrics: merge(&[record]), ..point() };
        let passed = ["core", "edge", "unknown"].map(|member| (member.to_owned(), "poll".to_owned()));
        let found = unused(&point, &passed);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].text.starts_with("`core` was never used, though `poll` passes it"), "{found:?}");
        point.metrics.clear();
        assert_eq!(unused(&point, &passed), [], "nothing was observed");
    }

    #[test]
    fn a_note_of_the_model_is_said_once() {
        let mut all = records(2, 0.5);
        all.iter_mut().for_each(|record| record.note("no route from n1 to n12"));
        let found = noted(&all);
        assert_eq!(found.len(), 1);
        let points = [("A".to_owned(), found.clone()), ("B".to_owned(), found)];
        assert_eq!(of_points(&points), ["A and 1 more point: no route from n1 to n12"]);
    }
}
