//! Recognizes streams of RTP that no session description announces.

use sojourn_core::Time;

use super::rtp::Header;

/// Packets of one sender that follow each other, before they are taken for a stream.
const IN_A_ROW: usize = 3;
/// Ticks between two packets that follow each other, at most: ten seconds of the fastest clock.
const MOST_TICKS: u32 = 900_000;

/// A packet with its stamp.
pub type Sample = (Time, Header);

/// What a datagram shows of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// It is not a packet of RTP, or does not follow the one before.
    None,
    /// It may be one of a stream.
    Perhaps,
    /// It is one of a stream.
    Stream,
}

/// What was seen of a conversation that may be a stream: of each side the last packets that follow each other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recognition {
    recent: [[Option<Sample>; IN_A_ROW]; 2],
}

impl Recognition {
    /// Takes a datagram of a side, without a header if it is not a packet of RTP.
    pub fn take(&mut self, side: usize, time: Time, header: Option<Header>) -> Likeness {
        let recent = &mut self.recent[side];
        let last = recent.iter().flatten().last().copied();
        let follows = header.zip(last).is_some_and(|(header, (_, last))| follows(&last, &header));
        if !follows {
            *recent = [None; IN_A_ROW];
        }
        let Some(header) = header else { return Likeness::None };
        let place = recent.iter().position(Option::is_none).unwrap_or(IN_A_ROW - 1);
        recent[place] = Some((time, header));
        match follows {
            true if place == IN_A_ROW - 1 => Likeness::Stream,
            true => Likeness::Perhaps,
            false if last.is_none() => Likeness::Perhaps,
            false => Likeness::None,
        }
    }

    /// The packets by which it was recognized, and those of the other side, each side in order.
    pub fn packets(&self, side: usize) -> impl Iterator<Item = Sample> {
        self.recent[side].into_iter().flatten()
    }
}

/// Whether a packet is the next one of the same source, of the same payload, not long after it by its timestamp.
fn follows(last: &Header, next: &Header) -> bool {
    last.source == next.source
        && last.payload_type == next.payload_type
        && last.sequence.wrapping_add(1) == next.sequence
        && next.timestamp.wrapping_sub(last.timestamp) <= MOST_TICKS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(source: u32, sequence: u16, timestamp: u32) -> Option<Header> {
        Some(Header { payload_type: 8, marker: false, sequence, timestamp, source, payload: 160 })
    }

    fn found(packets: [Option<Header>; 3]) -> [Likeness; 3] {
        let mut recognition = Recognition::default();
        packets.map(|header| recognition.take(0, Time::ZERO, header))
    }

    #[test]
    fn packets_of_a_source_whose_numbers_and_timestamps_go_on_are_a_stream() {
        let going_on = [packet(7, 65_535, u32::MAX - 159), packet(7, 0, 0), packet(7, 1, 160)];
        assert_eq!(found(going_on), [Likeness::Perhaps, Likeness::Perhaps, Likeness::Stream]);
        let copied = [packet(7, 0, 0), packet(7, 1, 160), packet(7, 1, 160)];
        assert_eq!(found(copied), [Likeness::Perhaps, Likeness::Perhaps, Likeness::None]);
        for [second, third] in
            [[packet(8, 1, 160), packet(9, 2, 320)], [packet(7, 1, 0xdead_beef), packet(7, 2, 7)], [None, None]]
        {
            let expected = [Likeness::Perhaps, Likeness::None, Likeness::None];
            assert_eq!(found([packet(7, 0, 0), second, third]), expected, "{second:?}");
        }
    }

    #[test]
    fn the_packets_that_show_it_are_kept_of_both_sides() {
        let mut recognition = Recognition::default();
        recognition.take(1, Time::ZERO, packet(3, 9, 0));
        (1..4).for_each(|number| {
            recognition.take(0, Time::ZERO, packet(7, number, u32::from(number) * 160));
        });
        let numbers = |side| recognition.packets(side).map(|(_, header)| header.sequence).collect::<Vec<u16>>();
        assert_eq!((numbers(0), numbers(1)), (vec![1, 2, 3], vec![9]));
    }
}
