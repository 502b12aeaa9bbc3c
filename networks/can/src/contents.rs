//! The bytes that a frame carries.

use sojourn_protocols::can::isotp::Pdu;
use sojourn_protocols::{StreamRange, UserData};

use crate::in_flight::{Carried, Frame};
use crate::site::{FlowSettings, Payload, Service};
use crate::uds;

/// What fills a classical frame of a transport behind its data.
const PADDING: u8 = 0xcc;

/// The data of a frame; random of a flow whose payload is, and where `random` is asked for.
pub fn bytes_of(frame: &Frame, flow: &FlowSettings, random: bool, data: &mut [u8; 64]) {
    let used = usize::from(frame.bytes).min(64);
    let generated = StreamRange { stream: frame.source, offset: frame.number.wrapping_mul(64), length: 64 };
    match frame.carried {
        Carried::Request => {}
        _ if random => generated.emit(data),
        Carried::Sdo(sdo) => data[..8].copy_from_slice(&sdo.to_bytes()),
        Carried::Block(block) => data[..8].copy_from_slice(&block.to_bytes()),
        Carried::Control(control) => data[..8].copy_from_slice(&control.to_bytes()),
        Carried::Packet(sequence) => {
            generated.emit(data);
            data[0] = sequence;
        }
        Carried::IsoTp(pdu) => {
            let length = pdu.emit(data);
            data[length..used.max(length)].fill(PADDING);
            if let (Service::Uds(..), Pdu::Single(part) | Pdu::First(_, part)) = (flow.service, pdu) {
                let named = if frame.is_back { uds::ANSWER } else { uds::REQUEST };
                data[length - part.length()..length].iter_mut().zip(named).for_each(|(byte, named)| *byte = named);
            }
        }
        Carried::Data if flow.payload == Payload::Random => generated.emit(data),
        Carried::Data => match &flow.payload {
            Payload::Constant(bytes) => data.iter_mut().zip(bytes.iter()).for_each(|(to, from)| *to = *from),
            Payload::Clock => {
                generated.emit(data);
                data[4..].fill(0);
            }
            Payload::Counter | Payload::Random => data[..4].copy_from_slice(&frame.number.to_le_bytes()),
        },
    }
    data[used..].fill(0);
}
