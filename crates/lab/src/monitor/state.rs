//! The state of a target (sessions, outages, alerts), and the lines that report its changes.

use sojourn_core::Duration;
use sojourn_experiment::verdict::Verdict;
use sojourn_live::prober::windows::event::{Window, WindowEvent};
use sojourn_live::prober::windows::{not_sent, unanswered};
use sojourn_metrics::histogram::log_linear;
use sojourn_metrics::merge::merge;
use sojourn_metrics::one_run;

use super::alert::{Alert, Hysteresis};
use super::exposition::Series;
use super::line::{Condition, Line, now_ns, rfc3339};
use super::target_plan::TargetPlan;

/// The seconds of an outage that lasts are counted until so long ago: it may have ended, which is found later.
const LATER_NS: u64 = 5_000_000_000;

/// A target.
pub struct TargetState {
    plan: TargetPlan,
    window_ns: u64,
    series: Series,
    alerts: Vec<Alert>,
    /// Since when there is no session because none could be opened, in nanoseconds since 1970.
    absent_since: Option<u64>,
    /// Whether that is because who measures is away, and sends nothing.
    is_away: bool,
    /// When the last session ended, until there is another.
    closed_at: Option<u64>,
    /// Address of the target's name that it is measured at.
    address: Option<String>,
    outage: Option<Outage>,
    /// Begin and end of the outage before, in nanoseconds since 1970.
    last_outage: Option<(u64, u64)>,
}

/// An outage that lasts.
struct Outage {
    begin_ns: u64,
    cause: Option<String>,
    /// Until when its seconds are counted.
    counted_ns: u64,
}

impl TargetState {
    /// A target without a session, whose numbers go to `series`.
    pub fn new(plan: TargetPlan, window: Duration, hysteresis: Hysteresis, series: Series, now: u64) -> TargetState {
        let alerts: Vec<Alert> =
            plan.conditions.iter().map(|condition| Alert::new(condition.clone(), hysteresis)).collect();
        for alert in &alerts {
            series.alert(alert.text(), false);
        }
        let window_ns = window.picoseconds() / 1000;
        TargetState {
            plan,
            window_ns,
            series,
            alerts,
            absent_since: None,
            is_away: false,
            closed_at: Some(now),
            address: None,
            outage: None,
            last_outage: None,
        }
    }

    /// The agent that measures it, of a mesh.
    pub fn from(&self) -> Option<&str> {
        self.plan.from.as_deref()
    }

    /// Something happened in a session; returns the lines it gives.
    pub fn handle(&mut self, event: WindowEvent) -> Vec<String> {
        match event {
            WindowEvent::Address(address) => self.moved(address.to_string()),
            // an event of the host, not of one of its targets
            WindowEvent::HostPaused { .. } => Vec::new(),
            WindowEvent::Opened { at_ns } => {
                self.closed_at = None;
                self.absent_until(at_ns)
            }
            WindowEvent::Responding { at_ns } | WindowEvent::OutageEnded { at_ns } => self.end_outage(at_ns),
            WindowEvent::OutageBegan { at_ns, cause } => self.begin_outage(at_ns, cause),
            WindowEvent::Window(window) => self.window(&window),
            WindowEvent::Ended(None) => {
                self.closed_at = Some(now_ns());
                Vec::new()
            }
            WindowEvent::Ended(Some(reason)) => self.closed(reason, false),
            WindowEvent::Away(reason) => self.closed(reason, true),
        }
    }

    /// A second or so has passed; returns the lines of windows without a session.
    pub fn tick(&mut self, now: u64) -> Vec<String> {
        if let Some(outage) = &mut self.outage {
            let until = now.saturating_sub(LATER_NS);
            self.series.outage_lasts(until.saturating_sub(outage.counted_ns));
            outage.counted_ns = outage.counted_ns.max(until);
        }
        match self.absent_since {
            Some(since) if now >= since + self.window_ns => {
                self.absent_since = Some(since + self.window_ns);
                self.absent(since, since + self.window_ns)
            }
            _ => Vec::new(),
        }
    }

    /// The monitor ends: what has no session until now.
    pub fn end(&mut self, now: u64) -> Vec<String> {
        self.absent_until(now)
    }

    /// No session is open.
    fn closed(&mut self, reason: String, is_away: bool) -> Vec<String> {
        let mut lines = Vec::new();
        if self.is_away != is_away {
            lines = self.absent_until(now_ns());
            self.is_away = is_away;
        }
        let since = self.closed_at.take().unwrap_or_else(now_ns);
        self.absent_since.get_or_insert(since);
        lines.extend(self.begin_outage(since, Some(reason)));
        lines
    }

    /// What had no session until now.
    fn absent_until(&mut self, now: u64) -> Vec<String> {
        self.absent_since.take().map_or_else(Vec::new, |since| self.absent(since, now))
    }

    /// The next session is with this address.
    fn moved(&mut self, new: String) -> Vec<String> {
        let old = self.address.replace(new.clone());
        if old.as_ref() == Some(&new) {
            return Vec::new();
        }
        self.series.address(old.as_deref(), &new);
        let (from, target) = (self.from(), self.plan.name.as_str());
        let changed = |old| Line::Address { time: rfc3339(now_ns()), from, target, event: "changed", old, new };
        old.map(changed).iter().map(Line::text).collect()
    }

    /// A window without a session.
    fn absent(&mut self, since: u64, until: u64) -> Vec<String> {
        if until <= since {
            return Vec::new();
        }
        let window = match self.is_away {
            true => not_sent(&self.plan.timed, since, until),
            false => unanswered(&self.plan.timed, since, until),
        };
        self.window(&window)
    }

    fn begin_outage(&mut self, begin_ns: u64, cause: Option<String>) -> Vec<String> {
        if let Some(outage) = &mut self.outage {
            outage.cause = cause.or(outage.cause.take());
            return Vec::new();
        }
        self.series.outage_began();
        let line = Line::Outage {
            time: rfc3339(now_ns()),
            from: self.plan.from.as_deref(),
            target: &self.plan.name,
            event: "begin",
            begin: rfc3339(begin_ns),
            end: None,
            duration_s: None,
            cause: cause.as_deref(),
        };
        let text = line.text();
        self.outage = Some(Outage { begin_ns, cause, counted_ns: begin_ns });
        vec![text]
    }

    fn end_outage(&mut self, end_ns: u64) -> Vec<String> {
        let Some(outage) = self.outage.take() else {
            self.series.is_up(true);
            return Vec::new();
        };
        self.last_outage = Some((outage.begin_ns, end_ns));
        self.series.outage_lasts(end_ns.saturating_sub(outage.counted_ns));
        self.series.is_up(true);
        let line = Line::Outage {
            time: rfc3339(now_ns()),
            from: self.plan.from.as_deref(),
            target: &self.plan.name,
            event: "end",
            begin: rfc3339(outage.begin_ns),
            end: Some(rfc3339(end_ns)),
            duration_s: Some(end_ns.saturating_sub(outage.begin_ns) as f64 * 1e-9),
            cause: outage.cause.as_deref(),
        };
        vec![line.text()]
    }

    /// Whether there was an outage at a time, which is known some seconds later.
    fn was_outage(&self, at_ns: u64) -> bool {
        self.outage.as_ref().is_some_and(|outage| outage.begin_ns <= at_ns)
            || self.last_outage.is_some_and(|(begin_ns, end_ns)| begin_ns <= at_ns && at_ns < end_ns)
    }

    fn window(&mut self, window: &Window) -> Vec<String> {
        self.series.window(window);
        let mut metrics = merge(std::slice::from_ref(&window.record));
        one_run::add_intervals(&mut metrics, &window.record);
        metrics.values_mut().for_each(sojourn_metrics::results::Metric::forget_replications);
        let end = rfc3339(window.end_ns);
        let (mut changed, mut judged) = (Vec::new(), Vec::new());
        // under load response times are what the load makes them, in a pause what this host makes them
        let is_judged = !window.loaded && window.host_paused == 0;
        let is_quiet = self.plan.quiet.iter().any(|quiet| quiet.contains(window.end_ns));
        for alert in self.alerts.iter_mut().filter(|_| is_judged) {
            let judgement = alert.judge(&metrics);
            if !is_quiet && alert.next(judgement.verdict) {
                changed.push((alert.text().to_owned(), alert.is_raised(), judgement.value));
                self.series.alert(alert.text(), alert.is_raised());
            }
            judged.push((judgement.verdict, judgement.value));
        }
        let conditions = self.alerts.iter().zip(judged).map(|(alert, (verdict, value)): (&Alert, (Verdict, _))| {
            Condition { text: alert.text(), verdict, value, raised: alert.is_raised() }
        });
        let line = Line::Window {
            time: rfc3339(now_ns()),
            from: self.plan.from.as_deref(),
            target: &self.plan.name,
            begin: rfc3339(window.begin_ns),
            end: end.clone(),
            in_outage: self.was_outage(window.end_ns),
            loaded: window.loaded,
            sent: window.sent,
            answered: window.answered,
            late: window.late,
            not_sent: window.not_sent,
            host_paused: window.host_paused > 0,
            address: self.address.clone(),
            path: &window.path,
            metrics: &metrics,
            histogram: log_linear(&window.responses),
            conditions: conditions.collect(),
        };
        let mut lines = vec![line.text()];
        lines.extend(changed.iter().map(|(condition, is_raised, value)| {
            let line = Line::Alert {
                time: rfc3339(now_ns()),
                from: self.plan.from.as_deref(),
                target: &self.plan.name,
                event: if *is_raised { "raised" } else { "cleared" },
                condition,
                value: *value,
                end: end.clone(),
            };
            line.text()
        }));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::exposition::Collected;
    use super::super::quiet::QuietHours;
    use super::*;
    use sojourn_core::Duration;
    use sojourn_live::find;
    use sojourn_live::prober::plan::{Phase, TimedTest};
    use sojourn_live::prober::schedule::Schedule;
    use sojourn_scenario::Expectation;

    const S: u64 = 1_000_000_000;

    fn state() -> TargetState {
        let (transport, target) = find("udp-echo://127.0.0.1:7").unwrap();
        let phase = Phase { name: "monitored", duration: Duration::from_secs(10), loaded: false, recorded: true };
        let timed = TimedTest::new(Schedule::Periodic { interval: Duration::from_millis(100) }, 64, vec![phase]);
        let plan = TargetPlan {
            name: "echo".to_owned(),
            from: None,
            transport,
            target,
            timed,
            load: None,
            key_file: None,
            quiet: Vec::new(),
            is_every_address: false,
            conditions: vec![Expectation::parse("loss < 2 %").unwrap()],
        };
        let series = Collected::new("0.1.0", "abc").target(None, "echo");
        let hysteresis = Hysteresis { raise_after: 2, clear_after: 1 };
        TargetState::new(plan, Duration::from_secs(10), hysteresis, series, 1000 * S)
    }

    fn window(begin: u64, lost: u64) -> WindowEvent {
        let mut found = Window { begin_ns: begin * S, end_ns: (begin + 10) * S, sent: 100, ..Window::default() };
        found.responses = vec![Duration::from_millis(5); 100 - lost as usize];
        found.answered = 100 - lost;
        found.record.share("loss", lost, 100);
        WindowEvent::Window(Box::new(found))
    }

    /// Type and event of lines.
    fn kinds(lines: &[String]) -> Vec<String> {
        let kind = |line: &String| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let event = line.get("event").and_then(serde_json::Value::as_str).unwrap_or_default();
            format!("{} {event}", line["type"].as_str().unwrap()).trim().to_owned()
        };
        lines.iter().map(kind).collect()
    }

    #[test]
    fn a_target_that_is_absent_from_the_start_is_an_outage_with_windows_until_it_responds() {
        let mut state = state();
        let refused = || WindowEvent::Ended(Some("no listener".to_owned()));
        assert_eq!(kinds(&state.handle(refused())), ["outage begin"]);
        assert!(state.handle(refused()).is_empty(), "it is the same outage");
        assert!(state.tick(1005 * S).is_empty());
        assert_eq!(kinds(&state.tick(1010 * S)), ["window"]);
        assert_eq!(kinds(&state.tick(1020 * S)), ["window", "alert raised"]);
        assert_eq!(kinds(&state.handle(WindowEvent::Opened { at_ns: 1023 * S })), ["window"]);
        let lines = state.handle(WindowEvent::Responding { at_ns: 1023 * S });
        assert_eq!(kinds(&lines), ["outage end"]);
        let line: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((line["duration_s"].as_f64(), line["cause"].as_str()), (Some(23.0), Some("no listener")));
        assert_eq!(kinds(&state.handle(window(1023, 0))), ["window", "alert cleared"]);
    }

    #[test]
    fn a_session_that_is_replaced_by_another_is_no_outage() {
        let mut state = state();
        state.handle(WindowEvent::Opened { at_ns: 1000 * S });
        assert!(state.handle(WindowEvent::Ended(None)).is_empty());
        assert!(state.handle(WindowEvent::Opened { at_ns: 1001 * S }).is_empty());
    }

    #[test]
    fn a_window_is_in_an_outage_as_of_its_end_and_not_of_when_it_is_reported() {
        let mut state = state();
        let mut in_outage = |events: Vec<WindowEvent>| {
            let lines: Vec<String> = events.into_iter().flat_map(|event| state.handle(event)).collect();
            let window = lines.iter().find(|line| line.contains(r#""type":"window""#)).unwrap();
            serde_json::from_str::<serde_json::Value>(window).unwrap()["in_outage"].as_bool().unwrap()
        };
        let began = |at: u64| WindowEvent::OutageBegan { at_ns: at * S, cause: None };
        let ended = |at: u64| WindowEvent::OutageEnded { at_ns: at * S };
        assert!(!in_outage(vec![began(1011), window(1000, 0)]), "it began after the window's end");
        assert!(in_outage(vec![ended(1021), window(1010, 90)]), "it ended after the window's end");
        assert!(!in_outage(vec![window(1020, 10)]));
    }

    #[test]
    fn a_window_in_which_this_host_was_paused_is_not_judged() {
        let mut state = state();
        for begin in [1000, 1010, 1020] {
            let WindowEvent::Window(mut paused) = window(begin, 100) else { unreachable!("made as one") };
            (paused.host_paused, paused.not_sent) = (1, 30);
            let lines = state.handle(WindowEvent::Window(paused));
            assert_eq!(kinds(&lines), ["window"]);
            let line: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
            assert_eq!((line["host_paused"].as_bool(), line["not_sent"].as_u64()), (Some(true), Some(30)));
        }
    }

    #[test]
    fn in_quiet_hours_windows_are_judged_and_no_alert_changes() {
        let mut state = state();
        state.plan.quiet = vec![QuietHours::parse("00:17-00:18").unwrap()];
        // from 00:16:40 on
        for begin in [1000, 1010, 1020, 1030] {
            assert_eq!(kinds(&state.handle(window(begin, 50))), ["window"]);
        }
        let lines: Vec<String> = [1070, 1080].into_iter().flat_map(|begin| state.handle(window(begin, 50))).collect();
        assert_eq!(kinds(&lines), ["window", "alert raised", "window"], "the one before counts, those between do not");
    }

    #[test]
    fn another_address_of_the_name_is_a_line_and_stands_in_the_windows() {
        let mut state = state();
        let at = |address: &str| WindowEvent::Address(address.parse().unwrap());
        assert!(state.handle(at("10.9.0.2")).is_empty(), "the first address is not a change");
        assert!(state.handle(at("10.9.0.2")).is_empty());
        let lines = state.handle(at("10.9.0.3"));
        assert_eq!(kinds(&lines), ["address changed"]);
        let line: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((line["old"].as_str(), line["new"].as_str()), (Some("10.9.0.2"), Some("10.9.0.3")));
        let window: serde_json::Value = serde_json::from_str(&state.handle(window(1000, 0))[0]).unwrap();
        assert_eq!(window["address"].as_str(), Some("10.9.0.3"));
    }

    #[test]
    fn a_loaded_window_is_not_judged() {
        let mut state = state();
        for begin in [1000, 1010, 1020] {
            let WindowEvent::Window(mut loaded) = window(begin, 50) else { unreachable!("made as one") };
            loaded.loaded = true;
            assert_eq!(kinds(&state.handle(WindowEvent::Window(loaded))), ["window"]);
        }
        assert_eq!(kinds(&state.handle(window(1030, 50))), ["window"]);
        assert_eq!(kinds(&state.handle(window(1040, 50))), ["window", "alert raised"]);
    }
}
