//! What the flows of a site offer to its channels in airtime, and how long its link timers last.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_core::Duration;
use sojourn_protocols::ax25::hdlc::air_time;
use sojourn_scenario::{Scenario, WarmUp};

use super::layout::Medium;
use super::medium::Framing;
use super::site::{SessionSettings, Site, SourceSettings};
use sojourn_model::Meaning;
use sojourn_model::meaning::{Cost, Offer, Resource, Timer, Unit, begins, is_changed, send_less};

const RETRIES: &str = "AX.25 v2.2, 6.7.1: a link is given up when T1 has expired N2 times";
const FRAME: &str = "a core of today takes 67 ns of a packet (Emmerich et al., MoonGen, IMC 2015), a TNC with a Z80 of 2.5 MHz up to 30 ms (default \
                     of nodes)";
const OCTET: &str = "memory of today copies a byte in 0.05 ns (DDR4, JESD79-4), a Z80 of 2.5 MHz in 8.4 µs (LDIR, 21 cycles: Z80 CPU user manual)";
/// Octets of an I or UI frame beside its information: two addresses, control, PID (AX.25 v2.2, 3).
const HEADER: u64 = 16;
/// Octets of a digipeater's address.
const DIGIPEATER: u64 = 7;

/// What the flows of a site mean.
pub(super) fn of<'s>(scenario: &'s Scenario, site: &Site) -> Meaning<'s> {
    let mut meaning = Meaning::default();
    let shared: Vec<bool> = (0..).zip(&site.media).map(|(number, medium)| is_shared(site, number, medium)).collect();
    let places = resources(scenario, site, &shared, &mut meaning);
    for source in &site.sources {
        offer(scenario, source.number, source.arrivals.rate(), path_of(site, &places, source), &mut meaning);
    }
    for session in &site.sessions {
        offer(
            scenario,
            session.number,
            session.arrivals.rate(),
            path_of_session(site, &shared, &places, session),
            &mut meaning,
        );
    }
    meaning.timers = timers(site);
    for station in scenario.list("station") {
        let costs = station.table("costs");
        let frames = ["receive_frame", "send_frame"].map(|key| (key, [67e-9, 30e-3], FRAME));
        let all = frames.into_iter().chain([("per_octet", [0.05e-9, 8.4e-6], OCTET)]);
        meaning.costs.extend(all.map(|(key, hardware, source)| Cost { table: costs, key, hardware, source }));
    }
    meaning
}

/// A channel where all hear each other is one resource; elsewhere, and on wires, each transmitter is one of its own: stations that are
/// hidden from each other send at the same time.
fn resources<'s>(
    scenario: &'s Scenario,
    site: &Site,
    shared: &[bool],
    meaning: &mut Meaning<'s>,
) -> BTreeMap<(u32, u32), usize> {
    let mut places = BTreeMap::new();
    for (number, (medium, table)) in (0..).zip(site.media.iter().zip(scenario.list("medium"))) {
        let is_shared = shared[number as usize];
        for (member, place) in (0..).zip(&medium.members) {
            if member == 0 || !is_shared {
                let station = &site.stations[place.station as usize].name;
                let name = match is_shared {
                    true => format!("channel `{}`", medium.name),
                    false => format!("the transmitter of `{station}` on `{}`", medium.name),
                };
                let capacity = medium.settings.bit_rate as f64;
                let remedy = format!("raise `medium.{}.bit_rate`", medium.name);
                meaning.resources.push(Resource { name, table, remedy, capacity, unit: Unit::Bits });
            }
            places.insert((number, member), meaning.resources.len() - 1);
        }
    }
    places
}

fn is_shared(site: &Site, number: u32, medium: &Medium) -> bool {
    let members = medium.members.len() as u32;
    let full_duplex = site
        .stations
        .iter()
        .flat_map(|station| &station.ports)
        .any(|port| port.medium == number && port.access.full_duplex);
    let all = || (0..members).all(|one| (0..members).all(|other| one == other || medium.hearing.hears(one, other)));
    !medium.is_wire && !full_duplex && all()
}

fn offer<'s>(
    scenario: &'s Scenario,
    number: u32,
    rate: Option<f64>,
    path: Vec<(usize, f64)>,
    meaning: &mut Meaning<'s>,
) {
    let table = &scenario.list("flow")[number as usize];
    let run = scenario.run();
    let is_heard = match run.warm_up {
        WarmUp::Fixed(warm_up) => begins(table) < warm_up + run.duration,
        WarmUp::Auto => begins(table) == Duration::ZERO,
    };
    let Some(rate) = rate.filter(|_| is_heard && !is_changed(scenario, table.name())) else { return };
    meaning.offers.push(Offer { table, key: "arrivals", remedy: send_less(table), rate, path });
}

/// Airtime of a message of a source: at its sender, and again at each digipeater of its path.
fn path_of(site: &Site, places: &BTreeMap<(u32, u32), usize>, source: &SourceSettings) -> Vec<(usize, f64)> {
    let port = site.stations[source.station as usize].ports[source.port as usize];
    let medium = &site.media[port.medium as usize];
    let seconds = airtime(medium, 1, u64::from(source.length), source.key.digipeaters.len() as u64);
    let repeats = source.key.digipeaters.iter().filter(|_| !source.has_copies).filter_map(|(address, _)| {
        let station = site.stations.iter().find(|station| station.address == address)?;
        let port = station.ports.iter().find(|there| there.medium == port.medium)?;
        places.get(&(port.medium, port.member)).map(|&place| (place, seconds))
    });
    let sent = places.get(&(port.medium, port.member)).map(|&place| (place, seconds));
    sent.into_iter().chain(repeats).collect()
}

/// Airtime of a session on the channel of the user: requests and responses, without acknowledgements and setup.
fn path_of_session(
    site: &Site,
    shared: &[bool],
    places: &BTreeMap<(u32, u32), usize>,
    session: &SessionSettings,
) -> Vec<(usize, f64)> {
    let port = site.stations[session.ends[0] as usize].ports[session.path.port as usize];
    let medium = &site.media[port.medium as usize];
    let of_end = |end: usize| {
        let (octets, paclen) = (u64::from(session.sizes[end]), u64::from(session.paclen[end]).max(1));
        f64::from(session.exchanges) * airtime(medium, octets.div_ceil(paclen), octets, 0)
    };
    // what comes back has another transmitter where that matters
    let seconds = of_end(0) + if shared[port.medium as usize] { of_end(1) } else { 0.0 };
    places.get(&(port.medium, port.member)).map(|&place| (place, seconds)).into_iter().collect()
}

/// Seconds of frames on the air, without TXDELAY, which several frames may share. Of IL2P the information alone counts.
fn airtime(medium: &Medium, frames: u64, octets: u64, digipeaters: u64) -> f64 {
    let rate = medium.settings.bit_rate;
    match medium.settings.framing {
        Framing::Il2p { .. } => 8.0 * octets as f64 / rate as f64,
        _ => air_time::mean_time(frames, octets + frames * (HEADER + DIGIPEATER * digipeaters), rate).seconds(),
    }
}

/// T1 and N2 of the stations that have links for the probe, a flow or sessions.
fn timers(site: &Site) -> Vec<Timer> {
    let probe = site.probe.iter().map(|probe| probe.from);
    let sessions = site.sessions.iter().map(|session| session.ends[0]);
    let connected = site.sources.iter().filter(|source| source.connected).map(|source| source.station);
    let stations: BTreeSet<u32> = probe.chain(sessions).chain(connected).collect();
    let timer = |station: u32| {
        let station = &site.stations[station as usize];
        let (frack, retry) = (station.links.frack, u64::from(station.links.n2));
        Timer {
            name: format!("the {retry} times that `{}` waits for FRACK (T1)", station.name),
            span: frack.times(retry),
            source: RETRIES,
        }
    };
    stations.into_iter().map(timer).collect()
}
