//! One packet of every service and PDU type, for tests and demonstrations.

use super::{
    Apdu, ApduKind, AuthKind, AuthPdu, Body, Destination, Diagnostic, Direction, Domain, Link, Management, Members,
    Numbering, OriginalFormat, Packet, Spdu, SubnetNode, Tpdu,
};

type Example = (&'static str, Packet<&'static [u8]>);

const FIRST: SubnetNode = SubnetNode::new(1, 5);
const SECOND: SubnetNode = SubnetNode::new(1, 6);
const GROUP: Destination = Destination::Group { group: 7 };
const UPDATE: Apdu<&[u8]> = Apdu::update(1, &[0x55]);
const CHALLENGE: [u8; 8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
const REPLY: [u8; 8] = [0x45, 0xe9, 0xb0, 0x24, 0x2c, 0x01, 0x8c, 0xd2];

/// One packet of every service and PDU type, each with a name.
pub fn examples() -> Vec<Example> {
    [unacknowledged(), transport(), session(), authentication()].concat()
}

fn unacknowledged() -> Vec<Example> {
    let unit = |body| from(FIRST, Destination::Node(SECOND), 0, Body::Application(body));
    let service_pin = Apdu {
        kind: ApduKind::Management(Management::SERVICE_PIN),
        data: &[1, 2, 3, 4, 5, 6, 0x50, 0x52, 0x4f, 0x47, 0x49, 0x44, 0x30, 0x31][..],
    };
    let everyone = Destination::Broadcast { subnet: 0 };
    vec![
        ("unacknowledged update", in_domain(&[0x2a], unit(UPDATE))),
        ("unacknowledged explicit message", unit(Apdu::explicit(0x21, &[1, 2, 3]))),
        ("foreign frame", unit(Apdu { kind: ApduKind::Foreign(3), data: &[0xde, 0xad] })),
        ("service pin", from(SubnetNode::new(0, 0), everyone, 0, Body::Application(service_pin))),
    ]
}

fn transport() -> Vec<Example> {
    let to_group = |delta, number, pdu| from(FIRST, GROUP, delta, Body::Transport(plain(number), pdu));
    let answer = Destination::GroupAcknowledgement { node: FIRST, group: 7, member: 1 };
    let acknowledgement = |number, to| from(SECOND, to, 0, Body::Transport(plain(number), Tpdu::Acknowledgement));
    let authenticated = Numbering { authenticated: true, transaction: 5 };
    let to_domain =
        from(FIRST, Destination::Broadcast { subnet: 0 }, 3, Body::Transport(plain(8), Tpdu::Repeated(UPDATE)));
    vec![
        ("acknowledged update to a group", to_group(1, 3, Tpdu::Acknowledged(UPDATE))),
        ("group acknowledgement", acknowledgement(3, answer)),
        ("unicast acknowledgement", acknowledgement(3, Destination::Node(FIRST))),
        ("reminder with message", to_group(1, 6, Tpdu::ReminderMessage(Members::from_bits(0x02), UPDATE))),
        ("reminder", to_group(0, 7, Tpdu::Reminder(Members::from_bits(0x08_04_02)))),
        ("repeated update to a domain", in_domain(&[0xa1, 0xa2, 0xa3], to_domain)),
        (
            "authenticated update",
            from(FIRST, Destination::Node(SECOND), 1, Body::Transport(authenticated, Tpdu::Acknowledged(UPDATE))),
        ),
    ]
}

fn session() -> Vec<Example> {
    let mut request = from(
        FIRST,
        Destination::Node(SECOND),
        1,
        Body::Session(plain(4), Spdu::Request(Apdu::explicit(0x12, &[0xaa, 0xbb]))),
    );
    request.link.priority = true;
    let response = Body::Session(plain(4), Spdu::Response(Apdu::explicit(0, &[0xcc][..])));
    let to_node = |apdu| from(FIRST, Destination::Node(SECOND), 1, Body::Session(plain(9), Spdu::Request(apdu)));
    let poll = Apdu { kind: ApduKind::NetworkVariable { direction: Direction::ToOutput, selector: 2 }, data: &[][..] };
    let status = Apdu { kind: ApduKind::Diagnostic(Diagnostic::QUERY_STATUS), data: &[][..] };
    let query = Apdu { kind: ApduKind::Management(Management::QUERY_ID), data: &[0][..] };
    let by_id = from(
        FIRST,
        Destination::UniqueId { subnet: 1, id: [0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f] },
        1,
        Body::Session(plain(9), Spdu::Request(query)),
    );
    let reminder = Spdu::Reminder(Members::from_bits(1 << 40));
    let again = Spdu::ReminderMessage(Members::NONE, poll);
    vec![
        ("request with priority", request),
        ("response", from(SECOND, Destination::Node(FIRST), 0, response)),
        ("poll", to_node(poll)),
        ("query status", to_node(status)),
        ("query by unique id", in_domain(&[0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6], by_id)),
        ("session reminder", from(FIRST, GROUP, 0, Body::Session(plain(9), reminder))),
        ("session reminder with message", from(FIRST, GROUP, 2, Body::Session(plain(9), again))),
    ]
}

fn authentication() -> Vec<Example> {
    let pdu = |original, kind, value| Body::Authentication(AuthPdu { original, transaction: 5, kind, value });
    let answer = Destination::GroupAcknowledgement { node: FIRST, group: 7, member: 1 };
    let group = OriginalFormat::Group(7);
    let challenge = |to, original| from(SECOND, to, 0, pdu(original, AuthKind::Challenge, CHALLENGE));
    let reply = |original| from(FIRST, Destination::Node(SECOND), 0, pdu(original, AuthKind::Reply, REPLY));
    vec![
        ("challenge", challenge(Destination::Node(FIRST), OriginalFormat::Node)),
        ("challenge to a group message", challenge(answer, group)),
        ("reply", reply(OriginalFormat::Node)),
        ("reply about a group message", reply(group)),
    ]
}

fn plain(transaction: u8) -> Numbering {
    Numbering { authenticated: false, transaction }
}

fn from(
    source: SubnetNode,
    destination: Destination,
    delta_backlog: u8,
    body: Body<&'static [u8]>,
) -> Packet<&'static [u8]> {
    Packet { link: Link { delta_backlog, ..Link::default() }, domain: Domain::NONE, source, destination, body }
}

fn in_domain(id: &[u8], packet: Packet<&'static [u8]>) -> Packet<&'static [u8]> {
    Packet { domain: Domain::new(id).unwrap_or_default(), ..packet }
}
