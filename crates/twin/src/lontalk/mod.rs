//! The twin of a LonTalk network.

mod channel;
mod copies;
mod groups;
pub(crate) mod keys;
mod survey;
mod topology;
mod write;
mod write_flow;
mod write_station;

use sojourn_core::Time;
use sojourn_protocols::lontalk::lonip::DataPacket;
use sojourn_protocols::lontalk::wire::Packet as Lpdu;

use self::survey::Survey;
use super::scenario::{Options, Twin};
use sojourn_capture::lontalk::lonip;
use sojourn_capture::{LinkType, Packet};

/// What a capture shows of a LonTalk network.
#[derive(Debug, Default)]
pub(super) struct LonTalk {
    survey: Survey,
}

impl LonTalk {
    /// Takes a captured packet, of whatever protocol; whether it is one of LonTalk.
    pub fn packet(&mut self, packet: &Packet<'_>) -> bool {
        if packet.link_type == LinkType::LONTALK {
            self.lpdu(packet.data, (packet.interface, 0), packet.time);
            return true;
        }
        let Some(carried) = lonip(packet) else { return false };
        if let Ok(data) = DataPacket::parse(carried.payload)
            && let Ok((lpdu, _)) = Lpdu::parse_of_datagram(data.lpdu)
        {
            self.survey.packet(&lpdu, data.lpdu, (packet.interface, data.session), packet.time);
        }
        true
    }

    /// Takes a LonTalk packet of a channel: interface and LON/IP session.
    pub fn lpdu(&mut self, bytes: &[u8], channel: (u32, u32), time: Time) {
        if let Ok(lpdu) = Lpdu::parse(bytes) {
            self.survey.packet(&lpdu, bytes, channel, time);
        }
    }

    /// Number of LonTalk packets.
    pub fn packets(&self) -> u64 {
        self.survey.packets
    }

    /// The scenario.
    pub fn twin(&mut self, options: &Options) -> Twin {
        self.survey.finish();
        write::twin(&self.survey, options)
    }
}
