//! Packet radio on the air: AX.25 through a KISS TNC over TCP or a serial line, or in UDP datagrams (AXUDP).
//!
//! The machine is [`sojourn_protocols::ax25::machine::Station`], which simulations run as well. From the air inwards:
//!
//! 1. a [`port`] sends and receives frames, and reopens when the connection to the TNC was lost;
//! 2. the [`transceiver`] keys, one burst after the other, and identifies itself; exchanges begin when the [`airtime_budget`]
//!    has room for them;
//! 3. the [`measurer`] sets up links for ping-pong and link-setup probes, or sends TEST and UI frames without a link;
//! 4. the [`responder`] is the far station, the [`monitor`] only receives.
//!
//! A transmitting station has its own callsign and an airtime budget, sends clear text, and ends with DISC.

pub mod airtime;
pub mod airtime_budget;
mod block;
mod handler;
mod measurer;
mod monitor;
mod port;
mod responder;
mod route;
mod settings;
mod shutdown;
pub mod transceiver;

use std::net::SocketAddr;

use rustix::io::Errno;
use sojourn_metrics::frames::LinkType;
use sojourn_protocols::ax25::machine::LinkKey;
use sojourn_scenario::{Problem, Problems};

use self::measurer::RadioTest;
use self::port::Port;
use self::port::axudp::AxudpPort;
use self::port::kiss::KissPort;
use self::route::Route;
use self::settings::Settings;
use crate::io::line::{Line, Place};
use crate::io::link::{self, udp};
use crate::target::Target;
use crate::transport::{Information, Listening, Measure, Measurement, OnAir, Probe, Transport};
use crate::transports::serial_url;

const SCENARIO: &str = include_str!("scenario.toml");
const KEYS: &[&[&str]] = &[&["on_air", "measure.inject_loss"]];

/// AX.25 through a KISS TNC.
#[derive(Debug)]
pub struct Kiss {
    information: &'static Information,
    /// Where a URL says that the TNC is, and the route from there.
    place: fn(&Target) -> Result<(Place, Route), Problems>,
    /// Whether TNCs there may be asked how much they still have to send.
    asks_queue: bool,
}

/// `axudp://host:port/CALL?via=DIGI`: AX.25 frames in UDP datagrams.
#[derive(Debug)]
pub struct Axudp;

const STANDARDS: &[&str] = &["AX.25 v2.2", "KISS (Chepponis and Karn, 1987)"];

/// `kiss+tcp://host:port/CALL?via=DIGI`: a KISS TNC over TCP.
pub const KISS_OVER_TCP: Kiss = Kiss {
    information: &kiss(
        "kiss+tcp",
        "kiss+tcp://HOST:PORT/CALL?via=DIGI,...&port=N",
        "AX.25 through a KISS TNC at a TCP port, as Dire Wolf is one.",
    ),
    place: tcp,
    asks_queue: true,
};

/// `kiss+serial://device?baud=rate/CALL?via=DIGI`: a KISS TNC on a serial line.
pub const KISS_OVER_SERIAL: Kiss = Kiss {
    information: &kiss(
        "kiss+serial",
        "kiss+serial://DEVICE?baud=RATE/CALL?via=DIGI,...&port=N",
        "AX.25 through a KISS TNC on a serial line.",
    ),
    place: serial_line,
    // the question is a SetHardware command, which changes settings of some TNCs
    asks_queue: false,
};

const fn kiss(scheme: &'static str, form: &'static str, summary: &'static str) -> Information {
    Information {
        scheme,
        form,
        summary,
        needs: None,
        sources: STANDARDS,
        keys: KEYS,
        link_type: Some(LinkType::Ax25Kiss),
        is_timed: false,
        scenario: Some(SCENARIO),
    }
}

impl Transport for Kiss {
    fn information(&self) -> &'static Information {
        self.information
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let (place, route) = (self.place)(target)?;
        let plan = plan(target, &route, measurement, self.asks_queue)?;
        Ok(measure_over(open_kiss(target, place, &route, plan.measurement.on_air.as_ref())?, plan))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let (place, route) = (self.place)(target)?;
        route.require_no_peer(target)?;
        listen_over(open_kiss(target, place, &route, None)?, listening)
    }

    fn answer(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let (place, route) = (self.place)(target)?;
        route.require_no_peer(target)?;
        let settings = station(&listening.on_air, self.asks_queue)?;
        Ok(answer_over(open_kiss(target, place, &route, listening.on_air.as_ref())?, settings, listening))
    }
}

impl Transport for Axudp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "axudp",
            form: "axudp://HOST:PORT/CALL?via=DIGI,...&local=PORT",
            summary: "AX.25 in UDP datagrams with their FCS, as ax25ipd and BPQ have it.",
            needs: None,
            sources: &["AX.25 v2.2", "RFC 1226", "ax25ipd"],
            keys: KEYS,
            link_type: Some(LinkType::Ax25Kiss),
            is_timed: false,
            scenario: Some(SCENARIO),
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let (host, rest) = target.socket_address_and_rest(None)?;
        let route = Route::parse(target, rest, &["local"])?;
        let plan = plan(target, &route, measurement, false)?;
        // a measurement of this host listens on its loopback address alone
        let here = if host.ip().is_loopback() { host.ip() } else { link::unspecified_like(host.ip()) };
        let local = SocketAddr::new(here, route.local.unwrap_or(host.port()));
        Ok(measure_over(AxudpPort::new(udp::bound(target, local)?, Some(host)), plan))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        listen_over(axudp_here(target)?, listening)
    }

    fn answer(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let settings = station(&listening.on_air, false)?;
        Ok(answer_over(axudp_here(target)?, settings, listening))
    }
}

/// A socket at the address that the URL names, for any host that sends to it.
fn axudp_here(target: &Target) -> Result<AxudpPort, Problems> {
    let (here, rest) = target.socket_address_and_rest(None)?;
    Route::parse(target, rest, &[])?.require_no_peer(target)?;
    Ok(AxudpPort::new(udp::bound(target, here)?, None))
}

fn tcp(target: &Target) -> Result<(Place, Route), Problems> {
    let (address, rest) = target.socket_address_and_rest(None)?;
    Ok((Place::Tcp(address), Route::parse(target, rest, &["port"])?))
}

/// `DEVICE?baud=RATE` and what follows.
fn serial_line(target: &Target) -> Result<(Place, Route), Problems> {
    let after = target.after_scheme();
    let text = &target.with_secrets()[after.clone()];
    let Some((device, rest)) = text.split_once("?baud=").filter(|(device, _)| device.starts_with('/')) else {
        let problem = target.problem(after, "a serial line is a device and its speed");
        return Err(problem.help("as in kiss+serial:///dev/ttyUSB0?baud=9600/CALL-7").into());
    };
    let end = rest.find(['/', '?', '&']).unwrap_or(rest.len());
    let begin = after.start + device.len() + "?baud=".len();
    let rate = serial_url::bit_rate(target, begin..begin + end)?;
    let line = sojourn_core::serial::Format::new(rate);
    Ok((Place::Serial(device.into(), line), Route::parse(target, begin + end..after.end, &["port"])?))
}

/// Opens the line to a TNC; one that is to transmit is sent the channel's parameters.
fn open_kiss(target: &Target, place: Place, route: &Route, on_air: Option<&OnAir>) -> Result<KissPort, Problems> {
    let file = place.open().map_err(|fault| unopened(target, &place, fault))?;
    let parameters = on_air.map(|on_air| settings::parameters(&on_air.scenario)).unwrap_or_default();
    Ok(KissPort::new(Line::new(place, file), route.radio, parameters))
}

fn unopened(target: &Target, place: &Place, fault: Errno) -> Problem {
    let name = place.name();
    match (place, fault) {
        (Place::Serial(..), fault) => serial_url::unopened(target, &name, fault),
        (Place::Tcp(_), Errno::CONNREFUSED) => target
            .whole_problem(format!("no TNC listens at {name}"))
            .help("Dire Wolf listens for KISS at port 8001, unless its KISSPORT says otherwise"),
        (Place::Tcp(_), Errno::TIMEDOUT) => target.whole_problem(format!("{name} does not respond")),
        (Place::Tcp(_), _) => target.whole_problem(format!("cannot open {name}: {fault}")),
    }
}

fn plan(target: &Target, route: &Route, measurement: Measurement, asks_queue: bool) -> Result<RadioTest, Problems> {
    let mut settings = station(&measurement.on_air, asks_queue)?;
    settings.policy.digipeaters = route.digipeaters.len();
    let key = LinkKey { own: settings.own, peer: route.peer(target)?, digipeaters: route.digipeaters };
    let on_air = measurement.on_air.as_ref().expect("the station was read from it");
    let (probe, via_nodes) = (on_air.probe, on_air.via_nodes.clone());
    // what a digipeater repeats for others is not known here
    settings.policy.partner = (probe != Probe::Digipeater).then_some(key.peer);
    if probe == Probe::Digipeater && route.digipeaters.is_empty() {
        let problem = target.whole_problem("the digipeater is missing");
        return Err(problem.help(format!("name it in the URL: {target}?via=DIGI")).into());
    }
    if key.own == key.peer {
        return Err(target.whole_problem(format!("{} is this station's own callsign", key.own)).into());
    }
    let limit = u32::from(settings.station.n1);
    let beyond =
        |size: &&u32| **size > if matches!(probe, Probe::Test | Probe::Digipeater) { limit } else { block::LARGEST };
    if let Some(size) = measurement.exchange_sizes.iter().find(beyond) {
        let most = if matches!(probe, Probe::PingPong) { block::LARGEST } else { limit };
        return Err(Problem::plain(format!("--exchange-size: {size} octets exceed the {most} of this probe")).into());
    }
    if probe != Probe::Connect && probe != Probe::Prompt {
        require_airtime(&settings, &measurement.exchange_sizes)?;
    }
    Ok(RadioTest { settings, key, probe, via_nodes, measurement })
}

/// The airtime budget must have room for an exchange of each size, since exchanges are paced as a whole.
fn require_airtime(settings: &Settings, sizes: &[u32]) -> Result<(), Problems> {
    let transceiver = settings.transceiver()?;
    let Some(size) = sizes.iter().find(|size| !transceiver.holds(transceiver.airtime_of(u64::from(**size)))) else {
        return Ok(());
    };
    let (airtime, needed) = (settings.policy.airtime.seconds(), transceiver.airtime_of(u64::from(*size)).seconds());
    let message = format!(
        "an airtime of {airtime} s a minute has no room for an exchange of {size} octets, for which a station \
         transmits up to {needed:.1} s"
    );
    Err(Problem::plain(message).help("raise --airtime or lower --exchange-size").into())
}

/// The station that transmits.
fn station(on_air: &Option<OnAir>, asks_queue: bool) -> Result<Settings, Problems> {
    let on_air = on_air.as_ref().ok_or_else(|| Problem::plain("the station is not configured"))?;
    let mut settings = Settings::read(on_air)?;
    settings.policy.asks_queue = asks_queue;
    Ok(settings)
}

fn measure_over<P: Port + Send + 'static>(port: P, plan: RadioTest) -> Measure {
    Box::new(move |watch, frames| measurer::measure(port, &plan, watch, frames))
}

fn answer_over<P: Port + Send + 'static>(port: P, settings: Settings, listening: Listening) -> Measure {
    Box::new(move |watch, frames| responder::answer(port, &settings, &listening, watch, frames))
}

fn listen_over<P: Port + Send + 'static>(port: P, listening: Listening) -> Result<Measure, Problems> {
    let on_air = listening.on_air.as_ref().ok_or_else(|| Problem::plain("the channel is not configured"))?;
    let air = settings::air(&on_air.scenario);
    Ok(Box::new(move |watch, frames| monitor::listen(port, air, &listening, watch, frames)))
}
