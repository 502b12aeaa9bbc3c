//! KISS units: escapes, ports, commands, and streams split and merged at will.

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
fn bytes_that_mean_something_are_escaped_and_so_is_the_command_byte() {
    let data = |bytes: &[u8]| Command::Data(bytes.to_vec());
    assert_eq!(written(0, data(&[1, 0xc0, 2, 0xdb, 3])), [0xc0, 0, 1, 0xdb, 0xdc, 2, 0xdb, 0xdd, 3, 0xc0]);
    assert_eq!(written(12, data(&[7])), [0xc0, 0xdb, 0xdc, 7, 0xc0]);
    assert_eq!(written(0, Command::Persistence(0xc0)), [0xc0, 2, 0xdb, 0xdc, 0xc0]);
    assert_eq!(written(13, Command::SetHardware(vec![])), [0xc0, 0xd6, 0xc0]);
    assert_eq!(written(3, Command::Return), [0xc0, 0xff, 0xc0]);
}

#[test]
fn every_command_is_read_and_names_its_port() {
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
fn empty_units_and_the_tail_of_a_unit_begun_earlier_are_passed_over() {
    assert_eq!(read(&[1, 2, 3, 0xc0, 0xc0, 0xc0, 0, 5, 0xc0, 0xc0]), ["port 0: frame of 1 octets"]);
}

#[test]
fn one_fend_may_end_a_unit_and_begin_the_next() {
    assert_eq!(read(&[0xc0, 0, 5, 0xc0, 0x10, 6, 7, 0xc0]), ["port 0: frame of 1 octets", "port 1: frame of 2 octets"]);
}

#[test]
fn a_spoilt_unit_is_named_once_and_the_next_is_sound() {
    let next = "port 0: frame of 1 octets";
    let then_next = |bytes: &[u8]| read(&[bytes, &[0xc0, 0, 5, 0xc0]].concat());
    assert_eq!(then_next(&[0xc0, 0, 0xdb, 9, 8, 7]), ["byte 09 follows an escape in a KISS unit", next]);
    assert_eq!(then_next(&[0xc0, 0, 1, 0xdb]), ["byte c0 follows an escape in a KISS unit", next]);
    assert_eq!(then_next(&[0xc0, 9, 1]), ["KISS command 9 is not known", next]);
    assert_eq!(then_next(&[0xc0, 3]), ["KISS command 3 has no value", next]);
    let long = [&[0xc0, 0][..], &[7; 40]].concat();
    assert_eq!(then_next(&long), ["a KISS unit is longer than 32 bytes", next]);
}

#[test]
fn a_port_beyond_15_is_refused() {
    let refused = Message { port: 16, command: Command::Data(vec![]) }.emit(&mut Vec::new());
    assert_eq!(refused.unwrap_err().to_string(), "KISS port 16 is beyond 15");
}

proptest! {
    #[test]
    fn frames_survive_whatever_bytes_they_hold(
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
    fn any_bytes_at_all_do_no_harm(noise in prop::collection::vec(
        prop_oneof![any::<u8>(), prop::sample::select(vec![0xc0u8, 0xdb, 0xdc, 0xdd])], 0..400)) {
        fuzz::stream(&noise);
    }
}
