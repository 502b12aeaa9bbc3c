//! Bounds of a trunk: how long the token takes to come back, and a request to be answered, while no frame is damaged.
//!
//! A master that receives the token holds it for at most its latency, `Max_Info_Frames` frames of those that it may have, a Poll
//! For Master without a reply, and the token itself. A request is held until its reply has ended: the reply begins within
//! `T_reply_timeout` of silence. After each frame of its own the node waits `T_turnaround`, after each reply its latency. Summed over the
//! masters this is a rotation, since no master has the token twice in one (the argument is that of round-robin service with
//! limited batches: each queue waits at most for the full batch of every other).
//!
//! A frame that finds `q` frames before it at its node is sent with token number `q / Max_Info_Frames + 1`. The frames of a node are
//! bounded where its applications wait for replies: `outstanding` requests of each flow, and a reply, or a forwarded packet, for
//! each request of others.

use sojourn_bounds::report::{Bounded, END_TO_END, Report, Theorem, Worst};
use sojourn_core::Duration;
use sojourn_model::traffic::Arrivals;
use sojourn_protocols::mstp::machine::Settings;
use sojourn_protocols::mstp::wire::{FrameType, longest_on_the_wire};
use sojourn_scenario::{Problems, Scenario};

use super::demand::Demand;
use super::routes::Routes;
use super::scenario::site;
use super::site::{Flow, MediumKind, Reply, Site, Station, Trunk};

const BATCHES: &str = "sum over the masters of what they may send with one token (limited service in turn), argued in networks/mstp/src/bounds.rs";
const ROTATION: Theorem = Theorem { name: "rotation: every master sends all that it may", source: BATCHES };
const POLLED: Theorem = Theorem { name: "a round: as many responses one after the other", source: BATCHES };
const RESPONSE: Theorem = Theorem { name: "response: a rotation for every batch of frames before it", source: BATCHES };

/// The bounds of a scenario of kind `mstp`.
pub fn bounds(scenario: &Scenario) -> Result<Report, Problems> {
    let site = site(scenario)?;
    let mut report = Report::default();
    report.assume("no frame is damaged and no station loses power; the trunk has its token, and all masters have found their successors");
    let Ok(routes) = Routes::new(&site) else { return Ok(report) };
    let demand = Demand::new(&site, &routes);
    let trunks = || (0..).zip(&site.media).filter(|(_, medium)| matches!(medium.kind, MediumKind::Trunk(_)));
    let several = trunks().count() > 1;
    for (number, medium) in trunks() {
        let metric = if several { format!("token_rotation/{}", medium.name) } else { "token_rotation".to_owned() };
        let bound = rotation(&site, number, &demand).map(|most| (Worst::Delay(most), ROTATION));
        report.row("token", &medium.name, Some(&metric), bound);
    }
    for flow in site.flows.iter().filter(|flow| flow.probe) {
        let response = response(&site, flow, &demand);
        let metric = format!("response_time/{}", flow.name);
        report.row(&flow.name, END_TO_END, Some(&metric), response.clone().map(|most| (Worst::Delay(most), RESPONSE)));
        if let Arrivals::Poll { interval, cycle } = flow.arrivals {
            let metric = format!("poll_cycle/{}", flow.name);
            report.row(&flow.name, "poll cycle", Some(&metric), round(flow, response, [interval, cycle]));
        }
    }
    Ok(report)
}

/// A round of a poll: each request begins an interval after the last, or when that is answered.
fn round(flow: &Flow, response: Result<Duration, String>, [interval, _]: [Duration; 2]) -> Bounded {
    let points = flow.to.iter().map(Vec::len).max().unwrap_or(0) as u64;
    response.map(|most| (Worst::Delay((most + interval).times(points)), POLLED))
}

/// The longest rotation of the token of a trunk.
pub fn rotation(site: &Site, medium: u16, demand: &Demand) -> Result<Duration, String> {
    let Some(trunk) = site.trunk(medium) else { return Err("it is an IP network".to_owned()) };
    if trunk.bit_error_rate > 0.0 {
        return Err("bit errors destroy tokens: a lost one may be missed for any number of rotations".to_owned());
    }
    if trunk.postdrive > trunk.turnaround {
        return Err("drivers stay enabled for longer than T_turnaround: any frame may be destroyed".to_owned());
    }
    let mut sum = Duration::ZERO;
    for master in site.masters(medium) {
        sum += hold(site, medium, master, demand)?;
    }
    Ok(sum)
}

/// How long a master holds the token at most, until the last character of the token that it passes.
fn hold(site: &Site, medium: u16, (number, settings): (u32, &Settings), demand: &Demand) -> Result<Duration, String> {
    let station = &site.stations[number as usize];
    let trunk = site.trunk(medium).expect("a master is on a trunk");
    let latency = latency(station, trunk)?;
    let shortest = site.masters(medium).iter().map(|(_, settings)| settings.usage_timeout).min();
    if shortest.is_some_and(|shortest| latency > shortest) {
        return Err(format!(
            "{} may take longer than T_usage_timeout: its token is sent again, and may be given up",
            station.name
        ));
    }
    let sent = demand.of(number, medium);
    let plain = sent.plain.map(|octets| data(trunk, octets, false) + trunk.turnaround);
    let mut each = plain.unwrap_or(Duration::ZERO);
    if let Some(request) = sent.asking {
        let reply = latest_reply(site, medium, settings)? + data(trunk, demand.answer, false);
        each = each.max(data(trunk, request, true) + reply + latency);
    }
    let answered = wire(trunk, FrameType::ReplyToPollForMaster, 0) + latency.times(2);
    let unanswered = settings.usage_timeout.max(settings.vacant_timeout) + station.timer_resolution;
    let poll = wire(trunk, FrameType::PollForMaster, 0) + unanswered.max(answered);
    let token = trunk.turnaround + wire(trunk, FrameType::Token, 0);
    Ok(latency + each.times(u64::from(settings.max_info_frames)) + poll + token)
}

/// Time on the line of a frame with data.
fn data(trunk: &Trunk, octets: u16, expects_reply: bool) -> Duration {
    wire(trunk, FrameType::of_data(usize::from(octets), expects_reply), octets)
}

fn wire(trunk: &Trunk, kind: FrameType, octets: u16) -> Duration {
    let characters = longest_on_the_wire(kind, usize::from(octets)) as u32;
    // durations are rounded down to a picosecond
    trunk.format.characters(characters) + trunk.frame_gap.times(u64::from(characters)) + Duration::from_nanos(1)
}

/// The latency of a station, turnaround included; an error where no end is known.
fn latency(station: &Station, trunk: &Trunk) -> Result<Duration, String> {
    let unknown = || format!("the latency of {} has no largest value", station.name);
    Ok(station.token_latency.most().ok_or_else(unknown)?.max(trunk.turnaround))
}

/// The latest beginning of a reply, or of Reply Postponed, on a trunk; an error where a requester may give up first.
fn latest_reply(site: &Site, medium: u16, asking: &Settings) -> Result<Duration, String> {
    let mut latest = Duration::ZERO;
    for &port in &site.media[usize::from(medium)].ports {
        let settings = &site.ports[port as usize];
        let Some(node) = settings.node else { continue };
        let station = &site.stations[settings.station as usize];
        let trunk = site.trunk(medium).expect("a node is on a trunk");
        let postponed = node.protocol.reply_delay + station.timer_resolution;
        let begins = match (node.is_slave, station.reply) {
            // a slave that is late says nothing
            (true, _) => postponed.min(asking.reply_timeout),
            (false, Reply::Immediate | Reply::Late) => postponed,
            (false, Reply::Postpone) => postponed.max(latency(station, trunk)?),
        };
        let silent = if node.is_slave { asking.reply_timeout } else { Duration::ZERO };
        latest = latest.max(begins.max(trunk.turnaround)).max(silent);
        if begins > asking.reply_timeout {
            return Err(format!(
                "{} may reply after T_reply_timeout of a station that asks: both then send",
                station.name
            ));
        }
    }
    Ok(latest)
}

/// The longest response of a flow.
fn response(site: &Site, flow: &Flow, demand: &Demand) -> Result<Duration, String> {
    if !demand.is_bounded {
        return Err(
            "requests come on their own: any number of them may wait at a client. A poll, or arrivals of kind saturating, \
             wait for replies"
                .to_owned(),
        );
    }
    if demand.is_routed {
        return Err(
            "packets pass routers, whose queues have no bound here: the largest simulated stands for it".to_owned()
        );
    }
    let mut worst = Duration::ZERO;
    for (&from, to) in flow.from.iter().zip(&flow.to) {
        for &to in to {
            worst = worst.max(exchange(site, flow, [from, to], demand)?);
        }
    }
    Ok(worst)
}

/// From the offer of a request to the end of its reply, on one trunk.
fn exchange(site: &Site, flow: &Flow, [from, to]: [u32; 2], demand: &Demand) -> Result<Duration, String> {
    let server = &site.stations[to as usize];
    let port = &site.ports[server.ports.start as usize];
    let Some(trunk) = site.trunk(port.medium) else {
        return Err("on an IP network only its delay is known".to_owned());
    };
    let node = port.node.expect("a port of a trunk has a node");
    let rotation = rotation(site, port.medium, demand)?;
    let slowest = server.reply_latency.most();
    let slowest = slowest.ok_or_else(|| format!("the reply of {} has no largest latency", server.name))?;
    let slowest = (slowest + server.reply_per_property.times(u64::from(flow.properties))).max(trunk.turnaround);
    let is_late = slowest >= node.protocol.reply_delay;
    if is_late && node.is_slave {
        return Err(format!("slave {} may be ready after T_reply_delay, and then does not reply", server.name));
    }
    let access = |station: u32| {
        let port = site.port_on(station, port.medium).expect("both are on the trunk");
        let frames = site.ports[port as usize].node.map_or(1, |node| node.protocol.max_info_frames);
        // the batches before it, and those before it in its own
        rotation.times(u64::from(demand.queued(station).div_ceil(frames)) + 1)
    };
    let (request, reply) = (data(trunk, flow.data, true), data(trunk, flow.response_data, false));
    let mut sum = access(from) + request + reply + slowest;
    if is_late || server.reply != Reply::Immediate {
        sum += access(to) + node.protocol.reply_delay + server.timer_resolution + latency(server, trunk)?;
    }
    if sum > flow.apdu_timeout {
        return Err("a response may take longer than APDU_Timeout: retries then follow".to_owned());
    }
    Ok(sum)
}
