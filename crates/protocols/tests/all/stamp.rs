//! STAMP: vectors, round trips, any bytes; a sender and a reflector with a lossy path between them.

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::stamp::*;

const KEY: &[u8] = b"an example of a key, 32 bytes long";

/// Made field by field after the figures of RFC 8762, sections 4.2 and 4.3, with SSID 0x1234 of RFC 8972; the HMACs by
/// Python's `hmac`. Wireshark 4.0.17 reads the open ones as TWAMP-Test with these values.
const OPEN_PROBE: &str = "00000102ed0037804000000094011234000000000000000000000000000000000000000000000000\
    00000000";
const OPEN_REPLY: &str = "000000ffed0037804027525594011234ed0037804020c49c00000102ed0037804000000094010000\
    3f000000";
const AUTHENTICATED_PROBE: &str = "00000102000000000000000000000000ed0037804000000094011234000000000000000000000000\
    00000000000000000000000000000000000000000000000000000000000000000000000000000000\
    0000000000000000000000000000000093f5908653626ee7122b22415b10d035";
const AUTHENTICATED_REPLY: &str = "000000ff000000000000000000000000ed003780402752559401123400000000ed0037804020c49c\
    000000000000000000000102000000000000000000000000ed003780400000009401000000000000\
    3f000000000000000000000000000000382f7df7e7ce34c2c028a9eb3a51efa0";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn probe(name: &str) -> Probe {
    probes().into_iter().find(|(example, _)| *example == name).unwrap().1
}

fn reply(name: &str) -> Reply {
    replies().into_iter().find(|(example, _)| *example == name).unwrap().1
}

#[test]
fn every_vector_parses_to_its_value_and_is_emitted_from_it() {
    let key = Key::new(KEY);
    let mut emitted = Vec::new();
    for (key, hex) in [(None, OPEN_PROBE), (Some(&key), AUTHENTICATED_PROBE)] {
        probe("of a session").emit(key, &mut emitted);
        assert_eq!(emitted, bytes(hex));
        assert_eq!(Probe::parse(&emitted, key), Ok((probe("of a session"), Extensions(&[]))));
    }
    for (key, hex) in [(None, OPEN_REPLY), (Some(&key), AUTHENTICATED_REPLY)] {
        reply("stateful").emit(key, &mut emitted);
        assert_eq!(emitted, bytes(hex));
        assert_eq!(Reply::parse(&emitted, key), Ok((reply("stateful"), Extensions(&[]))));
    }
}

#[test]
fn every_example_survives_emitting_and_parsing_in_both_modes() {
    let key = Key::new(KEY);
    let mut emitted = Vec::new();
    for key in [None, Some(&key)] {
        for (name, probe) in probes() {
            probe.emit(key, &mut emitted);
            assert_eq!(emitted.len(), length(key), "{name}");
            assert_eq!(Probe::parse(&emitted, key), Ok((probe, Extensions(&[]))), "{name}");
        }
        for (name, reply) in replies() {
            reply.emit(key, &mut emitted);
            assert_eq!(emitted.len(), length(key), "{name}");
            assert_eq!(Reply::parse(&emitted, key), Ok((reply, Extensions(&[]))), "{name}");
        }
    }
}

#[test]
fn with_a_key_bit_errors_and_other_keys_are_rejected() {
    let key = Key::new(KEY);
    let sound = bytes(AUTHENTICATED_PROBE);
    assert_eq!(Probe::parse(&sound, Some(&Key::new(b"another"))), Err(ParseError::Tag));
    for bit in 0..8 * sound.len() {
        let mut changed = sound.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Probe::parse(&changed, Some(&key)), Err(ParseError::Tag), "bit {bit}");
    }
}

#[test]
fn a_packet_too_short_for_its_mode_is_rejected_with_both_lengths() {
    let key = Key::new(KEY);
    let message = |length: usize, key| Probe::parse(&vec![0; length], key).unwrap_err().to_string();
    assert_eq!(message(43, None), "test packet of 43 bytes, this mode requires 44");
    for length in [0, 44, 96, 111] {
        let short = ParseError::TooShort { length, min: 112 };
        assert_eq!(Probe::parse(&vec![0; length], Some(&key)), Err(short));
    }
}

/// Reflects one probe.
fn reflect(reflector: &mut Reflector<u8>, from: u8, probe: Probe, extensions: &[u8]) -> Transmit<u8> {
    let (extensions, error) = (extensions.to_vec(), ErrorEstimate::of(1e-3, false, Format::Ntp));
    let received = Received { from, probe, extensions, at_unix_ns: 1_000_000_007, error, ttl: Some(61) };
    reflector.handle(Time::ZERO, received);
    let transmit = reflector.poll_output().expect("every probe has its reply");
    assert_eq!(reflector.poll_output(), None, "and one only");
    transmit
}

fn reflector(stateful: bool) -> Reflector<u8> {
    Reflector::new(stateful)
}

#[test]
fn a_reply_copies_the_probe_and_carries_its_receive_timestamp_and_ttl() {
    let probe = probe("PTP");
    let Transmit { to, reply, extensions } = reflect(&mut reflector(true), 7, probe, &[1, 2, 3]);
    assert_eq!((to, &extensions[..]), (7, &[1, 2, 3][..]));
    assert_eq!((reply.probe_sequence, reply.probe_timestamp, reply.probe_error), (0, probe.timestamp, probe.error));
    assert_eq!((reply.received.unix_ns(Format::Ntp), reply.probe_ttl), (1_000_000_007, 61));
    assert!(!reply.error.synchronized);
}

#[test]
fn a_stateful_reflector_numbers_its_replies_and_a_stateless_one_copies_the_sequence_number() {
    let of_session = probe("of a session");
    let numbers = |stateful| {
        let mut reflector = reflector(stateful);
        [0, 1].map(|_| reflect(&mut reflector, 7, of_session, &[]).reply.sequence)
    };
    assert_eq!(numbers(true), [0, 1]);
    assert_eq!(numbers(false), [258, 258]);
}

#[test]
fn a_stateful_reflector_distinguishes_forward_and_backward_losses() {
    let (mut sender, mut reflector) = (sender(), reflector(true));
    let mut replies = Vec::new();
    for number in 0..100 {
        let probe = sender.probe(number, 0, ErrorEstimate::UNKNOWN);
        if number % 10 == 3 {
            continue; // lost on the forward path
        }
        let answer = reflect(&mut reflector, 7, probe, &[]).reply;
        if number % 25 != 4 {
            sender.check(&answer).unwrap();
            replies.push(NumberedReply { probe: number.into(), reply: answer.sequence });
        }
    }
    let end = reflect(&mut reflector, 7, sender.probe(99, 0, ErrorEstimate::UNKNOWN), &[]).reply.sequence;
    let found = Directions::of(&replies, end, 0..100);
    assert_eq!(found, Directions { received: 90, ..Directions::default() });
    assert_eq!(replies.len(), 86);
}

#[test]
fn a_probe_carries_the_error_estimate_of_its_senders_clock_and_timestamps_of_its_format() {
    for format in [Format::Ntp, Format::Ptp] {
        let error = ErrorEstimate::of(1e-3, true, format);
        let probe = sender().probe(0, 1_000_000_007, error);
        assert_eq!((probe.error, probe.timestamp.unix_ns(format)), (error, 1_000_000_007));
    }
}

#[test]
fn a_reply_of_another_session_or_to_an_unsent_probe_is_rejected() {
    let mut sender = sender();
    let probe = sender.probe(0, 0, ErrorEstimate::UNKNOWN);
    let answer = reflect(&mut reflector(true), 7, probe, &[]).reply;
    assert_eq!(sender.check(&Reply { session: 9, ..answer }), Err(Unexpected::Session(9)));
    assert_eq!(sender.check(&Reply { probe_sequence: 1, ..answer }), Err(Unexpected::Sequence(1)));
    assert_eq!(sender.check(&Reply { session: 0, ..answer }), Ok(()), "as a reflector without sessions replies");
}

fn sender() -> Sender {
    Sender::new(5)
}

fn any_stamp() -> impl Strategy<Value = Timestamp> {
    any::<u64>().prop_map(Timestamp::from_bits)
}

fn any_estimate() -> impl Strategy<Value = ErrorEstimate> {
    any::<u16>().prop_map(ErrorEstimate::from_bits)
}

proptest! {
    #[test]
    fn any_bytes_give_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz::packet(&bytes);
    }

    #[test]
    fn any_probe_comes_back_in_a_reply_of_its_own_length_that_its_sender_reads(
        keyed: bool,
        sequence: u32,
        timestamp in any_stamp(),
        error in any_estimate(),
        session: u16,
        behind in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let key = keyed.then(|| Key::new(KEY));
        let probe = Probe { sequence, timestamp, error, session };
        let mut sent = Vec::new();
        probe.emit(key.as_ref(), &mut sent);
        sent.extend_from_slice(&behind);

        let (read, extensions) = Probe::parse(&sent, key.as_ref()).unwrap();
        let Transmit { reply, extensions, .. } = reflect(&mut reflector(false), 7, read, extensions.0);
        let mut returned = Vec::new();
        reply.emit(key.as_ref(), &mut returned);
        Extensions(&extensions).reflect(&mut returned);

        prop_assert_eq!(returned.len(), sent.len());
        let (answer, _) = Reply::parse(&returned, key.as_ref()).unwrap();
        prop_assert_eq!(answer.probe_sequence, sequence);
        prop_assert_eq!(answer.probe_timestamp, timestamp);
        prop_assert_eq!(answer.probe_error, error);
        prop_assert_eq!(answer.session, session);
    }
}

#[test]
fn the_residence_time_is_the_difference_of_the_reflectors_timestamps() {
    let reply = reply("stateless");
    let spent = reply.timestamp.unix_ns(reply.error.format) - reply.received.unix_ns(reply.error.format);
    assert_eq!(Duration::from_nanos(spent), Duration::from_micros(100));
}
