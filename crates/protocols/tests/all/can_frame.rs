//! Frames of CAN against vectors and against stuffing done bit by bit.

use sojourn_core::Streams;
use sojourn_core::random::Stream;
use sojourn_protocols::can::frame::{Content, Crc, FD_LENGTHS, Id, Length, code_of, fd_length};

/// Frames that are compared with the sequence of their bits.
const FRAMES: u32 = 1_000_000;

fn base(id: u32) -> Id {
    Id::base(id).unwrap()
}

fn extended(id: u32) -> Id {
    Id::extended(id).unwrap()
}

/// A number as bits, the highest first.
fn bits(value: u32, count: u32) -> impl Iterator<Item = bool> {
    (0..count).rev().map(move |bit| value >> bit & 1 == 1)
}

fn bytes(data: &[u8]) -> impl Iterator<Item = bool> + '_ {
    data.iter().flat_map(|&byte| bits(byte.into(), 8))
}

/// From SOF to the data of a classical frame, without stuff bits.
fn classic(id: Id, is_remote: bool, code: u32, data: &[u8]) -> Vec<bool> {
    let remote = u32::from(is_remote);
    let mut sequence = vec![false];
    match id {
        Id::Base(value) => sequence.extend(bits(value.into(), 11).chain(bits(remote << 2, 3))),
        Id::Extended(value) => {
            sequence.extend(bits(value >> 18, 11).chain(bits(0b11, 2)));
            sequence.extend(bits(value & 0x3_ffff, 18).chain(bits(remote << 2, 3)));
        }
    }
    sequence.extend(bits(code, 4).chain(bytes(data)));
    sequence
}

fn crc(sequence: &[bool]) -> Crc {
    sequence.iter().fold(Crc::of_classic(), |crc, &bit| crc.push(bit))
}

/// The sequence with stuff bits, as a sender makes it: after five equal bits, stuff bits among them, one of the other value.
fn stuffed(sequence: &[bool]) -> Vec<bool> {
    let mut sent: Vec<bool> = Vec::new();
    let mut run = 0;
    for &bit in sequence {
        run = if sent.last() == Some(&bit) { run + 1 } else { 1 };
        sent.push(bit);
        if run == 5 {
            sent.push(!bit);
            run = 1;
        }
    }
    sent
}

/// Stuff bits of a classical frame, bit by bit.
fn stuff_bits(id: Id, is_remote: bool, code: u32, data: &[u8]) -> usize {
    let mut sequence = classic(id, is_remote, code, data);
    sequence.extend(bits(crc(&sequence).value(), 15));
    stuffed(&sequence).len() - sequence.len()
}

#[test]
fn frames_have_the_crc_the_stuff_bits_and_the_length_of_the_published_vectors() {
    let vectors: [(Id, &[u8], u32, usize, u16); 10] = [
        (base(0x123), &[1, 2, 3, 4, 5, 6, 7, 8], 0x64ef, 8, 119),
        (base(0x123), &[0; 8], 0x044e, 14, 125),
        (base(0x123), &[0xff; 8], 0x6284, 13, 124),
        (base(0x123), &[0x55; 8], 0x657f, 1, 112),
        (base(0x123), &[0xde, 0xad, 0xbe, 0xef], 0x4e6b, 2, 81),
        (base(0), &[0; 8], 0x145b, 16, 127),
        (base(0x7ff), &[0xff; 8], 0x4c89, 15, 126),
        (base(0x100), &[], 0x380a, 4, 51),
        (extended(0x18fe_f100), &[0xff; 8], 0x177a, 15, 146),
        (extended(0x0cf0_0400), &[0xf0, 0x7d, 0x7d, 0, 0, 0, 0, 0], 0x0ccf, 14, 145),
    ];
    for (id, data, expected, stuff, total) in vectors {
        let sequence = classic(id, false, data.len() as u32, data);
        assert_eq!(crc(&sequence).value(), expected, "{id}");
        assert_eq!(stuff_bits(id, false, data.len() as u32, data), stuff, "{id}");
        assert_eq!(Length::exact(id, Content::Data(data)), Length { nominal: total, data: 0 }, "{id}");
    }
}

#[test]
fn a_million_random_frames_have_as_many_stuff_bits_as_when_they_are_sent_bit_by_bit() {
    let mut draws = Streams::new(1, 0).stream("frames");
    for _ in 0..FRAMES {
        let (id, data, length) = random(&mut draws, 9);
        let data = &data[..length];
        let is_remote = draws.below(16) == 0;
        let (content, sent) =
            if is_remote { (Content::Remote(length as u8), &[][..]) } else { (Content::Data(data), data) };
        let exact = Length::exact(id, content);
        let plain = Length::unstuffed(id, sent.len(), None);
        let stuff = usize::from(exact.nominal - plain.nominal);
        assert_eq!(stuff, stuff_bits(id, is_remote, length as u32, sent), "{id} {content:?}");
        assert!(exact.nominal <= Length::worst(id, sent.len(), None).nominal, "{id} {content:?}");
    }
}

#[test]
fn frames_of_can_fd_have_the_dynamic_stuff_bits_of_both_phases() {
    let mut draws = Streams::new(1, 0).stream("frames of CAN FD");
    for _ in 0..FRAMES / 10 {
        let (id, data, _) = random(&mut draws, 9);
        let length = usize::from(FD_LENGTHS[draws.below(16) as usize]);
        let (data, esi) = (&data[..length], draws.below(2) == 1);
        let [before, after] = fd_stuff_bits(id, esi, data);
        let exact = Length::exact(id, Content::Fd { data, brs: true, esi });
        let (plain, worst) = (Length::unstuffed(id, length, Some(true)), Length::worst(id, length, Some(true)));
        let found = [exact.nominal - plain.nominal, exact.data - plain.data];
        assert_eq!(found, [before, after], "{id} {data:x?}");
        assert!(exact.nominal <= worst.nominal && exact.bits() <= worst.bits(), "{id} {data:x?}");
    }
}

/// Stuff bits that follow bits before BRS, and those that follow later ones, without one after the last bit of data.
fn fd_stuff_bits(id: Id, esi: bool, data: &[u8]) -> [u16; 2] {
    let mut sequence = vec![false];
    match id {
        Id::Base(value) => sequence.extend(bits(value.into(), 11).chain(bits(0b0010, 4))),
        Id::Extended(value) => {
            sequence.extend(bits(value >> 18, 11).chain(bits(0b11, 2)));
            sequence.extend(bits(value & 0x3_ffff, 18).chain(bits(0b010, 3)));
        }
    }
    let before = (stuffed(&sequence).len() - sequence.len()) as u16;
    sequence.extend([true, esi]);
    sequence.extend(bits(code_of(data.len()).unwrap().into(), 4).chain(bytes(data)));
    let sent = stuffed(&sequence);
    let at_end = u16::from(sent.last() != sequence.last());
    [before, (sent.len() - sequence.len()) as u16 - before - at_end]
}

fn random(draws: &mut Stream, lengths: u32) -> (Id, [u8; 64], usize) {
    let id = match draws.below(2) {
        0 => base(draws.below(0x800)),
        _ => extended(draws.below(0x2000_0000)),
    };
    // bytes of long runs as often as others: there stuff bits are
    let mut data = [0; 64];
    for byte in &mut data {
        *byte = match draws.below(3) {
            0 => draws.below(256) as u8,
            1 => [0, 0xff][draws.below(2) as usize],
            _ => [0x1f, 0xf0, 0x07, 0x83, 0xc1][draws.below(5) as usize],
        };
    }
    (id, data, draws.below(lengths) as usize)
}

#[test]
fn the_worst_frames_have_the_lengths_of_the_analysis() {
    for bytes in 0..=8 {
        assert_eq!(Length::worst(base(0), bytes, None).nominal, 55 + 10 * bytes as u16, "{bytes} bytes");
        assert_eq!(Length::worst(extended(0), bytes, None).nominal, 80 + 10 * bytes as u16, "{bytes} bytes, extended");
        assert_eq!(Length::unstuffed(base(0), bytes, None).nominal, 47 + 8 * bytes as u16);
        assert_eq!(Length::unstuffed(extended(0), bytes, None).nominal, 67 + 8 * bytes as u16);
    }
}

#[test]
fn random_frames_are_as_long_on_average_as_the_brief_has_computed() {
    let mut draws = Streams::new(7, 0).stream("means");
    for (is_extended, bytes, mean) in [
        (false, 0, 48.97),
        (false, 1, 57.03),
        (false, 2, 65.24),
        (false, 4, 81.35),
        (false, 8, 114.28),
        (true, 8, 135.05),
    ] {
        let count = 200_000;
        let sum: u64 = (0..count)
            .map(|_| {
                let id = if is_extended { extended(draws.below(1 << 29)) } else { base(draws.below(1 << 11)) };
                let data = draws.bits().to_be_bytes();
                u64::from(Length::exact(id, Content::Data(&data[..bytes])).nominal)
            })
            .sum();
        let found = sum as f64 / f64::from(count);
        // stuff bits deviate by about 2 bits; four standard errors of the mean, and the rounding of what is published
        assert!(
            (found - mean).abs() < 4.0 * 2.0 / f64::from(count).sqrt() + 0.02,
            "{bytes} bytes: {found}, not {mean}"
        );
    }
}

#[test]
fn frames_of_can_fd_have_the_bits_of_both_phases_without_dynamic_stuffing() {
    for (bytes, data) in [(8, 97), (16, 161), (64, 550)] {
        assert_eq!(Length::unstuffed(base(0), bytes, Some(true)), Length { nominal: 29, data });
        assert_eq!(Length::unstuffed(extended(0), bytes, Some(true)), Length { nominal: 48, data });
        assert_eq!(Length::unstuffed(base(0), bytes, Some(false)), Length { nominal: 29 + data, data: 0 });
        // at 500 kbit/s and 2 Mbit/s
        let us = 29.0 * 2.0 + f64::from(data) * 0.5;
        assert_eq!(us, [106.5, 138.5, 333.0][[8, 16, 64].iter().position(|&n| n == bytes).unwrap()]);
    }
    assert_eq!(fd_length(50), 64);
}

#[test]
fn a_remote_frame_has_no_data_whatever_its_code() {
    let lengths: Vec<u16> =
        (0..=8).map(|code| Length::exact(base(0x123), Content::<[u8; 0]>::Remote(code)).nominal).collect();
    assert!(lengths.iter().all(|&bits| (47..=55).contains(&bits)), "{lengths:?}");
}
