//! Fixed jitter buffers of calls whose first packet meets an idle network, and later ones the queue of transfers.

use sojourn_core::Duration;
use sojourn_metrics::display::Shown;
use sojourn_metrics::jitter_buffer::talkspurts::Playout;
use sojourn_model::Warning;
use sojourn_scenario::{Scenario, Table};

use crate::ip::{Discipline, PortSettings, Settings};
use crate::model::LanModel;
use crate::site::{Activity, Bulk, Call, Service, Site};

const RULE: &str = "Ramjee, Kurose, Towsley, Schulzrinne, INFOCOM 1994: a fixed jitter buffer plays all packets at the delay of the first";

/// Calls that lose what a transfer delays, since their jitter buffers were set before it began: one warning for each flow.
pub(crate) fn frozen_buffers(scenario: &Scenario, model: &LanModel<Settings>) -> Vec<Warning> {
    let mut found = Vec::new();
    for table in scenario.list("flow") {
        let is_own = |activity: &&Activity| model.site.flows[activity.flow as usize] == table.name();
        let worst = model.site.activities.iter().filter(is_own).filter_map(|activity| waits(model, activity));
        found.extend(worst.max_by_key(|wait| wait.0).map(|wait| warning(scenario, &model.site, table, wait)));
    }
    found
}

/// How long packets of a call may wait behind transfers, at which port, and behind whom; `None` where its jitter buffer covers that.
fn waits<'m>(model: &'m LanModel<Settings>, activity: &'m Activity) -> Option<(Duration, u32, &'m Activity)> {
    let Service::Voice(call @ Call { playout: Playout::Fixed, .. }) = &activity.service else { return None };
    let directions = [Some(activity.connection), call.is_two_way.then_some(activity.connection ^ 1)];
    let ports =
        directions.into_iter().flatten().flat_map(|connection| &model.site.topology.routes[connection as usize]);
    let longest = ports.filter_map(|&port| wait_at(model, activity, port)).max_by_key(|wait| wait.0)?;
    (longest.0 > call.buffer.delay).then_some(longest)
}

/// How long the transfers at a port, none of which begins before the call, may let its packets wait.
fn wait_at<'m>(
    LanModel { site, fabric }: &'m LanModel<Settings>,
    call: &'m Activity,
    port: u32,
) -> Option<(Duration, u32, &'m Activity)> {
    let settings = &fabric.ports[port as usize];
    let transfers = || {
        site.activities.iter().filter_map(move |other| match &other.service {
            Service::Bulk(bulk) if site.topology.routes[other.connection as usize].contains(&port) => {
                Some((other, bulk))
            }
            _ => None,
        })
    };
    let is_before = |(other, _): (&Activity, &Bulk)| other.start + other.start_spread < call.start;
    let shares_its_queue = |other: &Activity| match settings.queue.discipline {
        Discipline::Fifo => true,
        Discipline::Priority { .. } => other.class >= call.class,
        _ => false,
    };
    if transfers().any(is_before) || call.silent {
        return None;
    }
    let behind = || transfers().filter(|(other, _)| shares_its_queue(other) && !other.silent);
    let (first, _) = behind().next()?;
    let rate = rate(site, settings, port)?;
    let window = |bulk: &Bulk| bulk.sender.send_buffer.min(bulk.receiver.receive_buffer);
    let waiting = behind().map(|(other, bulk)| window(bulk).saturating_sub(in_flight(site, other, rate)));
    let most = waiting.fold(0, u64::saturating_add).min(room(settings));
    Some((Duration::from_seconds(most as f64 * 8.0 / rate as f64)?, port, first))
}

/// Bits a second that leave a port, if that is limited.
fn rate(site: &Site, settings: &PortSettings, port: u32) -> Option<u64> {
    let link = (!settings.link.unlimited).then(|| site.topology.ports[port as usize].rate);
    link.into_iter().chain(settings.queue.shaping.map(|bucket| bucket.rate)).min()
}

/// Octets of a transfer that are in flight at this rate, and wait nowhere.
fn in_flight(site: &Site, transfer: &Activity, rate: u64) -> u64 {
    let ports = site.topology.routes[transfer.connection as usize].iter();
    let one_way: f64 = ports.map(|&port| site.topology.ports[port as usize].propagation.seconds()).sum();
    (rate as f64 * 2.0 * one_way / 8.0) as u64
}

/// Octets that find room in a queue.
fn room(settings: &PortSettings) -> u64 {
    let limit = settings.queue.limit;
    limit.octets.min(u64::from(limit.packets) * u64::from(settings.link.mtu))
}

fn warning(
    scenario: &Scenario,
    site: &Site,
    table: &Table,
    (wait, port, transfer): (Duration, u32, &Activity),
) -> Warning {
    let voice = table.table("voice");
    let shown = |span: Duration| Shown::unit("s").value(Some(span.seconds()), span.seconds(), 2);
    let message = format!(
        "the calls of `{}` begin with `{}` or before: their fixed jitter buffers keep the delay of a first packet in an idle network and {} \
         more, and packets behind those transfers may wait {} at `{}`",
        table.name(),
        site.flows[transfer.flow as usize],
        shown(voice.duration("playout_delay")),
        shown(wait),
        site.ports[port as usize]
    );
    let help = format!(
        "jitter_buffer = \"adaptive\", as telephones have it, or let the calls begin later: `flow.{}.start`",
        table.name()
    );
    Warning { problem: scenario.problem(voice, "jitter_buffer", message, Some(help)), rule: RULE }
}
