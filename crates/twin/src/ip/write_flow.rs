//! Writes the flows of a scenario: requests, transfers over TCP and datagram streams.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::super::arrivals::{arrivals, of_stream};
use super::super::document::{Document, digits, span};
use super::flows::{Echo, Stream, Transfer};
use super::keys::flow;
use super::requests::{Opened, Requests};
use super::trips::{at, sorted};
use super::write::{NO_PROCESSING, SMEAR, Writer};

impl Writer<'_> {
    /// Requests over UDP or ICMP.
    pub(super) fn echo(&self, echo: &Echo<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let exchanges = echo.exchanges;
        let [request, answer, _] = echo.sizes();
        document.table_of(
            flow::TABLE,
            format!(
                "{}: {} requests, {} answers, response times {} in the median.",
                echo.key.service,
                exchanges.requests(),
                exchanges.answers(),
                span(at(&sorted(&exchanges.responses.times), 0.5)),
            ),
        );
        flow_head(echo.key.service.member(), "echo", counts, document);
        self.ends(echo.key.client, echo.key.server, document);
        document.set(flow::SIZE, libm::round(request.max(1.0)));
        if libm::fabs(request - answer) >= 1.0 && answer >= 1.0 {
            document.comment("The medians of requests and of answers differ.");
            document.set(flow::RESPONSE_SIZE, libm::round(answer));
        }
        self.pace(echo, exchanges.times.first(), document);
        if let Some(timeout) = echo.timeout().filter(|timeout| timeout.is_regular) {
            document.comment(format!(
                "From a request without an answer to the next request, less the think time, in the median of {} requests in \
                 view and {} that were lost before.",
                timeout.seen, timeout.unseen,
            ));
            document.set(flow::TIMEOUT, timeout.seconds);
        }
    }

    /// Requests over TCP.
    pub(super) fn requests(&self, of: &Requests<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let echo = Echo { key: of.key, exchanges: &of.exchanges };
        let [request, answer, _] = echo.sizes();
        document.table_of(
            flow::TABLE,
            format!(
                "{}: {} requests over {}, {} answers that began {} after them in the median.",
                of.key.service,
                of.exchanges.requests(),
                match of.connections.len() {
                    1 => "one connection".to_owned(),
                    several => format!("{several} connections"),
                },
                of.exchanges.answers(),
                span(at(&sorted(&of.exchanges.responses.times), 0.5)),
            ),
        );
        flow_head(of.key.service.member(), "request", counts, document);
        self.ends(of.key.client, of.key.server, document);
        document.comment("The medians of the data of requests and of answers.");
        document.set(flow::SIZE, request.max(1.0));
        document.set(flow::RESPONSE_SIZE, answer.max(1.0));
        self.server(&echo, document);
        let (connection, how) = match of.opened {
            Opened::Before => ("established", "It was open when the capture began."),
            Opened::Once => ("handshake", "Its handshake was captured."),
            Opened::PerRequest => ("per-request", "Most connections have one request."),
        };
        document.set_because(flow::CONNECTION, connection, how);
        self.pace(&echo, of.begin(), document);
    }

    /// What the server takes beyond what its TCP takes to acknowledge.
    fn server(&self, echo: &Echo<'_>, document: &mut Document) {
        let Some(least) = self.server_time(echo).filter(|least| *least > NO_PROCESSING) else { return };
        document.comment(format!(
            "The shortest of {} answers is so much later than what the server's TCP takes: from the last byte of a request to \
             the first of the answer.",
            echo.exchanges.answers(),
        ));
        document.set(flow::SERVER_TIME, least);
        if !self.flows.transfers.is_empty() {
            return;
        }
        let times = &echo.exchanges.responses;
        let spread = 2.0 * (at(&sorted(&times.times), 0.5) - times.least());
        if spread > NO_PROCESSING {
            document.comment("How much longer they take in the median, doubled: nothing else keeps them waiting here.");
            document.set(flow::SERVER_TIME_SPREAD, spread);
        }
    }

    /// A transfer over TCP.
    pub(super) fn transfer(&self, number: usize, transfer: &Transfer<'_>, document: &mut Document) {
        let connection = transfer.connection;
        let side = transfer.sending();
        document.table_of(
            flow::TABLE,
            format!(
                "TCP port {}: {} B of data in {}, {} segments of them sent again.",
                connection.server.port,
                side.octets,
                span(connection.end.since(connection.begin).seconds()),
                side.lost_before + side.lost_after,
            ),
        );
        document.set(flow::NAME, format!("transfer-{number}"));
        document.set(flow::SERVICE, "bulk");
        self.ends(transfer.from, transfer.to, document);
        if connection.has_begun {
            let begun = self.survey.since_begin(connection.begin);
            let before = 0.5 * self.layout.delay_between(transfer.from, transfer.to);
            document.comment("When its connection was opened. Whether a program limits it does not show.");
            document.set(flow::START, (begun - before).max(0.0));
        } else {
            document.comment("It was open when the capture began.");
            document.set(flow::CONNECTION, "established");
        }
        document.set(flow::START_SPREAD, 0.0);
    }

    /// Datagrams in one direction.
    pub(super) fn stream(&self, of: &Stream<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let first = self.survey.since_begin(of.times.first());
        let before = if self.survey.hops(of.from, of.to) > 0 { self.layout.delay_between(of.from, of.to) } else { 0.0 };
        let ends = (&self.names[&of.from], &self.names[&of.to]);
        stream(of, ends, (first - before).max(0.0), self.survey.seconds(), counts, document);
    }

    fn ends(&self, from: IpAddr, to: IpAddr, document: &mut Document) {
        document.set(flow::FROM, &self.names[&from]);
        document.set(flow::TO, &self.names[&to]);
    }
}

/// Datagrams in one direction between the hosts of these names, the first at `start`, in a capture of `seconds`: the name of the flow.
pub(super) fn stream(
    of: &Stream<'_>,
    (from, to): (&String, &String),
    start: f64,
    seconds: f64,
    counts: &mut BTreeMap<String, u32>,
    document: &mut Document,
) -> String {
    let found = of_stream(&arrivals(of.times, 1, seconds, SMEAR), of.times);
    let octets = of.octets.values();
    let mean = octets.iter().sum::<f64>() / octets.len().max(1) as f64;
    let about = format!("{}: {} datagrams that are not answered.", of.key.service, of.times.count());
    document.table_of(flow::TABLE, about);
    let name = flow_head(of.key.service.member(), "stream", counts, document);
    document.set(flow::FROM, from);
    document.set(flow::TO, to);
    let (least, most) =
        octets.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), octets| (least.min(*octets), most.max(*octets)));
    document.comment(match most > least {
        true => format!("The mean of datagrams of {} to {} B: the kind has one size.", digits(least), digits(most)),
        false => "All have as many bytes.".to_owned(),
    });
    document.set(flow::SIZE, libm::round(mean).max(1.0));
    document.set_because(flow::ARRIVALS, found.value, found.reason);
    document.set(flow::START, start);
    document.set(flow::START_SPREAD, 0.0);
    name
}

/// The first keys of a flow: its name, which is returned, its service, and that it is measured.
pub(super) fn flow_head(
    label: String,
    service: &str,
    counts: &mut BTreeMap<String, u32>,
    document: &mut Document,
) -> String {
    let number = counts.entry(label.clone()).or_default();
    *number += 1;
    let name = format!("{label}-{number}");
    document.set(flow::NAME, &name);
    document.set(flow::SERVICE, service);
    document.set(flow::PROBE, true);
    name
}
