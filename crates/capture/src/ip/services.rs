//! Ports that common services listen on: those of the registry of IANA that matter in captures, and a few in customary use.
//! They are stronger evidence than the whole of the registry, which has most ports of clients below 5000 as well.
//!
//! Source: IANA, Service Name and Transport Protocol Port Number Registry (RFC 6335), as of 2024. Where the registry has
//! another name than that of the program which listens there by custom, the comment says so. Ports of clients, such as that
//! of DHCP, and those of streams without requests are left out.

use sojourn_protocols::{probe, stamp};

/// From here on ports are dynamic (RFC 6335, 6): no service is registered there.
pub const DYNAMIC_PORTS: u16 = 49_152;

/// The service of a port over TCP.
pub fn of_tcp_port(port: u16) -> Option<&'static str> {
    find(&TCP, port).or((port == probe::DEFAULT_PORT).then_some("sojourn"))
}

/// The service of a port over UDP.
pub fn of_udp_port(port: u16) -> Option<&'static str> {
    match port {
        stamp::PORT => Some("stamp"),
        probe::DEFAULT_PORT => Some("sojourn"),
        _ => find(&UDP, port),
    }
}

fn find(services: &[(u16, &'static str)], port: u16) -> Option<&'static str> {
    services.binary_search_by_key(&port, |(port, _)| *port).ok().map(|index| services[index].1)
}

/// By port.
#[rustfmt::skip]
const TCP: [(u16, &str); 109] = [
    (7, "echo"), (9, "discard"), (13, "daytime"), (19, "chargen"), (20, "ftp-data"), (21, "ftp"), (22, "ssh"), (23, "telnet"),
    (25, "smtp"), (37, "time"), (43, "whois"), (49, "tacacs"), (53, "domain"), (70, "gopher"), (79, "finger"), (80, "http"),
    (88, "kerberos"), (102, "iso-tsap"), (104, "acr-nema"), (110, "pop3"), (111, "sunrpc"), (113, "ident"), (119, "nntp"),
    (135, "epmap"), (139, "netbios-ssn"), (143, "imap"), (179, "bgp"), (389, "ldap"), (427, "svrloc"), (443, "https"),
    (445, "microsoft-ds"), (464, "kpasswd"), (465, "submissions"), (502, "mbap"), (514, "shell"), (515, "printer"),
    (548, "afpovertcp"), (554, "rtsp"), (563, "nntps"), (587, "submission"), (593, "http-rpc-epmap"), (631, "ipp"),
    (636, "ldaps"), (802, "mbap-s"), (830, "netconf-ssh"), (853, "domain-s"), (873, "rsync"), (989, "ftps-data"),
    (990, "ftps"), (993, "imaps"), (995, "pop3s"), (1080, "socks"), (1194, "openvpn"), (1433, "ms-sql-s"),
    // the listener of Oracle; registered as ncube-lm
    (1521, "oracle"),
    (1720, "h323hostcall"), (1723, "pptp"), (1883, "mqtt"), (2049, "nfs"), (2083, "radsec"),
    (2222, "EtherNet-IP-1"), (2404, "iec-104"), (3128, "squid"), (3260, "iscsi-target"), (3268, "msft-gc"), (3269, "msft-gc-ssl"),
    (3306, "mysql"), (3389, "ms-wbt-server"), (3690, "svn"), (3868, "diameter"), (4369, "epmd"), (4840, "opcua-tcp"),
    (4843, "opcua-tls"), (5060, "sip"), (5061, "sips"), (5094, "hart-ip"), (5222, "xmpp-client"), (5269, "xmpp-server"),
    (5432, "postgresql"), (5671, "amqps"), (5672, "amqp"), (5900, "rfb"), (5985, "wsman"), (5986, "wsmans"), (6000, "x11"),
    (6379, "redis"), (6514, "syslog-tls"), (6653, "openflow"), (6667, "ircu"), (8000, "irdmi"), (8080, "http-alt"),
    (8443, "pcsync-https"), (8883, "secure-mqtt"),
    // Apache Kafka; registered as XmlIpcRegSvc
    (9092, "kafka"),
    (9100, "pdl-datastream"),
    // Elasticsearch; registered as wap-wsp
    (9200, "elasticsearch"),
    (9418, "git"),
    // FINS of OMRON; registered as micromuse-ncpw
    (9600, "fins"),
    (10_161, "snmptls"), (11_112, "dicom"), (11_211, "memcache"),
    // SRTP of GE, not registered
    (18_245, "ge-srtp"),
    (19_999, "dnp-sec"), (20_000, "dnp"), (27_017, "mongodb"), (34_964, "profinet-cm"), (41_794, "crestron-cip"),
    (44_818, "EtherNet-IP-2"), (48_898, "tc_ads_discovery"),
];

/// By port.
#[rustfmt::skip]
const UDP: [(u16, &str); 63] = [
    (7, "echo"), (9, "discard"), (13, "daytime"), (19, "chargen"), (37, "time"), (49, "tacacs"), (53, "domain"),
    (67, "bootps"), (69, "tftp"), (88, "kerberos"), (111, "sunrpc"), (123, "ntp"), (135, "epmap"), (137, "netbios-ns"),
    (138, "netbios-dgm"), (161, "snmp"), (162, "snmptrap"), (319, "ptp-event"), (320, "ptp-general"), (389, "ldap"),
    (427, "svrloc"), (443, "https"), (464, "kpasswd"), (500, "isakmp"), (514, "syslog"), (520, "router"),
    (547, "dhcpv6-server"), (623, "asf-rmcp"), (853, "domain-s"), (1194, "openvpn"), (1434, "ms-sql-m"),
    (1628, "lontalk-norm"), (1629, "lontalk-urgnt"),
    // RADIUS before RFC 2865; registered as sightline and sa-msg-port
    (1645, "radius"), (1646, "radius-acct"),
    (1701, "l2tp"), (1719, "h323gatestat"), (1812, "radius"), (1813, "radius-acct"), (1900, "ssdp"), (2049, "nfs"),
    (2123, "gtp-control"), (2152, "gtp-user"), (2222, "EtherNet-IP-1"), (3478, "stun"),
    // KNXnet/IP; registered as efcp
    (3671, "knxnet-ip"),
    (3702, "ws-discovery"), (3799, "radius-dynauth"), (4500, "ipsec-nat-t"), (4739, "ipfix"), (4789, "vxlan"),
    (5060, "sip"), (5094, "hart-ip"), (5353, "mdns"), (5355, "llmnr"), (5683, "coap"), (5684, "coaps"), (6343, "sflow"),
    // FINS of OMRON; registered as micromuse-ncpw
    (9600, "fins"),
    (20_000, "dnp"), (34_964, "profinet-cm"), (44_818, "EtherNet-IP-2"), (47_808, "bacnet"),
];

#[cfg(test)]
mod tests {
    use super::super::application::Application;
    use super::*;

    #[test]
    fn services_are_by_port_and_each_once() {
        assert!(TCP.is_sorted_by(|(one, _), (other, _)| one < other));
        assert!(UDP.is_sorted_by(|(one, _), (other, _)| one < other));
        assert_eq!(
            (of_udp_port(2049), of_tcp_port(44_818), of_udp_port(796)),
            (Some("nfs"), Some("EtherNet-IP-2"), None)
        );
    }

    #[test]
    fn every_port_of_an_application_is_that_of_a_service() {
        for port in 0..=u16::MAX {
            assert!(Application::of_tcp_port(port).is_none() || of_tcp_port(port).is_some(), "TCP {port}");
            assert!(Application::of_udp_port(port).is_none() || of_udp_port(port).is_some(), "UDP {port}");
        }
    }
}
