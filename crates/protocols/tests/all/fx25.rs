//! Reed-Solomon codes and FX.25: published vectors, every correctable error, and Dire Wolf as receiver.

use std::fs;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use sojourn_protocols::ax25::hdlc::fx25::{FORMATS, Fault, Format, Receiver, any_bits};
use sojourn_protocols::reed_solomon::{ReedSolomon, Uncorrectable};

/// N0CALL-1 to TEST: UI with the text "Foo?Bar?".
const FRAME: &[u8] = b"\xa8\x8a\xa6\xa8\x40\x40\x60\x9c\x60\x86\x82\x98\x98\x63\x03\xf0Foo?Bar?";

fn bits(octets: &[u8]) -> impl Iterator<Item = bool> + '_ {
    octets.iter().flat_map(|octet| (0..8).map(move |bit| octet >> bit & 1 != 0))
}

fn received(octets: &[u8]) -> Vec<Result<(Vec<u8>, usize), Fault>> {
    let mut receiver = Receiver::new();
    bits(octets).filter_map(|bit| receiver.push(bit)).collect()
}

#[test]
fn check_octets_are_those_of_the_code_s_roots() {
    // every root is a zero of the whole block, evaluated bit by bit without tables
    let times = |mut one: u8, mut other: u8| {
        let mut product = 0;
        while other > 0 {
            product ^= if other & 1 == 1 { one } else { 0 };
            one = one << 1 ^ if one & 0x80 == 0 { 0 } else { 0x1d };
            other >>= 1;
        }
        product
    };
    for (first, check) in [(1, 16), (1, 32), (1, 64), (0, 2), (0, 16)] {
        let data: Vec<u8> = (0..150).map(|at: u32| (at * 37 + 11) as u8).collect();
        let block = [&data[..], &ReedSolomon::new(first, check).check_of(&data)].concat();
        let mut root = (0..first).fold(1, |power, _| times(power, 2));
        for _ in 0..check {
            assert_eq!(block.iter().fold(0, |sum, octet| times(sum, root) ^ octet), 0);
            root = times(root, 2);
        }
    }
}

#[test]
fn a_qr_code_s_published_codewords_are_reproduced() {
    // ISO/IEC 18004, Annex I: version 1-M, "01234567": 16 data and 10 check codewords, first root 0
    let data = [0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11];
    let check = [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55];
    assert_eq!(ReedSolomon::new(0, 10).check_of(&data), check);
}

#[test]
fn a_frame_is_found_in_noise_and_a_tag_with_eight_wrong_bits_is_still_one() {
    let format = Format::of(16, 260).expect("a format");
    assert_eq!((format.data, format.bits()), (64, 64 + 8 * 80));
    let mut octets = format.encode(FRAME).expect("it fits");
    assert_eq!(octets.len(), 8 + 64 + 16);
    octets[0] ^= 0xff;
    let sent = [&[0x7e, 0x7e, 0x12, 0x34][..], &octets, &[0x7e]].concat();
    assert_eq!(received(&sent), [Ok((FRAME.to_vec(), 0))]);
    octets[1] ^= 1;
    assert_eq!(received(&octets), [], "nine wrong bits are not a tag");
}

#[test]
fn the_format_is_the_shortest_that_holds_the_frame_and_a_longer_frame_has_none() {
    let data = |check, bits| Format::of(check, bits).map(|format| format.data);
    assert_eq!([data(16, 256), data(16, 257), data(16, 1912), data(16, 1913)], [Some(32), Some(64), Some(239), None]);
    assert_eq!([data(32, 1), data(64, 1), data(32, 1784), data(64, 1529)], [Some(32), Some(64), Some(223), None]);
    assert_eq!(FORMATS[3].encode(&[0xff; 239]), None);
}

#[test]
fn a_receiver_without_fx25_finds_the_frame_in_the_data() {
    use sojourn_protocols::ax25::hdlc::Deframer;
    let octets = Format::of(32, 300).expect("a format").encode(FRAME).expect("it fits");
    let mut deframer = Deframer::new(300);
    let found: Vec<Vec<u8>> = bits(&octets).filter_map(|bit| deframer.push(bit)?.ok().map(<[u8]>::to_vec)).collect();
    assert_eq!(found, [FRAME]);
}

/// A frame, a format, and what to change where.
fn damaged() -> impl Strategy<Value = (Vec<u8>, usize, Vec<(prop::sample::Index, u8)>)> {
    let frame = prop::collection::vec(any::<u8>(), 15..180);
    (frame, 0..FORMATS.len(), prop::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..40))
}

proptest! {
    #[test]
    fn as_many_octets_as_half_the_check_octets_may_be_wrong((frame, place, damage) in damaged()) {
        let format = &FORMATS[place];
        let Some(sent) = format.encode(&frame) else { return Ok(()) };
        let mut octets = sent.clone();
        for (place, change) in damage.iter().take(format.check / 2) {
            let at = 8 + place.index(format.data + format.check);
            octets[at] = sent[at] ^ change;
        }
        let wrong = octets.iter().zip(&sent).filter(|(one, other)| one != other).count();
        prop_assert_eq!(received(&octets), [Ok((frame, wrong))]);
    }

    #[test]
    fn beyond_that_nothing_is_taken_for_another_frame((frame, place, damage) in damaged()) {
        let format = &FORMATS[place];
        let Some(sent) = format.encode(&frame) else { return Ok(()) };
        let mut block = sent[8..].to_vec();
        for (place, change) in damage {
            block[place.index(format.data + format.check)] ^= change;
        }
        match format.decode(&block) {
            Ok((found, _)) => prop_assert_eq!(found, frame),
            Err(Fault::Uncorrectable(Uncorrectable) | Fault::Frame) => {}
        }
    }

    #[test]
    fn no_bits_panic_the_receiver(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        any_bits(&bytes);
    }
}

/// Octets as the sound of a 1200 bit/s modem (Bell 202: 1200 and 2200 Hz, NRZI), after flags of 0.3 s and before some.
fn sound(octets: &[u8]) -> Vec<u8> {
    const SAMPLES_PER_SECOND: u32 = 44_100;
    let octets = [&[0x7e; 45][..], octets, &[0x7e; 15]].concat();
    let (mut samples, mut phase, mut mark) = (Vec::new(), 0.0_f64, true);
    for (number, bit) in (1u32..).zip(bits(&octets)) {
        mark ^= !bit;
        let tone = if mark { 1200.0 } else { 2200.0 };
        while (samples.len() as u32) < number * SAMPLES_PER_SECOND / 1200 {
            phase += std::f64::consts::TAU * tone / f64::from(SAMPLES_PER_SECOND);
            samples.push((libm::sin(phase) * 8000.0) as i16);
        }
    }
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let (length, rate) = (data.len() as u32, SAMPLES_PER_SECOND);
    let header =
        [&b"RIFF"[..], &(36 + length).to_le_bytes(), b"WAVEfmt ", &16u32.to_le_bytes(), &[1, 0, 1, 0]].concat();
    let format =
        [&rate.to_le_bytes()[..], &(2 * rate).to_le_bytes(), &[2, 0, 16, 0], b"data", &length.to_le_bytes()].concat();
    [header, format, data].concat()
}

/// What Dire Wolf's test receiver prints of octets on air; `None` where it is not installed.
fn heard_by_dire_wolf(name: &str, octets: &[u8]) -> Option<String> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, sound(octets)).unwrap();
    let output = Command::new("atest").arg(&path).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn dire_wolf_receives_a_block_of_every_format_with_as_many_wrong_octets_as_it_corrects() {
    for (number, format) in FORMATS.iter().enumerate() {
        let mut octets = format.encode(FRAME).expect("a short frame fits every format");
        // evenly, so that each part of the block has some
        let wrong = format.check / 2;
        let spacing = (format.data + format.check) / wrong;
        (0..wrong).for_each(|at| octets[8 + at * spacing] ^= 0x55);
        let Some(heard) = heard_by_dire_wolf(&format!("fx25-{number}.wav"), &octets) else { return };
        assert!(heard.contains("N0CALL-1>TEST:Foo?Bar?"), "{format:?}: {heard}");
        // one more than it corrects, and all of the frame damaged
        (0..=wrong).for_each(|at| octets[8 + at] ^= 0xff);
        let heard = heard_by_dire_wolf(&format!("fx25-{number}-lost.wav"), &octets).expect("it is installed");
        assert!(!heard.contains("Foo?Bar?"), "{format:?}: {heard}");
    }
}
