//! One frame of every type, for tests and demonstrations.

use super::{
    Address, Addressing, Body, Classes, Digipeaters, Frame, FrameReject, Functions, Modulo, Pid, Reasons, Role,
    SequenceSet, Supervisory, Xid,
};

type Example = (&'static str, Frame<&'static [u8]>);

/// One frame of every type, each with a name. I and S frames are modulo 8 unless the name states otherwise.
pub fn examples() -> Vec<Example> {
    [link(), information(), supervisory(), unnumbered()].concat()
}

fn link() -> Vec<Example> {
    vec![
        ("SABM", command(true, Body::Sabm)),
        ("SABME", command(true, Body::Sabme)),
        ("DISC", command(true, Body::Disc)),
        ("UA", response(true, Body::Ua)),
        ("DM", response(true, Body::Dm)),
        ("FRMR", response(true, Body::Frmr(Some(rejected())))),
        (
            "FRMR modulo 128",
            response(true, Body::Frmr(Some(FrameReject { modulo: Modulo::OneHundredTwentyEight, ..rejected() }))),
        ),
        ("FRMR without a reason", response(false, Body::Frmr(None))),
    ]
}

fn information() -> Vec<Example> {
    let data: &[u8] = b"test";
    let i = |modulo, send, receive, pid| Body::I { modulo, n_s: send, n_r: receive, pid, data };
    let digipeaters = Digipeaters::new(&[address("DIGI1", 0), address("DIGI2", 9)]).unwrap_or_default().advanced();
    let far = command(false, i(Modulo::Eight, 0, 0, Pid::NETROM));
    vec![
        ("I", command(false, i(Modulo::Eight, 3, 5, Pid::NONE))),
        ("I with P, modulo 128", command(true, i(Modulo::OneHundredTwentyEight, 100, 27, Pid::X25))),
        (
            "I repeated by the first digipeater",
            Frame { addressing: Addressing { digipeaters, ..far.addressing }, ..far },
        ),
        (
            "I of a version before 2.0",
            Frame { addressing: Addressing { role: Role::PreV2 { bits: false }, ..far.addressing }, ..far },
        ),
    ]
}

fn supervisory() -> Vec<Example> {
    let s = |modulo, kind, receive, further: &[u8]| {
        let mut set = SequenceSet::NONE;
        further.iter().for_each(|number| set.insert(*number));
        Body::S { modulo, kind, n_r: receive, further: set }
    };
    vec![
        ("RR", response(false, s(Modulo::Eight, Supervisory::Rr, 1, &[]))),
        ("RR with P", command(true, s(Modulo::Eight, Supervisory::Rr, 4, &[]))),
        ("RNR", response(true, s(Modulo::Eight, Supervisory::Rnr, 2, &[]))),
        ("REJ", response(false, s(Modulo::Eight, Supervisory::Rej, 6, &[]))),
        ("SREJ", response(false, s(Modulo::Eight, Supervisory::Srej, 6, &[]))),
        ("SREJ of several frames", response(true, s(Modulo::Eight, Supervisory::Srej, 6, &[7, 1]))),
        ("RR modulo 128", response(true, s(Modulo::OneHundredTwentyEight, Supervisory::Rr, 64, &[]))),
        (
            "SREJ of several frames modulo 128",
            response(false, s(Modulo::OneHundredTwentyEight, Supervisory::Srej, 126, &[127, 0, 5])),
        ),
    ]
}

fn unnumbered() -> Vec<Example> {
    let xid = Xid {
        classes: Some(Classes::HalfDuplex),
        functions: Some(
            Functions::ALWAYS.with(Functions::REJECT).with(Functions::SELECTIVE_REJECT).with(Functions::MODULO_128),
        ),
        n1: Some(256),
        k: Some(32),
        t1_ms: Some(3000),
        n2: Some(10),
    };
    let beacon = command(false, Body::Ui { pid: Pid::NONE, data: &b"a beacon"[..] });
    vec![
        ("UI", beacon),
        ("XID", command(true, Body::Xid(xid))),
        ("XID without parameters", response(true, Body::Xid(Xid::default()))),
        ("TEST", command(true, Body::Test(b"echo"))),
    ]
}

fn rejected() -> FrameReject {
    let reasons = Reasons { invalid_n_r: true, ..Reasons::default() };
    FrameReject { modulo: Modulo::Eight, control: 0x71, v_r: 2, v_s: 1, response: true, reasons }
}

fn address(callsign: &str, ssid: u8) -> Address {
    Address::new(callsign, ssid).unwrap_or(Address::BLANK)
}

fn command(poll_final: bool, body: Body<&'static [u8]>) -> Frame<&'static [u8]> {
    let addressing = Addressing::new(address("PING", 2), address("PONG", 1), Digipeaters::NONE, Role::Command);
    Frame { addressing, poll_final, body }
}

fn response(poll_final: bool, body: Body<&'static [u8]>) -> Frame<&'static [u8]> {
    let addressing = Addressing::new(address("PONG", 1), address("PING", 2), Digipeaters::NONE, Role::Response);
    Frame { addressing, poll_final, body }
}
