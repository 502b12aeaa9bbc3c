//! What frames carry: the NPDU of a request, a notification or a reply, known by its numbers.

use sojourn_protocols::UserData;
use sojourn_protocols::bacnet::{self, Object, Property, Value};

use super::site::Service;

/// The receivers of a broadcast.
pub const ALL: u32 = u32::MAX;

/// An NPDU from one station to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Npdu {
    /// The request that it belongs to; with Who-Is the broadcast.
    pub number: u32,
    /// Distinguishes it from earlier requests of this number.
    pub serial: u32,
    /// The station that sends it.
    pub from: u32,
    /// The station that it is for, or all.
    pub to: u32,
    /// Octets without addresses for routers.
    pub octets: u16,
    /// Octets with them, as the frame on this medium carries it.
    pub length: u16,
    /// Octets of the address of a far destination and of a far source, 0 without one.
    pub far: [u8; 2],
    /// What it is.
    pub role: Role,
    /// Which try of the request.
    pub attempt: u8,
    /// The service, by its number in [`SERVICES`].
    pub service: u8,
    /// The flow, by its index in the site.
    pub flow: u16,
}

/// What an NPDU is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing: the frame has no data.
    #[default]
    None,
    /// A confirmed request.
    Request,
    /// A notification or Who-Is.
    Unconfirmed,
    /// The reply to a request, or I-Am.
    Reply,
}

/// The services of NPDUs, with the octets of the APDUs after their invoke id: choice of the request, PDU type and choice of its
/// reply (ANSI/ASHRAE 135 clauses 20 and 21).
const SERVICES: [(Service, u8, u8); 6] = [
    (Service::Read, 12, 0x30),
    (Service::ReadMultiple, 14, 0x30),
    (Service::Write, 15, 0x20),
    (Service::Cov, 2, 0x20),
    (Service::CovConfirmed, 1, 0x20),
    (Service::WhoIs, 8, 0x10),
];

/// What is read and written: the present value of analog input 1, which is 100.
const POINT: Object = Object { kind: 0, instance: 1 };
const PRESENT_VALUE: Property = Property(85);
const VALUE: Value = Value::Real(100.0);
/// The device that announces itself.
const DEVICE: u32 = 1;

/// The number of a service.
pub fn number_of(service: Service) -> u8 {
    SERVICES.iter().position(|(known, ..)| *known == service).unwrap_or(0) as u8
}

/// The service of an NPDU.
pub fn service_of(npdu: &Npdu) -> Service {
    SERVICES[usize::from(npdu.service)].0
}

impl Npdu {
    /// The NPDU's header with the addresses of far stations, and the beginning of its APDU.
    fn head(&self) -> Vec<u8> {
        let mut octets = self.local();
        let [destination, source] = self.far;
        if octets.len() < 2 || destination + source == 0 {
            return octets;
        }
        let mut addresses = Vec::new();
        for (length, station, bit) in [(destination, self.to, DESTINATION), (source, self.from, SOURCE)] {
            if length > 0 {
                octets[1] |= bit;
                far_address(length, station, &mut addresses);
            }
        }
        addresses.extend((destination > 0).then_some(HOPS));
        octets.splice(2..2, addresses);
        octets
    }

    /// The same between neighbours.
    fn local(&self) -> Vec<u8> {
        let (service, choice, answer) = SERVICES[usize::from(self.service)];
        let invoke = (self.serial & 0xff) as u8;
        match (self.role, service) {
            (Role::None, _) => Vec::new(),
            (Role::Request, Service::Read) => bacnet::read_property(invoke, POINT, PRESENT_VALUE),
            (Role::Request, Service::Write) => bacnet::write_property(invoke, POINT, PRESENT_VALUE, VALUE),
            (Role::Reply, Service::Read) => bacnet::read_property_ack(invoke, POINT, PRESENT_VALUE, VALUE),
            (Role::Reply, Service::WhoIs) => bacnet::i_am(DEVICE),
            (Role::Request, _) => vec![1, 4, 0, 3, invoke, choice],
            (Role::Unconfirmed, _) => vec![1, 0, 0x10, choice],
            (Role::Reply, _) => vec![1, 0, answer, invoke, choice],
        }
    }
}

impl UserData for Npdu {
    fn length(&self) -> usize {
        usize::from(self.length)
    }

    fn emit(&self, buffer: &mut [u8]) {
        let mut octets = self.head();
        octets.resize(buffer.len(), 0);
        buffer.copy_from_slice(&octets);
    }
}

/// Bits of the control octet, and the hop count of a packet that begins (ANSI/ASHRAE 135 clause 6.2.2).
const DESTINATION: u8 = 0x20;
const SOURCE: u8 = 0x08;
const HOPS: u8 = 255;
/// Numbers of an IP network and of a trunk behind a router.
const NETWORKS: [u8; 2] = [1, 2];
/// The port of BACnet/IP.
const PORT: [u8; 2] = [0xba, 0xc0];

/// Network, length and address of a station with an address of this many octets: 10.0.0.0/8 and a port, or its last octet.
fn far_address(length: u8, station: u32, octets: &mut Vec<u8>) {
    let [_, a, b, c] = station.to_be_bytes();
    let is_trunk = length == 1;
    octets.extend_from_slice(&[0, NETWORKS[usize::from(is_trunk)], length]);
    match is_trunk {
        true => octets.push(c),
        false => octets.extend_from_slice(&[10, a, b, c, PORT[0], PORT[1]]),
    }
}

/// Octets that an NPDU has for the network addresses of its ends beyond those of the brief form: destination, hop count and
/// source, each network with two octets, each address with its length (ANSI/ASHRAE 135 clause 6.2.2).
pub fn routed(destination_octets: Option<u16>, source_octets: Option<u16>) -> u16 {
    let destination = destination_octets.map_or(0, |address| 2 + 1 + address + 1);
    destination + source_octets.map_or(0, |address| 2 + 1 + address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_property_and_its_answer_have_the_octets_of_the_standard() {
        let npdu = |role, length| Npdu { role, length, serial: 1, ..Npdu::default() };
        let octets = |npdu: Npdu| {
            let mut buffer = vec![0; npdu.length()];
            npdu.emit(&mut buffer);
            buffer
        };
        let request = [1, 4, 0, 3, 1, 12, 0x0c, 0, 0, 0, 1, 0x19, 0x55];
        assert_eq!(octets(npdu(Role::Request, 13)), request);
        let answer = [1, 0, 0x30, 1, 12, 0x0c, 0, 0, 0, 1, 0x19, 0x55, 0x3e, 0x44, 0x42, 0xc8, 0, 0, 0x3f];
        assert_eq!(octets(npdu(Role::Reply, 19)), answer);
    }

    #[test]
    fn a_captured_packet_has_the_addresses_of_far_stations_before_its_hop_count() {
        // to station 258 on an IP network, from station 7 of another trunk (clause 6.2.2)
        let length = 13 + routed(Some(6), Some(1));
        let npdu = Npdu { role: Role::Request, length, far: [6, 1], to: 258, from: 7, serial: 1, ..Npdu::default() };
        let mut octets = vec![0; npdu.length()];
        npdu.emit(&mut octets);
        let addresses = [0, 1, 6, 10, 0, 1, 2, 0xba, 0xc0, 0, 2, 1, 7, 255];
        assert_eq!((&octets[..2], &octets[2..16]), (&[1, 0x2c][..], &addresses[..]));
        assert_eq!(octets[16..], [0, 3, 1, 12, 0x0c, 0, 0, 0, 1, 0x19, 0x55]);
    }

    #[test]
    fn a_packet_between_a_trunk_and_an_ip_network_carries_the_far_address() {
        // to an MS/TP address: DNET 2, DLEN 1, DADR 1, hop count 1; from an IP address: SNET 2, SLEN 1, SADR 6
        assert_eq!((routed(Some(1), None), routed(None, Some(6)), routed(None, None)), (5, 9, 0));
    }
}
