//! A link set up by this station for an [`Application`], and its end.

use sojourn_core::{Duration, Machine, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_protocols::ax25::machine::{self, Cause, LinkId, LinkKey};

use crate::io::drive::AppPoll;
use crate::transports::ax25::handler::{PortHandler, StationApp};
use crate::transports::ax25::transceiver::{Input, StationOutput, Transceiver};

/// The application on a link.
pub trait Application {
    /// The link is up; it was requested at `asked`.
    fn up(&mut self, _now: Time, _asked: Time) {}

    /// Octets of the exchange that `write` would begin now: it waits until both stations' airtime has room for all of it.
    fn begins(&self, _now: Time) -> Option<u64> {
        None
    }

    /// The next data to send; called until `None`.
    fn write(&mut self, now: Time) -> Option<Vec<u8>>;

    /// Takes data from the far station.
    fn take(&mut self, now: Time, data: &[u8]);

    /// When to poll it next at the latest.
    fn due(&self) -> Time {
        Time::NEVER
    }

    /// Whether it is done with this link.
    fn is_done(&self, now: Time) -> bool;
}

/// Link set-up and disconnect times.
#[derive(Clone, Debug, Default)]
pub struct LinkTimes {
    /// From the request for a link until it was up.
    pub connect: Distribution,
    /// From the disconnect request to the far station's response.
    pub disconnect: Distribution,
    /// How long exchanges waited for airtime of either station, or for a far station that was busy (RNR), before they began.
    pub waited: Duration,
}

/// The outcome of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The application was done, and the link was disconnected.
    Done,
    /// It was not set up.
    NotUp(Cause),
    /// It failed before the application was done.
    Broken(Cause),
    /// The link was not set up within its timeout.
    Late,
    /// The station refused the request.
    Refused(machine::Refusal),
    /// Cancelled; the link is left as it is.
    Cancelled,
}

/// A link and its application.
pub struct LinkSession<'c, 'a, U> {
    user: &'c mut U,
    port_handler: &'c mut PortHandler<'a>,
    spans: &'c mut LinkTimes,
    key: LinkKey,
    /// Timeout of set-up and of disconnecting.
    time_out: Duration,
    link: Option<LinkId>,
    asked: Option<Time>,
    up: bool,
    /// When the application was done.
    closing: Option<Time>,
    /// Whether the far station is busy (RNR).
    peer_busy: bool,
    /// Since when the next exchange has been waiting, and until when at least.
    pause: Option<(Time, Time)>,
    outcome: Option<Outcome>,
}

impl<'c, 'a, U: Application> LinkSession<'c, 'a, U> {
    /// A link with this key and timeout, requested at the first poll.
    pub fn new(
        key: LinkKey,
        time_out: Duration,
        user: &'c mut U,
        port_handler: &'c mut PortHandler<'a>,
        spans: &'c mut LinkTimes,
    ) -> LinkSession<'c, 'a, U> {
        LinkSession {
            user,
            port_handler,
            spans,
            key,
            time_out,
            link: None,
            asked: None,
            up: false,
            closing: None,
            peer_busy: false,
            pause: None,
            outcome: None,
        }
    }

    /// How the session has ended, or that it goes on.
    pub fn outcome(&self) -> Outcome {
        self.outcome.unwrap_or(Outcome::Cancelled)
    }

    /// When the airtime budget allows what waits for it.
    fn paused_until(&self) -> Time {
        self.pause.map_or(Time::NEVER, |(_, until)| until)
    }

    fn ended(&mut self, now: Time, cause: Cause) {
        let outcome = match self.closing {
            Some(closing) => {
                if cause == Cause::Requested {
                    self.spans.disconnect.record(now.since(closing));
                }
                Outcome::Done
            }
            None if self.up => Outcome::Broken(cause),
            None => Outcome::NotUp(cause),
        };
        self.outcome.get_or_insert(outcome);
    }

    /// Waits for the link to be up, or down, with a timeout: the channel may never be free.
    fn wait(&mut self, now: Time, late: Time, link: LinkId, transceiver: &mut Transceiver) -> AppPoll {
        if now < late {
            return AppPoll::Wait(late);
        }
        self.outcome = Some(if self.up { Outcome::Done } else { Outcome::Late });
        transceiver.handle(now, Input::Station(machine::Input::Disconnect { link }));
        AppPoll::Done
    }

    /// Whether something that transmits for `airtime` may begin now; else it waits, and the wait is counted. It ends when
    /// what else has to be sent has left, so that nothing but the exchange is in its response time.
    fn may_begin(&mut self, now: Time, airtime: Duration, transceiver: &Transceiver) -> bool {
        let is_hindered = self.peer_busy || self.pause.is_some() && !transceiver.is_quiet();
        let at = if is_hindered { Time::NEVER } else { transceiver.affords(now, airtime) };
        if at > now {
            let since = self.pause.map_or(now, |(since, _)| since);
            self.pause = Some((since, at));
            return false;
        }
        if let Some((since, _)) = self.pause.take() {
            self.spans.waited += now.since(since);
        }
        true
    }

    /// The application's data, once it may begin an exchange.
    fn next_data(&mut self, now: Time, transceiver: &Transceiver) -> Option<Vec<u8>> {
        let octets = self.user.begins(now);
        if octets.is_some_and(|octets| !self.may_begin(now, transceiver.airtime_of(octets), transceiver)) {
            return None;
        }
        self.user.write(now)
    }

    /// Sends the application's data.
    fn write(&mut self, now: Time, link: LinkId, transceiver: &mut Transceiver) {
        while let Some(text) = self.next_data(now, transceiver) {
            transceiver.send(now, link, &text);
        }
    }
}

impl<'a, U: Application> StationApp<'a> for LinkSession<'_, 'a, U> {
    fn port_handler(&mut self) -> &mut PortHandler<'a> {
        self.port_handler
    }

    fn indicate(&mut self, now: Time, output: StationOutput) {
        match output {
            machine::Output::Connected { link, .. } if Some(link) == self.link => {
                let asked = self.asked.unwrap_or(now);
                self.spans.connect.record(now.since(asked));
                self.up = true;
                self.user.up(now, asked);
            }
            machine::Output::Deliver { link, data, .. } if Some(link) == self.link => self.user.take(now, &data),
            machine::Output::Disconnected { link, cause, .. } if Some(link) == self.link => self.ended(now, cause),
            machine::Output::PeerBusy { link, busy } if Some(link) == self.link => self.peer_busy = busy,
            machine::Output::Refused { refusal } => {
                self.outcome.get_or_insert(Outcome::Refused(refusal));
            }
            // a reset may have lost data in flight: the application's timeout detects it
            _ => {}
        }
    }

    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll {
        if self.outcome.is_some() {
            return AppPoll::Done;
        }
        if self.port_handler.watch().is_cancelled() {
            self.outcome = Some(Outcome::Cancelled);
            return AppPoll::Done;
        }
        let Some(link) = self.link else {
            if !self.may_begin(now, transceiver.airtime_of_link(), transceiver) {
                return AppPoll::Wait(self.paused_until());
            }
            self.asked = Some(now);
            transceiver.handle(now, Input::Station(machine::Input::Connect { key: self.key }));
            self.link = transceiver.link(&self.key);
            return AppPoll::Wait(Time::NEVER);
        };
        let waits_since = if self.up { self.closing } else { self.asked };
        if let Some(since) = waits_since {
            return self.wait(now, since + self.time_out, link, transceiver);
        }
        self.write(now, link, transceiver);
        if self.user.is_done(now) {
            self.closing = Some(now);
            transceiver.handle(now, Input::Station(machine::Input::Disconnect { link }));
            return AppPoll::Wait(now + self.time_out);
        }
        AppPoll::Wait(if self.pause.is_some() { self.paused_until() } else { self.user.due() })
    }
}
