//! NET/ROM packets and broadcasts as octets: test vectors, liberal parsing, round trips, errors.

use proptest::prelude::*;
use sojourn_protocols::StreamRange;
use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::wire::*;

/// From NODEA to NODEB-3 with a time to live of 16, as written by Linux.
const HEADER: &str = "9c9e888a824060 9c9e888a844067 10";

/// What follows the header in every example; the names are those of [`packets`].
const VECTORS: [(&str, &str); 16] = [
    ("connect request", "01 07 00 00 01 04 a0929c8e40407e 9c9e888a824060"),
    ("connect request of BPQ", "01 07 00 00 01 04 a0929c8e40407e 9c9e888a824060 2c01"),
    ("connect acknowledge", "01 07 02 09 02 04"),
    ("connect acknowledge of BPQ", "01 07 02 09 02 04 19"),
    ("connect refusal", "01 07 00 00 82"),
    ("disconnect request", "02 09 00 00 03"),
    ("disconnect acknowledge", "01 07 00 00 04"),
    ("reset", "00 00 02 09 07"),
    ("information", "02 09 03 c8 05 68656c6c6f"),
    ("information to be continued", "02 09 03 c8 25 68656c6c6f"),
    ("information that chokes", "02 09 03 c8 85 68656c6c6f"),
    ("information acknowledge", "01 07 00 04 06"),
    ("information acknowledge that chokes", "01 07 00 04 86"),
    ("information acknowledge with NAK", "01 07 00 04 46"),
    ("IP", "0c 0c 00 00 00 45000014"),
    ("not assigned", "01 02 03 04 2b"),
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
    let examples = packets();
    assert_eq!(examples.len(), VECTORS.len());
    for (name, rest) in VECTORS {
        let (_, packet) = examples.iter().find(|(example, _)| *example == name).unwrap();
        let vector = [bytes(HEADER), bytes(rest)].concat();
        assert_eq!(packet.to_bytes(), vector, "{name}");
        assert_eq!(Packet::parse(&vector), Ok(*packet), "{name}");
    }
}

#[test]
fn a_header_written_by_linbpq_parses() {
    // reserved bits 0, the extension bit on the origin, 25 hops
    let vector = bytes("84a0a2404040 03 a8a6a8404040 0e 19 01 07 02 09 02 04 19");
    let packet = Packet::parse(&vector).unwrap();
    assert_eq!((packet.origin, packet.destination), (address("BPQ-1"), address("TST-7")));
    assert_eq!(packet.ttl, 25);
    assert!(matches!(packet.body, Body::ConnectAcknowledge { window: 4, ttl: Some(25), .. }));
}

#[test]
fn the_headers_have_twenty_octets() {
    let data = StreamRange { stream: 1, offset: 0, length: 236 };
    let flow = Flow::default();
    let body = Body::Information {
        circuit: CircuitNumber::default(),
        tx_sequence: 0,
        rx_sequence: 0,
        flow,
        more: false,
        data,
    };
    let packet = Packet { origin: address("A"), destination: address("B"), ttl: 16, body };
    assert_eq!((OVERHEAD, packet.length()), (20, 256));
}

#[test]
fn a_broadcast_without_destinations_is_the_alias_only() {
    let (_, nodes) = &broadcasts()[0];
    assert_eq!(nodes.to_bytes(), bytes("ff 414c50484120"));
}

#[test]
fn an_entry_of_a_broadcast_is_destination_alias_best_neighbour_and_quality() {
    let (_, nodes) = &broadcasts()[1];
    let vector = bytes("ff 414c50484120 888460b0b2b46e 58595a202020 9c9e888a844060 46");
    assert_eq!(nodes.to_bytes(), vector);
    assert_eq!(Nodes::parse(&vector).as_ref(), Ok(nodes));
}

#[test]
fn eleven_entries_fit_into_256_octets_and_twelve_do_not() {
    let (_, nodes) = &broadcasts()[2];
    assert_eq!((nodes.entries.len(), nodes.length()), (ENTRY_LIMIT, 238));
    assert!(nodes.length() + 21 > 256);
}

#[test]
fn an_entry_without_a_callsign_and_a_truncated_entry_are_ignored() {
    let (_, nodes) = &broadcasts()[2];
    let mut damaged = nodes.to_bytes();
    // the first octet of the second entry's callsign is not a letter
    damaged[7 + 21] = 0xff;
    damaged.extend([0x82; 20]);
    let read = Nodes::parse(&damaged).unwrap();
    let expected = [&nodes.entries[..1], &nodes.entries[2..]].concat();
    assert_eq!(read.entries, expected);
}

#[test]
fn invalid_octets_are_refused_with_a_reason() {
    let whole = [bytes(HEADER), bytes(VECTORS[0].1)].concat();
    for (length, message) in [
        (0, "truncated in the origin node"),
        (13, "truncated in the destination node"),
        (14, "truncated in the time to live"),
        (19, "truncated in the transport header"),
        (20, "truncated in the proposed window"),
        (27, "truncated in the user"),
        (34, "truncated in the user's node"),
    ] {
        assert_eq!(Packet::parse(&whole[..length]).unwrap_err().to_string(), message, "of {length} octets");
    }
    let mut odd = whole.clone();
    odd[9] = b'/' << 1;
    let message = "destination node: '/' at position 3 of a callsign is not a letter or digit";
    assert_eq!(Packet::parse(&odd).unwrap_err().to_string(), message);
    assert_eq!(Nodes::parse(&[7]).unwrap_err().to_string(), "a NODES broadcast begins with ff, not with 07");
}

#[test]
fn a_short_buffer_is_refused_with_the_length_needed() {
    let (_, packet) = packets()[0];
    let error = packet.emit(&mut [0; 34]).unwrap_err();
    assert_eq!(error.to_string(), "buffer of 34 bytes is shorter than the 35 needed");
    assert_eq!(packet.emit(&mut [0; 40]), Ok(35));
}

#[test]
fn an_alias_parses_from_text_and_prints_as_text() {
    let alias: Alias = "alpha".parse().unwrap();
    assert_eq!(alias.to_string(), "ALPHA");
    assert_eq!("TOOLONG".parse::<Alias>().unwrap_err().to_string(), "an alias of 7 characters is longer than 6");
    let message = "' ' in an alias is not a printable ASCII character";
    assert_eq!("A B".parse::<Alias>().unwrap_err().to_string(), message);
}

fn some_address() -> impl Strategy<Value = Address> {
    ("[A-Z0-9]{1,6}", 0u8..16).prop_map(|(callsign, ssid)| Address::new(&callsign, ssid).unwrap())
}

fn some_body() -> impl Strategy<Value = Body<Vec<u8>>> {
    let number = || (any::<u8>(), any::<u8>()).prop_map(|(index, id)| CircuitNumber { index, id });
    let flow = || (any::<bool>(), any::<bool>()).prop_map(|(choke, nak)| Flow { choke, nak });
    let data = || prop::collection::vec(any::<u8>(), 0..237);
    prop_oneof![
        (number(), any::<u8>(), some_address(), some_address(), any::<Option<u16>>()).prop_map(
            |(circuit, window, user, node, timeout_s)| Body::ConnectRequest { circuit, window, user, node, timeout_s }
        ),
        (number(), number(), any::<u8>(), any::<Option<u8>>()).prop_map(|(circuit, own, window, time_to_live)| {
            Body::ConnectAcknowledge { circuit, own, window, ttl: time_to_live }
        }),
        number().prop_map(|circuit| Body::ConnectRefusal { circuit }),
        number().prop_map(|circuit| Body::DisconnectRequest { circuit }),
        number().prop_map(|circuit| Body::DisconnectAcknowledge { circuit }),
        (number(), any::<u8>(), any::<u8>(), flow(), any::<bool>(), data()).prop_map(
            |(circuit, send, receive, flow, more, data)| Body::Information {
                circuit,
                tx_sequence: send,
                rx_sequence: receive,
                flow,
                more,
                data
            }
        ),
        (number(), any::<u8>(), flow()).prop_map(|(circuit, receive, flow)| Body::InformationAcknowledge {
            circuit,
            rx_sequence: receive,
            flow
        }),
        (number(), number()).prop_map(|(circuit, own)| Body::Reset { circuit, own }),
        (any::<[u8; 4]>(), any::<u8>(), data()).prop_map(|(header, operation, data)| {
            let operation = if (1..8).contains(&(operation & 15)) { operation & 0xf0 } else { operation };
            Body::Other { header, operation, data }
        }),
    ]
}

proptest! {
    #[test]
    fn every_packet_survives_a_round_trip(
        origin in some_address(), destination in some_address(), time_to_live: u8, body in some_body(),
    ) {
        let packet = Packet { origin, destination, ttl: time_to_live, body };
        let written = packet.to_bytes();
        prop_assert_eq!(written.len(), packet.length());
        prop_assert_eq!(Packet::parse(&written).map(|read| read.map(<[u8]>::to_vec)), Ok(packet));
    }

    #[test]
    fn any_octets_parse_to_a_value_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::information(&bytes);
    }

    #[test]
    fn any_packet_with_some_octets_changed_parses_to_a_value_or_an_error(
        which in 0usize..16, changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6), cut: usize,
    ) {
        let mut bytes = packets()[which].1.to_bytes();
        for (place, octet) in changes {
            let place = place % bytes.len();
            bytes[place] = octet;
        }
        bytes.truncate(cut % (bytes.len() + 1));
        fuzz::information(&bytes);
    }
}
