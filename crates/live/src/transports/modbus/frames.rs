//! Frames in the octets that a host reads from a serial line, in blocks whose spacing is not that of the line.
//!
//! A frame is complete once its CRC fits and its PDU is whole. Octets that are none end after a silence that is longer than
//! what an adapter may put between two blocks.

use sojourn_core::{Duration, Time};
use sojourn_protocols::modbus::rtu;

/// The longest gap that an adapter leaves between two blocks of a frame, in addition to t3.5: FTDI's latency timer is 16 ms by default.
const BETWEEN_BLOCKS: Duration = Duration::from_millis(20);

/// Octets of the frame that is being received.
#[derive(Clone, Debug)]
pub struct FrameReader {
    is_whole: fn(&[u8]) -> bool,
    silence: Duration,
    octets: Vec<u8>,
    last: Time,
}

/// What ends a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its octets, with the CRC that fits.
    Frame(Vec<u8>),
    /// Octets without a frame among them.
    Damaged(Vec<u8>),
}

impl FrameReader {
    /// Reads frames whose PDUs are whole where the function says so; `t35` is the silence between frames.
    pub fn new(t35: Duration, is_whole: fn(&[u8]) -> bool) -> FrameReader {
        FrameReader { is_whole, silence: t35 + BETWEEN_BLOCKS, octets: Vec::new(), last: Time::ZERO }
    }

    /// Takes a block that was read at `now`, which may end a frame.
    pub fn push(&mut self, now: Time, block: &[u8]) -> Option<Found> {
        self.last = now;
        // what does not fit into a frame is damaged whatever it is
        let room = (rtu::LONGEST + 1).saturating_sub(self.octets.len());
        self.octets.extend_from_slice(&block[..block.len().min(room)]);
        let is_whole = rtu::parse(&self.octets).is_ok_and(|frame| (self.is_whole)(frame.pdu));
        is_whole.then(|| Found::Frame(std::mem::take(&mut self.octets)))
    }

    /// Ends octets behind which the line is silent.
    pub fn wake(&mut self, now: Time) -> Option<Found> {
        self.next_wakeup().filter(|due| *due <= now)?;
        let octets = std::mem::take(&mut self.octets);
        Some(if rtu::parse(&octets).is_ok() { Found::Frame(octets) } else { Found::Damaged(octets) })
    }

    /// When [`wake`](FrameReader::wake) is due.
    pub fn next_wakeup(&self) -> Option<Time> {
        (!self.octets.is_empty()).then(|| self.last + self.silence)
    }

    /// Forgets what was received so far.
    pub fn clear(&mut self) {
        self.octets.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sojourn_protocols::modbus::Response;

    use super::*;

    const T35: Duration = Duration::from_micros(1750);

    fn at(us: u64) -> Time {
        Time::ZERO + Duration::from_micros(us)
    }

    fn reader() -> FrameReader {
        FrameReader::new(T35, |pdu| Response::parse(pdu).is_ok())
    }

    /// Three registers of unit 17.
    fn response() -> Vec<u8> {
        let mut octets = Vec::new();
        rtu::emit(17, &[3, 6, 2, 43, 0, 0, 0, 100], &mut octets);
        octets
    }

    #[test]
    fn a_response_is_complete_with_its_last_octet_in_whichever_blocks_it_comes() {
        for size in 1..=response().len() {
            let (mut reader, octets) = (reader(), response());
            let blocks: Vec<&[u8]> = octets.chunks(size).collect();
            for (number, block) in blocks.iter().enumerate() {
                let found = reader.push(at(16_000 * number as u64), block);
                let expected = (number + 1 == blocks.len()).then(|| Found::Frame(response()));
                assert_eq!(found, expected, "blocks of {size}");
            }
            assert_eq!(reader.next_wakeup(), None);
        }
    }

    #[test]
    fn octets_that_are_no_frame_end_after_a_silence_longer_than_between_blocks() {
        let mut reader = reader();
        assert_eq!(reader.push(at(0), &response()[..7]), None);
        assert_eq!(reader.next_wakeup(), Some(at(21_750)));
        assert_eq!(reader.wake(at(21_749)), None);
        assert_eq!(reader.wake(at(21_750)), Some(Found::Damaged(response()[..7].to_vec())));
        assert_eq!(reader.push(at(30_000), &response()), Some(Found::Frame(response())));
    }

    proptest! {
        #[test]
        fn any_octets_end_and_a_frame_behind_a_silence_is_found(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..4),
        ) {
            let mut reader = reader();
            for block in &blocks {
                reader.push(at(0), block);
            }
            reader.wake(at(30_000));
            prop_assert_eq!(reader.next_wakeup(), None);
            prop_assert_eq!(reader.push(at(30_001), &response()), Some(Found::Frame(response())));
        }
    }
}
