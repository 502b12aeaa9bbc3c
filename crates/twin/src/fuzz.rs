//! Fuzzing entry point: arbitrary octets as packets from which a twin is inferred.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::crc;
use sojourn_protocols::modbus::rtu;
use sojourn_protocols::mstp::wire::{Frame, FrameType};

use super::can::Can;
use super::ip::Ip;
use super::lontalk::LonTalk;
use super::modbus::Modbus;
use super::mstp::Mstp;
use super::packet_radio::PacketRadio;
use super::scenario::Options;
use sojourn_capture::{LinkType, Packet};

/// Takes octets as LonTalk packets without their CRC, each behind an octet whose bits are its channel and the time since the
/// one before, and one with its length. A twin of whatever they show has a line for the run.
pub fn packets(octets: &[u8]) {
    let mut survey = LonTalk::default();
    let (mut rest, mut time) = (octets, Time::ZERO);
    while let Some((&[kind, length], behind)) = rest.split_first_chunk() {
        let (covered, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_micros(100 << (kind >> 3));
        let lpdu = [covered, &crc(covered).to_be_bytes()].concat();
        survey.lpdu(&lpdu, (0, u32::from(kind & 3)), time);
        rest = behind;
    }
    if survey.packets() > 0 {
        let twin = survey.twin(&options(octets));
        assert!(twin.scenario.contains("[run]"));
    }
}

/// Takes octets as AX.25 frames, each behind an octet whose bits are its medium, the octets that the capture cut and the time since the one before, and one
/// with its length. A twin of whatever they show has a line for the run.
pub fn frames(octets: &[u8]) {
    let mut survey = PacketRadio::default();
    let (mut rest, mut time) = (octets, Time::ZERO);
    while let Some((&[kind, length], behind)) = rest.split_first_chunk() {
        let (frame, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (kind >> 4));
        survey.frame(frame, u32::from(kind >> 2 & 3), u32::from(kind & 3), time);
        rest = behind;
    }
    if survey.packets() > 0 {
        let twin = survey.twin(&options(octets));
        assert!(twin.scenario.contains("[run]"));
    }
}

/// Takes octets as frames of Modbus lines and of MS/TP, each behind an octet whose bits are the network, its medium and the time
/// since the one before, and one with its length: unit and PDU, or type, both addresses and data. A twin of whatever they show
/// has a line for the run.
pub fn serial(octets: &[u8]) {
    let (mut modbus, mut mstp) = (Modbus::default(), Mstp::default());
    let (mut rest, mut time) = (octets, Time::ZERO);
    while let Some((&[kind, length], behind)) = rest.split_first_chunk() {
        let (body, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_micros(500 << (kind >> 4));
        let medium = u32::from(kind >> 1 & 3);
        match body {
            [unit, pdu @ ..] if kind & 1 == 0 => {
                let mut frame = Vec::new();
                rtu::emit(*unit, &pdu[..pdu.len().min(253)], &mut frame);
                modbus.frame(medium, time, &frame);
            }
            [of, destination, source, data @ ..] => {
                let (kind, destination, source) = (FrameType::of(*of), *destination, *source);
                if let Ok(frame) = (Frame { kind, destination, source, data }).to_bytes() {
                    mstp.frame(medium, time, &frame, frame.len());
                }
            }
            noise => {
                modbus.frame(medium, time, noise);
                mstp.frame(medium, time, noise, noise.len());
            }
        }
        rest = behind;
    }
    let options = options(octets);
    for twin in [modbus.twin(&options), mstp.twin(&options)] {
        assert!(twin.scenario.contains("[run]"));
    }
}

/// Takes octets as frames of CAN, each behind an octet whose bits are its bus and the time since the one before, and one with its
/// length: a record of link type 227, whose identifier is one of few where its first bit is 0. A twin of whatever they show has a
/// line for the run.
pub fn can_frames(octets: &[u8]) {
    const IDENTIFIERS: [u32; 8] = [0x605, 0x585, 0x7e0, 0x7e8, 0x123, 0x98ea_21f9, 0x9cec_ff21, 0x9ceb_ff21];
    let mut survey = Can::default();
    let (mut rest, mut time, mut number) = (octets, Time::ZERO, 0);
    while let Some((&[kind, length], behind)) = rest.split_first_chunk() {
        let (body, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_micros(50 << (kind >> 4));
        number += 1;
        let mut record = body.to_vec();
        if let Some(first @ 0..0x80) = record.first().copied()
            && let Some(word) = record.first_chunk_mut::<4>()
        {
            *word = (IDENTIFIERS[usize::from(first & 7)] | u32::from(first >> 6) << 30).to_be_bytes();
        }
        let packet = Packet::whole(number, time, LinkType::CAN_SOCKETCAN, &record);
        survey.packet(&Packet { interface: u32::from(kind & 3), ..packet });
        rest = behind;
    }
    if survey.packets() > 0 {
        assert!(survey.twin(&options(octets)).scenario.contains("[run]"));
    }
}

/// Takes octets as packets of IP, each behind an octet whose bits are the time since the one before and one with its length. A
/// twin of whatever they show has a line for the run.
pub fn datagrams(octets: &[u8]) {
    let mut survey = Ip::default();
    let (mut rest, mut time, mut number) = (octets, Time::ZERO, 0);
    while let Some((&[gap, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_micros(100 << (gap >> 4));
        number += 1;
        survey.packet(&Packet::whole(number, time, LinkType::RAW_IP, data));
        rest = behind;
    }
    survey.transfers();
    survey.is_beside_clients();
    if number % 2 == 0 {
        survey.is_captured_on_arrival();
    }
    let options = options(octets);
    let readings = survey.readings(&options);
    for twin in readings.into_iter().chain(survey.fallback(&options)) {
        assert!(twin.scenario.contains("[run]"));
    }
}

fn options(octets: &[u8]) -> Options {
    Options { anonymise: octets.len() % 2 == 1, name: "fuzz".to_owned(), ..Options::default() }
}
