//! The flows of a bus.

use std::collections::BTreeMap;

use sojourn_capture::{FlowKey, Service};
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, FD_LIMIT, Id, fd_length};
use sojourn_protocols::can::isotp::{self, Separation};
use sojourn_protocols::can::j1939::{self, Address, Identifier};

use super::bus::{Bus, Messages};
use super::exchange::Asked;
use super::names::Names;
use super::pace::{Pace, Run, Sent};
use super::polls::{Round, rounds};
use super::seen::{Seen, digits};
use super::transport::{Packets, Route};
use crate::quantile::median;

/// The longest object of a scenario that is read.
const OBJECT: f64 = 1000.0;

/// A flow.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub name: String,
    pub from: String,
    pub to: Vec<String>,
    pub id: Id,
    pub id_step: u64,
    pub response_id: Option<Id>,
    /// As a scenario names it.
    pub service: &'static str,
    pub data: f64,
    pub response_data: Option<f64>,
    /// Hexadecimal digits, and whether all frames had them.
    pub payload: Option<(String, bool)>,
    /// Others with as many stuff bits.
    pub like_payload: Option<String>,
    pub brs: Option<bool>,
    pub block: Option<(u8, Separation)>,
    /// Of J1939 the time between packets to all, s, or packets for a clearance.
    pub packet_interval: Option<f64>,
    pub window: Option<u8>,
    pub count: u64,
    /// Bytes of each message, where they vary and are all kept.
    pub sizes: Option<Vec<u16>>,
    pub pace: Paced,
}

/// What begins messages.
#[derive(Clone, Debug)]
pub(super) enum Paced {
    One(Pace),
    Round(Round),
}

impl Planned {
    fn new(name: String, [from, to]: [String; 2], id: Id, service: &'static str, pace: Paced) -> Planned {
        Planned {
            name,
            from,
            to: vec![to],
            id,
            id_step: 1,
            response_id: None,
            service,
            data: 0.0,
            response_data: None,
            payload: None,
            like_payload: None,
            brs: None,
            block: None,
            packet_interval: None,
            window: None,
            count: 0,
            sizes: None,
            pace,
        }
    }

    /// When its first message is due, s from the first packet.
    pub fn first(&self) -> Option<f64> {
        match &self.pace {
            Paced::One(pace) => pace.first(),
            Paced::Round(round) => Some(round.begin),
        }
    }
}

/// The flows of a bus, and how many remote frames nothing answered.
pub(super) fn plan(bus: &Bus, names: &Names, run: &Run) -> (Vec<Planned>, u64) {
    let mut planned: Vec<Planned> =
        bus.messages.iter().map(|(id, messages)| of_messages(*id, messages, names, run)).collect();
    planned.extend(bus.transports.routes.iter().map(|(route, packets)| of_packets(*route, packets, names, run)));
    let is_message = |asked: &Asked| asked.answered == 0 || asked.in_packets;
    let answered: BTreeMap<FlowKey, &Asked> =
        bus.asked.iter().filter(|(_, asked)| !is_message(asked)).map(|(key, asked)| (*key, asked)).collect();
    let (found, alone) = rounds(&answered, run);
    for round in found {
        planned.extend(of_round(&round, &answered, names));
    }
    planned.extend(alone.iter().filter_map(|key| of_exchanges(key, answered.get(key)?, names, run)));
    let mut unanswered = 0;
    for (key, asked) in bus.asked.iter().filter(|(_, asked)| is_message(asked) && asked.count > 0) {
        match key.service {
            Service::RemoteFrame => unanswered += asked.count,
            _ => planned.push(of_requests(key, asked, names, run)),
        }
    }
    for flow in &mut planned {
        flow.name.push_str(names.suffix());
        // no station sends to itself
        let from = flow.from.clone();
        flow.to.iter_mut().filter(|to| **to == from).for_each(|to| *to = names.listener());
    }
    (planned, unanswered)
}

/// Frames and whether they are all, with their bytes where these vary.
fn sent(frames: &[Seen], is_whole: bool, run: &Run) -> Sent {
    let varies = frames.windows(2).any(|pair| pair[0].octets != pair[1].octets);
    Sent {
        starts: frames.iter().map(|seen| seen.start(run.begin, &run.rates)).collect(),
        sizes: varies.then(|| frames.iter().map(|seen| seen.octets).collect()),
        completed: Vec::new(),
        is_whole,
    }
}

/// What a flow of recorded messages has of their bytes.
fn recorded(sent: Sent, pace: &Pace) -> Option<Vec<u16>> {
    sent.sizes.filter(|_| matches!(pace, Pace::Recorded { .. }))
}

/// A message of one frame.
fn of_messages(id: Id, messages: &Messages, names: &Names, run: &Run) -> Planned {
    let sent = sent(&messages.frames, messages.is_whole(), run);
    let pace = Pace::of(&sent, run);
    let varies = messages.octets[0] != messages.octets[1];
    let mean = libm::round(messages.sum as f64 / messages.count.max(1) as f64);
    let limit = if messages.brs.is_some() { FD_LIMIT } else { CLASSIC_LIMIT };
    let data = (mean as usize).min(limit);
    let data = if messages.brs.is_some() { fd_length(data) } else { data };
    let payload = messages.contents.typical().filter(|(digits, _)| !varies && !digits.is_empty());
    let ends = [names.sender(id), names.listener()];
    let planned = Planned::new(format!("message-{id}"), ends, id, "broadcast", Paced::One(pace.clone()));
    Planned {
        data: data as f64,
        like_payload: payload.is_some().then(|| messages.contents.like(id, data, messages.brs)),
        payload,
        brs: messages.brs,
        count: messages.count,
        sizes: recorded(sent, &pace),
        ..planned
    }
}

/// Messages of several packets of J1939.
fn of_packets(route: Route, packets: &Packets, names: &Names, run: &Run) -> Planned {
    let Route { source, destination, pgn } = route;
    let sent = sent(&packets.begun, packets.is_whole(), run);
    let pace = Pace::of(&sent, run);
    let to = match pgn >> 8 & 0xff {
        240.. => Address::Group,
        _ => Address::Node(destination),
    };
    let id = Identifier { priority: 7, pgn, destination: to, source }.value();
    let receiver = if route.is_to_all() { names.listener() } else { names.source(destination) };
    let name = format!("packets-{pgn}-{source:02X}-{destination:02X}");
    let sizes: Vec<f64> = packets.begun.iter().map(|seen| f64::from(seen.octets)).collect();
    let between = median(packets.intervals.values()).map(|interval| (interval - run.frame).max(0.0));
    let ends = [names.source(source), receiver];
    let mut planned =
        Planned::new(name, ends, Id::Extended(id & Id::EXTENDED_LIMIT), "j1939", Paced::One(pace.clone()));
    if route.is_to_all() {
        planned.to.push(names.second_listener());
    }
    Planned {
        data: median(&sizes).unwrap_or(9.0).clamp(9.0, j1939::LIMIT as f64),
        packet_interval: between.filter(|_| route.is_to_all()),
        window: Some(packets.window).filter(|window| !route.is_to_all() && *window > 0),
        count: packets.count,
        sizes: recorded(sent, &pace),
        ..planned
    }
}

/// Requests that nothing answers, or the transport protocol: messages.
fn of_requests(key: &FlowKey, asked: &Asked, names: &Names, run: &Run) -> Planned {
    let requests: Vec<Seen> = asked.exchanges.iter().map(|exchange| exchange.request).collect();
    let mut sent = sent(&requests, asked.is_whole(), run);
    sent.sizes = None;
    let digits = digits(&asked.payload);
    let ends = [names.ends(key, asked.id, asked.id)[0].clone(), names.listener()];
    let name = format!("request-{}{}", asked.id, group(key));
    Planned {
        data: asked.payload.len() as f64,
        payload: Some((digits, true)).filter(|(digits, _)| !digits.is_empty()),
        brs: asked.brs,
        count: asked.count,
        ..Planned::new(name, ends, asked.id, "broadcast", Paced::One(Pace::of(&sent, run)))
    }
}

fn group(key: &FlowKey) -> String {
    match key.service {
        Service::ParameterGroup(pgn) => format!("-{pgn}"),
        _ => String::new(),
    }
}

/// Requests to one server.
fn of_exchanges(key: &FlowKey, asked: &Asked, names: &Names, run: &Run) -> Option<Planned> {
    let pace = Pace::of(&Sent::of_requests(asked, run), run);
    asking(key, asked, names, Paced::One(pace))
}

/// Requests to several in turn.
fn of_round(round: &Round, answered: &BTreeMap<FlowKey, &Asked>, names: &Names) -> Option<Planned> {
    let members: Vec<(&FlowKey, &Asked)> =
        round.members.iter().filter_map(|key| Some((key, *answered.get(key)?))).collect();
    let (key, first) = members.first()?;
    let id_step = round.id_step;
    let mut planned = asking(key, first, names, Paced::Round(round.clone()))?;
    let servers = |(key, asked): &(&FlowKey, &Asked)| Some(names.ends(key, asked.id, asked.answer_id?)[1].clone());
    planned.to = members.iter().filter_map(servers).collect();
    planned.count = members.iter().map(|(_, asked)| asked.count).sum();
    planned.id_step = id_step;
    planned.name = format!("{}-in-turn", planned.name);
    Some(planned)
}

/// A flow of requests of a service.
fn asking(key: &FlowKey, asked: &Asked, names: &Names, pace: Paced) -> Option<Planned> {
    let answer = asked.answer_id?;
    let (service, word) = match key.service {
        Service::Sdo => ("sdo", "sdo"),
        Service::Uds(_) => ("uds", "uds"),
        Service::RemoteFrame => ("remote", "remote"),
        Service::ParameterGroup(_) => ("request", "group"),
        _ => return None,
    };
    let name = format!("{word}-{}{}", asked.id, group(key));
    let typical = |values: &[f64]| median(values).unwrap_or(0.0);
    let (forth, back) = (typical(asked.data.values()), typical(asked.answer_data.values()));
    let planned = Planned::new(name, names.ends(key, asked.id, answer), asked.id, service, pace);
    let planned = Planned { count: asked.count, ..planned };
    let iso_tp = isotp::LIMIT as f64;
    Some(match key.service {
        // writing takes as many frames as reading
        Service::Sdo => Planned { data: forth.max(back).clamp(1.0, OBJECT), ..planned },
        Service::Uds(_) => Planned {
            data: forth.clamp(1.0, iso_tp),
            response_data: Some(back.clamp(1.0, iso_tp)),
            response_id: Some(answer),
            brs: asked.brs,
            block: asked.flow_control,
            ..planned
        },
        Service::RemoteFrame => Planned { data: back.min(CLASSIC_LIMIT as f64), ..planned },
        _ => {
            let digits = digits(&asked.payload);
            Planned {
                data: asked.payload.len() as f64,
                payload: Some((digits, true)).filter(|(digits, _)| !digits.is_empty()),
                response_data: Some(back.min(CLASSIC_LIMIT as f64)),
                response_id: Some(answer),
                ..planned
            }
        }
    })
}
