//! A reflector on a thread of its own, and a measurement against one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration as Span;

use sojourn_core::Duration;
use sojourn_live::measuring::datagrams::Marking;
use sojourn_live::measuring::pacer::Pacing;
use sojourn_live::measuring::plan::{Phase, Plan};
use sojourn_live::measuring::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measurement, Watch, find};
use sojourn_metrics::record::Record;

/// Reflects until it is dropped.
pub struct Reflector {
    /// Where it listens.
    #[allow(dead_code, reason = "the tests of groups know the group's address")]
    pub address: SocketAddr,
    watch: Arc<Watch>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Reflector {
    /// At a URL.
    pub fn at(url: &str) -> Reflector {
        Reflector::with(url, Listening { seed: 1, ..Listening::default() })
    }

    /// At a URL, as it is told to listen.
    pub fn with(url: &str, listening: Listening) -> Reflector {
        let (transport, target) = find(url).unwrap();
        let listen = transport.listen(&target, listening).unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = thread::spawn(move || drop(listen(&shared, &mut NoFrames)));
        let address = loop {
            match watch.reports(0).first() {
                Some(report) => break report.peer.parse().unwrap(),
                None => thread::sleep(Span::from_millis(1)),
            }
        };
        Reflector { address, watch, thread: Some(thread) }
    }
}

impl Drop for Reflector {
    fn drop(&mut self) {
        self.watch.cancel();
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// One phase so long, 100 requests a second.
pub fn plan(duration: Duration) -> Plan {
    Plan {
        schedule: Schedule::Periodic { interval: Duration::from_millis(10) },
        sizes: vec![64],
        phases: vec![Phase { name: "idle", duration, loaded: false, recorded: true }],
        loads: Vec::new(),
        patience: Duration::from_millis(900),
        marking: Marking::default(),
        pacing: Some(Pacing::Sleep),
        voice: None,
        replications: 1,
        seed: 1,
        key: None,
    }
}

/// What was measured by a plan of one phase.
pub fn measured(url: &str, plan: Plan) -> Record {
    let (transport, target) = find(url).unwrap();
    let measurement = Measurement {
        exchanges: 0,
        exchange_sizes: vec![64],
        size: 0,
        packet_size: 0,
        replications: 1,
        inject_loss: 0.0,
        seed: 1,
        on_air: None,
        plan: Some(plan),
    };
    let measure = transport.measure(&target, measurement).unwrap();
    let mut measured = measure(&Watch::new(), &mut NoFrames);
    let experiment = measured.experiments.pop().expect("something was measured");
    assert_eq!(experiment.failure, None);
    experiment.records.into_iter().next().expect("it was measured once")
}
