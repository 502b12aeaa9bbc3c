//! Takes leave: ends every link at once, says who it was, and waits a moment for both to go out.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::ax25::machine::{self, LinkId};

use super::handler::{Actor, Clerk};
use super::port::Port;
use super::transceiver::{Input, Transceiver};
use crate::io::drive::{Driver, Turn};

/// How long the last frames are waited for beyond the answers to DISC.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends these links and says who it was; an answer to DISC is waited for as long as `patience`.
pub fn farewell<P: Port>(
    driver: &mut Driver<'_, P>,
    transceiver: &mut Transceiver,
    clerk: &mut Clerk<'_>,
    links: Vec<LinkId>,
    patience: Duration,
) {
    driver.run(transceiver, &mut Farewell { clerk, links, patience, since: None, identified: None });
}

struct Farewell<'c, 'a> {
    clerk: &'c mut Clerk<'a>,
    /// Links that are not down yet.
    links: Vec<LinkId>,
    patience: Duration,
    since: Option<Time>,
    identified: Option<Time>,
}

// what others say is nobody's concern any more
impl<'a> Actor<'a> for Farewell<'_, 'a> {
    fn clerk(&mut self) -> &mut Clerk<'a> {
        self.clerk
    }

    fn turn(&mut self, now: Time, transceiver: &mut Transceiver) -> Turn {
        let since = *self.since.get_or_insert_with(|| {
            transceiver.handle(now, Input::Leave);
            for link in &self.links {
                transceiver.handle(now, Input::Station(machine::Input::Disconnect { link: *link }));
            }
            now
        });
        self.links.retain(|link| !transceiver.is_down(*link));
        if !self.links.is_empty() && now < since + self.patience {
            return Turn::Wait(since + self.patience);
        }
        let identified = *self.identified.get_or_insert_with(|| {
            transceiver.handle(now, Input::Identify);
            now
        });
        let done = transceiver.is_quiet() || now >= identified + PATIENCE;
        if done { Turn::Done } else { Turn::Wait(identified + PATIENCE) }
    }
}
