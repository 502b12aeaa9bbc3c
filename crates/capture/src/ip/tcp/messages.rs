//! Messages with identifiers in one direction of a TCP stream.

use super::sequence::is_before;
use crate::ip::application::{Application, Message};

/// Where the next message of a stream begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Messages {
    /// Its sequence number; `None` before the first, and after a message that could not be followed.
    next: Option<u32>,
}

impl Messages {
    /// Visits the messages that begin in a segment's data, each with its octets, first sequence number aside. `seq` is the
    /// sequence number of the data, of which the capture holds the first octets. A message whose header is in two segments
    /// is left out.
    pub fn read(
        &mut self,
        application: Application,
        to_server: bool,
        (seq, data): (u32, &[u8]),
        mut visit: impl FnMut(Message, u32),
    ) {
        let end = seq.wrapping_add(data.len() as u32);
        // a message may begin where a segment does, if a part of the stream is missing
        let begin = self.next.filter(|next| !is_before(*next, seq)).unwrap_or(seq);
        let mut at = begin;
        while is_before(at, end) {
            let rest = &data[at.wrapping_sub(seq) as usize..];
            let Some((header, length)) = application.stream_message(rest) else {
                self.next = None;
                return;
            };
            let message = &rest[header.min(rest.len())..length.min(rest.len())];
            visit(application.read(Some(to_server), message), (length - header) as u32);
            at = at.wrapping_add(length as u32);
        }
        self.next = Some(at);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn modbus(number: u8) -> [u8; 12] {
        [0, number, 0, 0, 0, 6, 1, 3, 0, 0, 0, 1]
    }

    fn read(messages: &mut Messages, seq: u32, data: &[u8]) -> Vec<Message> {
        let mut seen = Vec::new();
        messages.read(Application::Modbus, true, (seq, data), |message, _| seen.push(message));
        seen
    }

    #[test]
    fn messages_are_followed_over_the_ends_of_segments() {
        let mut messages = Messages::default();
        let stream = [modbus(1), modbus(2), modbus(3)].concat();
        let request = |number: u64| Message::Request(0x1_0000 | number);
        assert_eq!(read(&mut messages, 0xffff_fff0, &stream[..20]), [request(1), request(2)]);
        assert_eq!(read(&mut messages, 4, &stream[20..]), [request(3)]);
    }

    #[test]
    fn after_a_missing_part_the_begin_of_a_segment_begins_a_message() {
        let mut messages = Messages::default();
        assert_eq!(read(&mut messages, 0, &[1; 12]), []);
        assert_eq!(read(&mut messages, 500, &modbus(7)), [Message::Request(0x1_0007)]);
    }

    proptest! {
        #[test]
        fn any_octets_at_any_place_are_read_without_a_panic(
            segments in proptest::collection::vec((any::<u32>(), proptest::collection::vec(0..8_u8, 0..60)), 0..8),
        ) {
            for application in [Application::Dns, Application::Modbus, Application::Probe] {
                let mut messages = Messages::default();
                for (seq, data) in &segments {
                    messages.read(application, false, (*seq, data), |_, octets| assert!(octets < 70_000));
                }
            }
        }
    }
}
