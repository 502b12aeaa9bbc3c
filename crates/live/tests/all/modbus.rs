//! Modbus between a client and a server of this tool, over TCP and over pseudo-terminals.

use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_core::{Duration, Time};
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Watch, find};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::Record;
use sojourn_protocols::modbus::{Request, Response, rtu};

use crate::bus::Bus;
use crate::reflector::{plan, recorded};
use crate::waiting::until;

/// A server that runs until it is dropped.
pub struct Server {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<Measured>>,
    /// Where it listens.
    pub address: String,
}

impl Server {
    /// Begins `listen`, or `agent` where there is such a server.
    pub fn begin(url: &str, is_agent: bool) -> Server {
        let (transport, target) = find(url).unwrap();
        let listening = Listening::default();
        let serve =
            if is_agent { transport.answer(&target, listening) } else { transport.listen(&target, listening) }.unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = Some(std::thread::spawn(move || serve(&shared, &mut NoFrames)));
        let listens = || watch.reports(0).into_iter().find(|report| report.kind == "listening");
        let address = until("the server", listens).peer;
        Server { watch, thread, address }
    }

    /// Ends it; what it measured.
    pub fn end(mut self) -> Measured {
        self.watch.cancel();
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.watch.cancel();
        self.thread.take().map(JoinHandle::join);
    }
}

/// Keeps frames.
#[derive(Default)]
pub struct Frames(pub Vec<Vec<u8>>);

impl FrameSink for Frames {
    fn frame(&mut self, _at: Time, bytes: &[u8]) {
        self.0.push(bytes.to_vec());
    }
}

/// Twenty requests a second for a second, without what this host does to them.
pub fn slowly() -> TimedTest {
    let schedule = Schedule::Periodic { interval: Duration::from_millis(50) };
    TimedTest { schedule, timeout: Duration::from_millis(500), ..plan(Duration::from_secs(1)) }
}

/// The record of a measurement, its frames and its warnings.
pub fn captured(url: &str, plan: TimedTest) -> (Record, Vec<Vec<u8>>, Vec<String>) {
    let (measured, frames) = measured(url, plan);
    let experiment = measured.experiments.into_iter().next().unwrap();
    assert_eq!(experiment.failure, None);
    (experiment.records.into_iter().next().unwrap(), frames, measured.warnings)
}

/// What comes of a measurement, and its frames.
pub fn measured(url: &str, plan: TimedTest) -> (Measured, Vec<Vec<u8>>) {
    let (transport, target) = find(url).unwrap();
    let measure = transport.measure(&target, Measurement::timed(plan)).map_err(|found| found.to_string()).unwrap();
    let mut frames = Frames::default();
    let measured = measure(&Watch::new(), &mut frames);
    (measured, frames.0)
}

#[test]
fn a_server_over_tcp_answers_every_read_of_every_table() {
    let server = Server::begin("modbus://127.0.0.1:0", false);
    for query in ["", "?function=1&count=2000", "?function=2&address=65535", "?function=4&count=125&unit=255"] {
        let record = recorded(&format!("modbus://{}{query}", server.address), slowly());
        assert_eq!((record.distribution("response_time").count(), record.total("failures")), (20, 0), "{query}");
    }
}

#[test]
fn an_exception_is_an_answer_that_counts_as_a_failure_of_its_kind() {
    let server = Server::begin("modbus://127.0.0.1:0?size=100", false);
    let url = format!("modbus://{}?address=99&count=2", server.address);
    let record = recorded(&url, slowly());
    assert_eq!((record.total("failures"), record.total("failures/modbus_exception_2")), (20, 20));
    assert_eq!(record.value("loss"), 0.0, "nothing was lost");
}

#[test]
fn a_written_register_is_read_back() {
    let server = Server::begin("modbus://127.0.0.1:0", false);
    let written = recorded(&format!("modbus://{}?function=6&address=7&value=1", server.address), slowly());
    assert_eq!(written.total("failures"), 0);
    let nothing = recorded(&format!("modbus://{}?function=5&address=7&value=1", server.address), slowly());
    assert_eq!(nothing.total("failures"), 0);
}

#[test]
fn several_requests_are_open_at_a_time_where_the_url_says_so() {
    let server = Server::begin("modbus://127.0.0.1:0?delay=20", false);
    let burst = Schedule::Burst { size: 4, interval: Duration::from_millis(200) };
    let of = |pipeline: u32| {
        let plan = TimedTest { schedule: burst, ..plan(Duration::from_millis(800)) };
        recorded(&format!("modbus://{}?pipeline={pipeline}", server.address), plan)
    };
    // the server carries out one after the other; a client with one open request lets only two others wait for it
    assert_eq!(of(1).total("failures/not_sent"), 4);
    let four = of(4);
    assert_eq!(four.total("failures"), 0);
    assert!(four.distribution("response_time").max().unwrap() >= Duration::from_millis(80));
}

#[test]
fn a_server_on_a_line_answers_its_unit_alone_and_the_capture_has_every_frame() {
    let bus = Bus::new(2);
    let _server = Server::begin(&format!("modbus-rtu://{}?unit=17&delay=5", bus.devices[0]), false);
    let url = |unit| format!("modbus-rtu://{}?unit={unit}&count=10", bus.devices[1]);
    let (record, frames, _) = captured(&url(17), slowly());
    let responses = record.distribution("response_time");
    assert_eq!((responses.count(), record.total("failures")), (20, 0));
    // t3.5 at 19200 bit/s with parity is 2.005 ms, and the server takes 5 ms
    assert!(responses.min().unwrap() >= Duration::from_micros(7005), "{:?}", responses.min());
    assert_eq!(frames.len(), 40);
    for pair in frames.chunks(2) {
        let [request, response] = [0, 1].map(|at| rtu::parse(&pair[at]).unwrap());
        assert!(Request::parse(request.pdu).unwrap().accepts(&Response::parse(response.pdu).unwrap()));
    }
    let schedule = Schedule::Periodic { interval: Duration::from_millis(300) };
    let (silent, frames) = measured(&url(18), TimedTest { schedule, ..slowly() });
    assert!(silent.experiments[0].failure.as_ref().unwrap().contains("no response"), "{silent:?}");
    assert!(frames.len() <= 4, "every request is sent once: {}", frames.len());
}

#[test]
fn a_rate_that_the_line_does_not_carry_is_refused() {
    let bus = Bus::new(1);
    let (transport, target) = find(&format!("modbus-rtu://{}?baud=9600&count=125", bus.devices[0])).unwrap();
    let problems = transport.measure(&target, Measurement::timed(plan(Duration::from_secs(1)))).err().unwrap();
    let message = &problems.0[0].message;
    // 8 and 255 characters of 11 bits at 9600 bit/s, and twice t3.5
    assert!(message.contains("take 309.4 ms at 9600 bit/s: more requests than the line carries"), "{message}");
}
