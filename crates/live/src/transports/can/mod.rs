//! CAN: requests to a node by UDS or CANopen, a node for tests, and a listener that sends nothing; on an interface of this host or
//! in a multicast group.
//!
//! | file | contents |
//! |---|---|
//! | `url.rs` | bus, identifiers and request of a URL |
//! | `uds.rs` | services that only read, and what is an answer |
//! | `dialogue.rs` | one request and its answer in frames |
//! | `client.rs` | requests as a peer of the prober asks them |
//! | `attached.rs` | a bus that is opened again after it was lost |
//! | `node.rs` | the node that answers, for `sojourn agent` |
//! | `monitor.rs` | `sojourn listen`: what the nodes of a bus send |

mod attached;
mod client;
mod dialogue;
mod monitor;
mod node;
mod uds;
mod url;

use std::io;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_metrics::frames::LinkType;
use sojourn_protocols::can::canopen::EXPEDITED;
use sojourn_protocols::can::frame::{Id, Length};
use sojourn_scenario::{Problem, Problems};

use self::attached::Attached;
use self::client::CanClient;
use self::monitor::Rates;
use self::node::Node;
use self::url::{Asked, Monitored, Question, Served, Service};
use crate::io::can::{Bus, Carrier, NoInterface};
use crate::io::clock::Clock;
use crate::prober::line_peer::LinePeer;
use crate::prober::loader::NoLoad;
use crate::prober::measurement::Measurement as Measuring;
use crate::prober::plan::TimedTest;
use crate::prober::schedule::Schedule;
use crate::progress::report::Report;
use crate::target::Target;
use crate::transport::{Information, LINE_KEYS, Listening, Measure, Measured, Measurement, Transport};

/// Nodes on a bus of CAN, which has frames by either carrier: `can://can0` is an interface of this host,
/// `can-udp://239.74.163.2` a multicast group in the format of python-can.
#[derive(Debug)]
pub struct Can(&'static Information);

const SOURCES: &[&str] = &[
    "ISO 11898-1",
    "ISO 14229-1 (UDS), ISO 15765-2 (ISO-TP)",
    "CiA 301 (CANopen)",
    "Linux SocketCAN; python-can, udp_multicast",
];

/// By SocketCAN.
pub const INTERFACE: Can = Can(&Information {
    scheme: "can",
    form: "can://INTERFACE?service=uds&request=7E0&data=22F190[&response=7E8][&padding=CC], \
           can://INTERFACE?service=sdo&node=5&index=1018&sub=1",
    summary: "Reads of a node on a CAN bus, by UDS over ISO-TP or by SDO uploads of CANopen, one at a time; negative \
              responses and aborts count as failures. `listen` sends nothing and reports identifiers, intervals and \
              load, `agent` is a node for tests.",
    needs: Some("an interface of SocketCAN (modules can and can_raw) that is up; no privilege"),
    sources: SOURCES,
    keys: &[LINE_KEYS],
    link_type: Some(LinkType::CanSocketCan),
    is_timed: true,
    scenario: None,
});

/// By datagrams.
pub const MULTICAST: Can = Can(&Information {
    scheme: "can-udp",
    form: "can-udp://[GROUP[:43113]]?service=uds&request=7E0&data=22F190[&interface=ADDRESS], \
           can-udp://[GROUP[:43113]]?service=sdo&node=5&index=1018&sub=1",
    summary: "The same on a bus that is a multicast group, in the format of python-can's udp_multicast; without a group \
              the one that python-can takes, of IPv6.",
    needs: None,
    sources: SOURCES,
    keys: &[LINE_KEYS],
    link_type: Some(LinkType::CanSocketCan),
    is_timed: true,
    scenario: None,
});

impl Transport for Can {
    fn information(&self) -> &'static Information {
        self.0
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        measure(target, measurement)
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        listen(target, listening)
    }

    fn answer(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        answer(target, listening)
    }

    fn usual_rate(&self) -> Option<&'static str> {
        Some("10 /s")
    }
}

fn measure(target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
    let Asked { bus, question, bit_rate } = Asked::of(target)?;
    let plan = measurement.plan.ok_or_else(|| target.whole_problem("the measurement has no schedule"))?;
    check_rate(target, &question, bit_rate, &plan)?;
    let name = format!("{}h at {}", question.request, bus.name());
    let client = CanClient::new(question, plan.timeout);
    let clock = Clock::start();
    let place = bus.clone();
    let open = Arc::new(move || place.open());
    let peer: LinePeer<'static, CanClient, Box<dyn Carrier>> =
        LinePeer::open(client, clock, open).map_err(|fault| unopened(target, &bus, &fault))?;
    Ok(Box::new(move |watch, frames| {
        let mut peer = peer.captured(frames);
        let measuring = Measuring { name, peer: &mut peer, loader: &mut NoLoad, clock, plan: &plan, watch };
        measuring.run()
    }))
}

fn listen(target: &Target, listening: Listening) -> Result<Measure, Problems> {
    let Monitored { bus, bit_rate, data_bit_rate } = Monitored::of(target)?;
    let mut bus = attach(target, bus)?;
    let rates = Rates { nominal: bit_rate, data: data_bit_rate };
    Ok(Box::new(move |watch, frames| monitor::listen(&mut bus, rates, &listening, watch, frames)))
}

fn answer(target: &Target, listening: Listening) -> Result<Measure, Problems> {
    let Served { bus, answers } = Served::of(target)?;
    let mut bus = attach(target, bus)?;
    Ok(Box::new(move |watch, frames| {
        watch.begin("serving", "1", 0);
        let name = bus.name();
        watch.report(Report::of_listener(format!("{name} as {}h and node {}", answers.request, answers.node)));
        let mut node = Node::new(answers);
        node::serve(&mut node, &mut bus, &listening, watch, frames);
        watch.report(Report::note(format!("{name}: {} requests answered", node.answered())));
        Measured::default()
    }))
}

fn attach(target: &Target, bus: Bus) -> Result<Attached, Problem> {
    let carrier = opened(target, &bus)?;
    Ok(Attached::new(bus, carrier))
}

fn opened(target: &Target, bus: &Bus) -> Result<Box<dyn Carrier>, Problem> {
    bus.open().map_err(|fault| unopened(target, bus, &fault))
}

/// Why a bus cannot be opened.
fn unopened(target: &Target, bus: &Bus, fault: &io::Error) -> Problem {
    match bus {
        Bus::Interface(name) => {
            let why = NoInterface::of(name, fault);
            target.whole_problem(why.to_string()).maybe_help(why.help())
        }
        Bus::Group(group) => {
            let message = format!("cannot join the group {}: {fault}", group.address.ip());
            target.whole_problem(message).help("give this host's address at the interface: ?interface=127.0.0.1")
        }
    }
}

/// Refuses a rate that the bus cannot carry, though nothing else be on it and the node answer at once.
fn check_rate(target: &Target, question: &Question, bit_rate: u32, plan: &TimedTest) -> Result<(), Problem> {
    let interval = match plan.schedule {
        Schedule::Periodic { interval } | Schedule::Poisson { mean: interval } => interval,
        Schedule::Burst { size, interval } => {
            Duration::from_picoseconds(interval.picoseconds() / u64::from(size.max(1)))
        }
        _ => return Ok(()),
    };
    let least_s = f64::from(least_bits(question)) / f64::from(bit_rate);
    if interval.seconds() >= least_s {
        return Ok(());
    }
    let message = format!(
        "request and answer take {:.3} ms at {bit_rate} bit/s: more requests than the bus carries",
        least_s * 1e3
    );
    Err(target
        .whole_problem(message)
        .help(format!("--rate '{:.0} /s' at most, or --schedule ping-pong", (1.0 / least_s).floor())))
}

/// Bits of the frames of a request and of its shortest answer, without stuff bits.
fn least_bits(question: &Question) -> u32 {
    let frame = |id: Id, bytes: usize| u32::from(Length::unstuffed(id, bytes, None).bits());
    match &question.service {
        Service::Sdo(_) => frame(question.request, 8) + frame(question.response, 4 + EXPEDITED as usize),
        Service::Uds(data, padding) => {
            let answer = frame(question.response, 2);
            match data.len() {
                short @ 0..=7 => frame(question.request, if padding.is_some() { 8 } else { short + 1 }) + answer,
                // a first frame, flow control, and seven bytes in each that follows
                long => {
                    let frames = 1 + (long - 6).div_ceil(7) as u32;
                    frames * frame(question.request, 8) + frame(question.response, 3) + answer
                }
            }
        }
    }
}

/// Reads the options of any URL, for fuzzing.
pub(super) fn check_options(target: &Target) {
    if matches!(target.scheme(), "can" | "can-udp") {
        let _ = (Served::of(target), Monitored::of(target));
        if let Ok(asked) = Asked::of(target) {
            assert!(least_bits(&asked.question) > 0, "what a URL asks for can be asked");
        }
    }
}

/// Octets to clients of both kinds and to a node, for fuzzing: every request ends, once.
pub(super) fn fuzz_frames(octets: &[u8]) {
    let target = |query: &str| Target::parse(&format!("can://can0?{query}"), &["can"]).expect("the scheme is known");
    for query in ["service=uds&request=7E0&data=22F190", "service=sdo&node=5&index=1018&sub=1"] {
        let asked = Asked::of(&target(query)).expect("the URL is valid");
        client::fuzz(asked.question, octets);
    }
    node::fuzz(Served::of(&target("node=5&length=100")).expect("the URL is valid").answers, octets);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(query: &str) -> Question {
        let target = Target::parse(&format!("can://can0?{query}"), &["can"]).unwrap();
        Asked::of(&target).unwrap().question
    }

    #[test]
    fn the_least_bits_of_a_request_are_those_of_its_frames() {
        // 47 bits and 8 a byte with the intermission
        assert_eq!(least_bits(&question("service=sdo&node=5&index=1018")), 2 * 111);
        assert_eq!(least_bits(&question("service=uds&request=7E0&data=3E00")), 111 + 63);
        assert_eq!(least_bits(&question("service=uds&request=7E0&data=3E00&padding=none")), 71 + 63);
        // 9 bytes: a first frame with six, flow control, and one that follows
        assert_eq!(least_bits(&question("service=uds&request=7E0&data=220102030405060708")), 2 * 111 + 71 + 63);
    }

    #[test]
    fn an_interface_that_is_not_there_is_a_mistake_of_the_url_in_one_sentence() {
        let target = Target::parse("can://can77", &["can"]).unwrap();
        let problem = listen(&target, Listening::default()).err().unwrap().0.remove(0);
        let known = [
            "this kernel has no CAN sockets (AF_CAN): the modules can and can_raw are missing",
            "this host has no interface `can77`",
        ];
        assert!(known.contains(&problem.message.as_str()), "{problem:?}");
        assert!(problem.help.is_some());
    }
}
