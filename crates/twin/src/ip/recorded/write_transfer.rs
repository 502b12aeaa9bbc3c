//! Writes transfers at the rates that their senders kept: a host of its own for each sender, flows, and when they stop.

use super::super::super::document::{BitRate, Document, Inline, span};
use super::super::keys::{flow, shaping, station, tcp};
use super::transfers::{BURST, Transfer};
use super::write::{LEFT, Stop, Writer};

/// Segments of the initial window of a host of today (RFC 6928).
const INITIAL_WINDOW: u64 = 10;
/// Packets that a shaper holds by default, and at most.
const WAITING: [u64; 2] = [1000, 10_000_000];
/// The largest rate of a shaper, bit/s.
const FASTEST: f64 = 1e12;
/// A transfer whose last data come within this share of the capture before its end has no end of its own.
const END: f64 = 0.01;

impl Writer<'_> {
    /// The senders of transfers.
    pub(super) fn transfer_stations(&self, document: &mut Document) {
        for (number, transfer) in self.recorded.transfers.iter().enumerate() {
            let round_trip = self.round_trip(transfer);
            let who = if self.options.anonymise { String::new() } else { format!(": {}", transfer.hosts().0) };
            document.table_of(station::TABLE, format!("The sender of a transfer{who}."));
            document.set(station::NAME, self.sender(number));
            let on = if transfer.is_upload() { LEFT.to_owned() } else { self.medium_of(transfer.hosts().0) };
            document.set(station::ON, vec![on]);
            document.comment(
                "It has in flight what its rate needs, from the start: how its congestion window grew is part of the rate.",
            );
            let mut keys = Inline::default().with(tcp::SEND_BUFFER, transfer.in_flight(round_trip));
            if transfer.window(round_trip) > INITIAL_WINDOW {
                keys = keys.with(tcp::INITIAL_CWND, transfer.window(round_trip));
            }
            document.set(station::TCP, keys);
        }
    }

    /// The flows of those that answer no request and are none; those that end before the capture does.
    pub(super) fn transfers(&self, document: &mut Document) -> Vec<Stop> {
        for (number, transfer) in self.bulk() {
            let (connection, side) = (transfer.connection, transfer.side());
            document.table_of(
                flow::TABLE,
                format!(
                    "TCP port {}: {} B of data in {}, which answer no request.",
                    connection.server.port,
                    side.octets,
                    span(side.seconds())
                ),
            );
            document.set(flow::NAME, flow_name(number));
            document.set(flow::SERVICE, "bulk");
            let (client, server) = (connection.client.address, connection.server.address);
            document.set(flow::FROM, self.sender(number));
            document.set(flow::TO, if transfer.is_upload() { &self.servers[&server] } else { &self.clients[&client] });
            let first = self.first(transfer);
            // data follow the handshake, and beside the client come a path later
            let before = match (connection.has_begun, transfer.is_upload()) {
                (true, true) => 1.0,
                (true, false) => 1.5,
                (false, true) => 0.0,
                (false, false) => 0.5,
            } * self.round_trip(transfer);
            match connection.has_begun {
                true => document.set_because(flow::CONNECTION, "handshake", "Its handshake was captured."),
                false => document.set_because(flow::CONNECTION, "established", "No handshake of it was captured."),
            }
            self.rate(transfer, document);
            document.set(flow::START, (first - before).max(0.0));
            document.set(flow::START_SPREAD, 0.0);
        }
        self.bulk().filter_map(|(number, transfer)| self.stop(number, transfer)).collect()
    }

    /// The rate that a sender kept.
    pub(super) fn rate(&self, transfer: &Transfer<'_>, document: &mut Document) {
        let Some(rate) = transfer.rate() else { return };
        document.comment(format!(
            "Its sender kept this rate in the mean: {} B in {}. Whether its program, its TCP or a link elsewhere limited it does \
             not show: it does not react to a faster link, and a slower one slows it down as TCP is slowed down.",
            transfer.side().octets,
            span(transfer.side().seconds())
        ));
        let waiting = transfer.packets().clamp(WAITING[0], WAITING[1]);
        let keys = Inline::default().with(shaping::RATE, BitRate::Limit(rate.min(FASTEST)));
        document.set(flow::SHAPING, keys.with(shaping::BURST, BURST).with(shaping::LIMIT, waiting));
    }

    /// When a bulk transfer stops, where it does so before the capture.
    fn stop(&self, number: usize, transfer: &Transfer<'_>) -> Option<Stop> {
        let first = self.first(transfer);
        let lasts = first + transfer.side().seconds() >= (1.0 - END) * self.survey.seconds();
        let at = first + transfer.stops_after(self.round_trip(transfer));
        let why = "Its last data: the sender has written ahead what is in flight.";
        (!lasts).then(|| Stop { flow: flow_name(number), at, why })
    }

    /// The host that sends a transfer, by its place.
    pub(super) fn sender(&self, number: usize) -> String {
        let from = self.recorded.transfers[number].hosts().0;
        format!("{}-{}", self.host_name(from), flow_name(number))
    }

    fn bulk(&self) -> impl Iterator<Item = (usize, &Transfer<'_>)> {
        self.recorded.transfers.iter().enumerate().filter(|(_, transfer)| transfer.exchange.is_none())
    }

    fn first(&self, transfer: &Transfer<'_>) -> f64 {
        transfer.side().first.map_or(0.0, |first| self.survey.since_begin(first))
    }

    /// From its client to its server and back, s.
    fn round_trip(&self, transfer: &Transfer<'_>) -> f64 {
        2.0 * self.delay(transfer.connection.server.address)
    }
}

fn flow_name(number: usize) -> String {
    format!("transfer-{}", number + 1)
}
