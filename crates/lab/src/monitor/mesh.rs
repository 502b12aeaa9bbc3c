//! The pairs of a mesh as targets: each agent measures each other, and every pair has windows, alerts and numbers as a target
//! of a monitor has.

use std::path::PathBuf;

use sojourn_live::mesh::order::{Order, peer_at};
use sojourn_live::transports::sojourn::Sojourn;
use sojourn_live::{Target, key};
use sojourn_protocols::authentication::Key;
use sojourn_scenario::keys::live::mesh::{AGENTS, TABLE};
use sojourn_scenario::{Expectation, Problem, Problems, Scenario, Table};

use super::quiet::QuietHours;
use super::target_plan::TargetPlan;

/// An agent that measures the others.
#[derive(Clone)]
pub struct AgentPlan {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub target: Target,
    /// The peers it measures, and how.
    pub order: Order,
    /// Place of the first of its pairs among all targets.
    pub first: usize,
    /// File of the key, read for each connection.
    pub key_file: Option<PathBuf>,
}

impl AgentPlan {
    /// The places of its pairs.
    pub fn pairs(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.order.peers.len()
    }

    /// The key that all agents share, read now.
    pub fn key(&self) -> Result<Key, Problems> {
        let missing = || {
            let problem = Problem::plain("a mesh needs the key that its agents share");
            problem.help(format!("[mesh] key_file = \"sojourn.key\", --key-file FILE or {}", key::VARIABLE))
        };
        key::find(self.key_file.as_deref())?.ok_or_else(|| missing().into())
    }
}

/// The agents of a document, and all pairs in the order of the agents that measure.
pub fn pairs(
    scenario: &Scenario,
    (quiet, all): (&[QuietHours], &[Expectation]),
) -> Result<(Vec<AgentPlan>, Vec<TargetPlan>), Problems> {
    let (mesh, window) = (scenario.table(TABLE), scenario.table("monitor").duration("window"));
    let agents = scenario.list(AGENTS);
    let mut problems = Problems::new();
    let mut places = Vec::new();
    for agent in agents {
        match peer_at(agent.word("address")) {
            Ok(target) => places.push(target),
            Err(refusal) => {
                let help = "HOST or HOST:PORT, an IPv6 address in brackets: 192.0.2.7, oslo.example:18620".to_owned();
                problems.push(scenario.problem(agent, "address", refusal, Some(help)));
            }
        }
    }
    problems.or(())?;
    let key_file = mesh.optional_word("key_file").map(PathBuf::from);
    let (mut found, mut targets) = (Vec::new(), Vec::new());
    for (own, target) in agents.iter().zip(&places) {
        let others = || agents.iter().zip(&places).filter(|(other, _)| other.name() != own.name());
        let order = Order {
            peers: others().map(|(other, _)| other.word("address").to_owned()).collect(),
            rate: mesh.number("rate"),
            size: mesh.number("size") as u16,
            dscp: u8::try_from(mesh.integer("dscp")).unwrap_or(0),
            window_s: window.seconds(),
            timeout_s: mesh.duration("timeout").seconds(),
        };
        order.check().map_err(Problem::plain)?;
        let first = targets.len();
        targets.extend(others().map(|(other, there)| pair(own, (other, there), &order, (quiet, all))));
        let (name, target) = (own.name().to_owned(), target.clone());
        found.push(AgentPlan { name, target, order, first, key_file: key_file.clone() });
    }
    Ok((found, targets))
}

/// What one agent measures of another.
fn pair(
    from: &Table,
    (to, target): (&Table, &Target),
    order: &Order,
    (quiet, all): (&[QuietHours], &[Expectation]),
) -> TargetPlan {
    TargetPlan {
        name: to.name().to_owned(),
        from: Some(from.name().to_owned()),
        transport: &Sojourn,
        target: target.clone(),
        timed: order.timed(),
        load: None,
        key_file: None,
        quiet: quiet.to_vec(),
        is_every_address: false,
        conditions: all.to_vec(),
    }
}
