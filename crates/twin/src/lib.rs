//! Twins: scenarios that reproduce what a capture shows.
//!
//! A [`Survey`] takes every packet of a capture and keeps what a scenario needs: stations, message rates and sizes,
//! and timers. [`Survey::twin`] writes it as TOML; a comment before each inferred value states how it was inferred,
//! from how many samples, and with what confidence. LonTalk, IP and packet-radio networks, trunks of MS/TP,
//! lines of Modbus and buses of CAN have twins. Where a capture allows several scenarios, [`choose`](trial::choose) finds the one whose simulation comes closest.

mod arrivals;
pub mod behaviour;
mod can;
mod document;
pub mod fuzz;
mod ip;
mod lontalk;
mod modbus;
mod mstp;
mod packet_radio;
mod quantile;
mod rounds;
mod scenario;
pub mod trial;
mod varying;

use std::fmt;

use thiserror::Error;

use self::behaviour::Transfers;
use self::can::Can;
use self::ip::Ip;
use self::lontalk::LonTalk;
use self::modbus::Modbus;
use self::mstp::Mstp;
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
        "a scenario is inferred from packets of LonTalk or IP, from AX.25 frames, and from frames of MS/TP, Modbus lines or CAN, and the capture has none that parse"
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
    can: Can,
    ip: Ip,
    lontalk: LonTalk,
    modbus: Modbus,
    mstp: Mstp,
    packet_radio: PacketRadio,
}

/// A network that is not one of IP.
#[derive(Clone, Copy, Debug)]
enum Other {
    Can,
    LonTalk,
    Modbus,
    Mstp,
    PacketRadio,
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
            self.mstp.packet(packet);
            self.can.packet(packet);
        }
    }

    /// The scenario of the network that most packets belong to: the likeliest one.
    pub fn twin(mut self, options: &Options) -> Result<Twin, NoTwin> {
        let mut readings = self.readings(options)?;
        Ok(readings.swap_remove(0))
    }

    /// The scenarios that the capture allows, the likeliest first: [`choose`](trial::choose) simulates them.
    pub fn readings(&mut self, options: &Options) -> Result<Vec<Twin>, NoTwin> {
        let ip = self.ip.packets();
        let readings = match self.others().into_iter().max_by_key(|(packets, _)| *packets) {
            Some((0, _)) | None if ip == 0 => return Err(NoTwin::Nothing),
            Some((packets, network)) if packets >= ip => vec![self.other(network, options)],
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

    /// Packets of networks other than IP, that which is preferred of equally many last.
    fn others(&self) -> [(u64, Other); 5] {
        [
            (self.can.packets(), Other::Can),
            (self.mstp.packets(), Other::Mstp),
            (self.modbus.packets(), Other::Modbus),
            (self.packet_radio.packets(), Other::PacketRadio),
            (self.lontalk.packets(), Other::LonTalk),
        ]
    }

    /// Whether most packets are of IP.
    fn is_of_ip(&self) -> bool {
        self.others().iter().all(|(packets, _)| self.ip.packets() > *packets)
    }

    fn other(&mut self, network: Other, options: &Options) -> Twin {
        match network {
            Other::Can => self.can.twin(options),
            Other::LonTalk => self.lontalk.twin(options),
            Other::Modbus => self.modbus.twin(options),
            Other::Mstp => self.mstp.twin(options),
            Other::PacketRadio => self.packet_radio.twin(options),
        }
    }

    /// The scenario of an IP network as it was recorded, its transfers at the rates that their senders kept, where that of the
    /// [`readings`](Survey::readings) is inferred; `None` where there is no such scenario. The survey is compared as its own
    /// from then on.
    pub fn recorded(&mut self, options: &Options) -> Option<Twin> {
        if self.is_of_ip() { self.ip.fallback(options) } else { None }
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
        match () {
            () if is_simulated && !self.ip.is_of_frames() || !self.is_of_ip() => Comparison::Captured,
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

    /// Frames of Modbus between few units, and of MS/TP between few stations with the beginnings of NPDUs.
    fn serial_frames() -> impl Strategy<Value = Vec<u8>> {
        let modbus = (any::<u8>(), 0..4_u8, 0..8_u8, any::<bool>(), any::<u8>()).prop_map(
            |(kind, unit, function, is_answer, count)| {
                let pdu = if is_answer {
                    vec![function, 2 * (count & 3), 0, 0, 0, 0, 0, 0]
                } else {
                    vec![function, 0, 0, 0, count & 3]
                };
                let octets = if is_answer { 2 + 2 * usize::from(count & 3) } else { 5 };
                [vec![kind & 0xfe, octets as u8 + 1, unit], pdu[..octets.min(pdu.len())].to_vec()].concat()
            },
        );
        let mstp = (any::<u8>(), 0..8_u8, 0..6_u8, 0..6_u8, 0..4_u8, any::<[u8; 2]>(), any::<bool>()).prop_map(
            |(kind, of, to, from, apdu, [invoke, service], is_far)| {
                let mut npdu = if is_far { vec![1, 0x08, 0, invoke & 1, 1, service] } else { vec![1, 4] };
                npdu.extend([apdu << 4, 5, invoke & 3, service & 15]);
                let data = if (3..7).contains(&of) { npdu } else { Vec::new() };
                [vec![kind | 1, 3 + data.len() as u8, of, to, from], data].concat()
            },
        );
        prop::collection::vec(prop_oneof![modbus, mstp], 0..200).prop_map(|frames| frames.concat())
    }

    /// Records of CAN with few identifiers, and the beginnings of what SDO, ISO-TP and J1939 say.
    fn can_records() -> impl Strategy<Value = Vec<u8>> {
        let record = (any::<u8>(), any::<u8>(), 0..12_u8, 0..10_usize, any::<[u8; 7]>(), 0..=8_u8);
        let record = record.prop_map(|(kind, word, flags, begins, rest, length)| {
            let first = [0x40, 0x43, 0x60, 0x03, 0x10, 0x30, 0x21, 0x20, 0x11, 0x62][begins];
            let body = [vec![word, 0, 0, 0, length, flags, 0, 0, first], rest.to_vec()].concat();
            [vec![kind, body.len() as u8], body].concat()
        });
        prop::collection::vec(record, 0..200).prop_map(|records| records.concat())
    }

    proptest! {
        #[test]
        fn no_frames_of_can_make_the_inference_panic(records in can_records(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::can_frames(&records);
            fuzz::can_frames(&noise);
        }

        #[test]
        fn no_serial_frames_make_the_inference_panic(frames in serial_frames(), noise in prop::collection::vec(any::<u8>(), 0..400)) {
            fuzz::serial(&frames);
            fuzz::serial(&noise);
        }

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
        let options = Options { name: "none".to_owned(), ..Options::default() };
        assert_eq!(Survey::default().twin(&options), Err(NoTwin::Nothing));
    }
}
