//! The committed fuzz corpora, run through the functions that the fuzz targets call.

use std::fs;
use std::path::Path;

use sojourn_protocols::ip::{PseudoHeader, protocol};
use sojourn_protocols::lontalk::lonip::DataPacket;
use sojourn_protocols::lontalk::wire::{Packet, examples, fuzz};
use sojourn_protocols::{
    atm, ax25, bacnet, can, fddi, icmp, kiss, modbus, mstp, mstp_trunk, netrom, probe, rose, stamp, tcp, xtp,
};

/// The inputs of a target, in the order of their names.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fuzz/corpus").join(target);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn the_lontalk_lpdu_corpus_parses_and_contains_every_pdu_type() {
    let inputs = corpus("lontalk_lpdu");
    inputs.iter().for_each(|bytes| fuzz::lpdu(bytes));
    for (name, packet) in examples() {
        assert!(inputs.iter().any(|bytes| Packet::parse(bytes) == Ok(packet)), "{name} is missing");
    }
}

#[test]
fn the_lonip_corpus_parses_and_contains_every_pdu_type() {
    let inputs = corpus("lonip");
    inputs.iter().for_each(|bytes| fuzz::lonip(bytes));
    let packets: Vec<_> = inputs.iter().filter_map(|bytes| DataPacket::parse(bytes).ok()?.packet().ok()).collect();
    for (name, packet) in examples() {
        assert!(packets.contains(&packet), "{name} is missing");
    }
}

#[test]
fn the_atm_cell_corpus_parses_and_contains_both_directions_of_rm_cells() {
    let inputs = corpus("atm_cell");
    inputs.iter().for_each(|bytes| atm::fuzz::cell(bytes));
    let cells = inputs.iter().filter_map(|bytes| atm::Cell::parse(bytes, atm::Interface::Uni).ok());
    let mut directions: Vec<_> =
        cells.filter_map(|cell| Some(atm::RmPayload::parse(&cell.payload).ok()?.direction)).collect();
    directions.sort_by_key(|direction| *direction == atm::Direction::Backward);
    assert_eq!(directions, [atm::Direction::Forward, atm::Direction::Backward]);
}

#[test]
fn the_atm_aal5_corpus_leaves_a_working_reassembler_and_contains_a_frame() {
    let inputs = corpus("atm_aal5");
    inputs.iter().for_each(|bytes| atm::fuzz::aal5(bytes));
    assert!(inputs.iter().any(|bytes| atm::aal5::Frame::parse(bytes).is_ok()));
}

#[test]
fn the_ax25_frame_corpus_parses_and_contains_every_kind() {
    let inputs = corpus("ax25_frame");
    inputs.iter().for_each(|bytes| ax25::wire::fuzz::frame(bytes));
    for (name, frame) in ax25::wire::examples() {
        assert!(inputs.contains(&frame.to_bytes().unwrap()), "{name} is missing");
    }
}

#[test]
fn the_ax25_fx25_corpus_contains_a_block_of_every_format() {
    use ax25::hdlc::fx25::{FORMATS, any_bits};
    let inputs = corpus("ax25_fx25");
    inputs.iter().for_each(|bytes| any_bits(bytes));
    for format in &FORMATS {
        let of_format = |bytes: &&Vec<u8>| bytes.starts_with(&format.tag.to_le_bytes());
        let found = inputs.iter().find(of_format).map(|bytes| format.decode(&bytes[8..]));
        assert!(matches!(found, Some(Ok((_, 0)))), "{format:?}: {found:?}");
    }
}

#[test]
fn the_ax25_il2p_corpus_contains_packets_of_supervisory_unnumbered_and_information_frames() {
    use ax25::il2p::{Receiver, fuzz};
    let inputs = corpus("ax25_il2p");
    inputs.iter().for_each(|bytes| fuzz::octets(bytes));
    let control = |bytes: &Vec<u8>| {
        let mut receiver = Receiver::new(true);
        let bits = bytes.iter().flat_map(|octet| (0..8).rev().map(move |bit| octet >> bit & 1 != 0));
        let (frame, _) = bits.filter_map(|bit| receiver.push(bit)).last()?.ok()?;
        Some(frame[14] & 3)
    };
    let found: Vec<u8> = inputs.iter().filter_map(control).collect();
    assert!([0, 1, 3].iter().all(|kind| found.contains(kind)), "{found:?}");
}

#[test]
fn every_input_of_ax25_bits_leaves_a_receiver_that_hears() {
    corpus("ax25_bits").iter().for_each(|bytes| ax25::hdlc::fuzz::bits(bytes));
}

#[test]
fn every_input_of_kiss_leaves_a_receiver_that_reads() {
    corpus("kiss").iter().for_each(|bytes| kiss::fuzz::stream(bytes));
}

#[test]
fn the_modbus_corpus_leaves_receivers_that_read_and_contains_every_function() {
    let inputs = corpus("modbus");
    inputs.iter().for_each(|bytes| modbus::fuzz::stream(bytes));
    for function in modbus::Function::ALL {
        let asks = |bytes: &&Vec<u8>| modbus::Request::parse(bytes).is_ok_and(|request| request.function() == function);
        let answers =
            |bytes: &&Vec<u8>| modbus::Response::parse(bytes).is_ok_and(|found| found.function() == function.code());
        assert!(inputs.iter().any(|bytes| asks(&bytes)) && inputs.iter().any(|bytes| answers(&bytes)), "{function:?}");
    }
}

#[test]
fn every_packet_of_bacnet_and_every_trunk_of_the_corpus_does_no_harm() {
    corpus("bacnet_packet").iter().for_each(|bytes| bacnet::fuzz::packet(bytes));
    corpus("mstp_trunk").iter().for_each(|bytes| mstp_trunk::fuzz::frames(bytes));
}

#[test]
fn the_mstp_octets_corpus_contains_every_kind_of_frame() {
    let inputs = corpus("mstp_octets");
    inputs.iter().for_each(|bytes| mstp::wire::fuzz::octets(bytes));
    for (name, frame) in mstp::wire::examples() {
        assert!(inputs.contains(&frame.to_bytes().unwrap()), "{name} is missing");
    }
}

#[test]
fn the_fddi_pdu_corpus_parses_and_contains_every_kind() {
    let inputs = corpus("fddi_pdu");
    inputs.iter().for_each(|bytes| fddi::fuzz::pdu(bytes));
    for (name, frame) in fddi::examples() {
        assert!(inputs.contains(&frame.to_bytes().unwrap()), "{name} is missing");
    }
    let tokens = inputs.iter().filter(|bytes| matches!(fddi::Pdu::parse(bytes), Ok(fddi::Pdu::Token(_))));
    assert_eq!(tokens.count(), 2, "restricted and not");
}

#[test]
fn the_netrom_information_corpus_parses_and_contains_every_kind() {
    let inputs = corpus("netrom_information");
    inputs.iter().for_each(|bytes| netrom::wire::fuzz::information(bytes));
    for (name, packet) in netrom::wire::packets() {
        assert!(inputs.contains(&packet.to_bytes()), "{name} is missing");
    }
    for (name, nodes) in netrom::wire::broadcasts() {
        assert!(inputs.contains(&nodes.to_bytes()), "{name} is missing");
    }
}

#[test]
fn the_icmp_message_corpus_parses_and_contains_requests_and_replies_of_both_versions() {
    let inputs = corpus("icmp_message");
    inputs.iter().for_each(|bytes| icmp::fuzz::message(bytes));
    for version in [icmp::Version::V4, icmp::Version::V6] {
        let kinds: Vec<_> =
            inputs.iter().filter_map(|bytes| Some(icmp::Echo::parse(version, bytes).ok()?.kind)).collect();
        assert!(kinds.contains(&icmp::Kind::Request) && kinds.contains(&icmp::Kind::Reply), "{version:?}: {kinds:?}");
    }
}

#[test]
fn the_xtp_packet_corpus_parses_and_contains_every_format() {
    let inputs = corpus("xtp_packet");
    inputs.iter().for_each(|bytes| xtp::wire::fuzz::packet(bytes));
    for (name, packet) in xtp::wire::examples() {
        assert!(inputs.contains(&packet.to_bytes().unwrap()), "{name} is missing");
    }
    let refused = inputs.iter().filter(|bytes| xtp::wire::Packet::parse(bytes).is_err());
    assert!(refused.count() >= 6, "and what is not a packet");
}

#[test]
fn the_rose_packet_corpus_parses_and_contains_every_type() {
    let inputs = corpus("rose_packet");
    inputs.iter().for_each(|bytes| rose::wire::fuzz::packet(bytes));
    for (name, packet) in rose::wire::examples() {
        assert!(inputs.contains(&packet.to_bytes().unwrap()), "{name} is missing");
    }
    let refused = inputs.iter().filter(|bytes| rose::wire::Packet::parse(bytes).is_err());
    assert!(refused.count() >= 5, "and what is not a packet");
}

#[test]
fn the_tcp_segment_corpus_parses_and_contains_the_usual_ones() {
    let inputs = corpus("tcp_segment");
    inputs.iter().for_each(|bytes| tcp::wire::fuzz::segment(bytes));
    let pseudo = PseudoHeader::new([10, 0, 0, 1], [10, 0, 0, 2], protocol::TCP);
    let headers: Vec<_> =
        inputs.iter().filter_map(|bytes| Some(tcp::wire::Segment::parse(bytes, &pseudo).ok()?.header)).collect();
    assert!(headers.iter().any(|header| header.flags.syn && header.options.sack_permitted));
    assert!(headers.iter().any(|header| header.flags.fin));
    assert!(headers.iter().any(|header| header.flags.rst));
    assert!(headers.iter().any(|header| !header.options.sack.as_slice().is_empty()));
}

#[test]
fn the_stamp_packet_corpus_parses_and_contains_both_kinds_with_and_without_tlvs() {
    let inputs = corpus("stamp_packet");
    inputs.iter().for_each(|bytes| stamp::fuzz::packet(bytes));
    let probes: Vec<_> = inputs.iter().filter_map(|bytes| stamp::Probe::parse(bytes, None).ok()).collect();
    let (_, probe) = stamp::probes()[1];
    for kinds in [&[][..], &[1], &[200, 4]] {
        let found = probes.iter().any(|(read, behind)| {
            *read == probe && behind.iter().map(|extension| extension.kind).eq(kinds.iter().copied())
        });
        assert!(found, "a probe with TLVs {kinds:?} is missing");
    }
    let (_, reply) = stamp::replies()[1];
    assert!(inputs.iter().any(|bytes| stamp::Reply::parse(bytes, None).is_ok_and(|(read, _)| read == reply)));
}

#[test]
fn the_probe_packet_corpus_parses_and_contains_every_kind() {
    let inputs = corpus("probe_packet");
    inputs.iter().for_each(|bytes| probe::wire::fuzz::packet(bytes));
    let key = sojourn_protocols::authentication::Key::new(b"fuzz");
    let packets: Vec<_> = inputs.iter().filter_map(|bytes| probe::wire::Packet::parse(&key, bytes).ok()).collect();
    for packet in probe::wire::examples() {
        assert!(packets.contains(&packet), "{packet:?} is missing");
    }
}

#[test]
fn the_probe_agent_corpus_keeps_the_agent_within_its_limits_and_opens_sessions() {
    let opened: Vec<u64> = corpus("probe_agent").iter().map(|bytes| probe::server::fuzz::dialogue(bytes)).collect();
    assert!(opened.contains(&1) && opened.iter().any(|sessions| *sessions >= 3), "{opened:?}");
}

#[test]
fn the_corpora_of_can_parse_and_contain_frames_of_every_kind() {
    use can::frame::Content;
    let records = corpus("can_socketcan");
    records.iter().for_each(|bytes| can::fuzz::socketcan(bytes));
    let frames: Vec<_> = records.iter().filter_map(|bytes| can::log::Logged::parse(bytes).ok()).collect();
    assert!(frames.iter().any(|frame| frame.id.is_extended()));
    assert!(frames.iter().any(|frame| matches!(frame.content, Content::Remote(8))));
    assert!(frames.iter().any(|frame| matches!(frame.content, Content::Fd { brs: true, .. })));
    let lines = corpus("can_candump");
    lines.iter().for_each(|bytes| can::fuzz::candump(bytes));
    let read =
        lines.iter().filter_map(|bytes| can::log::Line::parse(std::str::from_utf8(bytes).ok()?.lines().next()?).ok());
    assert_eq!(read.count(), 4);
    corpus("can_isotp").iter().for_each(|bytes| can::fuzz::isotp(bytes));
    corpus("can_j1939").iter().for_each(|bytes| can::fuzz::j1939(bytes));
    corpus("can_sdo").iter().for_each(|bytes| can::fuzz::sdo(bytes));
    corpus("can_datagram").iter().for_each(|bytes| can::fuzz::datagram(bytes));
}
