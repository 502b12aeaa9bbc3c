//! Calibration before a measurement: the noise floor and the power state of this host.
//!
//! The state of the hosts affects response time more than most networks do: a CPU that enters an idle state between
//! packets wakes late, so an idle host is slower than a busy one. Results are comparable only with their test
//! conditions.

mod processors;
mod regime;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use sojourn_core::Duration;
use sojourn_metrics::display::percent;
use sojourn_metrics::distribution::Distribution;

use self::processors::Usage;
pub use self::regime::Regime;
use super::pacer::Pacing;
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::datagrams::TimestampingSupport;
use crate::io::datagrams::{Datagrams, ReadMode};
use crate::io::packet_io::Received;

/// Clock readings that its cost is averaged over.
const READINGS: u32 = 50_000;
/// Number of sleeps, and their length.
const SLEEPS: usize = 120;
const SLEEP: Duration = Duration::from_millis(5);
/// Number of loopback round trips, and their interval.
const ROUND_TRIPS: u64 = 80;
const SPACING: Duration = Duration::from_millis(8);
/// How long a CPU is spun on to detect preemption.
const HELD: Duration = Duration::from_millis(300);
/// A longer gap between two clock readings counts as preemption.
const INTERRUPTED: Duration = Duration::from_millis(1);
/// Octets of a calibration datagram.
const OCTETS: usize = 64;
/// Idle CPUs that spinning requires: one for this thread, most of another for the rest.
const FREE_TO_SPIN: f64 = 1.5;

/// The result of a calibration.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// Cost of a clock reading, in nanoseconds.
    pub clock_cost_ns: f64,
    /// Lateness of sleeps: median and 99th percentile, in seconds.
    pub sleep_lateness_s: [f64; 2],
    /// Loopback RTT between two sleeping threads of this host: minimum, median and 99th percentile, in seconds. The median
    /// is the noise floor.
    pub loopback_s: [f64; 3],
    /// Share of time that a spinning thread was preempted.
    pub starved: f64,
    /// Longest preemption, in seconds.
    pub longest_gap_s: f64,
    /// Which timestamps the kernel takes.
    pub stamping: TimestampingSupport,
    /// The state of this host.
    pub regime: Regime,
    /// Lateness of each sleep.
    #[serde(skip)]
    pub lateness: Vec<Duration>,
}

impl Calibration {
    /// Calibrates this host, in two seconds, with the timer of the measurement.
    pub fn run(clock: &Clock, alarm: &mut Alarm) -> std::io::Result<Calibration> {
        let mut near = Datagrams::at(*clock, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let (lateness, usage) = sleeps(clock, alarm, &mut near);
        let loopback = round_trips(clock, &mut near)?;
        let (starved, longest_gap) = spin_test(clock);
        let at = |found: Option<Vec<Option<Duration>>>| {
            found.unwrap_or_default().into_iter().flatten().map(Duration::seconds).collect()
        };
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

    /// The pacing that suits this host.
    pub fn pacing(&self) -> Pacing {
        if self.regime.at_hand() >= FREE_TO_SPIN { Pacing::Hybrid } else { Pacing::Sleep }
    }

    /// The noise floor in seconds: response times below it are dominated by the hosts.
    pub fn noise_floor(&self) -> f64 {
        self.loopback_s[1]
    }

    /// Summary in one line: RTT of the loopback, timer lateness, timestamps.
    pub fn describe(&self) -> String {
        let us = |seconds: f64| seconds * 1e6;
        let Calibration { regime, .. } = self;
        let stamps = match (self.stamping.kernel_transmit, self.stamping.kernel_receive) {
            (true, true) => "kernel timestamps in both directions",
            (false, true) => "kernel receive timestamps",
            _ => "no kernel timestamps",
        };
        let starved = if self.starved > 0.01 {
            format!(", a spinning thread was preempted for {} of the time", percent(self.starved, 0, false))
        } else {
            String::new()
        };
        format!(
            "noise floor {:.0} µs (loopback), sleeps are {:.0} µs late (p99 {:.0} µs), clock {:.0} ns, {stamps}; \
             {}{starved}",
            us(self.loopback_s[1]),
            us(self.sleep_lateness_s[0]),
            us(self.sleep_lateness_s[1]),
            self.clock_cost_ns,
            regime.describe(),
        )
    }
}

/// Nanoseconds per clock reading.
fn clock_cost(clock: &Clock) -> f64 {
    let began = clock.now();
    for _ in 0..READINGS {
        std::hint::black_box(clock.now());
    }
    clock.now().since(began).seconds() * 1e9 / f64::from(READINGS)
}

/// Lateness of each sleep, and CPU usage during them.
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

/// Loopback round trips to a thread that blocks until a datagram arrives.
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

/// Share of time that a spinning thread was preempted, and the longest preemption.
fn spin_test(clock: &Clock) -> (f64, Duration) {
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
    fn calibration_values_are_plausible() {
        let clock = Clock::start();
        let found = Calibration::run(&clock, &mut Alarm::new(clock).unwrap()).unwrap();
        assert!(found.clock_cost_ns >= 1.0, "{}", found.clock_cost_ns);
        let [least, median, most] = found.loopback_s;
        assert!(0.0 < least && least <= median && median <= most, "{:?}", found.loopback_s);
        assert_eq!(found.lateness.len(), SLEEPS);
        assert!((0.0..1.0).contains(&found.starved));
        assert!(found.describe().contains("noise floor"));
        let all = found.regime.processors as f64;
        assert!((0.0..=all + 0.1).contains(&found.regime.free_processors), "{:?}", found.regime);
    }
}
