//! Writes the scenario of an IP network.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::super::document::{Document, span};
use super::super::scenario::{Options, Twin};
use super::bottleneck::Bottleneck;
use super::flows::Flows;
use super::layout::{Layout, sides};
use super::survey::Survey;

/// Precision of send times, s.
pub(super) const SMEAR: f64 = 1e-4;
/// Processing of a server below which none is stated, s.
pub(super) const NO_PROCESSING: f64 = 20e-6;

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
        Twin { scenario: writer.write(), traces: Vec::new(), doubts: Vec::new() }
    };
    Bottleneck::readings(survey, &flows, &sides).into_iter().enumerate().map(of_link).collect()
}

pub(super) struct Writer<'a> {
    pub survey: &'a Survey,
    pub flows: &'a Flows<'a>,
    pub link: Bottleneck,
    pub layout: &'a Layout,
    pub names: BTreeMap<IpAddr, String>,
    pub anonymise: bool,
    /// Whether the capture itself speaks for this reading of the queue.
    pub is_likeliest: bool,
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
        let Survey { bytes, others, beyond_limits, .. } = self.survey;
        inferred_from(self.survey, document);
        document.comment(
            "A capture shows no queues, no applications and no losses of acknowledgements: what rests on them is an estimate. \
             `sojourn calibrate` fits what the results of a capture depend on.",
        );
        self.flows.left_out.write(*bytes, others, *beyond_limits, self.anonymise, document);
        document.title("Twin of a captured IP network", "ip");
    }

    fn run(&self, document: &mut Document) {
        let was_open = self.flows.transfers.iter().any(|transfer| !transfer.connection.has_begun);
        let (warm_up, why) = match was_open {
            true => (5.0, "Until transfers that were open before the capture have reached their rate."),
            false => (0.0, "Transfers begin as they did in the capture."),
        };
        document.run(self.survey.seconds(), warm_up, Some(why));
    }
}

/// What a scenario begins with: the capture that it is inferred from.
pub(super) fn inferred_from(survey: &Survey, document: &mut Document) {
    document.comment(format!(
        "Inferred from a capture of {} packets of IP between {} hosts in {}. A comment before a value says how it was inferred, \
         from how much, and how sure that is.",
        survey.packets,
        survey.hosts.len(),
        span(survey.seconds()),
    ));
}

/// The name of a link beside the shared one.
pub(super) fn medium_name(side: usize, number: usize) -> String {
    format!("{}-{}", ["left", "right"][side], number + 1)
}
