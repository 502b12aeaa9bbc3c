//! Messages with identifiers in one direction of a TCP stream.

use sojourn_core::Time;

use super::sequence::is_before;
use crate::Moment;
use crate::ip::application::{Application, Framed, Message};
use crate::ip::requests::Answered;

/// A message that says to be longer is not followed: the next one is found by where a segment begins.
const LONGEST: usize = 1 << 30;
/// Octets of a message that are kept, at most, until the next segment says what it is.
const KEPT: usize = 2_048;

/// Where the next message of a stream begins, and the answer of which more is to come.
#[derive(Debug, Default)]
pub struct Messages {
    /// Its sequence number; `None` before the first, and after a message that could not be followed.
    next: Option<u32>,
    /// The sequence number behind the frame that the next message is in, where a frame holds several.
    frame_end: Option<u32>,
    begun: Option<Box<Begun>>,
    unfinished: Option<Unfinished>,
}

/// A message whose header goes on in the next segment, and the packet that it begins in.
#[derive(Debug)]
struct Begun {
    seq: u32,
    octets: Vec<u8>,
    at: Moment,
    /// Whether it is where a segment begins, not where the message before ends.
    is_anew: bool,
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
    /// The packet.
    pub at: Moment,
}

/// What is found in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A message with its octets and the packet that it begins in: which request it answers is wanted.
    Message(Message, u32, Moment),
    /// The last octet of an answer was captured at that time.
    Complete(Answered, Time),
}

/// What data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Of messages, as far as is known.
    Messages,
    /// The begin of a message, perhaps: the first of the stream, or behind a missing part.
    Begin,
    /// Not of a message that is known.
    Unread,
}

impl Messages {
    /// Visits the messages that begin in a segment's data, and answers that are complete with it. A message whose header goes
    /// on in the next segment is visited with that one.
    pub fn read(
        &mut self,
        application: Application,
        to_server: bool,
        data: &Data<'_>,
        mut visit: impl FnMut(Found) -> Option<Answered>,
    ) -> Reading {
        let end = data.seq.wrapping_add(data.length);
        if let Some(begun) = self.begun.take() {
            let kept = begun.octets.len() as u32;
            let goes_on = begun.seq.wrapping_add(kept) == data.seq;
            // a head without its end, and another message
            let is_left = begun.octets.ends_with(b"\n") && application.begins_anew(data.octets);
            if goes_on && !is_left {
                let octets = [&begun.octets, data.octets].concat();
                let whole = Data { seq: begun.seq, octets: &octets, length: kept.saturating_add(data.length), ..*data };
                let first = (begun.at, begun.is_anew);
                let reading = self.messages(application, to_server, &whole, first, true, &mut visit);
                if reading != Reading::Unread {
                    return reading;
                }
            } else if is_before(begun.seq, data.seq) {
                self.take(application, to_server, &begun, &mut visit);
            } else {
                // older data, which may have the message once more
                self.begun = Some(begun).filter(|begun| !is_before(begun.seq, end));
            }
        }
        self.messages(application, to_server, data, (data.at, false), true, &mut visit)
    }

    /// Visits a message whose header does not go on, as far as it was captured; with `is_answered` only one that is a request
    /// or an answer for certain.
    pub fn settle(
        &mut self,
        application: Application,
        to_server: bool,
        is_answered: bool,
        mut visit: impl FnMut(Found) -> Option<Answered>,
    ) {
        let is_message = |octets: &[u8]| application.direction_in_stream(octets).is_some();
        if let Some(begun) = self.begun.take_if(|begun| !is_answered || is_message(&begun.octets)) {
            self.take(application, to_server, &begun, &mut visit);
        }
    }

    fn take(
        &mut self,
        application: Application,
        to_server: bool,
        begun: &Begun,
        visit: &mut impl FnMut(Found) -> Option<Answered>,
    ) {
        let Begun { seq, octets, at, .. } = begun;
        let data = Data { seq: *seq, octets, length: octets.len() as u32, at: *at };
        self.messages(application, to_server, &data, (*at, false), false, visit);
    }

    /// Visits the messages of data whose first octet came in the packet `first`. A message at the end whose header is not complete
    /// waits for the next segment.
    fn messages(
        &mut self,
        application: Application,
        to_server: bool,
        data: &Data<'_>,
        (first, is_anew): (Moment, bool),
        may_wait: bool,
        visit: &mut impl FnMut(Found) -> Option<Answered>,
    ) -> Reading {
        let Data { seq, octets, length, at: Moment { time, .. } } = *data;
        let end = seq.wrapping_add(octets.len() as u32);
        let is_cut = (octets.len() as u64) < u64::from(length);
        // a message may begin where a segment does, if a part of the stream is missing
        let known = self.next.filter(|next| !is_before(*next, seq) && !application.begins_anew(octets));
        if known.is_none() {
            self.frame_end = None;
        }
        let is_anew = is_anew || known.is_none();
        let mut place = known.unwrap_or(seq);
        let mut reading = Reading::Messages;
        while is_before(place, end) {
            let rest = octets.get(place.wrapping_sub(seq) as usize..).unwrap_or_default();
            let at = if place == seq { first } else { data.at };
            let may_wait = may_wait && !is_cut && rest.len() < KEPT;
            let framed = self.frame(application, rest, place);
            let waits = match framed {
                Some(framed) if !self.is_cut(application, rest) => waits(application, to_server, rest, framed),
                _ => self.is_cut(application, rest),
            };
            if may_wait && waits {
                let is_anew = is_anew && place == seq;
                reading = if is_anew { Reading::Begin } else { Reading::Messages };
                self.next = Some(place);
                self.begun = Some(Box::new(Begun { seq: place, octets: rest.to_vec(), at, is_anew }));
                break;
            }
            let Some(framed) = framed else {
                (self.next, self.frame_end) = (None, None);
                reading = if place == seq { Reading::Unread } else { Reading::Messages };
                break;
            };
            if place != seq {
                self.extend(place, time, visit);
            }
            let message = &rest[framed.header.min(rest.len())..framed.length.min(rest.len())];
            let read = application.read(Some(to_server), message);
            let size = if self.frame_end.is_some() { 0 } else { (framed.length - framed.header) as u32 };
            let behind = self.behind(application, message, framed, place);
            let until = Some(behind).filter(|_| !framed.is_open && !application.ends_with_turn());
            self.message(Found::Message(read, size, at), until, time, visit);
            let length = (behind.wrapping_sub(place) as usize).min(rest.len());
            self.extend(place.wrapping_add(length as u32), time, visit);
            place = behind;
            self.next = Some(place);
        }
        self.extend(seq.wrapping_add(length), time, visit);
        reading
    }

    /// Whether octets are too few to say how long the message is that begins with them.
    fn is_cut(&self, application: Application, rest: &[u8]) -> bool {
        // one octet may be the whole first message of PostgreSQL
        let is_first = self.next.is_none() && application.stream_message(rest).is_some();
        self.frame_end.is_none() && application.is_cut(rest) && !is_first
    }

    /// The frame of the message at a place, or the rest of the frame that it is in.
    fn frame(&self, application: Application, rest: &[u8], place: u32) -> Option<Framed> {
        match self.frame_end.map(|end| end.wrapping_sub(place) as usize) {
            Some(length) => Some(Framed { header: 0, length, is_open: false }),
            None => application.stream_message(rest).filter(|framed| framed.length <= LONGEST),
        }
    }

    /// Where the message behind this one begins, which may be in the same frame.
    fn behind(&mut self, application: Application, message: &[u8], framed: Framed, place: u32) -> u32 {
        let Framed { header, length, .. } = framed;
        let end = place.wrapping_add(length as u32);
        let next = application.next_message(message, length - header).filter(|_| !framed.is_open);
        self.frame_end = next.map(|_| end);
        next.map_or(end, |next| place.wrapping_add((header + next) as u32))
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

    /// Takes a message that ends at sequence number `until`, as far as that is known.
    fn message(
        &mut self,
        found: Found,
        until: Option<u32>,
        time: Time,
        visit: &mut impl FnMut(Found) -> Option<Answered>,
    ) {
        if let Some(answered) = visit(found) {
            self.end_open(visit);
            self.unfinished = Some(Unfinished { answered, until, last: time });
        }
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

/// Whether a message lacks its end, and may say something else with more of its octets.
fn waits(application: Application, to_server: bool, rest: &[u8], framed: Framed) -> bool {
    let is_whole = !framed.is_open && framed.length <= rest.len();
    !is_whole && application.may_change(to_server, &rest[framed.header.min(rest.len())..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(milliseconds: u64) -> Moment {
        let time = Time::ZERO + sojourn_core::Duration::from_millis(milliseconds);
        Moment { time, frame: None }
    }

    fn modbus(number: u8) -> [u8; 12] {
        [0, number, 0, 0, 0, 6, 1, 3, 0, 0, 0, 1]
    }

    fn read(messages: &mut Messages, seq: u32, data: &[u8]) -> Vec<Message> {
        let mut seen = Vec::new();
        let data = Data { seq, octets: data, length: data.len() as u32, at: at(0) };
        messages.read(Application::Modbus, true, &data, |found| {
            let Found::Message(message, ..) = found else { return None };
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
        let mut complete = Vec::new();
        let mut read = |messages: &mut Messages, seq, octets: &[u8], milliseconds| {
            let data = Data { seq, octets, length: octets.len() as u32, at: at(milliseconds) };
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
        assert_eq!(complete, [at(3).time, at(7).time, at(9).time]);
    }

    proptest! {
        #[test]
        fn any_octets_in_segments_that_follow_each_other_are_read_without_a_panic(
            pieces in proptest::collection::vec(proptest::collection::vec(0..4_u8, 0..9), 0..40), mut seq: u32,
        ) {
            let begin: [&[u8]; 4] = [b"HTTP/1.", b"\0\0\0\x40\xfeSMB", &[0, 0, 0, 40, 5, 4, 0, 0xff, 0, 12, 0, 12], &[0x30, 7]];
            let answered = Answered { flow: crate::FlowId(0), begin: Time::ZERO };
            for (application, begin) in Application::ALL.into_iter().flat_map(|of| begin.map(|begin| (of, begin))) {
                let mut messages = Messages::default();
                for octets in std::iter::once(begin).chain(pieces.iter().map(Vec::as_slice)) {
                    let data = Data { seq, octets, length: octets.len() as u32, at: at(0) };
                    messages.read(application, false, &data, |_| Some(answered));
                    seq = seq.wrapping_add(octets.len() as u32);
                }
                messages.settle(application, false, false, |_| Some(answered));
            }
        }

        #[test]
        fn any_octets_at_any_place_are_read_without_a_panic(
            segments in proptest::collection::vec((any::<u32>(), proptest::collection::vec(0..8_u8, 0..60)), 0..8),
        ) {
            let answered = Answered { flow: crate::FlowId(0), begin: Time::ZERO };
            for application in Application::ALL {
                let mut messages = Messages::default();
                for (seq, octets) in &segments {
                    let data = Data { seq: *seq, octets, length: octets.len() as u32, at: at(0) };
                    messages.read(application, false, &data, |_| Some(answered));
                }
            }
        }
    }
}
