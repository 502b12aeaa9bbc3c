//! Diagnoses why an agent does not respond, as far as a client can find out, and suggests a remedy.
//!
//! An agent with another key is silent on UDP, as if it were not running. A TCP connection to the same port
//! distinguishes the cases: without a listener it is refused, and an agent with this key responds to an authentic
//! frame. If only UDP fails, a wildcard socket shows whether the agent responds from an address other than the one
//! requested.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use rustix::io::Errno;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::OpenError;
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, NO_TOKEN, Packet, Pdu, Reason};

use super::control::SessionError;
use crate::io::datagrams::Marking;
use crate::io::network_error::NetworkError;
use crate::key::random_bytes;

/// Timeout of the TCP connection, and of a response over it.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Datagrams that ask for an answer from any address.
const HELLOS: u32 = 3;

/// What the TCP connection showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TcpProbe {
    /// TCP connections are refused.
    Refused,
    /// TCP connections time out.
    Silence,
    /// A server without our key, or not an agent.
    Stranger,
    /// An agent with our key.
    Agent,
}

/// The message for a session that could not be opened, with advice.
pub fn explain(session_error: SessionError, peer: SocketAddr, key: Option<&Key>) -> String {
    match session_error {
        SessionError::Agent(OpenError::NoResponse { after_cookie, unauthenticated }) => {
            let found = look(peer, key);
            let elsewhere = if found == TcpProbe::Agent { answers_from(peer, key) } else { None };
            let why = match elsewhere {
                Some(other) => from_elsewhere(peer, other),
                None => words(found, peer, key.is_some(), after_cookie, unauthenticated),
            };
            format!("no response from {peer}: {why}")
        }
        SessionError::Network(NetworkError::System(Errno::PERM)) => format!(
            "no request to {peer} left this host: its own firewall refuses UDP to port {} (nft list ruleset)",
            peer.port()
        ),
        SessionError::Network(error) => {
            let try_this = format!("start one there: sojourn agent sojourn://{peer}");
            format!("no agent at {peer}: {error}; {try_this}")
        }
        other => format!("no session with {peer}: {other}{}", advice(other)),
    }
}

/// The message for a failed TCP connection of an open session, with advice.
pub fn explain_tcp(fault: &io::Error, peer: SocketAddr) -> String {
    let port = peer.port();
    let found = match fault.kind() {
        io::ErrorKind::ConnectionRefused => "TCP connections are refused".to_owned(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "TCP connections time out".to_owned(),
        _ => return format!("no connection for requests to the agent at {peer}: {fault}"),
    };
    format!(
        "the agent at {peer} responds over UDP, but {found}: if a firewall drops or rejects them, allow TCP port {port}"
    )
}

/// Advice for a refusal by the agent.
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
        (true, _) => "the first request was answered, the second was not: the path is lossy, or the agent just ended",
        (false, 0) => "no UDP response",
        (false, _) => "responses are not authentic: the agent has another key",
    };
    match found {
        TcpProbe::Agent => format!(
            "{passed}, but an agent responds over TCP: UDP datagrams are lost on the path, there or back; \
             if a firewall drops them, allow UDP port {port} in both directions"
        ),
        TcpProbe::Stranger if keyed => format!(
            "{passed}, but a server accepts TCP connections there: it has another key (compare the key files of both \
             ends), or it is not an agent"
        ),
        TcpProbe::Stranger => format!(
            "{passed}, but a server accepts TCP connections there: it is an agent with a key, which this command needs \
             (--key-file FILE, or SOJOURN_KEY), or not an agent"
        ),
        TcpProbe::Refused => {
            format!("{passed}, and TCP is refused: no agent listens on port {port}; start one: sojourn agent URL")
        }
        TcpProbe::Silence => format!(
            "{passed}, and none over TCP: the host is down or out of reach, or a firewall drops both; try ping, then \
             UDP and TCP port {port}"
        ),
    }
}

fn from_elsewhere(peer: SocketAddr, other: SocketAddr) -> String {
    format!(
        "the agent answers from {other}, not from the address that was asked, and this host discards that: measure \
         sojourn://{other}, or bind the agent to that address: sojourn agent sojourn://{peer}"
    )
}

/// Another address than was asked, from which an agent with our key answers.
fn answers_from(peer: SocketAddr, key: Option<&Key>) -> Option<SocketAddr> {
    let key = key.cloned().unwrap_or_else(|| Key::new(b""));
    let socket = UdpSocket::bind(Marking::default().local(peer)).ok()?;
    let (mut bytes, mut answer) = (Vec::new(), [0; CONTROL_LENGTH as usize]);
    let nonce = random_bytes().ok()?;
    Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce } }.emit(&key, CONTROL_LENGTH, &mut bytes);
    socket.set_read_timeout(Some(TIMEOUT / HELLOS)).ok()?;
    for _ in 0..HELLOS {
        socket.send_to(&bytes, peer).ok()?;
        let Ok((length, from)) = socket.recv_from(&mut answer) else { continue };
        let is_cookie =
            Packet::parse(&key, &answer[..length]).is_ok_and(|packet| matches!(packet.pdu, Pdu::Cookie { .. }));
        if is_cookie && from.ip() != peer.ip() {
            return Some(from);
        }
    }
    None
}

/// Sends a Hello as the first frame, which an agent with our key answers.
fn look(peer: SocketAddr, key: Option<&Key>) -> TcpProbe {
    let mut connection = match TcpStream::connect_timeout(&peer, TIMEOUT) {
        Ok(connection) => connection,
        Err(fault) if fault.kind() == io::ErrorKind::ConnectionRefused => return TcpProbe::Refused,
        Err(_) => return TcpProbe::Silence,
    };
    let key = key.cloned().unwrap_or_else(|| Key::new(b""));
    let Ok(nonce) = random_bytes() else { return TcpProbe::Silence };
    let mut bytes = Vec::new();
    Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Hello { nonce } }.emit(&key, CONTROL_LENGTH, &mut bytes);
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
    fn without_a_listener_tcp_is_refused() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let text = explain(SILENT, closed, None);
        assert!(text.contains("TCP is refused: no agent listens") && text.contains("sojourn agent"), "{text}");
    }

    #[test]
    fn a_server_that_accepts_connections_and_is_silent_has_another_key() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taker = std::thread::spawn(move || drop(listener.accept().unwrap()));
        let text = explain(SILENT, address, Some(&Key::new(b"ours")));
        taker.join().unwrap();
        assert!(text.contains("it has another key"), "{text}");
    }

    #[test]
    fn a_firewall_is_named_only_as_a_possible_cause_where_an_agent_responds_over_tcp_only() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let taker = std::thread::spawn(move || {
            let mut connection = listener.accept().unwrap().0;
            let mut frame = [0; CONTROL_LENGTH as usize];
            connection.read_exact(&mut frame).unwrap();
            // any authentic packet will do
            connection.write_all(&frame).unwrap();
        });
        let text = explain(SILENT, address, Some(&Key::new(b"ours")));
        taker.join().unwrap();
        assert!(
            text.contains("UDP datagrams are lost on the path") && text.contains("if a firewall drops them"),
            "{text}"
        );
    }

    #[test]
    fn an_agent_that_answers_from_another_address_is_found() {
        let (key, asked) = (Key::new(b"ours"), UdpSocket::bind("127.0.0.1:0").unwrap());
        let (peer, other) = (asked.local_addr().unwrap(), UdpSocket::bind("127.0.0.2:0").unwrap());
        let answering = std::thread::spawn(move || {
            let mut bytes = [0; CONTROL_LENGTH as usize];
            let (_, from) = asked.recv_from(&mut bytes).unwrap();
            let Pdu::Hello { nonce } = Packet::parse(&Key::new(b"ours"), &bytes).unwrap().pdu else {
                panic!("a Hello")
            };
            let mut answer = Vec::new();
            let pdu = Pdu::Cookie { nonce, cookie: [0; 16] };
            Packet { token: NO_TOKEN, sequence: 0, pdu }.emit(&Key::new(b"ours"), CONTROL_LENGTH, &mut answer);
            other.send_to(&answer, from).unwrap();
            other.local_addr().unwrap()
        });
        let found = answers_from(peer, Some(&key));
        assert_eq!(found, Some(answering.join().unwrap()));
        let text = from_elsewhere(peer, found.unwrap());
        assert!(text.starts_with("the agent answers from 127.0.0.2:"), "{text}");
    }
}
