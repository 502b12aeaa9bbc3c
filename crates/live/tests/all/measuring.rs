//! A measurement by the clock against an echo: requests leave by a schedule, phases have metrics of their own, and what
//! was measured until a peer became unreachable is kept.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use sojourn_core::{Duration, Time};
use sojourn_live::io::alarm::Alarm;
use sojourn_live::io::clock::Clock;
use sojourn_live::io::datagrams::ReadMode;
use sojourn_live::io::network_error::NetworkError;
use sojourn_live::io::wall_clock::Step;
use sojourn_live::prober::loader::NoLoad;
use sojourn_live::prober::measurement::Measurement;
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::peer::{Peer, PeerEvent, PeerTimes, Request, Socket};
use sojourn_live::prober::plan::{Phase, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::prober::udp_peer::{ProbeFormat, UdpPeer};
use sojourn_live::{Measured, Watch};

use crate::waiting::{free_port, until};

/// The sequence number, then zeros.
struct Plain;

impl ProbeFormat for Plain {
    fn write(&mut self, request: Request, _leaves: Time, datagram: &mut Vec<u8>) {
        datagram.extend(request.sequence.to_be_bytes());
        datagram.resize(request.octets as usize, 0);
    }

    fn read(&mut self, datagram: &[u8]) -> Option<(u64, Option<PeerTimes>)> {
        datagram.first_chunk().map(|head| (u64::from_be_bytes(*head), None))
    }

    fn min_octets(&self) -> u32 {
        8
    }
}

/// Sends datagrams back, but for every `drop`th, until `last` have come.
struct Echo {
    address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    fn start(drop: usize, last: usize) -> Echo {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(50))).unwrap();
        let (address, over) = (socket.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let stop = over.clone();
        let thread = std::thread::spawn(move || {
            let (mut buffer, mut count) = ([0; 2048], 0);
            while !stop.load(Ordering::Relaxed) && count < last {
                let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
                count += 1;
                if count % drop != 0 {
                    socket.send_to(&buffer[..length], from).unwrap();
                }
            }
        });
        Echo { address, over, thread: Some(thread) }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn plan(schedule: Schedule) -> TimedTest {
    let phase = |name| Phase { name, duration: Duration::from_millis(600), loaded: false, recorded: true };
    // beyond any time for which the machine stands still
    let (timeout, pacing) = (Duration::from_secs(4), Some(Pacing::Sleep));
    TimedTest { timeout, pacing, ..TimedTest::new(schedule, 64, vec![phase("idle"), phase("recovery")]) }
}

fn measure(echo: &Echo, plan: &TimedTest) -> Measured {
    watched(echo, plan, &Watch::new())
}

fn watched(echo: &Echo, plan: &TimedTest, watch: &Watch) -> Measured {
    let clock = Clock::start();
    let mut peer = UdpPeer::to(Plain, clock, echo.address, &plan.marking).unwrap();
    let name = echo.address.to_string();
    Measurement { name, peer: &mut peer, loader: &mut NoLoad, clock, plan, watch }.run()
}

#[test]
fn each_phase_has_the_requests_scheduled_in_it() {
    let echo = Echo::start(usize::MAX, usize::MAX);
    let measured = measure(&echo, &plan(Schedule::Periodic { interval: Duration::from_millis(20) }));
    let names: Vec<&str> = measured.experiments.iter().map(|experiment| experiment.name).collect();
    assert_eq!(names, ["idle", "recovery"]);
    for experiment in &measured.experiments {
        assert_eq!(experiment.failure, None);
        let record = &experiment.records[0];
        assert_eq!(record.distribution("lateness").count(), 30);
        assert_eq!(record.distribution("response_time").count(), 30);
        assert_eq!(record.distribution("path_time").count(), 30, "the loopback takes timestamps");
        assert_eq!(record.value("loss"), 0.0);
        assert!(record.value("noise_floor") > 0.0);
    }
    assert!(measured.circumstances.is_some());
}

#[test]
fn one_unanswered_request_in_ten_is_a_loss_of_ten_percent() {
    let echo = Echo::start(10, usize::MAX);
    let measured = measure(&echo, &plan(Schedule::Periodic { interval: Duration::from_millis(20) }));
    let lost: f64 = measured.experiments.iter().map(|experiment| experiment.records[0].value("loss")).sum();
    assert!((lost - 0.2).abs() < 1e-9, "3 of 30 in either phase");
}

#[test]
fn a_closed_loop_sends_after_a_response_or_a_timeout() {
    let echo = Echo::start(10, usize::MAX);
    let mut long = plan(Schedule::PingPong { think: Duration::from_millis(1), spread: Duration::ZERO });
    long.timeout = Duration::from_millis(300);
    long.phases[0].duration = Duration::from_secs(600);
    let watch = Watch::new();
    let measured = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| watched(&echo, &long, &watch));
        until("requests after the second that is not answered", || (watch.look().done > 25).then_some(()));
        watch.cancel();
        measuring.join().unwrap()
    });
    let record = &measured.experiments[0].records[0];
    let (sent, answered) = (record.distribution("lateness").count(), record.distribution("response_time").count());
    // the tenth is waited for until its timeout
    assert!(sent > 25 && answered <= sent - sent / 10, "{sent} {answered}");
}

#[test]
fn spin_pacing_receives_every_response_at_once_in_a_closed_loop() {
    let echo = Echo::start(usize::MAX, usize::MAX);
    let periodic = Schedule::Periodic { interval: Duration::from_millis(20) };
    let ping_pong = Schedule::PingPong { think: Duration::from_millis(1), spread: Duration::ZERO };
    for (schedule, least) in [(periodic, 30), (ping_pong, 1)] {
        let spinning = TimedTest { pacing: Some(Pacing::Spin), ..plan(schedule) };
        let measured = measure(&echo, &spinning);
        assert_eq!(measured.circumstances.as_ref().unwrap().pacing, Pacing::Spin);
        let record = &measured.experiments[0].records[0];
        let (sent, answered) = (record.distribution("lateness").count(), record.distribution("response_time").count());
        assert!(answered >= least && sent == answered, "{sent} sent, {answered} answered");
    }
}

#[test]
fn partial_results_are_kept_when_the_peer_stops() {
    let echo = Echo::start(usize::MAX, 10);
    let mut long = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
    long.phases[0].duration = Duration::from_secs(600);
    long.outage_limit = Some(Duration::from_secs(2));
    let measured = measure(&echo, &long);
    assert_eq!(measured.experiments.len(), 1, "the next phase did not begin");
    let experiment = &measured.experiments[0];
    let failure = experiment.failure.as_deref().unwrap();
    assert!(failure.contains("became unreachable after ") && failure.contains("no listener on that port"), "{failure}");
    assert!(failure.contains("the outage exceeded its limit of 2 s"), "{failure}");
    let record = &experiment.records[0];
    let (answered, sent) = (record.distribution("response_time").count(), record.distribution("response_time").sent());
    assert!(answered == 10 && sent >= 90, "the outage counts as loss: {answered} of {sent}");
    let [outage] = &experiment.outages[..] else { panic!("one outage: {:?}", experiment.outages) };
    assert!(outage.end.is_none() && outage.requests == sent - 10 && outage.duration > 1.9, "{outage:?}");
    assert_eq!(outage.cause.as_deref(), Some("no listener on that port (ICMP port unreachable)"));
    assert!(experiment.duration < long.phases[0].duration);
}

/// An echo that is silent from its request number `silent.start` to `silent.end`; with `closed` its socket is closed meanwhile.
fn interrupted(silent: std::ops::Range<u64>, closed: bool) -> Echo {
    let bind = |address: SocketAddr| {
        let socket = UdpSocket::bind(address).unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(20))).unwrap();
        socket
    };
    let mut socket = Some(bind("127.0.0.1:0".parse().unwrap()));
    let address = socket.as_ref().unwrap().local_addr().unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let stop = over.clone();
    let thread = std::thread::spawn(move || {
        let (mut buffer, mut silent_until) = ([0; 2048], None);
        while !stop.load(Ordering::Relaxed) {
            if silent_until.is_some_and(|until| std::time::Instant::now() < until) && closed {
                socket = None;
                std::thread::sleep(std::time::Duration::from_millis(5));
                continue;
            }
            let open = socket.get_or_insert_with(|| bind(address));
            let Ok((length, from)) = open.recv_from(&mut buffer) else { continue };
            let sequence = u64::from_be_bytes(*buffer.first_chunk().unwrap());
            if silent.contains(&sequence) {
                let lasts = std::time::Duration::from_millis(20 * (silent.end - silent.start));
                silent_until.get_or_insert(std::time::Instant::now() + lasts);
            } else {
                open.send_to(&buffer[..length], from).unwrap();
            }
        }
    });
    Echo { address, over, thread: Some(thread) }
}

#[test]
fn a_measurement_goes_on_through_an_outage_which_is_listed_and_counts_as_loss() {
    for closed in [false, true] {
        // silent from request 30 to 130, which is from 0.6 s to 2.6 s
        let echo = interrupted(30..130, closed);
        let mut long = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
        long.timeout = Duration::from_millis(500);
        long.phases[0].duration = Duration::from_secs(2);
        long.phases[1].duration = Duration::from_secs(2);
        let watch = Watch::new();
        let measured = watched(&echo, &long, &watch);
        let [idle, recovery] = &measured.experiments[..] else { panic!("both phases") };
        assert_eq!((&idle.failure, &recovery.failure), (&None, &None));
        let [before, after] = [&idle.outages[..], &recovery.outages[..]].map(|found| found[0].clone());
        assert!(
            (0.5..0.7).contains(&before.begin) && before.end == Some(2.0),
            "until the end of its phase: {before:?}"
        );
        assert!(after.begin == 2.0 && after.end.is_some_and(|end| (2.5..3.2).contains(&end)), "{after:?}");
        let cause = Some("no listener on that port (ICMP port unreachable)").filter(|_| closed);
        assert_eq!((before.cause.as_deref(), after.cause.as_deref()), (cause, cause));
        let record = &idle.records[0];
        assert_eq!(record.total("outages"), 1);
        assert!((record.value("outage_time") - (2.0 - before.begin)).abs() < 1e-9);
        assert!((0.65..0.75).contains(&record.value("loss")), "70 of 100 requests: {}", record.value("loss"));
        let notes: Vec<String> = watch.reports(0).into_iter().map(|report| report.ended).collect();
        assert!(notes.iter().any(|note| note.starts_with("no response for 1 s")), "{notes:?}");
        assert!(notes.iter().any(|note| note.starts_with("responses again after 2.")), "{notes:?}");
    }
}

#[test]
fn a_phase_within_an_outage_has_losses_alone() {
    let echo = interrupted(10..u64::MAX >> 40, false);
    let mut long = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
    long.timeout = Duration::from_millis(300);
    long.phases[0].duration = Duration::from_secs(2);
    long.phases[1].duration = Duration::from_secs(2);
    let measured = measure(&echo, &long);
    let record = &measured.experiments[1].records[0];
    assert_eq!((record.value("loss"), record.value("outage_time")), (1.0, 2.0));
    assert_eq!((measured.experiments[1].outages[0].begin, measured.experiments[1].outages[0].end), (2.0, None));
}

/// A peer whose timestamps show a clock step of this host, as after `date --set`.
struct Stepped(UdpPeer<Plain>);

impl Peer for Stepped {
    type Socket = Self;

    fn socket(&mut self) -> &mut Self {
        self
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        self.0.send(request)
    }

    fn receive(&mut self, reading: ReadMode) -> PeerEvent {
        self.0.receive(reading)
    }

    fn min_octets(&self) -> u32 {
        self.0.min_octets()
    }
}

impl Socket for Stepped {
    fn wait(&mut self, alarm: &Alarm) -> bool {
        self.0.socket().wait(alarm)
    }

    fn steps(&self) -> Vec<Step> {
        vec![Step { at_s: 0.31, by_s: -3600.0 }]
    }
}

#[test]
fn a_clock_step_during_a_run_is_reported_and_response_times_are_unaffected() {
    let echo = Echo::start(usize::MAX, usize::MAX);
    let plan = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
    let clock = Clock::start();
    let mut peer = Stepped(UdpPeer::to(Plain, clock, echo.address, &plan.marking).unwrap());
    let (name, watch) = (echo.address.to_string(), Watch::new());
    let measured = Measurement { name, peer: &mut peer, loader: &mut NoLoad, clock, plan: &plan, watch: &watch }.run();
    let warning = "the clock of this host was stepped by -3600.000 s after 0.3 s: kernel timestamps of packets in flight then are \
                   discarded";
    assert!(measured.warnings.iter().any(|found| found == warning), "{:?}", measured.warnings);
    assert_eq!(measured.circumstances.as_ref().map(|found| found.steps.len()), Some(1), "and kept with the results");
    for experiment in &measured.experiments {
        assert_eq!(experiment.records[0].distribution("response_time").count(), 30, "they use the monotonic clock");
    }
}

#[test]
fn an_unreachable_peer_is_reported() {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let absent = Echo { address, over: Arc::default(), thread: None };
    let mut long = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
    long.phases[0].duration = Duration::from_secs(600);
    let measured = measure(&absent, &long);
    let failure = measured.experiments.last().unwrap().failure.as_deref();
    assert!(failure.is_some_and(|text| text.starts_with("no response from 127.0.0.1:")), "{failure:?}");
    let record = &measured.experiments[0].records[0];
    assert_eq!((record.value("loss"), record.distribution("response_time").count()), (1.0, 0));
}

#[test]
fn a_peer_that_never_responded_is_reported_by_a_measurement_shorter_than_its_absence_takes_to_show() {
    let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let absent = Echo { address, over: Arc::default(), thread: None };
    let mut short = plan(Schedule::Periodic { interval: Duration::from_millis(20) });
    short.phases[0].duration = Duration::from_millis(300);
    let measured = measure(&absent, &short);
    let failure = measured.experiments[0].failure.as_deref();
    assert!(failure.is_some_and(|text| text.starts_with("no response from 127.0.0.1:")), "{failure:?}");
    let record = &measured.experiments[0].records[0];
    assert_eq!((record.value("loss"), record.distribution("response_time").count()), (1.0, 0));
}
