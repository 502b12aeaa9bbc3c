//! TCP connections of a session: their request and the agent's response.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration as Wait;

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::Session;
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Congestion, Direction, Packet, Pdu, Stream};

use crate::io::datagrams::Marking;
use crate::prober::tcp_peer::connect;

/// Timeout of the agent's grant, and of its report.
const TIMEOUT: Wait = Wait::from_secs(5);

/// Opens a connection for requests.
pub fn for_requests(peer: SocketAddr, marking: &Marking, key: &Key, session: &mut Session) -> io::Result<TcpStream> {
    let congestion = Congestion::SYSTEM;
    let stream = Stream { direction: Direction::Echo, congestion, bit_rate: 0, octets: 0, duration_ns: 0, dscp: 0 };
    let mut frame = Vec::new();
    session.encode_stream(stream, &mut frame);
    let connection = connect(peer, marking, |_| Ok(()))?;
    begin(&connection, key, &frame)?;
    Ok(connection)
}

/// Sends the first frame of a connection, and receives its grant.
pub fn begin(mut connection: &TcpStream, key: &Key, frame: &[u8]) -> io::Result<()> {
    connection.write_all(frame)?;
    match answer(connection, key)? {
        Pdu::Granted { .. } => Ok(()),
        Pdu::Refused { reason, .. } => Err(io::Error::other(format!("the agent refused: {reason}"))),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// The agent's next frame.
pub fn answer(mut connection: &TcpStream, key: &Key) -> io::Result<Pdu> {
    let mut bytes = [0; CONTROL_LENGTH as usize];
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.read_exact(&mut bytes)?;
    Packet::parse(key, &bytes).map(|packet| packet.pdu).map_err(|_| io::ErrorKind::InvalidData.into())
}
