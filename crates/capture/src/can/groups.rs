//! Requests for parameter groups (SAE J1939-21): answered by the group, in one frame or by the transport protocol, or by an
//! acknowledgement.

use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::j1939::{
    Address as Destination, CONNECTION_MANAGEMENT, Control, DATA_TRANSFER, DataTransfer, Identifier,
};

use super::exchanges::{Asked, Exchanges, Key};
use super::on_bus::OnBus;
use crate::open_table::OpenTable;
use crate::{Address, FlowKey, Outcome, Service, Sink};

/// Parameter group of requests.
const REQUEST: u32 = 59_904;
/// Parameter group of acknowledgements.
const ACKNOWLEDGEMENT: u32 = 59_392;
/// The address of everyone.
const ALL: u8 = 255;
/// Transfers followed at a time.
const TRANSFERS: usize = 4_096;

/// Answers that come by the transport protocol: by bus, source and destination what is answered, and the number of packets.
#[derive(Debug)]
pub(super) struct Transports(OpenTable<(u32, u8, u8), (Key, u8)>);

impl Default for Transports {
    fn default() -> Self {
        Transports(OpenTable::new(TRANSFERS))
    }
}

impl Transports {
    /// Takes a frame; false where it belongs to no request.
    pub fn frame(&mut self, frame: &OnBus<'_>, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
        let Id::Extended(id) = frame.id else { return false };
        let Identifier { pgn, destination, source, .. } = Identifier::of(id);
        let to = match destination {
            Destination::Group => ALL,
            Destination::Node(node) => node,
        };
        match pgn {
            REQUEST => request(frame, source, to, exchanges, out),
            ACKNOWLEDGEMENT => acknowledgement(frame, source, exchanges, out),
            CONNECTION_MANAGEMENT => self.begin(frame, source, to, exchanges, out),
            DATA_TRANSFER => self.packet(frame, source, to, exchanges, out),
            pgn => {
                let Some(key) = open(frame.bus, pgn, source, exchanges) else { return false };
                ended(&key, Outcome::Answered, frame, exchanges, out)
            }
        }
    }

    /// A message of several packets begins.
    fn begin(&mut self, frame: &OnBus<'_>, source: u8, to: u8, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
        let (packets, pgn) = match Control::parse(frame.data) {
            Ok(Control::Rts { packets, pgn, .. } | Control::Bam { packets, pgn, .. }) => (packets, pgn),
            Ok(Control::Abort { .. }) => {
                // either side may abort
                let ended = self.0.remove(&(frame.bus, source, to)).or_else(|| self.0.remove(&(frame.bus, to, source)));
                return ended.is_some_and(|(key, _)| self::ended(&key, Outcome::Refused, frame, exchanges, out));
            }
            _ => return false,
        };
        let Some(key) = open(frame.bus, pgn, source, exchanges) else { return false };
        let place = (frame.bus, source, to);
        self.0.remove(&place);
        self.0.insert(place, (key, packets));
        part(&key, frame, exchanges, out)
    }

    fn packet(&mut self, frame: &OnBus<'_>, source: u8, to: u8, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
        let place = (frame.bus, source, to);
        let Some(&mut (key, packets)) = self.0.use_entry(&place) else { return false };
        match DataTransfer::parse(frame.data) {
            Ok(DataTransfer { sequence, .. }) if sequence == packets => {
                self.0.remove(&place);
                ended(&key, Outcome::Answered, frame, exchanges, out)
            }
            _ => part(&key, frame, exchanges, out),
        }
    }
}

/// The open request for a parameter group, to this address or to all.
fn open(bus: u32, pgn: u32, source: u8, exchanges: &mut Exchanges) -> Option<Key> {
    [source, ALL].map(|to| Key::Group(bus, pgn, to)).into_iter().find(|key| exchanges.open(key).is_some())
}

fn request(frame: &OnBus<'_>, source: u8, to: u8, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let &[a, b, c] = frame.data else { return false };
    let pgn = u32::from_le_bytes([a, b, c, 0]) & 0x3_ffff;
    let server = if to == ALL { Address::Everyone } else { Address::J1939(to) };
    let flow = out.flow(FlowKey { from: Address::J1939(source), to: server, service: Service::ParameterGroup(pgn) });
    let asked = Asked { name: 0, flow, begin: out.moment(frame.time), octets: frame.octets() };
    let repeated = exchanges.request(Key::Group(frame.bus, pgn, to), asked, out);
    frame.sent(flow, true, repeated, out);
    true
}

/// Positive, negative, access denied, or cannot respond; the parameter group is in the last three bytes.
fn acknowledgement(frame: &OnBus<'_>, source: u8, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let &[control @ 0..=3, _, _, _, _, a, b, c] = frame.data else { return false };
    let pgn = u32::from_le_bytes([a, b, c, 0]) & 0x3_ffff;
    let Some(key) = open(frame.bus, pgn, source, exchanges) else { return false };
    ended(&key, if control == 0 { Outcome::Answered } else { Outcome::Refused }, frame, exchanges, out)
}

fn part(key: &Key, frame: &OnBus<'_>, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let Some(open) = exchanges.open(key) else { return false };
    let flow = open.flow;
    exchanges.part(key, frame, out);
    frame.sent(flow, false, false, out);
    true
}

fn ended(key: &Key, outcome: Outcome, frame: &OnBus<'_>, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let Some(open) = exchanges.open(key) else { return false };
    let flow = open.flow;
    frame.sent(flow, false, false, out);
    exchanges.end(key, outcome, frame, out);
    true
}
