//! Modbus: requests to any server over TCP or a serial line (RTU), and a server for tests.
//!
//! A measurement asks for the same again and again, reads unless its URL says otherwise, and sends each request once: never
//! more than the rate asked for.

mod client;
mod frames;
mod server;
mod url;

use std::os::fd::OwnedFd;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_metrics::frames::LinkType;
use sojourn_protocols::modbus::timing::Silence;
use sojourn_protocols::modbus::{rtu, tcp};
use sojourn_scenario::{Problem, Problems};

use self::client::{RtuClient, TcpClient};
use self::url::Question;
use crate::io::clock::Clock;
use crate::prober::line_peer::LinePeer;
use crate::prober::loader::NoLoad;
use crate::prober::measurement::Measurement as Measuring;
use crate::prober::plan::TimedTest;
use crate::prober::schedule::Schedule;
use crate::prober::tcp_peer;
use crate::target::Target;
use crate::target::options::Options;
use crate::transport::{Information, LINE_KEYS, Listening, Measure, Measurement, TIMED_KEYS, Transport};
use crate::transports::probe_reflector::{self, cannot_reach};
use crate::transports::serial_url::{self, SerialLine};
use sojourn_core::serial::{Format, Parity};

/// The line that the specification makes every device have (Modbus over Serial Line V1.02, sections 2.5.1 and 3.2.2).
const USUAL: Format = Format { parity: Parity::Even, stop_bits: 1, ..Format::new(19_200) };

/// `modbus://host`: Modbus over TCP.
#[derive(Debug)]
pub struct ModbusTcp;

/// `modbus-rtu:///dev/ttyUSB0`: Modbus over a serial line.
#[derive(Debug)]
pub struct ModbusRtu;

impl Transport for ModbusTcp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "modbus",
            form: "modbus://HOST[:502][?unit=1][&function=3][&address=0][&count=1][&pipeline=1]",
            summary: "Reads of any Modbus server or gateway over one TCP connection, up to `pipeline` at a time; exceptions \
                      count as failures. `listen` is a server, for tests.",
            needs: Some("CAP_NET_BIND_SERVICE to listen below port 1024"),
            sources: &["Modbus Application Protocol V1.1b3", "Modbus Messaging on TCP/IP V1.0b"],
            keys: &[TIMED_KEYS],
            link_type: None,
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let (address, rest) = target.socket_address_and_rest(Some(tcp::PORT))?;
        let mut options = Options::of(target, query(target, rest)?);
        let question = Question::of(target, &mut options, false)?;
        let outstanding = options.number("pipeline", 1..=64)?.unwrap_or(1) as u16;
        options.finish()?;
        if let Some(plan) = &measurement.plan {
            tcp_peer::check(plan, target)?;
        }
        probe_reflector::measure_at(target, address.to_string(), measurement, |clock, plan| {
            let marking = plan.marking;
            let open = Arc::new(move || {
                let stream = tcp_peer::connect(address, &marking, |_| Ok(()))?;
                stream.set_nodelay(true)?;
                stream.set_nonblocking(true)?;
                Ok(OwnedFd::from(stream))
            });
            let client = TcpClient::new(question, outstanding, plan.timeout);
            LinePeer::open(client, clock, open).map_err(|fault| cannot_reach(target, address, &fault))
        })
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        server::over_tcp(target, listening)
    }
}

impl Transport for ModbusRtu {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "modbus-rtu",
            form: "modbus-rtu://DEVICE[?baud=19200][&parity=even][&stop=1][&unit=1][&function=3][&address=0][&count=1]",
            summary: "Reads of any Modbus server on a serial line in RTU mode, as the only client; exceptions and damaged \
                      responses count as failures. `listen` is a server, for tests.",
            needs: Some("permission to open the device: on many systems the group dialout"),
            sources: &["Modbus Application Protocol V1.1b3", "Modbus over Serial Line V1.02"],
            keys: &[LINE_KEYS],
            link_type: Some(LinkType::User0),
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let (line, mut options) = SerialLine::of(target, USUAL)?;
        let question = Question::of(target, &mut options, true)?;
        options.finish()?;
        let plan = measurement.plan.ok_or_else(|| target.whole_problem("the measurement has no schedule"))?;
        check_rate(target, &line, &question, &plan)?;
        let (clock, place) = (Clock::start(), line.place());
        let client = RtuClient::new(question, silence(&line.settings).t35, plan.timeout).captured();
        let opened = place.open().map_err(|fault| serial_url::unopened(target, &line.name(), fault))?;
        drop(opened);
        let open = Arc::new(move || Ok(place.open()?));
        let peer = LinePeer::open(client, clock, open)
            .map_err(|fault| target.whole_problem(format!("cannot open {}: {fault}", line.name())))?;
        Ok(Box::new(move |watch, frames| {
            let mut peer = peer.captured(frames);
            let name = line.name();
            let measuring = Measuring { name, peer: &mut peer, loader: &mut NoLoad, clock, plan: &plan, watch };
            let mut measured = measuring.run();
            measured.warnings.extend(line.latency_note());
            measured
        }))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        server::over_serial_line(target, listening)
    }

    fn usual_rate(&self) -> Option<&'static str> {
        Some("10 /s")
    }
}

/// The silences of a line.
fn silence(settings: &Format) -> Silence {
    Silence::of(settings.bit_rate.into(), settings.bits().into())
}

/// The query of a URL that has no path.
fn query(target: &Target, rest: std::ops::Range<usize>) -> Result<std::ops::Range<usize>, Problem> {
    let text = &target.with_secrets()[rest.clone()];
    let mark = rest.start + text.find('?').unwrap_or(text.len());
    if matches!(&target.with_secrets()[rest.start..mark], "" | "/") {
        return Ok(mark..rest.end);
    }
    Err(target.problem(rest.start..mark, "modbus takes a host, a port and options, no path"))
}

/// Refuses a rate that the line cannot carry, though the server answer at once.
fn check_rate(target: &Target, line: &SerialLine, question: &Question, plan: &TimedTest) -> Result<(), Problem> {
    let interval = match plan.schedule {
        Schedule::Periodic { interval } | Schedule::Poisson { mean: interval } => interval,
        Schedule::Burst { size, interval } => {
            Duration::from_picoseconds(interval.picoseconds() / u64::from(size.max(1)))
        }
        _ => return Ok(()),
    };
    let least = least_time(line, question);
    if interval >= least {
        return Ok(());
    }
    let (ms, rate) = (least.seconds() * 1e3, line.settings.bit_rate);
    let most = 1.0 / least.seconds();
    let message =
        format!("request, response and silences take {ms:.1} ms at {rate} bit/s: more requests than the line carries");
    Err(target.whole_problem(message).help(format!("--rate '{:.0} /s' at most, or --schedule ping-pong", most.floor())))
}

/// What a transaction takes on a line: both frames, and t3.5 before the response and behind it.
fn least_time(line: &SerialLine, question: &Question) -> Duration {
    let (request, response) = question.lengths();
    let octets = rtu::length(request) + rtu::length(response);
    line.settings.characters(octets as u32) + silence(&line.settings).t35.times(2)
}

/// Reads the options of any URL, for fuzzing.
pub(super) fn check_options(target: &Target) {
    if let Ok((_, mut options)) = SerialLine::of(target, USUAL)
        && let Ok(question) = Question::of(target, &mut options, true)
    {
        assert!(question.request.to_bytes().is_ok(), "what a URL asks for can be asked");
    }
}

/// Octets to clients and a reader of requests, for fuzzing: every request ends, once.
pub(super) fn fuzz_line(octets: &[u8]) {
    client::fuzz(octets);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_time_of_a_transaction_is_the_sum_of_its_frames_and_silences() {
        let target = Target::parse("modbus-rtu:///dev/x?baud=9600&count=10", &["modbus-rtu"]).unwrap();
        let (line, mut options) = SerialLine::of(&target, USUAL).unwrap();
        let question = Question::of(&target, &mut options, true).unwrap();
        // 8 and 25 characters of 11 bits at 9600 bit/s: 9.167 ms and 28.646 ms; twice t3.5 of 4.010 ms
        let ms = least_time(&line, &question).seconds() * 1e3;
        assert!((ms - 45.833).abs() < 0.001, "{ms}");
    }
}
