//! Writes what nodes and switches have above AX.25: NET/ROM and ROSE.

use sojourn_protocols::ax25::wire::Address as Callsign;

use super::super::document::{Document, Inline, span};
use super::access::processing;
use super::keys::{netrom, rose, station};
use super::stations::Role;
use super::write::Writer;

impl Writer<'_> {
    /// A node of NET/ROM.
    pub fn node(&self, callsign: Callsign, number: usize, document: &mut Document) {
        let keys = Inline::default().with(netrom::ALIAS, format!("NODE{number}")).with(netrom::RADIO_QUALITY, 255_u64);
        document.comment(
            "Routes lead where the capture shows them to: qualities of 255 are an assumption, and routing tables start filled.",
        );
        let interval = match self.upper.nodes_interval() {
            Some((interval, seen)) => {
                document.comment(format!("{seen} intervals between its or other nodes' NODES broadcasts show theirs."));
                interval
            }
            None => {
                document.comment("No NODES broadcasts follow each other: none are sent.");
                0.0
            }
        };
        let mut keys = keys.with(netrom::NODES_INTERVAL, interval);
        if let Some((window, circuits)) = self.upper.window {
            document.comment(format!("The window that {circuits} connect acknowledges state."));
            keys = keys.with(netrom::WINDOW, u64::from(window.clamp(1, 127)));
        }
        if let Some(timeout) = self.upper.timeout.filter(|timeout| *timeout > 0) {
            document.comment("The timeout that connect requests state.");
            keys = keys.with(netrom::TIMEOUT, f64::from(timeout));
        }
        if let Some((delay, count)) = self.upper.ack_delay(callsign) {
            document.comment(format!(
                "{count} acknowledgements without data were sent {} after data or later: the next whole second, as timers run.",
                span(delay.max(0.0)),
            ));
            keys = keys.with(netrom::ACK_DELAY, (delay - processing(Role::Node)).ceil().max(0.0));
        }
        document.set(station::NETROM, keys);
    }

    /// A switch of ROSE.
    pub fn switch(&self, callsign: Callsign, number: usize, document: &mut Document) {
        let known = self.upper.addresses.get(&callsign).filter(|_| !self.options.anonymise);
        let address: String = match known {
            Some(digits) => {
                document.comment("The address of its users in call requests.");
                digits.iter().map(|digit| char::from(b'0' + digit % 10)).collect()
            }
            None => format!("3300{number:06}"),
        };
        let mut keys = Inline::default().with(rose::ADDRESS, address);
        if self.upper.packet_size > 256 {
            document.comment("The most data of a packet.");
            keys = keys.with(rose::PACKET_SIZE, self.upper.packet_size as f64);
        }
        document.set(station::ROSE, keys);
    }
}
