//! The twin of a packet-radio network.
//!
//! Frames are kept in order, so that each step can use what the one before found:
//!
//! | file | finds |
//! |---|---|
//! | `frames` | every frame, in few bytes |
//! | `stations` | which callsigns are terminals, digipeaters, nodes or switches, and which a node or a switch sends under |
//! | `bit_rate`, `bursts` | the bit rate, and transmissions |
//! | `access` | TXDELAY, persistence, slot time and T2, from the time before answers |
//! | `links`, `sides` | the frames of each link: windows, tries, losses, T1, T3 |
//! | `exchanges` | requests and answers of a link, and the time of the station that answers |
//! | `conversations` | which of them the probe stands for, and the flows |
//! | `timeouts` | T1 of each station |
//! | `hearing` | which stations do not hear each other |
//! | `upper`, `networks` | NET/ROM and ROSE |
//! | `write`, `write_station`, `write_flow` | the scenario |

mod access;
mod bit_rate;
mod bursts;
mod conversations;
mod exchanges;
mod frames;
mod hearing;
pub(crate) mod keys;
mod links;
mod networks;
mod sides;
mod stations;
mod timeouts;
mod upper;
mod write;
mod write_flow;
mod write_station;
mod write_upper;

use sojourn_core::Time;

use self::frames::Frames;
use super::scenario::{Options, Twin};
use sojourn_capture::Packet;
use sojourn_capture::ax25::carried;

/// What a capture shows of a packet-radio network.
#[derive(Debug, Default)]
pub(super) struct PacketRadio {
    frames: Frames,
}

impl PacketRadio {
    /// Takes a captured packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        if let Some((medium, bytes)) = carried(packet) {
            let cut = packet.original_length.saturating_sub(packet.data.len() as u32);
            self.frame(bytes, cut, medium, packet.time);
        }
    }

    /// Takes a frame of a medium, behind which the capture cut `cut` octets.
    pub fn frame(&mut self, bytes: &[u8], cut: u32, medium: u32, time: Time) {
        self.frames.frame(bytes, cut, medium, time);
    }

    /// Number of AX.25 frames.
    pub fn packets(&self) -> u64 {
        self.frames.all.len() as u64 + self.frames.beyond
    }

    /// The scenario.
    pub fn twin(&self, options: &Options) -> Twin {
        write::twin(&self.frames, options)
    }
}
