//! Writes when clients send: think times, less what the path and the queue take of them.

use std::net::IpAddr;

use sojourn_core::Time;

use super::super::arrivals::arrivals;
use super::super::document::Document;
use super::bottleneck::{Bottleneck, deviation};
use super::flows::Echo;
use super::following::Think;
use super::keys::flow;
use super::queue::Queue;
use super::think_time::ThinkTime;
use super::write::{SMEAR, Writer};

impl Writer<'_> {
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
        document.set(flow::THINK, least);
        document.set(flow::THINK_SPREAD, spread);
        document.set(flow::START, (self.survey.since_begin(first) - 0.5 * beyond).max(0.0));
        document.set(flow::START_SPREAD, 0.0);
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
}
