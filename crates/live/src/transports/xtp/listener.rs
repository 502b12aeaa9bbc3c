//! The listener: serves many associations at a time, with an echo and a sink, until it is cancelled.

use std::collections::BTreeMap;
use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::xtp::machine::{AddressFilter, ContextId, Endpoint, Input, Output, Purpose, Reason, Refusal};

use super::association::Association;
use super::conversation::peer_name;
use super::settings::{configuration, echo_configuration, limits};
use super::translator::{LiveEndpoint, LiveInput, LiveMachine, LiveOutput, Translator};
use super::{ECHO_PORT, SINK_PORT};
use crate::io::drive::{AppPoll, Driver, Handler};
use crate::io::injected_loss::InjectedLoss;
use crate::io::link::{Link, Peer};

use crate::progress::report::Report;
use crate::progress::watch::Watch;
use crate::transport::{LARGEST_PACKET, Listening, Measured};

/// How long ended associations are still acknowledged before a listener that has reached its count exits.
const LINGER: Duration = Duration::from_millis(2500);

/// Serves until the count or the duration is reached, or until it is cancelled.
pub fn listen(link: Link, listening: &Listening, watch: &Watch, frames: &mut dyn FrameSink) -> Measured {
    let loss = InjectedLoss::new(listening.seed, 0, "listener", listening.inject_loss);
    let mut driver = Driver::new(link, loss, frames);
    let mut endpoint: LiveEndpoint = Endpoint::new(limits());
    watch.begin("listening", "B", 0);
    watch.report(Report::of_listener(peer_name(driver.link.local())));
    let mut listener = Listener {
        listening,
        watch,
        begun: false,
        translator: Translator::default(),
        associations: BTreeMap::new(),
        ended: 0,
        enough_since: None,
    };
    driver.run(&mut endpoint, &mut listener);
    listener.report_strangers();
    Measured::default()
}

struct Listener<'a> {
    listening: &'a Listening,
    watch: &'a Watch,
    begun: bool,
    translator: Translator,
    associations: BTreeMap<ContextId, Association>,
    /// Associations served.
    ended: u64,
    /// When the last of the counted associations ended.
    enough_since: Option<Time>,
}

impl Listener<'_> {
    fn begin(&mut self, now: Time, endpoint: &mut impl LiveMachine) {
        // the initiator chooses the packet size
        for (port, configuration) in
            [(ECHO_PORT, echo_configuration(LARGEST_PACKET)), (SINK_PORT, configuration(LARGEST_PACKET))]
        {
            let (listener, filter) = (u32::from(port), AddressFilter::Port(port));
            endpoint.handle(now, Input::Listen { listener, filter, configuration: Arc::new(configuration) });
        }
    }

    /// Whether the count or the duration is reached.
    fn is_over(&mut self, now: Time, endpoint: &impl LiveMachine) -> bool {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        if self.watch.is_cancelled() || late {
            return true;
        }
        if self.listening.count.is_none_or(|count| self.ended < count) {
            return false;
        }
        let since = *self.enough_since.get_or_insert(now);
        now.since(since) > LINGER || endpoint.next_wakeup().is_none()
    }

    fn closed(&mut self, context: ContextId, reason: Reason) {
        if let Some(association) = self.associations.remove(&context) {
            self.ended += 1;
            self.watch.report(association.report(reason));
        }
    }

    fn refuse(&mut self, context: Option<ContextId>, refusal: Refusal) {
        let association = context.and_then(|context| self.associations.get_mut(&context));
        if let (Some(association), Refusal::BufferFull) = (association, refusal) {
            association.put_back();
        }
    }

    /// Reports datagrams that were not XTP, once.
    fn report_strangers(&self) {
        if let Some(fault) = self.translator.first_fault {
            let strange = self.translator.counts.unintelligible;
            self.watch.report(Report {
                kind: "strangers",
                messages: strange,
                ended: format!("{strange} datagrams were not XTP packets, the first with the error: {fault}"),
                well: true,
                ..Report::default()
            });
        }
    }
}

impl<M: LiveMachine> Handler<M> for Listener<'_> {
    fn decode(&mut self, _now: Time, from: Peer, datagram: &[u8]) -> Option<LiveInput> {
        self.translator.read(from, datagram)
    }

    fn encode(&mut self, now: Time, output: LiveOutput, datagram: &mut Vec<u8>) -> Option<Peer> {
        match output {
            Output::Transmit { to, packet, purpose } => {
                if purpose == Purpose::Retransmission {
                    self.associations
                        .values_mut()
                        .filter(|association| association.is_with(to))
                        .for_each(Association::retransmitted);
                }
                return self.translator.write(&packet, purpose, datagram).then_some(to);
            }
            Output::Accepted { listener, context, from, .. } => {
                let port = u16::try_from(listener).unwrap_or(SINK_PORT);
                self.associations.insert(context, Association::new(context, from, port, now));
            }
            Output::Deliver { context, data, end_of_message, .. } => {
                self.watch.add_done(data.len() as u64);
                if let Some(association) = self.associations.get_mut(&context) {
                    association.take(now, data, end_of_message);
                }
            }
            Output::EndOfStream { context } => {
                if let Some(association) = self.associations.get_mut(&context) {
                    association.end_of_stream();
                }
            }
            Output::Writable { context } => {
                if let Some(association) = self.associations.get_mut(&context) {
                    association.room();
                }
            }
            Output::Refused { context, refusal, .. } => self.refuse(context, refusal),
            Output::Closed { context, reason } => self.closed(context, reason),
            Output::Report { event, .. } => self.translator.note(event),
            Output::Opened { .. } | Output::Established { .. } => {}
        }
        None
    }

    /// A network error does not end a listener; the association's timers detect a lost peer.
    fn notice(&mut self, _now: Time, _error: crate::io::network_error::NetworkError) -> Option<LiveInput> {
        None
    }

    fn poll_app(&mut self, now: Time, endpoint: &mut M) -> AppPoll {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin(now, endpoint);
        }
        if self.is_over(now, endpoint) {
            let open: Vec<ContextId> = self.associations.keys().copied().collect();
            open.into_iter().for_each(|context| endpoint.handle(now, Input::Abort { context }));
            return AppPoll::Done;
        }
        let mut busy = false;
        for association in self.associations.values_mut() {
            let Some(request) = association.next_request() else { continue };
            busy = true;
            let consumed = association.consumes(&request);
            endpoint.handle(now, request);
            consumed.into_iter().for_each(|consumed| endpoint.handle(now, consumed));
        }
        AppPoll::Wait(if busy { now } else { Time::NEVER })
    }
}
