//! The question that every query of a measurement asks: encoding queries, and recognizing their responses.

use hickory_proto::op::{Edns, Message, MessageType, OpCode, Query, ResponseCode};
use hickory_proto::rr::{Name, RecordType};

use crate::io::network_error::ServiceError;

/// Response size that queries announce: it is not fragmented on a path of IPv6 (DNS flag day 2020).
const UDP_PAYLOAD: u16 = 1232;

/// A name and a record type, of class IN.
#[derive(Clone, Debug)]
pub struct Question {
    query: Query,
    /// A query with transaction ID 0.
    encoded: Vec<u8>,
}

/// A response to the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Transaction ID of the query.
    pub id: u16,
    /// Whether it answers the question, be it with no records, or the server failed.
    pub outcome: Result<(), ServiceError>,
}

impl Question {
    /// Asks for the records of a type that a name has; `None` of a name that cannot be encoded.
    pub fn new(mut name: Name, record_type: RecordType) -> Option<Question> {
        name.set_fqdn(true);
        let query = Query::query(name, record_type);
        let mut message = Message::new(0, MessageType::Query, OpCode::Query);
        message.metadata.recursion_desired = true;
        message.add_query(query.clone());
        let mut edns = Edns::new();
        edns.set_max_payload(UDP_PAYLOAD);
        message.set_edns(edns);
        let encoded = message.to_vec().ok()?;
        Some(Question { query, encoded })
    }

    /// Appends a query with this transaction ID.
    pub fn write(&self, id: u16, message: &mut Vec<u8>) {
        message.extend(id.to_be_bytes());
        message.extend(&self.encoded[2..]);
    }

    /// Reads a message of the server; `None` if it does not respond to this question (RFC 5452, section 9.1).
    pub fn read(&self, message: &[u8]) -> Option<Answer> {
        let response = Message::from_vec(message).ok()?;
        let Message { metadata, queries, .. } = &response;
        let is_response = metadata.message_type == MessageType::Response && metadata.op_code == OpCode::Query;
        if !is_response || *queries != [self.query.clone()] {
            return None;
        }
        let outcome = match metadata.response_code {
            ResponseCode::NoError if metadata.truncation => Err(ServiceError::Truncated),
            ResponseCode::NoError => Ok(()),
            code => Err(ServiceError::ResponseCode(code.into())),
        };
        Some(Answer { id: metadata.id, outcome })
    }
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use hickory_proto::rr::{RData, Record, rdata};
    use proptest::prelude::*;

    use super::*;

    fn question() -> Question {
        Question::new(Name::from_ascii("www.example.org").unwrap(), RecordType::AAAA).unwrap()
    }

    /// The query with this ID, as a server reads it, turned into a response.
    fn response(id: u16, change: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut query = Vec::new();
        question().write(id, &mut query);
        let mut message = Message::from_vec(&query).unwrap().into_response();
        change(&mut message);
        message.to_vec().unwrap()
    }

    #[test]
    fn a_query_asks_for_recursion_and_announces_the_size_of_responses() {
        let mut query = Vec::new();
        question().write(0x1234, &mut query);
        let read = Message::from_vec(&query).unwrap();
        assert_eq!((read.metadata.id, read.metadata.recursion_desired), (0x1234, true));
        assert_eq!((read.queries[0].to_string(), read.max_payload()), ("www.example.org. IN AAAA".to_owned(), 1232));
        assert_eq!(question().read(&query), None, "a query is not a response");
    }

    #[test]
    fn a_response_answers_whatever_its_case_and_its_records() {
        let answered = Some(Answer { id: 7, outcome: Ok(()) });
        assert_eq!(question().read(&response(7, |_| {})), answered);
        let full = response(7, |message| {
            let name = Name::from_str("WWW.example.ORG.").unwrap();
            message.queries[0].set_name(name.clone());
            message.add_answer(Record::from_rdata(
                name,
                300,
                RData::AAAA(rdata::AAAA::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
            ));
        });
        assert_eq!(question().read(&full), answered);
    }

    #[test]
    fn failures_of_the_server_and_truncation_are_no_answers() {
        let outcome =
            |change: fn(&mut Message)| question().read(&response(7, change)).unwrap().outcome.unwrap_err().kind();
        assert_eq!(outcome(|message| message.metadata.response_code = ResponseCode::NXDomain), "dns_nxdomain");
        assert_eq!(outcome(|message| message.metadata.response_code = ResponseCode::ServFail), "dns_servfail");
        assert_eq!(outcome(|message| message.metadata.response_code = ResponseCode::Refused), "dns_refused");
        assert_eq!(outcome(|message| message.metadata.truncation = true), "truncated");
    }

    #[test]
    fn the_response_to_another_question_is_ignored() {
        let other_name = response(7, |message| {
            message.queries[0].set_name(Name::from_str("example.net.").unwrap());
        });
        let other_type = response(7, |message| {
            message.queries[0].set_query_type(RecordType::A);
        });
        let none = response(7, |message| message.queries.clear());
        for message in [other_name, other_type, none] {
            assert_eq!(question().read(&message), None);
        }
    }

    proptest! {
        #[test]
        fn any_octets_are_read_without_a_panic(octets in proptest::collection::vec(any::<u8>(), 0..100), id: u16) {
            let _ = question().read(&octets);
            let mut message = response(id, |_| {});
            let length = message.len();
            for (index, octet) in octets.iter().enumerate() {
                message[(index * 7 + usize::from(*octet)) % length] ^= octet;
            }
            let _ = question().read(&message);
        }
    }
}
