//! Why an agent does not answer: what can be told apart from here, and what to try.
//!
//! An agent with another key says nothing at all, as if it were not there; so UDP alone cannot tell. A TCP connection to
//! the same port can: where nobody listens it is refused, and an agent with this key answers a frame it vouches for.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::OpenError;
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Congestion, Direction, NO_TOKEN, Packet, Pdu, Reason, Stream};

use super::control::SessionError;

/// How long a TCP connection, and then an answer over it, is waited for.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What a TCP connection found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TcpProbe {
    /// Nobody listens there.
    Refused,
    /// Nothing came back.
    Silence,
    /// Somebody who does not know our key, or is no agent.
    Stranger,
    /// An agent with our key.
    Agent,
}

/// Why there is no session, and what to try, in words.
pub fn explain(session_error: SessionError, peer: SocketAddr, key: Option<&Key>) -> String {
    match session_error {
        SessionError::Agent(OpenError::NoResponse { after_cookie, unauthenticated }) => {
            let found = look(peer, key);
            format!("no answer from {peer}: {}", words(found, peer, key.is_some(), after_cookie, unauthenticated))
        }
        SessionError::Network(error) => {
            let try_this = format!("start one there: sojourn agent sojourn://{peer}");
            format!("no agent at {peer}: {error}; {try_this}")
        }
        other => format!("no session with {peer}: {other}{}", advice(other)),
    }
}

/// Why requests over TCP have no connection where the agent has opened a session over UDP, and what to try, in words.
pub fn explain_tcp(fault: &io::Error, peer: SocketAddr) -> String {
    let port = peer.port();
    let found = match fault.kind() {
        io::ErrorKind::ConnectionRefused => "TCP is refused".to_owned(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "nothing comes back over TCP".to_owned(),
        _ => return format!("no connection for requests to the agent at {peer}: {fault}"),
    };
    format!("the agent at {peer} answers over UDP, but {found}: let TCP port {port} through a firewall there and back")
}

/// What to try where the agent has said no.
fn advice(refused: SessionError) -> &'static str {
    match refused {
        SessionError::Agent(OpenError::Refused(Reason::Busy | Reason::AddressBusy)) => {
            "; wait until one has ended, or raise the limit there: sojourn agent --limit sessions=N, or \
             sessions-per-address=N"
        }
        SessionError::Agent(OpenError::Refused(Reason::Version) | OpenError::Version(_)) => {
            "; install the same release of sojourn at both ends"
        }
        _ => "",
    }
}

fn words(found: TcpProbe, peer: SocketAddr, keyed: bool, after_cookie: bool, unauthenticated: u32) -> String {
    let port = peer.port();
    let passed = match (after_cookie, unauthenticated) {
        (true, _) => "the first question was answered, the second was not: the way is lossy, or the agent just ended",
        (false, 0) => "not one UDP packet came back",
        (false, _) => "packets came back that our key does not vouch for: the agent has another key",
    };
    match found {
        TcpProbe::Agent => format!(
            "{passed}, but an agent answers over TCP: UDP is blocked on the way; let UDP port {port} through a firewall \
             there and back"
        ),
        TcpProbe::Stranger if keyed => format!(
            "{passed}, though somebody takes TCP connections there: the key is another one (compare the key files of \
             both ends), or it is no agent"
        ),
        TcpProbe::Stranger => format!(
            "{passed}, though somebody takes TCP connections there: an agent with a key, which you have to give \
             (--key-file FILE, or SOJOURN_KEY), or no agent"
        ),
        TcpProbe::Refused => {
            format!("{passed}, and TCP is refused: no agent listens on port {port}; start one: sojourn agent URL")
        }
        TcpProbe::Silence => format!(
            "{passed}, and none over TCP: the host is off, or a firewall drops both; try ping, then let UDP and TCP \
             port {port} through"
        ),
    }
}

/// Sends a frame that asks for a connection without a session: an agent with our key refuses it in so many words.
fn look(peer: SocketAddr, key: Option<&Key>) -> TcpProbe {
    let mut connection = match TcpStream::connect_timeout(&peer, TIMEOUT) {
        Ok(connection) => connection,
        Err(fault) if fault.kind() == io::ErrorKind::ConnectionRefused => return TcpProbe::Refused,
        Err(_) => return TcpProbe::Silence,
    };
    let key = key.cloned().unwrap_or_else(|| Key::new(b""));
    let congestion = Congestion::default();
    let stream = Stream { direction: Direction::Echo, congestion, bit_rate: 0, octets: 0, duration_ns: 0 };
    let mut bytes = Vec::new();
    Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Stream(stream) }.emit(&key, CONTROL_LENGTH, &mut bytes);
    let mut answer = [0; CONTROL_LENGTH as usize];
    let answered = connection
        .set_read_timeout(Some(TIMEOUT))
        .and_then(|()| connection.write_all(&bytes))
        .and_then(|()| connection.read_exact(&mut answer));
    match answered {
        Ok(()) if Packet::parse(&key, &answer).is_ok() => TcpProbe::Agent,
        _ => TcpProbe::Stranger,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    const SILENT: SessionError = SessionError::Agent(OpenError::NoResponse { after_cookie: false, unauthenticated: 0 });

    #[test]
    fn where_nobody_listens_tcp_is_refused() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let text = explain(SILENT, closed, None);
        assert!(text.contains("TCP is refused: no agent listens") && text.contains("sojourn agent"), "{text}");
    }

    #[test]
    fn one_who_takes_connections_and_says_nothing_has_another_key() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taker = std::thread::spawn(move || drop(listener.accept().unwrap()));
        let text = explain(SILENT, address, Some(&Key::new(b"ours")));
        taker.join().unwrap();
        assert!(text.contains("the key is another one"), "{text}");
    }

    #[test]
    fn an_agent_that_answers_over_tcp_alone_is_behind_a_firewall() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taker = std::thread::spawn(move || {
            let mut connection = listener.accept().unwrap().0;
            let mut frame = [0; CONTROL_LENGTH as usize];
            connection.read_exact(&mut frame).unwrap();
            // as good as any packet that the key vouches for
            connection.write_all(&frame).unwrap();
        });
        let text = explain(SILENT, address, Some(&Key::new(b"ours")));
        taker.join().unwrap();
        assert!(text.contains("UDP is blocked on the way"), "{text}");
    }
}
