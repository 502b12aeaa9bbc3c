//! Twins: scenarios that reproduce what a capture shows.
//!
//! A [`Survey`] takes every packet of a capture and keeps what a scenario needs: stations, message rates and sizes,
//! and timers. [`Survey::twin`] writes it as TOML; a comment before each inferred value states how it was inferred,
//! from how many samples, and with what confidence. LonTalk, IP and packet-radio networks and Modbus lines have
//! twins. Where a capture
//! allows several scenarios, [`choose`](trial::choose) finds the one whose simulation comes closest.

mod arrivals;
pub mod behaviour;
mod document;
pub mod fuzz;
mod ip;
mod lontalk;
mod modbus;
mod packet_radio;
mod scenario;
pub mod trial;

use std::fmt;

use thiserror::Error;

use self::behaviour::Transfers;
use self::ip::Ip;
use self::lontalk::LonTalk;
use self::modbus::Modbus;
use self::packet_radio::PacketRadio;
pub use self::scenario::{Options, Trace, Twin};
use self::trial::Comparison;
use sojourn_capture::Packet;
use sojourn_capture::ip::media::MediaStream;
use sojourn_capture::ip::roles::Servers;

/// Why there is no twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoTwin {
    /// The capture has no packets of these networks.
    #[error(
        "a scenario is inferred from packets of LonTalk or IP, AX.25 frames, or Modbus lines, and the capture has none that parse"
    )]
    Nothing,
    /// No flow of the capture can be expressed.
    #[error(
        "no flow of the capture is one that kind `ip` has: requests over UDP, TCP or ICMP echo whose answers were captured, \
         calls over RTP, datagrams over UDP, and transfers over TCP of 100 kB or more{without_answer}"
    )]
    NoFlow {
        /// Requests whose answers the capture does not have.
        without_answer: WithoutAnswer,
    },
}

/// Requests without an answer, as the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithoutAnswer(pub u64);

impl fmt::Display for WithoutAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            1 => f.write_str("; the capture has a request, and no answer to it"),
            several => write!(f, "; the capture has {several} requests, and no answer to any of them"),
        }
    }
}

/// What a capture shows of the network behind it.
#[derive(Debug, Default)]
pub struct Survey {
    ip: Ip,
    lontalk: LonTalk,
    modbus: Modbus,
    packet_radio: PacketRadio,
}

impl Survey {
    /// None of a capture yet, where `servers` finds who serves over IP.
    pub fn new(servers: &Servers) -> Survey {
        Survey { ip: Ip::new(servers), ..Survey::default() }
    }

    /// Takes the next packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        if !self.lontalk.packet(packet) {
            self.ip.packet(packet);
            self.packet_radio.packet(packet);
            self.modbus.packet(packet);
        }
    }

    /// The scenario of the network that most packets belong to: the likeliest one.
    pub fn twin(mut self, options: &Options) -> Result<Twin, NoTwin> {
        let mut readings = self.readings(options)?;
        Ok(readings.swap_remove(0))
    }

    /// The scenarios that the capture allows, the likeliest first: [`choose`](trial::choose) simulates them.
    pub fn readings(&mut self, options: &Options) -> Result<Vec<Twin>, NoTwin> {
        let (lontalk, packet_radio) = (self.lontalk.packets(), self.packet_radio.packets());
        let modbus = self.modbus.packets();
        if modbus > lontalk.max(packet_radio).max(self.ip.packets()) {
            return Ok(vec![self.modbus.twin(options)]);
        }
        let readings = match (lontalk, packet_radio, self.ip.packets()) {
            (0, 0, 0) => return Err(NoTwin::Nothing),
            (lontalk, packet_radio, ip) if lontalk >= packet_radio.max(ip) => vec![self.lontalk.twin(options)],
            (_, packet_radio, ip) if packet_radio >= ip => vec![self.packet_radio.twin(options)],
            _ => self.ip.readings(options),
        };
        if readings.is_empty() {
            // what is too short to be inferred may be written as it was
            let recorded = self.ip.fallback(options);
            return recorded
                .map(|twin| vec![twin])
                .ok_or(NoTwin::NoFlow { without_answer: WithoutAnswer(self.ip.without_answer()) });
        }
        Ok(readings)
    }

    /// The scenario of an IP network as it was recorded, its transfers at the rates that their senders kept, where that of the
    /// [`readings`](Survey::readings) is inferred; `None` where there is no such scenario. The survey is compared as its own
    /// from then on.
    pub fn recorded(&mut self, options: &Options) -> Option<Twin> {
        let is_of_ip = self.ip.packets() > self.lontalk.packets().max(self.packet_radio.packets());
        if is_of_ip { self.ip.fallback(options) } else { None }
    }

    /// The inferred scenario is compared after all.
    pub fn reject_recorded(&mut self) {
        self.ip.reject_fallback();
    }

    /// Whether the scenario is one as it was recorded.
    pub fn is_recorded(&self) -> bool {
        self.ip.is_recorded()
    }

    /// This is the survey of a simulated scenario as it was recorded: all of its transfers are compared.
    pub fn simulates_recorded(&mut self) {
        self.ip.simulates_recorded();
    }

    /// Packets of IP were captured where they arrive, as simulations capture them; those of real captures at one point.
    pub fn is_captured_on_arrival(&mut self) {
        self.ip.is_captured_on_arrival();
    }

    /// What transfers over TCP carried.
    pub fn transfers(&self) -> Transfers {
        self.ip.transfers()
    }

    /// The streams of speech over RTP that the twin has, in the order of its flows. Nothing before the twin is known.
    pub fn speech(&self) -> impl Iterator<Item = &MediaStream> {
        self.ip.speech()
    }

    /// Where response times of a simulation can be compared with those of the capture; `is_simulated` of a capture that a
    /// simulation wrote.
    pub fn comparison(&self, is_simulated: bool) -> Comparison {
        let others = self.lontalk.packets().max(self.packet_radio.packets()).max(self.modbus.packets());
        match () {
            () if is_simulated || others >= self.ip.packets() => Comparison::Captured,
            () if self.ip.is_beside_clients() => Comparison::AtClients,
            () => Comparison::Nowhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Octets that the fuzz target takes for packets: short headers with few addresses, then anything.
    fn packets() -> impl Strategy<Value = Vec<u8>> {
        let packet = (any::<u8>(), 0..4_u8, 1..3_u8, 1..4_u8, any::<[u8; 4]>(), 0..16_u8).prop_map(
            |(kind, format, subnet, node, rest, number)| {
                let body = [
                    0,
                    format << 2 | (rest[0] & 0x30),
                    subnet,
                    node | 0x80,
                    1,
                    rest[1] & 3 | 0x80,
                    number | rest[2],
                    rest[3],
                ];
                [vec![kind, body.len() as u8], body.to_vec()].concat()
            },
        );
        prop::collection::vec(packet, 0..120).prop_map(|packets| packets.concat())
    }

    /// Octets that the fuzz target takes for frames: few callsigns with and without a digipeater, any control field.
    fn frames() -> impl Strategy<Value = Vec<u8>> {
        let frame =
            (any::<u8>(), 0..4_u8, 0..4_u8, any::<bool>(), any::<u8>(), prop::collection::vec(any::<u8>(), 0..24));
        let frame = frame.prop_map(|(kind, to, from, digipeated, control, information)| {
            let callsign =
                |letter: u8, flags: u8| [vec![(b'A' + letter) << 1], vec![b' ' << 1; 5], vec![flags]].concat();
            let mut octets =
                [callsign(to, 0xe0 & control | 0x60), callsign(from, 0x60 | u8::from(!digipeated))].concat();
            if digipeated {
                octets.extend(callsign(4, 0x61 | control & 0x80));
            }
            octets.push(control);
            octets.extend(information);
            [vec![kind, octets.len() as u8], octets].concat()
        });
        prop::collection::vec(frame, 0..120).prop_map(|frames| frames.concat())
    }

    /// Packets of TCP, UDP and ICMP between few hosts, with few ports and sequence numbers.
    fn datagrams() -> impl Strategy<Value = Vec<u8>> {
        let packet = (any::<u8>(), 0..3_u8, 0..4_u8, 0..4_u8, any::<[u8; 6]>(), 0..40_u8).prop_map(
            |(gap, kind, from, to, rest, data)| {
                let ports = [0, from, 0, to];
                let transport = match kind {
                    0 => {
                        let numbers = [0, 0, rest[0] & 3, rest[1], 0, 0, rest[2] & 3, rest[3]];
                        [&ports[..], &numbers, &[0x50, rest[4], rest[5], 0, 0, 0, 0, 0]].concat()
                    }
                    1 => [&ports[..], &[0, 8 + data, 0, 0]].concat(),
                    _ => vec![rest[0] & 8, 0, 0, 0, 0, rest[1] & 3, 0, rest[2]],
                };
                let length = 20 + transport.len() as u8 + data;
                let protocol = [6, 17, 1][usize::from(kind)];
                let header = [0x45, 0, 0, length, 0, 0, 0, 0, 60, protocol, 0, 0, 10, 0, 0, from, 10, 0, 0, to];
                [&[gap, length][..], &header, &transport, &vec![0; data.into()]].concat()
            },
        );
        prop::collection::vec(packet, 0..150).prop_map(|packets| packets.concat())
    }

    proptest! {
        #[test]
        fn no_frames_make_the_inference_panic(frames in frames(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::frames(&frames);
            fuzz::frames(&noise);
        }

        #[test]
        fn no_datagrams_make_the_inference_panic(packets in datagrams(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::datagrams(&packets);
            fuzz::datagrams(&noise);
        }

        #[test]
        fn no_packets_make_the_inference_panic(packets in packets(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::packets(&packets);
            fuzz::packets(&noise);
        }
    }

    #[test]
    fn a_capture_without_a_known_network_has_no_twin() {
        let options = Options { anonymise: false, name: "none".to_owned(), bit_rate: None };
        assert_eq!(Survey::default().twin(&options), Err(NoTwin::Nothing));
    }
}
