//! Writes the routers and hosts of a scenario.

use std::net::IpAddr;

use sojourn_capture::Service;
use sojourn_protocols::tcp::wire::Options as TcpOptions;

use super::super::document::{Document, Inline, span};
use super::connection::Connection;
use super::flows::Echo;
use super::keys::{costs, station, tcp};
use super::path::trips;
use super::write::{NO_PROCESSING, Writer, medium_name};

/// Receive buffer of a host of today by default, octets, and the share below which another is stated.
const RECEIVE_BUFFER: f64 = 4.0 * 1024.0 * 1024.0;
const SMALLER: f64 = 0.9;
/// The same of the TCP of 4.4BSD.
const BSD95_BUFFER: f64 = 65_535.0;

impl Writer<'_> {
    /// The routers at both ends of the shared link.
    pub(super) fn routers(&self, document: &mut Document) {
        for (side, accesses) in self.layout.sides.iter().enumerate() {
            let media = (0..accesses.len()).map(|number| medium_name(side, number));
            let on: Vec<String> = std::iter::once("link".to_owned()).chain(media).collect();
            document.table(station::TABLE);
            document.set(station::NAME, ["router-left", "router-right"][side]);
            document.set(station::TYPE, "router");
            document.set(station::ON, on);
        }
    }

    /// A host on a link.
    pub(super) fn host(&self, medium: &str, host: IpAddr, document: &mut Document) {
        let who = if self.anonymise { String::new() } else { format!(": {host}") };
        let sent = self.survey.hosts.get(&host).map_or(0, |host| host.packets);
        document.table_of(station::TABLE, format!("A host that sent {sent} packets{who}."));
        document.set(station::NAME, &self.names[&host]);
        document.set(station::ON, vec![medium.to_owned()]);
        self.processing(host, document);
        self.tcp(host, document);
    }

    /// What a server takes beyond what its system takes to answer.
    fn processing(&self, host: IpAddr, document: &mut Document) {
        let own = self.flows.echoes.iter().filter(|echo| echo.key.server == host && echo.key.service != Service::Echo);
        let times = own.filter_map(|echo| self.server_time(echo).map(|time| (time, echo)));
        let Some((time, echo)) = times.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|found| found.0 > NO_PROCESSING)
        else {
            return;
        };
        if self.flows.transfers.iter().any(|transfer| transfer.from == host || transfer.to == host) {
            return document.comment(format!(
                "It takes {} to answer beyond what its TCP takes; left out, since the packets of its transfers would take it \
                 too.",
                span(time)
            ));
        }
        document.comment(format!(
            "The shortest of {} responses is so much longer than what the system of the host takes to answer: from a request's \
             last byte to the first of the answer.",
            echo.exchanges.answers(),
        ));
        document.set(station::COSTS, Inline::default().with(costs::PACKET, time));
    }

    /// The shortest response of a program less the shortest of its host's system, s; `None` where one is not known.
    pub(super) fn server_time(&self, echo: &Echo<'_>) -> Option<f64> {
        let system = trips(self.survey, echo.key.server, echo.key.client).shortest()?;
        let response = echo.exchanges.responses.shortest()?;
        let line = self.link.line;
        let less = system.seconds + line.time(response.octets) - line.time(system.octets);
        Some((response.seconds - less).max(0.0))
    }

    /// TCP parameters of a host that ends transfers, or of one that has requests over TCP.
    fn tcp(&self, host: IpAddr, document: &mut Document) {
        let own = self.flows.transfers.iter().find(|transfer| transfer.from == host || transfer.to == host);
        let Some(transfer) = own else { return self.options(host, document) };
        let is_sender = transfer.from == host;
        let side = if is_sender { transfer.sending() } else { transfer.receiving() };
        let (mut keys, mut default) = (Inline::default(), RECEIVE_BUFFER);
        match side.syn {
            Some(options) => {
                document.comment(how(&options));
                keys = profile(&options);
                if is_bsd95(&options) {
                    default = BSD95_BUFFER;
                }
                if f64::from(transfer.receiving().segment_size()) + 40.0 < self.link.line.mtu {
                    keys = keys.with(tcp::MSS, f64::from(transfer.receiving().segment_size()));
                }
            }
            None => document.comment("Its TCP options were exchanged before the capture: defaults of today."),
        }
        let is_scaled = transfer.connection.sides.iter().all(|side| side.syn.is_some());
        let window = side.window as f64;
        if !is_sender && is_scaled && window > 0.0 && (window < SMALLER * default || window * SMALLER > default) {
            document.comment("The largest window that it announced.");
            keys = keys.with(tcp::RECEIVE_BUFFER, window);
        }
        if is_sender {
            let control = match transfer.exceeds_loss_based_control() {
                true => {
                    "It sent more than twice as fast as congestion control by losses allows at its losses and RTT (Mathis, \
                         1997): probably BBR, which the kind does not have; the twin is slower."
                }
                false => "Congestion control does not show: the default of the profile.",
            };
            document.comment(format!("{control} Most octets in flight as seen here: {}.", side.in_flight));
        }
        if !keys.is_empty() {
            document.set(station::TCP, keys);
        }
    }

    /// The options of a host's TCP by the first SYN of its requests.
    fn options(&self, host: IpAddr, document: &mut Document) {
        let side = |connection: &Connection| {
            let at = [connection.client.address, connection.server.address].iter().position(|of| *of == host)?;
            connection.sides[at].syn
        };
        let Some(options) = self.flows.connections().find_map(side) else { return };
        let keys = profile(&options);
        if !keys.is_empty() {
            document.set_because(station::TCP, keys, how(&options));
        }
    }
}

/// Whether a SYN has no option that came after 1990.
fn is_bsd95(options: &TcpOptions) -> bool {
    options.window_scale.is_none() && !options.sack_permitted && options.timestamps.is_none()
}

/// The keys of a host's TCP from the options of its SYN.
fn profile(options: &TcpOptions) -> Inline {
    if is_bsd95(options) {
        return Inline::default().with(tcp::PROFILE, "bsd95");
    }
    let TcpOptions { window_scale, sack_permitted, timestamps, .. } = *options;
    let absent = [
        (tcp::WINDOW_SCALING, window_scale.is_some()),
        (tcp::SACK, sack_permitted),
        (tcp::TIMESTAMPS, timestamps.is_some()),
    ];
    absent.into_iter().filter(|(_, present)| !present).fold(Inline::default(), |keys, (key, _)| keys.with(key, false))
}

/// How they were inferred.
fn how(options: &TcpOptions) -> &'static str {
    match is_bsd95(options) {
        true => "Its SYN has no options of today: the TCP of 4.4BSD.",
        false => "The options of its SYN.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Written;

    #[test]
    fn a_syn_without_options_is_one_of_the_nineties() {
        assert_eq!(profile(&TcpOptions::default()).written(), "{ profile = \"bsd95\" }");
        let without_sack =
            TcpOptions { window_scale: Some(7), timestamps: Some(Default::default()), ..Default::default() };
        assert_eq!(profile(&without_sack).written(), "{ sack = false }");
    }
}
