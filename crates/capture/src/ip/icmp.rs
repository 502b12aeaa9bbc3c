//! ICMP: echo requests with their replies, and datagrams that are refused (RFC 792; RFC 4443).

use sojourn_core::Time;
use sojourn_protocols::icmp::{Echo, HEADER, Kind, ParseError, Version};
use sojourn_protocols::udp::Datagram;

use super::application::Message;
use super::endpoints::{Endpoint, Roles};
use super::header::{Header, IpAddr, protocol};
use super::requests::{RequestKey, Requests};
use super::udp::Conversations;
use crate::{Address, FlowId, FlowKey, Sent, Service, Sink};

/// Takes an echo message: its flow, and whether it is a request; `None` of any other message of ICMP.
pub fn echo(
    header: &Header<'_>,
    now: Time,
    requests: &mut Requests,
    out: &mut Sink,
) -> Result<Option<(FlowId, bool)>, ParseError> {
    let echo = match Echo::parse_unverified(version(header), header.payload) {
        Ok(echo) => echo,
        Err(ParseError::OtherType(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let forward = echo.kind == Kind::Request;
    let (client, server) =
        if forward { (header.source, header.destination) } else { (header.destination, header.source) };
    let [from, to] = [client, server].map(Address::Ip);
    let flow = out.flow(FlowKey { from, to, service: Service::Echo });
    let roles = Roles {
        client: Endpoint { address: client, port: echo.identifier },
        server: Endpoint { address: server, port: 0 },
    };
    let key = RequestKey { roles, application: None, name: echo.sequence.into() };
    let octets = header.payload_length.saturating_sub(HEADER as u32);
    let repeated = forward && requests.request(key, flow, out.moment(now), octets, out);
    if !forward {
        let reply = Message::Answer(key.name);
        if let Some(answered) = requests.answer(key, reply, (flow, octets), out.moment(now), out) {
            out.complete(answered.flow, answered.begin, now);
        }
    }
    out.sent(Sent { flow, time: now, forward, l3_bytes: header.length, l4_bytes: octets, repeated });
    Ok(Some((flow, forward)))
}

/// Takes a destination unreachable message: it ends the request of the UDP datagram that it returns.
pub fn refusal(
    header: &Header<'_>,
    now: Time,
    conversations: &mut Conversations,
    requests: &mut Requests,
    out: &mut Sink,
) {
    let unreachable = match version(header) {
        Version::V4 => 3,
        Version::V6 => 1,
    };
    let Some((&[message_type, _, _, _, _, _, _, _], returned)) = header.payload.split_first_chunk::<HEADER>() else {
        return;
    };
    if message_type != unreachable {
        return;
    }
    let Ok(refused) = Header::parse(returned, returned.len() as u32) else { return };
    if refused.protocol != protocol::UDP || refused.fragment.is_some_and(|fragment| !fragment.is_first) {
        return;
    }
    let Ok((datagram, _)) = Datagram::parse_unverified(refused.payload) else { return };
    let end = |address: IpAddr, port| Endpoint { address, port };
    let from = end(refused.source, datagram.source_port);
    let to = end(refused.destination, datagram.destination_port);
    conversations.refused(from, to, datagram.data, now, requests, out);
}

fn version(header: &Header<'_>) -> Version {
    if header.source.is_ipv4() { Version::V4 } else { Version::V6 }
}
