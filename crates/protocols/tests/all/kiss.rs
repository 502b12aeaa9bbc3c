//! KISS frames: escapes, ports, commands, and streams split and merged arbitrarily.

use proptest::prelude::*;
use sojourn_protocols::kiss::*;

fn written(port: u8, command: Command<Vec<u8>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message { port, command }.emit(&mut bytes).unwrap();
    bytes
}

/// What a deframer makes of bytes, in words.
fn read(bytes: &[u8]) -> Vec<String> {
    let mut deframer = Deframer::new(32);
    let mut words = Vec::new();
    for byte in bytes {
        match deframer.push(*byte) {
            Some(Ok(message)) => words.push(message.to_string()),
            Some(Err(fault)) => words.push(fault.to_string()),
            None => {}
        }
    }
    words
}

#[test]
fn fend_and_fesc_are_escaped_in_the_data_and_in_the_command_byte() {
    let data = |bytes: &[u8]| Command::Data(bytes.to_vec());
    assert_eq!(written(0, data(&[1, 0xc0, 2, 0xdb, 3])), [0xc0, 0, 1, 0xdb, 0xdc, 2, 0xdb, 0xdd, 3, 0xc0]);
    assert_eq!(written(12, data(&[7])), [0xc0, 0xdb, 0xdc, 7, 0xc0]);
    assert_eq!(written(0, Command::Persistence(0xc0)), [0xc0, 2, 0xdb, 0xdc, 0xc0]);
    assert_eq!(written(13, Command::SetHardware(vec![])), [0xc0, 0xd6, 0xc0]);
    assert_eq!(written(3, Command::Return), [0xc0, 0xff, 0xc0]);
}

#[test]
fn every_command_parses_with_its_port() {
    let bytes = [
        written(0, Command::Data(vec![1, 2, 3])),
        written(1, Command::TxDelay(30)),
        written(2, Command::Persistence(63)),
        written(3, Command::SlotTime(10)),
        written(4, Command::TxTail(2)),
        written(15, Command::FullDuplex(true)),
        written(6, Command::FullDuplex(false)),
        written(7, Command::SetHardware(vec![9])),
        written(15, Command::Return),
    ];
    let expected = [
        "port 0: frame of 3 octets",
        "port 1: TXDELAY 300 ms",
        "port 2: persistence 64/256",
        "port 3: slot time 100 ms",
        "port 4: TXtail 20 ms",
        "port 15: full duplex",
        "port 6: half duplex",
        "port 7: hardware setting of 1 bytes",
        "port 15: return",
    ];
    assert_eq!(read(&bytes.concat()), expected);
}

#[test]
fn empty_frames_and_the_end_of_a_frame_begun_earlier_are_dropped() {
    assert_eq!(read(&[1, 2, 3, 0xc0, 0xc0, 0xc0, 0, 5, 0xc0, 0xc0]), ["port 0: frame of 1 octets"]);
}

#[test]
fn one_fend_may_end_a_frame_and_begin_the_next() {
    assert_eq!(read(&[0xc0, 0, 5, 0xc0, 0x10, 6, 7, 0xc0]), ["port 0: frame of 1 octets", "port 1: frame of 2 octets"]);
}

#[test]
fn an_invalid_frame_is_reported_once_and_the_next_is_parsed() {
    let next = "port 0: frame of 1 octets";
    let then_next = |bytes: &[u8]| read(&[bytes, &[0xc0, 0, 5, 0xc0]].concat());
    assert_eq!(then_next(&[0xc0, 0, 0xdb, 9, 8, 7]), ["invalid byte 09 after FESC in a KISS frame", next]);
    assert_eq!(then_next(&[0xc0, 0, 1, 0xdb]), ["invalid byte c0 after FESC in a KISS frame", next]);
    assert_eq!(then_next(&[0xc0, 9, 1]), ["unknown KISS command 9", next]);
    assert_eq!(then_next(&[0xc0, 3]), ["KISS command 3 has no value", next]);
    let long = [&[0xc0, 0][..], &[7; 40]].concat();
    assert_eq!(then_next(&long), ["the KISS frame is longer than 32 bytes", next]);
}

#[test]
fn a_port_beyond_15_is_refused() {
    let refused = Message { port: 16, command: Command::Data(vec![]) }.emit(&mut Vec::new());
    assert_eq!(refused.unwrap_err().to_string(), "KISS port 16 exceeds 15");
}

proptest! {
    #[test]
    fn frames_of_any_bytes_survive_a_round_trip(
        frames in prop::collection::vec((0u8..16, prop::collection::vec(any::<u8>(), 0..32)), 1..6),
    ) {
        let mut bytes = Vec::new();
        for (port, data) in &frames {
            Message { port: *port, command: Command::Data(data) }.emit(&mut bytes).unwrap();
        }
        let mut deframer = Deframer::new(32);
        let mut found = Vec::new();
        for byte in bytes {
            if let Some(message) = deframer.push(byte) {
                let Message { port, command: Command::Data(data) } = message.unwrap() else { panic!("no frame") };
                found.push((port, data.to_vec()));
            }
        }
        prop_assert_eq!(found, frames);
    }

    #[test]
    fn any_bytes_parse_without_panic(noise in prop::collection::vec(
        prop_oneof![any::<u8>(), prop::sample::select(vec![0xc0u8, 0xdb, 0xdc, 0xdd])], 0..400)) {
        fuzz::stream(&noise);
    }
}
