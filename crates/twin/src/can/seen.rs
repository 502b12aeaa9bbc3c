//! Frames as they were seen on a bus, and when those began that follow no other.

use sojourn_core::Time;
use sojourn_protocols::can::frame::{Content, FD_LIMIT, INTERMISSION, Id, Length};

/// Frames of which the contents are kept, to choose one from.
const CONTENTS: usize = 64;
/// Bits on an idle bus behind the intermission from which on a frame has not waited, beside the uncertainty of stamps in seconds: as
/// many as the stuff bits of a frame that is not as long as its contents are, such as one of a simulation.
const IDLE: f64 = 10.0;
/// The resolution of most captures, s.
pub(super) const RESOLUTION: f64 = 2e-6;

/// A frame on a bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Its end.
    pub end: Time,
    /// From the end of the frame before, s; infinite of the first.
    pub gap: f64,
    pub length: Length,
    /// That of the frame before.
    pub before: Length,
    /// Bytes of the frame, or of the message that it begins.
    pub octets: u16,
}

/// The bit rates of a bus, bit/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    pub nominal: f64,
    pub data: f64,
}

impl Rates {
    /// The time of nominal bits, s.
    pub fn bits(&self, bits: f64) -> f64 {
        bits / self.nominal
    }

    /// The time of a frame with its intermission, s.
    pub fn whole(&self, length: Length) -> f64 {
        f64::from(length.nominal) / self.nominal + f64::from(length.data) / self.data
    }

    /// The time of a frame from its beginning to its end, s.
    pub fn frame(&self, length: Length) -> f64 {
        self.whole(length) - self.bits(INTERMISSION.into())
    }
}

/// When a frame began, in seconds from the first packet, whether it may have waited for the bus, and how long the frame before it
/// took in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Start {
    pub at: f64,
    pub waited: bool,
    pub before: f64,
}

impl Seen {
    /// When it began.
    pub fn start(&self, begin: Time, rates: &Rates) -> Start {
        let frame = rates.frame(self.length);
        let idle = self.gap - frame - rates.bits(INTERMISSION.into());
        let waited = idle < rates.bits(IDLE) + RESOLUTION;
        Start { at: since(begin, self.end) - frame, waited, before: rates.frame(self.before) }
    }
}

/// Seconds from the first packet.
pub(super) fn since(begin: Time, time: Time) -> f64 {
    time.since(begin).seconds()
}

/// The bytes that frames carried.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// The first that differ, with their bits.
    first: Vec<(u16, Vec<u8>)>,
    /// Bits of all frames, and their number.
    bits: u64,
    count: u64,
}

impl Contents {
    pub fn add(&mut self, length: Length, data: &[u8]) {
        self.bits += u64::from(length.bits());
        self.count += 1;
        if self.first.len() < CONTENTS && self.first.last().is_none_or(|(_, last)| last != data) {
            self.first.push((length.bits(), data[..data.len().min(FD_LIMIT)].to_vec()));
        }
    }

    /// Bytes of zeros and of alternating bits with about as many stuff bits as frames of an identifier had on average: they say
    /// nothing of what these carried.
    pub fn like(&self, id: Id, octets: usize, brs: Option<bool>) -> String {
        let bytes = |zeros: usize| [vec![0; zeros], vec![0x55; octets - zeros]].concat();
        let far = |zeros: &usize| {
            let data = bytes(*zeros);
            let content = match brs {
                None => Content::Data(&data[..]),
                Some(brs) => Content::Fd { data: &data[..], brs, esi: false },
            };
            libm::fabs(f64::from(Length::exact(id, content).bits()) - self.mean())
        };
        let zeros = (0..=octets).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
        digits(&bytes(zeros))
    }

    /// The mean of the bits of frames.
    fn mean(&self) -> f64 {
        self.bits as f64 / self.count.max(1) as f64
    }

    /// Bytes with as many stuff bits as frames had on average, in hexadecimal digits, and whether no frame had others.
    pub fn typical(&self) -> Option<(String, bool)> {
        let far = |bits: u16| libm::fabs(f64::from(bits) - self.mean());
        let (_, data) = self.first.iter().min_by(|(a, _), (b, _)| far(*a).total_cmp(&far(*b)))?;
        Some((digits(data), self.first.len() == 1))
    }
}

/// Bytes as a scenario has them.
pub(super) fn digits(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// The bytes of a frame's data, and whether it is one of CAN FD that switches the bit rate, or does not.
pub(super) fn shape<'d>(content: &Content<&'d [u8]>) -> (&'d [u8], Option<bool>) {
    match *content {
        Content::Remote(_) => (&[], None),
        Content::Data(data) => (data, None),
        Content::Fd { data, brs, .. } => (data, Some(brs)),
    }
}

/// Fewest and most bits of frames like this one.
pub(super) fn bounds(id: Id, content: &Content<&[u8]>) -> [Length; 2] {
    let (data, brs) = shape(content);
    [Length::unstuffed(id, data.len(), brs), Length::worst(id, data.len(), brs)]
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    #[test]
    fn a_frame_that_follows_another_at_once_may_have_waited_and_one_on_an_idle_bus_has_not() {
        let rates = Rates { nominal: 500_000.0, data: 500_000.0 };
        // 111 bits with the intermission of three: 222 us, of which the frame is 216
        let length = Length::unstuffed(Id::Base(1), 8, None);
        let seen = |gap| Seen { end: Time::ZERO + Duration::from_millis(1), gap, length, before: length, octets: 8 };
        let [first, second] = [222e-6, 400e-6].map(|gap| seen(gap).start(Time::ZERO, &rates));
        assert_eq!((first.waited, second.waited), (true, false));
        assert!((first.at - 784e-6).abs() < 1e-12);
    }

    #[test]
    fn bytes_that_say_nothing_have_as_many_stuff_bits() {
        let (id, zeros) = (Id::Base(0x123), [0; 8]);
        let mut contents = Contents::default();
        // 125 bits (CRC 044E and 14 stuff bits), where alternating bits have 112
        contents.add(Length::exact(id, Content::Data(&zeros[..])), &zeros);
        assert_eq!(contents.like(id, 8, None), "0000000000000000");
    }

    #[test]
    fn the_contents_are_those_with_the_mean_of_the_stuff_bits() {
        let mut contents = Contents::default();
        for (bits, byte) in [(111, 1), (125, 0), (118, 2)] {
            contents.add(Length { nominal: bits, data: 0 }, &[byte]);
        }
        assert_eq!(contents.typical(), Some(("02".to_owned(), false)));
    }
}
