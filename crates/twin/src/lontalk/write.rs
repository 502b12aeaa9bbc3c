//! Writes the scenario of a LonTalk network.

use std::collections::BTreeMap;

use sojourn_protocols::lontalk::wire::SubnetNode;

use super::super::document::{Document, span};
use super::super::scenario::{Options, Twin};
use super::groups::Groups;
use super::survey::Survey;
use super::topology::Topology;
use sojourn_capture::arrivals::Reservoir;

/// The scenario of a surveyed network.
pub(super) fn twin(survey: &Survey, options: &Options) -> Twin {
    let topology = Topology::new(survey);
    let groups = Groups::new(survey, &topology);
    let names = station_names(&groups, options);
    let writer = Writer { survey, topology: &topology, groups: &groups, names, options };
    writer.write()
}

/// Names of stations by address: members of a group have the group's name and a number.
fn station_names(groups: &Groups, options: &Options) -> BTreeMap<SubnetNode, String> {
    let mut names = BTreeMap::new();
    for (number, group) in groups.groups.iter().enumerate() {
        match group.members[..] {
            [SubnetNode { subnet, node }] if !options.anonymise => {
                names.insert(group.members[0], format!("station-{subnet}-{node}"));
            }
            [only] => {
                names.insert(only, format!("station-{}", number + 1));
            }
            _ => {
                let members = group.members.iter().zip(1..);
                names.extend(members.map(|(&member, place)| (member, format!("group-{}-{place}", number + 1))));
            }
        }
    }
    names
}

pub(super) struct Writer<'a> {
    pub survey: &'a Survey,
    pub topology: &'a Topology,
    pub groups: &'a Groups,
    pub names: BTreeMap<SubnetNode, String>,
    pub options: &'a Options,
}

impl Writer<'_> {
    fn write(&self) -> Twin {
        let (mut document, mut traces) = (Document::default(), Vec::new());
        let first = self.survey.first.unwrap_or_default();
        let duration = self.survey.last.since(first).seconds();
        self.head(duration, &mut document);
        self.media(&mut document);
        for (number, router) in self.topology.routers.iter().enumerate() {
            self.router(number + 1, router, &mut document);
        }
        if self.topology.further_pairs > 0 {
            document.note(format!(
                "{} further pairs of channels carried copies, over these routers or over others that would close a loop.",
                self.topology.further_pairs,
            ));
        }
        for (number, group) in self.groups.groups.iter().enumerate() {
            self.group(number + 1, group, &mut document);
        }
        let mut settles: f64 = 0.0;
        let mut counts = BTreeMap::new();
        let of_groups = self.groups.groups.iter().enumerate();
        let flows = of_groups.flat_map(|(number, group)| {
            let from = match group.members[..] {
                [only] => self.names[&only].clone(),
                _ => format!("group-{}", number + 1),
            };
            group.flows.iter().map(move |flow| (from.clone(), flow))
        });
        let extras = self.groups.extras.iter().map(|flow| (self.names[&flow.senders[0]].clone(), flow));
        for (from, flow) in flows.chain(extras) {
            settles = settles.max(self.flow(&from, flow, duration, &mut counts, &mut document, &mut traces));
        }
        let why = "Until the flow with the longest interval has begun everywhere.";
        document.run(duration, settles.min(duration), Some(why));
        Twin { scenario: document.finish(), traces, doubts: Vec::new() }
    }

    fn head(&self, duration: f64, document: &mut Document) {
        let Survey { packets, nodes, .. } = self.survey;
        document.comment(format!(
            "Inferred from a capture of {packets} LonTalk packets between {} nodes in {}. A comment before a value says how \
             it was inferred, from how much, and how sure that is.",
            nodes.len(),
            span(duration),
        ));
        document.comment(
            "A capture shows no collisions, no packets damaged on the channel, no buffers and no application times: these have \
             their defaults. `sojourn calibrate` fits what the results of a capture depend on.",
        );
        document.title("Twin of a captured LonTalk network", "lontalk");
    }
}

/// Ascending values.
pub(super) fn sorted(values: &Reservoir) -> Vec<f64> {
    let mut sorted = values.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value at a share of ascending values; there is at least one.
pub(super) fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[(share * (sorted.len() - 1) as f64) as usize]
}
