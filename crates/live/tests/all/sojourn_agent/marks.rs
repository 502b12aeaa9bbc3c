//! DSCP and ECN of requests and responses by direction, through a router that changes them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use sojourn_core::Duration;
use sojourn_live::io::clock::Clock;
use sojourn_live::io::datagrams::{Datagrams, Marking, ReadMode};
use sojourn_live::io::packet_io::{LARGEST_DATAGRAM, Received};
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::request_log::LogFile;
use sojourn_live::prober::request_log::line::LoggedRequest;
use sojourn_live::prober::request_log::run::PointLog;
use sojourn_metrics::record::Observation;
use sojourn_protocols::authentication::Key;

use super::measuring::{measure, only, plan};
use crate::agent::{Agent, KEY, keyed};

/// Forwards datagrams with a traffic class of its own in each direction.
struct Router {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Router {
    fn start(server: SocketAddr, forward: u8, reverse: u8) -> Router {
        let at = || Datagrams::at(Clock::start(), "127.0.0.1:0".parse().unwrap()).unwrap();
        let [mut near, mut far] = [at(), at()];
        near.disable_timestamping();
        far.disable_timestamping();
        let (address, is_over) = (near.local().unwrap(), Arc::new(AtomicBool::new(false)));
        let end = is_over.clone();
        let thread = std::thread::spawn(move || {
            let (mut buffer, mut client) = (vec![0; LARGEST_DATAGRAM], None);
            while !end.load(Ordering::Relaxed) {
                near.wait_for(Duration::from_micros(200));
                while let Received::Datagram(arrival, datagram) = near.receive(ReadMode::NonBlocking, &mut buffer) {
                    client = Some(arrival.from);
                    far.answer(server, None, forward, datagram).unwrap();
                }
                while let Received::Datagram(_, datagram) = far.receive(ReadMode::NonBlocking, &mut buffer) {
                    near.answer(client.unwrap(), None, reverse, datagram).unwrap();
                }
            }
        });
        Router { address, is_over, thread }
    }

    fn stop(self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

#[test]
fn dscp_and_ecn_are_logged_as_sent_as_the_agent_received_them_and_as_they_came_back() {
    let agent = Agent::start(keyed());
    let (forward, reverse) = (8 << 2 | 3, 1);
    let router = Router::start(agent.address, forward, reverse);
    let [requests, seconds] = ["requests", "seconds"]
        .map(|name| std::env::temp_dir().join(format!("sojourn-marks-{name}-{}", std::process::id())));
    let file = LogFile::create(&requests, &seconds).unwrap();
    let marking = Marking { dscp: 46, ecn: 2, bind: None };
    let log = Some(PointLog { log: file.log(), point: 0 });
    let measured = measure(router.address, TimedTest { key: Some(Key::new(KEY)), marking, log, ..plan() });
    router.stop();
    file.finish().unwrap();

    let written = std::fs::read_to_string(&requests).unwrap();
    for path in [&requests, &seconds] {
        std::fs::remove_file(path).unwrap();
    }
    let logged: Vec<LoggedRequest> = written.lines().filter_map(LoggedRequest::parse).collect();
    assert_eq!(logged.len(), 100);
    for request in logged {
        let classes = [request.sent_class, request.far_class, request.received_class];
        assert_eq!(classes, [Some(46 << 2 | 2), Some(forward), Some(reverse)]);
    }
    let marks = only(&measured, "idle").records[0].metrics.get("marks").cloned();
    assert_eq!(marks, Some(Observation::Count(0)), "the responses came back unmarked");
}
