//! `sojourn measure sojourn://host:port`: a session, then requests and load within it.

use std::net::SocketAddr;

use sojourn_core::Duration;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::DEFAULT_PORT;
use sojourn_protocols::probe::client::{RequestError, Session};
use sojourn_protocols::probe::wire::{Limits, MAX_PACKET, MIN_PACKET, Reason};
use sojourn_scenario::Problems;

use super::control::{ask, open};
use super::diagnosis::explain;
use super::format::Probes;
use super::load::AgentLoad;
use super::over_tcp::{self, Control};
use crate::io::clock::Clock;
use crate::io::datagrams::Datagrams;
use crate::prober::measurement::Measurement as Timed;
use crate::prober::peer::Peer;
use crate::prober::plan::{LoadTransport, RequestTransport, TimedTest};
use crate::prober::tcp_peer;
use crate::prober::udp_peer::UdpPeer;
use crate::progress::watch::Watch;
use crate::target::Target;
use crate::transport::{Measure, Measured, Measurement};

/// How long before the agent's limit a session is closed, beside two windows.
const MARGIN: Duration = Duration::from_secs(5);

/// Opens a socket to the agent; the closure opens the session and measures.
pub fn measure(target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
    let peer = target.socket_address(Some(DEFAULT_PORT))?;
    let plan = measurement.plan.ok_or_else(|| target.whole_problem("a timed test needs a plan"))?;
    for &octets in &plan.sizes {
        if !(u32::from(MIN_PACKET)..=u32::from(MAX_PACKET)).contains(&octets) {
            let message = format!("a request of {octets} B is out of range: {MIN_PACKET} B to {MAX_PACKET} B");
            let help = "header and authentication fill the least; udp-echo:// and icmp:// take 16 B";
            return Err(target.whole_problem(message).help(help).into());
        }
    }
    if plan.transport == RequestTransport::Tcp {
        tcp_peer::check(&plan, target)?;
    }
    let clock = Clock::start();
    let datagrams = Datagrams::to(clock, peer, &plan.marking)
        .map_err(|fault| target.whole_problem(format!("cannot open a UDP socket to {peer}: {fault}")))?;
    Ok(Box::new(move |watch, _| run(datagrams, peer, clock, &plan, watch)))
}

fn run(mut datagrams: Datagrams, peer: SocketAddr, clock: Clock, plan: &TimedTest, watch: &Watch) -> Measured {
    let key = plan.key.clone().unwrap_or_else(|| Key::new(b""));
    watch.begin("opening", "1", 0);
    let session = match open(&mut datagrams, &key, Limits::NONE) {
        Ok(session) => session,
        Err(session_error) => {
            return Measured::failed(plan.phases[0].name, explain(session_error, peer, plan.key.as_ref()));
        }
    };
    if let Some(reason) = beyond(plan, &session.granted()) {
        return Measured::failed(
            plan.phases[0].name,
            format!("the agent at {peer} allows less: {reason} (its limits are set by sojourn agent --limit)"),
        );
    }
    let plan = &within(plan, &session.granted());
    match plan.transport {
        RequestTransport::Udp => {
            let mut loader = AgentLoad::new(peer, key, plan, session.clone());
            let mut udp_peer = UdpPeer::over(Probes::new(session), datagrams);
            let name = peer.to_string();
            let timed = Timed { name, peer: &mut udp_peer, loader: &mut loader, clock, plan, watch };
            let mut measured = timed.run();
            if udp_peer.format.ended().is_none() {
                // the session may be another than at the start
                close(udp_peer.format.session.clone(), udp_peer.socket(), &mut measured);
            }
            measured
        }
        RequestTransport::Tcp => {
            let control = Control { datagrams, session, ended: None };
            let (mut measured, control) = over_tcp::run(control, peer, key, clock, plan, watch);
            let mut control = over_tcp::locked(&control);
            match control.ended {
                Some(reason) => measured.warnings.push(ended(reason)),
                None => close(control.session.clone(), &mut control.datagrams, &mut measured),
            }
            measured
        }
    }
}

/// Closes the session, and adds warnings from the agent's report; a session that is not closed times out.
fn close(mut session: Session, datagrams: &mut Datagrams, measured: &mut Measured) {
    let closing = session.close(datagrams.clock().now());
    match ask(closing, &session, datagrams) {
        Ok(report) if report.over_limit > 0 => {
            let text = format!("the agent dropped {} packets that exceeded its limits", report.over_limit);
            measured.warnings.push(text);
        }
        Err(RequestError::Ended { reason, .. }) => measured.warnings.push(ended(reason)),
        _ => {}
    }
}

fn ended(reason: Reason) -> String {
    format!("the agent closed the session: {reason}")
}

/// The plan, with sessions that end before the agent ends them.
fn within(plan: &TimedTest, granted: &Limits) -> TimedTest {
    let mut plan = plan.clone();
    if let Some(windows) = &mut plan.windows {
        let last = windows.length.times(2) + MARGIN;
        let granted = Duration::from_seconds(granted.seconds.into()).unwrap_or(windows.session + last);
        windows.session = windows.session.min(granted.saturating_sub(last));
    }
    plan
}

/// What in a plan exceeds the agent's grant.
fn beyond(plan: &TimedTest, granted: &Limits) -> Option<String> {
    let seconds = plan.duration().seconds() * plan.sizes.len() as f64 * f64::from(plan.replications);
    if seconds > f64::from(granted.seconds) {
        return Some(format!("{} s in all, this test takes {seconds:.0} s", granted.seconds));
    }
    let longest = plan.sizes.iter().copied().max().unwrap_or(0);
    if longest > u32::from(granted.longest) {
        return Some(format!("packets of {} B, requested {longest} B", granted.longest));
    }
    if let Some(rate) = plan.schedule.rate().filter(|rate| *rate > f64::from(granted.packet_rate)) {
        return Some(format!("{} packets/s, requested {rate:.0} packets/s", granted.packet_rate));
    }
    let loads = plan.loads.iter().filter(|load| matches!(load.transport, LoadTransport::Tcp { .. }));
    let for_requests = u32::from(plan.transport == RequestTransport::Tcp);
    let streams = loads.map(|load| load.streams).sum::<u32>() + for_requests;
    if streams > u32::from(granted.streams) {
        return Some(format!("{} TCP connections, requested {streams}", granted.streams));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prober::plan::{Direction, Load, Phase};
    use crate::prober::schedule::Schedule;

    fn plan() -> TimedTest {
        let transport = LoadTransport::Tcp { congestion: None, pace: None };
        let (direction, start, stop) = (Direction::Up, Duration::ZERO, None);
        let phase = Phase { name: "idle", duration: Duration::from_secs(10), loaded: false, recorded: true };
        TimedTest {
            sizes: vec![64, 1400],
            loads: vec![Load { name: None, transport, direction, streams: 4, dscp: 0, start, stop }],
            replications: 3,
            ..TimedTest::new(Schedule::Periodic { interval: Duration::from_millis(1) }, 64, vec![phase])
        }
    }

    #[test]
    fn a_plan_beyond_the_limits_is_refused_with_the_requested_and_granted_values() {
        assert_eq!(beyond(&plan(), &Limits::NONE), None);
        let of = |limits: Limits| beyond(&plan(), &limits).unwrap();
        assert_eq!(of(Limits { seconds: 59, ..Limits::NONE }), "59 s in all, this test takes 60 s");
        assert!(of(Limits { longest: 1200, ..Limits::NONE }).contains("requested 1400 B"));
        assert!(of(Limits { packet_rate: 500, ..Limits::NONE }).contains("requested 1000 packets/s"));
        assert!(of(Limits { streams: 3, ..Limits::NONE }).contains("requested 4"));
        let over_tcp = TimedTest { transport: RequestTransport::Tcp, ..plan() };
        let reason = beyond(&over_tcp, &Limits { streams: 4, ..Limits::NONE });
        assert_eq!(reason.unwrap(), "4 TCP connections, requested 5");
    }
}
