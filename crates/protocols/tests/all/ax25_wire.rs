//! AX.25 frames as octets: test vectors, addresses as text, round trips, errors.

use proptest::prelude::*;
use sojourn_protocols::StreamRange;
use sojourn_protocols::ax25::wire::*;
use sojourn_protocols::limits::{ShortBuffer, Truncated};

const EIGHT: Modulo = Modulo::Eight;
const EXTENDED: Modulo = Modulo::OneHundredTwentyEight;

/// The address fields of commands from PING-2 to PONG-1 and of responses in the reverse direction.
const COMMAND: &str = "a09e9c8e4040e2a0929c8e404065";
const RESPONSE: &str = "a0929c8e404064a09e9c8e4040e3";

/// Control field and information of every example; the names are those of [`examples`].
const VECTORS: [(&str, Modulo, &str); 22] = [
    ("SABM", EIGHT, "3f"),
    ("SABME", EIGHT, "7f"),
    ("DISC", EIGHT, "53"),
    ("UA", EIGHT, "73"),
    ("DM", EIGHT, "1f"),
    ("FRMR", EIGHT, "97 71 52 08"),
    ("FRMR modulo 128", EXTENDED, "97 7100 02 05 08"),
    ("FRMR without a reason", EIGHT, "87"),
    ("I", EIGHT, "a6 f0 74657374"),
    ("I with P, modulo 128", EXTENDED, "c8 37 01 74657374"),
    ("RR", EIGHT, "21"),
    ("RR with P", EIGHT, "91"),
    ("RNR", EIGHT, "55"),
    ("REJ", EIGHT, "c9"),
    ("SREJ", EIGHT, "cd"),
    ("SREJ of several frames", EIGHT, "dd e0 20"),
    ("RR modulo 128", EXTENDED, "01 81"),
    ("SREJ of several frames modulo 128", EXTENDED, "0d fc fe 00 0a"),
    ("UI", EIGHT, "03 f0 6120626561636f6e"),
    ("XID", EIGHT, "bf 82 80 0017 02022100 030386a802 06020800 080120 09020bb8 0a010a"),
    ("XID without parameters", EIGHT, "bf 82 80 0000"),
    ("TEST", EIGHT, "f3 6563686f"),
];

fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

#[test]
fn every_vector_parses_to_its_value_and_every_value_encodes_to_its_vector() {
    for (name, modulo, control) in VECTORS {
        let examples = examples();
        let (_, frame) = examples.iter().find(|(example, _)| *example == name).unwrap();
        let addresses = if frame.addressing.role == Role::Command { COMMAND } else { RESPONSE };
        let vector = [bytes(addresses), bytes(control)].concat();
        assert_eq!(frame.to_bytes(), Ok(vector.clone()), "{name}");
        assert_eq!(Frame::parse(&vector, modulo), Ok(*frame), "{name}");
    }
}

#[test]
fn every_example_survives_a_round_trip() {
    for (name, frame) in examples() {
        let modulo = if name.contains("128") { EXTENDED } else { EIGHT };
        let written = frame.to_bytes().unwrap();
        assert_eq!(written.len(), frame.length(), "{name}");
        assert_eq!(Frame::parse(&written, modulo), Ok(frame), "{name}");
    }
}

#[test]
fn the_address_of_nj7p_matches_the_example_of_the_standard() {
    let addressing = Addressing::new(address("NJ7P"), address("N7LEM"), Digipeaters::NONE, Role::Response);
    let written = Frame::<&[u8]> { addressing, poll_final: false, body: Body::Ua }.to_bytes().unwrap();
    assert_eq!(written[7..14], bytes("9c946ea04040e1"));
    let addressing = Addressing::new(address("N7LEM"), address("NJ7P"), Digipeaters::NONE, Role::Command);
    let written = Frame::<&[u8]> { addressing, poll_final: false, body: Body::Sabm }.to_bytes().unwrap();
    assert_eq!(written[..7], bytes("9c946ea04040e0"));
}

#[test]
fn an_address_parses_from_text_and_prints_as_text() {
    for (text, callsign, ssid, printed) in [
        ("NJ7P", "NJ7P", 0, "NJ7P"),
        ("nj7p-0", "NJ7P", 0, "NJ7P"),
        ("DB0XYZ-15", "DB0XYZ", 15, "DB0XYZ-15"),
        ("809555", "809555", 0, "809555"),
    ] {
        let read = address(text);
        assert_eq!((read.callsign(), read.ssid(), read.to_string().as_str()), (callsign, ssid, printed));
    }
}

#[test]
fn an_invalid_address_text_is_refused_with_its_reason() {
    for (text, message) in [
        ("", "empty callsign: expected one to six letters and digits"),
        ("-3", "empty callsign: expected one to six letters and digits"),
        ("TOOLONG", "a callsign of 7 characters is longer than 6"),
        ("N0/CAL", "'/' at position 3 of a callsign is not a letter or digit"),
        ("ÄÖÜ", "'Ä' at position 1 of a callsign is not a letter or digit"),
        ("N0CALL-16", "expected an SSID from 0 to 15 after the hyphen"),
        ("N0CALL-", "expected an SSID from 0 to 15 after the hyphen"),
        ("N0CALL-+1", "expected an SSID from 0 to 15 after the hyphen"),
        ("N0CALL-1-2", "expected an SSID from 0 to 15 after the hyphen"),
    ] {
        assert_eq!(text.parse::<Address>().unwrap_err().to_string(), message, "{text:?}");
    }
}

#[test]
fn digipeaters_repeat_in_order_and_the_reverse_path_is_reversed() {
    let path = Digipeaters::new(&[address("A"), address("B-1"), address("C")]).unwrap();
    assert_eq!(path.next(), Some(address("A")));
    let half = path.advanced().advanced();
    assert_eq!(format!("{half:?}"), "A*,B-1*,C");
    assert_eq!(half.next(), Some(address("C")));
    assert_eq!(half.advanced().next(), None);
    assert_eq!(half.advanced().advanced(), half.advanced());
    assert_eq!(half.unrepeated(), path);
    assert_eq!(format!("{:?}", half.reversed()), "C,B-1,A");
    assert_eq!(Digipeaters::new(&[address("A"); 9]), Err(TooManyDigipeaters(9)));
}

#[test]
fn reserved_bits_are_sent_as_ones_and_forwarded_unchanged() {
    let (_, frame) = examples()[0];
    let mut written = frame.to_bytes().unwrap();
    assert_eq!(written[6] & 0x60, 0x60);
    written[6] &= !0x20;
    let read = Frame::parse(&written, EIGHT).unwrap();
    assert_eq!((read.addressing.reserved.of(0), read.addressing.reserved.of(1)), (2, 3));
    assert_eq!(read.addressing.destination, frame.addressing.destination);
    assert_eq!(read.to_bytes(), Ok(written));
}

#[test]
fn a_frame_prints_as_monitors_do() {
    let printed = |name| examples().iter().find(|(example, _)| *example == name).unwrap().1.to_string();
    assert_eq!(printed("I repeated by the first digipeater"), "PING-2>PONG-1,DIGI1*,DIGI2-9: I 0,0");
    assert_eq!(printed("RR with P"), "PING-2>PONG-1: RR 4 P");
    assert_eq!(printed("SREJ of several frames"), "PONG-1>PING-2: SREJ 6+7+1 F");
    assert_eq!(printed("FRMR"), "PONG-1>PING-2: FRMR Z F");
    assert_eq!(printed("UI"), "PING-2>PONG-1: UI");
}

#[test]
fn frame_overhead_matches_the_standard() {
    let data = StreamRange { stream: 1, offset: 0, length: 256 };
    let digipeaters = Digipeaters::new(&[address("A"), address("B")]).unwrap();
    for (path, with_fcs) in [(Digipeaters::NONE, 274), (digipeaters, 288)] {
        let addressing = Addressing::new(address("X"), address("Y"), path, Role::Command);
        let body = Body::I { modulo: EIGHT, n_s: 0, n_r: 0, pid: Pid::NONE, data };
        let frame = Frame { addressing, poll_final: false, body };
        assert_eq!(frame.length() + 2, with_fcs);
        assert_eq!(frame.to_bytes().unwrap().len() + 2, with_fcs);
    }
}

/// The parameters of an XID frame with this control field and information.
fn xid_of(control: &str) -> Xid {
    match Frame::parse(&[bytes(COMMAND), bytes(control)].concat(), EIGHT).unwrap().body {
        Body::Xid(xid) => xid,
        other => panic!("{other:?} is not an XID frame"),
    }
}

#[test]
fn xid_parameters_parse_in_either_octet_order() {
    // as sent by LinBPQ
    let xid = xid_of("bf 82 80 0010 02020021 030322a486 06020800 080107");
    let functions = xid.functions.unwrap();
    for (function, expected) in [
        (Functions::ALWAYS, true),
        (Functions::REJECT, true),
        (Functions::SELECTIVE_REJECT, true),
        (Functions::MULTI_SELECTIVE_REJECT, true),
        (Functions::MODULO_8, true),
        (Functions::MODULO_128, false),
        (Functions::SEGMENTER, false),
    ] {
        assert_eq!(functions.has(function), expected, "{function:?}");
    }
    assert_eq!((xid.classes, xid.n1, xid.k), (Some(Classes::HalfDuplex), Some(256), Some(7)));
    assert_eq!((xid.t1_ms, xid.n2), (None, None));
}

#[test]
fn unknown_xid_parameters_and_numbers_of_other_sizes_are_accepted() {
    let xid = xid_of("bf 82 80 0010 63021234 0a0400000003 0801ff 060105");
    // a window is at most 127, and 5 bits hold no octet
    let expected = Xid { n2: Some(3), k: Some(127), ..Xid::default() };
    assert_eq!(xid, expected);
    assert_eq!(xid_of("af"), Xid::default());
}

#[test]
fn each_reason_for_which_octets_are_not_a_frame_has_an_error() {
    let error = |modulo, control: &str| Frame::parse(&[bytes(COMMAND), bytes(control)].concat(), modulo).unwrap_err();
    assert_eq!(Frame::parse(&[0; 14], EIGHT), Err(ParseError::TooShort(14)));
    assert_eq!(error(EIGHT, "33"), ParseError::Control(0x23));
    assert_eq!(error(EXTENDED, "1101"), ParseError::Control(0x11));
    assert_eq!(error(EXTENDED, "00"), ParseError::Truncated(Truncated("control field")));
    assert_eq!(error(EIGHT, "00"), ParseError::Truncated(Truncated("protocol identifier")));
    assert_eq!(error(EIGHT, "03"), ParseError::Truncated(Truncated("protocol identifier")));
    assert_eq!(error(EIGHT, "3f 00"), ParseError::Information { frame: "SABM", octets: 1 });
    assert_eq!(error(EIGHT, "01 0000"), ParseError::Information { frame: "RR", octets: 2 });
    assert_eq!(error(EIGHT, "0d 21"), ParseError::SequenceNumber(0x21));
    assert_eq!(error(EIGHT, "af 81"), ParseError::Xid(XidError::Format(0x81)));
    assert_eq!(error(EIGHT, "af 8280"), ParseError::Xid(XidError::Truncated("header")));
    assert_eq!(error(EIGHT, "af 82ff0000"), ParseError::Xid(XidError::Group(0xff)));
    assert_eq!(error(EIGHT, "af 82800001"), ParseError::Xid(XidError::Truncated("group")));
    assert_eq!(error(EIGHT, "af 8280000108"), ParseError::Xid(XidError::Truncated("parameter")));
    assert_eq!(error(EIGHT, "af 828000020801"), ParseError::Xid(XidError::Truncated("parameter value")));
}

#[test]
fn invalid_addresses_are_reported_by_field() {
    let error = |hex: &str| Frame::parse(&bytes(hex), EIGHT).unwrap_err().to_string();
    assert_eq!(error(&format!("{}3f", COMMAND.replacen("a0", "a1", 1))), {
        "destination address: 'P' at position 1 of a callsign is not a letter or digit"
    });
    assert_eq!(
        error(&format!("{}3f", COMMAND.replacen("9e", "40", 1))),
        "destination address: 'N' at position 3 of a callsign is not a letter or digit"
    );
    let blank = format!("{}3f", COMMAND.replacen("a09e9c8e", "40404040", 1));
    assert!(error(&blank).starts_with("destination address: empty callsign"));
    assert_eq!(
        error(&format!("{}3f", COMMAND.replacen("e2", "e3", 1))),
        "the address field ends after the destination"
    );
    let open = format!("{}64", &COMMAND[..26]);
    assert_eq!(error(&format!("{open}3f")), "truncated in the digipeater address");
    let ten = format!("{open}{}3f", "a09e9c8e4040e2".repeat(9));
    assert_eq!(error(&ten), "the address field lists more than 8 digipeaters");
}

#[test]
fn a_frame_that_cannot_be_encoded_is_refused_with_its_reason() {
    let (_, frame) = examples()[0];
    let error = |body| Frame::<&[u8]> { body, ..frame }.to_bytes().unwrap_err().to_string();
    let s = |modulo, kind, receive, further: &[u8]| {
        let mut set = SequenceSet::NONE;
        further.iter().for_each(|number| set.insert(*number));
        Body::S { modulo, kind, n_r: receive, further: set }
    };
    let i = Body::I { modulo: EIGHT, n_s: 8, n_r: 0, pid: Pid::NONE, data: &[][..] };
    assert_eq!(error(i), "N(S) 8 exceeds 7");
    assert_eq!(error(s(EXTENDED, Supervisory::Rr, 128, &[])), "N(R) 128 exceeds 127");
    assert_eq!(error(s(EIGHT, Supervisory::Srej, 1, &[9])), "listed N(R) 9 exceeds 7");
    let list = "only SREJ has a list of sequence numbers, and its own N(R) is not in it";
    assert_eq!(error(s(EIGHT, Supervisory::Rr, 1, &[2])), list);
    assert_eq!(error(s(EIGHT, Supervisory::Srej, 1, &[1])), list);
    assert_eq!(error(Body::Xid(Xid { k: Some(128), ..Xid::default() })), "k 128 exceeds 127");
    assert_eq!(error(Body::Xid(Xid { n1: Some(8192), ..Xid::default() })), "N1 8192 exceeds 8191");
    assert_eq!(error(Body::Frmr(Some(FrameReject { v_s: 8, ..FrameReject::default() }))), "V(S) 8 exceeds 7");
    assert_eq!(frame.emit(&mut [0; 5]), Err(ShortBuffer { needed: 15, given: 5 }.into()));
}

fn some_address() -> impl Strategy<Value = Address> {
    ("[A-Z0-9]{1,6}", 0u8..16).prop_map(|(callsign, ssid)| Address::new(&callsign, ssid).unwrap())
}

fn some_addressing() -> impl Strategy<Value = Addressing> {
    let role =
        prop_oneof![Just(Role::Command), Just(Role::Response), any::<bool>().prop_map(|bits| Role::PreV2 { bits }),];
    let path = (prop::collection::vec(some_address(), 0..=8), 0usize..9)
        .prop_map(|(list, passed)| (0..passed).fold(Digipeaters::new(&list).unwrap(), |path, _| path.advanced()));
    (some_address(), some_address(), path, role, 0u8..4).prop_map(|(source, destination, digipeaters, role, bits)| {
        let new = Addressing::new(source, destination, digipeaters, role);
        Addressing { digipeaters, reserved: new.reserved.with(1, bits), ..new }
    })
}

fn some_body(modulo: Modulo) -> impl Strategy<Value = Body<Vec<u8>>> {
    let number = move || 0..=modulo.largest();
    let data = || prop::collection::vec(any::<u8>(), 0..300);
    let kind = prop::sample::select(vec![Supervisory::Rr, Supervisory::Rnr, Supervisory::Rej, Supervisory::Srej]);
    let reject = (any::<u16>(), number(), number(), any::<bool>(), any::<bool>()).prop_map(
        move |(control, receive_state, send_state, response, flag)| FrameReject {
            modulo,
            control: if modulo == EIGHT { control & 0xff } else { control },
            v_r: receive_state,
            v_s: send_state,
            response,
            reasons: Reasons { unknown_control: flag, too_long: !flag, ..Reasons::default() },
        },
    );
    let duplex = prop::option::of(prop::sample::select(vec![Classes::HalfDuplex, Classes::FullDuplex]));
    let functions = prop::option::of(prop::sample::select(vec![
        Functions::ALWAYS,
        Functions::ALWAYS.with(Functions::MODULO_8).with(Functions::MULTI_SELECTIVE_REJECT),
        Functions::ALWAYS.with(Functions::MODULO_128).with(Functions::SEGMENTER),
    ]));
    let xid = (
        duplex,
        functions,
        prop::option::of(1u16..8192),
        prop::option::of(1u8..128),
        any::<Option<u16>>(),
        any::<Option<u8>>(),
    )
        .prop_map(|(classes, functions, information_octets, window, acknowledgement_timer_ms, retries)| Xid {
            classes,
            functions,
            n1: information_octets,
            k: window,
            t1_ms: acknowledgement_timer_ms,
            n2: retries,
        });
    prop_oneof![
        (number(), number(), any::<u8>(), data()).prop_map(move |(send, receive, pid, data)| Body::I {
            modulo,
            n_s: send,
            n_r: receive,
            pid: Pid(pid),
            data
        }),
        (kind, number(), prop::collection::vec(number(), 0..5)).prop_map(move |(kind, receive, listed)| {
            let mut further = SequenceSet::NONE;
            if kind == Supervisory::Srej {
                listed.into_iter().filter(|number| *number != receive).for_each(|number| further.insert(number));
            }
            Body::S { modulo, kind, n_r: receive, further }
        }),
        (any::<u8>(), data()).prop_map(|(pid, data)| Body::Ui { pid: Pid(pid), data }),
        prop::sample::select(vec![Body::Sabm, Body::Sabme, Body::Disc, Body::Dm, Body::Ua, Body::Frmr(None)]),
        reject.prop_map(|reject| Body::Frmr(Some(reject))),
        xid.prop_map(Body::Xid),
        data().prop_map(Body::Test),
    ]
}

fn some_frame(modulo: Modulo) -> impl Strategy<Value = Frame<Vec<u8>>> {
    (some_addressing(), any::<bool>(), some_body(modulo)).prop_map(|(addressing, poll_final, body)| Frame {
        addressing,
        poll_final,
        body,
    })
}

proptest! {
    #[test]
    fn any_frame_survives_a_round_trip(frame in some_frame(EIGHT), extended in some_frame(EXTENDED)) {
        for (modulo, frame) in [(EIGHT, frame), (EXTENDED, extended)] {
            let written = frame.to_bytes().unwrap();
            prop_assert_eq!(written.len(), frame.length());
            let read = Frame::parse(&written, modulo).map(|read| read.map(<[u8]>::to_vec));
            prop_assert_eq!(read, Ok(frame));
        }
    }

    #[test]
    fn any_octets_parse_to_a_frame_or_an_error(noise in prop::collection::vec(any::<u8>(), 0..80)) {
        fuzz::frame(&noise);
        fuzz::frame(&[bytes(COMMAND), noise].concat());
    }

    #[test]
    fn a_frame_with_one_bit_error_parses_to_a_frame_or_an_error(frame in some_frame(EIGHT), bit in any::<prop::sample::Index>()) {
        let mut written = frame.to_bytes().unwrap();
        let bit = bit.index(8 * written.len());
        written[bit / 8] ^= 1 << (bit % 8);
        fuzz::frame(&written);
    }
}
