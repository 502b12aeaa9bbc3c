//! Before anything is measured: what this host can tell at all, and in which state it is.
//!
//! The state of the hosts changes a response time more than most networks do: a processor that halts between packets
//! wakes late, so that an idle host is slower than a busy one. A result without its regime cannot be compared.

mod processors;
mod regime;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use sojourn_core::Duration;
use sojourn_metrics::distribution::Distribution;

use self::processors::Usage;
pub use self::regime::Regime;
use super::pacer::Pacing;
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::datagrams::TimestampingSupport;
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::packet_io::Received;

/// Readings of the clock that its cost is the mean of.
const READINGS: u32 = 50_000;
/// Sleeps, and how long each.
const SLEEPS: usize = 120;
const SLEEP: Duration = Duration::from_millis(5);
/// Round trips over the loopback, and how far apart.
const ROUND_TRIPS: u64 = 80;
const SPACING: Duration = Duration::from_millis(8);
/// How long a processor is held to see whether it is taken away.
const HELD: Duration = Duration::from_millis(300);
/// Between two readings of the clock that nobody interrupted lies less.
const INTERRUPTED: Duration = Duration::from_millis(1);
/// Octets of a calibrating datagram.
const OCTETS: usize = 64;
/// Spinning needs this much of the processors to be idle: one for this end, most of one for all others.
const FREE_TO_SPIN: f64 = 1.5;

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Nanoseconds that a reading of the clock costs.
    pub clock_cost_ns: f64,
    /// How late a sleep ends: median and 99 %, in seconds.
    pub sleep_lateness_s: [f64; 2],
    /// Round trip between two sockets of this host whose ends sleep: least, median and 99 %, in seconds. What a
    /// measurement finds below the median is within the noise of the hosts.
    pub loopback_s: [f64; 3],
    /// Share of a processor that was taken away while it was held.
    pub starved: f64,
    /// The longest it was taken away in one piece, in seconds.
    pub longest_gap_s: f64,
    /// What stamps the kernel gives.
    pub stamping: TimestampingSupport,
    /// The state of this host.
    pub regime: Regime,
    /// How late each sleep ended.
    #[serde(skip)]
    pub lateness: Vec<Duration>,
}

impl Calibration {
    /// Calibrates this host, in two seconds, with the alarm that is to keep time.
    pub fn run(clock: &Clock, alarm: &mut Alarm) -> std::io::Result<Calibration> {
        let mut near = Datagrams::at(*clock, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let (lateness, usage) = sleeps(clock, alarm, &mut near);
        let loopback = round_trips(clock, &mut near)?;
        let (starved, longest_gap) = hold(clock);
        let at = |found: Option<Vec<Duration>>| found.unwrap_or_default().iter().map(|span| span.seconds()).collect();
        let mut late = Distribution::new();
        lateness.iter().for_each(|span| late.record(*span));
        let late: Vec<f64> = at(late.quantiles(&[0.5, 0.99]));
        let trips: Vec<f64> = at(loopback.quantiles(&[0.5, 0.99]));
        let first = |found: &[f64], index: usize| found.get(index).copied().unwrap_or(f64::NAN);
        Ok(Calibration {
            clock_cost_ns: clock_cost(clock),
            sleep_lateness_s: [first(&late, 0), first(&late, 1)],
            loopback_s: [loopback.min().map_or(f64::NAN, Duration::seconds), first(&trips, 0), first(&trips, 1)],
            starved,
            longest_gap_s: longest_gap.seconds(),
            stamping: near.stamping(),
            regime: Regime::read(usage),
            lateness,
        })
    }

    /// How departures are best met here.
    pub fn pacing(&self) -> Pacing {
        if self.regime.at_hand() >= FREE_TO_SPIN { Pacing::Hybrid } else { Pacing::Sleep }
    }

    /// Below this, in seconds, a response time says more of the hosts than of what lies between them.
    pub fn noise_floor(&self) -> f64 {
        self.loopback_s[1]
    }

    /// All of it in a line.
    pub fn words(&self) -> String {
        let us = |seconds: f64| seconds * 1e6;
        let Calibration { regime, .. } = self;
        let stamps = match (self.stamping.kernel_transmit, self.stamping.kernel_receive) {
            (true, true) => "kernel stamps both ways",
            (false, true) => "kernel stamps of arrivals",
            _ => "no kernel stamps",
        };
        let starved = if self.starved > 0.01 {
            format!(", a held processor was taken away for {:.0} % of the time", self.starved * 100.0)
        } else {
            String::new()
        };
        format!(
            "noise floor {:.0} µs (loopback), sleeps end {:.0} µs late (99 %: {:.0} µs), clock {:.0} ns, {stamps}; \
             {}{starved}",
            us(self.loopback_s[1]),
            us(self.sleep_lateness_s[0]),
            us(self.sleep_lateness_s[1]),
            self.clock_cost_ns,
            regime.words(),
        )
    }
}

/// Nanoseconds for a reading.
fn clock_cost(clock: &Clock) -> f64 {
    let began = clock.now();
    for _ in 0..READINGS {
        std::hint::black_box(clock.now());
    }
    clock.now().since(began).seconds() * 1e9 / f64::from(READINGS)
}

/// How late each of many sleeps ended, and what the processors did meanwhile.
fn sleeps(clock: &Clock, alarm: &mut Alarm, socket: &mut Datagrams) -> (Vec<Duration>, Usage) {
    let before = Usage::since_boot();
    let mut lateness = Vec::with_capacity(SLEEPS);
    for _ in 0..SLEEPS {
        let wake = clock.now() + SLEEP;
        alarm.set(wake);
        socket.wait(alarm);
        lateness.push(clock.now().since(wake));
    }
    (lateness, Usage::since_boot().since(&before))
}

/// Round trips to a thread that sleeps until it has something to send back.
fn round_trips(clock: &Clock, near: &mut Datagrams) -> std::io::Result<Distribution> {
    let echo = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    let address = echo.local_addr()?;
    echo.set_read_timeout(Some(crate::io::clock::to_system(SPACING.times(20))))?;
    let over = Arc::new(AtomicBool::new(false));
    let stop = over.clone();
    let thread = std::thread::spawn(move || {
        let mut buffer = [0; OCTETS];
        while !stop.load(Ordering::Relaxed) {
            if let Ok((length, from)) = echo.recv_from(&mut buffer) {
                let _ = echo.send_to(&buffer[..length], from);
            }
        }
    });
    let mut found = Distribution::new();
    let mut buffer = [0; OCTETS];
    let start = clock.now();
    for index in 0..ROUND_TRIPS {
        let due = start + SPACING.times(index);
        std::thread::sleep(crate::io::clock::to_system(due.since(clock.now())));
        let sent = clock.now();
        if near.send_to(address, &[index as u8; OCTETS]).is_err() {
            continue;
        }
        let deadline = sent + SPACING.times(10);
        while clock.now() < deadline {
            if let Received::Datagram(arrival, bytes) = near.receive(ReadMode::Blocking, &mut buffer)
                && bytes.first() == Some(&(index as u8))
            {
                found.record(arrival.at.since(sent));
                break;
            }
        }
        while near.poll_tx_timestamp().is_some() {}
    }
    over.store(true, Ordering::Relaxed);
    let _ = near.send_to(address, &[0; OCTETS]);
    let _ = thread.join();
    Ok(found)
}

/// The share of the time that a thread which never sleeps did not run, and the longest piece of it.
fn hold(clock: &Clock) -> (f64, Duration) {
    let began = clock.now();
    let (mut last, mut lost, mut longest) = (began, Duration::ZERO, Duration::ZERO);
    while last.since(began) < HELD {
        let now = clock.now();
        let gap = now.since(last);
        if gap > INTERRUPTED {
            lost += gap;
            longest = longest.max(gap);
        }
        last = now;
    }
    (lost.seconds() / last.since(began).seconds(), longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_told_in_numbers_that_can_be() {
        let clock = Clock::start();
        let found = Calibration::run(&clock, &mut Alarm::new(clock).unwrap()).unwrap();
        assert!(found.clock_cost_ns >= 1.0, "{}", found.clock_cost_ns);
        let [least, median, most] = found.loopback_s;
        assert!(0.0 < least && least <= median && median <= most, "{:?}", found.loopback_s);
        assert_eq!(found.lateness.len(), SLEEPS);
        assert!((0.0..1.0).contains(&found.starved));
        assert!(found.words().contains("noise floor"));
        let all = found.regime.processors as f64;
        assert!((0.0..=all + 0.1).contains(&found.regime.free_processors), "{:?}", found.regime);
    }
}
