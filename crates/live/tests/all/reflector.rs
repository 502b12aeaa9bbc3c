//! A reflector on a thread of its own, and a measurement against one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration as Span;

use sojourn_core::Duration;
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::plan::{Phase, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Watch, find};
use sojourn_metrics::record::Record;

/// Reflects until it is dropped.
pub struct Reflector {
    /// Where it listens.
    pub address: SocketAddr,
    watch: Arc<Watch>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Reflector {
    /// At a URL.
    pub fn at(url: &str) -> Reflector {
        Reflector::with(url, Listening { seed: 1, ..Listening::default() })
    }

    /// At a URL, with these settings.
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

    /// What it says at its end.
    pub fn stop(mut self) -> String {
        self.watch.cancel();
        self.thread.take().unwrap().join().unwrap();
        self.watch.reports(1)[0].ended.clone()
    }
}

impl Drop for Reflector {
    fn drop(&mut self) {
        self.watch.cancel();
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

/// One phase so long, 100 requests a second.
pub fn plan(duration: Duration) -> TimedTest {
    let phase = Phase { name: "idle", duration, loaded: false, recorded: true };
    let schedule = Schedule::Periodic { interval: Duration::from_millis(10) };
    // beyond any time for which the machine stands still
    TimedTest {
        timeout: Duration::from_secs(4),
        pacing: Some(Pacing::Sleep),
        ..TimedTest::new(schedule, 64, vec![phase])
    }
}

/// What comes of a plan.
pub fn measured(url: &str, plan: TimedTest) -> Measured {
    watched(url, plan, &Watch::new())
}

/// The same, with a watcher.
pub fn watched(url: &str, plan: TimedTest, watch: &Watch) -> Measured {
    let (transport, target) = find(url).unwrap();
    let measurement = Measurement::timed(plan);
    transport.measure(&target, measurement).unwrap()(watch, &mut NoFrames)
}

/// The record of a plan of one phase, where all went well.
pub fn recorded(url: &str, plan: TimedTest) -> Record {
    let mut measured = measured(url, plan);
    let experiment = measured.experiments.pop().expect("something was measured");
    assert_eq!(experiment.failure, None);
    experiment.records.into_iter().next().expect("it was measured once")
}
