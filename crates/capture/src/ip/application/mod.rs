//! Applications whose messages name the request that they belong to, recognized by the server's port or by what a message
//! looks like.
//!
//! | part | applications |
//! |---|---|
//! | `simple.rs` | echo, NTP, STAMP, measurements of `sojourn agent` |
//! | `dns.rs`, `dhcp.rs`, `snmp.rs`, `ldap.rs`, `radius.rs` | names, addresses, management, directories, access |
//! | `rpc.rs`, `smb.rs` | files: ONC RPC with NFS, SMB |
//! | `sip.rs`, `http.rs` | text: calls, the web |
//! | `bacnet.rs`, `modbus.rs`, `dnp3.rs`, `iec104.rs`, `enip.rs`, `s7.rs`, `opcua.rs` | automation |
//! | `mqtt.rs`, `kafka.rs`, `postgresql.rs`, `mysql.rs` | messages and databases |
//! | `octets.rs`, `text.rs` | fields of a message that may be cut |

pub(crate) mod bacnet;
mod dhcp;
mod dnp3;
mod dns;
mod enip;
mod http;
mod iec104;
mod kafka;
mod ldap;
mod modbus;
mod mqtt;
mod mysql;
mod octets;
mod opcua;
mod postgresql;
mod radius;
mod rpc;
mod s7;
mod simple;
pub(in crate::ip) mod sip;
mod smb;
mod snmp;
mod text;

use sojourn_protocols::{probe, stamp};

/// An application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Application {
    /// The echo service (RFC 862): an answer repeats its request.
    Echo,
    /// The domain name system, over UDP and TCP.
    Dns,
    /// The network time protocol, client and server.
    Ntp,
    /// Simple Two-way Active Measurement Protocol, RFC 8762.
    Stamp,
    /// BACnet over IP.
    Bacnet,
    /// Modbus over TCP.
    Modbus,
    /// Measurements of `sojourn agent`.
    Probe,
    /// ONC remote procedure calls, as of NFS.
    Rpc,
    /// SMB, of version 1 and 2 or 3 without encryption.
    Smb,
    /// SIP.
    Sip,
    /// RADIUS.
    Radius,
    /// EtherNet/IP, and CIP over it.
    Enip,
    /// DNP3.
    Dnp3,
    /// IEC 60870-5-104.
    Iec104,
    /// S7comm.
    S7,
    /// MQTT.
    Mqtt,
    /// LDAP.
    Ldap,
    /// Kafka.
    Kafka,
    /// OPC UA over TCP, without encryption.
    OpcUa,
    /// HTTP/1.
    Http,
    /// PostgreSQL.
    PostgreSql,
    /// MySQL.
    MySql,
    /// DHCP.
    Dhcp,
    /// SNMP.
    Snmp,
}

/// What a message is, with what names its request among those of the two hosts and ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A request.
    Request(u64),
    /// Part of the answer to a request; more follows.
    Part(u64),
    /// The answer to a request, or the last part of it.
    Answer(u64),
    /// The refusal of a request.
    Refusal(u64),
    /// The request was received, and its answer will take its time.
    Pending(u64),
    /// What it is, is encrypted.
    Encrypted,
    /// Part of none, as an announcement.
    Other,
}

/// A message in the octets of a TCP stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framed {
    /// Octets in front of the message that belong to its frame.
    pub header: usize,
    /// Octets of the message with its frame.
    pub length: usize,
    /// Whether more octets of it follow, of a number that is not known.
    pub is_open: bool,
}

impl Framed {
    /// A message of known length.
    const fn whole(header: usize, length: usize) -> Option<Framed> {
        Some(Framed { header, length, is_open: false })
    }
}

impl Application {
    /// All applications.
    pub const ALL: [Application; 24] = {
        use Application::*;
        [
            Echo, Dns, Ntp, Stamp, Bacnet, Modbus, Probe, Rpc, Smb, Sip, Radius, Enip, Dnp3, Iec104, S7, Mqtt, Ldap,
            Kafka, OpcUa, Http, PostgreSql, MySql, Dhcp, Snmp,
        ]
    };

    /// The application of a server's UDP port.
    pub fn of_udp_port(port: u16) -> Option<Application> {
        Some(match port {
            7 => Application::Echo,
            53 => Application::Dns,
            67 => Application::Dhcp,
            111 | 2049 => Application::Rpc,
            123 => Application::Ntp,
            161 => Application::Snmp,
            389 => Application::Ldap,
            stamp::PORT => Application::Stamp,
            1645 | 1646 | 1812 | 1813 | 3799 => Application::Radius,
            5060 => Application::Sip,
            20_000 => Application::Dnp3,
            44_818 => Application::Enip,
            47_808 => Application::Bacnet,
            probe::DEFAULT_PORT => Application::Probe,
            _ => return None,
        })
    }

    /// The application of a server's TCP port.
    pub fn of_tcp_port(port: u16) -> Option<Application> {
        Some(match port {
            53 => Application::Dns,
            80 | 8000 | 8080 => Application::Http,
            102 => Application::S7,
            111 | 2049 => Application::Rpc,
            139 | 445 => Application::Smb,
            389 | 3268 => Application::Ldap,
            502 => Application::Modbus,
            1883 => Application::Mqtt,
            2404 => Application::Iec104,
            3306 => Application::MySql,
            4840 => Application::OpcUa,
            5060 => Application::Sip,
            5432 => Application::PostgreSql,
            9092 => Application::Kafka,
            20_000 => Application::Dnp3,
            44_818 => Application::Enip,
            probe::DEFAULT_PORT => Application::Probe,
            _ => return None,
        })
    }

    /// The application that the first octets of a UDP datagram show, and whether the message goes to the server: only of
    /// messages that others hardly look like.
    pub fn of_datagram(octets: &[u8]) -> Option<(Application, bool)> {
        let shown = |application: Application, to_server: Option<bool>| Some((application, to_server?));
        shown(Application::Rpc, rpc::to_server(octets))
            .or_else(|| shown(Application::Sip, sip::to_server(octets)))
            .or_else(|| shown(Application::Dnp3, dnp3::to_server(octets)))
    }

    /// The same of the first octets of data over TCP.
    pub fn of_stream(octets: &[u8]) -> Option<(Application, bool)> {
        let shown = |application: Application, to_server: Option<bool>| Some((application, to_server?));
        shown(Application::Smb, smb::to_server(octets))
            .or_else(|| shown(Application::Rpc, rpc::to_server(octets.get(4..)?)))
            .or_else(|| shown(Application::Http, http::to_server(octets)))
            .or_else(|| shown(Application::Sip, sip::to_server(octets)))
            .or_else(|| shown(Application::Dnp3, dnp3::to_server(octets)))
            .or_else(|| shown(Application::S7, Application::S7.direction_in_stream(octets)))
            .or_else(|| shown(Application::OpcUa, Application::OpcUa.direction_in_stream(octets)))
    }

    /// Whether a message says that it goes to the server, as far as it does.
    pub fn direction(self, message: &[u8]) -> Option<bool> {
        match self.read(None, message) {
            Message::Request(_) => Some(true),
            Message::Part(_) | Message::Answer(_) | Message::Refusal(_) | Message::Pending(_) => Some(false),
            Message::Encrypted | Message::Other => None,
        }
    }

    /// The same of the first message in the octets of a stream.
    pub fn direction_in_stream(self, octets: &[u8]) -> Option<bool> {
        let Framed { header, length, .. } = self.stream_message(octets)?;
        self.direction(octets.get(header..length.min(octets.len()))?)
    }

    /// Whether requests have no names and are answered in the order in which they were sent, so that the name in a message
    /// says nothing.
    pub const fn is_ordered(self) -> bool {
        matches!(self, Application::Http | Application::PostgreSql | Application::MySql)
    }

    /// Whether a message begins here even if the one before lacks its end.
    pub fn begins_anew(self, octets: &[u8]) -> bool {
        self == Application::Http && http::begins_anew(octets)
    }

    /// Whether an answer has no length: it ends with the last octets before the next request.
    pub const fn ends_with_turn(self) -> bool {
        matches!(self, Application::MySql)
    }

    /// Whether a request and its answer may go between other addresses: to all hosts, through a relay.
    pub const fn is_broadcast(self) -> bool {
        matches!(self, Application::Dhcp)
    }

    /// What a message is, or the beginning of one that was cut. `to_server` is its direction as ports and handshake show
    /// it; `None` where both ports are the server's.
    pub fn read(self, to_server: Option<bool>, message: &[u8]) -> Message {
        let read = match self {
            Application::Echo => simple::echo(to_server, message),
            Application::Dns => dns::read(message),
            Application::Ntp => simple::ntp(message),
            Application::Stamp => simple::stamp(to_server, message),
            Application::Bacnet => bacnet::read(message),
            Application::Modbus => modbus::read(to_server, message),
            Application::Probe => simple::probe(message),
            Application::Rpc => rpc::read(message),
            Application::Smb => smb::read(message),
            Application::Sip => sip::read(message),
            Application::Radius => radius::read(message),
            Application::Enip => enip::read(to_server, message),
            Application::Dnp3 => dnp3::read(message),
            Application::Iec104 => iec104::read(message),
            Application::S7 => s7::read(message),
            Application::Mqtt => mqtt::read(message),
            Application::Ldap => ldap::read(message),
            Application::Kafka => kafka::read(to_server, message),
            Application::OpcUa => opcua::read(message),
            Application::Http => http::read(message),
            Application::PostgreSql => postgresql::read(to_server, message),
            Application::MySql => mysql::read(to_server, message),
            Application::Dhcp => dhcp::read(message),
            Application::Snmp => snmp::read(to_server, message),
        };
        read.unwrap_or(Message::Other)
    }

    /// Where the next message begins within `length` octets that hold several, as a compound of SMB does; `message` has the
    /// first of them.
    pub fn next_message(self, message: &[u8], length: usize) -> Option<usize> {
        let next = match self {
            Application::Smb => smb::next_message(message),
            Application::Dnp3 => dnp3::next_message(message),
            Application::Ldap => ldap::next_message(message),
            _ => None,
        };
        next.filter(|next| (1..length).contains(next))
    }

    /// Whether octets of a TCP stream are too few to say whether a message begins with them, and how long it is.
    pub fn is_cut(self, octets: &[u8]) -> bool {
        let least = match self {
            Application::Http | Application::Sip => return text::is_cut(octets),
            Application::Modbus => modbus::header(octets),
            Application::Mqtt => return mqtt::is_cut(octets),
            Application::Ldap => return ldap::is_cut(octets),
            Application::PostgreSql => postgresql::header(octets),
            Application::Probe => probe::wire::HEADER_LENGTH,
            Application::Smb | Application::OpcUa => 8,
            Application::Rpc | Application::Enip | Application::S7 | Application::Kafka | Application::MySql => 4,
            Application::Dnp3 => 3,
            Application::Dns | Application::Iec104 => 2,
            _ => 0,
        };
        octets.len() < least
    }

    /// Whether a message that lacks its end may say something else with more of its octets.
    pub fn may_change(self, to_server: bool, message: &[u8]) -> bool {
        match self {
            Application::Http | Application::Sip => text::head(message).is_none(),
            Application::Enip if enip::may_change(message) => true,
            Application::Kafka if kafka::may_change(to_server, message) => true,
            _ => self.read(Some(to_server), message) == Message::Other,
        }
    }

    /// What is said of messages that are encrypted.
    pub const fn encrypted(self) -> &'static str {
        match self {
            Application::Ldap => "Messages of LDAP are encrypted (SASL): what they ask and answer is not counted.",
            _ => "Messages are encrypted: what they ask and answer is not counted.",
        }
    }

    /// The first message in the octets of a TCP stream; `None` if no message begins here.
    pub fn stream_message(self, octets: &[u8]) -> Option<Framed> {
        match self {
            Application::Dns => dns::frame(octets),
            Application::Modbus => modbus::frame(octets),
            Application::Probe => simple::probe_frame(octets),
            Application::Rpc => rpc::frame(octets),
            Application::Smb => smb::frame(octets),
            Application::Sip => sip::frame(octets),
            Application::Enip => enip::frame(octets),
            Application::Dnp3 => dnp3::frame(octets),
            Application::Iec104 => iec104::frame(octets),
            Application::S7 => s7::frame(octets),
            Application::Mqtt => mqtt::frame(octets),
            Application::Ldap => ldap::frame(octets),
            Application::Kafka => kafka::frame(octets),
            Application::OpcUa => opcua::frame(octets),
            Application::Http => http::frame(octets),
            Application::PostgreSql => postgresql::frame(octets),
            Application::MySql => mysql::frame(octets),
            Application::Echo
            | Application::Ntp
            | Application::Stamp
            | Application::Bacnet
            | Application::Radius
            | Application::Dhcp
            | Application::Snmp => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_message_is_read_without_a_panic(
            octets in proptest::collection::vec(any::<u8>(), 0..150), to_server: Option<bool>,
        ) {
            read_all(&octets, to_server)?;
        }

        #[test]
        fn any_message_behind_a_beginning_that_applications_recognize_is_read_without_a_panic(
            begin in proptest::sample::select(BEGINNINGS), octets in proptest::collection::vec(any::<u8>(), 0..150),
            to_server: Option<bool>,
        ) {
            read_all(&[begin, &octets].concat(), to_server)?;
        }
    }

    const BEGINNINGS: &[&[u8]] = &[
        b"INVITE sip:a SIP/2.0\r\nVia: ",
        b"SIP/2.0 200 OK\r\nCSeq: 1 INVITE\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: ",
        b"GET / HTTP/1.1\r\n",
        &[0, 0, 0, 90, 0xfe, b'S', b'M', b'B', 64, 0],
        &[0, 0, 0, 90, 0xff, b'S', b'M', b'B'],
        &[0x80, 0, 0, 90, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2],
        &[5, 0x64, 20, 0xc4],
        &[0x68, 14, 0, 0, 0, 0, 100, 1, 6],
        &[3, 0, 0, 90, 2, 0xf0, 0x80, 0x32],
        &[0x6f, 0, 40, 0],
        &[0x30, 40, 2, 1],
        &[0x30, 0x84, 0, 0, 0, 90, 2, 4],
        &[0, 0, 0, 90, 5, 4, 0, 0xff, 0, 12, 0, 12],
        &[0, 0, 0, 90, 0x60, 80, 6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2, 2, 1],
        &[0, 0, 0, 90, 1, 0, 0, 0],
        &[0, 7, 0, 0, 4, 1, 1, 90],
        &[0x16, 0x82, 0, 7],
        b"MSGF\x50\x00\x00\x00",
        &[0x81, 10, 0, 20, 1, 4],
        &[0x32, 30, 0],
        b"Q\x00\x00\x00",
    ];

    fn read_all(octets: &[u8], to_server: Option<bool>) -> Result<(), TestCaseError> {
        Application::of_datagram(octets);
        Application::of_stream(octets);
        for application in Application::ALL {
            application.read(to_server, octets);
            application.direction(octets);
            application.direction_in_stream(octets);
            application.is_cut(octets);
            application.may_change(true, octets);
            if let Some(next) = application.next_message(octets, octets.len()) {
                prop_assert!(next > 0 && next < octets.len(), "{:?}", application);
            }
            if let Some(framed) = application.stream_message(octets) {
                prop_assert!(framed.header < framed.length, "{:?}", application);
            }
        }
        Ok(())
    }
}
