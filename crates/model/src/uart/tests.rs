//! Frames as whole events beside a line that is simulated character by character.

use sojourn_core::{Duration, Stream, Streams, Time};

use super::{Damage, Format, Frame, Line, Parity};

fn line(format: Format) -> Line {
    Line::new(format, 0.0, Streams::new(1, 0).stream("noise"))
}

#[test]
fn a_character_with_parity_has_eleven_bits() {
    let format = Format { parity: Parity::Even, ..Format::new(9600) };
    assert_eq!((Format::new(9600).bits(), format.bits()), (10, 11));
    // 25 characters of 11 bits at 9600 bit/s: 28.645833... ms
    assert_eq!(format.characters(25).picoseconds(), 28_645_833_333);
    assert_eq!(Format { data_bits: 7, stop_bits: 2, ..format }.bits(), 11);
}

#[test]
fn a_gap_lies_between_characters_and_not_after_the_last() {
    let mut line = line(Format::new(1000)); // a character takes 10 ms
    let end = line.send(Time::ZERO, Frame { sender: 0, tag: 0, characters: 3, gap: Duration::from_millis(2) });
    assert_eq!(end.since(Time::ZERO), Duration::from_millis(34));
}

#[test]
fn a_driver_that_is_released_late_hides_the_first_character_of_another_but_not_its_own() {
    let at = |millis| Time::ZERO + Duration::from_millis(millis);
    for (sender, next, damage) in [(1, 31, Some(Damage::Overlap { first: 0 })), (1, 32, None), (0, 31, None)] {
        let mut line = line(Format::new(1000)).released_after(Duration::from_millis(2));
        let end = line.send(at(0), Frame { sender: 0, tag: 0, characters: 3, gap: Duration::ZERO });
        assert_eq!(line.end(end, 0).damage, None);
        let end = line.send(at(next), Frame { sender, tag: 1, characters: 1, gap: Duration::ZERO });
        assert_eq!(line.end(end, sender).damage, damage, "{sender} at {next} ms");
    }
}

#[test]
fn an_interruption_loses_the_rest_of_a_frame_and_all_of_the_next() {
    let at = |millis| Time::ZERO + Duration::from_millis(millis);
    let mut line = line(Format::new(1000));
    let end = line.send(at(0), Frame { sender: 0, tag: 0, characters: 5, gap: Duration::ZERO });
    line.interrupt(at(25), true);
    assert_eq!(line.end(end, 0).damage, Some(Damage::Interrupted { first: 2 }));
    let end = line.send(at(60), Frame { sender: 0, tag: 0, characters: 5, gap: Duration::ZERO });
    line.interrupt(at(65), false);
    assert_eq!(line.end(end, 0).damage, Some(Damage::Interrupted { first: 0 }));
    let end = line.send(at(120), Frame { sender: 0, tag: 0, characters: 5, gap: Duration::ZERO });
    assert_eq!(line.end(end, 0).damage, None);
}

#[test]
fn the_share_of_frames_with_bit_errors_and_the_place_of_the_first_are_those_of_independent_bits() {
    const FRAMES: u32 = 200_000;
    let (rate, characters) = (1e-3, 20_u32);
    let mut line = Line::new(Format::new(9600), rate, Streams::new(3, 0).stream("noise"));
    let (mut now, mut wrong, mut first_half) = (Time::ZERO, 0, 0);
    for tag in 0..FRAMES {
        now = line.send(now, Frame { sender: 0, tag, characters, gap: Duration::ZERO });
        if let Some(Damage::Noise { first }) = line.end(now, 0).damage {
            wrong += 1;
            first_half += u32::from(first < characters / 2);
        }
    }
    let expected = |bits: i32| f64::from(FRAMES) * (1.0 - (1.0 - rate).powi(bits));
    for (seen, expected) in [(wrong, expected(200)), (first_half, expected(100))] {
        assert!((f64::from(seen) - expected).abs() < 4.0 * expected.sqrt(), "{seen} of {expected}");
    }
}

/// A frame of the reference: every character with its begin and end.
struct Characters {
    frame: Frame,
    each: Vec<(Time, Time)>,
}

/// The first character of `one` that overlaps any character or gap of the others, by comparing all with all.
fn first_overlap(one: &Characters, others: &[Characters]) -> Option<u32> {
    let driven = |other: &Characters| (other.each[0].0, other.each[other.each.len() - 1].1);
    let spans: Vec<_> = others.iter().filter(|other| other.frame != one.frame).map(driven).collect();
    let overlaps = |&(begin, end): &(Time, Time)| spans.iter().any(|&(from, to)| from < end && begin < to);
    // a driver is enabled from the first start bit to the last stop bit: what begins in a gap destroys the next character
    one.each.iter().position(overlaps).map(|place| place as u32)
}

#[test]
fn overlapping_frames_are_destroyed_where_a_line_of_single_characters_destroys_them() {
    let mut stream: Stream = Streams::new(7, 0).stream("frames");
    for _ in 0..2_000 {
        let format = Format { parity: Parity::Even, ..Format::new(19_200) };
        let mut begin = Time::ZERO;
        let frames: Vec<Characters> = (0..4)
            .map(|number| {
                begin += Duration::from_micros(u64::from(stream.below(9_000)));
                let gap = Duration::from_micros(u64::from(stream.below(3) * 100));
                let frame = Frame { sender: number, tag: number, characters: 1 + stream.below(12), gap };
                let end = |count| begin + format.characters(count) + gap.times(u64::from(count) - 1);
                let each = (1..=frame.characters)
                    .map(|count| (if count == 1 { begin } else { end(count - 1) + gap }, end(count)));
                Characters { frame, each: each.collect() }
            })
            .collect();
        let mut line = line(format);
        let mut ends: Vec<(Time, u32)> = Vec::new();
        let mut seen = [None; 4];
        let mut end_all = |line: &mut Line, ends: &mut Vec<(Time, u32)>, until: Time| {
            ends.sort_unstable();
            while ends.first().is_some_and(|&(at, _)| at <= until) {
                let (at, sender) = ends.remove(0);
                seen[sender as usize] = line.end(at, sender).damage;
            }
        };
        for one in &frames {
            end_all(&mut line, &mut ends, one.each[0].0);
            ends.push((line.send(one.each[0].0, one.frame), one.frame.sender));
        }
        end_all(&mut line, &mut ends, Time::NEVER);
        for (one, seen) in frames.iter().zip(seen) {
            assert_eq!(seen.map(Damage::first), first_overlap(one, &frames), "{:?}", one.frame);
        }
    }
}
