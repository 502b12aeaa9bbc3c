//! The exchange of a request and its response over HTTP.

use std::sync::Arc;

use http_body_util::BodyExt;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::connection::{Connection, KeptConnections, failure};
use super::origin::Origin;
use super::tls;
use crate::io::clock::Clock;
use crate::io::datagrams::Marking;
use crate::io::network_error::ServiceError;
use crate::prober::plan::HttpVersion;
use crate::prober::service_peer::{Ends, Exchange, Service, connect};

/// A server of HTTP.
pub struct Server {
    /// Everything that an exchange needs.
    pub client: Arc<Client>,
}

/// Everything that an exchange needs.
pub struct Client {
    /// Where requests go.
    pub origin: Origin,
    /// TLS and the name that its certificate has to have; `None` without TLS.
    pub tls: Option<(TlsConnector, ServerName<'static>)>,
    /// The version to be spoken; as the server prefers when absent.
    pub version: Option<HttpVersion>,
    /// Connections kept; `None` where each request has its own.
    pub kept: Option<KeptConnections>,
    /// Source address and traffic class.
    pub marking: Marking,
    /// The clock of the measurement.
    pub clock: Clock,
}

impl Service for Server {
    fn exchange(&mut self) -> Exchange {
        let client = self.client.clone();
        Box::pin(async move { client.exchange().await })
    }
}

impl Client {
    async fn exchange(&self) -> Result<Ends, ServiceError> {
        let mut ends = Ends::default();
        let kept = match &self.kept {
            Some(kept) => kept.take().await,
            None => None,
        };
        let mut connection = match kept {
            Some(connection) => connection,
            None => self.open(&mut ends).await?,
        };
        let response = connection.send(self.origin.request(connection.is_version_2())).await?;
        // the end of the head: HTTP/2 does not show the first byte of a stream above its framing layer
        ends.first_byte = Some(self.clock.now());
        let status = response.status();
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            frame.map_err(|error| failure(&error))?;
        }
        ends.whole = Some(self.clock.now());
        if let Some(kept) = &self.kept {
            kept.keep(connection);
        }
        if status.is_client_error() || status.is_server_error() {
            return Err(ServiceError::Status(status.as_u16()));
        }
        Ok(ends)
    }

    /// Opens a connection.
    async fn open(&self, ends: &mut Ends) -> Result<Connection, ServiceError> {
        let Client { origin, marking, clock, .. } = self;
        let address = if origin.is_address {
            origin.address
        } else {
            let address = origin.resolve(marking.bind).await?;
            ends.resolved = Some(clock.now());
            address
        };
        let stream = connect(address, *marking).await?;
        ends.connected = Some(clock.now());
        let Some((connector, name)) = &self.tls else {
            return Connection::over(stream, self.version == Some(HttpVersion::Http2)).await;
        };
        let stream = connector.connect(name.clone(), stream).await.map_err(|fault| tls::failure(&fault))?;
        ends.secured = Some(clock.now());
        let is_version_2 = stream.get_ref().1.alpn_protocol() == Some(tls::HTTP_2);
        if self.version == Some(HttpVersion::Http2) && !is_version_2 {
            return Err(ServiceError::Tls("the server does not speak HTTP/2"));
        }
        Connection::over(stream, is_version_2).await
    }
}
