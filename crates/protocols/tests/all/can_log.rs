//! Frames as lines of candump and as records of SocketCAN captures.

use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::log::{Line, LogError, Logged};

#[test]
fn lines_of_candump_are_read_and_written() {
    let line = Line::parse("(1620000000.000012) can0 123#DEADBEEF").unwrap();
    assert_eq!((line.time_us, line.interface), (1_620_000_000_000_012, "can0"));
    assert_eq!(line.frame, Logged { id: Id::Base(0x123), content: Content::Data(vec![0xde, 0xad, 0xbe, 0xef]) });
    for text in [
        "(1620000000.000012) can0 123#DEADBEEF",
        "(0.000001) vcan1 18FEF100#",
        "(1.500000) can0 7FF#R",
        "(1.500000) can0 7FF#R8",
        "(1.500000) can0 123##1112233445566778899AABBCC",
        "(1.500000) can0 00000001##3",
    ] {
        assert_eq!(Line::parse(text).unwrap().to_string(), text);
    }
    let fd = Line::parse("(1.500000) can0 123##3AA").unwrap().frame.content;
    assert_eq!(fd, Content::Fd { data: vec![0xaa], brs: true, esi: true });
}

#[test]
fn a_line_that_is_no_frame_says_what_was_expected() {
    let message = |line: &str| Line::parse(line).unwrap_err().to_string();
    assert_eq!(message("123#00"), "expected a time in parentheses as (1620000000.000000), found `123#00`");
    assert_eq!(message("(1.000000)"), "expected an interface as can0 behind the time");
    assert_eq!(message("(1.000000) can0 1234#00"), "expected an identifier of 3 or 8 hexadecimal digits, found `1234`");
    assert_eq!(message("(1.000000) can0 800#00"), "expected an identifier of 3 or 8 hexadecimal digits, found `800`");
    assert_eq!(message("(1.000000) can0 123#0"), "expected pairs of hexadecimal digits, found `0`");
    assert_eq!(message("(1.000000) can0 123#001122334455667788"), "9 bytes of data, expected up to 8");
    assert_eq!(message("(1.000000) can0 123"), "expected a frame as 123#DEADBEEF, found `123`");
}

#[test]
fn records_have_the_identifier_with_its_flags_in_network_byte_order() {
    let mut record = Vec::new();
    Logged { id: Id::Extended(0x18fe_f100), content: Content::Data([1, 2, 3]) }.emit(&mut record);
    assert_eq!(record, [0x98, 0xfe, 0xf1, 0, 3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0]);
    Logged { id: Id::Base(0x123), content: Content::<[u8; 0]>::Remote(8) }.emit(&mut record);
    assert_eq!(record[..8], [0x40, 0, 1, 0x23, 8, 0, 0, 0]);
    Logged { id: Id::Base(0x123), content: Content::Fd { data: [7; 12], brs: true, esi: false } }.emit(&mut record);
    assert_eq!((record.len(), record[4], record[5]), (72, 12, 5));
    let read = Logged::parse(&record).unwrap();
    assert_eq!(read.content, Content::Fd { data: &[7; 12][..], brs: true, esi: false });
}

#[test]
fn messages_of_the_driver_and_short_records_are_no_frames() {
    assert_eq!(Logged::parse(&[0x20, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Err(LogError::Driver));
    assert_eq!(Logged::parse(&[0; 7]), Err(LogError::Record { found: 7, expected: 8 }));
    assert_eq!(Logged::parse(&[0, 0, 0, 1, 8, 0, 0, 0, 1]), Err(LogError::Record { found: 9, expected: 16 }));
}
