//! Modbus: vectors of the specifications, framing of each mode, receivers, and any octets.

use proptest::prelude::*;
use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::modbus::rtu::{Character, Receiver, crc};
use sojourn_protocols::modbus::timing::Silence;
use sojourn_protocols::modbus::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|digit| *digit != b' ').collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn read(table: Table, address: u16, count: u16) -> Request {
    Request::Read { table, address, count }
}

/// The examples of the Application Protocol Specification V1.1b3, sections 6.1 to 6.17, with their responses.
fn examples() -> Vec<(&'static str, Request, &'static str, Response)> {
    let holding = Table::HoldingRegisters;
    let coils = [true, false, true, true, false, false, true, true, true, false];
    vec![
        (
            "01 0013 0013",
            read(Table::Coils, 19, 19),
            "01 03 cd6b05",
            Response::Bits { table: Table::Coils, octets: vec![0xcd, 0x6b, 0x05] },
        ),
        (
            "02 00c4 0016",
            read(Table::DiscreteInputs, 196, 22),
            "02 03 acdb35",
            Response::Bits { table: Table::DiscreteInputs, octets: vec![0xac, 0xdb, 0x35] },
        ),
        (
            "03 006b 0003",
            read(holding, 107, 3),
            "03 06 022b 0000 0064",
            Response::Registers { table: holding, values: vec![555, 0, 100] },
        ),
        (
            "04 0008 0001",
            read(Table::InputRegisters, 8, 1),
            "04 02 000a",
            Response::Registers { table: Table::InputRegisters, values: vec![10] },
        ),
        (
            "05 00ac ff00",
            Request::WriteCoil { address: 172, on: true },
            "05 00ac ff00",
            Response::WroteCoil { address: 172, on: true },
        ),
        (
            "06 0001 0003",
            Request::WriteRegister { address: 1, value: 3 },
            "06 0001 0003",
            Response::WroteRegister { address: 1, value: 3 },
        ),
        (
            "0f 0013 000a 02 cd01",
            Request::WriteCoils { address: 19, values: coils.to_vec() },
            "0f 0013 000a",
            Response::WroteCoils { address: 19, count: 10 },
        ),
        (
            "10 0001 0002 04 000a 0102",
            Request::WriteRegisters { address: 1, values: vec![10, 0x102] },
            "10 0001 0002",
            Response::WroteRegisters { address: 1, count: 2 },
        ),
        (
            "16 0004 00f2 0025",
            Request::MaskWrite { address: 4, and: 0xf2, or: 0x25 },
            "16 0004 00f2 0025",
            Response::MaskWrote { address: 4, and: 0xf2, or: 0x25 },
        ),
        (
            "17 0003 0006 000e 0003 06 00ff 00ff 00ff",
            Request::ReadWrite { read_address: 3, read_count: 6, write_address: 14, values: vec![255; 3] },
            "17 0c 00fe 0acd 0001 0003 000d 00ff",
            Response::ReadWrote { values: vec![0xfe, 0xacd, 1, 3, 13, 255] },
        ),
    ]
}

#[test]
fn every_example_of_the_specification_parses_to_its_value_and_is_emitted_from_it() {
    for (asked, request, answered, response) in examples() {
        let (asked, answered) = (bytes(asked), bytes(answered));
        assert_eq!(Request::parse(&asked).as_ref(), Ok(&request));
        assert_eq!(request.to_bytes(), Ok(asked.clone()), "{request:?}");
        assert_eq!(Response::parse(&answered).as_ref(), Ok(&response));
        assert_eq!(response.to_bytes(), Ok(answered.clone()), "{response:?}");
        assert!(request.accepts(&response), "{request:?}");
        assert_eq!(length_of_request(&asked), Some(asked.len()), "{request:?}");
        assert_eq!(length_of_response(&answered), Some(answered.len()), "{response:?}");
    }
}

#[test]
fn a_response_is_as_long_as_its_request_asks_for() {
    for (asked, request, answered, _) in examples() {
        let (count, written) = match &request {
            Request::Read { count, .. } => (*count, 0),
            Request::WriteCoils { values, .. } => (values.len() as u16, 0),
            Request::WriteRegisters { values, .. } => (values.len() as u16, 0),
            Request::ReadWrite { read_count, values, .. } => (*read_count, values.len() as u16),
            _ => (1, 0),
        };
        let function = request.function();
        assert_eq!(function.request_length(count, written), bytes(asked).len(), "{function:?}");
        assert_eq!(function.response_length(count), bytes(answered).len(), "{function:?}");
    }
}

#[test]
fn the_frames_of_rtu_have_the_lengths_of_the_brief() {
    let on_the_line = |function: Function, count: u16| {
        (rtu::length(function.request_length(count, 0)), rtu::length(function.response_length(count)))
    };
    assert_eq!(on_the_line(Function::ReadHoldingRegisters, 10), (8, 25), "8 and 5 + 2n");
    assert_eq!(on_the_line(Function::WriteSingleRegister, 1), (8, 8));
    assert_eq!(on_the_line(Function::WriteMultipleRegisters, 10), (29, 8), "9 + 2n and 8");
    assert_eq!(rtu::length(EXCEPTION_LENGTH), 5);
    assert_eq!(rtu::LONGEST, 256);
    assert_eq!(ascii::LONGEST, 513);
}

#[test]
fn exceptions_carry_the_function_and_a_code() {
    let response = Response::Exception { function: 1, code: ExceptionCode::ILLEGAL_DATA_ADDRESS };
    assert_eq!(Response::parse(&[0x81, 2]), Ok(response.clone()));
    assert_eq!(response.to_bytes(), Ok(vec![0x81, 2]));
    assert!(read(Table::Coils, 0, 1).accepts(&response));
    assert!(!read(Table::HoldingRegisters, 0, 1).accepts(&response));
    let names: Vec<String> = [1, 2, 3, 4, 5, 6, 8, 10, 11, 99].map(|code| ExceptionCode(code).to_string()).to_vec();
    assert_eq!(names[..3], ["illegal function", "illegal data address", "illegal data value"]);
    assert_eq!(names[9], "exception 99");
}

#[test]
fn counts_and_addresses_outside_their_ranges_are_refused_with_the_exception_that_they_deserve() {
    let refusal = |pdu: &str| {
        let error = Request::parse(&bytes(pdu)).unwrap_err();
        (error.to_string(), error.exception())
    };
    let value = ExceptionCode::ILLEGAL_DATA_VALUE;
    assert_eq!(refusal("03 0000 007e"), ("a count of 126 for function 3, which takes 1 to 125".into(), value));
    assert_eq!(refusal("01 0000 0000"), ("a count of 0 for function 1, which takes 1 to 2000".into(), value));
    assert_eq!(refusal("0f 0000 07b1 f7"), ("a count of 1969 for function 15, which takes 1 to 1968".into(), value));
    assert_eq!(refusal("10 0000 0002 03 000000"), ("3 octets of data, where 4 are needed".into(), value));
    assert_eq!(refusal("05 0000 0001"), ("a coil takes 0x0000 or 0xff00, not 0x0001".into(), value));
    let address = ExceptionCode::ILLEGAL_DATA_ADDRESS;
    assert_eq!(refusal("03 ffff 0002"), ("2 from address 65535 on exceed address 65535".into(), address));
    assert_eq!(refusal("2b 0e 01 00 00"), ("unknown Modbus function 43".into(), ExceptionCode::ILLEGAL_FUNCTION));
    assert_eq!(refusal("03 0000"), ("Modbus PDU truncated in the count or value".into(), value));
    assert_eq!(refusal("03 0000 0001 00"), ("Modbus PDU: 1 octets follow the end".into(), value));
    assert!(Request::parse(&bytes("03 ffff 0001")).is_ok(), "the last register");
    let too_many = Request::WriteRegisters { address: 0, values: vec![0; 124] };
    assert_eq!(too_many.to_bytes(), Err(PduError::Count { function: 16, count: 124, most: 123 }));
    let too_many = Request::ReadWrite { read_address: 0, read_count: 1, write_address: 0, values: vec![0; 122] };
    assert_eq!(too_many.to_bytes(), Err(PduError::Count { function: 23, count: 122, most: 121 }));
    assert!(Response::parse(&bytes("03 03 000000")).is_err(), "half a register");
}

/// CRCs computed apart from this code, by shifts of the polynomial 0xa001.
#[test]
fn the_crc_of_each_vector_follows_its_frame_low_octet_first() {
    for (unit, pdu, check) in [
        (1, "03 0000 000a", "c5cd"),
        (17, "03 006b 0003", "7687"),
        (1, "05 00ac ff00", "4c1b"),
        (1, "06 0001 0003", "980b"),
    ] {
        let mut frame = Vec::new();
        rtu::emit(unit, &bytes(pdu), &mut frame);
        assert_eq!(frame, [&[unit], &bytes(pdu)[..], &bytes(check)].concat());
        let pdu = bytes(pdu);
        assert_eq!(rtu::parse(&frame), Ok(Frame { unit, pdu: &pdu }));
    }
    assert_eq!(crc(b"123456789"), 0x4b37, "the check value of CRC-16/MODBUS");
}

#[test]
fn any_single_bit_error_of_an_rtu_frame_is_detected() {
    let sound = bytes("1103006b00037687");
    for bit in 0..8 * sound.len() {
        let mut damaged = sound.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(rtu::parse(&damaged), Err(Fault::Check { .. })), "bit {bit}");
    }
    assert_eq!(rtu::parse(&sound[..3]), Err(Fault::TooShort(3)));
    assert_eq!(rtu::parse(&[0; 257]), Err(Fault::TooLong(256)));
}

/// The times of section 4 of the brief, of characters of 11 bits.
#[test]
fn silences_are_of_characters_up_to_19200_bits_a_second_and_fixed_above() {
    let microseconds = |bit_rate| {
        let Silence { character, t15, t35 } = Silence::of(bit_rate, 11);
        [character, t15, t35].map(|span| span.picoseconds() / 1_000_000)
    };
    assert_eq!(microseconds(9600), [1145, 1718, 4010]);
    assert_eq!(microseconds(19_200), [572, 859, 2005]);
    assert_eq!(microseconds(38_400), [286, 750, 1750]);
    assert_eq!(microseconds(115_200), [95, 750, 1750]);
}

/// Characters, each with the silence before it, and what a receiver at 9600 bit/s makes of them at the end.
fn received(characters: &[(Character, Duration)]) -> Vec<Result<Vec<u8>, Fault>> {
    let silence = Silence::of(9600, 11);
    let (mut receiver, mut now) = (Receiver::new(silence), Time::ZERO);
    for &(character, before) in characters {
        now += before + silence.character;
        if let Some(due) = receiver.next_wakeup().filter(|due| *due <= now) {
            receiver.wake(due);
        }
        receiver.handle(now, character);
    }
    receiver.wake(now + silence.t35);
    std::iter::from_fn(|| receiver.poll_output()).collect()
}

fn characters(octets: &[u8], first: Duration) -> Vec<(Character, Duration)> {
    let before = std::iter::once(first).chain(std::iter::repeat(Duration::ZERO));
    octets.iter().map(|octet| Character::Octet(*octet)).zip(before).collect()
}

#[test]
fn a_frame_ends_with_a_silence_of_three_and_a_half_characters() {
    let (first, second) = (bytes("01030000000ac5cd"), bytes("1103006b00037687"));
    let Silence { t35, character, .. } = Silence::of(9600, 11);
    let line = [characters(&first, Duration::ZERO), characters(&second, t35)].concat();
    assert_eq!(received(&line), [Ok(first.clone()), Ok(second.clone())]);
    // the receiver learns of a character at its end
    let short = t35.saturating_sub(character + Duration::from_picoseconds(1));
    let line = [characters(&first, Duration::ZERO), characters(&second, short)].concat();
    assert_eq!(received(&line), [Err(Fault::Gap)], "the two are one frame with a gap");
}

#[test]
fn a_gap_of_more_than_one_and_a_half_characters_makes_a_frame_invalid() {
    let frame = bytes("1103006b00037687");
    let t15 = Silence::of(9600, 11).t15;
    let mut line = characters(&frame, Duration::ZERO);
    line[3].1 = t15;
    assert_eq!(received(&line), [Ok(frame.clone())]);
    line[3].1 = t15 + Duration::from_picoseconds(1);
    assert_eq!(received(&line), [Err(Fault::Gap)]);
}

#[test]
fn a_damaged_character_makes_its_frame_invalid_and_the_next_is_received() {
    let frame = bytes("1103006b00037687");
    let mut line = characters(&frame, Duration::ZERO);
    line[2].0 = Character::Damaged;
    line.extend(characters(&frame, Silence::of(9600, 11).t35));
    assert_eq!(received(&line), [Err(Fault::Character), Ok(frame)]);
    assert_eq!(received(&characters(&[7; 300], Duration::ZERO)), [Err(Fault::TooLong(256))]);
}

#[test]
fn a_host_that_gets_octets_in_blocks_needs_a_silence_between_them_alone() {
    let silence = Silence::between_blocks(Duration::from_millis(5));
    let mut receiver = Receiver::new(silence);
    let frame = bytes("1103006b00037687");
    let at = |milliseconds| Time::ZERO + Duration::from_millis(milliseconds);
    for (octet, now) in frame.iter().zip([1, 1, 1, 1, 5, 5, 5, 5]) {
        receiver.handle(at(now), Character::Octet(*octet));
    }
    assert!(receiver.is_receiving());
    assert_eq!(receiver.next_wakeup(), Some(at(10)));
    receiver.wake(at(10));
    assert_eq!(receiver.poll_output(), Some(Ok(frame)));
    assert_eq!((receiver.is_receiving(), receiver.next_wakeup()), (false, None));
}

fn read_ascii(characters: &[u8]) -> Vec<Result<(u8, Vec<u8>), Fault>> {
    let mut receiver = ascii::Receiver::new();
    let frames = characters.iter().filter_map(|character| {
        receiver.push(*character).map(|found| found.map(|frame| (frame.unit, frame.pdu.to_vec())))
    });
    frames.collect()
}

/// The LRC by hand: 1 + 3 + 10 = 14, whose two's complement is f2; 11 + 3 + 6b + 3 = 82, complement 7e.
#[test]
fn ascii_frames_are_hexadecimal_digits_with_the_lrc() {
    for (unit, pdu, text) in [(1, "03 0000 000a", ":01030000000AF2\r\n"), (0x11, "03 006b 0003", ":1103006B00037E\r\n")]
    {
        let mut frame = Vec::new();
        ascii::emit(unit, &bytes(pdu), &mut frame);
        assert_eq!(str::from_utf8(&frame), Ok(text));
        assert_eq!(frame.len(), ascii::length(bytes(pdu).len()));
        assert_eq!(read_ascii(text.as_bytes()), [Ok((unit, bytes(pdu)))]);
        assert_eq!(read_ascii(text.to_lowercase().as_bytes()), [Ok((unit, bytes(pdu)))], "digits of either case");
    }
}

#[test]
fn an_ascii_frame_that_is_cut_or_damaged_is_reported_once_and_the_next_is_read() {
    let next = || Ok((1, bytes("030000000a")));
    let then_next = |text: &str| read_ascii(&[text.as_bytes(), b":01030000000AF2\r\n"].concat());
    assert_eq!(then_next("0103"), [next()], "the end of a frame begun earlier");
    assert_eq!(then_next(":0103"), [next()], "a colon begins anew");
    assert_eq!(then_next(":01030000000AF3\r\n"), [Err(Fault::Check { given: 0xf3, computed: 0xf2 }), next()]);
    assert_eq!(then_next(":01x30000"), [Err(Fault::Digit(b'x')), next()]);
    assert_eq!(then_next(":0103\rF2"), [Err(Fault::Digit(b'F')), next()]);
    assert_eq!(then_next(":01FF\r\n"), [Err(Fault::TooShort(2)), next()]);
    assert_eq!(then_next(&format!(":{}", "00".repeat(256))), [Err(Fault::TooLong(513)), next()]);
    let mut receiver = ascii::Receiver::new();
    assert!(!receiver.abort() && receiver.push(b':').is_none() && receiver.abort(), "a silence ends a frame");
}

#[test]
fn frames_on_tcp_have_their_transaction_and_length_in_front() {
    let mut stream = Vec::new();
    tcp::emit(0x1501, 0xff, &bytes("03 0004 0001"), &mut stream);
    assert_eq!(stream, bytes("1501 0000 0006 ff 03 0004 0001"));
    assert_eq!(stream.len(), 12, "a request of section 2 of the brief");
    assert_eq!(tcp::length(Function::ReadHoldingRegisters.response_length(10)), 29, "9 + 2n");
    tcp::emit(0x1502, 1, &bytes("83 02"), &mut stream);
    let (first, rest) = tcp::parse(&stream).unwrap().unwrap();
    assert_eq!((first.transaction, first.unit, first.pdu), (0x1501, 0xff, &bytes("0300040001")[..]));
    let (second, rest) = tcp::parse(rest).unwrap().unwrap();
    assert_eq!((second.transaction, second.unit, second.pdu, rest), (0x1502, 1, &[0x83, 2][..], &[][..]));
    for cut in 0..12 {
        assert_eq!(tcp::parse(&stream[..cut]), Ok(None), "{cut} octets");
    }
}

#[test]
fn a_stream_that_is_not_modbus_is_refused() {
    assert_eq!(tcp::parse(&bytes("0007 0001 0006")), Err(Fault::Protocol(1)));
    assert_eq!(tcp::parse(&bytes("0007 0000 0001")), Err(Fault::Length(1)), "without a function");
    assert_eq!(tcp::frame_length(&bytes("0007 0000 00fe 01 03")), Ok(Some(260)));
    assert_eq!(tcp::frame_length(&bytes("0007 0000 00ff 01 03")), Err(Fault::Length(255)));
    assert_eq!(tcp::frame_length(&bytes("0007 0000 0401 00 5a")), Ok(Some(1031)), "UMAS");
}

fn any_request() -> impl Strategy<Value = Request> {
    let table =
        prop::sample::select(vec![Table::Coils, Table::DiscreteInputs, Table::HoldingRegisters, Table::InputRegisters]);
    let words = |most: usize| prop::collection::vec(any::<u16>(), 1..=most);
    prop_oneof![
        (table, 0u16..60_000, 1u16..=125).prop_map(|(table, address, count)| Request::Read { table, address, count }),
        (any::<u16>(), any::<bool>()).prop_map(|(address, on)| Request::WriteCoil { address, on }),
        (any::<u16>(), any::<u16>()).prop_map(|(address, value)| Request::WriteRegister { address, value }),
        (0u16..60_000, prop::collection::vec(any::<bool>(), 1..=1968))
            .prop_map(|(address, values)| Request::WriteCoils { address, values }),
        (0u16..60_000, words(123)).prop_map(|(address, values)| Request::WriteRegisters { address, values }),
        (any::<u16>(), any::<u16>(), any::<u16>()).prop_map(|(address, and, or)| Request::MaskWrite {
            address,
            and,
            or
        }),
        (0u16..60_000, 1u16..=125, 0u16..60_000, words(121)).prop_map(
            |(read_address, read_count, write_address, values)| Request::ReadWrite {
                read_address,
                read_count,
                write_address,
                values
            }
        ),
    ]
}

proptest! {
    #[test]
    fn requests_survive_a_round_trip_in_every_framing(request in any_request(), unit in 0u8..=247, transaction: u16) {
        let pdu = request.to_bytes().unwrap();
        prop_assert!(pdu.len() <= LONGEST_PDU);
        prop_assert_eq!(Request::parse(&pdu), Ok(request));
        let frame = Frame { unit, pdu: &pdu };
        let mut written = Vec::new();
        rtu::emit(unit, &pdu, &mut written);
        prop_assert_eq!(written.len(), rtu::length(pdu.len()));
        prop_assert_eq!(rtu::parse(&written), Ok(frame));
        written.clear();
        ascii::emit(unit, &pdu, &mut written);
        prop_assert_eq!(read_ascii(&written), [Ok((unit, pdu.clone()))]);
        written.clear();
        tcp::emit(transaction, unit, &pdu, &mut written);
        let adu = tcp::Adu { transaction, unit, pdu: &pdu };
        prop_assert_eq!(tcp::parse(&written), Ok(Some((adu, &[][..]))));
    }

    #[test]
    fn any_octets_leave_receivers_that_read(octets in prop::collection::vec(
        prop_oneof![any::<u8>(), prop::sample::select(b":\r\n0123456789ABCDEF\xff\x00\x01\x03\x10".to_vec())], 0..600)) {
        fuzz::stream(&octets);
    }

    #[test]
    fn any_pdu_is_read_as_it_was_written_or_refused(function in 0u8..25, rest in prop::collection::vec(any::<u8>(), 0..20)) {
        fuzz::pdu(&[&[function], &rest[..]].concat());
    }
}
