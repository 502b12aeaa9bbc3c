//! Diagnostic requests (UDS, ISO 14229-1, and those of OBD) over ISO-TP, with the identifiers of ISO 15765-4.

use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::isotp::Pdu;

use super::exchanges::{Asked, Exchanges, Key};
use super::on_bus::OnBus;
use crate::ip::requests::RESPONSE_TIMEOUT;
use crate::open_table::OpenTable;
use crate::{Address, FlowId, FlowKey, Outcome, Service, Sink, Transaction};

/// Messages of several frames that are followed at a time.
const TRANSFERS: usize = 4_096;
/// Added to a service's number in its positive response.
const RESPONSE: u8 = 0x40;
/// A negative response.
const NEGATIVE: u8 = 0x7f;
/// Its code where the answer will take its time.
const PENDING: u8 = 0x78;
/// Set in the subfunction of a request that wants no positive response.
const SUPPRESSED: u8 = 0x80;
/// Services whose second byte is a subfunction.
const WITH_SUBFUNCTION: [u8; 12] = [0x10, 0x11, 0x19, 0x27, 0x28, 0x2c, 0x31, 0x3e, 0x83, 0x85, 0x86, 0x87];

/// Base identifier of requests to everyone, and the extended ones.
const TO_ALL: Id = Id::Base(0x7df);
const ALL_EXTENDED: u32 = 0x18db;
const ONE_EXTENDED: u32 = 0x18da;
/// The address of the tester.
const TESTER: u32 = 0xf1;

/// Who sends an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// The tester; the identifier of the answers.
    Tester(Id),
    /// The tester asks all.
    TesterToAll,
    /// A control unit; the identifier by which all are asked.
    Unit(Id),
}

fn side(id: Id) -> Option<Side> {
    match id {
        TO_ALL => Some(Side::TesterToAll),
        Id::Base(value @ 0x7e0..=0x7e7) => Some(Side::Tester(Id::Base(value + 8))),
        Id::Base(0x7e8..=0x7ef) => Some(Side::Unit(TO_ALL)),
        Id::Base(_) => None,
        Id::Extended(value) => match (value >> 16, value >> 8 & 0xff, value & 0xff) {
            (ALL_EXTENDED, _, TESTER) => Some(Side::TesterToAll),
            (ONE_EXTENDED, unit, TESTER) => Some(Side::Tester(Id::Extended(ONE_EXTENDED << 16 | TESTER << 8 | unit))),
            (ONE_EXTENDED, TESTER, _) => Some(Side::Unit(Id::Extended(ALL_EXTENDED << 16 | 0x33 << 8 | TESTER))),
            _ => None,
        },
    }
}

/// A message whose frames are coming.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    flow: FlowId,
    /// Of an answer, the request.
    answers: Option<Key>,
    /// Bytes that are missing.
    missing: usize,
    forward: bool,
}

/// Messages of several frames, by bus and identifier.
#[derive(Debug)]
pub(super) struct Transfers(OpenTable<(u32, Id), Transfer>);

impl Default for Transfers {
    fn default() -> Self {
        Transfers(OpenTable::new(TRANSFERS))
    }
}

impl Transfers {
    /// Takes a frame; false where it is none of diagnosis.
    pub fn frame(&mut self, frame: &OnBus<'_>, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
        let Some(side) = side(frame.id) else { return false };
        let Ok(pdu) = Pdu::parse(frame.data) else { return false };
        let (data, length) = match pdu {
            Pdu::Single(data) => (data, data.len()),
            Pdu::First(length, data) => (data, length.into()),
            Pdu::Consecutive(_, data) => return self.consecutive(frame, data.len(), exchanges, out),
            Pdu::FlowControl(..) => return self.flow_control(frame, side, out),
        };
        let missing = length - data.len();
        let taken = match side {
            Side::Tester(answers) => request(
                frame,
                Key::Diagnosis(frame.bus, answers),
                Address::Can(answers),
                (data, length),
                exchanges,
                out,
            ),
            Side::TesterToAll => {
                let key = Key::Diagnosis(frame.bus, frame.id);
                request(frame, key, Address::Everyone, (data, length), exchanges, out)
            }
            Side::Unit(all) => answer(frame, all, data, missing > 0, exchanges, out),
        };
        let Some((flow, answers)) = taken else { return false };
        let forward = !matches!(side, Side::Unit(_));
        self.0.remove(&(frame.bus, frame.id));
        if missing > 0 {
            self.0.insert((frame.bus, frame.id), Transfer { flow, answers, missing, forward });
        }
        true
    }

    fn consecutive(&mut self, frame: &OnBus<'_>, octets: usize, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
        let key = (frame.bus, frame.id);
        let Some(transfer) = self.0.use_entry(&key) else { return false };
        transfer.missing = transfer.missing.saturating_sub(octets);
        let Transfer { flow, answers, missing, forward } = *transfer;
        frame.sent(flow, forward, false, out);
        if missing == 0 {
            self.0.remove(&key);
        }
        match answers {
            Some(key) if missing == 0 => exchanges.end(&key, Outcome::Answered, frame, out),
            Some(key) => exchanges.part(&key, frame, out),
            None => {}
        }
        true
    }

    /// Flow control is of the message that the other side is sending.
    fn flow_control(&mut self, frame: &OnBus<'_>, side: Side, out: &mut Sink) -> bool {
        let other = match side {
            Side::Tester(answers) => Some(answers),
            Side::TesterToAll => None,
            Side::Unit(_) => tester_of(frame.id),
        };
        let Some(transfer) = other.and_then(|id| self.0.use_entry(&(frame.bus, id))) else { return false };
        frame.sent(transfer.flow, !transfer.forward, false, out);
        true
    }
}

/// The identifier by which a control unit is asked alone.
fn tester_of(unit: Id) -> Option<Id> {
    match unit {
        Id::Base(value) => Some(Id::Base(value.checked_sub(8)?)),
        Id::Extended(value) => Some(Id::Extended(ONE_EXTENDED << 16 | (value & 0xff) << 8 | TESTER)),
    }
}

/// Whether a number is that of a request's service (ISO 14229-1, table 2; SAE J1979 below 10h).
const fn is_request(service: u8) -> bool {
    matches!(service, 0x01..=0x3e | 0x83..=0x88 | 0xba..=0xbe)
}

/// The first bytes of a request, the service in front: another request differs in them.
fn name(data: &[u8]) -> u64 {
    let mut octets = [0; 8];
    let used = data.len().min(6);
    octets[..used].copy_from_slice(&data[..used]);
    u64::from_be_bytes(octets)
}

/// A request that begins with this frame, of `length` bytes: its flow.
fn request(
    frame: &OnBus<'_>,
    key: Key,
    to: Address,
    (data, length): (&[u8], usize),
    exchanges: &mut Exchanges,
    out: &mut Sink,
) -> Option<(FlowId, Option<Key>)> {
    let service = *data.first().filter(|service| is_request(**service))?;
    exchanges.asked.insert(frame.bus);
    let flow = out.flow(FlowKey { from: Address::Can(frame.id), to, service: Service::Uds(service) });
    let (begin, octets) = (out.moment(frame.time), length as u32);
    let is_suppressed =
        WITH_SUBFUNCTION.contains(&service) && data.get(1).is_some_and(|subfunction| subfunction & SUPPRESSED != 0);
    let repeated = if is_suppressed {
        let sent = Transaction::of(flow, begin, None, Outcome::Sent);
        out.transaction(Transaction { request_bytes: octets, ..sent });
        false
    } else {
        exchanges.request(key, Asked { name: name(data), flow, begin, octets }, out)
    };
    frame.sent(flow, true, repeated, out);
    Some((flow, None))
}

/// An answer that begins with this frame: its flow, and what it answers where more frames follow.
fn answer(
    frame: &OnBus<'_>,
    all: Id,
    data: &[u8],
    has_more: bool,
    exchanges: &mut Exchanges,
    out: &mut Sink,
) -> Option<(FlowId, Option<Key>)> {
    let (service, outcome) = match *data {
        [NEGATIVE, service, PENDING, ..] => (service, None),
        [NEGATIVE, service, _, ..] => (service, Some(Outcome::Refused)),
        [response, ..] => (response.checked_sub(RESPONSE)?, Some(Outcome::Answered)),
        [] => return None,
    };
    let keys = [Key::Diagnosis(frame.bus, frame.id), Key::Diagnosis(frame.bus, all)];
    let is_of = |key: &Key, exchanges: &mut Exchanges| {
        exchanges.open(key).filter(|open| (open.name >> 56) as u8 == service).map(|open| open.flow)
    };
    let found = keys.into_iter().find_map(|key| Some((key, is_of(&key, exchanges)?)));
    let Some((key, flow)) = found else { return began_before(frame, service, exchanges, out) };
    frame.sent(flow, false, false, out);
    match outcome {
        None => exchanges.pending(&key, frame.time),
        Some(Outcome::Answered) if has_more => {
            exchanges.part(&key, frame, out);
            return Some((flow, Some(key)));
        }
        Some(outcome) => exchanges.end(&key, outcome, frame, out),
    }
    Some((flow, None))
}

/// An answer to a request that was not captured.
fn began_before(
    frame: &OnBus<'_>,
    service: u8,
    exchanges: &mut Exchanges,
    out: &mut Sink,
) -> Option<(FlowId, Option<Key>)> {
    let is_first = frame.time.picoseconds() < RESPONSE_TIMEOUT.picoseconds() && exchanges.asked.insert(frame.bus);
    if !is_first || !is_request(service) {
        return None;
    }
    let from = tester_of(frame.id).map_or(Address::Unknown, Address::Can);
    let flow = out.flow(FlowKey { from, to: Address::Can(frame.id), service: Service::Uds(service) });
    frame.sent(flow, false, false, out);
    out.transaction(Transaction::of(flow, out.moment(frame.time), None, Outcome::BeganBefore));
    Some((flow, None))
}
