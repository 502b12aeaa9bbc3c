//! Round-trip times of the probe and of sessions, and their delay budget. The budget follows the last octet of a
//! block over the round trip: every step that carries this octet is charged, so the components add up to the
//! round-trip time.

use sojourn_core::{Duration, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::Purpose;

use super::information::{Information, PONG_STREAM, Payload, session_of};
use super::latency_budget::{COMPONENTS, Component};
use super::port_settings::PortPlace;
use super::site::Site;
use super::track::Track;

/// The track of the probe.
const PROBE: usize = 0;

/// Round-trip times, and the budgets of the round trips in flight.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    /// Of the probe, then of each session.
    tracks: Vec<Track>,
    /// Round trips to measure.
    wanted: u64,
    traced: bool,
    /// Round-trip times.
    pub responses: Distribution,
    /// Mean delay budget of all round trips.
    pub budget: Budget,
    /// Completion time in picoseconds and round-trip time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
    /// The round trips one by one, if traces are recorded.
    pub requests: RequestLog,
    /// Failed round trips.
    pub failures: u64,
    /// Round trips that began or ended since they were last asked for, where events observe them.
    observed: Option<Vec<Observed>>,
}

/// A round trip that began or ended.
#[derive(Clone, Copy, Debug)]
pub enum Observed {
    /// It began.
    Sent(Time),
    /// It began then, and has ended, or failed.
    Ended(Time, Option<Duration>),
}

impl RoundTrips {
    /// No round trip yet; `wanted` are to be measured.
    pub fn new(wanted: u64, traced: bool) -> Self {
        RoundTrips {
            tracks: vec![Track::default()],
            wanted,
            traced,
            responses: Distribution::new(),
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            requests: RequestLog::new(traced),
            failures: 0,
            observed: None,
        }
    }

    /// Keeps round trips that begin or end for [`RoundTrips::observed`].
    pub fn observe(&mut self) {
        self.observed = Some(Vec::new());
    }

    /// Round trips that began or ended since the last call.
    pub fn observed(&mut self) -> impl Iterator<Item = Observed> + '_ {
        self.observed.iter_mut().flat_map(|observed| observed.drain(..))
    }

    fn note(&mut self, one: Observed) {
        if let Some(observed) = &mut self.observed {
            observed.push(one);
        }
    }

    /// A station has lost power: with it the round trip that the probe began there.
    pub fn lost_at(&mut self, site: &Site, station: u32) {
        let is_probe = site.probe.as_ref().is_some_and(|probe| probe.from == station);
        if is_probe && self.tracks[PROBE].begun.is_some() {
            self.failed();
        }
    }

    /// Adds tracks for this many sessions.
    pub fn with_sessions(mut self, sessions: usize) -> Self {
        self.tracks.resize(1 + sessions, Track::default());
        self
    }

    /// Whether all round trips are complete.
    pub fn is_finished(&self) -> bool {
        self.wanted > 0 && self.responses.count() + self.failures >= self.wanted
    }

    /// The track of a session.
    pub fn session(&mut self, number: u32) -> &mut Track {
        &mut self.tracks[1 + number as usize]
    }

    /// When the exchange of a session began, if one is open.
    pub fn exchange_begun(&self, session: u32) -> Option<Time> {
        self.tracks[1 + session as usize].begun
    }

    /// A round trip of the probe begins.
    pub fn begin(&mut self, now: Time) {
        self.tracks[PROBE].begin(now);
        self.note(Observed::Sent(now));
    }

    /// Follows this octet of a stream from now on.
    pub fn follow(&mut self, stream: u32, position: u32) {
        if let Some(track) = self.tracks.get_mut(track_of(stream)) {
            track.follow(stream, position);
        }
    }

    /// The round trip of the probe has ended.
    pub fn returned(&mut self, now: Time) {
        let spent = self.tracks[PROBE].end();
        let response: Duration = spent.iter().copied().sum();
        if let Some(begun) = self.tracks[PROBE].begun.take() {
            self.requests.responded(0, 0, begun, response);
            self.note(Observed::Ended(begun, Some(response)));
        }
        self.record(now, &spent);
    }

    /// Takes the components of a round trip that ended now.
    pub fn record(&mut self, now: Time, spent: &[Duration; COMPONENTS.len()]) {
        let response: Duration = spent.iter().copied().sum();
        self.responses.record(response);
        self.budget.record(spent);
        if self.traced {
            self.trace.push((now.picoseconds(), response.seconds()));
        }
    }

    /// The round trip of the probe has failed.
    pub fn failed(&mut self) {
        self.tracks[PROBE].end();
        if let Some(begun) = self.tracks[PROBE].begun.take() {
            self.requests.failed(0, 0, begun);
            self.note(Observed::Ended(begun, None));
        }
        self.failures += 1;
        self.responses.censor(1);
    }

    /// An exchange of a session begins.
    pub fn session_sent(&mut self, now: Time) {
        self.note(Observed::Sent(now));
    }

    /// An exchange of a session that began at `begun` has ended.
    pub fn session_responded(
        &mut self,
        now: Time,
        (flow, station): (u32, u32),
        begun: Time,
        spent: &[Duration; COMPONENTS.len()],
    ) {
        self.requests.responded(flow, station, begun, now - begun);
        self.note(Observed::Ended(begun, Some(now - begun)));
        self.record(now, spent);
    }

    /// A session has failed, with the exchange that was sent at `sent`, or in its setup, which began then.
    pub fn session_failed(&mut self, (flow, station): (u32, u32), sent: Time, in_setup: bool) {
        if in_setup {
            self.note(Observed::Sent(sent));
        }
        self.note(Observed::Ended(sent, None));
        self.requests.failed(flow, station, sent);
        self.failures += 1;
        self.responses.censor(1);
    }

    /// The run has ended at `end`: a round trip older than all that returned never did.
    pub fn end(&mut self, end: Time) {
        self.responses.censor_open(self.tracks[PROBE].begun.map(|begun| end.since(begun)));
    }

    /// Accounts the time up to `now` to a component of the probe's round trip.
    pub fn account(&mut self, component: Component, now: Time) {
        self.tracks[PROBE].budget.account(component, now);
    }

    /// Whether a payload contains an octet that is followed.
    pub fn contains_octet(&self, payload: &Payload) -> bool {
        let Payload::Stream(range) = payload else { return false };
        self.tracks.get(track_of(range.stream)).is_some_and(|track| track.is_in(payload))
    }

    /// The track whose octet an information field contains.
    fn track(&mut self, information: &Information) -> Option<&mut Track> {
        let payload = information.payload()?;
        let Payload::Stream(range) = payload else { return None };
        self.tracks.get_mut(track_of(range.stream)).filter(|track| track.is_in(payload))
    }

    /// Accounts the time up to `now` to a component, if the information contains an octet that is followed.
    pub fn account_if(&mut self, component: Component, information: &Information, now: Time) {
        if let Some(track) = self.track(information) {
            track.budget.account(component, now);
        }
    }

    /// A link transmits a frame with this information: it requested the channel at `asked`, and key-up was at `keyed`.
    pub fn transmitted(
        &mut self,
        port: PortPlace,
        information: &Information,
        purpose: Purpose,
        asked: Time,
        keyed: Time,
    ) {
        if let Some(track) = self.track(information) {
            track.transmitted(port, purpose, asked, keyed);
        }
    }

    /// A link has delivered this information to a station.
    pub fn delivered(&mut self, now: Time, station: u32, information: &Information) {
        if let Some(track) = self.track(information) {
            track.delivered(now, station);
        }
    }
}

/// The track of a stream: that of the probe, or of the session that it belongs to. Background traffic has none.
fn track_of(stream: u32) -> usize {
    match session_of(stream) {
        Some((session, _)) => 1 + session as usize,
        None if stream <= PONG_STREAM => PROBE,
        None => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::StreamRange;

    use super::*;

    const HERE: PortPlace = PortPlace { station: 0, port: 0 };
    const THERE: PortPlace = PortPlace { station: 1, port: 0 };

    fn at(n: u64) -> Time {
        Time::ZERO + Duration::from_millis(n)
    }

    fn packet(offset: u32) -> Information {
        Information::User(Payload::Stream(StreamRange { stream: 0, offset, length: 100 }))
    }

    fn spent(round_trips: &RoundTrips, component: Component) -> Duration {
        round_trips.tracks[PROBE].budget.components()[usize::from(component)]
    }

    fn begun() -> RoundTrips {
        let mut round_trips = RoundTrips::new(1, false);
        round_trips.begin(at(0));
        round_trips.follow(0, 150);
        round_trips
    }

    #[test]
    fn only_what_carries_the_octet_is_accounted() {
        let mut round_trips = begun();
        round_trips.account_if(Component::Processors, &packet(0), at(5));
        round_trips.account_if(Component::Queues, &packet(100), at(8));
        assert_eq!(spent(&round_trips, Component::Processors), Duration::ZERO);
        assert_eq!(spent(&round_trips, Component::Queues), Duration::from_millis(8));
    }

    #[test]
    fn the_time_from_the_first_transmission_to_the_last_is_retransmission() {
        let mut round_trips = begun();
        round_trips.transmitted(HERE, &packet(100), Purpose::Information, at(10), at(30));
        // it arrives, and is dropped because an earlier frame is missing
        round_trips.account_if(Component::Transmission, &packet(100), at(100));
        round_trips.transmitted(HERE, &packet(100), Purpose::Retransmission, at(500), at(600));
        round_trips.account_if(Component::Transmission, &packet(100), at(650));
        round_trips.returned(at(650));
        let expected = [
            (Component::WaitingForWindow, 10),
            (Component::WaitingForChannel, 20),
            (Component::Retransmission, 570),
            (Component::Transmission, 50),
        ];
        for (component, milliseconds) in expected {
            assert_eq!(spent(&round_trips, component), Duration::from_millis(milliseconds), "{component:?}");
        }
        assert!(round_trips.is_finished());
    }

    #[test]
    fn a_retransmission_after_delivery_costs_nothing() {
        let mut round_trips = begun();
        round_trips.transmitted(HERE, &packet(100), Purpose::Information, at(0), at(0));
        round_trips.account_if(Component::Transmission, &packet(100), at(50));
        round_trips.delivered(at(50), THERE.station, &packet(100));
        round_trips.transmitted(THERE, &packet(100), Purpose::Information, at(60), at(60));
        round_trips.transmitted(HERE, &packet(100), Purpose::Retransmission, at(70), at(70));
        round_trips.account_if(Component::Transmission, &packet(100), at(110));
        assert_eq!(spent(&round_trips, Component::Retransmission), Duration::ZERO);
        assert_eq!(spent(&round_trips, Component::Transmission), Duration::from_millis(100));
    }
}
