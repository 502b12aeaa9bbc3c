//! Service data objects of CANopen (CiA 301), expedited and in segments.

use sojourn_protocols::can::canopen::{Object, Sdo, Segment};
use sojourn_protocols::can::frame::Id;

use super::exchanges::{Asked, Exchanges, Key};
use super::on_bus::OnBus;
use crate::{Address, FlowId, FlowKey, Outcome, Service, Sink};

/// Identifiers of servers and clients, to which the node is added.
const SERVERS: u16 = 0x580;
const CLIENTS: u16 = 0x600;
/// Nodes.
const NODES: std::ops::RangeInclusive<u16> = 1..=127;

/// Set in the name of a request that writes in segments.
const IN_SEGMENTS: u64 = 1 << 32;

/// Takes a frame; false where it is none of an SDO.
pub(super) fn frame(frame: &OnBus<'_>, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let Id::Base(id) = frame.id else { return false };
    let node = |base: u16| id.checked_sub(base).filter(|node| NODES.contains(node)).map(|node| node as u8);
    if let Some(node) = node(CLIENTS) {
        return Sdo::of_client(frame.data).is_ok_and(|sdo| client(frame, node, sdo, exchanges, out));
    }
    node(SERVERS)
        .is_some_and(|node| Sdo::of_server(frame.data).is_ok_and(|sdo| server(frame, node, sdo, exchanges, out)))
}

fn flow(node: u8, out: &mut Sink) -> FlowId {
    out.flow(FlowKey { from: Address::Client, to: Address::Node(node), service: Service::Sdo })
}

/// What names a request: the object, and whether its data follow in segments.
fn name(Object { index, subindex }: Object) -> u64 {
    u64::from(index) << 8 | u64::from(subindex)
}

/// A frame of the client.
fn client(frame: &OnBus<'_>, node: u8, sdo: Sdo, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let key = Key::Object(frame.bus, node);
    let (name, octets) = match sdo {
        Sdo::Upload(object) => (name(object), 0),
        Sdo::Download(object, octets, _) => (name(object), octets.into()),
        Sdo::BeginDownload(object, octets) => (name(object) | IN_SEGMENTS, octets),
        other => return continued(frame, &key, other, exchanges, out),
    };
    let is_known = exchanges.is_canopen(frame.bus);
    // before the first answer it may be any message
    let flow = if is_known { flow(node, out) } else { frame.message_flow(out) };
    let asked = Asked { name, flow, begin: out.moment(frame.time), octets };
    let repeated = exchanges.request(key, asked, out);
    frame.sent(flow, true, repeated, out);
    true
}

/// A further frame of the client for the open request.
fn continued(frame: &OnBus<'_>, key: &Key, sdo: Sdo, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    if !exchanges.is_canopen(frame.bus) {
        return false;
    }
    let Some(open) = exchanges.open(key) else { return false };
    let flow = open.flow;
    match sdo {
        Sdo::DownloadSegment(Segment { is_last, .. }) => open.is_whole = is_last,
        Sdo::Abort(..) => exchanges.end(key, Outcome::Refused, frame, out),
        _ => {}
    }
    frame.sent(flow, true, false, out);
    true
}

/// A frame of the server.
fn server(frame: &OnBus<'_>, node: u8, sdo: Sdo, exchanges: &mut Exchanges, out: &mut Sink) -> bool {
    let key = Key::Object(frame.bus, node);
    let Some(open) = exchanges.open(&key) else { return false };
    let (is_whole, has_begun, in_segments) = (open.is_whole, open.first.is_some(), open.name & IN_SEGMENTS != 0);
    let is_of = |object: Object| open.name & !IN_SEGMENTS == name(object);
    let outcome = match sdo {
        Sdo::Uploaded(object, ..) if is_of(object) => Some(Outcome::Answered),
        Sdo::Downloaded(object) if is_of(object) => (!in_segments).then_some(Outcome::Answered),
        Sdo::BeginUpload(object, _) if is_of(object) => None,
        Sdo::Abort(object, _) if is_of(object) || has_begun => Some(Outcome::Refused),
        Sdo::UploadSegment(Segment { is_last, .. }) if has_begun => is_last.then_some(Outcome::Answered),
        Sdo::SegmentTaken(_) if has_begun => is_whole.then_some(Outcome::Answered),
        _ => return false,
    };
    let flow = flow(node, out);
    exchanges.confirm(frame.bus, &key, flow);
    frame.sent(flow, false, false, out);
    match outcome {
        Some(outcome) => exchanges.end(&key, outcome, frame, out),
        None => exchanges.part(&key, frame, out),
    }
    true
}
