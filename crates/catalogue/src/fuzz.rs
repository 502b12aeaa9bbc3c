//! Fuzzing entry points: the document reader, and the parsers of command-line arguments.

use std::sync::LazyLock;

use sojourn_scenario::{Document, Expectation, Problems, check, rate_trace};

use crate::NETWORKS;

/// The template of each network, written and read once: that takes longer than an argument does.
static TEMPLATES: LazyLock<Vec<Document>> = LazyLock::new(|| {
    let kinds = NETWORKS.kinds();
    let texts = kinds.all().filter_map(|network| kinds.template(network.kind));
    texts.map(|text| kinds.parse("template.toml", &text).expect("a template can be read")).collect()
});

/// Reads bytes as a document, checks it, and shows what is wrong with it; a valid one is read again in its full form.
pub fn document(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let kinds = NETWORKS.kinds();
    match kinds.parse("fuzz.toml", &text).and_then(|document| check(&document)) {
        Ok(scenario) => {
            let again = kinds.parse("full.toml", &scenario.expanded_toml()).and_then(|document| check(&document));
            let again = again.unwrap_or_else(|problems| panic!("the full form is wrong: {problems}"));
            assert_eq!(again.canonical_json(), scenario.canonical_json(), "the full form is another scenario");
        }
        Err(problems) => {
            assert!(!problems.render(false, 80).is_empty());
            problems.to_json();
        }
    }
}

/// Reads bytes as the file of stations that a scenario names, and shows what is wrong with it.
pub fn stations(bytes: &[u8]) {
    let file = String::from_utf8_lossy(bytes).into_owned();
    let files = [("stations.csv".to_owned(), file)].into();
    let text = "network = \"lontalk\"\nstations = \"stations.csv\"\n";
    if let Err(problems) = NETWORKS.kinds().parse_with("fuzz.toml", text, files).and_then(|document| check(&document)) {
        assert!(!problems.render(false, 80).is_empty());
    }
}

/// Reads bytes as the trace of a link's rate: work is done no later than the link could do it, or it is shown what is wrong.
pub fn rate_trace(bytes: &[u8]) {
    match rate_trace::read("fuzz.csv", &String::from_utf8_lossy(bytes)) {
        Ok(trace) => {
            let opportunities = trace.opportunities().into_iter().flatten();
            let changes = trace.rates().into_iter().flat_map(|(rates, _)| rates.map(|(at, _)| at));
            opportunities.chain(changes).for_each(|at| assert!(trace.when(trace.capacity(at)) <= at));
        }
        Err(problem) => assert!(!Problems::from(problem).render(false, 80).is_empty()),
    }
}

/// Reads bytes as arguments of `--until`, `--set`, `--over`, `--vary` and `--ask`, for each network's template.
pub fn argument(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let shown = |problems: Problems| assert!(!problems.render(true, 40).is_empty());
    let _ = Expectation::parse(&text).map_err(shown);
    let (path, value) = text.split_once('=').unwrap_or((&text, ""));
    for template in TEMPLATES.iter() {
        let mut document = template.clone();
        let _ = document.axis(&text).map_err(shown);
        let _ = document.vary(&text).map_err(shown);
        let _ = document.setting(path, value, &text).map_err(shown);
        if document.set(path, value, &text).is_ok() {
            let _ = check(&document).map_err(shown);
        }
    }
}
