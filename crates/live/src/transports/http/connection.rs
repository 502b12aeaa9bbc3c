//! Connections to a server: opened per request, or kept alive for later ones.

use std::sync::Mutex;

use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper::rt::{Read, Write};
use hyper::{Error, Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::origin::Body;
use crate::io::network_error::ServiceError;

/// One end of a connection, which sends requests.
#[derive(Debug)]
pub enum Connection {
    /// HTTP/1.1: one request at a time.
    Http1(http1::SendRequest<Body>),
    /// HTTP/2: many at a time.
    Http2(http2::SendRequest<Body>),
}

impl Connection {
    /// Speaks HTTP over a stream that is connected.
    pub async fn over<S>(stream: S, is_version_2: bool) -> Result<Connection, ServiceError>
    where
        TokioIo<S>: Read + Write + Unpin + Send + 'static,
    {
        let io = TokioIo::new(stream);
        // what ends a connection shows in its requests
        if is_version_2 {
            let opened = http2::Builder::new(TokioExecutor::new()).handshake(io).await;
            let (sender, driver) = opened.map_err(|error| failure(&error))?;
            tokio::spawn(async move { drop(driver.await) });
            Ok(Connection::Http2(sender))
        } else {
            let (sender, driver) = http1::handshake(io).await.map_err(|error| failure(&error))?;
            tokio::spawn(async move { drop(driver.await) });
            Ok(Connection::Http1(sender))
        }
    }

    /// Whether it is HTTP/2.
    pub fn is_version_2(&self) -> bool {
        matches!(self, Connection::Http2(_))
    }

    /// Sends a request; returns when the head of the response is in.
    pub async fn send(&mut self, request: Request<Body>) -> Result<Response<Incoming>, ServiceError> {
        let outcome = match self {
            Connection::Http1(sender) => sender.send_request(request).await,
            Connection::Http2(sender) => sender.send_request(request).await,
        };
        outcome.map_err(|error| failure(&error))
    }

    /// Waits until another request can be sent; false of a connection that has ended.
    async fn is_ready(&mut self) -> bool {
        match self {
            Connection::Http1(sender) => sender.ready().await.is_ok(),
            Connection::Http2(sender) => sender.ready().await.is_ok(),
        }
    }
}

/// Why an exchange over a connection failed.
pub fn failure(error: &Error) -> ServiceError {
    if error.is_parse() || error.is_parse_status() { ServiceError::Protocol } else { ServiceError::ConnectionLost }
}

/// Connections without a request, kept for the next one.
#[derive(Debug, Default)]
pub struct KeptConnections(Mutex<Vec<Connection>>);

impl KeptConnections {
    /// A connection on which a request can be sent, if there is one.
    pub async fn take(&self) -> Option<Connection> {
        loop {
            let mut connection = self.lock().pop()?;
            if connection.is_ready().await {
                if let Connection::Http2(sender) = &connection {
                    self.keep(Connection::Http2(sender.clone()));
                }
                return Some(connection);
            }
        }
    }

    /// Keeps a connection; of HTTP/2 one is enough.
    pub fn keep(&self, connection: Connection) {
        let mut kept = self.lock();
        if !connection.is_version_2() || kept.is_empty() {
            kept.push(connection);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        // nothing panics while it is held
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
