use super::*;

const G711: CodecImpairment = CodecImpairment { band: Band::Narrow, impairment: 0.0, robustness: Some(4.3) };
const G729A: CodecImpairment = CodecImpairment { band: Band::Narrow, impairment: 11.0, robustness: Some(19.0) };
/// Codecs that impair nothing.
const WIDE: CodecImpairment = CodecImpairment { band: Band::Wide, impairment: 0.0, robustness: None };
const FULL: CodecImpairment = CodecImpairment { band: Band::Full, impairment: 0.0, robustness: None };

fn rated(codec: CodecImpairment, delay_ms: u64, loss: f64, burst_ratio: f64) -> f64 {
    r_factor(codec, Transmission { delay: Duration::from_millis(delay_ms), loss, burst_ratio })
        .expect("it has a rating")
}

#[test]
fn opinions_are_those_of_the_recommendations_table() {
    // G.107, Table B.1: lower limits of the classes of quality
    for (rating, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
        assert!((mos(Band::Narrow, rating) - score).abs() < 0.0085, "{rating}: {}", mos(Band::Narrow, rating));
    }
    for (band, top) in [(Band::Narrow, 100.0), (Band::Wide, 129.0), (Band::Full, 148.0)] {
        assert_eq!((mos(band, 0.0), mos(band, 5.0), mos(band, top)), (1.0, 1.0, 4.5));
        assert!((mos(band, top / 2.0) - 2.575).abs() < 1e-12, "half of the scale is worth 2.575 on each");
    }
}

#[test]
fn a_connection_without_faults_is_worth_the_default_rating() {
    // G.107, 7.7: R = 93.2, MOS 4.41; without rounding 93.206
    assert!((rated(G711, 0, 0.0, 1.0) - 93.206).abs() < 1e-3);
    assert!((mos(Band::Narrow, rated(G711, 0, 0.0, 1.0)) - 4.41).abs() < 0.005);
    assert!((rated(G729A, 0, 0.0, 1.0) - 82.206).abs() < 1e-3);
    // Ro,WB = 129 less the listener echo of a WEPL of 110 dB; Ro,FB = 148
    assert!((rated(WIDE, 0, 0.0, 1.0) - 128.846_315).abs() < 1e-4);
    assert_eq!(rated(FULL, 0, 0.0, 1.0), 148.0);
}

#[test]
fn the_rating_follows_the_default_curve_of_the_recommendation_up_to_a_second() {
    // the formulas of clauses 7.2 to 7.4 computed apart, in Python
    let curve = [
        (50, 91.756),
        (100, 90.664),
        (150, 89.539),
        (177, 88.075),
        (200, 85.805),
        (250, 79.177),
        (300, 72.666),
        (350, 67.027),
        (400, 62.247),
        (500, 54.803),
        (600, 49.484),
        (800, 42.822),
        (1000, 39.077),
    ];
    for (delay_ms, rating) in curve {
        let found = rated(G711, delay_ms, 0.0, 1.0);
        assert!((found - rating).abs() < 1e-3, "{delay_ms} ms: {found}");
    }
    assert!(rated(G711, 5000, 0.0, 1.0) > 25.0, "the impairment of delay levels off");
}

#[test]
fn the_wideband_rating_has_the_parts_of_another_implementation() {
    // loom 2026, core/quality/emodel: Idte, and the rating with Idle at 2 Ta and Idd of 1.29 times the narrowband curve
    let other = CodecImpairment { impairment: 5.0, ..WIDE };
    for (codec, delay_ms, echo, rating, score) in
        [(WIDE, 50, 0.092_907, 128.255_018, 4.495_632), (other, 150, 0.355_448, 122.421_331, 4.439_743)]
    {
        assert!((wideband::talker_echo(delay_ms as f64) - echo).abs() < 1e-5);
        let found = rated(codec, delay_ms, 0.0, 1.0);
        assert!((found - rating).abs() < 1e-4, "{delay_ms} ms: {found}");
        assert!((mos(Band::Wide, found) - score).abs() < 1e-5, "{delay_ms} ms: {}", mos(Band::Wide, found));
    }
}

#[test]
fn absolute_delay_impairs_each_scale_by_its_share() {
    // Idd at twice the least perceivable delay: 25 (2^(1/6) - 3 (1 + 3^-6)^(1/6) + 2) = 3.0444
    let narrow = 3.044_414;
    assert!((delay::absolute(200.0) - narrow).abs() < 1e-6);
    assert!((148.0 - rated(FULL, 200, 0.0, 1.0) - 1.48 * narrow).abs() < 1e-5);
    assert_eq!(rated(FULL, 100, 0.0, 1.0), 148.0, "up to 100 ms no one notices");
}

#[test]
fn the_scores_of_a_wideband_codec_are_those_of_its_published_impairment() {
    // G.107.1, (A-1), (A-2): R = 129 - Ie of the modes of AMR-WB from 23.05 down to 6.6 kbit/s (G.113, Table IV.1)
    for (impairment, score) in [(1.0, 4.4940), (8.0, 4.4206), (13.0, 4.3371), (41.0, 3.5123), (56.0, 2.9220)] {
        assert!((mos(Band::Wide, 129.0 - impairment) - score).abs() < 5e-5);
    }
    // 12.65 kbit/s heard binaurally, at 2 %: (7-15) gives 20 + 75 * 2 / 6.3
    let codec = CodecImpairment { band: Band::Wide, impairment: 20.0, robustness: Some(4.3) };
    let lossy = Transmission { delay: Duration::ZERO, loss: 0.02, burst_ratio: 1.0 };
    assert!((equipment_impairment(codec, lossy).unwrap() - 43.809_523).abs() < 1e-5);
}

#[test]
fn loss_costs_what_the_codecs_robustness_leaves_and_more_in_bursts() {
    let clear = |codec| rated(codec, 0, 0.0, 1.0);
    assert!((rated(G711, 0, 0.01, 1.0) - (clear(G711) - 95.0 / 5.3)).abs() < 1e-9);
    assert!((rated(G729A, 0, 0.02, 1.0) - (clear(G729A) - 84.0 * 2.0 / 21.0)).abs() < 1e-9);
    assert!((rated(G711, 0, 0.02, 2.0) - (clear(G711) - 95.0 * 2.0 / 5.3)).abs() < 1e-9);
    assert!(rated(G711, 0, 0.02, 2.0) < rated(G711, 0, 0.02, 1.0));
    assert_eq!(rated(G729A, 1000, 0.5, 1.0), 0.0, "a rating is never negative");
    let evs = CodecImpairment { band: Band::Full, impairment: 17.1, robustness: Some(11.7) };
    assert!((rated(evs, 0, 0.03, 1.0) - (148.0 - 17.1 - 114.9 * 3.0 / 14.7)).abs() < 1e-9);
}

#[test]
fn a_loss_for_which_no_robustness_is_published_has_no_rating() {
    let lossy = |loss| r_factor(WIDE, Transmission { delay: Duration::ZERO, loss, burst_ratio: 1.0 });
    assert!(lossy(0.0).is_some());
    assert_eq!(lossy(0.001), None);
}
