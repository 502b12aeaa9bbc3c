//! UDP load at a constant bit rate, over a session of its own.

use sojourn_core::{Duration, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::RequestError;
use sojourn_protocols::probe::wire::{Limits, MAX_PACKET, MIN_PACKET, Report};

use super::super::control::{ask, open};
use super::arrivals::Arrivals;
use super::receiver::{LONGEST_SETTLE, Receiver, SETTLE};
use super::session::LoadSession;
use super::{Flow, LoadContext, Outcome};
use crate::io::clock::to_system;
use crate::io::datagrams::{Datagrams, max_segments};
use crate::prober::plan::Direction;

/// A sender's shortest sleep: datagrams due meanwhile are sent after it as a GSO burst.
const TICK: Duration = Duration::from_micros(200);
/// A sender that is later than this does not catch up, so that a rate that cannot be met shows as a lower one.
const MOST_BEHIND: Duration = Duration::from_millis(20);

/// Departures of datagrams at a constant rate.
struct Rate {
    /// When the next is due.
    due: Time,
    /// Interval between them.
    gap: Duration,
}

impl Rate {
    /// Whether one is due now; if so, the next is due an interval later.
    fn take(&mut self, now: Time) -> bool {
        self.due = self.due.max(Time::ZERO + now.since(Time::ZERO + MOST_BEHIND));
        let leaves = self.due <= now + TICK;
        if leaves {
            self.due += self.gap;
        }
        leaves
    }
}

/// Sends or receives datagrams from start to stop.
pub fn carry(context: LoadContext, direction: Direction, key: &Key, rate: u64, octets: u32) -> Outcome {
    let outcome = run(&context, direction, key, rate, octets);
    (context.name, outcome)
}

fn run(context: &LoadContext, direction: Direction, key: &Key, rate: u64, octets: u32) -> Result<Flow, String> {
    let LoadContext { clock, peer, marking, .. } = context;
    let mut datagrams = Datagrams::to(*clock, *peer, marking).map_err(|fault| fault.to_string())?;
    let session = open(&mut datagrams, key, Limits::NONE).map_err(|open_error| open_error.to_string())?;
    let mut session = LoadSession::new(session, clock.now());
    // as a packet has them in any case; the rate is theirs
    let octets = u16::try_from(octets).unwrap_or(u16::MAX).clamp(MIN_PACKET, MAX_PACKET);
    let flow = match direction {
        Direction::Up if context.await_start() => give(context, &mut datagrams, &mut session, rate, octets),
        Direction::Up => Ok(Flow::default()),
        Direction::Down => Receiver::new(context, &mut datagrams, &mut session).take(rate, octets),
    };
    let closing = session.session.close(clock.now());
    // a session that is not closed times out
    let _ = ask(closing, &session.session, &mut datagrams);
    flow
}

/// Sends at the rate, in an outage as well; the agent reports what arrived.
fn give(
    context: &LoadContext,
    datagrams: &mut Datagrams,
    session: &mut LoadSession,
    rate: u64,
    octets: u16,
) -> Result<Flow, String> {
    let clock = context.clock;
    datagrams.disable_timestamping();
    let mut rate = Rate { due: context.start, gap: Duration::from_units(u64::from(octets) * 8, rate) };
    let (mut sequence, mut burst) = (0, Vec::new());
    // those sent before the session was opened again
    let (mut sent_before, mut renewals) = (0, 0);
    let mut arrivals = Arrivals::from(context.start);
    while !context.is_over() {
        let now = clock.now();
        context.deliver(arrivals.poll(now, session, datagrams));
        if let Some(reason) = session.reached() {
            return Err(format!("the agent closed the session: {reason}"));
        }
        if session.renewals() > renewals {
            (sent_before, renewals) = (sequence, session.renewals());
        }
        burst.clear();
        for _ in 0..max_segments(octets) {
            if !rate.take(now) {
                break;
            }
            session.session.append_load(sequence, now.picoseconds() / 1000, octets, &mut burst);
            sequence += 1;
        }
        if burst.is_empty() {
            std::thread::sleep(to_system(rate.due.since(now).min(TICK.times(50))));
            continue;
        }
        // datagrams that meet a full send buffer count as sent and lost, as in a full queue of the network
        let _ = datagrams.send_gso(None, &burst, octets);
    }
    let span = clock.now().since(context.start);
    let last = settled(sequence - sent_before, datagrams, session);
    if let Ok(report) = last {
        arrivals.take_last(report);
    }
    let (packets, octets) = arrivals.total();
    let bit_rate = match last {
        Err(failure) if packets == 0 => return Err(failure.to_string()),
        Ok(report) if renewals == 0 => received_rate(&report),
        // the agent's clock began anew
        _ => 8.0 * octets as f64 / span.seconds(),
    };
    Ok(Flow { bit_rate, datagrams: Some((sequence, packets)), renewals, unreported: last.is_err() })
}

/// The agent's counters once all datagrams sent have arrived, or none arrives any more.
fn settled(sent: u64, datagrams: &mut Datagrams, session: &mut LoadSession) -> Result<Report, RequestError> {
    let clock = datagrams.clock();
    let until = clock.now() + LONGEST_SETTLE;
    let mut before = None;
    loop {
        let asked = clock.now();
        let report = ask(session.session.query(asked), &session.session, datagrams)?;
        let now = clock.now();
        if report.load_packets >= sent || before == Some(report.load_packets) || now >= until {
            return Ok(report);
        }
        before = Some(report.load_packets);
        std::thread::sleep(to_system(SETTLE.max(now.since(asked))));
    }
}

/// Bits per second from the first arrival to the last; the first itself, which starts the interval, is not counted.
fn received_rate(report: &Report) -> f64 {
    let span_ns = report.last_ns.saturating_sub(report.first_ns);
    if report.load_packets < 2 || span_ns == 0 {
        return 0.0;
    }
    let mean = report.load_octets as f64 / report.load_packets as f64;
    (report.load_octets as f64 - mean) * 8e9 / span_ns as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_keeps_its_rate_and_catches_up_20_ms_of_a_stall() {
        let sent = |stall_ms: std::ops::Range<u64>| {
            let at = |ms| Time::ZERO + Duration::from_millis(ms);
            let mut rate = Rate { due: at(0), gap: Duration::from_millis(1) };
            let wakes = (0..300).filter(|ms| !stall_ms.contains(ms));
            wakes.map(|ms| (0..).take_while(|_| rate.take(at(ms))).count()).sum::<usize>()
        };
        assert_eq!(sent(0..0), 300, "1000 a second");
        assert_eq!(sent(100..120), 300, "20 ms late, and all are caught up");
        assert_eq!(sent(100..200), 220, "of 100 ms the last 20, and the one due then");
    }

    #[test]
    fn a_rate_excludes_the_first_datagram() {
        let report =
            Report { load_packets: 11, load_octets: 11_000, first_ns: 5, last_ns: 1_000_000_005, ..Report::default() };
        assert_eq!(received_rate(&report), 80_000.0);
        assert_eq!(received_rate(&Report { load_packets: 1, ..report }), 0.0);
    }
}
