//! Opening a TCP connection for an exchange.

use std::net::SocketAddr;

use tokio::net::{TcpSocket, TcpStream};

use crate::io::datagrams::Marking;
use crate::io::network_error::ServiceError;

/// Connects without Nagle's delay, with the marking's source address and traffic class.
pub async fn connect(server: SocketAddr, marking: Marking) -> Result<TcpStream, ServiceError> {
    let opened = || {
        let socket = if server.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        marking.apply(&socket, server.ip())?;
        if marking.bind.is_some() {
            socket.bind(marking.local(server))?;
        }
        socket.set_nodelay(true)?;
        Ok(socket)
    };
    let socket = opened().map_err(|fault: std::io::Error| ServiceError::from(&fault))?;
    socket.connect(server).await.map_err(|fault| ServiceError::from(&fault))
}
