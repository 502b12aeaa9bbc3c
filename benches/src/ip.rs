//! A path of an IP network: hosts with TCP on a network of packets.

use sojourn_core::Duration;
use sojourn_metrics::Observation;

use crate::scenarios;

/// Three TCP transfers in one direction and an echo of 64 octets every 10 ms over one link of 155 Mbit/s and 1 ms,
/// behind a FIFO of 100 packets, which is what the peers are asked, too, or another queue.
const BULK: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "link"
rate = "155 Mbit/s"
length = "0 m"
delay = "1 ms"
framing_overhead = "2 B"
min_payload = "0 B"
queue = { kind = "fifo", limit = 100 }
[[station]]
name = "near"
on = "link"
tcp = { mss = "1448 B", send_buffer = "1 MiB", receive_buffer = "1 MiB" }
[[station]]
name = "far"
on = "link"
tcp = { mss = "1448 B", send_buffer = "1 MiB", receive_buffer = "1 MiB" }
[probe]
from = "near"
to = "far"
size = "64 B"
think = "10 ms"
[background]
from = "near"
to = "far"
streams = 3
"#;

/// The queue of the scenario.
const QUEUE: &str = "{ kind = \"fifo\", limit = 100 }";

/// What the bulk transfers came to.
pub struct Bulk {
    /// Packets sent over the link, in both directions, a second of processor time.
    pub rate: f64,
    /// Packets sent over the link, in both directions.
    pub packets: f64,
    /// User bits a second of the transfers.
    pub throughput: f64,
}

/// Runs them for `seconds`, behind this queue or the scenario's.
pub fn bulk(seconds: u64, queue: Option<&str>) -> Bulk {
    let duration = Duration::from_secs(seconds);
    let text = BULK.replace(QUEUE, queue.unwrap_or(QUEUE));
    let (processor, record) = scenarios::run("bulk", &text, duration);
    let count = |name: &str| match record.metrics.get(name) {
        Some(Observation::Count(count)) => *count as f64,
        other => panic!("{name} is counted, not {other:?}"),
    };
    let Some(Observation::Scalar(throughput)) = record.metrics.get("throughput") else {
        panic!("transfers are counted")
    };
    let packets = count("packets");
    Bulk { rate: packets / processor, packets, throughput: *throughput }
}
