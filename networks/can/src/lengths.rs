//! Bits of frames and their times.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Streams};
use sojourn_protocols::can::frame::{Content, INTERMISSION, Id, Length};

/// More bits than a frame has at either rate.
const MOST_BITS: usize = 1024;
/// Random frames of which a table of stuff bits is made, and rows of it.
const FRAMES: usize = 4096;
const ROWS: usize = 1024;

/// How stuff bits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuffing {
    /// As the payload has them.
    Exact,
    /// As random data have them.
    Random,
    /// As many as there can be.
    Worst,
}

/// The times of this many bits, at the nominal rate and at that of the data phase.
#[derive(Clone, Debug)]
pub struct Bits {
    nominal: Arc<[Duration]>,
    data: Arc<[Duration]>,
}

impl Bits {
    /// At these rates, in bit/s.
    pub fn new(nominal: u64, data: u64) -> Bits {
        let times = |rate: u64| (0..MOST_BITS as u64).map(|bits| Duration::from_units(bits, rate)).collect();
        Bits { nominal: times(nominal), data: times(data) }
    }

    /// The time of this many nominal bits.
    #[inline]
    pub fn nominal(&self, bits: u16) -> Duration {
        self.nominal[usize::from(bits)]
    }

    /// From SOF to the end of a frame.
    #[inline]
    pub fn frame(&self, length: Length) -> Duration {
        self.nominal[usize::from(length.nominal - INTERMISSION)] + self.data[usize::from(length.data)]
    }

    /// From SOF to the end of the intermission.
    #[inline]
    pub fn whole(&self, length: Length) -> Duration {
        self.frame(length) + self.nominal(INTERMISSION)
    }

    /// The time until this many bits of a frame have been sent.
    pub fn part(&self, length: Length, bits: u16) -> Duration {
        // the data phase follows the arbitration: it is over when all but the tail of the frame is sent
        let frame = length.bits() - INTERMISSION;
        let tail = 9;
        let before = (length.nominal - INTERMISSION).saturating_sub(tail).min(bits);
        let phase = (bits - before).min(length.data);
        let behind = bits.min(frame) - before - phase;
        self.nominal(before + behind) + self.data[usize::from(phase)]
    }
}

/// Stuff bits of frames of an identifier with random data, in ascending order: draws from it are draws of such frames.
pub fn table(id: Id, bytes: usize, brs: Option<bool>) -> Arc<[u8]> {
    let mut stream = Streams::new(u64::from(id.value()), bytes as u32).stream("stuffing");
    let plain = Length::unstuffed(id, bytes, brs);
    let mut counts: Vec<u8> = (0..FRAMES)
        .map(|_| {
            let exact = Length::exact(id, content(&random(&mut stream)[..bytes], brs));
            (exact.bits() - plain.bits()) as u8
        })
        .collect();
    counts.sort_unstable();
    counts.iter().skip(FRAMES / ROWS / 2).step_by(FRAMES / ROWS).copied().collect()
}

/// What carries these bytes.
pub fn content(data: &[u8], brs: Option<bool>) -> Content<&[u8]> {
    match brs {
        None => Content::Data(data),
        Some(brs) => Content::Fd { data, brs, esi: false },
    }
}

/// Random bytes.
pub fn random(stream: &mut Stream) -> [u8; 64] {
    let mut data = [0; 64];
    data.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&stream.bits().to_le_bytes()));
    data
}

/// A frame without data stuffed as one row of a table says.
#[inline]
pub fn drawn(table: &[u8], plain: Length, stream: &mut Stream) -> Length {
    let stuff = u16::from(table[stream.bits() as usize % ROWS]);
    // of CAN FD frames the data phase has nearly all of them
    if plain.data > 0 {
        Length { data: plain.data + stuff, ..plain }
    } else {
        Length { nominal: plain.nominal + stuff, ..plain }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_mean_of_random_data() {
        // 114.28 bits with any identifier, of which 111 are not stuffed
        let ids = [0x2a5, 0x55a, 0x6b3, 0x135];
        let means = ids.map(|id| {
            let table = table(Id::Base(id), 8, None);
            table.iter().map(|&stuff| f64::from(stuff)).sum::<f64>() / table.len() as f64
        });
        let mean = means.iter().sum::<f64>() / 4.0;
        assert!((2.4..3.6).contains(&mean), "{means:?}");
    }

    #[test]
    fn the_parts_of_a_frame_end_with_the_frame() {
        let bits = Bits::new(500_000, 2_000_000);
        for length in [Length::unstuffed(Id::Base(0), 8, None), Length::unstuffed(Id::Base(0), 64, Some(true))] {
            let all = length.bits() - INTERMISSION;
            assert_eq!(bits.part(length, all), bits.frame(length));
            assert!((1..=all).all(|n| bits.part(length, n) > bits.part(length, n - 1)));
        }
        assert_eq!(bits.whole(Length { nominal: 29, data: 550 }), Duration::from_micros(333));
    }
}
