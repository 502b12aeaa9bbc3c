//! Flows that an `ip` scenario cannot express: listed by name, with their share of the bytes.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::super::document::{Document, digits};
use sojourn_capture::Service;

/// Pairs of hosts that are named of each row.
const NAMED: usize = 3;

/// Why a flow is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    /// Data over TCP that are not answered, and no transfer.
    DataOverTcp,
    /// A transfer over TCP that ends long before the capture does.
    TransferThatEnds,
    /// A TCP connection without data.
    NoData,
    /// Too few datagrams in one direction.
    FewDatagrams,
    /// Too few requests to know the time between them.
    FewRequests,
    /// A further flow of a capture with very many.
    TooMany,
    /// Both hosts are on the same side of the bottleneck.
    SameSide,
    /// Media that the kind has not.
    NoSpeech,
    /// Reports of the receivers of media.
    Reports,
    /// Calls whose path others share.
    CallsBeside,
}

impl Reason {
    fn sentence(self) -> &'static str {
        match self {
            Reason::DataOverTcp => {
                "data over TCP that are not answered; the kind has requests with answers and transfers without an end"
            }
            Reason::TransferThatEnds => "transfers that end before the capture does; those of the kind have no end",
            Reason::NoData => "TCP connections without data",
            Reason::FewDatagrams => "too few datagrams to infer when they are sent",
            Reason::FewRequests => "too few requests to infer when they are sent",
            Reason::TooMany => "beyond the busiest flows, to which the scenario is limited",
            Reason::NoSpeech => {
                "media over RTP other than speech in a codec of the kind: video, music, fax, or a codec without published \
                 impairments"
            }
            Reason::Reports => "reports over RTCP",
            Reason::CallsBeside => "calls beside transfers, or in a capture that was made where packets arrive",
            Reason::SameSide => "both hosts are on the same side of the bottleneck, by their other flows",
        }
    }
}

/// What is left out.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    rows: BTreeMap<(Service, Reason), Row>,
}

#[derive(Debug, Default)]
struct Row {
    flows: u64,
    bytes: u64,
    pairs: Vec<(IpAddr, IpAddr)>,
}

impl LeftOut {
    /// A flow from a client to a server is left out.
    pub fn add(&mut self, service: Service, (client, server): (IpAddr, IpAddr), bytes: u64, reason: Reason) {
        let row = self.rows.entry((service, reason)).or_default();
        row.flows += 1;
        row.bytes += bytes;
        if row.pairs.len() <= NAMED && !row.pairs.contains(&(client, server)) {
            row.pairs.push((client, server));
        }
    }

    /// The notes: `all` are the bytes of the capture, `others` those of protocols that are not followed.
    pub fn write(&self, all: u64, others: &BTreeMap<u8, u64>, beyond: u64, anonymise: bool, document: &mut Document) {
        let share = |bytes: u64| format!("{} % of the bytes", digits(100.0 * bytes as f64 / all.max(1) as f64));
        for ((service, reason), row) in &self.rows {
            let between = match (anonymise, &row.pairs[..]) {
                (false, pairs) => {
                    let shown: Vec<String> =
                        pairs.iter().take(NAMED).map(|(from, to)| format!("{from} to {to}")).collect();
                    let more = if pairs.len() > NAMED { " and others" } else { "" };
                    format!(" ({}{more})", shown.join(", "))
                }
                _ => String::new(),
            };
            let flows = if row.flows == 1 { "1 flow".to_owned() } else { format!("{} flows", row.flows) };
            let (share, sentence) = (share(row.bytes), reason.sentence());
            document.comment(format!("Left out: {service}, {flows}{between}, {share}: {sentence}."));
        }
        for (protocol, bytes) in others {
            document.comment(format!("Left out: packets of IP protocol {protocol}, {}.", share(*bytes)));
        }
        if beyond > 0 {
            document.comment(format!("Left out: flows beyond the number that is surveyed, {}.", share(beyond)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn what_is_left_out_is_named_with_its_share() {
        let host = |number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let mut left_out = LeftOut::default();
        left_out.add(Service::Tcp(80), (host(1), host(2)), 250, Reason::FewRequests);
        left_out.add(Service::Tcp(80), (host(1), host(2)), 250, Reason::FewRequests);
        let text = |anonymise| {
            let mut document = Document::default();
            left_out.write(1000, &BTreeMap::from([(89, 10)]), 0, anonymise, &mut document);
            document.finish().replace("\n# ", " ")
        };
        assert!(text(false).contains("TCP 80, 2 flows (10.0.0.1 to 10.0.0.2), 50 % of the bytes"), "{}", text(false));
        assert!(text(false).contains("IP protocol 89, 1 % of the bytes"));
        assert!(!text(true).contains("10.0.0"));
    }
}
