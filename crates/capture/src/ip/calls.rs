//! Calls that SIP sets up (RFC 3261), and the times that their callers wait (RFC 6076).
//!
//! | metric | from | to |
//! |---|---|---|
//! | `post_dial_delay` | INVITE | the first response that says what becomes of the call: 101 to 199, or the final one |
//! | `call_setup_time` | INVITE | 2xx |
//! | `ring_time` | the first 180 | the final response |
//! | `call_time` | 2xx | BYE |
//! | `disconnect_time` | BYE | its response |
//!
//! An INVITE that is challenged (401, 407) is followed by another with credentials, from which the times count. A call over
//! several hops that were captured is one on each.

use std::hash::BuildHasher;
use std::net::IpAddr;

use foldhash::fast::FixedState;
use sojourn_core::Time;

use super::application::Application;
use super::application::sip::{self, Signal};
use super::endpoints::Endpoint;
use super::media::Media;
use crate::open_table::OpenTable;
use crate::{Address, FlowId, FlowKey, Service, Sink};

/// Calls followed at the same time; beyond it the one that was silent longest is reported as it is.
pub const CALLS: usize = 16_384;

/// Calls by what names them and the two hosts.
#[derive(Debug)]
pub struct Calls {
    open: OpenTable<CallKey, Call>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct CallKey {
    call: u64,
    hosts: [IpAddr; 2],
}

/// A datagram or the data of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Sender.
    pub from: Endpoint,
    /// Receiver.
    pub to: Endpoint,
    /// User data as captured.
    pub octets: &'a [u8],
    /// Stamp.
    pub time: Time,
}

/// A call between two hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// Who calls.
    pub from: Endpoint,
    /// Who is called, or a server between.
    pub to: Endpoint,
    /// Stamp of the INVITE, of the last one where the others were challenged.
    pub begin: Time,
    /// When any response came, of a server between (100) as well.
    pub responded: Option<Time>,
    /// When the caller first learned what becomes of the call.
    pub informed: Option<Time>,
    /// When it began to ring.
    pub ringing: Option<Time>,
    /// The final response: when, and its status.
    pub ended_setup: Option<(Time, u16)>,
    /// When a side hung up.
    pub hung_up: Option<Time>,
    /// Whether the caller gave up.
    pub is_cancelled: bool,
    flow: FlowId,
    /// The number of the INVITE.
    number: u32,
    is_disconnected: bool,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It was answered.
    Answered,
    /// The caller gave up before.
    Cancelled,
    /// The other side was busy (486, 600).
    Busy,
    /// It was refused or failed otherwise.
    Failed,
    /// There was no final response.
    Open,
}

impl CallOutcome {
    /// The outcome as a member of metrics.
    pub fn member(self) -> &'static str {
        self.metric().trim_start_matches("calls/")
    }

    /// Whether it is a call that was answered.
    pub fn is_answered(self) -> bool {
        self == CallOutcome::Answered
    }

    /// The metric that counts it.
    const fn metric(self) -> &'static str {
        match self {
            CallOutcome::Answered => "calls/answered",
            CallOutcome::Cancelled => "calls/cancelled",
            CallOutcome::Busy => "calls/busy",
            CallOutcome::Failed => "calls/failed",
            CallOutcome::Open => "calls/open",
        }
    }
}

impl Default for Calls {
    fn default() -> Self {
        Calls { open: OpenTable::new(CALLS) }
    }
}

impl Calls {
    /// A datagram was captured, which is a message of SIP, perhaps.
    pub fn datagram(&mut self, captured: &Captured<'_>, media: &mut Media, out: &mut Sink) {
        if let Some(signal) = sip::signal(captured.octets) {
            media.describe(captured.octets);
            self.signal(&signal, captured, Service::Udp, out);
        }
    }

    /// A segment was captured: messages that begin with its data, or behind another one, are read.
    pub fn segment(&mut self, captured: &Captured<'_>, media: &mut Media, out: &mut Sink) {
        let mut octets = captured.octets;
        while sip::to_server(octets).is_some() {
            let Some(framed) = Application::Sip.stream_message(octets) else { return };
            let message = &octets[..framed.length.min(octets.len())];
            if let Some(signal) = sip::signal(message) {
                media.describe(message);
                self.signal(&signal, captured, Service::Tcp, out);
            }
            octets = &octets[message.len()..];
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, out: &mut Sink) {
        while let Some((_, call)) = self.open.remove_oldest() {
            call.report(out);
        }
    }

    fn signal(&mut self, signal: &Signal<'_>, captured: &Captured<'_>, service: fn(u16) -> Service, out: &mut Sink) {
        let Captured { from, to, time, .. } = *captured;
        let hosts = [from.address.min(to.address), from.address.max(to.address)];
        let key = CallKey { call: FixedState::default().hash_one(signal.call), hosts };
        let known = self.open.use_entry(&key);
        let begins = signal.status.is_none() && signal.method == b"INVITE" && !signal.is_within_call;
        match (known, signal.status) {
            (None, None) if begins => {
                let [caller, called] = [from, to].map(|end| Address::Ip(end.address));
                let flow = out.flow(FlowKey { from: caller, to: called, service: service(to.port) });
                if let Some((_, call)) = self.open.insert(key, Call::new(flow, from, to, signal.number, time)) {
                    call.report(out);
                }
            }
            (Some(call), None) if begins && call.is_challenged() && signal.number != call.number => {
                *call = Call::new(call.flow, from, to, signal.number, time);
            }
            (Some(call), None) => call.request(signal, time, out),
            (Some(call), Some(status)) => call.response(signal, status, time, out),
            (None, _) => {}
        }
    }
}

impl Call {
    fn new(flow: FlowId, from: Endpoint, to: Endpoint, number: u32, begin: Time) -> Call {
        Call {
            from,
            to,
            begin,
            responded: None,
            informed: None,
            ringing: None,
            ended_setup: None,
            hung_up: None,
            is_cancelled: false,
            flow,
            number,
            is_disconnected: false,
        }
    }

    /// What became of it.
    pub fn outcome(&self) -> CallOutcome {
        match self.ended_setup {
            Some((_, 200..300)) => CallOutcome::Answered,
            Some(_) if self.is_cancelled => CallOutcome::Cancelled,
            Some((_, 486 | 600)) => CallOutcome::Busy,
            Some(_) => CallOutcome::Failed,
            None if self.is_cancelled => CallOutcome::Cancelled,
            None => CallOutcome::Open,
        }
    }

    fn is_challenged(&self) -> bool {
        matches!(self.ended_setup, Some((_, 401 | 407)))
    }

    fn answered(&self) -> Option<Time> {
        self.ended_setup.filter(|_| self.outcome() == CallOutcome::Answered).map(|(time, _)| time)
    }

    fn request(&mut self, signal: &Signal<'_>, now: Time, out: &mut Sink) {
        match signal.method {
            b"CANCEL" => self.is_cancelled |= signal.number == self.number && self.ended_setup.is_none(),
            b"BYE" if self.hung_up.is_none() => {
                self.hung_up = Some(now);
                if let Some(answered) = self.answered() {
                    out.sample(self.flow, "call_time", now, now.since(answered));
                }
            }
            _ => {}
        }
    }

    fn response(&mut self, signal: &Signal<'_>, status: u16, now: Time, out: &mut Sink) {
        if signal.method == b"INVITE" && signal.number == self.number {
            self.responded.get_or_insert(now);
        }
        match (signal.method, status) {
            (b"INVITE", 101..) if signal.number == self.number && self.ended_setup.is_none() => {
                self.progress(status, now, out);
            }
            (b"BYE", 200..) if !self.is_disconnected => {
                if let Some(begin) = self.hung_up {
                    self.is_disconnected = true;
                    out.sample(self.flow, "disconnect_time", now, now.since(begin));
                }
            }
            _ => {}
        }
    }

    /// A response to the INVITE that is not one of a server between (100).
    fn progress(&mut self, status: u16, now: Time, out: &mut Sink) {
        let is_final = status >= 200;
        if is_final {
            self.ended_setup = Some((now, status));
            if self.is_challenged() {
                return;
            }
        }
        if self.informed.is_none() {
            self.informed = Some(now);
            out.sample(self.flow, "post_dial_delay", now, now.since(self.begin));
        }
        if status == 180 {
            self.ringing.get_or_insert(now);
        }
        if let Some(ringing) = self.ringing.filter(|_| is_final) {
            out.sample(self.flow, "ring_time", now, now.since(ringing));
        }
        if self.answered().is_some() {
            out.sample(self.flow, "call_setup_time", now, now.since(self.begin));
        }
    }

    fn report(self, out: &mut Sink) {
        out.count(self.flow, "calls", 1);
        out.count(self.flow, self.outcome().metric(), 1);
        out.call(self);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_core::Duration;

    use super::*;
    use crate::Event;

    const CALLER: u8 = 1;
    const CALLED: u8 = 2;

    #[derive(Default)]
    struct Trial {
        calls: Calls,
        media: Media,
        out: Sink,
    }

    impl Trial {
        fn new() -> Trial {
            Trial { out: Sink::with_log(), ..Trial::default() }
        }

        fn message(&mut self, milliseconds: u64, from: u8, start: &str, sequence: &str, tag: &str) {
            let end = |host| Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port: 5060 };
            let text = format!("{start}\r\nCall-ID: 7@a\r\nTo: <sip:b@b>{tag}\r\nCSeq: {sequence}\r\n\r\n");
            let (from, to) = (end(from), end(3 - from));
            let time = Time::ZERO + Duration::from_millis(milliseconds);
            let captured = Captured { from, to, octets: text.as_bytes(), time };
            self.calls.datagram(&captured, &mut self.media, &mut self.out);
        }

        fn caller(&mut self, milliseconds: u64, method: &str, number: u32) {
            let tag = if method == "BYE" { ";tag=9" } else { "" };
            let start = format!("{method} sip:b@b SIP/2.0");
            self.message(milliseconds, CALLER, &start, &format!("{number} {method}"), tag);
        }

        fn called(&mut self, milliseconds: u64, status: u16, sequence: &str) {
            self.message(milliseconds, CALLED, &format!("SIP/2.0 {status} Status"), sequence, ";tag=9");
        }

        /// Milliseconds of a metric.
        fn samples(&self, metric: &str) -> Vec<u64> {
            let sample = |event: &Event| match event {
                Event::Sample(_, name, _, span) if *name == metric => Some(span.whole(Duration::from_millis(1))),
                _ => None,
            };
            self.out.log().iter().filter_map(sample).collect()
        }

        fn outcome(&mut self) -> CallOutcome {
            self.calls.finish(&mut self.out);
            let [call] = self.out.calls() else { panic!("one call") };
            call.outcome()
        }
    }

    #[test]
    fn a_caller_waits_to_ringing_and_to_the_answer_from_the_invite_with_credentials() {
        let mut trial = Trial::new();
        trial.caller(0, "INVITE", 1);
        trial.called(30, 407, "1 INVITE");
        trial.caller(31, "ACK", 1);
        trial.caller(100, "INVITE", 2);
        trial.called(105, 100, "2 INVITE");
        trial.caller(600, "INVITE", 2);
        trial.called(2_100, 183, "2 INVITE");
        trial.called(2_400, 180, "2 INVITE");
        trial.called(9_400, 200, "2 INVITE");
        trial.called(9_900, 200, "2 INVITE");
        trial.caller(9_910, "ACK", 2);
        trial.caller(69_400, "BYE", 3);
        trial.called(69_420, 200, "3 BYE");
        let metrics = ["post_dial_delay", "ring_time", "call_setup_time", "call_time", "disconnect_time"];
        assert_eq!(metrics.map(|metric| trial.samples(metric)), [[2_000], [7_000], [9_300], [60_000], [20]]);
        assert_eq!(trial.outcome(), CallOutcome::Answered);
    }

    #[test]
    fn a_call_that_is_cancelled_while_it_rings_has_no_setup_time() {
        let mut trial = Trial::new();
        trial.caller(0, "INVITE", 1);
        trial.called(400, 180, "1 INVITE");
        trial.caller(5_400, "CANCEL", 1);
        trial.called(5_410, 200, "1 CANCEL");
        trial.called(5_420, 487, "1 INVITE");
        assert_eq!(["post_dial_delay", "ring_time"].map(|metric| trial.samples(metric)), [[400], [5_020]]);
        assert_eq!((trial.samples("call_setup_time"), trial.outcome()), (vec![], CallOutcome::Cancelled));
    }

    #[test]
    fn a_call_that_fails_ends_the_wait_and_one_without_a_response_is_open() {
        for (status, outcome) in [(486, CallOutcome::Busy), (503, CallOutcome::Failed), (401, CallOutcome::Failed)] {
            let mut trial = Trial::new();
            trial.caller(0, "INVITE", 1);
            trial.called(70, status, "1 INVITE");
            assert_eq!(
                (trial.samples("post_dial_delay").len(), trial.outcome()),
                (usize::from(status != 401), outcome)
            );
        }
        let mut trial = Trial::new();
        trial.caller(0, "INVITE", 1);
        trial.called(70, 100, "1 INVITE");
        assert_eq!((trial.samples("post_dial_delay"), trial.outcome()), (vec![], CallOutcome::Open));
    }

    #[test]
    fn a_call_that_goes_on_is_not_set_up_again() {
        let mut trial = Trial::new();
        trial.caller(0, "INVITE", 1);
        trial.called(500, 200, "1 INVITE");
        trial.message(900, CALLED, "INVITE sip:a@a SIP/2.0", "77 INVITE", ";tag=5");
        trial.message(950, CALLER, "SIP/2.0 200 OK", "77 INVITE", ";tag=5");
        assert_eq!((trial.samples("call_setup_time"), trial.outcome()), (vec![500], CallOutcome::Answered));
    }
}
