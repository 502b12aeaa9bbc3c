//! Packet radio: nodes that tell each other of their routes.

use std::fmt::Write;

use sojourn_core::Duration;

use crate::scenarios;

/// Columns of the grid of nodes.
const COLUMNS: usize = 20;

/// Simulated seconds a second of processor time of so many X-1J4 nodes in a grid on one channel of 9600 bit/s, each of
/// which hears its four neighbours and broadcasts its routes every half hour.
pub fn nodes(count: usize, seconds: u64) -> f64 {
    let (processor, _) = scenarios::run("nodes", &grid(count), Duration::from_secs(seconds));
    seconds as f64 / processor
}

/// A grid of nodes that begin without routes.
fn grid(count: usize) -> String {
    let mut text = String::from(
        r#"
[network]
kind = "packet-radio"
[channel]
bit_rate = "9600 bit/s"
"#,
    );
    for node in 0..count {
        let column = node % COLUMNS;
        let beside = [(column > 0).then(|| node - 1), (column + 1 < COLUMNS).then_some(node + 1)];
        let heard = beside.into_iter().chain([node.checked_sub(COLUMNS), Some(node + COLUMNS)]).flatten();
        let names: Vec<String> =
            heard.filter(|other| *other < count).map(|other| format!("\"node-{other}\"")).collect();
        write!(
            text,
            r#"
[[station]]
name = "node-{node}"
type = "node"
hears = [{}]
netrom = {{ radio_quality = 250, minimum_quality = 10, nodes_limit = 400, knows_routes = false }}
"#,
            names.join(", ")
        )
        .expect("text grows");
    }
    text
}
