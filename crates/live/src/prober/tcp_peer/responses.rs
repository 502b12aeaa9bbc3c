//! Responses in a byte stream, reassembled from any segmentation.

use std::collections::VecDeque;

use crate::prober::peer::{PeerTimes, PeerWallClock};
use crate::prober::udp_peer::ProbeFormat;

/// A probe format for streams: responses in the order of the requests, each as long as its request.
pub trait StreamFormat: ProbeFormat {
    /// How many of a response's `octets` must have arrived to decode it.
    fn head(&self, octets: usize) -> usize {
        octets
    }

    /// Asks the peer for its wall clock and its error, beside the connection; `None` if it states none.
    fn wall_clock(&mut self) -> Option<PeerWallClock> {
        None
    }
}

/// Requests without a complete response, in order.
#[derive(Debug, Default)]
pub struct ResponseStream {
    pending: VecDeque<Pending>,
    /// Received octets of the first response, as many as decoding takes.
    head: Vec<u8>,
    /// Octets of it received.
    returned: usize,
    /// The peer's timestamps in it, once decoded.
    far: Option<PeerTimes>,
}

#[derive(Debug)]
struct Pending {
    sequence: u64,
    octets: usize,
}

/// The received octets are not the expected response.
#[derive(Debug, PartialEq, Eq)]
pub struct NotAResponse;

impl ResponseStream {
    /// A request of this length is sent.
    pub fn asked(&mut self, sequence: u64, octets: usize) {
        self.pending.push_back(Pending { sequence, octets });
    }

    /// Takes received bytes, and calls `whole` for each completed response with its sequence number and the peer's
    /// timestamps.
    pub fn came(
        &mut self,
        format: &mut impl StreamFormat,
        bytes: &[u8],
        mut whole: impl FnMut(u64, Option<PeerTimes>),
    ) -> Result<(), NotAResponse> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let &Pending { sequence, octets } = self.pending.front().ok_or(NotAResponse)?;
            let (part, behind) = rest.split_at(rest.len().min(octets - self.returned));
            let missing = format.head(octets) - self.head.len();
            if missing > 0 {
                self.head.extend_from_slice(&part[..part.len().min(missing)]);
                if part.len() >= missing {
                    let (number, far) = format.read(&self.head).ok_or(NotAResponse)?;
                    self.far = if number == sequence { far } else { return Err(NotAResponse) };
                }
            }
            self.returned += part.len();
            if self.returned == octets {
                whole(sequence, self.far.take());
                self.pending.pop_front();
                self.head.clear();
                self.returned = 0;
            }
            rest = behind;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prober::peer::Request;
    use proptest::prelude::*;
    use sojourn_core::Time;

    const MARK: u8 = 0x5a;

    /// A number, zeros, and a mark at the end; decoding takes this many octets.
    struct Marked(usize);

    impl ProbeFormat for Marked {
        fn write(&mut self, request: Request, _leaves: Time, message: &mut Vec<u8>) {
            message.push(request.sequence as u8);
            message.resize(request.octets as usize - 1, 0);
            message.push(MARK);
        }

        fn read(&mut self, message: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
            let far =
                PeerTimes { received: message.len() as u64, sent: None, earlier: None, class: None, kernel: false };
            let readable = message.len() < 10 || message.last() == Some(&MARK);
            readable.then_some((message[0].into(), Some(far)))
        }

        fn min_octets(&self) -> u32 {
            2
        }
    }

    impl StreamFormat for Marked {
        fn head(&self, octets: usize) -> usize {
            octets.min(self.0)
        }
    }

    const MESSAGES: [(u64, u32); 3] = [(7, 20), (8, 10), (9, 11)];

    fn asked(format: &mut impl StreamFormat) -> (ResponseStream, Vec<u8>) {
        let (mut responses, mut bytes) = (ResponseStream::default(), Vec::new());
        for (sequence, octets) in MESSAGES {
            let mut message = Vec::new();
            format.write(Request { sequence, intended: Time::ZERO, octets }, Time::ZERO, &mut message);
            responses.asked(sequence, message.len());
            bytes.extend(message);
        }
        (responses, bytes)
    }

    #[test]
    fn responses_complete_with_their_last_octet_for_any_segmentation() {
        for (head, read) in [(usize::MAX, [20, 10, 11]), (4, [4, 4, 4]), (1, [1, 1, 1])] {
            let mut format = Marked(head);
            for length in 1..=41 {
                let ((mut responses, bytes), mut whole) = (asked(&mut format), Vec::new());
                for (number, part) in bytes.chunks(length).enumerate() {
                    let taken = number * length + part.len();
                    let answered =
                        |sequence, far: Option<PeerTimes>| whole.push((sequence, far.unwrap().received, taken));
                    responses.came(&mut format, part, answered).unwrap();
                }
                let cut = |end: usize| end.div_ceil(length).saturating_mul(length).min(41);
                assert_eq!(whole, [(7, read[0], cut(20)), (8, read[1], cut(30)), (9, read[2], 41)]);
            }
        }
    }

    #[test]
    fn unrequested_and_misplaced_octets_are_not_a_response() {
        let mut format = Marked(usize::MAX);
        assert_eq!(ResponseStream::default().came(&mut format, b"?", |_, _| {}), Err(NotAResponse));
        let (mut responses, bytes) = asked(&mut format);
        assert_eq!(
            responses.came(&mut format, &bytes[20..], |_, _| {}),
            Err(NotAResponse),
            "the second before the first"
        );
        let (mut responses, mut bytes) = asked(&mut format);
        bytes[19] = 0;
        assert_eq!(responses.came(&mut format, &bytes, |_, _| {}), Err(NotAResponse), "it cannot be read");
        let (mut responses, mut bytes) = asked(&mut format);
        bytes.push(0);
        let mut whole = 0;
        assert_eq!(responses.came(&mut format, &bytes, |_, _| whole += 1), Err(NotAResponse), "one octet too many");
        assert_eq!(whole, 3);
    }

    proptest! {
        #[test]
        fn any_bytes_give_the_same_result_for_any_segmentation(
            bytes in proptest::collection::vec(prop_oneof![Just(7), Just(8), Just(0), Just(MARK), any::<u8>()], 0..60),
            head in 1_usize..20,
            length in 1_usize..20,
        ) {
            let outcome = |length: usize| {
                let (mut format, mut whole) = (Marked(head), Vec::new());
                let mut responses = asked(&mut format).0;
                let mut parts = bytes.chunks(length);
                let taken = parts.try_for_each(|part| responses.came(&mut format, part, |sequence, _| whole.push(sequence)));
                (taken, whole)
            };
            prop_assert_eq!(outcome(length), outcome(usize::MAX));
        }
    }
}
