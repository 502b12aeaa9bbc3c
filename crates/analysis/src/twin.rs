//! Chooses the scenario that comes closest to a capture.

use sojourn_capture::Findings;
use sojourn_capture::ip::media::Format;
use sojourn_model::Catalogue;
use sojourn_twin::behaviour::{Behaviour, BusTraffic, Speech};
use sojourn_twin::trial::{Comparison, choose};
use sojourn_twin::{NoTwin, Options, Survey, Twin};

use super::trial::{Trial, times};
use super::verdict::{Has, TwinSummary, Verdict};
use super::watch::Watch;

/// What is simulated to find the twin of a capture.
struct Choice<'a> {
    found: &'a Findings,
    /// The scenario's file, as the summary names it.
    scenario: &'a str,
    networks: Catalogue,
    watch: &'a dyn Watch,
}

/// The scenario that comes closest to a capture when it is simulated, with a sentence at its head, and how close it comes.
/// `scenario` is the name of its file in the summary.
pub fn twin(
    found: &Findings,
    mut survey: Survey,
    options: &Options,
    scenario: &str,
    networks: Catalogue,
    watch: &dyn Watch,
) -> Result<(Twin, TwinSummary), NoTwin> {
    if found.is_simulated {
        survey.is_captured_on_arrival();
    }
    let choice = Choice { found, scenario, networks, watch };
    let readings = survey.readings(options)?;
    let (mut twin, mut summary) = choice.tried(readings, &survey);
    // what limited them is not the link
    if summary.carries_more()
        && let Some(recorded) = survey.recorded(options)
    {
        let (recorded, judged) = choice.tried(vec![recorded], &survey);
        if judged.verdict != Verdict::NotCompared {
            (twin, summary) = (recorded, judged);
        } else {
            survey.reject_recorded();
        }
    }
    Ok((twin.headed(&summary.head()), summary))
}

impl Choice<'_> {
    /// The scenario of `readings` that comes closest, and how close that is.
    fn tried(&self, readings: Vec<Twin>, survey: &Survey) -> (Twin, TwinSummary) {
        let found = self.found;
        let comparison = survey.comparison(found.is_simulated);
        match observed(found, survey).filter(|_| comparison != Comparison::Nowhere) {
            Some(observed) => {
                let of = (comparison, survey.is_recorded());
                let trial = Trial::new(of, found, formats(survey), self.networks, self.watch);
                let tried = choose(readings, &observed, |twin, seed| trial.run(twin, seed));
                let transfers = observed.transfers.octets > 0;
                let responses = observed.responses.count() > 0;
                let buses = !found.sink.can_buses().is_empty();
                let has = Has { responses, transfers, buses, transfer_times: transfers && survey.is_recorded() };
                let summary = TwinSummary::of(&tried, has, trial.refusal(), self.scenario);
                (tried.twin, summary)
            }
            None => {
                let first = readings.into_iter().next().expect("a reading");
                (first, TwinSummary::not_compared(self.scenario))
            }
        }
    }
}

/// What the capture was like; `None` where there was no memory for its response times.
fn observed(found: &Findings, survey: &Survey) -> Option<Behaviour> {
    let responses = times(&found.sink, found.network)?;
    let calls = survey.speech().map(|stream| Speech::of(stream, stream.format.as_ref())).collect();
    let buses = BusTraffic::of(found.sink.can_buses(), found.seconds());
    Some(Behaviour { responses, seconds: found.seconds(), transfers: survey.transfers(), calls, buses })
}

/// What the streams of speech carry that the twin has.
fn formats(survey: &Survey) -> Vec<Option<Format>> {
    survey.speech().map(|stream| stream.format.clone()).collect()
}
