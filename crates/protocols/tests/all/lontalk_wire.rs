//! LonTalk packets as bytes: vectors confirmed by other implementations, sizes, round trips, mutations.

use proptest::prelude::*;
use sojourn_protocols::StreamRange;
use sojourn_protocols::UserData;
use sojourn_protocols::limits::{ShortBuffer, Trailing, Truncated};
use sojourn_protocols::lontalk::wire::*;

/// Frames that Wireshark 4.0.17 dissects without error; the names are those of [`examples`].
const VECTORS: [(&str, &str); 13] = [
    ("unacknowledged update", "0039018501862a8001554abe"),
    ("acknowledged update to a group", "010401850703800155d2b0"),
    ("group acknowledgement", "000801060185070123a55b"),
    ("unicast acknowledgement", "0008018601852394df"),
    ("request with priority", "8118018501860412aabbd339"),
    ("response", "0018018601852400ccaca9"),
    ("authenticated update", "010801850186858001550442"),
    ("challenge", "002801860185851122334455667788799c"),
    ("reminder with message", "0104018507560102800155a1a3"),
    ("reminder", "000401850747030204081129"),
    ("repeated update to a domain", "0302018500a1a2a31880015536fe"),
    ("service pin", "00300080007f01020304050650524f4749443031d5b4"),
    ("query by unique id", "011f0185010a0b0c0d0e0fd1d2d3d4d5d6096100a837"),
];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn every_vector_parses_to_its_value_and_every_value_encodes_to_its_vector() {
    for (name, hex) in VECTORS {
        let examples = examples();
        let (_, packet) = examples.iter().find(|(example, _)| *example == name).unwrap();
        assert_eq!(Packet::parse(&bytes(hex)), Ok(*packet), "{name}");
        assert_eq!(packet.to_bytes(), Ok(bytes(hex)), "{name}");
    }
}

#[test]
fn the_crc_gives_its_check_value() {
    assert_eq!(crc(b"123456789"), 0xd64e);
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
fn sizes_match_the_standard_with_a_zero_length_domain() {
    let (from, to) = (SubnetNode::new(1, 5), SubnetNode::new(1, 6));
    let group = Destination::Group { group: 7 };
    let answer = Destination::GroupAcknowledgement { node: from, group: 7, member: 1 };
    let data = |length| StreamRange { stream: 0, offset: 0, length };
    let numbering = Numbering { authenticated: false, transaction: 1 };
    let size = |destination, body| {
        let packet = Packet { link: Link::default(), domain: Domain::NONE, source: from, destination, body };
        assert_eq!(packet.to_bytes().unwrap().len(), packet.length());
        packet.length()
    };
    let acknowledged = |apdu| Body::Transport(numbering, Tpdu::Acknowledged(apdu));
    for n in [1, 8, 16, 31] {
        let length = usize::from(n);
        assert_eq!(size(Destination::Node(to), Body::Application(Apdu::update(1, data(n)))), 10 + length);
        assert_eq!(size(Destination::Node(to), acknowledged(Apdu::update(1, data(n)))), 11 + length);
        assert_eq!(size(group, acknowledged(Apdu::update(1, data(n)))), 10 + length);
    }
    for n in [1, 64, 128, 228] {
        let length = usize::from(n);
        assert_eq!(size(Destination::Node(to), Body::Application(Apdu::explicit(1, data(n)))), 9 + length);
        assert_eq!(size(Destination::Node(to), acknowledged(Apdu::explicit(1, data(n)))), 10 + length);
        assert_eq!(size(group, acknowledged(Apdu::explicit(1, data(n)))), 9 + length);
    }
    let acknowledgement = || Body::Transport(numbering, Tpdu::Acknowledgement);
    assert_eq!(size(Destination::Node(to), acknowledgement()), 9);
    assert_eq!(size(answer, acknowledgement()), 11);
    let auth =
        |original| Body::Authentication(AuthPdu { original, transaction: 1, kind: AuthKind::Challenge, value: [0; 8] });
    assert_eq!(size(Destination::Node(to), auth(OriginalFormat::Node)), 17);
    assert_eq!(size(answer, auth(OriginalFormat::Group(7))), 20);
    assert_eq!(size(Destination::Node(to), auth(OriginalFormat::Group(7))), 18);
}

#[test]
fn each_reason_for_which_bytes_are_not_a_packet_has_an_error() {
    let with_crc = |body: &[u8]| [body, &crc(body).to_be_bytes()].concat();
    let error = |body: &[u8]| Packet::parse(&with_crc(body)).map(|_| ()).unwrap_err();
    assert_eq!(Packet::parse(&[0; 7]), Err(ParseError::TooShort(7)));
    assert_eq!(Packet::parse(&[0; 253]), Err(ParseError::TooLong(253)));
    assert!(matches!(Packet::parse(&[0; 8]), Err(ParseError::Crc { .. })));
    assert_eq!(error(&[0, 0x70, 1, 0x85, 0, 0, 0]), ParseError::Version(1));
    assert_eq!(error(&[0, 0x3f, 1, 0x85, 0, 0, 0]), ParseError::Truncated(Truncated("unique id")));
    assert_eq!(error(&[0, 0x08, 1, 0x86, 1, 0x85, 0x23, 0xff]), ParseError::Trailing(Trailing(1)));
    assert_eq!(error(&[0, 0x30, 1, 0x05, 0, 0x01, 0]), ParseError::NodeBit("source"));
    assert_eq!(error(&[0, 0x38, 1, 0x85, 1, 0x06, 0]), ParseError::NodeBit("destination"));
    assert_eq!(error(&[0, 0x08, 1, 0x06, 1, 0x85, 7, 64, 0x23]), ParseError::Member(64));
    assert_eq!(error(&[0, 0x00, 1, 0x85, 0, 0x33, 0]), ParseError::TransportType(3));
    assert_eq!(error(&[0, 0x10, 1, 0x85, 0, 0x13, 0]), ParseError::SessionType(1));
    assert_eq!(error(&[0, 0x20, 1, 0x85, 0, 0x95, 0]), ParseError::AuthenticationType(1));
    assert_eq!(error(&[0, 0x04, 1, 0x85, 7, 0x53, 3, 0, 0, 0, 0]), ParseError::MemberList { found: 3, limit: 2 });
    assert_eq!(error(&[0, 0x04, 1, 0x85, 7, 0x43, 9]), ParseError::MemberList { found: 9, limit: 8 });
    assert_eq!(error(&[&[0, 0x30, 1, 0x85, 0, 0x80, 0][..], &[0; 32]].concat()), ParseError::NetworkVariable(32));
    assert_eq!(error(&[&[0, 0x30, 1, 0x85, 0, 0][..], &[0; 229]].concat()), ParseError::Application(229));
}

#[test]
fn a_packet_that_cannot_be_encoded_is_refused_with_its_reason() {
    let (_, packet) = examples()[0];
    let error = |packet: Packet<&[u8]>| packet.to_bytes().unwrap_err().to_string();
    let with = |body| Packet { body: Body::Application(body), ..packet };
    assert_eq!(error(with(Apdu::explicit(0x40, &[]))), "application code 64 exceeds 63");
    assert_eq!(error(with(Apdu::update(0x4000, &[]))), "selector 16384 exceeds 16383");
    assert_eq!(error(with(Apdu::update(1, &[0; 32]))), "network variable length 32 exceeds 31");
    assert_eq!(error(with(Apdu::explicit(1, &[0; 229]))), "APDU data length 229 exceeds 228");
    assert_eq!(error(Packet { source: SubnetNode::new(1, 128), ..packet }), "source node 128 exceeds 127");
    let link = Link { delta_backlog: 64, ..Link::default() };
    assert_eq!(error(Packet { link, ..packet }), "delta backlog 64 exceeds 63");
    let error = packet.emit(&mut [0; 5]).unwrap_err();
    assert_eq!(error, ShortBuffer { needed: 12, given: 5 }.into());
}

#[test]
fn codes_have_names_and_responses() {
    assert_eq!(Management::QUERY_ID.name(), Some("query id"));
    assert_eq!(Management::new(0x6d), Some(Management::READ_MEMORY));
    assert_eq!(Management::new(0x50), None);
    assert_eq!(Management::new(0x7e).unwrap().name(), None);
    assert_eq!(Management::QUERY_ID.response(true), ApduKind::Application(0x21));
    assert_eq!(Management::READ_MEMORY.response(false), ApduKind::Application(0x0d));
    assert_eq!(Diagnostic::QUERY_STATUS.response(true), ApduKind::Application(0x31));
    assert_eq!(Diagnostic::QUERY_TRANSCEIVER.response(false), ApduKind::Application(0x14));
    let pin = ServicePin { unique_id: [1, 2, 3, 4, 5, 6], program_id: *b"PROGID01" };
    assert_eq!(ServicePin::parse(&pin.emit()), Some(pin));
    assert_eq!(ServicePin::parse(&[0; 13]), None);
}

#[test]
fn a_member_list_extends_to_its_highest_member() {
    let lengths = [0, 7, 8, 15, 16, 63].map(|member| Members::from_iter([member]).list_length());
    assert_eq!(lengths, [1, 1, 2, 2, 3, 8]);
    assert_eq!(Members::NONE.list_length(), 0);
    let mut members = Members::NONE;
    assert!(members.insert(3) && !members.insert(3) && !members.insert(64));
    assert_eq!((members.count(), members.contains(3), members.contains(64)), (1, true, false));
}

fn domain() -> impl Strategy<Value = Domain> {
    (prop::sample::select(vec![0usize, 1, 3, 6]), any::<[u8; 6]>())
        .prop_map(|(length, id)| Domain::new(&id[..length]).unwrap())
}

fn node() -> impl Strategy<Value = SubnetNode> {
    (any::<u8>(), 0u8..128).prop_map(|(subnet, node)| SubnetNode::new(subnet, node))
}

fn destination() -> impl Strategy<Value = Destination> {
    prop_oneof![
        any::<u8>().prop_map(|subnet| Destination::Broadcast { subnet }),
        any::<u8>().prop_map(|group| Destination::Group { group }),
        node().prop_map(Destination::Node),
        (node(), any::<u8>(), 0u8..64).prop_map(|(node, group, member)| Destination::GroupAcknowledgement {
            node,
            group,
            member
        }),
        (any::<u8>(), any::<[u8; 6]>()).prop_map(|(subnet, id)| Destination::UniqueId { subnet, id }),
    ]
}

fn apdu() -> impl Strategy<Value = Apdu<Vec<u8>>> {
    let long = || prop::collection::vec(any::<u8>(), 0..=EXPLICIT_LIMIT);
    let short = prop::collection::vec(any::<u8>(), 0..=NETWORK_VARIABLE_LIMIT);
    let direction = prop::sample::select(vec![Direction::ToInput, Direction::ToOutput]);
    prop_oneof![
        (0u8..0x40, long()).prop_map(|(code, data)| Apdu::explicit(code, data)),
        (0u8..0x10, long()).prop_map(|(code, data)| Apdu { kind: ApduKind::Foreign(code), data }),
        (0x50u8..0x60, long())
            .prop_map(|(code, data)| Apdu { kind: ApduKind::Diagnostic(Diagnostic::new(code).unwrap()), data }),
        (0x60u8..0x80, long())
            .prop_map(|(code, data)| Apdu { kind: ApduKind::Management(Management::new(code).unwrap()), data }),
        (direction, 0u16..0x4000, short).prop_map(|(direction, selector, data)| Apdu {
            kind: ApduKind::NetworkVariable { direction, selector },
            data
        }),
    ]
}

fn body() -> impl Strategy<Value = Body<Vec<u8>>> {
    let numbering =
        || (any::<bool>(), 0u8..16).prop_map(|(authenticated, transaction)| Numbering { authenticated, transaction });
    let few = || (0u64..0x1_0000).prop_map(Members::from_bits);
    let many = || any::<u64>().prop_map(Members::from_bits);
    let original = prop_oneof![
        Just(OriginalFormat::Broadcast),
        any::<u8>().prop_map(OriginalFormat::Group),
        Just(OriginalFormat::Node),
        Just(OriginalFormat::UniqueId),
    ];
    let kind = prop::sample::select(vec![AuthKind::Challenge, AuthKind::Reply]);
    prop_oneof![
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Transport(n, Tpdu::Acknowledged(apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Transport(n, Tpdu::Repeated(apdu))),
        numbering().prop_map(|n| Body::Transport(n, Tpdu::Acknowledgement)),
        (numbering(), many()).prop_map(|(n, members)| Body::Transport(n, Tpdu::Reminder(members))),
        (numbering(), few(), apdu()).prop_map(|(n, m, apdu)| Body::Transport(n, Tpdu::ReminderMessage(m, apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Session(n, Spdu::Request(apdu))),
        (numbering(), apdu()).prop_map(|(n, apdu)| Body::Session(n, Spdu::Response(apdu))),
        (numbering(), many()).prop_map(|(n, members)| Body::Session(n, Spdu::Reminder(members))),
        (numbering(), few(), apdu()).prop_map(|(n, m, apdu)| Body::Session(n, Spdu::ReminderMessage(m, apdu))),
        (original, 0u8..16, kind, any::<[u8; 8]>()).prop_map(|(original, transaction, kind, value)| {
            Body::Authentication(AuthPdu { original, transaction, kind, value })
        }),
        apdu().prop_map(Body::Application),
    ]
}

fn packet() -> impl Strategy<Value = Packet<Vec<u8>>> {
    let link = (any::<bool>(), any::<bool>(), 0u8..64).prop_map(|(priority, alternate_path, delta_backlog)| Link {
        priority,
        alternate_path,
        delta_backlog,
    });
    (link, domain(), node(), destination(), body()).prop_map(|(link, domain, source, destination, body)| Packet {
        link,
        domain,
        source,
        destination,
        body,
    })
}

proptest! {
    #[test]
    fn any_packet_survives_a_round_trip(packet in packet()) {
        let written = packet.to_bytes().unwrap();
        prop_assert_eq!(written.len(), packet.length());
        let read = Packet::parse(&written).unwrap().map(<[u8]>::to_vec);
        prop_assert_eq!(read, packet);
    }

    #[test]
    fn any_bytes_parse_to_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::lpdu(&bytes);
        fuzz::lonip(&bytes);
    }

    #[test]
    fn a_packet_with_bytes_changed_parses_to_a_packet_or_an_error(
        packet in packet(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = packet.to_bytes().unwrap();
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        fuzz::lpdu(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        fuzz::lpdu(&bytes);
    }

    #[test]
    fn a_single_bit_error_is_always_detected(packet in packet(), bit in any::<prop::sample::Index>()) {
        let mut bytes = packet.to_bytes().unwrap();
        let bit = bit.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let is_crc_error = matches!(Packet::parse(&bytes), Err(ParseError::Crc { .. }));
        prop_assert!(is_crc_error);
    }

    #[test]
    fn generated_user_data_gives_packets_of_the_same_size_as_real_bytes(packet in packet(), stream: u32, offset: u32) {
        let generated = packet.clone().map(|data| StreamRange { stream, offset, length: data.length() as u16 });
        prop_assert_eq!(generated.to_bytes().unwrap().len(), packet.length());
        prop_assert_eq!(generated.length(), packet.length());
    }
}
