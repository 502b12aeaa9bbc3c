//! The bits below frames: stuffing, flags, aborts, line codes, air time, and frames found in any bits.

use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::ax25::hdlc::air_time::{exact_bits, exact_time, mean_time, stuffed_zeros};
use sojourn_protocols::ax25::hdlc::*;

const LONGEST: usize = 330;

/// The frames and faults that a deframer finds in bits.
fn found(bits: impl IntoIterator<Item = bool>) -> Vec<Result<Vec<u8>, Fault>> {
    let mut deframer = Deframer::new(LONGEST);
    bits.into_iter().filter_map(|bit| deframer.push(bit).map(|found| found.map(<[u8]>::to_vec))).collect()
}

fn words(bits: &[bool]) -> String {
    bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

fn encoded(frames: &[&[u8]]) -> Encoder {
    let mut encoder = Encoder::new();
    encoder.flags(1);
    frames.iter().for_each(|frame| {
        encoder.frame(frame);
    });
    encoder
}

#[test]
fn a_zero_is_stuffed_after_five_ones_and_the_lowest_bit_is_sent_first() {
    let bits = words(encoded(&[&[0xff, 0x01]]).bits());
    let check = fcs(&[0xff, 0x01]).to_le_bytes();
    assert!(bits.starts_with("01111110" /* flag */), "{bits}");
    assert!(bits[8..].starts_with("111110111" /* ff, stuffed */), "{bits}");
    assert!(bits[17..].starts_with("10000000" /* 01: its one and the three before are four */), "{bits}");
    assert_eq!(bits.len(), 8 + 16 + 16 + stuffed_zeros([0xff, 0x01, check[0], check[1]]) as usize + 8);
    assert!(bits.ends_with("01111110"), "{bits}");
}

#[test]
fn two_frames_share_a_flag_and_both_are_found() {
    let encoder = encoded(&[b"the first of two frames", b"the second of two frames"]);
    let expected: Vec<Result<Vec<u8>, Fault>> =
        vec![Ok(b"the first of two frames".to_vec()), Ok(b"the second of two frames".to_vec())];
    assert_eq!(found(encoder.bits().iter().copied()), expected);
}

#[test]
fn flags_that_share_a_zero_are_flags_too() {
    let mut bits: Vec<bool> = "011111101111110".chars().map(|bit| bit == '1').collect();
    let mut encoder = Encoder::new();
    encoder.frame(b"after two flags");
    bits.extend(encoder.bits());
    assert_eq!(found(bits), [Ok(b"after two flags".to_vec())]);
}

#[test]
fn each_fault_of_a_frame_is_reported() {
    let frame: &[u8] = b"a frame of some octets";
    let sound = encoded(&[frame]).bits().to_vec();
    let mut aborted = Encoder::new();
    aborted.flags(1);
    let cut = [aborted.bits(), &sound[8..160]].concat();
    let mut end = Encoder::new();
    end.abort().flags(1);
    assert_eq!(found([cut, end.bits().to_vec()].concat()), [Err(Fault::Abort)]);

    let mut short_of_a_bit = sound.clone();
    short_of_a_bit.remove(20);
    assert_eq!(found(short_of_a_bit), [Err(Fault::Alignment)]);

    let mut wrong = sound.clone();
    wrong[40] = !wrong[40];
    assert_eq!(found(wrong), [Err(Fault::Fcs)]);

    let long = encoded(&[&[0x55; LONGEST + 1]]);
    assert_eq!(found(long.bits().iter().copied()), [Err(Fault::TooLong)]);
    let longest = encoded(&[&[0x55; LONGEST]]);
    assert_eq!(found(longest.bits().iter().copied()), [Ok(vec![0x55; LONGEST])]);
}

#[test]
fn frames_under_136_bits_are_dropped() {
    assert_eq!(found(encoded(&[&[1; 12]]).bits().iter().copied()), []);
    assert_eq!(found(encoded(&[&[1; 13]]).bits().iter().copied()), [Ok(vec![1; 13])]);
}

#[test]
fn nrzi_changes_the_level_for_zeros_only() {
    let mut nrzi = Nrzi::default();
    let levels: Vec<bool> = [true, false, false, true].map(|bit| nrzi.encode(bit)).to_vec();
    assert_eq!(levels, [false, true, false, false]);
}

#[test]
fn the_scrambler_implements_its_polynomial() {
    // the response to a single one: 1 / (1 + x^12 + x^17)
    let mut scrambler = Scrambler::default();
    let response: Vec<usize> = (0..35).filter(|index| scrambler.push(*index == 0)).collect();
    assert_eq!(response, [0, 12, 17, 24, 34]);
}

#[test]
fn a_descrambler_synchronizes_within_seventeen_bits() {
    let levels: Vec<bool> = (0..200).map(|index| index * index % 7 < 3).collect();
    let mut scrambler = Scrambler::default();
    let sent: Vec<bool> = levels.iter().map(|level| scrambler.push(*level)).collect();
    let mut descrambler = Descrambler::default();
    let late: Vec<bool> = sent[50..].iter().map(|bit| descrambler.push(*bit)).collect();
    assert_eq!(late[17..], levels[67..]);
}

#[test]
fn air_times_are_those_of_9600_bits_a_second() {
    // overhead 18 octets an I frame, 17 an RR: 0.233 s for 256 octets, 0.245 s with two digipeaters, 15 ms
    for (octets, milliseconds) in [(272, 233), (286, 245), (15, 15)] {
        let time = mean_time(1, octets, 9600);
        assert_eq!((time.seconds() * 1000.0).round() as u64, milliseconds, "{octets} octets");
    }
    // a burst rounds once
    let apart = mean_time(1, 15, 9600).times(2);
    assert_eq!(mean_time(2, 30, 9600).saturating_sub(apart).picoseconds(), 1);
}

#[test]
fn the_worst_case_of_bit_stuffing_is_a_fifth_more() {
    let frame = vec![0xff; 200];
    let bits = exact_bits(&frame);
    // 320 zeros in the frame, at most three more in the FCS
    assert!((8 * 202 + 320 + 8..=8 * 202 + 323 + 8).contains(&bits), "{bits}");
    assert_eq!(exact_time(&frame, 1200), Duration::from_units(bits, 1200));
}

#[test]
fn random_data_has_one_stuffed_zero_in_62_bits() {
    let mut state = 1u64;
    let octets = (0..200_000).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let share = stuffed_zeros(octets) as f64 / 1_600_000.0;
    // the standard error is about 0.8 % of it
    assert!((share * 62.0 - 1.0).abs() < 0.03, "{share}");
}

proptest! {
    #[test]
    fn frames_survive_noise_line_codes_and_each_other(
        noise in prop::collection::vec(any::<bool>(), 0..200),
        frames in prop::collection::vec(prop::collection::vec(any::<u8>(), 13..LONGEST), 1..4),
        flags in 1usize..4,
        start in any::<u32>(),
    ) {
        let mut encoder = Encoder::new();
        encoder.flags(3);
        for frame in &frames {
            encoder.flags(flags).frame(frame);
        }
        let (mut nrzi, mut scrambler) = (Nrzi::default(), Scrambler::default());
        (0..32).for_each(|bit| { scrambler.push(start >> bit & 1 != 0); });
        let sent = noise.into_iter().chain(encoder.bits().iter().map(|bit| scrambler.push(nrzi.encode(*bit))));
        let (mut back, mut descrambler) = (Nrzi::default(), Descrambler::default());
        let received = sent.map(|bit| back.decode(descrambler.push(bit)));
        let good: Vec<Vec<u8>> = found(received).into_iter().flatten().collect();
        prop_assert_eq!(good, frames);
    }

    #[test]
    fn the_count_of_bits_is_what_the_encoder_makes(frame in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut encoder = Encoder::new();
        encoder.frame(&frame);
        prop_assert_eq!(exact_bits(&frame), encoder.bits().len() as u64);
    }

    #[test]
    fn any_bits_at_all_do_no_harm(noise in prop::collection::vec(any::<u8>(), 0..400)) {
        fuzz::bits(&noise);
    }
}
