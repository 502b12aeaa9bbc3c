//! ROSE packets as octets: vectors made by hand from X.25 and from packets of Linux net/rose, round trips, mutations.

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_protocols::StreamRange;
use sojourn_protocols::ax25::wire::{Address, Digipeaters};
use sojourn_protocols::limits::{OutOfRange, ShortBuffer, Trailing, Truncated};
use sojourn_protocols::rose::wire::*;

fn example(name: &str) -> Packet<&'static [u8]> {
    examples().into_iter().find(|(example, _)| *example == name).unwrap().1
}

fn number(text: &str) -> NetworkAddress {
    text.parse().unwrap()
}

#[test]
fn every_example_survives_a_round_trip() {
    for (name, packet) in examples() {
        let written = packet.to_bytes().unwrap();
        assert_eq!(written.len(), packet.length(), "{name}");
        assert_eq!(Packet::parse(&written), Ok(packet), "{name}");
    }
}

#[test]
fn packets_without_a_call_encode_as_x_25_specifies() {
    let bytes = |name| example(name).to_bytes().unwrap();
    assert_eq!(bytes("call accepted"), [0x10, 0x01, 0x0f, 0x00, 0x00]);
    assert_eq!(bytes("clear request"), [0x10, 0x01, 0x13, 0x0d, 67]);
    assert_eq!(bytes("clear confirmation"), [0x10, 0x01, 0x17]);
    assert_eq!(bytes("data"), [&[0x10, 0x01, 0xa6][..], b"ping"].concat());
    assert_eq!(bytes("data with all bits"), [0xdf, 0xff, 0xfe]);
    assert_eq!(bytes("receive ready"), [0x10, 0x01, 0x81]);
    assert_eq!(bytes("receive not ready"), [0x10, 0x01, 0x85]);
    assert_eq!(bytes("reject"), [0x10, 0x01, 0x89]);
    assert_eq!(bytes("interrupt"), [0x10, 0x01, 0x23, b'!']);
    assert_eq!(bytes("interrupt confirmation"), [0x10, 0x01, 0x27]);
    assert_eq!(bytes("reset request"), [0x10, 0x01, 0x1b, 0x00, 0x02]);
    assert_eq!(bytes("reset confirmation"), [0x10, 0x01, 0x1f]);
    assert_eq!(bytes("restart request"), [0x10, 0x00, 0xfb, 0x00, 0x00]);
    assert_eq!(bytes("restart confirmation"), [0x10, 0x00, 0xff]);
    assert_eq!(bytes("diagnostic"), [0x10, 0x00, 0xf1, 36, 0x10, 0x09, 0x01]);
}

#[test]
fn a_call_request_encodes_as_linux_sends_it() {
    let expected = [
        &[0x10, 0x01, 0x0b, 0xaa][..],
        &[0x31, 0x00, 0x20, 0x12, 0x56], // called
        &[0x31, 0x00, 0x90, 0x80, 0x01], // calling
        &[38, 0x00, 0x0f],               // length of the facilities; CCITT
        &[0xc9, 16, 30, 0x47, 0x00, 0x11, 0x0a, 0x31, 0x00, 0x20, 0x12, 0x56],
        b"PONG-2",
        &[0xcb, 16, 30, 0x47, 0x00, 0x11, 0x0a, 0x31, 0x00, 0x90, 0x80, 0x01],
        b"PING-0",
    ]
    .concat();
    assert_eq!(example("call request").to_bytes(), Ok(expected));
}

#[test]
fn digipeaters_form_one_list_and_the_first_of_either_side_is_repeated_for_older_switches() {
    let bytes = example("call request with digipeaters").to_bytes().unwrap();
    let digi = |callsign: &[u8; 6], last: u8| [&callsign.map(|octet| octet << 1)[..], &[last]].concat();
    let expected = [
        &[0x00, 0x00, 0x7f, 0x12, 0x34, 0xef, 21][..],
        &digi(b"DIGI1 ", 0x80),
        &digi(b"DIGI2 ", 0x80 | 7 << 1),
        &digi(b"DIGI3 ", 15 << 1),
        &[0xeb, 7],
        &digi(b"DIGI1 ", 0),
        &[0xe9, 7],
        &digi(b"DIGI3 ", 15 << 1),
        &[0xed, 7],
        &digi(b"PONG  ", 2 << 1),
        &[0xee, 5, 7, 0x31, 0x00, 0x20, 0x10, 0x00, 0x0f],
    ]
    .concat();
    assert_eq!(bytes[15..15 + expected.len()], expected);
}

#[test]
fn a_data_packet_adds_three_octets_to_the_user_s() {
    let data = StreamRange { stream: 1, offset: 0, length: 256 };
    assert_eq!(Packet::new(1, Body::Data { p_s: 0, p_r: 0, more: false, data }).length(), 259);
}

/// A call request with these facilities.
fn call(facilities: &[u8]) -> Result<Facilities, ParseError> {
    let head = [0x10, 0x01, 0x0b, 0x00, facilities.len() as u8];
    match Packet::parse(&[&head, facilities].concat())?.body {
        Body::CallRequest(call) => Ok(call.facilities.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unknown_facilities_are_skipped_by_their_class() {
    let x_25 = [0x42, 0x07, 0x07, 0x43, 0x02, 0x02]; // packet size, window size
    let national = [0x00, 0x00, 0x01, 0xff, 0x41, 1, 2, 0x81, 1, 2, 3, 0xc1, 2, 1, 2, 0x7f, 0xab, 0xcd];
    let other = [0x00, 0xff, 0x7f, 0x11, 0x11, 0xc9, 1, 0];
    let found = call(&[&x_25[..], &national, &other].concat()).unwrap();
    assert_eq!(found, Facilities { random: 0xabcd, ..Facilities::default() });
}

#[test]
fn one_digipeater_a_side_is_parsed_without_a_list() {
    let digi = |callsign: &[u8; 6]| [&callsign.map(|octet| octet << 1)[..], &[0]].concat();
    let singles = [&[0x00, 0x00, 0xeb, 7][..], &digi(b"NEAR  "), &[0xe9, 7], &digi(b"FAR   ")].concat();
    let list = |name: &str| Digipeaters::new(&[name.parse().unwrap()]).unwrap();
    let found = call(&singles).unwrap();
    assert_eq!((found.source_digipeaters, found.destination_digipeaters), (list("NEAR"), list("FAR")));
    let found = call(&[&singles[..], &[0xef, 7], &digi(b"OTHER ")].concat()).unwrap();
    assert_eq!((found.source_digipeaters, found.destination_digipeaters), (Digipeaters::NONE, list("OTHER")));
}

#[test]
fn a_callsign_without_a_hyphen_is_parsed() {
    let text = [&[0x00, 0x0f, 0xc9, 14, 26, 0x47, 0, 0x11, 0x0a, 0x31, 0, 0x20, 0x12, 0x56][..], b"W1AW"].concat();
    let expected = Subscriber { address: number("3100201256"), station: Address::new("W1AW", 0).unwrap() };
    assert_eq!(call(&text).unwrap().destination, Some(expected));
}

#[test]
fn addresses_of_odd_length_share_an_octet() {
    let bytes = [0x10, 0x02, 0x0b, 0x23, 0x12, 0x34, 0x50, 0x00];
    let parsed = Packet::parse(&bytes).unwrap();
    let Body::CallRequest(call) = &parsed.body else { panic!("{parsed:?}") };
    assert_eq!((call.called, call.calling), (number("123"), number("45")));
    assert_eq!(parsed.to_bytes().unwrap(), bytes);
}

#[test]
fn a_clear_request_may_lack_its_diagnostic_and_call_accepted_may_have_more_octets() {
    let clear = Body::ClearRequest { cause: Cause::NUMBER_BUSY, diagnostic: Diagnostic::NONE, facilities: None };
    assert_eq!(Packet::parse(&[0x10, 1, 0x13, 1]), Ok(Packet::new(1, clear)));
    assert_eq!(Packet::parse(&[0x10, 1, 0x0f]), Ok(Packet::new(1, Body::CallAccepted)));
    assert_eq!(Packet::parse(&[0x10, 1, 0x0f, 0xff, 9, 9]), Ok(Packet::new(1, Body::CallAccepted)));
}

#[test]
fn each_reason_for_which_octets_are_not_a_packet_has_an_error() {
    let error = |bytes: &[u8]| Packet::parse(bytes).unwrap_err();
    assert_eq!(error(&[0x10, 0]), ParseError::TooShort(2));
    assert_eq!(error(&[0x20, 0, 0, 0]), ParseError::Format(2));
    assert_eq!(error(&[0x10, 0, 0x2b]), ParseError::Type(0x2b));
    assert_eq!(error(&[0x10, 1, 0x01, 0]), ParseError::Trailing(Trailing(1)));
    assert_eq!(error(&[0x10, 1, 0x13]), ParseError::Truncated(Truncated("cause")));
    assert_eq!(error(&[0x10, 1, 0x0b]), ParseError::Truncated(Truncated("address lengths")));
    assert_eq!(error(&[0x10, 1, 0x0b, 0xaa, 0]), ParseError::Truncated(Truncated("network addresses")));
    let digit = NetworkAddressError::Character { character: 'b', position: 2 };
    assert_eq!(error(&[0x10, 1, 0x0b, 0x02, 0x1b, 0]), digit.into());
    assert_eq!(error(&[0x10, 1, 0x0b, 0x00]), ParseError::Truncated(Truncated("facilities length")));
    assert_eq!(error(&[0x10, 1, 0x0b, 0x00, 2, 0]), ParseError::Truncated(Truncated("facilities")));
    assert_eq!(call(&[0x00]), Err(ParseError::Truncated(Truncated("family of facilities"))));
    assert_eq!(call(&[0xc9]), Err(ParseError::Truncated(Truncated("length of a facility"))));
    assert_eq!(call(&[0xc9, 9, 1]), Err(ParseError::Truncated(Truncated("facility"))));
    assert_eq!(call(&[0x00, 0x00, 0xed, 3, 1, 2, 3]), Err(ParseError::Truncated(Truncated("failed call"))));
    assert_eq!(call(&[0x00, 0x0f, 0xcb, 5, 8, 0x47, 0, 0x11, 16]), Err(NetworkAddressError::TooLong(16).into()));
    assert_eq!(call(&[0x00, 0x0f, 0xcb, 6, 8, 0x47, 0, 0x11, 0, 0xff]), Err(ParseError::Text("source")));
    let too_many = [&[0x00, 0x00, 0xef, 63][..], &[&[b'A' << 1; 6][..], &[0]].concat().repeat(9)].concat();
    assert_eq!(call(&too_many), Err(ParseError::TooManyDigipeaters));
}

#[test]
fn a_packet_with_a_field_out_of_range_cannot_be_encoded() {
    let range = |field, value, limit| Err(EmitError::from(OutOfRange { field, value, limit }));
    let on = |channel, body: Body<&'static [u8]>| Packet::new(channel, body).to_bytes();
    assert_eq!(on(4096, Body::ReceiveReady { p_r: 0 }), range("channel", 4096, 4095));
    assert_eq!(on(1, Body::ReceiveReady { p_r: 8 }), range("P(R)", 8, 7));
    assert_eq!(on(1, Body::Data { p_s: 8, p_r: 0, more: false, data: b"" }), range("P(S)", 8, 7));
    let small = example("data").emit(&mut [0; 6]);
    assert_eq!(small, Err(ShortBuffer { needed: 7, given: 6 }.into()));
}

#[test]
fn a_network_address_is_digits_and_a_route_is_a_prefix_of_it() {
    let whole = number("3100201256");
    assert!(whole.starts_with(&number("3100201")) && !whole.starts_with(&number("3100202")));
    assert_eq!((whole.prefix(DNIC_DIGITS), whole.without_prefix(DNIC_DIGITS)), (number("3100"), number("201256")));
    assert_eq!(number("3100").followed_by(&number("201256")), Some(whole));
    assert_eq!(whole.followed_by(&number("201256")), None);
    assert_eq!("31o0".parse::<NetworkAddress>(), Err(NetworkAddressError::Character { character: 'o', position: 3 }));
    assert_eq!("1234567890123456".parse::<NetworkAddress>(), Err(NetworkAddressError::TooLong(16)));
}

fn some_call() -> impl Strategy<Value = Call> {
    let digits = || "[0-9]{0,15}".prop_map(|text| number(&text));
    let station = || ("[A-Z0-9]{1,6}", 0u8..16).prop_map(|(text, ssid)| Address::new(&text, ssid).unwrap());
    let list = || prop::collection::vec(station(), 0..=8).prop_map(|list| Digipeaters::new(&list).unwrap());
    let subscriber =
        || prop::option::of((digits(), station()).prop_map(|(address, station)| Subscriber { address, station }));
    let failed = (prop::option::of(station()), prop::option::of(digits()));
    (digits(), digits(), any::<u16>(), list(), list(), failed, subscriber(), subscriber()).prop_map(
        |(called, calling, random, source_digipeaters, destination_digipeaters, failed, destination, source)| Call {
            called,
            calling,
            facilities: Facilities {
                random,
                source_digipeaters,
                destination_digipeaters,
                failed_call: failed.0,
                failed_address: failed.1,
                destination,
                source,
            },
        },
    )
}

proptest! {
    #[test]
    fn every_call_survives_a_round_trip(call in some_call(), channel in 0u16..4096) {
        let packet = Packet::<&[u8]>::new(channel, Body::CallRequest(Arc::new(call)));
        let written = packet.to_bytes().unwrap();
        prop_assert_eq!(written.len(), packet.length());
        prop_assert_eq!(Packet::parse(&written), Ok(packet));
    }

    #[test]
    fn any_octets_parse_to_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        fuzz::packet(&bytes);
    }

    #[test]
    fn any_change_to_an_example_parses_to_a_packet_or_an_error(
        which in any::<prop::sample::Index>(), place in any::<prop::sample::Index>(), value: u8, cut in any::<prop::sample::Index>(),
    ) {
        let examples = examples();
        let mut bytes = which.get(&examples).1.to_bytes().unwrap();
        *place.get_mut(&mut bytes) = value;
        fuzz::packet(&bytes);
        fuzz::packet(&bytes[..cut.index(bytes.len())]);
    }
}
