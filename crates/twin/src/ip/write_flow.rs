//! Writes requests over TCP and datagram streams in a scenario.

use std::collections::BTreeMap;

use super::super::arrivals::{arrivals, of_stream};
use super::super::document::{Document, digits, span};
use super::flows::{Echo, Stream};
use super::requests::{Opened, Requests};
use super::trips::{at, sorted};
use super::write::{NO_PROCESSING, SMEAR, Writer};

impl Writer<'_> {
    /// Requests over TCP.
    pub(super) fn requests(&self, of: &Requests<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let echo = Echo { key: of.key, exchanges: &of.exchanges };
        let [request, answer, _] = echo.sizes();
        document.gap();
        document.comment(format!(
            "{}: {} requests over {}, {} answers that began {} after them in the median.",
            of.key.service,
            of.exchanges.requests(),
            match of.connections.len() {
                1 => "one connection".to_owned(),
                several => format!("{several} connections"),
            },
            of.exchanges.answers(),
            span(at(&sorted(&of.exchanges.responses.times), 0.5)),
        ));
        self.flow_head(of.key.service.member(), "request", counts, document);
        document.text("from", &self.names[&of.key.client]);
        document.text("to", &self.names[&of.key.server]);
        document.comment("The medians of the data of requests and of answers.");
        document.text("size", format!("{} B", digits(request.max(1.0))));
        document.text("response_size", format!("{} B", digits(answer.max(1.0))));
        self.server(&echo, document);
        let (connection, how) = match of.opened {
            Opened::Before => ("established", "It was open when the capture began."),
            Opened::Once => ("handshake", "Its handshake was captured."),
            Opened::PerRequest => ("per-request", "Most connections have one request."),
        };
        document.comment(how);
        document.text("connection", connection);
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
        document.text("server_time", span(least));
        if !self.flows.transfers.is_empty() {
            return;
        }
        let times = &echo.exchanges.responses;
        let spread = 2.0 * (at(&sorted(&times.times), 0.5) - times.least());
        if spread > NO_PROCESSING {
            document.comment("How much longer they take in the median, doubled: nothing else keeps them waiting here.");
            document.text("server_time_spread", span(spread));
        }
    }

    /// Datagrams in one direction.
    pub(super) fn stream(&self, stream: &Stream<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let found = of_stream(&arrivals(stream.times, 1, self.survey.seconds(), SMEAR), stream.times);
        let octets = stream.octets.values();
        let mean = octets.iter().sum::<f64>() / octets.len().max(1) as f64;
        document.gap();
        document.comment(format!("{}: {} datagrams that are not answered.", stream.key.service, stream.times.count()));
        self.flow_head(stream.key.service.member(), "stream", counts, document);
        document.text("from", &self.names[&stream.from]);
        document.text("to", &self.names[&stream.to]);
        let (least, most) = octets
            .iter()
            .fold((f64::INFINITY, 0.0_f64), |(least, most), octets| (least.min(*octets), most.max(*octets)));
        document.comment(match most > least {
            true => format!("The mean of datagrams of {} to {} B: the kind has one size.", digits(least), digits(most)),
            false => "All have as many bytes.".to_owned(),
        });
        document.text("size", format!("{} B", digits(libm::round(mean).max(1.0))));
        document.comment(found.reason);
        document.key("arrivals", found.value);
        let first = self.survey.since_begin(stream.times.first());
        let before = if self.survey.hops(stream.from, stream.to) > 0 {
            self.layout.delay_between(stream.from, stream.to)
        } else {
            0.0
        };
        document.text("start", span((first - before).max(0.0)));
        document.text("start_spread", "0 s");
    }

    fn flow_head(&self, label: String, service: &str, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let number = counts.entry(label.clone()).or_default();
        *number += 1;
        document.table("[[flow]]");
        document.text("name", format!("{label}-{number}"));
        document.text("service", service);
        document.key("probe", true);
    }
}
