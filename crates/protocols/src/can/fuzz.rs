//! Properties that hold for arbitrary bytes; called by the fuzz targets and by the tests over their corpora.

use sojourn_core::{Duration, Machine, Time};

use super::canopen::{Client, ClientInput, Object, Sdo, Server};
use super::frame::{Content, Length};
use super::isotp::{self, Pdu};
use super::j1939::{self, Control, DataTransfer};
use super::log::{Line, Logged};
use crate::Bytes;

/// Most outputs that one input may cause.
const OUTPUTS: usize = 8;

/// Parses lines of candump; one that is a frame is written and read as the same.
pub fn candump(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for line in text.lines() {
        let Ok(read) = Line::parse(line) else { continue };
        let written = read.to_string();
        assert_eq!(Line::parse(&written).as_ref(), Ok(&read), "{written}");
    }
}

/// Parses a record of a SocketCAN capture; a frame is written and read as the same, and is no longer than the longest.
pub fn socketcan(bytes: &[u8]) {
    let Ok(read) = Logged::parse(bytes) else { return };
    let mut record = Vec::new();
    read.emit(&mut record);
    assert_eq!(Logged::parse(&record).as_ref(), Ok(&read));
    let (length, brs) = match read.content {
        Content::Data(data) => (data.len(), None),
        Content::Remote(_) => (0, None),
        Content::Fd { data, brs, .. } => (data.len(), Some(brs)),
    };
    let (exact, worst) = (Length::exact(read.id, read.content), Length::worst(read.id, length, brs));
    assert!(exact.nominal <= worst.nominal.max(worst.bits()) && exact.bits() <= worst.bits(), "{read:?}");
}

/// Parses a datagram of python-can; one that is a frame is written and read as the same.
pub fn datagram(bytes: &[u8]) {
    let Ok(read) = Logged::of_datagram(bytes) else { return };
    let mut written = Vec::new();
    read.emit_datagram(0.0, &mut written);
    assert_eq!(Logged::of_datagram(&written).as_ref(), Ok(&read));
}

/// Parses frames of ISO-TP, each a length and this many bytes, and hands them to both ends.
pub fn isotp(bytes: &[u8]) {
    let parameters = isotp::Parameters { block_size: 3, ..isotp::Parameters::default() };
    let mut sender = isotp::Sender::new(parameters);
    let mut receiver = isotp::Receiver::new(parameters);
    let mut now = Time::ZERO;
    sender.handle(now, isotp::Input::Send(Bytes::from(vec![0; 100])));
    for frame in frames(bytes) {
        now += Duration::from_millis(100);
        let Ok(read) = Pdu::parse(frame) else { continue };
        let mut buffer = [0; 64];
        let length = read.emit(&mut buffer);
        assert_eq!(Pdu::parse(&buffer[..length]), Ok(read));
        let owned = match read {
            Pdu::Single(data) => Pdu::Single(Bytes::copy_from_slice(data)),
            Pdu::First(total, data) => Pdu::First(total, Bytes::copy_from_slice(data)),
            Pdu::Consecutive(index, data) => Pdu::Consecutive(index, Bytes::copy_from_slice(data)),
            Pdu::FlowControl(status, block, separation) => Pdu::FlowControl(status, block, separation),
        };
        drive(&mut sender, now, isotp::Input::Received(owned.clone()));
        drive(&mut sender, now, isotp::Input::Transmitted);
        drive(&mut receiver, now, isotp::Input::Received(owned));
    }
}

/// Parses frames of the transport protocol of J1939, each a length and this many bytes, and hands them to both ends.
pub fn j1939(bytes: &[u8]) {
    let mut sender = j1939::Sender::new(j1939::Parameters::default());
    let mut receiver = j1939::Receiver::new(j1939::Parameters { window: 2, ..j1939::Parameters::default() });
    let mut now = Time::ZERO;
    sender.handle(now, j1939::Input::Send { size: 100, pgn: 0xfeca, to_all: false });
    for frame in frames(bytes) {
        now += Duration::from_millis(100);
        if let Ok(control) = Control::parse(frame) {
            assert_eq!(Control::parse(&control.to_bytes()), Ok(control));
            drive(&mut sender, now, j1939::Input::Control(control));
            drive(&mut receiver, now, j1939::Input::Control(control));
        } else if let Ok(packet) = DataTransfer::parse(frame) {
            assert_eq!(DataTransfer::parse(&packet.to_bytes()), Ok(packet));
            drive(&mut receiver, now, j1939::Input::Packet(packet.sequence));
        }
        drive(&mut sender, now, j1939::Input::Transmitted);
    }
}

/// Parses service data objects of eight bytes, and hands them to a client and a server.
pub fn sdo(bytes: &[u8]) {
    let object = Object { index: 0x2000, subindex: 1 };
    let (mut client, mut server) = (Client::new(Duration::from_millis(500)), Server::new(20));
    let mut now = Time::ZERO;
    for frame in frames(bytes) {
        now += Duration::from_millis(100);
        if let Ok(sdo) = Sdo::of_server(frame) {
            assert_eq!(Sdo::of_server(&sdo.to_bytes()), Ok(sdo));
            drive(&mut client, now, ClientInput::Received(sdo));
        }
        if let Ok(sdo) = Sdo::of_client(frame) {
            assert_eq!(Sdo::of_client(&sdo.to_bytes()), Ok(sdo));
            drive(&mut server, now, sdo);
        }
        let next =
            if frame.len().is_multiple_of(2) { ClientInput::Upload(object) } else { ClientInput::Download(object, 9) };
        drive(&mut client, now, next);
    }
}

/// Frames of up to 64 bytes: each a length and this many bytes.
fn frames(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (&length, behind) = rest.split_first()?;
        let (frame, behind) = behind.split_at(behind.len().min(usize::from(length % 65)));
        rest = behind;
        Some(frame)
    })
}

/// Hands a machine an input and takes what it does, which is bounded, after its timers.
fn drive<M: Machine>(machine: &mut M, now: Time, input: M::Input) {
    if machine.next_wakeup().is_some_and(|at| at <= now) {
        machine.wake(now);
    }
    machine.handle(now, input);
    let mut outputs = 0;
    while machine.poll_output().is_some() {
        outputs += 1;
        assert!(outputs <= OUTPUTS, "one input causes few outputs");
    }
}
