//! Measures peers for a coordinator: one order over the connection, whose lines report what happens. Without the
//! connection nothing is measured.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use nix::sys::socket::MsgFlags;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::lines::Speaker;
use sojourn_protocols::probe::server::Grant;
use sojourn_scenario::Problems;

use super::connection::Connection;
use crate::mesh::conversation::Conversation;
use crate::mesh::order::{self, Order, peer_at};
use crate::mesh::permission::{Permission, Taken};
use crate::mesh::report::Message;
use crate::prober::windows::event::{LONGEST_SESSION, WindowEvent, Windows};
use crate::progress::watch::Watch;
use crate::sessions;
use crate::target::Target;
use crate::transport::{Measure, Measurement};
use crate::transports::sojourn::measure::measure;

/// How often the connection is looked at: so long is measured at most after its end.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often the order is looked for, which follows at once.
const ORDER_EVERY: Duration = Duration::from_millis(50);
/// From the begin of the sessions with one peer to those with the next: requests to all of them do not leave at once.
const APART: Duration = Duration::from_millis(40);

/// Carries an order out until the coordinator closes the connection, or is silent for too long.
pub(super) fn serve(connection: &Connection, grant: &Grant, permission: &Permission) -> io::Result<()> {
    let place = (grant.token, grant.number);
    let conversation = Conversation::new(&connection.socket, connection.key()?, place, Speaker::Agent, order::LONGEST)?;
    let mut end = AgentEnd { connection, grant, conversation };
    let order = end.order()?;
    let asked = Order::read(&order).and_then(|order| Ok((permission.take(&order, grant.packet_rate)?, order)));
    match asked {
        Ok((taken, order)) => end.report(&Measuring::begin(connection, order, (permission, taken))?),
        Err(refusal) => end.conversation.send(&Message::Refused(refusal).line().unwrap_or_default()),
    }
}

/// This end of the connection, by which its session lives.
struct AgentEnd<'a> {
    connection: &'a Connection,
    grant: &'a Grant,
    conversation: Conversation<'a>,
}

impl AgentEnd<'_> {
    /// The first line, which is waited for.
    fn order(&mut self) -> io::Result<Vec<u8>> {
        loop {
            self.conversation.receive(MsgFlags::MSG_DONTWAIT)?;
            if let Some(line) = self.next_line()? {
                return Ok(line);
            }
            self.check()?;
            std::thread::sleep(ORDER_EVERY);
        }
    }

    /// Reports events as they come, until the connection ends.
    fn report(&mut self, measuring: &Measuring) -> io::Result<()> {
        let mut looked = Instant::now();
        loop {
            match measuring.receiver.recv_timeout(LOOK_EVERY.saturating_sub(looked.elapsed())) {
                Ok((peer, event)) => {
                    let line = Message::event(peer, event).line();
                    line.map_or(Ok(()), |line| self.conversation.send(&line))?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if looked.elapsed() < LOOK_EVERY {
                continue;
            }
            looked = Instant::now();
            self.conversation.receive(MsgFlags::MSG_DONTWAIT)?;
            // a coordinator says nothing more than that it is there
            while self.next_line()?.is_some() {}
            self.check()?;
            // what sessions report to a user is in their events already
            measuring.watches.iter().for_each(|watch| drop(watch.reports(usize::MAX)));
            self.conversation.keep_alive()?;
        }
    }

    fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.conversation.next_line().map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// Whether the connection may go on. The session lives by what it carries.
    fn check(&mut self) -> io::Result<()> {
        let [octets_in, octets_out] = self.conversation.take_octets();
        if octets_in + octets_out > 0 {
            self.connection.carried(self.grant, octets_in, octets_out);
        }
        let is_over = self.conversation.is_silent() || self.connection.is_over(self.grant);
        if is_over { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

/// The sessions with all peers, which end once this is dropped.
struct Measuring {
    watches: Vec<Arc<Watch>>,
    receiver: Receiver<(usize, WindowEvent)>,
}

impl Drop for Measuring {
    fn drop(&mut self) {
        self.watches.iter().for_each(|watch| watch.cancel());
    }
}

impl Measuring {
    /// A thread for each peer. It is not waited for: it sends nothing once it is cancelled, and gives its place back as it ends.
    fn begin(connection: &Connection, order: Order, granted: (&Permission, Taken)) -> io::Result<Measuring> {
        let (sender, receiver) = channel();
        let mut measuring = Measuring { watches: Vec::new(), receiver };
        let (permission, taken) = granted;
        let shared = Arc::new((order, permission.clone(), taken));
        let (key, own) = (connection.key()?.clone(), connection.socket.local_addr()?.ip());
        for (number, address) in shared.0.peers.iter().enumerate() {
            let target = peer_at(address).map_err(io::Error::other)?;
            let watch = Arc::new(Watch::new());
            let (shared, key, events, cancelled) = (shared.clone(), key.clone(), sender.clone(), watch.clone());
            measuring.watches.push(watch);
            let peer = PeerOf { number, target, own };
            let run = move || {
                std::thread::sleep(APART * number as u32);
                let (order, permission, _) = &*shared;
                sessions::repeat(number, &events, &cancelled, || peer.open(order, permission, &key, &events));
            };
            std::thread::Builder::new().name("sojourn-mesh".to_owned()).spawn(run)?;
        }
        Ok(measuring)
    }
}

/// A peer of an order.
struct PeerOf {
    /// Its place in the order.
    number: usize,
    target: Target,
    /// The address that the coordinator reached this agent at, from which it measures.
    own: IpAddr,
}

impl PeerOf {
    /// Opens the sockets of the next session, if that is permitted.
    fn open(
        &self,
        order: &Order,
        permission: &Permission,
        key: &Key,
        events: &Sender<(usize, WindowEvent)>,
    ) -> Result<Measure, String> {
        let first =
            |mistakes: Problems| mistakes.0.into_iter().next().map_or_else(String::new, |problem| problem.message);
        let address = *self.target.addresses().map_err(first)?.first().ok_or("it has no address")?;
        permission.permit(address)?;
        let mut timed = order.timed();
        timed.key = Some(key.clone());
        let is_reached_so = self.own.is_ipv4() == address.is_ipv4() && self.own.is_loopback() == address.is_loopback();
        timed.marking.bind = Some(self.own).filter(|_| is_reached_so);
        timed.windows = Some(Windows {
            length: timed.duration(),
            session: LONGEST_SESSION,
            load: None,
            target: self.number,
            moved: Arc::default(),
            events: events.clone(),
        });
        let there = if self.target.is_name() { self.target.at(address) } else { self.target.clone() };
        // without a receiver nothing is left to report to
        let _ = events.send((self.number, WindowEvent::Address(address)));
        measure(&there, Measurement::timed(timed)).map_err(first)
    }
}
