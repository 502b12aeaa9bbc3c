//! Packets of NET/ROM from what axlisten and BPQ print of them.
//!
//! Sources: `listen/nrdump.c` of ax25-apps; `Moncode.c` (`DISPLAY_NETROM`) of LinBPQ.

use sojourn_protocols::ax25::wire::Address;
use sojourn_protocols::netrom::wire::{Body, CircuitNumber, Flow, Packet};

use super::ax25::callsign;

/// A packet whose user data follow in further lines.
pub(super) type Headed = Packet<&'static [u8]>;

/// The ends and the time to live of a packet, whose transport header is in a later line or behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    origin: Address,
    destination: Address,
    ttl: u8,
}

impl Route {
    fn packet(self, body: Body<&'static [u8]>) -> Headed {
        let Route { origin, destination, ttl } = self;
        Packet { origin, destination, ttl, body }
    }

    /// `NET/ROM: ORIGIN->DESTINATION ttl 15` of axlisten.
    pub fn of_axlisten(line: &str) -> Option<Route> {
        let (ends, ttl) = line.strip_prefix("NET/ROM: ")?.trim_end().split_once(" ttl ")?;
        let (origin, destination) = ends.split_once("->")?;
        Route::of(origin, destination, ttl)
    }

    fn of(origin: &str, destination: &str, ttl: &str) -> Option<Route> {
        Some(Route { origin: callsign(origin).ok()?, destination: callsign(destination).ok()?, ttl: ttl.parse().ok()? })
    }

    /// The transport header of axlisten: `         info: ur ckt 01/06 txseq 0 rxseq 0 MORE`.
    pub fn transport_of_axlisten(self, line: &str) -> Option<Headed> {
        let (kind, fields) = line.trim().split_once(':')?;
        let words: Vec<&str> = fields.split_whitespace().collect();
        let circuit = |whose: &str| {
            let place = words.windows(2).position(|pair| pair == [whose, "ckt"])?;
            let (index, id) = words.get(place + 2)?.split_once('/')?;
            Some(CircuitNumber { index: octet(index)?, id: octet(id)? })
        };
        let number = |name: &str| -> Option<u8> {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place + 1)?.parse().ok()
        };
        let has = |flag: &str| words.contains(&flag);
        let flow = Flow { choke: has("CHOKE"), nak: has("NAK") };
        Some(self.packet(match kind {
            "conn rqst" => {
                let (user, node) = words.iter().find_map(|word| word.split_once('@'))?;
                let timeout_s = words.iter().position(|word| *word == "timeout");
                Body::ConnectRequest {
                    circuit: circuit("my")?,
                    window: number("wnd")?,
                    user: callsign(user).ok()?,
                    node: callsign(node).ok()?,
                    timeout_s: timeout_s.and_then(|place| words.get(place + 1)?.parse().ok()),
                }
            }
            "conn ack" if flow.choke => Body::ConnectRefusal { circuit: circuit("ur")? },
            "conn ack" => {
                let (circuit, own, window) = (circuit("ur")?, circuit("my")?, number("wnd")?);
                Body::ConnectAcknowledge { circuit, own, window, ttl: None }
            }
            "disc" => Body::DisconnectRequest { circuit: circuit("ur")? },
            "disc ack" => Body::DisconnectAcknowledge { circuit: circuit("ur")? },
            "info" => {
                let (tx_sequence, rx_sequence) = (number("txseq")?, number("rxseq")?);
                Body::Information {
                    circuit: circuit("ur")?,
                    tx_sequence,
                    rx_sequence,
                    flow,
                    more: has("MORE"),
                    data: &[],
                }
            }
            "info ack" => Body::InformationAcknowledge { circuit: circuit("ur")?, rx_sequence: number("rxseq")?, flow },
            _ => return None,
        }))
    }
}

/// The line of BPQ: `  ORIGIN to DESTINATION ttl 25 cct=0A53  <INFO S21 R2>M:`.
pub(super) fn of_bpq(line: &str) -> Option<Headed> {
    let (route, transport) = line.trim().split_once('<')?;
    let (operation, behind) = transport.split_once('>')?;
    let words: Vec<&str> = route.split_whitespace().collect();
    let &[origin, "to", destination, "ttl", ttl, circuit] = words.as_slice() else { return None };
    let route = Route::of(origin, destination, ttl)?;
    let circuit = circuit_of_bpq(circuit.strip_prefix("cct=")?)?;
    let behind_words: Vec<&str> = behind.split_whitespace().collect();
    let flags = behind_words.first().map_or("", |flags| flags.trim_end_matches(':'));
    let flow = Flow { choke: flags.contains('B'), nak: flags.contains('N') };
    let number = |prefix: char| -> Option<u8> {
        operation.split_whitespace().find_map(|word| word.strip_prefix(prefix)?.parse().ok())
    };
    let window = || behind_words.iter().find_map(|word| word.strip_prefix("w=")?.parse().ok());
    let kind = operation.split_whitespace().take_while(|word| !word.ends_with(|c: char| c.is_ascii_digit()));
    let body: Body<&'static [u8]> = match kind.collect::<Vec<_>>().join(" ").as_str() {
        "CON REQ" | "CON REQX" => {
            let at = behind_words.iter().position(|word| *word == "at")?;
            let user = behind_words.get(at.checked_sub(1)?)?;
            let user = user.rsplit('@').next()?;
            let timeout = behind_words.iter().position(|word| *word == "t/o");
            Body::ConnectRequest {
                circuit,
                window: window()?,
                user: callsign(user).ok()?,
                node: callsign(behind_words.get(at + 1)?).ok()?,
                timeout_s: timeout.and_then(|place| behind_words.get(place + 1)?.parse().ok()),
            }
        }
        "CON NAK" => Body::ConnectRefusal { circuit },
        "CON ACK" => {
            let own = behind_words.iter().find_map(|word| circuit_of_bpq(word.strip_prefix("cct=")?))?;
            Body::ConnectAcknowledge { circuit, own, window: window()?, ttl: None }
        }
        "DISC REQ" => Body::DisconnectRequest { circuit },
        "DISC ACK" => Body::DisconnectAcknowledge { circuit },
        "RESET" => Body::Reset { circuit, own: CircuitNumber::default() },
        "INFO" => {
            let (tx_sequence, rx_sequence) = (number('S')?, number('R')?);
            Body::Information { circuit, tx_sequence, rx_sequence, flow, more: flags.contains('M'), data: &[] }
        }
        "INFO ACK" => Body::InformationAcknowledge { circuit, rx_sequence: number('R')?, flow },
        _ => return None,
    };
    Some(route.packet(body))
}

/// Index and identifier in four hexadecimal digits.
fn circuit_of_bpq(text: &str) -> Option<CircuitNumber> {
    Some(CircuitNumber { index: octet(text.get(..2)?)?, id: octet(text.get(2..)?)? })
}

fn octet(text: &str) -> Option<u8> {
    u8::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(packet: Option<Headed>) -> Body<&'static [u8]> {
        packet.expect("a packet").body
    }

    #[test]
    fn axlisten_prints_the_transport_header_behind_the_route() {
        let route = Route::of_axlisten("NET/ROM: KB8ZQZ-14->N8HEE-10 ttl 15").unwrap();
        let found =
            route.transport_of_axlisten("         conn rqst: my ckt 01/06 wnd 4 KB8ZQZ-14@KB8ZQZ-14 timeout 120");
        assert_eq!(
            found.unwrap().to_bytes()[15..],
            [
                1, 6, 0, 0, 1, 4, 0x96, 0x84, 0x70, 0xb4, 0xa2, 0xb4, 0x7c, 0x96, 0x84, 0x70, 0xb4, 0xa2, 0xb4, 0x7c,
                120, 0
            ]
        );
        let circuit = CircuitNumber { index: 1, id: 6 };
        let refused = route.transport_of_axlisten("         conn ack: ur ckt 01/06 my ckt 00/00 wnd 4 CHOKE");
        assert_eq!(body(refused), Body::ConnectRefusal { circuit });
        let acknowledged = route.transport_of_axlisten("         info ack: ur ckt 01/06 rxseq 255 NAK");
        let flow = Flow { choke: false, nak: true };
        assert_eq!(body(acknowledged), Body::InformationAcknowledge { circuit, rx_sequence: 255, flow });
        assert_eq!(route.transport_of_axlisten("         unknown transport type 9"), None);
    }

    #[test]
    fn bpq_prints_route_and_transport_header_in_one_line() {
        let circuit = CircuitNumber { index: 0x0a, id: 0x53 };
        let found = body(of_bpq("  WA3WLH-15 to PE1NNZ-3 ttl 25 cct=0A53  <INFO S21 R2>BM:"));
        let flow = Flow { choke: true, nak: false };
        assert_eq!(
            found,
            Body::Information { circuit, tx_sequence: 21, rx_sequence: 2, flow, more: true, data: &[][..] }
        );
        let found = body(of_bpq("  A to B-2 ttl 7 cct=0A53 <CON REQ> w=4 G8BPQ at G8BPQ-2 t/o 60"));
        let Body::ConnectRequest { window: 4, user, node, timeout_s: Some(60), .. } = found else {
            panic!("{found:?}")
        };
        assert_eq!((user.to_string().as_str(), node.to_string().as_str()), ("G8BPQ", "G8BPQ-2"));
        let own = CircuitNumber { index: 0x16, id: 0x53 };
        let found = body(of_bpq("  A to B-2 ttl 7 cct=0A53  <CON ACK> w=4 my cct=1653"));
        assert_eq!(found, Body::ConnectAcknowledge { circuit, own, window: 4, ttl: None });
        let found = body(of_bpq("  A to B-2 ttl 7 cct=0A53  <INFO ACK R25> "));
        assert_eq!(found, Body::InformationAcknowledge { circuit, rx_sequence: 25, flow: Flow::default() });
        assert_eq!(of_bpq("  A to B ttl 7 cct=0A53  <???>"), None);
    }
}
