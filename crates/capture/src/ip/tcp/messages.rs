//! Messages with identifiers in one direction of a TCP stream.

use sojourn_core::Time;

use super::sequence::is_before;
use crate::ip::application::{Application, Framed, Message};
use crate::ip::requests::Answered;

/// A message that says to be longer is not followed: the next one is found by where a segment begins.
const LONGEST: usize = 1 << 30;

/// Where the next message of a stream begins, and the answer of which more is to come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Messages {
    /// Its sequence number; `None` before the first, and after a message that could not be followed.
    next: Option<u32>,
    unfinished: Option<Unfinished>,
}

/// An answer whose end was not captured yet.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    answered: Answered,
    /// The sequence number behind it; `None` where it ends with the last data before the next message.
    until: Option<u32>,
    /// When its last data were captured.
    last: Time,
}

/// Data of a segment as captured.
#[derive(Clone, Copy, Debug)]
pub struct Data<'a> {
    /// The sequence number of the first octet.
    pub seq: u32,
    /// The first octets.
    pub octets: &'a [u8],
    /// How many there were before the capture cut them.
    pub length: u32,
    /// Stamp.
    pub time: Time,
}

/// What is found in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A message with its octets: which request it answers is wanted.
    Message(Message, u32),
    /// The last octet of an answer was captured at that time.
    Complete(Answered, Time),
}

impl Messages {
    /// Visits the messages that begin in a segment's data, and answers that are complete with it. A message whose header is in
    /// two segments is left out. Returns whether the data are of messages, as far as is known.
    pub fn read(
        &mut self,
        application: Application,
        to_server: bool,
        data: &Data<'_>,
        mut visit: impl FnMut(Found) -> Option<Answered>,
    ) -> bool {
        let Data { seq, octets, length, time } = *data;
        let end = seq.wrapping_add(octets.len() as u32);
        // a message may begin where a segment does, if a part of the stream is missing
        let known = self.next.filter(|next| !is_before(*next, seq) && !application.begins_anew(octets));
        let mut at = known.unwrap_or(seq);
        let mut is_read = true;
        while is_before(at, end) {
            let rest = octets.get(at.wrapping_sub(seq) as usize..).unwrap_or_default();
            let framed = application.stream_message(rest).filter(|framed| framed.length <= LONGEST);
            let Some(framed) = framed else {
                self.next = None;
                is_read = at != seq;
                break;
            };
            if at != seq {
                self.extend(at, time, &mut visit);
            }
            self.message(application, to_server, (rest, framed), at, time, &mut visit);
            at = at.wrapping_add(framed.length as u32);
            self.next = Some(at);
        }
        self.extend(seq.wrapping_add(length), time, &mut visit);
        is_read
    }

    /// Whether an answer without a length goes on.
    pub fn is_open(&self) -> bool {
        self.unfinished.is_some_and(|unfinished| unfinished.until.is_none())
    }

    /// An answer without a length is complete: the next request is sent, or the connection ends.
    pub fn end_open(&mut self, visit: &mut impl FnMut(Found) -> Option<Answered>) {
        if let Some(Unfinished { answered, until: None, last }) = self.unfinished {
            self.unfinished = None;
            visit(Found::Complete(answered, last));
        }
    }

    /// Takes the message, or the several, in a frame at sequence number `at`.
    fn message(
        &mut self,
        application: Application,
        to_server: bool,
        (octets, framed): (&[u8], Framed),
        at: u32,
        time: Time,
        visit: &mut impl FnMut(Found) -> Option<Answered>,
    ) {
        let Framed { header, length, is_open } = framed;
        let mut message = &octets[header.min(octets.len())..length.min(octets.len())];
        let mut size = (length - header) as u32;
        loop {
            let read = application.read(Some(to_server), message);
            if let Some(answered) = visit(Found::Message(read, size)) {
                self.end_open(visit);
                let is_open = is_open || application.ends_with_turn();
                let until = (!is_open).then(|| at.wrapping_add(length as u32));
                self.unfinished = Some(Unfinished { answered, until, last: time });
            }
            let Some(next) = application.next_message(message) else { break };
            message = &message[next..];
            size = 0;
        }
        self.extend(at.wrapping_add(octets.len().min(length) as u32), time, visit);
    }

    /// Data up to sequence number `end` are there.
    fn extend(&mut self, end: u32, time: Time, visit: &mut impl FnMut(Found) -> Option<Answered>) {
        let Some(unfinished) = &mut self.unfinished else { return };
        unfinished.last = time;
        if let Some(until) = unfinished.until
            && !is_before(end, until)
        {
            visit(Found::Complete(unfinished.answered, time));
            self.unfinished = None;
        }
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
        let data = Data { seq, octets: data, length: data.len() as u32, time: Time::ZERO };
        messages.read(Application::Modbus, true, &data, |found| {
            let Found::Message(message, _) = found else { return None };
            seen.push(message);
            None
        });
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

    #[test]
    fn an_answer_is_complete_with_its_last_octet_and_one_without_a_length_before_the_next_message() {
        let answered = Answered { flow: crate::FlowId(7), begin: Time::ZERO };
        let at = |milliseconds| Time::ZERO + sojourn_core::Duration::from_millis(milliseconds);
        let mut complete = Vec::new();
        let mut read = |messages: &mut Messages, seq, octets: &[u8], milliseconds| {
            let data = Data { seq, octets, length: octets.len() as u32, time: at(milliseconds) };
            messages.read(Application::Http, false, &data, |found| match found {
                Found::Message(..) => Some(answered),
                Found::Complete(_, time) => {
                    complete.push(time);
                    None
                }
            });
        };
        let mut messages = Messages::default();
        read(&mut messages, 0, b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n1234", 1);
        read(&mut messages, 42, b"5678", 3);
        read(&mut messages, 46, b"HTTP/1.1 200 OK\r\n\r\n", 5);
        read(&mut messages, 65, b"more", 7);
        read(&mut messages, 69, b"HTTP/1.1 304 Not Modified\r\n\r\n", 9);
        assert_eq!(complete, [at(3), at(7), at(9)]);
    }

    proptest! {
        #[test]
        fn any_octets_at_any_place_are_read_without_a_panic(
            segments in proptest::collection::vec((any::<u32>(), proptest::collection::vec(0..8_u8, 0..60)), 0..8),
        ) {
            let answered = Answered { flow: crate::FlowId(0), begin: Time::ZERO };
            for application in Application::ALL {
                let mut messages = Messages::default();
                for (seq, octets) in &segments {
                    let data = Data { seq: *seq, octets, length: octets.len() as u32, time: Time::ZERO };
                    messages.read(application, false, &data, |_| Some(answered));
                }
            }
        }
    }
}
