//! A message whose header goes on in the next segment is the same message, of every application over TCP.

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::wire::{NO_TOKEN, Packet, Pdu};
use sojourn_protocols::tcp::wire::Header;

use super::script::{Line, Script, data, syn, syn_ack};

/// A connection to a port: messages of the client (`true`) and the server, and the milliseconds after which its requests are
/// answered, in the order of their answers; one message is sent every hundred.
struct Dialogue {
    port: u16,
    messages: Vec<(bool, Vec<u8>)>,
    answered: Vec<u64>,
}

impl Dialogue {
    /// The packets of the connection; `cut` says whether a segment ends after an octet of a message.
    fn script(&self, cut: impl Fn(usize, usize) -> bool) -> Script {
        let mut script = Script::default();
        let headers = [syn(100).0, syn_ack(500, 101).0, data(101, 501, 0).0];
        for (place, header) in headers.into_iter().enumerate() {
            script.segment(place as u64, place != 1, self.port, header, &[]);
        }
        let mut next = [101_u32, 501];
        for (number, (forward, octets)) in self.messages.iter().enumerate() {
            let milliseconds = 100 * (number as u64 + 1);
            let own = usize::from(!forward);
            let mut begin = 0;
            for end in (1..=octets.len()).filter(|end| *end == octets.len() || cut(number, *end)) {
                let header = Header { seq: next[own], ack: Some(next[1 - own]), window: 10_000, ..Header::default() };
                script.segment(milliseconds, *forward, self.port, header, &octets[begin..end]);
                next[own] += (end - begin) as u32;
                begin = end;
            }
        }
        script
    }

    fn lines(&self, cut: impl Fn(usize, usize) -> bool) -> (Vec<Line>, usize) {
        let report = self.script(cut).report(100 * (self.messages.len() as u64 + 2));
        (report.transactions(), report.complete().len())
    }
}

fn dialogue(port: u16, messages: &[(bool, &[u8])], answered: &[u64]) -> Dialogue {
    let messages = messages.iter().map(|(forward, octets)| (*forward, octets.to_vec())).collect();
    Dialogue { port, messages, answered: answered.to_vec() }
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Behind a length of four octets.
fn counted(octets: &[u8]) -> Vec<u8> {
    joined(&[&(octets.len() as u32).to_be_bytes(), octets])
}

fn dns() -> Dialogue {
    let message =
        |id: u8, flags: u8| joined(&[&[0, 19, 0, id, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1], b"a", &[0, 0, 1, 0, 1]]);
    let both = |flags, ids: [u8; 2]| joined(&ids.map(|id| message(id, flags)).each_ref().map(Vec::as_slice));
    dialogue(53, &[(true, &both(1, [7, 8])), (false, &both(0x81, [8, 7]))], &[100, 100])
}

fn http() -> Dialogue {
    let messages: [(bool, &[u8]); 4] = [
        (true, b"GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"),
        (
            false,
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcdHTTP/1.1 204 OK\r\n\r\n",
        ),
        (true, b"REPORT /c HTTP/1.1\r\n\r\n"),
        (false, b"HTTP/1.1 304 Not Modified\r\nDate: now\r\n\r\n"),
    ];
    dialogue(80, &messages, &[100, 100, 100])
}

fn sip() -> Dialogue {
    let message = |start: &str| {
        let fields =
            "Via: SIP/2.0/TCP a;branch=z9hG4bK1\r\nCall-ID: 7@a\r\nCSeq: 1 OPTIONS\r\nContent-Length: 2\r\n\r\nab";
        format!("\r\n{start}\r\n{fields}").into_bytes()
    };
    dialogue(5060, &[(true, &message("OPTIONS sip:b SIP/2.0")), (false, &message("SIP/2.0 200 OK"))], &[100])
}

fn rpc() -> Dialogue {
    let call = |xid: u8| {
        let words = [u32::from(xid), 0, 2, 100_003, 3, 1, 0, 0, 0, 0];
        joined(&[&(1_u32 << 31 | 40).to_be_bytes(), &words.map(u32::to_be_bytes).concat()])
    };
    let reply = |xid: u8| {
        let words = [u32::from(xid), 1, 0, 0, 0, 0];
        joined(&[&(1_u32 << 31 | 24).to_be_bytes(), &words.map(u32::to_be_bytes).concat()])
    };
    dialogue(2049, &[(true, &joined(&[&call(1), &call(2)])), (false, &joined(&[&reply(2), &reply(1)]))], &[100, 100])
}

fn smb() -> Dialogue {
    let message = |flags: u8, id: u8, next: u8| {
        let mut message = joined(&[b"\xfeSMB", &[64, 0], &[0; 58], &[4, 0, 0, 0, 0, 0, 0, 0]]);
        (message[12], message[16], message[20], message[24]) = (0x0d, flags, next, id);
        message
    };
    let compound = |flags| counted(&joined(&[&message(flags, 3, 72), &message(flags, 4, 72), &message(flags, 5, 0)]));
    let old = |flags: u8| {
        let mut message = joined(&[b"\xffSMB", &[0x73], &[0; 30]]);
        (message[9], message[30]) = (flags, 9);
        counted(&message)
    };
    let messages: [(bool, &[u8]); 4] =
        [(true, &compound(0)), (false, &compound(1)), (true, &old(0)), (false, &old(0x80))];
    dialogue(445, &messages, &[100, 100, 100, 100])
}

fn modbus() -> Dialogue {
    let message = |id: u8, function: u8, length: usize| {
        let [high, low] = (length as u16).to_be_bytes();
        joined(&[&[0, id, 0, 0, high, low, 1, function], &vec![0; length - 2]])
    };
    let messages: [(bool, &[u8]); 4] = [
        (true, &joined(&[&message(1, 3, 6), &message(2, 3, 6)])),
        (false, &joined(&[&message(2, 3, 5), &message(1, 3, 5)])),
        (true, &message(3, 90, 300)),
        (false, &message(3, 90, 700)),
    ];
    dialogue(502, &messages, &[100, 100, 100])
}

fn ldap() -> Dialogue {
    let message = |id: u8, operation: u8| [0x30, 5, 2, 1, id, operation, 0];
    // wrap tokens of RFC 4121, 4.2.6.2: the server's with the checksum rotated to the front
    let wrap = |flags: u8, rotated: u8, contents: &[&[u8]]| {
        counted(&joined(&[&[5, 4, flags, 0xff, 0, 12, 0, rotated, 0, 0, 0, 0, 0, 0, 0, 1], &joined(contents)]))
    };
    let checksum = [7; 12];
    let messages: [(bool, &[u8]); 6] = [
        (true, &[0x30, 0x84, 0, 0, 0, 5, 2, 1, 1, 0x60, 0]),
        (false, &message(1, 0x61)),
        (true, &wrap(0, 0, &[&message(2, 0x63), &checksum])),
        (false, &wrap(1, 12, &[&checksum, &message(2, 0x64), &message(2, 0x65)])),
        (true, &wrap(0, 0, &[&message(3, 0x66), &checksum])),
        (false, &wrap(1, 12, &[&checksum, &message(3, 0x67)])),
    ];
    dialogue(389, &messages, &[100, 100, 100])
}

fn mqtt() -> Dialogue {
    let topic = [b't'; 130];
    let publish = joined(&[&[0x32, 0x87, 1, 0, 130], &topic, &[0, 9, b'o']]);
    let messages: [(bool, &[u8]); 4] =
        [(true, &[0x10, 2, 0, 0]), (false, &[0x20, 2, 0, 0]), (true, &publish), (false, &[0x40, 2, 0, 9])];
    dialogue(1883, &messages, &[100, 100])
}

fn kafka() -> Dialogue {
    let request =
        |interface: u8, id: u8, rest: &[u8]| counted(&joined(&[&[0, interface, 0, 0, 0, 0, 0, id, 0, 1, b'c'], rest]));
    // of two that are produced one wants no acknowledgement
    let asked =
        joined(&[&request(0, 1, &[0, 0, 0, 0, 0, 9]), &request(0, 2, &[0, 1, 0, 0, 0, 9]), &request(1, 3, &[])]);
    let answered = joined(&[&counted(&[0, 0, 0, 2, 0, 0]), &counted(&[0, 0, 0, 3])]);
    dialogue(9092, &[(true, &asked), (false, &answered)], &[100, 100])
}

fn postgresql() -> Dialogue {
    let message = |kind: u8, contents: &[u8]| joined(&[&[kind], &(contents.len() as u32 + 4).to_be_bytes(), contents]);
    let messages: [(bool, &[u8]); 6] = [
        (true, &[0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f]),
        (false, b"N"),
        (true, &[0, 0, 0, 9, 0, 3, 0, 0, 0]),
        (false, &joined(&[&message(b'R', &[0; 4]), &message(b'S', b"a\0b\0"), &message(b'Z', b"I")])),
        (true, &message(b'Q', b"SELECT 1\0")),
        (false, &joined(&[&message(b'D', b"1"), &message(b'C', b"SELECT\0"), &message(b'Z', b"I")])),
    ];
    dialogue(5432, &messages, &[100, 100, 100])
}

fn mysql() -> Dialogue {
    let packet = |sequence: u8, contents: &[u8]| joined(&[&[contents.len() as u8, 0, 0, sequence], contents]);
    let messages: [(bool, &[u8]); 5] = [
        (false, &packet(0, b"\x0a8.0\0")),
        (true, &packet(1, b"login")),
        (false, &packet(2, &[0, 0, 0])),
        (true, &packet(0, b"\x03SELECT 1")),
        (false, &joined(&[&packet(1, &[1]), &packet(2, b"column"), &packet(3, b"row"), &packet(4, &[0xfe, 0, 0])])),
    ];
    dialogue(3306, &messages, &[100])
}

fn s7() -> Dialogue {
    let message = |kind: u8, reference: u8| {
        let pdu = [0x32, kind, 0, 0, 0, reference, 0, 2, 0, 0, 0xf0, 0];
        joined(&[&[3, 0, 0, 4 + 3 + 12, 2, 0xf0, 0x80], &pdu])
    };
    let user = |direction: u8| {
        let pdu = [0x32, 7, 0, 0, 0, 9, 0, 8, 0, 4, 0, 1, 0x12, 4, 0x11, direction, 1, 0, 0xa, 0, 0, 0];
        joined(&[&[3, 0, 0, 4 + 3 + 22, 2, 0xf0, 0x80], &pdu])
    };
    let asked = joined(&[&message(1, 5), &message(1, 6), &user(0x44)]);
    dialogue(102, &[(true, &asked), (false, &joined(&[&message(3, 6), &user(0x84), &message(3, 5)]))], &[100; 3])
}

fn iec104() -> Dialogue {
    let command = |kind, cause| [0x68, 14, 0, 0, 0, 0, kind, 1, cause, 0, 1, 0, 0, 0, 0, 20];
    let asked = joined(&[&[0x68, 4, 0x43, 0, 0, 0], &command(100, 6), &command(103, 6)]);
    let answered = joined(&[&[0x68, 4, 0x83, 0, 0, 0], &command(103, 7), &command(13, 3), &command(100, 7)]);
    dialogue(2404, &[(true, &asked), (false, &answered)], &[100, 100])
}

fn dnp3() -> Dialogue {
    let frame = |from_master: bool, sequence: u8, function: u8| {
        let (control, to, from) = if from_master { (0xc4, 10, 1) } else { (0x44, 1, 10) };
        [5, 0x64, 8, control, to, 0, from, 0, 0, 0, 0xc0, 0xc0 | sequence, function, 0, 0]
    };
    let asked = joined(&[&frame(true, 1, 1), &frame(true, 2, 1)]);
    dialogue(20_000, &[(true, &asked), (false, &joined(&[&frame(false, 1, 129), &frame(false, 2, 129)]))], &[100, 100])
}

fn enip() -> Dialogue {
    let packet = |command: u8, context: u8, data: &[u8]| {
        let header = [command, 0, data.len() as u8, 0, 7, 0, 0, 0, 0, 0, 0, 0, context];
        joined(&[&header, &[0; 11], data])
    };
    let unconnected = |service: u8| [0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0xb2, 0, 2, 0, service, 0];
    let connected = |service: u8| [0, 0, 0, 0, 0, 0, 2, 0, 0xa1, 0, 4, 0, 1, 0, 0, 0, 0xb1, 0, 4, 0, 9, 0, service, 0];
    let asked = joined(&[
        &packet(0x65, 0, &[1, 0, 0, 0]),
        &packet(0x6f, 5, &unconnected(0x4c)),
        &packet(0x70, 0, &connected(0x4d)),
    ]);
    let answered = joined(&[
        &packet(0x70, 0, &connected(0xcd)),
        &packet(0x6f, 5, &unconnected(0xcc)),
        &packet(0x65, 0, &[1, 0, 0, 0]),
    ]);
    dialogue(44_818, &[(true, &asked), (false, &answered)], &[100; 3])
}

fn opcua() -> Dialogue {
    let chunk =
        |kind: &[u8], contents: &[u8]| joined(&[kind, b"F", &(contents.len() as u32 + 8).to_le_bytes(), contents]);
    // channel, token, sequence, request, type of the body
    let message = |request: u8, kind: u16| {
        let [low, high] = kind.to_le_bytes();
        chunk(b"MSG", &[1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, request, 0, 0, 0, 1, 0, low, high])
    };
    // channel, policy, no certificates, sequence, request, type of the body
    let open = |kind: u16| {
        let [low, high] = kind.to_le_bytes();
        let policy = joined(&[&[0, 0, 0, 0, 4, 0, 0, 0], b"None", &[0xff; 8]]);
        chunk(b"OPN", &joined(&[&policy, &[1, 0, 0, 0, 3, 0, 0, 0, 1, 0, low, high]]))
    };
    let messages: [(bool, &[u8]); 6] = [
        (true, &chunk(b"HEL", &[0; 24])),
        (false, &chunk(b"ACK", &[0; 20])),
        (true, &open(446)),
        (false, &open(449)),
        (true, &joined(&[&message(8, 631), &message(9, 673)])),
        (false, &joined(&[&message(9, 676), &message(8, 634)])),
    ];
    dialogue(4840, &messages, &[100; 4])
}

fn measurement() -> Dialogue {
    let packet = |sequence, pdu| {
        let mut octets = Vec::new();
        Packet { token: NO_TOKEN, sequence, pdu }.emit(&Key::new(b""), 64, &mut octets);
        octets
    };
    let probe = |sequence| packet(sequence, Pdu::Probe { sent_ns: 0, phase: 0 });
    let asked = joined(&[&probe(5), &probe(6)]);
    dialogue(sojourn_protocols::probe::DEFAULT_PORT, &[(true, &asked)], &[])
}

#[test]
fn a_header_in_several_segments_is_read_as_one_in_one_segment() {
    let all = [
        dns(),
        http(),
        sip(),
        rpc(),
        smb(),
        modbus(),
        ldap(),
        mqtt(),
        kafka(),
        postgresql(),
        mysql(),
        s7(),
        iec104(),
        dnp3(),
        enip(),
        opcua(),
        measurement(),
    ];
    for dialogue in all {
        let whole = dialogue.lines(|_, _| false);
        let times: Vec<u64> = whole.0.iter().filter_map(|(_, _, time, _)| *time).collect();
        assert_eq!(times, dialogue.answered, "port {}", dialogue.port);
        assert!(!whole.0.is_empty(), "port {}", dialogue.port);
        for (message, (_, octets)) in dialogue.messages.iter().enumerate() {
            for end in 1..octets.len() {
                let found = dialogue.lines(|of, at| (of, at) == (message, end));
                assert_eq!(found, whole, "port {}, message {message}, {end} octets", dialogue.port);
            }
        }
        assert_eq!(dialogue.lines(|_, _| true), whole, "port {}, each octet by itself", dialogue.port);
    }
}
