//! BACnet MS/TP on a serial line: one more master that reads a property of a device, a device for tests, and a listener that
//! transmits nothing.
//!
//! | file | contents |
//! |---|---|
//! | `url.rs` | line, addresses, object and property of a URL |
//! | `node.rs` | drives the master machine on a line, on a thread of its own: a token is used in time whatever else this host does |
//! | `asking.rs` | the application that asks: requests by invoke ID |
//! | `peer.rs` | the same as a peer of the prober |
//! | `device.rs` | the application that answers, for `sojourn agent` |
//! | `monitor.rs` | `sojourn listen`: what the stations of a trunk do |

mod asking;
mod device;
mod monitor;
mod node;
mod peer;
mod url;

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::LinkType;
use sojourn_protocols::mstp::machine::{Counter, Counters, Master};
use sojourn_scenario::Problems;

use self::device::Device;
use self::node::Node;
use self::peer::MstpPeer;
use self::url::{Address, Asked, Monitored, Served};
use crate::io::clock::Clock;
use crate::prober::loader::NoLoad;
use crate::prober::measurement::Measurement as Measuring;
use crate::progress::report::Report;
use crate::target::Target;
use crate::transport::{Information, LINE_KEYS, Listening, Measure, Measured, Measurement, Transport};
use crate::transports::serial_url::{SerialLine, unopened};

/// How long a master waits to be taken into the ring: a sweep of 127 addresses at 9600 bit/s takes 6 s, and comes after 50
/// tokens of its predecessor.
const JOINING: Duration = Duration::from_secs(60);

/// `mstp:///dev/ttyUSB0`: BACnet over MS/TP.
#[derive(Debug)]
pub struct Mstp;

impl Transport for Mstp {
    fn information(&self) -> &'static Information {
        &Information {
            scheme: "mstp",
            form: "mstp://DEVICE?mac=MAC&to=MAC[&baud=38400][&object=device:4194303][&property=object-identifier]",
            summary: "ReadProperty of a BACnet device on an MS/TP trunk, as one more master with an address of its own. \
                      `listen` transmits nothing and reports the stations of a trunk, `agent` is a device for tests.",
            needs: Some("permission to open the device: on many systems the group dialout"),
            sources: &["ANSI/ASHRAE 135, clauses 9 and 15.5", "bacnet-stack (mstp.c, mstpcap)"],
            keys: &[LINE_KEYS],
            link_type: Some(LinkType::BacnetMsTp),
            is_timed: true,
            scenario: None,
        }
    }

    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems> {
        let Asked { line, address, question } = Asked::of(target)?;
        let plan = measurement.plan.ok_or_else(|| target.whole_problem("the measurement has no schedule"))?;
        let clock = Clock::start();
        let node = open(target, &line, address, clock)?;
        Ok(Box::new(move |watch, frames| {
            let name = format!("MAC {} at {}", question.to, line.name());
            let mut peer = match MstpPeer::start(node, question, clock, frames) {
                Ok(peer) => peer,
                Err(fault) => return Measured::failed(plan.phases[0].name, format!("no thread for the line: {fault}")),
            };
            watch.begin("joining the ring", "1", 0);
            if !peer.joins(JOINING, watch) && !watch.is_cancelled() {
                return Measured::failed(plan.phases[0].name, not_joined(&line, address));
            }
            let measuring = Measuring { name, peer: &mut peer, loader: &mut NoLoad, clock, plan: &plan, watch };
            let mut measured = measuring.run();
            measured.warnings.extend(line.latency_note());
            measured.warnings.extend(peer.end().and_then(|counters| warning(&counters, address)));
            measured
        }))
    }

    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let Monitored { line } = Monitored::of(target)?;
        let file = line.place().open().map_err(|fault| unopened(target, &line.name(), fault))?;
        Ok(Box::new(move |watch, frames| monitor::listen(&line, file, &listening, watch, frames)))
    }

    fn answer(&self, target: &Target, listening: Listening) -> Result<Measure, Problems> {
        let Served { line, address, served } = Served::of(target)?;
        let clock = Clock::start();
        let node = open(target, &line, address, clock)?;
        Ok(Box::new(move |watch, frames| {
            watch.begin("serving", "1", 0);
            watch.report(Report::of_listener(format!("{} as MAC {}", line.name(), address.mac)));
            let mut device = Device::new(served, &listening, watch, frames);
            let counters = node.run(&mut device);
            let (answered, tokens) = (device.answered(), counters.get(Counter::TokensReceived));
            watch.report(Report::note(format!("{}: {answered} requests answered, {tokens} tokens", line.name())));
            Measured { warnings: warning(&counters, address).into_iter().collect(), ..Measured::default() }
        }))
    }

    fn usual_rate(&self) -> Option<&'static str> {
        Some("1 /s")
    }
}

/// Opens the line of a master, which is silent until it runs.
fn open(target: &Target, line: &SerialLine, address: Address, clock: Clock) -> Result<Node, Problems> {
    let file = line.place().open().map_err(|fault| unopened(target, &line.name(), fault))?;
    let master = Master::new(address.settings(), Time::ZERO);
    let master = master.map_err(|fault| target.whole_problem(fault.to_string()))?;
    Ok(Node::new(file, line.settings, master, clock))
}

fn not_joined(line: &SerialLine, address: Address) -> String {
    let (mac, name, rate) = (address.mac, line.name(), line.settings.bit_rate);
    format!(
        "no token came to MAC {mac} within {} s: perhaps {name} has another speed than {rate} bit/s, or MAC {mac} is above the \
         Max_Master of the other masters; sojourn listen shows what they do",
        JOINING.seconds()
    )
}

/// What went wrong on the trunk, as this master saw it.
fn warning(counters: &Counters, address: Address) -> Option<String> {
    let count = |counter| counters.get(counter);
    if count(Counter::DuplicateNode) > 0 {
        return Some(format!("another station on the trunk has MAC {} too", address.mac));
    }
    let (lost, dropped, invalid) =
        (count(Counter::LostTokens), count(Counter::TokensDropped), count(Counter::InvalidFrames));
    // the first token of a trunk that was silent is not lost
    (lost > 1 || dropped > 0 || invalid > 0).then(|| {
        format!("on the trunk {lost} silences without a token, {dropped} tokens dropped, {invalid} invalid frames")
    })
}

/// Reads the options of any URL, for fuzzing.
pub(super) fn check_options(target: &Target) {
    let _ = (Asked::of(target), Served::of(target), Monitored::of(target));
}
