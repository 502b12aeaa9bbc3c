//! The published codec tables, and the ratings and scores that the E-model yields for them.
//!
//! | table | of |
//! |---|---|
//! | ITU-T G.113 (09/2024), Appendix I | narrowband `Ie` and `Bpl`, random loss |
//! | G.113 (09/2024), Appendix IV, Table IV.1 | wideband `Ie`, without robustness |
//! | G.113 (09/2024, Erratum 1 of 01/2026), Appendix IV, Tables IV.3 and IV.4 | `Ie` and `Bpl` of AMR-WB, binaural |
//! | G.113 (09/2024), Appendix V | fullband `Ie` and `Bpl` of EVS |
//! | Al-Ahmadi, Pocta, Melvin, ACM TOMM 17(4), 2021 | fullband `Ie` and `Bpl` of Opus, which the ITU-T has not |
//!
//! The ratings are `R0 - Ie - (M - Ie) Ppl / (Ppl + Bpl)` of G.107 (06/2015), G.107.1 (06/2019) and G.107.2 (06/2019), clause
//! 7.1 and 7.5 of each, computed apart from the values of this table; the scores by Annex B of G.107 and Annex A of the others.

use super::Codec;
use crate::e_model::{Band, Transmission, mos, r_factor};
use sojourn_core::Duration;

/// A row: codec, scale, `Ie`, `Bpl`, then R and MOS without loss and at 3 %.
type Row = (&'static str, Band, f64, Option<f64>, [f64; 2], Option<[f64; 2]>);

const TABLES: [Row; 16] = [
    ("g711", Band::Narrow, 0.0, Some(25.1), [93.2, 4.41], Some([83.1, 4.13])),
    ("g711-plain", Band::Narrow, 0.0, Some(4.3), [93.2, 4.41], Some([54.2, 2.79])),
    ("g729a", Band::Narrow, 11.0, Some(19.0), [82.2, 4.10], Some([70.8, 3.63])),
    ("g722", Band::Wide, 13.0, None, [115.8, 4.33], None),
    ("amr-wb-12.65", Band::Wide, 20.0, Some(4.3), [108.8, 4.18], Some([78.0, 3.13])),
    ("amr-wb-23.05", Band::Wide, 8.0, Some(4.6), [120.8, 4.42], Some([86.5, 3.46])),
    ("amr-wb-23.85", Band::Wide, 10.0, Some(4.9), [118.8, 4.39], Some([86.6, 3.46])),
    ("evs-9.6", Band::Full, 22.7, Some(13.0), [125.3, 4.19], Some([104.8, 3.63])),
    ("evs-13.2", Band::Full, 17.1, Some(11.7), [130.9, 4.30], Some([107.5, 3.72])),
    ("evs-16.4", Band::Full, 10.8, Some(10.3), [137.2, 4.40], Some([109.9, 3.79])),
    ("evs-24.4", Band::Full, 7.2, Some(11.4), [140.8, 4.44], Some([114.8, 3.93])),
    ("evs-32", Band::Full, 8.7, Some(9.3), [139.3, 4.43], Some([109.2, 3.77])),
    ("evs-48", Band::Full, 10.2, Some(9.6), [137.8, 4.41], Some([108.8, 3.76])),
    ("opus-16", Band::Full, 36.88, Some(13.30), [111.1, 3.83], Some([93.6, 3.27])),
    ("opus-28", Band::Full, 23.65, Some(11.67), [124.3, 4.17], Some([102.2, 3.55])),
    ("opus-40", Band::Full, 15.90, Some(11.35), [132.1, 4.32], Some([107.8, 3.73])),
];

#[test]
fn every_codec_has_the_impairment_of_its_published_table() {
    for (name, band, impairment, robustness, ..) in TABLES {
        let codec: Codec = name.parse().unwrap();
        let known = codec.impairment();
        assert_eq!((known.band, known.impairment, known.robustness), (band, impairment, robustness), "{name}");
    }
    let names: Vec<&str> = TABLES.iter().map(|row| row.0).collect();
    assert!(Codec::all().all(|codec| names.contains(&codec.name())), "each codec has its row");
}

#[test]
fn the_tables_give_the_ratings_and_scores_of_the_recommendations() {
    for (name, band, .., clear, lossy) in TABLES {
        let codec: Codec = name.parse().unwrap();
        for (percent, expected) in [(0.0, Some(clear)), (3.0, lossy)] {
            let transmission = Transmission { delay: Duration::ZERO, loss: percent / 100.0, burst_ratio: 1.0 };
            let rating = r_factor(codec.impairment(), transmission);
            let found = rating.map(|rating| [rating, mos(band, rating)]);
            let close = |[rating, score]: [f64; 2], [r, opinion]: [f64; 2]| {
                (rating - r).abs() <= 0.051 && (score - opinion).abs() <= 0.0051
            };
            match (found, expected) {
                (Some(found), Some(expected)) => {
                    assert!(close(found, expected), "{name} at {percent} %: {found:?}, not {expected:?}");
                }
                (found, expected) => assert_eq!(found, expected, "{name} at {percent} %"),
            }
        }
    }
}

#[test]
fn the_bit_rates_and_frames_are_those_of_the_codecs_standards() {
    // kbit/s of speech and ms of a frame: G.711, G.729, G.722; 3GPP TS 26.190, Table 1; TS 26.445, Table 1; RFC 6716
    let standards = [
        ("g711", 64.0, 0.125),
        ("g711-plain", 64.0, 0.125),
        ("g729a", 8.0, 10.0),
        ("g722", 64.0, 0.125),
        ("amr-wb-12.65", 12.65, 20.0),
        ("amr-wb-23.05", 23.05, 20.0),
        ("amr-wb-23.85", 23.85, 20.0),
        ("evs-9.6", 9.6, 20.0),
        ("evs-13.2", 13.2, 20.0),
        ("evs-16.4", 16.4, 20.0),
        ("evs-24.4", 24.4, 20.0),
        ("evs-32", 32.0, 20.0),
        ("evs-48", 48.0, 20.0),
        ("opus-16", 16.0, 20.0),
        ("opus-28", 28.0, 20.0),
        ("opus-40", 40.0, 20.0),
    ];
    assert_eq!(standards.len(), Codec::all().count());
    for (name, rate, frame_ms) in standards {
        let codec: Codec = name.parse().unwrap();
        assert_eq!(codec.frame().seconds() * 1e3, frame_ms, "{name}");
        // speech bits fill whole octets; formats add up to two octets to a packet
        let bits = f64::from(8 * codec.octets_in(Duration::from_millis(20)));
        let speech = rate * 20.0;
        assert!(bits >= speech - 0.5 && bits - speech < 24.0, "{name}: {bits} bits for {speech}");
    }
}
