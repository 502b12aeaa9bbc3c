//! The metrics of all targets in the OpenMetrics text format; counters are monotonic while the monitor runs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabel, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use sojourn_live::prober::windows::event::Window;
use sojourn_metrics::record::{Observation, Record};

/// Upper bounds of the response times counted together, in seconds: three to a decade, from a local network to a timeout.
// Fixed bounds, because native histograms need the protobuf format and a server option to be stored.
const BOUNDS_S: [f64; 17] = [
    50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3, 100e-3, 250e-3, 500e-3, 1.0, 2.5, 5.0, 10.0,
];

/// Percentiles of the last window, as labels have them, and their shares.
const PERCENTILES: [(&str, f64); 5] = [("50", 0.5), ("90", 0.9), ("95", 0.95), ("99", 0.99), ("99.9", 0.999)];

type Seconds = Gauge<f64, AtomicU64>;

/// All numbers, as they are shared with the endpoint.
#[derive(Clone)]
pub struct Exposition {
    registry: Arc<Registry>,
}

#[derive(Clone, Default)]
struct Families {
    requests: Family<Of, Counter>,
    lost: Family<Lost, Counter>,
    late: Family<Of, Counter>,
    not_sent: Family<Of, Counter>,
    addresses: Family<At, Gauge>,
    outages: Family<Of, Counter>,
    outage_time: Family<Of, Counter<f64, AtomicU64>>,
    up: Family<Of, Gauge>,
    windows: Family<Of, Counter>,
    quantiles: Family<Percentile, Seconds>,
    alerts: Family<Condition, Gauge>,
    clock_offset: Family<Of, Seconds>,
    clock_error: Family<Of, Seconds>,
}

/// A target's label, or those of a pair of agents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Of {
    Target(String),
    Pair { from: String, to: String },
}

impl EncodeLabelSet for Of {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> fmt::Result {
        match self {
            Of::Target(target) => ("target", target.as_str()).encode(encoder.encode_label()),
            Of::Pair { from, to } => {
                ("from", from.as_str()).encode(encoder.encode_label())?;
                ("to", to.as_str()).encode(encoder.encode_label())
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct At {
    #[prometheus(flatten)]
    of: Of,
    address: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Lost {
    #[prometheus(flatten)]
    of: Of,
    /// `forward`, `return`, or `unknown` where the peer does not count what arrives.
    direction: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Percentile {
    #[prometheus(flatten)]
    of: Of,
    percentile: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Condition {
    #[prometheus(flatten)]
    of: Of,
    condition: String,
}

/// The numbers of one target.
#[derive(Clone)]
pub struct Series {
    of: Of,
    families: Families,
    response_time: Histogram,
}

impl fmt::Debug for Series {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Series").field("of", &self.of).finish_non_exhaustive()
    }
}

/// All families before the registry is shared.
pub struct Collected {
    registry: Registry,
    families: Families,
    response_time: Family<Of, Histogram, fn() -> Histogram>,
}

impl Exposition {
    /// All numbers as text, by `registry` in the OpenMetrics format 1.0.0.
    pub fn text(&self) -> String {
        let mut text = String::new();
        encode(&mut text, &self.registry).expect("a string takes any text");
        text
    }

    /// The same in the text format 0.0.4 of Prometheus, for clients that do not ask for OpenMetrics: a counter's family has
    /// the name of its samples, and there is no type for information.
    pub fn plain_text(&self) -> String {
        let text = self.text();
        let mut plain = String::with_capacity(text.len());
        let mut counters: Vec<&str> = Vec::new();
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
        counters.extend(types.filter_map(|line| line.strip_suffix(" counter")));
        for line in text.lines().filter(|line| !line.starts_with("# UNIT") && *line != "# EOF") {
            let mut words = line.splitn(4, ' ');
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some("#"), Some(kind), Some(name), Some(rest)) => {
                    let is_info = name.ends_with("_build");
                    let suffix = if counters.contains(&name) {
                        "_total"
                    } else if is_info {
                        "_info"
                    } else {
                        ""
                    };
                    let rest = if is_info && kind == "TYPE" { "gauge" } else { rest };
                    plain.push_str(&format!("# {kind} {name}{suffix} {rest}\n"));
                }
                _ => plain.push_str(&format!("{line}\n")),
            }
        }
        plain
    }
}

impl Collected {
    /// The families of a build, to which targets are added.
    pub fn new(version: &str, commit: &str) -> Collected {
        let mut registry = Registry::with_prefix("sojourn");
        let families = Families::default();
        let build = Info::new(vec![("version", version.to_owned()), ("commit", commit.to_owned())]);
        registry.register("build", "Version and commit of the build", build);
        let response_time: Family<Of, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BOUNDS_S));
        let help = "Time from sending a request to its response, late ones included";
        registry.register_with_unit("response_time", help, Unit::Seconds, response_time.clone());
        let Families {
            requests,
            lost,
            late,
            not_sent,
            addresses,
            outages,
            outage_time,
            up,
            windows,
            quantiles,
            alerts,
            clock_offset,
            clock_error,
        } = families.clone();
        registry.register("requests", "Requests sent, or due while there was no session with the peer", requests);
        let help = "Requests without a response, by direction where the peer counts what arrives";
        registry.register("requests_lost", help, lost);
        registry.register("requests_late", "Requests with a response after the timeout", late);
        let help = "Requests that were due and not sent, since they were overdue when this host ran again";
        registry.register("requests_not_sent", help, not_sent);
        registry.register("target_address", "Address of the name of a target, 1 of the one measured", addresses);
        registry.register("outages", "Times of a second or more without a response", outages);
        registry.register_with_unit("outage_time", "Time in outages", Unit::Seconds, outage_time);
        registry.register("target_up", "Whether the target responds, 0 in an outage and before the first response", up);
        registry.register("windows", "Windows that have ended", windows);
        let help = "Quantile of the response times of the last window, requests without a response longer than any";
        registry.register_with_unit("window_response_time", help, Unit::Seconds, quantiles);
        registry.register("alert_raised", "Whether the alert on a condition is raised", alerts);
        let help = "Clock of the peer less that of this host in the last window, where both keep time of day";
        registry.register_with_unit("clock_offset", help, Unit::Seconds, clock_offset);
        let help = "Error bound of the clock offset and of one-way delays in the last window";
        registry.register_with_unit("clock_error", help, Unit::Seconds, clock_error);
        Collected { registry, families, response_time }
    }

    /// The numbers of a target, or of what an agent measures of another, which begin at 0.
    pub fn target(&self, from: Option<&str>, name: &str) -> Series {
        let of = match from {
            None => Of::Target(name.to_owned()),
            Some(from) => Of::Pair { from: from.to_owned(), to: name.to_owned() },
        };
        let response_time = self.response_time.get_or_create(&of).clone();
        let series = Series { of: of.clone(), families: self.families.clone(), response_time };
        let Families { requests, late, not_sent, outages, outage_time, up, windows, .. } = &series.families;
        for counter in [requests, late, not_sent, outages, windows] {
            drop(counter.get_or_create(&of));
        }
        drop(outage_time.get_or_create(&of));
        up.get_or_create(&of).set(0);
        for direction in ["forward", "return", "unknown"] {
            series.lost(direction, 0);
        }
        series
    }

    /// No further family.
    pub fn finish(self) -> Exposition {
        Exposition { registry: Arc::new(self.registry) }
    }
}

impl Series {
    /// A window has ended.
    pub fn window(&self, window: &Window) {
        let of = self.of();
        let Families { requests, late, not_sent, windows, clock_offset, clock_error, .. } = &self.families;
        late.get_or_create(&of).inc_by(window.late);
        not_sent.get_or_create(&of).inc_by(window.not_sent);
        requests.get_or_create(&of).inc_by(window.sent);
        windows.get_or_create(&of).inc();
        window.responses.iter().for_each(|response| self.response_time.observe(response.seconds()));
        let part = |name: &str| match window.record.metrics.get(name) {
            Some(Observation::Share { part, .. }) => Some(*part),
            _ => None,
        };
        match (part("loss/forward"), part("loss/return")) {
            (Some(forward), Some(back)) => {
                self.lost("forward", forward);
                self.lost("return", back);
            }
            _ => self.lost("unknown", part("loss").unwrap_or_default()),
        }
        self.quantiles(&window.record);
        if let Some(value) = number(&window.record, "clock_offset") {
            clock_offset.get_or_create(&of).set(value);
        }
        if let Some(value) = number(&window.record, "clock_error") {
            clock_error.get_or_create(&of).set(value);
        }
    }

    /// One that is not reached is infinite, and of no request it is not a number.
    fn quantiles(&self, record: &Record) {
        let Some(Observation::Distribution(responses)) = record.metrics.get("response_time") else { return };
        for (percentile, share) in PERCENTILES {
            let unknown = if responses.sent() == 0 { f64::NAN } else { f64::INFINITY };
            let value = responses.quantile(share).map_or(unknown, |span| span.seconds());
            self.families.quantiles.get_or_create(&Percentile { of: self.of(), percentile }).set(value);
        }
    }

    /// The target is measured at another address of its name than before.
    pub fn address(&self, old: Option<&str>, new: &str) {
        let at = |address: &str| At { of: self.of(), address: address.to_owned() };
        if let Some(old) = old {
            self.families.addresses.remove(&at(old));
        }
        self.families.addresses.get_or_create(&at(new)).set(1);
    }

    /// The target responds, or it does not.
    pub fn is_up(&self, is_up: bool) {
        self.families.up.get_or_create(&self.of()).set(is_up.into());
    }

    /// An outage began.
    pub fn outage_began(&self) {
        self.is_up(false);
        self.families.outages.get_or_create(&self.of()).inc();
    }

    /// Adds this many nanoseconds to the duration of an outage.
    pub fn outage_lasts(&self, ns: u64) {
        self.families.outage_time.get_or_create(&self.of()).inc_by(ns as f64 * 1e-9);
    }

    /// The state of the alert on a condition.
    pub fn alert(&self, condition: &str, is_raised: bool) {
        let labels = Condition { of: self.of(), condition: condition.to_owned() };
        self.families.alerts.get_or_create(&labels).set(is_raised.into());
    }

    fn of(&self) -> Of {
        self.of.clone()
    }

    fn lost(&self, direction: &'static str, count: u64) {
        self.families.lost.get_or_create(&Lost { of: self.of(), direction }).inc_by(count);
    }
}

fn number(record: &Record, name: &str) -> Option<f64> {
    match record.metrics.get(name) {
        Some(Observation::Scalar(value) | Observation::Estimate { value, .. }) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;
    use sojourn_metrics::distribution::Distribution;

    fn exposition() -> Exposition {
        let collected = Collected::new("0.1.0", "abc");
        let series = collected.target(None, "office");
        let mut window = Window { sent: 10, responses: vec![Duration::from_millis(3); 7], ..Window::default() };
        (window.late, window.not_sent) = (1, 5);
        window.record.share("loss/forward", 2, 10);
        window.record.share("loss/return", 1, 8);
        window.record.scalar("clock_error", 0.0015);
        // 100 requests of which 4 are lost: the 95th of them took 95 ms, the 99th is one of the lost
        let mut responses = Distribution::new();
        (1..=96).for_each(|milliseconds| responses.record(Duration::from_millis(milliseconds)));
        responses.censor(4);
        window.record.observe("response_time", Observation::Distribution(responses));
        series.window(&window);
        series.outage_began();
        series.outage_lasts(2_500_000_000);
        series.alert("loss < 2 %", true);
        series.address(None, "192.0.2.2");
        series.address(Some("192.0.2.2"), "2001:db8::7");
        collected.finish()
    }

    #[test]
    fn a_pair_of_agents_has_both_as_labels() {
        let collected = Collected::new("0.1.0", "abc");
        let series = collected.target(Some("oslo"), "berlin");
        series.alert("loss < 2 %", true);
        series.window(&Window { sent: 10, ..Window::default() });
        let text = collected.finish().text();
        for line in [
            "sojourn_requests_total{from=\"oslo\",to=\"berlin\"} 10",
            "sojourn_requests_lost_total{from=\"oslo\",to=\"berlin\",direction=\"unknown\"} 0",
            "sojourn_alert_raised{from=\"oslo\",to=\"berlin\",condition=\"loss < 2 %\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("target="));
    }

    #[test]
    fn the_text_has_every_number_of_a_target_with_its_unit_and_ends() {
        let text = exposition().text();
        for line in [
            "# TYPE sojourn_response_time_seconds histogram",
            "# UNIT sojourn_response_time_seconds seconds",
            "sojourn_response_time_seconds_bucket{le=\"0.0025\",target=\"office\"} 0",
            "sojourn_response_time_seconds_bucket{le=\"0.005\",target=\"office\"} 7",
            "sojourn_response_time_seconds_count{target=\"office\"} 7",
            "sojourn_requests_total{target=\"office\"} 10",
            "sojourn_requests_lost_total{target=\"office\",direction=\"forward\"} 2",
            "sojourn_requests_lost_total{target=\"office\",direction=\"return\"} 1",
            "sojourn_requests_lost_total{target=\"office\",direction=\"unknown\"} 0",
            "sojourn_requests_late_total{target=\"office\"} 1",
            "sojourn_requests_not_sent_total{target=\"office\"} 5",
            "sojourn_target_address{target=\"office\",address=\"2001:db8::7\"} 1",
            "sojourn_outages_total{target=\"office\"} 1",
            "sojourn_outage_time_seconds_total{target=\"office\"} 2.5",
            "sojourn_window_response_time_seconds{target=\"office\",percentile=\"50\"} 0.05",
            "sojourn_window_response_time_seconds{target=\"office\",percentile=\"95\"} 0.095",
            "sojourn_window_response_time_seconds{target=\"office\",percentile=\"99\"} inf",
            "sojourn_target_up{target=\"office\"} 0",
            "sojourn_alert_raised{target=\"office\",condition=\"loss < 2 %\"} 1",
            "sojourn_clock_error_seconds{target=\"office\"} 0.0015",
            "sojourn_build_info{version=\"0.1.0\",commit=\"abc\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
        assert!(text.ends_with("# EOF\n") && !text.contains("192.0.2.2"), "only the address of now");
    }

    #[test]
    fn in_the_older_format_a_family_has_the_name_of_its_samples() {
        let text = exposition().plain_text();
        for line in [
            "# TYPE sojourn_requests_total counter",
            "# TYPE sojourn_outage_time_seconds_total counter",
            "# TYPE sojourn_build_info gauge",
            "# TYPE sojourn_response_time_seconds histogram",
            "sojourn_requests_total{target=\"office\"} 10",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is missing in\n{text}");
        }
        assert!(!text.contains("# EOF") && !text.contains("# UNIT"));
    }
}
