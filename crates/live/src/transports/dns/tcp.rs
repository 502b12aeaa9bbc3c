//! DNS over TCP (RFC 7766): a connection for each query.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::question::{Answer, Question};
use crate::io::clock::Clock;
use crate::io::datagrams::Marking;
use crate::io::network_error::ServiceError;
use crate::key::random_bytes;
use crate::prober::service_peer::{Ends, Exchange, Service, connect};

/// A DNS server over TCP.
#[derive(Debug)]
pub struct TcpServer {
    /// The server's address.
    pub server: SocketAddr,
    /// The question of each query.
    pub question: Question,
    /// Source address and traffic class.
    pub marking: Marking,
    /// The clock of the measurement.
    pub clock: Clock,
}

impl Service for TcpServer {
    fn exchange(&mut self) -> Exchange {
        let TcpServer { server, marking, clock, .. } = *self;
        let question = self.question.clone();
        Box::pin(async move {
            let stream = connect(server, marking).await?;
            let ends = Ends { connected: Some(clock.now()), ..Ends::default() };
            ask(stream, &question, clock, ends).await
        })
    }
}

async fn ask(mut stream: TcpStream, question: &Question, clock: Clock, mut ends: Ends) -> Result<Ends, ServiceError> {
    let id = random_bytes().map(u16::from_be_bytes).map_err(|_| ServiceError::NotSent)?;
    let mut message = vec![0; 2];
    question.write(id, &mut message);
    let length = u16::try_from(message.len() - 2).map_err(|_| ServiceError::NotSent)?;
    message[..2].copy_from_slice(&length.to_be_bytes());
    stream.write_all(&message).await.map_err(|fault| ServiceError::from(&fault))?;
    let length = stream.read_u16().await.map_err(|fault| ServiceError::from(&fault))?;
    ends.first_byte = Some(clock.now());
    message.resize(length.into(), 0);
    stream.read_exact(&mut message).await.map_err(|fault| ServiceError::from(&fault))?;
    ends.whole = Some(clock.now());
    match question.read(&message) {
        Some(Answer { id: answered, outcome }) if answered == id => outcome.map(|()| ends),
        _ => Err(ServiceError::Protocol),
    }
}
