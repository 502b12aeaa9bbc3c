//! The connection with an agent of a mesh, again and again, on the thread of that agent.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use sojourn_live::prober::windows::event::WindowEvent;
use sojourn_live::{Watch, delegate, sessions};
use sojourn_protocols::probe::DEFAULT_PORT;
use sojourn_scenario::Problems;

use super::mesh::AgentPlan;

/// Has an agent measure its peers until the watch is cancelled. While it is away, so are its pairs, and no others.
pub fn run(agent: &AgentPlan, events: &Sender<(usize, WindowEvent)>, watch: &Arc<Watch>) {
    while !watch.is_cancelled() {
        let outcome = once(agent, events, watch);
        if let Err(reason) = outcome
            && !watch.is_cancelled()
        {
            let away = || WindowEvent::Away(format!("{} does not measure: {reason}", agent.name));
            if agent.pairs().any(|pair| events.send((pair, away())).is_err()) {
                return;
            }
            sessions::pause(watch);
        }
    }
}

fn once(agent: &AgentPlan, events: &Sender<(usize, WindowEvent)>, watch: &Watch) -> Result<(), String> {
    let first = |mistakes: Problems| mistakes.0.into_iter().next().map_or_else(String::new, |problem| problem.message);
    let key = agent.key().map_err(first)?;
    let peer = agent.target.socket_address(Some(DEFAULT_PORT)).map_err(first)?;
    delegate(peer, &key, &agent.order, watch, |peer, event| {
        // without a receiver nothing is left to report to
        let _ = events.send((agent.first + peer, event));
    })
}
