//! Serves a connection: first frame, grant, then echo, load or measuring.

use std::io;
use std::time::Duration;

use sojourn_protocols::probe::server::Grant;
use sojourn_protocols::probe::wire::{Direction, Packet, Reason};

use super::connection::Connection;
use super::events::Answer;
use super::{echo, load, measuring};
use crate::io::datagrams::Marking;

/// Timeout of the machine's grant, which takes microseconds unless the agent has ended.
const GRANT_TIMEOUT: Duration = Duration::from_secs(5);

/// Does what the client requests and the machine grants. Network errors end it and need no report.
pub(super) fn serve(mut connection: Connection) {
    let Ok(input) = connection.first_frame() else { return };
    connection.events.send_input(input);
    let Ok(Answer { packet, grant }) = connection.inbox.recv_timeout(GRANT_TIMEOUT) else { return };
    let _ = match (packet, grant) {
        (Some(granted), Some(grant)) => carry(&mut connection, granted, &grant),
        (Some(refused), None) => connection.send(refused),
        (None, _) => Ok(()),
    };
}

fn carry(connection: &mut Connection, granted: Packet, grant: &Grant) -> io::Result<()> {
    let congestion = grant.congestion.as_str();
    if !congestion.is_empty() && rustix::net::sockopt::set_tcp_congestion(&connection.socket, congestion).is_err() {
        return connection.refuse(Reason::Unsupported, granted);
    }
    connection.socket.set_nodelay(true)?;
    Marking { dscp: grant.dscp, ..Marking::default() }
        .apply(&connection.socket, connection.from.ip().to_canonical())?;
    connection.send(granted)?;
    match grant.direction {
        Direction::Up => load::sink(connection, grant, granted),
        Direction::Down => load::source(connection, grant),
        Direction::Echo => echo::serve(connection, grant),
        Direction::Measure => match connection.permission.clone() {
            Some(permission) => measuring::serve(connection, grant, &permission),
            // the machine grants none without it
            None => Ok(()),
        },
    }
}
