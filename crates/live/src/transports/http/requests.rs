//! The exchange of a request and its response over HTTP.

use std::ops::RangeInclusive;
use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::StatusCode;
use sojourn_metrics::record::Record;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::connection::{Connection, KeptConnections, failure};
use super::origin::Origin;
use super::tls;
use super::trust::Expiry;
use crate::io::clock::Clock;
use crate::io::datagrams::Marking;
use crate::io::network_error::ServiceError;
use crate::prober::plan::HttpVersion;
use crate::prober::service_peer::{Ends, Exchange, Service, connect};

/// Octets of a body that are searched, at most.
const MOST_SEARCHED: usize = 1 << 20;

/// A server of HTTP.
pub struct Server {
    /// Everything that an exchange needs.
    pub client: Arc<Client>,
    /// When its certificate expires.
    pub expiry: Arc<Expiry>,
}

/// What an answer has to be.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The statuses that do not count as failures; those below 400 when empty.
    pub statuses: Vec<RangeInclusive<u16>>,
    /// What the body has to contain.
    pub contains: Option<String>,
}

impl Expected {
    /// Why an answer with this status and the begin of this body is a failure, if it is.
    fn check(&self, status: StatusCode, body: &[u8]) -> Result<(), ServiceError> {
        let status = status.as_u16();
        let is_fine = match self.statuses.as_slice() {
            [] => status < 400,
            expected => expected.iter().any(|range| range.contains(&status)),
        };
        if !is_fine {
            return Err(ServiceError::Status(status));
        }
        let text = self.contains.as_deref().unwrap_or_default().as_bytes();
        let has = text.is_empty() || body.windows(text.len()).any(|part| part == text);
        if has { Ok(()) } else { Err(ServiceError::Body) }
    }
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
    /// What an answer has to be.
    pub expected: Expected,
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

    fn record_metrics(&self, record: &mut Record) {
        if let Some(left_s) = self.expiry.left_s() {
            record.scalar("certificate_left", left_s);
        }
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
        let (mut begin, most) = (Vec::new(), if self.expected.contains.is_some() { MOST_SEARCHED } else { 0 });
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| failure(&error))?;
            let data = frame.data_ref().map_or(&[][..], |data| data);
            begin.extend_from_slice(&data[..data.len().min(most - begin.len())]);
        }
        ends.whole = Some(self.clock.now());
        if let Some(kept) = &self.kept {
            kept.keep(connection);
        }
        self.expected.check(status, &begin).map(|()| ends)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &Expected, status: u16, body: &str) -> Result<(), ServiceError> {
        expected.check(StatusCode::from_u16(status).unwrap(), body.as_bytes())
    }

    #[test]
    fn a_status_of_400_or_above_is_a_failure_unless_it_is_expected() {
        let any = Expected::default();
        assert_eq!([200, 301, 404].map(|status| check(&any, status, "").is_ok()), [true, true, false]);
        let only = Expected { statuses: vec![401..=401, 500..=599], contains: None };
        assert_eq!([200, 401, 503].map(|status| check(&only, status, "").is_ok()), [false, true, true]);
        assert_eq!(check(&only, 200, ""), Err(ServiceError::Status(200)));
    }

    #[test]
    fn a_body_contains_what_is_expected_or_is_a_failure() {
        let expected = Expected { contains: Some("all good".to_owned()), ..Expected::default() };
        assert_eq!(check(&expected, 200, "status: all good"), Ok(()));
        assert_eq!(check(&expected, 200, "all goo"), Err(ServiceError::Body));
        assert_eq!(check(&expected, 500, "all good"), Err(ServiceError::Status(500)));
    }
}
