//! Requests and their answers, of each client to each server.

use sojourn_capture::arrivals::Reservoir;
use sojourn_capture::{FlowKey, Outcome, Service};
use sojourn_core::Time;
use sojourn_protocols::can::canopen::Sdo;
use sojourn_protocols::can::frame::{Content, Id};
use sojourn_protocols::can::isotp::{Pdu, Separation};
use sojourn_protocols::can::j1939::{CONNECTION_MANAGEMENT, DATA_TRANSFER, Identifier};
use sojourn_protocols::can::log::Logged;

use super::seen::{Seen, shape};

/// Exchanges that are kept of each pair, and sizes as a sample of all.
const LIMIT: usize = 65_536;
const SAMPLE: usize = 256;

/// A request and what came of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub request: Seen,
    /// The first frame of its answer.
    pub answer: Option<Seen>,
    /// The end of its answer's last frame.
    pub complete: Option<Time>,
}

/// The requests of one side to another.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub exchanges: Vec<Exchange>,
    pub count: u64,
    pub answered: u64,
    pub refused: u64,
    pub id: Id,
    pub answer_id: Option<Id>,
    pub data: Reservoir,
    pub answer_data: Reservoir,
    /// Of CAN FD, whether the bit rate switches.
    pub brs: Option<bool>,
    /// The bytes of its first request.
    pub payload: Vec<u8>,
    /// What receivers want of messages of several frames.
    pub flow_control: Option<(u8, Separation)>,
    /// Whether answers came by the transport protocol of J1939.
    pub in_packets: bool,
    open: Option<(Seen, Option<Seen>)>,
}

impl Asked {
    /// Of a client that sends requests with this identifier.
    pub fn new(id: Id) -> Self {
        Asked {
            exchanges: Vec::new(),
            count: 0,
            answered: 0,
            refused: 0,
            id,
            answer_id: None,
            data: Reservoir::new(SAMPLE),
            answer_data: Reservoir::new(SAMPLE),
            brs: None,
            payload: Vec::new(),
            flow_control: None,
            in_packets: false,
            open: None,
        }
    }

    /// The same, whose first request has been sent.
    pub fn begun(id: Id, request: Seen) -> Self {
        let mut asked = Asked { open: Some((Seen { octets: 0, ..request }, None)), ..Asked::new(id) };
        asked.data.push(0.0);
        asked
    }

    /// A frame of the one who asks.
    pub fn asks(&mut self, frame: &Logged<&[u8]>, service: Service, seen: Seen) {
        let (data, brs) = shape(&frame.content);
        if let Some(octets) = request(service, &frame.content) {
            (self.id, self.brs) = (frame.id, brs);
            self.data.push(f64::from(octets));
            if self.payload.is_empty() {
                self.payload = data.to_vec();
            }
            self.open = Some((Seen { octets, ..seen }, None));
        }
        self.controlled(service, data);
    }

    /// A frame of the one who answers.
    pub fn answers(&mut self, frame: &Logged<&[u8]>, service: Service, seen: Seen) {
        let data = shape(&frame.content).0;
        if let (Some(octets), Some((_, begun))) = (answer(service, frame.id, data), &mut self.open) {
            *begun = Some(seen);
            self.answer_id = Some(frame.id);
            self.answer_data.push(f64::from(octets));
            let is_control = matches!(frame.id, Id::Extended(id) if Identifier::of(id).pgn == CONNECTION_MANAGEMENT);
            self.in_packets |= is_control && matches!(service, Service::ParameterGroup(_));
        }
        self.controlled(service, data);
    }

    fn controlled(&mut self, service: Service, data: &[u8]) {
        if let (Service::Uds(_), Ok(Pdu::FlowControl(_, block, separation))) = (service, Pdu::parse(data)) {
            self.flow_control.get_or_insert((block, separation));
        }
    }

    /// The request that began then has ended.
    pub fn ended(&mut self, begin: Time, outcome: Outcome) {
        let Some((request, answer)) = self.open.take_if(|(request, _)| request.end == begin) else { return };
        let is_answered = matches!(outcome, Outcome::Answered | Outcome::Refused);
        self.count += 1;
        self.answered += u64::from(is_answered);
        self.refused += u64::from(outcome == Outcome::Refused);
        let answer = answer.filter(|_| is_answered);
        if self.exchanges.len() < LIMIT {
            self.exchanges.push(Exchange { request, answer, complete: answer.map(|answer| answer.end) });
        }
    }

    /// The answer to the request that ended last is complete.
    pub fn completed(&mut self, time: Time) {
        if let Some(last) = self.exchanges.last_mut().filter(|_| self.count <= LIMIT as u64) {
            last.complete = Some(time);
        }
    }

    /// Whether all requests are kept.
    pub fn is_whole(&self) -> bool {
        self.exchanges.len() as u64 == self.count
    }
}

/// Who asks whom, whatever diagnostic service is asked for.
pub(super) fn pair(key: &FlowKey) -> FlowKey {
    match key.service {
        Service::Uds(_) => FlowKey { service: Service::Uds(0), ..*key },
        _ => *key,
    }
}

/// The bytes of a message that a frame begins which asks; `None` of a frame that goes on with one.
fn request(service: Service, content: &Content<&[u8]>) -> Option<u16> {
    let (data, _) = shape(content);
    match service {
        Service::Sdo => match Sdo::of_client(data).ok()? {
            Sdo::Upload(_) => Some(0),
            Sdo::Download(_, octets, _) => Some(octets.into()),
            Sdo::BeginDownload(_, octets) => Some(octets as u16),
            _ => None,
        },
        Service::Uds(_) => message(data),
        Service::RemoteFrame => match content {
            Content::Remote(code) => Some((*code).into()),
            _ => None,
        },
        _ => Some(data.len() as u16),
    }
}

/// The same of an answer.
fn answer(service: Service, id: Id, data: &[u8]) -> Option<u16> {
    match service {
        Service::Sdo => match Sdo::of_server(data).ok()? {
            Sdo::Uploaded(_, octets, _) => Some(octets.into()),
            Sdo::BeginUpload(_, octets) => Some(octets as u16),
            Sdo::Downloaded(_) | Sdo::Abort(..) => Some(0),
            _ => None,
        },
        Service::Uds(_) => message(data),
        Service::ParameterGroup(_) => {
            let is_packet = matches!(id, Id::Extended(id) if Identifier::of(id).pgn == DATA_TRANSFER);
            (!is_packet).then_some(data.len() as u16)
        }
        _ => Some(data.len() as u16),
    }
}

/// The bytes of a message of ISO-TP that begins.
fn message(data: &[u8]) -> Option<u16> {
    match Pdu::parse(data).ok()? {
        Pdu::Single(data) => Some(data.len() as u16),
        Pdu::First(length, _) => Some(length),
        Pdu::Consecutive(..) | Pdu::FlowControl(..) => None,
    }
}
