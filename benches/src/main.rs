//! `sojourn-bench QUESTION ARGUMENTS`: one question, one line of JSON with the answer, for `benches/run`.

mod bounds;
mod can;
mod clock;
mod fddi;
mod fddi_adapter;
mod heap;
mod hold;
mod ip;
mod live_measurement;
mod lontalk;
mod modbus;
mod mstp;
mod packet_radio;
mod scenarios;
mod switched_lan;
mod wire;
mod xtp;
mod xtp_live;

use sojourn_live::prober::plan::Direction;

#[global_allocator]
static HEAP: heap::Counting = heap::Counting;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| -> u64 {
        let text = arguments.get(index).unwrap_or_else(|| usage());
        text.parse().unwrap_or_else(|_| usage())
    };
    let word = |index: usize| arguments.get(index).unwrap_or_else(|| usage()).as_str();
    match arguments.first().map(String::as_str) {
        Some("hold") => println!(r#"{{"rate": {}}}"#, hold::run_hold(number(1), number(2))),
        Some("customers") => {
            let (rate, mean) = scenarios::customers(number(1));
            println!(r#"{{"rate": {rate}, "mean_response_time": {mean}}}"#);
        }
        Some("packets") => {
            let text = match arguments.get(1).map(String::as_str) {
                Some("heavy-load") => lontalk::heavy_load(),
                Some("channel") => lontalk::channel(number(3) as usize),
                Some("domain") => lontalk::domain(),
                Some("can") => can::full_load(),
                Some("wire") => wire::full_load(),
                _ => usage(),
            };
            let keys: &[_] = if arguments[1] == "heavy-load" { &[("background.rate", "500 /s")] } else { &[] };
            let cost = scenarios::packets(&text, keys, number(2));
            let scenarios::Cost { packets, rate, set_up, bytes } = cost;
            println!(r#"{{"rate": {rate}, "packets": {packets}, "set_up_s": {set_up}, "bytes": {bytes}}}"#);
        }
        Some("ring") => {
            let rate = match arguments.get(1).map(String::as_str) {
                Some("busy") => fddi::busy(number(2)),
                Some("idle") => fddi::idle(number(2)),
                _ => usage(),
            };
            println!(r#"{{"rate": {rate}}}"#);
        }
        Some("bulk") => {
            let ip::Bulk { rate, packets, throughput } = ip::bulk(number(1), arguments.get(2).map(String::as_str));
            println!(r#"{{"rate": {rate}, "packets": {packets}, "throughput": {throughput}}}"#);
        }
        Some("nodes") => println!(r#"{{"rate": {}}}"#, packet_radio::nodes(number(1) as usize, number(2))),
        Some("wire") => println!(r#"{{"rate": {}}}"#, wire::frames(number(1))),
        Some("modbus") => println!(r#"{{"rate": {}}}"#, modbus::line(number(1) as u32, number(2))),
        Some("adapter") => {
            let direction = arguments.get(1).filter(|word| matches!(word.as_str(), "receive" | "transmit"));
            let rate = fddi_adapter::pipeline(direction.unwrap_or_else(|| usage()), number(2));
            println!(r#"{{"rate": {rate}}}"#);
        }
        Some("radio") => println!(r#"{{"rate": {}}}"#, packet_radio::channel(number(1) as u32, number(2))),
        Some("radio-stations") => {
            println!(r#"{{"rate": {}}}"#, packet_radio::stations(number(1) as u32, number(2)));
        }
        Some("trunk") => println!(r#"{{"rate": {}}}"#, mstp::trunk(number(1) as u32, number(2))),
        Some("cells") => {
            let switch = arguments.get(1).unwrap_or_else(|| usage());
            let rate = switched_lan::cells(switch, number(2)).unwrap_or_else(|| usage());
            println!(r#"{{"rate": {rate}}}"#);
        }
        Some("bounds") => println!(r#"{{"rate": {}}}"#, bounds::visits(number(1) as usize, number(2) as usize)),
        Some("xtp") => println!(r#"{{"rate": {}}}"#, xtp::transfer(number(1), number(2) as u16)),
        Some("xtp-bytes") => println!(r#"{{"rate": {}}}"#, xtp::codec(number(1))),
        Some("idle") => println!(r#"{{"bytes": {}}}"#, bytes_per_idle_node(number(1) as usize)),
        Some("xtp-live") => {
            let xtp_live::Speed { rate, wall_rate, retransmissions } = xtp_live::transfer(number(1), number(2) as u32);
            println!(r#"{{"rate": {rate}, "wall_rate": {wall_rate}, "retransmissions": {retransmissions}}}"#);
        }
        Some("agent") => live_measurement::agent(word(1)),
        Some("requests") => {
            let live_measurement::Requests { response_s, lateness_s, processors, regime } =
                live_measurement::requests(word(1), number(2), number(3));
            println!(
                r#"{{"p50": {}, "p99": {}, "lateness_p50": {}, "lateness_p99": {}, "processors": {processors}, "regime": "{regime}"}}"#,
                response_s[0], response_s[1], lateness_s[0], lateness_s[1]
            );
        }
        Some("load") => {
            let direction = match word(2) {
                "up" => Direction::Up,
                "down" => Direction::Down,
                _ => usage(),
            };
            let [sent, received] = live_measurement::load(word(1), direction, number(3));
            println!(r#"{{"sent": {sent}, "received": {received}}}"#);
        }
        _ => usage(),
    }
}

/// Heap bytes of a node that never speaks, once the world runs: what `nodes` more of them add to a channel.
fn bytes_per_idle_node(nodes: usize) -> f64 {
    const FEW: usize = 34;
    let bytes = |nodes| scenarios::packets(&lontalk::idle(nodes), &[], 1).bytes as f64;
    (bytes(nodes + FEW) - bytes(FEW)) / nodes as f64
}

fn usage() -> ! {
    eprintln!(
        "usage: sojourn-bench hold PENDING EVENTS\n       sojourn-bench customers NUMBER\n       \
         sojourn-bench packets heavy-load|domain|can|wire SECONDS\n       sojourn-bench packets channel SECONDS NODES\n       sojourn-bench threads SECONDS THREADS\n       sojourn-bench idle NODES\n       \
         sojourn-bench ring busy|idle FRAMES\n       sojourn-bench nodes NUMBER SECONDS\n       sojourn-bench adapter receive|transmit FRAMES\n       \
         sojourn-bench radio STATIONS FRAMES\n       sojourn-bench modbus SERVERS SECONDS\n       sojourn-bench wire FRAMES\n       \
         sojourn-bench trunk MASTERS SECONDS\n       \
         sojourn-bench cells SWITCH TRANSMISSIONS\n       sojourn-bench radio-stations STATIONS SECONDS\n       sojourn-bench xtp PACKETS DATA_BYTES\n       \
         sojourn-bench bounds FLOWS HOPS\n       \
         sojourn-bench xtp-bytes PACKETS\n       sojourn-bench bulk SECONDS [QUEUE]\n       sojourn-bench xtp-live MEBIBYTES PACKET_SIZE\n       \
         sojourn-bench agent ADDRESS:PORT\n       sojourn-bench requests ADDRESS:PORT RATE SECONDS\n       \
         sojourn-bench load ADDRESS:PORT up|down SECONDS"
    );
    std::process::exit(2);
}
