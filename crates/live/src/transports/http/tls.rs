//! TLS for https: trust anchors, ALPN, and the reasons for failed handshakes.

use std::io;
use std::path::Path;
use std::sync::Arc;

use sojourn_scenario::{Problem, Problems};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::Resumption;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{CertificateError, ClientConfig, Error, RootCertStore};

use crate::io::network_error::ServiceError;
use crate::prober::plan::{Http, HttpVersion};

/// Names of versions of HTTP in ALPN (RFC 7301; RFC 9113, section 3.2).
pub const HTTP_2: &[u8] = b"h2";
const HTTP_1: &[u8] = b"http/1.1";

/// A client of TLS 1.2 and 1.3 whose handshakes are all full: no session is resumed.
pub fn connector(http: &Http) -> Result<TlsConnector, Problems> {
    let roots = roots(http.ca_file.as_deref())?;
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|fault| Problem::plain(format!("TLS cannot be set up: {fault}")))?;
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    // a cold request measures the same every time
    config.resumption = Resumption::disabled();
    let offered: &[&[u8]] = match http.version {
        None => &[HTTP_2, HTTP_1],
        Some(HttpVersion::Http1) => &[HTTP_1],
        Some(HttpVersion::Http2) => &[HTTP_2],
    };
    config.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// The certification authorities of a file, else those of the system.
fn roots(file: Option<&Path>) -> Result<RootCertStore, Problems> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            let problem = Problem::plain("this host has no certification authorities that could be trusted");
            return Err(problem.help("apt install ca-certificates, or --ca-file FILE").into());
        }
        return Ok(roots);
    };
    let refused = |why: String| Problem::plain(format!("the CA file {} {why}", file.display()));
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|fault| refused(format!("cannot be read: {fault}")))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|fault| refused(format!("is not PEM: {fault}")))?;
        roots.add(certificate).map_err(|fault| refused(format!("has a certificate that cannot be used: {fault}")))?;
    }
    if roots.is_empty() {
        return Err(refused("has no certificate: it has to be in PEM".to_owned()).into());
    }
    Ok(roots)
}

/// Why a handshake failed.
pub fn failure(fault: &io::Error) -> ServiceError {
    let Some(error) = fault.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return ServiceError::from(fault);
    };
    ServiceError::Tls(match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => "certificate of an unknown authority",
        Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "certificate expired"
        }
        Error::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            "certificate not valid yet"
        }
        Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "certificate of another name",
        Error::InvalidCertificate(CertificateError::Revoked) => "certificate revoked",
        Error::InvalidCertificate(_) => "invalid certificate",
        Error::AlertReceived(_) => "the server refused the handshake",
        Error::PeerIncompatible(_) => "no version or cipher suite in common",
        Error::NoApplicationProtocol => "the server does not speak this version of HTTP",
        _ => "handshake failed",
    })
}
