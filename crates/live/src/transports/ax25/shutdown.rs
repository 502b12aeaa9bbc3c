//! Shutdown of a station: disconnects every link, identifies itself, and waits until both are sent.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::{self, LinkId};

use super::handler::{PortHandler, StationApp};
use super::port::Port;
use super::transceiver::{Input, Transceiver};
use crate::io::drive::{AppPoll, Driver};

/// How long to wait for the last frames after the responses to DISC.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// Disconnects these links, with this timeout of the response to DISC, and sends identification.
pub fn shut_down<P: Port>(
    driver: &mut Driver<'_, P>,
    transceiver: &mut Transceiver,
    port_handler: &mut PortHandler<'_>,
    links: Vec<LinkId>,
    disc_timeout: Duration,
) {
    driver.run(transceiver, &mut Shutdown { port_handler, links, disc_timeout, since: None, identified: None });
}

struct Shutdown<'c, 'a> {
    port_handler: &'c mut PortHandler<'a>,
    /// Links that are not down yet.
    links: Vec<LinkId>,
    disc_timeout: Duration,
    since: Option<Time>,
    identified: Option<Time>,
}

// received frames no longer matter
impl<'a> StationApp<'a> for Shutdown<'_, 'a> {
    fn port_handler(&mut self) -> &mut PortHandler<'a> {
        self.port_handler
    }

    fn poll_app(&mut self, now: Time, transceiver: &mut Transceiver) -> AppPoll {
        let since = *self.since.get_or_insert_with(|| {
            transceiver.handle(now, Input::Leave);
            for link in &self.links {
                transceiver.handle(now, Input::Station(machine::Input::Disconnect { link: *link }));
            }
            now
        });
        self.links.retain(|link| !transceiver.is_down(*link));
        if !self.links.is_empty() && now < since + self.disc_timeout {
            return AppPoll::Wait(since + self.disc_timeout);
        }
        let identified = *self.identified.get_or_insert_with(|| {
            transceiver.handle(now, Input::Identify);
            now
        });
        let done = transceiver.is_quiet() || now >= identified + FLUSH_TIMEOUT;
        if done { AppPoll::Done } else { AppPoll::Wait(identified + FLUSH_TIMEOUT) }
    }
}
