//! Writes the scenario of an IP network.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Options as TcpOptions;

use super::super::arrivals::arrivals;
use super::super::document::{Document, digits, quoted, span};
use super::super::scenario::{Options, Twin};
use super::bottleneck::{Bottleneck, RateSource, deviation};
use super::connection::Connection;
use super::flows::{Echo, Flows, Transfer};
use super::following::Think;
use super::layout::{Access, Known, Layout, sides, trips};
use super::queue::Queue;
use super::survey::Survey;
use super::think_time::ThinkTime;
use super::trips::{at, sorted};
use sojourn_capture::Service;

/// Longest run, s.
const LONGEST_RUN: f64 = 200.0 * 86_400.0;
/// Precision of send times, s.
pub(super) const SMEAR: f64 = 1e-4;
/// Processing of a server below which none is stated, s.
pub(super) const NO_PROCESSING: f64 = 20e-6;
/// Receive buffer of a host of today by default, octets, and the share below which another is stated.
const RECEIVE_BUFFER: f64 = 4.0 * 1024.0 * 1024.0;
const SMALLER: f64 = 0.9;

/// The scenarios that a surveyed network allows, the likeliest first; none if none of its flows can be expressed.
pub(super) fn readings(survey: &Survey, options: &Options) -> Vec<Twin> {
    let mut flows = Flows::new(survey);
    let sides = sides(survey, &mut flows);
    if flows.is_empty() {
        return Vec::new();
    }
    let name = |(number, host): (usize, &IpAddr)| {
        let name = match options.anonymise {
            true => format!("host-{}", number + 1),
            false => format!("host-{}", host.to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "-")),
        };
        (*host, name)
    };
    let names: BTreeMap<IpAddr, String> = sides.keys().enumerate().map(name).collect();
    let of_link = |(number, link): (usize, Bottleneck)| {
        let layout = &Layout::new(survey, &flows, &sides, link.line, link.busy);
        let (names, anonymise, is_likeliest) = (names.clone(), options.anonymise, number == 0);
        let writer = Writer { survey, flows: &flows, link, layout, names, anonymise, is_likeliest };
        Twin { scenario: writer.write(), traces: Vec::new() }
    };
    Bottleneck::readings(survey, &flows, &sides).into_iter().enumerate().map(of_link).collect()
}

pub(super) struct Writer<'a> {
    pub survey: &'a Survey,
    pub flows: &'a Flows<'a>,
    link: Bottleneck,
    pub layout: &'a Layout,
    pub names: BTreeMap<IpAddr, String>,
    anonymise: bool,
    /// Whether the capture itself speaks for this reading of the queue.
    is_likeliest: bool,
}

impl Writer<'_> {
    fn write(&self) -> String {
        let mut document = Document::default();
        self.head(&mut document);
        self.media(&mut document);
        self.routers(&mut document);
        for (side, access, host) in self.hosts() {
            self.host(&medium_name(side, access), host, &mut document);
        }
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for echo in &self.flows.echoes {
            self.echo(echo, &mut counts, &mut document);
        }
        for of in &self.flows.requests {
            self.requests(of, &mut counts, &mut document);
        }
        for stream in &self.flows.streams {
            self.stream(stream, &mut counts, &mut document);
        }
        for (number, transfer) in self.flows.transfers.iter().enumerate() {
            self.transfer(number + 1, transfer, &mut document);
        }
        self.run(&mut document);
        document.finish()
    }

    fn hosts(&self) -> impl Iterator<Item = (usize, usize, IpAddr)> {
        let sides = self.layout.sides.iter().enumerate();
        let accesses = sides.flat_map(|(side, accesses)| accesses.iter().enumerate().map(move |of| (side, of.0, of.1)));
        accesses.flat_map(|(side, number, access)| access.hosts.iter().map(move |host| (side, number, *host)))
    }

    fn head(&self, document: &mut Document) {
        let Survey { packets, bytes, hosts, others, beyond_limits, .. } = self.survey;
        document.comment(format!(
            "Inferred from a capture of {packets} packets of IP between {} hosts in {}. A comment before a value says how it \
             was inferred, from how much, and how sure that is.",
            hosts.len(),
            span(self.survey.seconds()),
        ));
        document.comment(
            "A capture shows no queues, no applications and no losses of acknowledgements: what rests on them is an estimate. \
             `sojourn calibrate` fits what the results of a capture depend on.",
        );
        self.flows.left_out.write(*bytes, others, *beyond_limits, self.anonymise, document);
        document.text("title", "Twin of a captured IP network");
        document.gap();
        document.table("[network]");
        document.text("kind", "ip");
    }

    fn media(&self, document: &mut Document) {
        document.gap();
        document.comment(
            "All flows share one link between two routers: an assumption, since most captures are made where traffic shares a \
             path.",
        );
        document.table("[[medium]]");
        document.text("name", "link");
        self.rate(document);
        self.delay(document);
        self.loss(document);
        self.mtu(document);
        self.queue(document);
        for (side, accesses) in self.layout.sides.iter().enumerate() {
            for (number, access) in accesses.iter().enumerate() {
                self.access(&medium_name(side, number), access, document);
            }
        }
    }

    fn rate(&self, document: &mut Document) {
        let (text, rate) = match self.link.source {
            RateSource::Spacing(found) => (
                format!(
                    "{} of {} packets that follow others have the shortest spacing that many have in common: well determined \
                     if transfers filled the link.",
                    found.packets, found.of,
                ),
                bit_rate(found.rate),
            ),
            RateSource::Acknowledgements(found) => (
                format!(
                    "{} of {} acknowledgements come as soon after the one before, for the data that they acknowledge: well \
                     determined if transfers filled the link at times.",
                    found.packets, found.of,
                ),
                bit_rate(found.rate),
            ),
            RateSource::Delivery(samples) => (
                format!(
                    "Data were acknowledged so fast while packets waited, at the 75th percentile of {samples} bursts of 32 \
                     segments: determined to about a tenth.",
                ),
                bit_rate(self.link.line.rate),
            ),
            RateSource::AtLeast(rate) => (
                format!(
                    "Packets did not wait, so no rate shows: at least {}; without a limit, an assumption.",
                    bit_rate(rate)
                ),
                "1000 Gbit/s".to_owned(),
            ),
            RateSource::Nothing => (
                "No packets follow each other as on a busy link: without a limit, an assumption.".to_owned(),
                "1000 Gbit/s".to_owned(),
            ),
        };
        document.comment(text);
        document.text("rate", rate);
    }

    fn delay(&self, document: &mut Document) {
        let known = self.layout.paths.iter().filter(|path| path.known != Known::Nothing);
        let nearest = known.min_by(|a, b| a.delay.total_cmp(&b.delay));
        let how = match nearest.map(|path| (path.known, path.trips)) {
            Some((Known::Both, trips)) => format!(
                "Half of the shortest time from the point of capture to both hosts and back, of {trips}, less the packets' own \
                 time: well determined."
            ),
            Some((Known::Beside, trips)) => format!(
                "Half of the shortest time to the other host and back, of {trips}, less the packets' own time. The point of \
                 capture is beside this host: its packets had passed no router."
            ),
            Some((Known::Hops, trips)) => format!(
                "From the shortest time to one host and back, of {trips}; to the other one in proportion to the routers that \
                 packets had passed: rough."
            ),
            _ => "Nothing shows the path's delay beside the host that answers: an assumption.".to_owned(),
        };
        document.comment(how);
        document.text("delay", span(self.layout.delay));
    }

    fn loss(&self, document: &mut Document) {
        let losses = &self.link.losses;
        if losses.segments == 0 {
            document.comment(format!(
                "{} of {} requests had no answer, and {} were lost before the point of capture by the timeouts that followed; \
                 the same in both directions, an assumption.",
                losses.unanswered, losses.requests, losses.unseen,
            ));
        } else {
            document.comment(format!(
                "Of {} segments {} were lost before the point of capture and {} behind it, {} of them by chance, \
                 not at a full queue; the same in both directions, an assumption, since losses of acknowledgements do not \
                 show.",
                losses.segments,
                losses.before,
                losses.after,
                digits(libm::round(losses.by_chance)),
            ));
        }
        document.text("loss", format!("{} %", digits(100.0 * losses.share.clamp(0.0, 1.0))));
    }

    fn mtu(&self, document: &mut Document) {
        document.comment(match self.flows.connections().next().is_none() {
            true if self.survey.longest_fragment > 0 => "The longest fragment.",
            true => "That of Ethernet, an assumption: no TCP connection states a segment size.",
            false => "The largest segment that TCP announced (MSS), with 40 B of headers.",
        });
        document.text("mtu", format!("{} B", digits(self.link.line.mtu.clamp(68.0, 65_535.0))));
    }

    fn queue(&self, document: &mut Document) {
        let (how, queue) = match self.link.queue {
            Queue::Unseen => {
                ("Packets hardly waited: the queue does not show, and has its default.".to_owned(), "fifo".to_owned())
            }
            Queue::Fifo { packets, is_full: true } => (
                format!("Packets were lost when the queue was longest, {packets} full packets: its limit."),
                format!("fifo\", limit = {packets}"),
            ),
            Queue::Fifo { packets, is_full: false } => (
                format!("The queue had up to {packets} full packets, and no losses show a limit: the default."),
                "fifo".to_owned(),
            ),
            Queue::Codel => (
                "The queue was short when packets were lost, as with controlled delay: an estimate.".to_owned(),
                "codel".to_owned(),
            ),
            Queue::FlowQueues { request, transfer } => (
                format!(
                    "Answers waited {} in the median, transfers {}: each flow has a queue of its own.",
                    span(request),
                    span(transfer)
                ),
                "fq-codel".to_owned(),
            ),
        };
        document.comment(match self.is_likeliest {
            true => how,
            false => {
                "Of several queues that the capture allows, this one came closest to it when simulated.".to_owned()
            }
        });
        let closed = if queue.contains('=') { "" } else { "\"" };
        document.key("queue", format!("{{ kind = \"{queue}{closed} }}"));
    }

    fn access(&self, name: &str, access: &Access, document: &mut Document) {
        document.gap();
        document.table("[[medium]]");
        document.text("name", name);
        document.comment("Without a rate of its own: all time on links is that of the shared one.");
        document.text("rate", "unlimited");
        document.text("length", "0 m");
        if access.delay > 0.0 {
            document.comment("What the path to these hosts takes beyond that to the nearest ones.");
            document.text("delay", span(access.delay));
        }
        document.key("mtu", "\"65535 B\"");
    }

    fn routers(&self, document: &mut Document) {
        for (side, accesses) in self.layout.sides.iter().enumerate() {
            let media = (0..accesses.len()).map(|number| medium_name(side, number));
            let on: Vec<String> = std::iter::once("link".to_owned()).chain(media).map(quoted).collect();
            document.gap();
            document.table("[[station]]");
            document.text("name", ["router-left", "router-right"][side]);
            document.text("type", "router");
            document.key("on", format!("[{}]", on.join(", ")));
        }
    }

    fn host(&self, medium: &str, host: IpAddr, document: &mut Document) {
        document.gap();
        let who = if self.anonymise { String::new() } else { format!(": {host}") };
        let sent = self.survey.hosts.get(&host).map_or(0, |host| host.packets);
        document.comment(format!("A host that sent {sent} packets{who}."));
        document.table("[[station]]");
        document.text("name", &self.names[&host]);
        document.text("on", medium);
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
        document.key("costs", format!("{{ packet = \"{}\" }}", span(time)));
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
        let mut keys = Vec::new();
        match side.syn {
            Some(options) => {
                let (profile, how) = profile(&options);
                document.comment(how);
                keys.extend(profile);
                if f64::from(transfer.receiving().segment_size()) + 40.0 < self.link.line.mtu {
                    keys.push(format!("mss = \"{} B\"", transfer.receiving().segment_size()));
                }
            }
            None => document.comment("Its TCP options were exchanged before the capture: defaults of today."),
        }
        let is_scaled = transfer.connection.sides.iter().all(|side| side.syn.is_some());
        let default = if keys.iter().any(|key| key.contains("bsd95")) { 65_535.0 } else { RECEIVE_BUFFER };
        let window = side.window as f64;
        if !is_sender && is_scaled && window > 0.0 && (window < SMALLER * default || window * SMALLER > default) {
            document.comment("The largest window that it announced.");
            keys.push(format!("receive_buffer = \"{} B\"", digits(window)));
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
            document.key("tcp", format!("{{ {} }}", keys.join(", ")));
        }
    }

    /// The options of a host's TCP by the first SYN of its requests.
    fn options(&self, host: IpAddr, document: &mut Document) {
        let side = |connection: &Connection| {
            let at = [connection.client.address, connection.server.address].iter().position(|of| *of == host)?;
            connection.sides[at].syn
        };
        let Some(options) = self.flows.connections().find_map(side) else { return };
        let (keys, how) = profile(&options);
        if !keys.is_empty() {
            document.comment(how);
            document.key("tcp", format!("{{ {} }}", keys.join(", ")));
        }
    }

    fn echo(&self, echo: &Echo<'_>, counts: &mut BTreeMap<String, u32>, document: &mut Document) {
        let exchanges = echo.exchanges;
        let label = echo.key.service.member();
        let number = counts.entry(label.clone()).or_default();
        *number += 1;
        let [request, answer, _] = echo.sizes();
        document.gap();
        document.comment(format!(
            "{}: {} requests, {} answers, response times {} in the median.",
            echo.key.service,
            exchanges.requests(),
            exchanges.answers(),
            span(at(&sorted(&exchanges.responses.times), 0.5)),
        ));
        document.table("[[flow]]");
        document.text("name", format!("{label}-{number}"));
        document.text("service", "echo");
        document.key("probe", true);
        document.text("from", &self.names[&echo.key.client]);
        document.text("to", &self.names[&echo.key.server]);
        document.text("size", format!("{} B", digits(libm::round(request.max(1.0)))));
        if libm::fabs(request - answer) >= 1.0 && answer >= 1.0 {
            document.comment("The medians of requests and of answers differ.");
            document.text("response_size", format!("{} B", digits(libm::round(answer))));
        }
        self.pace(echo, exchanges.times.first(), document);
        if let Some(timeout) = echo.timeout().filter(|timeout| timeout.is_regular) {
            document.comment(format!(
                "From a request without an answer to the next request, less the think time, in the median of {} requests in \
                 view and {} that were lost before.",
                timeout.seen, timeout.unseen,
            ));
            document.text("timeout", span(timeout.seconds));
        }
    }

    /// When a client sends that was seen first at `first`.
    pub(super) fn pace(&self, echo: &Echo<'_>, first: Time, document: &mut Document) {
        let exchanges = echo.exchanges;
        let beyond = self.beyond_client(echo);
        let beside = ThinkTime::between_data(self.thinks_beside(echo), deviation(exchanges.times.thinks().values()));
        let ThinkTime { least, spread, is_closed } =
            beside.unwrap_or_else(|| ThinkTime::new(echo, beyond, self.waiting(echo)));
        let found = arrivals(&exchanges.times, 1, self.survey.seconds(), SMEAR);
        let how = match is_closed {
            true => "from an answer to the next request, less the path between the point of capture and the client",
            false => "from the gaps between requests, less the response time: most requests do not follow an answer",
        };
        document.comment(format!(
            "{} The kind has closed loops: a think time {how}; uniform, of the same mean.",
            found.reason
        ));
        document.text("think", span(least));
        document.text("think_spread", span(spread));
        document.text("start", span((self.survey.since_begin(first) - 0.5 * beyond).max(0.0)));
        document.text("start_spread", "0 s");
    }

    /// From the point of capture to the client and back, s.
    fn beyond_client(&self, echo: &Echo<'_>) -> f64 {
        let (client, server) = (echo.key.client, echo.key.server);
        if self.survey.hops(client, server) == 0 {
            return 0.0;
        }
        let octets = echo.exchanges.responses.shortest().map_or(0.0, |trip| trip.octets);
        let path = self.layout.delay_between(client, server) + self.link.line.time(octets);
        let server_time = self.server_time(echo).unwrap_or(0.0);
        let rest = (2.0 * path + server_time - echo.exchanges.responses.least()).max(0.0);
        if self.link.busy == 0.0 {
            return rest;
        }
        // the shortest response may have waited too: no less than the share of the routers that are beyond
        let [beyond, before] =
            [(client, server), (server, client)].map(|(from, to)| f64::from(self.survey.hops(from, to)));
        rest.max(2.0 * path * beyond / (beyond + before))
    }

    /// How long a client thought before requests that went in one queue with data of transfers.
    fn thinks_beside(&self, echo: &Echo<'_>) -> &[Think] {
        let (client, server) = (echo.key.client, echo.key.server);
        let is_shared = matches!(self.link.queue, Queue::Fifo { .. } | Queue::Codel);
        if !is_shared || self.survey.hops(client, server) == 0 {
            return &[];
        }
        let side = |host: IpAddr| self.layout.sides[0].iter().any(|access| access.hosts.contains(&host));
        let is_transfer = |from: IpAddr| self.flows.transfers.iter().any(|transfer| transfer.from == from);
        let shares = |from: IpAddr| is_transfer(from) && side(from) == side(client);
        self.survey.following.thinks(echo.key, shares)
    }

    /// How long requests waited with the data of transfers before the point of capture, on average, and the standard deviation,
    /// s.
    fn waiting(&self, echo: &Echo<'_>) -> [f64; 2] {
        let (client, server) = (echo.key.client, echo.key.server);
        let side = |host: IpAddr| self.layout.sides[0].iter().any(|access| access.hosts.contains(&host));
        let beside = self.flows.transfers.iter().filter(|transfer| side(transfer.from) == side(client)).count();
        if beside == 0 || self.survey.hops(client, server) == 0 {
            return [0.0; 2];
        }
        let Bottleneck { line, queue, waiting, .. } = self.link;
        let Queue::FlowQueues { .. } = queue else {
            return waiting[usize::from(!side(client))].into();
        };
        // the first packet waits for the end of the one on the link, each further one for one of every transfer
        let further = (echo.sizes()[0] / line.mtu).ceil().max(1.0) - 1.0;
        let full = line.time(line.mtu);
        [(0.5 + further * beside as f64) * full, full / libm::sqrt(12.0)]
    }

    fn transfer(&self, number: usize, transfer: &Transfer<'_>, document: &mut Document) {
        let connection = transfer.connection;
        let side = transfer.sending();
        document.gap();
        document.comment(format!(
            "TCP port {}: {} B of data in {}, {} segments of them sent again.",
            connection.server.port,
            side.octets,
            span(connection.end.since(connection.begin).seconds()),
            side.lost_before + side.lost_after,
        ));
        document.table("[[flow]]");
        document.text("name", format!("transfer-{number}"));
        document.text("service", "bulk");
        document.text("from", &self.names[&transfer.from]);
        document.text("to", &self.names[&transfer.to]);
        if connection.has_begun {
            let begun = self.survey.since_begin(connection.begin);
            let before = 0.5 * self.layout.delay_between(transfer.from, transfer.to);
            document.comment("When its connection was opened. Whether a program limits it does not show.");
            document.text("start", span((begun - before).max(0.0)));
        } else {
            document.comment("It was open when the capture began.");
            document.text("connection", "established");
        }
        document.text("start_spread", "0 s");
    }

    fn run(&self, document: &mut Document) {
        document.gap();
        document.table("[run]");
        document.comment("The length of the capture.");
        document.text("duration", span(self.survey.seconds().clamp(1.0, LONGEST_RUN)));
        let was_open = self.flows.transfers.iter().any(|transfer| !transfer.connection.has_begun);
        if was_open {
            document.comment("Until transfers that were open before the capture have reached their rate.");
            document.text("warm_up", "5 s");
        } else {
            document.comment("Transfers begin as they did in the capture.");
            document.text("warm_up", "0 s");
        }
        document.key("replications", 10);
        document.key("seed", 1);
    }
}

/// The keys of a host's TCP from the options of its SYN, and how.
fn profile(options: &TcpOptions) -> (Vec<String>, &'static str) {
    let TcpOptions { window_scale, sack_permitted, timestamps, .. } = *options;
    if window_scale.is_none() && !sack_permitted && timestamps.is_none() {
        return (vec!["profile = \"bsd95\"".to_owned()], "Its SYN has no options of today: the TCP of 4.4BSD.");
    }
    let absent =
        [("window_scaling", window_scale.is_some()), ("sack", sack_permitted), ("timestamps", timestamps.is_some())];
    let keys = absent.into_iter().filter(|(_, present)| !present).map(|(key, _)| format!("{key} = false")).collect();
    (keys, "The options of its SYN.")
}

fn medium_name(side: usize, number: usize) -> String {
    format!("{}-{}", ["left", "right"][side], number + 1)
}

/// A rate of a scenario with four significant digits.
fn bit_rate(rate: f64) -> String {
    let (scaled, unit) = match rate {
        rate if rate >= 1e9 => (rate / 1e9, "Gbit/s"),
        rate if rate >= 1e6 => (rate / 1e6, "Mbit/s"),
        rate => (rate.max(1e3) / 1e3, "kbit/s"),
    };
    format!("{} {unit}", digits(scaled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_four_digits_and_a_unit_that_fits() {
        assert_eq!([1.234_56e7, 9.6e3, 2e9].map(bit_rate), ["12.35 Mbit/s", "9.6 kbit/s", "2 Gbit/s"]);
    }

    #[test]
    fn a_syn_without_options_is_one_of_the_nineties() {
        assert_eq!(profile(&TcpOptions::default()).0, ["profile = \"bsd95\""]);
        let without_sack =
            TcpOptions { window_scale: Some(7), timestamps: Some(Default::default()), ..Default::default() };
        assert_eq!(profile(&without_sack).0, ["sack = false"]);
    }
}
