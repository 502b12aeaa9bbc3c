//! XTP between two threads over UDP on loopback: both ends, checksums and SHA-256 included, on one processor.

use std::sync::Arc;

use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measurement, Watch, find};

use crate::clock::{timed, wall};
use crate::live_measurement::stay_on_one_processor;

/// What a transfer gave.
pub struct Speed {
    /// Bits of user data per processor second of both ends.
    pub rate: f64,
    /// Bits of user data per second of the clock.
    pub wall_rate: f64,
    /// Data packets sent again.
    pub retransmissions: u64,
}

/// Moves `mebibytes` in packets of `packet_size` bytes.
pub fn transfer(mebibytes: u64, packet_size: u32) -> Speed {
    stay_on_one_processor();
    let size = mebibytes << 20;
    let url = format!("xtp+udp://127.0.0.1:{}", free_port());
    let (transport, target) = find(&url).expect("a good URL");
    let listening = Listening { count: Some(1), seed: 1, ..Listening::default() };
    let measurement = Measurement {
        exchanges: 0,
        exchange_sizes: vec![1],
        size,
        packet_size,
        replications: 1,
        inject_loss: 0.0,
        seed: 1,
        on_air: None,
        plan: None,
    };
    let listen = transport.listen(&target, listening).expect("a free port");
    let measure = transport.measure(&target, measurement).expect("loopback");
    let watch = Arc::new(Watch::new());
    let (ours, theirs) = (Watch::new(), watch.clone());
    let began = wall();
    let (seconds, wall) = timed(|| {
        let thread = std::thread::spawn(move || listen(&theirs, &mut NoFrames));
        measure(&ours, &mut NoFrames);
        let wall = wall() - began;
        watch.cancel();
        thread.join().expect("the listener does not panic");
        wall
    });
    let report = ours.reports(0).remove(0);
    assert!(report.well, "{}", report.ended);
    let bits = size as f64 * 8.0;
    Speed { rate: bits / seconds, wall_rate: bits / wall, retransmissions: report.retransmissions }
}

fn free_port() -> u16 {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port");
    socket.local_addr().expect("a bound socket has an address").port()
}
