//! Who asks whom for what, and what is sent without a reply.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::{Reservoir, SendTimes};
use sojourn_core::{Duration, Time};
use sojourn_protocols::bacnet::{Apdu, Npdu};

use super::place::{Place, own_octets};
use super::presence::Presence;

/// Flows that are kept apart, and requests that are open at a time; further ones are left out.
const FLOW_LIMIT: usize = 1024;
const OPEN_LIMIT: usize = 4096;
/// Values kept as a sample of all.
const SAMPLE: usize = 512;
/// After this time without another attempt a request has been given up.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// Services of BACnet that a scenario distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Service {
    Read,
    ReadMultiple,
    Write,
    CovConfirmed,
    Cov,
    WhoIs,
    IAm,
}

impl Service {
    /// Of a confirmed request; what is not distinguished is read.
    fn confirmed(choice: u8) -> Service {
        match choice {
            1 => Service::CovConfirmed,
            14 => Service::ReadMultiple,
            15 | 16 => Service::Write,
            _ => Service::Read,
        }
    }

    /// Of an unconfirmed one; what is not distinguished is a notification.
    fn unconfirmed(choice: u8) -> Service {
        match choice {
            0 => Service::IAm,
            8 => Service::WhoIs,
            _ => Service::Cov,
        }
    }

    /// As a scenario names it.
    pub fn word(self) -> &'static str {
        match self {
            Service::Read => "read",
            Service::ReadMultiple => "read-multiple",
            Service::Write => "write",
            Service::CovConfirmed => "cov-confirmed",
            Service::Cov | Service::IAm => "cov",
            Service::WhoIs => "who-is",
        }
    }

    /// Whether it is answered.
    pub fn is_confirmed(self) -> bool {
        !matches!(self, Service::Cov | Service::WhoIs | Service::IAm)
    }

    /// Whether requests of different sizes ask for different things.
    fn has_forms(self) -> bool {
        matches!(self, Service::Read | Service::ReadMultiple)
    }
}

/// What is sent from one place to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FlowKey {
    pub from: Place,
    pub to: Place,
    pub service: Service,
    /// Octets of a request where they distinguish what is asked for.
    form: usize,
}

/// The messages of a flow.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub times: SendTimes,
    /// Octets of requests and replies without far addresses.
    pub data: Reservoir,
    pub response_data: Reservoir,
    /// From a request to its reply, s.
    pub responses: Reservoir,
    /// From the completion of the client's request before to a request, s.
    pub thinks: Reservoir,
    /// From one attempt to the next, s.
    pub repeats: Reservoir,
    pub unanswered: u64,
    pub attempts: u32,
}

impl Default for Flow {
    fn default() -> Self {
        let [data, response_data, responses, thinks, repeats] = std::array::from_fn(|_| Reservoir::new(SAMPLE));
        Flow {
            times: SendTimes::default(),
            data,
            response_data,
            responses,
            thinks,
            repeats,
            unanswered: 0,
            attempts: 1,
        }
    }
}

impl Flow {
    /// Adds that of another sender or receiver.
    pub fn merge(&mut self, other: &Flow) {
        self.times.merge(&other.times);
        self.data.merge(&other.data);
        self.response_data.merge(&other.response_data);
        self.responses.merge(&other.responses);
        self.thinks.merge(&other.thinks);
        self.repeats.merge(&other.repeats);
        self.unanswered += other.unanswered;
        self.attempts = self.attempts.max(other.attempts);
    }
}

/// A request by what names it: client, server, invoke ID.
type Asked = (Place, Place, u8);

/// A request without its reply.
#[derive(Clone, Copy, Debug)]
struct Open {
    key: FlowKey,
    begin: Time,
    last: Time,
    attempts: u32,
}

/// The messages of a trunk.
#[derive(Debug, Default)]
pub(super) struct Talk {
    open: BTreeMap<Asked, Open>,
    pub flows: BTreeMap<FlowKey, Flow>,
    pub servers: BTreeMap<Place, Presence>,
    /// When the last request of a client was completed.
    completed: BTreeMap<Place, Time>,
    /// Messages that no flow stands for.
    pub left_out: u64,
}

impl Talk {
    /// Takes the data of a frame.
    pub fn data(&mut self, time: Time, [source, destination]: [u8; 2], data: &[u8]) {
        let npdu = Npdu::parse(data).ok().filter(|npdu| !npdu.is_network_message);
        let Some((npdu, Ok(apdu))) = npdu.map(|npdu| (npdu, Apdu::parse(npdu.payload))) else {
            self.left_out += 1;
            return;
        };
        let (from, to) = (Place::of(source, npdu.source), Place::of(destination, npdu.destination));
        let octets = own_octets(data.len(), [npdu.destination, npdu.source]);
        match apdu {
            Apdu::ConfirmedRequest { segment: Some(1..), .. } | Apdu::SegmentAck { .. } => self.left_out += 1,
            Apdu::ConfirmedRequest { invoke, service, .. } => {
                let service = Service::confirmed(service);
                let form = if service.has_forms() { octets } else { 0 };
                self.request(time, (from, to, invoke), FlowKey { from, to, service, form }, octets);
            }
            Apdu::ComplexAck { more_follows: true, .. } => {}
            Apdu::SimpleAck { invoke } | Apdu::ComplexAck { invoke, .. } | Apdu::Error { invoke, .. } => {
                self.answer(time, (to, from, invoke), octets);
            }
            Apdu::Reject { invoke, .. } | Apdu::Abort { invoke, .. } => self.answer(time, (to, from, invoke), octets),
            Apdu::UnconfirmedRequest { service, .. } => {
                let to = if to.is_all() { Place::here(to.mac) } else { to };
                let key = FlowKey { from, to, service: Service::unconfirmed(service), form: 0 };
                if let Some(flow) = self.flow(key) {
                    flow.times.sent(time);
                    flow.data.push(octets as f64);
                }
            }
        }
    }

    /// The flow of a key, unless there are too many.
    fn flow(&mut self, key: FlowKey) -> Option<&mut Flow> {
        if self.flows.len() >= FLOW_LIMIT && !self.flows.contains_key(&key) {
            self.left_out += 1;
            return None;
        }
        Some(self.flows.entry(key).or_default())
    }

    fn request(&mut self, time: Time, asked: Asked, key: FlowKey, octets: usize) {
        self.servers.entry(key.to).or_default().is_asked(time);
        if let Some(open) = self.open.get_mut(&asked)
            && time.since(open.last) < GIVEN_UP
        {
            let gap = time.since(open.last).seconds();
            open.attempts = open.attempts.saturating_add(1);
            open.last = time;
            let (key, attempts) = (open.key, open.attempts);
            if let Some(flow) = self.flows.get_mut(&key) {
                flow.repeats.push(gap);
                flow.attempts = flow.attempts.max(attempts);
            }
            return;
        }
        self.give_up(&asked);
        let think = self.completed.get(&key.from).map(|completed| time.since(*completed).seconds());
        let Some(flow) = self.flow(key) else { return };
        flow.times.sent(time);
        flow.data.push(octets as f64);
        think.into_iter().for_each(|think| flow.thinks.push(think));
        if self.open.len() < OPEN_LIMIT {
            self.open.insert(asked, Open { key, begin: time, last: time, attempts: 1 });
        }
    }

    fn answer(&mut self, time: Time, asked: Asked, octets: usize) {
        let Some(open) = self.open.remove(&asked) else { return };
        self.servers.entry(open.key.to).or_default().answers(open.last);
        self.completed.insert(open.key.from, time);
        if let Some(flow) = self.flows.get_mut(&open.key) {
            if open.attempts == 1 {
                flow.responses.push(time.since(open.begin).seconds());
            }
            flow.response_data.push(octets as f64);
        }
    }

    fn give_up(&mut self, asked: &Asked) {
        if let Some(open) = self.open.remove(asked)
            && let Some(flow) = self.flows.get_mut(&open.key)
        {
            flow.unanswered += 1;
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time) {
        let is_given_up = |open: &Open| end.since(open.last) >= GIVEN_UP;
        let given_up: Vec<Asked> =
            self.open.iter().filter(|(_, open)| is_given_up(open)).map(|(asked, _)| *asked).collect();
        given_up.iter().for_each(|asked| self.give_up(asked));
        self.open.clear();
        self.servers.values_mut().for_each(|server| server.finish(end));
    }
}
