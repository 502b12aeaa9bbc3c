//! AX.25: links with their information and acknowledgements, UI and TEST frames; NET/ROM circuits and ROSE calls over
//! links.
//!
//! ```text
//! link type 202   command octet of KISS | frame without FCS      the port is the medium
//! link type 3     frame without FCS
//! ```
//!
//! A link is identified by its two callsigns and its medium, regardless of digipeaters. Its flow runs from the
//! station that set it up to the other. An exchange of the flow is a request and its answer: the response
//! time is from the end of the first frame of the request to the end of the first frame of the answer, which is complete
//! with its last frame; where digipeaters repeat that frame, with the last copy. The channel access delay before the request, TXDELAY, serial lines and applications are not
//! in a capture.
//!
//! Metrics: `transaction_time` from an I frame to its acknowledgement, `connect_time` and `disconnect_time`, `retries` of I
//! frames, `polls`.

pub mod fuzz;
pub(crate) mod heard;
mod link;
mod links;

use sojourn_core::Time;
use sojourn_protocols::ax25::hdlc::air_time::exact_bits;
use sojourn_protocols::ax25::wire::{Addressing, Body, Frame, Modulo, ParseError, Pid};

use self::heard::{Heard, flow_key};
use self::links::Links;
use crate::net_rom::Circuits;
use crate::rose::Calls;
use crate::{LinkType, Outcome, Packet, Sent, Service, Sink, Tracker, Transaction};

/// The command of KISS for a frame, in the low half of its octet.
const KISS_DATA: u8 = 0;
/// Media of an interface: the ports of KISS.
const PORTS: u32 = 16;

/// Follows AX.25 links and what they carry.
#[derive(Debug, Default)]
pub struct Ax25 {
    links: Links,
    circuits: Circuits,
    calls: Calls,
}

impl Tracker for Ax25 {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        if (packet.link_type, packet.data) == (LinkType::AX25_KISS, &[]) {
            return out.malformed(packet.number, "KISS", "no command octet");
        }
        let Some((medium, bytes)) = carried(packet) else { return };
        match parse(bytes, |addressing| self.links.modulo(medium, addressing)) {
            Ok(frame) => {
                let Packet { number, time, original_length, .. } = *packet;
                let cut = original_length.saturating_sub(packet.data.len() as u32);
                // of octets that were cut it is not known which zeros are stuffed
                out.busy(medium, time, exact_bits(bytes) + 8 * u64::from(cut));
                let length = (bytes.len() as u32).saturating_add(cut);
                self.frame(medium, &Heard { frame, time, number, length, cut }, out);
            }
            Err(error) => out.unparsed(packet, "AX.25", error),
        }
    }

    fn finish(&mut self, _end: Time, out: &mut Sink) {
        self.calls.finish(out);
        self.circuits.finish(out);
        self.links.finish(out);
    }
}

/// A frame of a link whose modulus is what was heard of it. A supervisory frame with an octet too many shows a link modulo
/// 128 whose SABME was not captured, for one modulo 8 has no information field (AX.25 v2.2, 4.2.1 and 4.3.2).
pub fn parse(bytes: &[u8], heard: impl FnOnce(&Addressing) -> Modulo) -> Result<Frame<&[u8]>, ParseError> {
    Frame::parse_with(bytes, heard).or_else(|error| {
        let extended = Frame::parse_with(bytes, |_| Modulo::OneHundredTwentyEight);
        extended.ok().filter(|frame| matches!(frame.body, Body::S { .. })).ok_or(error)
    })
}

/// The medium and the octets of the frame in a packet of either link type; `None` of KISS commands without a frame.
pub fn carried<'a>(packet: &Packet<'a>) -> Option<(u32, &'a [u8])> {
    let (port, bytes) = match (packet.link_type, packet.data) {
        (LinkType::AX25, frame) => (0, frame),
        (LinkType::AX25_KISS, [command, frame @ ..]) => {
            // a lone command octet is a frame without octets
            let other_command = command & 0xf != KISS_DATA && !frame.is_empty();
            (u32::from(command >> 4), if other_command { return None } else { frame })
        }
        _ => return None,
    };
    Some((packet.interface.saturating_mul(PORTS).saturating_add(port), bytes))
}

impl Ax25 {
    fn frame(&mut self, medium: u32, heard: &Heard<'_>, out: &mut Sink) {
        match heard.frame.body {
            Body::Ui { data, .. } => unnumbered(heard, heard.octets(data), out),
            Body::I { pid, data, .. } => {
                let new = self.links.link(medium, heard, out).frame(heard, out);
                let ends = heard.frame.addressing;
                if new && pid == Pid::NETROM {
                    self.circuits.packet(data, heard, out);
                } else if new && pid == Pid::X25 {
                    self.calls.packet((medium, ends.source, ends.destination), data, heard, out);
                }
            }
            _ => {
                self.links.link(medium, heard, out).frame(heard, out);
            }
        }
    }
}

/// A UI frame: nothing acknowledges it.
fn unnumbered(heard: &Heard<'_>, bytes: u32, out: &mut Sink) {
    if !heard.is_original() {
        return;
    }
    let flow =
        out.flow(flow_key(heard.frame.addressing.source, heard.frame.addressing.destination, Service::Ax25Unnumbered));
    let Heard { time, length, .. } = *heard;
    out.sent(Sent { flow, time, forward: true, l3_bytes: length, l4_bytes: bytes, repeated: false });
    let of = Transaction::of(flow, out.moment(time), None, Outcome::Sent);
    out.transaction(Transaction { request_bytes: bytes, ..of });
}

#[cfg(test)]
mod tests;
