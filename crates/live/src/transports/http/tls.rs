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

use super::trust::{Expiry, Trust};
use crate::io::network_error::ServiceError;
use crate::prober::plan::{Http, HttpVersion};

/// Names of versions of HTTP in ALPN (RFC 7301; RFC 9113, section 3.2).
pub const HTTP_2: &[u8] = b"h2";
const HTTP_1: &[u8] = b"http/1.1";

/// A client of TLS 1.2 and 1.3 whose handshakes are all full: no session is resumed.
///
/// It takes the certificates that the plan trusts, and notes when that of the server expires.
pub fn connector(http: &Http, expiry: Arc<Expiry>) -> Result<TlsConnector, Problems> {
    let fault = |fault: String| Problem::plain(format!("TLS cannot be set up: {fault}"));
    let provider = Arc::new(default_provider());
    let is_free = http.is_insecure || http.pin.is_some();
    let none = || Trusted { roots: RootCertStore::empty(), certificates: Vec::new() };
    let trusted = if is_free { none() } else { trusted(http.ca_file.as_deref())? };
    let trust = Trust::new(http, trusted.roots, trusted.certificates, provider.clone(), expiry);
    let trust = trust.map_err(|error| fault(error.to_string()))?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| fault(error.to_string()))?;
    let mut config = config.dangerous().with_custom_certificate_verifier(Arc::new(trust)).with_no_client_auth();
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

/// What is trusted.
struct Trusted {
    /// The authorities.
    roots: RootCertStore,
    /// The certificates of a file, each of which may be a server's own.
    certificates: Vec<CertificateDer<'static>>,
}

/// The certification authorities and certificates of a file, else the authorities of the system.
fn trusted(file: Option<&Path>) -> Result<Trusted, Problems> {
    let (mut roots, mut own) = (RootCertStore::empty(), Vec::new());
    let Some(file) = file else {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            let problem = Problem::plain("this host has no certification authorities that could be trusted");
            return Err(problem.help("apt install ca-certificates, or --ca-file FILE").into());
        }
        return Ok(Trusted { roots, certificates: own });
    };
    let refused = |why: String| Problem::plain(format!("the CA file {} {why}", file.display()));
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|fault| refused(format!("cannot be read: {fault}")))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|fault| refused(format!("is not PEM: {fault}")))?;
        own.push(certificate.clone());
        roots.add(certificate).map_err(|fault| refused(format!("has a certificate that cannot be used: {fault}")))?;
    }
    if roots.is_empty() {
        return Err(refused("has no certificate: it has to be in PEM".to_owned()).into());
    }
    Ok(Trusted { roots, certificates: own })
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
        Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure) => {
            "certificate is not the pinned one"
        }
        Error::InvalidCertificate(_) => "invalid certificate",
        Error::AlertReceived(_) => "the server refused the handshake",
        Error::PeerIncompatible(_) => "no version or cipher suite in common",
        Error::NoApplicationProtocol => "the server does not speak this version of HTTP",
        _ => "handshake failed",
    })
}
