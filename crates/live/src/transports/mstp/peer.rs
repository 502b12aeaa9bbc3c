//! A device on a trunk as a peer of the prober; the node runs on a thread of its own.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::io::Errno;
use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::mstp::machine::Counters;

use super::asking::{Asking, Event, Shared, ring, silence};
use super::node::Node;
use super::url::Question;
use crate::io::alarm::Alarm;
use crate::io::clock::{Clock, to_timespec};
use crate::io::datagrams::ReadMode;
use crate::io::network_error::{NetworkError, ServiceError};
use crate::prober::failures::Failures;
use crate::prober::peer::{Peer, PeerEvent, Request, Response, Socket};
use crate::progress::watch::Watch;

/// Requests that have not ended, at most: a probe leaves room on the trunk.
const MOST_OPEN: usize = 4;
/// How long a wait for the first token lasts before the user is asked again.
const LOOK: Duration = Duration::from_millis(50);

/// A device that is asked over a node.
pub struct MstpPeer<'f> {
    clock: Clock,
    orders: Sender<u64>,
    events: Receiver<Event>,
    shared: Arc<Shared>,
    node: Option<JoinHandle<Counters>>,
    lost: Option<Errno>,
    last_token: Option<Time>,
    /// Requests that have not ended.
    open: BTreeMap<u64, Sent>,
    to_report: VecDeque<PeerEvent>,
    answered: Vec<(u64, Sent, Time)>,
    /// Rotations of the token, each with the sequence number of the request before.
    rotations: Vec<(u64, Duration)>,
    last: u64,
    failures: Failures,
    frames: &'f mut dyn FrameSink,
}

/// When a request was passed to the node, and when it left.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    left: Option<Time>,
}

impl<'f> MstpPeer<'f> {
    /// Starts the node.
    pub fn start(
        node: Node,
        question: Question,
        clock: Clock,
        frames: &'f mut dyn FrameSink,
    ) -> io::Result<MstpPeer<'f>> {
        let bell = || eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC);
        let shared = Arc::new(Shared { to_node: bell()?, to_prober: bell()?, ends: AtomicBool::new(false) });
        let ((orders, to_take), (reports, events)) = (channel(), channel());
        let mut asking = Asking::new(question, to_take, reports, shared.clone());
        let node = std::thread::Builder::new().name("sojourn-mstp".to_owned()).spawn(move || node.run(&mut asking))?;
        Ok(MstpPeer {
            clock,
            orders,
            events,
            shared,
            node: Some(node),
            lost: None,
            last_token: None,
            open: BTreeMap::new(),
            to_report: VecDeque::new(),
            answered: Vec::new(),
            rotations: Vec::new(),
            last: 0,
            failures: Failures::default(),
            frames,
        })
    }

    /// Waits for the first token; false if none comes within `limit`, the line is lost or the user cancels.
    pub fn joins(&mut self, limit: Duration, watch: &Watch) -> bool {
        let until = self.clock.now() + limit;
        while self.last_token.is_none() && self.lost.is_none() && self.clock.now() < until && !watch.is_cancelled() {
            let _ = poll(&mut [PollFd::new(&self.shared.to_prober, PollFlags::IN)], Some(&to_timespec(LOOK)));
            self.take_events();
        }
        self.last_token.is_some()
    }

    /// Ends the node once it has passed the token on; what its master counted.
    pub fn end(&mut self) -> Option<Counters> {
        self.shared.ends.store(true, Ordering::Relaxed);
        ring(&self.shared.to_node);
        self.node.take().and_then(|node| node.join().ok())
    }

    fn take_events(&mut self) {
        silence(&self.shared.to_prober);
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Token(at) => {
                    let before = self.last_token.replace(at);
                    self.rotations.extend(before.map(|before| (self.last, at.since(before))));
                }
                Event::Left { sequence, at } => {
                    if let Some(sent) = self.open.get_mut(&sequence) {
                        sent.left = Some(at);
                    }
                }
                Event::Ended { sequence, at, outcome } => self.ended(sequence, at, outcome),
                Event::Frame(at, octets) => self.frames.frame(at, &octets),
                Event::Lost(fault) => {
                    self.lost = Some(fault);
                    self.to_report.push_back(PeerEvent::Error(NetworkError::System(fault)));
                }
            }
        }
    }

    fn ended(&mut self, sequence: u64, at: Time, outcome: Result<(), ServiceError>) {
        let sent = self.open.remove(&sequence);
        self.to_report.push_back(match outcome {
            Ok(()) => {
                self.answered.extend(sent.map(|sent| (sequence, sent, at)));
                PeerEvent::Response(Response { sequence, received: at, kernel_received: None, far: None, class: None })
            }
            Err(error) => {
                self.failures.add(sequence, error, sent.map(|sent| at.since(sent.at)));
                match error {
                    // to the prober it is a request without an answer
                    ServiceError::Timeout => PeerEvent::Control,
                    error => PeerEvent::Failure(sequence, NetworkError::Service(error)),
                }
            }
        });
    }

    /// Forgets requests that were given up, which the device may never answer.
    fn make_room(&mut self) {
        while self.open.len() >= MOST_OPEN {
            let has_left = |(_, sent): &(&u64, &Sent)| sent.left.is_some();
            let Some(given_up) = self.open.iter().find(has_left).map(|(sequence, _)| *sequence) else { return };
            self.open.remove(&given_up);
        }
    }
}

impl Peer for MstpPeer<'_> {
    type Socket = Self;

    fn socket(&mut self) -> &mut Self {
        self
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        self.last = request.sequence;
        if let Some(fault) = self.lost {
            return Err(NetworkError::System(fault));
        }
        self.make_room();
        let at = self.clock.now();
        if self.open.len() >= MOST_OPEN || self.orders.send(request.sequence).is_err() {
            self.failures.add(request.sequence, ServiceError::NotSent, None);
            return Err(NetworkError::Service(ServiceError::NotSent));
        }
        self.open.insert(request.sequence, Sent { at, left: None });
        ring(&self.shared.to_node);
        Ok(at)
    }

    fn receive(&mut self, _reading: ReadMode) -> PeerEvent {
        if self.to_report.is_empty() {
            self.take_events();
        }
        self.to_report.pop_front().unwrap_or(PeerEvent::Nothing)
    }

    fn min_octets(&self) -> u32 {
        0
    }

    /// A postponed reply may come after a later one.
    fn responds_in_order(&self) -> bool {
        false
    }

    fn ended(&self) -> Option<String> {
        self.lost.map(|fault| format!("the line is lost: {fault}"))
    }

    fn forget(&mut self, before: u64) {
        self.failures.forget(before);
        self.answered.retain(|(sequence, ..)| *sequence >= before);
        self.rotations.retain(|(sequence, _)| *sequence >= before);
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        self.failures.record_metrics(requests.clone(), record);
        let mut add = |name: &str, spans: &mut dyn Iterator<Item = Duration>| {
            let mut distribution = Distribution::new();
            spans.for_each(|span| distribution.record(span));
            if distribution.count() > 0 {
                record.observe(name, Observation::Distribution(distribution));
            }
        };
        let answered = || self.answered.iter().filter(|(sequence, ..)| requests.contains(sequence));
        add("phase/token", &mut answered().filter_map(|(_, sent, _)| Some(sent.left?.since(sent.at))));
        add("phase/reply", &mut answered().filter_map(|(_, sent, end)| Some(end.since(sent.left?))));
        let rotations = || self.rotations.iter().filter(|(sequence, _)| requests.contains(sequence));
        add("token_rotation", &mut rotations().map(|(_, span)| *span));
        record.scalar("tokens", rotations().count() as f64);
    }
}

impl Socket for MstpPeer<'_> {
    /// Waits until a request has ended or the alarm expires.
    fn wait(&mut self, alarm: &Alarm) -> bool {
        loop {
            self.take_events();
            if !self.to_report.is_empty() {
                return true;
            }
            let mut both = [PollFd::new(&self.shared.to_prober, PollFlags::IN), PollFd::new(alarm, PollFlags::IN)];
            let is_interrupted = poll(&mut both, None).is_err();
            if is_interrupted || !both[1].revents().is_empty() {
                self.take_events();
                return !self.to_report.is_empty();
            }
        }
    }
}

impl Drop for MstpPeer<'_> {
    fn drop(&mut self) {
        self.end();
    }
}
