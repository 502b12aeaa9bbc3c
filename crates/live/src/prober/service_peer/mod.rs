//! A peer that is a connection-oriented service: each request is an exchange of its own, from name resolution to the
//! complete response.
//!
//! The exchanges run on a single-threaded tokio runtime in the probing thread, so that no thread hand-over is
//! measured; only names are resolved on other threads, as getaddrinfo(3) blocks. The runtime runs while the prober
//! waits and receives. A slow exchange delays no other one: each is waited for a while after its timeout, so that a late
//! answer is known as such, and beyond [`MAX_OUTSTANDING`] requests are not sent but counted as such.

mod connecting;
mod phases;

use std::io;
use std::ops::Range;
use std::os::fd::AsFd;
use std::pin::{Pin, pin};
use std::task::Poll;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

pub use self::connecting::connect;
pub use self::phases::Ends;
use self::phases::RequestPhases;
use super::failures::Failures;
use super::peer::{Peer, PeerEvent, Request, Response, Socket};
use crate::io::alarm::Alarm;
use crate::io::clock::{Clock, to_system};
use crate::io::datagrams::ReadMode;
use crate::io::network_error::{NetworkError, ServiceError};

/// Requests outstanding at most; each may need a connection, and a process has 1024 descriptors by default.
pub const MAX_OUTSTANDING: usize = 512;

/// How long after its timeout an exchange is waited for, at most.
const LATE: Duration = Duration::from_secs(1);

/// An exchange in flight: when its phases ended, or why it failed.
pub type Exchange = Pin<Box<dyn Future<Output = Result<Ends, ServiceError>> + Send>>;

/// Begins the exchanges of a service.
pub trait Service {
    /// The exchange of the next request; it begins when it is polled first.
    fn exchange(&mut self) -> Exchange;

    /// Records what the service showed of itself.
    fn record_metrics(&self, _record: &mut Record) {}
}

/// A service as a peer.
#[derive(Debug)]
pub struct ServicePeer<S> {
    service: S,
    clock: Clock,
    timeout: Duration,
    runtime: Option<Runtime>,
    ended: UnboundedSender<Ended>,
    to_report: UnboundedReceiver<Ended>,
    /// What a wait ended with.
    next: Option<Ended>,
    outstanding: usize,
    phases: RequestPhases,
    failures: Failures,
}

/// An exchange that has ended.
#[derive(Debug)]
struct Ended {
    sequence: u64,
    sent: Time,
    /// When it ended.
    at: Time,
    outcome: Result<Ends, ServiceError>,
}

impl<S: Service> ServicePeer<S> {
    /// A peer whose exchanges end a while after the timeout.
    pub fn of(service: S, clock: Clock, timeout: Duration) -> io::Result<ServicePeer<S>> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let (ended, to_report) = unbounded_channel();
        Ok(ServicePeer {
            service,
            clock,
            timeout,
            runtime: Some(runtime),
            ended,
            to_report,
            next: None,
            outstanding: 0,
            phases: RequestPhases::default(),
            failures: Failures::default(),
        })
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("it is taken when the peer is dropped")
    }

    /// Runs what can run now, without waiting.
    fn drive(&self) {
        self.runtime().block_on(async {
            // the first return reads the sockets, the second comes after the exchanges whose sockets were ready
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        });
    }

    fn report(&mut self, Ended { sequence, sent, at, outcome }: Ended) -> PeerEvent {
        self.outstanding -= 1;
        match outcome {
            Ok(ends) => {
                self.phases.add(sequence, sent, ends);
                let received = ends.whole.unwrap_or(sent);
                PeerEvent::Response(Response { sequence, received, kernel_received: None, far: None, class: None })
            }
            Err(error) => {
                self.failures.add(sequence, error, Some(at.since(sent)));
                match error {
                    // to the prober it is a request without an answer
                    ServiceError::Timeout => PeerEvent::Control,
                    error if error.is_answer() => PeerEvent::Failure(sequence, NetworkError::Service(error)),
                    error => PeerEvent::Error(NetworkError::Service(error)),
                }
            }
        }
    }
}

impl<S: Service> Peer for ServicePeer<S> {
    type Socket = Self;

    fn socket(&mut self) -> &mut Self {
        self
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        let sequence = request.sequence;
        if self.outstanding >= MAX_OUTSTANDING {
            self.failures.add(sequence, ServiceError::NotSent, None);
            return Err(NetworkError::Service(ServiceError::NotSent));
        }
        self.outstanding += 1;
        let (ended, limit, clock) = (self.ended.clone(), to_system(self.timeout + self.timeout.min(LATE)), self.clock);
        let exchange = self.service.exchange();
        let sent = self.clock.now();
        self.runtime().spawn(async move {
            let outcome = tokio::time::timeout(limit, exchange).await.unwrap_or(Err(ServiceError::Timeout));
            // the measurement may be over
            let _ = ended.send(Ended { sequence, sent, at: clock.now(), outcome });
        });
        self.drive();
        Ok(sent)
    }

    fn receive(&mut self, _reading: ReadMode) -> PeerEvent {
        if self.next.is_none() && self.to_report.is_empty() && self.outstanding > 0 {
            self.drive();
        }
        let ended = self.next.take().or_else(|| self.to_report.try_recv().ok());
        ended.map_or(PeerEvent::Nothing, |ended| self.report(ended))
    }

    fn min_octets(&self) -> u32 {
        0
    }

    /// A service takes for each request the time that it needs.
    fn responds_in_order(&self) -> bool {
        false
    }

    fn forget(&mut self, before: u64) {
        self.phases.forget(before);
        self.failures.forget(before);
    }

    fn record_metrics(&self, requests: Range<u64>, _timeout: Duration, record: &mut Record) {
        self.phases.record_metrics(requests.clone(), record);
        self.failures.record_metrics(requests, record);
        self.service.record_metrics(record);
    }
}

impl<S: Service> Socket for ServicePeer<S> {
    /// Runs the exchanges until one has ended or the alarm expires.
    fn wait(&mut self, alarm: &Alarm) -> bool {
        if self.next.is_some() {
            return true;
        }
        let ServicePeer { runtime, to_report, .. } = self;
        let runtime = runtime.as_ref().expect("it is taken when the peer is dropped");
        self.next = runtime.block_on(async {
            // the prober's own timer, as those of tokio have a resolution of 1 ms
            #[expect(
                deprecated,
                reason = "sound: a borrowed descriptor is one descriptor for as long as it is borrowed"
            )]
            let Ok(timer) = AsyncFd::with_interest(alarm.as_fd(), Interest::READABLE) else {
                alarm.sleep();
                return None;
            };
            let mut expired = pin!(timer.readable());
            std::future::poll_fn(|context| match to_report.poll_recv(context) {
                Poll::Ready(ended) => Poll::Ready(ended),
                Poll::Pending => expired.as_mut().poll(context).map(|_| None),
            })
            .await
        });
        self.next.is_some()
    }
}

impl<S> Drop for ServicePeer<S> {
    fn drop(&mut self) {
        // a name that is still being resolved is not waited for
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}
