//! Probes over TCP, each answered with a reply of equal length.

use std::io::{self, Read, Write};
use std::time::Duration as Wait;

use sojourn_core::Duration;
use sojourn_protocols::probe::server::{Grant, RateLimiter};
use sojourn_protocols::probe::wire::{MIN_PACKET, Packet, Pdu, Residence, frame_length};

use super::connection::Connection;
use super::load::Tally;

/// Burst beyond the granted rates.
const BURST: Duration = Duration::from_millis(100);
/// How long a probe beyond the rates waits before the next check.
const RETRY_INTERVAL: Wait = Wait::from_millis(1);

/// Replies to probes until the client closes or the time is over.
pub(super) fn serve(connection: &mut Connection, grant: &Grant) -> io::Result<()> {
    let mut tally = Tally::new(connection.clock.now());
    let outcome = answer_all(connection, grant, &mut tally);
    tally.unreported(connection.clock.now(), true).inspect(|more| connection.carried(grant, *more, *more));
    outcome
}

fn answer_all(connection: &mut Connection, grant: &Grant, tally: &mut Tally) -> io::Result<()> {
    let mut frame = Vec::new();
    let mut packets = RateLimiter::new(u64::from(grant.packet_rate), BURST);
    let mut bits = RateLimiter::new(grant.bit_rate, BURST);
    let mut before = None;
    while let Some(packet) = read(connection, &mut frame, grant.longest)? {
        let received = connection.clock.now();
        if !matches!(packet.pdu, Pdu::Probe { .. }) || packet.token != grant.token {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let octets = frame.len() as u16;
        while !packets.take(connection.clock.now(), 1) || !bits.take(connection.clock.now(), 8 * u64::from(octets)) {
            if connection.is_over(grant) {
                return Ok(());
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
        let receive_ns = received.picoseconds() / 1000;
        let residence = before.and_then(|before| residence(before, packet.sequence));
        let pdu = Pdu::Reply { receive_ns, receive_by_kernel: false, class: None, residence };
        Packet { pdu, ..packet }.emit(connection.key()?, octets, &mut frame);
        // a write may return long after its octets have arrived: the client that it wakes takes the processor
        let left = connection.clock.now();
        connection.socket.write_all(&frame)?;
        before = Some((packet.sequence, left.since(received)));
        tally.octets += u64::from(octets);
        tally.unreported(left, false).inspect(|more| connection.carried(grant, *more, *more));
        // both directions count
        if connection.is_over(grant) || 2 * tally.octets >= grant.octets {
            return Ok(());
        }
    }
    Ok(())
}

/// The residence time of the previous probe, for the reply to `sequence`.
fn residence((before, residence): (u64, Duration), sequence: u64) -> Option<Residence> {
    let earlier = u32::try_from(sequence.checked_sub(before)?).ok()?;
    Some(Residence { earlier, ns: u32::try_from(residence.picoseconds() / 1000).ok()?, by_kernel: false })
}

/// The next frame, read into `frame`; `None` at the end of the stream.
fn read(connection: &mut Connection, frame: &mut Vec<u8>, longest: u16) -> io::Result<Option<Packet>> {
    frame.resize(usize::from(MIN_PACKET), 0);
    match connection.socket.read_exact(frame) {
        Err(fault) if fault.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        outcome => outcome?,
    }
    // the frame's end must be known before its tag can be verified; a wrong length makes the tag wrong
    let length = frame_length(frame).filter(|length| (MIN_PACKET..=longest).contains(length));
    frame.resize(usize::from(length.ok_or(io::ErrorKind::InvalidData)?), 0);
    connection.socket.read_exact(&mut frame[usize::from(MIN_PACKET)..])?;
    Packet::parse(connection.key()?, frame).map(Some).map_err(|_| io::ErrorKind::InvalidData.into())
}
