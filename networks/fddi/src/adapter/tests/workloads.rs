//! Lengths and loads are those that were asked for.

use sojourn_core::Streams;

use super::super::sizes::{FIVE_MODE, FOUR_MODE, Mode, Sizes, five_mode_with};
use super::{run, value};

const DRAWS: usize = 200_000;

fn drawn(sizes: &Sizes) -> Vec<f64> {
    let mut stream = Streams::new(1, 0).stream("lengths");
    (0..DRAWS).map(|_| f64::from(sizes.draw(&mut stream))).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn modes_come_with_their_shares() {
    let drawn = drawn(&Sizes::Modes(FIVE_MODE.to_vec()));
    for (mode, range) in FIVE_MODE.iter().zip([20.0..37.5, 37.5..240.0, 240.0..1000.0, 1000.0..3000.0, 3000.0..5000.0])
    {
        let share = drawn.iter().filter(|size| range.contains(*size)).count() as f64 / DRAWS as f64;
        assert!((share - mode.share).abs() < 0.006, "{share} of {}", mode.mean);
    }
}

#[test]
fn a_mode_has_its_mean_and_deviation() {
    for mode in FIVE_MODE.iter().chain(&FOUR_MODE).filter(|mode| mode.mean < 4000.0) {
        let drawn = drawn(&Sizes::Modes(vec![Mode { share: 1.0, ..*mode }]));
        let middle = mean(&drawn);
        let variance = drawn.iter().map(|size| (size - middle).powi(2)).sum::<f64>() / drawn.len() as f64;
        // lengths are whole; a sixteenth of the deviation is cut off below 20 bytes where the mode is 60
        let expected = (mode.deviation.powi(2) + 1.0 / 12.0).sqrt();
        assert!((middle / mode.mean - 1.0).abs() < 0.03, "{middle}");
        assert!((variance.sqrt() / expected - 1.0).abs() < 0.08, "{} of {}", variance.sqrt(), mode.mean);
    }
}

#[test]
fn means_are_those_of_the_draws() {
    for sizes in [
        Sizes::Modes(FOUR_MODE.to_vec()),
        Sizes::Modes(FIVE_MODE.to_vec()),
        Sizes::Modes(five_mode_with(0.7)),
        Sizes::Exponential(69.0),
        Sizes::Exponential(1518.0),
        Sizes::Constant(33),
    ] {
        let found = mean(&drawn(&sizes));
        assert!((found / sizes.mean() - 1.0).abs() < 0.01, "{found}, not {}", sizes.mean());
    }
}

#[test]
fn the_mean_of_four_modes_is_that_of_the_paper() {
    let found = Sizes::Modes(FOUR_MODE.to_vec()).mean();
    assert!((found / 496.0 - 1.0).abs() < 0.01, "{found}");
}

#[test]
fn another_middle_share_leaves_the_others_in_proportion() {
    let modes = five_mode_with(0.7);
    assert!((modes.iter().map(|mode| mode.share).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!((modes[0].share / modes[1].share - 26.0 / 15.0).abs() < 1e-12);
}

#[test]
fn the_offered_load_is_what_was_asked_for() {
    for arrivals in ["exponential", "constant", "normal"] {
        for (mix, load) in [("constant", "50 Mbit/s"), ("four-mode", "20 Mbit/s"), ("constant", "95 Mbit/s")] {
            let edits = [
                ("traffic.arrivals", arrivals),
                ("traffic.mix", mix),
                ("traffic.load", load),
                ("traffic.frame_size", "200 B"),
                ("traffic.burst", "3"),
                ("run.duration", "2 s"),
            ];
            let found = value(&run(&edits), "throughput", "value");
            let wanted = load.trim_end_matches(" Mbit/s").parse::<f64>().expect("a number") * 1e6;
            let allowed = if mix == "constant" { 0.01 } else { 0.03 };
            assert!((found / wanted - 1.0).abs() < allowed, "{arrivals} {mix} {load}: {found}");
        }
    }
}

#[test]
fn frame_types_make_the_parser_slower_and_nothing_else() {
    let at = |key, share| value(&run(&[(key, share), ("traffic.load", "single")]), "response_time", "mean");
    let snap = at("traffic.llc_share", "0 %");
    assert!((snap - at("traffic.llc_share", "100 %") - 0.2e-6).abs() < 3e-9, "without a SNAP header");
    assert!((at("traffic.management_share", "100 %") - snap - 0.2e-6).abs() < 3e-9, "station management");
}
