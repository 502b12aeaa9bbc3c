//! Which certificate of a server is taken, and when it expires.
//!
//! An authority of the system or of a file vouches for it; or it is in the file itself, as that of most appliances is,
//! which sign their own; or its fingerprint is pinned; or, insecure, any is taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::client::{VerifierBuilderError, WebPkiServerVerifier, verify_server_name};
use tokio_rustls::rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::certificate::validity;
use crate::prober::plan::Http;

/// When the certificate of a server expires, as its last handshake showed.
#[derive(Debug, Default)]
pub struct Expiry(AtomicI64);

impl Expiry {
    /// Seconds until then, negative after it; `None` without a handshake.
    pub fn left_s(&self) -> Option<f64> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        Some(self.0.load(Ordering::Relaxed)).filter(|until| *until != 0).map(|until| until as f64 - now)
    }
}

/// Decides on the certificate of a server.
#[derive(Debug)]
pub struct Trust {
    is_insecure: bool,
    pin: Option<[u8; 32]>,
    /// Authorities, where they decide.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that are taken as they are.
    certificates: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    expiry: Arc<Expiry>,
}

impl Trust {
    /// By a plan, the authorities, and the certificates of a file.
    pub fn new(
        http: &Http,
        roots: RootCertStore,
        certificates: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
        expiry: Arc<Expiry>,
    ) -> Result<Trust, VerifierBuilderError> {
        let by_authority = || WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
        let authorities = (!http.is_insecure && http.pin.is_none()).then(by_authority).transpose()?;
        let (is_insecure, pin) = (http.is_insecure, http.pin);
        Ok(Trust { is_insecure, pin, authorities, certificates, provider, expiry })
    }

    /// Whether a certificate of the file is the server's own, valid now and of its name.
    fn is_own(&self, certificate: &CertificateDer<'_>, name: &ServerName<'_>, now: UnixTime) -> Result<(), Error> {
        let [from, until] = validity(certificate).ok_or(CertificateError::BadEncoding)?;
        let now = now.as_secs() as i64;
        if now < from {
            return Err(CertificateError::NotValidYet.into());
        }
        if now > until {
            return Err(CertificateError::Expired.into());
        }
        verify_server_name(&ParsedCertificate::try_from(certificate)?, name)
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some([_, until]) = validity(certificate) {
            self.expiry.0.store(until, Ordering::Relaxed);
        }
        if let Some(pin) = &self.pin {
            let is_pinned = Sha256::digest(certificate).as_slice() == pin;
            let refused = CertificateError::ApplicationVerificationFailure;
            return if is_pinned { Ok(ServerCertVerified::assertion()) } else { Err(refused.into()) };
        }
        if self.is_insecure {
            return Ok(ServerCertVerified::assertion());
        }
        if self.certificates.iter().any(|own| own.as_ref() == certificate.as_ref()) {
            return self.is_own(certificate, name, now).map(|()| ServerCertVerified::assertion());
        }
        let authorities = self.authorities.as_ref().ok_or(CertificateError::UnknownIssuer)?;
        authorities.verify_server_cert(certificate, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
