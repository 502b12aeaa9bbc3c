//! Worst-case response times (Davis, Burns, Bril and Lukkien 2007): each message with one of lower priority that blocks it, all of higher
//! priority that may come, and all instances of its busy period. Behind gateways the response time on one bus is the jitter on the next.

mod identifiers;
mod schedulable;
mod system;

use sojourn_bounds::report::{Bounded, END_TO_END, Report, SUM_OF_HOPS, Theorem, Worst};
use sojourn_core::Duration;

use crate::site::{Service, Site};
use system::{Found, System};

const ARBITRATION: Theorem = Theorem {
    name: "worst-case response time of CAN, all instances of the busy period",
    source: "Davis, Burns, Bril and Lukkien, Real-Time Systems 35, 2007, sections 3 and 4",
};
const FIFO: Theorem = Theorem {
    name: "worst-case response time of CAN with FIFO queues",
    source: "Davis, Kollmann, Pollex and Slomka, ECRTS 2011, section 4",
};
const PROCESSOR: Theorem = Theorem {
    name: "busy period of a processor, first come, first served",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.2",
};

const LINK: Theorem = Theorem {
    name: "busy period of a link, first come, first served",
    source: "Le Boudec and Thiran, Network Calculus, 2001, theorem 1.4.2",
};

/// Instances of a busy period that have rows of their own.
const MOST_ROWS: usize = 8;

/// The bounds of a site.
pub fn bounds(site: &Site) -> Report {
    let mut report = Report::default();
    report.assume("frames have as many stuff bits as there can be, and count with the intermission behind them");
    report.assume("messages are periodic with a jitter, or have a shortest interval; a response time is from the event that causes a message, before its jitter");
    if site.media.iter().any(|medium| medium.fault_interval.is_some()) {
        report.assume("nodes stay error active; each fault costs 31 bits and the longest frame again");
    }
    let system = System::of(site);
    let found = system.solve();
    for line in schedulable::lines(site, &system, &found) {
        report.assume(line);
    }
    let (lines, order) = identifiers::assigned(site, &system, &found);
    lines.into_iter().for_each(|line| report.assume(line));
    report.priorities(order);
    let mut longest = Ok(Duration::ZERO);
    for (number, flow) in site.flows.iter().enumerate() {
        let bounded = rows(site, &system, &found, number, &mut report);
        let metric = flow.probe.then(|| format!("response_time/{}", flow.name));
        let shown = bounded.clone().map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
        report.row(&flow.name, END_TO_END, metric.as_deref(), shown);
        if flow.probe {
            longest = longest.and_then(|longest: Duration| bounded.map(|bound| longest.max(bound)));
        }
    }
    if site.flows.iter().filter(|flow| flow.probe).count() > 0 {
        let bounded = longest.map(|bound| (Worst::Delay(bound), SUM_OF_HOPS));
        report.row("all probed flows", END_TO_END, Some("response_time"), bounded);
    }
    report
}

/// The rows of a flow's hops; the bound of the whole path, or why there is none.
fn rows(site: &Site, system: &System<'_>, found: &Found, flow: usize, report: &mut Report) -> Result<Duration, String> {
    let settings = &site.flows[flow];
    if settings.service != Service::Broadcast {
        return Err("answers and timers decide when its frames are sent".to_owned());
    }
    let mut worst = Duration::ZERO;
    for bus in 0..site.media.len() {
        let here: Vec<usize> = system.of_flow(flow).filter(|&stream| system.streams[stream].medium == bus).collect();
        if here.is_empty() {
            continue;
        }
        let name = &site.media[bus].name;
        let theorem = if site.media[bus].link.is_some() {
            LINK
        } else if here.iter().any(|&stream| system.is_fifo(stream)) {
            FIFO
        } else {
            ARBITRATION
        };
        let slowest = here.iter().map(|&stream| found.bus[stream].clone().map(|response| (response.worst, stream)));
        let slowest = slowest.collect::<Result<Vec<_>, _>>().map(|all| all.into_iter().max().expect("a stream"));
        let bounded: Bounded = slowest.clone().map(|(delay, _)| (Worst::Delay(delay), theorem));
        report.row(&settings.name, name, None, bounded);
        if let Ok((_, stream)) = slowest
            && let Ok(response) = &found.bus[stream]
            && (2..=MOST_ROWS).contains(&response.instances.len())
        {
            for (number, &delay) in (1..).zip(&response.instances) {
                let hop = format!("{name}, instance {number} of the busy period of {}", response.busy_period);
                report.row(&settings.name, &hop, None, Ok((Worst::Delay(delay), ARBITRATION)));
            }
        }
    }
    for stream in system.of_flow(flow) {
        for delivery in system.deliveries(stream) {
            let end = found.end(stream, delivery)?;
            worst = worst.max(end);
        }
    }
    let processors =
        system.of_flow(flow).flat_map(|stream| system.deliveries(stream)).map(|station| found.cpu[station]);
    if let Some(delay) = processors.flatten().max().filter(|delay| *delay > Duration::ZERO) {
        report.row(&settings.name, "processors of receivers", None, Ok((Worst::Delay(delay), PROCESSOR)));
    }
    Ok(worst)
}
