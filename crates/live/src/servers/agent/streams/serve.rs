//! Serves a connection: first frame, grant, then echo or load.

use std::io::{self, Write};
use std::time::Duration;

use sojourn_protocols::probe::server::{Grant, Input};
use sojourn_protocols::probe::wire::{Direction, Packet, Reason};

use super::connection::Connection;
use super::events::Answer;
use super::{echo, load};

/// Timeout of the machine's grant, which takes microseconds unless the agent has ended.
const GRANT_TIMEOUT: Duration = Duration::from_secs(5);

/// Does what the client requests and the machine grants. Network errors end it and need no report.
pub(super) fn serve(mut connection: Connection) {
    let Ok(packet) = connection.first_frame() else { return };
    connection.events.send_input(Input::StreamRequested {
        connection: connection.number,
        from: connection.from,
        packet,
    });
    let Ok(Answer { bytes, grant }) = connection.inbox.recv_timeout(GRANT_TIMEOUT) else { return };
    let Some(grant) = grant else {
        let _ = connection.socket.write_all(&bytes);
        return;
    };
    let _ = carry(&mut connection, &bytes, &grant, packet);
}

fn carry(connection: &mut Connection, granted: &[u8], grant: &Grant, asked: Packet) -> io::Result<()> {
    let congestion = grant.congestion.as_str();
    if !congestion.is_empty() && rustix::net::sockopt::set_tcp_congestion(&connection.socket, congestion).is_err() {
        return connection.refuse(Reason::Unsupported, asked);
    }
    connection.socket.set_nodelay(true)?;
    connection.socket.write_all(granted)?;
    match grant.direction {
        Direction::Up => load::sink(connection, grant, asked),
        Direction::Down => load::source(connection, grant),
        Direction::Echo => echo::serve(connection, grant),
    }
}
