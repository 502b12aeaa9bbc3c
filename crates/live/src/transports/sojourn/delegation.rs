//! Has an agent measure its peers: the coordinator's end of a mesh.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use nix::sys::socket::MsgFlags;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::lines::Speaker;
use sojourn_protocols::probe::wire::{Congestion, Direction, Limits, Stream};

use super::connection::begin;
use super::control::{ask, open};
use super::diagnosis::{explain, explain_tcp};
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking};
use crate::mesh::conversation::{Conversation, LONGEST_SILENCE};
use crate::mesh::order::Order;
use crate::mesh::report::{self, Message};
use crate::prober::tcp_peer::connect;
use crate::prober::windows::event::WindowEvent;
use crate::progress::watch::Watch;

/// How often cancellation is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long before the agent's limit a session is closed.
const MARGIN: Duration = Duration::from_secs(10);

/// Has the agent at `peer` carry an order out until the watch is cancelled, or the session is as old as the agent permits;
/// each event is that of a peer of the order. An error says why it has ended, or could not begin: the agent may be asked
/// again.
pub fn delegate(
    peer: SocketAddr,
    key: &Key,
    order: &Order,
    watch: &Watch,
    mut on_event: impl FnMut(usize, WindowEvent),
) -> Result<(), String> {
    let marking = Marking::default();
    let mut datagrams = Datagrams::to(Clock::start(), peer, &marking)
        .map_err(|fault| format!("cannot open a UDP socket to {peer}: {fault}"))?;
    let mut session = open(&mut datagrams, key, Limits::NONE).map_err(|error| explain(error, peer, Some(key)))?;
    let granted = session.granted();
    let outcome = connected(peer, key, &mut session).and_then(|socket| {
        let place = (session.token(), session.last_stream());
        let conversation = Conversation::new(&socket, key, place, Speaker::Client, report::LONGEST);
        let mut conversation = conversation.map_err(|fault| lost(&fault))?;
        conversation.send(&order.line()).map_err(|fault| lost(&fault))?;
        // before the agent's own limit, after which another session goes on
        let whole = Duration::from_secs(granted.seconds.into());
        let until = Instant::now() + whole.saturating_sub(MARGIN).max(whole / 2);
        follow(&mut conversation, order.peers.len(), (watch, until), &mut on_event)
    });
    // one that is not closed ends once it is idle
    let closing = session.close(datagrams.clock().now());
    let _ = ask(closing, &session, &mut datagrams);
    outcome
}

fn lost(fault: &io::Error) -> String {
    match fault.kind() {
        io::ErrorKind::UnexpectedEof => "the agent has ended, or closed the connection".to_owned(),
        _ => format!("the connection to the agent is lost: {fault}"),
    }
}

/// Asks for the connection.
fn connected(peer: SocketAddr, key: &Key, session: &mut Session) -> Result<TcpStream, String> {
    let congestion = Congestion::SYSTEM;
    let stream = Stream { direction: Direction::Measure, congestion, bit_rate: 0, octets: 0, duration_ns: 0, dscp: 0 };
    let mut frame = Vec::new();
    session.encode_stream(stream, &mut frame);
    let socket = connect(peer, &Marking::default(), |_| Ok(())).map_err(|fault| explain_tcp(&fault, peer))?;
    begin(&socket, key, &frame).map_err(|fault| refused(&fault, peer))?;
    socket.set_read_timeout(Some(LOOK_EVERY)).map_err(|fault| lost(&fault))?;
    Ok(socket)
}

/// Why the agent did not grant the connection, with advice.
fn refused(fault: &io::Error, peer: SocketAddr) -> String {
    match fault.kind() {
        io::ErrorKind::Other => format!("{fault} ({peer}: sojourn agent --measures NETWORK)"),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            format!("the agent at {peer} closed the connection: it may be of a release without a mesh")
        }
        _ => explain_tcp(fault, peer),
    }
}

/// Passes events on until the watch is cancelled, or the agent or its connection ends.
fn follow(
    conversation: &mut Conversation<'_>,
    peers: usize,
    (watch, until): (&Watch, Instant),
    on_event: &mut impl FnMut(usize, WindowEvent),
) -> Result<(), String> {
    while !watch.is_cancelled() && Instant::now() < until {
        conversation.receive(MsgFlags::empty()).map_err(|fault| lost(&fault))?;
        while let Some(line) = conversation.next_line().map_err(|error| format!("from the agent {error}"))? {
            if line.is_empty() {
                continue;
            }
            match Message::read(&line, peers)? {
                Message::Event(peer, event) => on_event(peer, event),
                Message::Refused(why) => return Err(why),
            }
        }
        conversation.keep_alive().map_err(|fault| lost(&fault))?;
        if conversation.is_silent() {
            return Err(format!("the agent has said nothing for {} s", LONGEST_SILENCE.as_secs()));
        }
    }
    Ok(())
}
