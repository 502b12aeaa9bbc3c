//! One packet of every format, for tests and demonstrations.

use super::{
    Address, Body, Code, Control, Diagnostic, Header, Key, Options, Packet, Service, Span, Specification, Traffic,
    Value,
};

type Example = (&'static str, Packet<&'static [u8]>);

const KEY: Key = Key(0x0000_0001_0000_0002);
const ADDRESS: Address = Address::ipv4(([10, 0, 0, 1], 4001), ([10, 0, 0, 2], 4002));
const RATES: Traffic = Traffic {
    service: Service::ReliableUnicastStream,
    specification: Specification::Rates {
        max_data: 4096,
        in_rate: u32::MAX,
        in_burst: u32::MAX,
        out_rate: 1_250_000,
        out_burst: 65_536,
    },
};
const PLAIN: Traffic =
    Traffic { service: Service::AcknowledgedDatagram, specification: Specification::Plain(0x0102_0304) };
const REPORT: Control = Control { rseq: 1000, alloc: 66_536, echo: 7 };

/// One packet of every format and variant, each with a name.
pub fn examples() -> Vec<Example> {
    [opening(), data(), reports(), diagnostics()].concat()
}

fn opening() -> Vec<Example> {
    let first = |address, traffic, data: &'static [u8]| Body::First { address, traffic, data };
    let multicast = Options::SREQ | Options::MULTI | Options::SORT;
    let group = Address::ipv4(([10, 0, 0, 1], 4001), ([239, 192, 0, 7], 4002));
    vec![
        ("FIRST", packet(Options::SREQ, 0, first(ADDRESS, RATES, b""))),
        ("FIRST with data", packet(Options::SREQ | Options::EOM, 0, first(ADDRESS, RATES, b"good morning"))),
        ("FIRST with plain traffic", packet(Options::NOERR, 0, first(ADDRESS, PLAIN, b"datagram"))),
        ("FIRST to a group", packet(multicast, 0, first(group, RATES, b"all"))),
        ("FIRST without address", packet(Options::SREQ, 0, first(Address::NULL, PLAIN, b"x"))),
    ]
}

fn data() -> Vec<Example> {
    let body = |data: &'static [u8]| Body::Data { tag: None, data };
    let tagged = Body::Data { tag: Some(*b"tag 0001"), data: &b"after the tag"[..] };
    vec![
        ("DATA", packet(Options::NONE, 12, body(b"one two three"))),
        ("DATA of odd length", packet(Options::SREQ | Options::EOM, 25, body(b"odd"))),
        ("DATA with a tag", packet(Options::BTAG | Options::DREQ, 28, tagged)),
        ("DATA with its header alone checked", packet(Options::NOCHECK | Options::EDGE, 41, body(b"unchecked"))),
        ("DATA that closes", packet(Options::WCLOSE | Options::SREQ, 50, body(b"last"))),
    ]
}

fn reports() -> Vec<Example> {
    let spans = vec![Span { left: 2000, right: 3000 }, Span { left: 4000, right: 5000 }];
    let closing = Options::RCLOSE | Options::WCLOSE;
    let xkey = Key(0x4000_0001_0000_0005);
    let traffic = Body::TrafficControl { control: REPORT, xkey, traffic: RATES };
    let join = Body::JoinControl { control: REPORT, xkey, address: ADDRESS, traffic: RATES };
    vec![
        ("CNTL", answer(Options::NONE, Body::Control(REPORT))),
        ("CNTL that closes", answer(closing, Body::Control(REPORT))),
        ("CNTL that ends", answer(closing | Options::END, Body::Control(REPORT))),
        ("ECNTL", answer(Options::NONE, Body::ErrorControl(REPORT, spans))),
        ("ECNTL without spans", answer(Options::FASTNAK, Body::ErrorControl(REPORT, vec![]))),
        ("TCNTL", answer(Options::NONE, traffic)),
        ("JCNTL", answer(Options::MULTI, join)),
    ]
}

fn diagnostics() -> Vec<Example> {
    let unknown = Diagnostic::new(Code::InvalidContext, Value::Unspecified);
    let refused = Diagnostic { text: b"no listener".to_vec(), ..Diagnostic::new(Code::Refused, Value::NoListener) };
    vec![
        ("DIAG", answer(Options::NONE, Body::Diagnostic(unknown))),
        ("DIAG with a text", answer(Options::NONE, Body::Diagnostic(refused))),
    ]
}

fn packet(options: Options, seq: u64, body: Body<&'static [u8]>) -> Packet<&'static [u8]> {
    let sort = if options.contains(Options::SORT) { 3 } else { 0 };
    Packet { header: Header { key: KEY, options, sort, sync: 7, seq }, body }
}

fn answer(options: Options, body: Body<&'static [u8]>) -> Packet<&'static [u8]> {
    Packet { header: Header { key: KEY.returned(), options, sort: 0, sync: 3, seq: 0 }, body }
}
